/* Numbers of 16 bits, of a type that MPICH has beside those of the standard.
 * ranks: 2
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    /* 1 and 2, and what they sum up to, in the format of IEEE 754. */
    unsigned short one = 0x3c00, sum = 0;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_size(MPIX_C_FLOAT16, &size);
    assert(size == 2);
    one += 0x400 * rank;
    MPI_Allreduce(&one, &sum, 1, MPIX_C_FLOAT16, MPI_SUM, MPI_COMM_WORLD);
    assert(sum == 0x4200);
    MPI_Finalize();
    return 0;
}
