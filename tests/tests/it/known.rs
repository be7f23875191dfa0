//! What a maintainer's CI needs: a new violation turns a run red, one that is known does not, and other tools read what came.

use crate::command::root;
use crate::planted::planted;
use crate::support::{Said, at, folder, here, litmpi_in};
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

/// A specification under which the library does what is forbidden: there, no send is buffered.
fn unbuffered() -> TempDir {
    planted("mpi/point-to-point.spec", "const buffering: Bool = true", "const buffering: Bool = false")
}

const TEST: &str = "litmus/mpi/eager-head-to-head.litmus";

/// Runs a test that violates the planted specification, and one that does not, in a folder of the call's own.
fn run(dir: &Path, target: &str, more: &[&str]) -> Said {
    let root = root().canonicalize().expect("the repository");
    let tests = [TEST, "litmus/mpi/order-same-tag.litmus"].map(|t| root.join(t).display().to_string());
    let spec = dir.join("mpi/mpi.spec").display().to_string();
    let fixed = ["run", &tests[0], &tests[1], "--spec", &spec, "--target", target, "--sizes", "8", "--time", "30"];
    litmpi_in(dir, fixed.iter().chain(more))
}

fn exists(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output().is_ok();
    if !found {
        println!("skipped: there is no `{program}`");
    }
    found
}

#[test]
fn a_new_violation_turns_a_run_red_and_one_that_was_written_down_does_not() {
    for target in here(&["openmpi", "mpich"]) {
        let dir = unbuffered();
        let green = |said: &Said, code: i32| {
            said.exits(code);
        };
        green(&run(dir.path(), target, &["--fail-on", "never"]), 0);
        let red = run(dir.path(), target, &["--fail-on", "new", "--report", "junit=red.xml"]);
        red.exits(1).says(&format!("conforms? NO: 1 new violation (eager-head-to-head on {target})"));
        red.says("  new      nothing of this is known");
        let add =
            ["known", "add", "-E", "test(eager-*)", "--says", "it buffers", "--ticket", "T-7", "--clause", "§3.4"];
        litmpi_in(dir.path(), add).exits(0).says("1 entries were added to litmpi-known.toml, for 1 results");
        // The file of the folder is read without being named.
        let said = run(dir.path(), target, &["--fail-on", "new", "--json", "--report", "junit=green.xml"]);
        let json = said.exits(0).json();
        let bad = &json.as_array().expect("a list").iter().find(|r| r["verdict"] == "violation").expect("it is told");
        let known = &bad["known"][0];
        assert_eq!(
            [&known["says"], &known["ticket"], &known["clause"], &known["version"]],
            ["it buffers", "T-7", "§3.4", "seen"]
        );
        assert!(known["entry"].as_str().is_some_and(|e| e.starts_with("litmpi-known.toml:")), "{known:#}");
        assert!(bad.get("new").is_none(), "{bad:#}");
        green(&run(dir.path(), target, &[]), 1);
        run(dir.path(), target, &["--fail-on", "new"])
            .exits(0)
            .says("VIOLATION (known) eager-head-to-head")
            .says("it buffers; T-7");
        // A filter leaves out what is known, on the target where it is.
        run(dir.path(), target, &["-E", "not known()"])
            .exits(0)
            .says("conforms? yes, as far as was seen; 1 result of 1 test");
        run(dir.path(), target, &["-E", "none()"]).exits(4).says("the filter takes none of 2 tests");
        let (red, green) = (dir.path().join("red.xml"), dir.path().join("green.xml"));
        let text = |p: &Path| std::fs::read_to_string(p).expect("a report");
        assert!(text(&red).contains("<failure ") && !text(&green).contains("<failure "), "{}", text(&green));
        assert!(text(&green).contains("type=\"known\""), "{}", text(&green));
        if exists("xmllint") {
            let schema = root().join("schemas/junit.xsd");
            let said = Command::new("xmllint").arg("--noout").arg("--schema").arg(schema).args([red, green]).output();
            let said = said.expect("xmllint runs");
            assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        }
    }
}

#[test]
fn what_is_said_to_be_mended_and_shows_all_the_same_is_new() {
    for target in here(&["openmpi"]) {
        let dir = unbuffered();
        run(dir.path(), target, &["--no-retry"]).exits(1);
        let add =
            ["known", "add", "--says", "it buffers", "--ticket", "T-7", "--seen", "1.0 to 1.8", "--mended", "1.9"];
        litmpi_in(dir.path(), add).exits(0);
        let said = run(dir.path(), target, &["--fail-on", "new", "--no-retry"]);
        said.exits(1)
            .says("said to be mended in 1.9; this version still has it, so it counts as new")
            .says("conforms? NO: 1 new");
        // Written down again, the new entry stands behind that one, which counts: the user mends the file.
        litmpi_in(dir.path(), ["known", "list"])
            .exits(0)
            .says("Open MPI 1.0 to 1.8, said to be mended in 1.9: it buffers");
    }
}

/// Programs that nobody has named: one that shows a bug of MPICH 4.0.2, and one that cancels a send.
const UNNAMED: [(&str, &str); 2] = [
    (
        "lists.litmus",
        "litmus mpi lists \"a persistent broadcast that is looked for in a list\"
rank 0 {
  int x = 4
  MPI_Bcast_init(x, root: 0, request: q)
  MPI_Start(q)
  MPI_Testall([q], flag: _f)
  MPI_Waitall([q])
}
rank 1 {
  MPI_Bcast_init(y, root: 0, request: q)
  MPI_Start(q)
  MPI_Wait(q)
}
exists y = 4
",
    ),
    (
        "cancels.litmus",
        "litmus mpi cancels \"a send that is cancelled beside one that is received\"
rank 0 {
  MPI_Isend(3, dest: 1, tag: 4, request: r)
  MPI_Issend(1, dest: 1, request: q)
  MPI_Cancel(q)
  MPI_Wait(q)
  MPI_Wait(r)
}
rank 1 {
  MPI_Recv(y, source: 0, tag: 4)
}
exists y = 3
",
    ),
];

#[test]
fn what_is_known_by_calls_is_known_of_programs_that_nobody_has_named_and_nothing_else_is() {
    for target in here(&["mpich"]) {
        let dir = folder(&UNNAMED);
        let args = ["run", "lists.litmus", "cancels.litmus", "--target", target, "--sizes", "8", "--time", "40"];
        let said = litmpi_in(dir.path(), args.iter().chain(&["--patience", "3", "--progress", "both", "--json"]));
        let json = said.json();
        let all = json.as_array().expect("results");
        if all.iter().any(|r| !r["library"].as_str().is_some_and(|l| l.contains("4.0.2"))) {
            return;
        }
        assert_eq!(all.len(), 4, "{said}");
        for r in all {
            assert_eq!((r["verdict"].as_str(), r.get("new")), (Some("violation"), None), "{r:#}");
        }
        // The entry that would have it says another call, another maker of the request, or another error.
        let entry = |at: &str, of: &str, outcome: &str| {
            format!(
                "[[known]]\nat = [\"{at}\"]\nof = [\"{of}\"]\nlibrary = \"MPICH\"\nseen = \"4.0.2\"\n\
                 outcomes = [\"{outcome}\"]\nsays = \"ours\"\nticket = \"T-9\"\n"
            )
        };
        let results = at(&dir, "litmpi-out/results.jsonl");
        for (at, of, outcome, is_it) in [
            ("MPI_Testall", "MPI_Bcast_init|MPI_Barrier_init", "error MPI_ERR_IN_STATUS", true),
            ("MPI_Waitall", "MPI_Bcast_init", "error MPI_ERR_IN_STATUS", false),
            ("MPI_Testall", "MPI_Irecv", "error MPI_ERR_IN_STATUS", false),
            ("MPI_Testall", "MPI_Bcast_init", "error MPI_ERR_TRUNCATE", false),
        ] {
            std::fs::write(dir.path().join("own.toml"), entry(at, of, outcome)).expect("it is written");
            let args = ["report", &results, "--known", "own.toml", "--output", "page.html"];
            litmpi_in(dir.path(), args).exits(0);
            let page = std::fs::read_to_string(dir.path().join("page.html")).expect("a page");
            assert_eq!(page.contains("ours; T-9"), is_it, "{at} {of} {outcome}");
        }
    }
}

/// A program whose statuses MPICH 4.0.2 gives an error that they are not to have.
const STATUSES: (&str, &str) = (
    "statuses.litmus",
    "litmus mpi statuses \"who asks for one message leaves the error of its status\"
rank 0 {
  int b = 1
  MPI_Sendrecv_replace(buf: b, dest: 1, source: 1, status: x)
  MPI_Get_count(status: x, count: n)
  MPI_Irecv(c, source: 1, tag: 3, request: r)
  MPI_Waitall([r], array_of_statuses: [y])
}
rank 1 {
  int b = 2
  MPI_Sendrecv_replace(buf: b, dest: 0, source: 0)
  MPI_Send(1, dest: 0, tag: 3)
}
locations x.error y.error n
exists true
",
);

/// What a library of this version makes of a program: one result, a violation that is known. Nothing, if another version is here.
fn known_violation(dir: &TempDir, program: &str, target: &str, version: &str) -> Option<Value> {
    let args = ["run", program, "--target", target, "--sizes", "8", "--time", "40", "--json"];
    let said = litmpi_in(dir.path(), args);
    let json = said.json();
    let all = json.as_array().expect("results");
    if all.iter().any(|r| !r["library"].as_str().is_some_and(|l| l.contains(version))) {
        return None;
    }
    assert_eq!((all.len(), all[0]["verdict"].as_str(), all[0].get("new")), (1, Some("violation"), None), "{said}");
    all.first().cloned()
}

#[test]
fn a_field_that_a_call_overwrites_is_known_of_any_program_in_which_no_other_call_writes_its_register() {
    for target in here(&["mpich"]) {
        let dir = folder(&[STATUSES]);
        let args = ["run", "statuses.litmus", "--target", target, "--sizes", "8", "--time", "40", "--json"];
        let said = litmpi_in(dir.path(), args);
        let json = said.json();
        let all = json.as_array().expect("results");
        if all.iter().any(|r| !r["library"].as_str().is_some_and(|l| l.contains("4.0.2"))) {
            return;
        }
        for r in all {
            assert_eq!((r["verdict"].as_str(), r.get("new")), (Some("violation"), None), "{r:#}");
        }
        // All calls that write the register are to be named, and the value; who reads it need not.
        let results = at(&dir, "litmpi-out/results.jsonl");
        let all = "\"MPI_Sendrecv_replace\", \"MPI_Waitall\"";
        for (at, outcome, is_it) in [
            (format!("{all}, \"MPI_Get_count\""), ".error=0", true),
            (all.to_owned(), ".error=0", true),
            (format!("{all}, \"MPI_Get_count\""), ".error=1", false),
            (format!("{all}, \"MPI_Get_count\""), ".tag=0", false),
            ("\"MPI_Sendrecv_replace\", \"MPI_Get_count\"".to_owned(), ".error=0", false),
        ] {
            let entry = format!(
                "[[known]]\nat = [{at}]\nlibrary = \"MPICH\"\nseen = \"4.0.2\"\noutcomes = [\"{outcome}\"]\n\
                 says = \"ours\"\nticket = \"T-9\"\n"
            );
            std::fs::write(dir.path().join("own.toml"), entry).expect("it is written");
            litmpi_in(dir.path(), ["report", &results, "--known", "own.toml", "--output", "page.html"]).exits(0);
            let page = std::fs::read_to_string(dir.path().join("page.html")).expect("a page");
            assert_eq!(page.contains("ours; T-9"), is_it, "{at} {outcome}");
        }
    }
}

/// A program in which both neighbours of a process are one, so that both libraries exchange what comes from them.
const RING: (&str, &str) = (
    "ring.litmus",
    "litmus mpi ring \"what is sent to the left comes from the right\"
rank 0 {
  int x[2] = {1, 2}
  int r[2]
  MPI_Cart_create(dims: [2], periods: [1], newcomm: c)
  MPI_Ineighbor_alltoallv(x, sendcounts: [1, 1], sdispls: [0, 1], recvbuf: r, recvcounts: [1, 1], rdispls: [0, 1], comm: c, request: q)
  MPI_Wait(q)
}
rank 1 {
  int y[2] = {3, 4}
  int s[2]
  MPI_Cart_create(dims: [2], periods: [1], newcomm: c)
  MPI_Ineighbor_alltoallv(y, sendcounts: [1, 1], sdispls: [0, 1], recvbuf: s, recvcounts: [1, 1], rdispls: [0, 1], comm: c, request: q)
  MPI_Wait(q)
}
locations r[0] r[1] s[0] s[1]
exists true
",
);

#[test]
fn values_in_each_others_places_are_known_of_any_program_in_which_no_other_call_has_their_array() {
    for (target, library, version) in [("openmpi", "Open MPI", "4.1.4"), ("mpich", "MPICH", "4.0.2")] {
        if here(&[target]).is_empty() {
            continue;
        }
        let dir = folder(&[RING]);
        if known_violation(&dir, "ring.litmus", target, version).is_none() {
            continue;
        }
        let results = at(&dir, "litmpi-out/results.jsonl");
        let (all, ring) = ("MPI_Ineighbor_alltoallv", "MPI_Cart_create[dims=2, periods=1]");
        let entry = |at: &str, of: &str, outcome: &str, says: &str| {
            format!(
                "[[known]]\nat = [\"{at}\"]\nof = [\"{of}\"]\nlibrary = \"{library}\"\nseen = \"{version}\"\n\
                 outcomes = [\"{outcome}\"]\nsays = \"{says}\"\nticket = \"T-9\"\n"
            )
        };
        // The first entry that has it counts. None of these has.
        let others: String = [
            (all, "MPI_Cart_create[dims=3, periods=1]|MPI_Cart_create[dims=2, periods=0]", "exchanged"),
            (all, "MPI_Cart_sub", "exchanged"),
            ("MPI_Ineighbor_alltoallw", ring, "exchanged"),
            (all, ring, ".error=0"),
            (all, ring, "deadlock"),
        ]
        .map(|(at, of, outcome)| entry(at, of, outcome, "theirs"))
        .concat();
        for of in [ring, "MPI_Cart_create[periods=1]"] {
            let text = format!("{others}{}", entry(all, of, "exchanged", "ours"));
            std::fs::write(dir.path().join("own.toml"), text).expect("it is written");
            litmpi_in(dir.path(), ["report", &results, "--known", "own.toml", "--output", "page.html"]).exits(0);
            let page = std::fs::read_to_string(dir.path().join("page.html")).expect("a page");
            assert!(page.contains("ours; T-9") && !page.contains("theirs; T-9"), "{of}");
        }
    }
}

/// A program whose flag Open MPI sets, and to which nothing else is wrong.
const NO_OP: (&str, &str) = (
    "no-op.litmus",
    "litmus mpi no-op \"the first operand, or the second\"
rank 0 {
  MPI_Op_commutative(MPI_NO_OP, f)
  MPI_Op_commutative(MPI_SUM, g)
}
locations f g
exists true
",
);

#[test]
fn what_a_call_leaves_in_a_register_is_known_of_any_program_in_which_no_other_call_has_it() {
    if here(&["openmpi"]).is_empty() {
        return;
    }
    let dir = folder(&[NO_OP]);
    if known_violation(&dir, "no-op.litmus", "openmpi", "4.1.4").is_none() {
        return;
    }
    let results = at(&dir, "litmpi-out/results.jsonl");
    for (at, outcome, is_it) in
        [("MPI_Op_commutative", "=1", true), ("MPI_Op_commutative", "=0", false), ("MPI_Op_create", "=1", false)]
    {
        let entry = format!(
            "[[known]]\nat = [\"{at}\"]\nlibrary = \"Open MPI\"\nseen = \"4.1.4\"\noutcomes = [\"{outcome}\"]\n\
             says = \"ours\"\nticket = \"T-9\"\n"
        );
        std::fs::write(dir.path().join("own.toml"), entry).expect("it is written");
        litmpi_in(dir.path(), ["report", &results, "--known", "own.toml", "--output", "page.html"]).exits(0);
        let page = std::fs::read_to_string(dir.path().join("page.html")).expect("a page");
        assert_eq!(page.contains("ours; T-9"), is_it, "{at} {outcome}");
    }
}

/// A program in which MPICH puts beside a window that begins within an array, and gets what stands there.
const WITHIN: (&str, &str) = (
    "within.litmus",
    "litmus mpi within \"a window of the last two of three elements\"
rank 0 {
  int x[3] = {1, 2, 3}
  MPI_Win_create(x[1], size: 2, win: w)
  MPI_Win_fence(win: w)
  MPI_Win_fence(win: w)
  r := x[1]
  MPI_Win_fence(win: w)
  MPI_Win_free(w)
}
rank 1 {
  int y = 5
  int c = 6
  MPI_Win_create(y, win: w)
  MPI_Win_fence(win: w)
  MPI_Put(7, target_rank: 0, win: w)
  MPI_Win_fence(win: w)
  MPI_Get(c, target_rank: 0, target_disp: 1, win: w)
  MPI_Win_fence(win: w)
  MPI_Win_free(w)
}
locations r x[0] x[1] x[2] c y
exists true
",
);

/// A graph of which MPICH brings one process what comes of the second of its sources alone.
const GRAPH: (&str, &str) = (
    "graph.litmus",
    "litmus mpi graph \"two sources, and one destination\"
rank 0 {
  int a = 1
  MPI_Dist_graph_create_adjacent(sources: [], destinations: [1], newcomm: c)
  MPI_Ineighbor_alltoallw(a, [1], [0], [MPI_INT], b, [], [], [], c, q)
  MPI_Wait(q)
}
rank 1 {
  int d = 2
  int r[2] = {8, 9}
  MPI_Dist_graph_create_adjacent(sources: [0, 1], destinations: [1], newcomm: c)
  MPI_Ineighbor_alltoallw(d, [1], [0], [MPI_INT], r, [1, 1], [0, 1], [MPI_INT, MPI_INT], c, q)
  MPI_Wait(q)
}
locations r[0] r[1]
exists true
",
);

/// A send that MPICH does not cancel, so that the wait for it never ends.
const SOME: (&str, &str) = (
    "some.litmus",
    "litmus mpi some \"a wait for one of some\"
rank 0 {
  MPI_Issend(1, dest: 1, request: q)
  MPI_Cancel(q)
  MPI_Waitsome([q], n, [i])
}
rank 1 {
}
locations n i
exists true
",
);

/// A program that asks MPICH twice for a persistent collective that is not active.
const INACTIVE: (&str, &str) = (
    "inactive.litmus",
    "litmus mpi inactive \"a persistent broadcast that was not started, and one that is done\"
rank 0 {
  int a = 1
  MPI_Bcast_init(a, root: 0, request: q)
  MPI_Test(q, f, s)
  MPI_Get_count(s, count: n)
  MPI_Start(q)
  MPI_Wait(q)
  MPI_Testany([q], index: i, flag: g)
}
rank 1 {
  int b = 2
  MPI_Bcast_init(b, root: 0, request: q)
  MPI_Start(q)
  MPI_Wait(q)
}
locations f s.source n i g
exists true
",
);

/// The last entry of a file counts if none of those before it has what came.
fn is_taken(dir: &TempDir, others: &[String], ours: &str) -> bool {
    std::fs::write(dir.path().join("own.toml"), format!("{}{ours}", others.concat())).expect("it is written");
    let results = at(dir, "litmpi-out/results.jsonl");
    litmpi_in(dir.path(), ["report", &results, "--known", "own.toml", "--output", "page.html"]).exits(0);
    let page = std::fs::read_to_string(dir.path().join("page.html")).expect("a page");
    page.contains("ours; T-9") && !page.contains("theirs; T-9")
}

#[test]
fn what_comes_of_windows_of_persistent_collectives_of_graphs_and_of_cancelled_sends_is_known_of_any_program() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let entry = |more: &str, outcomes: &str, says: &str| {
        format!(
            "[[known]]\n{more}\nlibrary = \"MPICH\"\nseen = \"4.0.2\"\noutcomes = [{outcomes}]\nsays = \"{says}\"\n\
             ticket = \"T-9\"\n"
        )
    };
    let (windows, asks) = ("at = [\"MPI_Win_create\", \"MPI_Get\"]", "at = [\"MPI_Test\", \"MPI_Testany\"]");
    let within = "of = [\"MPI_Win_create[base>0]\"]";
    let (exchange, waits) = ("at = [\"MPI_Ineighbor_alltoallw\"]", "at = [\"MPI_Waitsome\"]");
    for (program, ours, others) in [
        (
            WITHIN,
            (format!("{windows}\n{within}"), "\"elements\""),
            vec![
                (format!("{windows}\nof = [\"MPI_Put[origin_addr>0]\"]"), "\"elements\""),
                (format!("{windows}\n{within}"), "\"exchanged\""),
                (format!("{windows}\n{within}\nwithout = [\"MPI_Win_create\"]"), "\"elements\""),
                (format!("at = [\"MPI_Win_create\"]\n{within}"), "\"elements\""),
                (format!("at = [\"MPI_Get\"]\n{within}"), "\"elements\""),
            ],
        ),
        (
            INACTIVE,
            (format!("{asks}\nof = [\"MPI_Bcast_init\"]"), "\"=0\", \".source=0\""),
            vec![
                (format!("{asks}\nof = [\"MPI_Bcast_init\"]"), "\"=0\""),
                (format!("{asks}\nof = [\"MPI_Bcast_init\"]"), "\"deadlock\""),
                (format!("{asks}\nof = [\"MPI_Bcast_init\"]\nwithout = [\"MPI_Start\"]"), "\"=0\", \".source=0\""),
                (format!("{asks}\nof = [\"MPI_Ibcast\"]"), "\"=0\", \".source=0\""),
                ("at = [\"MPI_Test\"]".to_owned(), "\"=0\", \".source=0\""),
            ],
        ),
        (
            GRAPH,
            (format!("{exchange}\nof = [\"MPI_Dist_graph_create_adjacent\"]"), "\"elements\""),
            vec![
                (format!("{exchange}\nof = [\"MPI_Dist_graph_create_adjacent\"]"), "\"exchanged\""),
                (format!("{exchange}\nof = [\"MPI_Graph_create\"]"), "\"elements\""),
                ("at = [\"MPI_Neighbor_alltoallw\"]".to_owned(), "\"elements\""),
            ],
        ),
        (
            SOME,
            (format!("{waits}\nof = [\"MPI_Cancel\", \"MPI_Issend\"]"), "\"deadlock\""),
            vec![
                (format!("{waits}\nof = [\"MPI_Cancel\", \"MPI_Irecv\"]"), "\"deadlock\""),
                (format!("{waits}\nof = [\"MPI_Cancel\"]"), "\"error MPI_ERR_OTHER\""),
                ("at = [\"MPI_Wait\"]".to_owned(), "\"deadlock\""),
            ],
        ),
    ] {
        let dir = folder(&[program]);
        if known_violation(&dir, program.0, "mpich", "4.0.2").is_none() {
            return;
        }
        let others: Vec<String> = others.iter().map(|(more, outcomes)| entry(more, outcomes, "theirs")).collect();
        assert!(is_taken(&dir, &others, &entry(&ours.0, ours.1, "ours")), "{}", program.0);
    }
}

/// A program that shows two things that are known of Open MPI.
const BOTH: (&str, &str) = (
    "both.litmus",
    "litmus mpi both \"two calls of which each leaves something wrong\"
rank 0 {
  MPI_Op_commutative(MPI_NO_OP, f)
  MPI_Group_translate_ranks(MPI_GROUP_EMPTY, [MPI_PROC_NULL], MPI_GROUP_EMPTY, [r])
}
locations f r
exists true
",
);

#[test]
fn two_known_violations_in_one_program_are_both_known() {
    if here(&["openmpi"]).is_empty() {
        return;
    }
    let dir = folder(&[BOTH]);
    let Some(result) = known_violation(&dir, "both.litmus", "openmpi", "4.1.4") else { return };
    let says: Vec<&str> = result["known"].as_array().expect("two").iter().filter_map(|k| k["says"].as_str()).collect();
    assert_eq!(says.len(), 2, "{result:#}");
    let all = "MPI_Op_commutative MPI_Group_translate_ranks";
    assert!(all.split(' ').all(|call| says.iter().any(|s| s.contains(call))), "{says:?}");
}

#[test]
fn an_entry_that_would_have_what_it_does_not_mean_is_refused() {
    let rest = "library = \"MPICH\"\nseen = \"4.0.2\"\nsays = \"x\"\nticket = \"y\"\n";
    for (head, why) in [
        (
            "at = [\"MPI_Wait\"]\noutcomes = [\"values\"]",
            "what is known by calls is `error MPI_ERR_…`, `deadlock`, a field",
        ),
        (
            "at = [\"MPI_Wait\"]\noutcomes = [\"error\"]",
            "what is known by calls is `error MPI_ERR_…`, `deadlock`, a field",
        ),
        (
            "at = [\"MPI_Wait\"]\noutcomes = [\"x=1\"]",
            "what is known by calls is `error MPI_ERR_…`, `deadlock`, a field",
        ),
        ("tests = [\"a\"]\noutcomes = [\".error=0\"]", "is known by `at`, the functions that have it"),
        ("at = [\"MPI_Wiat\"]\noutcomes = [\"deadlock\"]", "there is no function `MPI_Wiat`"),
        (
            "at = [\"MPI_Wait\"]\nof = [\"MPI_Isend|MPI_Isned\"]\noutcomes = [\"deadlock\"]",
            "there is no function `MPI_Isned`",
        ),
        ("tests = [\"a\"]\noutcomes = [\"exchanged\"]", "is known by `at`, the functions that have it"),
        (
            "at = [\"MPI_Wait\"]\nof = [\"MPI_Cart_create[dim=2]\"]\noutcomes = [\"exchanged\"]",
            "there is no function `MPI_Cart_create[dim=2]`",
        ),
        (
            "at = [\"MPI_Wait\"]\nof = [\"MPI_Cart_create[dims=2\"]\noutcomes = [\"exchanged\"]",
            "there is no function `MPI_Cart_create[dims=2`",
        ),
        ("tests = [\"a\"]\noutcomes = [\"elements\"]", "is known by `at`, the functions that have it"),
        (
            "at = [\"MPI_Put\"]\nof = [\"MPI_Win_create[size>0]\"]\noutcomes = [\"elements\"]",
            "there is no function `MPI_Win_create[size>0]`",
        ),
        (
            "at = [\"MPI_Wait\"]\nwithout = [\"MPI_Satrt\"]\noutcomes = [\"deadlock\"]",
            "there is no function `MPI_Satrt`",
        ),
        (
            "tests = [\"a\"]\nwithout = [\"MPI_Start\"]\noutcomes = [\"deadlock\"]",
            "`without` says more of the calls of `at`",
        ),
        ("of = [\"MPI_Isend\"]\noutcomes = [\"deadlock\"]", "which tests show it, or in which calls"),
        ("tests = []\noutcomes = [\"deadlock\"]", "which tests show it, or in which calls"),
        ("tests = [\"a\"]\nof = [\"MPI_Isend\"]\noutcomes = [\"deadlock\"]", "`of` says more of the calls of `at`"),
        ("tests = [\"a\"]\noutcomes = []", "an entry says which outcomes it shows"),
        ("test = [\"a\"]\noutcomes = [\"deadlock\"]", "test"),
    ] {
        let dir = folder(&[("own.toml", &format!("[[known]]\n{head}\n{rest}"))]);
        let said = litmpi_in(dir.path(), ["known", "list", "--known", "own.toml"]);
        said.exits(2).says(why).says("own.toml:");
    }
    // Names under which nothing would ever be known.
    let whole = format!("[[known]]\ntests = [\"a\"]\ntargets = [\"mpich-tcp\"]\noutcomes = [\"deadlock\"]\n{rest}");
    for (from, to, likely) in [("mpich-tcp", "mpich-tpc", "mpich-tcp"), ("\"MPICH\"", "\"MPCIH\"", "MPICH")] {
        let dir = folder(&[("own.toml", &whole), ("wrong.toml", &whole.replace(from, to))]);
        litmpi_in(dir.path(), ["known", "list", "--known", "own.toml"]).exits(0);
        let said = litmpi_in(dir.path(), ["known", "list", "--known", "wrong.toml"]);
        said.exits(2).says("wrong.toml:").says(&format!("did you mean `{likely}`?"));
    }
}

#[test]
fn nothing_is_written_down_where_there_is_nothing_new() {
    let dir = folder(&[("litmpi-out/results.jsonl", "")]);
    let add = ["known", "add", "--says", "x", "--ticket", "y"];
    litmpi_in(dir.path(), add).exits(4).says("there is no violation among the results");
    litmpi_in(dir.path(), add.iter().chain(&["--from", "absent.jsonl"])).exits(2).says("absent.jsonl");
    litmpi_in(dir.path(), add.iter().chain(&["-E", "call(MPI_Send)"])).exits(2).says("`call()` says nothing here");
    assert!(!dir.path().join("litmpi-known.toml").exists());
}

#[test]
fn a_filter_lists_tests_by_name_by_call_and_by_what_is_known() {
    let names = |filter: &str| -> Vec<String> {
        let said = litmpi_in(&root(), ["list", "litmus/mpi", "--json", "-E", filter]);
        let json = said.exits(0).json();
        json.as_array().expect("a list").iter().map(|r| r["test"].as_str().expect("a name").to_owned()).collect()
    };
    assert_eq!(names("known() and test(null-irecv)"), ["null-irecv"]);
    let fences = names("call(MPI_Win_fence) and test(rma-*) and not known()");
    assert!(!fences.is_empty() && fences.iter().all(|n| n.starts_with("rma-")), "{fences:?}");
    litmpi_in(&root(), ["list", "litmus/mpi", "-E", "test(=null-irecv)"])
        .exits(0)
        .says("null-irecv\tlitmus/mpi/null-irecv.litmus\ta nonblocking receive from MPI_PROC_NULL");
    litmpi_in(&root(), ["list", "litmus/mpi", "-E", "test(null-irecv) nad known()"]).exits(2).says("the filter:1:18");
    litmpi_in(&root(), ["list", "litmus/mpi", "-E", "target(mpich)"]).exits(2).says("`target()` says nothing here");
    litmpi_in(&root(), ["list", "litmus/mpi", "-E", "none()"]).exits(4);
}

/// Whether a value has the form that a schema asks for; if not, why.
fn fits(schema: &str, value: &Value) -> Result<(), String> {
    let text = std::fs::read_to_string(root().join("schemas").join(schema)).expect("a schema");
    let schema: Value = serde_json::from_str(&text).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    validator.validate(value).map_err(|e| format!("{}: {e}", e.instance_path))
}

#[test]
fn the_schema_of_results_is_that_of_the_source() {
    let schema = schemars::schema_for!(Vec<litmpi_runner::RunResult>);
    let mut schema = serde_json::to_value(schema).expect("JSON");
    schema["$id"] = format!("https://litmpi.invalid/schemas/results-{}.json", litmpi_runner::RESULT_SCHEMA).into();
    schema["title"] = "What `litmpi run --json` writes; each line of results.jsonl is one element".into();
    let text = format!("{schema:#}\n");
    let path = root().join("schemas/results.json");
    if std::env::var_os("LITMPI_ACCEPT").is_some() {
        std::fs::write(&path, &text).expect("it is written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        there == text,
        "schemas/results.json is another one: LITMPI_ACCEPT=1 writes it; raise RESULT_SCHEMA if a field went"
    );
}

#[test]
fn what_commands_write_has_the_form_of_their_schemas() {
    let dir = folder(&[]);
    for target in here(&["mpich"]) {
        let files = ["litmus/mpi/null-irecv.litmus", "litmus/mpi/order-causal.litmus"];
        let out = at(&dir, "out");
        let fixed = ["--target", target, "--sizes", "8", "--time", "30", "--json", "--out", &out];
        let said = litmpi_in(&root(), ["run"].iter().chain(&files).chain(&fixed));
        let all = said.json();
        fits("results.json", &all).unwrap_or_else(|e| panic!("{e}\n{said}"));
        let lines = std::fs::read_to_string(dir.path().join("out/results.jsonl")).expect("results");
        for line in lines.lines() {
            let result: Value = serde_json::from_str(line).expect("JSON");
            fits("results.json", &Value::Array(vec![result])).unwrap_or_else(|e| panic!("{e}\n{line}"));
        }
        let mut wrong = all.clone();
        wrong[0]["iterations"] = "many".into();
        assert!(fits("results.json", &wrong).is_err_and(|e| e.contains("iterations")));
    }
    for (schema, args) in [
        ("list.json", &["list", "litmus/mpi", "-E", "test(null-*)", "--json"][..]),
        ("list.json", &["list", "spec/cpu", "--models", "--json"]),
        ("list.json", &["list", "litmus/x86", "--refused", "--json"]),
        ("enumerate.json", &["enumerate", "litmus/x86/MP+pointer.litmus", "--json"]),
        ("known.json", &["known", "list", "--json"]),
        ("targets.json", &["targets", "--json"]),
        (
            "enumerate.json",
            &["enumerate", "litmus/mpi/order-causal.litmus", "litmus/rdma/MP1.litmus", "--depends", "--json"],
        ),
        ("enumerate.json", &["enumerate", "litmus/mpi/erroneous-rsend-always.litmus", "--json"]),
        ("enumerate.json", &["enumerate", "litmus/mpi/order-causal.litmus", "--random", "20", "--json"]),
        ("enumerate.json", &["enumerate", "litmus/rdma/MP1.litmus", "--model", "rdma-tso.cat", "--json"]),
        ("check.json", &["check", "litmus/mpi/order-causal.litmus", "litmus/rdma/MP1.litmus", "--json"]),
        (
            "compare.json",
            &["compare", "litmus/rdma/Fig3e.litmus", "--model", "rdma-tso,rdma-tso-no-pcie.cat,mpi", "--json"],
        ),
        ("explain.json", &["explain", "litmus/mpi/order-causal.litmus", "--json"]),
        (
            "explain.json",
            &[
                "explain",
                "litmus/mpi/eager-head-to-head.litmus",
                "--model",
                "mpi:rendezvous",
                "--outcome",
                "deadlock",
                "--json",
            ],
        ),
        ("explain.json", &["explain", "litmus/rdma/MP1.litmus", "litmus/mpi/order-same-tag.litmus", "--json"]),
        ("explain.json", &["explain", "litmus/rdma/MP1.litmus", "--model", "rdma-tso.cat", "--json"]),
        ("coverage.json", &["coverage", "litmus/rdma/MP1.litmus", "--json"]),
        ("claims.json", &["claims", "litmus/mpi/order-causal.litmus", "--states", "40", "--json"]),
        ("laws.json", &["laws", "--law", "sendrecv", "--most", "3", "--random", "1", "--json"]),
        ("robust.json", &["robust", "litmus/rdma/2+2W3.litmus", "litmus/mpi/order-causal.litmus", "--json"]),
        ("mend.json", &["mend", "litmus/rdma/2+2W3.litmus", "litmus/mpi/order-causal.litmus", "--json"]),
        ("distinguish.json", &["distinguish", "rdma-tso.cat", "rdma-tso-no-pcie.cat", "--size", "3", "--json"]),
        ("mutate.json", &["mutate", "litmus/rdma/MP1.litmus", "--of", "wires", "--json"]),
    ] {
        let said = litmpi_in(&root(), args);
        // Random walks decide nothing; what is forbidden, or not covered, is told by the exit code.
        let bad = match schema {
            "explain.json" => args.iter().any(|a| a.contains("MP1")),
            schema => ["coverage.json", "mutate.json"].contains(&schema),
        };
        let code = match schema {
            "enumerate.json" if args.contains(&"--random") => 3,
            // One of the files is of another family, and is left out.
            "robust.json" | "mend.json" => 2,
            _ => bad.into(),
        };
        said.exits(code);
        fits(schema, &said.json()).unwrap_or_else(|e| panic!("{schema}: {e}\n{said}"));
        assert!(fits(schema, &serde_json::json!([{ "nothing": 1 }])).is_err(), "{schema} takes anything");
    }
}

#[test]
fn a_run_that_was_ended_is_gone_on_with_by_the_same_command() {
    use std::time::{Duration, Instant};
    for target in here(&["openmpi"]) {
        let dir = folder(&[]);
        let root = root().canonicalize().expect("the repository");
        let files: Vec<String> = ["order-same-tag", "coll-bcast-values", "sendrecv-ring"]
            .iter()
            .map(|t| root.join(format!("litmus/mpi/{t}.litmus")).display().to_string())
            .collect();
        let fixed = ["--target", target, "--sizes", "8", "--time", "1500"];
        let args: Vec<&str> = ["run"].into_iter().chain(files.iter().map(String::as_str)).chain(fixed).collect();
        let mut child = Command::new(crate::command::binary())
            .args(&args)
            .current_dir(dir.path())
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .expect("litmpi starts");
        let results = dir.path().join("litmpi-out/results.jsonl");
        let lines = || std::fs::read_to_string(&results).unwrap_or_default().lines().count();
        let since = Instant::now();
        // A result is there as soon as its test has ended, not when the launch has.
        while lines() == 0 && since.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().and_then(|()| child.wait()).expect("it was killed");
        let had = lines();
        assert!((1..3).contains(&had), "{had} results of 3 were there");
        // Another command does not take them up, and does not lose them either.
        litmpi_in(dir.path(), ["run", &files[0], "--target", target, "--sizes", "64", "--time", "30"]).exits(0);
        let said = litmpi_in(dir.path(), &args);
        said.exits(0)
            .says(&format!("{had} results are taken up from litmpi-out/results-1.jsonl"))
            .says("3 results: 3 conforms");
        let again = litmpi_in(dir.path(), &args);
        assert!(
            !again.exits(0).stderr.contains("are taken up"),
            "a run that has come to its end is not gone on with\n{again}"
        );
    }
}
