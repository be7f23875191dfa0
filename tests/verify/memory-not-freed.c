/* Memory of MPI_Alloc_mem is not given back.
 * ranks: 1
 * class: leaks
 * expect: leak
 * says: 1 memory allocation
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
    MPI_Finalize();
    return 0;
}
