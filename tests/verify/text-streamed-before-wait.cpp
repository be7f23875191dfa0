/* A receive buffer goes to a stream before the wait, as text of a string.
 * ranks: 2
 * class: buffers
 * expect: correct
 * instrumented: erroneous
 */
#include <iostream>
#include <mpi.h>
#include <string>

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    std::string text(40, 'x');
    if (rank == 0)
        MPI_Send(text.data(), 40, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    else {
        MPI_Request q;
        MPI_Irecv(&text[0], 40, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &q);
        std::cout << text << "\n";
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
