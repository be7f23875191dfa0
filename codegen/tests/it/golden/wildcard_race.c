/* wildcard-race: a wildcard receive takes either message
 * Generated from litmus/mpi/wildcard-race.litmus. */
#include "litmpi.h"

static void wildcard_race_rank_0(void)
{
    int *a = LITMPI_AT(0);
    int *b = LITMPI_AT(1);
    MPI_Status s = {0};

    litmpi_point(3); /* wildcard-race.litmus:3 */
    LITMPI_TRY(MPI_Recv(a, 1 * LITMPI_BLOCK, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, LITMPI_COMM, &s));
    litmpi_point(4); /* wildcard-race.litmus:4 */
    LITMPI_TRY(MPI_Recv(b, 1 * LITMPI_BLOCK, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, LITMPI_COMM, MPI_STATUS_IGNORE));
done:
    litmpi_observe(0, litmpi_source(&s)); /* s.source */
}

static void wildcard_race_rank_1(void)
{
    int *literal_1 = LITMPI_AT(0);

    litmpi_point(7); /* wildcard-race.litmus:7 */
    LITMPI_TRY(MPI_Send(literal_1, 1 * LITMPI_BLOCK, MPI_INT, 0, 0, LITMPI_COMM));
done:
    return;
}

static void wildcard_race_rank_2(void)
{
    int *literal_1 = LITMPI_AT(0);

    litmpi_point(10); /* wildcard-race.litmus:10 */
    LITMPI_TRY(MPI_Send(literal_1, 1 * LITMPI_BLOCK, MPI_INT, 0, 0, LITMPI_COMM));
done:
    return;
}

static const int wildcard_race_initial_0[] = {0, 0};
static const int wildcard_race_initial_1[] = {1};
static const int wildcard_race_initial_2[] = {2};
static const struct litmpi_rank wildcard_race_ranks[] = {
    {wildcard_race_rank_0, wildcard_race_initial_0, 2, "a b"},
    {wildcard_race_rank_1, wildcard_race_initial_1, 1, "$1"},
    {wildcard_race_rank_2, wildcard_race_initial_2, 1, "$1"},
};
static const struct litmpi_observable wildcard_race_observables[] = {
    {0, -1}, /* s.source */
    {0, 0}, /* a */
};
static const struct litmpi_test wildcard_race = {
    "wildcard_race", "wildcard-race.litmus", 3, wildcard_race_ranks, 2, wildcard_race_observables, 0, LITMPI_PLACED,
};
