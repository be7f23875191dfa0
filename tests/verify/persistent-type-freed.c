/* A persistent request keeps its datatype, and a probe of nobody gives a message of its own.
 * ranks: 2
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, a[4] = {1, 2, 3, 4}, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Datatype pairs;
    MPI_Type_vector(2, 1, 2, MPI_INT, &pairs);
    MPI_Type_commit(&pairs);
    MPI_Request r;
    if (rank == 0)
        MPI_Send_init(a, 1, pairs, 1, 0, MPI_COMM_WORLD, &r);
    else
        MPI_Recv_init(a, 1, pairs, 0, 0, MPI_COMM_WORLD, &r);
    MPI_Type_free(&pairs);
    for (int i = 0; i < 2; i++) {
        a[2] = rank == 0 ? 7 + i : 0;
        MPI_Start(&r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        assert(a[0] == 1 && a[1] == 2 && a[2] == 7 + i && a[3] == 4);
    }
    MPI_Request_free(&r);

    MPI_Status s = {.MPI_ERROR = 77};
    MPI_Message m;
    MPI_Mprobe(MPI_PROC_NULL, 5, MPI_COMM_WORLD, &m, &s);
    assert(m == MPI_MESSAGE_NO_PROC && s.MPI_SOURCE == MPI_PROC_NULL && s.MPI_ERROR == 77);
    MPI_Mrecv(a, 4, MPI_INT, &m, &s);
    assert(m == MPI_MESSAGE_NULL && a[0] == 1);
    r = MPI_REQUEST_NULL;
    MPI_Request_get_status(r, &flag, &s);
    assert(flag && s.MPI_SOURCE == MPI_ANY_SOURCE && s.MPI_TAG == MPI_ANY_TAG);
    MPI_Finalize();
    return 0;
}
