/* A window of 64 megabytes, and a matrix of 128, whose first column and last row are sent: what nothing names of them costs nothing.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

enum { bytes = 64 << 20, last = bytes / 4 - 1, n = 4000, few = 40 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, *memory;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win win;
    MPI_Win_allocate(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    int mine[2] = {10 + rank, 20 + rank};
    MPI_Win_fence(0, win);
    MPI_Put(mine, 1, MPI_INT, 1 - rank, last, 1, MPI_INT, win);
    MPI_Put(mine + 1, 1, MPI_INT, 1 - rank, last / 2, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    assert(memory[last] == 11 - rank && memory[last / 2] == 21 - rank && memory[0] == 0);
    MPI_Win_free(&win);

    double *matrix = calloc((size_t)n * n, sizeof *matrix), *row = matrix + (size_t)n * (n - 1) + 1;
    MPI_Datatype column;
    MPI_Type_vector(few, 1, n * (n / few), MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    if (rank == 0) {
        matrix[(size_t)n * (n / few)] = 3.5;
        row[few - 1] = 4.5;
        MPI_Send(matrix, 1, column, 1, 0, MPI_COMM_WORLD);
        MPI_Send(row, few, MPI_DOUBLE, 1, 1, MPI_COMM_WORLD);
    } else {
        MPI_Recv(matrix, 1, column, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(row, few, MPI_DOUBLE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(matrix[(size_t)n * (n / few)] == 3.5 && row[few - 1] == 4.5);
    }
    MPI_Type_free(&column);
    free(matrix);
    MPI_Finalize();
    return 0;
}
