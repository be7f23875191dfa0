/* Blocks of memory that grow, come again where others were, and are aligned; members and rows; a datatype over two variables.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <assert.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int head, body[6], tail;
} record;
static double one = 1, two = 2;

static void pass(void *at, int count, MPI_Datatype type, int rank)
{
    if (rank == 0)
        MPI_Send(at, count, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(at, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Datatype both;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    char *block = malloc(10);
    pass(block, 10, MPI_CHAR, rank);
    block = realloc(block, 4000);
    pass(block + 3000, 1000, MPI_CHAR, rank);
    block = realloc(block, 20);
    pass(block, 20, MPI_CHAR, rank);
    free(block);
    for (int i = 1; i < 200; i++) {
        char *again = calloc((size_t)i, 3);
        if (i % 50 == 0)
            pass(again, 3 * i, MPI_CHAR, rank);
        free(again);
    }
    char *text = strdup("sixteen letters."), *large = malloc(1 << 20);
    pass(text, 17, MPI_CHAR, rank);
    pass(large + (1 << 19), 100, MPI_CHAR, rank);
    void *aligned = aligned_alloc(64, 128), *placed;
    assert(!posix_memalign(&placed, 4096, 100));
    pass(aligned, 16, MPI_DOUBLE, rank);
    pass(placed, 25, MPI_INT, rank);
    pass(record.body, 6, MPI_INT, rank);
    pass(&record, sizeof record / sizeof(int), MPI_INT, rank);
    MPI_Aint at[2] = {0, (char *)&two - (char *)&one};
    MPI_Type_create_hindexed(2, (int[]){1, 1}, at, MPI_DOUBLE, &both);
    MPI_Type_commit(&both);
    pass(&one, 1, both, rank);
    MPI_Type_free(&both);
    free(text), free(large), free(aligned), free(placed);
    MPI_Finalize();
    return 0;
}
