//! Changed rules beside the right ones, state by state: do they take the same steps?
//!
//! Where they do in all states that a program reaches under the right rules, the program has the same states under the changed ones,
//! and the same outcomes. The values of both machines are in one heap, so that states are compared as words.

use crate::eval::Fault;
use crate::machine::{Machine, Step, Target};
use crate::memo::Every;
use crate::reach::Reach;
use litmpi_spec::heap::Word;
use litmpi_spec::model::Spec;
use litmpi_spec::mutate::Spot;
use litmpi_spec::program::Program;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// States that a program reaches.
pub struct States {
    all: Vec<Arc<[Word]>>,
    /// Whether there are no others.
    pub complete: bool,
}

impl States {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.all.len()
    }

    /// The states that a machine reaches, breadth first; `most` of them if there are more.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub fn of(machine: &Machine, most: usize) -> Result<States, Fault> {
        let mut all: Vec<Arc<[Word]>> = vec![machine.initial().into()];
        let mut known: FxHashSet<Arc<[Word]>> = all.iter().cloned().collect();
        let mut every = Every::new(machine);
        let (mut at, mut complete) = (0, true);
        while let Some(state) = all.get(at).cloned() {
            at += 1;
            every.transitions(&state, &mut |_, to| match to {
                Target::State(s) if !machine.is_early(s) && !known.contains(s) => {
                    if all.len() < most {
                        let s: Arc<[Word]> = s.into();
                        known.insert(Arc::clone(&s));
                        all.push(s);
                    } else {
                        complete = false;
                    }
                }
                Target::State(_) | Target::Erroneous(_) => {}
            })?;
        }
        Ok(States { all, complete })
    }
}

/// A change of rules.
pub struct Changed {
    /// The rules with it.
    pub spec: Arc<Spec>,
    /// Which rules may do something else: all others are the same.
    pub rules: Vec<bool>,
    /// What is to be evaluated for the change to matter.
    pub spot: Spot,
}

/// What came of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compared {
    /// In so many states, up to the first one where steps differ, the changed part was evaluated.
    pub evaluated: usize,
    /// Whether steps differ in some state, or the initial states do.
    pub differs: bool,
}

/// A step, and where it leads or why the program is erroneous.
type Taken = (Step, Result<Box<[Word]>, String>);

impl Machine {
    /// Holds changed rules against the rules of this machine, in these states of it.
    ///
    /// # Errors
    /// The changed rules cannot be evaluated in one of them.
    pub fn beside(
        &self,
        states: &States,
        (program, variant): (&Program, &str),
        changed: &Changed,
    ) -> Result<Compared, Fault> {
        let reach = Arc::new(Reach::new(&self.spec));
        let right = self.sharing(Arc::clone(&self.spec), program, variant, Some(Arc::clone(&reach)))?;
        let other = self.changed((program, variant), changed)?;
        let mut found = Compared { evaluated: 0, differs: true };
        if other.initial() != right.initial() || other.program() != right.program() {
            return Ok(found);
        }
        for state in &states.all {
            reach.clear();
            let (ours, theirs) = (right.taken(&changed.rules, state)?, other.taken(&changed.rules, state)?);
            found.evaluated += usize::from(match changed.spot {
                Spot::Everywhere => !ours.is_empty(),
                ref spot => reach.comes_to(spot, variant),
            });
            if ours != theirs {
                return Ok(found);
            }
        }
        Ok(Compared { differs: false, ..found })
    }

    /// The machine of the changed rules.
    ///
    /// # Errors
    /// See [`Machine::new`].
    pub fn changed(&self, (program, variant): (&Program, &str), changed: &Changed) -> Result<Machine, Fault> {
        self.sharing(Arc::clone(&changed.spec), program, variant, None)
    }

    /// The steps of some rules in a state, each once.
    fn taken(&self, rules: &[bool], state: &[Word]) -> Result<Vec<Taken>, Fault> {
        let mut out: Vec<Taken> = vec![];
        self.transitions_of(&|rule| rules[rule], state, &mut |step, to| {
            let taken = match to {
                Target::State(s) => (step, Ok(s.into())),
                Target::Erroneous(why) => (step, Err(why.to_owned())),
            };
            if !out.contains(&taken) {
                out.push(taken);
            }
        })?;
        let key = |t: &Taken| (t.0.rule, t.0.thread, t.0.params.clone(), t.1.clone());
        out.sort_by_cached_key(key);
        Ok(out)
    }
}

/// How a program may end.
pub enum Ending<'a> {
    /// In this state, which has no transitions.
    State(&'a [Word]),
    /// It is erroneous: the rule, and the reason.
    Erroneous(&'a str, &'a str),
}

/// Sets of the numbers of endings, a state each.
pub type Futures = Vec<Box<[u64]>>;

impl Machine {
    /// Which endings may follow each of these states, as the numbers that `number` gives them; nothing if there are more than `most`
    /// states. An ending without a number is none.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub fn futures(
        &self,
        states: &States,
        most: usize,
        number: &mut dyn FnMut(Ending<'_>) -> Option<usize>,
    ) -> Result<Option<Futures>, Fault> {
        let mut all: Vec<Arc<[Word]>> = states.all.clone();
        let mut known: FxHashMap<Arc<[Word]>, usize> = all.iter().cloned().zip(0..).collect();
        let mut every = Every::new(self);
        let (mut next, mut own): (Vec<Vec<usize>>, Vec<Vec<usize>>) = (vec![], vec![]);
        while let Some(state) = all.get(next.len()).cloned() {
            let (mut to, mut ends, mut any) = (vec![], vec![], false);
            every.transitions(&state, &mut |step, target| match target {
                Target::State(s) if self.is_early(s) => {}
                Target::State(s) => {
                    any = true;
                    let new = all.len();
                    to.push(known.get(s).copied().unwrap_or_else(|| {
                        let s: Arc<[Word]> = s.into();
                        known.insert(Arc::clone(&s), new);
                        all.push(s);
                        new
                    }));
                }
                Target::Erroneous(why) => {
                    let rule = step.rule.map_or("", |r| self.spec.rules[r].name.as_str());
                    any = true;
                    ends.extend(number(Ending::Erroneous(rule, why)));
                }
            })?;
            if !any {
                ends.extend(number(Ending::State(&state)));
            }
            next.push(to);
            own.push(ends);
            if all.len() > most {
                return Ok(None);
            }
        }
        let words = own.iter().flatten().max().map_or(0, |n| n / 64 + 1);
        let mut sets: Futures = vec![vec![0; words].into(); all.len()];
        for (set, ends) in sets.iter_mut().zip(&own) {
            ends.iter().for_each(|n| set[n / 64] |= 1 << (n % 64));
        }
        // Most states stand before those that follow them.
        let mut changed = true;
        while changed {
            changed = false;
            for i in (0..all.len()).rev() {
                let mut set = std::mem::take(&mut sets[i]);
                for to in next[i].iter().filter(|to| **to != i) {
                    for (a, b) in set.iter_mut().zip(&sets[*to]) {
                        changed |= *b & !*a != 0;
                        *a |= b;
                    }
                }
                sets[i] = set;
            }
        }
        sets.truncate(states.all.len());
        Ok(Some(sets))
    }
}

/// Whether two sets of numbers are the same, whatever their lengths.
pub fn same_numbers(a: &[u64], b: &[u64]) -> bool {
    (0..a.len().max(b.len())).all(|i| a.get(i).unwrap_or(&0) == b.get(i).unwrap_or(&0))
}
