/* Graphs and grids whose lists are longer, or shorter, than there are processes.
 * ranks: 3
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    /* A star around rank 0, known to all; then the same, named by those at its ends. */
    int index[3] = {2, 3, 4}, edges[4] = {1, 2, 0, 0}, found[3];
    MPI_Comm star;
    MPI_Graph_create(MPI_COMM_WORLD, 3, index, edges, 0, &star);
    MPI_Graph_neighbors_count(star, rank, &n);
    assert(n == (rank == 0 ? 2 : 1));
    MPI_Graph_neighbors(star, rank, 3, found);
    assert(found[0] == (rank == 0 ? 1 : 0));
    MPI_Comm_free(&star);

    int all[2] = {1, 2}, middle[1] = {0};
    if (rank == 0)
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, all, MPI_UNWEIGHTED, 0, all, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
    else
        MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, middle, MPI_UNWEIGHTED, 1, middle, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
    int ins, outs, weighted;
    MPI_Dist_graph_neighbors_count(star, &ins, &outs, &weighted);
    assert(ins == (rank == 0 ? 2 : 0) && outs == (rank == 0 ? 0 : 1));
    MPI_Comm_free(&star);

    /* One process names all edges. */
    int sources[2] = {1, 0}, degrees[2] = {1, 2}, destinations[3] = {0, 1, 2};
    MPI_Dist_graph_create(MPI_COMM_WORLD, rank == 2 ? 2 : 0, sources, degrees, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &star);
    MPI_Dist_graph_neighbors_count(star, &ins, &outs, &weighted);
    assert(ins == 1 && outs == (rank == 0 ? 2 : rank == 1 ? 1 : 0));
    MPI_Comm_free(&star);

    /* Places in a grid have as many coordinates as the grid has dimensions. */
    int sizes[2] = {3, 1}, round[2] = {1, 0}, at[2], keep[2] = {1, 0}, grid[3], periods[3], here[3];
    MPI_Comm cart, row;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, round, 0, &cart);
    MPI_Cart_coords(cart, rank, 2, at);
    assert(at[0] == rank && at[1] == 0);
    at[0] += 3;
    MPI_Cart_rank(cart, at, &n);
    assert(n == rank);
    MPI_Cart_get(cart, 3, grid, periods, here);
    assert(grid[0] == 3 && periods[0] == 1 && periods[1] == 0 && here[0] == rank);
    MPI_Cart_sub(cart, keep, &row);
    MPI_Comm_rank(row, &n);
    assert(n == rank);
    MPI_Comm_free(&row);
    MPI_Comm_free(&cart);
    MPI_Finalize();
    return 0;
}
