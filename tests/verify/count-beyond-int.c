/* A number of items that is no int is MPI_UNDEFINED to those who ask for an int (§3.2.5).
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    MPI_Status status;
    MPI_Count long_count;
    int count, elements;
    MPI_Init(&argc, &argv);
    MPI_Status_set_elements_x(&status, MPI_INT, (MPI_Count)5000000000);
    MPI_Get_count(&status, MPI_INT, &count);
    MPI_Get_elements(&status, MPI_INT, &elements);
    MPI_Get_elements_x(&status, MPI_INT, &long_count);
    assert(count == MPI_UNDEFINED && elements == MPI_UNDEFINED && long_count == 5000000000);
    MPI_Finalize();
    return 0;
}
