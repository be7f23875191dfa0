/* A window is copied by a function in a header, which the compiler makes a few instructions of.
 * ranks: 2
 * class: windows
 * expect: correct
 * options: -O2
 */
#include <mpi.h>
#include <cassert>
#include <vector>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<double> a(6, 0.0), d{1, 2, 3, 4, 5, 6};
    MPI_Win w;
    MPI_Win_create(a.data(), a.size() * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank == 1)
        MPI_Put(d.data(), 6, MPI_DOUBLE, 0, 0, 6, MPI_DOUBLE, w);
    MPI_Win_fence(0, w);
    if (rank == 0) {
        std::vector<double> b(a);
        assert(b == d);
    }
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
