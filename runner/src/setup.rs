//! What a result is a result of, part by part: only where every part is the same may an earlier result stand for a run.

use crate::build::FLAGS;
use crate::cache::{environment, stamp, stamp_of_program};
use crate::launch::with_tool;
use crate::plan::{Plan, PlannedTest};
use crate::target::Target;
use litmpi_codegen::Language;
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The parts, by name: the library in its own words, and sums of the compiler, the launch line, the environment, the specification,
/// the test, the options and this program.
pub fn setup(plan: &Plan, target: &Target, planned: &PlannedTest, library: &str) -> BTreeMap<String, String> {
    let program = |words: &[String]| words.first().and_then(|word| stamp_of_program(&with_tool(word)));
    let stress = planned.stress.get(&target.name);
    let label = |name: &str| planned.labels.get(name).cloned().unwrap_or_default();
    let rust = plan.language == Language::Rust;
    let options = format!(
        "{:?}",
        (
            (
                &plan.budget,
                plan.scale_millis,
                plan.progress,
                plan.delay,
                plan.seed,
                plan.permute,
                plan.run_erroneous,
                plan.retry
            ),
            (plan.patience, plan.directs, &plan.settings, &plan.variant, stress, rust),
        )
    );
    let this = std::env::current_exe().ok().and_then(|path| stamp(&path));
    let parts = [
        ("library", library.to_owned()),
        ("compiler", sum(&(&target.compiler, program(&target.compiler), FLAGS))),
        ("launch line", sum(&(&target.launch, program(&target.launch), &target.directed, target.slow))),
        ("environment", sum(&(&target.env, environment()))),
        ("specification", sum(&(label("model"), label("variant"), label("model-hash")))),
        ("test", sum(&planned.test.span.source.text)),
        ("options", sum(&options)),
        ("litmpi", sum(&this)),
    ];
    parts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

fn sum(value: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
