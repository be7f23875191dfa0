//! Changes of expressions and patterns.

use super::{Walk, What};
use crate::print::{print_expr, print_pattern};
use crate::source::Span;
use crate::syntax::{BinOp, Expr, ExprKind, Pattern, PatternKind, Sp};

impl Walk {
    /// Every change of an expression and of its parts.
    pub(super) fn expr(&mut self, e: &mut Expr) {
        for (what, new) in local(e) {
            if self.offer(what, &e.span, || print_expr(&new)) {
                *e = new;
                return;
            }
        }
        match &mut *e.node {
            ExprKind::Match(of, arms) => {
                self.expr(of);
                if arms.len() > 1 {
                    for i in 0..arms.len() {
                        if self.offer(What::DropAlternative, &arms[i].0.span.to(&arms[i].1.span), String::new) {
                            arms.remove(i);
                            return;
                        }
                    }
                }
                for (p, body) in arms {
                    self.pattern(p);
                    self.expr(body);
                }
            }
            ExprKind::Comprehension(value, p, seq, conds) | ExprKind::SetOf(value, p, seq, conds) => {
                self.expr(value);
                self.generator(p, seq, conds);
            }
            ExprKind::MapOf((key, value), p, seq, conds) => {
                self.expr(key);
                self.expr(value);
                self.generator(p, seq, conds);
            }
            ExprKind::Map(pairs) => {
                self.drops(What::DropCell, pairs, 0, |(key, value)| key.span.to(&value.span));
                for (key, value) in pairs {
                    self.expr(key);
                    self.expr(value);
                }
            }
            ExprKind::WithFields(of, fields) => {
                self.drops(What::DropUpdate, fields, 1, |(name, value)| name.span.to(&value.span));
                self.expr(of);
                fields.iter_mut().for_each(|(_, v)| self.expr(v));
            }
            ExprKind::Star(of, names) => {
                self.drops(What::DropCell, names, 1, |n| n.span.clone());
                self.expr(of);
            }
            ExprKind::List(parts) | ExprKind::Set(parts) => {
                self.drops(What::DropCell, parts, 0, |p| p.span.clone());
                parts.iter_mut().for_each(|p| self.expr(p));
            }
            ExprKind::Let(p, value, body) => {
                self.pattern(p);
                self.expr(value);
                self.expr(body);
            }
            ExprKind::All(p, seq, body) | ExprKind::Any(p, seq, body) => {
                self.pattern(p);
                self.expr(seq);
                self.expr(body);
            }
            ExprKind::Is(of, p) => {
                self.expr(of);
                self.pattern(p);
            }
            ExprKind::Call(_, args) | ExprKind::Tuple(args) => args.iter_mut().for_each(|a| self.expr(a)),
            ExprKind::Record(_, fields) => fields.iter_mut().for_each(|(_, v)| self.expr(v)),
            ExprKind::If(c, a, b) => [c, a, b].into_iter().for_each(|e| self.expr(e)),
            ExprKind::WithIndex(a, b, c) => [a, b, c].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Bin(_, a, b) | ExprKind::Index(a, b) => [a, b].into_iter().for_each(|e| self.expr(e)),
            ExprKind::Member(a, _) | ExprKind::Not(a) | ExprKind::Neg(a) | ExprKind::Deref(a) => self.expr(a),
            ExprKind::Int(_) | ExprKind::Bool(_) | ExprKind::None | ExprKind::Name(_) => {}
        }
    }

    /// Every change of what a comprehension goes through.
    fn generator(&mut self, p: &mut Pattern, seq: &mut Expr, conds: &mut Vec<Expr>) {
        self.pattern(p);
        self.expr(seq);
        self.drops(What::DropCondition, conds, 0, |c| c.span.clone());
        conds.iter_mut().for_each(|c| self.expr(c));
    }

    /// Every change of a pattern.
    pub(super) fn pattern(&mut self, p: &mut Pattern) {
        let asks =
            matches!(&*p.node, PatternKind::Int(_) | PatternKind::Bool(_) | PatternKind::None | PatternKind::Pinned(_));
        if asks && self.offer(What::Loosen, &p.span, || "_".into()) {
            *p.node = PatternKind::Wild;
            return;
        }
        if let PatternKind::Cat(parts) = &*p.node {
            for new in ends(parts) {
                if self.offer(What::AtEnd, &p.span, || print_pattern(&new)) {
                    *p = new;
                    return;
                }
            }
        }
        match &mut *p.node {
            PatternKind::Call(_, ps) | PatternKind::Tuple(ps) | PatternKind::List(ps) | PatternKind::Cat(ps) => {
                ps.iter_mut().for_each(|p| self.pattern(p));
            }
            PatternKind::Fields(_, fields) => fields.iter_mut().for_each(|(_, p)| self.pattern(p)),
            _ => {}
        }
    }
}

fn at<T>(node: T, span: &Span) -> Sp<Box<T>> {
    Sp { node: Box::new(node), span: span.clone() }
}

/// Its opposite.
pub(super) fn negated(e: &Expr) -> Expr {
    match &*e.node {
        ExprKind::Not(inner) => inner.clone(),
        _ => at(ExprKind::Not(e.clone()), &e.span),
    }
}

/// The pattern without an open part that nobody names, at either end.
fn ends(parts: &[Pattern]) -> Vec<Pattern> {
    let open = |p: &Pattern| matches!(&*p.node, PatternKind::Wild);
    let mut out = vec![];
    if parts.len() > 1 {
        let whole = |rest: &[Pattern]| {
            let span = &rest[0].span;
            at(if rest.len() == 1 { (*rest[0].node).clone() } else { PatternKind::Cat(rest.to_vec()) }, span)
        };
        if parts.first().is_some_and(open) {
            out.push(whole(&parts[1..]));
        }
        if parts.last().is_some_and(open) {
            out.push(whole(&parts[..parts.len() - 1]));
        }
    }
    out
}

/// What may be put in the place of an expression.
fn local(e: &Expr) -> Vec<(What, Expr)> {
    let bin = |op, a: &Expr, b: &Expr| at(ExprKind::Bin(op, a.clone(), b.clone()), &e.span);
    match &*e.node {
        ExprKind::Bin(op, a, b) => match op {
            BinOp::And => [a, b].map(|kept| (What::DropCondition, kept.clone())).to_vec(),
            BinOp::Or => [a, b].map(|kept| (What::DropAlternative, kept.clone())).to_vec(),
            BinOp::Implies => {
                vec![(What::DropCondition, b.clone()), (What::DropCondition, at(ExprKind::Bool(true), &e.span))]
            }
            BinOp::Eq => vec![(What::Negate, bin(BinOp::Ne, a, b))],
            BinOp::Ne => vec![(What::Negate, bin(BinOp::Eq, a, b))],
            BinOp::Le => vec![(What::OffByOne, bin(BinOp::Lt, a, b))],
            BinOp::Lt => vec![(What::OffByOne, bin(BinOp::Le, a, b))],
            BinOp::Ge => vec![(What::OffByOne, bin(BinOp::Gt, a, b))],
            BinOp::Gt => vec![(What::OffByOne, bin(BinOp::Ge, a, b))],
            BinOp::In => vec![(What::Negate, negated(e))],
            BinOp::Add => vec![(What::Swap, bin(BinOp::Sub, a, b))],
            BinOp::Sub => vec![(What::Swap, bin(BinOp::Add, a, b))],
            BinOp::Cat => {
                vec![(What::DropCell, b.clone()), (What::DropCell, a.clone()), (What::Swap, bin(BinOp::Cat, b, a))]
            }
            BinOp::Union => vec![
                (What::DropCell, b.clone()),
                (What::DropCell, a.clone()),
                (What::Swap, bin(BinOp::Intersect, a, b)),
            ],
            BinOp::Intersect => {
                vec![
                    (What::DropCondition, a.clone()),
                    (What::DropCondition, b.clone()),
                    (What::Swap, bin(BinOp::Union, a, b)),
                ]
            }
            BinOp::Without => vec![(What::DropCondition, a.clone()), (What::Swap, bin(BinOp::Intersect, a, b))],
            BinOp::Mul | BinOp::Div | BinOp::Mod => vec![],
        },
        ExprKind::Int(v) => {
            v.checked_add(1).map(|v| (What::OffByOne, at(ExprKind::Int(v), &e.span))).into_iter().collect()
        }
        ExprKind::Bool(v) => vec![(What::Flip, at(ExprKind::Bool(!v), &e.span))],
        ExprKind::Not(inner) => vec![(What::Negate, inner.clone())],
        ExprKind::If(_, a, b) => [a, b].map(|kept| (What::DropAlternative, kept.clone())).to_vec(),
        ExprKind::All(p, seq, body) => {
            let other = ExprKind::Any(p.clone(), seq.clone(), body.clone());
            vec![(What::Swap, at(other, &e.span)), (What::DropCondition, at(ExprKind::Bool(true), &e.span))]
        }
        ExprKind::Any(p, seq, body) => {
            let other = ExprKind::All(p.clone(), seq.clone(), body.clone());
            vec![(What::Swap, at(other, &e.span)), (What::DropAlternative, at(ExprKind::Bool(false), &e.span))]
        }
        ExprKind::Is(..) => vec![(What::Negate, negated(e))],
        ExprKind::Star(..) => vec![(What::DropCondition, at(ExprKind::Bool(true), &e.span))],
        ExprKind::Call(f, args) if f.node == "Some" && args.len() == 1 => {
            vec![(What::DropCell, at(ExprKind::None, &e.span))]
        }
        // These are the same either way round.
        ExprKind::Call(f, _) if ["bitand", "bitor", "bitxor"].contains(&f.node.as_str()) => vec![],
        ExprKind::Call(f, args) => (1..args.len())
            .filter(|i| args[i - 1] != args[*i])
            .map(|i| {
                let mut swapped = args.clone();
                swapped.swap(i - 1, i);
                (What::Swap, at(ExprKind::Call(f.clone(), swapped), &e.span))
            })
            .collect(),
        ExprKind::WithFields(of, fields) if fields.len() == 1 => vec![(What::DropUpdate, of.clone())],
        ExprKind::WithIndex(of, ..) => vec![(What::DropUpdate, of.clone())],
        _ => vec![],
    }
}
