/* What was packed is received as what it was, into every other place, and what was not packed is received as packed.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, position = 0, count, ints[] = {1, 2, 3}, in[6] = {0}, out[3];
    double d[] = {0.5, 1.5}, e[4];
    char packed[64];
    MPI_Datatype column;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(3, 1, 2, MPI_INT, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        MPI_Pack(ints, 3, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Send(packed, position, MPI_PACKED, 1, 0, MPI_COMM_WORLD);
        MPI_Send(ints, 3, MPI_INT, 1, 1, MPI_COMM_WORLD);
        position = 0;
        MPI_Pack(d, 2, MPI_DOUBLE, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Send(packed, position, MPI_PACKED, 1, 2, MPI_COMM_WORLD);
    } else {
        MPI_Recv(in, 1, column, 0, 0, MPI_COMM_WORLD, &status);
        assert(in[0] == 1 && in[1] == 0 && in[2] == 2 && in[3] == 0 && in[4] == 3);
        MPI_Recv(packed, sizeof packed, MPI_PACKED, 0, 1, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_PACKED, &count);
        assert(count == 12);
        MPI_Unpack(packed, count, &position, out, 3, MPI_INT, MPI_COMM_WORLD);
        assert(position == 12 && out[0] == 1 && out[2] == 3);
        MPI_Recv(e, 4, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_DOUBLE, &count);
        assert(count == 2 && e[0] == 0.5 && e[1] == 1.5);
    }
    MPI_Type_free(&column);
    MPI_Finalize();
    return 0;
}
