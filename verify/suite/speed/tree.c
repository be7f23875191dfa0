/* A sum goes up a binary tree, by messages. */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, sum, part;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    sum = rank;
    for (int step = 1; step < size; step *= 2)
        if (rank % (2 * step) == 0 && rank + step < size) {
            MPI_Recv(&part, 1, MPI_INT, rank + step, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            sum += part;
        } else if (rank % (2 * step) == step) {
            MPI_Send(&sum, 1, MPI_INT, rank - step, 0, MPI_COMM_WORLD);
            break;
        }
    if (rank == 0 && sum != size * (size - 1) / 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Finalize();
    return 0;
}
