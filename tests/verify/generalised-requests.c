/* Generalised requests: waits and tests of every kind return when the program has completed them, ask its function for the status and free them
 * once; one that is freed before it is complete is freed when it is; cancelling is the program's own affair.
 * ranks: 2
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

struct of {
    int asked, freed, cancelled;
};

static int query(void *extra, MPI_Status *status)
{
    ((struct of *)extra)->asked++;
    MPI_Status_set_elements(status, MPI_INT, 3);
    MPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = 7;
    status->MPI_TAG = 11;
    return MPI_SUCCESS;
}
static int release(void *extra) { return ((struct of *)extra)->freed++, MPI_SUCCESS; }
static int cancel(void *extra, int complete) { return ((struct of *)extra)->cancelled += complete ? 100 : 1, MPI_SUCCESS; }

int main(int argc, char **argv)
{
    int rank, flag, index, count, indices[2], n;
    struct of one = {0}, two = {0};
    MPI_Request r, both[2];
    MPI_Status s, each[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    MPI_Grequest_start(query, release, cancel, &one, &r);
    MPI_Test(&r, &flag, &s);
    assert(!flag && one.asked == 0);
    MPI_Cancel(&r);
    assert(one.cancelled == 1);
    MPI_Grequest_complete(r);
    MPI_Cancel(&r);
    assert(one.cancelled == 101);
    MPI_Request_get_status(r, &flag, &s);
    assert(flag && one.asked == 1 && one.freed == 0 && r != MPI_REQUEST_NULL);
    MPI_Test(&r, &flag, &s);
    MPI_Get_count(&s, MPI_INT, &n);
    assert(flag && r == MPI_REQUEST_NULL && one.asked == 2 && one.freed == 1 && s.MPI_SOURCE == 7 && s.MPI_TAG == 11 && n == 3);

    /* With a message: whichever is complete. */
    int got = 0;
    one = (struct of){0};
    MPI_Grequest_start(query, release, cancel, &one, &both[0]);
    MPI_Grequest_start(query, release, cancel, &two, &both[1]);
    MPI_Grequest_complete(both[1]);
    MPI_Waitany(2, both, &index, &s);
    assert(index == 1 && two.freed == 1 && one.freed == 0 && s.MPI_SOURCE == 7 && both[1] == MPI_REQUEST_NULL);
    if (rank == 0)
        MPI_Irecv(&got, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, &both[1]);
    else
        MPI_Isend(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &both[1]);
    MPI_Grequest_complete(both[0]);
    MPI_Waitall(2, both, each);
    assert(one.asked == 1 && one.freed == 1 && each[0].MPI_TAG == 11 && (rank != 0 || (got == 1 && each[1].MPI_SOURCE == 1)));

    /* Some of them. */
    one = two = (struct of){0};
    MPI_Grequest_start(query, release, cancel, &one, &both[0]);
    MPI_Grequest_start(query, release, cancel, &two, &both[1]);
    MPI_Testsome(2, both, &count, indices, each);
    assert(count == 0);
    MPI_Grequest_complete(both[0]);
    MPI_Grequest_complete(both[1]);
    MPI_Waitsome(2, both, &count, indices, each);
    if (count == 1)
        MPI_Wait(&both[1 - indices[0]], MPI_STATUS_IGNORE);
    assert(one.freed == 1 && two.freed == 1 && one.asked == 1);

    /* Freed first. */
    one = (struct of){0};
    MPI_Grequest_start(query, release, cancel, &one, &r);
    MPI_Request copy = r;
    MPI_Request_free(&r);
    assert(one.freed == 0 && r == MPI_REQUEST_NULL);
    MPI_Grequest_complete(copy);
    assert(one.freed == 1 && one.asked == 0);
    MPI_Finalize();
    return 0;
}
