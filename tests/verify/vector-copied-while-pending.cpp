/* A vector is copied while a receive into it is pending; its size is known where it is compiled.
 * ranks: 2
 * class: buffers
 * expect: correct
 * instrumented: erroneous
 */
#include <cstdio>
#include <mpi.h>
#include <vector>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::vector<int> numbers(3, rank);
    if (rank == 0) {
        MPI_Request request;
        MPI_Irecv(numbers.data(), 3, MPI_INT, 1, 0, MPI_COMM_WORLD, &request);
        std::vector<int> copy = numbers;
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        std::printf("%d\n", copy[0]);
    } else {
        MPI_Send(numbers.data(), 3, MPI_INT, 0, 0, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
