/* One stretch of a window holds ints, then doubles, then shorts that are summed, and bytes of it are read.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, ints[4] = {1, 2, 3, 4};
    double half = 0.5, got = 0;
    short ones[4] = {1, 1, 1, 1}, before[4] = {0};
    unsigned char memory[16] = {0}, bytes[8] = {0};
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Put(ints, 4, MPI_INT, 1, 0, 4, MPI_INT, win);
    MPI_Win_fence(0, win);
    if (rank == 1) {
        assert(!memcmp(memory, ints, sizeof memory));
        memory[0] = 7;
    }
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Get(bytes, 8, MPI_BYTE, 1, 0, 8, MPI_BYTE, win);
    MPI_Win_fence(0, win);
    ints[0] = 7;
    if (rank == 0) {
        assert(!memcmp(bytes, ints, sizeof bytes));
        MPI_Put(&half, 1, MPI_DOUBLE, 1, 4, 1, MPI_DOUBLE, win);
    }
    MPI_Win_fence(0, win);
    if (rank == 0)
        MPI_Get(&got, 1, MPI_DOUBLE, 1, 4, 1, MPI_DOUBLE, win);
    MPI_Win_fence(0, win);
    if (rank == 0) {
        assert(got == half);
        MPI_Get_accumulate(ones, 4, MPI_SHORT, before, 4, MPI_SHORT, 1, 0, 4, MPI_SHORT, MPI_SUM, win);
    }
    MPI_Win_fence(0, win);
    if (rank == 0) {
        assert(before[0] == 7 && before[1] == 0);
    } else {
        short now[2];
        memcpy(now, memory, sizeof now);
        assert(now[0] == 8 && now[1] == 1);
    }
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
