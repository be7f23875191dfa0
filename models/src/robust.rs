//! Robustness: whether every execution that a declarative model allows a program is sequentially consistent, and which of
//! the declared conditions for that it fulfils. rdma-robustness Defs. 5 and 11.
//!
//! What is weak is said by `weak.cat`, which stands behind the model: what is consistent then is a weak execution. Conditions
//! are `.cat` files whose checks depend on the events alone (`CAT_CONDITIONS`, or files of the user's own). A condition that
//! fails although the program is robust is conservative there (rdma-robustness §4.3, Fig. 6b).

use crate::model::{loops, stopped};
use crate::{Limits, Model, Reached};
use litmpi_cat::candidates::{Broken, Found, Limit};
use litmpi_cat::{Witness, load_together};
use litmpi_litmus::ast::{Outcome, Prop, Test};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::shipped::{CAT_CONDITIONS, CAT_MODELS};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// What is behind a model to leave its weak executions.
const WEAK: &str = "weak.cat";
/// The model whose executions are not weak.
const STRONG: &str = "sc.cat";

/// Most candidates that are looked at for whether a weak execution can be told by its outcome: of a larger program that is left
/// open. A program is weak or not, whatever comes of it.
const SEEN: usize = 200_000;

/// A model, what is weak under it, and conditions under which nothing is.
pub struct Robustness {
    model: Arc<Model>,
    weak: Model,
    strong: Model,
    /// The conditions, in the order in which they are told.
    pub conditions: Vec<Condition>,
}

/// A condition for robustness.
pub struct Condition {
    /// What it is called.
    pub name: String,
    model: Model,
}

/// What is known of a program.
pub struct Robust {
    /// Whether it is robust; none if a bound was reached before a weak execution was found.
    pub robust: Option<bool>,
    /// A weak execution, if there is one.
    pub weak: Option<Weak>,
    /// Bounds that the search for it reached.
    pub bounds: Vec<Reached>,
    /// What each condition says.
    pub conditions: Vec<Judged>,
}

/// A weak execution.
pub struct Weak {
    /// The execution and its outcome.
    pub found: Found,
    /// Its cycle.
    pub cycle: Witness,
    /// Whether its outcome alone shows that it is weak: no sequentially consistent execution has it. If there is such an
    /// execution, it is the one that is given. None if a bound was reached.
    pub shows: Option<bool>,
}

/// What a condition says of a program.
pub struct Judged {
    /// In a word.
    pub word: Word,
    /// The pairs of events on which it fails.
    pub broken: Vec<Broken>,
    /// Why it says nothing of the program, or is not decided.
    pub why: Option<String>,
}

/// What a condition says of a program, in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// It holds.
    Holds,
    /// It fails, and the program is not robust, or that is not known.
    Fails,
    /// It fails, and the program is robust.
    Conservative,
    /// A bound was reached.
    Undecided,
    /// It says nothing of an instruction of the program.
    Silent,
}

impl Robustness {
    /// Of a declarative model, shipped or one's own, `rdma-tso` or `rdma-tso.cat`; with the conditions that ship for it and
    /// those in files of one's own.
    ///
    /// # Errors
    /// An unknown model, one of rules, a file that cannot be read or is wrong.
    pub fn new(model: &str, conditions: &[impl AsRef<Path>]) -> Result<Robustness, Report> {
        let file = if model.ends_with(".cat") { model.to_owned() } else { format!("{model}.cat") };
        let shipped = CAT_MODELS.iter().any(|(name, _, _)| *name == file);
        if !shipped && !Path::new(&file).exists() {
            let names: Vec<&str> = CAT_MODELS.iter().map(|(name, _, _)| *name).collect();
            let d = Diagnostic::general(format!("no declarative model is called `{model}`"));
            return Err(d.help(format!("give a .cat file of your own, or one of {}", names.join(", "))).into());
        }
        let model = Arc::new(Model::named(&file)?);
        let spec = Arc::clone(model.spec());
        let weak = Model::relations_in_memory(&file, Arc::clone(&spec), |given| load_together(&[&file, WEAK], given))?;
        let strong = Model::relations_in_memory(STRONG, spec, |given| load_together(&[STRONG], given))?;
        let own = conditions.iter().map(|path| {
            let path = path.as_ref();
            let name = path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
            Ok(Condition { name, model: Model::named(&path.display().to_string())? })
        });
        let of =
            CAT_MODELS.iter().find(|(name, _, variant)| *name == file && *variant == "default").map(|(_, of, _)| *of);
        let ships = CAT_CONDITIONS.iter().filter(|(_, _, model)| Some(*model) == of);
        let ships = ships.map(|(name, file, _)| Ok(Condition { name: (*name).to_owned(), model: Model::named(file)? }));
        let conditions = ships.chain(own).collect::<Result<Vec<_>, Report>>()?;
        Ok(Robustness { model, weak, strong, conditions })
    }

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Whether it can be told of a test, which was parsed against the model's instructions.
    ///
    /// # Errors
    /// Why not: an instruction of which the model or sequential consistency says nothing.
    pub fn speaks_of(&self, test: &Test, variant: &str, limits: Limits) -> Result<(), Report> {
        self.model.declarative(test, variant, limits)?;
        self.strong.declarative(test, variant, limits).map(|_| ())
    }

    /// Whether a test is robust.
    ///
    /// # Errors
    /// As of [`Robustness::speaks_of`]; an integer overflow in an execution.
    pub fn judge(&self, test: &Test, variant: &str, limits: Limits) -> Result<Robust, Report> {
        let (weak, bounds) = self.weak(test, variant, limits)?;
        let reached = |all: &[Limit]| -> Vec<Reached> {
            let one = |l: &Limit| if *l == Limit::Loops { loops(test, limits) } else { stopped(l) };
            all.iter().map(one).collect()
        };
        let is_bound = |r: &Reached| *r != Reached::Loops;
        let bounds = reached(&bounds);
        let robust = match &weak {
            Some(_) => Some(false),
            None if bounds.iter().any(is_bound) => None,
            None => Some(true),
        };
        let mut conditions = vec![];
        for condition in &self.conditions {
            let prepared = match condition.model.declarative(test, variant, limits) {
                Ok(prepared) => prepared,
                Err(why) => {
                    conditions.push(Judged { word: Word::Silent, broken: vec![], why: Some(why.to_string()) });
                    continue;
                }
            };
            let base = self.model.cat().expect("a declarative model");
            let against = prepared.against(base)?;
            let bound = reached(&against.limits).into_iter().find(is_bound);
            let word = match (against.broken.is_empty(), &bound, robust) {
                (true, None, _) => Word::Holds,
                (true, Some(_), _) => Word::Undecided,
                (false, _, Some(true)) => Word::Conservative,
                (false, _, _) => Word::Fails,
            };
            conditions.push(Judged { word, broken: against.broken, why: bound.map(|b| b.to_string()) });
        }
        Ok(Robust { robust, weak, bounds, conditions })
    }

    /// The pairs on which a condition fails.
    ///
    /// # Errors
    /// The condition says nothing of an instruction of the test, or is none on pre-executions.
    pub fn against(
        &self,
        condition: &Condition,
        test: &Test,
        variant: &str,
        limits: Limits,
    ) -> Result<Vec<Broken>, Report> {
        let base = self.model.cat().expect("a declarative model");
        Ok(condition.model.declarative(test, variant, limits)?.against(base)?.broken)
    }

    /// Whether a test has an execution that is not wanted: a weak one, or, if an outcome is asked about, one of the model with
    /// that. None if a bound was reached before that was told.
    ///
    /// # Errors
    /// As of [`Robustness::judge`].
    pub fn has(
        &self,
        outcome: Option<&Prop>,
        test: &Test,
        variant: &str,
        limits: Limits,
    ) -> Result<Option<bool>, Report> {
        let (model, prop) = outcome.map_or((&self.weak, &Prop::True), |prop| (&*self.model, prop));
        let (found, bounds) = model.declarative(test, variant, limits)?.first(prop)?;
        let reached = |l: &Limit| *l != Limit::Loops || !test.states_all_bounds();
        Ok(match found {
            Some(_) => Some(true),
            None if bounds.iter().any(reached) => None,
            None => Some(false),
        })
    }

    /// The outcomes of a test's sequentially consistent executions, as far as they were found within the bounds.
    ///
    /// # Errors
    /// As of [`Robustness::judge`].
    pub fn sequential(&self, test: &Test, variant: &str, limits: Limits) -> Result<BTreeSet<Outcome>, Report> {
        Ok(self.strong.declarative(test, variant, limits)?.outcomes()?.set)
    }

    /// A weak execution, and the limits of the search for it.
    fn weak(&self, test: &Test, variant: &str, limits: Limits) -> Result<(Option<Weak>, Vec<Limit>), Report> {
        let prepared = self.weak.declarative(test, variant, limits)?;
        let (found, bounds) = prepared.first(&Prop::True)?;
        let Some(mut found) = found else { return Ok((None, bounds)) };
        let limits = Limits { states: limits.states.min(SEEN), ..limits };
        let open = |all: &[Limit]| all.iter().any(|l| *l != Limit::Loops || !test.states_all_bounds());
        let strong = self.strong.declarative(test, variant, limits)?.outcomes()?;
        let mut shows = (!open(&strong.limits)).then(|| !strong.set.contains(&found.outcome));
        if strong.set.contains(&found.outcome)
            && let Some(beyond) = beyond(strong.set.iter())
        {
            // What can be seen says more than what can be told by a graph alone.
            shows = match self.weak.declarative(test, variant, limits)?.first(&beyond)? {
                (Some(seen), _) => {
                    found = seen;
                    (!open(&strong.limits)).then_some(true)
                }
                (None, bounds) => (!open(&bounds)).then_some(false),
            };
        }
        let cycle = found.there.iter().find(|(check, _)| check == "weak").map(|(_, w)| w.clone());
        let cycle = cycle.unwrap_or(Witness::Nothing);
        Ok((Some(Weak { found, cycle, shows }), bounds))
    }
}

/// An outcome that is none of these; nothing if that cannot be asked for.
fn beyond<'o>(outcomes: impl Iterator<Item = &'o Outcome>) -> Option<Prop> {
    let mut out = Prop::True;
    for outcome in outcomes {
        let Outcome::Values(values) = outcome else { return None };
        let equal = values.iter().enumerate().map(|(i, v)| Prop::Eq(i, *v));
        let this = equal.reduce(|a, b| Prop::And(Box::new(a), Box::new(b)))?;
        out = Prop::And(Box::new(out), Box::new(Prop::Not(Box::new(this))));
    }
    Some(out)
}
