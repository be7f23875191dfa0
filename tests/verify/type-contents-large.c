/* A program is told by which calls with large counts its datatypes were made (MPI 4.1, section 5.1.13).
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

static MPI_Count ni, na, nl, nt, counts[16];
static int ints[16], combiner;
static MPI_Aint addresses[8];
static MPI_Datatype types[4];

/* Asks how a datatype was made, and lets go of it. */
static void ask(MPI_Datatype *t, int made_by, MPI_Count n_ints, MPI_Count n_counts, MPI_Count n_types)
{
    MPI_Type_get_envelope_c(*t, &ni, &na, &nl, &nt, &combiner);
    assert(combiner == made_by && ni == n_ints && na == 0 && nl == n_counts && nt == n_types);
    MPI_Type_get_contents_c(*t, ni, na, nl, nt, ints, addresses, counts, types);
    assert(types[0] == MPI_INT);
    MPI_Type_free(t);
}

int main(int argc, char **argv)
{
    MPI_Datatype t, both[2] = {MPI_INT, MPI_CHAR};
    MPI_Count lengths[2] = {2, 3}, places[2] = {40, 80}, sizes[2] = {4, 6}, some[2] = {2, 3}, starts[2] = {1, 0};
    int blocks[2] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}, args[2] = {MPI_DISTRIBUTE_DFLT_DARG, 2}, grid[2] = {1, 1};
    MPI_Init(&argc, &argv);

    MPI_Type_contiguous_c(5, MPI_INT, &t);
    ask(&t, MPI_COMBINER_CONTIGUOUS, 0, 1, 1);
    assert(counts[0] == 5);
    MPI_Type_create_hvector_c(3, 2, 48, MPI_INT, &t);
    ask(&t, MPI_COMBINER_HVECTOR, 0, 3, 1);
    assert(counts[0] == 3 && counts[1] == 2 && counts[2] == 48);
    MPI_Type_create_struct_c(2, lengths, places, both, &t);
    ask(&t, MPI_COMBINER_STRUCT, 0, 5, 2);
    assert(counts[0] == 2 && counts[1] == 2 && counts[2] == 3 && counts[3] == 40 && counts[4] == 80 && types[1] == MPI_CHAR);
    MPI_Type_create_hindexed_block_c(2, 7, places, MPI_INT, &t);
    ask(&t, MPI_COMBINER_HINDEXED_BLOCK, 0, 4, 1);
    assert(counts[0] == 2 && counts[1] == 7 && counts[3] == 80);
    MPI_Type_create_subarray_c(2, sizes, some, starts, MPI_ORDER_C, MPI_INT, &t);
    ask(&t, MPI_COMBINER_SUBARRAY, 2, 6, 1);
    assert(ints[0] == 2 && ints[1] == MPI_ORDER_C && counts[1] == 6 && counts[3] == 3 && counts[4] == 1);
    MPI_Type_create_darray_c(1, 0, 2, sizes, blocks, args, grid, MPI_ORDER_C, MPI_INT, &t);
    ask(&t, MPI_COMBINER_DARRAY, 10, 2, 1);
    assert(ints[2] == 2 && ints[4] == MPI_DISTRIBUTE_CYCLIC && ints[6] == 2 && ints[9] == MPI_ORDER_C && counts[1] == 6);
    MPI_Type_create_resized_c(MPI_INT, -4, 16, &t);
    ask(&t, MPI_COMBINER_RESIZED, 0, 2, 1);
    assert(counts[0] == -4 && counts[1] == 16);

    /* One that was made without large counts has none. */
    MPI_Type_contiguous(5, MPI_INT, &t);
    ask(&t, MPI_COMBINER_CONTIGUOUS, 1, 0, 1);
    assert(ints[0] == 5);
    MPI_Finalize();
    return 0;
}
