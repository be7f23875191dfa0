//! Assignments: which declared form fits the two sides.

use super::body::Body;
use super::expr::Found;
use crate::ast::Stmt;
use crate::raw::{Call, Expr, ExprKind, Name, Place};
use litmpi_spec::decl::{Form, Shape};
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::program::Operand;
use litmpi_spec::source::Span;
use litmpi_spec::suggest::nearest;

/// The left side, resolved.
enum Left {
    Remote(usize),
    Loc(usize),
    Reg(usize),
}

impl Left {
    fn fits(&self, body: &Body<'_>, shape: &Shape) -> bool {
        match (self, shape) {
            (Left::Remote(_), Shape::Remote) | (Left::Loc(_), Shape::Local) => true,
            (Left::Reg(r), Shape::Register(ty)) => body.regs[*r].ty == *ty,
            _ => false,
        }
    }

    fn operand(&self) -> Operand {
        match self {
            Left::Remote(loc) | Left::Loc(loc) => Operand::Loc(*loc),
            Left::Reg(reg) => Operand::Reg(*reg),
        }
    }
}

impl Body<'_> {
    fn left(&mut self, place: &Place) -> Option<Left> {
        if place.node.is_some() {
            return self.remote(place).map(Left::Remote);
        }
        match self.find(&place.name.text) {
            Some(Found::Var(var)) => self.element(place, &var, false).map(Left::Loc),
            Some(Found::Reg(reg)) => self.whole(place).map(|()| Left::Reg(reg)),
            None => self.unknown(&place.name, None),
        }
    }

    /// `left := expression`
    pub(super) fn assign(&mut self, place: &Place, e: &Expr, span: &Span) -> Option<Stmt> {
        let left = self.left(place);
        if let ExprKind::Place(p) = &e.kind
            && p.node.is_some()
        {
            let (right, left) = (self.remote(p), left?);
            return self.fitting(&left, &Shape::Remote, Operand::Loc(right?), span).or_else(|| {
                self.no_form(span, "put and get have one side on this node: `z@2 := x`, `x := z@2`");
                None
            });
        }
        if let ExprKind::Place(p) = &e.kind
            && let Some(Found::Var(var)) = self.find(&p.name.text)
        {
            let (right, left) = (self.element(p, &var, false)?, left?);
            if let Some(stmt) = self.fitting(&left, &Shape::Local, Operand::Loc(right), span) {
                return Some(stmt);
            }
            return self.value_to(&left, e, span);
        }
        let Some(left) = left else {
            // For its own errors only.
            self.int(e, None);
            return None;
        };
        self.value_to(&left, e, span)
    }

    /// A number goes to a register, or to a location by the form that takes a number.
    fn value_to(&mut self, left: &Left, e: &Expr, span: &Span) -> Option<Stmt> {
        let literal = if let ExprKind::Int(value) = e.kind { Some(value) } else { None };
        let takes_number = self.form(|s| left.fits(self, s), |s| *s == Shape::Int);
        if let (None, Some(value)) = (takes_number, literal)
            && !matches!(left, Left::Reg(_))
        {
            // A literal is copied from a location that holds it (rdma-tso §3: `x := 1` towards another node).
            let loc = self.vars.anonymous(self.node, value);
            if let Some(stmt) = self.fitting(left, &Shape::Local, Operand::Loc(loc), span) {
                return Some(stmt);
            }
        }
        if let Left::Reg(reg) = left {
            if self.regs[*reg].ty != "Int" {
                let (name, ty) = (self.regs[*reg].name.clone(), self.regs[*reg].ty.clone());
                let d = Diagnostic::at(span, format!("`{name}` cannot hold a number"));
                let d = d.found(format!("a register of type {ty}"));
                self.errors.push(d.help("assign a register of its own"));
                return None;
            }
            let expr = self.int(e, None)?;
            return Some(Stmt::Set { reg: *reg, expr, span: span.clone() });
        }
        let kind = takes_number.map(|(i, _, r)| self.decls.list[i].params[r].kind);
        let has_names = kind.is_some_and(|k| !self.decls.kinds[k].names.is_empty());
        let expr = self.int(e, kind.filter(|_| has_names))?;
        let stmt = self.fitting(left, &Shape::Int, Operand::Int(expr), span);
        if stmt.is_none() {
            self.no_form(span, "copy from a location of this node: `z@2 := x`");
        }
        stmt
    }

    /// The first declared form that takes these sides.
    fn fitting(&mut self, left: &Left, right: &Shape, operand: Operand, span: &Span) -> Option<Stmt> {
        let (instr, l, r) = self.form(|s| left.fits(self, s), |s| s == right)?;
        self.make(instr, vec![(l, left.operand()), (r, operand)], span)
    }

    fn no_form(&mut self, span: &Span, help: &str) {
        self.errors
            .push(Diagnostic::at(span, "no instruction assigns in this way").found("does not fit any form").help(help));
    }

    /// `left := NAME(args)`
    pub(super) fn applied(&mut self, place: &Place, call: &Call, span: &Span) -> Option<Stmt> {
        let left = self.left(place);
        let mut fallback = None;
        for (i, instr) in self.decls.list.iter().enumerate() {
            let Form::AssignCall(l, name, params) = &instr.form else { continue };
            if *name != call.name.text || instr.internal {
                continue;
            }
            let shape = &self.decls.kind(&instr.params[*l]).shape;
            match &left {
                Some(left) if left.fits(self, shape) => {
                    let operand = left.operand();
                    let mut given = self.arguments(i, params, call)?;
                    given.push((*l, operand));
                    return self.make(i, given, span);
                }
                _ => fallback = fallback.or(Some((i, *l, params.clone(), shape.clone()))),
            }
        }
        let Some((instr, l, params, shape)) = fallback else {
            self.no_value(&call.name);
            return None;
        };
        let given = self.arguments(instr, &params, call);
        match (left?, shape) {
            // The value goes to a location by way of a register (rdma-tso Fig. 6).
            (Left::Loc(loc), Shape::Register(ty)) if ty == "Int" => {
                let reg = self.store(loc);
                let mut given = given?;
                given.push((l, Operand::Reg(reg)));
                self.make(instr, given, span)
            }
            (Left::Reg(reg), Shape::Register(ty)) => {
                let (name, own) = (self.regs[reg].name.clone(), self.regs[reg].ty.clone());
                let d = Diagnostic::at(&place.span, format!("`{name}` holds {own}, but a {ty} is assigned"));
                self.errors.push(d.found(format!("a register of type {own}")).help("assign another register"));
                None
            }
            _ => {
                self.no_form(span, "assign a register of this thread");
                None
            }
        }
    }

    fn no_value(&mut self, name: &Name) {
        let mut names: Vec<&str> = Vec::new();
        for instr in &self.decls.list {
            if let Form::AssignCall(_, n, _) = &instr.form {
                names.push(n);
            }
        }
        let d = Diagnostic::at(&name.span, format!("`{}` gives no value", name.text));
        let d = if self.decls.find(&name.text).is_some() {
            d.found("stands alone").help(format!("write `{}(…)` without `:=`", name.text))
        } else {
            let help = match (nearest(&name.text, names.iter().copied()), names.is_empty()) {
                (Some(near), _) => format!("did you mean `{near}`?"),
                (None, true) => "no instruction gives a value here".to_string(),
                (None, false) => format!("instructions that give a value: {}", names.join(", ")),
            };
            d.found("unknown").help(help)
        };
        self.errors.push(d);
    }
}
