/* The smallest program that shows whether launches of an MPI library work: every rank meets every other one. It says how many
 * ranks there are, what the library calls itself, and which shared objects it consists of. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static void files(void)
{
    char line[4096], last[4096] = "";
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        char *path = strchr(line, '/');
        if (!path || !strstr(path, ".so"))
            continue;
        path[strcspn(path, "\n")] = 0;
        if (strcmp(path, last))
            printf("litmpi file %s\n", path);
        strcpy(last, path);
    }
    if (maps)
        fclose(maps);
}

int main(int argc, char **argv)
{
    char name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, rank, size, one = 1, all = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_library_version(name, &length);
    name[strcspn(name, "\n")] = 0;
    MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("litmpi library %s\n", name);
        files();
        printf("litmpi ranks %d\n", all);
    }
    MPI_Finalize();
    return 0;
}
