//! Which edges a picture shows: those of the chosen relations, one line for each pair of events.

use crate::execution::Graph;
use std::collections::{BTreeMap, BTreeSet};

/// A line of the picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawn {
    /// From this event.
    pub from: usize,
    /// To this one.
    pub to: usize,
    /// The relations that it stands for.
    pub names: Vec<String>,
    /// Whether it is part of the cycle.
    pub in_cycle: bool,
}

/// The lines of a picture of the relations with these names, in the order of pairs; those of the cycle come anyway.
/// The names of a line stand in the order of the graph's relations.
pub fn drawn(graph: &Graph, names: &[String]) -> Vec<Drawn> {
    let mut lines: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
    let chosen = graph.relations.iter().filter(|r| names.contains(&r.name));
    for relation in chosen {
        for (a, b) in relation.drawn_pairs() {
            if a != b {
                lines.entry((a, b)).or_default().push(relation.name.clone());
            }
        }
    }
    for link in &graph.cycle {
        let line = lines.entry((link.from, link.to)).or_default();
        for name in &link.names {
            // `rf \ rfb` on a line of rf says no more than rf.
            let mut words = name.split(|c: char| !c.is_alphanumeric() && !"-._".contains(c));
            if !words.any(|w| line.iter().any(|n| n == w)) {
                line.push(name.clone());
            }
        }
    }
    let cycle: BTreeSet<(usize, usize)> = graph.cycle.iter().map(|l| (l.from, l.to)).collect();
    let line = |((from, to), names)| Drawn { from, to, names, in_cycle: cycle.contains(&(from, to)) };
    lines.into_iter().map(line).collect()
}

/// The events that a picture shows: all but initial writes that no line touches.
pub(crate) fn shown(graph: &Graph, lines: &[Drawn]) -> Vec<usize> {
    let touched: BTreeSet<usize> =
        lines.iter().flat_map(|l| [l.from, l.to]).chain(graph.marked.iter().copied()).collect();
    (0..graph.events.len()).filter(|e| graph.events[*e].place.is_some() || touched.contains(e)).collect()
}
