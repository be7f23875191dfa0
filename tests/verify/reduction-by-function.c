/* Operations of the program: one on integers, one on items of a derived datatype.
 * ranks: 3
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

struct item {
    double value;
    int times;
};

static void longest(void *in, void *inout, int *n, MPI_Datatype *type)
{
    struct item *a = in, *b = inout;
    (void)type;
    for (int i = 0; i < *n; i++)
        if (a[i].value > b[i].value)
            b[i] = a[i];
        else
            b[i].times += a[i].times;
}

static void twice_plus(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int *a = in, *b = inout;
    assert(*type == MPI_INT);
    for (int i = 0; i < *n; i++)
        b[i] = a[i] + b[i];
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Op sum, most;
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(twice_plus, 1, &sum);
    int x[2] = {rank, 10 * rank}, y[2] = {0, 0};
    MPI_Allreduce(x, y, 2, MPI_INT, sum, MPI_COMM_WORLD);
    assert(y[0] == 3 && y[1] == 30);

    MPI_Op_create(longest, 1, &most);
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, sizeof(double)};
    MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_INT}, tight;
    MPI_Type_create_struct(2, lengths, places, parts, &tight);
    MPI_Type_create_resized(tight, 0, sizeof(struct item), &type);
    MPI_Type_commit(&type);
    struct item mine[2] = {{rank == 1 ? 8.5 : 1.5, 1}, {2.0, 1}}, all[2] = {{0, 0}, {0, 0}};
    MPI_Reduce(mine, all, 2, type, most, 0, MPI_COMM_WORLD);
    if (rank == 0)
        assert(all[0].value == 8.5 && all[1].value == 2.0 && all[1].times == 3);
    MPI_Type_free(&tight);
    MPI_Type_free(&type);
    MPI_Op_free(&sum);
    MPI_Op_free(&most);
    MPI_Finalize();
    return 0;
}
