/* Reductions of floating, complex, wide and narrow types, and of pairs; every rank checks what it gets.
 * ranks: 3
 * class: collectives
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <complex.h>
#include <stdint.h>

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);

    double d = 0.5 + rank, sum = 0;
    MPI_Allreduce(&d, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    assert(sum == 4.5);

    float f[2] = {1.5f * (float)rank, -1.0f}, most[2];
    MPI_Allreduce(f, most, 2, MPI_FLOAT, MPI_MAX, MPI_COMM_WORLD);
    assert(most[0] == 3.0f && most[1] == -1.0f);

    long long wide = 1LL << (20 * rank), all = 0;
    MPI_Allreduce(&wide, &all, 1, MPI_LONG_LONG, MPI_BOR, MPI_COMM_WORLD);
    assert(all == (1LL | 1LL << 20 | 1LL << 40));

    unsigned char narrow = (unsigned char)(100 + rank), wrapped = 0;
    MPI_Allreduce(&narrow, &wrapped, 1, MPI_UNSIGNED_CHAR, MPI_SUM, MPI_COMM_WORLD);
    assert(wrapped == (unsigned char)303);

    int8_t least = (int8_t)(rank - 1), lowest = 5;
    MPI_Allreduce(&least, &lowest, 1, MPI_INT8_T, MPI_MIN, MPI_COMM_WORLD);
    assert(lowest == -1);

    double complex c = rank == 0 ? 1.0 : I, product = 0;
    MPI_Allreduce(&c, &product, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD);
    assert(creal(product) == -1.0 && cimag(product) == 0.0);

    struct {
        double value;
        int rank;
    } mine = {rank == 1 ? 7.25 : 0.5, rank}, where = {0, 0};
    MPI_Allreduce(&mine, &where, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    assert(where.value == 7.25 && where.rank == 1);
    MPI_Allreduce(&mine, &where, 1, MPI_DOUBLE_INT, MPI_MINLOC, MPI_COMM_WORLD);
    assert(where.value == 0.5 && where.rank == 0);

    int yes = rank == 1, only = 0;
    MPI_Allreduce(&yes, &only, 1, MPI_INT, MPI_LXOR, MPI_COMM_WORLD);
    assert(only == 1);

    double upto = 0, mean[2] = {1.0, 2.0}, part = 0;
    MPI_Scan(&d, &upto, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    assert(upto == (rank == 0 ? 0.5 : rank == 1 ? 2.0 : 4.5));
    MPI_Reduce(&mean[0], &part, 1, MPI_DOUBLE, MPI_PROD, 2, MPI_COMM_WORLD);
    assert(rank != 2 || part == 1.0);
    MPI_Finalize();
    return 0;
}
