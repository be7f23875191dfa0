//! A shortest way to an outcome under a model of rules: step by step, and as a sequence of what happens where.

use super::waiting;
use litmpi_engine::machine::{Machine, Step};
use litmpi_engine::search::Path;
use litmpi_graph::{Act, Band, Sequence, Where};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_spec::source::one_line;
use litmpi_spec::types::Sort;
use std::fmt::Write;

/// Every step with its rule, the statement it runs and what it changes; then how it ended.
pub(crate) fn steps(machine: &Machine, path: &Path<Step>, test: &Test, outcome: &Outcome) -> String {
    let mut out = String::new();
    for (i, step) in path.steps.iter().enumerate() {
        let before = &path.states[i];
        let _ = writeln!(out, "\n{:>3}. {}", i + 1, machine.step_name(step));
        if let Some(span) = machine.step_source(step, before) {
            let (line, _) = span.line_col();
            let _ = writeln!(out, "     runs {}   line {line}", one_line(span.text()));
        }
        if let Some(rule) = step.rule.map(|r| &machine.spec().rules[r]) {
            if !rule.doc.is_empty() {
                let _ = writeln!(out, "     {}", rule.doc);
            }
            let _ = writeln!(out, "     {}   {}", rule.span, rule.cite);
        }
        if let Some(after) = path.states.get(i + 1) {
            for c in machine.changes(before, after) {
                let (before, after) = (test.with_names(&c.before), test.with_names(&c.after));
                let _ = writeln!(out, "     {} : {before} → {after}", c.entry);
            }
        }
    }
    match outcome {
        Outcome::Deadlock => {
            let last = path.states.last().expect("an initial state");
            let mut goes_on = false;
            // What cannot be evaluated was found by the search, which ended there.
            let _ = machine.transitions(last, &mut |_, _| goes_on = true);
            out.push_str(match goes_on {
                false => "\nNo transition is enabled, and these wait for ever:\n",
                true => {
                    "\nFrom here on states come again, and there is no way to an end. These never come to theirs:\n"
                }
            });
            out += &waiting::as_text(machine, last);
        }
        Outcome::Erroneous { rule, reason } => {
            let _ = writeln!(out, "\nThe last step breaks what {rule} requires: {reason}.");
        }
        _ => {
            let _ = writeln!(out, "\nNothing is left to do: {}", test.show(outcome));
        }
    }
    out
}

/// Where a step takes place, by the parameters of its rule: a thread's own lane, that of one of its queue pairs, or from
/// one node to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Lane {
    Thread(usize),
    Pair(usize, usize),
    Node(usize),
}

/// The steps in lanes: threads, each followed by those of its queue pairs where something happens; ranks in MPI tests.
/// A step from a node to another is an arrow. What shares a state entry of no thread's or node's own, a collective, is
/// marked from where that entry leaves its initial value to where it is back.
pub(super) fn sequence(machine: &Machine, path: &Path<Step>, test: &Test) -> Sequence {
    let places: Vec<(Lane, Option<Lane>)> = path.steps.iter().map(|s| place(machine, s)).collect();
    let mut lanes: Vec<Lane> = (0..test.threads.len()).map(Lane::Thread).collect();
    lanes.extend(places.iter().flat_map(|(a, b)| [Some(*a), *b]).flatten());
    // Pairs stand behind their thread, nodes without a thread of their own behind all.
    lanes.sort_by_key(|l| match l {
        Lane::Thread(t) => (0, *t, 0),
        Lane::Pair(t, n) => (0, *t, n + 1),
        Lane::Node(n) => (1, *n, 0),
    });
    lanes.dedup();
    let index = |l: Lane| lanes.iter().position(|m| *m == l).expect("every place has a lane");
    let act = |(i, step): (usize, &Step)| {
        let (first, second) = places[i];
        let place = second.map_or(Where::At(index(first)), |to| Where::Between(index(first), index(to)));
        let name = step.rule.map_or("choice", |r| machine.spec().rules[r].name.as_str()).to_owned();
        let source = machine.step_source(step, &path.states[i]).map_or(String::new(), |s| one_line(s.text()));
        Act { place, name, source }
    };
    let thread = |t: usize| test.threads[t].number;
    let title = |l: &Lane| match l {
        Lane::Thread(t) if test.family == "mpi" => format!("rank {}", thread(*t)),
        Lane::Thread(t) => format!("thread {}", thread(*t)),
        Lane::Pair(t, n) => format!("{} → node {}", thread(*t), test.nodes[*n].number),
        Lane::Node(n) => format!("node {}", test.nodes[*n].number),
    };
    let acts: Vec<Act> = path.steps.iter().enumerate().map(act).collect();
    let bands = bands(machine, path, &acts);
    Sequence { lanes: lanes.iter().map(title).collect(), acts, bands, ..Sequence::default() }
}

fn place(machine: &Machine, step: &Step) -> (Lane, Option<Lane>) {
    let program = machine.program();
    // A node with one thread is that thread.
    let node = |n: usize| {
        let mut here = (0..program.threads.len()).filter(|t| program.threads[*t].node == n);
        match (here.next(), here.next()) {
            (Some(t), None) => Lane::Thread(t),
            _ => Lane::Node(n),
        }
    };
    let sorts = step.rule.map(|r| machine.spec().rules[r].params.iter().map(|(_, s)| *s)).into_iter().flatten();
    let params: Vec<(Sort, usize)> = sorts.zip(step.params.iter().map(|w| *w as usize)).collect();
    match (step.thread, params.as_slice()) {
        (Some(t), _) => (Lane::Thread(t), None),
        (None, [(Sort::Thread, t), (Sort::Node, n), ..]) => (Lane::Pair(*t, *n), None),
        (None, [(Sort::Thread, t), ..]) => (Lane::Thread(*t), None),
        (None, [(Sort::Node, a), (Sort::Node, b), ..]) if a != b => (node(*a), Some(node(*b))),
        (None, [(Sort::Node, n), ..]) => (node(*n), None),
        _ => (Lane::Thread(0), None),
    }
}

/// The stretches in which an entry that is nobody's own differs from its initial value.
fn bands(machine: &Machine, path: &Path<Step>, acts: &[Act]) -> Vec<Band> {
    let initial = machine.initial();
    let shared: Vec<&str> =
        machine.spec().state.iter().filter(|v| v.index.is_empty()).map(|v| v.name.as_str()).collect();
    let mut out = vec![];
    for (slot, start) in initial.iter().enumerate() {
        let name = machine.slot_name(slot);
        if !shared.contains(&name.split('.').next().unwrap_or_default()) {
            continue;
        }
        let changed = |i: usize| path.states[i].get(slot) != path.states[i + 1].get(slot);
        let last = path.states.len() - 1;
        let mut open: Option<(usize, Vec<String>)> = None;
        for i in (0..last).filter(|i| changed(*i)) {
            let (first, mut names) = open.take().unwrap_or((i, vec![]));
            let name = acts[i].source.split('(').next().unwrap_or_default().to_owned();
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
            if path.states[i + 1][slot] == *start {
                out.push(Band { first, last: i, name: names.join(", ") });
            } else {
                open = Some((first, names));
            }
        }
        if let Some((first, names)) = open {
            out.push(Band { first, last: acts.len() - 1, name: names.join(", ") });
        }
    }
    out
}
