//! Columns of instructions to threads.

use super::address::Cell;
use super::conditional::{Condition, OTHER_CARRY};
use super::flow::{self, Item};
use super::operand::Operand;
use super::{NODE, Reader, Rule};
use crate::herd::init::Init;
use crate::raw::{Name, Number, Observable, Stmt, Thread};
use litmpi_spec::source::Span;
use pest::iterators::Pair;

/// The columns as they stand.
#[derive(Debug, Default)]
pub(super) struct Code {
    processes: Vec<Number>,
    columns: Vec<Vec<Line>>,
}

#[derive(Debug)]
enum Line {
    Label(Name),
    Instruction(Instruction),
    Jump { target: Name, cond: Option<Condition>, span: Span },
}

/// An instruction other than a jump.
#[derive(Debug, Clone)]
pub(super) struct Instruction {
    pub(super) lock: bool,
    /// In lower case, without the letter for its width.
    pub(super) name: String,
    /// The same with that letter.
    pub(super) word: String,
    /// How many bits, if fewer than 32.
    pub(super) narrow: Option<u32>,
    pub(super) operands: Vec<Operand>,
    /// Of `CMOVcc` and `SETcc`, whose names here are `cmov` and `set`.
    pub(super) cond: Option<Condition>,
    pub(super) span: Span,
}

/// The instructions that are supported, and how many operands each has.
pub(super) const INSTRUCTIONS: &[(&str, usize)] = &[
    ("mov", 2),
    ("add", 2),
    ("sub", 2),
    ("and", 2),
    ("or", 2),
    ("xor", 2),
    ("inc", 1),
    ("dec", 1),
    ("shl", 2),
    ("sal", 2),
    ("cmp", 2),
    ("test", 2),
    ("xchg", 2),
    ("xadd", 2),
    ("uxch", 2),
    ("cmpxchg", 2),
    ("lea", 2),
    ("mfence", 0),
    ("lfence", 0),
    ("sfence", 0),
    ("nop", 0),
    ("pause", 0),
    ("endbr64", 0),
];

/// What only speaks of the cache: it changes no value, and no model here orders it.
pub(super) const CACHE: [&str; 9] =
    ["clflush", "clflushopt", "clwb", "cldemote", "prefetchw", "prefetchnta", "prefetcht0", "prefetcht1", "prefetcht2"];

impl Line {
    /// What it asks of the flags.
    fn cond(&self) -> Option<Condition> {
        match self {
            Line::Label(_) => None,
            Line::Instruction(i) => i.cond,
            Line::Jump { cond, .. } => *cond,
        }
    }

    /// The locations whose addresses it makes numbers of.
    fn addresses(&self) -> Vec<&Name> {
        let Line::Instruction(i) = self else { return vec![] };
        fn of<'a>(operand: &'a Operand, instruction: &str) -> Option<&'a Name> {
            match operand {
                Operand::Symbol(x) => Some(x),
                Operand::Memory(a) if instruction == "lea" => a.symbol.as_ref(),
                _ => None,
            }
        }
        i.operands.iter().filter_map(|o| of(o, &i.name)).collect()
    }
}

impl Instruction {
    /// The registers that it may assign: all that stand as they are, and the accumulator.
    fn changes(&self) -> Vec<String> {
        let register = |o: &Operand| match o {
            Operand::Register(r) | Operand::Part(r, _) => Some(r.text.clone()),
            _ => None,
        };
        let mut out: Vec<String> = self.operands.iter().filter_map(register).collect();
        match (self.name.as_str(), out.as_mut_slice()) {
            ("cmp" | "test", _) => out.clear(),
            ("cmpxchg", _) => out = ["EAX", "rax"].map(str::to_owned).to_vec(),
            _ => {}
        }
        out
    }
}

impl Reader<'_> {
    pub(super) fn processes(&mut self, pair: Pair<'_, Rule>) -> Code {
        let processes: Vec<Number> =
            pair.into_inner().filter(|p| p.as_rule() == Rule::process).map(|p| self.process_number(&p)).collect();
        let columns = processes.iter().map(|_| Vec::new()).collect();
        Code { processes, columns }
    }

    pub(super) fn row(&mut self, pair: Pair<'_, Rule>, code: &mut Code) {
        let span = self.span(&pair);
        let cells: Vec<_> = pair.into_inner().filter(|p| p.as_rule() == Rule::cell).collect();
        if cells.len() != code.columns.len() {
            let found = format!("{} columns", cells.len());
            let message = format!("the test has {} processes", code.columns.len());
            self.error(&span, message, found, "separate columns by `|` and end each line with `;`");
            return;
        }
        for (cell, column) in cells.into_iter().zip(&mut code.columns) {
            for part in cell.into_inner() {
                match part.as_rule() {
                    Rule::label => {
                        let name = part.into_inner().next().expect("a label has a name");
                        column.push(Line::Label(Name { text: name.as_str().to_owned(), span: self.span(&name) }));
                    }
                    _ => column.extend(self.instruction(part)),
                }
            }
        }
    }

    fn instruction(&mut self, pair: Pair<'_, Rule>) -> Option<Line> {
        let span = self.span(&pair);
        let (mut lock, mut word, mut operands) = (false, None, Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::lock => lock = true,
                Rule::mnemonic => word = Some((part.as_str().to_ascii_lowercase(), self.span(&part))),
                _ => operands.push(part),
            }
        }
        let (mut word, at) = word.expect("an instruction has a name");
        let jump = if word == "jmp" { Some(None) } else { Condition::behind("j", &word, false).map(Some) };
        if let Some(cond) = jump {
            let [target] = operands.as_slice() else {
                self.error(
                    &span,
                    format!("`{word}` goes to one label"),
                    "no label, or several",
                    format!("write `{word} L`"),
                );
                return None;
            };
            let target = Name { text: target.as_str().trim().to_owned(), span: self.span(target) };
            return Some(Line::Jump { target, cond, span });
        }
        if matches!(word.as_str(), "ret" | "retq") && operands.is_empty() {
            let target = Name { text: flow::END.to_owned(), span: span.clone() };
            return Some(Line::Jump { target, cond: None, span });
        }
        if matches!(word.as_str(), "nop" | "nopw" | "nopl" | "nopq") {
            // What an instruction that does nothing does not do it to.
            operands.clear();
        }
        if CACHE.contains(&word.as_str()) {
            operands.clear();
            "nop".clone_into(&mut word);
        }
        let cond =
            ["cmov", "set"].into_iter().find_map(|name| Some((name, Condition::behind(name, &word, name == "cmov")?)));
        let (name, count, narrow) = match cond {
            Some(("set", _)) => ("set", 1, Some(8)),
            Some((name, _)) => (name, 2, None),
            None => self.mnemonic(&word, &at)?,
        };
        if operands.len() != count {
            let found = format!("{} operands", operands.len());
            self.error(&span, format!("`{word}` has {count} operands"), found, "separate operands by commas");
            return None;
        }
        let before = self.errors.len();
        let operands: Vec<Operand> = operands.into_iter().filter_map(|o| self.operand(o)).collect();
        for operand in operands.iter().filter(|_| narrow.is_none()) {
            if let Operand::Part(register, _) = operand {
                let at = register.span.clone();
                self.part(at.text(), &at);
            }
        }
        let whole = self.errors.len() == before;
        let (name, cond) = (name.to_owned(), cond.map(|(_, cond)| cond));
        whole.then_some(Line::Instruction(Instruction { lock, name, word, narrow, operands, cond, span }))
    }

    /// An instruction by its name, with or without a letter for its width, how many operands it has, and its width if that is narrow.
    fn mnemonic(&mut self, word: &str, at: &Span) -> Option<(&'static str, usize, Option<u32>)> {
        let find = |name: &str| INSTRUCTIONS.iter().find(|(n, _)| *n == name).copied();
        if let Some((name, operands)) = find(word) {
            return Some((name, operands, None));
        }
        let (name, width) = word.split_at_checked(word.len() - 1).unwrap_or((word, ""));
        match (find(name).filter(|(name, operands)| *operands > 0 || *name == "nop"), width) {
            (Some((name, operands)), "l" | "q") => return Some((name, operands, None)),
            (Some((name @ ("mov" | "nop"), operands)), "b" | "w") => {
                return Some((name, operands, Some(if width == "b" { 8 } else { 16 })));
            }
            (Some(_), "b" | "w") => {
                let help = "accesses of 32 and 64 bits are supported, and MOVB and MOVW of locations of that width";
                self.error(at, format!("`{word}` accesses part of a location"), "16 or 8 bits", help);
            }
            _ => {
                if name.starts_with("movnt") || word.starts_with("movnt") {
                    let help = "what such moves write reaches memory out of order on the processor, and no model here says how";
                    self.error(at, format!("the instruction `{word}` is not supported"), "a move past the cache", help);
                    return None;
                }
                let conditional =
                    ["jmp", "je", "jne", "jl", "jle", "jg", "jge", "js", "jns", "jb", "ja", "cmove", "sete", "ret"];
                let names = INSTRUCTIONS.iter().map(|(n, _)| *n).chain(conditional).chain(CACHE);
                let all: Vec<&str> = names.clone().collect();
                let help = litmpi_spec::suggest::nearest(word, names).map_or_else(
                    || format!("instructions are: {}", all.join(", ")),
                    |near| format!("did you mean `{near}`? instructions are: {}", all.join(", ")),
                );
                self.error(at, format!("the instruction `{word}` is not supported"), "unknown", help);
            }
        }
        None
    }

    /// Refuses what looks at the carry in a thread with an instruction that says of it what two sides of a comparison do not.
    fn carries(&mut self, lines: &[Line]) {
        let other = lines.iter().find_map(|l| match l {
            Line::Instruction(i) if OTHER_CARRY.contains(&i.name.as_str()) => Some(i.name.clone()),
            _ => None,
        });
        let asks = lines.iter().find(|l| l.cond().is_some_and(Condition::is_of_carry));
        if let (Some(other), Some(Line::Jump { span, .. } | Line::Instruction(Instruction { span, .. }))) =
            (other, asks)
        {
            let help = "conditions without signs are supported behind CMP, SUB, AND, OR, XOR, TEST and CMPXCHG, in threads that have no other";
            let message = format!("the carry of `{other}` is not supported");
            self.error(span, message, format!("it looks at the carry, and the thread has `{other}`"), help);
        }
    }

    /// The threads; locations and registers that they name are added to the initial state.
    pub(super) fn threads(&mut self, code: Code, state: &mut Init, observed: &[&Observable]) -> Vec<Thread> {
        for (process, _) in state.registers.clone().keys() {
            if !code.processes.iter().any(|p| p.value == *process) {
                let (register, _) =
                    state.registers.iter().find(|((p, _), _)| p == process).map(|(_, r)| r).expect("it is there");
                let span = register.span.clone();
                self.error(
                    &span,
                    format!("there is no process {process}"),
                    "not in the line of processes",
                    "name a process of the test",
                );
            }
        }
        let mut out = Vec::new();
        for (number, lines) in code.processes.into_iter().zip(code.columns) {
            let own = |o: &&&Observable| o.thread.as_ref().is_some_and(|t| t.value == number.value);
            let watched = observed.iter().filter(own).map(|o| &o.name);
            let body = self.thread(&number, &lines, state, watched);
            let on = Number { value: NODE, span: number.span.clone() };
            out.push(Thread { number, on, rank: false, body });
        }
        out
    }

    fn thread<'o>(
        &mut self,
        number: &Number,
        lines: &[Line],
        state: &mut Init,
        watched: impl Iterator<Item = &'o Name>,
    ) -> Vec<Stmt> {
        let flags = lines.iter().any(|l| l.cond().is_some());
        self.carries(lines);
        for name in lines.iter().flat_map(Line::addresses) {
            self.take(&Cell { name: name.text.clone(), element: 0, span: name.span.clone() }, state);
        }
        let straight = !lines.iter().any(|l| matches!(l, Line::Label(_)));
        let changing =
            lines.iter().flat_map(|l| if let Line::Instruction(i) = l { i.changes() } else { vec![] }).collect();
        let mut column = super::translate::Column::new(self, state, number.value, flags, straight, changing);
        let mut items = Vec::new();
        for line in lines {
            items.push(match line {
                Line::Label(name) => Item::Label(name.clone()),
                Line::Jump { target, cond, span } => {
                    if cond.is_some() {
                        column.asked(span);
                    }
                    let cond = cond.map(|c| c.sides(column.is_wide(), span));
                    Item::Jump { target: target.clone(), cond, span: span.clone() }
                }
                Line::Instruction(instruction) => Item::Run(column.instruction(instruction)),
            });
        }
        items.push(Item::Label(Name { text: flow::END.to_owned(), span: number.span.clone() }));
        let mut body = column.beginning(&number.span, watched);
        body.extend(flow::structured(self, &items));
        body
    }
}
