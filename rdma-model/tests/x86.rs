//! Tests of x86 made from critical cycles, whose verdicts are known by how they are made: an oracle for the models of
//! CPUs, rules and relations alike, which must agree on complete outcome sets as well.

use litmpi_litmus::ast::{Expect, Outcome, Test};
use litmpi_litmus::cycles::{Cycle, cycles};
use litmpi_litmus::parse;
use litmpi_models::{Limits, Model};
use litmpi_spec::source::Source;
use std::collections::BTreeSet;

fn model(name: &str) -> Model {
    Model::named(name).unwrap_or_else(|r| panic!("{}", r.render(false)))
}

fn outcomes(test: &Test, model: &Model) -> BTreeSet<Outcome> {
    let answer = model.answer(test, "default", Limits::default());
    let answer = answer.unwrap_or_else(|r| panic!("{}: {}", test.name, r.render(false)));
    assert!(answer.bounds.is_empty(), "{}", test.name);
    answer.set
}

/// A model, and what is known of cycles under it by their construction.
type Known = (Model, fn(&Cycle) -> bool);

/// Holds models against what is known of each cycle, and against the first of them.
fn hold(models: &[Known], cycles: impl Iterator<Item = Cycle>) -> usize {
    let mut count = 0;
    for cycle in cycles {
        let mut sets = Vec::new();
        for (model, allows) in models {
            let test = parse(&Source::new(cycle.name(), cycle.text()), model.instructions()).expect("a test");
            let set = outcomes(&test, model);
            let allowed = test.claims[0].verdict(set.iter()) == Expect::Allowed;
            assert_eq!(allowed, allows(&cycle), "{}: {}", model.name(), cycle.text());
            sets.push(set);
        }
        for ((model, _), set) in models.iter().zip(&sets) {
            assert_eq!(set, &sets[0], "{} and {}: {}", models[0].0.name(), model.name(), cycle.text());
        }
        count += 1;
    }
    count
}

fn never(_: &Cycle) -> bool {
    false
}

#[test]
fn models_of_tso_allow_what_has_a_write_that_passes_a_read_and_agree_on_every_outcome() {
    let models = ["tso", "tso.cat"].map(|name| (model(name), Cycle::tso_allows as fn(&Cycle) -> bool));
    let some_of_four = cycles(4).step_by(29);
    assert!(hold(&models, cycles(2).chain(cycles(3)).chain(some_of_four)) > 200);
}

#[test]
fn models_of_sequential_consistency_allow_no_cycle_and_agree_on_every_outcome() {
    let models = ["sc", "sc.cat"].map(|name| (model(name), never as fn(&Cycle) -> bool));
    assert!(hold(&models, cycles(2).chain(cycles(3))) > 200);
}

/// rdma-tso Theorem 4.6.
#[test]
fn without_remote_operations_rdma_tso_is_tso() {
    let models = ["tso", "rdma-tso", "rdma-tso-simplified", "rdma-tso.cat"]
        .map(|name| (model(name), Cycle::tso_allows as fn(&Cycle) -> bool));
    assert!(hold(&models, cycles(2).chain(cycles(3).step_by(11))) > 40);
}
