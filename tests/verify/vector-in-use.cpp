/* A vector is filled while it is being sent, by a lambda.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
 */
#include <mpi.h>
#include <algorithm>
#include <vector>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<int> v(3, rank);
    if (rank == 0) {
        MPI_Request r;
        MPI_Isend(v.data(), 3, MPI_INT, 1, 0, MPI_COMM_WORLD, &r);
        std::for_each(v.begin(), v.end(), [](int &x) { x = 9; });
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(v.data(), 3, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
