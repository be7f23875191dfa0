/* What a vector of C++ holds, and one that is a member, are what the datatypes say.
 * ranks: 2
 * class: datatypes
 * expect: correct
 * options: -O0
 */
#include <array>
#include <complex>
#include <mpi.h>
#include <vector>

struct Field {
    std::vector<double> values;
    void pass() { MPI_Bcast(values.data(), int(values.size()), MPI_DOUBLE, 0, MPI_COMM_WORLD); }
};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    std::vector<int> numbers(5);
    std::vector<std::complex<double>> waves(3);
    std::array<float, 4> four{};
    Field field{std::vector<double>(4)};
    MPI_Bcast(numbers.data(), 5, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(waves.data(), 3, MPI_CXX_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD);
    MPI_Bcast(waves.data(), 6, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(four.data(), 4, MPI_FLOAT, 0, MPI_COMM_WORLD);
    field.pass();
    MPI_Finalize();
    return 0;
}
