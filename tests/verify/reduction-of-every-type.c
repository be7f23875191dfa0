/* Each predefined operation combines items of each type that it is for (MPI 4.1, section 6.9.2).
 * ranks: 1
 * class: collectives
 * expect: correct
 */
#include <mpi.h>

/* Memory without a type, of thirty-two zeros each. */
static _Alignas(16) char in[32], out[32];

#define EACH(op, types) each(op, sizeof types / sizeof *types, types)

static void each(MPI_Op op, int n, const MPI_Datatype types[])
{
    for (int i = 0; i < n; i++)
        MPI_Allreduce(in, out, 1, types[i], op, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    static const MPI_Datatype integers[] = {MPI_INT, MPI_UNSIGNED, MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_SHORT, MPI_UNSIGNED_SHORT, MPI_LONG,
        MPI_UNSIGNED_LONG, MPI_LONG_LONG_INT, MPI_UNSIGNED_LONG_LONG, MPI_INT8_T, MPI_INT16_T, MPI_INT32_T, MPI_INT64_T, MPI_UINT8_T,
        MPI_UINT16_T, MPI_UINT32_T, MPI_UINT64_T};
    static const MPI_Datatype fortran[] = {MPI_INTEGER, MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8};
    static const MPI_Datatype floating[] = {MPI_FLOAT, MPI_DOUBLE, MPI_LONG_DOUBLE, MPI_REAL, MPI_DOUBLE_PRECISION, MPI_REAL4, MPI_REAL8,
        MPI_REAL16};
    static const MPI_Datatype addresses[] = {MPI_AINT, MPI_OFFSET, MPI_COUNT};
    static const MPI_Datatype complex[] = {MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX, MPI_C_LONG_DOUBLE_COMPLEX, MPI_COMPLEX,
        MPI_DOUBLE_COMPLEX, MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX, MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_COMPLEX8, MPI_COMPLEX16,
        MPI_COMPLEX32};
    static const MPI_Datatype logical[] = {MPI_C_BOOL, MPI_LOGICAL, MPI_CXX_BOOL};
    static const MPI_Datatype bytes[] = {MPI_BYTE};
    MPI_Init(&argc, &argv);
    EACH(MPI_SUM, integers);
    EACH(MPI_SUM, fortran);
    EACH(MPI_SUM, floating);
    EACH(MPI_SUM, addresses);
    EACH(MPI_SUM, complex);
    EACH(MPI_PROD, integers);
    EACH(MPI_PROD, fortran);
    EACH(MPI_PROD, floating);
    EACH(MPI_PROD, addresses);
    EACH(MPI_PROD, complex);
    EACH(MPI_MAX, integers);
    EACH(MPI_MAX, fortran);
    EACH(MPI_MAX, floating);
    EACH(MPI_MAX, addresses);
    EACH(MPI_MIN, integers);
    EACH(MPI_MIN, fortran);
    EACH(MPI_MIN, floating);
    EACH(MPI_MIN, addresses);
    EACH(MPI_LAND, integers);
    EACH(MPI_LAND, logical);
    EACH(MPI_LOR, integers);
    EACH(MPI_LOR, logical);
    EACH(MPI_LXOR, integers);
    EACH(MPI_LXOR, logical);
    EACH(MPI_BAND, integers);
    EACH(MPI_BAND, fortran);
    EACH(MPI_BAND, addresses);
    EACH(MPI_BAND, bytes);
    EACH(MPI_BOR, integers);
    EACH(MPI_BOR, fortran);
    EACH(MPI_BOR, addresses);
    EACH(MPI_BOR, bytes);
    EACH(MPI_BXOR, integers);
    EACH(MPI_BXOR, fortran);
    EACH(MPI_BXOR, addresses);
    EACH(MPI_BXOR, bytes);
    MPI_Finalize();
    return 0;
}
