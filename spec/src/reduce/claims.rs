//! What rules say of themselves, tried in every state of a full search.
//!
//! A claim is about two transitions that are enabled in one state: both orders lead to the same state, with none gained or lost. It
//! is relied on for longer than that: while one of the two is put off, the other may be taken in later states, where the condition
//! of the claim holds no longer. So a claim that stops to hold behind a step that it covers is tried on there, for the steps
//! that it covered when it was made.

use super::Reduction;
use super::check::overlap;
use super::choose::Enough;
use crate::eval::Fault;
use crate::heap::Word;
use crate::machine::{Claim, Machine, Step};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::Range;

/// A claim: the number of its rule, and its own among those of the rule.
pub type Id = (usize, usize);

/// What came of trying claims.
#[derive(Debug, Default)]
pub struct Tried {
    /// How many pairs of transitions that touch the same entries each claim was tried on.
    pub pairs: BTreeMap<Id, usize>,
    /// Claims that are false, each with the two transitions that do not commute.
    pub refuted: BTreeMap<Id, String>,
    /// In how many states.
    pub states: usize,
    /// Whether these were all states.
    pub complete: bool,
}

/// A claim that is relied on in a state although it was made in an earlier one.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Lasting {
    state: Vec<Word>,
    actor: usize,
    step: Step,
    claims: Vec<Claim>,
}

/// Tries every claim of the rules, those that are merely to be tried among them, in the states of a full search, of which at
/// most so many are followed.
///
/// # Errors
/// See [`Machine::transitions`].
pub fn try_claims(m: &Machine, most: usize) -> Result<Tried, Fault> {
    let reduction = Reduction::new(m, true)?;
    let mut enough = Enough::new(m, &reduction);
    let mut out = Tried { complete: true, ..Tried::default() };
    let first = m.initial().to_vec();
    let mut seen: FxHashSet<Vec<Word>> = FxHashSet::from_iter([first.clone()]);
    let mut todo = VecDeque::from([first]);
    let mut known: FxHashSet<Lasting> = FxHashSet::default();
    while let Some(state) = todo.pop_front() {
        out.states += 1;
        let mut lasting = vec![];
        enough.go_to(&state)?;
        enough.try_in(None, &mut out, &mut lasting)?;
        for next in enough.following() {
            if seen.contains(&next) {
                continue;
            }
            if seen.len() >= most {
                out.complete = false;
                continue;
            }
            seen.insert(next.clone());
            todo.push_back(next);
        }
        while let Some(of) = lasting.pop() {
            if known.len() < most && known.insert(of.clone()) {
                enough.go_to(&of.state)?;
                enough.try_in(Some(&of), &mut out, &mut lasting)?;
            }
        }
    }
    Ok(out)
}

impl Enough<'_> {
    /// The states that follow.
    fn following(&self) -> Vec<Vec<Word>> {
        let moves = self.memo.active().iter().flat_map(|a| &self.memo.leaf(*a).moves);
        let next = |m: &crate::memo::Move| {
            let mut state = self.memo.state.clone();
            m.apply(&mut state);
            state
        };
        moves.filter(|m| m.to.is_ok()).map(next).filter(|s| !self.m.is_early(s)).collect()
    }

    /// Tries, in the present state, the claims that are made there, or those that last from an earlier one.
    fn try_in(&mut self, of: Option<&Lasting>, out: &mut Tried, lasting: &mut Vec<Lasting>) -> Result<(), Fault> {
        let actors: Vec<usize> = self.memo.active().to_vec();
        for a in actors.iter().copied().filter(|a| of.is_none_or(|l| l.actor == *a)) {
            for unit in self.units_to_try(a, of) {
                let claims: Vec<Claim> = match of {
                    Some(l) => l.claims.clone(),
                    None => self.memo.shape(a).moves[unit.start].commutes.to_vec(),
                };
                if claims.is_empty() {
                    continue;
                }
                for b in actors.iter().copied() {
                    if b == a || overlap(self.memo.shape(a), self.memo.shape(b)) {
                        self.try_pair((a, &unit, &claims, of.is_some()), b, out, lasting)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// All transitions of a thread together, and each of another actor by itself.
    fn units_to_try(&self, a: usize, of: Option<&Lasting>) -> Vec<Range<usize>> {
        let moves = &self.memo.leaf(a).moves;
        let all = 0..moves.len();
        if a < self.reduction.threads {
            return if all.is_empty() { vec![] } else { vec![all] };
        }
        all.filter(|i| of.is_none_or(|l| moves[*i].step == l.step)).map(|i| i..i + 1).collect()
    }

    fn try_pair(
        &mut self,
        (a, unit, claims, lasts): (usize, &Range<usize>, &[Claim], bool),
        b: usize,
        out: &mut Tried,
        lasting: &mut Vec<Lasting>,
    ) -> Result<(), Fault> {
        let of = self.memo.leaf(a).moves[unit.start].step.clone();
        let Some(own) = of.rule else { return Ok(()) };
        for beta in 0..self.memo.leaf(b).moves.len() {
            if a == b && unit.contains(&beta) {
                continue;
            }
            let step = self.memo.leaf(b).moves[beta].step.clone();
            let Some(rule) = step.rule else { continue };
            // All transitions of the thread must be covered: the others by any claim.
            let others = &self.memo.shape(a).moves[unit.start + 1..unit.end];
            let covered = others.iter().all(|k| lasts || k.commutes.iter().any(|c| c.covers(rule, &step.params)));
            let covering: Vec<Claim> = claims.iter().filter(|c| c.covers(rule, &step.params)).copied().collect();
            let open = |c: &&Claim| !out.refuted.contains_key(&(own, c.number as usize));
            if !covered || covering.iter().filter(open).count() == 0 {
                continue;
            }
            covering.iter().for_each(|c| *out.pairs.entry((own, c.number as usize)).or_default() += 1);
            if !self.commutes((a, unit), (b, beta))? {
                let pair = self.pair((a, unit.start), (b, beta));
                for c in &covering {
                    out.refuted.entry((own, c.number as usize)).or_insert_with(|| pair.clone());
                }
                continue;
            }
            // Behind the other step, the same must be said, or be so.
            let Some(then) = self.after((b, beta), a)? else { continue };
            let leaf = &self.memo.leaves[then as usize];
            let Some(at) = leaf.moves.iter().position(|m| m.step == of) else { continue };
            let still = &self.memo.shapes[leaf.shape as usize].moves[at].commutes;
            let ends: BTreeSet<u32> =
                claims.iter().map(|c| c.number).filter(|n| still.iter().all(|s| s.number != *n)).collect();
            let ending: Vec<Claim> = claims.iter().filter(|c| ends.contains(&c.number)).copied().collect();
            // Of claims made here, those that cover the step are relied on behind it.
            let relied = |c: &Claim| covering.iter().any(|d| d.number == c.number);
            let ending: Vec<Claim> = ending.into_iter().filter(relied).collect();
            if !ending.is_empty() {
                let mut state = self.memo.state.clone();
                self.memo.leaf(b).moves[beta].apply(&mut state);
                lasting.push(Lasting { state, actor: a, step: of.clone(), claims: ending });
            }
        }
        Ok(())
    }
}
