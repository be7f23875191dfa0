/* Persistent collectives, started again and in another order at each process.
 * ranks: 3
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int x = 0, y, all[3], sum;
    MPI_Request r[3];
    MPI_Bcast_init(&x, 1, MPI_INT, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]);
    MPI_Allgather_init(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]);
    MPI_Allreduce_init(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &r[2]);
    for (int k = 0; k < 2; k++) {
        x = rank ? -1 : k;
        for (int i = 0; i < 3; i++)
            MPI_Start(&r[(i + rank) % 3]);
        MPI_Waitall(3, r, MPI_STATUSES_IGNORE);
        assert(x == k && all[0] == 0 && all[2] == 2 && sum == 3);
        MPI_Bcast(&y, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&r[i]);
    MPI_Finalize();
    return 0;
}
