/* A buffer that a receive fills as a whole is then filled in parts, and as a whole again; the process stores to all of it between.
 * ranks: 2
 * class: buffers
 * expect: correct
 */
#include <assert.h>
#include <mpi.h>
#include <string.h>

enum { ALL = 64 };

int main(int argc, char **argv) {
  int rank, numbers[ALL];
  MPI_Datatype parts;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Type_vector(2, 1, 4, MPI_INT, &parts);
  MPI_Type_commit(&parts);
  if (rank == 0) {
    for (int i = 0; i < ALL; i++) numbers[i] = i + 1;
    MPI_Send(numbers, ALL, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_Send(numbers, 1, parts, 1, 1, MPI_COMM_WORLD);
    MPI_Send(numbers, ALL, MPI_INT, 1, 2, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    memset(numbers, 0xff, sizeof numbers);
    MPI_Irecv(numbers, ALL, MPI_INT, 0, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    assert(numbers[0] == 1 && numbers[ALL - 1] == ALL);
    memset(numbers, 0xff, sizeof numbers);
    MPI_Recv(numbers, 1, parts, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(numbers[0] == 1 && numbers[1] == -1 && numbers[4] == 5);
    memset(numbers, 0, sizeof numbers);
    MPI_Recv(numbers, ALL, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    assert(numbers[0] == 1 && numbers[ALL - 1] == ALL);
  }
  MPI_Type_free(&parts);
  MPI_Finalize();
  return 0;
}
