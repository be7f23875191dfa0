/* A status is told how many basic elements there are of structures of two types, and says so; also of a type of nothing (MPI 4.1, sections 5.1.11 and 13.3).
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int lengths[2] = {1, 1}, n;
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, made, nothing;
    MPI_Status status;
    MPI_Init(&argc, &argv);
    MPI_Type_create_struct(2, lengths, places, types, &made);
    MPI_Type_commit(&made);
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    for (int k = 0; k < 6; k++) {
        MPI_Status_set_elements(&status, made, k);
        MPI_Get_elements(&status, made, &n);
        assert(n == k);
        MPI_Get_count(&status, made, &n);
        assert(n == (k % 2 ? MPI_UNDEFINED : k / 2));
        MPI_Status_set_elements(&status, MPI_DOUBLE, k);
        MPI_Get_count(&status, MPI_DOUBLE, &n);
        assert(n == k);
    }
    MPI_Status_set_elements(&status, nothing, 0);
    MPI_Get_elements(&status, nothing, &n);
    assert(n == 0);
    MPI_Get_count(&status, nothing, &n);
    assert(n == 0);
    MPI_Type_free(&nothing);
    MPI_Type_free(&made);
    MPI_Finalize();
    return 0;
}
