//! `litmpi explain`: how an outcome comes about, or what forbids it.
//!
//! A model of rules shows a shortest trace; for a forbidden outcome, the premises and requirements without which it would be allowed; for
//! a deadlock, the premise at which each thread waits. The declarative model that its header names shows an execution graph of an
//! allowed outcome, and for a forbidden one the check that fails, and its cycle, in every candidate that would give it.

mod files;
mod picture;
mod shown;
pub(crate) mod trace;
mod waiting;
mod wanted;
mod why;
mod without;

use crate::args::{ExplainArgs, ModelArgs};
use crate::load::{Loaded, limits, tests_under_any_model};
use crate::{Verdict, remark, say};
pub(crate) use files::{Files, PictureArgs, beside};
use litmpi_engine::machine::Step;
use litmpi_engine::reach::Reach;
use litmpi_engine::search::{Bounds, Path};
use litmpi_litmus::ast::{Outcome, Prop, Test};
use litmpi_litmus::parse;
use litmpi_models::{Limits, Model, Operational, Search, Setup};
use litmpi_runner::{Observed, proposition};
use litmpi_spec::diag::{Diagnostic, Report};
pub(crate) use picture::{graph, mark, shape};
use serde_json::{Value, json};
pub(crate) use shown::{Shown, WhyNot, shown, why_not};
use std::fmt::Write;
use std::sync::Arc;
pub(crate) use waiting::as_text as waiting_text;
use wanted::{may_be, nearest};
pub(crate) use wanted::{only, wanted};
use why::Declared;

pub(crate) fn explain(args: &ExplainArgs) -> Result<Verdict, Report> {
    let (loaded, mut left_out) = tests_under_any_model(&args.model)?;
    let mut files = Files::new(&args.pictures, loaded.len())?;
    let (mut bad, mut undecided) = (0, 0);
    let mut rows = vec![];
    for l in loaded {
        let Some((out, found, told)) = left_out.keep(&l.path, explain_one(&l, args, &mut files)) else { continue };
        if args.json {
            rows.push(told);
        } else {
            say(&out);
        }
        bad += usize::from(found == Found::Forbidden);
        undecided += usize::from(found == Found::Undecided);
    }
    if args.json {
        rows.extend(left_out.rows());
        say(&format!("{:#}\n", json!(rows)));
    }
    for path in &files.written {
        remark(&format!("wrote {}", path.display()));
    }
    Ok(left_out.end(Verdict::of(bad, undecided)))
}

/// What explains the outcome asked for in one test, what was found of it, and the same as data.
fn explain_one(l: &Loaded, args: &ExplainArgs, files: &mut Files<'_>) -> Result<(String, Found, Value), Report> {
    let mut out = format!("Test {}: {}\n", l.test.name, l.test.title);
    let prop = wanted(&l.test, args.outcome.as_deref())?;
    let (model, asked) = (l.model.name(), asked(l, args, &prop));
    let mut told = json!({ "test": l.test.name, "model": model, "variant": args.variant, "asked": asked });
    let found = match l.model.rules(&l.test, &args.variant, limits(&args.model))? {
        Some((test, setup)) => by_rules(l, &test, setup, args, &prop, files, (&mut out, &mut told))?,
        None => by_relations(l, args, &prop, files, &mut out)?,
    };
    out.push('\n');
    told["verdict"] = json!(match found {
        Found::Allowed => "allowed",
        Found::Forbidden => "forbidden",
        Found::Undecided => "undecided",
    });
    told["text"] = json!(out);
    Ok((out, found, told))
}

/// Ways are shortest to what is found within so many states; what is farther is searched for by what misses it by least, first.
const SHORTEST: usize = 200_000;

/// A program whose search takes more states than this is not explained unasked.
const SMALL: usize = 500;

/// Which premises, conditions or requirements forbid final values that were seen, a line each; none if that takes long, or if no single
/// one does.
pub(crate) fn forbidding(l: &Loaded, args: &ModelArgs, variant: &str, seen: &Observed) -> Option<Vec<String>> {
    let Some(Outcome::Values(values)) = seen.outcome() else { return None };
    let limits = Limits { states: SMALL, ..limits(args) };
    let (test, mut setup) = l.model.rules(&l.test, variant, limits).ok()??;
    setup.search = Search::Full;
    let reach = Arc::new(Reach::new(&setup.spec));
    setup.reach = Some(Arc::clone(&reach));
    let outcomes = Operational::new(&test, &setup).ok()?.ways().ok()?.outcomes;
    if !outcomes.complete() {
        return None;
    }
    let found =
        without::forbidden(args, (&test, &setup), &only(&values), (&reach, outcomes.states), without::Pairs::LeftOut)
            .ok()?;
    Some(found.in_short())
}

/// What was found of an outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Found {
    Allowed,
    Forbidden,
    /// It did not come within a bound.
    Undecided,
}

/// Explains an outcome under a model of rules.
fn by_rules(
    l: &Loaded,
    test: &Test,
    mut setup: Setup,
    args: &ExplainArgs,
    prop: &Prop,
    files: &mut Files<'_>,
    (out, told): (&mut String, &mut Value),
) -> Result<Found, Report> {
    if args.model.search.is_none() {
        // Ways are to be shortest.
        setup.search = Search::Full;
    }
    let reach = Arc::new(Reach::new(&setup.spec));
    setup.reach = Some(Arc::clone(&reach));
    let soon = setup.bounds.states.min(SHORTEST);
    let mut model =
        Operational::new(test, &Setup { bounds: Bounds { states: soon, ..setup.bounds }, ..setup.clone() })?;
    let mut ways = model.ways()?;
    if soon < setup.bounds.states && ways.outcomes.stopped() && !ways.outcomes.set.iter().any(|o| prop.holds(o)) {
        let search = if args.model.search.is_none() { Search::Auto } else { setup.search };
        let towards = Operational::new(test, &Setup { search, reach: None, ..setup.clone() })?;
        if let Some((outcome, path)) = towards.towards(|o| prop.holds(o), wanted::misses(prop))? {
            let way = Way { outcome: &outcome, path: &path, is_shortest: false };
            return allowed(l, (&towards, test), args, way, files, (out, told));
        }
        model = Operational::new(test, &setup)?;
        ways = model.ways()?;
    }
    let outcomes = &ways.outcomes;
    let found = outcomes.set.iter().find(|o| prop.holds(o)).or_else(|| outcomes.set.iter().find(|o| may_be(prop, o)));
    let Some(outcome) = found else {
        let (name, variant) = (&l.spec.name, &args.variant);
        if outcomes.complete() {
            let _ = writeln!(out, "No such outcome under {name} ({variant}).");
            let _ = writeln!(out, "{} states were searched; the outcomes are:", outcomes.states);
        } else {
            let _ = writeln!(out, "Undecided: no such outcome was found under {name} ({variant}) within the bounds.");
            let _ = writeln!(out, "{} states were searched; the outcomes found in them are:", outcomes.states);
        }
        for o in &outcomes.set {
            let _ = writeln!(out, "  {}", l.test.show(o));
        }
        if let Some((n, near)) = nearest(prop, outcomes.set.iter()) {
            let near: Vec<String> = near.iter().map(|o| l.test.show(o)).collect();
            let values = if n == 1 { "one value".to_owned() } else { format!("{n} values") };
            let _ = writeln!(out, "The nearest miss it by {values}: {}", near.join("  or  "));
        }
        for b in &outcomes.bounds {
            let _ = writeln!(out, "Not found within {b}: a longer search may find it.");
        }
        out.push('\n');
        told["outcomes"] = outcomes.set.iter().map(|o| l.test.show(o)).collect();
        told["bounds"] = outcomes.bounds.iter().map(ToString::to_string).collect();
        if !outcomes.complete() {
            return Ok(Found::Undecided);
        }
        // Which rule forbids values of a program that has none is no question.
        let is_wrong = |o: &Outcome| matches!(o, Outcome::Erroneous { .. });
        if let Some(wrong) = outcomes.set.first().filter(|_| outcomes.set.iter().all(is_wrong))
            && !matches!(prop, Prop::Deadlock | Prop::Erroneous)
        {
            let _ = writeln!(out, "The program is erroneous whatever happens, so that no values come of it:\n");
            let path = model.way(&ways, wrong)?.expect("it was found");
            let way = Way { outcome: wrong, path: &path, is_shortest: outcomes.search == Search::Full };
            allowed(l, (&model, test), args, way, files, (out, told))?;
            return Ok(Found::Forbidden);
        }
        if !matches!(prop, Prop::Deadlock | Prop::Erroneous) {
            let forbidden = without::forbidden(
                &args.model,
                (test, &setup),
                prop,
                (&reach, outcomes.states),
                without::Pairs::Tried,
            )?;
            told["forbidden_by"] = forbidden.as_json();
            let _ = writeln!(out, "{}", forbidden.as_text());
            with_declared(l, (&args.model, &args.variant), out, |declared, out| {
                declared.why_not(prop, &asked(l, args, prop), files, out).map(|_| ())
            })?;
        }
        return Ok(Found::Forbidden);
    };
    let path = model.way(&ways, outcome)?.expect("it was found");
    let way = Way { outcome, path: &path, is_shortest: outcomes.search == Search::Full };
    allowed(l, (&model, test), args, way, files, (out, told))
}

/// How an outcome comes about.
struct Way<'w> {
    outcome: &'w Outcome,
    path: &'w Path<Step>,
    is_shortest: bool,
}

/// Shows a way to an outcome.
fn allowed(
    l: &Loaded,
    (model, test): (&Operational<'_>, &Test),
    args: &ExplainArgs,
    Way { outcome, path, is_shortest }: Way<'_>,
    files: &mut Files<'_>,
    (out, told): (&mut String, &mut Value),
) -> Result<Found, Report> {
    let machine = model.machine();
    let shown = l.test.show(outcome);
    let _ = writeln!(out, "{shown} under {} ({}), in {} steps:", l.spec.name, args.variant, path.steps.len());
    if !is_shortest {
        let _ = writeln!(out, "It need not be a shortest way: not all states were searched that are nearer.");
    }
    if matches!(outcome, Outcome::Undefined(_)) {
        let _ = writeln!(
            out,
            "What is undefined may be anything in a run: an operation that is not over may be writing there."
        );
    }
    let steps = trace::steps(machine, path, test, outcome);
    told["outcome"] = json!(shown);
    told["steps"] = path.steps.iter().map(|s| machine.step_name(s)).collect();
    if *outcome == Outcome::Deadlock {
        told["waiting"] = waiting::as_json(machine, path.states.last().expect("an initial state"));
    }
    let way = if is_shortest { "a shortest way" } else { "a way" };
    let mut sequence = trace::sequence(machine, path, test);
    sequence.title = format!("{}: {shown}", l.test.name);
    sequence.notes = vec![l.test.title.clone(), format!("{way} under {} ({})", l.spec.name, args.variant)];
    files.sequence(&l.test.name, &sequence, &format!("{out}{steps}"))?;
    out.push_str(&steps);
    let _ = write!(out, "\nIn short, who does what when:\n\n{}\n", sequence.text());
    if let Outcome::Values(values) = outcome {
        with_declared(l, (&args.model, &args.variant), out, |declared, out| {
            if !declared.witness(&only(values), files, out)? {
                let _ = writeln!(out, "{} has no execution with this outcome: the two models disagree.", declared.name);
            }
            Ok(())
        })?;
    }
    Ok(Found::Allowed)
}

/// Explains an outcome under a declarative model.
fn by_relations(
    l: &Loaded,
    args: &ExplainArgs,
    prop: &Prop,
    files: &mut Files<'_>,
    out: &mut String,
) -> Result<Found, Report> {
    if matches!(prop, Prop::Deadlock | Prop::Erroneous) {
        let d = Diagnostic::general(format!("{} is a declarative model: it has only final values", l.model.name()));
        return Err(d.help("ask a model of rules for deadlocks and errors").into());
    }
    let model = l.model.declarative(&l.test, &args.variant, limits(&args.model))?;
    let declared = Declared { name: name(l.model.name(), &args.variant), test: &l.test, model };
    if declared.witness(prop, files, out)? {
        return Ok(Found::Allowed);
    }
    let decided = declared.why_not(prop, &asked(l, args, prop), files, out)?;
    Ok(if decided { Found::Forbidden } else { Found::Undecided })
}

fn name(model: &str, variant: &str) -> String {
    if variant == "default" { model.to_owned() } else { format!("{model} ({variant})") }
}

/// What is asked for, in words.
fn asked(l: &Loaded, args: &ExplainArgs, prop: &Prop) -> String {
    args.outcome.clone().unwrap_or_else(|| proposition(&l.test, prop))
}

/// Asks the declarative model that the model of a test names for this variant; says so if there is none that can run the
/// test.
fn with_declared(
    l: &Loaded,
    (args, variant): (&ModelArgs, &str),
    out: &mut String,
    ask: impl FnOnce(&Declared<'_>, &mut String) -> Result<(), Report>,
) -> Result<(), Report> {
    let Some(form) = l.spec.declared_form(variant) else {
        let _ = writeln!(out, "No execution graphs: {} names no declarative form.", name(&l.spec.name, variant));
        return Ok(());
    };
    let (file, variant) = form.split_once(':').unwrap_or((form, "default"));
    let model = Model::named(file)?;
    model.knows_variant(variant)?;
    // Programs of another model have other instructions.
    let test = parse(&l.test.span.source, model.instructions())?;
    match model.declarative(&test, variant, limits(args)) {
        Ok(declarative) => ask(&Declared { name: name(file, variant), test: &test, model: declarative }, out),
        Err(why) => {
            let _ = writeln!(out, "No execution graphs: {why}");
            Ok(())
        }
    }
}
