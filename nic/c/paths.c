/* Files that the kernel has of a device, for programs that look there themselves: the calls that open and look at files, with
 * paths of the emulated device replaced by those of files beside its regions. It is preloaded; every other path goes
 * through as it is. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char node[] = "/dev/infiniband/litmpi0";
static const char class[] = "/sys/class/infiniband";

struct place {
    char path[4096];
};

/* Where the path leads. */
static const char *led(const char *path, struct place *to)
{
    const char *nic = getenv("LITMPI_NIC");
    if (!nic || !path)
        return path;
    if (!strcmp(path, node))
        return "/dev/null"; /* a character device that anybody may open */
    if (strncmp(path, class, sizeof class - 1) || (path[sizeof class - 1] != '/' && path[sizeof class - 1]))
        return path;
    return (size_t)snprintf(to->path, sizeof to->path, "%s%s", nic, path) < sizeof to->path ? to->path : path;
}

/* The next library's function of this name. */
#define NEXT(name)                                                     \
    static __typeof__(name) *next;                                     \
    if (!next)                                                         \
        *(void **)&next = dlsym(RTLD_NEXT, #name)

#define LED(type, name, parameters, ...)  \
    type name parameters                  \
    {                                     \
        NEXT(name);                       \
        struct place to;                  \
        return next(__VA_ARGS__);         \
    }

LED(int, stat, (const char *path, struct stat *about), led(path, &to), about)
LED(int, stat64, (const char *path, struct stat64 *about), led(path, &to), about)
LED(int, lstat, (const char *path, struct stat *about), led(path, &to), about)
LED(int, statx, (int from, const char *path, int flags, unsigned mask, struct statx *about), from, led(path, &to), flags, mask, about)
LED(int, access, (const char *path, int mode), led(path, &to), mode)
LED(FILE *, fopen, (const char *path, const char *mode), led(path, &to), mode)
LED(FILE *, fopen64, (const char *path, const char *mode), led(path, &to), mode)
LED(DIR *, opendir, (const char *path), led(path, &to))
LED(ssize_t, readlink, (const char *path, char *buf, size_t size), led(path, &to), buf, size)
LED(char *, realpath, (const char *path, char *resolved), led(path, &to), resolved)

char *__realpath_chk(const char *path, char *resolved, size_t room)
{
    (void)room;
    return realpath(path, resolved);
}

/* Only a file that is made has a mode. */
#define OPEN(name)                                  \
    int name(const char *path, int flags, ...)      \
    {                                               \
        NEXT(name);                                 \
        struct place to;                            \
        mode_t mode = 0;                            \
        if (__OPEN_NEEDS_MODE(flags)) {             \
            va_list more;                           \
            va_start(more, flags);                  \
            mode = va_arg(more, mode_t);            \
            va_end(more);                           \
        }                                           \
        return next(led(path, &to), flags, mode);   \
    }

OPEN(open)
OPEN(open64)
