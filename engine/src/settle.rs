//! The silent steps of threads: register assignments, branches, jumps, and what running processes bring and are told.

use crate::eval::Fault;
use crate::machine::Machine;
use crate::touched::Touched;
use crate::written::Written;
use litmpi_spec::heap::Word;
use litmpi_spec::program::Op;

/// Silent steps that a thread may take one after the other in loops without an instruction.
const MOST: usize = 1 << 20;

impl Machine {
    /// Runs a thread's silent steps, as far as there are any.
    ///
    /// A thread that comes back to a place with the same in its registers goes round for ever. It is left at one place of its round,
    /// always the same one.
    pub(crate) fn settle(
        &self,
        t: usize,
        state: &mut [Word],
        written: &mut Written,
        watch: Option<&Touched>,
    ) -> Result<(), Fault> {
        let mut step = |state: &mut [Word]| self.step_silently(t, state, written, watch);
        for _ in 0..=self.program.threads[t].code.len() {
            if !step(state)? {
                return Ok(());
            }
        }
        // So many steps were within a loop. Marks at twice the distance each time find a round of any length (Brent 1980).
        let regs = self.reg_base[t]..self.reg_base[t] + self.program.threads[t].regs.len();
        let now = |state: &[Word]| (state[t], state[regs.clone()].to_vec());
        let mut mark = now(state);
        for steps in 1..MOST {
            if !step(state)? {
                return Ok(());
            }
            if now(state) == mark {
                let mut least = mark.clone();
                while step(state)? && now(state) != mark {
                    least = least.min(now(state));
                }
                while now(state) != least {
                    step(state)?;
                }
                return Ok(());
            }
            if steps.is_power_of_two() {
                mark = now(state);
            }
        }
        let fault = Fault::general(format!("a thread takes {MOST} steps in a loop and comes to no instruction"));
        Err(fault.help("let the loop end sooner"))
    }

    /// Runs a silent step of a thread; false if it has none here.
    fn step_silently(
        &self,
        t: usize,
        state: &mut [Word],
        written: &mut Written,
        watch: Option<&Touched>,
    ) -> Result<bool, Fault> {
        let pc = state[t] as usize;
        match self.program.threads[t].code.get(pc) {
            Some(Op::Set(reg, e, span)) => {
                let value = self.int(t, e, state, watch).map_err(|f| f.within(span))?;
                let slot = self.reg_slot(t, *reg);
                if !self.looks.drops(slot) {
                    state[slot] = self.heap.word(value);
                    written.push(slot);
                }
                state[t] += 1;
            }
            Some(Op::Branch(e, otherwise, span)) => {
                let goes_on = self.int(t, e, state, watch).map_err(|f| f.within(span))? != 0;
                state[t] = if goes_on { pc as Word + 1 } else { *otherwise as Word };
            }
            Some(Op::Jump(to)) => state[t] = *to as Word,
            Some(Op::Bring(brought)) => self.bring(t, brought, state, written, watch),
            Some(Op::Ask(ask)) => match self.told(t, ask, state, written, watch)? {
                Some(to) => state[t] = to as Word,
                None => return Ok(false),
            },
            _ => return Ok(false),
        }
        Ok(true)
    }
}
