//! `litmpi coverage`: which rules fired and which premises blocked, over a set of tests.
//!
//! Each test is searched under every model of rules of its family and every variant that its verdicts or its complete sets name, as
//! `litmpi check` does. A rule that never fired, or a premise that never blocked, is untested by them: exit code 1. So is the
//! excuse, in the file given with `--except`, for one that did.

mod choose;

use crate::args::CoverageArgs;
use crate::check::{recorded, variants};
use crate::load::{Loaded, same, tests_under_rules};
use crate::say::fit;
use crate::{Verdict, parallel, say};
use comfy_table::{CellAlignment, Table, presets};
use litmpi_engine::coverage::{Coverage, Line, What};
use litmpi_engine::search::Bound;
use litmpi_models::{Operational, Setup};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use litmpi_spec::shipped::FILES;
use litmpi_spec::source::{Source, Span};
use litmpi_spec::table::misfit;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// What cannot happen.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Excuses {
    #[serde(default)]
    never: Vec<Excuse>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Excuse {
    model: String,
    rule: String,
    /// The premise or requirement as the rule has it; without it, the rule itself.
    #[serde(default)]
    text: String,
    because: String,
}

impl Excuse {
    fn is_for(&self, spec: &Spec, l: &Line) -> bool {
        self.model == spec.name && self.rule == l.rule && self.text == l.text
    }
}

fn excuses(args: &CoverageArgs) -> Result<Vec<Excuse>, Report> {
    let Some(path) = &args.except else { return Ok(vec![]) };
    let source = Source::read_as(path, "the list of what cannot happen ")?;
    let read: Excuses = toml::from_str(&source.text).map_err(|e| {
        let help = "entries are [[never]] with model, rule, text (or none) and because";
        Report::from(misfit(&source, e.span(), e.message(), help))
    })?;
    for e in &read.never {
        if e.because.trim().is_empty() {
            let d = Diagnostic::at(&Span::new(&source, 0, 0), format!("no reason is given for `{}`", e.rule));
            return Err(d.found("an empty `because`").help("say why it cannot happen").into());
        }
    }
    Ok(read.never)
}

pub(crate) fn coverage(args: &CoverageArgs) -> Result<Verdict, Report> {
    if let Some(number) = args.choose {
        return choose::choose(number, args);
    }
    let excuses = excuses(args)?;
    let (loaded, mut left_out) = tests_under_rules(&args.model)?;
    let mut models: Vec<(Arc<Spec>, Arc<Coverage>)> = vec![];
    for l in &loaded {
        if !models.iter().any(|(s, _)| same(s, &l.spec)) {
            models.push((Arc::clone(&l.spec), Arc::new(Coverage::new(&l.spec))));
        }
    }
    let searched = parallel::map(&loaded, args.model.bounds.jobs, "searching", |l| {
        let (_, counts) = models.iter().find(|(s, _)| same(s, &l.spec)).expect("every model is among them");
        search(l, args, counts)
    });
    let mut stopped: Vec<Option<String>> = vec![];
    for (l, done) in loaded.iter().zip(searched) {
        stopped.push(left_out.keep(&l.path, done).flatten());
    }
    let stopped_under = |spec: &Arc<Spec>| -> Vec<&str> {
        let of = loaded.iter().zip(&stopped).filter(|(l, _)| same(spec, &l.spec));
        of.filter_map(|(_, at)| at.as_deref()).collect()
    };
    let (mut missing, mut undecided) = (0, 0);
    let mut rows = vec![];
    for (spec, counts) in &models {
        let tests = loaded.iter().filter(|l| same(spec, &l.spec)).count();
        let (lines, of_others) = own(counts.lines(spec), args);
        let excused = |l: &Line| l.count == 0 && excuses.iter().any(|e| e.is_for(spec, l));
        let never = lines.iter().filter(|l| l.count == 0 && !excused(l)).count();
        // What did not happen within a bound may happen beyond it.
        let stopped = stopped_under(spec);
        *(if stopped.is_empty() { &mut missing } else { &mut undecided }) += never;
        let of_model = excuses.iter().filter(|e| e.model == spec.name);
        let stale: Vec<&Excuse> =
            of_model.filter(|e| !lines.iter().any(|l| l.count == 0 && e.is_for(spec, l))).collect();
        missing += stale.len();
        if args.json {
            rows.push(json!({
                "model": spec.name, "hash": spec.hash(), "tests": tests,
                "counts": lines.iter().map(|l| as_json(l, stopped.is_empty())).collect::<Vec<_>>(),
                "complete": stopped.is_empty(), "stopped": stopped,
            }));
        } else {
            say(&as_text(spec, tests, &lines, (args.all, &stopped), &excused));
            if of_others > 0 {
                say(&format!(
                    "{of_others} counts of rules that are imported from shipped files are left out; --all has them\n"
                ));
            }
            stale.iter().for_each(|e| {
                say(&format!("said to be impossible, and is not, or is not there: {} {}\n", e.rule, e.text))
            });
        }
    }
    if args.json {
        rows.extend(left_out.rows());
        say(&format!("{:#}\n", json!(rows)));
    }
    Ok(left_out.end(match Verdict::of(missing, undecided) {
        _ if loaded.is_empty() => Verdict::Nothing,
        verdict => verdict,
    }))
}

/// Of a specification of the user's own, what stands in its own files, unless all is asked for; and how much else there is.
fn own(mut lines: Vec<Line>, args: &CoverageArgs) -> (Vec<Line>, usize) {
    let is_shipped = |l: &Line| {
        let name = l.span.source.name.strip_prefix("spec/");
        name.is_some_and(|name| FILES.iter().any(|(shipped, _)| *shipped == name))
    };
    // One that is read from where the shipped ones stand is itself asked about.
    if args.all || args.model.spec.is_none() || lines.iter().all(is_shipped) {
        return (lines, 0);
    }
    let before = lines.len();
    lines.retain(|l| !is_shipped(l));
    let left = before - lines.len();
    (lines, left)
}

/// Searches a test; where it stopped before it was through, if it did.
fn search(l: &Loaded, args: &CoverageArgs, counts: &Arc<Coverage>) -> Result<Option<String>, Report> {
    let mut stopped = None;
    for variant in variants(l, &recorded(&l.path)?) {
        let setup = Setup { coverage: Some(Arc::clone(counts)), ..l.setup(&args.model, &variant) };
        let found = Operational::new(&l.test, &setup)?.outcomes()?;
        let at = found.bounds.iter().find(|b| **b != Bound::Loops || !l.test.states_all_bounds());
        stopped = stopped.or(at.map(|at| format!("{} ({variant}) at {at}", l.test.name)));
    }
    Ok(stopped)
}

/// What happened if the line was counted.
fn what_happens(l: &Line) -> String {
    match l.what {
        What::Rule => "fires".to_owned(),
        What::Premise => format!("blocks: {}", l.text),
        What::Requires => format!("is violated: {}", l.text),
    }
}

fn place(l: &Line) -> String {
    format!("{}:{}", l.span.source.name, l.span.line_col().0)
}

fn as_text(
    spec: &Spec,
    tests: usize,
    lines: &[Line],
    (all, stopped): (bool, &[&str]),
    excused: &dyn Fn(&Line) -> bool,
) -> String {
    let mut table = Table::new();
    fit(&mut table);
    table.load_preset(presets::NOTHING).set_header(["rule", "what", "count", "where"]);
    for l in lines.iter().filter(|l| all || l.count == 0 && !excused(l)) {
        let what = match (l.what, l.count) {
            (_, 0) if !stopped.is_empty() => format!("undecided, not within the bounds: {}", l.text),
            (what, 0) if l.text.is_empty() => what.never().to_owned(),
            (what, 0) => format!("{}: {}", what.never(), l.text),
            _ => what_happens(l),
        };
        table.add_row([l.rule.clone(), what, l.count.to_string(), place(l)]);
    }
    if let Some(c) = table.column_mut(2) {
        c.set_cell_alignment(CellAlignment::Right);
    }
    let of = |what| lines.iter().filter(move |l| l.what == what);
    let share = |what| (of(what).filter(|l| l.count > 0).count(), of(what).count());
    let ((fired, rules), (blocked, premises), (violated, requires)) =
        (share(What::Rule), share(What::Premise), share(What::Requires));
    let mut out = format!(
        "{}: {fired} of {rules} rules fired, {blocked} of {premises} premises blocked, \
         {violated} of {requires} requirements were violated, over {tests} tests\n",
        spec.name
    );
    if let [first, ..] = stopped {
        out += &format!("undecided: {} searches stopped at a bound, the first of {first}\n", stopped.len());
    }
    let n = lines.iter().filter(|l| excused(l)).count();
    if n > 0 {
        out += &format!("{n} that cannot happen are left out\n");
    }
    if table.row_count() > 0 {
        out += &format!("{}\n", table.trim_fmt());
    }
    out
}

fn as_json(l: &Line, complete: bool) -> serde_json::Value {
    let what = match l.what {
        What::Rule => "rule",
        What::Premise => "premise",
        What::Requires => "requires",
    };
    let (line, _) = l.span.line_col();
    json!({ "rule": l.rule, "what": what, "text": l.text, "file": l.span.source.name, "line": line, "count": l.count,
            "decided": complete || l.count > 0 })
}
