/* What a program gives and no rule speaks of comes back as it was: an error code without a class of the rules. MPI_INFO_ENV is there.
 * ranks: 1
 * class: datatypes
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int class, keys;
    MPI_Info copy;
    MPI_Init(&argc, &argv);
    MPI_Error_class(MPI_ERR_INTERN, &class);
    assert(class == MPI_ERR_INTERN);
    MPI_Error_class(MPI_ERR_TRUNCATE, &class);
    assert(class == MPI_ERR_TRUNCATE);
    MPI_Info_dup(MPI_INFO_ENV, &copy);
    MPI_Info_get_nkeys(copy, &keys);
    assert(keys == 0);
    MPI_Info_set(copy, "own", "yes");
    MPI_Info_free(&copy);
    MPI_Info_get_nkeys(MPI_INFO_ENV, &keys);
    assert(keys == 0);
    MPI_Finalize();
    return 0;
}
