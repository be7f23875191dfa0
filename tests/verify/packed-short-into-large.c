/* A receive of much packed data is pending all the time, as a solver's is. Short messages come into it, packed and not, and a long one is
 * received as what was packed; what a message does not fill of the buffer stays as it was.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <string.h>

enum { ROOM = 1000001, LONG = 25000 };

int main(int argc, char **argv)
{
    static char room[ROOM];
    static int many[LONG + 1], ints[LONG];
    int rank, count, position, x[3], one;
    MPI_Request request;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < LONG; i++)
        ints[i] = i;
    memset(room, 9, ROOM);
    for (int n = 1; n <= 3; n++) {
        if (rank == 0) {
            char packed[12];
            position = 0;
            MPI_Pack(ints + n, 3, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
            if (n < 3)
                MPI_Send(packed, 4 * n, MPI_PACKED, 1, 7, MPI_COMM_WORLD);
            else
                MPI_Send(ints + n, 3, MPI_INT, 1, 7, MPI_COMM_WORLD);
        } else {
            MPI_Irecv(room, ROOM, MPI_PACKED, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
        }
        MPI_Allreduce(&n, &one, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (rank == 1) {
            MPI_Wait(&request, &status);
            MPI_Get_count(&status, MPI_PACKED, &count);
            assert(count == 4 * n && room[4 * n] == 9 && room[ROOM - 1] == 9);
            position = 0;
            MPI_Unpack(room, count, &position, x, n, MPI_INT, MPI_COMM_WORLD);
            assert(x[0] == n && x[n - 1] == 2 * n - 1);
        }
    }
    if (rank == 0) {
        static char packed[4 * LONG];
        position = 0;
        MPI_Pack(ints, LONG, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Send(packed, position, MPI_PACKED, 1, 8, MPI_COMM_WORLD);
    } else {
        MPI_Recv(many, LONG + 1, MPI_INT, 0, 8, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        assert(count == LONG && many[1] == 1 && many[LONG - 1] == LONG - 1 && many[LONG] == 0);
    }
    MPI_Finalize();
    return 0;
}
