/* Buffers that are not looked at may be null: of no elements, of nobody, of one who is not the root.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, x = 1, y = 0, all[2] = {0};
    MPI_Win window;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Sendrecv(NULL, 0, MPI_INT, 1 - rank, 0, NULL, 0, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(NULL, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    MPI_Reduce(&x, rank == 0 ? &y : NULL, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Exscan(&x, rank == 0 ? NULL : &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Gather(&x, 1, MPI_INT, rank == 0 ? all : NULL, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Scatter(rank == 0 ? all : NULL, 1, MPI_INT, &x, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Win_create(all, sizeof all, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    else
        MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_free(&window);
    MPI_Finalize();
    return 0;
}
