/* MPI_LB and MPI_UB, which old programs use, say where an item of a structure begins and ends.
 * ranks: 2
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, lengths[] = {1, 1, 1}, in[8] = {0}, wrong = 0;
    MPI_Aint places[] = {-4, 0, 12}, lower, extent;
    MPI_Datatype types[] = {MPI_LB, MPI_INT, MPI_UB}, every;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Type_create_struct(3, lengths, places, types, &every);
    MPI_Type_commit(&every);
    MPI_Type_get_extent(every, &lower, &extent);
    MPI_Type_size(every, &size);
    wrong += lower != -4 || extent != 16 || size != 4;
    if (rank == 0) {
        int out[8] = {1, 0, 0, 0, 5};
        MPI_Send(out, 2, every, 1, 0, MPI_COMM_WORLD);
    } else {
        MPI_Recv(in, 2, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong += in[0] != 1 || in[1] != 5;
    }
    if (wrong)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Type_free(&every);
    MPI_Finalize();
    return 0;
}
