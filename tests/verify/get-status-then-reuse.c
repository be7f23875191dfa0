/* Once MPI_Request_get_status says that an operation is complete its buffer is the program's again, though the request is not freed.
 * ranks: 2
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, size, done, x, sum = 0;
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    x = rank;
    if (rank == 0)
        MPI_Issend(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &q);
    else
        MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);
    do
        MPI_Request_get_status(q, &done, MPI_STATUS_IGNORE);
    while (!done);
    assert(x == 0);
    x = 1;
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    assert(x == 1);
    MPI_Iallreduce(&x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &q);
    do
        MPI_Request_get_status(q, &done, MPI_STATUS_IGNORE);
    while (!done);
    assert(sum == size);
    x = sum = 7;
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    assert(x == 7 && sum == 7);
    MPI_Finalize();
    return 0;
}
