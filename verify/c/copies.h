/* Included first in programs in C and C++ whose accesses are instrumented. What the compiler is asked itself to copy or to fill, as the headers of
 * C++ do, it makes instructions of that it does not instrument where it knows the size: the functions of the C library are called instead. They have
 * names of their own here, so that nothing of the C library's headers is declared before the program asks for it. */
#ifndef __ASSEMBLER__
#ifdef __cplusplus
extern "C" {
#endif
void *litmpi_memcpy(void *to, const void *from, __SIZE_TYPE__ bytes) __asm__("memcpy");
void *litmpi_memmove(void *to, const void *from, __SIZE_TYPE__ bytes) __asm__("memmove");
void *litmpi_memset(void *to, int with, __SIZE_TYPE__ bytes) __asm__("memset");
#ifdef __cplusplus
}
#define __builtin_memcpy ::litmpi_memcpy
#define __builtin_memmove ::litmpi_memmove
#define __builtin_memset ::litmpi_memset
#else
#define __builtin_memcpy litmpi_memcpy
#define __builtin_memmove litmpi_memmove
#define __builtin_memset litmpi_memset
#endif
#endif
