//! Programs that are a little other than those of a library of tests: a statement is left out, said twice or earlier, an argument is one
//! that the library has in the same place elsewhere, a function another one that is called in the same way, two programs run at once.
//!
//! Most such programs are erroneous or wait for ever. That is of use, too: what calls ask for is held by programs that do not comply.

use super::program::Program;
use crate::generate::Dice;
use litmpi_litmus::sites::{self, Call};
use litmpi_spec::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What the calls of a library of tests say.
#[derive(Debug, Default)]
pub struct Words {
    /// By function and name of an argument, and by the name alone: what is given for it.
    values: BTreeMap<String, BTreeSet<String>>,
    /// By the names of their arguments: functions.
    alike: BTreeMap<String, BTreeSet<String>>,
}

/// How the arguments of a call are named.
fn shape(call: &Call) -> String {
    call.args.iter().map(|(name, _)| name.as_deref().unwrap_or("_")).collect::<Vec<_>>().join(" ")
}

/// Where a value stands: what the library gives there may be put in its place.
fn place(call: &Call, arg: usize) -> String {
    match &call.args[arg].0 {
        Some(name) => name.clone(),
        None => format!("{} {arg}", call.name),
    }
}

impl Words {
    /// Of the texts of tests; one that cannot be read says nothing.
    pub fn of<'s>(sources: impl Iterator<Item = &'s Arc<Source>>) -> Words {
        let mut out = Words::default();
        for call in sources.flat_map(|s| sites::ranks(s).unwrap_or_default()).flat_map(|r| r.calls) {
            for (i, (_, value)) in call.args.iter().enumerate() {
                out.values.entry(place(&call, i)).or_default().insert(value.clone());
            }
            out.alike.entry(shape(&call)).or_default().insert(call.name.clone());
        }
        out
    }
}

impl Program {
    /// A program that is a little other than this one; perhaps it runs at once with the other one, if that has as many ranks. The
    /// same dice give the same program.
    #[must_use]
    pub fn perturbed(&self, other: &Program, words: &Words, seed: u64) -> Program {
        let mut dice = Dice::new(seed);
        let mut out = self.clone();
        if other.ranks.len() == self.ranks.len() && dice.one_in(3) {
            out = out.shuffled(other, &mut dice);
        }
        for _ in 0..1 + dice.roll(3) {
            out = out.once(words, &mut dice);
        }
        out
    }

    fn once(mut self, words: &Words, dice: &mut Dice) -> Program {
        let filled: Vec<usize> = (0..self.ranks.len()).filter(|r| !self.ranks[*r].statements.is_empty()).collect();
        if filled.is_empty() {
            return self;
        }
        let r = filled[dice.roll(filled.len())];
        let s = dice.roll(self.ranks[r].statements.len());
        match dice.roll(9) {
            0 => _ = self.ranks[r].statements.remove(s),
            1 => {
                let again = self.ranks[r].statements[s].clone();
                let at = dice.roll(self.ranks[r].statements.len() + 1);
                self.ranks[r].statements.insert(at, again);
            }
            2 => {
                let at = dice.roll(self.ranks[r].statements.len());
                self.ranks[r].statements.swap(s, at);
            }
            3 => {
                let to = dice.roll(self.ranks.len());
                let copy = self.ranks[r].statements[s].clone();
                let at = dice.roll(self.ranks[to].statements.len() + 1);
                self.ranks[to].statements.insert(at, copy);
            }
            of => {
                let text = &mut self.ranks[r].statements[s];
                if let Some(other) = changed(text, words, of == 4, dice) {
                    *text = other;
                }
            }
        }
        self
    }
}

/// A statement with another function, or another argument, in one of its calls.
fn changed(text: &str, words: &Words, function: bool, dice: &mut Dice) -> Option<String> {
    let head = "litmus mpi one \"\" rank 0 { ";
    let ranks = sites::ranks(&Source::new("one", format!("{head}{text} }} exists true"))).ok()?;
    let calls = &ranks.first()?.calls;
    let call = calls.get(dice.roll(calls.len().max(1)))?;
    let pick = |of: Option<&BTreeSet<String>>, dice: &mut Dice| of?.iter().nth(dice.roll(of?.len())).cloned();
    let mut new = call.clone();
    if function || new.args.is_empty() {
        new.name = pick(words.alike.get(&shape(call)), dice)?;
    } else {
        let i = dice.roll(new.args.len());
        new.args[i].1 = pick(words.values.get(&place(call, i)), dice)?;
    }
    let args = new.args.iter().map(|(name, value)| match name {
        Some(name) => format!("{name}: {value}"),
        None => value.clone(),
    });
    let args = args.collect::<Vec<_>>().join(", ");
    let at = call.at.start - head.len()..call.at.end - head.len();
    Some(format!("{}{}({args}){}", &text[..at.start], new.name, &text[at.end..]))
}
