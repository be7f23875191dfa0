//! `litmpi robust` against what rules alone say: the outcomes of RDMA^TSO's rules beside those of the rules of sequential
//! consistency. Neither knows of relations, of which `robust` is made.
//!
//! `LITMPI_RANDOM=2000` holds so many programs of each kind against each other.

use crate::support::{Said, folder, litmpi_in};
use litmpi_rdma_model::spread;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Programs of each kind that are tried.
fn wanted() -> u64 {
    std::env::var("LITMPI_RANDOM").ok().and_then(|n| n.parse().ok()).unwrap_or(150)
}

/// The rows of a call on all programs of a folder, by test.
fn rows(dir: &Path, command: &str, model: &str) -> BTreeMap<String, Value> {
    let said: Said = litmpi_in(dir, [command, ".", "--model", model, "--json"]);
    assert!(matches!(said.code, Some(0 | 1)), "{said}");
    let Value::Array(all) = said.json() else { panic!("no rows: {said}") };
    all.into_iter().map(|row| (row["test"].as_str().expect("a name").to_owned(), row)).collect()
}

/// Outcomes with values; where a thread waits for ever, relations have no execution.
fn outcomes(row: &Value) -> BTreeSet<String> {
    assert_eq!(row["complete"], true, "{row}");
    let all = row["outcomes"].as_array().expect("outcomes");
    all.iter().filter_map(|o| o.get("values").map(Value::to_string)).collect()
}

/// The same program over nodes without store buffers: nothing passes a write of the processor.
fn fenced(text: &str) -> String {
    let line = |line: &str| match line.split_once(" := ") {
        Some((to, value)) if line.starts_with("  ") && !to.contains('@') && value.parse::<i32>().is_ok() => {
            format!("{line}\n  mfence\n")
        }
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

/// Holds `robust` against outcome sets; how many of the programs are robust, and how many are not.
fn hold(programs: &[String], model: &str, is_told: bool) -> (usize, usize) {
    let under = |change: &dyn Fn(&str) -> String| {
        let named: Vec<(String, String)> =
            programs.iter().enumerate().map(|(i, text)| (format!("{i}.litmus"), change(text))).collect();
        folder(&named.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>())
    };
    let plain = under(&str::to_owned);
    let judged = rows(plain.path(), "robust", model);
    let weak = match model {
        "rdma-sc" => rows(under(&fenced).path(), "enumerate", "rdma-tso-simplified"),
        _ => rows(plain.path(), "enumerate", "rdma-tso-simplified"),
    };
    let strong = rows(plain.path(), "enumerate", "sc");
    assert_eq!((judged.len(), weak.len(), strong.len()), (programs.len(), programs.len(), programs.len()));
    let (mut robust, mut not) = (0, 0);
    for (test, row) in &judged {
        let (weak, strong) = (outcomes(&weak[test]), outcomes(&strong[test]));
        assert!(strong.is_subset(&weak), "{test}: {strong:?} {weak:?}");
        let differ = weak != strong;
        match &row["robust"] {
            Value::Bool(true) => {
                robust += 1;
                assert!(!differ, "{model} {test} has outcomes that sequential consistency has not: {row}");
            }
            Value::Bool(false) => {
                not += 1;
                assert_eq!(row["weak"]["shows"], differ, "{model} {test} {row}");
                assert!(differ || !is_told, "{model} {test} has the outcomes of sequential consistency: {row}");
            }
            other => panic!("{model} {test} is not decided: {other}"),
        }
    }
    (robust, not)
}

#[test]
fn robust_says_what_outcomes_say_of_programs_that_outcomes_tell() {
    let programs: Vec<String> = (0..wanted()).map(|seed| spread::told(seed, 6)).collect();
    for model in ["rdma-tso", "rdma-sc"] {
        let (robust, not) = hold(&programs, model, true);
        assert!(robust.min(not) * 12 >= programs.len(), "{model}: {robust} robust, {not} not");
    }
}

#[test]
fn robust_says_nothing_against_the_outcomes_of_any_random_program() {
    let programs: Vec<String> = (0..wanted()).map(|seed| spread::random(seed, 4)).collect();
    for model in ["rdma-tso", "rdma-sc"] {
        hold(&programs, model, false);
    }
}
