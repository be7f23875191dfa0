/* Extents, displacements and counts of more than 32 bits come back whole, from types and from statuses.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <assert.h>
#include <mpi.h>

int main(int argc, char **argv)
{
    MPI_Datatype far, below;
    MPI_Aint lb, extent;
    MPI_Count lb_x, extent_x, elements;
    MPI_Status status;
    int size, cancelled;

    MPI_Init(&argc, &argv);
    MPI_Type_create_hvector(2, 1, (MPI_Aint) 1 << 33, MPI_INT, &far);
    MPI_Type_commit(&far);
    MPI_Type_size(far, &size);
    MPI_Type_get_extent(far, &lb, &extent);
    assert(size == 8 && lb == 0 && extent == ((MPI_Aint) 1 << 33) + 4);
    MPI_Type_get_true_extent_x(far, &lb_x, &extent_x);
    assert(lb_x == 0 && extent_x == ((MPI_Count) 1 << 33) + 4);

    MPI_Type_create_resized(MPI_DOUBLE, -((MPI_Aint) 1 << 40), (MPI_Aint) 3 << 40, &below);
    MPI_Type_get_extent(below, &lb, &extent);
    assert(lb == -((MPI_Aint) 1 << 40) && extent == (MPI_Aint) 3 << 40);

    MPI_Status_set_elements_x(&status, MPI_INT, (MPI_Count) 5 << 31);
    MPI_Status_set_cancelled(&status, 1);
    MPI_Get_elements_x(&status, MPI_INT, &elements);
    MPI_Test_cancelled(&status, &cancelled);
    assert(elements == (MPI_Count) 5 << 31 && cancelled);

    MPI_Type_free(&below);
    MPI_Type_free(&far);
    MPI_Finalize();
    return 0;
}
