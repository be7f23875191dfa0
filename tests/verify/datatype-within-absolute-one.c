/* Datatypes with an address of the program whose inner ones have data before that address, or far behind it.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <assert.h>
#include <mpi.h>
#include <stddef.h>

struct particle {
    char name[96];
    double at[3];
};

static struct particle one, another;
static int numbers[64], got;
static char text[1024], letters[2];

static MPI_Datatype at_address(void *where, MPI_Datatype inner)
{
    MPI_Datatype made;
    MPI_Aint address;
    MPI_Get_address(where, &address);
    MPI_Type_create_hindexed(1, (int[]){1}, &address, inner, &made);
    MPI_Type_commit(&made);
    MPI_Type_free(&inner);
    return made;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Datatype position, before, both;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    one.at[1] = 5 + rank;
    numbers[6] = 6 + rank;
    text[512] = 'a';
    text[448] = 'b';
    MPI_Type_create_hindexed(1, (int[]){3}, (MPI_Aint[]){offsetof(struct particle, at)}, MPI_DOUBLE, &position);
    MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){-8}, MPI_INT, &before);
    MPI_Type_create_hindexed(2, (int[]){1, 1}, (MPI_Aint[]){0, -64}, MPI_CHAR, &both);
    position = at_address(&one, position);
    before = at_address(numbers + 8, before);
    both = at_address(text + 512, both);
    MPI_Sendrecv(MPI_BOTTOM, 1, position, 1 - rank, 0, another.at, 3, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(MPI_BOTTOM, 1, before, 1 - rank, 0, &got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(MPI_BOTTOM, 1, both, 1 - rank, 0, letters, 2, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(another.at[1] == 6 - rank && got == 7 - rank && letters[0] == 'a' && letters[1] == 'b');
    MPI_Type_free(&position);
    MPI_Type_free(&before);
    MPI_Type_free(&both);
    MPI_Finalize();
    return 0;
}
