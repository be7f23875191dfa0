//! What depends on flags, and what only looks like an access of memory: conditions of jumps, `CMOVcc`, `SETcc`, `LEA`.
//!
//! Flags are the two sides of a comparison ([`super::translate::flags`]). That is all of them but the carry of additions, shifts, `INC` and
//! `DEC`, which says more: in a thread with one of those, conditions that look at the carry are refused.

use super::address::Address;
use super::asm::Instruction;
use super::operand::Operand;
use super::translate::{self, Column, binary, named};
use crate::raw::{Expr, ExprKind, Name, Stmt};
use litmpi_spec::program::BinaryOp;
use litmpi_spec::source::Span;

/// What is asked of the two sides of a comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Condition {
    op: BinaryOp,
    /// The sides are compared as numbers without a sign: the carry.
    unsigned: bool,
}

const fn of(op: BinaryOp, unsigned: bool) -> Condition {
    Condition { op, unsigned }
}

/// The letters behind `j`, `cmov` and `set`; those of signs ask a result and 0, which comes to the same where nothing overflows.
const CONDITIONS: [(&str, Condition); 26] = [
    ("e", of(BinaryOp::Eq, false)),
    ("z", of(BinaryOp::Eq, false)),
    ("ne", of(BinaryOp::Ne, false)),
    ("nz", of(BinaryOp::Ne, false)),
    ("l", of(BinaryOp::Lt, false)),
    ("lt", of(BinaryOp::Lt, false)),
    ("nge", of(BinaryOp::Lt, false)),
    ("s", of(BinaryOp::Lt, false)),
    ("le", of(BinaryOp::Le, false)),
    ("ng", of(BinaryOp::Le, false)),
    ("g", of(BinaryOp::Gt, false)),
    ("gt", of(BinaryOp::Gt, false)),
    ("nle", of(BinaryOp::Gt, false)),
    ("ge", of(BinaryOp::Ge, false)),
    ("nl", of(BinaryOp::Ge, false)),
    ("ns", of(BinaryOp::Ge, false)),
    ("b", of(BinaryOp::Lt, true)),
    ("c", of(BinaryOp::Lt, true)),
    ("nae", of(BinaryOp::Lt, true)),
    ("be", of(BinaryOp::Le, true)),
    ("na", of(BinaryOp::Le, true)),
    ("a", of(BinaryOp::Gt, true)),
    ("nbe", of(BinaryOp::Gt, true)),
    ("ae", of(BinaryOp::Ge, true)),
    ("nb", of(BinaryOp::Ge, true)),
    ("nc", of(BinaryOp::Ge, true)),
];

/// Instructions that set flags whose carry the two sides of the comparison do not say.
pub(super) const OTHER_CARRY: [&str; 6] = ["add", "xadd", "inc", "dec", "shl", "sal"];

impl Condition {
    /// The one that a word such as `jne` asks, if it begins so; `cmovel` may have a letter for its width behind it.
    pub(super) fn behind(begins: &str, word: &str, width: bool) -> Option<Condition> {
        let letters = word.strip_prefix(begins)?;
        let find = |letters: &str| CONDITIONS.iter().find(|(l, _)| *l == letters).map(|(_, c)| *c);
        find(letters).or_else(|| find(letters.strip_suffix(['l', 'q']).filter(|_| width)?))
    }

    /// The comparison that it is.
    pub(super) fn sides(self, wide: bool, span: &Span) -> (BinaryOp, Box<[Expr; 2]>) {
        // With the highest bit the other way round, numbers with a sign are in the order of those without.
        let highest =
            || Expr { kind: ExprKind::Int(if wide { i64::MIN } else { i64::from(i32::MIN) }), span: span.clone() };
        let side = |e: Expr| if self.unsigned { binary(BinaryOp::BitXor, e, highest(), span) } else { e };
        (self.op, Box::new(translate::flags(span).map(side)))
    }

    /// Whether it looks at the carry.
    pub(super) fn is_of_carry(self) -> bool {
        self.unsigned
    }
}

impl Column<'_, '_> {
    /// `CMOVcc`: what is moved is read in any case.
    pub(super) fn conditional_move(&mut self, to: &Operand, from: &Operand, i: &Instruction) {
        let span = &i.span;
        let Operand::Register(r) = to else {
            let help = "the register that is written stands first in X86 tests, and last in X86_64 tests, as assemblers have it";
            self.refuse(span, format!("`{}` writes to a register", i.word), "another place of the result", help);
            return;
        };
        let (Some(old), Some(value)) = (self.read(r, span), self.value_of(from, span)) else { return };
        if !matches!(&old.kind, ExprKind::Place(p) if p.name.text == r.text) {
            self.set(r, old, span);
        }
        let then = vec![self.assigned_now(r, value, span)];
        let cond = self.condition(i);
        self.push(Stmt::If { cond, then, els: vec![], span: span.clone() });
    }

    /// `SETcc`: 1 or 0, in the low bits of a register or in a location.
    pub(super) fn conditional_set(&mut self, to: &Operand, i: &Instruction) {
        let span = &i.span;
        let cond = self.condition(i);
        let int = |n: i64| Expr { kind: ExprKind::Int(n), span: span.clone() };
        let one = vec![translate::assign(translate::TEMPORARY, int(1), span)];
        let none = vec![translate::assign(translate::TEMPORARY, int(0), span)];
        self.push(Stmt::If { cond, then: one, els: none, span: span.clone() });
        let value = named(translate::TEMPORARY, span);
        match to {
            Operand::Register(r) => self.set(r, value, span),
            Operand::Part(r, 8) => {
                let Some(old) = self.read(r, span) else { return };
                let high = binary(BinaryOp::BitAnd, old, int(!0xff), span);
                self.set(r, binary(BinaryOp::BitOr, high, value, span), span);
            }
            Operand::At(x) => self.store(x, value, span),
            _ => {
                let help = "its operand is a register, its low 8 bits (AL), or a location";
                self.refuse(span, format!("`{}` sets 8 bits", i.word), "another operand", help);
            }
        }
    }

    fn condition(&mut self, i: &Instruction) -> Expr {
        self.asked(&i.span);
        let (op, sides) = i.cond.expect("it has one").sides(self.is_wide(), &i.span);
        let [a, b] = *sides;
        binary(op, a, b, &i.span)
    }

    /// `LEA`: the address itself, which may be any sum.
    pub(super) fn load_address(&mut self, to: &Operand, from: &Operand, i: &Instruction) {
        let span = &i.span;
        let (Operand::Register(r), Operand::Memory(address)) = (to, from) else {
            let help = "`LEA EAX,[x]` in X86 tests, `lea (x),%rax` in X86_64 tests";
            self.refuse(span, "`lea` has an address and a register".to_owned(), "its operands", help);
            return;
        };
        let Some(value) = self.number(address) else { return };
        self.set(r, value, span);
    }

    /// An address as a number.
    fn number(&mut self, a: &Address) -> Option<Expr> {
        let span = &a.span;
        let mut known = a.offset;
        if let Some(x) = &a.symbol {
            known += self.begins(x);
        }
        let mut sum: Option<Expr> = None;
        for (register, scale) in a.base.iter().map(|r| (r, 1)).chain(a.scaled.as_ref().map(|(r, s)| (r, *s))) {
            let value = self.read(register, span)?;
            if let ExprKind::Int(n) = value.kind {
                known += n * scale;
                continue;
            }
            let factor = Expr { kind: ExprKind::Int(scale), span: span.clone() };
            let value = if scale == 1 { value } else { binary(BinaryOp::Mul, value, factor, span) };
            sum = Some(sum.map_or(value.clone(), |sum| binary(BinaryOp::Add, sum, value, span)));
        }
        let number = Expr { kind: ExprKind::Int(known), span: span.clone() };
        Some(match sum {
            None => number,
            Some(sum) if known == 0 => sum,
            Some(sum) => binary(BinaryOp::Add, sum, number, span),
        })
    }

    fn begins(&mut self, x: &Name) -> i64 {
        self.number_of_symbol(x)
    }
}
