//! How a layer makes its instructions.

use super::doc::{Doc, align, cat, commas, nest};
use super::expr::{Level, expr};
use super::{cite, quoted};
use crate::syntax::{Expr, Implement, Name, Stmt, StmtKind};

pub(super) fn memory(fields: &[(Name, Vec<Expr>)]) -> Doc {
    let field = |(name, indices): &(Name, Vec<Expr>)| {
        let indices = indices.iter().map(|i| cat(["[".into(), expr(i, Level::Whole), "]".into()]));
        cat([name.node.clone().into(), Doc::Cat(indices.collect())])
    };
    cat(["memory ".into(), commas(fields.iter().map(field))])
}

pub(super) fn implement(i: &Implement) -> Doc {
    let params: Vec<&str> = i.params.iter().map(|p| p.node.as_str()).collect();
    let head = format!("implement {} ({})", i.name.node, params.join(", "));
    let notes = i.cites.iter().map(cite).chain(i.deviations.iter().map(|d| format!("deviation {}", quoted(d))));
    let notes: Vec<Doc> = notes.flat_map(|n| [Doc::Line, n.into()]).collect();
    let open = if notes.is_empty() {
        cat([" ".into(), "{".into()])
    } else {
        cat([nest(Doc::Cat(notes)), Doc::Line, "{".into()])
    };
    // Outside any group, every statement has a line.
    cat([head.into(), open, block(&i.body)])
}

/// The statements and the closing bracket.
fn block(stmts: &[Stmt]) -> Doc {
    let lines = stmts.iter().flat_map(|s| [Doc::Line, stmt(s)]).collect();
    cat([nest(Doc::Cat(lines)), Doc::Line, "}".into()])
}

fn whole(e: &Expr) -> Doc {
    align(expr(e, Level::Whole))
}

fn stmt(s: &Stmt) -> Doc {
    match &s.node {
        StmtKind::Assign(place, e) => cat([expr(place, Level::Whole), " := ".into(), whole(e)]),
        StmtKind::Call(name, args) => {
            cat([name.node.clone().into(), "(".into(), commas(args.iter().map(whole)), ")".into()])
        }
        StmtKind::If(cond, then, els) => {
            let mut parts = vec!["if ".into(), whole(cond), " {".into(), block(then)];
            if !els.is_empty() {
                parts.extend([" else {".into(), block(els)]);
            }
            Doc::Cat(parts)
        }
        StmtKind::While(cond, bound, body) => {
            let bound = bound.map_or(String::new(), |b| format!(" bound {b}"));
            cat(["while ".into(), whole(cond), bound.into(), " {".into(), block(body)])
        }
        StmtKind::Repeat(body, cond) => cat(["repeat {".into(), block(body), " until ".into(), whole(cond)]),
        StmtKind::For(name, over, body) => {
            cat([format!("for {} in ", name.node).into(), whole(over), " {".into(), block(body)])
        }
        StmtKind::Choose(of) => {
            let mut parts = vec![];
            for (i, stmts) in of.iter().enumerate() {
                parts.push(if i == 0 { "choose {".into() } else { " or {".into() });
                parts.push(block(stmts));
            }
            Doc::Cat(parts)
        }
    }
}
