//! States and steps in words: what traces print.

use crate::blocked::Blocked;
use crate::machine::{Machine, Step};
use crate::slots::Entry;
use litmpi_spec::heap::Word;
use litmpi_spec::program::Op;
use litmpi_spec::source::Span;
use litmpi_spec::types::{Sort, Ty};
use std::collections::BTreeSet;

/// One entry of the state that a step changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The entry: `QP[1][2].pipe`, `B[1]`, a register.
    pub entry: String,
    /// Its value before, as the rule language writes it.
    pub before: String,
    /// And after.
    pub after: String,
}

impl Machine {
    /// A thread as programs name it.
    fn element(&self, sort: Sort, i: Word) -> String {
        match sort {
            Sort::Node => self.program.nodes[i as usize].number.to_string(),
            Sort::Thread => self.program.threads[i as usize].number.to_string(),
            Sort::Loc => self.program.name_of(i as usize).into_owned(),
        }
    }

    pub(crate) fn show(&self, ty: &Ty, word: Word) -> String {
        let name = |ty: &Ty, w: Word| match ty {
            Ty::Sort(s) => self.element(*s, w),
            _ if w == 0 => "none".into(),
            _ => self.slot_name(w as usize),
        };
        self.spec.types.show_value(&self.heap, ty, word, &name)
    }

    /// What a slot of the state holds, in words, and the type of its value; program counters have none.
    pub fn slot(&self, slot: usize) -> (String, Option<Ty>) {
        if let Some(Entry { var, index, field }) = self.state_entry(slot) {
            let var = &self.spec.state[var];
            let index = index.iter().zip(&var.index).map(|(w, sort)| format!("[{}]", self.element(*sort, *w)));
            let index: String = index.collect();
            return match var.fields.get(field) {
                Some((field, ty)) => (format!("{}{index}.{field}", var.name), Some(ty.clone())),
                None => (format!("{}{index}", var.name), Some(var.ty.clone())),
            };
        }
        let threads = &self.program.threads;
        let Some(register) = slot.checked_sub(threads.len()) else {
            return (format!("pc[{}]", threads[slot].number), None);
        };
        let t = self.reg_base.iter().rposition(|b| *b <= slot).unwrap_or(0);
        let name = &threads[t].regs[slot - self.reg_base[t]].name;
        (format!("{}:{name}", threads[t].number), Some(self.reg_types[register].clone()))
    }

    /// The name of a slot.
    pub fn slot_name(&self, slot: usize) -> String {
        self.slot(slot).0
    }

    /// What stands in a slot of a state: the entry and its value; nothing for a program counter.
    pub fn entry(&self, slot: usize, state: &[Word]) -> Option<(String, String)> {
        let (name, ty) = self.slot(slot);
        Some((name, self.show(&ty?, state[slot])))
    }

    /// The entries in which two states differ, program counters aside.
    pub fn changes(&self, before: &[Word], after: &[Word]) -> Vec<Change> {
        let mut out = vec![];
        for (slot, (a, b)) in before.iter().zip(after).enumerate() {
            if a != b
                && let (entry, Some(ty)) = self.slot(slot)
            {
                out.push(Change { entry, before: self.show(&ty, *a), after: self.show(&ty, *b) });
            }
        }
        out
    }

    /// A step's name: the rule and its parameters.
    pub fn step_name(&self, step: &Step) -> String {
        self.rule_name(step, &[&step.params])
    }

    /// The name of a rule that is blocked: each parameter with the values of the instances that stop at this premise.
    pub fn blocked_name(&self, blocked: &Blocked) -> String {
        let instances: Vec<&[Word]> = blocked.instances.iter().map(AsRef::as_ref).collect();
        self.rule_name(&blocked.step, &instances)
    }

    fn rule_name(&self, step: &Step, instances: &[&[Word]]) -> String {
        let Some(rule) = step.rule.map(|r| &self.spec.rules[r]) else { return "choice".into() };
        let param = |(i, (name, sort)): (usize, &(String, Sort))| {
            let values: BTreeSet<Word> = instances.iter().map(|ps| ps[i]).collect();
            let values: Vec<String> = values.into_iter().map(|w| self.element(*sort, w)).collect();
            format!("{name} = {}", values.join(" or "))
        };
        let params: Vec<String> = rule.params.iter().enumerate().map(param).collect();
        format!("{} ({})", rule.name, params.join(", "))
    }

    /// Where the program says the instruction that a step runs.
    pub fn step_source(&self, step: &Step, before: &[Word]) -> Option<Span> {
        let t = step.thread?;
        match self.program.threads[t].code.get(before[t] as usize) {
            Some(Op::Exec { span, .. }) => Some(span.clone()),
            _ => None,
        }
    }

    /// The threads that are not through in a state: number, and where each stands.
    pub fn waiting(&self, state: &[Word]) -> Vec<(i64, Option<Span>)> {
        let at = |(t, thread): (usize, &litmpi_spec::program::Thread)| match thread.code.get(state[t] as usize) {
            None => None,
            Some(Op::Exec { span, .. }) => Some((thread.number, Some(span.clone()))),
            Some(_) => Some((thread.number, None)),
        };
        self.program.threads.iter().enumerate().filter_map(at).collect()
    }
}
