//! Real MPI programs under the rules that go beyond what is reckoned with, or what may be kept.

use crate::command::{binary, root, stderr, stdout};
use crate::support::{here, litmpi_in};
use crate::verify::{around, verify, written};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

#[test]
fn numbers_of_62_bits_are_reckoned_with_or_refused() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let declared = "int x = 0; MPI_Count far = (MPI_Count)1 << 62;";
    let program = |calls: &str| written(&around(declared, calls, "0"), &dir);
    let sent = program("MPI_Send_c(&x, far, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);");
    verify(&sent, &["-n", "1"]).exits(1).says("a buffer has fewer elements than count");
    let packed = program("MPI_Pack_size_c(far, MPI_INT, MPI_COMM_WORLD, &far);");
    verify(&packed, &["-n", "1"]).exits(3).says("a buffer of 4611686018427387904 elements");
    let put = program(
        "MPI_Win w; MPI_Win_create(&x, 4, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w); MPI_Win_fence(0, w);\n\
         MPI_Put(&x, 1, MPI_INT, 0, far, 1, MPI_INT, w); MPI_Win_fence(0, w); MPI_Win_free(&w);",
    );
    verify(&put, &["-n", "1"]).exits(1).says("the target is not within the window");
}

/// The list of what is pending grows with every call, so that the values of a thousand states take more than those of all others together.
#[test]
fn a_program_that_begins_more_and_more_ends_at_the_bound_of_memory() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let text = "#include <mpi.h>\nint main(int argc, char **argv) {\n  MPI_Init(&argc, &argv);\n  static int x;\n  \
                for (;;) { MPI_Request r; MPI_Isend(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &r); }\n}\n";
    let program = written(text, &dir);
    // The bound, what the rules and their analysis take, and as much again; without the bound it takes whatever there is.
    let limited = "ulimit -v 2000000; exec \"$0\" verify -n 1 --max-memory 50 \"$@\"";
    for how in [&[][..], &["--random", "2"]] {
        let mut command = Command::new("sh");
        let done = command.args(["-c", limited]).arg(binary()).args(how).arg("--").arg(&program).output().expect("sh");
        let (out, err) = (stdout(&done), stderr(&done));
        assert_eq!(done.status.code(), Some(3), "{out}{err}");
        assert!(out.contains("bound reached: 50 MiB of memory for states"), "{out}{err}");
    }
}

/// A master and two workers, with so many tasks.
fn master(tasks: usize, dir: &TempDir) -> std::path::PathBuf {
    let text = std::fs::read_to_string(root().join("tests/verify/master-and-tasks.c")).expect("a program");
    written(&text.replace("TASKS 6", &format!("TASKS {tasks}")), dir)
}

/// Who has answered how often is in nobody's memory, so that the orders of answers, of which there are twice as many with each task, make few states.
#[test]
fn what_ranks_have_forgotten_makes_no_states() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = master(8, &dir);
    let states = |more: &[&str]| {
        let said = verify(&program, &[&["-n", "3", "--json"], more].concat());
        said.exits(0);
        said.json()["states"].as_u64().expect("a number")
    };
    let (merged, apart) = (states(&[]), states(&["--no-merge"]));
    assert!(2 * merged < apart, "{merged} of {apart}");
}

#[test]
fn behind_a_bound_some_behaviours_are_followed_at_random() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let good = verify(&master(8, &dir), &["-n", "3", "--max-states", "100"]);
    good.exits(3).says("not all behaviours: beside the search 100 behaviours at random, seed 0: nothing found");
    good.says("undecided: some behaviours");
    // What is told is of all searches: the last one had no more states than the bound.
    let json = verify(&master(8, &dir), &["-n", "3", "--max-states", "100", "--json"]).json();
    assert!(json["looked_at"].as_u64() >= json["states"].as_u64() && json["beside"]["behaviours"] == 100, "{json}");
    // The search does not come to the end of the program, where a message is waited for that nobody sends.
    let text = std::fs::read_to_string(root().join("tests/verify/master-and-tasks.c")).expect("a program");
    let wait = "    if (rank == 0)\n        MPI_Recv(&size, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);\n    MPI_Finalize();";
    let bad = written(&text.replace("    MPI_Finalize();", wait), &dir);
    let kept = dir.path().join("behaviour");
    let kept = kept.to_str().expect("UTF-8");
    let found = verify(&bad, &["-n", "3", "--max-states", "50", "--save", kept]);
    found.exits(1).says("deadlock:").says("1 behaviour at random, seed 0: the last one is told above");
    litmpi_in(dir.path(), ["verify", "--replay", kept]).exits(1).says("deadlock:");
}

#[test]
fn who_interrupts_a_search_is_told_how_far_it_was() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = master(14, &dir);
    let mut command = Command::new(binary());
    command.args(["verify", "-n", "4", "--"]).arg(&program).stdout(Stdio::piped());
    let child = command.spawn().expect("litmpi");
    std::thread::sleep(Duration::from_secs(3));
    let pid = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill").success());
    let done = child.wait_with_output().expect("its output");
    let out = stdout(&done);
    assert_eq!(done.status.code(), Some(130), "{out}");
    assert!(
        out.contains("bound reached: it was interrupted") && out.contains("undecided: some behaviours of 4 ranks"),
        "{out}"
    );
}
