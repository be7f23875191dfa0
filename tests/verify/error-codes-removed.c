/* Classes, codes and texts of the program's own are removed again: a text first, then codes, then their class. What is not there cannot
 * be removed.
 * ranks: 1
 * class: environment
 * expect: correct
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <assert.h>
#include <dlfcn.h>
/* The functions are there from MPI 4.1 on: the library that the program is compiled with need not have them. */
static int call(const char *name, int code)
{
    int (*function)(int) = (int (*)(int))dlsym(RTLD_DEFAULT, name);
    assert(function);
    return function(code);
}
static int remove_class(int class) { return call("MPI_Remove_error_class", class); }
static int remove_code(int code) { return call("MPI_Remove_error_code", code); }
static int remove_string(int code) { return call("MPI_Remove_error_string", code); }
int main(int argc, char **argv)
{
    int rank, size, class, code, length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Add_error_class(&class);
    MPI_Add_error_code(class, &code);
    MPI_Add_error_string(code, "an error");
    assert(remove_class(class) && remove_code(code) && remove_code(class));
    assert(!remove_string(code) && remove_string(code));
    MPI_Error_string(code, text, &length);
    assert(length == 0);
    assert(!remove_code(code) && remove_code(code));
    assert(!remove_class(class) && remove_class(class));
    assert(remove_class(MPI_ERR_ARG) && remove_code(MPI_ERR_ARG) && remove_string(MPI_ERR_ARG));
    MPI_Finalize();
    return 0;
}
