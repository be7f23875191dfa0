/* The size of a datatype of twenty thousand elements in forty rows.
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int size;
    MPI_Datatype row, rows;
    MPI_Init(&argc, &argv);
    MPI_Type_vector(500, 1, 2, MPI_INT, &row);
    MPI_Type_create_hvector(40, 1, 10000, row, &rows);
    MPI_Type_size(rows, &size);
    if (size != 40 * 500 * (int)sizeof(int))
        abort();
    MPI_Type_free(&row);
    MPI_Type_free(&rows);
    MPI_Finalize();
    return 0;
}
