//! What an actor does in a state: an actor is a thread, or an instance of a rule that no instruction sets off.

use crate::claim::Claim;
use crate::eval::{Eval, Fault};
use crate::machine::{Fired, Machine, Step, Target};
use crate::touched::Touched;
use crate::written::Written;
use litmpi_spec::heap::Word;
use litmpi_spec::program::Op;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// The actors of a machine: its threads, and behind them instances of rules that no instruction sets off.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Actors {
    threads: usize,
    /// Rules with their parameters.
    free: Vec<(usize, Vec<Word>)>,
}

impl Actors {
    /// All of a machine.
    pub(crate) fn of(m: &Machine) -> Actors {
        Actors::with(m, m.free_instances())
    }

    /// The threads of a machine and these instances of rules.
    pub(crate) fn with(m: &Machine, free: Vec<(usize, Vec<Word>)>) -> Actors {
        Actors { threads: m.program().threads.len(), free }
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.threads + self.free.len()
    }

    /// By actor: its number among others, if it is one of them.
    pub(crate) fn among(&self, others: &Actors) -> Vec<Option<u32>> {
        let places: FxHashMap<_, _> = others.free.iter().zip(others.threads as u32..).collect();
        let threads = (0..self.threads as u32).map(Some);
        threads.chain(self.free.iter().map(|f| places.get(f).copied())).collect()
    }

    /// The program counter of an actor, 0 if it is no thread.
    pub(crate) fn pc(&self, actor: usize, state: &[Word]) -> Word {
        if actor < self.threads { state[actor] } else { 0 }
    }

    /// What an actor does in a state, and in `touched` what that depends on; `next` is room for a state.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub(crate) fn found(
        &self,
        m: &Machine,
        actor: usize,
        state: &[Word],
        next: &mut [Word],
        touched: &Touched,
    ) -> Result<Found, Fault> {
        touched.clear();
        let mut found = Found::default();
        if actor < self.threads {
            m.thread(actor, state, next, touched, &mut found)?;
        } else {
            let (rule, params) = &self.free[actor - self.threads];
            m.free_rule(*rule, params, state, next, touched, &mut found)?;
        }
        Ok(found)
    }
}

/// A transition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Move {
    pub(crate) step: Step,
    /// The slots that it writes and what, each once; or why the program is erroneous.
    pub(crate) to: Result<Box<[(u32, Word)]>, Box<str>>,
}

impl Move {
    /// Makes of a state the one that follows it.
    pub(crate) fn apply(&self, state: &mut [Word]) {
        for (slot, word) in self.to.iter().flatten() {
            state[*slot as usize] = *word;
        }
    }

    /// Gives it to who follows it.
    pub(crate) fn show(&self, state: &[Word], next: &mut Vec<Word>, visit: &mut dyn FnMut(&Step, Target<'_>)) {
        match &self.to {
            Ok(_) => {
                next.clear();
                next.extend_from_slice(state);
                self.apply(next);
                visit(&self.step, Target::State(next));
            }
            Err(why) => visit(&self.step, Target::Erroneous(why)),
        }
    }
}

/// What the reduction asks of a transition.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Kind {
    /// The rules that it is said to commute with: many transitions have the same list.
    pub(crate) commutes: Arc<[Claim]>,
    /// Whether its rule is to be put off.
    pub(crate) late: bool,
    /// Whether it leads to a state.
    pub(crate) goes_on: bool,
    /// Whether the program is erroneous by it.
    pub(crate) errs: bool,
}

/// Transitions of an actor.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) moves: Vec<Move>,
    pub(crate) kinds: Vec<Kind>,
    /// If there is no transition: what the rule says here that it waits for, by the numbers of its claims.
    pub(crate) waits: Vec<u32>,
}

impl Found {
    fn keep(&mut self, fired: Fired<'_>, late: bool) {
        let to = match fired.to {
            Target::State(s) => {
                let mut slots: SmallVec<[usize; 16]> = fired.written.into();
                slots.sort_unstable();
                slots.dedup();
                Ok(slots.iter().map(|i| (*i as u32, s[*i])).collect())
            }
            Target::Erroneous(why) => Err(why.into()),
        };
        self.kinds.push(Kind { commutes: fired.commutes.into(), late, goes_on: to.is_ok(), errs: to.is_err() });
        self.moves.push(Move { step: fired.step, to });
    }
}

impl Machine {
    /// The transitions of a thread.
    fn thread(
        &self,
        t: usize,
        state: &[Word],
        next: &mut [Word],
        touched: &Touched,
        found: &mut Found,
    ) -> Result<(), Fault> {
        // A thread's registers and its program counter are its own.
        let own = Range { start: self.reg_base[t], end: self.reg_base[t] + self.program.threads[t].regs.len() };
        for bits in [&touched.reads, &touched.writes, &touched.blocks] {
            let mut bits = bits.borrow_mut();
            own.clone().chain([t]).for_each(|slot| _ = bits.add(slot));
        }
        touched.look(t);
        match self.program.threads[t].code.get(state[t] as usize) {
            Some(Op::Exec { instr, args, stored, span }) => {
                let words = self.arguments(t, *instr, args, state, Some(touched)).map_err(|f| f.within(span))?;
                let stored_slots: Written = self.stored(stored).map(|(slot, _)| slot).collect();
                touched.wrote(&stored_slots);
                let begun = self.begun(stored, state);
                for rule in &self.by_instr[*instr] {
                    let r = &self.spec.rules[*rule];
                    let mut frame: SmallVec<[Word; 24]> = SmallVec::from_elem(0, r.slots);
                    // Most rules have no parameter but their thread, which is put in its place anyway.
                    let others = if r.params.len() == 1 {
                        vec![vec![t as Word]]
                    } else {
                        crate::reduce::params(self, *rule, Some(t as Word))
                    };
                    for params in others {
                        frame[..params.len()].copy_from_slice(&params);
                        let on = Some((t, words.as_slice()));
                        let visit = &mut |fired: Fired<'_>| {
                            let written: Written = fired.written.iter().chain(stored_slots.iter()).copied().collect();
                            found.keep(Fired { written: &written, ..fired }, r.late);
                        };
                        self.instance(*rule, (&mut frame, on), &begun, next, Some(touched), visit)?;
                    }
                }
            }
            Some(Op::Choose(targets)) => {
                for target in targets {
                    next.copy_from_slice(state);
                    next[t] = *target as Word;
                    let mut written: Written = [t].into_iter().collect();
                    self.settle(t, next, &mut written, Some(touched))?;
                    let step = Step { rule: None, thread: Some(t), params: SmallVec::new() };
                    found.keep(Fired { step, commutes: &[], to: Target::State(next), written: &written }, false);
                }
            }
            _ => {}
        }
        // What looks too early is left out of a search: it is no way to go on.
        let code = &self.program.threads[t].code;
        let early = |(slot, to): &(u32, Word)| *slot as usize == t && code.get(*to as usize) == Some(&Op::Early);
        for (kind, step) in found.kinds.iter_mut().zip(&found.moves) {
            kind.goes_on &= !step.to.iter().flatten().any(early);
        }
        Ok(())
    }

    /// Every instance of a rule that no instruction sets off.
    fn free_instances(&self) -> Vec<(usize, Vec<Word>)> {
        let instances =
            |rule: &usize| crate::reduce::params(self, *rule, None).into_iter().map(|ps| (*rule, ps)).collect();
        let free: Vec<Vec<(usize, Vec<Word>)>> = self.free.iter().map(instances).collect();
        free.concat()
    }

    /// The transitions of an instance of a rule that no instruction sets off.
    fn free_rule(
        &self,
        rule: usize,
        params: &[Word],
        state: &[Word],
        next: &mut [Word],
        touched: &Touched,
        found: &mut Found,
    ) -> Result<(), Fault> {
        let r = &self.spec.rules[rule];
        let mut frame: SmallVec<[Word; 24]> = SmallVec::from_elem(0, r.slots);
        frame[..params.len()].copy_from_slice(params);
        let visit = &mut |fired: Fired<'_>| found.keep(fired, r.late);
        self.instance(rule, (&mut frame, None), state, next, Some(touched), visit)?;
        if found.moves.is_empty() && !touched.walks {
            let aside = Eval::aside(self, state, Some(touched));
            for (number, c) in (0..).zip(&r.commutes).filter(|(_, c)| c.waits) {
                if c.when.as_ref().map_or(Ok(1), |e| aside.eval(e, &mut frame))? != 0 {
                    found.waits.push(number);
                }
            }
        }
        Ok(())
    }
}
