//! Which users of objects a body asks for, whatever constants say: a mistake's library is used like the right one.

use litmpi_spec::syntax::{Expr, ExprKind, Stmt, StmtKind};
use std::collections::BTreeSet;

/// Of each object's kind, the instructions, or `any`; `objects` are parameters and their kinds.
pub(super) fn asked(stmts: &[Stmt], objects: &[(String, String)]) -> Vec<(String, String)> {
    let mut out = vec![];
    stmts.iter().for_each(|s| stmt(s, objects, &mut out));
    out
}

fn stmt(s: &Stmt, objects: &[(String, String)], out: &mut Vec<(String, String)>) {
    let mut blocks: Vec<&[Stmt]> = vec![];
    match &s.node {
        StmtKind::Assign(left, e) => [left, e].into_iter().for_each(|e| expr(e, objects, out)),
        StmtKind::Call(_, args) => args.iter().for_each(|e| expr(e, objects, out)),
        StmtKind::If(cond, then, els) => {
            expr(cond, objects, out);
            blocks.extend([then.as_slice(), els]);
        }
        StmtKind::While(e, _, body) | StmtKind::Repeat(body, e) | StmtKind::For(_, e, body) => {
            expr(e, objects, out);
            blocks.push(body);
        }
        StmtKind::Choose(of) => blocks.extend(of.iter().map(Vec::as_slice)),
    }
    blocks.into_iter().flatten().for_each(|s| stmt(s, objects, out));
}

fn expr(e: &Expr, objects: &[(String, String)], out: &mut Vec<(String, String)>) {
    let ExprKind::Call(f, args) = &*e.node else {
        match &*e.node {
            ExprKind::Index(a, b) | ExprKind::Bin(_, a, b) => [a, b].into_iter().for_each(|e| expr(e, objects, out)),
            ExprKind::List(of) => of.iter().for_each(|e| expr(e, objects, out)),
            ExprKind::Not(a) | ExprKind::Neg(a) | ExprKind::Member(a, _) => expr(a, objects, out),
            _ => {}
        }
        return;
    };
    args.iter().for_each(|e| expr(e, objects, out));
    let Some(ExprKind::Name(object)) = args.first().map(|a| &*a.node) else { return };
    let Some((_, kind)) = objects.iter().find(|(n, _)| n == object) else { return };
    let of_users = matches!(f.node.as_str(), "users" | "homes" | "others");
    if of_users || matches!(f.node.as_str(), "count" | "place" | "member" | "doubling") {
        let by = match args.get(1).map(|a| &*a.node) {
            Some(ExprKind::Name(n)) if of_users => n.as_str(),
            _ => "any",
        };
        out.push((kind.clone(), by.to_owned()));
    }
}

/// Names that a body takes a word of: `v[i]`.
pub(super) fn indexed(stmts: &[Stmt]) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    stmts.iter().for_each(|s| indexed_in(s, &mut out));
    out
}

fn indexed_in(s: &Stmt, out: &mut BTreeSet<String>) {
    let mut blocks: Vec<&[Stmt]> = vec![];
    match &s.node {
        StmtKind::Assign(left, e) => [left, e].into_iter().for_each(|e| indexed_expr(e, out)),
        StmtKind::Call(_, args) => args.iter().for_each(|e| indexed_expr(e, out)),
        StmtKind::If(cond, then, els) => {
            indexed_expr(cond, out);
            blocks.extend([then.as_slice(), els]);
        }
        StmtKind::While(e, _, body) | StmtKind::Repeat(body, e) | StmtKind::For(_, e, body) => {
            indexed_expr(e, out);
            blocks.push(body);
        }
        StmtKind::Choose(of) => blocks.extend(of.iter().map(Vec::as_slice)),
    }
    blocks.into_iter().flatten().for_each(|s| indexed_in(s, out));
}

fn indexed_expr(e: &Expr, out: &mut BTreeSet<String>) {
    match &*e.node {
        ExprKind::Index(of, i) => {
            if let ExprKind::Name(n) = &*of.node {
                out.insert(n.clone());
            }
            [of, i].into_iter().for_each(|e| indexed_expr(e, out));
        }
        ExprKind::Member(a, _) | ExprKind::Not(a) | ExprKind::Neg(a) => indexed_expr(a, out),
        ExprKind::Bin(_, a, b) => [a, b].into_iter().for_each(|e| indexed_expr(e, out)),
        ExprKind::If(a, b, c) => [a, b, c].into_iter().for_each(|e| indexed_expr(e, out)),
        ExprKind::List(of) | ExprKind::Call(_, of) => of.iter().for_each(|e| indexed_expr(e, out)),
        _ => {}
    }
}

/// What a body assigns to a name, whatever constants say, so that a mistake's library gives what the right one does: numbers, or none
/// where only the run knows.
pub(super) fn results(stmts: &[Stmt], name: &str) -> Vec<Option<i64>> {
    let mut out = vec![];
    for s in stmts {
        let mut blocks: Vec<&[Stmt]> = vec![];
        match &s.node {
            StmtKind::Assign(left, e) if matches!(&*left.node, ExprKind::Name(n) if n == name) => out.push(number(e)),
            StmtKind::Assign(..) | StmtKind::Call(..) => {}
            StmtKind::If(_, then, els) => blocks.extend([then.as_slice(), els]),
            StmtKind::While(_, _, body) | StmtKind::Repeat(body, _) | StmtKind::For(_, _, body) => blocks.push(body),
            StmtKind::Choose(of) => blocks.extend(of.iter().map(Vec::as_slice)),
        }
        blocks.into_iter().for_each(|b| out.extend(results(b, name)));
    }
    out
}

fn number(e: &Expr) -> Option<i64> {
    match &*e.node {
        ExprKind::Int(v) => Some(*v),
        ExprKind::Neg(a) => number(a).map(|v| -v),
        _ => None,
    }
}
