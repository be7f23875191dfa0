/* A list of requests has no negative length.
 * ranks: 1
 * class: requests
 * expect: erroneous
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    MPI_Request none[1] = {MPI_REQUEST_NULL};
    MPI_Init(&argc, &argv);
    MPI_Waitall(-1, none, MPI_STATUSES_IGNORE);
    MPI_Finalize();
    return 0;
}
