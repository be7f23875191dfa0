//! Real MPI programs under the rules that go beyond what is reckoned with, or what may be kept.

use crate::command::{binary, stderr, stdout};
use crate::support::here;
use crate::verify::{around, verify, written};
use std::process::Command;
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
    verify(&sent, &["-n", "1"]).exits(1).says("the send buffer has fewer elements than count");
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
