//! Checks, in a state, that what the reduction takes to commute does.

use super::Reduction;
use super::choose::{Expanded, Move};
use crate::eval::Fault;
use crate::heap::Word;
use crate::machine::Machine;
use std::ops::Range;

impl Machine {
    /// Pairs of transitions of a state that the reduction takes to commute and that do not, in words.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub fn check_commuting(&self, reduction: &Reduction, state: &[Word]) -> Result<Vec<String>, Fault> {
        let all = self.expand_state(reduction, state)?;
        let pair = Pair { m: self, reduction, width: state.len(), all: &all };
        let mut wrong = vec![];
        for a in 0..all.actors.len() {
            for unit in reduction.units(self, &all, a) {
                for b in 0..all.actors.len() {
                    for beta in all.actors[b].moves.clone().filter(|i| !unit.contains(i)) {
                        let siblings = b == a && unit.len() == all.actors[a].moves.len();
                        if siblings || reduction.depends(self, &all, state, (a, &unit), (b, &all.moves[beta])) {
                            continue;
                        }
                        if !pair.commutes((a, &unit), (b, beta))? {
                            let shown = |i: usize| self.step_name(&all.moves[i].step);
                            wrong.push(format!("{} and {} do not commute", shown(unit.start), shown(beta)));
                        }
                    }
                }
            }
        }
        Ok(wrong)
    }

    /// Checks what rules say of themselves wherever it is relied on: of the transitions that are followed, each against
    /// those that are left out and touch the same entries.
    pub(super) fn verify(&self, reduction: &Reduction, all: &Expanded, chosen: &[usize]) -> Result<(), Fault> {
        let pair = Pair { m: self, reduction, width: self.width(), all };
        let enabled = |a: &usize| !all.actors[*a].moves.is_empty();
        let inside = |i: &usize| chosen.binary_search(i).is_ok();
        for a in (0..all.actors.len()).filter(enabled) {
            let unit: Vec<usize> = all.actors[a].moves.clone().filter(inside).collect();
            let (Some(first), Some(last)) = (unit.first(), unit.last()) else { continue };
            let unit = *first..*last + 1;
            for b in (0..all.actors.len()).filter(enabled).filter(|b| all.overlap(a, *b)) {
                for beta in all.actors[b].moves.clone().filter(|i| !inside(i)) {
                    if !pair.commutes((a, &unit), (b, beta))? {
                        let shown = |i: usize| self.step_name(&all.moves[i].step);
                        reduction.refute(format!("{} and {}", shown(unit.start), shown(beta)));
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }
}

impl Reduction {
    /// The ranges of an actor's transitions that may be followed without the rest.
    fn units(&self, m: &Machine, all: &Expanded, actor: usize) -> Vec<Range<usize>> {
        let moves = all.actors[actor].moves.clone();
        let threads = m.program.threads.len();
        let mut out = vec![];
        if let Some(free) = actor.checked_sub(threads).map(|i| &self.footprints.free[i]) {
            let alone = moves.clone().filter(|i| all.said_to_commute(&(*i..i + 1), &free.may));
            out.extend(alone.map(|i| i..i + 1));
        }
        if moves.len() > 1 || out.is_empty() && !moves.is_empty() {
            out.push(moves);
        }
        out
    }

    /// Whether the reduction takes what an actor does to depend on a transition of another.
    fn depends(
        &self,
        m: &Machine,
        all: &Expanded,
        state: &[Word],
        (a, unit): (usize, &Range<usize>),
        (b, beta): (usize, &Move),
    ) -> bool {
        let threads = m.program.threads.len();
        let (Some(rule), later) = (beta.step.rule, self.later(threads, state, b)) else {
            // A choice of the program touches its own thread alone.
            return a == b;
        };
        later.iter().any(|may| may.rule == rule && all.depends(a, unit, may))
    }
}

/// Two actors' transitions in one state.
struct Pair<'a> {
    m: &'a Machine,
    reduction: &'a Reduction,
    width: usize,
    all: &'a Expanded,
}

impl Pair<'_> {
    fn state<'e>(&self, of: &'e Expanded, m: &Move) -> Option<&'e [Word]> {
        m.to.as_ref().ok().map(|at| &of.states[*at..*at + self.width])
    }

    /// What an actor may do after a transition; none if that was an error.
    fn after(&self, i: usize, actor: usize) -> Result<Option<Expanded>, Fault> {
        match self.state(self.all, &self.all.moves[i]) {
            Some(state) => self.m.expand_actors(self.reduction, state, actor..actor + 1).map(Some),
            None => Ok(None),
        }
    }

    /// Whether all transitions of `unit` can be taken before or after `beta`, to the same end, with none gained or lost.
    fn commutes(&self, (a, unit): (usize, &Range<usize>), (b, beta): (usize, usize)) -> Result<bool, Fault> {
        let second = &self.all.moves[beta];
        let Some(then) = self.after(beta, a)? else {
            // The program is erroneous here: it is, too, if the others go first.
            for i in unit.clone() {
                let Some(first) = self.after(i, b)? else { continue };
                if !first.moves.iter().any(|m| m.step == second.step && m.to == second.to) {
                    return Ok(false);
                }
            }
            return Ok(true);
        };
        if a < self.m.program.threads.len() && then.moves.len() != unit.len() {
            return Ok(false);
        }
        for i in unit.clone() {
            let first = &self.all.moves[i];
            let before = self.after(i, b)?;
            let same = then.moves.iter().filter(|m| m.step == first.step).any(|m| match &before {
                None => m.to == first.to,
                Some(before) => {
                    let ends = before.moves.iter().filter(|n| n.step == second.step);
                    // It makes the other pointless if it leads to the same state with it and without it.
                    ends.filter_map(|n| self.state(before, n)).any(|end| self.state(&then, m) == Some(end))
                        || self.state(&then, m).is_some_and(|end| self.state(self.all, first) == Some(end))
                }
            });
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
