//! Executions of declarative models as graphs.

use litmpi_cat::candidates::{self, Execution};
use litmpi_cat::{Edge, Witness};
use litmpi_graph::{Column, Cycle, Event, Graph, Link, Named};
use litmpi_litmus::ast::Test;
use litmpi_spec::source::one_line;
use std::collections::BTreeSet;

/// The graph of an execution: a thread is a column; what its NIC does stands in a lane for each other end.
pub(crate) fn graph(test: &Test, execution: &Execution) -> Graph {
    let mut columns: Vec<Column> = vec![];
    for (t, thread) in test.threads.iter().enumerate() {
        let title = match test.family.as_str() {
            "rdma" => format!("thread {} on node {}", thread.number, test.nodes[thread.node].number),
            _ => format!("thread {}", thread.number),
        };
        let ends: BTreeSet<&str> =
            execution.events.iter().filter(|e| e.thread == Some(t)).filter_map(other_end).collect();
        let lanes = std::iter::once("CPU".to_owned()).chain(ends.iter().map(|n| format!("to node {n}"))).collect();
        columns.push(Column { title, lanes });
    }
    let event = |e: &candidates::Event| {
        let lane = |t: usize| {
            let heading = other_end(e).map(|n| format!("to node {n}"));
            columns[t].lanes.iter().position(|l| Some(l) == heading.as_ref()).unwrap_or(0)
        };
        let source = if e.thread.is_some() { one_line(e.span.text()) } else { String::new() };
        Event { place: e.thread.map(|t| (t, lane(t))), label: test.with_names(&label(e)), source }
    };
    let events = execution.events.iter().map(event).collect();
    let named = |(name, relation): &(String, litmpi_cat::Relation)| {
        let mut pairs: Vec<(usize, usize)> = relation.pairs().collect();
        if let "rb" | "fr" = name.as_str() {
            // What a read comes before, the later writes of the location come after anyway.
            let order = execution.relation("mo").or_else(|| execution.relation("co"));
            let later = |a: usize, c: usize| order.is_some_and(|o| relation.row(a).any(|b| o.contains(b, c)));
            pairs.retain(|(a, c)| !later(*a, *c));
        }
        // Everything comes after the initial writes: of them only what reads from them is worth a line.
        if name != "rf" {
            pairs.retain(|(a, _)| execution.events[*a].thread.is_some());
        }
        // Of an order, only what does not follow.
        let reduce = relation.pairs().all(|(a, b)| relation.row(b).all(|c| relation.contains(a, c)));
        Named { name: name.clone(), pairs, reduce }
    };
    let relations = execution.relations.iter().map(named).collect();
    Graph { columns, events, relations, ..Graph::default() }
}

/// The other end of the queue pair that an event of the NIC belongs to. In the papers the labels of those, and of no
/// others, begin with n.
fn other_end(e: &candidates::Event) -> Option<&str> {
    let of_nic = e.labels.first().is_some_and(|l| l.starts_with('n'));
    e.keys.iter().find(|(key, _)| of_nic && key == "towards").map(|(_, node)| node.as_str())
}

/// `nrW z=1`; a read and write `CAS x=0→1`; an initial write `x=0`.
fn label(e: &candidates::Event) -> String {
    let value = |v: Option<i64>| match v {
        Some(v) => v.to_string(),
        None if e.undefined => "⊤".to_owned(),
        None => "?".to_owned(),
    };
    let mut out = e.labels.join(",");
    if let Some(place) = &e.place {
        let values = match (e.reads, e.writes) {
            (true, true) => format!("{}→{}", value(e.read), value(e.written)),
            (true, false) => value(e.read),
            _ => value(e.written),
        };
        let space = if out.is_empty() { "" } else { " " };
        out.push_str(&format!("{space}{place}={values}"));
    }
    out
}

/// Marks in a graph why a check fails.
pub(crate) fn mark(graph: &mut Graph, witness: &Witness) {
    match witness {
        Witness::Cycle(edges) | Witness::Edges(edges) => graph.cycle = links(edges),
        Witness::Events(events) => graph.marked.clone_from(events),
        Witness::Nothing => {}
    }
}

fn links(edges: &[Edge]) -> Cycle {
    edges.iter().map(|e| Link { from: e.from, to: e.to, names: e.by.clone() }).collect()
}

/// What two reasons have in common that differ only in values, places and threads: labels and relations, in a cycle
/// from wherever it is least.
pub(crate) fn shape(execution: &Execution, witness: &Witness) -> String {
    let label = |e: usize| match execution.events[e].labels.join(",") {
        none if none.is_empty() => "init".to_owned(),
        some => some,
    };
    let edge = |e: &Edge| format!("{} ─{}→", label(e.from), e.by.join(" | "));
    match witness {
        Witness::Cycle(edges) => {
            let parts: Vec<String> = edges.iter().map(edge).collect();
            let turned = |i: usize| [&parts[i..], &parts[..i]].concat();
            let mut least = (0..parts.len()).map(turned).min().unwrap_or_default();
            least.push(least.first().and_then(|p| p.split(' ').next()).unwrap_or_default().to_owned());
            least.join(" ")
        }
        Witness::Edges(edges) => {
            let shapes: BTreeSet<String> = edges.iter().map(|e| format!("{} {}", edge(e), label(e.to))).collect();
            shapes.into_iter().collect::<Vec<_>>().join(", ")
        }
        Witness::Events(events) => {
            let shapes: BTreeSet<String> = events.iter().map(|e| label(*e)).collect();
            shapes.into_iter().collect::<Vec<_>>().join(", ")
        }
        Witness::Nothing => "nothing that the check asks for is there".into(),
    }
}
