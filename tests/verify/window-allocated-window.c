/* A window with memory that the library brings, and its attributes.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size, x = 0, y = 0, a[4] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int *m, *unit, *flavor, flag;
    MPI_Aint *bytes;
    void *base;
    MPI_Win_allocate(4 * sizeof *m, sizeof *m, MPI_INFO_NULL, MPI_COMM_WORLD, &m, &w);
    MPI_Win_get_attr(w, MPI_WIN_BASE, &base, &flag);
    assert(flag && base == m);
    MPI_Win_get_attr(w, MPI_WIN_SIZE, &bytes, &flag);
    assert(flag && *bytes == 4 * sizeof *m);
    MPI_Win_get_attr(w, MPI_WIN_DISP_UNIT, &unit, &flag);
    assert(flag && *unit == sizeof *m);
    MPI_Win_get_attr(w, MPI_WIN_CREATE_FLAVOR, &flavor, &flag);
    assert(flag && *flavor == MPI_WIN_FLAVOR_ALLOCATE);
    m[1] = 4 + rank;
    MPI_Win_fence(0, w);
    MPI_Get(&x, 1, MPI_INT, 1 - rank, 1, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    assert(x == 4 + (1 - rank));
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
