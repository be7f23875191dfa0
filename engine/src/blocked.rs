//! Why nothing happens in a state: the premise at which each rule stops that could go on, and what that premise looks at.

use crate::eval::{Eval, Fault};
use crate::footprint::{self, Access, Index};
use crate::machine::{Machine, Step};
use crate::reduce::{Few, params};
use crate::slots::Entry;
use crate::touched::Touched;
use litmpi_spec::heap::Word;
use litmpi_spec::ir::Pat;
use litmpi_spec::program::Op;
use std::cell::{Cell, RefCell};

/// A rule that is not enabled.
#[derive(Debug, Clone)]
pub struct Blocked {
    /// The rule, with the first parameters for which the most premises hold.
    pub step: Step,
    /// All parameters for which as many premises hold.
    pub instances: Vec<Box<[Word]>>,
    /// The number of the first premise that does not hold.
    pub premise: usize,
    /// The slots of the state that this premise looked at, in any of these instances.
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
            let Some(Op::Exec { instr, args, stored, span }) = thread.code.get(state[t] as usize) else { continue };
            let words = self.arguments(t, *instr, args, state, None).map_err(|f| f.within(span))?;
            let state = &*self.begun(stored, state);
            let mut stops = vec![];
            for rule in &self.by_instr[*instr] {
                stops.extend(self.furthest(*rule, Some((t, &words)), state, |_| true)?);
            }
            out.push((t, stops));
        }
        Ok(out)
    }

    /// Where the rules stop that no instruction sets off and that write one of these slots. Slots with their initial values count only if
    /// all have them: nothing has been put there that could go on. First come the rules whose next premise looks at most of the state, not
    /// only at what the premises before it have bound; of those that look at as much, the ones of which the most premises hold.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub fn blocked_writers(&self, slots: &[usize], state: &[Word]) -> Result<Vec<Blocked>, Fault> {
        let changed: Vec<usize> = slots.iter().copied().filter(|s| state[*s] != self.initial()[*s]).collect();
        let slots = if changed.is_empty() { slots } else { &changed };
        let entries: Vec<Entry> = slots.iter().filter_map(|s| self.state_entry(*s)).collect();
        let mut out = vec![];
        for rule in &self.free {
            let writes = footprint::of(&self.spec, *rule).writes;
            let may = |ps: &[Word]| writes.iter().any(|w| entries.iter().any(|e| self.may_be(w, ps, e)));
            out.extend(self.furthest(*rule, None, state, may)?);
        }
        out.sort_by_key(|b| std::cmp::Reverse((b.looked.len(), b.premise)));
        Ok(out)
    }

    /// Whether what an instance of a rule accesses may be this entry, by the parameters that the text names.
    fn may_be(&self, access: &Access, params: &[Word], entry: &Entry) -> bool {
        let Access::State { var, index, field } = access else { return false };
        let known = |i: &Index| match i {
            Index::Is(slot) => params.get(*slot).copied(),
            Index::NodeOf(_) | Index::Any => None,
        };
        *var == entry.var
            && field.is_none_or(|f| f == entry.field)
            && index.iter().zip(&entry.index).all(|(i, at)| known(i).is_none_or(|k| k == *at))
    }

    /// The instances of a rule, of those that are asked for, of which the most premises hold; nothing if one is enabled or none comes to
    /// a premise.
    fn furthest(
        &self,
        rule: usize,
        on: Option<(usize, &[Word])>,
        state: &[Word],
        wanted: impl Fn(&[Word]) -> bool,
    ) -> Result<Option<Blocked>, Fault> {
        let mut best: Option<Blocked> = None;
        for ps in params(self, rule, on.map(|(t, _)| t as Word)) {
            if !wanted(&ps) {
                continue;
            }
            let Some((premise, looked)) = self.stops(rule, &ps, on, state)? else { continue };
            if premise == self.spec.rules[rule].when.len() {
                return Ok(None);
            }
            match &mut best {
                Some(b) if b.premise > premise => {}
                Some(b) if b.premise == premise => {
                    b.instances.push(ps.into());
                    b.looked.extend(looked);
                    b.looked.sort_unstable();
                    b.looked.dedup();
                }
                _ => {
                    let params: Box<[Word]> = ps.into();
                    let step = Step { rule: Some(rule), thread: on.map(|(t, _)| t), params: params.as_ref().into() };
                    best = Some(Blocked { step, instances: vec![params], premise, looked });
                }
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
        let touched = Touched::default();
        let eval = Eval::watched(self, state, Some(&touched));
        // What was looked at since the last premise was come to is that premise's.
        let looked: RefCell<Vec<Few>> = RefCell::new(vec![Few::default(); r.when.len() + 1]);
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
