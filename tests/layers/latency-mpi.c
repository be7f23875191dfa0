/* The same as latency.c by MPI_Barrier and MPI_Ibcast: `latency-mpi ROUNDS WORDS` under mpirun. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 8 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    long rounds = argc > 1 ? atol(argv[1]) : 1000;
    int words = argc > 2 ? atoi(argv[2]) : 1, bytes = 8 * words;
    char *data = calloc(MOST, (size_t)bytes);
    for (int load = words == 1 ? 0 : 1; load <= MOST; load = load ? load * MOST : 1)
        for (long i = -rounds / 10; i < rounds; i++) {
            MPI_Request requests[MOST];
            double begun = MPI_Wtime();
            for (int l = 0; l < load; l++)
                MPI_Ibcast(data + l * bytes, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, &requests[l]);
            MPI_Waitall(load, requests, MPI_STATUSES_IGNORE);
            MPI_Barrier(MPI_COMM_WORLD);
            if (rank == 0 && i >= 0)
                printf("%s %d %d MPI %.2f\n", load ? "broadcast" : "barrier", load ? bytes : 0, load, (MPI_Wtime() - begun) * 1e6);
        }
    MPI_Finalize();
    return 0;
}
