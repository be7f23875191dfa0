/* Pointers are sent as integers of their size, and as bytes.
 * ranks: 2
 * class: datatypes
 * expect: correct
 * options: -O0
 */
#include <mpi.h>
#include <stdlib.h>

struct node {
    int number;
    struct node *next;
};

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    struct node first = {rank, NULL}, node = {rank, &first};
    void *address = &first;
    MPI_Bcast(&address, 1, MPI_AINT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&address, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Bcast(&address, sizeof address, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&node, sizeof node, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&node.number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
