//! The concrete and the simplified form of RDMA^TSO have the same complete outcome sets (rdma-tso Theorem 3.1, App. B):
//! on the library, on every program up to a bound, on random ones beyond it.

use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::{library, parse};
use litmpi_models::{Operational, Setup};
use litmpi_rdma_model::generate;
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

const VARIANTS: [&str; 8] =
    ["default", "no-pcie", "inline", "no-pcie-inline", "relaxed-ordering", "unordered", "fi-order-waw", "gpu-memory"];

struct Models {
    concrete: Arc<Spec>,
    simplified: Arc<Spec>,
}

impl Models {
    fn load() -> Models {
        let load = |name| Arc::new(load_shipped(name).expect("a shipped model"));
        Models { concrete: load("rdma-tso"), simplified: load("rdma-tso-simplified") }
    }

    fn parse(&self, source: &Arc<Source>) -> Test {
        parse(source, &self.simplified.instructions).unwrap_or_else(|r| panic!("{}", r.render(false)))
    }

    /// Panics with the program and both sets if they differ.
    fn agree(&self, test: &Test, variant: &str) {
        let outcomes = |spec: &Arc<Spec>| {
            let setup = Setup { variant: variant.into(), ..Setup::new(Arc::clone(spec)) };
            let found = Operational::new(test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{r}"));
            assert!(found.complete(), "{}: a bound was hit", test.name);
            found.set
        };
        let (concrete, simplified) = (outcomes(&self.concrete), outcomes(&self.simplified));
        if concrete != simplified {
            let only = |a: &BTreeSet<Outcome>, b: &BTreeSet<Outcome>| {
                a.difference(b).map(|o| test.show(o)).collect::<Vec<_>>().join("\n  ")
            };
            panic!(
                "the models disagree ({variant}) on\n{}\nonly concrete:\n  {}\nonly simplified:\n  {}",
                test.span.source.text,
                only(&concrete, &simplified),
                only(&simplified, &concrete)
            );
        }
    }
}

#[test]
fn concrete_and_simplified_agree_on_the_library_in_every_variant() {
    let models = Models::load();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../litmus/rdma");
    let files = library::find(&[folder]).expect("the library");
    assert!(files.len() > 50);
    for file in files {
        let test = models.parse(&Source::read(&file).expect("a readable file"));
        for variant in VARIANTS {
            models.agree(&test, variant);
        }
    }
}

#[test]
fn concrete_and_simplified_agree_on_every_program_of_two_threads_with_two_instructions() {
    let models = Models::load();
    let mut programs = 0;
    for text in generate::exhaustive(2, 2) {
        models.agree(&models.parse(&Source::new("generated", text)), "default");
        programs += 1;
    }
    assert_eq!(programs, 64 * 65 / 2);
}

#[test]
fn concrete_and_simplified_agree_on_every_program_of_two_threads_with_a_remote_read_modify_write() {
    let models = Models::load();
    let mut programs = 0;
    for text in generate::exhaustive_updates(2, 2) {
        models.agree(&models.parse(&Source::new("generated", text)), VARIANTS[programs % VARIANTS.len()]);
        programs += 1;
    }
    assert_eq!(programs, 81 * 82 / 2 - 49 * 50 / 2);
}

#[test]
fn concrete_and_simplified_agree_on_random_programs_with_remote_read_modify_writes() {
    let models = Models::load();
    for seed in 0..80 {
        let text = generate::random_updates(seed, 2 + usize::from(seed % 4 == 3), 3 - usize::from(seed % 4 == 3));
        models.agree(&models.parse(&Source::new("generated", text)), VARIANTS[seed as usize % VARIANTS.len()]);
    }
}

#[test]
fn concrete_and_simplified_agree_on_every_thread_of_four_instructions() {
    let models = Models::load();
    for (i, text) in generate::exhaustive(1, 4).enumerate() {
        models.agree(&models.parse(&Source::new("generated", text)), VARIANTS[i % VARIANTS.len()]);
    }
}

#[test]
fn concrete_and_simplified_agree_on_random_programs() {
    let models = Models::load();
    for seed in 0..150 {
        let text = generate::random(seed, 2, 3);
        models.agree(&models.parse(&Source::new("generated", text)), VARIANTS[seed as usize % VARIANTS.len()]);
    }
}
