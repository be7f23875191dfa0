/* The characters at the beginning of a receive buffer are counted before the wait.
 * ranks: 2
 * class: buffers
 * expect: correct
 * instrumented: erroneous
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    int rank;
    static char text[64] = "17 and", other[64];
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send("42 or so", 9, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else {
        MPI_Irecv(text, 64, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &q);
        other[1] = strcspn(text, " ") > 1;
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return other[0] == 7;
}
