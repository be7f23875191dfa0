/* Data in the representation external32: the most significant byte first, four bytes of a long and two of a wchar_t, wherever it goes.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <complex.h>
#include <wchar.h>

int main(int argc, char **argv)
{
    int rank, ints[] = {1, -2, 0, 3}, more[4] = {0};
    long l = -2, k = 0;
    double complex z = 0.5 - 2 * I, y = 0;
    wchar_t w = L'x', v = 0;
    unsigned char packed[64] = {0};
    MPI_Aint size, position = 0;
    MPI_Datatype pair;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(2, 1, 2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    MPI_Pack_external_size("external32", 1, MPI_LONG, &size);
    assert(size == 4);
    MPI_Pack_external_size("external32", 1, MPI_WCHAR, &size);
    assert(size == 2);
    MPI_Pack_external_size("external32", 3, pair, &size);
    assert(size == 24);
    if (rank == 0) {
        MPI_Pack_external("external32", ints + 1, 1, pair, packed, sizeof packed, &position);
        assert(position == 8 && packed[0] == 0xff && packed[3] == 0xfe && packed[4] == 0 && packed[7] == 3);
        MPI_Pack_external("external32", &l, 1, MPI_LONG, packed, sizeof packed, &position);
        MPI_Pack_external("external32", &z, 1, MPI_C_DOUBLE_COMPLEX, packed, sizeof packed, &position);
        MPI_Pack_external("external32", &w, 1, MPI_WCHAR, packed, sizeof packed, &position);
        assert(position == 30 && packed[29] == 'x');
        MPI_Send(packed, (int)position, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(packed, sizeof packed, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Unpack_external("external32", packed, 30, &position, more, 1, pair);
        MPI_Unpack_external("external32", packed, 30, &position, &k, 1, MPI_LONG);
        MPI_Unpack_external("external32", packed, 30, &position, &y, 1, MPI_C_DOUBLE_COMPLEX);
        MPI_Unpack_external("external32", packed, 30, &position, &v, 1, MPI_WCHAR);
        assert(position == 30 && more[0] == -2 && more[1] == 0 && more[2] == 3 && k == -2 && y == z && v == w);
    }
    MPI_Type_free(&pair);
    MPI_Finalize();
    return 0;
}
