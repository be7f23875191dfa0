/* A datatype for a structure says the number of its second member where the third one is.
 * ranks: 2
 * class: datatypes
 * expect: erroneous
 * options: -O0
 * says: the datatype of `buffer` has MPI_INT where the variable `one` has double
 */
#include <mpi.h>
#include <stddef.h>

struct particle { double mass; int kind; double place[3]; };

int main(int argc, char **argv)
{
    struct particle one = {1, 2, {3, 4, 5}};
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {offsetof(struct particle, mass), offsetof(struct particle, place)};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT};
    MPI_Datatype type;
    MPI_Init(&argc, &argv);
    MPI_Type_create_struct(2, lengths, places, types, &type);
    MPI_Type_commit(&type);
    MPI_Bcast(&one, 1, type, 0, MPI_COMM_WORLD);
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
