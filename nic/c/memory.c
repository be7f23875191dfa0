/* Memory regions and windows: what of a process the device may reach.
 *
 * The device reaches most memory by system calls. Memory of a file that cannot shrink it maps, so that an access of its is
 * as short as one of a processor's: a region tells which file of the process it lies in. */
#define _GNU_SOURCE
#include "front.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* They are macros, too. */
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static uint64_t generation;

/* A range of a file that a process maps as shared memory. */
struct backing {
    dev_t device;
    ino_t inode;
    uint64_t offset;
};

/* The file that all of the range is mapped from; 0 if there is none, or it is not shared. */
static int find_backing(uint64_t addr, uint64_t length, struct backing *b)
{
    FILE *maps = fopen("/proc/self/maps", "re");
    int found = 0;
    for (char line[512]; maps && !found && fgets(line, sizeof line, maps);) {
        uint64_t from, to, offset, inode;
        unsigned major, minor;
        char rights[8];
        /* What a line too long for the buffer goes on with is no mapping's beginning. */
        if (sscanf(line, "%lx-%lx %7s %lx %x:%x %lu", &from, &to, rights, &offset, &major, &minor, &inode) != 7)
            continue;
        if (addr < from || addr >= to)
            continue;
        if (rights[3] != 's' || length > to - addr)
            break;
        *b = (struct backing){makedev(major, minor), inode, offset + (addr - from)};
        found = 1;
    }
    if (maps)
        fclose(maps);
    return found;
}

/* An open descriptor of the file, for reading and writing, that nobody can shorten; -1 if there is none. */
static int find_file(const struct backing *b)
{
    DIR *all = opendir("/proc/self/fd");
    int found = -1;
    for (struct dirent *one; all && found < 0 && (one = readdir(all));) {
        int file = atoi(one->d_name);
        struct stat s;
        if (one->d_name[0] == '.' || file == dirfd(all) || fstat(file, &s) || !S_ISREG(s.st_mode))
            continue;
        int seals = s.st_dev == b->device && s.st_ino == b->inode ? fcntl(file, F_GET_SEALS) : -1;
        if (seals >= 0 && seals & F_SEAL_SHRINK && (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDWR)
            found = file;
    }
    if (all)
        closedir(all);
    return found;
}

/* Why memory is not registered with such rights; 0 if it is. Who may change it from elsewhere may change it from here; what a
 * device may ignore (IBV_ACCESS_OPTIONAL_RANGE) this one ignores. */
static int refused(unsigned access)
{
    const unsigned changes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
    const unsigned known = changes | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_OPTIONAL_RANGE;
    const unsigned harmless = IBV_ACCESS_MW_BIND | IBV_ACCESS_HUGETLB, lacks = IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND;
    if ((access & changes && !(access & IBV_ACCESS_LOCAL_WRITE)) || access & ~(known | harmless | lacks))
        return EINVAL;
    return access & lacks ? EOPNOTSUPP : 0;
}

static word *words_of(struct ibv_mr *mr)
{
    return nic_context(mr->context)->region + NIC_MRS + mr->handle * NIC_MR_WORDS;
}

/* Says where the memory is. */
static void place(word *at, void *addr, size_t length, uint64_t iova)
{
    struct backing b = {0};
    int file = find_backing((uintptr_t)addr, length, &b) ? find_file(&b) : -1;
    nic_set(at + NIC_MR_ADDR, (uintptr_t)addr);
    nic_set(at + NIC_MR_IOVA, iova);
    nic_set(at + NIC_MR_LEN, length);
    nic_set(at + NIC_MR_FILE, (uint64_t)(file + 1));
    nic_set(at + NIC_MR_OFFSET, b.offset);
    nic_set(at + NIC_MR_INODE, b.inode);
}

/* An entry of the table of keys that is free, whose number is told; NULL if there is none. Who asks holds `making`. */
static word *free_entry(struct nic_context *c, unsigned *number)
{
    for (unsigned i = 0; i < NIC_MR_COUNT; i++) {
        word *at = c->region + NIC_MRS + i * NIC_MR_WORDS;
        if (!nic_get(at + NIC_MR_KIND))
            return *number = i, at;
    }
    return NULL;
}

struct ibv_mr *ibv_reg_mr_iova2(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, unsigned access)
{
    struct nic_context *c = nic_context(pd->context);
    errno = refused(access);
    if (errno)
        return NULL;
    struct ibv_mr *mr = calloc(1, sizeof *mr);
    if (!mr)
        return NULL;
    pthread_mutex_lock(&making);
    word *at = free_entry(c, &mr->handle);
    if (at) {
        place(at, addr, length, iova);
        nic_set(at + NIC_MR_KIND, NIC_IS_REGION);
        nic_set(at + NIC_MR_ACCESS, access);
        nic_set(at + NIC_MR_PD, pd->handle);
        mr->lkey = mr->rkey = nic_key(c, mr->handle, (unsigned)++generation);
        nic_set(at + NIC_MR_KEY, mr->lkey);
        nic_set(at + NIC_MR_VALID, generation);
        pthread_mutex_unlock(&making);
        atomic_fetch_add(&((struct nic_pd *)pd)->users, 1);
        mr->context = pd->context;
        mr->pd = pd;
        mr->addr = addr;
        mr->length = length;
        return mr;
    }
    pthread_mutex_unlock(&making);
    free(mr);
    errno = ENOMEM;
    return NULL;
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova, int access)
{
    return ibv_reg_mr_iova2(pd, addr, length, iova, (unsigned)access);
}

struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
    return ibv_reg_mr_iova2(pd, addr, length, (uintptr_t)addr, (unsigned)access);
}

/* Whether a window is bound to it. */
static int is_bound(struct ibv_mr *mr)
{
    struct nic_context *c = nic_context(mr->context);
    for (unsigned i = 0; i < NIC_MR_COUNT && atomic_load(&c->windows); i++) {
        word *at = c->region + NIC_MRS + i * NIC_MR_WORDS;
        if (nic_get(at + NIC_MR_KIND) > NIC_IS_REGION && nic_get(at + NIC_MR_VALID) && nic_get(at + NIC_MR_OF) == mr->handle)
            return 1;
    }
    return 0;
}

/* The keys stay; requests that were posted before are of the memory as it was, and fail. */
int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access)
{
    const int known = IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_PD | IBV_REREG_MR_CHANGE_ACCESS;
    word *at = words_of(mr);
    int error = !flags || flags & ~known || (flags & IBV_REREG_MR_CHANGE_PD && !pd) ||
                        (flags & IBV_REREG_MR_CHANGE_TRANSLATION && (!addr || !length)) || is_bound(mr)
                    ? EINVAL
                : flags & IBV_REREG_MR_CHANGE_ACCESS ? refused((unsigned)access)
                                                     : 0;
    if (error) {
        errno = error;
        return IBV_REREG_MR_ERR_INPUT;
    }
    pthread_mutex_lock(&making);
    nic_set(at + NIC_MR_VALID, 0);
    if (flags & IBV_REREG_MR_CHANGE_TRANSLATION) {
        place(at, addr, length, (uintptr_t)addr);
        mr->addr = addr;
        mr->length = length;
    }
    if (flags & IBV_REREG_MR_CHANGE_PD) {
        atomic_fetch_sub(&((struct nic_pd *)mr->pd)->users, 1);
        atomic_fetch_add(&((struct nic_pd *)pd)->users, 1);
        nic_set(at + NIC_MR_PD, pd->handle);
        mr->pd = pd;
    }
    if (flags & IBV_REREG_MR_CHANGE_ACCESS)
        nic_set(at + NIC_MR_ACCESS, (unsigned)access);
    nic_set(at + NIC_MR_VALID, ++generation);
    pthread_mutex_unlock(&making);
    return 0;
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
    if (is_bound(mr))
        return EINVAL;
    nic_set(words_of(mr) + NIC_MR_VALID, 0);
    nic_set(words_of(mr) + NIC_MR_KIND, 0);
    atomic_fetch_sub(&((struct nic_pd *)mr->pd)->users, 1);
    free(mr);
    return 0;
}

/* ---- windows ---- */

/* A key: which entry it is of, and in its lowest byte which of that entry's keys. */
uint32_t nic_key(struct nic_context *c, unsigned entry, unsigned which)
{
    return ((uint32_t)(c->number + 1) * NIC_MR_COUNT + entry) << 8 | (which & 0xff);
}

struct ibv_mw *nic_alloc_mw(struct ibv_pd *pd, enum ibv_mw_type type)
{
    struct nic_context *c = nic_context(pd->context);
    int is_good = type == IBV_MW_TYPE_1 || type == IBV_MW_TYPE_2;
    struct ibv_mw *mw = is_good ? calloc(1, sizeof *mw) : NULL;
    if (!mw) {
        errno = is_good ? ENOMEM : EINVAL;
        return NULL;
    }
    pthread_mutex_lock(&making);
    word *at = free_entry(c, &mw->handle);
    if (at) {
        mw->context = pd->context;
        mw->pd = pd;
        mw->type = type;
        mw->rkey = nic_key(c, mw->handle, (unsigned)++generation);
        nic_set(at + NIC_MR_KEY, mw->rkey);
        nic_set(at + NIC_MR_PD, pd->handle);
        nic_set(at + NIC_MR_KIND, type == IBV_MW_TYPE_1 ? NIC_IS_WINDOW_1 : NIC_IS_WINDOW_2);
        pthread_mutex_unlock(&making);
        atomic_fetch_add(&((struct nic_pd *)pd)->users, 1);
        atomic_fetch_add(&c->windows, 1);
        return mw;
    }
    pthread_mutex_unlock(&making);
    free(mw);
    errno = ENOMEM;
    return NULL;
}

/* A window of the first type: the program hears its new key at once, and may use it when the request is over. */
int nic_bind_mw(struct ibv_qp *qp, struct ibv_mw *mw, struct ibv_mw_bind *bind)
{
    struct ibv_send_wr *bad, wr = {.wr_id = bind->wr_id, .send_flags = (unsigned)bind->send_flags, .opcode = IBV_WR_BIND_MW};
    if (bind->bind_info.mw_access_flags & IBV_ACCESS_ZERO_BASED)
        return EINVAL;
    wr.bind_mw.mw = mw;
    wr.bind_mw.rkey = ibv_inc_rkey(mw->rkey);
    wr.bind_mw.bind_info = bind->bind_info;
    int error = nic_post(qp, &wr, &bad, 1);
    if (!error)
        mw->rkey = wr.bind_mw.rkey;
    return error;
}

int nic_dealloc_mw(struct ibv_mw *mw)
{
    struct nic_context *c = nic_context(mw->context);
    word *at = c->region + NIC_MRS + mw->handle * NIC_MR_WORDS;
    nic_set(at + NIC_MR_VALID, 0);
    nic_set(at + NIC_MR_KIND, 0);
    atomic_fetch_sub(&((struct nic_pd *)mw->pd)->users, 1);
    atomic_fetch_sub(&c->windows, 1);
    free(mw);
    return 0;
}
