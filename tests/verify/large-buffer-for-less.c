/* Short messages come into a buffer that has room for many: elements, not parts of it, are looked at then.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

enum { ROOM = 20000 };

int main(int argc, char **argv)
{
    int rank, count, wrong = 0;
    static int flag, buffer[ROOM];
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int n = 1; n <= 3; n++)
        if (rank == 0) {
            buffer[n - 1] = n;
            MPI_Send(buffer, n, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(&flag, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(buffer, ROOM, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
            MPI_Get_count(&status, MPI_INT, &count);
            wrong += count != n || buffer[n - 1] != n;
            MPI_Send(&flag, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    if (wrong)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
