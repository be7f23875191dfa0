//! Values that are not known before reads have found their writes.
//!
//! Expressions are the program's own, with the number of the read's event in place of a register.

use litmpi_spec::integers::{Bits, NoValue};
use litmpi_spec::program::{BinaryOp, IntExpr, UnaryOp};

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value {
    Known(i64),
    /// Some read that it depends on has no write yet.
    Open,
    /// It depends on itself: no execution has it.
    Circular,
    /// It has none, for this reason.
    None(NoValue),
    /// What a race leaves: any value, another one wherever it is looked at. What is computed from it is undefined, too, and
    /// a condition on it may turn out either way.
    Undefined,
}

/// A constant.
pub(super) fn constant(v: i64) -> IntExpr {
    IntExpr::Const(v, None)
}

/// Whether a connective is settled by one operand.
fn settles(op: BinaryOp, operand: i64) -> bool {
    match op {
        BinaryOp::And => operand == 0,
        BinaryOp::Or => operand != 0,
        _ => false,
    }
}

/// `op a`, computed if it is constant.
pub(super) fn unary_of(bits: Bits, op: UnaryOp, a: IntExpr) -> IntExpr {
    let folded = if let IntExpr::Const(a, _) = a { bits.unary(op, a).ok() } else { None };
    folded.map_or_else(|| IntExpr::Unary(op, Box::new(a)), constant)
}

/// `a op b`, computed if it is constant.
pub(super) fn binary_of(bits: Bits, op: BinaryOp, a: IntExpr, b: IntExpr) -> IntExpr {
    let folded = match (&a, &b) {
        (IntExpr::Const(a, _), IntExpr::Const(b, _)) => bits.binary(op, *a, *b).ok(),
        _ => None,
    };
    folded.map_or_else(|| IntExpr::Binary(op, Box::new(a), Box::new(b)), constant)
}

/// Puts `with(r)` for each register `r`, and computes what is constant.
pub(super) fn substitute(bits: Bits, e: &IntExpr, with: &impl Fn(usize) -> IntExpr) -> IntExpr {
    match e {
        IntExpr::Const(..) => e.clone(),
        IntExpr::Reg(r, _) => with(*r),
        IntExpr::Unary(op, a) => unary_of(bits, *op, substitute(bits, a, with)),
        IntExpr::Binary(op, a, b) => binary_of(bits, *op, substitute(bits, a, with), substitute(bits, b, with)),
    }
}

/// The value of an expression, given those of reads.
pub(super) fn evaluate(bits: Bits, e: &IntExpr, read: &mut dyn FnMut(usize) -> Value) -> Value {
    match e {
        IntExpr::Const(v, _) if bits.holds(*v) => Value::Known(*v),
        IntExpr::Const(..) => Value::None(NoValue::Overflow),
        IntExpr::Reg(r, _) => read(*r),
        IntExpr::Unary(op, a) => match evaluate(bits, a, read) {
            Value::Known(a) => bits.unary(*op, a).map_or_else(Value::None, Value::Known),
            other => other,
        },
        IntExpr::Binary(op, a, b) => match (evaluate(bits, a, read), evaluate(bits, b, read)) {
            (Value::Known(a), Value::Known(b)) => bits.binary(*op, a, b).map_or_else(Value::None, Value::Known),
            // Whatever the other operand is.
            (Value::Undefined, Value::Known(v)) | (Value::Known(v), Value::Undefined) if settles(*op, v) => {
                Value::Known(i64::from(v != 0))
            }
            // Whatever is divided.
            (Value::Undefined, Value::Known(0)) if *op == BinaryOp::Mod => Value::None(NoValue::ModuloByZero),
            // What is not known yet may still turn out to be worse than undefined.
            (Value::Known(_) | Value::Undefined, worse) if !matches!(worse, Value::Known(_)) => worse,
            (other, _) => other,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of `a op b`, where a register is known, undefined or open.
    fn value(op: BinaryOp, a: Value, b: Value) -> Value {
        let both = [a, b];
        let e = IntExpr::Binary(op, Box::new(IntExpr::Reg(0, None)), Box::new(IntExpr::Reg(1, None)));
        evaluate(Bits::default(), &e, &mut |r| both[r])
    }

    const ALL: [BinaryOp; 15] = [
        BinaryOp::Add,
        BinaryOp::Sub,
        BinaryOp::Mul,
        BinaryOp::Eq,
        BinaryOp::Ne,
        BinaryOp::Lt,
        BinaryOp::Le,
        BinaryOp::Gt,
        BinaryOp::Ge,
        BinaryOp::And,
        BinaryOp::Or,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
        BinaryOp::Mod,
    ];

    #[test]
    fn what_is_computed_from_an_undefined_value_is_undefined_unless_the_other_operand_settles_it() {
        for op in ALL {
            for v in [0, 5] {
                let settled = (op, v) == (BinaryOp::And, 0) || (op, v) == (BinaryOp::Or, 5);
                let wanted = if settled { Value::Known(i64::from(v != 0)) } else { Value::Undefined };
                let by_zero = (op, v) == (BinaryOp::Mod, 0);
                let left = if by_zero { Value::None(NoValue::ModuloByZero) } else { wanted };
                assert_eq!(value(op, Value::Undefined, Value::Known(v)), left, "undefined {op:?} {v}");
                assert_eq!(value(op, Value::Known(v), Value::Undefined), wanted, "{v} {op:?} undefined");
            }
            assert_eq!(value(op, Value::Undefined, Value::Undefined), Value::Undefined, "{op:?}");
        }
    }

    #[test]
    fn what_is_open_or_has_no_value_is_not_hidden_by_what_is_undefined() {
        for other in [Value::Open, Value::Circular, Value::None(NoValue::Overflow)] {
            assert_eq!(value(BinaryOp::Add, Value::Undefined, other), other);
            assert_eq!(value(BinaryOp::Add, other, Value::Undefined), other);
            assert_eq!(value(BinaryOp::Eq, other, Value::Known(1)), other);
        }
    }

    #[test]
    fn a_remainder_by_zero_is_no_overflow() {
        assert_eq!(value(BinaryOp::Mod, Value::Known(5), Value::Known(0)), Value::None(NoValue::ModuloByZero));
        assert_eq!(value(BinaryOp::Mod, Value::Known(i64::MIN), Value::Known(-1)), Value::None(NoValue::Overflow));
        assert_eq!(value(BinaryOp::Mod, Value::Known(-1), Value::Known(3)), Value::Known(2));
    }
}
