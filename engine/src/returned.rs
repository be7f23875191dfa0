//! Errors that calls of a running program return. A requirement that is broken ends all; where a specification says by what class a call would tell
//! of it ([`Machine::returns`]), and its rule of [`FAIL`] lets the program go on, the call does that in place of what it would do.

use crate::eval::Fault;
use crate::machine::{Fired, Machine, Target};
use crate::touched::Touched;
use litmpi_spec::heap::Word;
use litmpi_spec::program::Op;
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// The instruction that stands for a call that fails: by which communicator and window, and the class of the error.
const FAIL: &str = "fail";
/// The one behind each call of a program that is told of errors.
const LAST: &str = "last_error";
/// The kinds of arguments that say whose error it is.
const OBJECTS: [&str; 2] = ["comm", "win"];

/// What is returned.
#[derive(Debug)]
pub(crate) struct Returned {
    /// The rule of [`FAIL`].
    rule: usize,
    last: usize,
    /// By rule and requirement.
    classes: BTreeMap<(usize, usize), i64>,
    /// By instruction: which of its arguments are [`OBJECTS`].
    objects: Vec<[Option<usize>; 2]>,
}

impl Machine {
    /// Says by what class calls tell of a requirement that is broken, by the requirement's words. It is nothing to a specification without [`FAIL`].
    pub fn returns(&mut self, classes: &BTreeMap<String, i64>) {
        let instructions = &self.spec.instructions;
        let (Some(fail), Some(last)) = (instructions.find(FAIL), instructions.find(LAST)) else { return };
        let Some(rule) = self.by_instr[fail].first().copied() else { return };
        let of_rule = |(rule, r): (usize, &litmpi_spec::ir::Rule)| {
            let class = |(i, (_, why)): (usize, &(_, String))| Some(((rule, i), *classes.get(why)?));
            r.requires.iter().enumerate().filter_map(class).collect::<Vec<_>>()
        };
        let classes = self.spec.rules.iter().enumerate().flat_map(of_rule).collect();
        let objects = instructions.list.iter().map(|i| {
            OBJECTS.map(|kind| i.params.iter().position(|p| instructions.kinds[p.kind].name == kind && !p.list))
        });
        let objects = objects.collect();
        self.returned = Some(Returned { rule, last, classes, objects });
        self.remembered.forget();
    }

    /// Has the call of a thread, which breaks a requirement of a rule, return an error; false if it does not.
    pub(crate) fn fails(
        &self,
        (rule, requirement): (usize, usize),
        (t, args): (usize, &[Word]),
        state: &[Word],
        watch: Option<&Touched>,
        visit: &mut dyn FnMut(Target<'_>, &[usize]),
    ) -> Result<bool, Fault> {
        let Some(returned) = &self.returned else { return Ok(false) };
        let Some(class) = returned.classes.get(&(rule, requirement)) else { return Ok(false) };
        // What else the call would have done is left out: what comes next is that the program is told.
        let code = &self.program.threads[t].code[state[t] as usize..];
        let is_told = |op: &Op| matches!(op, Op::Exec { instr, .. } if *instr == returned.last);
        let ahead = code.iter().take_while(|op| !matches!(op, Op::Ask(_))).position(is_told);
        let (Some(ahead), Some((_, instr, _))) = (ahead, &self.spec.rules[rule].on) else { return Ok(false) };
        let mut from: SmallVec<[Word; 64]> = state.into();
        from[t] += ahead as Word - 1;
        let object = |i: &Option<usize>| i.map_or_else(|| self.heap.word(0), |i| args[i]);
        let [comm, win] = &returned.objects[*instr];
        let words = [object(comm), object(win), self.heap.word(*class)];
        let mut frame: SmallVec<[Word; 8]> = SmallVec::from_elem(0, self.spec.rules[returned.rule].slots);
        let (mut next, mut done) = (from.to_vec(), false);
        self.instance(returned.rule, (&mut frame, Some((t, &words))), &from, &mut next, watch, &mut |fired: Fired<
            '_,
        >| {
            if let Target::State(_) = fired.to {
                done = true;
                visit(fired.to, fired.written);
            }
        })?;
        Ok(done)
    }
}
