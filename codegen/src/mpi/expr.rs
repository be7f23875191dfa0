//! Integer expressions.

use super::body::Scope;
use super::dialect::Term;
use super::template::pass;
use litmpi_spec::decl::{Kind, Shape};
use litmpi_spec::program::{BinaryOp, IntExpr};
use litmpi_spec::source::Span;

impl<'a> Scope<'a> {
    /// An expression; its values are the model's, whatever numbers the library gives to its constants.
    pub(super) fn expr(&mut self, e: &IntExpr, at: &Span) -> String {
        let term = self.term(e, at, false);
        self.dialect.number(&term)
    }

    /// An expression as a condition.
    pub(super) fn condition(&mut self, e: &IntExpr, at: &Span) -> String {
        let term = self.term(e, at, self.has_windows());
        self.dialect.condition(&term)
    }

    /// Whether registers of the thread may hold what was loaded from a window.
    fn has_windows(&self) -> bool {
        let window =
            |k: usize| self.instructions.kinds.get(k).is_some_and(|k| k.text.c.ty.as_deref() == Some("MPI_Win"));
        self.thread.regs.iter().any(|r| r.kind.is_some_and(window))
    }

    fn term(&mut self, e: &IntExpr, at: &Span, decides: bool) -> Term {
        let number = |text| Term { text, truth: false, compound: false };
        match e {
            IntExpr::Const(v, None) => number(v.to_string()),
            IntExpr::Const(v, Some(name)) => number(format!("{v} /* {name} */")),
            IntExpr::Reg(r, None) if decides && self.thread.regs[*r].ty == "Int" => {
                let value = self.value(*r, None, at);
                number(self.dialect.decides(value))
            }
            IntExpr::Reg(r, field) => number(self.value(*r, field.as_deref(), at)),
            IntExpr::Unary(op, a) => {
                let a = self.term(a, at, decides);
                self.dialect.unary(*op, &a)
            }
            IntExpr::Binary(op, a, b) => {
                let (a, b) = (self.term(a, at, decides), self.term(b, at, decides));
                self.dialect.binary(*op, &a, &b)
            }
        }
    }

    /// The value of a register or of a field of it, for expressions and outcomes.
    pub(super) fn value(&mut self, reg: usize, field: Option<&str>, at: &Span) -> String {
        let name = self.reg_name(reg);
        let register = &self.thread.regs[reg];
        let field = field.unwrap_or("");
        let kind = register.kind.and_then(|k| self.instructions.kinds.get(k)).map(|k| self.text(k));
        match kind.and_then(|k| k.fields.iter().find(|(f, _)| f == field)) {
            Some((_, template)) => pass(template, &name),
            None if field.is_empty() => name,
            None => {
                self.dialect.no_field(self, reg, field, at);
                name
            }
        }
    }

    /// The text of a named constant.
    fn constant(&mut self, kind: &'a Kind, name: &str, value: i64) -> String {
        let own = self.text(kind).names.iter().find(|(n, _)| n == name);
        if own.is_some_and(|(_, text)| text.is_empty()) {
            self.lacks.insert(name.to_string());
        }
        own.map_or_else(|| self.dialect.constant(self, kind, name, value), |(_, text)| text.clone())
    }

    /// An expression as an argument of a kind: a constant that the kind names goes by its name.
    pub(super) fn argument(&mut self, e: &IntExpr, kind: &'a Kind, at: &Span) -> String {
        match e {
            IntExpr::Const(v, _) => match kind.name_of(*v) {
                None => match kind.bits_of(*v) {
                    Some(names) => {
                        let texts: Vec<String> =
                            names.into_iter().map(|(name, bit)| self.constant(kind, name, bit)).collect();
                        texts.join(" | ")
                    }
                    None => v.to_string(),
                },
                Some(name) => self.constant(kind, name, *v),
            },
            // An object's variable holds the library's own handle.
            IntExpr::Reg(r, None) if matches!(kind.shape, Shape::Handle(_)) => self.reg_name(*r),
            _ => {
                // What is stored may be torn; a rank, a tag or a count is one number.
                let term = self.term(e, at, !self.stores && self.has_windows());
                let text = self.dialect.number(&term);
                // Libraries have their own numbers for the names, so a computed value is translated.
                let plain = kind.names.is_empty() || self.text(kind).ty.is_some();
                if plain { text } else { self.dialect.computed(self, kind, text) }
            }
        }
    }
}

/// The operator's sign, in C and in Rust.
pub(crate) fn symbol(op: BinaryOp) -> &'static str {
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
        BinaryOp::Mod => "%",
    }
}
