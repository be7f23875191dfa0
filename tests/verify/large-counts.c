/* Functions whose counts are an MPI_Count, with lists of counts and displacements of eight bytes.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x[4] = {0}, all[5] = {-1, -1, -1, -1, -1};
    MPI_Count n = -1, size = -1, counts[2] = {1, 2};
    MPI_Aint displacements[2] = {4, 1};
    MPI_Count lengths[2] = {1, 2}, places[2] = {3, 0};
    MPI_Datatype blocks;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_indexed_c(2, lengths, places, MPI_INT, &blocks);
    MPI_Type_commit(&blocks);
    MPI_Type_size_c(blocks, &size);
    assert(size == 12);
    if (rank == 0) {
        int y[3] = {7, 8, 9};
        MPI_Send_c(y, 3, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv_c(x, 1, blocks, 0, 0, MPI_COMM_WORLD, &status);
        MPI_Get_count_c(&status, blocks, &n);
        assert(n == 1 && x[3] == 7 && x[0] == 8 && x[1] == 9 && x[2] == 0);
    }
    MPI_Type_free(&blocks);
    int mine[2] = {10 * rank + 1, 10 * rank + 2};
    MPI_Allgatherv_c(mine, rank + 1, MPI_INT, all, counts, displacements, MPI_INT, MPI_COMM_WORLD);
    assert(all[4] == 1 && all[1] == 11 && all[2] == 12 && all[0] == -1 && all[3] == -1);
    MPI_Type_size_x(MPI_DOUBLE, &size);
    assert(size == 8);
    MPI_Finalize();
    return 0;
}
