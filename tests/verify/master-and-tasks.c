/* A master gives the next task to whoever answers, until all six are done.
 * ranks: 3
 * class: matching
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

#define TASKS 6

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0) {
        int result[TASKS] = {0}, next = 0, busy = 0;
        for (int worker = 1; worker < size; worker++, next++, busy++)
            MPI_Send(&next, 1, MPI_INT, worker, 1, MPI_COMM_WORLD);
        while (busy > 0) {
            int answer[2];
            MPI_Status status;
            MPI_Recv(answer, 2, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
            result[answer[0]] = answer[1];
            int task = next < TASKS ? next++ : -1;
            if (task < 0)
                busy--;
            MPI_Send(&task, 1, MPI_INT, status.MPI_SOURCE, 1, MPI_COMM_WORLD);
        }
        for (int i = 0; i < TASKS; i++)
            assert(result[i] == i * i);
    } else
        for (;;) {
            int task;
            MPI_Recv(&task, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (task < 0)
                break;
            int answer[2] = {task, task * task};
            MPI_Send(answer, 2, MPI_INT, 0, 2, MPI_COMM_WORLD);
        }
    MPI_Finalize();
    return 0;
}
