/* The interface for tools has no variables, which a program must expect.
 * ranks: 1
 * class: environment
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stddef.h>

int main(int argc, char **argv)
{
    int provided, n = -1, at, error;
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle;
    assert(MPI_T_cvar_get_num(&n) == MPI_T_ERR_NOT_INITIALIZED);
    assert(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
    MPI_Init(&argc, &argv);
    assert(MPI_T_cvar_get_num(&n) == MPI_SUCCESS && n >= 0);
    assert(MPI_T_cvar_get_index("no such variable", &at) == MPI_T_ERR_INVALID_NAME);
    error = MPI_T_category_get_cvars(1000000, 1, &at);
    assert(error == MPI_T_ERR_INVALID_INDEX || error == MPI_T_ERR_INVALID_ITEM);
    assert(MPI_T_pvar_get_num(&n) == MPI_SUCCESS);
    assert(MPI_T_pvar_session_create(&session) == MPI_SUCCESS && session != MPI_T_PVAR_SESSION_NULL);
    assert(MPI_T_pvar_handle_alloc(session, 1000000, NULL, &handle, &at) == MPI_T_ERR_INVALID_INDEX);
    assert(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
    assert(MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL);
    MPI_Finalize();
    assert(MPI_T_finalize() == MPI_SUCCESS);
    assert(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
    return 0;
}
