/* How many basic elements and whole items came of a structure of three types, of which less and less is sent (MPI 4.1, sections 3.2.5 and 5.1.11).
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stddef.h>

typedef struct { int i; short s; double d; } Mixed;

int main(int argc, char **argv)
{
    static const int counts[7] = {0, MPI_UNDEFINED, MPI_UNDEFINED, 1, MPI_UNDEFINED, MPI_UNDEFINED, 2};
    int rank, lengths[3] = {1, 1, 1}, twice[2] = {1, 1}, n;
    MPI_Aint places[3] = {offsetof(Mixed, i), offsetof(Mixed, s), offsetof(Mixed, d)}, both[2];
    MPI_Datatype types[3] = {MPI_INT, MPI_SHORT, MPI_DOUBLE}, mixed, part[7], pair[2];
    MPI_Status status;
    Mixed m[2] = {{1, 2, 3}, {4, 5, 6}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(3, lengths, places, types, &mixed);
    MPI_Type_commit(&mixed);
    /* The first k elements of two structures. */
    for (int k = 1; k < 7; k++) {
        MPI_Type_create_struct(k < 3 ? k : 3, lengths, places, types, &pair[0]);
        both[0] = 0, both[1] = sizeof *m;
        MPI_Type_create_struct(k < 4 ? 0 : k - 3, lengths, places, types, &pair[1]);
        MPI_Type_create_struct(2, twice, both, pair, &part[k]);
        MPI_Type_commit(&part[k]);
        MPI_Type_free(&pair[0]);
        MPI_Type_free(&pair[1]);
    }
    for (int k = 0; k < 7; k++)
        if (rank == 0) {
            MPI_Send(m, k > 0, k > 0 ? part[k] : MPI_INT, 1, k, MPI_COMM_WORLD);
        } else {
            MPI_Recv(m, 2, mixed, 0, k, MPI_COMM_WORLD, &status);
            MPI_Get_elements(&status, mixed, &n);
            assert(n == k);
            MPI_Get_count(&status, mixed, &n);
            assert(n == counts[k]);
        }
    for (int k = 1; k < 7; k++)
        MPI_Type_free(&part[k]);
    MPI_Type_free(&mixed);
    MPI_Finalize();
    return 0;
}
