/* A key is looked for in an info object that is freed, where errors are fatal.
 * ranks: 1
 * class: environment
 * expect: erroneous
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int n;
    MPI_Info info, copy;
    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    copy = info;
    MPI_Info_free(&info);
    MPI_Info_get_nkeys(copy, &n);
    MPI_Finalize();
    return 0;
}
