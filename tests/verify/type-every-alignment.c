/* The extent of a structure is rounded up to what the compiler aligns its members to, whichever predefined datatype they are of (MPI 4.1, section 5.1).
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

/* A member of the type in C and a character behind it; a complex number is aligned as its parts are. */
#define HOLDS(type, c) do { struct { c member; char behind; } s; holds(type, offsetof(__typeof__(s), behind), sizeof s); } while (0)

static void holds(MPI_Datatype member, MPI_Aint behind, MPI_Aint bytes)
{
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, behind}, low, extent;
    MPI_Datatype types[2] = {member, MPI_CHAR}, made;
    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_get_extent(made, &low, &extent);
    assert(low == 0 && extent == bytes);
    MPI_Type_get_true_extent(made, &low, &extent);
    assert(low == 0 && extent == behind + 1);
    MPI_Type_free(&made);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    HOLDS(MPI_INT, int);
    HOLDS(MPI_CHAR, char);
    HOLDS(MPI_SHORT, short);
    HOLDS(MPI_LONG, long);
    HOLDS(MPI_FLOAT, float);
    HOLDS(MPI_DOUBLE, double);
    HOLDS(MPI_LONG_DOUBLE, long double);
    HOLDS(MPI_WCHAR, wchar_t);
    HOLDS(MPI_C_BOOL, bool);
    HOLDS(MPI_INT8_T, int8_t);
    HOLDS(MPI_UINT16_T, uint16_t);
    HOLDS(MPI_COUNT, MPI_Count);
    HOLDS(MPI_C_FLOAT_COMPLEX, float complex);
    HOLDS(MPI_C_DOUBLE_COMPLEX, double complex);
    HOLDS(MPI_C_LONG_DOUBLE_COMPLEX, long double complex);
    HOLDS(MPI_INTEGER, int);
    HOLDS(MPI_DOUBLE_PRECISION, double);
    HOLDS(MPI_COMPLEX, float complex);
    HOLDS(MPI_DOUBLE_COMPLEX, double complex);
    HOLDS(MPI_LOGICAL, int);
    HOLDS(MPI_CXX_BOOL, bool);
    HOLDS(MPI_CXX_FLOAT_COMPLEX, float complex);
    HOLDS(MPI_CXX_DOUBLE_COMPLEX, double complex);
    HOLDS(MPI_CXX_LONG_DOUBLE_COMPLEX, long double complex);
    HOLDS(MPI_INTEGER1, int8_t);
    HOLDS(MPI_INTEGER8, int64_t);
    HOLDS(MPI_REAL8, double);
    HOLDS(MPI_REAL16, _Float128);
    HOLDS(MPI_COMPLEX8, float complex);
    HOLDS(MPI_COMPLEX16, double complex);
    HOLDS(MPI_COMPLEX32, _Complex _Float128);
    HOLDS(MPI_FLOAT_INT, struct { float x; int i; });
    HOLDS(MPI_DOUBLE_INT, struct { double x; int i; });
    HOLDS(MPI_LONG_INT, struct { long x; int i; });
    HOLDS(MPI_SHORT_INT, struct { short x; int i; });
    HOLDS(MPI_LONG_DOUBLE_INT, struct { long double x; int i; });
    HOLDS(MPI_2INT, struct { int x; int i; });
    HOLDS(MPI_2DOUBLE_PRECISION, struct { double x; double y; });
    MPI_Finalize();
    return 0;
}
