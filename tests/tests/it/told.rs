//! What is told of programs as they are written by others: of libraries, of loops that poll, of messages that nobody receives.

use crate::command::{binary, root};
use crate::support::{Said, here, litmpi_in, litmpi_with};
use crate::verify::{verdict, written};
use std::fs::File;
use std::process::{Command, Stdio};
use tempfile::TempDir;

fn verify(text: &str, more: &[&str]) -> Option<Said> {
    if here(&["mpich"]).is_empty() {
        return None;
    }
    let dir = TempDir::new().expect("a folder");
    let program = written(text, &dir);
    let words = [&["verify", "-n", "2"], more, &["--", program.to_str().expect("UTF-8")]].concat();
    Some(litmpi_in(dir.path(), words))
}

/// Rank 1 polls while it computes: so often as this says, or for ever.
fn polls(condition: &str) -> String {
    format!(
        r#"
#include <mpi.h>
int main(int argc, char **argv)
{{
    int rank, i, flag = 0, x = 0;
    MPI_Request q;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1) {{
        MPI_Irecv(&x, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, &q);
        for (i = 0; {condition}; i += 1)
            MPI_Test(&q, &flag, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
        if (!flag)
            MPI_Wait(&q, MPI_STATUS_IGNORE);
    }} else {{
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    }}
    MPI_Finalize();
    return 0;
}}
"#
    )
}

#[test]
fn a_rank_that_polls_long_and_then_goes_on_is_no_deadlock() {
    let random = ["--random", "2", "--seed", "1"];
    if let Some(said) = verify(&polls("!flag && i < 2500"), &random) {
        said.exits(0).says("nothing found");
    }
    // What it does in the loop changes nothing.
    if let Some(said) = verify(&polls("!flag && (i -= 1) < 9"), &random) {
        said.exits(1).says("rank 1 waits in MPI_Test");
    }
}

#[test]
fn of_a_message_that_nobody_receives_is_told_whose_it_is() {
    let text = r#"
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, x = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        MPI_Send(&x, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"#;
    let wanted =
        "rank 1 waits in MPI_Finalize (program.c:10), because nobody receives its message to rank 0 with tag 6";
    for more in [&["--variant", "eager"][..], &["--variant", "eager", "--random", "1"]] {
        if let Some(said) = verify(text, more) {
            said.exits(1).says(wanted);
        }
    }
}

/// Rank 0 reads a number behind each message that it receives, whichever way it is on.
const READER: &str = r#"
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, i, x, read;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    setvbuf(stdin, NULL, _IONBF, 0);
    if (rank == 0)
        for (i = 1; i < 3; i++) {
            MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            if (scanf("%d", &read) != 1 || read != i)
                return 8;
        }
    else
        MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn rank_0_reads_a_file_as_its_standard_input_on_every_way() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = written(READER, &dir);
    std::fs::write(dir.path().join("input"), "1\n2\n").expect("the folder is writable");
    for more in [&["verify", "-n", "3"][..], &["verify", "-n", "3", "--random", "2"]] {
        let status = |input: Stdio| {
            let mut litmpi = Command::new(binary());
            litmpi.args(more).arg("--").arg(&program).stdin(input).stdout(Stdio::null());
            litmpi.status().expect("litmpi starts").code()
        };
        let input = File::open(dir.path().join("input")).expect("the input");
        assert_eq!(status(input.into()), Some(0), "{more:?}");
        assert_eq!(status(Stdio::null()), Some(1), "{more:?}");
    }
}

#[test]
fn what_a_program_says_that_ends_before_it_calls_mpi_is_shown() {
    let text = "#include <mpi.h>\n#include <stdio.h>\n\
        int main(int argc, char **argv)\n{\n    if (argc < 2)\n        return fputs(\"no input file\", stderr), 4;\n    \
        return MPI_Init(&argc, &argv);\n}\n";
    if let Some(said) = verify(text, &[]) {
        said.exits(2).says("ended with exit code 4 before it called MPI").says("it wrote: no input file");
    }
}

#[test]
fn of_accesses_to_a_window_that_meet_the_operations_under_way_are_told() {
    let text = r#"
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, x = 0, y = 1;
    MPI_Win w;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Win_create(&x, sizeof x, sizeof x, MPI_INFO_NULL, MPI_COMM_WORLD, &w);
    MPI_Win_fence(0, w);
    if (rank == 0)
        MPI_Get(&y, 1, MPI_INT, 1, 0, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    if (rank == 0)
        MPI_Put(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    else
        MPI_Get(&y, 1, MPI_INT, 0, 0, 1, MPI_INT, w);
    MPI_Win_fence(0, w);
    MPI_Win_free(&w);
    MPI_Finalize();
    return 0;
}
"#;
    if let Some(said) = verify(text, &[]) {
        // Not the get before the second fence.
        said.exits(1).says("; under way: rank 0's MPI_Put (program.c:15), rank 1's MPI_Get (program.c:17)\n");
    }
}

#[test]
fn who_names_a_program_without_dashes_is_told_where_it_stands() {
    let dir = TempDir::new().expect("a folder");
    litmpi_in(dir.path(), ["verify", "-n", "3", "./x"]).exits(2).says("stand behind `--`: litmpi verify -- ./x");
}

#[test]
fn calls_of_libraries_have_the_names_of_their_functions() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let library = "#include <mpi.h>\n\
        void listens(void)\n{\n    int x;\n    MPI_Recv(&x, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);\n}\n";
    let program = "#include <mpi.h>\nvoid listens(void);\n\
        int main(int argc, char **argv)\n{\n    MPI_Init(&argc, &argv);\n    listens();\n    return MPI_Finalize();\n}\n";
    std::fs::write(dir.path().join("library.c"), library).expect("the folder is writable");
    std::fs::write(dir.path().join("program.c"), program).expect("the folder is writable");
    let compile = |words: &[&str]| {
        let done = Command::new("mpicc.mpich").arg("-w").args(words).current_dir(dir.path()).status();
        assert!(done.expect("the compiler").success());
    };
    for (debug, wanted) in [("-s", "MPI_Recv (listens in liblibrary.so)"), ("-g", "MPI_Recv (library.c:5)")] {
        compile(&["-shared", "-fPIC", debug, "-o", "liblibrary.so", "library.c"]);
        compile(&["-o", "program", "program.c", "-L.", "-llibrary", "-Wl,-rpath,$ORIGIN"]);
        litmpi_in(dir.path(), ["verify", "-n", "1", "--", "./program"]).exits(1).says(wanted);
    }
}

#[test]
fn what_starts_a_program_in_its_place_is_told_apart_from_it() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = written("#include <mpi.h>\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); return 0; }\n", &dir);
    let script = dir.path().join("wrapper.sh");
    let verify = |text: &str| {
        std::fs::write(&script, format!("#!/bin/sh\n{text} {}\n", program.display())).expect("a script");
        std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).expect("is ours");
        litmpi_in(dir.path(), ["verify", "-n", "2", "--", "./wrapper.sh"])
    };
    verify("exec").exits(0).says("correct");
    verify("true;").exits(2).says("starts another process that calls MPI").says("needs `exec`");
    let program = program.to_str().expect("UTF-8");
    let said = litmpi_in(dir.path(), ["verify", "-n", "2", "--", "mpiexec.mpich", "-n", "2", program]);
    said.exits(2).says("mpiexec.mpich launches ranks by itself").says("litmpi mpi -- mpiexec.mpich");
}

#[test]
fn a_program_finds_its_own_libraries_where_the_user_says_that_they_are() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let own = dir.path().join("own");
    std::fs::create_dir(&own).expect("a folder");
    let build = |command: &str, text: &str, args: &[&str]| {
        let file = dir.path().join("text.c");
        std::fs::write(&file, text).expect("a file");
        let built = Command::new(command).current_dir(dir.path()).arg("text.c").args(args).status();
        assert!(built.expect("a compiler").success(), "{text}");
    };
    build("cc", "int one(void) { return 1; }\n", &["-shared", "-fPIC", "-o", "own/libone.so"]);
    let text =
        "#include <mpi.h>\nint one(void);\nint main(void) { MPI_Init(0, 0); MPI_Finalize(); return one() - 1; }\n";
    build("mpicc.mpich", text, &["-o", "program", "-Lown", "-lone"]);
    let own = own.to_str().expect("UTF-8");
    let verify = ["verify", "-n", "1", "--", "./program"];
    litmpi_with(&[("LD_LIBRARY_PATH", own)], dir.path(), verify).exits(0);
}

#[test]
fn calls_of_fortran_are_told_with_the_line_of_the_program() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let text = "program p\n  include 'mpif.h'\n  integer :: e, x\n  call MPI_Init(e)\n  x = 1\n  call MPI_Send(x, 1, MPI_INTEGER, 7, 0, MPI_COMM_WORLD, e)\n  call MPI_Finalize(e)\nend program\n";
    std::fs::write(dir.path().join("p.f90"), text).expect("a file");
    litmpi_in(dir.path(), ["fc", "-o", "p", "p.f90"]).exits(0);
    let said = litmpi_in(dir.path(), ["verify", "-n", "1", "--", "./p"]);
    said.exits(1).says("rank 0, p.f90:6: MPI_Send");
}

#[test]
fn a_rank_that_is_told_of_errors_behind_each_call_has_few_states() {
    let source = root().join("tests/verify/errors-returned-stream.c");
    let source = std::fs::read_to_string(source).expect("the program");
    let states = |messages: &str, search: &str| {
        let text = source.replace("MESSAGES = 60", &format!("MESSAGES = {messages}"));
        let said = verify(&text, &["--search", search, "--json"])?;
        assert_eq!(verdict(&said), "correct", "{said}");
        said.json()["states"].as_u64()
    };
    let (Some(full), Some(few), Some(many)) = (states("8", "full"), states("8", "reduced"), states("60", "reduced"))
    else {
        return;
    };
    // Where all transitions are followed, each rank may be anywhere while the other is.
    assert!(full > 5 * few, "{full} and {few}");
    assert!(many < 12 * few, "{many} and {few}");
}

#[test]
fn local_calls_between_requests_and_orders_that_a_library_chooses_cost_few_states() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    // Where each local call told of the buffers that are in use, there were 50,000; where each order came with each other step, 368,000.
    for (name, ranks, most) in [("requests-between-local-calls", "3", 300), ("graph-of-the-library", "4", 10_000)] {
        let source = root().join("tests/verify").join(format!("{name}.c"));
        let program = written(&std::fs::read_to_string(source).expect("the program"), &dir);
        let words = ["verify", "-n", ranks, "--json", "--", program.to_str().expect("UTF-8")];
        let said = litmpi_in(dir.path(), words);
        assert_eq!(verdict(&said), "correct", "{said}");
        assert!(said.json()["states"].as_u64().is_some_and(|n| n < most), "{said}");
    }
}

#[test]
fn a_program_that_leaves_out_what_needs_more_threads_is_told_that() {
    let text = |level: &str| {
        format!(
            r#"
#include <mpi.h>
int main(int argc, char **argv)
{{
    int provided;
    MPI_Init_thread(&argc, &argv, {level}, &provided);
    if (provided == {level})
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}}
"#
        )
    };
    let remark = "gave MPI_THREAD_FUNNELED, and more was asked for";
    let Some(said) = verify(&text("MPI_THREAD_MULTIPLE"), &[]) else { return };
    said.exits(0).says("correct").says(remark);
    let said = verify(&text("MPI_THREAD_FUNNELED"), &[]).expect("as before");
    assert!(!said.exits(0).says("correct").to_string().contains(remark), "{said}");
}

#[test]
fn of_a_deadlock_the_calls_of_the_ranks_are_told_one_by_one() {
    let source = root().join("tests/verify/recv-recv-deadlock.c");
    let Some(said) = verify(&std::fs::read_to_string(source).expect("the program"), &["--json"]) else { return };
    let ranks = said.json()["findings"][0]["ranks"].clone();
    for (i, of) in ranks.as_array().expect("a list").iter().enumerate() {
        assert_eq!((of["rank"].as_u64(), of["function"].as_str()), (Some(i as u64), Some("MPI_Recv")), "{said}");
        assert!(of["at"].as_str().is_some_and(|at| at.contains(".c:")), "{said}");
    }
    assert_eq!(ranks.as_array().map(Vec::len), Some(2), "{said}");
}
