/* Datatypes all of whose data lies before the address that a call names: it begins there, and nothing lies at it.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <assert.h>
#include <mpi.h>

static char text[64], got[64];
static short numbers[32], got_numbers[32];

int main(int argc, char **argv)
{
    int rank;
    MPI_Aint back = -4;
    MPI_Datatype letter, number;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_hindexed(1, (int[]){1}, &back, MPI_CHAR, &letter);
    MPI_Type_create_hindexed(1, (int[]){2}, &back, MPI_SHORT, &number);
    MPI_Type_commit(&letter);
    MPI_Type_commit(&number);
    if (rank == 0) {
        text[28] = 'a';
        numbers[14] = 7;
        numbers[15] = 8;
        MPI_Send(text + 32, 1, letter, 1, 0, MPI_COMM_WORLD);
        MPI_Send(numbers + 16, 1, number, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(got, 1, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(got_numbers + 16, 1, number, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(got[0] == 'a' && got_numbers[14] == 7 && got_numbers[15] == 8);
    }
    MPI_Type_free(&letter);
    MPI_Type_free(&number);
    MPI_Finalize();
    return 0;
}
