/* Each predefined operation and types that it is not for: a send that may have been buffered decides which is tried (MPI 4.1, section 6.9.2).
 * ranks: 1
 * class: collectives
 * expect: erroneous
 */
#include <mpi.h>

static long double in[2], out[2];

/* Whether a standard send is complete before its receive is posted: either may be. */
static int decided(void)
{
    int flag, x = 0, y;
    MPI_Request request;
    MPI_Isend(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request);
    MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
    MPI_Recv(&y, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return flag;
}

/* If the operation is taken to be for the type, the program aborts. */
#define EITHER(op, type) if (decided()) MPI_Allreduce(in, out, 1, type, op, MPI_COMM_WORLD), MPI_Abort(MPI_COMM_WORLD, 1)

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    EITHER(MPI_LAND, MPI_FLOAT);
    EITHER(MPI_LAND, MPI_DOUBLE);
    EITHER(MPI_LAND, MPI_AINT);
    EITHER(MPI_LAND, MPI_BYTE);
    EITHER(MPI_LAND, MPI_CHAR);
    EITHER(MPI_LAND, MPI_WCHAR);
    EITHER(MPI_LAND, MPI_INTEGER);
    EITHER(MPI_LAND, MPI_REAL4);
    EITHER(MPI_LAND, MPI_C_FLOAT_COMPLEX);
    EITHER(MPI_LAND, MPI_CHARACTER);
    EITHER(MPI_LOR, MPI_FLOAT);
    EITHER(MPI_LOR, MPI_DOUBLE);
    EITHER(MPI_LOR, MPI_AINT);
    EITHER(MPI_LXOR, MPI_FLOAT);
    EITHER(MPI_LXOR, MPI_DOUBLE);
    EITHER(MPI_LXOR, MPI_AINT);
    EITHER(MPI_BAND, MPI_DOUBLE);
    EITHER(MPI_BAND, MPI_C_BOOL);
    EITHER(MPI_BAND, MPI_CHAR);
    EITHER(MPI_BAND, MPI_LOGICAL);
    EITHER(MPI_BAND, MPI_C_FLOAT_COMPLEX);
    EITHER(MPI_BAND, MPI_CXX_BOOL);
    EITHER(MPI_BAND, MPI_CHARACTER);
    EITHER(MPI_BOR, MPI_DOUBLE);
    EITHER(MPI_BOR, MPI_C_BOOL);
    EITHER(MPI_BXOR, MPI_DOUBLE);
    EITHER(MPI_BXOR, MPI_C_BOOL);
    EITHER(MPI_MAX, MPI_C_FLOAT_COMPLEX);
    EITHER(MPI_MAX, MPI_BYTE);
    EITHER(MPI_MAX, MPI_C_BOOL);
    EITHER(MPI_MAX, MPI_CHAR);
    EITHER(MPI_MAX, MPI_COMPLEX32);
    EITHER(MPI_MAX, MPI_DOUBLE_COMPLEX);
    EITHER(MPI_MAX, MPI_WCHAR);
    EITHER(MPI_MAX, MPI_CHARACTER);
    EITHER(MPI_MIN, MPI_C_FLOAT_COMPLEX);
    EITHER(MPI_MIN, MPI_BYTE);
    EITHER(MPI_SUM, MPI_BYTE);
    EITHER(MPI_SUM, MPI_C_BOOL);
    EITHER(MPI_SUM, MPI_CHAR);
    EITHER(MPI_SUM, MPI_CHARACTER);
    EITHER(MPI_SUM, MPI_CXX_BOOL);
    EITHER(MPI_SUM, MPI_LOGICAL);
    EITHER(MPI_SUM, MPI_WCHAR);
    EITHER(MPI_PROD, MPI_BYTE);
    MPI_Finalize();
    return 0;
}
