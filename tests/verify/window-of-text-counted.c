/* Text is put into a window, and read by functions that count its characters, and by those that take a list of arguments.
 * ranks: 2
 * class: windows
 * expect: correct
 */
#include <mpi.h>
#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void print(char *to, size_t most, const char *format, ...)
{
    va_list all;
    va_start(all, format);
    vsnprintf(to, most, format, all);
    va_end(all);
}

static int scan(const char *from, const char *format, ...)
{
    va_list all;
    va_start(all, format);
    int n = vsscanf(from, format, all);
    va_end(all);
    return n;
}

int main(int argc, char **argv)
{
    int rank, size;
    char a[8] = {0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    /* Behind each barrier there is another text, at which one of the functions looks first. */
    static const char texts[][5] = {"12ab", "345a", "8", "91"};
    for (int way = 0; way < 4; way++) {
        if (rank == 1) {
            MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, w);
            MPI_Put(texts[way], 5, MPI_CHAR, 0, 0, 5, MPI_CHAR, w);
            MPI_Win_unlock(0, w);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            char line[20] = "";
            int number = 0;
            MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, w);
            if (way == 0)
                assert(strnlen(a, sizeof a) == 4);
            else if (way == 1)
                assert(strspn(a, "0123456789") == 3);
            else if (way == 2)
                print(line, sizeof line, "%s", a), assert(strcmp(line, "8") == 0);
            else
                assert(scan(a, "%d", &number) == 1 && number == 91);
            MPI_Win_unlock(0, w);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
