/* Memory of the process is the same whichever message came first, but a register is not: what differs in it must not be taken for the same.
 * ranks: 3
 * class: matching
 * expect: crash
 */
#include <mpi.h>
#include <stdlib.h>

static int x;

static int receive(void)
{
    MPI_Status status;
    MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    int source = status.MPI_SOURCE;
    status.MPI_SOURCE = 0;
    x = 0;
    __asm__ volatile("" : : "r"(&status) : "memory");
    return source;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        int first = receive(), second = receive();
        MPI_Barrier(MPI_COMM_WORLD);
        if (first == 2 && second == 1)
            abort();
    } else {
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
