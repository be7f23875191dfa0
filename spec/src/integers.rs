//! Integers of programs: how many bits they have, and what operators give for them.
//!
//! Evaluators of rules, candidate executions of declarative models and the reader of tests all reckon with these.

use crate::program::{BinaryOp, UnaryOp};
use serde::{Deserialize, Serialize};
use std::fmt;

/// How many bits the integers of programs have: from 2 to 64, two's complement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bits(u32);

/// Why an expression has no value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoValue {
    /// The integers of the program have no room for it.
    Overflow,
    /// It takes a remainder by 0.
    ModuloByZero,
}

impl Default for Bits {
    fn default() -> Bits {
        Bits(64)
    }
}

impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Bits {
    /// So many bits; none if integers cannot have as many.
    pub fn new(n: i64) -> Option<Bits> {
        u32::try_from(n).ok().filter(|n| (2..=64).contains(n)).map(Bits)
    }

    /// The least and the greatest integer.
    pub fn range(self) -> (i64, i64) {
        (i64::MIN >> (64 - self.0), i64::MAX >> (64 - self.0))
    }

    /// Whether an integer has no more bits.
    #[inline]
    pub fn holds(self, v: i64) -> bool {
        let unused = 64 - self.0;
        v << unused >> unused == v
    }

    fn within(self, v: Option<i64>) -> Result<i64, NoValue> {
        v.filter(|v| self.holds(*v)).ok_or(NoValue::Overflow)
    }

    /// `op a`.
    ///
    /// # Errors
    /// It has no value.
    pub fn unary(self, op: UnaryOp, a: i64) -> Result<i64, NoValue> {
        match op {
            UnaryOp::Neg => self.within(a.checked_neg()),
            UnaryOp::Not => Ok(i64::from(a == 0)),
        }
    }

    /// `a op b`.
    ///
    /// # Errors
    /// It has no value.
    pub fn binary(self, op: BinaryOp, a: i64, b: i64) -> Result<i64, NoValue> {
        Ok(match op {
            BinaryOp::Add => self.within(a.checked_add(b))?,
            BinaryOp::Sub => self.within(a.checked_sub(b))?,
            BinaryOp::Mul => self.within(a.checked_mul(b))?,
            BinaryOp::Eq => i64::from(a == b),
            BinaryOp::Ne => i64::from(a != b),
            BinaryOp::Lt => i64::from(a < b),
            BinaryOp::Le => i64::from(a <= b),
            BinaryOp::Gt => i64::from(a > b),
            BinaryOp::Ge => i64::from(a >= b),
            BinaryOp::And => i64::from(a != 0 && b != 0),
            BinaryOp::Or => i64::from(a != 0 || b != 0),
            BinaryOp::BitAnd => a & b,
            BinaryOp::BitOr => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Mod if b == 0 => return Err(NoValue::ModuloByZero),
            BinaryOp::Mod => self.within(a.checked_rem_euclid(b))?,
        })
    }
}
