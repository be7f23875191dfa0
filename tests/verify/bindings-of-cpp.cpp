/* A program by the C++ bindings, which set the error handler of files in every program.
 * ranks: 2
 * class: environment
 * expect: correct
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI::Init(argc, argv);
    int rank = MPI::COMM_WORLD.Get_rank(), value = rank + 7, got = 0;
    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    if (rank == 0) {
        MPI::COMM_WORLD.Send(&value, 1, MPI::INT, 1, 3);
    } else {
        MPI::Status status;
        MPI::COMM_WORLD.Recv(&got, 1, MPI::INT, MPI::ANY_SOURCE, 3, status);
        if (got != 7 || status.Get_source() != 0)
            MPI::COMM_WORLD.Abort(1);
    }
    MPI::Finalize();
    return 0;
}
