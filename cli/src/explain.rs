//! `litmpi explain`: the way to an outcome.

use crate::args::ExplainArgs;
use crate::load::{Loaded, tests};
use crate::{Verdict, say};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_rdma_model::Operational;
use litmpi_spec::diag::{Diagnostic, Report};
use std::fmt::Write;

pub(crate) fn explain(args: &ExplainArgs) -> Result<Verdict, Report> {
    let mut verdict = Verdict::Good;
    for l in tests(&args.model)? {
        if !explain_one(&l, args)? {
            verdict = Verdict::Bad;
        }
    }
    Ok(verdict)
}

/// Explains one test; false if the outcome is not there.
fn explain_one(l: &Loaded, args: &ExplainArgs) -> Result<bool, Report> {
    let wanted = wanted(&l.test, args.outcome.as_deref())?;
    let setup = l.setup(&args.model, &args.variant);
    let model = Operational::new(&l.test, &setup)?;
    let outcomes = model.outcomes()?;
    let mut out = format!("Test {}: {}\n", l.test.name, l.test.title);
    let Some((outcome, found)) = outcomes.exploration.outcomes.iter().find(|(o, _)| wanted(o)) else {
        let _ = writeln!(out, "No such outcome under {} ({}).", l.spec.name, args.variant);
        let _ = writeln!(out, "{} states were searched; the outcomes are:", outcomes.states);
        for o in &outcomes.set {
            let _ = writeln!(out, "  {}", l.test.show(o));
        }
        for b in &outcomes.bounds {
            let _ = writeln!(out, "Not found within {b}: it may be allowed beyond.");
        }
        say(&out);
        return Ok(false);
    };
    let path = model.trace(&outcomes, *found)?;
    let machine = model.machine();
    let _ = writeln!(
        out,
        "{} under {} ({}), in {} steps:",
        l.test.show(outcome),
        l.spec.name,
        args.variant,
        path.steps.len()
    );
    for (i, step) in path.steps.iter().enumerate() {
        let before = &path.states[i];
        let _ = writeln!(out, "\n{:>3}. {}", i + 1, machine.step_name(step));
        if let Some(span) = machine.step_source(step, before) {
            let (line, _) = span.line_col();
            let _ = writeln!(out, "     runs {}   line {line}", one_line(span.text()));
        }
        if let Some(rule) = step.rule.map(|r| &l.spec.rules[r]) {
            if !rule.doc.is_empty() {
                let _ = writeln!(out, "     {}", rule.doc);
            }
            let _ = writeln!(out, "     {}   {}", rule.span, rule.cite);
        }
        if let Some(after) = path.states.get(i + 1) {
            for c in machine.changes(before, after) {
                let _ = writeln!(out, "     {} : {} → {}", c.entry, c.before, c.after);
            }
        }
    }
    match outcome {
        Outcome::Deadlock => {
            out.push_str("\nNo transition is enabled, and these wait for ever:\n");
            for (thread, span) in machine.waiting(path.states.last().expect("an initial state")) {
                let at = span.map_or(String::new(), |s| format!("{}   line {}", one_line(s.text()), s.line_col().0));
                let _ = writeln!(out, "  thread {thread} at {at}");
            }
        }
        Outcome::Erroneous { rule, reason } => {
            let _ = writeln!(out, "\nThe last step breaks what {rule} requires: {reason}.");
        }
        Outcome::Values(_) | Outcome::Undefined(_) => {
            let _ = writeln!(out, "\nNothing is left to do: {}", l.test.show(outcome));
        }
    }
    out.push('\n');
    say(&out);
    Ok(true)
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

type Wanted = Box<dyn Fn(&Outcome) -> bool>;

/// Which outcome is asked for.
fn wanted(test: &Test, text: Option<&str>) -> Result<Wanted, Report> {
    let Some(text) = text else {
        let prop = test.claims.first().map(|c| c.prop.clone());
        return Ok(Box::new(move |o| prop.as_ref().is_none_or(|p| p.holds(o))));
    };
    match text.trim().trim_end_matches(';') {
        "deadlock" => return Ok(Box::new(|o| *o == Outcome::Deadlock)),
        t if t.starts_with("erroneous") => return Ok(Box::new(|o| matches!(o, Outcome::Erroneous { .. }))),
        _ => {}
    }
    let names: Vec<&str> = test.observed.iter().map(|o| o.name.as_str()).collect();
    let mut values = vec![];
    for part in text.split([';', ',']).map(str::trim).filter(|p| !p.is_empty()) {
        let pair = part.split_once('=').and_then(|(n, v)| Some((n.trim(), v.trim().parse::<i32>().ok()?)));
        let found = pair.and_then(|(n, v)| Some((names.iter().position(|m| *m == n)?, v)));
        values.push(found.ok_or_else(|| {
            let help =
                format!("write `NAME=VALUE; …` with the names {}, or `deadlock`, or `erroneous`", names.join(", "));
            Report::from(Diagnostic::general(format!("`{part}` is no part of an outcome of {}", test.name)).help(help))
        })?);
    }
    Ok(Box::new(move |o| match o {
        Outcome::Values(vs) => values.iter().all(|(i, v)| vs[*i] == *v),
        _ => false,
    }))
}
