/* Three ranks take a lock that is an element of a window, by trying again and again.
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
    int none = 0, one = 1, was;
    MPI_Win_lock_all(0, w);
    do {
        MPI_Compare_and_swap(&one, &none, &was, MPI_INT, 0, 0, w);
        MPI_Win_flush(0, w);
    } while (was);
    MPI_Accumulate(&none, 1, MPI_INT, 0, 0, 1, MPI_INT, MPI_REPLACE, w);
    MPI_Win_unlock_all(w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
