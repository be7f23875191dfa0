//! Message sequence charts as SVG: lifelines downwards, messages as arrows, collectives as bands over all lanes.

use crate::geometry::{Point, Rect};
use crate::layout::{Heading, LEAST_WIDTH, SMALL, TEXT, text_width, wrap};
use crate::sequence::{Sequence, Where};
use crate::svg::{begin, head, n, rect, text};
use std::collections::BTreeSet;
use std::fmt::Write;

const ROW: f64 = 46.0;
const MARGIN: f64 = 26.0;
const GAP: f64 = 34.0;
/// Space for the numbers of acts.
const NUMBERS: f64 = 40.0;

impl Sequence {
    /// The sequence as an SVG file.
    #[expect(clippy::cast_precision_loss, reason = "acts and notes are few")]
    pub fn svg(&self) -> String {
        let middles = self.middles();
        let half = |lane: usize| self.lane_width(lane) / 2.0;
        let last_lane = middles.len().checked_sub(1);
        let right = last_lane.map_or(MARGIN, |l| middles[l] + half(l)) + 10.0;
        let notes: Vec<String> = self.notes.iter().flat_map(|n| wrap(n, (right - MARGIN).max(LEAST_WIDTH))).collect();
        let texts = std::iter::once(&self.title).chain(&notes);
        let width = texts.map(|t| MARGIN + text_width(t, TEXT)).fold(right, f64::max) + MARGIN;
        let top = MARGIN + (notes.len() as f64 + 1.0) * 17.0 + 16.0;
        let first = top + 62.0;
        let row = |i: usize| first + i as f64 * ROW;
        let bottom = row(self.acts.len()) - ROW / 2.0 + 8.0;
        let mut out = begin(width, bottom + MARGIN, &self.title, &BTreeSet::from(["po", "rf", "mo"]));
        for (i, line) in std::iter::once(&self.title).chain(&notes).enumerate() {
            let h = Heading { text: line.clone(), at: Point::new(MARGIN, MARGIN + 17.0 * i as f64) };
            let (class, size, bold) =
                if i == 0 { ("strong", TEXT, " font-weight=\"bold\"") } else { ("quiet", SMALL + 1.0, "") };
            out.push_str(&text(&h, class, size, "start", bold));
        }
        for (lane, x) in middles.iter().enumerate() {
            let (x, y, to) = (n(*x), n(top + 26.0), n(bottom));
            let _ =
                writeln!(out, "<line class=\"r-po\" x1=\"{x}\" y1=\"{y}\" x2=\"{x}\" y2=\"{to}\" opacity=\"0.45\"/>");
            let head =
                Rect { middle: Point::new(middles[lane], top + 13.0), width: self.lane_width(lane), height: 26.0 };
            out.push_str(&rect(&head, "column", 5.0, ""));
            let at = Point::new(head.middle.x, head.middle.y + TEXT * 0.34);
            out.push_str(&text(
                &Heading { text: self.lanes[lane].clone(), at },
                "strong",
                TEXT,
                "middle",
                " font-weight=\"bold\"",
            ));
        }
        for band in &self.bands {
            let (a, b) = (row(band.first) - ROW * 0.47, row(band.last) + ROW * 0.47);
            let left = MARGIN + NUMBERS - 6.0;
            let r = Rect {
                middle: Point::new(f64::midpoint(left, right), f64::midpoint(a, b)),
                width: right - left,
                height: b - a,
            };
            let _ = write!(out, "<g opacity=\"0.55\">{}</g>", rect(&r, "marked", 8.0, "").trim_end());
            // Its name stands upright beside it: over the rows it would hide what they say.
            let (x, y) = (right + SMALL + 3.0, r.middle.y);
            let turn = format!(" font-weight=\"bold\" transform=\"rotate(-90 {} {})\"", n(x), n(y));
            let h = Heading { text: band.name.clone(), at: Point::new(x, y) };
            out.push_str(&text(&h, "strong", SMALL, "middle", &turn));
        }
        for (i, act) in self.acts.iter().enumerate() {
            let y = row(i);
            let h = Heading { text: format!("{}.", i + 1), at: Point::new(MARGIN, y + SMALL * 0.34) };
            out.push_str(&text(&h, "quiet", SMALL, "start", ""));
            match act.place {
                Where::Between(a, b) if a != b => {
                    let (from, to) = (middles[a], middles[b]);
                    let tip = to - (to - from).signum() * 2.0;
                    let (x1, x2, line) = (n(from), n(tip), n(y + 4.0));
                    let _ = writeln!(
                        out,
                        "<circle class=\"fr-rf\" cx=\"{x1}\" cy=\"{line}\" r=\"3\"/><line class=\"r-rf\" x1=\"{x1}\" y1=\"{line}\" x2=\"{x2}\" y2=\"{line}\" style=\"stroke-width:2\"/>"
                    );
                    out.push_str(&head(Point::new(from, y + 4.0), Point::new(tip, y + 4.0), "fr-rf", 10.0));
                    let label = Rect {
                        middle: Point::new(f64::midpoint(from, to), y - 6.0),
                        width: text_width(&act.name, SMALL) + 8.0,
                        height: SMALL + 4.0,
                    };
                    out.push_str(&rect(&label, "under", 3.0, ""));
                    let at = Point::new(label.middle.x, label.middle.y + SMALL * 0.34);
                    out.push_str(&text(&Heading { text: act.name.clone(), at }, "text", SMALL, "middle", ""));
                }
                Where::At(lane) | Where::Between(lane, _) => {
                    self.box_of(i, lane, Point::new(middles[lane], y), &mut out)
                }
            }
        }
        out.push_str("</svg>\n");
        out
    }

    /// An act in one lane: its name, and the statement below it.
    fn box_of(&self, i: usize, lane: usize, at: Point, out: &mut String) {
        let act = &self.acts[i];
        let r = Rect { middle: at, width: self.lane_width(lane), height: ROW * 0.78 };
        out.push_str(&rect(&r, "event", 5.0, ""));
        let name_y = if act.source.is_empty() { at.y + SMALL * 0.34 } else { at.y - 3.5 };
        let h = Heading { text: act.name.clone(), at: Point::new(at.x, name_y) };
        out.push_str(&text(&h, "text", SMALL + 0.5, "middle", ""));
        if !act.source.is_empty() {
            let h = Heading { text: act.source.clone(), at: Point::new(at.x, at.y + 11.0) };
            out.push_str(&text(&h, "quiet", SMALL - 0.5, "middle", ""));
        }
    }

    fn lane_width(&self, lane: usize) -> f64 {
        let here = self.acts.iter().filter(|a| a.place == Where::At(lane));
        let texts = here.flat_map(|a| [&a.name, &a.source]).chain([&self.lanes[lane]]);
        texts.map(|t| text_width(t, SMALL) + 16.0).fold(64.0, f64::max)
    }

    /// Where lifelines stand: apart enough for what happens in them and for the names of messages between them.
    fn middles(&self) -> Vec<f64> {
        let mut out: Vec<f64> = vec![];
        for lane in 0..self.lanes.len() {
            let before = out.last().map_or(MARGIN + NUMBERS, |x| x + self.lane_width(lane - 1) / 2.0 + GAP);
            let mut x = before + self.lane_width(lane) / 2.0;
            for act in &self.acts {
                if let Where::Between(a, b) = act.place
                    && a.max(b) == lane
                    && a != b
                {
                    x = x.max(out[a.min(b)] + text_width(&act.name, SMALL) + 40.0);
                }
            }
            out.push(x);
        }
        out
    }
}
