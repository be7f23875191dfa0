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

/// A test in herd's format.
const OF_HERD: &str = "X86 a/SB (sb) \"store buffering\"\n{ }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n \
                       MOV EAX,[y] | MOV EAX,[x] ; # late\nlocations [z;]\nfilter (not (0:EAX=1 /\\ 1:EAX=1))\n\
                       exists (0:EAX=0 /\\ 1:EAX=0)\n<<\nshow\n";

#[test]
fn a_log_is_one_that_herd_s_tools_read() {
    let dir = folder(&[("SB.litmus", OF_HERD), ("@all", "# two lines\n\nSB.litmus\n@all\n")]);
    let said = litmpi_in(dir.path(), ["enumerate", "@all"]);
    let text: Vec<&str> = said.exits(0).stdout.lines().take(11).collect();
    let hash = text[10].strip_prefix("Hash=").expect("a hash");
    assert!(hash.len() == 32 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{hash}");
    let wanted = "Test a/SB Allowed\nStates 3\n0:EAX=0; 1:EAX=0; z=0;\n0:EAX=0; 1:EAX=1; z=0;\n0:EAX=1; 1:EAX=0; z=0;\nOk\n\
                  Witnesses\nPositive: 1 Negative: 2\nCondition exists (0:EAX=0 /\\ 1:EAX=0)\nObservation a/SB Sometimes 1 2";
    assert_eq!(text[..10].join("\n"), wanted);
    // Where it is not decided, the words are those that mcompare7 takes.
    let stopped = litmpi_in(dir.path(), ["enumerate", "SB.litmus", "--max-states", "2"]);
    stopped.exits(3).says("Test a/SB Unknown\n").says("\nUndef\nWitnesses\n").says("Observation a/SB Undecided");
}

#[test]
fn a_log_of_another_program_is_told_and_so_are_two_tests_of_one_name() {
    let log = |dir: &std::path::Path| litmpi_in(dir, ["enumerate", "SB.litmus", "own.litmus"]).stdout;
    let dir = folder(&[("SB.litmus", OF_HERD), ("own.litmus", &SB.replace("rdma SB", "rdma own"))]);
    let first = log(dir.path());
    std::fs::write(dir.path().join("a.log"), &first).expect("a log");
    let compare = || litmpi_in(dir.path(), ["compare", "SB.litmus", "own.litmus", "a.log", "--model", "tso,rdma-tso"]);
    compare().exits(0);
    // What is asked, and how it is written, is no other program.
    let same = SB
        .replace("rdma SB", "rdma own")
        .replace("x := 1  a", "x := 1 -- then\n a")
        .replace("exists a = 0 /\\ b = 0", "~exists b = 1 /\\ a = 1");
    std::fs::write(dir.path().join("own.litmus"), same.replace("  verdict", "-- verdict")).expect("a test");
    compare().exits(0);
    std::fs::write(dir.path().join("own.litmus"), SB.replace("rdma SB", "rdma own").replace("x = 0", "x = 1"))
        .expect("a test");
    std::fs::write(dir.path().join("SB.litmus"), OF_HERD.replace("$1", "$2")).expect("a test");
    let said = compare();
    said.exits(2).says("this log of own is of another program").says("this log of a/SB is of another program");
    std::fs::write(dir.path().join("b.log"), first + &log(dir.path())).expect("a log");
    let said = litmpi_in(dir.path(), ["compare", "a.log", "b.log"]);
    said.exits(2).says("two tests are called a/SB").says("two tests are called own");
}
