//! Reduced search: of the transitions of a state, a part that is enough for every outcome.
//!
//! **What is kept.** In each state the search follows a *stubborn set* (Valmari; in the form for guarded commands, Laarman,
//! Pater, van de Pol and Hansen, "Guard-based partial-order reduction"): a set of transitions, at least one of them enabled, such
//! that whatever the others do among themselves, they neither change what the enabled ones of the set do nor make a disabled
//! one enabled. Every terminal state of the full search is then reached, so all final values and deadlocks are found. A
//! transition that makes the program erroneous ends it; it is found too, because the set always holds a transition that
//! goes on, and state graphs have no cycles, so that nothing is put off for ever. The caller checks that: a search whose
//! graph has a cycle says nothing, and is done again in full.
//!
//! **What depends on what.** Transitions are taken by *actors*: a thread at its present instruction, or an instance of a rule
//! that no instruction sets off. What an actor read and wrote in this state is noted slot by slot while its rules are evaluated
//! (`memo.rs` remembers both):
//! as long as nobody writes what it read, it has the same transitions. What others may do later is read off the rules
//! before the search, instance by instance ([`may`]): a thread's, for all instructions that it may still come to.
//!
//! **What rules say of themselves.** Two steps may write one entry and commute still: marking a message as sent and dropping
//! the request for it. A rule may say `commutes with r, s when e because "…"`: while it is enabled with `e`, transitions of `r`
//! and `s` commute with it, and give its thread no other way to go; `of another p` speaks of those instances whose parameter
//! `p` differs, `over v` of steps that both touch entries of the state variable `v` and nothing else. To commute is, too, to make the other pointless: if the same state is reached with it and without it, what is
//! left out by following one alone is a longer way to the same ends. A rule that is `late` is followed only in states that
//! have no stubborn set without it.
//!
//! **What a step waits for.** A stubborn set that holds an instance of a rule which is not enabled holds all that may enable it, too: as far as nothing else
//! is known, all that may write what its premises looked at. Most of that cannot enable it: a message that is taken by one receive gives nothing to another. A rule may say `waits for r, s when e because "…"`:
//! where an instance is not enabled and `e` holds, every way to a state where it is enabled has a step of `r` or `s`. It is checked step by step: behind
//! each step of another rule it is still not enabled, and `e` still holds.
//!
//! A claim that is made `unless erroneous` holds of two transitions unless one of them makes the other erroneous, where neither was before: of two
//! accesses that conflict, whichever comes second is told. In a program that is never erroneous such a claim holds always. Of one that may be, the search finds
//! that it is: on a shortest way from a state of the search to an error, what the search follows first either commutes with all steps of the way, or makes
//! one of them erroneous, so that the way is no longer than before (and nothing is put off for ever). But it may find too little of what else comes of
//! the program, so the caller searches again without these claims ([`Reduction::is_lenient`]).
//!
//! What rules say of themselves is a claim about the rules, as `cite` is one about
//! the literature, and it is checked. Wherever the search relies on it for two transitions that are both enabled, it tries both
//! orders; if they differ, the search is refuted ([`Reduction::refuted`]) and the caller does it again in full.
//! [`Enough::check_commuting`] tries every pair of a state, and the tests do so in the states of the full search of
//! the library and of random programs. A rule that is not named commutes only by what it touches. What rules say is relied on for the shipped models alone, unless
//! one asks for it: a changed rule may say what was true before the change.

mod bits;
mod check;
mod choose;
mod claims;
mod closures;
mod contents;
mod followed;
mod maps;
mod may;
mod sets;
mod value;
mod waits;
mod walk;
mod weaken;

pub(crate) use bits::{Bits, Few};
pub use choose::Enough;
pub use claims::{Id, Tried, try_claims};
pub(crate) use may::{Analysis, params};
pub use weaken::{Weaker, weakened};

use crate::machine::{Machine, size};
use litmpi_spec::ir::Commutes;
use litmpi_spec::program::Op;
use may::Footprints;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a program's reduced search needs to know before it begins.
#[derive(Debug)]
pub struct Reduction {
    footprints: Footprints,
    threads: usize,
    /// Where the places of a thread begin, among those of threads: one for each class of places from which it may do the same.
    first: Vec<usize>,
    /// Whose place each is: those of instances of rules first, then those of threads.
    places: Vec<u32>,
    /// Whether what rules say of themselves is relied on.
    claims: bool,
    /// By rule: whether it only says that a program is erroneous, and nothing that others do takes that back. What may be left to
    /// the end need not be asked before.
    judges: Vec<bool>,
    /// Whether of a state in which the program may be erroneous nothing else is followed: enough to know that it is, and not for all that
    /// may come of it.
    ends_at_errors: bool,
    /// Claims, by rule and number, that are not made of programs as this one: a rule may fire that they exclude.
    barred: FxHashSet<(u32, u32)>,
    /// Claims that are made only where both touch certain state variables alone: the slots of these.
    over: FxHashMap<(u32, u32), Vec<Range<usize>>>,
    /// Whether rules that may fire claim something `unless erroneous`, and whether that is not relied on.
    is_lenient: bool,
    is_exact: AtomicBool,
    refuted: OnceLock<String>,
}

impl Reduction {
    /// How many bytes the footprints of a program take, about, and how long it takes to find them: an instance of a rule has a bit
    /// for each slot that it may read, and one for each that it may write.
    pub fn bytes(m: &Machine) -> usize {
        let instances = |rule: &usize, given: bool| {
            let r = &m.spec.rules[*rule];
            let on = r.on.as_ref().map(|(p, _, _)| *p);
            let sizes =
                r.params.iter().enumerate().filter(|(i, _)| !given || on != Some(*i)).map(|(_, (_, sort))| *sort);
            sizes.fold(1_usize, |n, sort| n.saturating_mul(size(&m.program, sort)))
        };
        let free = m.free.iter().map(|rule| instances(rule, false));
        let executed = m.program.threads.iter().flat_map(|t| &t.code).filter_map(|op| match op {
            Op::Exec { instr, .. } => {
                Some(m.by_instr[*instr].iter().map(|rule| instances(rule, true)).fold(0, usize::saturating_add))
            }
            _ => None,
        });
        free.chain(executed).fold(0, usize::saturating_add).saturating_mul(m.width() / 4 + 64)
    }

    /// Reads the footprints off the rules. `claims` says whether what rules say of themselves is relied on: for rules that
    /// nobody tried, only footprints should be.
    pub fn new(m: &Machine, claims: bool) -> Reduction {
        let footprints = may::footprints(m);
        let threads = footprints.from.len();
        let mut places: Vec<u32> = (0..footprints.free.len()).map(|i| (threads + i) as u32).collect();
        let mut first = vec![];
        for (t, from) in footprints.from.iter().enumerate() {
            first.push(places.len() - footprints.free.len());
            places.extend((0..from.classes()).map(|_| t as u32));
        }
        let all = m.spec.rules.len();
        let judges = m.spec.rules.iter().map(|r| {
            let of_all = |c: &Commutes| {
                c.when.is_none()
                    && c.of.is_none()
                    && c.without.is_empty()
                    && c.over.is_empty()
                    && !c.unless_erroneous
                    && !c.tried
                    && !c.waits
                    && c.with.len() == all
            };
            claims && r.on.is_none() && r.then.is_empty() && r.commutes.iter().any(of_all)
        });
        let judges = judges.collect();
        let fire: FxHashSet<usize> = footprints.rules().collect();
        let claimed =
            (0..).zip(&m.spec.rules).flat_map(|(rule, r)| (0..).zip(&r.commutes).map(move |(i, c)| ((rule, i), c)));
        let over = claimed.clone().filter(|(_, c)| !c.over.is_empty());
        let over = over.map(|(id, c)| (id, c.over.iter().map(|v| m.slots_of(*v)).collect())).collect();
        let lenient = |rule: &usize| m.spec.rules[*rule].commutes.iter().any(|c| c.unless_erroneous && !c.tried);
        let is_lenient = claims && fire.iter().any(lenient);
        let barred = claimed.filter(|(_, c)| c.without.iter().any(|r| fire.contains(r))).map(|(id, _)| id).collect();
        Reduction {
            footprints,
            threads,
            first,
            places,
            claims,
            judges,
            ends_at_errors: false,
            barred,
            over,
            is_lenient,
            is_exact: AtomicBool::new(false),
            refuted: OnceLock::new(),
        }
    }

    /// The same, of which a search follows nothing else where the program may be erroneous: what else it finds is not all that there is.
    #[must_use]
    pub fn ending_at_errors(self, ends_at_errors: bool) -> Reduction {
        Reduction { ends_at_errors, ..self }
    }

    /// Whether claims are relied on that need not hold of a program that is erroneous: of such a one a search may have found too little.
    pub fn is_lenient(&self) -> bool {
        self.is_lenient && !self.is_exact.load(Ordering::Relaxed)
    }

    /// From here on they are not relied on.
    pub fn be_exact(&self) {
        self.is_exact.store(true, Ordering::Relaxed);
    }

    /// Two transitions that were said to commute, and did not, in words: then what was searched is not all.
    pub fn refuted(&self) -> Option<&str> {
        self.refuted.get().map(String::as_str)
    }

    fn refute(&self, pair: String) {
        // The first one is enough.
        let _ = self.refuted.set(pair);
    }
}
