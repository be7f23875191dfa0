//! Checks, in a state, that what the reduction takes to commute does.

use super::Reduction;
use super::choose::Enough;
use crate::actors::Move;
use crate::eval::Fault;
use crate::memo::Shape;
use litmpi_spec::heap::Word;
use std::ops::Range;

impl Enough<'_> {
    /// Pairs of transitions of a state that the reduction takes to commute and that do not, in words.
    ///
    /// # Errors
    /// See [`crate::machine::Machine::transitions`].
    pub fn check_commuting(&mut self, state: &[Word]) -> Result<Vec<String>, Fault> {
        self.go_to(state)?;
        let mut wrong = vec![];
        let is_judged = self.is_judged(state)?;
        for a in 0..self.memo.actors() {
            if is_judged && !self.judges(a) {
                continue;
            }
            for unit in self.reduction.units(self.memo.shape(a)) {
                for b in 0..self.memo.actors() {
                    let all = self.memo.leaf(b).moves.len();
                    for beta in (0..all).filter(|i| a != b || !unit.contains(i)) {
                        let siblings = b == a && unit.len() == all;
                        let commutes = siblings
                            || self.depends((a, &unit), (b, beta))
                            || self.may_change_places((a, &unit), (b, beta), self.reduction.is_lenient())?;
                        if commutes {
                            continue;
                        }
                        wrong.push(format!("{} do not commute", self.pair((a, unit.start), (b, beta))));
                    }
                }
            }
        }
        let waiting: Vec<usize> = if is_judged { vec![] } else { self.memo.active().to_vec() };
        for actor in waiting {
            for claim in self.waits(actor).into_iter().filter(|(_, c)| !c.tried) {
                self.try_wait(actor, claim, &mut |held| wrong.extend(held.err()))?;
            }
        }
        Ok(wrong)
    }

    /// Checks what rules say of themselves wherever it is relied on: of the transitions that are followed, each against
    /// those that are left out and touch the same entries.
    pub(super) fn verify(&mut self, chosen: &[(u32, u32)]) -> Result<(), Fault> {
        for group in chosen.chunk_by(|one, other| one.0 == other.0) {
            let (a, first, last) = (group[0].0 as usize, group[0].1 as usize, group[group.len() - 1].1 as usize);
            for at in 0..self.memo.active().len() {
                let b = self.memo.active()[at];
                if self.memo.leaf(b).moves.is_empty() || !overlap(self.memo.shape(a), self.memo.shape(b)) {
                    continue;
                }
                for beta in 0..self.memo.leaf(b).moves.len() {
                    let followed = chosen.binary_search(&(b as u32, beta as u32)).is_ok();
                    let unit = first..last + 1;
                    let commutes =
                        followed || self.may_change_places((a, &unit), (b, beta), self.reduction.is_lenient())?;
                    if !commutes {
                        self.reduction.refute(self.pair((a, first), (b, beta)));
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Checks what these actors, which have no transition, are said to wait for.
    pub(super) fn verify_waits(&mut self, waiting: &[u32]) -> Result<(), Fault> {
        let reduction = self.reduction;
        for actor in waiting.iter().map(|actor| *actor as usize) {
            for claim in self.waits(actor).into_iter().filter(|(_, c)| !c.tried) {
                self.try_wait(actor, claim, &mut |held| held.unwrap_or_else(|why| reduction.refute(why)))?;
            }
        }
        Ok(())
    }

    pub(super) fn pair(&self, (a, i): (usize, usize), (b, k): (usize, usize)) -> String {
        let shown = |a: usize, i: usize| self.m.step_name(&self.memo.leaf(a).moves[i].step);
        format!("{} and {}", shown(a, i), shown(b, k))
    }

    /// Whether the reduction takes what an actor does to depend on a transition of another.
    fn depends(&self, (a, unit): (usize, &Range<usize>), (b, beta): (usize, usize)) -> bool {
        self.depended((self.memo.shape(a), unit), (b, beta))
    }

    /// The same of what an actor did in this or an earlier state.
    pub(super) fn depended(&self, (shape, unit): (&Shape, &Range<usize>), (b, beta): (usize, usize)) -> bool {
        let Some(rule) = self.memo.leaf(b).moves[beta].step.rule else {
            // A choice of the program touches its own thread alone.
            return shape.actor as usize == b;
        };
        let mut later = self.reduction.later(b, self.memo.shape(b).pc).iter();
        later.any(|may| may.rule == rule && self.reduction.depends(shape, unit, may))
    }

    /// What an actor does after a transition of another; none if that was an error.
    pub(super) fn after(&mut self, (a, i): (usize, usize), actor: usize) -> Result<Option<u32>, Fault> {
        let (m, now) = (&self.memo.leaf(a).moves[i], self.memo.now[actor]);
        let Ok(written) = &m.to else { return Ok(None) };
        let looked = &self.memo.shape(actor).looked;
        if !written.iter().any(|(slot, _)| looked.has(*slot as usize)) {
            return Ok(Some(now));
        }
        let mut state = self.memo.state.clone();
        m.apply(&mut state);
        self.memo.ask(self.m, actor, &state).map(Some)
    }

    /// The state after some transitions, one after the other.
    pub(super) fn end(&self, way: &[&Move]) -> Vec<Word> {
        let mut state = self.memo.state.clone();
        way.iter().for_each(|m| m.apply(&mut state));
        state
    }

    /// Whether nothing is lost if all transitions of `unit` are taken before `beta`: they commute; or, where a claim is lenient that is relied on, one makes
    /// the other erroneous; or a rule judges that the program is erroneous, whichever goes first.
    pub(super) fn may_change_places(
        &mut self,
        (a, unit): (usize, &Range<usize>),
        (b, beta): (usize, usize),
        is_lenient: bool,
    ) -> Result<bool, Fault> {
        Ok(self.commutes((a, unit), (b, beta))?
            || is_lenient && self.errs((a, unit), (b, beta))?
            || self.are_judged((a, unit), (b, beta))?)
    }

    /// Whether a rule judges in a state that the program is erroneous. It does so behind whatever is done then, and nothing else is followed there, so that it
    /// does not matter whether other steps commute.
    pub(super) fn is_judged(&mut self, state: &[Word]) -> Result<bool, Fault> {
        for actor in self.reduction.threads..self.memo.actors() {
            if self.judges(actor) {
                let leaf = self.memo.ask(self.m, actor, state)?;
                if self.memo.leaves[leaf as usize].moves.iter().any(|m| m.to.is_err()) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Whether an actor is an instance of a rule that judges.
    pub(super) fn judges(&self, actor: usize) -> bool {
        self.reduction.instance(actor).is_some_and(|may| self.reduction.judges[may.rule])
    }

    /// Whether a rule judges so behind `unit` and `beta`, whichever goes first.
    fn are_judged(&mut self, (a, unit): (usize, &Range<usize>), (b, beta): (usize, usize)) -> Result<bool, Fault> {
        for i in unit.clone() {
            if !self.is_judged_behind((a, i), b)? {
                return Ok(false);
            }
        }
        self.is_judged_behind((b, beta), a)
    }

    /// Whether a rule judges so behind a transition, or behind it and whatever another actor does next.
    fn is_judged_behind(&mut self, (first, i): (usize, usize), second: usize) -> Result<bool, Fault> {
        let m = &self.memo.leaf(first).moves[i];
        if m.to.is_err() {
            return Ok(true);
        }
        let then = self.end(&[m]);
        if self.is_judged(&then)? {
            return Ok(true);
        }
        let leaf = self.memo.ask(self.m, second, &then)? as usize;
        for k in 0..self.memo.leaves[leaf].moves.len() {
            let next = &self.memo.leaves[leaf].moves[k];
            let last = self.end(&[&self.memo.leaf(first).moves[i], next]);
            if next.to.is_ok() && !self.is_judged(&last)? {
                return Ok(false);
            }
        }
        Ok(!self.memo.leaves[leaf].moves.is_empty())
    }

    /// Whether a transition of `unit` makes `beta` erroneous, or the other way round, where neither is before.
    pub(super) fn errs(&mut self, (a, unit): (usize, &Range<usize>), (b, beta): (usize, usize)) -> Result<bool, Fault> {
        if self.memo.leaf(b).moves[beta].to.is_err() || unit.clone().any(|i| self.memo.leaf(a).moves[i].to.is_err()) {
            return Ok(false);
        }
        let ends_badly = |of: &Self, leaf: Option<u32>| {
            leaf.is_some_and(|leaf| of.memo.leaves[leaf as usize].moves.iter().any(|m| m.to.is_err()))
        };
        for i in unit.clone() {
            let then = self.after((a, i), b)?;
            if ends_badly(self, then) {
                return Ok(true);
            }
        }
        let then = self.after((b, beta), a)?;
        Ok(ends_badly(self, then))
    }

    /// Whether all transitions of `unit` can be taken before or after `beta`, to the same end, with none gained or lost; or each makes the other
    /// erroneous.
    pub(super) fn commutes(
        &mut self,
        (a, unit): (usize, &Range<usize>),
        (b, beta): (usize, usize),
    ) -> Result<bool, Fault> {
        let Some(then) = self.after((b, beta), a)? else {
            // The program is erroneous here: it is, too, if the others go first.
            for i in unit.clone() {
                let Some(first) = self.after((a, i), b)? else { continue };
                let second = &self.memo.leaf(b).moves[beta];
                if !self.memo.leaves[first as usize].moves.contains(second) {
                    return Ok(false);
                }
            }
            return Ok(true);
        };
        if a < self.reduction.threads && self.memo.leaves[then as usize].moves.len() != unit.len() {
            return Ok(false);
        }
        for i in unit.clone() {
            let before = self.after((a, i), b)?;
            let (first, second) = (&self.memo.leaf(a).moves[i], &self.memo.leaf(b).moves[beta]);
            let mut then = self.memo.leaves[then as usize].moves.iter().filter(|m| m.step == first.step).peekable();
            let Some(before) = before else {
                if !then.any(|m| m.to == first.to) {
                    return Ok(false);
                }
                continue;
            };
            let others = || self.memo.leaves[before as usize].moves.iter().filter(|n| n.step == second.step);
            let ends = |last: &[Word]| others().filter(|n| n.to.is_ok()).any(|n| self.end(&[first, n]) == last);
            // It is pointless if the other leads to the same state with it and without it, and it is gone then.
            let gone = then.peek().is_none() && a >= self.reduction.threads && ends(&self.end(&[second, second]));
            // Or each makes the other erroneous: the program is, whichever goes first.
            let ends_badly = |to: &Result<_, _>| to.is_err();
            let erroneous =
                then.clone().any(|m| ends_badly(&m.to)) && others().all(|n| ends_badly(&n.to)) && others().count() > 0;
            let same = gone
                || erroneous
                || then.any(|m| {
                    m.to.is_ok() && {
                        let last = self.end(&[second, m]);
                        // It makes the other pointless if it leads to the same state with it and without it.
                        ends(&last) || self.end(&[first, first]) == last
                    }
                });
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Slots by which what two actors did here overlaps.
pub(super) fn touched<'s>(a: &'s Shape, b: &'s Shape) -> impl Iterator<Item = usize> + 's {
    let of_reads = a.reads.iter().filter(|slot| b.writes.has(*slot));
    of_reads.chain(a.writes.iter().filter(|slot| b.writes.has(*slot) || b.reads.has(*slot)))
}

/// Whether what two actors did here overlaps.
pub(super) fn overlap(a: &Shape, b: &Shape) -> bool {
    a.writes.meets_few(&b.writes) || a.writes.meets_few(&b.reads) || a.reads.meets_few(&b.writes)
}

impl Reduction {
    /// The ranges of an actor's transitions that may be followed without the rest.
    fn units(&self, shape: &Shape) -> Vec<Range<usize>> {
        let mut out: Vec<Range<usize>> = self.alone(shape).into_iter().map(|i| i..i + 1).collect();
        if shape.moves.len() > 1 || out.is_empty() && !shape.moves.is_empty() {
            out.push(0..shape.moves.len());
        }
        out
    }
}
