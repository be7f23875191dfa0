/* A generalised request is completed twice: by a copy of its handle, when the wait has freed it.
 * ranks: 1
 * class: requests
 * expect: erroneous
 */
#include <mpi.h>

static int query(void *extra, MPI_Status *status) { return (void)extra, (void)status, MPI_SUCCESS; }
static int release(void *extra) { return (void)extra, MPI_SUCCESS; }
static int cancel(void *extra, int complete) { return (void)extra, (void)complete, MPI_SUCCESS; }

int main(int argc, char **argv)
{
    MPI_Request r, copy;
    MPI_Init(&argc, &argv);
    MPI_Grequest_start(query, release, cancel, 0, &r);
    copy = r;
    MPI_Grequest_complete(r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    MPI_Grequest_complete(copy);
    MPI_Finalize();
    return 0;
}
