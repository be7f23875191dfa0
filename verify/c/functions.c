/* Functions of libraries that access memory for the program, such as memcpy and printf: `litmpi cc` gives calls of these another name when it links a
 * program (--wrap), and tells litmpi's MPI library of the access. The names are read off this file (verify/src/library.rs). What such a function changes is
 * seen without this, since the memory differs; what it reads, or writes as it was, is not. */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <wchar.h>

extern void (*tell)(const void *at, size_t bytes, int writes, const void *site) __attribute__((visibility("hidden")));

#define SITE __builtin_return_address(0)
/* Before a function finds out how much it reads: the process may be told first what the memory holds (`note` in library.c). */
#define BEGIN(at) TELL(at, 1, 0)
#define TELL(at, bytes, writes) \
    do { \
        size_t told = bytes; \
        if (tell && told) \
            tell(at, told, writes, SITE); \
    } while (0)

/* Memory --------------------------------------------------------------------------------------------------------------------------------- */

void *__real_memcpy(void *, const void *, size_t);
void *__wrap_memcpy(void *to, const void *from, size_t n)
{
    TELL(from, n, 0);
    TELL(to, n, 1);
    return __real_memcpy(to, from, n);
}
void *__real_memmove(void *, const void *, size_t);
void *__wrap_memmove(void *to, const void *from, size_t n)
{
    TELL(from, n, 0);
    TELL(to, n, 1);
    return __real_memmove(to, from, n);
}
void *__real_memset(void *, int, size_t);
void *__wrap_memset(void *to, int c, size_t n)
{
    TELL(to, n, 1);
    return __real_memset(to, c, n);
}
int __real_memcmp(const void *, const void *, size_t);
int __wrap_memcmp(const void *a, const void *b, size_t n)
{
    TELL(a, n, 0);
    TELL(b, n, 0);
    return __real_memcmp(a, b, n);
}
void *__real_memchr(const void *, int, size_t);
void *__wrap_memchr(const void *s, int c, size_t n)
{
    if (n)
        BEGIN(s);
    char *found = __real_memchr(s, c, n);
    TELL(s, found ? (size_t)(found - (const char *)s) + 1 : n, 0);
    return found;
}

void __real_qsort(void *, size_t, size_t, int (*)(const void *, const void *));
void __wrap_qsort(void *all, size_t n, size_t bytes, int (*compare)(const void *, const void *))
{
    TELL(all, n * bytes, 0);
    TELL(all, n * bytes, 1);
    __real_qsort(all, n, bytes, compare);
}

/* Text ----------------------------------------------------------------------------------------------------------------------------------- */

size_t __real_strlen(const char *);
size_t __wrap_strlen(const char *s)
{
    BEGIN(s);
    size_t n = __real_strlen(s);
    TELL(s, n + 1, 0);
    return n;
}
size_t __real_strnlen(const char *, size_t);
size_t __wrap_strnlen(const char *s, size_t most)
{
    if (most)
        BEGIN(s);
    size_t n = __real_strnlen(s, most);
    TELL(s, n < most ? n + 1 : most, 0);
    return n;
}
char *__real_strcpy(char *, const char *);
char *__wrap_strcpy(char *to, const char *from)
{
    BEGIN(from);
    size_t n = __real_strlen(from) + 1;
    TELL(from, n, 0);
    TELL(to, n, 1);
    return __real_strcpy(to, from);
}
char *__real_strncpy(char *, const char *, size_t);
char *__wrap_strncpy(char *to, const char *from, size_t n)
{
    if (n)
        BEGIN(from);
    TELL(from, __real_strnlen(from, n), 0);
    TELL(to, n, 1);
    return __real_strncpy(to, from, n);
}
char *__real_stpcpy(char *, const char *);
char *__wrap_stpcpy(char *to, const char *from)
{
    BEGIN(from);
    size_t n = __real_strlen(from) + 1;
    TELL(from, n, 0);
    TELL(to, n, 1);
    return __real_stpcpy(to, from);
}
char *__real_strcat(char *, const char *);
char *__wrap_strcat(char *to, const char *from)
{
    BEGIN(to);
    BEGIN(from);
    size_t before = __real_strlen(to), n = __real_strlen(from) + 1;
    TELL(to, before + 1, 0);
    TELL(from, n, 0);
    TELL(to + before, n, 1);
    return __real_strcat(to, from);
}
char *__real_strncat(char *, const char *, size_t);
char *__wrap_strncat(char *to, const char *from, size_t most)
{
    BEGIN(to);
    if (most)
        BEGIN(from);
    size_t before = __real_strlen(to), n = __real_strnlen(from, most);
    TELL(to, before + 1, 0);
    TELL(from, n, 0);
    TELL(to + before, n + 1, 1);
    return __real_strncat(to, from, most);
}
int __real_strcmp(const char *, const char *);
int __wrap_strcmp(const char *a, const char *b)
{
    TELL(a, __real_strlen(a) + 1, 0);
    TELL(b, __real_strlen(b) + 1, 0);
    return __real_strcmp(a, b);
}
int __real_strncmp(const char *, const char *, size_t);
int __wrap_strncmp(const char *a, const char *b, size_t n)
{
    TELL(a, __real_strnlen(a, n), 0);
    TELL(b, __real_strnlen(b, n), 0);
    return __real_strncmp(a, b, n);
}
char *__real_strchr(const char *, int);
char *__wrap_strchr(const char *s, int c)
{
    BEGIN(s);
    char *found = __real_strchr(s, c);
    TELL(s, found ? (size_t)(found - s) + 1 : __real_strlen(s) + 1, 0);
    return found;
}
char *__real_strrchr(const char *, int);
char *__wrap_strrchr(const char *s, int c)
{
    TELL(s, __real_strlen(s) + 1, 0);
    return __real_strrchr(s, c);
}
char *__real_strstr(const char *, const char *);
char *__wrap_strstr(const char *s, const char *what)
{
    TELL(s, __real_strlen(s) + 1, 0);
    TELL(what, __real_strlen(what) + 1, 0);
    return __real_strstr(s, what);
}
/* How much of a text is of certain characters, or of none of them. */
#define SPANS(name) \
    size_t __real_##name(const char *, const char *); \
    size_t __wrap_##name(const char *s, const char *of) \
    { \
        BEGIN(s); \
        BEGIN(of); \
        size_t n = __real_##name(s, of); \
        TELL(of, __real_strlen(of) + 1, 0); \
        TELL(s, n + 1, 0); \
        return n; \
    }
SPANS(strspn)
SPANS(strcspn)
char *__real_strdup(const char *);
char *__wrap_strdup(const char *s)
{
    TELL(s, __real_strlen(s) + 1, 0);
    return __real_strdup(s);
}
char *__real_strndup(const char *, size_t);
char *__wrap_strndup(const char *s, size_t n)
{
    TELL(s, __real_strnlen(s, n), 0);
    return __real_strndup(s, n);
}

/* Numbers in text ------------------------------------------------------------------------------------------------------------------------ */

/* What a function reads of a text that begins with a number: up to the first character that is none of it. */
#define NUMBER(type, name) \
    type __real_##name(const char *, char **, int); \
    type __wrap_##name(const char *s, char **end, int base) \
    { \
        char *last; \
        BEGIN(s); \
        type v = __real_##name(s, &last, base); \
        TELL(s, (size_t)(last - s) + 1, 0); \
        if (end) \
            *end = last; \
        return v; \
    }
NUMBER(long, strtol)
NUMBER(long long, strtoll)
NUMBER(unsigned long, strtoul)
NUMBER(unsigned long long, strtoull)
#define FRACTION(type, name) \
    type __real_##name(const char *, char **); \
    type __wrap_##name(const char *s, char **end) \
    { \
        char *last; \
        BEGIN(s); \
        type v = __real_##name(s, &last); \
        TELL(s, (size_t)(last - s) + 1, 0); \
        if (end) \
            *end = last; \
        return v; \
    }
FRACTION(double, strtod)
FRACTION(float, strtof)
#define PLAIN(type, name) \
    type __real_##name(const char *); \
    type __wrap_##name(const char *s) \
    { \
        char *last; \
        BEGIN(s); \
        (void)__real_strtod(s, &last); \
        TELL(s, (size_t)(last - s) + 1, 0); \
        return __real_##name(s); \
    }
PLAIN(int, atoi)
PLAIN(long, atol)
PLAIN(long long, atoll)
PLAIN(double, atof)

/* Output --------------------------------------------------------------------------------------------------------------------------------- */

int __real_puts(const char *);
int __wrap_puts(const char *s)
{
    TELL(s, __real_strlen(s) + 1, 0);
    return __real_puts(s);
}
int __real_fputs(const char *, FILE *);
int __wrap_fputs(const char *s, FILE *to)
{
    TELL(s, __real_strlen(s) + 1, 0);
    return __real_fputs(s, to);
}
size_t __real_fwrite(const void *, size_t, size_t, FILE *);
size_t __wrap_fwrite(const void *from, size_t size, size_t n, FILE *to)
{
    TELL(from, size * n, 0);
    return __real_fwrite(from, size, n, to);
}
ssize_t __real_write(int, const void *, size_t);
ssize_t __wrap_write(int to, const void *from, size_t n)
{
    TELL(from, n, 0);
    return __real_write(to, from, n);
}
ssize_t __real_pwrite(int, const void *, size_t, off_t);
ssize_t __wrap_pwrite(int to, const void *from, size_t n, off_t at)
{
    TELL(from, n, 0);
    return __real_pwrite(to, from, n, at);
}

/* The strings that a format prints are read. A format that numbers its arguments, or has what this does not know, is not looked at further. */
static void printed(const char *format, va_list given, const void *site)
{
    va_list all;
    if (!tell)
        return;
    va_copy(all, given);
    for (const char *f = format; (f = __real_strchr(f, '%')); f++) {
        int most = -1, longs = 0, quad = 0;
        f++;
        f += __real_strspn(f, "-+ #0'I");
        if (*f == '*')
            (void)va_arg(all, int), f++;
        f += __real_strspn(f, "0123456789");
        if (*f == '$')
            break;
        if (*f == '.') {
            f++;
            if (*f == '*')
                most = va_arg(all, int), f++;
            else
                for (most = 0; *f >= '0' && *f <= '9'; f++)
                    most = most < 1000000 ? most * 10 + (*f - '0') : most;
        }
        for (; *f && __real_strchr("hlLqjzt", *f); f++) {
            longs += *f == 'l' || *f == 'j' || *f == 'z' || *f == 't';
            quad |= *f == 'L' || *f == 'q';
        }
        if (*f == 's' && !longs) {
            const char *s = va_arg(all, const char *);
            if (s)
                tell(s, most < 0 ? __real_strlen(s) + 1 : __real_strnlen(s, (size_t)most), 0, site);
        } else if (*f && __real_strchr("spnSm", *f)) {
            if (*f != 'm')
                (void)va_arg(all, void *);
        } else if (*f && __real_strchr("eEfFgGaA", *f)) {
            if (quad)
                (void)va_arg(all, long double);
            else
                (void)va_arg(all, double);
        } else if (*f && __real_strchr("diouxXcC", *f)) {
            if (longs || quad)
                (void)va_arg(all, long long);
            else
                (void)va_arg(all, int);
        } else if (*f != '%')
            break;
    }
    va_end(all);
}

/* Each of these takes what is printed one by one or, with a `v` before its name, as a list. What comes before the format stands in parentheses. */
#define WITHOUT(...) __VA_ARGS__
#define PRINTS(name, declared, given, after) \
    int __real_v##name(WITHOUT declared const char *, va_list); \
    int __wrap_v##name(WITHOUT declared const char *format, va_list all) \
    { \
        printed(format, all, SITE); \
        int n = __real_v##name(WITHOUT given format, all); \
        after; \
        return n; \
    } \
    int __wrap_##name(WITHOUT declared const char *format, ...) \
    { \
        va_list all; \
        va_start(all, format); \
        printed(format, all, SITE); \
        int n = __real_v##name(WITHOUT given format, all); \
        after; \
        va_end(all); \
        return n; \
    }
PRINTS(printf, (), (), )
PRINTS(fprintf, (FILE *to,), (to,), )
PRINTS(dprintf, (int to,), (to,), )
PRINTS(sprintf, (char *to,), (to,), if (n >= 0) TELL(to, (size_t)n + 1, 1))
PRINTS(snprintf, (char *to, size_t most,), (to, most,), if (n >= 0 && most) TELL(to, (size_t)n < most ? (size_t)n + 1 : most, 1))

/* Input from text: what it puts somewhere changes memory, mostly. */
#define SCANS(name, list) \
    int __real_##list(const char *, const char *, va_list); \
    int __wrap_##list(const char *s, const char *format, va_list all) \
    { \
        TELL(s, __real_strlen(s) + 1, 0); \
        return __real_##list(s, format, all); \
    } \
    int __wrap_##name(const char *s, const char *format, ...) \
    { \
        va_list all; \
        TELL(s, __real_strlen(s) + 1, 0); \
        va_start(all, format); \
        int n = __real_##list(s, format, all); \
        va_end(all); \
        return n; \
    }
SCANS(sscanf, vsscanf)
SCANS(__isoc99_sscanf, __isoc99_vsscanf)

/* C++'s streams -------------------------------------------------------------------------------------------------------------------------- */

/* Programs in other languages have none of these. */
#define ELSEWHERE __attribute__((weak))

/* std::operator<<(std::ostream &, const char *) */
ELSEWHERE void *__real__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *, const char *);
void *__wrap__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(void *to, const char *s)
{
    if (s)
        TELL(s, __real_strlen(s) + 1, 0);
    return __real__ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(to, s);
}
/* std::operator<<(std::ostream &, const std::string &): the string begins with the address and the length of its text. */
struct string {
    const char *text;
    size_t length;
};
ELSEWHERE void *__real__ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(void *, const struct string *);
void *__wrap__ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(void *to, const struct string *s)
{
    TELL(s->text, s->length, 0);
    return __real__ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(to, s);
}
/* std::__ostream_insert, which both become where the compiler optimises, and std::ostream::write. */
ELSEWHERE void *__real__ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(void *, const char *, long);
void *__wrap__ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(void *to, const char *s, long n)
{
    TELL(s, (size_t)n, 0);
    return __real__ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(to, s, n);
}
ELSEWHERE void *__real__ZNSo5writeEPKcl(void *, const char *, long);
void *__wrap__ZNSo5writeEPKcl(void *to, const char *s, long n)
{
    TELL(s, (size_t)n, 0);
    return __real__ZNSo5writeEPKcl(to, s, n);
}

/* Fortran's output ----------------------------------------------------------------------------------------------------------------------- */

/* GCC's Fortran passes each item that a write or print statement names to one of these, by its address. */
#define ITEM(kind, type, parts) \
    ELSEWHERE void __real__gfortran_transfer_##kind##_write(void *, void *, type); \
    void __wrap__gfortran_transfer_##kind##_write(void *to, void *item, type bytes) \
    { \
        if (item) \
            TELL(item, (size_t)bytes * parts, 0); \
        __real__gfortran_transfer_##kind##_write(to, item, bytes); \
    }
ITEM(integer, int, 1)
ITEM(real, int, 1)
ITEM(logical, int, 1)
ITEM(complex, int, 2)
ITEM(character, size_t, 1)

/* An array by its descriptor, as GCC has it since version 9: lengths are in elements. */
struct array {
    char *first;
    size_t offset;
    struct {
        size_t bytes;
        int version;
        signed char rank, type;
        short attribute;
    } element;
    ptrdiff_t span;
    struct {
        ptrdiff_t stride, low, high;
    } of[15];
};
static void row(const struct array *a, const char *at, int dimension, const void *site)
{
    ptrdiff_t n = a->of[dimension].high - a->of[dimension].low + 1, step = a->of[dimension].stride * (ptrdiff_t)(a->span ? a->span : (ptrdiff_t)a->element.bytes);
    if (dimension == 0 && step == (ptrdiff_t)a->element.bytes) {
        if (n > 0)
            tell(at, (size_t)n * a->element.bytes, 0, site);
        return;
    }
    for (ptrdiff_t i = 0; i < n; i++) {
        if (dimension)
            row(a, at + i * step, dimension - 1, site);
        else
            tell(at + i * step, a->element.bytes, 0, site);
    }
}
ELSEWHERE void __real__gfortran_transfer_array_write(void *, struct array *, int, size_t);
void __wrap__gfortran_transfer_array_write(void *to, struct array *a, int kind, size_t length)
{
    if (tell && a->first && a->element.rank > 0 && a->element.rank <= 15)
        row(a, a->first, a->element.rank - 1, SITE);
    __real__gfortran_transfer_array_write(to, a, kind, length);
}
