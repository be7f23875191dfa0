/* A datatype that holds addresses, sent and received from MPI_BOTTOM: of the stack, of the heap, and of static memory.
 * ranks: 2
 * class: datatypes
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
    static int here = 0;
    int there = 0, *far = calloc(3, sizeof *far), lengths[3] = {1, 1, 2};
    MPI_Aint places[3];
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT}, t;
    MPI_Get_address(&here, &places[0]);
    MPI_Get_address(&there, &places[1]);
    MPI_Get_address(far + 1, &places[2]);
    MPI_Type_create_struct(3, lengths, places, types, &t);
    MPI_Type_commit(&t);
    if (rank == 0) {
        here = 1, there = 2, far[1] = 3, far[2] = 4;
        MPI_Send(MPI_BOTTOM, 1, t, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(MPI_BOTTOM, 1, t, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    assert(here == 1 && there == 2 && far[0] == 0 && far[1] == 3 && far[2] == 4);
    MPI_Type_free(&t);
    free(far);
    MPI_Finalize();
    return 0;
}
