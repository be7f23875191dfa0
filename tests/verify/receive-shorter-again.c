/* Messages that are shorter than their buffer leave the rest of it as it was, whatever the process did with the buffer meanwhile.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, buffer[3] = {1, 2, 3};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 3; i++)
        if (rank == 0) {
            MPI_Recv(buffer, 3, MPI_INT, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            assert(buffer[0] == 10 + i && buffer[1] == 2 + 7 * i && buffer[2] == 3);
            buffer[1] += 7;
        } else {
            int x = 10 + i;
            MPI_Send(&x, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        }
    if (rank == 0)
        MPI_Send(buffer, 3, MPI_INT, 1, 0, MPI_COMM_WORLD);
    else {
        MPI_Recv(buffer, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(buffer[0] == 12 && buffer[1] == 23 && buffer[2] == 3);
    }
    MPI_Finalize();
    return 0;
}
