/* A relaxed progress loop for UCX, to be preloaded.
 *
 * A rank that polls without pause keeps a device that is software from running: on machines with few cores it then
 * takes a time slice for each message. Here a rank that has polled in vain twenty times sleeps for a microsecond. What
 * the library does is the same; when it looks is not, so results say that this was loaded. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sys/prctl.h>
#include <time.h>

__attribute__((constructor)) static void short_sleeps(void)
{
    prctl(PR_SET_TIMERSLACK, 1);
}

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*progress)(void *);
    static _Thread_local int idle;
    if (!progress) {
        /* ISO C has no conversion from a pointer to data to one to a function; POSIX does. */
        *(void **)&progress = dlsym(RTLD_NEXT, "ucp_worker_progress");
        if (!progress)
            return 0;
    }
    unsigned done = progress(worker);
    if (done)
        idle = 0;
    else if (++idle >= 20) {
        struct timespec moment = {0, 1000};
        idle = 0;
        nanosleep(&moment, NULL);
    }
    return done;
}
