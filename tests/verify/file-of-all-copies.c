/* A rank appends what it receives to a file and aborts if it reads something else: copies of its process write to the same file, and that it aborts is not
 * confirmed.
 * ranks: 3
 * class: environment
 * expect: unsupported
 * random: correct
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, x, n = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        FILE *file = tmpfile();
        for (int i = 0; i < 2; i++) {
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            fprintf(file, "%d", x);
            fflush(file);
        }
        rewind(file);
        while (getc(file) != EOF)
            n++;
        if (n != 2)
            MPI_Abort(MPI_COMM_WORLD, 1);
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
