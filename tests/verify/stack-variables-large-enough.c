/* Buffers within members, rows, blocks, arrays of a length that the run says, literals and variables of the caller.
 * ranks: 2
 * class: buffers
 * expect: correct
 * options: -O0
 */
#include <alloca.h>
#include <mpi.h>
#include <string.h>

struct record {
    int head[2], rows[3][4];
    double tail;
};
union either {
    int few[2], many[6];
};

static void pass(int rank, void *buffer, int n, MPI_Datatype type)
{
    char mine[24] = {0};
    if (rank == 0)
        MPI_Send(buffer, n, type, 1, mine[3], MPI_COMM_WORLD);
    else
        MPI_Recv(buffer, n, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void twice(int rank, int n)
{
    int numbers[n], *more = alloca(5 * sizeof *more);
    memset(numbers, 0, sizeof numbers);
    memset(more, 0, 5 * sizeof *more);
    pass(rank, numbers, n, MPI_INT);
    pass(rank, more, 5, MPI_INT);
}

static void by_value(int rank, struct record record, double x)
{
    pass(rank, &record, 14, MPI_INT);
    pass(rank, &x, 1, MPI_DOUBLE);
}

int main(int argc, char **argv)
{
    int rank, size, counts[2] = {1, 1}, places[2] = {0, 1}, all[2];
    struct record record = {{0}, {{0}}, 0};
    union either either = {.many = {0}};
    MPI_Request requests[2];
    MPI_Status statuses[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    pass(rank, record.head, 14, MPI_INT);
    pass(rank, record.rows[1], 8, MPI_INT);
    pass(rank, either.few, 6, MPI_INT);
    pass(rank, argv[0], 1, MPI_CHAR);
    for (int i = 1; i < 3; i++) {
        if (i == 1) {
            int here[3] = {1, 2, i};
            pass(rank, here, 3, MPI_INT);
        } else {
            int there[40] = {0};
            pass(rank, there + 30, 10, MPI_INT);
            pass(rank, (int[12]){rank}, 12, MPI_INT);
        }
    }
    twice(rank, 9 + size);
    by_value(rank, record, 1.5);
    MPI_Allgatherv(&rank, 1, MPI_INT, all, counts, places, MPI_INT, MPI_COMM_WORLD);
    MPI_Irecv(all, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, requests);
    MPI_Isend(&size, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, requests + 1);
    MPI_Waitall(2, requests, statuses);
    MPI_Finalize();
    return 0;
}
