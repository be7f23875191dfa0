/* What may be asked before MPI_Init and behind MPI_Finalize.
 * ranks: 2
 * class: environment
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <string.h>

int main(int argc, char **argv)
{
    int yes = 1, version, part, length;
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Initialized(&yes);
    assert(!yes);
    MPI_Get_version(&version, &part);
    assert(version >= 3);
    MPI_Init(&argc, &argv);
    MPI_Initialized(&yes);
    assert(yes);
    MPI_Finalized(&yes);
    assert(!yes);
    MPI_Get_processor_name(text, &length);
    assert((int)strlen(text) == length);
    MPI_Finalize();
    MPI_Finalized(&yes);
    assert(yes);
    return 0;
}
