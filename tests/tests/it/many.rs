//! Programs that do the same thing very often: operations of one epoch, and loops.

use crate::support::here;
use crate::verify::{verdict, verify, written};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// N operations of one epoch, one element each, and what else is done in it: THEN at their origin, OTHER at their target.
const EPOCH: &str = r#"#include <mpi.h>
#include <assert.h>
static int there[5000], here[5000], more[2];
int main(int argc, char **argv)
{
    int rank;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 5000; i++)
        here[i] = i + 1;
    MPI_Win_create(there, sizeof there, sizeof *there, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank == 0) {
        for (int i = 0; i < N; i++)
            CALL;
        THEN;
    } else {
        OTHER;
    }
    MPI_Win_fence(0, w);
    for (int i = 0; i < N; i++)
        CLAIM;
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
"#;

const PUT: &str = "MPI_Put(here + i, 1, MPI_INT, 1, i, 1, MPI_INT, w)";
const GET: &str = "MPI_Get(here + i, 1, MPI_INT, 1, i, 1, MPI_INT, w)";
const ADD: &str = "MPI_Accumulate(here + i, 1, MPI_INT, 1, i, 1, MPI_INT, MPI_SUM, w)";
const NOTHING: &str = "";

/// Such a program, compiled.
fn epoch(n: usize, call: &str, then: &str, other: &str, claim: &str, dir: &TempDir) -> PathBuf {
    let parts = [("CALL", call), ("THEN", then), ("OTHER", other), ("CLAIM", claim), ("N;", &format!("{n};"))];
    written(&parts.iter().fold(EPOCH.to_owned(), |text, (name, part)| text.replace(name, part)), dir)
}

fn said(program: &Path, how: &[&str]) -> (String, String) {
    let said = verify(program, &[how, &["--json"]].concat());
    let what = said.json()["findings"][0]["what"].as_str().unwrap_or_default().to_owned();
    (verdict(&said), what)
}

#[test]
fn operations_of_a_long_epoch_are_held_against_each_other_wherever_they_stand() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let one = "two operations of one process access a location";
    let two = "operations of two processes access a location";
    let cases = [
        (PUT, NOTHING, NOTHING, ""),
        (GET, NOTHING, NOTHING, ""),
        (ADD, NOTHING, NOTHING, ""),
        (PUT, "MPI_Put(here, 1, MPI_INT, 1, 5, 1, MPI_INT, w)", NOTHING, one),
        (PUT, "MPI_Get(more, 1, MPI_INT, 1, 5, 1, MPI_INT, w)", NOTHING, one),
        (GET, "MPI_Get(more, 1, MPI_INT, 1, 5, 1, MPI_INT, w)", NOTHING, ""),
        (GET, "MPI_Put(more, 1, MPI_INT, 1, 5, 1, MPI_INT, w)", NOTHING, one),
        (GET, "MPI_Get(here + 5, 1, MPI_INT, 1, 4999, 1, MPI_INT, w)", NOTHING, "the origin's buffer is in use"),
        (ADD, "MPI_Accumulate(more, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_SUM, w)", NOTHING, ""),
        (ADD, "MPI_Put(more, 1, MPI_INT, 1, 5, 1, MPI_INT, w)", NOTHING, one),
        // Another element of two, so that it stands in no row.
        (
            PUT,
            "MPI_Get(more, 2, MPI_INT, 1, 4900, 2, MPI_INT, w); MPI_Put(here, 1, MPI_INT, 1, 5, 1, MPI_INT, w)",
            NOTHING,
            one,
        ),
        (PUT, "here[5] = 77", NOTHING, "is written before the operation on the window is complete"),
        (PUT, NOTHING, "MPI_Put(here, 1, MPI_INT, 1, 5, 1, MPI_INT, w)", two),
        (GET, NOTHING, "MPI_Put(here, 1, MPI_INT, 1, 5, 1, MPI_INT, w)", two),
        (ADD, NOTHING, "MPI_Accumulate(more, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_PROD, w)", two),
        (ADD, NOTHING, "MPI_Accumulate(more, 1, MPI_INT, 1, 5, 1, MPI_INT, MPI_SUM, w)", ""),
    ];
    // Rows are of 64 operations: within one, across two, and across those that are joined.
    for n in [6, 70, 200] {
        // What may go in any order is not followed in every order of many, nor is all that is wrong.
        let is_many = |call: &str, other: &str| n > 6 && other.contains("PROD") || n > 70 && call != PUT;
        for (call, then, other, wanted) in cases.iter().filter(|(call, _, other, _)| !is_many(call, other)) {
            let program = epoch(n, call, then, other, NOTHING, &dir);
            for how in [&[][..], &["--random", "3"]] {
                let (verdict, what) = said(&program, how);
                let is_right = if wanted.is_empty() {
                    ["correct", "nothing found"].contains(&verdict.as_str())
                } else {
                    verdict == "erroneous" && what.contains(wanted)
                };
                assert!(is_right, "{n} of {call}; {then}; {other}: {how:?}: {verdict}: {what}");
            }
        }
    }
}

#[test]
fn thousands_of_operations_in_an_epoch_are_followed() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let put = "assert(rank == 0 || there[i] == i + 1)";
    for (call, claim) in [(PUT, put), (ADD, put), (GET, "assert(rank || here[i] == 0)")] {
        let program = epoch(2000, call, NOTHING, NOTHING, claim, &dir);
        verify(&program, &["--random", "1", "--max-seconds", "100"]).exits(0).says("nothing found");
    }
    // One state a call and one an operation, not one for each order of them.
    let program = epoch(300, ADD, NOTHING, NOTHING, put, &dir);
    let said = verify(&program, &["--max-seconds", "100", "--json"]);
    assert_eq!(verdict(&said), "correct", "{said}");
    assert!(said.json()["states"].as_u64().expect("a number") < 1000, "{said}");
}

/// Accumulates of two origins: what may come of them is told, whether or not sums may go in any order.
const MET: &str = r#"#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, there[2] = {1, 1}, found[2] = {0, 0};
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int own[2] = {rank + 2, rank + 4};
    MPI_Win_create(there, sizeof there, sizeof *there, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank)
        CALL;
    MPI_Win_fence(0, w);
    if (rank == 0)
        printf("%d %d\n", there[0], there[1]);
    else if (found[0])
        printf("%d %d\n", found[0], found[1]);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn accumulates_of_two_origins_come_to_all_that_they_may() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let each = |op: &str| {
        let one = |k: usize| format!("MPI_Accumulate(own + {k}, 1, MPI_INT, 0, {k}, 1, MPI_INT, {op}, w)");
        format!("{{ {}; {}; }}", one(0), one(1))
    };
    let fetched = "{ for (int k = 0; k < 2; k++) MPI_Fetch_and_op(own + k, found + k, MPI_INT, 0, k, MPI_SUM, w); }";
    for (call, wanted) in [(each("MPI_SUM"), 1), (each("MPI_REPLACE"), 4), (fetched.to_owned(), 4)] {
        let program = written(&MET.replace("CALL", &call), &dir);
        for how in [&[][..], &["--search", "full"]] {
            let said = verify(&program, &[&["-n", "3", "--observe", "stdout", "--json"], how].concat());
            let ends = said.json()["ends"].as_array().map_or(0, Vec::len);
            assert_eq!(ends, wanted, "{call}: {how:?}: {said}");
        }
    }
}
