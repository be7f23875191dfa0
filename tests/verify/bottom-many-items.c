/* Several items of a datatype that holds an address begin at MPI_BOTTOM: each lies an extent behind the one before it.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

enum { MOST = 700 };

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int n = 7; n <= MOST; n *= 10) {
        int *all = malloc(3 * n * sizeof *all), one = 1;
        for (int i = 0; i < 3 * n; i++)
            all[i] = rank ? -1 : i;
        /* Two of three integers. */
        MPI_Aint at;
        MPI_Datatype some, there;
        MPI_Type_create_resized(MPI_2INT, 0, 3 * sizeof *all, &some);
        MPI_Get_address(all, &at);
        MPI_Type_create_struct(1, &one, &at, &some, &there);
        MPI_Type_commit(&there);
        if (rank == 0) {
            MPI_Send(MPI_BOTTOM, n, there, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(MPI_BOTTOM, n, there, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            for (int i = 0; i < 3 * n; i++)
                assert(all[i] == (i % 3 == 2 ? -1 : i));
        }
        MPI_Type_free(&some);
        MPI_Type_free(&there);
        free(all);
    }
    MPI_Finalize();
    return 0;
}
