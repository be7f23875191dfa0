//! Where events stand: a column a thread, lanes side by side in it, a row an event, initial writes on top.

use crate::drawn::{Drawn, drawn, shown};
use crate::execution::Graph;
use crate::geometry::{Point, Rect};
use crate::route::{Routed, route};

/// Size of the text of events; a character of a monospaced font is 0.6 of it wide.
pub(crate) const TEXT: f64 = 13.0;
/// Size of other text.
pub(crate) const SMALL: f64 = 11.0;
const ROW: f64 = 62.0;
const BOX: f64 = 26.0;
const LANE_GAP: f64 = 46.0;
const COLUMN_GAP: f64 = 74.0;
const MARGIN: f64 = 26.0;
/// Notes are not broken into lines shorter than this.
pub(crate) const LEAST_WIDTH: f64 = 420.0;

/// The width of monospaced text.
#[expect(clippy::cast_precision_loss, reason = "labels are short")]
pub(crate) fn text_width(text: &str, size: f64) -> f64 {
    text.chars().count() as f64 * size * 0.61
}

/// A heading.
#[derive(Debug, Clone)]
pub(crate) struct Heading {
    pub(crate) text: String,
    pub(crate) at: Point,
}

/// A picture, placed.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// The box of each event; none for one that is not shown.
    pub(crate) boxes: Vec<Option<Rect>>,
    /// Ground of each column.
    pub(crate) columns: Vec<Rect>,
    pub(crate) titles: Vec<Heading>,
    pub(crate) lanes: Vec<Heading>,
    /// Title and notes above everything.
    pub(crate) head: Vec<Heading>,
    pub(crate) edges: Vec<(Drawn, Routed)>,
}

/// Places a graph with the relations of these names; what stands above it is broken into lines of its width.
pub(crate) fn layout(graph: &Graph, names: &[String]) -> Layout {
    let without = Graph { title: String::new(), notes: vec![], ..graph.clone() };
    let wide = (place(&without, names).width - 2.0 * MARGIN).max(LEAST_WIDTH);
    let notes = graph.notes.iter().flat_map(|n| wrap(n, wide)).collect();
    place(&Graph { notes, ..graph.clone() }, names)
}

/// Text in lines of at most this width, broken at spaces.
pub(crate) fn wrap(text: &str, width: f64) -> Vec<String> {
    let mut lines: Vec<String> = vec![];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if text_width(&format!("{line} {word}"), SMALL + 1.0) <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[expect(clippy::cast_precision_loss, reason = "rows and events are few")]
fn place(graph: &Graph, names: &[String]) -> Layout {
    let lines = drawn(graph, names);
    let shown = shown(graph, &lines);
    let mut boxes: Vec<Option<Rect>> = vec![None; graph.events.len()];
    let box_width = |e: usize| text_width(&graph.caption(e), TEXT) + 18.0;
    let initial: Vec<usize> = shown.iter().copied().filter(|e| graph.events[*e].place.is_none()).collect();

    let head_height = MARGIN + (graph.notes.len() as f64 + 1.0) * 17.0;
    let top = head_height + if initial.is_empty() { 8.0 } else { ROW };
    let first_row = top + 62.0;

    let (mut columns, mut titles, mut lanes) = (vec![], vec![], vec![]);
    let mut x = MARGIN;
    let rows = (0..graph.columns.len()).map(|c| graph.column(c).count()).max().unwrap_or(0);
    let bottom = first_row + (rows.max(1) as f64 - 1.0) * ROW + BOX / 2.0 + 18.0;
    for (c, column) in graph.columns.iter().enumerate() {
        let left = x;
        x += 16.0;
        let used = (0..column.lanes.len()).filter(|l| graph.column(c).any(|e| graph.events[e].place == Some((c, *l))));
        let used: Vec<usize> = used.collect();
        let mut lane_middles = vec![0.0; column.lanes.len()];
        for (i, lane) in used.iter().enumerate() {
            let of_lane = graph.column(c).filter(|e| graph.events[*e].place == Some((c, *lane)));
            let several = column.lanes.len() > 1;
            let heading = if several { text_width(&column.lanes[*lane], SMALL) } else { 0.0 };
            let width = of_lane.map(box_width).fold(heading.max(40.0), f64::max);
            x += if i > 0 { LANE_GAP } else { 0.0 };
            lane_middles[*lane] = x + width / 2.0;
            if several {
                let at = Point::new(lane_middles[*lane], first_row - BOX / 2.0 - 12.0);
                lanes.push(Heading { text: column.lanes[*lane].clone(), at });
            }
            x += width;
        }
        x = (x + 16.0).max(left + text_width(&column.title, SMALL) + 32.0);
        let middle = f64::midpoint(left, x);
        // A column whose heading is wider than its events has them in its middle.
        let used_middle =
            used.first().zip(used.last()).map_or(middle, |(a, b)| f64::midpoint(lane_middles[*a], lane_middles[*b]));
        let shift = if used.len() == 1 { middle - used_middle } else { 0.0 };
        for (row, e) in graph.column(c).enumerate() {
            let lane = graph.events[e].place.map_or(0, |(_, l)| l);
            let middle = Point::new(lane_middles[lane] + shift, first_row + row as f64 * ROW);
            boxes[e] = Some(Rect { middle, width: box_width(e), height: BOX });
        }
        columns.push(Rect {
            middle: Point::new(middle, f64::midpoint(top, bottom)),
            width: x - left,
            height: bottom - top,
        });
        titles.push(Heading { text: column.title.clone(), at: Point::new(middle, top + 18.0) });
        x += COLUMN_GAP;
    }
    let mut right = x - COLUMN_GAP;

    // Initial writes stand above the first event that they have to do with, in order, without overlap.
    let wish = |e: usize| {
        let others = lines.iter().filter_map(|l| match (l.from == e, l.to == e) {
            (true, false) => boxes[l.to],
            (false, true) => boxes[l.from],
            _ => None,
        });
        let xs: Vec<f64> = others.map(|r| r.middle.x).collect();
        xs.iter().sum::<f64>() / (xs.len().max(1) as f64)
    };
    let mut wishes: Vec<(f64, usize)> = initial.iter().map(|e| (wish(*e), *e)).collect();
    wishes.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut free = MARGIN;
    for (wish, e) in wishes {
        let width = box_width(e);
        let x = wish.max(free + width / 2.0);
        boxes[e] = Some(Rect { middle: Point::new(x, top - ROW / 2.0), width, height: BOX });
        free = x + width / 2.0 + 24.0;
        right = right.max(x + width / 2.0);
    }

    let mut head = vec![Heading { text: graph.title.clone(), at: Point::new(MARGIN, MARGIN) }];
    for (i, note) in graph.notes.iter().enumerate() {
        head.push(Heading { text: note.clone(), at: Point::new(MARGIN, MARGIN + 17.0 * (i as f64 + 1.0)) });
    }
    right = head.iter().map(|h| MARGIN + text_width(&h.text, TEXT)).fold(right, f64::max);
    // Headings are no obstacles, but better left readable.
    let heading = |h: &Heading| Rect {
        middle: Point::new(h.at.x, h.at.y - SMALL * 0.35),
        width: text_width(&h.text, SMALL),
        height: SMALL + 4.0,
    };
    let (edges, reach) = route(&lines, &boxes, titles.iter().chain(&lanes).map(heading).collect());
    // Curves may go further out than the boxes; the picture then moves to make room.
    let left_room = (MARGIN - reach.0).max(0.0);
    let width = right.max(reach.1) + MARGIN;
    let mut out = Layout { width, height: bottom.max(reach.2) + MARGIN, boxes, columns, titles, lanes, head, edges };
    if left_room > 0.0 {
        out.shift(left_room);
    }
    out
}

impl Layout {
    /// Moves everything but the title to the right.
    fn shift(&mut self, by: f64) {
        self.width += by;
        for r in self.boxes.iter_mut().flatten().chain(&mut self.columns) {
            r.middle.x += by;
        }
        for h in self.titles.iter_mut().chain(&mut self.lanes) {
            h.at.x += by;
        }
        for (_, routed) in &mut self.edges {
            routed.curve.0.x += by;
            routed.curve.1.x += by;
            routed.curve.2.x += by;
            routed.label.middle.x += by;
        }
    }
}
