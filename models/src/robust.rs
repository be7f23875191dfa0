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
use litmpi_litmus::ast::{Outcome, Prop, Stmt, Test};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::events::Step;
use litmpi_spec::shipped::{CAT_CONDITIONS, CAT_MODELS};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// What is behind a model to leave its weak executions.
const WEAK: &str = "weak.cat";
/// The model whose executions are not weak.
const STRONG: &str = "sc.cat";

/// The first searches have so many candidates each, and each tries choices in another order: in one of them something that a large program
/// allows in many ways is found soon. What they leave open, one search of everything decides.
const FIRST: u64 = 4_000;
const ORDERS: u64 = 24;

/// Conditions that are enough together, for the models that they ship for: rdma-robustness Theorems 5 and 17.
const ENOUGH: [&str; 2] = ["ldrf", "fenced"];

/// Events that neither read nor write, and order what is on both sides of them.
const FENCES: [&str; 2] = ["F", "nF"];

/// Most candidates that are looked at for whether a weak execution can be told by its outcome: of a larger program that is left
/// open. A program is weak or not, whatever comes of it.
const SEEN: usize = 200_000;

/// A model, what is weak under it, and conditions under which nothing is.
pub struct Robustness {
    model: Arc<Model>,
    weak: Model,
    strong: Model,
    /// The model ships, and is not the user's own.
    ships: bool,
    /// The conditions, in the order in which they are told.
    pub conditions: Vec<Condition>,
}

/// A condition for robustness.
pub struct Condition {
    /// What it is called.
    pub name: String,
    model: Model,
    /// It ships, and is not the user's own.
    ships: bool,
}

/// What is known of a program.
pub struct Robust {
    /// Whether it is robust; none if a bound was reached before a weak execution was found.
    pub robust: Option<bool>,
    /// The conditions that make it so where the search did not come to its end: rdma-robustness Theorems 5 and 17.
    pub by: Option<Vec<String>>,
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
            Ok(Condition { name, model: Model::named(&path.display().to_string())?, ships: false })
        });
        let of =
            CAT_MODELS.iter().find(|(name, _, variant)| *name == file && *variant == "default").map(|(_, of, _)| *of);
        let ships = CAT_CONDITIONS.iter().filter(|(_, _, model)| Some(*model) == of);
        let ships = ships
            .map(|(name, file, _)| Ok(Condition { name: (*name).to_owned(), model: Model::named(file)?, ships: true }));
        let conditions = ships.chain(own).collect::<Result<Vec<_>, Report>>()?;
        Ok(Robustness { model, weak, strong, ships: shipped, conditions })
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
        let mut conditions = self.conditions(test, variant, limits)?;
        let (mut found, mut all) = self.soon(&self.weak, &Prop::True, test, variant, limits)?;
        let is_open = found.is_none() && all.iter().any(|l| matches!(l, Limit::Candidates(_)));
        let by = if is_open { self.enough(&conditions, variant) } else { None };
        if is_open && by.is_none() {
            (found, all) = self.weak.declarative(test, variant, limits)?.first(&Prop::True)?;
        }
        let weak = found.map(|found| self.shown(found, test, variant, limits)).transpose()?;
        // What was found is there, and a theorem has no bounds.
        let bounds = if by.is_some() || weak.is_some() { vec![] } else { self.reached(&all, test, limits) };
        let robust = match &weak {
            Some(_) => Some(false),
            None if bounds.iter().any(is_bound) => None,
            None => Some(true),
        };
        for judged in conditions.iter_mut().filter(|j| j.word == Word::Fails && robust == Some(true)) {
            judged.word = Word::Conservative;
        }
        Ok(Robust { robust, by, weak, bounds, conditions })
    }

    /// Limits that were hit, as they are told.
    fn reached(&self, all: &[Limit], test: &Test, limits: Limits) -> Vec<Reached> {
        let one = |l: &Limit| match l {
            Limit::Loops if self.rounds_are_enough(test, limits) => Reached::Loops,
            Limit::Loops => loops(test, limits),
            other => stopped(other),
        };
        all.iter().map(one).collect()
    }

    /// Whether nothing is left out of a test for want of rounds of its loops: each states how many it has at most, or does nothing but read and
    /// fence, and then three are enough under the models that ship.
    ///
    /// For an execution with more rounds is one with three if the others are left out: their reads and fences are in no relation between what
    /// is left, and nothing reads from them, so that it is as consistent as it was; each round that is left goes on as the one before it did.
    /// A cycle of what sequential consistency orders has one with two events of a thread at most, for two of a thread are in program order.
    /// So there are three rounds that matter: two on the cycle, and the last one. Pairs against a condition are two events as well.
    pub fn rounds_are_enough(&self, test: &Test, limits: Limits) -> bool {
        let some = limits.rounds() >= 3;
        let only_reads = |body: &[Stmt]| body.iter().all(|stmt| self.only_reads(stmt));
        let spins = |stmt: &Stmt| matches!(stmt, Stmt::While { bound: None, body, .. } if only_reads(body));
        test.states_all_bounds() || some && self.ships && test.states_all_bounds_but(&spins)
    }

    /// Whether a statement reads a location into a register, or is a fence.
    fn only_reads(&self, stmt: &Stmt) -> bool {
        let Stmt::Call { instr, .. } = stmt else { return false };
        let Some(events) = &self.model.spec().events[*instr] else { return false };
        events.steps.iter().all(|step| match step {
            Step::Event(e) if e.writes.is_some() || !e.also.is_empty() => false,
            Step::Event(e) => e.reads.is_some() && e.keys.is_empty() || FENCES.contains(&e.label.as_str()),
            Step::Set(..) => true,
            _ => false,
        })
    }

    /// What each condition says of a program of which nothing else is known.
    fn conditions(&self, test: &Test, variant: &str, limits: Limits) -> Result<Vec<Judged>, Report> {
        let mut out = vec![];
        for condition in &self.conditions {
            let prepared = match condition.model.declarative(test, variant, limits) {
                Ok(prepared) => prepared,
                Err(why) => {
                    out.push(Judged { word: Word::Silent, broken: vec![], why: Some(why.to_string()) });
                    continue;
                }
            };
            let base = self.model.cat().expect("a declarative model");
            let against = prepared.against(base)?;
            let bound = self.reached(&against.limits, test, limits).into_iter().find(is_bound);
            let word = match (against.broken.is_empty(), &bound) {
                (true, None) => Word::Holds,
                (true, Some(_)) => Word::Undecided,
                (false, _) => Word::Fails,
            };
            out.push(Judged { word, broken: against.broken, why: bound.map(|b| b.to_string()) });
        }
        Ok(out)
    }

    /// The conditions that make a program robust by a theorem, if they hold.
    fn enough(&self, conditions: &[Judged], variant: &str) -> Option<Vec<String>> {
        let holds = |name: &str| {
            let mut own = self.conditions.iter().zip(conditions).filter(|(c, _)| c.ships && c.name == name);
            own.any(|(_, judged)| judged.word == Word::Holds)
        };
        (variant == "default" && ENOUGH.iter().all(|name| holds(name)))
            .then(|| ENOUGH.iter().map(|name| (*name).to_owned()).collect())
    }

    /// What a model allows with an outcome that satisfies a proposition, if that is found soon, and the limits that were hit if it is
    /// not: searches that are cut off, each in another order, the first one with few rounds of loops that have no bounds of their own.
    fn soon(
        &self,
        model: &Model,
        wanted: &Prop,
        test: &Test,
        variant: &str,
        limits: Limits,
    ) -> Result<(Option<Found>, Vec<Limit>), Report> {
        let few = FIRST.min(u64::try_from(limits.states).unwrap_or(FIRST));
        if !test.states_all_bounds() {
            for unroll in 1..limits.rounds() {
                let mut prepared = model.declarative(test, variant, Limits { unroll: Some(unroll), ..limits })?;
                prepared.limit(few, 0);
                let (found, all) = prepared.first(wanted)?;
                if found.is_some() {
                    return Ok((found, all));
                }
            }
        }
        let mut prepared = model.declarative(test, variant, limits)?;
        let mut last = (None, vec![]);
        for order in 0..ORDERS {
            prepared.limit(few, order);
            last = prepared.first(wanted)?;
            if last.0.is_some() || !last.1.iter().any(|l| matches!(l, Limit::Candidates(_))) {
                break;
            }
        }
        Ok(last)
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
    /// that, with loops unrolled as the limits say. None if a bound of the search was reached before that was told.
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
        let (mut found, mut bounds) = self.soon(model, prop, test, variant, limits)?;
        if found.is_none() && bounds.iter().any(|l| matches!(l, Limit::Candidates(_))) {
            (found, bounds) = model.declarative(test, variant, limits)?.first(prop)?;
        }
        Ok(match found {
            Some(_) => Some(true),
            None if bounds.iter().any(|l| *l != Limit::Loops) => None,
            None => Some(false),
        })
    }

    /// The outcomes of a test's sequentially consistent executions, with loops unrolled as the limits say; none if there are too many
    /// executions to look at each.
    ///
    /// # Errors
    /// As of [`Robustness::judge`].
    pub fn sequential(&self, test: &Test, variant: &str, limits: Limits) -> Result<Option<BTreeSet<Outcome>>, Report> {
        let found = self.strong.declarative(test, variant, limits)?.outcomes()?;
        Ok(found.limits.iter().all(|l| *l == Limit::Loops).then_some(found.set))
    }

    /// A weak execution as it is shown: one that its outcome gives away, if there is one.
    fn shown(&self, mut found: Found, test: &Test, variant: &str, limits: Limits) -> Result<Weak, Report> {
        let limits = Limits { states: limits.states.min(SEEN), ..limits };
        let open = |all: &[Limit]| all.iter().any(|l| *l != Limit::Loops || !self.rounds_are_enough(test, limits));
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
        Ok(Weak { found, cycle, shows })
    }
}

/// Whether something may be left out for it: a loop's own bound is part of the program.
fn is_bound(reached: &Reached) -> bool {
    *reached != Reached::Loops
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
