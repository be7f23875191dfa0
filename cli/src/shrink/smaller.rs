//! Programs that are one step smaller than a test: without a rank, some statements or a branch, or with a plainer argument.
//!
//! A step is tried as text that is read again, so what does not fit (a register that nothing sets any more) is simply no program.

use super::without::without_thread;
use litmpi_litmus::ast::{Observed, Stmt, Test, Thread};
use litmpi_spec::decl::{Default as Given, Instructions};
use litmpi_spec::program::{IntExpr, Operand};
use std::collections::{BTreeMap, BTreeSet};

/// Kinds of steps, those that leave out most first.
pub(crate) const STAGES: [Stage; 6] = [threads, units, pairs, branches, arguments, observables];

/// All programs that are one step of a kind smaller than this one, always in the same order.
pub(crate) type Stage = fn(&Test, &Instructions) -> Vec<Test>;

/// More pairs of statements than this are not tried.
const PAIRS: usize = 400;

/// How large a program is: statements, arguments that say something, ranks and what it shows.
pub(crate) fn size(test: &Test) -> (usize, usize, usize) {
    (test.threads.len(), test.threads.iter().map(|t| count(&t.body)).sum(), test.observed.len())
}

fn threads(test: &Test, decls: &Instructions) -> Vec<Test> {
    let all = if test.threads.len() > 1 { test.threads.len() } else { 0 };
    (0..all).rev().filter_map(|t| without_thread(test, t, decls)).collect()
}

/// Statements by thread and by their number in it, those within others too.
type Unit = BTreeSet<(usize, usize)>;

/// What is left out together: parts of the program, then all statements that speak of one register, then single statements.
fn all_units(test: &Test) -> Vec<Unit> {
    let every: Vec<(usize, usize)> =
        test.threads.iter().enumerate().flat_map(|(t, thread)| (0..count(&thread.body)).map(move |s| (t, s))).collect();
    let mut out: Vec<Unit> = vec![];
    let mut length = every.len() / 2;
    while length > 1 {
        out.extend(every.chunks(length).map(|part| part.iter().copied().collect()));
        length /= 2;
    }
    let mut by_register: BTreeMap<(usize, usize), Unit> = BTreeMap::new();
    for (t, thread) in test.threads.iter().enumerate() {
        for (s, stmt) in flat(&thread.body).into_iter().enumerate() {
            for reg in registers(stmt) {
                by_register.entry((t, reg)).or_default().insert((t, s));
            }
        }
    }
    let mut registers: Vec<Unit> = by_register.into_values().filter(|u| u.len() > 1).collect();
    registers.sort_by_key(|u| std::cmp::Reverse(u.len()));
    out.extend(registers);
    out.extend(every.iter().map(|one| Unit::from([*one])));
    let mut seen = BTreeSet::new();
    out.retain(|u| seen.insert(u.clone()));
    out
}

fn units(test: &Test, _: &Instructions) -> Vec<Test> {
    all_units(test).iter().map(|u| leaving_out(test, u)).collect()
}

/// A send and its receive, or calls of two ranks to one collective, can only go together.
fn pairs(test: &Test, _: &Instructions) -> Vec<Test> {
    let units: Vec<Unit> =
        all_units(test).into_iter().filter(|u| u.iter().map(|(t, _)| t).collect::<BTreeSet<_>>().len() == 1).collect();
    let mut out = vec![];
    for (i, a) in units.iter().enumerate() {
        for b in &units[i + 1..] {
            if out.len() < PAIRS && a.is_disjoint(b) {
                out.push(leaving_out(test, &a.union(b).copied().collect()));
            }
        }
    }
    out
}

fn leaving_out(test: &Test, unit: &Unit) -> Test {
    let mut out = test.clone();
    for (t, thread) in out.threads.iter_mut().enumerate() {
        thread.body =
            rebuilt(&thread.body, &mut 0, &mut |s, stmt| if unit.contains(&(t, s)) { vec![] } else { vec![stmt] });
    }
    out
}

/// A loop or a choice by what is in it.
fn branches(test: &Test, _: &Instructions) -> Vec<Test> {
    let mut out = vec![];
    for (t, thread) in test.threads.iter().enumerate() {
        for (s, stmt) in flat(&thread.body).into_iter().enumerate() {
            let parts: Vec<Vec<Stmt>> = match stmt {
                Stmt::Call { .. } | Stmt::Set { .. } => vec![],
                Stmt::If { then, els, .. } => vec![then.clone(), els.clone()],
                Stmt::While { cond, bound, body, span } => {
                    let less = bound.filter(|b| *b > 1).map(|b| {
                        vec![Stmt::While {
                            cond: cond.clone(),
                            bound: Some(b / 2),
                            body: body.clone(),
                            span: span.clone(),
                        }]
                    });
                    std::iter::once(body.clone()).chain(less).collect()
                }
                Stmt::Choose { of, .. } => of.clone(),
            };
            out.extend(parts.into_iter().map(|part| with(test, (t, s), &part)));
        }
    }
    out
}

/// The test with other statements in the place of one.
fn with(test: &Test, (t, at): (usize, usize), part: &[Stmt]) -> Test {
    let mut out = test.clone();
    let body = &test.threads[t].body;
    out.threads[t].body = rebuilt(body, &mut 0, &mut |s, stmt| if s == at { part.to_vec() } else { vec![stmt] });
    out
}

fn arguments(test: &Test, decls: &Instructions) -> Vec<Test> {
    let mut out = everywhere(test, decls);
    for (t, thread) in test.threads.iter().enumerate() {
        for (s, stmt) in flat(&thread.body).into_iter().enumerate() {
            let Stmt::Call { instr, args, span } = stmt else { continue };
            let params = &decls.list[*instr].params;
            let mut put = |args: Vec<Operand>| {
                out.push(with(test, (t, s), &[Stmt::Call { instr: *instr, args, span: span.clone() }]));
            };
            for (i, (param, arg)) in params.iter().zip(args).enumerate() {
                let mut plainer = |new: Operand| {
                    let mut args = args.clone();
                    args[i] = new;
                    put(args);
                };
                match &param.default {
                    Some(Given::Int(v, name)) if !is(arg, *v) => {
                        plainer(Operand::Int(IntExpr::Const(*v, name.clone())))
                    }
                    Some(Given::NoRegister) if *arg != Operand::NoReg => plainer(Operand::NoReg),
                    _ => {}
                }
                if let Operand::Int(IntExpr::Binary(..) | IntExpr::Unary(..)) = arg {
                    plainer(Operand::Int(IntExpr::Const(0, None)));
                }
            }
            // Lists of one call lose the same item.
            let longest =
                args.iter().filter_map(|a| if let Operand::List(items) = a { Some(items.len()) } else { None }).max();
            for at in (0..longest.unwrap_or(0)).rev().filter(|_| longest > Some(1)) {
                let shorter = args.iter().map(|a| match a {
                    Operand::List(items) if items.len() == longest.unwrap_or(0) => Operand::List(
                        items.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, item)| item.clone()).collect(),
                    ),
                    other => other.clone(),
                });
                put(shorter.collect());
            }
        }
    }
    for (l, loc) in test.locs.iter().enumerate().filter(|(_, l)| !(0..=1).contains(&l.initial)) {
        let mut less = test.clone();
        less.locs[l].initial = if loc.name.starts_with('$') { 1 } else { 0 };
        out.push(less);
    }
    out
}

/// A number of one kind (a tag, a count) by 0, or by what it is if nobody says, in all calls.
fn everywhere(test: &Test, decls: &Instructions) -> Vec<Test> {
    let mut found: BTreeSet<(usize, i64, i64)> = BTreeSet::new();
    for call in test.calls() {
        for (param, arg) in decls.list[call.instr].params.iter().zip(call.args) {
            let plain = match param.default {
                Some(Given::Int(v, _)) => v,
                _ => 0,
            };
            if let Operand::Int(IntExpr::Const(v, None)) = arg
                && *v != plain
                && !matches!(decls.kind(param).name.as_str(), "rank" | "root")
            {
                found.insert((param.kind, *v, plain));
            }
        }
    }
    let change = |(kind, old, new): &(usize, i64, i64)| {
        let mut out = test.clone();
        for thread in &mut out.threads {
            thread.body = rebuilt(&thread.body, &mut 0, &mut |_, mut stmt| {
                if let Stmt::Call { instr, args, .. } = &mut stmt {
                    for (param, arg) in decls.list[*instr].params.iter().zip(args) {
                        if param.kind == *kind && is(arg, *old) {
                            *arg = Operand::Int(IntExpr::Const(*new, None));
                        }
                    }
                }
                vec![stmt]
            });
        }
        out
    };
    found.iter().map(change).collect()
}

fn is(arg: &Operand, value: i64) -> bool {
    matches!(arg, Operand::Int(IntExpr::Const(v, _)) if *v == value)
}

/// Outcomes that show less.
fn observables(test: &Test, _: &Instructions) -> Vec<Test> {
    let without = |i: usize| {
        let mut out = test.clone();
        out.observed.remove(i);
        out
    };
    (0..test.observed.len()).rev().map(without).collect()
}

/// What is observed and still there: a register that no statement speaks of has no value to show.
pub(super) fn tidy(test: &mut Test) {
    let spoken: Vec<BTreeSet<usize>> = test.threads.iter().map(spoken).collect();
    test.observed.retain(|o| match &o.what {
        Observed::Reg(t, reg, _) => spoken[*t].contains(reg),
        Observed::Loc(_) => true,
    });
    let mut used: BTreeSet<usize> = test.calls().iter().flat_map(|c| c.args.iter().flat_map(locations)).collect();
    used.extend(test.observed.iter().filter_map(|o| if let Observed::Loc(l) = o.what { Some(l) } else { None }));
    super::without::keep_locations(test, &used);
}

fn locations(arg: &Operand) -> Vec<usize> {
    match arg {
        Operand::Loc(l) => vec![*l],
        Operand::List(items) => items.iter().flat_map(locations).collect(),
        _ => vec![],
    }
}

fn spoken(thread: &Thread) -> BTreeSet<usize> {
    flat(&thread.body).into_iter().flat_map(registers).collect()
}

/// The registers that a statement speaks of itself.
fn registers(stmt: &Stmt) -> BTreeSet<usize> {
    fn of_expr(e: &IntExpr, out: &mut BTreeSet<usize>) {
        match e {
            IntExpr::Const(..) => {}
            IntExpr::Reg(r, _) => _ = out.insert(*r),
            IntExpr::Unary(_, a) => of_expr(a, out),
            IntExpr::Binary(_, a, b) => {
                of_expr(a, out);
                of_expr(b, out);
            }
        }
    }
    fn of_arg(arg: &Operand, out: &mut BTreeSet<usize>) {
        match arg {
            Operand::Reg(r) => _ = out.insert(*r),
            Operand::Int(e) => of_expr(e, out),
            Operand::List(items) => items.iter().for_each(|i| of_arg(i, out)),
            Operand::Loc(_) | Operand::Node(_) | Operand::NoReg => {}
        }
    }
    let mut out = BTreeSet::new();
    match stmt {
        Stmt::Call { args, .. } => args.iter().for_each(|a| of_arg(a, &mut out)),
        Stmt::Set { reg, expr, .. } => {
            out.insert(*reg);
            of_expr(expr, &mut out);
        }
        Stmt::If { cond, .. } | Stmt::While { cond, .. } => of_expr(cond, &mut out),
        Stmt::Choose { .. } => {}
    }
    out
}

/// The statements of a body and those within them, in the order of the text.
pub(super) fn flat(body: &[Stmt]) -> Vec<&Stmt> {
    body.iter().flat_map(|stmt| std::iter::once(stmt).chain(inside(stmt).into_iter().flat_map(|b| flat(b)))).collect()
}

fn inside(stmt: &Stmt) -> Vec<&[Stmt]> {
    match stmt {
        Stmt::Call { .. } | Stmt::Set { .. } => vec![],
        Stmt::If { then, els, .. } => vec![then, els],
        Stmt::While { body, .. } => vec![body],
        Stmt::Choose { of, .. } => of.iter().map(Vec::as_slice).collect(),
    }
}

fn count(body: &[Stmt]) -> usize {
    flat(body).len()
}

/// A body with each statement replaced, by its number in the order of [`flat`].
pub(super) fn rebuilt(body: &[Stmt], next: &mut usize, change: &mut dyn FnMut(usize, Stmt) -> Vec<Stmt>) -> Vec<Stmt> {
    let mut out = vec![];
    for stmt in body {
        let number = *next;
        *next += 1;
        let mut stmt = stmt.clone();
        match &mut stmt {
            Stmt::Call { .. } | Stmt::Set { .. } => {}
            Stmt::If { then, els, .. } => {
                *then = rebuilt(then, next, change);
                *els = rebuilt(els, next, change);
            }
            Stmt::While { body, .. } => *body = rebuilt(body, next, change),
            Stmt::Choose { of, .. } => of.iter_mut().for_each(|b| *b = rebuilt(b, next, change)),
        }
        out.extend(change(number, stmt));
    }
    out
}
