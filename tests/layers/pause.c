/* A device that is software gets to run where who waits pauses: after twenty yields in vain comes a sleep of a microsecond. To be preloaded to
 * programs of emitted libraries in the lab, as `{relax}` is to those of UCX. */
#define _GNU_SOURCE
#include <sys/prctl.h>
#include <time.h>

__attribute__((constructor)) static void short_sleeps(void)
{
    prctl(PR_SET_TIMERSLACK, 1);
}

int sched_yield(void)
{
    static _Thread_local int idle;
    struct timespec moment = {0, 1000};
    if (++idle < 20)
        return 0;
    idle = 0;
    return nanosleep(&moment, 0);
}
