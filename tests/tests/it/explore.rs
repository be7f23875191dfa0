//! `litmpi explore`, by keys in place of a terminal.

use crate::command::root;
use crate::support::{Said, litmpi_in};

fn explore(args: &[&str]) -> Said {
    litmpi_in(&root(), [&["explore"], args].concat())
}

const CAUSAL: &str = "litmus/mpi/order-causal.litmus";

#[test]
fn the_screen_fits_80_columns_and_24_rows_and_shows_what_is_enabled() {
    let said = explore(&[CAUSAL, "--keys", ""]);
    said.exits(0)
        .says(" order-causal under mpi · step 0 · 3 enabled")
        .says("›irecv (t = 0)")
        .says("▶  4 ")
        .says("h help  q leave");
    let lines: Vec<&str> = said.stdout.lines().collect();
    assert!(lines.len() == 24 && lines.iter().all(|l| l.chars().count() <= 80), "{said}");
    let wide = explore(&[CAUSAL, "--keys", "", "--screen", "160x50"]);
    assert!(wide.stdout.lines().count() == 50 && wide.stdout.lines().any(|l| l.chars().count() == 160), "{wide}");
    assert_eq!(explore(&[CAUSAL, "--keys", ""]).stdout, said.stdout);
}

#[test]
fn steps_are_taken_undone_and_taken_again() {
    let taken = explore(&[CAUSAL, "--keys", "down enter enter"]);
    taken
        .exits(0)
        .says("step 2")
        .says("1. irecv (t = 1)")
        .says("2. irecv (t = 0)")
        .says("•posted[0] = 1")
        .says(" posted[1] = 1");
    explore(&[CAUSAL, "--keys", "down enter enter u"])
        .says("step 1")
        .says("steps so far (1 ahead)")
        .says("•posted[1] = 1");
    let again = explore(&[CAUSAL, "--keys", "down enter enter u u n n"]);
    assert_eq!(again.stdout, taken.stdout);
    // Another step than the one undone forgets that.
    explore(&[CAUSAL, "--keys", "enter u down enter"]).says("steps so far (0 ahead)");
    explore(&[CAUSAL, "--keys", "u u g"]).exits(0).says("step 0");
}

#[test]
fn an_outcome_is_jumped_to_and_its_way_stepped_along() {
    let jumped = explore(&[CAUSAL, "--keys", "o down enter"]);
    jumped.exits(0).says("step 15 · END: s.source=2;").says("15. wait (t = 0)").says("nothing: u undoes the last step");
    explore(&[CAUSAL, "--keys", "o"]).says("›s.source=1;").says(" s.source=2;");
    let along = explore(&[CAUSAL, "--outcome", "s.source=2", "--keys", "n n"]);
    along.exits(0).says("step 2").says("(13 ahead)");
    explore(&[CAUSAL, "--outcome", "s.source=2", "--keys", "e"]).says("END: s.source=2;");
    explore(&[CAUSAL, "--outcome", "s.source=9", "--keys", ""])
        .exits(2)
        .says("order-causal has no such outcome under mpi");
}

#[test]
fn a_deadlock_says_at_which_premise_its_threads_wait() {
    let said = explore(&[
        "litmus/mpi/eager-head-to-head.litmus",
        "--variant",
        "rendezvous",
        "--outcome",
        "deadlock",
        "--keys",
        "e tab",
    ]);
    said.exits(0).says("END: deadlock").says("[where rules stop").says("stops at");
    let error = "litmus/mpi/erroneous-rsend-always.litmus";
    explore(&[error, "--outcome", "erroneous", "--keys", "e"]).exits(0).says("END: erroneous: ");
}

#[test]
fn every_model_of_rules_is_stepped_through_and_no_other() {
    explore(&["litmus/rdma/MP1.litmus", "--keys", "a tab tab"]).exits(0).says("M[x] = 0").says("[state");
    explore(&["litmus/rdma/MP1.litmus", "--model", "rdma-tso:no-pcie", "--keys", ""]).exits(0).says("rdma-tso:no-pcie");
    let cat = explore(&["litmus/rdma/MP1.litmus", "--model", "rdma-tso.cat", "--keys", ""]);
    cat.exits(2).says("rdma-tso.cat is a declarative model: it has no steps");
    explore(&[CAUSAL, "--variant", "egaer", "--keys", ""]).exits(2).says("eager");
    explore(&["litmus/rdma", "--keys", ""]).exits(2).says("one program is stepped through");
    explore(&[CAUSAL, "--keys", "x"]).exits(2).says("a key `x` that does nothing here");
    explore(&[CAUSAL, "--keys", "", "--screen", "9x9"]).exits(2).says("columns by rows, as in 80x24");
    explore(&[CAUSAL]).exits(2).says("standard output is none").says("--keys");
}

#[test]
fn the_page_on_reports_shows_the_screen_as_it_is() {
    let page = std::fs::read_to_string(root().join("docs/report.md")).expect("the page");
    let transcript =
        page.split("```console\n$ litmpi ").nth(1).and_then(|b| b.split("\n```").next()).expect("a transcript");
    let (command, screen) = transcript.split_once('\n').expect("a command and what it prints");
    let said = litmpi_in(&root(), command.split(' '));
    assert_eq!(said.exits(0).stdout.trim_end(), screen, "litmpi {command}");
    for picture in page.split("](").filter_map(|p| p.split(')').next()).filter(|p| p.ends_with(".png")) {
        assert!(root().join("docs").join(picture).is_file(), "there is no docs/{picture}");
    }
}
