//! The transitions of a state that the reduced search follows.

use super::Reduction;
use super::bits::Bits;
use super::may::{Footprints, Free, May};
use crate::eval::{Fault, Touched};
use crate::heap::Word;
use crate::machine::{Claim, Machine, Step, Target};
use crate::program::Op;
use smallvec::SmallVec;
use std::ops::Range;

/// A transition, kept.
pub(super) struct Move {
    pub(super) step: Step,
    /// Where the next state begins among the kept ones, or why the program is erroneous.
    pub(super) to: Result<usize, String>,
    /// Whether its rule is to be put off.
    late: bool,
    /// The rules that it is said to commute with.
    commutes: SmallVec<[Claim; 8]>,
}

/// One of those who may take transitions.
pub(super) struct Actor {
    /// Its transitions: a range of the kept ones.
    pub(super) moves: Range<usize>,
    reads: Bits,
    writes: Bits,
}

/// All transitions of a state, by actor: threads first, then instances of free rules.
pub(super) struct Expanded {
    pub(super) actors: Vec<Actor>,
    pub(super) moves: Vec<Move>,
    pub(super) states: Vec<Word>,
}

/// Transitions of an actor to begin a stubborn set with.
#[derive(Clone, Copy)]
struct Seed {
    actor: usize,
    /// One that is said to commute with the others of its rule, alone.
    alone: Option<usize>,
}

impl Machine {
    /// Calls `visit` for transitions of a state that are enough for all outcomes, always the same in the same order.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub fn reduced(
        &self,
        reduction: &Reduction,
        state: &[Word],
        visit: &mut dyn FnMut(Step, Target<'_>),
    ) -> Result<(), Fault> {
        let all = self.expand_state(reduction, state)?;
        let chosen = Choice { reduction, state, threads: self.program.threads.len(), all: &all }.best();
        if chosen.len() < all.moves.len() {
            self.verify(reduction, &all, &chosen)?;
        }
        for i in chosen {
            let Move { step, to, .. } = &all.moves[i];
            match to {
                Ok(at) => visit(step.clone(), Target::State(&all.states[*at..*at + state.len()])),
                Err(why) => visit(step.clone(), Target::Erroneous(why)),
            }
        }
        Ok(())
    }

    /// All transitions of a state.
    pub(super) fn expand_state(&self, reduction: &Reduction, state: &[Word]) -> Result<Expanded, Fault> {
        self.expand_actors(reduction, state, 0..self.program.threads.len() + reduction.footprints.free.len())
    }

    /// The transitions of some actors.
    pub(super) fn expand_actors(
        &self,
        reduction: &Reduction,
        state: &[Word],
        actors: Range<usize>,
    ) -> Result<Expanded, Fault> {
        let mut out = Expanded { actors: Vec::with_capacity(actors.len()), moves: vec![], states: vec![] };
        let mut next = state.to_vec();
        let touched = Touched::new(self.width());
        let threads = self.program.threads.len();
        for actor in actors {
            if actor < threads {
                self.expand_thread((actor, reduction.claims), state, &mut next, &touched, &mut out)?;
                continue;
            }
            let Free { may } = &reduction.footprints.free[actor - threads];
            touched.clear();
            let (claims, late) = (reduction.claims, self.spec.rules[may.rule].late);
            let first = out.moves.len();
            let mut frame: SmallVec<[Word; 24]> = SmallVec::from_elem(0, self.spec.rules[may.rule].slots);
            frame[..may.params.len()].copy_from_slice(&may.params);
            let (moves, states) = (&mut out.moves, &mut out.states);
            self.instance(may.rule, (&mut frame, None), state, &mut next, Some(&touched), &mut |step, c, to| {
                keep(moves, states, step, late, if claims { c } else { &[] }, to);
            })?;
            out.close(first, &touched);
        }
        Ok(out)
    }

    fn expand_thread(
        &self,
        (t, claims): (usize, bool),
        state: &[Word],
        next: &mut [Word],
        touched: &Touched,
        out: &mut Expanded,
    ) -> Result<(), Fault> {
        touched.clear();
        // A thread's registers and its program counter are its own.
        for bits in [&touched.reads, &touched.writes] {
            let mut bits = bits.borrow_mut();
            bits.add(t);
            (0..self.program.threads[t].regs.len()).for_each(|r| bits.add(self.reg_base[t] + r));
        }
        let first = out.moves.len();
        let (moves, states) = (&mut out.moves, &mut out.states);
        match self.program.threads[t].code.get(state[t] as usize) {
            Some(Op::Exec { instr, args, .. }) => {
                let words = self.arguments(t, *instr, args, state)?;
                for rule in &self.by_instr[*instr] {
                    let r = &self.spec.rules[*rule];
                    let mut frame: SmallVec<[Word; 24]> = SmallVec::from_elem(0, r.slots);
                    // Most rules have no parameter but their thread, which is put in its place anyway.
                    let others = if r.params.len() == 1 {
                        vec![vec![t as Word]]
                    } else {
                        super::may::params(self, *rule, Some(t as Word))
                    };
                    for params in others {
                        frame[..params.len()].copy_from_slice(&params);
                        let on = Some((t, words.as_slice()));
                        self.instance(*rule, (&mut frame, on), state, next, Some(touched), &mut |step, c, to| {
                            keep(moves, states, step, r.late, if claims { c } else { &[] }, to);
                        })?;
                    }
                }
            }
            Some(Op::Choose(targets)) => {
                for target in targets {
                    next.copy_from_slice(state);
                    next[t] = *target as Word;
                    self.settle(t, next)?;
                    let step = Step { rule: None, thread: Some(t), params: SmallVec::new() };
                    keep(moves, states, step, false, &[], Target::State(next));
                }
            }
            _ => {}
        }
        out.close(first, touched);
        Ok(())
    }
}

fn keep(moves: &mut Vec<Move>, states: &mut Vec<Word>, step: Step, late: bool, commutes: &[Claim], to: Target<'_>) {
    let to = match to {
        Target::State(s) => {
            states.extend_from_slice(s);
            Ok(states.len() - s.len())
        }
        Target::Erroneous(why) => Err(why.to_owned()),
    };
    moves.push(Move { step, to, late, commutes: commutes.into() });
}

impl Expanded {
    fn close(&mut self, first: usize, touched: &Touched) {
        let (reads, writes) = (touched.reads.borrow().clone(), touched.writes.borrow().clone());
        self.actors.push(Actor { moves: first..self.moves.len(), reads, writes });
    }

    /// Whether what two actors did here overlaps.
    pub(super) fn overlap(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.actors[a], &self.actors[b]);
        a.writes.meets(&b.writes) || a.writes.meets(&b.reads) || a.reads.meets(&b.writes)
    }

    /// Whether all of these transitions are said to commute with what another may do.
    pub(super) fn said_to_commute(&self, moves: &Range<usize>, may: &May) -> bool {
        self.moves[moves.clone()].iter().all(|m| m.commutes.iter().any(|c| c.covers(may.rule, &may.params)))
    }

    /// Whether what an actor, enabled here, does may depend on, or matter to, what a rule may do.
    pub(super) fn depends(&self, actor: usize, moves: &Range<usize>, may: &May) -> bool {
        let a = &self.actors[actor];
        let touches = may.writes.meets(&a.reads) || may.writes.meets(&a.writes) || may.reads.meets(&a.writes);
        touches && !self.said_to_commute(moves, may)
    }
}

impl Reduction {
    /// What an actor may do from a state on.
    pub(super) fn later(&self, threads: usize, state: &[Word], actor: usize) -> &[May] {
        if actor < threads {
            // A thread at its end has nothing left.
            self.footprints.from[actor].get(state[actor] as usize).map_or(&[], Vec::as_slice)
        } else {
            std::slice::from_ref(&self.footprints.free[actor - threads].may)
        }
    }
}

struct Choice<'a> {
    reduction: &'a Reduction,
    state: &'a [Word],
    threads: usize,
    all: &'a Expanded,
}

impl<'a> Choice<'a> {
    fn later(&self, actor: usize) -> &'a [May] {
        self.reduction.later(self.threads, self.state, actor)
    }

    /// The transitions of the least stubborn set that is found, by index; one with a rule that is `late` only if there is no
    /// other.
    fn best(&self) -> Vec<usize> {
        let goes_on = |i: usize| self.all.moves[i].to.is_ok();
        let mut best: Option<Vec<usize>> = None;
        let mut late: Option<Vec<usize>> = None;
        for seed in self.seeds() {
            let limit = |set: &Option<Vec<usize>>| set.as_ref().map_or(usize::MAX, Vec::len);
            let (least, least_late) = (limit(&best), limit(&late));
            let most = if best.is_some() { least } else { usize::MAX };
            let Some(set) = self.closure(seed, most) else { continue };
            if !set.iter().any(|i| goes_on(*i)) {
                continue;
            }
            if set.iter().any(|i| self.all.moves[*i].late) {
                if set.len() < least_late {
                    late = Some(set);
                }
            } else if set.len() < least {
                let one = set.len() == 1;
                best = Some(set);
                if one {
                    break;
                }
            }
        }
        // With errors alone, everything: what one error hides, another path must show.
        best.or(late).unwrap_or_else(|| (0..self.all.moves.len()).collect())
    }

    /// Free rules first: what moves along by itself is out of the way before threads go on.
    fn seeds(&self) -> Vec<Seed> {
        let mut out = vec![];
        let order = (self.threads..self.all.actors.len()).chain(0..self.threads);
        for actor in order.filter(|a| !self.all.actors[*a].moves.is_empty()) {
            if actor >= self.threads {
                let may = &self.reduction.footprints.free[actor - self.threads].may;
                let moves = self.all.actors[actor].moves.clone();
                let alone = moves.filter(|i| self.all.said_to_commute(&(*i..i + 1), may));
                out.extend(alone.map(|i| Seed { actor, alone: Some(i) }));
            }
            out.push(Seed { actor, alone: None });
        }
        out
    }

    /// The actors that may write what this one read here, or, if it is enabled, touch what it writes.
    fn near(&self, actor: usize, disabled: bool) -> Bits {
        let Footprints { from, readers, writers, .. } = &self.reduction.footprints;
        let a = &self.all.actors[actor];
        let mut out = Bits::new(self.all.actors.len());
        a.reads.iter().for_each(|s| _ = out.join(&writers[s]));
        if !disabled {
            for s in a.writes.iter() {
                out.join(&writers[s]);
                out.join(&readers[s]);
            }
        }
        for t in (0..self.threads).filter(|t| *t != actor) {
            let Some(later) = from[t].get(self.state[t] as usize) else { continue };
            let touches = |may: &May| {
                may.writes.meets(&a.reads) || !disabled && (may.writes.meets(&a.writes) || may.reads.meets(&a.writes))
            };
            if later.iter().any(touches) {
                out.add(t);
            }
        }
        out
    }

    /// The enabled transitions of the least stubborn set that holds the seed; none if they are no fewer than `limit`.
    fn closure(&self, seed: Seed, limit: usize) -> Option<Vec<usize>> {
        let actors = &self.all.actors;
        let mut inside = Bits::new(actors.len());
        let mut chosen: Vec<usize> = vec![];
        let mut todo = vec![seed];
        if seed.alone.is_none() {
            inside.add(seed.actor);
        }
        while let Some(Seed { actor, alone }) = todo.pop() {
            let moves = alone.map_or(actors[actor].moves.clone(), |i| i..i + 1);
            chosen.extend(moves.clone().filter(|i| seed.alone != Some(*i) || alone.is_some()));
            if chosen.len() >= limit {
                return None;
            }
            let near = self.near(actor, moves.is_empty());
            for other in near.iter() {
                if inside.has(other) || (other == actor && alone.is_none()) {
                    continue;
                }
                if moves.is_empty() || self.later(other).iter().any(|may| self.all.depends(actor, &moves, may)) {
                    inside.add(other);
                    todo.push(Seed { actor: other, alone: None });
                }
            }
        }
        chosen.sort_unstable();
        Some(chosen)
    }
}
