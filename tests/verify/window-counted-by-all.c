/* Each rank takes a ticket, in every order.
 * ranks: 3
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, size;
    int a[4] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    int one = 1, mine = 0, all[4];
    MPI_Win_lock_all(0, w);
    MPI_Fetch_and_op(&one, &mine, MPI_INT, 0, 0, MPI_SUM, w);
    MPI_Win_unlock_all(w);
    MPI_Allgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size; i++)
        for (int k = 0; k < i; k++)
            assert(all[i] != all[k]);
    if (rank == 0) {
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
        assert(a[0] == size);
        MPI_Win_unlock(0, w);
    }
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
