//! Layers: bodies in the place of calls (loco-mowgli §3.5, the translation of a client by an implementation).
//!
//! A client of a layer is a test over its instructions; [`expand`] makes of it the test over what is below. Everything
//! that is known before the test runs is worked out: loops over nodes and threads, conditions on constants, names of
//! memory. Memory of an object `x` with the field `copy` becomes a location `x_copy`; a body's own registers are the
//! thread's, and 0 again after the call. An index that only the run knows becomes a branch for each of its values.
//!
//! Limits: `repeat … until` does one round and leaves out the runs in which another would follow. That loses no outcome
//! where a round but reads what it sets again: the last round alone counts.

mod body;
mod check;
mod names;
mod value;

use crate::ast::Test;
use crate::{parse, raw, resolve};
use body::Expand;
use litmpi_spec::decl::{Instructions, Shape};
use litmpi_spec::diag::Report;
use litmpi_spec::layer::Layer;
use litmpi_spec::model::Spec;
use std::collections::{BTreeMap, BTreeSet};

pub use check::check;
pub use value::known;

/// A layer under one of its variants.
#[derive(Debug, Clone, Copy)]
pub struct Made<'s> {
    /// Its specification, which has [`Spec::layer`].
    pub spec: &'s Spec,
    /// The values of its constants.
    pub constants: &'s [i64],
}

/// The test over what is below the last of the layers, of which each is made of the next.
///
/// # Errors
/// A test or a body that does not fit.
pub fn expand(test: &Test, layers: &[Made<'_>], below: &Instructions) -> Result<Test, Report> {
    let mut tree = parse::read(&test.span.source)?;
    for (i, made) in layers.iter().enumerate() {
        let next = layers.get(i + 1).map_or(below, |l| &l.spec.instructions);
        if let Some(layer) = &made.spec.layer {
            tree = one(tree, *made, layer, next)?;
        }
    }
    resolve::resolve(&tree, below)
}

fn one(tree: raw::Test, made: Made<'_>, layer: &Layer, below: &Instructions) -> Result<raw::Test, Report> {
    let mut taken = BTreeSet::new();
    tree.threads.iter().for_each(|t| words(&t.body, &mut taken));
    tree.nodes.iter().flat_map(|n| &n.variables).for_each(|v| _ = taken.insert(v.name.text.clone()));
    let homes: Vec<(i64, i64)> = tree.threads.iter().map(|t| (t.number.value, t.on.value)).collect();
    let mut nodes: Vec<i64> = tree.nodes.iter().map(|n| n.number.value).collect();
    nodes.sort_unstable();
    let (mut memory, mut bodies, mut errors) = (BTreeMap::new(), vec![], Report::default());
    for thread in &tree.threads {
        let of = body::Of { made, layer, below, tree: &tree, nodes: &nodes, homes: &homes, taken: &taken };
        let mut expand = Expand::new(of, thread, &mut memory);
        bodies.push(expand.client(&thread.body));
        errors.0.append(&mut expand.errors);
    }
    errors.into_result()?;
    let raw::Test { family, name, title, nodes, threads, locations, claims, herd, span } = tree;
    let threads = threads.into_iter().zip(bodies).map(|(t, body)| raw::Thread { body, ..t }).collect();
    let nodes = nodes
        .into_iter()
        .map(|mut n| {
            let own = memory.iter().filter(|((node, _), _)| *node == n.number.value);
            n.variables.extend(own.map(|((_, name), span)| raw::Variable {
                name: raw::Name { text: name.clone(), span: litmpi_spec::source::Span::clone(span) },
                len: None,
                init: raw::Init::Zero,
            }));
            n
        })
        .collect();
    Ok(raw::Test { family, name, title, nodes, threads, locations, claims, herd, span })
}

/// The names that statements assign or mention.
fn words(stmts: &[raw::Stmt], out: &mut BTreeSet<String>) {
    fn place(p: &raw::Place, out: &mut BTreeSet<String>) {
        out.insert(p.name.text.clone());
    }
    fn expr(e: &raw::Expr, out: &mut BTreeSet<String>) {
        match &e.kind {
            raw::ExprKind::Int(_) => {}
            raw::ExprKind::Place(p) => place(p, out),
            raw::ExprKind::Field(r, _) => _ = out.insert(r.text.clone()),
            raw::ExprKind::Paren(a) | raw::ExprKind::Unary(_, a) => expr(a, out),
            raw::ExprKind::Binary(_, a, b) => {
                expr(a, out);
                expr(b, out);
            }
        }
    }
    let call = |c: &raw::Call, out: &mut BTreeSet<String>| {
        for a in &c.args {
            match &a.value {
                raw::Value::One(e) => expr(e, out),
                raw::Value::List(es) => es.iter().for_each(|e| expr(e, out)),
            }
        }
    };
    for stmt in stmts {
        match stmt {
            raw::Stmt::Assign { left, right, .. } => {
                place(left, out);
                match right {
                    raw::Right::Expr(e) => expr(e, out),
                    raw::Right::Call(c) => call(c, out),
                }
            }
            raw::Stmt::Call(c) => call(c, out),
            raw::Stmt::If { cond, then, els, .. } => {
                expr(cond, out);
                words(then, out);
                words(els, out);
            }
            raw::Stmt::While { cond, body, .. } => {
                expr(cond, out);
                words(body, out);
            }
            raw::Stmt::Choose { of, .. } => of.iter().for_each(|s| words(s, out)),
        }
    }
}

/// The numbers of the threads that call an instruction, or any, on an object.
fn users(tree: &raw::Test, decls: &Instructions, object: &str, by: Option<&str>) -> Vec<i64> {
    fn calls<'t>(stmts: &'t [raw::Stmt], out: &mut Vec<&'t raw::Call>) {
        for stmt in stmts {
            match stmt {
                raw::Stmt::Assign { right: raw::Right::Call(c), .. } | raw::Stmt::Call(c) => out.push(c),
                raw::Stmt::Assign { .. } => {}
                raw::Stmt::If { then, els, .. } => {
                    calls(then, out);
                    calls(els, out);
                }
                raw::Stmt::While { body, .. } => calls(body, out),
                raw::Stmt::Choose { of, .. } => of.iter().for_each(|s| calls(s, out)),
            }
        }
    }
    let uses = |c: &&raw::Call| {
        let Some((instr, params)) = value::called(decls, &c.name.text) else { return false };
        if by.is_some_and(|b| b != decls.list[instr].name) {
            return false;
        }
        let bound = resolve::bind(&decls.list[instr], &params, c, &mut vec![]);
        bound.iter().any(|(p, arg)| {
            let is_object = decls.kind(&decls.list[instr].params[*p]).shape == Shape::Object;
            let plain = |e: &raw::Expr| matches!(&e.kind, raw::ExprKind::Place(p) if p.name.text == object);
            is_object && matches!(&arg.value, raw::Value::One(e) if plain(e))
        })
    };
    let of = |t: &&raw::Thread| {
        let mut all = vec![];
        calls(&t.body, &mut all);
        all.iter().any(&uses)
    };
    let mut found: Vec<i64> = tree.threads.iter().filter(of).map(|t| t.number.value).collect();
    found.sort_unstable();
    found
}
