/* Variables of every shape are what the datatypes say: members, rows, arrays whose length is an argument, complex numbers, pairs, and memory that has no type;
 * integers without a sign, and enumerations, are sent as integers of their size.
 * ranks: 2
 * class: datatypes
 * expect: correct
 * options: -O0
 */
#include <complex.h>
#include <mpi.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct particle { double mass; int kind; double place[3]; char name[8]; };
union either { int whole; float real; };

static double *everywhere;
static long counts[4] = {1, 2, 3, 4};
static int rank;

static void pass(void *buffer, int count, MPI_Datatype type)
{
    if (rank == 0)
        MPI_Send(buffer, count, type, 1, 0, MPI_COMM_WORLD);
    else
        MPI_Recv(buffer, count, type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void shapes(int n)
{
    double line[n], **rows = malloc(3 * sizeof *rows);
    struct particle one = {1, 2, {3, 4, 5}, "one"}, *many = calloc(4, sizeof *many);
    double complex waves[2] = {1, I};
    struct { double value; int place; } most = {2, 1};
    int pair[2] = {3, 4};
    enum { RED, GREEN } colour = GREEN;
    unsigned bits = 5;
    union either either = {.real = 1};
    void *raw = calloc(4, sizeof(int));
    const int lengths[] = {1, 1, 3, 8};
    const MPI_Aint places[] = {offsetof(struct particle, mass), offsetof(struct particle, kind), offsetof(struct particle, place),
        offsetof(struct particle, name)};
    const MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT, MPI_DOUBLE, MPI_CHAR};
    MPI_Datatype parts, particle;
    MPI_Type_create_struct(4, lengths, places, types, &parts);
    MPI_Type_create_resized(parts, 0, sizeof(struct particle), &particle);
    MPI_Type_commit(&particle);
    memset(line, 0, sizeof line);
    for (int i = 0; i < 3; i++)
        rows[i] = calloc(5, sizeof **rows);
    MPI_Bcast(line, n, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(rows[1], 5, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(everywhere, 6, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&counts[1], 2, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Bcast(many, 4, particle, 0, MPI_COMM_WORLD);
    MPI_Bcast(&one, 1, particle, 0, MPI_COMM_WORLD);
    MPI_Bcast(&one.place[1], 2, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&one, sizeof one, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Bcast(waves, 2, MPI_C_DOUBLE_COMPLEX, 0, MPI_COMM_WORLD);
    MPI_Bcast(waves, 4, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    MPI_Bcast(&most, 1, MPI_DOUBLE_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(pair, 1, MPI_2INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&colour, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&bits, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(&either, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Bcast(raw, 4, MPI_INT, 0, MPI_COMM_WORLD);
    pass(line, n, MPI_DOUBLE);
    pass(rows[2], 5, MPI_DOUBLE);
    MPI_Type_free(&parts);
    MPI_Type_free(&particle);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    everywhere = calloc(6, sizeof *everywhere);
    shapes(5);
    MPI_Finalize();
    return 0;
}
