/* A process asks for its rank until it is another one: a loop of calls that change nothing, two of them at one place of the program.
 * ranks: 2
 * class: deadlock and progress
 * expect: deadlock
 * says: rank 0 goes round in MPI_Comm_rank
 */
#include <mpi.h>

static int rank_in(MPI_Comm comm)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    while (rank_in(MPI_COMM_WORLD) + rank_in(MPI_COMM_SELF) == 0)
        ;
    MPI_Finalize();
    return 0;
}
