//! Every rule fires and every premise blocks, over the shipped library; what does not is named.

use crate::command::{litmpi, root};
use crate::planted::planted;
use crate::support::litmpi_in;
use litmpi_litmus::library;

#[test]
fn every_rule_of_the_rdma_models_fires_and_every_premise_blocks() {
    litmpi_in(
        &root(),
        ["coverage", "litmus/rdma", "litmus/wait", "litmus/core-rma", "--except", "cli/impossible.toml"],
    )
    .exits(0);
}

#[test]
fn every_rule_of_the_models_of_cpus_fires_and_every_premise_blocks() {
    litmpi_in(&root(), ["coverage", "litmus/x86", "--model", "tso"]).exits(0);
    // SC has no rules for remote read-modify-writes.
    let tests = std::fs::read_dir(root().join("litmus/rdma")).expect("the library").flatten().map(|e| e.path());
    let plain = tests.filter(|p| p.extension().is_some_and(|e| e == "litmus")).filter(|p| {
        let text = std::fs::read_to_string(p).expect("a test");
        !text.contains("rfaa") && !text.contains("rcswap")
    });
    let files = plain.map(|p| p.display().to_string());
    let args = ["coverage", "litmus/x86", "--model", "sc"].map(str::to_owned).into_iter().chain(files);
    litmpi_in(&root(), args).exits(0);
}

#[test]
fn every_rule_of_the_protocols_of_mpi_over_rdma_fires() {
    // Of windows, the smaller tests: the others have many states in full, and no rule that these have not.
    let windows = ["put-flush-", "flush-", "fence-put", "start-put", "test", "sync", "no-op", "unlock", "compare"];
    let small = |f: &String| !f.contains("/win-") || windows.iter().any(|w| f.contains(&format!("/win-{w}")));
    let files = library::find(&[root().join("litmus/mpi-rdma")]).expect("the library");
    let few = files.iter().map(|f| f.display().to_string()).filter(small);
    let args = ["coverage", "--model", "mpi-rdma", "--json"].map(str::to_owned).into_iter().chain(few);
    let args: Vec<String> = args.collect();
    let out = litmpi(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let counts = report[0]["counts"].as_array().expect("counts");
    let own = counts.iter().filter(|c| c["file"].as_str().is_some_and(|f| f.starts_with("spec/mpi-rdma/")));
    let rules: Vec<_> = own.filter(|c| c["what"] == "rule").collect();
    assert!(rules.len() > 20, "{}", rules.len());
    let idle: Vec<_> = rules.iter().filter(|c| c["count"] == 0).map(|c| &c["rule"]).collect();
    assert!(idle.is_empty(), "{idle:?} never fire");
}

#[test]
fn counts_are_given_with_the_rule_its_place_and_the_premise_as_it_is_written() {
    let out = litmpi(&["coverage", "litmus/rdma/ST8+poll.litmus", "--json", "--model", "rdma-tso"]);
    let report: serde_json::Value = serde_json::from_slice(&out.stdout).expect("JSON");
    let counts = report[0]["counts"].as_array().expect("counts");
    let find = |what: &str| counts.iter().find(|c| c["rule"] == "poll" && c["what"] == what).expect("a count of poll");
    assert!(find("rule")["count"].as_u64() > Some(0));
    let premise = find("premise");
    assert_eq!(premise["text"], "QP[t][n].wbL is α · CN");
    assert!(premise["count"].as_u64() > Some(0) && premise["line"].as_u64() > Some(1));
    // One test is not enough for all rules.
    assert_eq!(out.status.code(), Some(1));
}

#[test]
fn a_rule_that_never_fires_and_a_premise_that_never_blocks_are_named() {
    let dead = "rule poll/dead (t: Thread)\n  on t: poll(n)\n  when QP[t][n].wbL = [], QP[t][n].wbL is [_] · _\n\nrule poll (t";
    let dir = planted("rdma/write-back.spec", "rule poll (t", dead);
    litmpi_in(
        dir.path(),
        ["coverage", "--spec", "rdma/tso.spec", &format!("{}/litmus/rdma/POLL1.litmus", root().display())],
    )
    .exits(1)
    .says("poll/dead")
    .says("never fires");
    let dir =
        planted("rdma/write-back.spec", "  when QP[t][n].wbL is α · CN\n", "  when true, QP[t][n].wbL is α · CN\n");
    litmpi_in(
        dir.path(),
        ["coverage", "--spec", "rdma/tso.spec", &format!("{}/litmus/rdma/POLL1.litmus", root().display())],
    )
    .exits(1)
    .says("never blocks: true");
}

#[test]
fn a_premise_that_is_said_to_hold_always_is_held_to_it() {
    let test = format!("{}/litmus/rdma/POLL1.litmus", root().display());
    let dir =
        planted("rdma/write-back.spec", "  when QP[t][n].wbL is α · CN\n", "  when always QP[t][n].wbL is α · CN\n");
    litmpi_in(dir.path(), ["enumerate", "--spec", "rdma/tso.spec", &test])
        .exits(2)
        .says("write-back.spec:")
        .says("said to hold always");
}

#[test]
fn every_rule_of_mpi_fires_every_premise_blocks_and_every_requirement_is_violated() {
    let except = root().join("cli/impossible.toml");
    litmpi_in(&root(), ["coverage", "litmus/mpi", "--except", except.to_str().expect("a path")]).exits(0);
}

#[test]
fn an_excuse_for_what_does_happen_is_an_error() {
    let excuse = "[[never]]\nmodel = \"mpi\"\nrule = \"isend\"\nbecause = \"nobody sends\"\n";
    let dir = crate::support::folder(&[("never.toml", excuse)]);
    let test = root().join("litmus/mpi/eager-head-to-head.litmus");
    litmpi_in(dir.path(), ["coverage", test.to_str().expect("a path"), "--except", "never.toml"])
        .exits(1)
        .says("said to be impossible, and is not, or is not there: isend");
}

#[test]
fn of_many_tests_those_are_chosen_that_add_the_most_to_what_others_cover() {
    let dir = tempfile::tempdir().expect("a folder");
    let chosen = dir.path().join("chosen").display().to_string();
    let args = ["coverage", "litmus/rdma", "--model", "rdma-tso", "--choose", "2", "-o", &chosen];
    litmpi_in(&root(), args).exits(0).says(" of 142 tests add ").says("rdma-tso: poll fires");
    let written = library::find(&[dir.path().join("chosen")]).expect("the chosen tests");
    assert_eq!(written.len(), 2, "{written:?}");
    // Nothing is written over.
    litmpi_in(&root(), args).exits(2).says("is there already");
    let args = ["coverage", "litmus/rdma", "--model", "rdma-tso", "--choose", "2", "--beyond", "litmus/rdma"];
    litmpi_in(&root(), args).exits(0).says("0 of 142 tests add 0 to what 142 others cover");
    litmpi_in(&root(), ["coverage", "litmus/rdma", "--beyond", "litmus/rdma"]).exits(2).says("--choose");
}
