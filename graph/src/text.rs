//! Graphs for a terminal: columns of events, then each relation's edges, chains joined.

use crate::drawn::{drawn, shown};
use crate::execution::{Cycle, Graph};
use std::collections::BTreeMap;
use std::fmt::Write;

impl Graph {
    /// The graph in plain text. `names` are the relations to list.
    pub fn text(&self, names: &[String]) -> String {
        let lines = drawn(self, names);
        let shown = shown(self, &lines);
        let mut out = String::new();
        let initial: Vec<&str> =
            shown.iter().filter(|e| self.events[**e].place.is_none()).map(|e| self.events[*e].label.as_str()).collect();
        if !initial.is_empty() {
            let _ = writeln!(out, "  initially {}", initial.join(", "));
        }
        out.push_str(&self.columns_text());
        for name in names {
            let edges: Vec<(usize, usize)> =
                lines.iter().filter(|l| l.names.contains(name)).map(|l| (l.from, l.to)).collect();
            if !edges.is_empty() {
                let _ = writeln!(out, "  {name:<4} {}", self.chains(&edges));
            }
        }
        out
    }

    /// One row an event, in its thread's column and its lane of it.
    fn columns_text(&self) -> String {
        let columns: Vec<Vec<usize>> = (0..self.columns.len()).map(|c| self.column(c).collect()).collect();
        // Cells by column, lane and row; lanes without events are left out.
        let mut cells: BTreeMap<(usize, usize), Vec<String>> = BTreeMap::new();
        let height = columns.iter().map(Vec::len).max().unwrap_or(0);
        for (row, e) in columns.iter().flat_map(|events| events.iter().enumerate()) {
            let place = self.events[*e].place.expect("an event of a thread");
            cells.entry(place).or_insert_with(|| vec![String::new(); height])[row] = self.caption(*e);
        }
        let mut heads: Vec<[String; 2]> = vec![];
        let mut last = None;
        for (column, lane) in cells.keys() {
            let title = if last == Some(*column) { String::new() } else { self.columns[*column].title.clone() };
            last = Some(*column);
            let several = self.columns[*column].lanes.len() > 1;
            heads.push([title, if several { self.columns[*column].lanes[*lane].clone() } else { String::new() }]);
        }
        let widths: Vec<usize> = cells
            .values()
            .zip(&heads)
            .map(|(rows, head)| rows.iter().chain(head).map(|s| s.chars().count()).max().unwrap_or(0))
            .collect();
        let mut out = String::new();
        let mut row = |texts: Vec<&str>| {
            let mut line = String::from(" ");
            for (text, width) in texts.iter().zip(&widths) {
                let _ = write!(line, " {text}{}  ", " ".repeat(width - text.chars().count()));
            }
            if !line.trim().is_empty() {
                let _ = writeln!(out, "{}", line.trim_end());
            }
        };
        for i in 0..2 {
            row(heads.iter().map(|h| h[i].as_str()).collect());
        }
        for i in 0..height {
            row(cells.values().map(|rows| rows[i].as_str()).collect());
        }
        out
    }

    /// Edges as chains, `a → b → c, a → d`.
    fn chains(&self, edges: &[(usize, usize)]) -> String {
        let mut left = edges.to_vec();
        left.sort_unstable();
        let mut out = vec![];
        while !left.is_empty() {
            let (from, to) = left.remove(0);
            let mut chain = vec![self.name(from), self.name(to)];
            let mut at = to;
            while let Some(i) = left.iter().position(|(a, _)| *a == at) {
                at = left.remove(i).1;
                chain.push(self.name(at));
            }
            out.push(chain.join(" → "));
        }
        out.join(",  ")
    }

    /// A cycle with the relations of its edges, `a: nlR x=1 –po→ b: nrW z=1 –rf→ …`, a line an edge.
    pub fn cycle_text(&self, cycle: &Cycle) -> String {
        let mut out = String::new();
        let width = cycle.iter().map(|l| self.caption(l.from).chars().count()).max().unwrap_or(0);
        let names: Vec<String> = cycle.iter().map(|l| l.names.join(" ")).collect();
        let rel = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
        for (link, names) in cycle.iter().zip(&names) {
            let from = self.caption(link.from);
            let pad = " ".repeat(width - from.chars().count());
            let line = "─".repeat(rel - names.chars().count());
            let _ = writeln!(out, "  {from}{pad} ─{names}{line}→ {}", self.caption(link.to));
        }
        out
    }
}
