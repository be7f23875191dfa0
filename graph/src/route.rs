//! How edges run: each takes, of some bends and some places for its label, what crosses least.

use crate::drawn::Drawn;
use crate::geometry::{Curve, Point, Rect};
use crate::layout::{SMALL, text_width};

/// An edge's curve and the box of its label.
#[derive(Debug, Clone)]
pub(crate) struct Routed {
    pub(crate) curve: Curve,
    pub(crate) label: Rect,
}

const SAMPLES: u32 = 28;
/// Bends that are tried; the sign says to which side.
const BENDS: [f64; 17] =
    [0.0, 14.0, -14.0, 26.0, -26.0, 40.0, -40.0, 56.0, -56.0, 74.0, -74.0, 94.0, -94.0, 118.0, -118.0, 146.0, -146.0];
const PLACES: [f64; 9] = [0.5, 0.42, 0.58, 0.34, 0.66, 0.27, 0.73, 0.2, 0.8];

/// A curve by points.
struct Trail(Vec<Point>);

impl Trail {
    fn of(curve: &Curve) -> Trail {
        Trail((0..=SAMPLES).map(|i| curve.at(f64::from(i) / f64::from(SAMPLES))).collect())
    }
}

/// Routes all edges around boxes and, if it can be, `labels`; and says how far they reach: left, right, down.
pub(crate) fn route(
    lines: &[Drawn],
    boxes: &[Option<Rect>],
    mut labels: Vec<Rect>,
) -> (Vec<(Drawn, Routed)>, (f64, f64, f64)) {
    let ends = |l: &Drawn| Some((boxes[l.from]?, boxes[l.to]?));
    // Short edges have the least choice.
    let length = |l: &Drawn| ends(l).map_or(0.0, |(a, b)| a.middle.distance(b.middle));
    let mut order: Vec<usize> = (0..lines.len()).collect();
    order.sort_by(|i, j| length(&lines[*i]).total_cmp(&length(&lines[*j])).then(i.cmp(j)));
    let mut placed: Vec<Option<Routed>> = vec![None; lines.len()];
    let mut trails: Vec<Trail> = vec![];
    for i in order {
        let line = &lines[i];
        let Some((from, to)) = ends(line) else { continue };
        let others: Vec<&Rect> = boxes
            .iter()
            .enumerate()
            .filter(|(e, _)| *e != line.from && *e != line.to)
            .filter_map(|(_, r)| r.as_ref())
            .collect();
        let mut best: Option<(f64, Routed)> = None;
        for bend in BENDS {
            let curve = Curve::bent(from.middle, to.middle, bend).between(&from, &to, 2.0);
            let cost = bend.abs() * 0.06 + cost_of_curve(&Trail::of(&curve), &others, &trails, &labels);
            if best.as_ref().is_some_and(|(least, _)| cost >= *least) {
                continue;
            }
            let (extra, label) = label(line, &curve, (&from, &to), &others, &trails, &labels);
            let cost = cost + extra;
            if best.as_ref().is_none_or(|(least, _)| cost < *least) {
                best = Some((cost, Routed { curve, label }));
            }
        }
        if let Some((_, routed)) = best {
            trails.push(Trail::of(&routed.curve));
            labels.push(routed.label);
            placed[i] = Some(routed);
        }
    }
    let mut reach = (f64::INFINITY, 0.0_f64, 0.0_f64);
    for r in placed.iter().flatten() {
        let points = Trail::of(&r.curve).0;
        let half = r.label.width / 2.0;
        for (p, w) in points.iter().map(|p| (*p, 0.0)).chain([(r.label.middle, half)]) {
            reach = (reach.0.min(p.x - w), reach.1.max(p.x + w), reach.2.max(p.y));
        }
    }
    let edges = lines.iter().zip(placed).filter_map(|(l, r)| Some((l.clone(), r?))).collect();
    (edges, reach)
}

fn cost_of_curve(trail: &Trail, others: &[&Rect], trails: &[Trail], labels: &[Rect]) -> f64 {
    let mut cost = 0.0;
    for (i, p) in trail.0.iter().enumerate() {
        cost += 12.0 * f64::from(u8::from(others.iter().any(|r| r.holds(*p, 4.0))));
        cost += 3.0 * f64::from(u8::from(labels.iter().any(|r| r.holds(*p, 1.0))));
        // Ends meet at events anyway.
        if i > 3 && i + 3 < trail.0.len() {
            let near = trails.iter().filter(|t| t.0.iter().any(|q| q.distance(*p) < 7.0)).count();
            cost += f64::from(u32::try_from(near).unwrap_or(u32::MAX));
        }
    }
    cost
}

/// The best place for a label, and what it costs.
fn label(
    line: &Drawn,
    curve: &Curve,
    ends: (&Rect, &Rect),
    others: &[&Rect],
    trails: &[Trail],
    labels: &[Rect],
) -> (f64, Rect) {
    let width = text_width(&line.names.join(" "), SMALL) + 6.0;
    let mut best: Option<(f64, Rect)> = None;
    for t in PLACES {
        let rect = Rect { middle: curve.at(t), width, height: SMALL + 4.0 };
        let on_boxes = others.iter().chain([&ends.0, &ends.1]).filter(|r| r.meets(&rect, 1.0)).count();
        let on_labels = labels.iter().filter(|r| r.meets(&rect, 2.0)).count();
        let on_lines = trails.iter().filter(|t| t.0.iter().any(|p| rect.holds(*p, 0.0))).count();
        let count = |n: usize| f64::from(u32::try_from(n).unwrap_or(u32::MAX));
        let cost = 30.0 * count(on_boxes) + 26.0 * count(on_labels) + 5.0 * count(on_lines) + (t - 0.5).abs() * 4.0;
        if best.as_ref().is_none_or(|(least, _)| cost < *least) {
            best = Some((cost, rect));
        }
    }
    best.unwrap_or((0.0, Rect { middle: curve.at(0.5), width, height: SMALL + 4.0 }))
}
