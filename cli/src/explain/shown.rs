//! What `explain` finds, as data for a page: a shortest way to each outcome with the states on it, and what forbids an outcome, each
//! with its pictures.

use super::files::usual;
use super::wanted::only;
use super::why::Declared;
use super::{name, trace, waiting, with_declared, without};
use crate::args::ModelArgs;
use crate::load::{Loaded, limits};
use litmpi_engine::machine::{Machine, Step};
use litmpi_engine::reach::Reach;
use litmpi_engine::search::Path;
use litmpi_litmus::ast::{Outcome, Prop, Test};
use litmpi_models::{Limits, Operational, Search};
use litmpi_spec::diag::Report;
use litmpi_spec::source::one_line;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A program whose search takes more states than this is not shown step by step on a page of many.
const STATES: usize = 4000;
/// Looking for what forbids an outcome searches the program many times: only one of so few states.
const FEW: usize = 1500;
/// So many outcomes have their ways on a page.
const WAYS: usize = 32;

/// A test under a model of rules, with ways to its outcomes.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    model: String,
    /// The entries that some way changes, as they are at first.
    initial: Vec<(String, String)>,
    ways: Vec<Way>,
    /// What is not shown, and why.
    notes: Vec<String>,
}

/// A shortest way to an outcome.
#[derive(Debug, Serialize)]
struct Way {
    outcome: String,
    steps: Vec<Shift>,
    /// How it ends.
    end: String,
    /// Its message chart.
    chart: String,
    /// An execution of the declarative model with the same outcome, if there is such a model.
    graph: Option<String>,
}

/// A step, with what it changes.
#[derive(Debug, Serialize)]
struct Shift {
    name: String,
    says: String,
    place: String,
    cite: String,
    /// The statement that it runs, and its line.
    source: Option<(String, usize)>,
    /// Entries, with their values before and after.
    changes: Vec<(String, String, String)>,
}

/// What forbids an outcome.
#[derive(Debug, Serialize)]
pub(crate) struct WhyNot {
    outcome: String,
    model: String,
    /// What forbids it, as `explain` says it.
    text: String,
    /// The same as data: the premises and requirements without which it would come about.
    by: Option<Value>,
    reasons: Vec<Reason>,
}

/// A check of a declarative model that fails, and its cycle.
#[derive(Debug, Serialize)]
struct Reason {
    check: String,
    place: String,
    shape: String,
    says: String,
    graph: String,
}

/// The ways to the outcomes of a test; none under a declarative model.
///
/// # Errors
/// A rule that cannot be evaluated.
pub(crate) fn shown(l: &Loaded, args: &ModelArgs, variant: &str) -> Result<Option<Shown>, Report> {
    let of = limits(args);
    let Some((test, mut setup)) = l.model.rules(&l.test, variant, Limits { states: STATES.min(of.states), ..of })?
    else {
        return Ok(None);
    };
    setup.search = Search::Full;
    let model = Operational::new(&test, &setup)?;
    let ways = model.ways()?;
    let mut out = Shown { model: name(&l.spec.name, variant), initial: vec![], ways: vec![], notes: vec![] };
    if !ways.outcomes.complete() {
        let words: Vec<String> = ways.outcomes.bounds.iter().map(ToString::to_string).collect();
        out.notes.push(format!("Only what was found within {}: `litmpi explain` searches further.", words.join(", ")));
    }
    let machine = model.machine();
    for outcome in ways.outcomes.set.iter().take(WAYS) {
        let Some(path) = model.way(&ways, outcome)? else { continue };
        let mut chart = trace::sequence(machine, &path, &test);
        let outcome_shown = l.test.show(outcome);
        chart.title = format!("{}: {outcome_shown}", l.test.name);
        out.ways.push(Way {
            steps: shifts(machine, &path, &test),
            end: ends(machine, &path, outcome, &test),
            chart: chart.svg(),
            graph: declared_graph(l, args, variant, outcome)?,
            outcome: outcome_shown,
        });
    }
    if ways.outcomes.set.len() > WAYS {
        out.notes.push(format!("Ways to the first {WAYS} of {} outcomes.", ways.outcomes.set.len()));
    }
    let changed: BTreeSet<&str> =
        out.ways.iter().flat_map(|w| &w.steps).flat_map(|s| &s.changes).map(|(entry, ..)| entry.as_str()).collect();
    let first = machine.initial();
    let entries = (0..first.len()).filter_map(|slot| machine.entry(slot, first));
    let entries = entries.filter(|(entry, _)| changed.contains(entry.as_str()));
    out.initial = entries.map(|(entry, value)| (entry, test.with_names(&value))).collect();
    Ok(Some(out))
}

fn shifts(machine: &Machine, path: &Path<Step>, test: &Test) -> Vec<Shift> {
    let one = |(i, step): (usize, &Step)| {
        let rule = step.rule.map(|r| &machine.spec().rules[r]);
        let changes = path.states.get(i + 1).map_or(vec![], |after| machine.changes(&path.states[i], after));
        Shift {
            name: machine.step_name(step),
            says: rule.map_or_else(String::new, |r| r.doc.clone()),
            place: rule.map_or_else(String::new, |r| r.span.to_string()),
            cite: rule.map_or_else(String::new, |r| r.cite.clone()),
            source: machine.step_source(step, &path.states[i]).map(|s| (one_line(s.text()), s.line_col().0)),
            changes: changes
                .into_iter()
                .map(|c| (c.entry, test.with_names(&c.before), test.with_names(&c.after)))
                .collect(),
        }
    };
    path.steps.iter().enumerate().map(one).collect()
}

fn ends(machine: &Machine, path: &Path<Step>, outcome: &Outcome, test: &Test) -> String {
    match outcome {
        Outcome::Deadlock => {
            let last = path.states.last().expect("an initial state");
            format!("These wait for ever:\n{}", waiting::as_text(machine, last))
        }
        Outcome::Erroneous { rule, reason } => format!("The last step breaks what {rule} requires: {reason}."),
        _ => format!("Nothing is left to do: {}", test.show(outcome)),
    }
}

/// An execution with an outcome, by the declarative form of the test's model, as SVG.
fn declared_graph(l: &Loaded, args: &ModelArgs, variant: &str, outcome: &Outcome) -> Result<Option<String>, Report> {
    let Outcome::Values(values) = outcome else { return Ok(None) };
    let mut drawn = None;
    with_declared(l, (args, variant), &mut String::new(), |declared, _| {
        drawn = declared.consistent(&only(values))?.map(|(graph, _)| graph.svg(&usual(&graph)));
        Ok(())
    })?;
    Ok(drawn)
}

/// What forbids an outcome of a test, `asked` in words; none if it is allowed, or if it is not soon known.
///
/// # Errors
/// A rule that cannot be evaluated.
pub(crate) fn why_not(
    l: &Loaded,
    args: &ModelArgs,
    variant: &str,
    (asked, prop): (&str, &Prop),
) -> Result<Option<WhyNot>, Report> {
    let of = limits(args);
    let model = name(l.model.name(), variant);
    let mut out = WhyNot { outcome: asked.to_owned(), model, text: String::new(), by: None, reasons: vec![] };
    let failing = |declared: &Declared<'_>| -> Result<Vec<Reason>, Report> {
        let reasons = declared.reasons(prop, asked)?;
        let one = |f: super::why::Failing| Reason {
            says: format!("{} of {} candidate executions of {} fail so", f.count, f.total, declared.name),
            graph: f.graph.svg(&usual(&f.graph)),
            check: f.check,
            place: f.place,
            shape: f.shape,
        };
        Ok(reasons.into_iter().map(one).collect())
    };
    let few = Limits { states: FEW.min(of.states), ..of };
    let Some((test, mut setup)) = l.model.rules(&l.test, variant, few)? else {
        let model = l.model.declarative(&l.test, variant, of)?;
        let declared = Declared { name: out.model.clone(), test: &l.test, model };
        if declared.consistent(prop)?.is_some() {
            return Ok(None);
        }
        out.reasons = failing(&declared)?;
        return Ok(Some(out));
    };
    setup.search = Search::Full;
    let reach = Arc::new(Reach::new(&setup.spec));
    setup.reach = Some(Arc::clone(&reach));
    let outcomes = Operational::new(&test, &setup)?.ways()?.outcomes;
    if !outcomes.complete() || outcomes.set.iter().any(|o| prop.holds(o)) {
        return Ok(None);
    }
    let found = without::forbidden(args, (&test, &setup), prop, (&reach, outcomes.states), without::Pairs::Tried)?;
    (out.text, out.by) = (found.as_text(), Some(found.as_json()));
    with_declared(l, (args, variant), &mut String::new(), |declared, _| {
        out.reasons = failing(declared)?;
        Ok(())
    })?;
    Ok(Some(out))
}
