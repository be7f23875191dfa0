//! Graphs in the dot language of Graphviz.

use crate::drawn::{drawn, shown};
use crate::execution::Graph;
use crate::style::{escape, ink};
use std::fmt::Write;

impl Graph {
    /// The graph for `dot`: a cluster a thread, program order downwards. `names` are the relations to draw.
    pub fn dot(&self, names: &[String]) -> String {
        let lines = drawn(self, names);
        let shown = shown(self, &lines);
        let mut out = String::from("digraph G {\n");
        let mut title = quote(&self.title);
        for note in &self.notes {
            let _ = write!(title, "\\l{}", quote(note));
        }
        let _ =
            writeln!(out, "  label=\"{title}\\l\"; labelloc=t; labeljust=l; fontname=\"sans-serif\"; newrank=true;");
        out.push_str("  node [shape=box, style=rounded, fontname=\"monospace\", fontsize=11, margin=\"0.08,0.04\"];\n");
        out.push_str("  edge [fontname=\"sans-serif\", fontsize=10, arrowsize=0.7];\n");
        let node = |e: usize| {
            let bold = if self.is_marked(e) { ", penwidth=2" } else { "" };
            format!("e{e} [label=\"{}\"{bold}];", quote(&self.caption(e)))
        };
        out.push_str("  { rank=source;");
        for e in shown.iter().filter(|e| self.events[**e].place.is_none()) {
            let _ = write!(out, " {}", node(*e));
        }
        out.push_str(" }\n");
        for (c, column) in self.columns.iter().enumerate() {
            let _ = writeln!(out, "  subgraph cluster_{c} {{ label=\"{}\"; color=gray;", quote(&column.title));
            for (lane, title) in column.lanes.iter().enumerate() {
                let events: Vec<usize> = self.column(c).filter(|e| self.events[*e].place == Some((c, lane))).collect();
                if column.lanes.len() > 1 && !events.is_empty() {
                    let _ = writeln!(out, "    // {title}");
                }
                for e in &events {
                    let _ = writeln!(out, "    {}", node(*e));
                }
                // A lane is straight.
                for pair in events.windows(2) {
                    let _ = writeln!(out, "    e{} -> e{} [style=invis, weight=20];", pair[0], pair[1]);
                }
            }
            out.push_str("  }\n");
        }
        // Threads stand in their order: their first events side by side.
        let firsts: Vec<usize> = (0..self.columns.len()).filter_map(|c| self.column(c).next()).collect();
        let row: Vec<String> = firsts.iter().map(|e| format!("e{e}")).collect();
        if row.len() > 1 {
            let _ = writeln!(out, "  {{ rank=same; {} [style=invis]; }}", row.join(" -> "));
        }
        for line in &lines {
            let names: Vec<String> =
                line.names.iter().map(|n| format!("<font color=\"{}\">{}</font>", ink(n).0, escape(n))).collect();
            let colour = ink(line.names.first().map_or("", String::as_str)).0;
            let bold = if line.in_cycle { ", penwidth=2.5" } else { "" };
            // Only program order says what stands above what.
            let loose = if line.names.iter().any(|n| n == "po") { "" } else { ", constraint=false" };
            let label = names.join(" ");
            let _ =
                writeln!(out, "  e{} -> e{} [label=<{label}>, color=\"{colour}\"{bold}{loose}];", line.from, line.to);
        }
        out.push_str("}\n");
        out
    }
}

/// For a string in quotes.
fn quote(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
