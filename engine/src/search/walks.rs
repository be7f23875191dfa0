//! Random ways through a system that is too large to be searched.
//!
//! Each walk takes, in each state, one of all transitions, each with the same chance. What it takes depends on the seed and on its own number
//! alone, so that what is found is the same for any number of threads.
//!
//! **What is known afterwards.** Outcomes that were found are there. Of others nothing is known, but how often such walks come to
//! them: the part of all walks that end in an outcome which was not found is estimated by the part that ended in one found once (Good,
//! "The population frequencies of species and the estimation of population parameters", Biometrika 1953), and with a confidence it is
//! not larger than that and a term that falls with the number of walks (McAllester and Schapire, "On the convergence rate of
//! Good-Turing estimators", COLT 2000). This is no statement about how many outcomes there are, nor about how often a real library
//! shows them.

use crate::search::Target;
use crate::search::random::Random;
use crate::search::sweep::{Shared, Worker};
use rustc_hash::{FxHashSet, FxHasher};
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Distinct states are counted up to so many of each thread.
const COUNTED: usize = 1 << 22;

/// Which walks are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walks {
    /// How many.
    pub number: usize,
    /// What their choices depend on.
    pub seed: u64,
    /// Most steps of each.
    pub longest: usize,
}

/// What walks found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walked<O> {
    /// Every outcome, and how many walks ended in it.
    pub outcomes: BTreeMap<O, usize>,
    /// How many walks were made.
    pub walks: usize,
    /// Walks of which nothing is known: they came to a loop that was unrolled no further.
    pub cut: usize,
    /// Walks that came to no end within the most steps.
    pub endless: usize,
    /// Steps of all walks.
    pub steps: usize,
    /// Distinct states, by a hash of 64 bits; none if there were too many to be counted.
    pub states: Option<usize>,
}

impl<O> Walked<O> {
    /// The part of such walks that end in an outcome which was not found: about so many, and with a confidence of 95 % at most so many.
    pub fn unseen(&self) -> (f64, f64) {
        let ended: usize = self.outcomes.values().sum();
        if ended == 0 {
            return (1.0, 1.0);
        }
        let once = self.outcomes.values().filter(|n| **n == 1).count() as f64 / ended as f64;
        let more = (8_f64.sqrt() + 3_f64.sqrt()) * ((3_f64 / 0.05).ln() / ended as f64).sqrt();
        (once, (once + more).min(1.0))
    }
}

/// Makes walks, on so many threads.
///
/// # Errors
/// The system's own, that of the first walk that has one.
pub fn walk<S: Shared>(system: &S, of: Walks, threads: usize) -> Result<Walked<S::Outcome>, S::Fault> {
    let next = AtomicUsize::new(0);
    let go = || {
        let mut found = Part::new();
        let mut worker = system.worker();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= of.number {
                return found;
            }
            if let Err(fault) = found.add(system, &mut *worker, of, number) {
                // Walks with smaller numbers are under way or done: theirs is told if they have one.
                next.store(of.number, Ordering::Relaxed);
                found.fault = Some((number, fault));
                return found;
            }
        }
    };
    let parts: Vec<_> = std::thread::scope(|scope| {
        let hired: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(go)).collect();
        hired.into_iter().map(|h| h.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
    });
    let mut out = Walked { outcomes: BTreeMap::new(), walks: of.number, cut: 0, endless: 0, steps: 0, states: None };
    let (mut states, mut counted, mut fault) = (FxHashSet::default(), true, None);
    for part in parts {
        part.outcomes.into_iter().for_each(|(o, n)| *out.outcomes.entry(o).or_default() += n);
        out.cut += part.cut;
        out.endless += part.endless;
        out.steps += part.steps;
        counted &= part.states.len() < COUNTED;
        states.extend(part.states);
        fault = [fault, part.fault].into_iter().flatten().min_by_key(|(number, _)| *number);
    }
    // Which thread came to which states depends on the threads, and how many there are in all does not.
    out.states = (counted && states.len() < COUNTED).then_some(states.len());
    fault.map_or(Ok(out), |(_, fault)| Err(fault))
}

/// What one thread found.
struct Part<O, F> {
    outcomes: BTreeMap<O, usize>,
    cut: usize,
    endless: usize,
    steps: usize,
    states: FxHashSet<u64>,
    fault: Option<(usize, F)>,
}

impl<O: Ord, F> Part<O, F> {
    fn new() -> Part<O, F> {
        Part { outcomes: BTreeMap::new(), cut: 0, endless: 0, steps: 0, states: FxHashSet::default(), fault: None }
    }

    /// Goes the walk of that number.
    fn add<S: Shared<Outcome = O, Fault = F>>(
        &mut self,
        system: &S,
        worker: &mut dyn Worker<O, F>,
        of: Walks,
        number: usize,
    ) -> Result<(), F> {
        let mut random = Random::new(of.seed, number as u64);
        let mut at = system.initial();
        for _ in 0..of.longest {
            if self.states.len() < COUNTED {
                let mut hasher = FxHasher::default();
                at.hash(&mut hasher);
                self.states.insert(hasher.finish());
            }
            let (mut next, mut seen) = (None, 0);
            worker.all(&at, &mut |target| {
                seen += 1;
                // Each of those that there are is taken with the same chance.
                if random.below(seen) == 0 {
                    next = Some(match target {
                        Target::State(state) => Ok(state.to_vec()),
                        Target::Outcome(outcome) => Err(outcome),
                    });
                }
            })?;
            let end = match next {
                Some(Ok(state)) => {
                    self.steps += 1;
                    at = state;
                    continue;
                }
                Some(Err(outcome)) => {
                    self.steps += 1;
                    Some(outcome)
                }
                None => system.end(&at),
            };
            match end {
                Some(outcome) => *self.outcomes.entry(outcome).or_default() += 1,
                None => self.cut += 1,
            }
            return Ok(());
        }
        self.endless += 1;
        Ok(())
    }
}
