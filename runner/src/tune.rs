//! The search for stress that shows an outcome: many vectors for a short time, the better half for twice as long, and so
//! on (successive halving). What a vector is worth is the lower end of the confidence interval of its rate, so that luck
//! in few iterations does not count for much. A vector that was left out comes back when those that were kept turn out to be
//! worth less, as one does that had luck at first. At the end, vectors that came more often than the best one, in too few
//! iterations to be sure of, are run on, and the best one with them, until they are worse or the best. The vectors tried are
//! fixed by the seed; rates are the machine's.

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

/// A search under way.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// Best first, when a round is over.
    all: Vec<Candidate>,
    /// How many the next round runs; 0 when there was one with a single one.
    next: usize,
    rounds: u32,
    halvings: u32,
    /// Rounds in which the best one was held against others.
    held: u32,
}

/// How often the best vector is held against others that came more often, before the search ends as it stands.
const HELD: u32 = 4;

impl Tuning {
    /// A search among these.
    pub fn new(all: Vec<Candidate>) -> Tuning {
        let next = all.len();
        Tuning { all, next, rounds: 0, halvings: 0, held: 0 }
    }

    /// The vectors that the next round runs, and how often the time of the first round is to be doubled for it; none at the end.
    pub fn round(&mut self) -> Option<(u32, &mut [Candidate])> {
        if self.rounds > 0 {
            sort(&mut self.all);
        }
        let number = match self.next {
            0 => self.rivals()?,
            n => {
                self.next = if n == 1 { 0 } else { n.div_ceil(2) };
                self.halvings = self.rounds;
                n
            }
        };
        self.rounds += 1;
        Some((self.halvings, &mut self.all[..number]))
    }

    /// Puts those behind the best one that have come more often than it; how many that are, with it.
    fn rivals(&mut self) -> Option<usize> {
        let best = self.all.first()?.rate.share();
        self.all[1..].sort_by_key(|c| c.rate.share() <= best);
        let rivals = self.all[1..].iter().filter(|c| c.rate.share() > best).count();
        if rivals == 0 || self.held == HELD {
            sort(&mut self.all);
            return None;
        }
        self.held += 1;
        Some(1 + rivals)
    }

    /// All vectors, the best first, when there is no further round.
    pub fn into_ranking(self) -> Vec<Candidate> {
        self.all
    }
}

/// Best first; of those that have shown nothing, the one first against which least is known.
fn sort(all: &mut [Candidate]) {
    // These are finite and not negative: their bits are in their order.
    let key = |r: Rate| (r.interval().0.to_bits(), r.share().to_bits(), r.interval().1.to_bits());
    all.sort_by_key(|c| Reverse(key(c.rate)));
}

/// What keeps requests of one queue pair late while all others go on: each thread in turn floods one, and the others wait for
/// what comes of it.
fn floods(test: &Test) -> Vec<Stress> {
    let number = |n: i64| u32::try_from(n).unwrap_or(0);
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

    fn candidate(n: u8) -> Candidate {
        Candidate { stress: Stress { traffic: n, ..Stress::default() }, rate: Rate::default() }
    }

    /// Runs a search whose vectors, named by their traffic, show the outcome in `percent(vector, round)` of 25 iterations, of
    /// twice as many in the next round, and so on.
    fn tuned(number: u8, percent: impl Fn(u8, u32) -> u64) -> (Vec<Vec<u8>>, Vec<Candidate>) {
        let mut tuning = Tuning::new((0..number).map(candidate).collect());
        let (mut rounds, mut n) = (vec![], 0);
        while let Some((doublings, run)) = tuning.round() {
            for c in run.iter_mut() {
                let of = 25_u64 << doublings;
                c.rate.hits += of * percent(c.stress.traffic, n) / 100;
                c.rate.of += of;
            }
            rounds.push(run.iter().map(|c| c.stress.traffic).collect());
            n += 1;
        }
        (rounds, tuning.into_ranking())
    }

    #[test]
    fn each_round_keeps_the_half_whose_rate_is_surely_higher() {
        let (rounds, ranking) = tuned(4, |vector, _| [0, 4, 80, 40][usize::from(vector)]);
        assert_eq!(rounds, [vec![0, 1, 2, 3], vec![2, 3], vec![2]]);
        let order: Vec<u8> = ranking.iter().map(|c| c.stress.traffic).collect();
        assert_eq!(order, [2, 3, 1, 0]);
    }

    #[test]
    fn a_vector_that_was_left_out_comes_back_when_those_that_were_kept_had_luck() {
        // The first two show the outcome often at first, and then seldom; the third always in 88 %.
        let luck = |vector, round| match (vector, round) {
            (0 | 1, 0) => 100,
            (0 | 1, _) => 10,
            (2, _) => 88,
            _ => 0,
        };
        let (rounds, ranking) = tuned(4, luck);
        assert_eq!(rounds, [vec![0, 1, 2, 3], vec![0, 1], vec![2]]);
        assert_eq!(ranking[0].stress.traffic, 2, "{ranking:?}");
    }

    #[test]
    fn at_the_end_none_is_left_that_came_more_often_but_in_too_few_iterations() {
        let mut tuning = Tuning::new(vec![candidate(0), candidate(1)]);
        tuning.all[0].rate = Rate { hits: 7900, of: 10_000 };
        tuning.all[1].rate = Rate { hits: 22, of: 25 };
        assert!(tuning.all[0].rate.interval().0 > tuning.all[1].rate.interval().0);
        (tuning.next, tuning.rounds) = (0, 2);
        let (_, run) = tuning.round().expect("the second is run on");
        assert_eq!(run.len(), 2);
        run.iter_mut().for_each(|c| c.rate = Rate { hits: [790, 880][usize::from(c.stress.traffic)], of: 1000 });
        assert!(tuning.round().is_none());
        assert_eq!(tuning.into_ranking()[0].stress.traffic, 1, "88 % of a thousand is better than 79 %");
    }

    #[test]
    fn of_vectors_that_have_shown_nothing_the_one_tried_least_is_first() {
        let mut all = vec![candidate(0), candidate(1)];
        (all[0].rate.of, all[1].rate.of) = (1000, 10);
        sort(&mut all);
        assert_eq!(all[0].rate.of, 10);
    }
}
