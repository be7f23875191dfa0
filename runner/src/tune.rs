//! The search for stress that shows an outcome: many vectors for a short time, the better half for twice as long, and so
//! on (successive halving). What a vector is worth is the lower end of the confidence interval of its rate, so that luck
//! in few iterations does not count for much. The vectors tried are fixed by the seed; rates are the machine's.

use crate::stress::{Act, FLOOD, HALVES, Place, Point, Polling, Stress};
use litmpi_litmus::ast::{Stmt, Test};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::cmp::Reverse;

/// A share of iterations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rate {
    /// Iterations that ended so.
    pub hits: u64,
    /// Iterations.
    pub of: u64,
}

impl Rate {
    /// The share itself; 0 of nothing.
    #[expect(clippy::cast_precision_loss, reason = "iterations are far from 2^52")]
    pub fn share(self) -> f64 {
        if self.of == 0 { 0.0 } else { self.hits as f64 / self.of as f64 }
    }

    /// Wilson's score interval, 95 %.
    #[expect(clippy::cast_precision_loss, reason = "iterations are far from 2^52")]
    pub fn interval(self) -> (f64, f64) {
        if self.of == 0 {
            return (0.0, 1.0);
        }
        let (n, p, z) = (self.of as f64, self.share(), 1.96_f64);
        let middle = p + z * z / (2.0 * n);
        let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z * z / n;
        // At the ends the interval is exact, not to be spoilt by rounding.
        let low = if self.hits == 0 { 0.0 } else { ((middle - half) / scale).max(0.0) };
        let high = if self.hits == self.of { 1.0 } else { ((middle + half) / scale).min(1.0) };
        (low, high)
    }
}

/// A vector that is tried, and what came of it so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The vector.
    pub stress: Stress,
    /// How often the outcome came, in all rounds together.
    pub rate: Rate,
}

/// Vectors to begin with: none, delays at random, floods ([`floods`]), and others by the seed; some with a network that loses packets, if it may.
pub fn candidates(test: &Test, may_lose: bool, number: usize, seed: u64) -> Vec<Candidate> {
    let mut rng = StdRng::seed_from_u64(seed);
    let points = points(test);
    let nodes: Vec<u8> = test.nodes.iter().filter_map(|n| u8::try_from(n.number).ok()).collect();
    let mut out = vec![Stress::default(), Stress::random()];
    out.extend(floods(test));
    // Few different vectors may exist for a small test: not for ever.
    for _ in 0..20 * number {
        if out.len() >= number {
            break;
        }
        let mut next = draw((&points, &nodes), &mut rng);
        if may_lose && rng.random_bool(0.2) {
            next.loss = *[1, 3, 8].choose(&mut rng).unwrap_or(&3);
        }
        if !out.contains(&next) && next.to_string().parse::<Stress>().is_ok() {
            out.push(next);
        }
    }
    out.truncate(number.max(2));
    out.into_iter().map(|stress| Candidate { stress, rate: Rate::default() }).collect()
}

/// The better half, best first. Of equal ones the earlier is better.
pub fn better_half(mut all: Vec<Candidate>) -> Vec<Candidate> {
    sort(&mut all);
    all.truncate(all.len().div_ceil(2));
    all
}

/// Best first; of those that have shown nothing, the one first against which least is known.
pub fn sort(all: &mut [Candidate]) {
    // These are finite and not negative: their bits are in their order.
    let key = |r: Rate| (r.interval().0.to_bits(), r.share().to_bits(), r.interval().1.to_bits());
    all.sort_by_key(|c| Reverse(key(c.rate)));
}

/// What keeps requests of one queue pair late while all others go on: each thread in turn floods one, and the others wait for
/// what comes of it.
fn floods(test: &Test) -> Vec<Stress> {
    let number = |n: i32| u32::try_from(n).unwrap_or(0);
    let mut out = vec![];
    for thread in &test.threads {
        let mut own = vec![];
        lines(&thread.body, &mut own);
        let Some(first) = own.first() else { continue };
        let others = test.nodes.iter().enumerate().filter(|(i, _)| *i != thread.node);
        let others = others.filter_map(|(_, n)| u8::try_from(n.number).ok());
        for node in others {
            let mut stress = Stress { acts: vec![(*first, Act::Flood(FLOOD, Some(node)))], ..Stress::default() };
            let waits = test.threads.iter().filter(|t| t.number != thread.number);
            stress.acts.extend(waits.map(|t| (Point::Begin(number(t.number)), Act::Until(HALVES))));
            out.push(stress);
        }
    }
    out
}

/// Where a test's threads can be told to wait.
fn points(test: &Test) -> Vec<Point> {
    let mut out = vec![];
    for thread in &test.threads {
        out.push(Point::Begin(u32::try_from(thread.number).unwrap_or(0)));
        lines(&thread.body, &mut out);
    }
    out
}

fn lines(body: &[Stmt], out: &mut Vec<Point>) {
    for stmt in body {
        let span = match stmt {
            Stmt::Call { span, .. } | Stmt::Set { span, .. } => Some(span),
            Stmt::If { then, els, .. } => {
                lines(then, out);
                lines(els, out);
                None
            }
            Stmt::While { body, .. } => {
                lines(body, out);
                None
            }
            Stmt::Choose { of, .. } => {
                of.iter().for_each(|body| lines(body, out));
                None
            }
        };
        let point = span.map(|s| Point::Line(u32::try_from(s.line_col().0).unwrap_or(0)));
        out.extend(point.filter(|p| !out.contains(p)));
    }
}

/// On all queue pairs, or on one: what is behind it there is then later than what is not.
fn flood(nodes: &[u8], rng: &mut StdRng) -> Act {
    let one = if nodes.len() > 2 && rng.random_bool(0.7) { nodes.choose(rng).copied() } else { None };
    Act::Flood(*[4, 16, 64].choose(rng).unwrap_or(&16), one)
}

fn draw((points, nodes): (&[Point], &[u8]), rng: &mut StdRng) -> Stress {
    let mut stress = Stress::default();
    // Outcomes of several threads want them to meet: all but one wait for what that one does.
    let begins: Vec<&Point> = points.iter().filter(|p| matches!(p, Point::Begin(_))).collect();
    let first = if rng.random_bool(0.4) { begins.choose(rng).copied() } else { None };
    for point in points {
        let begins = matches!(point, Point::Begin(_));
        if begins && first.is_some_and(|f| f != point) {
            stress.acts.push((*point, Act::Until(HALVES)));
            continue;
        }
        let act = match rng.random_range(0..20) {
            0..4 => Act::Delay(rng.random_range(1..=2)),
            4..6 => Act::Until(HALVES),
            6 if !begins => flood(nodes, rng),
            7 if begins => Act::Delay(4),
            7 => Act::Stores(32),
            _ => continue,
        };
        stress.acts.push((*point, act));
    }
    stress.random = rng.random_bool(0.3);
    if rng.random_bool(0.15) {
        stress.traffic = rng.random_range(1..=2);
    }
    if rng.random_bool(0.3) {
        stress.polling = [Polling::Spin, Polling::Yield, Polling::Sleep].choose(rng).copied();
    }
    if rng.random_bool(0.3) {
        stress.place = [Place::Same, Place::Spread, Place::Nodes].choose(rng).copied();
    }
    stress
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilsons_interval_is_that_of_the_textbook() {
        let near = |r: Rate, low: f64, high: f64| {
            let (l, h) = r.interval();
            assert!((l - low).abs() < 5e-4 && (h - high).abs() < 5e-4, "{r:?}: {l} {h}");
        };
        near(Rate { hits: 0, of: 10 }, 0.0, 0.2775);
        near(Rate { hits: 5, of: 10 }, 0.2366, 0.7634);
        near(Rate { hits: 10, of: 10 }, 0.7225, 1.0);
        assert_eq!(Rate::default().interval(), (0.0, 1.0));
    }

    #[test]
    fn floods_keep_one_queue_pair_late_while_the_others_wait_for_what_comes_of_it() {
        let text = "litmus rdma T \"\"\nnode 1 { y = 0 }\nnode 2 { z = 0 }\nthread 1 on 1 {\n  z@2 := 1\n  y := 1\n}\n\
                    thread 2 on 1 {\n  z@2 := 2\n}\nexists z = 1\n";
        let spec = litmpi_spec::load::load_shipped("rdma-tso").expect("it ships");
        let source = litmpi_spec::source::Source::new("T.litmus", text);
        let test = litmpi_litmus::parse::parse(&source, &spec.instructions).expect("a test");
        let words: Vec<String> = floods(&test).iter().map(Stress::to_string).collect();
        assert_eq!(words, ["5:f64@2,t2:w8", "9:f64@2,t1:w8"]);
        let all = candidates(&test, false, 30, 1);
        assert!(all.iter().all(|c| c.stress.loss == 0), "only where a network can");
        assert!(candidates(&test, true, 30, 1).iter().any(|c| c.stress.loss > 0));
    }

    #[test]
    fn the_better_half_is_that_whose_rate_is_surely_higher() {
        let candidate =
            |hits, of, n| Candidate { stress: Stress { traffic: n, ..Stress::default() }, rate: Rate { hits, of } };
        // One of two is luck; two hundred of a thousand are not.
        let all = vec![candidate(1, 2, 0), candidate(0, 1000, 1), candidate(200, 1000, 2), candidate(0, 10, 0)];
        let kept: Vec<u64> = better_half(all).iter().map(|c| c.rate.of).collect();
        assert_eq!(kept, [1000, 2]);
        let nothing_yet = vec![candidate(0, 1000, 0), candidate(0, 10, 1)];
        assert_eq!(better_half(nothing_yet)[0].rate.of, 10);
    }
}
