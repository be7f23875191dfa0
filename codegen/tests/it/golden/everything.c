/* everything: every statement, expression and argument * / once
 * Generated from litmus/mpi/everything.litmus. */
#include "litmpi.h"

static int everything_rank(int value)
{
    switch (value) {
    case -1: return MPI_ANY_SOURCE;
    case -2: return MPI_PROC_NULL;
    default: return value;
    }
}

static void everything_rank_0(void)
{
    int *r = LITMPI_AT(0);
    int *v_int = LITMPI_AT(2);
    MPI_Request p = MPI_REQUEST_NULL;
    MPI_Request q = MPI_REQUEST_NULL;
    MPI_Status s = {0};
    MPI_Status t = {0};
    int flag = 0;
    int t1 = 0;

    litmpi_point(2); /* everything.litmus:2 */
    litmpi_store(v_int, 5);
    litmpi_point(3); /* everything.litmus:3 */
    t1 = litmpi_load(v_int);
    litmpi_point(4); /* everything.litmus:4 */
    LITMPI_TRY(MPI_Irecv(r, 1 * LITMPI_BLOCK, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, LITMPI_COMM, &p));
    litmpi_point(5); /* everything.litmus:5 */
    LITMPI_TRY(MPI_Irecv(LITMPI_AFTER(r, 1), 1 * LITMPI_BLOCK, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, LITMPI_COMM, &q));
    litmpi_point(6); /* everything.litmus:6 */
    for (long turn = 0; !(flag == 1); turn++) {
        if (!litmpi_turn(turn))
            goto done;
        litmpi_point(7); /* everything.litmus:7 */
        LITMPI_TRY(MPI_Test(&p, &flag, MPI_STATUS_IGNORE));
    }
    litmpi_point(8); /* everything.litmus:8 */
    {
        MPI_Request array_of_requests[2] = {p, q};
        MPI_Status array_of_statuses[2] = {s, t};
        const int code = MPI_Waitall(2, array_of_requests, array_of_statuses);
        p = array_of_requests[0];
        q = array_of_requests[1];
        s = array_of_statuses[0];
        t = array_of_statuses[1];
        LITMPI_TRY(code);
    }
    litmpi_point(9); /* everything.litmus:9 */
    {
        MPI_Request array_of_requests[2] = {p, q};
        const int code = MPI_Waitall(2, array_of_requests, MPI_STATUSES_IGNORE);
        p = array_of_requests[0];
        q = array_of_requests[1];
        LITMPI_TRY(code);
    }
    litmpi_point(10); /* everything.litmus:10 */
    {
        MPI_Request array_of_requests[1] = {MPI_REQUEST_NULL};
        const int code = MPI_Waitall(0, array_of_requests, MPI_STATUSES_IGNORE);
        LITMPI_TRY(code);
    }
    litmpi_point(11); /* everything.litmus:11 */
    LITMPI_TRY(MPI_Send(LITMPI_AFTER(r, 1), 1 * LITMPI_BLOCK, MPI_INT, everything_rank(litmpi_source(&s)), 0, LITMPI_COMM));
    litmpi_point(12); /* everything.litmus:12 */
    flag = (flag + -2) * 3;
    litmpi_point(13); /* everything.litmus:13 */
    if ((litmpi_tag(&s) == -1 /* MPI_ANY_TAG */) && (flag < 4)) {
        litmpi_point(14); /* everything.litmus:14 */
        LITMPI_TRY(MPI_Barrier(LITMPI_COMM));
    } else {
        litmpi_point(15); /* everything.litmus:15 */
        switch (litmpi_choose(2)) {
        case 0:
            litmpi_point(16); /* everything.litmus:16 */
            litmpi_store(r, 1);
            break;
        default:
            break;
        }
    }
done:
    litmpi_observe(1, litmpi_count(&s)); /* s.count */
    litmpi_observe(2, flag); /* flag */
    litmpi_leave(&p);
    litmpi_leave(&q);
    (void)t1;
}

static void everything_rank_1(void)
{
}

static const int everything_initial_0[] = {1, 2, 3};
static const int everything_initial_1[] = {0};
static const struct litmpi_rank everything_ranks[] = {
    {everything_rank_0, everything_initial_0, 3, "r[0] r[1] int"},
    {everything_rank_1, everything_initial_1, 0, ""},
};
static const struct litmpi_observable everything_observables[] = {
    {0, 1}, /* r[1] */
    {0, -1}, /* s.count */
    {0, -1}, /* flag */
};
static const struct litmpi_test everything = {
    "everything", "everything.litmus", 2, everything_ranks, 3, everything_observables, 0, LITMPI_PLACED,
};
