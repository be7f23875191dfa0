/* Memory of MPI_Alloc_mem is given back twice.
 * ranks: 1
 * class: environment
 * expect: erroneous
 * says: MPI_ERR_BASE
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int *a, *b;
    MPI_Init(&argc, &argv);
    MPI_Alloc_mem(4 * sizeof *a, MPI_INFO_NULL, &a);
    MPI_Alloc_mem(4 * sizeof *b, MPI_INFO_NULL, &b);
    a[3] = b[3] = 1;
    MPI_Free_mem(a);
    MPI_Free_mem(a);
    MPI_Free_mem(b);
    MPI_Finalize();
    return 0;
}
