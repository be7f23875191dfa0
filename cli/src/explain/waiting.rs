//! Why the threads of a deadlock do not go on: the premise at which each rule of their instructions stops, what it looks at, and where
//! the rules stop that could change that.

use crate::say::cut;
use litmpi_engine::blocked::Blocked;
use litmpi_engine::machine::Machine;
use litmpi_spec::source::one_line;
use serde_json::{Value, json};
use std::fmt::Write;

/// Values longer than this are cut.
const LONGEST: usize = 100;
/// So many entries of the state are told for a premise, and so many rules that could change them.
const MOST: usize = 4;

/// A thread that waits for ever.
struct Waiting {
    thread: i64,
    /// What it is at, and the line.
    at: Option<(String, usize)>,
    stops: Vec<Stop>,
}

/// A rule that is not enabled.
struct Stop {
    rule: String,
    premise: String,
    place: String,
    entries: Vec<(String, String)>,
    /// Rules that could change these, each with the premise at which it stops.
    others: Vec<(String, String)>,
}

fn stop(machine: &Machine, b: &Blocked, state: &[u32]) -> Option<Stop> {
    let rule = &machine.spec().rules[b.step.rule?];
    let at = &rule.when_at[b.premise];
    // What nothing has been put into is of less interest.
    let mut looked = b.looked.clone();
    looked.sort_by_key(|s| state[*s] == machine.initial()[*s]);
    let entries = looked.iter().filter_map(|s| machine.entry(*s, state)).take(MOST).collect();
    let others = machine.blocked_writers(&b.looked, state).unwrap_or_default();
    let other = |o: &Blocked| {
        let rule = &machine.spec().rules[o.step.rule?];
        Some((machine.blocked_name(o), one_line(rule.when_at[o.premise].text())))
    };
    Some(Stop {
        rule: machine.blocked_name(b),
        premise: one_line(at.text()),
        place: at.to_string(),
        entries,
        others: others.iter().filter_map(other).take(MOST).collect(),
    })
}

/// The threads that are not through in a state in which nothing is enabled.
fn all(machine: &Machine, state: &[u32]) -> Vec<Waiting> {
    let blocked = machine.blocked(state).unwrap_or_default();
    let of = |number: i64| {
        let threads = &machine.program().threads;
        blocked.iter().filter(move |(t, _)| threads[*t].number == number).flat_map(|(_, stops)| stops)
    };
    let one = |(thread, span): (i64, Option<litmpi_spec::source::Span>)| Waiting {
        thread,
        at: span.map(|s| (one_line(s.text()), s.line_col().0)),
        stops: of(thread).filter_map(|b| stop(machine, b, state)).collect(),
    };
    machine.waiting(state).into_iter().map(one).collect()
}

/// In words.
pub(crate) fn as_text(machine: &Machine, state: &[u32]) -> String {
    let mut out = String::new();
    for w in all(machine, state) {
        let at = w.at.map_or(String::new(), |(text, line)| format!("{text}   line {line}"));
        let _ = writeln!(out, "  thread {} at {at}", w.thread);
        for s in &w.stops {
            let _ = writeln!(out, "    {} stops at `{}`   {}", s.rule, s.premise, s.place);
            for (name, value) in &s.entries {
                let _ = writeln!(out, "      {name} is {}", cut(value, LONGEST));
            }
            for (rule, premise) in &s.others {
                let _ = writeln!(out, "      {rule}, which could change that, stops at `{premise}`");
            }
        }
    }
    out
}

/// As data.
pub(super) fn as_json(machine: &Machine, state: &[u32]) -> Value {
    let stop = |s: &Stop| {
        let entries: Vec<_> = s.entries.iter().map(|(name, value)| json!({ "entry": name, "value": value })).collect();
        let others: Vec<_> =
            s.others.iter().map(|(rule, premise)| json!({ "rule": rule, "premise": premise })).collect();
        json!({ "rule": s.rule, "premise": s.premise, "place": s.place, "looks_at": entries, "could_change_that": others })
    };
    let one = |w: Waiting| {
        let (at, line) = w.at.unzip();
        json!({ "thread": w.thread, "at": at, "line": line, "stops": w.stops.iter().map(stop).collect::<Vec<_>>() })
    };
    Value::Array(all(machine, state).into_iter().map(one).collect())
}
