/* What `litmpi cc` links into a program: the functions that the compiler calls at every access to memory (-fsanitize=thread). Under litmpi's MPI
 * library they tell it of the access; under any other they do nothing. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

/* Of functions.c, too. */
__attribute__((visibility("hidden"))) void (*tell)(const void *at, size_t bytes, int writes, const void *site);
/* Of an access that orders threads: before one that others may read, and behind one that reads what others have made known. */
static void (*gives)(const void *at), (*takes)(const void *at), (*will_take)(const void *at);

__attribute__((constructor(101))) static void begin(void)
{
    *(void **)&tell = dlsym(RTLD_DEFAULT, "litmpi_access");
    *(void **)&gives = dlsym(RTLD_DEFAULT, "litmpi_gives");
    *(void **)&takes = dlsym(RTLD_DEFAULT, "litmpi_takes");
    *(void **)&will_take = dlsym(RTLD_DEFAULT, "litmpi_will_take");
    if (tell)
        tell(NULL, 0, 0, NULL);
}

#define TELL(at, bytes, writes) \
    do { \
        if (tell) \
            tell(at, bytes, writes, __builtin_return_address(0)); \
    } while (0)

#define GIVES(at) \
    do { \
        if (gives) \
            gives((const void *)(at)); \
    } while (0)
#define TAKES(at) \
    do { \
        if (takes) \
            takes((const void *)(at)); \
    } while (0)
/* The compiler tells of a volatile access before it comes. */
#define WILL_TAKE(at) \
    do { \
        if (will_take) \
            will_take((const void *)(at)); \
    } while (0)

void __tsan_init(void) {}
void __tsan_func_entry(void *site) { (void)site; }
void __tsan_func_exit(void) {}

#define SIZE(n) \
    void __tsan_read##n(void *at) { TELL(at, n, 0); } \
    void __tsan_write##n(void *at) { TELL(at, n, 1); } \
    void __tsan_unaligned_read##n(void *at) { TELL(at, n, 0); } \
    void __tsan_unaligned_write##n(void *at) { TELL(at, n, 1); } \
    void __tsan_volatile_read##n(void *at) { TELL(at, n, 0); WILL_TAKE(at); } \
    void __tsan_volatile_write##n(void *at) { TELL(at, n, 1); GIVES(at); } \
    void __tsan_unaligned_volatile_read##n(void *at) { TELL(at, n, 0); WILL_TAKE(at); } \
    void __tsan_unaligned_volatile_write##n(void *at) { TELL(at, n, 1); GIVES(at); }
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)
void __tsan_read_range(void *at, size_t bytes) { TELL(at, bytes, 0); }
void __tsan_write_range(void *at, size_t bytes) { TELL(at, bytes, 1); }
void __tsan_vptr_read(void **at) { TELL(at, sizeof *at, 0); }
void __tsan_vptr_update(void **at, void *value) 
{
    (void)value;
    TELL(at, sizeof *at, 1);
}

/* Atomic accesses are accesses, and happen here. */
#define FETCH(n, type, op) \
    type __tsan_atomic##n##_fetch_##op(volatile type *at, type v, int order) \
    { \
        (void)order; \
        TELL((void *)at, sizeof v, 1); \
        GIVES(at); \
        type was = __atomic_fetch_##op(at, v, __ATOMIC_SEQ_CST); \
        TAKES(at); \
        return was; \
    }
#define SWAP(n, type, name) \
    int __tsan_atomic##n##_compare_exchange_##name(volatile type *at, type *old, type v, int good, int bad) \
    { \
        (void)good, (void)bad; \
        TELL((void *)at, sizeof v, 1); \
        GIVES(at); \
        int is_done = __atomic_compare_exchange_n(at, old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        TAKES(at); \
        return is_done; \
    }
#define ATOMIC(n, type) \
    type __tsan_atomic##n##_load(const volatile type *at, int order) \
    { \
        (void)order; \
        TELL((const void *)at, sizeof *at, 0); \
        type is = __atomic_load_n(at, __ATOMIC_SEQ_CST); \
        TAKES(at); \
        return is; \
    } \
    void __tsan_atomic##n##_store(volatile type *at, type v, int order) \
    { \
        (void)order; \
        TELL((void *)at, sizeof v, 1); \
        GIVES(at); \
        __atomic_store_n(at, v, __ATOMIC_SEQ_CST); \
    } \
    type __tsan_atomic##n##_exchange(volatile type *at, type v, int order) \
    { \
        (void)order; \
        TELL((void *)at, sizeof v, 1); \
        GIVES(at); \
        type was = __atomic_exchange_n(at, v, __ATOMIC_SEQ_CST); \
        TAKES(at); \
        return was; \
    } \
    type __tsan_atomic##n##_compare_exchange_val(volatile type *at, type old, type v, int good, int bad) \
    { \
        (void)good, (void)bad; \
        TELL((void *)at, sizeof v, 1); \
        GIVES(at); \
        __atomic_compare_exchange_n(at, &old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
        TAKES(at); \
        return old; \
    } \
    FETCH(n, type, add) \
    FETCH(n, type, sub) \
    FETCH(n, type, and) \
    FETCH(n, type, or) \
    FETCH(n, type, xor) \
    FETCH(n, type, nand) \
    SWAP(n, type, strong) \
    SWAP(n, type, weak)
ATOMIC(8, uint8_t)
ATOMIC(16, uint16_t)
ATOMIC(32, uint32_t)
ATOMIC(64, uint64_t)
/* What a fence puts in order is read and written elsewhere, as any memory is. */
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    GIVES(NULL);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    TAKES(NULL);
    WILL_TAKE(NULL);
}
void __tsan_atomic_signal_fence(int order) { (void)order, __atomic_signal_fence(__ATOMIC_SEQ_CST); }
