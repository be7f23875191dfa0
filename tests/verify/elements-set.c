/* A status says what the program puts there.
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int n, flag;
    MPI_Status status;
    MPI_Datatype pair;
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Status_set_elements(&status, pair, 7);
    MPI_Get_elements(&status, pair, &n);
    assert(n == 7);
    MPI_Get_count(&status, pair, &n);
    assert(n == MPI_UNDEFINED);
    MPI_Status_set_elements_x(&status, MPI_INT, 6);
    MPI_Get_count(&status, pair, &n);
    assert(n == 3);
    /* No request is complete, and its status is empty. */
    MPI_Request_get_status(none, &flag, &status);
    assert(flag && status.MPI_SOURCE == MPI_ANY_SOURCE && status.MPI_TAG == MPI_ANY_TAG);
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
