/* Generalised requests (MPI-4.1 13.2): when one is complete the rules say; its functions for the status, for freeing and for cancelling are the
 * program's own and run here, in the process that gave them. */

typedef int querier(void *extra, struct status *status);
typedef int freer(void *extra);
typedef int canceller(void *extra, int complete);
/* The same in Fortran, where everything goes by reference. */
typedef void querier_of_fortran(void *extra, struct status *status, int *err);
typedef void freer_of_fortran(void *extra, int *err);
typedef void canceller_of_fortran(void *extra, int *complete, int *err);

/* Those that are not over. `handle` is 0 at a free place. */
static struct general {
    int handle, complete, freed, is_fortran;
    querier *query;
    freer *free;
    canceller *cancel;
    void *extra;
} *generals;
static int ngenerals;

enum { NULL_REQUEST = 0x2c000000 };

/* MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE. */
static int is_ignored(const struct status *status) { return !status || status == (const struct status *)1; }

static struct general *general(int handle)
{
    for (int i = 0; handle && i < ngenerals; i++)
        if (generals[i].handle == handle)
            return &generals[i];
    return NULL;
}

/* A function of the program has failed: the call that made it do so returns its error, which the error handler is told (MPI-4.1 13.2). */
static long has_said(long err, int said, const void *site)
{
    return err || !said ? err : has_failed(COMM_WORLD, said, site);
}

/* MPICH's library for Fortran says of a request that it has just started that its functions are Fortran's. */
void MPII_Grequest_set_lang_f77(int request)
{
    struct general *g = general(request);
    if (g)
        g->is_fortran = 1;
}

int MPI_Grequest_start(querier *query, freer *free, canceller *cancel, void *extra, int *request)
{
    NEEDED(MPI_Grequest_start, request);
    const void *site = __builtin_return_address(0);
    long err = through_MPI_Grequest_start(site, (uint64_t)query, (uint64_t)free, (uint64_t)cancel, (uint64_t)extra, (uint64_t)request);
    struct general *g = NULL, new = {*request, 0, 0, 0, query, free, cancel, extra};
    for (int i = 0; i < ngenerals && !g; i++)
        if (!generals[i].handle)
            g = &generals[i];
    if (!err && !g) {
        struct general *more = grown(generals, ngenerals, sizeof *generals);
        if (!more)
            return ERR_OTHER;
        generals = more;
        g = &generals[ngenerals++];
    }
    if (!err)
        *g = new;
    return (int)err;
}

/* The request is over: its function for freeing is called once. The function may make others. */
static int is_over(struct general *g)
{
    struct general old = *g;
    g->handle = 0;
    int err = 0;
    if (old.free && old.is_fortran)
        ((freer_of_fortran *)(void *)old.free)(old.extra, &err);
    else if (old.free)
        err = old.free(old.extra);
    return err;
}

int MPI_Grequest_complete(int request)
{
    const void *site = __builtin_return_address(0);
    long err = through_MPI_Grequest_complete(site, (uint32_t)request);
    struct general *g = general(request);
    if (err || !g)
        return (int)err;
    g->complete = 1;
    return g->freed ? (int)has_said(0, is_over(g), site) : 0;
}

/* What the program's function says of a request, in the status that it asked for, if it did. */
static int status_of(struct general *g, struct status *status)
{
    struct status unseen;
    memset(&unseen, 0, sizeof unseen);
    struct status *s = is_ignored(status) ? &unseen : status;
    int err = 0;
    if (g->query && g->is_fortran)
        ((querier_of_fortran *)(void *)g->query)(g->extra, s, &err);
    else if (g->query)
        err = g->query(g->extra, s);
    return err;
}

/* A request that was this handle before a call is over if it is null now. */
static int settle(int before, int now, struct status *status)
{
    struct general *g = now == NULL_REQUEST ? general(before) : NULL;
    int err = g ? status_of(g, status) : 0;
    /* The function for the status may have made another one. */
    g = g ? general(before) : NULL;
    int freed = g ? is_over(g) : 0;
    return err ? err : freed;
}

/* The handles of requests before a call that overwrites them; none where no request is generalised. */
static int *before(int n, const int *requests)
{
    int *old = ngenerals && n > 0 ? malloc((size_t)n * sizeof *old) : NULL;
    return old ? memcpy(old, requests, (size_t)n * sizeof *old) : NULL;
}

/* Settles one of a call, whose status is among `statuses`. What functions of the program say is returned, or, of a call that completes several (`in`), stands in
 * the status. */
static int settle_one(int before, int now, struct status *statuses, int i, int in)
{
    struct status *status = is_ignored(statuses) ? statuses : &statuses[i];
    int said = settle(before, now, status);
    if (said && in && !is_ignored(statuses))
        status->error = said;
    return said && in ? ERR_IN_STATUS : said;
}

/* Settles all of them, of which `statuses` has one each. */
static int settle_all(const void *site, long err, int n, int in, int *old, const int *requests, struct status *statuses)
{
    int said = 0;
    for (int i = 0; old && i < n; i++) {
        int now = settle_one(old[i], requests[i], statuses, i, in);
        said = said ? said : now;
    }
    free(old);
    return (int)has_said(err, said, site);
}

int MPI_Wait(int *request, struct status *status)
{
    int *old = before(1, request);
    const void *site = __builtin_return_address(0);
    return settle_all(site, through_MPI_Wait(site, (uint64_t)request, (uint64_t)status), 1, 0, old, request, status);
}
int MPI_Test(int *request, int *flag, struct status *status)
{
    int *old = before(1, request);
    const void *site = __builtin_return_address(0);
    return settle_all(site, through_MPI_Test(site, (uint64_t)request, (uint64_t)flag, (uint64_t)status), 1, 0, old, request, status);
}
int MPI_Waitall(int n, int *requests, struct status *statuses)
{
    int *old = before(n, requests);
    const void *site = __builtin_return_address(0);
    long err = through_MPI_Waitall(site, (uint32_t)n, (uint64_t)requests, (uint64_t)statuses);
    return settle_all(site, err, n, 1, old, requests, statuses);
}
int MPI_Testall(int n, int *requests, int *flag, struct status *statuses)
{
    int *old = before(n, requests);
    const void *site = __builtin_return_address(0);
    long err = through_MPI_Testall(site, (uint32_t)n, (uint64_t)requests, (uint64_t)flag, (uint64_t)statuses);
    return settle_all(site, err, n, 1, old, requests, statuses);
}

/* Of calls that complete one, or some, the statuses are those of these, in their order. */
static int settle_some(const void *site, long err, int n, int count, int in, const int *indices, int *old, const int *requests, struct status *statuses)
{
    int said = 0;
    for (int i = 0; old && i < n && i < count; i++) {
        if (indices[i] < 0 || indices[i] >= n)
            continue;
        int now = settle_one(old[indices[i]], requests[indices[i]], statuses, i, in);
        said = said ? said : now;
    }
    free(old);
    return (int)has_said(err, said, site);
}
static int settle_any(const void *site, long err, int n, int index, int *old, const int *requests, struct status *status)
{
    return settle_some(site, err, n, 1, 0, &index, old, requests, status);
}
int MPI_Waitany(int n, int *requests, int *index, struct status *status)
{
    int *old = before(n, requests);
    const void *site = __builtin_return_address(0);
    long err = through_MPI_Waitany(site, (uint32_t)n, (uint64_t)requests, (uint64_t)index, (uint64_t)status);
    return settle_any(site, err, n, *index, old, requests, status);
}
int MPI_Testany(int n, int *requests, int *index, int *flag, struct status *status)
{
    int *old = before(n, requests);
    const void *site = __builtin_return_address(0);
    long err = through_MPI_Testany(site, (uint32_t)n, (uint64_t)requests, (uint64_t)index, (uint64_t)flag, (uint64_t)status);
    return settle_any(site, err, n, *flag ? *index : -1, old, requests, status);
}
int MPI_Waitsome(int n, int *requests, int *count, int *indices, struct status *statuses)
{
    int *old = before(n, requests);
    const void *site = __builtin_return_address(0);
    long err = through_MPI_Waitsome(site, (uint32_t)n, (uint64_t)requests, (uint64_t)count, (uint64_t)indices, (uint64_t)statuses);
    return settle_some(site, err, n, *count, 1, indices, old, requests, statuses);
}
int MPI_Testsome(int n, int *requests, int *count, int *indices, struct status *statuses)
{
    int *old = before(n, requests);
    const void *site = __builtin_return_address(0);
    long err = through_MPI_Testsome(site, (uint32_t)n, (uint64_t)requests, (uint64_t)count, (uint64_t)indices, (uint64_t)statuses);
    return settle_some(site, err, n, *count, 1, indices, old, requests, statuses);
}

/* The rules have requests in variables. */
int MPI_Request_get_status(int request, int *flag, struct status *status)
{
    int variable = request;
    const void *site = __builtin_return_address(0);
    long err = through_MPI_Request_get_status(site, (uint64_t)&variable, (uint64_t)flag, (uint64_t)status);
    struct general *g = general(request);
    return (int)(err || !*flag || !g ? err : has_said(0, status_of(g, status), site));
}

/* One that is freed before it is complete is over when it is complete. */
int MPI_Request_free(int *request)
{
    NEEDED(MPI_Request_free, request);
    int old = *request;
    const void *site = __builtin_return_address(0);
    long err = through_MPI_Request_free(site, (uint64_t)request);
    struct general *g = general(old);
    if (err || !g)
        return (int)err;
    g->freed = 1;
    return g->complete ? (int)has_said(0, is_over(g), site) : 0;
}

/* To cancel one is the program's own affair. */
int MPI_Cancel(int *request)
{
    NEEDED(MPI_Cancel, request);
    struct general *g = general(*request);
    int err = 0, complete = g && g->complete;
    if (g && g->cancel && g->is_fortran)
        ((canceller_of_fortran *)(void *)g->cancel)(g->extra, &complete, &err);
    else if (g && g->cancel)
        err = g->cancel(g->extra, complete);
    if (g)
        return (int)has_said(0, err, __builtin_return_address(0));
    return (int)through_MPI_Cancel(__builtin_return_address(0), (uint64_t)request);
}
