//! Values that are not known before reads have found their writes.
//!
//! Expressions are the program's own, with the number of the read's event in place of a register.

use litmpi_spec::program::{BinaryOp, IntExpr, UnaryOp};

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Known(i32),
    /// Some read that it depends on has no write yet.
    Open,
    /// It depends on itself: no execution has it.
    Circular,
    /// Out of the range of `Int`.
    Overflow,
    /// What a race leaves: any value.
    Undefined,
}

fn unary(op: UnaryOp, a: i32) -> Option<i32> {
    match op {
        UnaryOp::Neg => a.checked_neg(),
        UnaryOp::Not => Some(i32::from(a == 0)),
    }
}

fn binary(op: BinaryOp, a: i32, b: i32) -> Option<i32> {
    Some(match op {
        BinaryOp::Add => a.checked_add(b)?,
        BinaryOp::Sub => a.checked_sub(b)?,
        BinaryOp::Mul => a.checked_mul(b)?,
        BinaryOp::Eq => i32::from(a == b),
        BinaryOp::Ne => i32::from(a != b),
        BinaryOp::Lt => i32::from(a < b),
        BinaryOp::Le => i32::from(a <= b),
        BinaryOp::Gt => i32::from(a > b),
        BinaryOp::Ge => i32::from(a >= b),
        BinaryOp::And => i32::from(a != 0 && b != 0),
        BinaryOp::Or => i32::from(a != 0 || b != 0),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::Mod => a.checked_rem_euclid(b)?,
    })
}

/// A constant.
pub(super) fn constant(v: i32) -> IntExpr {
    IntExpr::Const(v, None)
}

/// `op a`, computed if it is constant.
pub(super) fn unary_of(op: UnaryOp, a: IntExpr) -> IntExpr {
    let folded = if let IntExpr::Const(a, _) = a { unary(op, a) } else { None };
    folded.map_or_else(|| IntExpr::Unary(op, Box::new(a)), constant)
}

/// `a op b`, computed if it is constant.
pub(super) fn binary_of(op: BinaryOp, a: IntExpr, b: IntExpr) -> IntExpr {
    let folded = match (&a, &b) {
        (IntExpr::Const(a, _), IntExpr::Const(b, _)) => binary(op, *a, *b),
        _ => None,
    };
    folded.map_or_else(|| IntExpr::Binary(op, Box::new(a), Box::new(b)), constant)
}

/// Puts `with(r)` for each register `r`, and computes what is constant.
pub(super) fn substitute(e: &IntExpr, with: &impl Fn(usize) -> IntExpr) -> IntExpr {
    match e {
        IntExpr::Const(..) => e.clone(),
        IntExpr::Reg(r, _) => with(*r),
        IntExpr::Unary(op, a) => unary_of(*op, substitute(a, with)),
        IntExpr::Binary(op, a, b) => binary_of(*op, substitute(a, with), substitute(b, with)),
    }
}

/// The value of an expression, given those of reads.
pub(super) fn evaluate(e: &IntExpr, read: &mut dyn FnMut(usize) -> Value) -> Value {
    let told = |v: Option<i32>| v.map_or(Value::Overflow, Value::Known);
    match e {
        IntExpr::Const(v, _) => Value::Known(*v),
        IntExpr::Reg(r, _) => read(*r),
        IntExpr::Unary(op, a) => match evaluate(a, read) {
            Value::Known(a) => told(unary(*op, a)),
            other => other,
        },
        IntExpr::Binary(op, a, b) => match (evaluate(a, read), evaluate(b, read)) {
            (Value::Known(a), Value::Known(b)) => told(binary(*op, a, b)),
            // What is not known yet may still turn out to be worse than undefined.
            (Value::Known(_) | Value::Undefined, other) | (other, _) => other,
        },
    }
}
