//! Declarative models and operational ones have the same complete outcome sets, but for deadlocks, which have no
//! execution.

use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::{library, parse};
use litmpi_rdma_model::declarative::{Declarative, GIVEN, Options, Outcomes};
use litmpi_rdma_model::{Operational, Setup};
use litmpi_spec::cat::{self, CatModel};
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

fn model(file: &str) -> CatModel {
    cat::load_shipped(file, GIVEN).unwrap_or_else(|r| panic!("{}", r.render(false)))
}

fn spec() -> Arc<Spec> {
    Arc::new(load_shipped("rdma-tso-simplified").expect("a shipped model"))
}

fn test(text: &str, spec: &Spec) -> Test {
    let source = Source::new("test.litmus", text);
    parse(&source, &spec.instructions).unwrap_or_else(|r| panic!("{}", r.render(false)))
}

fn library(spec: &Spec) -> Vec<Test> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../litmus/rdma");
    let files = library::find(&[folder]).expect("the library");
    let read = |file: &std::path::PathBuf| Source::read(file).expect("a test").text.clone();
    files.iter().map(|file| test(&read(file), spec)).collect()
}

fn declared(test: &Test, spec: &Spec, model: &CatModel, options: Options) -> Outcomes {
    Declarative::new(test, &spec.instructions, model, options)
        .and_then(|d| d.outcomes())
        .unwrap_or_else(|r| panic!("{}: {}", test.name, r.render(false)))
}

fn operational(test: &Test, spec: &Arc<Spec>, variant: &str) -> BTreeSet<Outcome> {
    let setup = Setup { variant: variant.into(), ..Setup::new(Arc::clone(spec)) };
    let found = Operational::new(test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{r}"));
    let mut set = found.set;
    set.remove(&Outcome::Deadlock);
    set
}

/// What only one of the models allows, as text; empty if they agree.
fn difference(test: &Test, spec: &Arc<Spec>, variant: &str, model: &CatModel) -> String {
    let inline = variant.ends_with("inline");
    let found = declared(test, spec, model, Options { inline, ..Options::default() }).set;
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

const VARIANTS: [(&str, &str); 4] = [
    ("default", "rdma-tso.cat"),
    ("inline", "rdma-tso.cat"),
    ("no-pcie", "rdma-tso-no-pcie.cat"),
    ("no-pcie-inline", "rdma-tso-no-pcie.cat"),
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
