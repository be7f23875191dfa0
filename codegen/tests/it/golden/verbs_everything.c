/* everything: every instruction * / once
 * Generated from everything.litmus. */
#include "litmpi.h"

static void everything_thread_1(void)
{
    int *x = LITMPI_AT(0);
    int *r = LITMPI_AT(1);
    int a = 0;
    int b = 0;
    int c = 0;

    litmpi_point(6); /* everything.litmus:6: x := 7 */
    litmpi_store(x, 7);
    litmpi_point(7); /* everything.litmus:7: a := x */
    a = litmpi_load(x);
    litmpi_point(8); /* everything.litmus:8: r[1] := y@2 */
    litmpi_get(LITMPI_AFTER(r, 1), LITMPI_REMOTE(2, 0 /* y */));
    litmpi_point(9); /* everything.litmus:9: rfence(2) */
    litmpi_rfence(2);
    litmpi_point(10); /* everything.litmus:10: z@2 := x */
    litmpi_put(LITMPI_REMOTE(2, 1 /* z */), x);
    litmpi_point(11); /* everything.litmus:11: w@3 := 4 */
    litmpi_put_value(LITMPI_REMOTE(3, 0 /* w */), 4);
    litmpi_point(12); /* everything.litmus:12: poll(2) */
    LITMPI_TRY(litmpi_poll(2));
    litmpi_point(13); /* everything.litmus:13: poll(3) */
    LITMPI_TRY(litmpi_poll(3));
    litmpi_point(14); /* everything.litmus:14: mfence */
    litmpi_mfence();
    litmpi_point(15); /* everything.litmus:15: b := CAS(x, 7, a + 1) */
    b = litmpi_cas(x, 7, a + 1);
    litmpi_point(16); /* everything.litmus:16 */
    if (b == 7) {
        litmpi_point(16); /* everything.litmus:16: c := r[1] */
        c = litmpi_load(LITMPI_AFTER(r, 1));
    } else {
        litmpi_point(16); /* everything.litmus:16 */
        switch (litmpi_choose(2)) {
        case 0:
            litmpi_point(16); /* everything.litmus:16: c := 1 */
            c = 1;
            break;
        default:
            litmpi_point(16); /* everything.litmus:16: c := 2 */
            c = 2;
            break;
        }
    }
    litmpi_point(17); /* everything.litmus:17 */
    for (long turn = 0; c == 0; turn++) {
        if (!litmpi_turn(turn))
            goto done;
        litmpi_point(17); /* everything.litmus:17: c := x */
        c = litmpi_load(x);
    }
done:
    litmpi_observe(0, a); /* a */
    litmpi_observe(2, c); /* c */
}

static void everything_thread_2(void)
{
    int *x = LITMPI_AT(0);
    int d = 0;

    litmpi_point(19); /* everything.litmus:19: d := x */
    d = litmpi_load(x);
    litmpi_observe(1, d); /* d */
}

static const int everything_initial_1[] = {3, 1, 2};
static const int everything_initial_2[] = {0, 5};
static const int everything_initial_3[] = {0};
static const struct litmpi_node everything_nodes[] = {
    {1, everything_initial_1, 3},
    {2, everything_initial_2, 2},
    {3, everything_initial_3, 1},
};
static const struct litmpi_thread everything_threads[] = {
    {1, 0, everything_thread_1},
    {2, 0, everything_thread_2},
};
static const struct litmpi_observable everything_observables[] = {
    {0, -1}, /* a */
    {0, -1}, /* d */
    {0, -1}, /* c */
    {1, 1}, /* z */
};
static const struct litmpi_test everything = {
    "everything", "everything.litmus", 3, everything_nodes, 2, everything_threads, 4, everything_observables,
    " cas get mfence poll put put_imm rfence",
};
