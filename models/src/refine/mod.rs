//! Refinement: every outcome that a client has over an implementation, it has over the specification
//! (loco-mowgli Def. 3.10), on every client up to a bound, then on random ones.
//!
//! The engine knows two models and a source of clients, nothing of what they are: an implementation may be a layer
//! ([`crate::Model::Layer`]) or any other model that runs the same programs. A client on which the implementation has an
//! outcome that the specification does not allow is shrunk, statement by statement, while it still has one.
//!
//! Limits: outcomes are what the client observes, not traces; a client that the specification calls erroneous may do
//! anything; where the specification knows no deadlocks, those of the implementation are not compared. Bounds that a
//! search of either side hits are counted in [`Refinement::bounded`].

mod clients;

pub use clients::{Alphabet, Bodies, Clients, filled, shares};

use crate::{Limits, Model};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::parse;
use litmpi_spec::diag::Report;
use litmpi_spec::source::Source;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A model under one of its variants.
#[derive(Clone, Copy)]
pub struct Side<'m> {
    /// The model.
    pub model: &'m Model,
    /// Its variant.
    pub variant: &'m str,
}

/// How far to go.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// Statements of the largest client of those that are tried without exception.
    pub size: usize,
    /// How many random clients are tried after them.
    pub random: usize,
    /// The seed of the first of those.
    pub seed: u64,
    /// Limits of each search.
    pub limits: Limits,
    /// Threads to work with.
    pub jobs: usize,
}

/// What was found.
#[derive(Debug)]
pub struct Refinement {
    /// How many clients of each size were tried, all of that size unless a counterexample ended it.
    pub sizes: Vec<usize>,
    /// How many random ones.
    pub random: usize,
    /// Clients that are none of the specification: it refuses them, or they are erroneous.
    pub refused: usize,
    /// Clients without an outcome over the implementation: nothing was compared.
    pub without: usize,
    /// Clients of which not everything was seen, because a search hit a bound (loops aside).
    pub bounded: usize,
    /// Clients whose loops, or those of the implementation, were unrolled to their bounds.
    pub loops: usize,
    /// The smallest client found that tells.
    pub counterexample: Option<Counterexample>,
}

impl Refinement {
    /// How many clients were tried.
    pub fn tried(&self) -> usize {
        self.sizes.iter().sum::<usize>() + self.random
    }
}

/// A client with an outcome that the specification does not allow.
#[derive(Debug, Clone)]
pub struct Counterexample {
    /// The client, as a litmus test without a claim of its own.
    pub text: String,
    /// The outcome.
    pub outcome: Outcome,
    /// What the client's statements are.
    pub bodies: Bodies,
    /// The seed that it came from, if it was a random one.
    pub seed: Option<u64>,
}

/// What one client shows.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    Nothing,
    Refused,
    Without { bounded: bool, loops: bool },
    Within { bounded: bool, loops: bool },
    Beyond(Outcome),
}

/// Tries clients on both sides.
///
/// # Errors
/// A client that a side cannot read, a rule that cannot be evaluated.
pub fn refine(
    implementation: Side<'_>,
    specification: Side<'_>,
    clients: &dyn Clients,
    bound: Bound,
    tick: &(dyn Fn(usize) + Sync),
) -> Result<Refinement, Report> {
    let mut found =
        Refinement { sizes: vec![], random: 0, refused: 0, without: 0, bounded: 0, loops: 0, counterexample: None };
    let run = Run { implementation, specification, clients, limits: bound.limits, jobs: bound.jobs.max(1), tick };
    for size in 1..=bound.size {
        found.sizes.push(0);
        let mut all = clients.of_size(size);
        loop {
            let chunk: Vec<Bodies> = all.by_ref().take(CHUNK).collect();
            if chunk.is_empty() {
                break;
            }
            let (tried, beyond) = run.all(&chunk, &mut found)?;
            *found.sizes.last_mut().expect("just pushed") += tried;
            if let Some((i, _)) = beyond {
                found.counterexample = Some(run.smallest(chunk[i].clone(), None)?);
                return Ok(found);
            }
        }
    }
    let seeds: Vec<u64> = (0..bound.random as u64).map(|i| bound.seed.wrapping_add(i)).collect();
    for part in seeds.chunks(CHUNK) {
        let chunk: Vec<Bodies> = part.iter().map(|s| clients.random(*s)).collect();
        let (tried, beyond) = run.all(&chunk, &mut found)?;
        found.random += tried;
        if let Some((i, _)) = beyond {
            found.counterexample = Some(run.smallest(chunk[i].clone(), Some(part[i]))?);
            return Ok(found);
        }
    }
    Ok(found)
}

/// Clients that are tried before it is looked whether one tells.
const CHUNK: usize = 512;

struct Run<'a> {
    implementation: Side<'a>,
    specification: Side<'a>,
    clients: &'a dyn Clients,
    limits: Limits,
    jobs: usize,
    tick: &'a (dyn Fn(usize) + Sync),
}

impl Run<'_> {
    /// Tries clients, those after the first that tells left out; how many, and that one.
    fn all(&self, chunk: &[Bodies], found: &mut Refinement) -> Result<(usize, Option<(usize, Outcome)>), Report> {
        let (next, first) = (AtomicUsize::new(0), AtomicUsize::new(usize::MAX));
        let done: Mutex<Vec<Option<Result<Shown, Report>>>> = Mutex::new(chunk.iter().map(|_| None).collect());
        std::thread::scope(|scope| {
            for _ in 0..self.jobs.min(chunk.len()) {
                scope.spawn(|| {
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        // What stands before the first that tells is tried, whoever finds it: the same one every time.
                        if i >= chunk.len() || i > first.load(Ordering::Relaxed) {
                            break;
                        }
                        let shown = self.one(&chunk[i]);
                        if !matches!(
                            shown,
                            Ok(Shown::Nothing | Shown::Refused | Shown::Without { .. } | Shown::Within { .. })
                        ) {
                            first.fetch_min(i, Ordering::Relaxed);
                        }
                        done.lock().unwrap_or_else(|e| e.into_inner())[i] = Some(shown);
                        (self.tick)(1);
                    }
                });
            }
        });
        let mut tried = 0;
        for (i, shown) in done.into_inner().unwrap_or_else(|e| e.into_inner()).into_iter().enumerate() {
            let Some(shown) = shown else { break };
            let shown = shown?;
            tried += usize::from(shown != Shown::Nothing);
            match shown {
                Shown::Nothing => {}
                Shown::Refused => found.refused += 1,
                Shown::Without { bounded, loops } => {
                    found.without += 1;
                    found.bounded += usize::from(bounded);
                    found.loops += usize::from(loops);
                }
                Shown::Within { bounded, loops } => {
                    found.bounded += usize::from(bounded);
                    found.loops += usize::from(loops);
                }
                Shown::Beyond(outcome) => return Ok((tried, Some((i, outcome)))),
            }
        }
        Ok((tried, None))
    }

    fn test(&self, side: Side<'_>, text: &str) -> Result<Test, Report> {
        parse(&Source::new("client", text), side.model.instructions())
    }

    /// What a client shows.
    fn one(&self, bodies: &Bodies) -> Result<Shown, Report> {
        if !self.clients.observes(bodies) {
            return Ok(Shown::Nothing);
        }
        let text = self.clients.text("client", bodies);
        let abstract_ = self.test(self.specification, &text)?;
        if self.specification.model.runs(&abstract_, self.limits).is_err() {
            return Ok(Shown::Refused);
        }
        // The specification first: what it refuses, and what it calls erroneous, need not be run below.
        let may = self.specification.model.answer(&abstract_, self.specification.variant, self.limits)?;
        if may.set.iter().any(|o| matches!(o, Outcome::Erroneous { .. })) {
            return Ok(Shown::Refused);
        }
        let concrete = self.test(self.implementation, &text)?;
        let has = self.implementation.model.answer(&concrete, self.implementation.variant, self.limits)?;
        let (bounded, loops) = (has.stopped().is_some(), !has.complete());
        let deadlocks = self.specification.model.knows_deadlock();
        let compared = |o: &&Outcome| deadlocks || **o != Outcome::Deadlock;
        if !has.set.iter().any(|o| compared(&o)) {
            return Ok(Shown::Without { bounded, loops });
        }
        let (bounded, loops) = (bounded || may.stopped().is_some(), loops || !may.complete());
        match has.set.iter().filter(compared).find(|o| !may.set.contains(o)) {
            // What is not in a set that may be larger tells nothing.
            Some(o) if may.complete() => Ok(Shown::Beyond(o.clone())),
            Some(_) => Ok(Shown::Within { bounded: true, loops }),
            None => Ok(Shown::Within { bounded, loops }),
        }
    }

    /// The client with as many statements left out as it can spare.
    fn smallest(&self, mut bodies: Bodies, seed: Option<u64>) -> Result<Counterexample, Report> {
        'again: loop {
            for smaller in clients::smaller(&bodies) {
                if let Shown::Beyond(_) = self.one(&smaller)? {
                    bodies = smaller;
                    continue 'again;
                }
            }
            break;
        }
        let Shown::Beyond(outcome) = self.one(&bodies)? else { unreachable!("the client tells") };
        Ok(Counterexample { text: self.clients.text("client", &bodies), outcome, bodies, seed })
    }
}
