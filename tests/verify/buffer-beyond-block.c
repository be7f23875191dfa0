/* A column of a matrix that has a row less than is meant.
 * ranks: 2
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, got[4];
    MPI_Datatype column;
    double *matrix = malloc(3 * 4 * sizeof *matrix);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(4, 1, 4, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Bcast(matrix, 1, column, 0, MPI_COMM_WORLD);
    MPI_Type_free(&column);
    free(matrix);
    MPI_Finalize();
    return 0;
}
