/* One rank gives all edges of a ring, with weights; each rank is told of its own.
 * ranks: 3
 * class: communicators and groups
 * expect: correct
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, size, ins, outs, weighted, from[2], to[2], in[2], out[2];
    int sources[3], degrees[3], destinations[3], weights[3];
    MPI_Comm ring;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < size; i++)
        sources[i] = i, degrees[i] = 1, destinations[i] = (i + 1) % size, weights[i] = 10 + i;
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 1 ? size : 0, sources, degrees, destinations, rank == 1 ? weights : MPI_WEIGHTS_EMPTY,
                          MPI_INFO_NULL, 0, &ring);
    MPI_Dist_graph_neighbors_count(ring, &ins, &outs, &weighted);
    MPI_Dist_graph_neighbors(ring, ins, from, in, outs, to, out);
    if (ins != 1 || outs != 1 || !weighted || in[0] != 10 + from[0] || out[0] != 10 + rank)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Comm_free(&ring);
    MPI_Finalize();
    return 0;
}
