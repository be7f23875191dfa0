/* The same as latency.c by MPI_Barrier and MPI_Ibcast: `latency-mpi ROUNDS` under mpirun. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank;
    char data[64] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long rounds = argc > 1 ? atol(argv[1]) : 1000;
    for (int bytes = 0; bytes <= 64; bytes = bytes ? bytes * 8 : 8)
        for (long i = -rounds / 10; i < rounds; i++) {
            MPI_Request request;
            double begun = MPI_Wtime();
            if (bytes) {
                MPI_Ibcast(data, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
                MPI_Wait(&request, MPI_STATUS_IGNORE);
            }
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0 && i >= 0)
                printf("%s %d %.2f\n", bytes ? "broadcast" : "barrier", bytes, (MPI_Wtime() - begun) * 1e6);
        }
    MPI_Finalize();
    return 0;
}
