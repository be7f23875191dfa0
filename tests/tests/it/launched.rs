//! A test suite of MPI programs under the rules: what `litmpi mpi` puts in the place of launchers and compilers.

use crate::command::root;
use crate::support::{Said, here, litmpi_in};
use tempfile::TempDir;

/// Rank 1 says what it was given, and ends with that; with another datatype the message does not match.
const PROGRAM: &str = r#"#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, n = argc > 1 ? atoi(argv[1]) : 0;
    float x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send(&n, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(getenv("WRONG") ? (void *)&x : (void *)&n, 1, getenv("WRONG") ? MPI_FLOAT : MPI_INT, 0, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    if (rank == 1)
        printf("got %d\n", n);
    return rank == 1 ? n : 0;
}
"#;

/// A folder with the program, and what a command comes to there.
fn under(dir: &TempDir, command: &str) -> Said {
    std::fs::write(dir.path().join("program.c"), PROGRAM).expect("a program");
    litmpi_in(dir.path(), ["mpi", "--seed", "3", "--", "sh", "-c", command])
}

#[test]
fn a_suite_runs_on_litmpis_library_and_is_told_what_is_wrong() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let good = under(&dir, "mpicc -g -o program program.c && mpirun --oversubscribe -np 2 ./program");
    assert_eq!(good.exits(0).stdout, "got 0\n");
    good.says("sh launched 1 MPI program under the rules: 1 nothing found");
    // What the program ends with is its launcher's exit code, and no error of MPI.
    let code = under(&dir, "mpiexec -n 2 ./program 7; echo code $?");
    assert_eq!(code.exits(0).stdout, "got 7\ncode 7\n");
    let wrong = under(&dir, "mpiexec -n 2 -env WRONG 1 ./program; echo code $?; mpiexec -n 2 ./program");
    assert_eq!(wrong.exits(1).stdout, "code 1\ngot 0\n");
    wrong
        .says("2 MPI programs under the rules: 1 erroneous, 1 nothing found")
        .says("the datatypes of the send and of the receive differ");
    let again =
        wrong.stderr.lines().find_map(|l| l.trim().strip_prefix("again: ")).unwrap_or_else(|| panic!("{wrong}"));
    assert!(again.contains(" litmpi verify -n 2 --random 1 --seed ") && again.ends_with(" -- ./program"), "{again}");
}

#[test]
fn what_cannot_be_launched_is_told() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    under(&dir, "true").exits(4).says("sh launched 0 MPI programs");
    under(&dir, "exit 5").exits(5);
    under(&dir, "mpiexec --frobnicate ./program")
        .exits(2)
        .says("the option `--frobnicate` of a launcher is not known here");
    under(&dir, "mpiexec --version").says("HYDRA");
    under(&dir, "mpiexec -n 2 ./missing").exits(2).says("there is no program ./missing");
    litmpi_in(&root(), ["mpi", "--", "no-such-command"]).exits(2).says("no-such-command: No such file");
    litmpi_in(&root(), ["mpi", "-n", "3", "--", "true"]).exits(2).says("is for its launch to say");
    litmpi_in(&root(), ["verify", "--seed", "3", "--", "true"]).exits(2).says("a seed is for behaviours at random");
}

#[test]
fn options_that_launches_do_not_heed_are_refused() {
    let of_a_search = [&["--search", "full"][..], &["--jobs", "2"], &["--no-merge"]];
    for option in [&["--json"][..], &["--trace"], &["--observe", "stdout"]].into_iter().chain(of_a_search) {
        let args = ["mpi"].iter().chain(option).chain(&["--", "true"]).copied();
        let says = format!("`{}` is not for the launches of a command", option[0]);
        litmpi_in(&root(), args).exits(2).says(&says).says("litmpi verify");
    }
    for option in of_a_search {
        let args = ["verify", "--random", "3"].iter().chain(option).chain(&["--", "true"]).copied();
        litmpi_in(&root(), args).exits(2).says(&format!("`{}` is for a search", option[0])).says("`--random 3`");
    }
}
