/* Classes, codes and texts of the program's own.
 * ranks: 1
 * class: environment
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int class, code, of, *last, flag, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Error_class(code, &of);
    assert(of == class && class > MPI_ERR_LASTCODE);
    MPI_Add_error_code(MPI_ERR_ARG, &code);
    MPI_Error_class(code, &of);
    assert(of == MPI_ERR_ARG);
    MPI_Error_string(code, text, &length);
    assert(length == 0 && !text[0]);
    MPI_Add_error_string(code, "an error");
    MPI_Error_string(code, text, &length);
    assert(length == 8 && !strcmp(text, "an error"));
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_LASTUSEDCODE, &last, &flag);
    assert(flag && *last == code);
    MPI_Finalize();
    return 0;
}
