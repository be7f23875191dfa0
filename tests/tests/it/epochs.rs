//! Epochs with many operations on windows: how many states they have.

use crate::support::here;
use crate::verify::{verdict, verify, written};
use tempfile::TempDir;

/// Puts, accumulates and gets of each rank in an epoch, whose beginning and end are put in.
const EPOCH: &str = r#"
#include <mpi.h>
#include <stdlib.h>
enum { N = 10 };
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    int rank, size;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    int *memory = calloc(4 * N, sizeof(int));
    MPI_Win win;
    MPI_Group world, targets, origins;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 1, &to, &targets);
    MPI_Group_incl(world, 1, &from, &origins);
    MPI_Win_create(memory, 2 * N * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    BEGIN
    for (int i = 0; i < N; i++) {
        OPERATION
    }
    END
    MPI_Win_free(&win);
    MPI_Group_free(&world);
    MPI_Group_free(&targets);
    MPI_Group_free(&origins);
    MPI_Finalize();
    return 0;
}
"#;

const PUT: &str = "MPI_Put(memory + 2 * N + i, 1, MPI_INT, to, i, 1, MPI_INT, win);";
const PUT_AND_GET: &str = "MPI_Put(memory + 2 * N + i, 1, MPI_INT, to, i, 1, MPI_INT, win);
    MPI_Get(memory + 3 * N + i, 1, MPI_INT, to, N + i, 1, MPI_INT, win);";
const ADD: &str = "MPI_Accumulate(memory + 2 * N + i, 1, MPI_INT, to, i, 1, MPI_INT, MPI_SUM, win);";
const FENCES: (&str, &str) = ("MPI_Win_fence(0, win);", "MPI_Win_fence(0, win);");
const LOCKS: (&str, &str) = ("MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win);", "MPI_Win_unlock(to, win);");
const POSTS: (&str, &str) =
    ("MPI_Win_post(origins, 0, win); MPI_Win_start(targets, 0, win);", "MPI_Win_complete(win); MPI_Win_wait(win);");

/// Epochs, operations, ranks, and the most states. Before calls and accesses commuted, 2 ranks had 90,000 with 8 puts and 8 gets between two
/// fences, and 3 ranks did not come to an end with 6 puts under a lock.
const ROWS: [((&str, &str), &str, &str, u64); 5] = [
    (FENCES, PUT_AND_GET, "2", 300),
    (FENCES, PUT_AND_GET, "4", 3000),
    (FENCES, ADD, "3", 500),
    (LOCKS, PUT, "2", 3000),
    (POSTS, PUT, "2", 10_000),
];

#[test]
fn operations_of_an_epoch_are_not_interleaved_with_the_calls_that_start_others() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    for ((begin, end), operation, ranks, most) in ROWS {
        let dir = TempDir::new().expect("a folder");
        let text = EPOCH.replace("BEGIN", begin).replace("END", end).replace("OPERATION", operation);
        let said = verify(&written(&text, &dir), &["-n", ranks, "--json"]);
        assert_eq!(verdict(&said), "correct", "{said}");
        let states = said.json()["states"].as_u64().expect("a number");
        assert!(states < most, "{ranks} ranks, {begin} {operation}: {states} states, and {most} at most were to come");
    }
}
