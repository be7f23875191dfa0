/* Vectors from any source in C++: whose comes first is open.
 * ranks: 3
 * class: matching
 * expect: exit
 */
#include <mpi.h>
#include <vector>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    std::vector<double> v(4, rank);
    int first = 0;
    if (rank == 0) {
        for (int i = 1; i < size; i++) {
            MPI_Recv(v.data(), 4, MPI_DOUBLE, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (i == 1)
                first = static_cast<int>(v[3]);
        }
    } else {
        MPI_Send(v.data(), 4, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return rank == 0 && first != 1;
}
