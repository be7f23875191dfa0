//! Whether the names of a body are what they seem: one that is read and that nobody assigns would be 0, one that is assigned and that
//! nobody reads would be for nothing, in branches that constants leave out as in all others.

use super::value::called;
use litmpi_spec::decl::{Instructions, Shape};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::layer::{Body, FUNCTIONS, Index, Layer};
use litmpi_spec::model::Spec;
use litmpi_spec::source::Span;
use litmpi_spec::suggest::{nearest, suggest};
use litmpi_spec::syntax::{Expr, ExprKind, Name, Stmt, StmtKind};
use std::collections::{BTreeMap, BTreeSet};

/// Names with a meaning of their own.
const OWN: [&str; 4] = ["here", "self", "nodes", "others"];
/// Functions of an object, and perhaps of an instruction.
const OF_USERS: [&str; 3] = ["users", "homes", "others"];

/// What is done with a register of the body, and where first.
struct Register {
    at: Span,
    is_read: bool,
    is_assigned: bool,
    /// In how many places.
    places: usize,
}

struct Names<'s> {
    spec: &'s Spec,
    layer: &'s Layer,
    body: &'s Body,
    below: &'s Instructions,
    /// Names of loops around.
    each: Vec<&'s str>,
    registers: BTreeMap<&'s str, Register>,
    /// What is used of what the layer has, and of the parameters.
    used: BTreeSet<&'s str>,
    errors: Report,
}

/// Holds the names of a layer against what there is.
pub(super) fn check(spec: &Spec, layer: &Layer, below: &Instructions, errors: &mut Report) {
    let mut used = BTreeSet::new();
    layer.bodies.iter().for_each(|b| body(spec, layer, b, below, (errors, &mut used)));
    let memory = layer.memory.iter().map(|m| (m.name.as_str(), &m.span));
    for (name, span) in memory.chain(layer.registers.iter().map(|r| (r.node.as_str(), &r.span))) {
        if !used.contains(name) {
            let d = Diagnostic::at(span, format!("`{name}` is declared, and no body uses it"));
            errors.0.push(d.found("here").help("leave it out, or call it as bodies do"));
        }
    }
    let consts: Vec<&str> = spec.consts.iter().map(|c| c.name.as_str()).chain(["node", "thread"]).collect();
    let indices = layer.memory.iter().flat_map(|m| &m.indices).filter_map(|i| match i {
        Index::To(e) => Some(e),
        Index::Node | Index::Thread => None,
    });
    for index in indices {
        let ExprKind::Name(name) = &*index.node else { continue };
        if !consts.contains(&name.as_str()) {
            let help = suggest(
                name,
                &consts,
                "an index is `node`, `thread`, or how many elements there are: a number or a constant",
            );
            let d = Diagnostic::at(&index.span, format!("`{name}` is not known before the run"));
            errors.0.push(d.found("an index of memory").help(help));
        }
    }
}

/// Holds the names of a body against what there is.
fn body<'s>(
    spec: &'s Spec,
    layer: &'s Layer,
    body: &'s Body,
    below: &'s Instructions,
    (errors, all_used): (&mut Report, &mut BTreeSet<&'s str>),
) {
    let (registers, used) = (BTreeMap::new(), BTreeSet::new());
    let mut names = Names { spec, layer, body, below, each: vec![], registers, used, errors: Report::default() };
    names.stmts(&body.stmts);
    let Names { registers, used, errors: mut own, .. } = names;
    errors.0.append(&mut own.0);
    for param in body.params.iter().filter(|p| !used.contains(p.as_str())) {
        // Another one may be left alone.
        if let Some(near) = nearest(param, registers.keys().copied()) {
            let d = Diagnostic::at(
                &body.span,
                format!("the parameter `{param}` is not used, and `{near}` is no parameter"),
            );
            errors.0.push(d.found("in this body").help(format!("did you mean `{near}`?")));
        }
    }
    all_used.extend(used);
    for (name, r) in registers.iter().filter(|(name, _)| !name.starts_with('_')) {
        let consts = spec.consts.iter().map(|c| c.name.as_str());
        let others = registers.keys().copied().filter(|n| n != name).chain(body.params.iter().map(String::as_str));
        let all = others.chain(consts).chain(OWN).chain(layer.registers.iter().map(|r| r.node.as_str()));
        let near = nearest(name, all);
        let what = match (r.is_read, r.is_assigned) {
            (true, false) => "is read, and nothing assigns or declares it",
            (false, true) => "is assigned, and nothing reads it",
            // What a call below gives may be left alone.
            (true, true) if r.places == 1 && near.is_some() => "stands nowhere else",
            _ => continue,
        };
        let help = near.map_or_else(
            || "a body's own registers are assigned and read in it, or begin with `_`".to_owned(),
            |n| format!("did you mean `{n}`? a register that is to be left alone begins with `_`"),
        );
        errors.0.push(Diagnostic::at(&r.at, format!("`{name}` {what}")).found("here").help(help));
    }
}

impl<'s> Names<'s> {
    fn stmts(&mut self, stmts: &'s [Stmt]) {
        for stmt in stmts {
            match &stmt.node {
                StmtKind::Assign(target, e) => {
                    match &*e.node {
                        ExprKind::Call(f, args) if !self.is_function(f) => self.call(f, args),
                        _ => self.expr(e),
                    }
                    match &*target.node {
                        ExprKind::Name(name) => self.note(name, &target.span, false, true),
                        _ => self.expr(target),
                    }
                }
                StmtKind::Call(f, args) => self.call(f, args),
                StmtKind::If(cond, then, els) => {
                    self.expr(cond);
                    self.stmts(then);
                    self.stmts(els);
                }
                StmtKind::While(cond, _, body) | StmtKind::Repeat(body, cond) => {
                    self.expr(cond);
                    self.stmts(body);
                }
                StmtKind::For(name, of, body) => {
                    self.expr(of);
                    self.each.push(&name.node);
                    self.stmts(body);
                    self.each.pop();
                }
                StmtKind::Choose(of) => of.iter().for_each(|s| self.stmts(s)),
            }
        }
    }

    fn is_function(&self, f: &Name) -> bool {
        FUNCTIONS.contains(&f.node.as_str())
    }

    /// A call of what is below: a register that it is given may be assigned by it, and read.
    fn call(&mut self, f: &'s Name, args: &'s [Expr]) {
        let found = called(self.below, &f.node).or_else(|| {
            let i = self.below.find(&f.node)?;
            Some((i, (0..self.below.list[i].params.len()).collect()))
        });
        for (i, arg) in args.iter().enumerate() {
            let param = found.as_ref().and_then(|(n, params)| self.below.list[*n].params.get(*params.get(i)?));
            let is_register = param.is_none_or(|p| matches!(self.below.kind(p).shape, Shape::Register(_)));
            self.argument(arg, is_register);
        }
    }

    fn argument(&mut self, arg: &'s Expr, is_register: bool) {
        match &*arg.node {
            ExprKind::Name(name) => self.note(name, &arg.span, true, is_register),
            ExprKind::List(of) => of.iter().for_each(|e| self.argument(e, is_register)),
            _ => self.expr(arg),
        }
    }

    fn expr(&mut self, e: &'s Expr) {
        match &*e.node {
            ExprKind::Name(name) => self.note(name, &e.span, true, false),
            ExprKind::Call(f, args) if self.is_function(f) && !OF_USERS.contains(&f.node.as_str()) => {
                args.iter().for_each(|a| self.expr(a));
            }
            ExprKind::Call(f, args) if self.is_function(f) => {
                args.iter().take(1).for_each(|a| self.expr(a));
                if let Some((ExprKind::Name(by), span)) = args.get(1).map(|a| (&*a.node, &a.span)) {
                    self.instruction(by, span);
                }
            }
            ExprKind::Call(f, args) => {
                let message = format!("`{}` cannot stand in an expression", f.node);
                self.wrong(&f.node, &f.span, message, &FUNCTIONS);
                args.iter().for_each(|e| self.expr(e));
            }
            ExprKind::List(of) | ExprKind::Tuple(of) => of.iter().for_each(|e| self.expr(e)),
            ExprKind::Index(a, b) | ExprKind::Bin(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
            ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Member(of, field) => {
                self.expr(of);
                self.used.insert(&field.node);
                let base = match &*of.node {
                    ExprKind::Index(of, _) => of,
                    _ => of,
                };
                if matches!(&*base.node, ExprKind::Name(n) if self.has_memory(n)) && !self.is_of_layer(&field.node) {
                    let all = self.layer.memory.iter().map(|m| m.name.as_str());
                    let all: Vec<&str> = all.chain(self.layer.registers.iter().map(|r| r.node.as_str())).collect();
                    let message = format!("the layer has no memory `{}`", field.node);
                    self.wrong(&field.node, &field.span, message, &all);
                }
            }
            ExprKind::Not(e) | ExprKind::Neg(e) | ExprKind::Deref(e) => self.expr(e),
            // What has no meaning in a body is told when it is put in.
            _ => {}
        }
    }

    fn instruction(&mut self, name: &str, span: &Span) {
        if self.spec.instructions.find(name).is_none() {
            let names: Vec<&str> = self.spec.instructions.list.iter().map(|i| i.name.as_str()).collect();
            self.wrong(name, span, format!("no instruction is called `{name}`"), &names);
        }
    }

    fn wrong(&mut self, name: &str, span: &Span, message: String, all: &[&str]) {
        let near = nearest(name, all.iter().copied());
        let help = near.map_or_else(|| format!("there are: {}", all.join(", ")), |n| format!("did you mean `{n}`?"));
        self.errors.0.push(Diagnostic::at(span, message).found("unknown").help(help));
    }

    /// Whether it is a parameter of which the layer's memory is a part; a register has fields of its own.
    fn has_memory(&self, name: &str) -> bool {
        let param = self.body.params.iter().position(|p| p == name);
        let param = param.and_then(|i| self.spec.instructions.list[self.body.instr].params.get(i));
        param.is_some_and(|p| !matches!(self.spec.instructions.kind(p).shape, Shape::Register(_)))
    }

    /// Whether the layer has it, as memory or as a register.
    fn is_of_layer(&self, name: &str) -> bool {
        self.layer.memory.iter().any(|m| m.name == name) || self.layer.registers.iter().any(|r| r.node == name)
    }

    fn note(&mut self, name: &'s str, at: &Span, is_read: bool, is_assigned: bool) {
        let is_named = self.below.kinds.iter().any(|k| k.names.iter().any(|(n, _)| n == name));
        let is_known = OWN.contains(&name) || self.each.contains(&name) || self.is_of_layer(name) || is_named;
        let is_given = self.body.params.iter().any(|p| p == name);
        self.used.insert(name);
        if is_known || is_given || self.spec.consts.iter().any(|c| c.name == name) {
            return;
        }
        let new = Register { at: at.clone(), is_read: false, is_assigned: false, places: 0 };
        let register = self.registers.entry(name).or_insert(new);
        register.places += 1;
        register.is_read |= is_read;
        register.is_assigned |= is_assigned;
    }
}
