/* A program asks for errors and passes wrong arguments to calls of many kinds: each returns the class of what is wrong (Table 9.1).
 * ranks: 2
 * class: environment
 * variant: checked
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>

static int wanted;
static void is(int class, int err)
{
    int of;
    MPI_Error_class(err, &of);
    assert(of == class);
    wanted++;
}

int main(int argc, char **argv)
{
    int rank, x = 0, y = 0, ranks[2] = {0, 7}, negative[1] = {-1}, place[1] = {0}, flag;
    double a = 0, b = 0;
    MPI_Datatype type, none = MPI_DATATYPE_NULL;
    MPI_Group group, part;
    MPI_Comm comm;
    MPI_Op op = MPI_SUM;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);

    is(MPI_ERR_COMM, MPI_Comm_rank(MPI_COMM_NULL, &y));
    is(MPI_ERR_COMM, MPI_Barrier(MPI_COMM_NULL));
    is(MPI_ERR_COMM, MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_NULL));
    is(MPI_ERR_COMM, MPI_Comm_dup(MPI_COMM_NULL, &comm));
    is(MPI_ERR_ROOT, MPI_Bcast(&x, 1, MPI_INT, 5, MPI_COMM_WORLD));
    is(MPI_ERR_RANK, MPI_Probe(9, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    is(MPI_ERR_TAG, MPI_Iprobe(0, -7, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    is(MPI_ERR_TYPE, MPI_Type_commit(&none));
    is(MPI_ERR_TYPE, MPI_Type_contiguous(2, MPI_DATATYPE_NULL, &type));
    is(MPI_ERR_COUNT, MPI_Type_contiguous(-2, MPI_INT, &type));
    is(MPI_ERR_COUNT, MPI_Type_vector(-1, 1, 1, MPI_INT, &type));
    is(MPI_ERR_OP, MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_BAND, MPI_COMM_WORLD));
    is(MPI_ERR_OP, MPI_Op_free(&op));
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    is(MPI_ERR_RANK, MPI_Group_incl(group, 2, ranks, &part));
    is(MPI_ERR_GROUP, MPI_Group_size(MPI_GROUP_NULL, &y));
    is(MPI_ERR_REQUEST, MPI_Start(&request));
    is(MPI_ERR_DIMS, MPI_Dims_create(2, 1, negative));
    is(MPI_ERR_TOPOLOGY, MPI_Cart_coords(MPI_COMM_WORLD, 0, 1, place));

    /* All goes on as if none of them had been called. */
    MPI_Allreduce(&wanted, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    assert(y == 2 * wanted);
    MPI_Group_free(&group);
    MPI_Finalize();
    return 0;
}
