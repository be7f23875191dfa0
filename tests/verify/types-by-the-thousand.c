/* More datatypes at a time than a library keeps in its first table, on memory that was in use before: all bytes are packed. MPICH 4.0.2 packs
 * too few (docs/generated.md).
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES = 1100 };

int main(int argc, char **argv)
{
    static MPI_Datatype types[TYPES];
    int in[4] = {1, 2, 3, 4}, out[4], position, wrong = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 2; i++) {
        char *volatile used = malloc(500000);
        memset(used, 77, 500000);
        free(used);
    }
    for (int i = 0; i < TYPES; i++) {
        MPI_Type_contiguous(4, MPI_INT, &types[i]);
        MPI_Type_commit(&types[i]);
        position = 0;
        MPI_Pack(in, 1, types[i], out, sizeof out, &position, MPI_COMM_SELF);
        if (position != sizeof in && !wrong++)
            printf("type %d: %d of %zu bytes are packed\n", i, position, sizeof in);
    }
    for (int i = 0; i < TYPES; i++)
        MPI_Type_free(&types[i]);
    MPI_Finalize();
    return wrong > 0;
}
