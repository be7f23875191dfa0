/* Many puts and gets in an epoch of fences, and in one of start and post: whichever goes first, nobody sees it.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>

enum { MANY = 6 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, memory[2 * MANY] = {0}, from[MANY], into[MANY] = {0};
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Group world, other;
    int peer = 1 - rank;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &peer, &other);
    for (int i = 0; i < MANY; i++)
        from[i] = 100 * rank + i, memory[MANY + i] = 7 * rank + i;
    MPI_Win win;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < MANY; i++)
        MPI_Put(&from[i], 1, MPI_INT, peer, i, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    for (int i = 0; i < MANY; i++)
        if (memory[i] != 100 * peer + i)
            MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_post(other, 0, win);
    MPI_Win_start(other, 0, win);
    for (int i = 0; i < MANY; i++)
        MPI_Get(&into[i], 1, MPI_INT, peer, MANY + i, 1, MPI_INT, win);
    MPI_Win_complete(win);
    MPI_Win_wait(win);
    for (int i = 0; i < MANY; i++)
        if (into[i] != 7 * peer + i)
            MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Win_free(&win);
    MPI_Group_free(&other);
    MPI_Group_free(&world);
    MPI_Finalize();
    return 0;
}
