//! Integer expressions in C.

use super::body::Scope;
use super::template::pass;
use litmpi_spec::decl::{Kind, Shape};
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::program::{BinaryOp, IntExpr, UnaryOp};
use litmpi_spec::source::Span;

impl Scope<'_> {
    /// An expression; its values are the model's, whatever numbers the library gives to its constants.
    pub(super) fn expr(&mut self, e: &IntExpr, at: &Span) -> String {
        match e {
            IntExpr::Const(v, None) => v.to_string(),
            IntExpr::Const(v, Some(name)) => format!("{v} /* {name} */"),
            IntExpr::Reg(r, field) => self.value(*r, field.as_deref(), at),
            IntExpr::Unary(op, a) => {
                let a = self.operand_of(a, at);
                match op {
                    UnaryOp::Neg => format!("-{}", if a.starts_with('-') { format!("({a})") } else { a }),
                    UnaryOp::Not => format!("!{a}"),
                }
            }
            IntExpr::Binary(op, a, b) => {
                let (a, b) = (self.operand_of(a, at), self.operand_of(b, at));
                format!("{a} {} {b}", symbol(*op))
            }
        }
    }

    /// As an operand of another operator.
    fn operand_of(&mut self, e: &IntExpr, at: &Span) -> String {
        let text = self.expr(e, at);
        if matches!(e, IntExpr::Binary(..)) { format!("({text})") } else { text }
    }

    /// The value of a register or of a field of it, for expressions and outcomes.
    pub(super) fn value(&mut self, reg: usize, field: Option<&str>, at: &Span) -> String {
        let name = self.reg_name(reg);
        let register = &self.thread.regs[reg];
        let field = field.unwrap_or("");
        let kind = register.kind.and_then(|k| self.instructions.kinds.get(k));
        match kind.and_then(|k| k.c.fields.iter().find(|(f, _)| f == field)) {
            Some((_, template)) => pass(template, &name),
            None if field.is_empty() => name,
            None => {
                self.report(
                    Diagnostic::at(at, format!("`{}.{field}` has no C text", register.name))
                        .found("this field")
                        .help("the kind of the register says in its `c` part how a field is read"),
                );
                name
            }
        }
    }

    /// An expression as an argument of a kind: a constant that the kind names goes by its name.
    pub(super) fn argument(&mut self, e: &IntExpr, kind: &Kind, at: &Span) -> String {
        match e {
            IntExpr::Const(v, _) => match kind.name_of(*v) {
                None => v.to_string(),
                Some(name) => {
                    let own = kind.c.names.iter().find(|(n, _)| n == name);
                    own.map_or(name, |(_, text)| text.as_str()).to_string()
                }
            },
            // An object's variable holds the library's own handle.
            IntExpr::Reg(r, None) if matches!(kind.shape, Shape::Handle(_)) => self.reg_name(*r),
            _ => {
                let text = self.expr(e, at);
                // Libraries have their own numbers for the names, so a computed value is translated.
                if kind.names.is_empty() || kind.c.ty.is_some() {
                    text
                } else {
                    format!("{}({text})", self.translator(kind))
                }
            }
        }
    }
}

fn symbol(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Eq => "==",
        BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::BitAnd => "&",
        BinaryOp::BitOr => "|",
        BinaryOp::BitXor => "^",
    }
}
