//! MPI against itself: laws hold on generated programs, wrong laws and wrong rules are found (mpi-2-formal-spec §4.11).

use crate::command::{litmpi, root};
use crate::planted::planted;
use crate::support::{folder, litmpi_in};

const FEW: [&str; 6] = ["--bound", "1", "--most", "8", "--random", "1"];

#[test]
fn the_laws_of_mpi_hold_on_generated_programs_and_the_wrong_ones_are_refuted() {
    let out = litmpi(&[&["laws", "--json"], &FEW[..]].concat());
    assert_eq!(out.status.code(), Some(0), "{}", String::from_utf8_lossy(&out.stdout));
    let found: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let found = found.as_array().expect("laws");
    let wrong: Vec<_> = found.iter().filter(|f| f["wrong"] == true).collect();
    assert!(found.len() > 80 && wrong.len() > 6, "{} laws, {} wrong", found.len(), wrong.len());
    assert!(wrong.iter().all(|f| f["refuted"].is_object()));
    assert!(found.iter().filter(|f| f["wrong"] == false).all(|f| f["generated"].as_u64() > Some(0)));
}

#[test]
fn the_laws_of_mpi_hold_on_tests_of_the_library() {
    let tests =
        ["eager-head-to-head", "sendrecv-ring", "coll-bcast-race", "wait-all-exchange", "topo-does-not-change-results"];
    let files = tests.map(|t| format!("litmus/mpi/{t}.litmus"));
    let mut args: Vec<&str> = vec!["laws", "--bound", "0", "--random", "0", "--most", "1"];
    args.extend(files.iter().map(String::as_str));
    args.extend(["--law", "blocking", "--law", "sendrecv", "--law", "bcast", "--law", "waitall", "--law", "topology"]);
    let said = litmpi_in(&root(), args);
    said.exits(0).says("laws are as they say");
}

#[test]
fn a_wrong_law_is_refuted_by_a_program_from_which_nothing_can_be_left_out() {
    let law = "laws mpi \"of one's own\"\nlaw ordered \"two sends may change places\"\n  one MPI_Send where tag = 1 ≃ { MPI_Send(…, tag: 2) }\npiece p { rank A { MPI_Send(1, dest: B, tag: 1) MPI_Barrier() }  rank B { MPI_Recv(x, source: A, tag: 1) MPI_Barrier() } }\n";
    let dir = folder(&[("own.laws", law)]);
    litmpi_in(dir.path(), ["laws", "--laws", "own.laws", "--bound", "0", "--random", "0"])
        .exits(1)
        .says("REFUTED")
        .says("outcome of the second only: deadlock");
    let said = litmpi_in(dir.path(), ["laws", "--laws", "own.laws", "--bound", "0", "--random", "0"]);
    assert!(!said.stdout.contains("MPI_Barrier"), "{}", said.stdout);
}

#[test]
fn a_wrong_rule_is_found_by_a_law() {
    // A send in place that does not copy: its buffer is in use when the receive starts.
    let dir = planted("mpi/requests.spec", " with { cells = [] })", ")");
    let spec = ["laws", "--spec", "mpi/mpi.spec", "--law", "sendrecv-replace", "--bound", "0", "--random", "0"];
    // Then every program with one is erroneous, and nothing is left that the law speaks of.
    litmpi_in(dir.path(), spec).exits(1).says("NEVER TRIED");
    // A gather that puts the parts in another order.
    let dir = planted(
        "mpi/exchange.spec",
        "from = group[j], number = 0, area = part(p, buf, parts[j], dt) }",
        "from = group[j], number = 0, area = part(p, buf, parts[size(group) - 1 - j], dt) }",
    );
    let spec = ["laws", "--spec", "mpi/mpi.spec", "--law", "gather-by-receives", "--bound", "0", "--random", "0"];
    litmpi_in(dir.path(), spec).exits(1).says("REFUTED");
}

#[test]
fn a_law_that_cannot_be_read_is_shown_where_it_stands() {
    let dir = folder(&[("own.laws", "laws mpi \"own\"\nlaw a \"b\" one MPI_Send = { }\n")]);
    litmpi_in(dir.path(), ["laws", "--laws", "own.laws"]).exits(2).says("own.laws:2");
    litmpi_in(dir.path(), ["laws", "--law", "nonsense"]).exits(2).says("no law is called `nonsense`");
    let under = "laws mpi \"own\"\nlaw a \"b\" under nothing one MPI_Send ≃ { }\n";
    let dir = folder(&[("own.laws", under)]);
    litmpi_in(dir.path(), ["laws", "--laws", "own.laws"]).exits(2).says("has no variant `nothing`");
}
