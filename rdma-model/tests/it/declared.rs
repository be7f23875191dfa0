//! Declarative models and operational ones have the same complete outcome sets, but for deadlocks, which have no
//! execution.

use super::{declared, library, model, programs, spec, test};
use litmpi_cat::candidates::{Declarative, Limit, Options};
use litmpi_cat::{self as cat, CatModel};
use litmpi_engine::search::Bound;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_models::{Operational, Setup};
use litmpi_rdma_model::generate;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(crate) fn operational(test: &Test, spec: &Arc<Spec>, variant: &str) -> BTreeSet<Outcome> {
    let setup = Setup { variant: variant.into(), ..Setup::new(Arc::clone(spec)) };
    let found = Operational::new(test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{r}"));
    let loops = |b: &Bound| *b == Bound::Loops;
    assert!(found.bounds.iter().all(loops), "{}: {:?}", test.name, found.bounds);
    let mut set = found.set;
    set.remove(&Outcome::Deadlock);
    set
}

/// What only one of the models allows, as text; empty if they agree.
pub(crate) fn difference(test: &Test, spec: &Arc<Spec>, variant: &str, model: &CatModel) -> String {
    let found = declared(test, &programs(variant), model, Options::default());
    assert!(found.limits.iter().all(|l| *l == Limit::Loops), "{}: {:?}", test.name, found.limits);
    let found = found.set;
    let expected = operational(test, spec, variant);
    let only = |a: &BTreeSet<Outcome>, b: &BTreeSet<Outcome>| {
        a.difference(b).map(|o| format!("\n  {}", test.show(o))).collect::<String>()
    };
    if found == expected {
        return String::new();
    }
    let (more, less) = (only(&found, &expected), only(&expected, &found));
    let text = &test.span.source.text;
    format!("{text}\n({variant}) only declarative:{more}\nonly operational:{less}\n")
}

pub(crate) const VARIANTS: [(&str, &str); 6] = [
    ("default", "rdma-tso.cat"),
    ("inline", "rdma-tso.cat"),
    ("no-pcie", "rdma-tso-no-pcie.cat"),
    ("no-pcie-inline", "rdma-tso-no-pcie.cat"),
    ("relaxed-ordering", "rdma-tso-relaxed-ordering.cat"),
    ("gpu-memory", "rdma-tso-gpu-memory.cat"),
];

#[test]
fn declarative_and_operational_rdma_tso_agree_on_the_library() {
    let spec = spec();
    let tests = library(&spec);
    assert!(tests.len() > 50, "the library is found");
    let mut wrong = String::new();
    for (variant, file) in VARIANTS {
        let model = model(file);
        for test in &tests {
            wrong += &difference(test, &spec, variant, &model);
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn declarative_and_operational_rdma_tso_agree_on_every_program_of_two_threads_with_two_instructions() {
    let spec = spec();
    let models = VARIANTS.map(|(variant, file)| (variant, model(file)));
    let mut wrong = String::new();
    for (i, text) in generate::exhaustive(2, 2).enumerate() {
        let (variant, model) = &models[i % models.len()];
        wrong += &difference(&test(&text, &spec), &spec, variant, model);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn declarative_and_operational_rdma_tso_agree_on_every_program_of_two_threads_with_a_remote_read_modify_write() {
    let spec = spec();
    let models = VARIANTS.map(|(variant, file)| (variant, model(file)));
    let robust = model("rdma-tso-robust.cat");
    let mut wrong = String::new();
    for (i, text) in generate::exhaustive_updates(2, 2).enumerate() {
        let (variant, model) = if i % 7 == 6 { ("default", &robust) } else { (models[i % 7].0, &models[i % 7].1) };
        wrong += &difference(&test(&text, &spec), &spec, variant, model);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn declarative_and_operational_rdma_tso_agree_on_every_program_of_two_threads_with_three_plain_instructions() {
    use generate::Instr::{Get, Poll, Put, Read, Write};
    let models = VARIANTS.map(|(variant, file)| (variant, model(file)));
    // Variants differ in constants' puts and in the PCIe guarantee: there are no constants here.
    let models = [&models[0], &models[2], &models[4], &models[5]];
    let programs: Vec<String> = generate::exhaustive_of(&[Write, Read, Get, Put, Poll], 2, 3).collect();
    assert_eq!(programs.len(), 125 * 126 / 2);
    let half = |n: usize| {
        let spec = spec();
        let mut wrong = String::new();
        for (i, text) in programs.iter().enumerate().filter(|(i, _)| i % 2 == n) {
            let (variant, model) = models[i / 2 % 4];
            wrong += &difference(&test(text, &spec), &spec, variant, model);
        }
        wrong
    };
    let wrong =
        std::thread::scope(|s| [0, 1].map(|n| s.spawn(move || half(n))).map(|h| h.join().expect("no panic")).concat());
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_model_without_one_of_its_checks_allows_more() {
    let spec = spec();
    let weak = cat::load_text(
        &Source::new(
            "weak.cat",
            "include \"rdma-tso-orders.cat\" let nfo = 0 let oppo = oppo-base let rfb = 0 let rbb = 0
             let ib = (ippo | rf | pf | rbb)^+ irreflexive ib",
        ),
        &programs("default").given(),
    )
    .expect("a model");
    let strong = model("rdma-tso.cat");
    let larger = library(&spec)
        .iter()
        .filter(|t| {
            let [few, many] = [&strong, &weak].map(|m| declared(t, &programs("default"), m, Options::default()).set);
            assert!(few.is_subset(&many), "{}", t.name);
            few != many
        })
        .count();
    assert!(larger > 20, "{larger} tests tell them apart");
}

#[test]
fn tso_declared_agrees_with_rdma_tso_where_nothing_is_remote() {
    let (spec, tso, sc) = (spec(), model("tso.cat"), model("sc.cat"));
    let mut wrong = String::new();
    let tests: Vec<Test> = library(&spec).into_iter().filter(|t| t.name.starts_with("TSO-")).collect();
    assert!(tests.len() >= 6);
    for test in &tests {
        wrong += &difference(test, &spec, "default", &tso);
        let [strong, weak] = [&sc, &tso].map(|m| declared(test, &programs("default"), m, Options::default()).set);
        assert!(strong.is_subset(&weak), "{}", test.name);
        // Only a store buffer without a fence tells the two apart.
        assert_eq!(strong != weak, test.name == "TSO-SB", "{}", test.name);
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn values_flow_through_branches_loops_and_expressions() {
    let spec = spec();
    let program = "litmus rdma flow \"\"
        node 1 { x = 0 y = 0 }
        thread 1 on 1 { a := x  if a = 1 { b := a + 4  y := b * 2 } else { y := 7 } }
        thread 2 on 1 { x := 1  c := x  while c = 0 bound 2 { c := y } }
        locations y
        exists a = 1";
    let test = test(program, &spec);
    assert_eq!(difference(&test, &spec, "default", &model("tso.cat")), "");
    let found = declared(&test, &programs("default"), &model("tso.cat"), Options::default());
    assert!(found.set.len() >= 2 && found.executions >= 2, "{found:?}");
}

#[test]
fn what_a_model_cannot_answer_is_told() {
    let spec = spec();
    let remote =
        test("litmus rdma put \"\" node 1 { x = 0 } node 2 { z = 0 } thread 1 on 1 { z@2 := x } exists z = 0", &spec);
    let complaint = |test: &Test, model: &CatModel| {
        Declarative::new(test, &programs("default"), model, Options::default()).err().map(|r| r.to_string())
    };
    assert!(complaint(&remote, &model("tso.cat")).is_some_and(|r| r.contains("TSO says nothing of `towards`")));
    let unordered =
        cat::load_text(&Source::new("u.cat", "acyclic po | rf"), &programs("default").given()).expect("a model");
    assert!(complaint(&remote, &unordered).is_some_and(|r| r.contains("does not order writes")));
    let few = Options { candidates: 1, ..Options::default() };
    assert!(!declared(&remote, &programs("default"), &model("rdma-tso.cat"), few).complete());
}
