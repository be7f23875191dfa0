/* A sum of characters: MPI_CHAR stands for text, and has no sum.
 * ranks: 2
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    char x = 1, y = 0;
    MPI_Init(&argc, &argv);
    MPI_Allreduce(&x, &y, 1, MPI_CHAR, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
