/* How many items came is asked of the bytes that came, whatever they were received as (3.2.5, 5.1.11).
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

static int items(MPI_Status *status, MPI_Datatype type)
{
    int n;
    MPI_Get_count(status, type, &n);
    return n;
}

static int elements(MPI_Status *status, MPI_Datatype type)
{
    int n;
    MPI_Get_elements(status, type, &n);
    return n;
}

static void three_ints(MPI_Status *status, MPI_Datatype mixed, MPI_Datatype none)
{
    assert(items(status, MPI_INT) == 3 && items(status, MPI_BYTE) == 12);
    assert(items(status, MPI_DOUBLE) == MPI_UNDEFINED && elements(status, MPI_DOUBLE) == MPI_UNDEFINED);
    /* An int and a double are twelve bytes of data, and a short besides is one too many. */
    assert(items(status, mixed) == 1 && elements(status, mixed) == 2);
    assert(items(status, MPI_FLOAT_INT) == MPI_UNDEFINED && elements(status, MPI_FLOAT_INT) == 3);
    assert(items(status, none) == MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
    int rank, lengths[2] = {1, 1}, values[3] = {1, 2, 3};
    MPI_Aint places[2] = {0, 8};
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE}, mixed, none;
    MPI_Status status;
    MPI_Count many;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(2, lengths, places, types, &mixed);
    MPI_Type_commit(&mixed);
    MPI_Type_contiguous(0, MPI_INT, &none);
    MPI_Type_commit(&none);
    if (rank == 0) {
        MPI_Send(values, 3, MPI_INT, 1, 0, MPI_COMM_WORLD);
        MPI_Send(values, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Probe(0, 0, MPI_COMM_WORLD, &status);
        three_ints(&status, mixed, none);
        MPI_Recv(values, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
        three_ints(&status, mixed, none);
        MPI_Recv(values, 3, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
        assert(items(&status, MPI_DOUBLE) == 0 && items(&status, none) == 0 && elements(&status, mixed) == 0);
        /* Three elements of an int and a double are two ints and a double: 16 bytes. */
        MPI_Status_set_elements_x(&status, mixed, 3);
        assert(items(&status, MPI_DOUBLE) == 2 && items(&status, mixed) == MPI_UNDEFINED && elements(&status, mixed) == 3);
        MPI_Get_elements_x(&status, MPI_INT, &many);
        assert(many == 4);
    }
    MPI_Type_free(&mixed);
    MPI_Type_free(&none);
    MPI_Finalize();
    return 0;
}
