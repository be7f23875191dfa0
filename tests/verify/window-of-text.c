/* Text is put into a window, and read by functions that find out how long it is.
 * ranks: 2
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
    char a[8] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    if (rank == 1) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
        MPI_Put("12ab", 5, MPI_CHAR, 0, 0, 5, MPI_CHAR, w);
        MPI_Win_unlock(0, w);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        char line[20];
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
        assert(strlen(a) == 4);
        MPI_Win_unlock(0, w);
        MPI_Barrier(MPI_COMM_SELF);
        MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
        assert(atoi(a) == 12 && strchr(a, 'b') == a + 3);
        snprintf(line, sizeof line, "%s", a);
        assert(strcmp(line, "12ab") == 0);
        MPI_Win_unlock(0, w);
    }
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
