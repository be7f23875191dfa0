//! Expressions and places of one thread.

use super::body::Body;
use super::fits;
use super::vars::{Var, wrong_node};
use crate::raw::{Expr, ExprKind, Name, Place};
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::program::IntExpr;
use litmpi_spec::source::Span;
use litmpi_spec::suggest::nearest;

/// What a name of the thread is.
pub(super) enum Found {
    /// A location of its node.
    Var(Var),
    /// A register.
    Reg(usize),
}

impl Body<'_> {
    /// Looks a name up in the thread.
    pub(super) fn find(&self, name: &str) -> Option<Found> {
        let var = self.vars.get(self.node, name).cloned().map(Found::Var);
        var.or_else(|| self.by_name.get(name).copied().map(Found::Reg))
    }

    /// An integer expression, with the constants of the parameter's kind, or of all kinds if there is no parameter.
    pub(super) fn int(&mut self, e: &Expr, kind: Option<usize>) -> Option<IntExpr> {
        match &e.kind {
            ExprKind::Int(value) => {
                fits(*value, &e.span, self.decls, &mut self.errors);
                Some(IntExpr::Const(*value, None))
            }
            ExprKind::Paren(inner) => self.int(inner, kind),
            ExprKind::Unary(op, a) => Some(IntExpr::Unary(*op, Box::new(self.int(a, kind)?))),
            ExprKind::Binary(op, a, b) => {
                // Both sides, so that the errors of both are told.
                let (a, b) = (self.int(a, kind), self.int(b, kind));
                Some(IntExpr::Binary(*op, Box::new(a?), Box::new(b?)))
            }
            ExprKind::Field(register, field) => self.field(register, field),
            ExprKind::Place(place) => self.value(place, kind),
        }
    }

    fn value(&mut self, place: &Place, kind: Option<usize>) -> Option<IntExpr> {
        let name = &place.name.text;
        if place.node.is_some() {
            self.errors.push(
                Diagnostic::at(&place.span, "a location of another node cannot stand in an expression")
                    .found("on another node")
                    .help(format!("get it first: `a := {}`", place.span.text())),
            );
            return None;
        }
        match self.find(name) {
            Some(Found::Var(var)) => {
                let loc = self.element(place, &var, false)?;
                Some(IntExpr::Reg(self.load(loc), None))
            }
            Some(Found::Reg(reg)) => {
                self.whole(place)?;
                let ty = self.regs[reg].ty.clone();
                if ty == "Int" {
                    return Some(IntExpr::Reg(reg, None));
                }
                let fields = self.fields(&ty).join("`, `");
                let help = if fields.is_empty() {
                    format!("a {ty} has no fields to read")
                } else {
                    format!("read one of its fields: `{fields}`")
                };
                let d = Diagnostic::at(&place.span, format!("`{name}` is not a number"));
                self.errors.push(d.found(format!("a register of type {ty}")).help(help));
                None
            }
            None if place.index.is_some() => self.unknown(&place.name, kind),
            None => self.constant(&place.name, kind),
        }
    }

    /// A name that is no variable: a constant, or unknown.
    pub(super) fn constant(&mut self, name: &Name, kind: Option<usize>) -> Option<IntExpr> {
        let own = kind.map(|k| &self.decls.kinds[k]);
        let kinds = self.decls.kinds.iter().filter(|k| own.is_none_or(|own| own.name == k.name));
        let mut found: Vec<(i64, String)> = Vec::new();
        for k in kinds {
            if let Some(value) = k.value_of(&name.text) {
                found.push((value, k.name_of(value).unwrap_or(&name.text).to_string()));
            }
        }
        found.dedup();
        match (found.as_slice(), own) {
            ([(value, first)], _) => Some(IntExpr::Const(*value, Some(first.clone()))),
            ([], Some(own)) => {
                if let Some(other) = self.decls.kinds.iter().find(|k| k.value_of(&name.text).is_some()) {
                    let help = nearest(&name.text, own.names.iter().map(|(n, _)| n.as_str()))
                        .map_or_else(|| format!("a {} is wanted here", own.name), |n| format!("did you mean `{n}`?"));
                    let message = format!("`{}` is not a {}", name.text, own.name);
                    self.errors.push(Diagnostic::at(&name.span, message).found(format!("a {}", other.name)).help(help));
                    return None;
                }
                self.unknown(name, kind)
            }
            ([], None) => self.unknown(name, kind),
            (several, _) => {
                let names: Vec<String> = several.iter().map(|(_, n)| format!("`{n}`")).collect();
                self.errors.push(
                    Diagnostic::at(&name.span, format!("`{}` has several meanings", name.text))
                        .found("which one?")
                        .help(format!("write one of: {}", names.join(", "))),
                );
                None
            }
        }
    }

    fn field(&mut self, register: &Name, field: &Name) -> Option<IntExpr> {
        let Some(Found::Reg(reg)) = self.find(&register.text) else {
            if self.vars.get(self.node, &register.text).is_some() {
                self.errors.push(
                    Diagnostic::at(&register.span, format!("`{}` has no fields", register.text))
                        .found("a location")
                        .help("only registers that hold records have fields"),
                );
                return None;
            }
            return self.unknown(register, None);
        };
        let ty = self.regs[reg].ty.clone();
        if self.fields(&ty).contains(&field.text) {
            return Some(IntExpr::Reg(reg, Some(field.text.clone())));
        }
        self.errors.push(unknown_field(&register.text, &ty, field, self.fields(&ty)));
        None
    }

    fn fields(&self, ty: &str) -> &[String] {
        self.decls.records.iter().find(|(n, _)| n == ty).map_or(&[], |(_, fields)| fields.as_slice())
    }

    /// Says that a name is neither declared nor assigned.
    pub(super) fn unknown<T>(&mut self, name: &Name, kind: Option<usize>) -> Option<T> {
        let text = &name.text;
        if let Some(other) = self.vars.nodes_with(text).first() {
            self.errors.push(wrong_node(text, &name.span, self.nodes[*other].number, self.nodes[self.node].number));
            return None;
        }
        let constants = kind.map(|k| &self.decls.kinds[k].names).into_iter().flatten().map(|(n, _)| n.as_str());
        let all = self.vars.names(self.node).chain(self.by_name.keys().map(String::as_str)).chain(constants);
        let help = match nearest(text, all) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("declare the location `{text} = 0`, or assign the register first: `{text} := …`"),
        };
        self.errors.push(
            Diagnostic::at(&name.span, format!("`{text}` is neither declared nor assigned"))
                .found("unknown name")
                .help(help),
        );
        None
    }

    /// The location that a place is: the variable or its element. An array alone is its first element where a
    /// stretch of memory is meant, and an error elsewhere.
    pub(super) fn element(&mut self, place: &Place, var: &Var, stretch: bool) -> Option<usize> {
        let name = &place.name.text;
        match (&place.index, var.len) {
            (None, None) => Some(var.first),
            (None, Some(_)) if stretch => Some(var.first),
            (None, Some(_)) => {
                self.errors.push(
                    Diagnostic::at(&place.span, format!("`{name}` is an array"))
                        .found("the whole array")
                        .help(format!("name an element: `{name}[0]`")),
                );
                None
            }
            (Some(index), Some(len)) => match usize::try_from(index.value) {
                Ok(i) if i < len => Some(var.first + i),
                _ => {
                    self.errors.push(
                        Diagnostic::at(&index.span, format!("`{name}` has no element {}", index.value))
                            .found(format!("the array has {len} elements"))
                            .help(format!("use an index from 0 to {}", len - 1)),
                    );
                    None
                }
            },
            (Some(_), None) => self.whole(place).map(|()| var.first),
        }
    }

    /// Refuses an index on what is not an array.
    pub(super) fn whole(&mut self, place: &Place) -> Option<()> {
        let Some(index) = &place.index else { return Some(()) };
        self.errors.push(
            Diagnostic::at(&index.span, format!("`{}` is not an array", place.name.text))
                .found("an index")
                .help(format!("write `{}` alone", place.name.text)),
        );
        None
    }

    /// A location that is written with its node.
    pub(super) fn remote(&mut self, place: &Place) -> Option<usize> {
        let number = place.node.as_ref()?;
        let node = self.any_node(number.value, &number.span)?;
        let name = &place.name;
        let Some(var) = self.vars.get(node, &name.text).cloned() else {
            let help = match self.vars.nodes_with(&name.text).into_iter().find(|n| *n != self.node) {
                Some(other) => format!("did you mean `{}@{}`?", name.text, self.nodes[other].number),
                None => match nearest(&name.text, self.vars.names(node)) {
                    Some(near) => format!("did you mean `{near}@{}`?", number.value),
                    None => format!("declare it: `node {} {{ {} = 0 }}`", number.value, name.text),
                },
            };
            self.errors.push(
                Diagnostic::at(&place.span, format!("there is no `{}` on node {}", name.text, number.value))
                    .found("wrong node")
                    .help(help),
            );
            return None;
        };
        self.element(place, &var, false)
    }

    /// The index of a node. Whether it may be the thread's own is for models to say.
    pub(super) fn any_node(&mut self, number: i64, span: &Span) -> Option<usize> {
        if let Some(node) = self.nodes.iter().position(|n| n.number == number) {
            return Some(node);
        }
        let all: Vec<String> = self.nodes.iter().map(|n| n.number.to_string()).collect();
        let d = Diagnostic::at(span, format!("there is no node {number}")).found("not declared");
        self.errors.push(d.help(format!("nodes are: {}", all.join(", "))));
        None
    }
}

/// A field that the register's type does not have.
pub(super) fn unknown_field(register: &str, ty: &str, field: &Name, fields: &[String]) -> Diagnostic {
    let help = match nearest(&field.text, fields.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{register}.{near}`?"),
        None if fields.is_empty() => format!("a register of type {ty} has no fields"),
        None => format!("a {ty} has: `{}`", fields.join("`, `")),
    };
    Diagnostic::at(&field.span, format!("`{register}` has no field `{}`", field.text))
        .found(format!("not a field of {ty}"))
        .help(help)
}
