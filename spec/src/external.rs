//! Rules run one at a time over memory that is not part of the state: an emulated device's rules over the memory of
//! real processes.
//!
//! [`Machine::transitions`] gives successors with everything inside; here a caller asks which rule instances are
//! ready, keeps them, and fires the one that it chooses. State variables of one location (`M`) are the caller's: what a
//! rule reads of them is asked of a [`Memory`], and what it writes is told. A premise that reads them may no longer hold
//! when the rule is to fire: [`Machine::renew`] looks again.

use crate::eval::{Eval, Fault};
use crate::heap::Word;
use crate::ir::Pat;
use crate::machine::{Machine, size};
use crate::types::Sort;
use smallvec::SmallVec;

/// The state variables that have an entry for each location, kept elsewhere. Locations are by index into the program's;
/// values are the caller's own numbers, but for truth values, which are 0 and 1.
pub trait Memory {
    /// What the variable's entry for the location holds now.
    fn load(&self, var: &str, loc: usize) -> Word;
    /// Makes it hold a value.
    fn store(&self, var: &str, loc: usize, value: Word);
    /// What a function of the specification is to the caller's numbers, if it is another one.
    fn call(&self, _function: &str, _args: &[Word]) -> Option<Word> {
        None
    }
}

/// A rule whose premises hold, with everything that they bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ready {
    /// Index of the rule.
    pub rule: usize,
    frame: SmallVec<[Word; 24]>,
}

impl Machine {
    /// The rules that no instruction sets off, as they are ready in a state.
    ///
    /// # Errors
    /// A premise that cannot be evaluated.
    pub fn ready(&self, state: &[Word], memory: &dyn Memory) -> Result<Vec<Ready>, Fault> {
        let mut out = vec![];
        for (i, rule) in self.spec.rules.iter().enumerate() {
            if rule.on.is_none() {
                self.ready_rule(i, None, state, memory, &mut out)?;
            }
        }
        Ok(out)
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
                self.ready_rule(i, Some((*param, thread, pats, args)), state, memory, &mut out)?;
            }
        }
        Ok(out)
    }

    /// The same instance of a rule that no instruction sets off, or another one of that rule, as it is ready now; none if
    /// the rule is not.
    ///
    /// # Errors
    /// A premise that cannot be evaluated.
    pub fn renew(&self, ready: &Ready, state: &[Word], memory: &dyn Memory) -> Result<Option<Ready>, Fault> {
        let mut now = vec![];
        self.ready_rule(ready.rule, None, state, memory, &mut now)?;
        let same = now.iter().position(|r| r == ready).unwrap_or(0);
        Ok((!now.is_empty()).then(|| now.swap_remove(same)))
    }

    fn ready_rule(
        &self,
        rule: usize,
        on: Option<(usize, usize, &[Pat], &[Word])>,
        state: &[Word],
        memory: &dyn Memory,
        out: &mut Vec<Ready>,
    ) -> Result<(), Fault> {
        let r = &self.spec.rules[rule];
        let eval = Eval::beside(self, state, memory);
        let mut frame: SmallVec<[Word; 24]> = SmallVec::from_elem(0, r.slots);
        let fixed = on.map(|(param, ..)| param);
        let range =
            |i: usize, s: Sort| if fixed == Some(i) { 1 } else { u32::try_from(size(&self.program, s)).unwrap_or(0) };
        let sizes: SmallVec<[Word; 4]> = r.params.iter().enumerate().map(|(i, (_, s))| range(i, *s)).collect();
        for instance in 0..sizes.iter().product() {
            let mut rest: Word = instance;
            for (k, s) in sizes.iter().enumerate().rev() {
                frame[k] = rest % s;
                rest /= s;
            }
            let (mut pats, mut args): (&[Pat], &[Word]) = (&[], &[]);
            if let Some((param, thread, p, a)) = on {
                frame[param] = thread as Word;
                (pats, args) = (p, a);
            }
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
        let eval = Eval::beside(self, state, memory);
        let mut frame = ready.frame.clone();
        for (cond, why) in &r.requires {
            if eval.eval(cond, &mut frame)? == 0 {
                return Err(Fault::new(&r.span, format!("erroneous: {why}")));
            }
        }
        let mut next = state.to_vec();
        eval.updates(&r.then, &mut frame, &mut next, &mut SmallVec::new())?;
        Ok(next)
    }
}
