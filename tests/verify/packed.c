/* Packed data: an int, doubles of every other place and characters go as one message, of which the receiver asks how long it is.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, n = 3, position = 0, room, part, count;
    double d[6] = {0};
    char text[8] = "";
    MPI_Datatype column;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_vector(3, 1, 2, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Pack_size(1, MPI_INT, MPI_COMM_WORLD, &room);
    assert(room >= 4);
    MPI_Pack_size(1, column, MPI_COMM_WORLD, &part);
    assert(part >= 24);
    room += part;
    MPI_Pack_size(8, MPI_CHAR, MPI_COMM_WORLD, &part);
    room += part;
    char *packed = malloc((size_t)room);
    if (rank == 0) {
        for (int i = 0; i < 6; i++)
            d[i] = i + 0.5;
        strcpy(text, "packed");
        MPI_Pack(&n, 1, MPI_INT, packed, room, &position, MPI_COMM_WORLD);
        MPI_Pack(d, 1, column, packed, room, &position, MPI_COMM_WORLD);
        MPI_Pack(text, 8, MPI_CHAR, packed, room, &position, MPI_COMM_WORLD);
        MPI_Send(packed, position, MPI_PACKED, 1, 7, MPI_COMM_WORLD);
    } else {
        n = 0;
        MPI_Probe(0, 7, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_PACKED, &count);
        assert(count == 36);
        MPI_Recv(packed, count, MPI_PACKED, 0, 7, MPI_COMM_WORLD, &status);
        MPI_Unpack(packed, count, &position, &n, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Unpack(packed, count, &position, d, 1, column, MPI_COMM_WORLD);
        MPI_Unpack(packed, count, &position, text, 8, MPI_CHAR, MPI_COMM_WORLD);
        assert(position == count && n == 3 && d[0] == 0.5 && d[1] == 0 && d[2] == 2.5 && d[4] == 4.5 && !strcmp(text, "packed"));
    }
    MPI_Type_free(&column);
    free(packed);
    MPI_Finalize();
    return 0;
}
