/* What is sent as a pair is received as a structure of its two types, of which each lies where C has it (MPI 4.1, section 6.9.4).
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stddef.h>
#include <string.h>

#define HOLDS(pair, mpi, c, mpi_second, c_second) do { \
    struct { c x; c_second y; } s[2]; \
    holds(pair, mpi, mpi_second, offsetof(__typeof__(s[0]), y), sizeof s[0]); \
    memset(s, 0, sizeof s); \
    for (int i = 0; i < 2 && rank == 0; i++) \
        s[i].x = 3 + i, s[i].y = 5 + i; \
    if (rank == 0) \
        MPI_Send(s, 2, pair, 1, 0, MPI_COMM_WORLD); \
    else \
        MPI_Recv(s, 2, made, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); \
    for (int i = 0; i < 2; i++) \
        assert(s[i].x == 3 + i && s[i].y == 5 + i); \
    MPI_Type_free(&made); \
} while (0)

static MPI_Datatype made;

static void holds(MPI_Datatype pair, MPI_Datatype first, MPI_Datatype second, MPI_Aint at, MPI_Aint bytes)
{
    int lengths[2] = {1, 1};
    MPI_Aint places[2] = {0, at}, low, extent;
    MPI_Datatype types[2] = {first, second};
    MPI_Type_get_extent(pair, &low, &extent);
    assert(low == 0 && extent == bytes);
    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_commit(&made);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    HOLDS(MPI_2INT, MPI_INT, int, MPI_INT, int);
    HOLDS(MPI_FLOAT_INT, MPI_FLOAT, float, MPI_INT, int);
    HOLDS(MPI_DOUBLE_INT, MPI_DOUBLE, double, MPI_INT, int);
    HOLDS(MPI_LONG_INT, MPI_LONG, long, MPI_INT, int);
    HOLDS(MPI_SHORT_INT, MPI_SHORT, short, MPI_INT, int);
    HOLDS(MPI_LONG_DOUBLE_INT, MPI_LONG_DOUBLE, long double, MPI_INT, int);
    HOLDS(MPI_2INTEGER, MPI_INTEGER, int, MPI_INTEGER, int);
    HOLDS(MPI_2REAL, MPI_REAL, float, MPI_REAL, float);
    HOLDS(MPI_2DOUBLE_PRECISION, MPI_DOUBLE_PRECISION, double, MPI_DOUBLE_PRECISION, double);
    MPI_Finalize();
    return 0;
}
