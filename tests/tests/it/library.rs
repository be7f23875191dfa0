//! The shipped tests, all of them.

use crate::command::{litmpi, root, stderr, stdout};
use litmpi_litmus::golden::{self, Golden};
use litmpi_litmus::library;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;

/// Every named test of Figs. 1-3 and 10-17 of rdma-tso; those of Figs. 1-3 that recur in App. A go by the later name.
const FIGURES: &str = "TSO-SB TSO-SB+mfences TSO-LB TSO-MP ST1 ST2 ST3 ST4 ST5 ST6 ST7 ST8 ST9 Fig3e MP1 MP2 MP3 MP3bis MP4 \
    MP4bis SB1 SB2 SB3 SB3bis LB1 LB2 LB3 LB3bis IRIW1 IRIW2 2+2W1 2+2W2 2+2W3 2+2W3bis QP1 RFF1 RRPR3 CRMA1 CRMA2 \
    GFP1 GFP2 GFG";

fn names(folder: &str) -> BTreeSet<String> {
    let files = library::find(&[root().join(folder)]).expect("the library");
    files.iter().filter_map(|f| Some(f.file_stem()?.to_str()?.to_owned())).collect()
}

#[test]
fn every_test_of_the_figures_is_there() {
    let have = names("litmus/rdma");
    let missing: Vec<&str> = FIGURES.split_whitespace().filter(|n| !have.contains(*n)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(names("litmus/mpi").len() >= 40);
}

#[test]
fn every_model_agrees_with_every_verdict_and_every_complete_set() {
    let out = litmpi(&["check", "litmus"]);
    // One test, of herd's, waits in a loop for which it states no bound: declarative models unroll it, and do not decide it.
    assert_eq!(out.status.code(), Some(3), "{}{}", stdout(&out), stderr(&out));
    let told = stdout(&out);
    let undecided = told.lines().filter(|l| l.starts_with("UNDECIDED"));
    let of_declared = |l: &&str| l.starts_with("UNDECIDED litmus/x86/MP+spin.litmus: ") && l.contains(".cat (");
    let others: Vec<&str> = undecided.filter(|l| !of_declared(l)).collect();
    assert!(others.is_empty(), "{others:#?}");
    for word in ["FAIL", "not checked", "without a complete set"] {
        assert!(!stdout(&out).contains(word), "{}", stdout(&out));
    }
}

#[test]
fn equivalent_models_have_the_same_complete_sets() {
    let mut compared = 0;
    for file in library::find(&[root().join("litmus/rdma")]).expect("the library") {
        let golden = Golden::parse(&Source::read(&golden::path(&file)).expect("a set")).expect("sets");
        for s in golden.sections.iter().filter(|s| s.model == "rdma-tso") {
            assert_eq!(golden.find("rdma-tso-simplified", &s.variant), Some(&s.outcomes), "{}", file.display());
            compared += 1;
        }
        // Declared: the same, but for deadlocks.
        for (declared, run, variant) in [
            ("rdma-tso.cat", "rdma-tso", "default"),
            ("rdma-tso-no-pcie.cat", "rdma-tso", "no-pcie"),
            ("rdma-tso-relaxed-ordering.cat", "rdma-tso", "relaxed-ordering"),
            ("rdma-tso-gpu-memory.cat", "rdma-tso", "gpu-memory"),
        ] {
            if let (Some(a), Some(b)) = (golden.find(declared, golden::DEFAULT), golden.find(run, variant)) {
                let values = b.iter().filter(|o| *o != "deadlock").cloned().collect();
                assert_eq!(*a, values, "{}: {declared}", file.display());
                compared += 1;
            }
        }
    }
    assert!(compared > 120);
}

#[test]
fn the_same_command_prints_the_same_bytes_on_one_thread_and_on_several() {
    for command in ["enumerate", "check"] {
        let one = litmpi(&[command, "litmus", "--json", "--jobs", "1"]).stdout;
        assert!(!one.is_empty());
        assert_eq!(one, litmpi(&[command, "litmus", "--json", "--jobs", "3"]).stdout, "{command}");
    }
}

#[test]
fn generated_tests_are_written_and_hold_under_the_models_of_cpus() {
    let dir = tempfile::tempdir().expect("a folder");
    let folder = dir.path().to_str().expect("a path");
    let out = litmpi(&["generate", "x86", "--size", "2", "-o", folder]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let tests = library::find(&[dir.path().to_owned()]).expect("the tests").len();
    assert!(stdout(&out).starts_with(&format!("{tests} tests in ")) && tests > 30, "{}", stdout(&out));
    let out = litmpi(&["check", folder]);
    assert_eq!(out.status.code(), Some(0), "{}{}", stdout(&out), stderr(&out));
    // Without -o, names and verdicts.
    let named = litmpi(&["generate", "x86", "--size", "2"]);
    assert!(stdout(&named).contains("PodWR-Fre-PodWR-Fre tso allowed, sc forbidden\n"));
    assert_eq!(stdout(&named).lines().count(), tests);
}
