//! The NIC without programs: its mutants as models.

use litmpi_nic::{mutants, mutated};
use litmpi_spec::load::load_shipped;
use litmpi_spec::shipped;
use std::collections::BTreeSet;

/// Rules that a NIC runs: those that a queue pair takes by itself, and polls.
fn nic_rules() -> BTreeSet<String> {
    let spec = load_shipped("verbs").expect("a shipped model");
    let polls = ["poll_cq", "poll_recv", "ud_poll", "ud_poll_recv"]
        .map(|name| spec.instructions.find(name).expect("an instruction"));
    spec.rules
        .iter()
        .filter(|r| r.on.as_ref().is_none_or(|(_, instr, _)| polls.contains(instr)))
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
    let right = load_shipped("verbs").expect("a shipped model");
    for m in mutants() {
        let wrong = mutated("verbs", &m.name).unwrap_or_else(|e| panic!("{}: {e}", m.name));
        assert_ne!(wrong.hash(), right.hash(), "{}", m.name);
        let texts: BTreeSet<&str> = wrong.files.iter().map(|f| &*f.text).collect();
        let changed = shipped::FILES.iter().filter(|(_, text)| right.files.iter().any(|f| f.text == *text));
        let changed: Vec<&str> = changed.filter(|(_, text)| !texts.contains(text)).map(|(name, _)| *name).collect();
        assert_eq!(changed, [m.file.as_str()], "{}", m.name);
    }
}

#[test]
fn a_mutant_that_nobody_knows_is_refused_with_the_list() {
    let said = mutated("verbs", "no-such").expect_err("no such mutant").to_string();
    assert!(said.contains("`no-such`") && said.contains("completion-lost"), "{said}");
}

/// What a NIC says of a model of one's own.
fn refused(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("own.spec");
    std::fs::write(&path, text).expect("a file");
    let spec = litmpi_spec::load::load(&path).unwrap_or_else(|e| panic!("{e}"));
    litmpi_nic::fits(&spec).expect_err("it does not fit").to_string()
}

#[test]
fn what_a_nic_asks_of_a_model_is_told_where_it_is_missing() {
    litmpi_nic::fits(&load_shipped("verbs").expect("a shipped model")).expect("verbs fits");
    let head = "model own \"of one's own\"\n  cite rdma-tso \"Fig. 7\"\n";
    let said = refused(&format!("{head}import \"rdma/tso.spec\"\n"));
    assert!(said.contains("own.spec:1:1") && said.contains("has no instruction `send`"), "{said}");
    assert!(said.contains("has no state variable `near`") && said.contains("state near[Thread][Node]: Int"), "{said}");
    let others = "import \"rdma/tso.spec\"\ninstruction fail (status: value)\nstate near[t: Thread]: Int = 3\n";
    let runs = "rule fail (t: Thread)\n  cite rdma-tso \"Fig. 7\"\n  on t: fail(status)\n  then near[t] := status\n";
    let said = refused(&format!("{head}{others}{runs}"));
    assert!(said.contains("own.spec:4") && said.contains("calls `fail` with other arguments"), "{said}");
    assert!(said.contains("has no rule `datagram/lose`") && said.contains("rule datagram/double (t: Thread"), "{said}");
    assert!(said.contains("own.spec:5") && said.contains("keeps `near` in another form"), "{said}");
}
