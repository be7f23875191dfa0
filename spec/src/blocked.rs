//! Why nothing happens in a state: the premise at which each rule stops that could go on, and what that premise looks at.

use crate::eval::{Eval, Fault, Touched};
use crate::heap::Word;
use crate::ir::{Pat, Update};
use crate::machine::{Machine, Step};
use crate::program::Op;
use crate::reduce::{Bits, params};
use std::cell::{Cell, RefCell};

/// A rule that is not enabled.
#[derive(Debug, Clone)]
pub struct Blocked {
    /// The rule, with the parameters for which the most premises hold.
    pub step: Step,
    /// The number of the first premise that does not hold.
    pub premise: usize,
    /// The slots of the state that this premise looked at.
    pub looked: Vec<usize>,
}

impl Machine {
    /// For each thread that is not through, by number: the rules of its instruction, and where each stops.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub fn blocked(&self, state: &[Word]) -> Result<Vec<(usize, Vec<Blocked>)>, Fault> {
        let mut out = vec![];
        for (t, thread) in self.program.threads.iter().enumerate() {
            let Some(Op::Exec { instr, args, .. }) = thread.code.get(state[t] as usize) else { continue };
            let words = self.arguments(t, *instr, args, state, None)?;
            let mut stops = vec![];
            for rule in &self.by_instr[*instr] {
                stops.extend(self.furthest(*rule, Some((t, &words)), state)?);
            }
            out.push((t, stops));
        }
        Ok(out)
    }

    /// The rules that no instruction sets off, that write the entry of one of these slots, and of which some premises hold; where each
    /// stops.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub fn blocked_writers(&self, slots: &[usize], state: &[Word]) -> Result<Vec<Blocked>, Fault> {
        let vars: Vec<usize> = slots.iter().filter_map(|s| self.variable(*s)).collect();
        let mut out = vec![];
        for rule in self.free.iter().filter(|r| writes(&self.spec.rules[**r].then, &vars)) {
            out.extend(self.furthest(*rule, None, state)?.filter(|b| b.premise > 0));
        }
        Ok(out)
    }

    /// The state variable that a slot is of.
    fn variable(&self, slot: usize) -> Option<usize> {
        let first = self.program.threads.len() + self.reg_types.len();
        (slot >= first).then(|| self.var_base.iter().rposition(|b| *b <= slot)).flatten()
    }

    /// The instance of a rule for which the most premises hold, unless one is enabled or none comes to a premise.
    fn furthest(&self, rule: usize, on: Option<(usize, &[Word])>, state: &[Word]) -> Result<Option<Blocked>, Fault> {
        let mut best: Option<Blocked> = None;
        for ps in params(self, rule, on.map(|(t, _)| t as Word)) {
            let Some((premise, looked)) = self.stops(rule, &ps, on, state)? else { continue };
            if premise == self.spec.rules[rule].when.len() {
                return Ok(None);
            }
            if best.as_ref().is_none_or(|b| premise > b.premise) {
                let step = Step { rule: Some(rule), thread: on.map(|(t, _)| t), params: ps.as_slice().into() };
                best = Some(Blocked { step, premise, looked });
            }
        }
        Ok(best)
    }

    /// The number of the last premise that an instance comes to, and what that looks at.
    fn stops(
        &self,
        rule: usize,
        params: &[Word],
        on: Option<(usize, &[Word])>,
        state: &[Word],
    ) -> Result<Option<(usize, Vec<usize>)>, Fault> {
        let r = &self.spec.rules[rule];
        let mut frame = vec![0; r.slots];
        frame[..params.len()].copy_from_slice(params);
        let (pats, words): (&[Pat], &[Word]) = match (&r.on, on) {
            (Some((_, _, pats)), Some((_, words))) => (pats, words),
            _ => (&[], &[]),
        };
        let touched = Touched::new(self.width());
        let eval = Eval::watched(self, state, Some(&touched));
        // What was looked at since the last premise was come to is that premise's.
        let looked: RefCell<Vec<Bits>> = RefCell::new(vec![Bits::new(self.width()); r.when.len() + 1]);
        let (now, last): (Cell<Option<usize>>, Cell<Option<usize>>) = (Cell::new(None), Cell::new(None));
        let came = |i: usize| {
            if let Some(before) = now.replace(Some(i)) {
                looked.borrow_mut()[before].join(&touched.reads.borrow());
            }
            touched.reads.borrow_mut().clear();
            last.set(last.get().max(Some(i)));
        };
        eval.arguments(pats, words, &mut frame, &mut |frame| {
            eval.premises_noted(&r.when, 0, &came, frame, &mut |_| Ok(()))
        })?;
        if let Some(i) = now.get() {
            looked.borrow_mut()[i].join(&touched.reads.borrow());
        }
        Ok(last.get().map(|i| (i, looked.borrow()[i].iter().collect())))
    }
}

fn writes(us: &[Update], vars: &[usize]) -> bool {
    us.iter().any(|u| match u {
        Update::State { var, .. } => vars.contains(var),
        Update::Reg(..) => false,
        Update::Let(_, _, body) | Update::For(_, _, body) => writes(body, vars),
        Update::If(_, then, els) => writes(then, vars) || writes(els, vars),
    })
}
