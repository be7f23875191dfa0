/* What a program puts into a status it finds there; hints and parents there are none.
 * ranks: 1
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int x, flag, keys;
    MPI_Status status;
    MPI_Info info;
    MPI_Comm parent;
    MPI_Init(&argc, &argv);
    MPI_Recv(&x, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status);
    MPI_Status_set_cancelled(&status, 1);
    MPI_Test_cancelled(&status, &flag);
    assert(flag);
    MPI_Status_set_cancelled(&status, 0);
    MPI_Test_cancelled(&status, &flag);
    assert(!flag);
    /* A count has 63 bits. */
    MPI_Count elements, large = 0x7654321f71234567;
    MPI_Status_set_elements_x(&status, MPI_BYTE, large);
    MPI_Get_elements_x(&status, MPI_BYTE, &elements);
    assert(elements == large);
    MPI_Comm_get_info(MPI_COMM_WORLD, &info);
    MPI_Info_get_nkeys(info, &keys);
    assert(keys == 0);
    MPI_Info_free(&info);
    MPI_Comm_get_parent(&parent);
    assert(parent == MPI_COMM_NULL);
    MPI_Finalize();
    return 0;
}
