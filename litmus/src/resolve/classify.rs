//! What the undeclared names of a thread are, judged by their uses.
//!
//! Passed where an instruction wants a location of its node, or copied to or from another node: an implicit
//! location, even if other uses would make it a register. Assigned otherwise, or passed where an instruction wants
//! a register: a register, of the type that the first such use gives it. Only read: neither, and an error later.

use super::call::bind;
use super::vars::Vars;
use crate::raw::{Call, Expr, ExprKind, Name, Right, Stmt, Thread, Value};
use litmpi_spec::decl::{Form, Instruction, Instructions, Param, Shape};

/// The undeclared names of a thread, each once, in order of first use.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// Implicit locations.
    pub(super) locations: Vec<Name>,
    /// Registers with their types, implicit locations among them not yet removed.
    pub(super) registers: Vec<(Name, String)>,
}

struct Classify<'a> {
    node: usize,
    vars: &'a Vars,
    decls: &'a Instructions,
    uses: Uses,
}

/// Finds them.
pub(super) fn uses(thread: &Thread, node: usize, vars: &Vars, decls: &Instructions) -> Uses {
    let mut c = Classify { node, vars, decls, uses: Uses::default() };
    c.stmts(&thread.body);
    let Uses { locations, registers } = c.uses;
    let implicit = |name: &Name| locations.iter().any(|l| l.text == name.text);
    let registers = registers.into_iter().filter(|(name, _)| !implicit(name)).collect();
    Uses { locations, registers }
}

impl Classify<'_> {
    fn location(&mut self, name: &Name) {
        let known = self.vars.get(self.node, &name.text).is_some()
            || self.uses.locations.iter().any(|n| n.text == name.text)
            || name.text.starts_with('$');
        if !known {
            self.uses.locations.push(name.clone());
        }
    }

    fn register(&mut self, name: &Name, ty: &str) {
        let known = self.vars.get(self.node, &name.text).is_some()
            || self.uses.registers.iter().any(|(n, _)| n.text == name.text);
        if !known {
            self.uses.registers.push((name.clone(), ty.to_string()));
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Assign { left, right, .. } if left.node.is_none() && left.index.is_none() => match right {
                    Right::Expr(Expr { kind: ExprKind::Place(p), .. }) if p.node.is_some() => self.location(&left.name),
                    Right::Expr(_) => self.register(&left.name, "Int"),
                    Right::Call(call) => self.applied(&left.name, call),
                },
                Stmt::Assign { left, right: Right::Expr(e), .. } => {
                    if let (true, Some(name)) = (left.node.is_some(), plain(e)) {
                        self.location(name);
                    }
                }
                Stmt::Assign { right: Right::Call(call), .. } => self.operands(call),
                Stmt::Call(call) => self.call(call),
                Stmt::If { then, els, .. } => {
                    self.stmts(then);
                    self.stmts(els);
                }
                Stmt::While { body, .. } => self.stmts(body),
                Stmt::Choose { of, .. } => of.iter().for_each(|stmts| self.stmts(stmts)),
            }
        }
    }

    /// `left := NAME(args)`, where `left` is a plain name.
    fn applied(&mut self, left: &Name, call: &Call) {
        self.operands(call);
        for instr in &self.decls.list {
            if let Form::AssignCall(target, name, _) = &instr.form
                && *name == call.name.text
            {
                match &self.decls.kind(&instr.params[*target]).shape {
                    Shape::Register(ty) => return self.register(left, ty),
                    Shape::Local => return self.location(left),
                    _ => {}
                }
            }
        }
        // Unknown: reported when the statement is resolved.
        self.register(left, "Int");
    }

    /// The arguments of the form that is written `… := NAME(args)`.
    fn operands(&mut self, call: &Call) {
        let decls = self.decls;
        let form = decls.list.iter().find_map(|instr| match &instr.form {
            Form::AssignCall(_, name, params) if *name == call.name.text => Some((instr, params)),
            _ => None,
        });
        if let Some((instr, params)) = form {
            self.arguments(instr, params, call);
        }
    }

    fn call(&mut self, call: &Call) {
        let decls = self.decls;
        let instr = decls.find(&call.name.text).map(|i| &decls.list[i]);
        let Some(instr) = instr.filter(|i| i.form == Form::Call) else { return };
        let all: Vec<usize> = (0..instr.params.len()).collect();
        self.arguments(instr, &all, call);
    }

    fn arguments(&mut self, instr: &Instruction, params: &[usize], call: &Call) {
        for (param, arg) in bind(instr, params, call, &mut Vec::new()) {
            let param = &instr.params[param];
            match &arg.value {
                Value::One(e) => self.argument(param, e),
                Value::List(es) => es.iter().for_each(|e| self.argument(param, e)),
            }
        }
    }

    fn argument(&mut self, param: &Param, e: &Expr) {
        let kind = self.decls.kind(param);
        let none = if param.list { &kind.text.c.none_list } else { &kind.text.c.none };
        match (&kind.shape, plain(e)) {
            (Shape::Local, Some(name)) => self.location(name),
            (Shape::LocalOrNone, Some(name)) if none.as_deref() != Some(&name.text) => self.location(name),
            (Shape::Register(ty), Some(name)) if none.as_deref() != Some(&name.text) => self.register(name, ty),
            _ => {}
        }
    }
}

/// The name, if the expression is nothing but one.
pub(super) fn plain(e: &Expr) -> Option<&Name> {
    match &e.kind {
        ExprKind::Place(p) if p.index.is_none() && p.node.is_none() => Some(&p.name),
        _ => None,
    }
}
