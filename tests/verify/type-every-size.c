/* The size of every predefined datatype (MPI 4.1, tables 3.1 to 3.3; section 6.9.4 for pairs).
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <complex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOLDS(type, bytes) (MPI_Type_size(type, &size), assert(size == (int) (bytes)))

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    HOLDS(MPI_INT, sizeof(int));
    HOLDS(MPI_FLOAT, sizeof(float));
    HOLDS(MPI_UNSIGNED, sizeof(unsigned));
    HOLDS(MPI_PACKED, 1);
    HOLDS(MPI_2INT, 2 * sizeof(int));
    HOLDS(MPI_CHAR, 1);
    HOLDS(MPI_SIGNED_CHAR, 1);
    HOLDS(MPI_UNSIGNED_CHAR, 1);
    HOLDS(MPI_BYTE, 1);
    HOLDS(MPI_SHORT, sizeof(short));
    HOLDS(MPI_UNSIGNED_SHORT, sizeof(short));
    HOLDS(MPI_LONG, sizeof(long));
    HOLDS(MPI_UNSIGNED_LONG, sizeof(long));
    HOLDS(MPI_LONG_LONG_INT, sizeof(long long));
    HOLDS(MPI_UNSIGNED_LONG_LONG, sizeof(long long));
    HOLDS(MPI_DOUBLE, sizeof(double));
    HOLDS(MPI_LONG_DOUBLE, sizeof(long double));
    HOLDS(MPI_WCHAR, sizeof(wchar_t));
    HOLDS(MPI_C_BOOL, sizeof(bool));
    HOLDS(MPI_INT8_T, 1);
    HOLDS(MPI_INT16_T, 2);
    HOLDS(MPI_INT32_T, 4);
    HOLDS(MPI_INT64_T, 8);
    HOLDS(MPI_UINT8_T, 1);
    HOLDS(MPI_UINT16_T, 2);
    HOLDS(MPI_UINT32_T, 4);
    HOLDS(MPI_UINT64_T, 8);
    HOLDS(MPI_AINT, sizeof(MPI_Aint));
    HOLDS(MPI_OFFSET, sizeof(MPI_Offset));
    HOLDS(MPI_COUNT, sizeof(MPI_Count));
    HOLDS(MPI_C_FLOAT_COMPLEX, sizeof(float complex));
    HOLDS(MPI_C_DOUBLE_COMPLEX, sizeof(double complex));
    HOLDS(MPI_C_LONG_DOUBLE_COMPLEX, sizeof(long double complex));
    HOLDS(MPI_INTEGER, 4);
    HOLDS(MPI_REAL, 4);
    HOLDS(MPI_DOUBLE_PRECISION, 8);
    HOLDS(MPI_COMPLEX, 8);
    HOLDS(MPI_DOUBLE_COMPLEX, 16);
    HOLDS(MPI_LOGICAL, 4);
    HOLDS(MPI_CHARACTER, 1);
    HOLDS(MPI_FLOAT_INT, sizeof(float) + sizeof(int));
    HOLDS(MPI_DOUBLE_INT, sizeof(double) + sizeof(int));
    HOLDS(MPI_LONG_INT, sizeof(long) + sizeof(int));
    HOLDS(MPI_SHORT_INT, sizeof(short) + sizeof(int));
    HOLDS(MPI_LONG_DOUBLE_INT, sizeof(long double) + sizeof(int));
    HOLDS(MPI_CXX_BOOL, 1);
    HOLDS(MPI_CXX_FLOAT_COMPLEX, sizeof(float complex));
    HOLDS(MPI_CXX_DOUBLE_COMPLEX, sizeof(double complex));
    HOLDS(MPI_CXX_LONG_DOUBLE_COMPLEX, sizeof(long double complex));
    HOLDS(MPI_INTEGER1, 1);
    HOLDS(MPI_INTEGER2, 2);
    HOLDS(MPI_INTEGER4, 4);
    HOLDS(MPI_INTEGER8, 8);
    HOLDS(MPI_REAL4, 4);
    HOLDS(MPI_REAL8, 8);
    HOLDS(MPI_REAL16, 16);
    HOLDS(MPI_COMPLEX8, 8);
    HOLDS(MPI_COMPLEX16, 16);
    HOLDS(MPI_COMPLEX32, 32);
    HOLDS(MPI_2INTEGER, 8);
    HOLDS(MPI_2REAL, 8);
    HOLDS(MPI_2DOUBLE_PRECISION, 16);
    MPI_Finalize();
    return 0;
}
