//! `litmpi compare`: models beside models, logs beside logs, logs beside models.

use crate::command::root;
use crate::support::{Said, at, folder, litmpi_in};

const SB: &str = "\
litmus rdma SB \"store buffering\"
node 1 { x = 0 y = 0 }
thread 1 on 1 { x := 1  a := y }
thread 2 on 1 { y := 1  b := x }
exists a = 0 /\\ b = 0
  verdict rdma-tso allowed cite rdma-tso \"§2\"
";

/// Three of four outcomes of SB, as litmus7 prints them.
const SEEN: &str = "\
% Results of a run
Test SB Allowed
Histogram (3 states)
12    *>a=0; b=0;
500   :>a=1; b=0;
488   :>a=0; b=0x1;
Ok

Witnesses
Positive: 12, Negative: 988
Condition exists (a=0 /\\ b=0) is validated
Observation SB Sometimes 12 988
Time SB 0.01
";

fn compare(files: &[(&str, &str)], args: &[&str]) -> Said {
    let dir = folder(files);
    let args: Vec<String> = args
        .iter()
        .map(|a| if files.iter().any(|(name, _)| name == a) { at(&dir, a) } else { (*a).to_owned() })
        .collect();
    litmpi_in(dir.path(), [vec!["compare".to_owned()], args].concat())
}

#[test]
fn models_that_differ_come_first_with_what_they_have_more_and_less() {
    let said = litmpi_in(
        &root(),
        [
            "compare",
            "litmus/rdma/SB1.litmus",
            "litmus/rdma/SB2.litmus",
            "--model",
            "rdma-tso,rdma-tso.cat,rdma-tso-no-pcie.cat",
        ],
    );
    said.exits(0);
    let rows: Vec<Vec<&str>> = said.stdout.lines().map(|l| l.split_whitespace().collect()).collect();
    assert_eq!(rows[1][..2], ["*", "SB2"], "{said}");
    assert_eq!(rows[1][rows[1].len() - 7..], ["forbidden", "3", "forbidden", "3", "allowed", "4", "+1"], "{said}");
    said.says("rdma-tso-no-pcie.cat + a=0; b=0;");
}

#[test]
fn a_run_that_shows_what_a_model_allows_conforms_and_what_it_did_not_show_is_no_difference() {
    let said = compare(&[("SB.litmus", SB), ("a.log", SEEN)], &["SB.litmus", "a.log", "--model", "rdma-tso", "--json"]);
    let rows = said.exits(0).json();
    assert_eq!(rows[0]["verdict"], "conforms", "{said}");
    assert_eq!(rows[0]["differs"], false, "{said}");
    let log = rows[0]["logs"].as_object().and_then(|l| l.values().next()).expect("a log");
    assert_eq!(log["observations"][0], "Sometimes");
    assert_eq!(log["less"].as_array().map(Vec::len), Some(1), "a=1; b=1; was not seen: {said}");
    assert_eq!(log["counts"].as_array().map(Vec::len), Some(3));
}

#[test]
fn a_state_that_a_model_does_not_allow_is_a_violation_that_says_how_often_and_by_which_model() {
    let files = [("SB.litmus", SB), ("a.log", SEEN)];
    let said = compare(&files, &["SB.litmus", "a.log", "--model", "rdma-tso,sc.cat"]);
    said.exits(1).says("VIOLATION").says("a=0; b=0; (12 times) is not allowed by sc.cat");
    assert!(!said.stdout.contains("is not allowed by rdma-tso"), "{said}");
    let wrong = SEEN.replace("a=1; b=0;", "a=1; b=torn;");
    compare(&[("SB.litmus", SB), ("a.log", &wrong)], &["SB.litmus", "a.log", "--model", "rdma-tso"])
        .exits(1)
        .says("a=1; b=torn; (500 times) is not allowed by rdma-tso");
}

#[test]
fn logs_are_compared_with_each_other_without_models_and_without_the_tests() {
    let less =
        SEEN.replace("(3 states)", "(2 states)").replace("12    *>a=0; b=0;\n", "").replace("Sometimes", "Never");
    let said = compare(&[("a.log", SEEN), ("b.log", &less)], &["a.log", "b.log"]);
    said.exits(0).says("b.log - a=0; b=0;").says("exists (a=0 /\\ b=0)").says("Never 2 -1");
    assert!(said.stdout.lines().nth(1).is_some_and(|l| l.starts_with(" * ")), "{said}");
}

#[test]
fn values_that_only_one_side_gives_are_left_out_and_that_is_said() {
    let more = SEEN
        .replace("a=0; b=0;", "a=0; b=0; c=5;")
        .replace("a=1; b=0;", "a=1; b=0; c=6;")
        .replace("b=0x1;", "b=0x1; c=5;");
    let said = compare(&[("a.log", SEEN), ("b.log", &more)], &["a.log", "b.log"]);
    said.exits(0)
        .says("only a, b stand in the states of all and are compared")
        .says("1 tests, 0 with different outcomes");
    let other = SEEN.replace("a=", "u=").replace("b=", "v=");
    compare(&[("a.log", SEEN), ("b.log", &other)], &["a.log", "b.log"]).exits(0).says("not comparable");
}

#[test]
fn a_bounded_search_does_not_call_what_it_missed_a_violation() {
    let files = [("SB.litmus", SB), ("a.log", SEEN)];
    let said = compare(&files, &["SB.litmus", "a.log", "--model", "rdma-tso", "--max-states", "3"]);
    said.exits(3).says("undecided").says("a bound was reached under rdma-tso");
}

#[test]
fn what_litmpi_prints_itself_can_be_compared() {
    let dir = folder(&[]);
    let tests = root().join("litmus/rdma").display().to_string();
    let said = litmpi_in(dir.path(), ["enumerate", &tests]);
    std::fs::write(dir.path().join("all.log"), &said.exits(0).stdout).expect("a file");
    let said = litmpi_in(dir.path(), ["compare", &tests, "all.log", "--model", "rdma-tso", "--json"]);
    let rows = said.exits(0).json();
    let rows = rows.as_array().expect("rows");
    assert!(rows.len() > 50);
    for row in rows {
        assert_eq!(row["verdict"], "conforms", "{row}");
        assert_eq!(row["logs"]["all.log"]["less"].as_array().map(Vec::len), Some(0), "{row}");
    }
}

#[test]
fn broken_logs_and_calls_without_anything_to_compare_are_told() {
    let cut = SEEN.replace("(3 states)", "(4 states)");
    let said = compare(&[("a.log", &cut)], &["a.log"]);
    said.exits(2).says("a.log:7:1").says("this is not state 4 of the 4 of SB");
    compare(&[("a.log", SEEN)], &["a.log", "--model", "rdma-tso"]).exits(2).says("give the files of the tests");
    compare(&[("SB.litmus", SB)], &["SB.litmus"]).exits(2).says("name models");
    let unknown = SEEN.replace("SB", "Unknown");
    compare(&[("SB.litmus", SB), ("a.log", &unknown)], &["SB.litmus", "a.log", "--model", "rdma-tso"])
        .exits(0)
        .says("none of the files given holds this test");
}
