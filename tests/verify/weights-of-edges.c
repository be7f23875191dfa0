/* Each process is told the weights that it gave its edges.
 * ranks: 2
 * class: communicators and groups
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm c, d;
    int other = 1 - rank, in = 5 + other, out = 5 + rank, from = -1, to = -1, inw = 0, outw = 0, ins, outs, weighted = 0;
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &other, &in, 1, &other, &out, MPI_INFO_NULL, 0, &c);
    MPI_Comm_dup(c, &d);
    MPI_Dist_graph_neighbors_count(d, &ins, &outs, &weighted);
    assert(ins == 1 && outs == 1 && weighted);
    MPI_Dist_graph_neighbors(d, 1, &from, &inw, 1, &to, &outw);
    assert(from == other && to == other && inw == in && outw == out);
    MPI_Comm_free(&c);
    MPI_Comm_free(&d);
    MPI_Finalize();
    return 0;
}
