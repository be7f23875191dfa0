//! Which users of objects a body asks for, whatever constants say: a mistake's library is used like the right one.

use litmpi_spec::syntax::{Expr, ExprKind, Stmt, StmtKind};

/// Of each object's kind, the instructions, or `any`; `objects` are parameters and their kinds.
pub(super) fn asked(stmts: &[Stmt], objects: &[(String, String)]) -> Vec<(String, String)> {
    let mut out = vec![];
    stmts.iter().for_each(|s| stmt(s, objects, &mut out));
    out
}

fn stmt(s: &Stmt, objects: &[(String, String)], out: &mut Vec<(String, String)>) {
    let mut blocks: Vec<&[Stmt]> = vec![];
    match &s.node {
        StmtKind::Assign(_, e) => expr(e, objects, out),
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
    let ExprKind::Call(f, args) = &*e.node else { return };
    args.iter().for_each(|e| expr(e, objects, out));
    let Some(ExprKind::Name(object)) = args.first().map(|a| &*a.node) else { return };
    let Some((_, kind)) = objects.iter().find(|(n, _)| n == object) else { return };
    if matches!(f.node.as_str(), "users" | "homes" | "others") {
        let by = match args.get(1).map(|a| &*a.node) {
            Some(ExprKind::Name(n)) => n.as_str(),
            _ => "any",
        };
        out.push((kind.clone(), by.to_owned()));
    }
}
