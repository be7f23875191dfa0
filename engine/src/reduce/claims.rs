//! What rules say of themselves, tried in every state of a full search.
//!
//! A claim is about two transitions that are enabled in one state: both orders lead to the same state, with none gained or lost. It
//! is relied on for longer than that: while one of the two is put off, the other may be taken in later states, where the condition
//! of the claim holds no longer. So a claim that stops to hold behind a step that it covers is tried on there, for the steps
//! that it covered when it was made.
//!
//! The same holds of a step that touches nothing of the two: the condition may look at more than they do.
//!
//! Behind a step that a claim covers, the other transition may also look at what it did not look at before: a thread reads its own store
//! buffer, and memory once the buffer is empty. The search asked on whom it depends before that. So there it must commute, too, with
//! whatever it was taken not to depend on.

use super::Reduction;
use super::check::{overlap, touched};
use super::choose::Enough;
use crate::actors::{Kind, Move};
use crate::claim::Claim;
use crate::eval::Fault;
use crate::machine::Machine;
use crate::memo::Shape;
use litmpi_spec::heap::Word;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, VecDeque};
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
    /// The transition, if the actor is no thread: an instance of a rule has several where its premises match in several ways.
    transition: Option<Move>,
    /// The claims of each transition of the actor, or of this one alone.
    claims: Vec<Vec<Claim>>,
    /// What the actor did, and which of it, in the state where the first claim was made.
    first: (Shape, Range<usize>),
    /// The claims that led here.
    relied: Vec<Id>,
}

/// A transition of an instance of a rule, or none for all those of a thread together, with the claims of each.
type Behind = (Option<Move>, Vec<Vec<Claim>>);

/// Tries every claim of the rules, those that are merely to be tried among them, in the states of a full search, of which at
/// most so many are followed.
///
/// # Errors
/// See [`Machine::transitions`].
pub fn try_claims(m: &Machine, most: usize) -> Result<Tried, Fault> {
    let reduction = Reduction::new(m, true);
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
        moves.filter(|m| m.to.is_ok()).map(|m| self.end(&[m])).filter(|s| !self.m.is_early(s)).collect()
    }

    /// Tries, in the present state, the claims that are made there, or those that last from an earlier one.
    fn try_in(&mut self, of: Option<&Lasting>, out: &mut Tried, lasting: &mut Vec<Lasting>) -> Result<(), Fault> {
        let is_judged = self.is_judged(&self.memo.state.clone())?;
        let actors: Vec<usize> = self.memo.active().to_vec();
        if of.is_none() && !is_judged {
            self.try_to_wait(&actors, out)?;
        }
        for a in actors.iter().copied().filter(|a| of.is_none_or(|l| l.actor == *a)) {
            if is_judged && !self.judges(a) {
                continue;
            }
            for unit in self.units_to_try(a, of) {
                let claims = self.claims_of(a, &unit, of);
                let claimed = claims.iter().all(|c| !c.is_empty());
                if !claimed && of.is_none() {
                    continue;
                }
                for b in actors.iter().copied() {
                    let touches = b == a || overlap(self.memo.shape(a), self.memo.shape(b));
                    if touches && claimed {
                        self.try_pair((a, &unit, &claims), b, of, out, lasting)?;
                    }
                    if !touches && claimed {
                        self.go_beside((a, &unit, &claims), b, of, lasting)?;
                    }
                    if let Some(of) = of.filter(|_| touches && b != a) {
                        self.try_others((a, &unit), b, of, out)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Tries what actors that have no transition are said to wait for.
    fn try_to_wait(&mut self, actors: &[usize], out: &mut Tried) -> Result<(), Fault> {
        for a in actors.iter().copied() {
            let rule = self.reduction.instance(a).map(|may| may.rule);
            for (claim, id) in self.waits(a).into_iter().filter_map(|claim| Some((claim, (rule?, claim.0 as usize)))) {
                self.try_wait(a, claim, &mut |held| {
                    *out.pairs.entry(id).or_default() += 1;
                    if let Err(why) = held {
                        out.refuted.entry(id).or_insert(why);
                    }
                })?;
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
        all.filter(|i| of.is_none_or(|l| l.transition.as_ref() == Some(&moves[*i]))).map(|i| i..i + 1).collect()
    }

    /// The claims of each transition: those that are made here, and those that last.
    fn claims_of(&self, a: usize, unit: &Range<usize>, of: Option<&Lasting>) -> Vec<Vec<Claim>> {
        let mut claims: Vec<Vec<Claim>> = self.memo.shape(a).moves[unit.clone()].iter().map(|k| self.made(k)).collect();
        for (here, lasting) in claims.iter_mut().zip(of.iter().flat_map(|l| &l.claims)) {
            let made: Vec<u32> = here.iter().map(|c| c.number).collect();
            here.extend(lasting.iter().filter(|c| !made.contains(&c.number)));
        }
        claims
    }

    /// The claims of a transition that are made of this program.
    fn made(&self, kind: &Kind) -> Vec<Claim> {
        kind.commutes.iter().filter(|c| self.reduction.is_made(c)).copied().collect()
    }

    fn try_pair(
        &mut self,
        (a, unit, claims): (usize, &Range<usize>, &[Vec<Claim>]),
        b: usize,
        of: Option<&Lasting>,
        out: &mut Tried,
        lasting: &mut Vec<Lasting>,
    ) -> Result<(), Fault> {
        let own: Option<Vec<usize>> = self.memo.leaf(a).moves[unit.clone()].iter().map(|m| m.step.rule).collect();
        let Some(own) = own else { return Ok(()) };
        for beta in 0..self.memo.leaf(b).moves.len() {
            if a == b && unit.contains(&beta) {
                continue;
            }
            let step = self.memo.leaf(b).moves[beta].step.clone();
            let Some(rule) = step.rule else { continue };
            let covers = |c: &&Claim| {
                let touched = touched(self.memo.shape(a), self.memo.shape(b));
                c.covers(rule, &step.params) && self.reduction.is_over(c, touched)
            };
            let covering: Vec<Vec<Claim>> =
                claims.iter().map(|cs| cs.iter().filter(covers).copied().collect()).collect();
            let Some(relied) = relied_on(&own, &covering) else { continue };
            if relied.iter().all(|id| out.refuted.contains_key(id)) {
                continue;
            }
            relied.iter().for_each(|id| *out.pairs.entry(*id).or_default() += 1);
            // Where a claim is relied on that need not hold of what is erroneous, no other is blamed.
            let is_lenient = covering.iter().flatten().any(|c| c.unless_erroneous);
            if !self.may_change_places((a, unit), (b, beta), is_lenient)? {
                let pair = self.pair((a, unit.start), (b, beta));
                for id in relied {
                    out.refuted.entry(id).or_insert_with(|| pair.clone());
                }
                continue;
            }
            // Behind the other step, the same must be said, or be so. Of claims made here, those that cover the step are
            // relied on there.
            let then = self.after((b, beta), a)?.map(|leaf| self.memo.leaves[leaf as usize].shape);
            let first = of.map_or(self.memo.shape(a), |l| &l.first.0);
            let grows = then.is_some_and(|shape| self.memo.shapes[shape as usize].looks_beyond(first));
            for (transition, still) in self.behind((a, unit), (b, beta))? {
                let ended = |(k, all): (usize, &Vec<Claim>)| -> Vec<Claim> {
                    let made = |c: &Claim| still[k].iter().any(|s| s.number == c.number);
                    let relied = |c: &Claim| covering[k].iter().any(|d| d.number == c.number);
                    all.iter().filter(|c| !made(c) && relied(c)).copied().collect()
                };
                let claims: Vec<Vec<Claim>> = claims.iter().enumerate().map(ended).collect();
                if grows || claims.iter().any(|c| !c.is_empty()) {
                    lasting.push(self.lasting((a, unit), (b, beta), of, (transition, claims), relied.clone()));
                }
            }
        }
        Ok(())
    }

    /// Goes on behind the steps of an actor that touches nothing of what another one touches: what the search relied on before it relies on
    /// there, too, also where the condition of a claim, which may look at more, has ended.
    fn go_beside(
        &mut self,
        (a, unit, claims): (usize, &Range<usize>, &[Vec<Claim>]),
        b: usize,
        of: Option<&Lasting>,
        lasting: &mut Vec<Lasting>,
    ) -> Result<(), Fault> {
        for beta in 0..self.memo.leaf(b).moves.len() {
            let Some(then) = self.after((b, beta), a)? else { continue };
            let leaf = &self.memo.leaves[then as usize];
            let made = |k: usize, c: &Claim| {
                let kinds = &self.memo.shapes[leaf.shape as usize].moves;
                let of_step = |i: &usize| leaf.moves[*i].step == self.memo.leaf(a).moves[unit.start + k].step;
                (0..leaf.moves.len()).filter(of_step).any(|i| kinds[i].commutes.iter().any(|d| d.number == c.number))
            };
            let ended: Vec<Vec<Claim>> =
                (0..).zip(claims).map(|(k, all)| all.iter().filter(|c| !made(k, c)).copied().collect()).collect();
            if ended.iter().all(Vec::is_empty) {
                continue;
            }
            let relied = ended.iter().flatten().map(|c| (c.by as usize, c.number as usize)).collect();
            let transition = (a >= self.reduction.threads).then(|| self.memo.leaf(a).moves[unit.start].clone());
            lasting.push(self.lasting((a, unit), (b, beta), of, (transition, ended), relied));
        }
        Ok(())
    }

    /// What is relied on behind `beta`: these claims, of this transition or of all of a thread, beside what was relied on before.
    fn lasting(
        &self,
        (a, unit): (usize, &Range<usize>),
        (b, beta): (usize, usize),
        of: Option<&Lasting>,
        (transition, claims): Behind,
        relied: Vec<Id>,
    ) -> Lasting {
        let state = self.end(&[&self.memo.leaf(b).moves[beta]]);
        let mut relied: Vec<Id> = of.iter().flat_map(|l| l.relied.iter().copied()).chain(relied).collect();
        relied.sort_unstable();
        relied.dedup();
        let first = of.map_or_else(|| (self.memo.shape(a).clone(), unit.clone()), |l| l.first.clone());
        Lasting { state, actor: a, transition, claims, first, relied }
    }

    /// Tries what the reduction took the actor not to depend on, where the first claim was made, and what it looks at only now.
    fn try_others(
        &mut self,
        (a, unit): (usize, &Range<usize>),
        b: usize,
        of: &Lasting,
        out: &mut Tried,
    ) -> Result<(), Fault> {
        for beta in 0..self.memo.leaf(b).moves.len() {
            let left: Vec<Id> = of.relied.iter().filter(|id| !out.refuted.contains_key(id)).copied().collect();
            if left.is_empty() {
                return Ok(());
            }
            let depended = self.depended((&of.first.0, &of.first.1), (b, beta));
            if !depended && !self.may_change_places((a, unit), (b, beta), false)? {
                let pair = self.pair((a, unit.start), (b, beta));
                for id in left {
                    out.refuted.entry(id).or_insert_with(|| pair.clone());
                }
            }
        }
        Ok(())
    }

    /// What became of the transitions of `unit` behind `beta`, each with the claims that are made there: of a thread all of them
    /// together; of an instance of a rule those that lead to where the two lead in the other order.
    fn behind(&mut self, (a, unit): (usize, &Range<usize>), (b, beta): (usize, usize)) -> Result<Vec<Behind>, Fault> {
        let Some(then) = self.after((b, beta), a)? else { return Ok(vec![]) };
        let before = self.after((a, unit.start), b)?;
        let (first, second) = (&self.memo.leaf(a).moves[unit.start], &self.memo.leaf(b).moves[beta]);
        let leaf = &self.memo.leaves[then as usize];
        let shape = &self.memo.shapes[leaf.shape as usize];
        if a < self.reduction.threads {
            return Ok(vec![(None, shape.moves.iter().map(|kind| self.made(kind)).collect())]);
        }
        let Some(before) = before else { return Ok(vec![]) };
        let others = self.memo.leaves[before as usize].moves.iter().filter(|n| n.step == second.step && n.to.is_ok());
        let mut ends: Vec<Vec<Word>> = others.map(|n| self.end(&[first, n])).collect();
        // It may have made the other pointless.
        ends.push(self.end(&[first, first]));
        let same = |m: &Move| m.step == first.step && m.to.is_ok() && ends.contains(&self.end(&[second, m]));
        let all = leaf.moves.iter().zip(&shape.moves).filter(|(m, _)| same(m));
        Ok(all.map(|(m, kind)| (Some(m.clone()), vec![self.made(kind)])).collect())
    }
}

/// The claims that are relied on for transitions of these rules, each with those that cover another step: none if a transition is not
/// covered. Of claims that are merely tried, one transition is to be covered by them alone, so that none is blamed for another.
fn relied_on(own: &[usize], covering: &[Vec<Claim>]) -> Option<Vec<Id>> {
    let ids = |k: usize| covering[k].iter().map(move |c| (own[k], c.number as usize));
    if covering.iter().any(Vec::is_empty) {
        return None;
    }
    let merely_tried: Vec<usize> = (0..own.len()).filter(|k| covering[*k].iter().all(|c| c.tried)).collect();
    match merely_tried[..] {
        [] => Some((0..own.len()).flat_map(ids).collect()),
        [k] => Some(ids(k).collect()),
        _ => None,
    }
}
