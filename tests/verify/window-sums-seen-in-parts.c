/* A sum of two elements is atomic for each of them, not for both: who reads one of them and tells another process, which reads the other one, may find
 * the second one as it was.
 * ranks: 3
 * class: windows
 * expect: crash
 */
#include <mpi.h>
#include <stdlib.h>

static MPI_Win w;

static int read_of(int place)
{
    int none = 0, found;
    MPI_Fetch_and_op(&none, &found, MPI_INT, 0, place, MPI_NO_OP, w);
    MPI_Win_flush(0, w);
    return found;
}

int main(int argc, char **argv)
{
    int rank, *memory, two[2] = {1, 1};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_allocate(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &w);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, w);
    memory[0] = memory[1] = 0;
    MPI_Win_unlock(rank, w);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, w);
    if (rank == 0)
        MPI_Accumulate(two, 2, MPI_INT, 0, 0, 2, MPI_INT, MPI_SUM, w);
    else if (rank == 1) {
        int first = read_of(0);
        MPI_Send(&first, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
    } else {
        int first;
        MPI_Recv(&first, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (read_of(1) < first)
            abort();
    }
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
