//! Which form the contents of a test's locations have: one that its operations carry. The forms are the harness's (`c/contents.c`);
//! what an operation carries, its declaration says (`carries`).

use litmpi_litmus::ast::{Stmt, Test};
use litmpi_spec::decl::{Instructions, Kind};
use litmpi_spec::program::{IntExpr, Operand};
use std::collections::BTreeSet;

/// The forms, as the harness numbers them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contents {
    /// Value and place: for copies, and what keeps places apart.
    Placed,
    /// The same, and sums of it.
    Summed,
    /// Value, 0 or 1, by place.
    Masked,
    /// Value or 0, by place.
    Zeroed,
}

impl Contents {
    /// The form for a test: all its locations have one, because a value may go from any of them to any other.
    pub(crate) fn of(test: &Test, instructions: &Instructions) -> Contents {
        let mut found = Found::default();
        test.locs.iter().for_each(|l| found.value(l.initial));
        test.threads.iter().for_each(|t| found.block(&t.body, instructions));
        let words: Vec<&str> = found.words.iter().map(String::as_str).collect();
        match words.as_slice() {
            [] => Contents::Placed,
            ["places"] if found.within(0, 2047) => Contents::Placed,
            ["sums"] if found.within(-127, 127) => Contents::Summed,
            words if words.contains(&"sums") || words.contains(&"zeros") => Contents::Zeroed,
            _ => Contents::Masked,
        }
    }

    /// The harness's name of it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Contents::Placed => "LITMPI_PLACED",
            Contents::Summed => "LITMPI_SUMMED",
            Contents::Masked => "LITMPI_MASKED",
            Contents::Zeroed => "LITMPI_ZEROED",
        }
    }
}

/// What the operations of a test carry, and the least and the greatest value that it names.
#[derive(Default)]
struct Found {
    words: BTreeSet<String>,
    least: i64,
    greatest: i64,
}

impl Found {
    fn value(&mut self, v: i64) {
        self.least = self.least.min(v);
        self.greatest = self.greatest.max(v);
    }

    fn within(&self, least: i64, greatest: i64) -> bool {
        least <= self.least && self.greatest <= greatest
    }

    fn block(&mut self, body: &[Stmt], instructions: &Instructions) {
        for s in body {
            match s {
                Stmt::Call { instr, args, .. } => {
                    for (param, arg) in instructions.list[*instr].params.iter().zip(args) {
                        self.operand(instructions.kind(param), arg);
                    }
                }
                Stmt::Set { expr, .. } => self.expr(expr),
                Stmt::If { then, els, .. } => {
                    self.block(then, instructions);
                    self.block(els, instructions);
                }
                Stmt::While { body, .. } => self.block(body, instructions),
                Stmt::Choose { of, .. } => of.iter().for_each(|b| self.block(b, instructions)),
            }
        }
    }

    fn operand(&mut self, kind: &Kind, arg: &Operand) {
        for (name, word) in &kind.carries {
            let named = matches!(arg, Operand::Int(IntExpr::Const(v, _)) if kind.value_of(name) == Some(*v));
            if named || (name.is_empty() && !matches!(arg, Operand::NoReg)) {
                self.words.insert(word.clone());
            }
        }
        match arg {
            // Ranks, tags and counts have constants of their own.
            Operand::Int(e) if kind.names.is_empty() => self.expr(e),
            Operand::List(items) => items.iter().for_each(|i| self.operand(kind, i)),
            _ => {}
        }
    }

    fn expr(&mut self, e: &IntExpr) {
        match e {
            IntExpr::Const(v, _) => self.value(*v),
            IntExpr::Reg(..) => {}
            IntExpr::Unary(_, a) => self.expr(a),
            IntExpr::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
        }
    }
}
