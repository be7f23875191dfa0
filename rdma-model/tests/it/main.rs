//! RDMA programs under their models.

mod brute;
mod core_rma;
mod cycles;
mod declared;
mod forms;
mod random;
mod robust;
mod theorems;
mod why;
mod wires;

use litmpi_cat::candidates::{Declarative, Options, Outcomes, Programs};
use litmpi_cat::{self as cat, CatModel};
use litmpi_litmus::ast::Test;
use litmpi_litmus::{library, parse};
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::path::Path;
use std::sync::{Arc, LazyLock};

pub(crate) fn spec() -> Arc<Spec> {
    static SPEC: LazyLock<Arc<Spec>> =
        LazyLock::new(|| Arc::new(load_shipped("rdma-tso-simplified").expect("a shipped model")));
    Arc::clone(&SPEC)
}

pub(crate) fn programs(variant: &str) -> Programs {
    Programs::new(spec(), variant).expect("a variant")
}

pub(crate) fn model(file: &str) -> CatModel {
    cat::load_shipped(file, &programs("default").given()).unwrap_or_else(|r| panic!("{}", r.render(false)))
}

pub(crate) fn test(text: &str, spec: &Spec) -> Test {
    let source = Source::new("test.litmus", text);
    parse(&source, &spec.instructions).unwrap_or_else(|r| panic!("{}", r.render(false)))
}

pub(crate) fn library(spec: &Spec) -> Vec<Test> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../litmus/rdma");
    let files = library::find(&[folder]).expect("the library");
    let read = |file: &std::path::PathBuf| Source::read(file).expect("a test").text.clone();
    files.iter().map(|file| test(&read(file), spec)).collect()
}

pub(crate) fn declared(test: &Test, programs: &Programs, model: &CatModel, options: Options) -> Outcomes {
    Declarative::new(test, programs, model, options)
        .and_then(|d| d.outcomes())
        .unwrap_or_else(|r| panic!("{}: {}", test.name, r.render(false)))
}
