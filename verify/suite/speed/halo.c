/* Each rank of a grid of three by three exchanges its borders with its neighbours, twice. */
#include <mpi.h>

enum { N = 4 };

int main(int argc, char **argv)
{
    int dims[] = {3, 3}, periods[] = {1, 1}, up, down, left, right;
    double out[4][N], in[4][N];
    MPI_Comm grid;
    MPI_Init(&argc, &argv);
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &up, &down);
    MPI_Cart_shift(grid, 1, 1, &left, &right);
    int to[] = {up, down, left, right}, from[] = {down, up, right, left};
    for (int turn = 0; turn < 2; turn++) {
        MPI_Request requests[8];
        for (int i = 0; i < 4; i++)
            MPI_Irecv(in[i], N, MPI_DOUBLE, from[i], i, grid, &requests[i]);
        for (int i = 0; i < 4; i++) {
            for (int k = 0; k < N; k++)
                out[i][k] = turn + k;
            MPI_Isend(out[i], N, MPI_DOUBLE, to[i], i, grid, &requests[4 + i]);
        }
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 4; i++)
            if (in[i][N - 1] != turn + N - 1)
                MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
