/* Functions of the program's own by the C++ bindings: a reduction, an error handler, and those of an attribute.
 * ranks: 2
 * class: environment
 * expect: correct
 */
#include <mpi.h>

static int handled, deleted;

static void larger(const void *in, void *inout, int n, const MPI::Datatype &type)
{
    for (int i = 0; type == MPI::INT && i < n; i++)
        if (((const int *)in)[i] > ((int *)inout)[i])
            ((int *)inout)[i] = ((const int *)in)[i];
}
static void handle(MPI::Comm &comm, int *, ...) { handled = comm.Get_size(); }
static int copy(const MPI::Comm &, int, void *, void *value, void *copied, bool &flag)
{
    *(void **)copied = value;
    flag = true;
    return MPI::SUCCESS;
}
static int gone(MPI::Comm &, int, void *, void *)
{
    deleted++;
    return MPI::SUCCESS;
}

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    int rank = MPI::COMM_WORLD.Get_rank(), mine[2] = {rank, 3 - rank}, all[2] = {-1, -1};
    MPI::Op op;
    op.Init(larger, true);
    MPI::COMM_WORLD.Allreduce(mine, all, 2, MPI::INT, op);
    op.Free();
    if (all[0] != 1 || all[1] != 3)
        MPI::COMM_WORLD.Abort(1);

    MPI::Errhandler handler = MPI::Comm::Create_errhandler(handle);
    MPI::COMM_WORLD.Set_errhandler(handler);
    MPI::COMM_WORLD.Call_errhandler(MPI::ERR_OTHER);
    handler.Free();
    if (handled != 2)
        MPI::COMM_WORLD.Abort(2);

    int key = MPI::Comm::Create_keyval(copy, gone, 0);
    void *value = 0;
    MPI::Intracomm first = MPI::COMM_WORLD.Dup();
    first.Set_attr(key, &rank);
    MPI::Intracomm second = first.Dup();
    if (!second.Get_attr(key, &value) || value != &rank)
        MPI::COMM_WORLD.Abort(3);
    second.Free();
    first.Free();
    if (deleted != 2)
        MPI::COMM_WORLD.Abort(4);
    MPI::Comm::Free_keyval(key);
    MPI::Finalize();
    return 0;
}
