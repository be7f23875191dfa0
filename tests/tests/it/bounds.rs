//! At a bound nothing is said but that it is undecided: by every command that searches, in every format, and not with exit code 0.

use crate::command::root;
use crate::support::{folder, here, litmpi_in};
use crate::verify::{verify, written};
use tempfile::TempDir;

/// Store buffering, forbidden by fences.
fn store_buffering() -> String {
    "litmus rdma SB \"store buffering with fences\"\nnode 1 { x = 0  y = 0 }\n\
     thread 1 on 1 { x := 1  mfence  a := y }\nthread 2 on 1 { y := 1  mfence  b := x }\n\
     ~exists 1:a = 0 /\\ 2:b = 0\n  verdict rdma-tso forbidden because \"of the fences\"\n"
        .to_owned()
}

/// A thread that waits for another and counts its rounds, of which there may be any number: no state comes again.
const WAITS: &str = "litmus rdma waits \"a flag that is waited for\"\nnode 1 { x = 0 }\n\
    thread 1 on 1 { a := x  n := 0  while a = 0 { n := n + 1  a := x } }\nthread 2 on 1 { x := 1 }\n\
    exists 1:n = -1\n  verdict rdma-tso forbidden because \"it counts up from 0\"\n";

const EXCHANGE: &str = "litmus mpi exchange \"a message\"\nrank 0 { MPI_Send(1, dest: 1) }\nrank 1 { MPI_Recv(a, source: 0) }\n\
    ~exists a = 2\n  verdict mpi forbidden because \"1 is sent\"\n";

/// What a run would have shown.
const LOG: &str = "Test SB Forbidden\nHistogram (1 states)\n5 :>1:a=0; 2:b=0;\nNo\n";

/// Words that decide something.
const DECIDING: [&str; 16] = [
    "forbidden",
    "Forbidden",
    "allowed ",
    "Never",
    "Always",
    "No such outcome",
    "NEVER TRIED",
    "VIOLATION",
    "violation",
    "conforms",
    "never fires",
    "never blocks",
    "is never violated",
    "is one of the specification",
    "verdicts hold, 1 complete",
    "\"complete\": true",
];

/// A command, and what it must say.
type Row = (&'static [&'static str], &'static [&'static str]);

const ROWS: &[Row] = &[
    (&["enumerate", "SB.litmus", "--max-states", "3"], &["Test SB Unknown", "Observation SB Undecided", "3 states"]),
    (
        &["enumerate", "SB.litmus", "--max-states", "3", "--json"],
        &["\"verdict\": \"undecided\"", "\"validated\": null"],
    ),
    (&["enumerate", "SB.litmus", "--max-states", "3", "--search", "reduced"], &["Observation SB Undecided"]),
    (&["enumerate", "SB.litmus", "--max-memory", "0"], &["Observation SB Undecided", "0 MiB"]),
    (
        &["enumerate", "SB.litmus", "--model", "rdma-tso.cat", "--max-states", "3"],
        &["Observation SB Undecided", "candidate"],
    ),
    (
        &["enumerate", "waits.litmus", "--unroll", "4"],
        &["Observation waits Undecided", "the unrolling of loops (--unroll 4)"],
    ),
    (&["enumerate", "waits.litmus", "--max-states", "2000"], &["Observation waits Undecided", "2000 states"]),
    (&["enumerate", "waits.litmus", "--unroll", "4", "--json"], &["\"verdict\": \"undecided\""]),
    (&["enumerate", "waits.litmus", "--model", "tso.cat"], &["Observation waits Undecided"]),
    (
        &["check", "SB.litmus", "--model", "rdma-tso", "--max-states", "3"],
        &["UNDECIDED", "0 verdicts hold", "1 are undecided"],
    ),
    (
        &["check", "SB.litmus", "--model", "rdma-tso", "--max-states", "3", "--json"],
        &["\"agreed\": 0", "is not decided"],
    ),
    (&["check", "SB.litmus", "--model", "rdma-tso", "--max-states", "3", "--accept"], &["no complete set to write"]),
    (&["check", "waits.litmus", "--model", "rdma-tso", "--unroll", "4"], &["UNDECIDED", "0 verdicts hold"]),
    (
        &["compare", "SB.litmus", "--models", "rdma-tso,rdma-tso.cat", "--max-states", "3"],
        &["undecided ≥", "1 undecided"],
    ),
    (
        &["compare", "SB.litmus", "--models", "rdma-tso", "--max-states", "3", "--json"],
        &["undecided", "\"complete\": false"],
    ),
    (
        &["compare", "SB.litmus", "run.log", "--models", "rdma-tso", "--max-states", "3"],
        &["undecided", "was not found within the bounds"],
    ),
    (&["explain", "SB.litmus", "--max-states", "3"], &["Undecided: no such outcome was found"]),
    (&["explain", "SB.litmus", "--model", "rdma-tso.cat", "--max-states", "3"], &["Undecided: no execution"]),
    (&["explain", "waits.litmus", "--unroll", "4"], &["Undecided: no such outcome was found"]),
    (
        &["coverage", "SB.litmus", "--model", "rdma-tso", "--max-states", "3"],
        &["undecided: 1 searches stopped", "undecided, not within the bounds"],
    ),
    (
        &["coverage", "SB.litmus", "--model", "rdma-tso", "--max-states", "3", "--json"],
        &["\"complete\": false", "\"decided\": false"],
    ),
    (&["shrink", "exchange.litmus", "--between", "mpi,mpi:eager", "--max-states", "2"], &["undecided", "under mpi"]),
    (&["emit", "--reproducer", "exchange.litmus", "--max-states", "2"], &["undecided", "exchange.litmus"]),
    (&["suite", "suite", "--from", "exchange.litmus", "--max-states", "2"], &["0 of 1 tests in suite"]),
    (&["laws", "--law", "sendrecv", "--max-states", "3", "--bound", "0", "--random", "0"], &["undecided"]),
    (
        &["laws", "--law", "sendrecv", "--max-states", "3", "--bound", "0", "--random", "0", "--json"],
        &["\"verdict\": \"undecided\"", "\"good\": null"],
    ),
    (
        &["refine", "rdma-tso-simplified", "--against", "rdma-tso", "--size", "2", "--max-states", "3"],
        &["Verdict undecided"],
    ),
    // Some programs are found within the bound, of others it is not known, and each found one is said to be a smallest.
    (
        &["distinguish", "tso.cat", "sc.cat", "--with", "write,read", "--size", "4", "--max-states", "15"],
        &["programs are undecided"],
    ),
    (
        &["distinguish", "tso.cat", "sc.cat", "--with", "write,read", "--size", "4", "--max-states", "15", "--json"],
        &["\"undecided\": "],
    ),
    (&["claims", "exchange.litmus", "--max-states", "3"], &["Of 1 tests not all states were followed"]),
    (&["claims", "exchange.litmus", "--max-states", "3", "--json"], &["\"cut\": 1"]),
    (&["mend", "SB.litmus", "--max-states", "3"], &["undecided under rdma-tso.cat"]),
    (&["robust", "LB2.litmus", "--max-states", "3"], &["undecided under rdma-tso.cat", "there may be one"]),
    (
        &["mutate", "exchange.litmus", "--of", "spec/mpi/point-to-point.spec", "--max-states", "2"],
        &["undecided: no test comes there within the bound"],
    ),
    (
        &["refine", "rdma-tso-simplified", "--against", "rdma-tso", "--size", "2", "--max-states", "3", "--json"],
        &["\"refines\": null", "\"verdict\": \"undecided\""],
    ),
];

#[test]
fn at_a_bound_every_command_says_in_every_format_that_it_is_undecided() {
    // No condition says of this one that it is robust.
    let open = std::fs::read_to_string(root().join("litmus/rdma/LB2.litmus")).expect("a test");
    let dir = folder(&[
        ("SB.litmus", &store_buffering()),
        ("LB2.litmus", &open),
        ("waits.litmus", WAITS),
        ("exchange.litmus", EXCHANGE),
        ("run.log", LOG),
    ]);
    for (args, says) in ROWS {
        let said = litmpi_in(dir.path(), *args);
        assert_eq!(said.code, Some(3), "{args:?}\n{said}");
        says.iter().for_each(|text| _ = said.says(text));
        // What tests and logs themselves state stands in the output of `check` alone, which quotes it.
        // What a log shows, it shows always or never; the model's column is what is judged.
        let of_log = |w: &str| args.contains(&"run.log") && ["Always", "Never"].contains(&w);
        let decided = DECIDING.iter().find(|w| said.stdout.contains(**w) && !of_log(w));
        assert_eq!(decided, None, "{args:?}\n{said}");
    }
    assert!(!dir.path().join("SB.expected").exists(), "a set that is not complete is not written");
}

#[test]
fn without_the_bound_the_same_commands_decide() {
    let dir = folder(&[("SB.litmus", &store_buffering())]);
    let good = [
        (&["enumerate", "SB.litmus"][..], "Observation SB Never"),
        (&["check", "SB.litmus", "--model", "rdma-tso"], "1 verdicts hold"),
        (&["compare", "SB.litmus", "--models", "rdma-tso,rdma-tso.cat"], "forbidden 3"),
        (&["refine", "rdma-tso-simplified", "--against", "rdma-tso", "--size", "1"], "is one of the specification"),
    ];
    good.iter().for_each(|(args, says)| _ = litmpi_in(dir.path(), *args).exits(0).says(says));
    litmpi_in(dir.path(), ["shrink", "SB.litmus", "--between", "rdma-tso,tso"]).exits(0).says("do not differ");
    litmpi_in(dir.path(), ["shrink", "SB.litmus", "--between", "rdma-tso,tso", "--outcome", "c=1"])
        .exits(2)
        .says("`c=1`");
    litmpi_in(dir.path(), ["explain", "SB.litmus"]).exits(1).says("No such outcome");
}

#[test]
fn a_witness_decides_a_claim_however_little_was_searched() {
    let two = "litmus rdma two \"a short way and a long one\"\nnode 1 { x = 0 }\n\
               thread 1 on 1 { choose { a := 1 } or { x := 1  mfence  x := 2  mfence  x := 3  mfence  a := 2 } }\n\
               exists 1:a = 1\n  verdict rdma-tso allowed because \"of the short way\"\n";
    let dir = folder(&[("two.litmus", two)]);
    let said = litmpi_in(dir.path(), ["enumerate", "two.litmus", "--max-states", "6", "--search", "full"]);
    said.says("Test two Allowed").says("\nOk\n");
    litmpi_in(dir.path(), ["check", "two.litmus", "--model", "rdma-tso", "--max-states", "6", "--search", "full"])
        .exits(0)
        .says("1 verdicts hold");
}

/// Of programs that are far too large to be searched in full, each step is followed in one order.
#[test]
fn a_barrier_of_many_ranks_has_as_many_states_as_steps() {
    let ranks: String = (0..40).map(|r| format!("rank {r} {{ MPI_Barrier() }}\n")).collect();
    let dir = folder(&[("wide.litmus", &format!("litmus mpi wide \"a barrier\"\n{ranks}~exists deadlock\n"))]);
    let all = litmpi_in(dir.path(), ["enumerate", "wide.litmus", "--json"]).json();
    assert_eq!((&all[0]["complete"], all[0]["states"].as_u64()), (&true.into(), Some(81)), "{all}");
}

/// Which of many messages is received first is for each call to choose, so that no second is enough to follow all behaviours.
const ANY_ORDER: &str = "#include <mpi.h>
enum { N = 24 };
int main(int argc, char **argv)
{
    int rank, index, x[N];
    MPI_Request r[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++)
        if (rank)
            MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        else
            MPI_Irecv(&x[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]);
    for (int i = 0; !rank && i < N; i++)
        MPI_Waitany(N, r, &index, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
";

#[test]
fn a_program_is_followed_no_longer_than_is_said_and_that_is_told() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = written(ANY_ORDER, &dir);
    for how in [&[][..], &["--random", "1000000"]] {
        let said = verify(&program, &[how, &["--max-seconds", "1"]].concat());
        said.exits(3);
        assert!(said.stdout.contains("bound reached: 1 s by the clock"), "{}", said.stdout);
        assert!(said.stdout.contains("undecided"), "{}", said.stdout);
    }
}

/// Twelve sends to one process are started at once: they have 479,001,600 orders.
const STARTED_AT_ONCE: &str = "#include <mpi.h>
enum { N = 12 };
int main(int argc, char **argv)
{
    int rank, x[N] = {0};
    MPI_Request r[N];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < N; i++)
        if (rank)
            MPI_Send_init(&x[i], 1, MPI_INT, 0, i, MPI_COMM_WORLD, &r[i]);
        else
            MPI_Recv_init(&x[i], 1, MPI_INT, 1, i, MPI_COMM_WORLD, &r[i]);
    MPI_Startall(N, r);
    MPI_Waitall(N, r, MPI_STATUSES_IGNORE);
    for (int i = 0; i < N; i++)
        MPI_Request_free(&r[i]);
    MPI_Finalize();
}
";

#[test]
fn one_behaviour_does_not_go_through_every_order_of_what_is_started_at_once() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = written(STARTED_AT_ONCE, &dir);
    verify(&program, &["--random", "3", "--max-seconds", "300"]).exits(0);
}
