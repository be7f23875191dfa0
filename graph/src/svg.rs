//! Graphs as SVG: one file without anything else, for light and dark ground.

use crate::drawn::Drawn;
use crate::execution::Graph;
use crate::geometry::{Curve, Point, Rect};
use crate::layout::{Heading, Layout, SMALL, TEXT, layout};
use crate::style::{escape, ink};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Ground, ink and lines of a picture; what is for dark ground stands in a media query, which viewers that know none
/// leave out.
const STYLE: &[(&str, &str, &str)] = &[
    (".ground", "fill:#ffffff", "fill:#16191d"),
    (".column", "fill:#f5f6f8;stroke:#d5d9df", "fill:#1e2329;stroke:#3a424c"),
    (".event", "fill:#ffffff;stroke:#8a929c", "fill:#2a3038;stroke:#7d8793"),
    (".initial", "fill:#ffffff;stroke:#b4bac2;stroke-dasharray:3 3", "fill:#16191d;stroke:#5c6570"),
    (".marked", "fill:#fff3d6;stroke:#8a5a00;stroke-width:2", "fill:#4a3a12;stroke:#ffd479"),
    (".strong", "fill:#15181c", "fill:#eef1f4"),
    (".text", "fill:#15181c", "fill:#e4e8ec"),
    (".quiet", "fill:#5b636d", "fill:#a3adb8"),
    (".under", "fill:#ffffff;fill-opacity:0.86", "fill:#16191d"),
    (".glow", "stroke:#ffd257;stroke-opacity:0.55", "stroke:#8a6a10"),
];

/// A file's beginning: size, fonts, classes of its own and those of relations.
pub(crate) fn begin(width: f64, height: f64, title: &str, names: &BTreeSet<&str>) -> String {
    let (w, h) = (width.ceil(), height.ceil());
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\">\n\
         <title>{}</title>\n<style>\n\
         text{{font-family:ui-monospace,Menlo,Consolas,\"DejaVu Sans Mono\",monospace}}\n\
         path,line{{fill:none;stroke-width:1.4}}\n",
        escape(title)
    );
    let mut dark = String::new();
    for (class, light, night) in STYLE {
        let _ = writeln!(out, "{class}{{{light}}}");
        let _ = write!(dark, "{class}{{{night}}}");
    }
    for name in names {
        let (light, night) = ink(name);
        let class = class(name);
        let _ = writeln!(out, ".{class}{{stroke:{light}}}.f{class}{{fill:{light}}}");
        let _ = write!(dark, ".{class}{{stroke:{night}}}.f{class}{{fill:{night}}}");
    }
    let _ = writeln!(out, "@media (prefers-color-scheme:dark){{{dark}}}\n</style>");
    let _ = writeln!(out, "<rect class=\"ground\" width=\"{w}\" height=\"{h}\"/>");
    out
}

/// A relation's name as a class.
fn class(name: &str) -> String {
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    format!("r-{plain}")
}

/// A number without more digits than a picture needs.
pub(crate) fn n(x: f64) -> String {
    let text = format!("{x:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// Text; `anchor` is `start` or `middle`.
pub(crate) fn text(h: &Heading, class: &str, size: f64, anchor: &str, more: &str) -> String {
    let (x, y) = (n(h.at.x), n(h.at.y));
    let text = escape(&h.text);
    format!(
        "<text class=\"{class}\" x=\"{x}\" y=\"{y}\" font-size=\"{size}\" text-anchor=\"{anchor}\"{more}>{text}</text>\n"
    )
}

/// A box with round corners.
pub(crate) fn rect(r: &Rect, class: &str, round: f64, inside: &str) -> String {
    let (x, y) = (n(r.middle.x - r.width / 2.0), n(r.middle.y - r.height / 2.0));
    let (w, h) = (n(r.width), n(r.height));
    let head = format!("<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\" rx=\"{round}\"");
    if inside.is_empty() { format!("{head}/>\n") } else { format!("{head}>{inside}</rect>\n") }
}

/// An arrowhead at the end of a line that comes from `back`.
pub(crate) fn head(back: Point, tip: Point, class: &str, size: f64) -> String {
    let length = back.distance(tip).max(0.001);
    let (dx, dy) = ((tip.x - back.x) / length * size, (tip.y - back.y) / length * size);
    let (bx, by) = (tip.x - dx, tip.y - dy);
    let (sx, sy) = (-dy * 0.42, dx * 0.42);
    let points = [(tip.x, tip.y), (bx + sx, by + sy), (bx - sx, by - sy)];
    let points: Vec<String> = points.iter().map(|(x, y)| format!("{},{}", n(*x), n(*y))).collect();
    format!("<polygon class=\"{class}\" points=\"{}\"/>\n", points.join(" "))
}

impl Graph {
    /// The graph as an SVG file. `names` are the relations to draw.
    pub fn svg(&self, names: &[String]) -> String {
        let layout = layout(self, names);
        let used: BTreeSet<&str> = layout.edges.iter().flat_map(|(l, _)| &l.names).map(String::as_str).collect();
        let mut out = begin(layout.width, layout.height, &self.title, &used);
        self.still(&layout, &mut out);
        // Those of the cycle last, on top of the others.
        for in_cycle in [false, true] {
            for (line, routed) in layout.edges.iter().filter(|(l, _)| l.in_cycle == in_cycle) {
                edge(line, &routed.curve, !self.cycle.is_empty(), &mut out);
            }
        }
        for (line, routed) in &layout.edges {
            label(line, &routed.label, &mut out);
        }
        out.push_str("</svg>\n");
        out
    }

    /// Columns, headings and events.
    fn still(&self, layout: &Layout, out: &mut String) {
        for (i, h) in layout.head.iter().enumerate() {
            let (class, bold) = if i == 0 { ("strong", " font-weight=\"bold\"") } else { ("quiet", "") };
            out.push_str(&text(h, class, if i == 0 { TEXT } else { SMALL + 1.0 }, "start", bold));
        }
        for r in &layout.columns {
            out.push_str(&rect(r, "column", 8.0, ""));
        }
        for h in &layout.titles {
            out.push_str(&text(h, "strong", SMALL + 0.5, "middle", " font-weight=\"bold\""));
        }
        for h in &layout.lanes {
            out.push_str(&text(h, "quiet", SMALL, "middle", ""));
        }
        for (e, r) in layout.boxes.iter().enumerate() {
            let Some(r) = r else { continue };
            let event = &self.events[e];
            let class = match (self.is_marked(e), event.place) {
                (true, _) => "marked",
                (false, None) => "initial",
                (false, Some(_)) => "event",
            };
            // The statement shows when the pointer rests on the event.
            let tip = if event.source.is_empty() {
                String::new()
            } else {
                format!("<title>{}</title>", escape(&event.source))
            };
            out.push_str(&rect(r, class, 5.0, &tip));
            let at = Point::new(r.middle.x, r.middle.y + TEXT * 0.34);
            out.push_str(&text(
                &Heading { text: self.caption(e), at },
                "text",
                TEXT,
                "middle",
                " pointer-events=\"none\"",
            ));
        }
    }
}

fn edge(line: &Drawn, curve: &Curve, has_cycle: bool, out: &mut String) {
    let Curve(a, c, b) = curve;
    let class = class(line.names.first().map_or("", String::as_str));
    let d = format!("M{} {}Q{} {} {} {}", n(a.x), n(a.y), n(c.x), n(c.y), n(b.x), n(b.y));
    let faint = if has_cycle && !line.in_cycle { " opacity=\"0.6\"" } else { "" };
    let wide = if line.in_cycle { " style=\"stroke-width:2.4\"" } else { "" };
    if line.in_cycle {
        let _ = writeln!(out, "<path class=\"glow\" d=\"{d}\" style=\"stroke-width:7\"/>");
    }
    let _ = write!(out, "<g{faint}><path class=\"{class}\" d=\"{d}\"{wide}/>");
    out.push_str(head(*c, *b, &format!("f{class}"), if line.in_cycle { 11.0 } else { 8.5 }).trim_end());
    out.push_str("</g>\n");
}

fn label(line: &Drawn, r: &Rect, out: &mut String) {
    out.push_str(&rect(r, "under", 3.0, ""));
    let names: Vec<String> =
        line.names.iter().map(|name| format!("<tspan class=\"f{}\">{}</tspan>", class(name), escape(name))).collect();
    let bold = if line.in_cycle { " font-weight=\"bold\"" } else { "" };
    let (x, y) = (n(r.middle.x), n(r.middle.y + SMALL * 0.34));
    let _ = writeln!(
        out,
        "<text x=\"{x}\" y=\"{y}\" font-size=\"{SMALL}\" text-anchor=\"middle\"{bold}>{}</text>",
        names.join(" ")
    );
}
