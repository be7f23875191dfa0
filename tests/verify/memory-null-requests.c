/* Two requests are waited for, and there is no list of requests.
 * ranks: 1
 * class: buffers
 * expect: erroneous
 */
#include <mpi.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Waitall(2, NULL, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
