//! Statements: those of a client, in which bodies take the place of calls, and those of bodies.

use super::Made;
use super::value::{Got, Stop, Value, called, place, wrong};
use crate::raw::{self, Right, Stmt};
use crate::resolve;
use litmpi_spec::decl::{Default, Form, Instructions, Shape};
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::layer::Layer;
use litmpi_spec::program::BinaryOp;
use litmpi_spec::program::UnaryOp;
use litmpi_spec::source::Span;
use litmpi_spec::syntax::{Expr, ExprKind, StmtKind};
use std::collections::{BTreeMap, BTreeSet};

/// What a thread is expanded with.
#[derive(Clone, Copy)]
pub(super) struct Of<'a> {
    pub(super) made: Made<'a>,
    pub(super) layer: &'a Layer,
    pub(super) below: &'a Instructions,
    pub(super) tree: &'a raw::Test,
    pub(super) nodes: &'a [i64],
    /// Each thread and its node.
    pub(super) homes: &'a [(i64, i64)],
    /// Names of the client.
    pub(super) taken: &'a BTreeSet<String>,
}

/// One thread.
pub(super) struct Expand<'a> {
    pub(super) of: Of<'a>,
    pub(super) number: i64,
    pub(super) here: i64,
    /// Memory that the test then has, by node and name.
    pub(super) memory: &'a mut BTreeMap<(i64, String), Span>,
    /// What the names of the body at hand mean, innermost last.
    pub(super) names: Vec<(String, Value)>,
    /// The instruction whose body it is.
    pub(super) method: String,
    /// Its own registers.
    pub(super) locals: Vec<String>,
    /// The statement at hand.
    pub(super) span: Span,
    /// Indices that only the run knows, and the values for which the statement at hand is.
    pub(super) fixed: Vec<(Span, i64)>,
    pub(super) errors: Vec<Diagnostic>,
}

impl<'a> Expand<'a> {
    pub(super) fn new(of: Of<'a>, thread: &raw::Thread, memory: &'a mut BTreeMap<(i64, String), Span>) -> Expand<'a> {
        Expand {
            of,
            number: thread.number.value,
            here: thread.on.value,
            memory,
            names: vec![],
            method: String::new(),
            locals: vec![],
            span: thread.number.span.clone(),
            fixed: vec![],
            errors: vec![],
        }
    }

    /// A name that the client does not have.
    pub(super) fn fresh(&self, name: &str) -> String {
        let mut name = name.to_owned();
        while self.of.taken.contains(&name) {
            name.push('_');
        }
        name
    }

    /// A client's statements.
    pub(super) fn client(&mut self, stmts: &[Stmt]) -> Vec<Stmt> {
        stmts.iter().flat_map(|s| self.client_stmt(s)).collect()
    }

    fn client_stmt(&mut self, stmt: &Stmt) -> Vec<Stmt> {
        match stmt {
            Stmt::Call(call) => self.call(None, call),
            Stmt::Assign { left, right: Right::Call(call), .. } => self.call(Some(left), call),
            Stmt::Assign { .. } => None,
            Stmt::If { cond, then, els, span } => Some(vec![Stmt::If {
                cond: cond.clone(),
                then: self.client(then),
                els: self.client(els),
                span: span.clone(),
            }]),
            Stmt::While { cond, bound, body, span } => Some(vec![Stmt::While {
                cond: cond.clone(),
                bound: bound.clone(),
                body: self.client(body),
                span: span.clone(),
            }]),
            Stmt::Choose { of, span } => {
                Some(vec![Stmt::Choose { of: of.iter().map(|s| self.client(s)).collect(), span: span.clone() }])
            }
        }
        .unwrap_or_else(|| vec![stmt.clone()])
    }

    /// The body of a call, if the layer has one.
    fn call(&mut self, left: Option<&raw::Place>, call: &raw::Call) -> Option<Vec<Stmt>> {
        let decls = &self.of.made.spec.instructions;
        let (instr, params) = called(decls, &call.name.text)?;
        let body = self.of.layer.body(instr)?;
        let decl = &decls.list[instr];
        (self.method, self.locals, self.span) = (decl.name.clone(), vec![], call.span.clone());
        let mut out = vec![];
        let mut given: Vec<Option<Value>> = decl
            .params
            .iter()
            .map(|p| match &p.default {
                Some(Default::Int(v, _)) => Some(Value::Int(*v)),
                _ => None,
            })
            .collect();
        if let (Form::AssignCall(l, ..), Some(left)) = (&decl.form, left) {
            given[*l] = Some(Value::Given(left.clone()));
        }
        for (p, arg) in resolve::bind(decl, &params, call, &mut self.errors) {
            let number = decls.kind(&decl.params[p]).shape == Shape::Int;
            given[p] = Some(match &arg.value {
                raw::Value::List(es) => Value::List(es.iter().map(|e| self.given(e)).collect()),
                // What a number is worth is found out once, before the body.
                raw::Value::One(e) if number && !matches!(e.kind, raw::ExprKind::Int(_)) => {
                    let own = self.fresh(&format!("{}_{}", self.method, decl.params[p].name));
                    self.locals.push(own.clone());
                    let left = place(&own, None, &call.span);
                    let right = Right::Expr(e.clone());
                    out.push(Stmt::Assign { left: left.clone(), right, span: call.span.clone() });
                    Value::Given(left)
                }
                raw::Value::One(e) => self.given(e),
            });
        }
        self.names = body.params.iter().cloned().zip(given).filter_map(|(n, v)| Some((n, v?))).collect();
        self.stmts(&body.stmts, &mut out);
        for own in std::mem::take(&mut self.locals) {
            let (left, zero) = (place(&own, None, &call.span), raw::ExprKind::Int(0));
            let right = Right::Expr(raw::Expr { kind: zero, span: call.span.clone() });
            out.push(Stmt::Assign { left, right, span: call.span.clone() });
        }
        Some(out)
    }

    fn given(&self, e: &raw::Expr) -> Value {
        match &e.kind {
            raw::ExprKind::Int(v) => Value::Int(*v),
            raw::ExprKind::Place(p) => Value::Given(p.clone()),
            kind => Value::Run(kind.clone()),
        }
    }

    fn stmts(&mut self, stmts: &[litmpi_spec::syntax::Stmt], out: &mut Vec<Stmt>) {
        for stmt in stmts {
            match self.stmt(stmt) {
                Ok(made) => out.extend(made),
                Err(Stop::Wrong(d)) => self.errors.push(*d),
                Err(Stop::Open(open)) => out.extend(self.each_value(stmt, &open.0, &open.1, open.2)),
            }
        }
    }

    /// A statement for every value of an index that only the run knows.
    fn each_value(&mut self, stmt: &litmpi_spec::syntax::Stmt, at: &Span, e: &raw::ExprKind, bound: i64) -> Vec<Stmt> {
        let mut out = vec![];
        for value in (0..bound).rev() {
            self.fixed.push((at.clone(), value));
            let mut then = vec![];
            self.stmts(std::slice::from_ref(stmt), &mut then);
            self.fixed.pop();
            if value == bound - 1 {
                out = then;
                continue;
            }
            let span = stmt.span.clone();
            let boxed = |kind| Box::new(raw::Expr { kind, span: span.clone() });
            let index = boxed(raw::ExprKind::Paren(boxed(e.clone())));
            let same =
                raw::ExprKind::Binary(litmpi_spec::program::BinaryOp::Eq, index, boxed(raw::ExprKind::Int(value)));
            out = vec![Stmt::If { cond: raw::Expr { kind: same, span: span.clone() }, then, els: out, span }];
        }
        out
    }

    fn block(&mut self, stmts: &[litmpi_spec::syntax::Stmt]) -> Vec<Stmt> {
        let mut out = vec![];
        self.stmts(stmts, &mut out);
        out
    }

    fn stmt(&mut self, stmt: &litmpi_spec::syntax::Stmt) -> Got<Vec<Stmt>> {
        let span = stmt.span.clone();
        self.span = span.clone();
        Ok(match &stmt.node {
            StmtKind::Assign(left, e) => vec![self.assign(left, e, &span)?],
            StmtKind::Call(f, args) => {
                let Some((instr, params)) = called(self.of.below, &f.node) else {
                    return wrong(&f.span, format!("below there is no instruction `{}`", f.node), "unknown", "");
                };
                let args = self.args(instr, &params, args)?;
                let name = raw::Name { text: f.node.clone(), span: f.span.clone() };
                vec![Stmt::Call(raw::Call { name, args, span })]
            }
            StmtKind::If(cond, then, els) => match self.value(cond)? {
                Value::Int(0) => self.block(els),
                Value::Int(_) => self.block(then),
                cond_ => {
                    let cond = self.expr(cond_, &cond.span)?;
                    vec![Stmt::If { cond, then: self.block(then), els: self.block(els), span }]
                }
            },
            StmtKind::While(cond, bound, body) => {
                let cond_ = self.value(cond)?;
                let cond = self.expr(cond_, &cond.span)?;
                let bound = bound.map(|value| raw::Number { value, span: span.clone() });
                vec![Stmt::While { cond, bound, body: self.block(body), span }]
            }
            StmtKind::Repeat(body, until) => {
                let mut out = self.block(body);
                let until_ = self.value(until)?;
                let until = Box::new(self.expr(until_, &until.span)?);
                let until = Box::new(raw::Expr { kind: raw::ExprKind::Paren(until), span: span.clone() });
                let cond = raw::Expr { kind: raw::ExprKind::Unary(UnaryOp::Not, until), span: span.clone() };
                let bound = Some(raw::Number { value: 0, span: span.clone() });
                out.push(Stmt::While { cond, bound, body: vec![], span });
                out
            }
            StmtKind::For(name, over, body) => {
                let Value::List(all) = self.value(over)? else {
                    return wrong(&over.span, "a list is wanted here", "this is none", "use `nodes`, `users(x)`, …");
                };
                let each = |this: &mut Self, order: Vec<Value>| {
                    let mut out = vec![];
                    for value in order {
                        this.names.push((name.node.clone(), value));
                        this.stmts(body, &mut out);
                        this.names.pop();
                    }
                    out
                };
                let in_any_order = matches!(&*over.node, ExprKind::Call(f, _) if f.node == "unordered");
                if !in_any_order || all.len() < 2 {
                    return Ok(each(self, all));
                }
                if all.len() > 4 {
                    return wrong(&over.span, "more orders than are tried", "this", "refine it with at most 4 words");
                }
                let of = orders(all).into_iter().map(|order| each(self, order)).collect();
                vec![Stmt::Choose { of, span }]
            }
            StmtKind::Choose(of) => vec![Stmt::Choose { of: of.iter().map(|s| self.block(s)).collect(), span }],
        })
    }

    fn assign(&mut self, left: &Expr, e: &Expr, span: &Span) -> Got<Stmt> {
        let right = match &*e.node {
            litmpi_spec::syntax::ExprKind::Call(f, args) if called(self.of.below, &f.node).is_some() => {
                let (instr, params) = called(self.of.below, &f.node).expect("just seen");
                let name = raw::Name { text: f.node.clone(), span: f.span.clone() };
                Right::Call(raw::Call { name, args: self.args(instr, &params, args)?, span: e.span.clone() })
            }
            _ => {
                let value = self.value(e)?;
                Right::Expr(self.expr(value, &e.span)?)
            }
        };
        if let ExprKind::Index(of, i) = &*left.node
            && matches!(&*of.node, ExprKind::Name(n) if self.of.layer.memory.iter().all(|m| m.name != *n))
            && let Value::Given(p) = self.value(left)?
            && let Value::Int(word @ 1..) = self.value(i)?
        {
            // A word of a result that is another value than the words before it: no value at all.
            return match right {
                Right::Expr(e) => Ok(torn(p, e, span)),
                Right::Call(_) => wrong(&left.span, format!("word {word} comes from a call"), "this", "use a register"),
            };
        }
        let left = match self.value(left)? {
            Value::Given(p) => p,
            Value::Memory(name, node) => self.located(&name, node, &left.span),
            Value::Run(raw::ExprKind::Place(p)) => {
                let lasts = self.of.layer.registers.iter().any(|r| p.name.text.contains(&r.node));
                if !lasts && !self.locals.contains(&p.name.text) {
                    self.locals.push(p.name.text.clone());
                }
                p
            }
            _ => return wrong(&left.span, "this cannot be assigned", "no place", "assign memory or a register"),
        };
        Ok(Stmt::Assign { left, right, span: span.clone() })
    }

    fn args(&mut self, instr: usize, params: &[usize], args: &[Expr]) -> Got<Vec<raw::Arg>> {
        let mut out = vec![];
        for (i, e) in args.iter().enumerate() {
            let param = params.get(i).map(|p| &self.of.below.list[instr].params[*p]);
            let object = param.is_some_and(|p| self.of.below.kind(p).shape == Shape::Object);
            let value = match self.value(e)? {
                Value::List(all) => {
                    raw::Value::List(all.into_iter().map(|v| self.expr(v, &e.span)).collect::<Got<_>>()?)
                }
                // An object is a name; its memory is made by what is below.
                Value::Memory(name, _) if object => raw::Value::One(raw::Expr {
                    kind: raw::ExprKind::Place(place(&name, None, &e.span)),
                    span: e.span.clone(),
                }),
                v => raw::Value::One(self.expr(v, &e.span)?),
            };
            out.push(raw::Arg { name: None, value, span: e.span.clone() });
        }
        Ok(out)
    }
}

/// What stands for a value whose words are of different ones.
const TORN: i64 = -2;

/// `if p ≠ e { p := -2 }`
fn torn(p: raw::Place, e: raw::Expr, span: &Span) -> Stmt {
    let of = |kind| raw::Expr { kind, span: span.clone() };
    let (left, right) = (of(raw::ExprKind::Place(p.clone())), of(raw::ExprKind::Paren(Box::new(e))));
    let cond = of(raw::ExprKind::Binary(BinaryOp::Ne, Box::new(left), Box::new(right)));
    let then = Stmt::Assign { left: p, right: Right::Expr(of(raw::ExprKind::Int(TORN))), span: span.clone() };
    Stmt::If { cond, then: vec![then], els: vec![], span: span.clone() }
}

/// Every order of some values.
fn orders(all: Vec<Value>) -> Vec<Vec<Value>> {
    if all.len() < 2 {
        return vec![all];
    }
    let mut out = vec![];
    for first in 0..all.len() {
        let mut rest = all.clone();
        let value = rest.remove(first);
        out.extend(orders(rest).into_iter().map(|mut order| {
            order.insert(0, value.clone());
            order
        }));
    }
    out
}
