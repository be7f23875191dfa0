/* The function that says the status of a generalised request fails, and the program wants to be told: the calls return the error, or MPI_ERR_IN_STATUS (§13.2).
 * ranks: 1
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stddef.h>

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_INT, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_ERR_OTHER;
}
static int release(void *extra) { return (void)extra, MPI_SUCCESS; }
static int cancel(void *extra, int complete) { return (void)extra, (void)complete, MPI_SUCCESS; }

int main(int argc, char **argv)
{
    MPI_Request r[2];
    MPI_Status s[2];
    int class;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Grequest_start(query, release, cancel, NULL, &r[0]);
    MPI_Grequest_complete(r[0]);
    MPI_Error_class(MPI_Wait(&r[0], MPI_STATUS_IGNORE), &class);
    assert(class == MPI_ERR_OTHER);
    for (int i = 0; i < 2; i++) {
        MPI_Grequest_start(query, release, cancel, NULL, &r[i]);
        MPI_Grequest_complete(r[i]);
    }
    MPI_Error_class(MPI_Waitall(2, r, s), &class);
    assert(class == MPI_ERR_IN_STATUS);
    MPI_Finalize();
    return 0;
}
