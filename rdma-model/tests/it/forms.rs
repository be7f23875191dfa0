//! Models against each other: equal forms, and stronger ones.

use super::declared::operational;
use super::{declared, library, model, programs, spec, test};
use litmpi_cat::candidates::{Declarative, Options};
use litmpi_cat::{self as cat, CatModel};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::{library as files, parse};
use litmpi_rdma_model::generate;
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

fn outcomes(test: &Test, variant: &str, model: &CatModel) -> BTreeSet<Outcome> {
    declared(test, &programs(variant), model, Options::default()).set
}

/// The library of RDMA tests, and every program of two threads with two instructions.
fn tests() -> Vec<Test> {
    let spec = spec();
    let mut all: Vec<Test> = runs(library(&spec), &model("rdma-tso.cat"));
    all.extend(generate::exhaustive(2, 2).map(|text| test(&text, &spec)));
    all
}

/// Those that a model can run.
fn runs(tests: Vec<Test>, model: &CatModel) -> Vec<Test> {
    let programs = programs("default");
    let can = |t: &Test| Declarative::new(t, &programs, model, Options::default()).is_ok_and(|d| d.outcomes().is_ok());
    tests.into_iter().filter(can).collect()
}

#[test]
fn both_forms_of_consistency_of_rdma_tso_are_equal() {
    let (first, second) = (model("rdma-tso.cat"), model("rdma-tso-robust.cat"));
    for test in &tests() {
        assert_eq!(outcomes(test, "default", &first), outcomes(test, "default", &second), "{}", test.span.source.text);
    }
}

#[test]
fn rdma_sc_is_within_rdma_tso_and_sc_within_both() {
    let sc = model("sc.cat");
    for (strong, weak) in [("rdma-sc.cat", "rdma-tso.cat"), ("rdma-sc-no-pcie.cat", "rdma-tso-no-pcie.cat")] {
        let (strong, weak) = (model(strong), model(weak));
        let mut differ = 0;
        // RDMA^SC has no remote read-modify-writes.
        for test in &runs(tests(), &strong) {
            let [few, some, many] = [&sc, &strong, &weak].map(|m| outcomes(test, "default", m));
            assert!(some.is_subset(&many), "{}\n{}", strong.name, test.span.source.text);
            assert!(few.is_subset(&some), "{}\n{}", strong.name, test.span.source.text);
            differ += usize::from(some != many);
        }
        assert!(differ > 0, "{}: some test tells the two apart", strong.name);
    }
}

#[test]
fn the_pcie_guarantee_only_takes_outcomes_away() {
    for (with, without) in [("rdma-sc.cat", "rdma-sc-no-pcie.cat"), ("rdma-tso.cat", "rdma-tso-no-pcie.cat")] {
        let (with, without) = (model(with), model(without));
        for test in &runs(tests(), &with) {
            let [few, many] = [&with, &without].map(|m| outcomes(test, "default", m));
            assert!(few.is_subset(&many), "{}\n{}", with.name, test.span.source.text);
        }
    }
}

/// A model of TSO as herd's users write it.
const HERD: &str = "X86 TSO
include \"x86fences.cat\"
include \"filters.cat\"
include \"cos.cat\"

# coherence
let com = rf | fr | co
acyclic po-loc | amo | com
empty rmw & (fre;coe)

let po_ghb = WW(po) | RM(po)
let poWR = WR po
let implied = MA(poWR) | AM(poWR)
let ghb = mfence | implied | po_ghb | rfe | fr | co
show implied, mfence as fenced
acyclic ghb as tso
";

#[test]
fn without_remote_operations_rdma_tso_is_tso_in_every_form() {
    // rdma-tso Theorem 4.6, on tests that were made for TSO.
    let (rdma, tso) = (spec(), Arc::new(load_shipped("tso").expect("a shipped model")));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../litmus/x86");
    let found = files::find(&[folder]).expect("the library");
    let programs = programs("default");
    let herd = cat::load_text(&Source::new("herd.cat", HERD), &programs.given());
    let herd = herd.unwrap_or_else(|r| panic!("{}", r.render(false)));
    assert_eq!(herd.name, "X86 TSO");
    let models = [model("tso.cat"), herd, model("rdma-tso.cat"), model("rdma-tso-no-pcie.cat")];
    let mut tried = 0;
    for file in found.iter().filter(|f| f.extension().is_some_and(|e| e == "litmus")) {
        let source = Source::read(file).expect("a test");
        let read = |s| parse(&source, s).unwrap_or_else(|r| panic!("{}", r.render(false)));
        let (as_rdma, as_tso) = (read(&rdma.instructions), read(&tso.instructions));
        if as_rdma.threads.len() > 4 {
            // The largest are for benchmarks.
            continue;
        }
        let expected = operational(&as_tso, &tso, "default");
        assert_eq!(operational(&as_rdma, &rdma, "default"), expected, "{}", as_rdma.name);
        // Where an address leads to no location the program is erroneous by the rules, and a declared model has no such execution.
        let is_fault = |o: &&Outcome| matches!(o, Outcome::Erroneous { rule, .. } if rule == "fault");
        let declared: BTreeSet<Outcome> = expected.iter().filter(|o| !is_fault(o)).cloned().collect();
        for model in &models {
            assert_eq!(outcomes(&as_rdma, "default", model), declared, "{} under {}", as_rdma.name, model.name);
        }
        tried += 1;
    }
    assert!(tried > 50, "{tried} tests");
}

#[test]
fn an_instruction_of_ones_own_agrees_with_its_rules() {
    // As `tests/examples`, of which this is the declarative side: a drain between any two instructions.
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/examples");
    let own = Arc::new(litmpi_spec::load::load(&examples.join("my-rdma.spec")).expect("it loads"));
    let programs = litmpi_cat::candidates::Programs::new(Arc::clone(&own), "default").expect("no variant");
    let model =
        cat::load(&examples.join("my-rdma.cat"), &programs.given()).unwrap_or_else(|r| panic!("{}", r.render(false)));
    let mut told_apart = 0;
    for text in generate::exhaustive(1, 3) {
        let text = text.replace("\n  rfence(2)", "\n  drain(2)");
        if !text.contains("drain") {
            continue;
        }
        let test = parse(&Source::new("drain", text.as_str()), &own.instructions).expect("a test");
        let found =
            Declarative::new(&test, &programs, &model, Options::default()).and_then(|d| d.outcomes()).expect("runs");
        assert_eq!(found.set, operational(&test, &own, "default"), "{text}");
        let without = super::test(&text.replace("  drain(2)\n", ""), &spec());
        told_apart += usize::from(found.set != operational(&without, &spec(), "default"));
    }
    assert!(told_apart > 2, "{told_apart}");
}
