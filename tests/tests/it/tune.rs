//! Stress and its search, on the emulated NIC.

use crate::command::root;
use crate::support::{at, folder, litmpi_in};
use serde_json::Value;

fn nic_is_here() -> bool {
    let said = litmpi_in(&root(), ["nic", "--probe"]);
    if said.code != Some(0) {
        println!("skipped: {}", said.stderr);
    }
    said.code == Some(0)
}

#[test]
fn tuning_finds_stress_for_an_outcome_keeps_it_and_runs_use_it() {
    if !nic_is_here() {
        return;
    }
    let dir = folder(&[]);
    let (out, file) = (at(&dir, "out"), at(&dir, "tuned.toml"));
    let common =
        ["litmus/rdma/ST8.litmus", "--target", "nic", "--time", "150", "--json", "--out", &out, "--tuned", &file];
    let tune = |outcome| {
        let more = ["--candidates", "4", "--seed", "3", "--outcome", outcome];
        litmpi_in(&root(), ["tune"].iter().chain(&common).chain(&more).copied().collect::<Vec<_>>())
    };
    // What is forbidden is not found, and nothing is kept.
    let never = tune("z=7");
    assert!(
        never.exits(0).json()["candidates"].as_array().is_some_and(|c| c.iter().all(|c| c["hits"] == 0)),
        "{never}"
    );
    assert!(!std::path::Path::new(&file).exists());
    let found = tune("z=1").json();
    let all = found["candidates"].as_array().expect("candidates");
    assert_eq!(all.len(), 4, "{found:#}");
    let number = |c: &Value, key: &str| c[key].as_f64().expect("a number");
    assert!(all.iter().all(|c| number(c, "low") <= number(c, "rate") && number(c, "rate") <= number(c, "high")));
    assert!(number(&all[0], "rate") > 0.0, "{found:#}");
    let run = litmpi_in(&root(), ["run"].iter().chain(&common).copied().collect::<Vec<_>>());
    let results = run.exits(0).json();
    let used: Vec<&Value> = results.as_array().expect("results").iter().map(|r| &r["stress"]).collect();
    // No stress is not named.
    let best = Some(&all[0]["stress"]).filter(|s| **s != "none").unwrap_or(&Value::Null);
    assert_eq!(used, [&Value::Null, best], "{run}");
    // Stress names lines: what was found for another text of the test is not used, and that is said.
    let text = std::fs::read_to_string(&file).expect("the file");
    let sum = text.lines().find(|l| l.starts_with("text = ")).expect("a sum").to_owned();
    std::fs::write(&file, text.replace(&sum, "text = \"0\"")).expect("it is written");
    let run = litmpi_in(&root(), ["run"].iter().chain(&common).copied().collect::<Vec<_>>());
    assert_eq!(run.exits(0).says("of another text").json().as_array().map(Vec::len), Some(1));
}

#[test]
fn every_kind_of_stress_is_taken_and_adds_no_outcome() {
    if !nic_is_here() {
        return;
    }
    for vector in
        ["5:d1,5:s64,6:f64,9:w8,t2:d2,traffic:2,poll:spin,place:same", "random,traffic:1,poll:sleep,place:nodes"]
    {
        let dir = folder(&[]);
        let out = at(&dir, "out");
        let args = ["litmus/rdma/SB2.litmus", "--target", "nic", "--time", "400", "--json", "--out", &out];
        let all: Vec<&str> = ["run"].into_iter().chain(args).chain(["--stress", vector]).collect();
        let said = litmpi_in(&root(), all);
        let result = &said.exits(0).json()[0];
        assert_eq!((&result["verdict"], &result["stress"]), (&"conforms".into(), &vector.into()), "{said}");
        assert!(result["iterations"].as_u64() > Some(2), "{said}");
        assert!(!said.stderr.contains("problem"), "{said}");
    }
}

#[test]
fn stress_and_tuning_that_make_no_sense_are_refused_with_what_would() {
    let in_root = |args: &[&str]| litmpi_in(&root(), args.to_vec());
    in_root(&["run", "litmus/rdma/ST2.litmus", "--stress", "5:x2"]).exits(2).says("`5:x2` is no item").says("LINE:dN");
    in_root(&["tune", "litmus/rdma/ST2.litmus", "litmus/rdma/ST8.litmus", "--target", "nic"])
        .exits(2)
        .says("one at a time");
    in_root(&["tune", "litmus/rdma/ST2.litmus", "--target", "nic,verbs"]).exits(2).says("for one target");
    in_root(&["tune", "litmus/mpi/null-irecv.litmus", "--target", "openmpi"]).exits(2).says("family `rdma`");
    in_root(&["tune", "litmus/rdma/ST2.litmus", "--target", "nic", "--outcome", "q=1"])
        .exits(2)
        .says("no part of an outcome");
    let dir = folder(&[("tuned.toml", "[[tuned]]\ntest = 1\n")]);
    let file = at(&dir, "tuned.toml");
    in_root(&["run", "litmus/rdma/ST2.litmus", "--target", "nic", "--tuned", &file]).exits(2).says("tuned.toml:");
}
