//! The NIC without programs: its mutants as models.

use litmpi_nic::{mutants, mutated};
use litmpi_spec::load::load_shipped;
use litmpi_spec::shipped;
use std::collections::BTreeSet;

/// Rules that a NIC runs: those that a queue pair takes by itself, and polls.
fn nic_rules() -> BTreeSet<String> {
    let spec = load_shipped("rdma-tso").expect("a shipped model");
    let poll = spec.instructions.find("poll").expect("an instruction");
    spec.rules
        .iter()
        .filter(|r| r.on.as_ref().is_none_or(|(_, instr, _)| *instr == poll))
        // The stores of the processor are the processor's.
        .filter(|r| r.name != "debuffer/write")
        .map(|r| r.name.clone())
        .collect()
}

#[test]
fn every_rule_that_a_nic_runs_has_a_mutant() {
    let broken: BTreeSet<String> = mutants().into_iter().map(|m| m.rule).collect();
    assert_eq!(broken, nic_rules());
}

#[test]
fn every_mutant_is_a_model_that_differs_from_the_right_one_in_one_file() {
    let right = load_shipped("rdma-tso").expect("a shipped model");
    for m in mutants() {
        let wrong = mutated("rdma-tso", &m.name).unwrap_or_else(|e| panic!("{}: {e}", m.name));
        assert_ne!(wrong.hash(), right.hash(), "{}", m.name);
        let texts: BTreeSet<&str> = wrong.files.iter().map(|f| f.text.as_str()).collect();
        let changed = shipped::FILES.iter().filter(|(_, text)| right.files.iter().any(|f| f.text == *text));
        let changed: Vec<&str> = changed.filter(|(_, text)| !texts.contains(text)).map(|(name, _)| *name).collect();
        assert_eq!(changed, [m.file.as_str()], "{}", m.name);
    }
}

#[test]
fn a_mutant_that_nobody_knows_is_refused_with_the_list() {
    let said = mutated("rdma-tso", "no-such").expect_err("no such mutant").to_string();
    assert!(said.contains("`no-such`") && said.contains("completion-lost"), "{said}");
}
