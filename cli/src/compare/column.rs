//! What stands beside what: a model, or the log of runs.

use crate::args::CompareArgs;
use crate::left_out::LeftOut;
use crate::load::some;
use litmpi_litmus::ast::{Claim, Outcome, Test, in_words};
use litmpi_litmus::log::{Log, Logged, State};
use litmpi_litmus::{Asked, check_names, parse};
use litmpi_models::{Limits, Model as AnyModel, Search};
use litmpi_spec::diag::Report;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A column of the table.
pub(super) struct Column {
    /// As the user named it.
    pub(super) name: String,
    pub(super) source: Source,
}

/// Where a column's states come from.
pub(super) enum Source {
    Model(Model),
    /// What each test showed.
    Log(BTreeMap<String, Logged>),
}

/// A model to be put beside others, under a variant.
pub(super) struct Model {
    model: AnyModel,
    variant: String,
    limits: Limits,
}

/// What one column says of one test.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Answer {
    /// The states, with how often each was seen where that is known.
    #[serde(with = "pairs")]
    pub(super) states: BTreeMap<State, Option<u64>>,
    /// A word a condition: a verdict of a model, an observation of a log.
    pub(super) words: Vec<String>,
    /// No bound was reached.
    pub(super) complete: bool,
}

/// A map whose keys are no strings, as the list of its pairs.
mod pairs {
    use super::{BTreeMap, State};
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(map: &BTreeMap<State, Option<u64>>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(map)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<State, Option<u64>>, D::Error> {
        Vec::deserialize(from).map(|pairs: Vec<_>| pairs.into_iter().collect())
    }
}

impl Column {
    /// What tells it from all others.
    pub(super) fn about(&self) -> String {
        match &self.source {
            Source::Model(m) => format!("{} {}", self.name, m.model.hash()),
            // What a log says goes into the results of its tests.
            Source::Log(_) => self.name.clone(),
        }
    }

    /// The models in the order of their names, then the logs.
    ///
    /// # Errors
    /// A model that there is not, or no log that can be read where there are no models.
    pub(super) fn all(args: &CompareArgs, logs: &[PathBuf]) -> Result<(Vec<Column>, LeftOut), Report> {
        let (mut errors, mut left_out) = (Report::default(), LeftOut::default());
        let mut out = vec![];
        for name in &args.models {
            match Model::named(name, args) {
                Ok(model) => out.push(Column { name: name.clone(), source: Source::Model(model) }),
                Err(report) => errors.0.extend(report.0),
            }
        }
        for path in logs {
            if let Some(log) = left_out.keep(path, read(path)) {
                let tests = log.tests.into_iter().map(|t| (t.name.clone(), t)).collect();
                out.push(Column { name: path.display().to_string(), source: Source::Log(tests) });
            }
        }
        errors.into_result()?;
        some(out, left_out)
    }

    pub(super) fn is_log(&self) -> bool {
        matches!(self.source, Source::Log(_))
    }

    /// What a log says of a test.
    pub(super) fn log_of(&self, test: &str) -> Option<&Logged> {
        match &self.source {
            Source::Log(log) => log.get(test),
            Source::Model(_) => None,
        }
    }

    /// Everything that a log speaks of.
    pub(super) fn logged(&self) -> Vec<&Logged> {
        match &self.source {
            Source::Log(log) => log.values().collect(),
            Source::Model(_) => vec![],
        }
    }

    /// Whether it is a model without deadlocks.
    pub(super) fn values_only(&self) -> bool {
        matches!(&self.source, Source::Model(m) if !m.model.knows_deadlock())
    }
}

fn read(path: &Path) -> Result<Log, Report> {
    Log::parse(&litmpi_spec::source::Source::read_as(path, "")?)
}

impl Model {
    /// `NAME[:VARIANT]`, where the name of a declarative model is that of its `.cat` file.
    fn named(name: &str, args: &CompareArgs) -> Result<Model, Report> {
        let (name, variant) = name.split_once(':').unwrap_or((name, "default"));
        let model = AnyModel::named(name)?;
        model.knows_variant(variant)?;
        Ok(Model { model, variant: variant.to_owned(), limits: args.bounds.limits(Search::Auto) })
    }

    /// A test as a program of this model's instructions.
    pub(super) fn parse(&self, source: &Arc<litmpi_spec::source::Source>) -> Result<Test, Report> {
        let test = parse(source, self.model.instructions())?;
        check_names(source, self.model.instructions(), Asked::Outcomes)?;
        Ok(test)
    }

    /// What it says of a test.
    pub(super) fn answer(&self, test: &Test) -> Result<Answer, Report> {
        let found = self.model.answer(test, &self.variant, self.limits)?;
        Ok(Answer::of_model(test, &found, self.model.knows_deadlock()))
    }
}

impl Answer {
    fn of_model(test: &Test, found: &litmpi_models::Answer, knows_deadlock: bool) -> Answer {
        let states =
            found.set.iter().map(|o| (State::parse(&test.show(o)).expect("an outcome as printed"), None)).collect();
        let judged = |c: &Claim| found.verdict(c).filter(|_| knows_deadlock || !c.speaks_of_other_ends());
        let words = test.claims.iter().map(|c| in_words(judged(c))).collect();
        Answer { states, words, complete: found.complete() }
    }

    /// What a log says; of the conditions of a test, if that is known, else of its own.
    pub(super) fn of_log(log: &Logged, test: Option<&Test>) -> Answer {
        let words = match test {
            None => log.observations.clone(),
            Some(test) => test.claims.iter().map(|c| observation(log, test, c)).collect(),
        };
        Answer { states: log.states.clone(), words, complete: log.complete }
    }
}

/// `Sometimes`, `Never` or `Always`, as herd says it of a condition; `-` if the log does not give all values.
fn observation(log: &Logged, test: &Test, claim: &Claim) -> String {
    let mut seen = [false; 2];
    for state in log.states.keys() {
        let outcome = match state {
            State::Word(w) if w == "deadlock" => Outcome::Deadlock,
            State::Word(_) => continue,
            State::Values(values) => {
                // A number, or what a race leaves.
                let value = |name: &str| match values.get(name.trim_matches(['[', ']']))?.as_str() {
                    "undefined" => Some(None),
                    v => v.parse::<i64>().ok().map(Some),
                };
                match test.observed.iter().map(|o| value(&o.name)).collect() {
                    Some(values) => Outcome::of_values(values),
                    None => return "-".into(),
                }
            }
        };
        seen[usize::from(claim.prop.holds(&outcome))] = true;
    }
    match seen {
        [_, false] => "Never",
        [false, true] => "Always",
        [true, true] => "Sometimes",
    }
    .into()
}
