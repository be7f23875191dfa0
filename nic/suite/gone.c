/* An MPI program whose last rank is killed while rank 0 sends to it. What rank 0 hears of is the library's and the device's.
 *
 *     mpicc -o gone gone.c && litmpi nic --pause 20 -- mpirun -n 2 ./gone */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, all, number = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    for (int i = 0; i < 4000; i++) {
        if (rank == 0)
            MPI_Send(&number, 1, MPI_INT, all - 1, 0, MPI_COMM_WORLD);
        else if (rank == all - 1)
            MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == all - 1 && i == 100)
            raise(SIGKILL);
    }
    printf("rank %d has sent all\n", rank);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
