/* A program is told by which calls its datatypes were made.
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int ni, na, nt, combiner, ints[16];
    MPI_Aint addresses[8];
    MPI_Datatype types[4], vector, structure, box, wide;
    MPI_Init(&argc, &argv);

    MPI_Type_get_envelope(MPI_INT, &ni, &na, &nt, &combiner);
    assert(combiner == MPI_COMBINER_NAMED && ni == 0 && na == 0 && nt == 0);

    MPI_Type_vector(3, 2, 5, MPI_INT, &vector);
    MPI_Type_get_envelope(vector, &ni, &na, &nt, &combiner);
    assert(combiner == MPI_COMBINER_VECTOR && ni == 3 && na == 0 && nt == 1);
    MPI_Type_get_contents(vector, ni, na, nt, ints, addresses, types);
    assert(ints[0] == 3 && ints[1] == 2 && ints[2] == 5 && types[0] == MPI_INT);

    int lengths[] = {1, 4};
    MPI_Aint places[] = {0, 64};
    MPI_Datatype parts[] = {vector, MPI_CHAR};
    MPI_Type_create_struct(2, lengths, places, parts, &structure);
    MPI_Type_get_envelope(structure, &ni, &na, &nt, &combiner);
    assert(combiner == MPI_COMBINER_STRUCT && ni == 3 && na == 2 && nt == 2);
    MPI_Type_get_contents(structure, ni, na, nt, ints, addresses, types);
    assert(ints[0] == 2 && ints[1] == 1 && ints[2] == 4 && addresses[1] == 64 && types[1] == MPI_CHAR);
    /* The part is a handle of its own, and made as the other one. */
    MPI_Type_get_envelope(types[0], &ni, &na, &nt, &combiner);
    assert(combiner == MPI_COMBINER_VECTOR);
    MPI_Type_free(&types[0]);

    int sizes[] = {4, 6}, some[] = {2, 3}, starts[] = {1, 0};
    MPI_Type_create_subarray(2, sizes, some, starts, MPI_ORDER_C, MPI_DOUBLE, &box);
    MPI_Type_get_envelope(box, &ni, &na, &nt, &combiner);
    assert(combiner == MPI_COMBINER_SUBARRAY && ni == 8 && nt == 1);
    MPI_Type_get_contents(box, ni, na, nt, ints, addresses, types);
    assert(ints[0] == 2 && ints[2] == 6 && ints[4] == 3 && ints[5] == 1 && ints[7] == MPI_ORDER_C && types[0] == MPI_DOUBLE);

    MPI_Type_create_resized(MPI_INT, -4, 16, &wide);
    MPI_Type_get_envelope(wide, &ni, &na, &nt, &combiner);
    assert(combiner == MPI_COMBINER_RESIZED && ni == 0 && na == 2 && nt == 1);
    MPI_Type_get_contents(wide, ni, na, nt, ints, addresses, types);
    assert(addresses[0] == -4 && addresses[1] == 16);

    MPI_Type_free(&vector);
    MPI_Type_free(&structure);
    MPI_Type_free(&box);
    MPI_Type_free(&wide);
    MPI_Finalize();
    return 0;
}
