/* A vector of integers is sent as floating-point numbers.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
 * options: -O0
 * says: MPI_Bcast: the datatype of `buffer` has MPI_FLOAT where the variable `numbers` has int
 */
#include <mpi.h>
#include <vector>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    std::vector<int> numbers(5);
    MPI_Bcast(numbers.data(), 5, MPI_FLOAT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
