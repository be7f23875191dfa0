/* An integer of eight bytes is added up as if it had four.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
 * says: MPI_Allreduce: the datatype of `sendbuf` has MPI_INT where the variable `part` has long int
 */
#include <mpi.h>

static long part = 3, total;

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Allreduce(&part, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return total != 6;
}
