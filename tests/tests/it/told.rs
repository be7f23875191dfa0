//! What is told of programs as they are written by others: of libraries, of loops that poll, of messages that nobody receives.

use crate::command::{binary, root};
use crate::support::{Said, here, litmpi_in, litmpi_with};
use crate::verify::{instrumented, verdict, written};
use std::fs::File;
use std::path::Path;
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

/// Whether the bad end of a program of tests/verify is rare at random: few orders of many show it, or a test must say no two thousand times.
pub(crate) fn is_rare(program: &Path) -> bool {
    let names = "accumulate-in-any-order accumulate-of-six-in-any-order poll-counted window-shared-half-of-stores";
    names.split(' ').any(|name| program.file_stem().is_some_and(|stem| stem == name))
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
fn a_loop_that_counts_its_tests_is_followed_within_a_bound_and_one_that_ends_is_followed_to_its_end() {
    let Some(said) = verify(&polls("!flag && i < 100"), &[]) else { return };
    said.exits(0).says("correct: every behaviour of 2 ranks");
    let loops = polls("!flag && i != 1000000").replace("MPI_Barrier(MPI_COMM_WORLD);", "");
    verify(&loops, &[])
        .expect("it was verified before")
        .exits(0)
        .says("bound reached: rank 1 was followed while MPI_Test")
        .says("says no 128 times, one time after the other; the process changes meanwhile")
        .says("correct: every behaviour within this bound of 2 ranks");
    // One that gives up in the end is no loop that only counts.
    verify(&polls("!flag && i < 900").replace("MPI_Barrier(MPI_COMM_WORLD);", ""), &[])
        .expect("it was verified before")
        .exits(3)
        .says("after 900 times it does something else, which was not followed");
    // What it waits for never comes: that is no deadlock if it gives up.
    let never = polls("!flag && i < 700")
        .replace("MPI_Barrier(MPI_COMM_WORLD);", "")
        .replace("MPI_Send(&x, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);", "")
        .replace("MPI_Wait(&q", "MPI_Cancel(&q), MPI_Wait(&q");
    verify(&never, &[])
        .expect("it was verified before")
        .exits(3)
        .says("says no 512 times, one time after the other; after 700 times it does something else");
    let told = verify(&loops, &["--json"]).expect("it was verified before").json();
    assert_eq!((&told["verdict"], &told["complete"]), (&"correct".into(), &false.into()));
    let bound = &told["refusals"][0];
    assert_eq!((&bound["rank"], &bound["often"], &bound["changes"]), (&1.into(), &128.into(), &true.into()));
    assert!(bound["gives_up"].is_null(), "{told:#}");
}

#[test]
fn a_rank_that_polls_long_and_then_goes_on_is_no_deadlock() {
    let random = ["--random", "2", "--seed", "1"];
    if let Some(said) = verify(&polls("!flag && i < 2500"), &random) {
        said.exits(0).says("nothing found");
    }
    // What it does in the loop changes nothing.
    if let Some(said) = verify(&polls("!flag && (i -= 1) < 9"), &random) {
        said.exits(1).says("rank 1 goes round in MPI_Test");
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

/// Blocks of any lengths, dealt out, gathered, exchanged, combined, and sent from one array in two lengths; the second argument says what is wrong.
const BLOCKS: &str = r#"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
enum { MOST = 600 };
static unsigned next;
static int any(int n)
{
    next = next * 1103515245 + 12345;
    return (next >> 16) % n;
}
static void mixed(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int *a = in, *b = inout;
    for (int i = 0; i < *n; i++)
        b[i] = a[i] + 3 * b[i];
}
int main(int argc, char **argv)
{
    int rank, n, wrong = atoi(argv[2]), counts[3], displs[3], out[3], at[3], in[3], from[3], sum = 0, total, got;
    int *all = malloc(MOST * sizeof *all), *own = calloc(MOST, sizeof *own), *more = calloc(MOST, sizeof *more);
    MPI_Op op;
    MPI_Request q[4];
    MPI_Status s[4];
    next = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = n = 0; i < 3; n += counts[i++]) {
        displs[i] = n += any(3);
        counts[i] = 1 + any(90);
    }
    for (int i = 0; i < MOST; i++)
        all[i] = 1000 * rank + i;
    MPI_Scatterv(all, counts, displs, MPI_INT, own, counts[rank] + (wrong == 1 && rank == 1), MPI_INT, 0, MPI_COMM_WORLD);
    if (wrong == 2)
        displs[2] = displs[1] + counts[1] - 1;
    MPI_Gatherv(own, counts[rank], MPI_INT, more, counts, displs, MPI_INT, 1, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, counts, displs, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        out[i] = 1 + (7 * rank + 31 * i + counts[0]) % 70, in[i] = 1 + (7 * i + 31 * rank + counts[0]) % 70;
        at[i] = 70 * i + any(5), from[i] = 70 * (2 - i);
    }
    MPI_Alltoallv(all, out, at, MPI_INT, more, in, from, MPI_INT, MPI_COMM_WORLD);
    MPI_Op_create(mixed, 0, &op);
    MPI_Reduce_scatter(all, own, counts, MPI_INT, op, MPI_COMM_WORLD);
    MPI_Reduce_scatter(MPI_IN_PLACE, all, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(all, own, counts[2], MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Reduce_scatter_block(MPI_IN_PLACE, own, counts[2], MPI_INT, op, MPI_COMM_WORLD);
    MPI_Exscan(all, own, counts[1], wrong == 3 && rank == 2 ? MPI_FLOAT : MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    int left = (rank + 2) % 3, right = (rank + 1) % 3, a = 60 + any(60), b = 1 + any(60);
    MPI_Irecv(more, a + any(9) - (wrong == 4 && rank == 0 ? 10 : 0), MPI_INT, left, 0, MPI_COMM_WORLD, &q[0]);
    MPI_Irecv(more + (wrong == 5 ? a / 2 : 140), b, MPI_INT, left, 1, MPI_COMM_WORLD, &q[1]);
    MPI_Isend(all + 3, a, wrong == 6 && rank == 2 ? MPI_FLOAT : MPI_INT, right, 0, MPI_COMM_WORLD, &q[2]);
    MPI_Isend(all + 3, b, MPI_INT, right, 1, MPI_COMM_WORLD, &q[3]);
    if (wrong == 7 && rank == 1)
        all[3 + a - 1] = -1;
    if (wrong == 8 && rank == 1)
        more[a / 2] = -2;
    MPI_Waitall(4, q, s);
    MPI_Get_count(&s[0], MPI_INT, &got);
    for (int i = 0; i < MOST; i++)
        sum = sum * 31 + 7 * all[i] + 5 * own[i] + more[i];
    sum += got;
    MPI_Reduce(&sum, &total, 1, MPI_INT, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d\n", total);
    MPI_Op_free(&op);
    free(all);
    free(own);
    free(more);
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn blocks_of_any_lengths_come_to_what_their_elements_one_by_one_come_to() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = written(BLOCKS, &dir);
    let found = |seed: u32, wrong: u32, more: &[&str]| {
        let (seed, wrong, program) = (seed.to_string(), wrong.to_string(), program.to_str().expect("UTF-8"));
        let words = [&["verify", "-n", "3", "--json", "--observe", "stdout"], more, &["--", program, &seed, &wrong]];
        let said = litmpi_in(dir.path(), words.concat());
        let json = said.json();
        let bad: Vec<String> =
            json["findings"].as_array().expect("a list").iter().map(|f| f["bad"].to_string()).collect();
        (verdict(&said), bad, json["ends"].clone())
    };
    for seed in 1..=4 {
        let correct = found(seed, 0, &[]);
        assert_eq!((&correct.0[..], &correct.1[..]), ("correct", &[][..]), "{correct:?}");
        assert!(correct.2.to_string().len() > 4, "{correct:?}");
        assert_eq!(correct, found(seed, 0, &["--one-by-one"]), "{seed}");
    }
    for wrong in 1..=8 {
        let seed = 10 * wrong;
        // How many places are told of depends on which of them a search comes to.
        for more in [&[][..], &["--one-by-one"]] {
            assert_eq!(found(seed, wrong, more).0, "erroneous", "{wrong} {more:?}");
        }
        let random = ["--random", "2"];
        assert_eq!(found(seed, wrong, &random).0, "erroneous", "{wrong}");
    }
}

/// Elements that are looked at as one, where others look at some of them, or tell them apart otherwise; the argument says how.
const LENGTHS: &str = r#"
#include <mpi.h>
#include <assert.h>
#include <stdlib.h>
static int a[200], b[200], c[200];
static char packed[1000];
int main(int argc, char **argv)
{
    int rank, how = atoi(argv[1]), x = 5, position = 0;
    MPI_Request q[2];
    MPI_Status status;
    MPI_Win win;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 200; i++)
        a[i] = i + rank * 1000;
    if (how <= 1 && rank == 0) {
        /* Persistent sends of two lengths from one place. */
        MPI_Send_init(a, 100, MPI_INT, 1, 0, MPI_COMM_WORLD, &q[0]);
        MPI_Send_init(a, 50, MPI_INT, 1, 1, MPI_COMM_WORLD, &q[1]);
        for (int k = 0; k < 2; k++) {
            a[7] = k;
            MPI_Startall(2, q);
            if (how == 1 && k == 1)
                a[70] = 3;
            MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
        }
        MPI_Request_free(&q[0]);
        MPI_Request_free(&q[1]);
    } else if (how <= 1) {
        for (int k = 0; k < 2; k++) {
            MPI_Recv(b, 200, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(c, 60, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            assert(b[7] == k && c[7] == k && b[99] == 99 && c[49] == 49 && c[50] == 0 && b[100] == 0);
        }
    } else if (how == 2) {
        /* Each is sent another length of the same. */
        int out[2] = {30 + rank, 60 - rank}, at[2] = {0, 0}, in[2] = {rank ? 60 : 30, rank ? 59 : 31}, from[2] = {0, 100};
        MPI_Alltoallv(a, out, at, MPI_INT, b, in, from, MPI_INT, MPI_COMM_WORLD);
        assert(b[29] == 29 && b[100] == 1000 && b[100 + in[1] - 1] == 1000 + in[1] - 1);
    } else if (how <= 4) {
        /* Memory becomes a window that is received into, beside what is put there, or in the midst of it. */
        if (rank == 0)
            MPI_Irecv(a, 100, MPI_INT, 1, 0, MPI_COMM_WORLD, &q[0]);
        MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_fence(0, win);
        if (rank == 1)
            MPI_Put(&x, 1, MPI_INT, 0, how == 3 ? 150 : 50, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        if (rank == 1)
            MPI_Send(b, 100, MPI_INT, 0, 0, MPI_COMM_WORLD);
        else
            MPI_Wait(&q[0], MPI_STATUS_IGNORE);
        MPI_Win_free(&win);
    } else if (how == 5) {
        MPI_Win_create(a, sizeof a, sizeof *a, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
        MPI_Win_fence(0, win);
        if (rank == 1)
            MPI_Put(&x, 1, MPI_INT, 0, 50, 1, MPI_INT, win);
        MPI_Win_fence(0, win);
        if (rank == 0) {
            MPI_Send(a, 100, MPI_INT, 1, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(b, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            assert(b[49] == 49 && b[50] == 5 && b[51] == 51);
        }
        MPI_Win_free(&win);
    } else if (how == 6 && rank == 0) {
        /* Packed data is taken from the midst of a buffer before it has come. */
        position = 40;
        MPI_Irecv(packed, 800, MPI_PACKED, 1, 0, MPI_COMM_WORLD, &q[0]);
        MPI_Unpack(packed, sizeof packed, &position, &x, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Wait(&q[0], MPI_STATUS_IGNORE);
    } else if (how == 6) {
        MPI_Pack(a, 100, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Send(packed, position, MPI_PACKED, 0, 0, MPI_COMM_WORLD);
    } else if (how == 7) {
        /* Items of a derived datatype at one end. */
        MPI_Datatype second;
        MPI_Type_vector(50, 1, 2, MPI_INT, &second);
        MPI_Type_commit(&second);
        if (rank == 0) {
            MPI_Send(a, 50, MPI_INT, 1, 0, MPI_COMM_WORLD);
            MPI_Recv(b, 60, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            assert(b[49] == 1098 && b[50] == 0);
        } else {
            MPI_Recv(b, 2, second, 0, 0, MPI_COMM_WORLD, &status);
            MPI_Get_elements(&status, second, &x);
            assert(x == 50 && b[98] == 49 && b[2] == 1 && b[1] == 0);
            MPI_Send(a, 1, second, 0, 1, MPI_COMM_WORLD);
        }
        MPI_Gather(a, rank ? 1 : 50, rank ? second : MPI_INT, b, 50, MPI_INT, 0, MPI_COMM_WORLD);
        assert(rank == 1 || b[49] == 49 && b[50] == 1000 && b[51] == 1002);
        MPI_Bcast(rank ? b : a, rank ? 1 : 50, rank ? second : MPI_INT, 0, MPI_COMM_WORLD);
        assert(rank == 0 || b[98] == 49);
        MPI_Type_free(&second);
    } else if (how == 8 && rank == 0) {
        /* A broadcast of packed data that others receive as what was packed. */
        MPI_Pack(a, 100, MPI_INT, packed, sizeof packed, &position, MPI_COMM_WORLD);
        MPI_Bcast(packed, position, MPI_PACKED, 0, MPI_COMM_WORLD);
    } else if (how == 8) {
        MPI_Bcast(b, 100, MPI_INT, 0, MPI_COMM_WORLD);
        assert(b[0] == 0 && b[99] == 99);
    } else if (how == 9 && rank == 0) {
        /* A message comes into the midst of one that is being sent. */
        MPI_Isend(a, 100, MPI_INT, 1, 0, MPI_COMM_WORLD, &q[0]);
        MPI_Recv(a + 50, 20, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Wait(&q[0], MPI_STATUS_IGNORE);
    } else if (how == 9) {
        MPI_Send(b, 20, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Recv(b, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (how == 10 && rank == 0) {
        /* The whole and a few of its elements are sent at once, and the whole once more. */
        MPI_Isend(a, 100, MPI_INT, 1, 0, MPI_COMM_WORLD, &q[0]);
        MPI_Isend(a, 3, MPI_INT, 1, 1, MPI_COMM_WORLD, &q[1]);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
        assert(a[0] == 0 && a[99] == 99);
        a[5] = 7;
        MPI_Send(a, 100, MPI_INT, 1, 2, MPI_COMM_WORLD);
    } else if (how == 10) {
        MPI_Recv(b, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Recv(c, 3, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(c[2] == 2 && b[5] == 5);
        MPI_Recv(b, 100, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        assert(b[5] == 7 && b[99] == 99);
    } else if (how == 11) {
        /* What a root deals out lies over each other. */
        int counts[2] = {50, 50}, displs[2] = {0, 49};
        MPI_Scatterv(a, counts, displs, MPI_INT, b, 50, MPI_INT, 0, MPI_COMM_WORLD);
    } else if (how <= 13 && rank == 0) {
        /* A persistent receive into what is being sent: made meanwhile, and started behind that, or before. */
        MPI_Isend(a, 100, MPI_INT, 1, 0, MPI_COMM_WORLD, &q[0]);
        MPI_Recv_init(a + 50, 20, MPI_INT, 1, 1, MPI_COMM_WORLD, &q[1]);
        if (how == 12)
            MPI_Wait(&q[0], MPI_STATUS_IGNORE);
        MPI_Start(&q[1]);
        MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
        MPI_Request_free(&q[1]);
    } else if (how <= 13) {
        MPI_Recv(b, 100, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(b, 20, MPI_INT, 0, 1, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"#;

#[test]
fn elements_that_are_looked_at_as_one_are_what_they_are_one_by_one_whoever_looks_at_some_of_them() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = written(LENGTHS, &dir);
    for how in 0..=13 {
        let wanted = if [1, 4, 6, 9, 11, 13].contains(&how) { "erroneous" } else { "correct" };
        for more in [&[][..], &["--one-by-one"], &["--random", "3"]] {
            let (how, program) = (how.to_string(), program.to_str().expect("UTF-8"));
            let words = [&["verify", "-n", "2", "--json"], more, &["--", program, &how]];
            let said = litmpi_in(dir.path(), words.concat());
            assert_eq!(verdict(&said).replace("nothing found", "correct"), wanted, "{how} {more:?}\n{said}");
        }
    }
}

/// What is said of a program of `tests/verify`, compiled so that its loads and stores are seen.
fn followed(name: &str, ranks: &str, search: &str, dir: &TempDir) -> (String, u64) {
    let program = instrumented(&root().join("tests/verify").join(format!("{name}.c")), dir);
    let program = program.to_str().expect("UTF-8");
    let said = litmpi_in(dir.path(), ["verify", "-n", ranks, "--search", search, "--json", "--", program]);
    (verdict(&said), said.json()["states"].as_u64().expect("a number"))
}

#[test]
fn windows_of_thousands_of_elements_have_few_states_and_accumulates_in_no_order_have_all_of_theirs() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    // Where each access was a step of its own, a thousand elements had more than a million states, and ten sums more than 400,000.
    for (name, most) in [("window-of-thousands", 400), ("window-sums-of-all", 1_000)] {
        let (found, states) = followed(name, "2", "reduced", &dir);
        assert!(found == "correct" && states < most, "{name}: {found}, {states} states");
    }
    // An accumulate that has begun may go before one that was begun earlier, so that to begin it is not the same before and behind that one.
    assert_eq!(followed("window-info", "1", "reduced", &dir).0, "crash");
}

#[test]
fn what_a_process_does_with_shared_memory_between_two_calls_is_one_step_where_nobody_looks() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    // Where each store was a step of its own, as it is to a full search, there were more than 100,000.
    let (found, states) = followed("window-shared-own-parts", "3", "reduced", &dir);
    assert!(found == "correct" && states < 3_000, "{found}, {states} states");
    for name in ["window-shared-own-parts-unfenced", "window-shared-half-of-stores", "window-shared-unsynchronised"] {
        let [(found, few), (full, many)] = ["reduced", "full"].map(|search| followed(name, "2", search, &dir));
        assert!(found == full && few <= many, "{name}: {found}, and {full} by a full search");
    }
}

#[test]
fn a_rank_depends_on_what_others_write_into_its_window_where_it_looks_there() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    // Told behind each of its calls, the rank whose window it is went on in so many ways that there were more than 200,000.
    let (found, states) = followed("window-counted-by-all", "4", "reduced", &dir);
    assert!(found == "correct" && states < 20_000, "{found}, {states} states");
    let (found, states) = followed("window-lock-by-compare-and-swap", "3", "reduced", &dir);
    assert!(found == "correct" && states < 6_000, "{found}, {states} states");
}
