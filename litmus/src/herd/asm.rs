//! Columns of instructions to threads.

use super::flow::{self, Item};
use super::operand::Operand;
use super::{NODE, Reader, Rule};
use crate::herd::init::Init;
use crate::raw::{Name, Number, Observable, Stmt, Thread};
use litmpi_spec::program::BinaryOp;
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
    Jump { target: Name, cond: Option<BinaryOp>, span: Span },
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
    ("cmpxchg", 2),
    ("mfence", 0),
    ("lfence", 0),
    ("sfence", 0),
    ("nop", 0),
    ("pause", 0),
    ("endbr64", 0),
];

/// Jumps and what they ask of the two sides of a comparison; `js` and `jns` of a result and 0, which comes to the same
/// where nothing overflows.
const JUMPS: &[(&str, Option<BinaryOp>)] = &[
    ("jmp", None),
    ("je", Some(BinaryOp::Eq)),
    ("jz", Some(BinaryOp::Eq)),
    ("jne", Some(BinaryOp::Ne)),
    ("jnz", Some(BinaryOp::Ne)),
    ("jl", Some(BinaryOp::Lt)),
    ("jlt", Some(BinaryOp::Lt)),
    ("js", Some(BinaryOp::Lt)),
    ("jle", Some(BinaryOp::Le)),
    ("jg", Some(BinaryOp::Gt)),
    ("jgt", Some(BinaryOp::Gt)),
    ("jge", Some(BinaryOp::Ge)),
    ("jns", Some(BinaryOp::Ge)),
];

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
        let (word, at) = word.expect("an instruction has a name");
        if let Some((_, cond)) = JUMPS.iter().find(|(name, _)| *name == word) {
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
            return Some(Line::Jump { target, cond: *cond, span });
        }
        if matches!(word.as_str(), "ret" | "retq") && operands.is_empty() {
            let target = Name { text: flow::END.to_owned(), span: span.clone() };
            return Some(Line::Jump { target, cond: None, span });
        }
        if matches!(word.as_str(), "nop" | "nopw" | "nopl" | "nopq") {
            // What an instruction that does nothing does not do it to.
            operands.clear();
        }
        let (name, count, narrow) = self.mnemonic(&word, &at)?;
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
        whole.then_some(Line::Instruction(Instruction { lock, name: name.to_owned(), word, narrow, operands, span }))
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
                let names = INSTRUCTIONS.iter().map(|(n, _)| *n).chain(JUMPS.iter().map(|(n, _)| *n)).chain(["ret"]);
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
        let flags = lines.iter().any(|l| matches!(l, Line::Jump { cond: Some(_), .. }));
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
                    let cond = cond.map(|op| (op, Box::new(super::translate::flags(span))));
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
