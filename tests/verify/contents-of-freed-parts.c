/* What a datatype was made of is told though it is freed since: further handles, which the program frees.
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int integers, addresses, types, combiner, n[2], size;
    MPI_Aint lb, extent;
    MPI_Datatype column, resized, part[1];
    MPI_Init(&argc, &argv);
    MPI_Type_vector(3, 1, 4, MPI_INT, &column);
    MPI_Type_create_resized(column, 0, 4, &resized);
    MPI_Type_free(&column);
    MPI_Type_get_envelope(resized, &integers, &addresses, &types, &combiner);
    assert(combiner == MPI_COMBINER_RESIZED && integers == 0 && addresses == 2 && types == 1);
    MPI_Aint bounds[2];
    MPI_Type_get_contents(resized, 0, 2, 1, n, bounds, part);
    assert(bounds[0] == 0 && bounds[1] == 4);
    MPI_Type_get_envelope(part[0], &integers, &addresses, &types, &combiner);
    assert(combiner == MPI_COMBINER_VECTOR);
    MPI_Type_size(part[0], &size);
    MPI_Type_get_extent(part[0], &lb, &extent);
    assert(size == 12 && extent == 36);
    MPI_Type_free(&part[0]);
    MPI_Type_free(&resized);
    MPI_Finalize();
    return 0;
}
