//! Why outcomes are allowed or not.

use super::{library, model, programs, spec, test};
use litmpi_cat::candidates::{Declarative, Event, Options, Rejected};
use litmpi_cat::{Edge, Witness};
use litmpi_litmus::ast::Quantifier;

fn events(of: &[Event], cycle: &[Edge]) -> Vec<String> {
    let show = |e: &Event| format!("{}({})", e.labels.first().map_or("init", |l| l), e.place.as_deref().unwrap_or(""));
    cycle.iter().map(|e| format!("{} {}", show(&of[e.from]), e.by.join("+"))).collect()
}

/// The edges lead from one to the next and back to the first, each in a relation of the execution if it has that name.
fn is_cycle(r: &Rejected, cycle: &[Edge]) {
    for (edge, next) in cycle.iter().zip(cycle.iter().cycle().skip(1)) {
        assert_eq!(edge.to, next.from, "{cycle:?}");
        assert!(!edge.by.is_empty());
        for name in &edge.by {
            if let Some(relation) = r.execution.relation(name) {
                assert!(relation.contains(edge.from, edge.to), "{name}: {edge:?}");
            }
        }
    }
}

#[test]
fn a_forbidden_outcome_has_a_failing_check_and_a_cycle_for_each_choice_of_writes() {
    let programs = programs("default");
    let sb = "litmus rdma sb \"\" node 1 { x = 0 y = 0 }
        thread 1 on 1 { x := 1 mfence a := y }
        thread 2 on 1 { y := 1 mfence b := x }
        exists 1:a = 0 /\\ 2:b = 0";
    let test = test(sb, &spec());
    for (file, check, cycle) in [
        ("sc.cat", "sc", ["lW(x) po", "lR(y) rb", "lW(y) po", "lR(x) rb"].as_slice()),
        ("tso.cat", "tso", ["lW(x) ppo", "F() ppo", "lR(y) rb", "lW(y) ppo", "F() ppo", "lR(x) rb"].as_slice()),
    ] {
        let model = model(file);
        let declarative = Declarative::new(&test, &programs, &model, Options::default()).expect("a model of it");
        let why = declarative.why_not(&test.claims[0].prop).expect("a search");
        assert!(why.limits.is_empty() && why.allowed == 0, "{file}");
        let [one] = why.rejected.as_slice() else { panic!("{file}: one choice of writes gives it: {why:?}") };
        assert_eq!(one.check, check);
        let Witness::Cycle(edges) = &one.witness else { panic!("{:?}", one.witness) };
        is_cycle(one, edges);
        let shown = events(&one.execution.events, edges);
        assert_eq!(shown, cycle);
        let reads: Vec<Option<i64>> = one.execution.events.iter().filter(|e| e.reads).map(|e| e.read).collect();
        assert_eq!(reads, [Some(0), Some(0)]);
    }
}

#[test]
fn an_allowed_outcome_has_an_execution_with_its_values() {
    let programs = programs("default");
    let put = "litmus rdma late \"\" node 1 { x = 0 } node 2 { z = 0 }
        thread 1 on 1 { z@2 := x  x := 1 }
        exists z = 1";
    let (test, model) = (test(put, &spec()), model("rdma-tso.cat"));
    let declarative = Declarative::new(&test, &programs, &model, Options::default()).expect("a model of it");
    let (execution, outcome) = declarative.witness(&test.claims[0].prop).expect("a search").expect("it is allowed");
    assert_eq!(test.show(&outcome), "z=1;");
    let labels: Vec<&str> = execution.events.iter().map(|e| e.labels.first().map_or("", |l| l)).collect();
    assert_eq!(labels, ["", "", "nlR", "nrW", "lW"]);
    assert_eq!(execution.events[3].written, Some(1));
    assert_eq!(execution.events[3].keys, [("towards".to_owned(), "2".to_owned())]);
    assert!(execution.relation("rf").expect("rf").contains(4, 2), "the put reads the later write");
    assert!(execution.relation("mo").expect("mo").contains(1, 3) && execution.relation("nowhere").is_none());
}

#[test]
fn every_forbidden_claim_of_the_library_is_explained_and_every_allowed_one_has_an_execution() {
    let (spec, programs, model) = (spec(), programs("default"), model("rdma-tso.cat"));
    let (mut explained, mut shown) = (0, 0);
    for test in &library(&spec) {
        let declarative = Declarative::new(test, &programs, &model, Options::default()).expect("a model of it");
        for claim in test.claims.iter().filter(|c| c.quantifier != Quantifier::Forall) {
            let found = declarative.witness(&claim.prop).expect("a search");
            let why = declarative.why_not(&claim.prop).expect("a search");
            assert_eq!(found.is_some(), why.allowed > 0, "{}", test.name);
            if let Some((execution, outcome)) = found {
                assert!(claim.prop.holds(&outcome) && !execution.events.is_empty());
                shown += 1;
                continue;
            }
            for r in &why.rejected {
                let Witness::Cycle(cycle) = &r.witness else { panic!("{}: {:?}", test.name, r.witness) };
                assert!(!cycle.is_empty(), "{}: {}", test.name, r.check);
                is_cycle(r, cycle);
            }
            explained += usize::from(!why.rejected.is_empty());
        }
    }
    assert!(explained > 20 && shown > 20, "{explained} explained, {shown} shown");
}
