//! Rules run one at a time over memory that is not part of the state: an emulated device's rules over the memory of
//! real processes.
//!
//! [`Machine::transitions`] gives successors with everything inside; here a caller asks which rule instances are
//! ready, keeps them, and fires the one that it chooses. State variables of one location (`M`), and others that it names
//! ([`Memory::keeps`]), are the caller's: what a rule reads of them is asked of a [`Memory`], and what it writes is told. A
//! premise that reads them may no longer hold when the rule is to fire: the caller looks again.

use crate::eval::{Eval, Fault};
use crate::machine::{Machine, size};
use crate::touched::Touched;
use crate::written::Written;
use litmpi_spec::heap::Word;
use litmpi_spec::ir::Pat;
use litmpi_spec::types::Sort;
use smallvec::SmallVec;

/// State variables that are kept elsewhere. Entries are by number: of one index, its place in the program (a location's
/// index); of several, row by row. Integers are the caller's own numbers for what it stands for; truth values are 0 and 1; all
/// else is words of the machine's own, which mean the same to all states of one machine. None of them is a record.
pub trait Memory {
    /// Whether a variable with these indices is kept here.
    fn keeps(&self, _var: &str, index: &[Sort]) -> bool {
        index == [Sort::Loc]
    }
    /// What an entry of the variable holds now.
    fn load(&self, var: &str, entry: usize) -> Word;
    /// Makes it hold a value.
    fn store(&self, var: &str, entry: usize, value: Word);
    /// The sum of two of the caller's numbers, modulo 2 to the power of `bits`: what `wrapping_sum` is to them.
    fn sum(&self, a: Word, b: Word, bits: Word) -> Word;
}

/// Memory, and where to note what of the state is looked at.
pub(crate) type Outside<'m> = (&'m dyn Memory, Option<&'m Touched>);

/// A rule whose premises hold, with everything that they bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// Index of the rule.
    pub rule: usize,
    frame: SmallVec<[Word; 24]>,
}

/// A rule as it is ready in a state, and all that this follows from beside what was asked of the memory.
#[derive(Debug, Clone)]
pub struct Found {
    /// Its instances.
    pub ready: Vec<Ready>,
    /// The words of the state that were looked at, by their places, in the order of the first time. In a state that has the same there,
    /// and with the same answers of the memory, evaluation goes the same way.
    pub looked: Vec<u32>,
}

impl Machine {
    /// One rule as it is ready in a state: one that no instruction sets off, or, with a thread and arguments, one that its instruction
    /// does. The first parameter of a sort has the value that stands first of that sort in `fixed`, the second one the next; those for which
    /// none is left have all values.
    ///
    /// # Errors
    /// A premise that cannot be evaluated.
    pub fn find(
        &self,
        (rule, on): (usize, Option<(usize, &[Word])>),
        state: &[Word],
        memory: &dyn Memory,
        fixed: &[(Sort, Word)],
    ) -> Result<Found, Fault> {
        let mut ready = vec![];
        let touched = Touched::default();
        let on = match (&self.spec.rules[rule].on, on) {
            (Some((param, _, pats)), Some((thread, args))) => Some((*param, thread, &pats[..], args)),
            _ => None,
        };
        self.ready_rule(rule, on, (state, memory, Some(&touched)), fixed, &mut ready)?;
        Ok(Found { ready, looked: touched.order.into_inner() })
    }

    /// The rules that no instruction sets off, as they are ready in a state. `fixed` is as of [`Machine::find`].
    ///
    /// # Errors
    /// A premise that cannot be evaluated.
    pub fn ready(&self, state: &[Word], memory: &dyn Memory, fixed: &[(Sort, Word)]) -> Result<Vec<Ready>, Fault> {
        let mut out = vec![];
        for (i, rule) in self.spec.rules.iter().enumerate() {
            if rule.on.is_none() {
                self.ready_rule(i, None, (state, memory, None), fixed, &mut out)?;
            }
        }
        Ok(out)
    }

    /// What an argument says that is a register of a thread, by its place among the thread's: the slot of a state that
    /// rules write, so that 0 (a program counter's slot) is "left out".
    pub fn register(&self, thread: usize, register: usize) -> Word {
        self.reg_slot(thread, register) as Word
    }

    /// The rules by which a thread may run an instruction now, whatever its program says.
    ///
    /// # Errors
    /// A premise that cannot be evaluated.
    pub fn ready_for(
        &self,
        (thread, instr, args): (usize, usize, &[Word]),
        state: &[Word],
        memory: &dyn Memory,
    ) -> Result<Vec<Ready>, Fault> {
        let mut out = vec![];
        for (i, rule) in self.spec.rules.iter().enumerate() {
            if let Some((param, on, pats)) = &rule.on
                && *on == instr
            {
                self.ready_rule(i, Some((*param, thread, pats, args)), (state, memory, None), &[], &mut out)?;
            }
        }
        Ok(out)
    }

    /// The same instance of a rule that no instruction sets off, or another one of that rule, as it is ready now; none if
    /// the rule is not.
    ///
    /// # Errors
    /// A premise that cannot be evaluated.
    pub fn renew(
        &self,
        ready: &Ready,
        state: &[Word],
        memory: &dyn Memory,
        fixed: &[(Sort, Word)],
    ) -> Result<Option<Ready>, Fault> {
        let mut now = vec![];
        self.ready_rule(ready.rule, None, (state, memory, None), fixed, &mut now)?;
        let same = now.iter().position(|r| r == ready).unwrap_or(0);
        Ok((!now.is_empty()).then(|| now.swap_remove(same)))
    }

    fn ready_rule(
        &self,
        rule: usize,
        on: Option<(usize, usize, &[Pat], &[Word])>,
        (state, memory, touched): (&[Word], &dyn Memory, Option<&Touched>),
        fixed: &[(Sort, Word)],
        out: &mut Vec<Ready>,
    ) -> Result<(), Fault> {
        let r = &self.spec.rules[rule];
        let eval = Eval::beside(self, state, (memory, touched));
        let mut frame: SmallVec<[Word; 24]> = SmallVec::from_elem(0, r.slots);
        // Of each parameter, its only value, if it has one.
        let mut left: SmallVec<[(Sort, Word); 4]> = SmallVec::from_slice(fixed);
        let only = |(i, (_, sort)): (usize, &(_, Sort))| match on {
            Some((param, thread, ..)) if param == i => Some(thread as Word),
            _ => left.iter().position(|(s, _)| s == sort).map(|at| left.remove(at).1),
        };
        let only: SmallVec<[Option<Word>; 4]> = r.params.iter().enumerate().map(only).collect();
        let range = |(only, (_, s)): (&Option<Word>, &(_, Sort))| match only {
            Some(_) => 1,
            None => u32::try_from(size(&self.program, *s)).unwrap_or(0),
        };
        let sizes: SmallVec<[Word; 4]> = only.iter().zip(&r.params).map(range).collect();
        for instance in 0..sizes.iter().product() {
            let mut rest: Word = instance;
            for (k, s) in sizes.iter().enumerate().rev() {
                frame[k] = only[k].unwrap_or(rest % s);
                rest /= s;
            }
            let (pats, args): (&[Pat], &[Word]) = on.map_or((&[], &[]), |(_, _, pats, args)| (pats, args));
            eval.arguments(pats, args, &mut frame, &mut |frame| {
                eval.premises(&r.when, frame, &mut |frame| {
                    out.push(Ready { rule, frame: SmallVec::from_slice(frame) });
                    Ok(())
                })
            })?;
        }
        Ok(())
    }

    /// Runs a rule that is ready in this state; the state after it. A thread's place in its program stays.
    ///
    /// # Errors
    /// An update that cannot be evaluated; a `requires` that does not hold.
    pub fn fire(&self, ready: &Ready, state: &[Word], memory: &dyn Memory) -> Result<Vec<Word>, Fault> {
        let r = &self.spec.rules[ready.rule];
        let eval = Eval::beside(self, state, (memory, None));
        let mut frame = ready.frame.clone();
        for (cond, why) in &r.requires {
            if eval.eval(cond, &mut frame)? == 0 {
                return Err(Fault::new(&r.span, format!("erroneous: {why}")));
            }
        }
        let mut next = state.to_vec();
        eval.updates(&r.then, &mut frame, &mut next, &mut Written::default())?;
        Ok(next)
    }
}
