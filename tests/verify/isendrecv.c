/* A send and a receive with one request, in place and not.
 * ranks: 2
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int x = rank, y = -1, z = rank;
    MPI_Request r[2];
    MPI_Status s[2];
    MPI_Isendrecv(&x, 1, MPI_INT, 1 - rank, 0, &y, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &r[0]);
    MPI_Isendrecv_replace(&z, 1, MPI_INT, 1 - rank, 1, 1 - rank, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, s);
    assert(y == 1 - rank && z == 1 - rank && s[0].MPI_SOURCE == 1 - rank && s[1].MPI_TAG == 1);
    MPI_Finalize();
    return 0;
}
