
static int is_allowed(const int *all)
{
    for (int o = 0; o < OUTCOMES; o++) {
        int same = 1;
        for (int i = 0; i < SEEN; i++)
            same &= allowed[o][i] == all[i];
        if (same)
            return 1;
    }
    return ERRONEOUS;
}

/* Prints an outcome when it comes for the first time, and says whether it may come. */
static int judge(const int *all)
{
    static int known[64][SEEN], count;
    for (int k = 0; k < count; k++)
        if (!memcmp(known[k], all, sizeof known[k]))
            return 1;
    int good = is_allowed(all);
    printf("%s, turn %d:", good ? "allowed" : "NOT ALLOWED", turn);
    for (int i = 0; i < SEEN; i++)
        if (all[i] == CORRUPT)
            printf(" %s=corrupt;", name[i]);
        else
            printf(" %s=%d;", name[i], all[i]);
    printf("\n");
    fflush(stdout);
    if (good && count < 64)
        memcpy(known[count++], all, sizeof known[0]);
    return good;
}

static void hangs(int number)
{
    char text[120];
    int length = snprintf(text, sizeof text, "%s: rank %d hangs in turn %d, behind line %d\n",
                          MAY_DEADLOCK ? "allowed" : "NOT ALLOWED", rank, turn, line);
    (void)number;
    if (write(1, text, (size_t)length) < 0)
        _exit(3);
    signal(SIGALRM, SIG_DFL);
    alarm(5);
    give_up(!MAY_DEADLOCK);
    _exit(!MAY_DEADLOCK);
}

int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : TURNS, size, bad = 0;
    MPI_Init(&argc, &argv);
    PMPI_Comm_size(MPI_COMM_WORLD, &size);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (size != RANKS) {
        fprintf(stderr, "this program needs %d ranks, not %d\n", RANKS, size);
        MPI_Finalize();
        return 2;
    }
    PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    signal(SIGALRM, hangs);
    srand((unsigned)rank);
    BUFFER
    /* What is between the turns goes by PMPI, which a tool before the library does not see. */
    for (turn = 1; turn <= turns && !bad; turn++) {
        int all[SEEN], left = 1;
        for (int i = 0; i < SEEN; i++)
            seen[i] = NOBODY;
        alarm(10);
        PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
        PMPI_Barrier(MPI_COMM_WORLD);
        if (rand() % 2)
            usleep((unsigned)rand() % 50);
        bodies[rank]();
        PMPI_Reduce(seen, all, SEEN, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
        if (rank == 0)
            bad = !judge(all);
        PMPI_Bcast(&bad, 1, MPI_INT, 0, MPI_COMM_WORLD);
        while (left) { /* messages that nobody has received */
            MPI_Message message;
            MPI_Status status;
            int bytes;
            PMPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &left, &message, &status);
            if (left) {
                PMPI_Get_count(&status, MPI_BYTE, &bytes);
                void *into = malloc((size_t)bytes + 1);
                PMPI_Mrecv(into, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
                free(into);
            }
        }
        PMPI_Comm_free(&comm);
    }
    if (rank == 0 && !bad)
        printf("%d turns, all allowed\n", turns);
    fflush(stdout);
    MPI_Finalize();
    return bad;
}
