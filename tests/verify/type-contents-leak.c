/* A datatype that MPI_Type_get_contents gives is one more to free.
 * ranks: 1
 * class: leaks
 * expect: leak
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int n;
    MPI_Aint none;
    MPI_Datatype pair, pairs, part;
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_contiguous(3, pair, &pairs);
    MPI_Type_get_contents(pairs, 1, 0, 1, &n, &none, &part);
    MPI_Type_free(&pair);
    MPI_Type_free(&pairs);
    MPI_Finalize();
    return 0;
}
