/* MPI_Waitall returns MPI_ERR_IN_STATUS, and each status says of which message. A call for one request leaves the field as it was.
 * ranks: 2
 * class: requests
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

int main(int argc, char **argv)
{
    int rank, x[2] = {1, 2}, y = 3, class, flag = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0) {
        for (int i = 0; i < 3; i++) {
            MPI_Send(x, 2, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Send(x, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
        }
    } else {
        MPI_Request r[2];
        MPI_Status s[2];
        for (int i = 0; i < 2; i++) {
            s[0].MPI_ERROR = s[1].MPI_ERROR = 77;
            MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r[0]);
            MPI_Irecv(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r[1]);
            if (i == 0)
                class = MPI_Waitall(2, r, s);
            else
                for (flag = 0; !flag;)
                    class = MPI_Testall(2, r, &flag, s);
            MPI_Error_class(class, &class);
            assert(class == MPI_ERR_IN_STATUS);
            MPI_Error_class(s[0].MPI_ERROR, &class);
            assert(class == MPI_ERR_TRUNCATE);
            assert(s[1].MPI_ERROR == MPI_SUCCESS);
        }
        s[0].MPI_ERROR = s[1].MPI_ERROR = 77;
        MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &r[0]);
        MPI_Irecv(&y, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, &r[1]);
        assert(MPI_Wait(&r[1], &s[1]) == MPI_SUCCESS && s[1].MPI_ERROR == 77);
        MPI_Error_class(MPI_Wait(&r[0], &s[0]), &class);
        assert(class == MPI_ERR_TRUNCATE && s[0].MPI_ERROR == 77);
        MPI_Wait(&r[0], &s[0]);
        assert(s[0].MPI_ERROR == MPI_SUCCESS);
    }
    MPI_Finalize();
    return 0;
}
