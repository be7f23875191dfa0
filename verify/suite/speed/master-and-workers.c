/* A master gives each of its workers a task, and another one to whoever is done, until there are none. */
#include <mpi.h>

enum { TASKS = 6, STOP = 1 };

int main(int argc, char **argv)
{
    int rank, size, task = 0, sum = 0;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        int given = 0, running = 0;
        for (int i = 1; i < size; i++, given++, running++)
            MPI_Send(&given, 1, MPI_INT, i, 0, MPI_COMM_WORLD);
        while (running > 0) {
            MPI_Recv(&task, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            sum += task;
            MPI_Send(&given, 1, MPI_INT, status.MPI_SOURCE, given < TASKS ? 0 : STOP, MPI_COMM_WORLD);
            if (given < TASKS)
                given++;
            else
                running--;
        }
        if (sum != TASKS * TASKS)
            MPI_Abort(MPI_COMM_WORLD, 1);
    } else {
        for (;;) {
            MPI_Recv(&task, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
            if (status.MPI_TAG == STOP)
                break;
            task = 2 * task + 1;
            MPI_Send(&task, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        }
    }
    MPI_Finalize();
    return 0;
}
