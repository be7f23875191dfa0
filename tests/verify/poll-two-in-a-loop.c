/* A loop tests two requests in turn, and what the first waits for comes only when the second was answered: each test may say no for as long
 * as it likes (3.7.3: MPI_Test returns at once), and the process is each time what it was.
 * ranks: 2
 * class: deadlock and progress
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, late = 0, early = 0, has_late = 0, has_early = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Request requests[2];
        MPI_Irecv(&late, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&early, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[1]);
        while (!has_late || !has_early) {
            if (!has_late)
                MPI_Test(&requests[0], &has_late, MPI_STATUS_IGNORE);
            if (!has_early) {
                MPI_Test(&requests[1], &has_early, MPI_STATUS_IGNORE);
                if (has_early)
                    MPI_Send(&early, 1, MPI_INT, 1, 2, MPI_COMM_WORLD);
            }
        }
        assert(late == 8 && early == 7);
    } else {
        int x = 7, y = 0;
        MPI_Send(&x, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(&y, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        x = y + 1;
        MPI_Send(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
