/* An info object is made and not freed.
 * ranks: 1
 * class: leaks
 * expect: leak
 * says: it does not free 1 info object before MPI_Finalize
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Init(&argc, &argv);
    MPI_Info_create(&info);
    MPI_Info_set(info, "key", "value");
    MPI_Finalize();
    return 0;
}
