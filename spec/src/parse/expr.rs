//! Expressions and patterns.

use super::grammar::Rule as R;
use super::{Builder, P};
use crate::source::Span;
use crate::syntax::*;

impl Builder {
    fn mk(&self, span: Span, kind: ExprKind) -> Expr {
        Sp { node: Box::new(kind), span }
    }

    pub(super) fn expr(&mut self, p: P<'_>) -> Expr {
        let span = self.span(&p);
        match p.as_rule() {
            R::expr => {
                let mut i = p.into_inner();
                let left = self.expr(i.next().expect("an operand"));
                match i.nth(1) {
                    None => left,
                    Some(q) => {
                        let right = self.expr(q);
                        self.mk(span, ExprKind::Bin(BinOp::Implies, left, right))
                    }
                }
            }
            R::disjunction | R::conjunction | R::concat | R::sum | R::product => self.chain(p),
            R::negation => {
                let mut i = p.into_inner();
                let q = i.next().expect("an operand");
                if q.as_rule() == R::op_not {
                    let e = self.expr(i.next().expect("an operand"));
                    self.mk(span, ExprKind::Not(e))
                } else {
                    self.expr(q)
                }
            }
            R::comparison => self.comparison(p),
            R::unary => {
                let mut i = p.into_inner();
                let q = i.next().expect("an operand");
                if q.as_rule() != R::unary_op {
                    return self.expr(q);
                }
                let minus = q.as_str() == "-";
                let q = i.next().expect("an operand");
                let digits = q.as_str().trim();
                if minus && digits.bytes().all(|b| b.is_ascii_digit()) {
                    // The sign belongs to the integer: the least one has no positive counterpart.
                    let v = self.integer(&span, &format!("-{digits}"));
                    return self.mk(span, ExprKind::Int(v));
                }
                let e = self.expr(q);
                self.mk(span, if minus { ExprKind::Neg(e) } else { ExprKind::Deref(e) })
            }
            R::postfix => self.postfix(p),
            R::primary | R::literal => {
                let q = p.into_inner().next().expect("a primary");
                self.expr(q)
            }
            R::int => {
                let v = self.int(&p);
                self.mk(span, ExprKind::Int(v))
            }
            R::boolean => self.mk(span, ExprKind::Bool(p.as_str() == "true")),
            R::none => self.mk(span, ExprKind::None),
            R::ident => self.mk(span, ExprKind::Name(p.as_str().to_owned())),
            R::tuple => {
                let mut parts: Vec<Expr> = p.into_inner().map(|q| self.expr(q)).collect();
                if parts.len() == 1 { parts.remove(0) } else { self.mk(span, ExprKind::Tuple(parts)) }
            }
            R::list => {
                let mut parts = vec![];
                for q in p.into_inner() {
                    if q.as_rule() == R::comprehension {
                        let (pat, seq, conds) = self.generator(q);
                        let value = parts.pop().expect("a value");
                        return self.mk(span, ExprKind::Comprehension(value, pat, seq, conds));
                    }
                    parts.push(self.expr(q));
                }
                self.mk(span, ExprKind::List(parts))
            }
            R::braces => {
                let kind = self.braces(p);
                self.mk(span, kind)
            }
            R::call => {
                let mut i = p.into_inner();
                let name = self.name(i.next().expect("a name"));
                let args = i.map(|q| self.expr(q)).collect();
                self.mk(span, ExprKind::Call(name, args))
            }
            R::record_literal => {
                let mut i = p.into_inner();
                let name = self.name(i.next().expect("a name"));
                let fields = i.map(|q| self.binding(q)).collect();
                self.mk(span, ExprKind::Record(name, fields))
            }
            R::let_expr => {
                let mut i = p.into_inner();
                let pat = self.pattern(i.next().expect("a pattern"));
                let value = self.expr(i.next().expect("a value"));
                let body = self.expr(i.nth(1).expect("a body"));
                self.mk(span, ExprKind::Let(pat, value, body))
            }
            R::if_expr => {
                let mut i = p.into_inner().map(|q| self.expr(q));
                let mut next = || i.next().expect("three parts");
                let kind = ExprKind::If(next(), next(), next());
                drop(i);
                self.mk(span, kind)
            }
            R::match_expr => {
                let mut i = p.into_inner();
                let value = self.expr(i.next().expect("a value"));
                let mut arms = vec![];
                for arm in i {
                    let mut j = arm.into_inner();
                    let pat = self.pattern(j.next().expect("a pattern"));
                    arms.push((pat, self.expr(j.next().expect("a body"))));
                }
                self.mk(span, ExprKind::Match(value, arms))
            }
            R::quantifier => {
                let mut i = p.into_inner();
                let all = i.next().expect("a word").as_str() == "all";
                let pat = self.pattern(i.next().expect("a pattern"));
                let seq = self.expr(i.nth(1).expect("a sequence"));
                let body = self.expr(i.next().expect("a body"));
                self.mk(span, if all { ExprKind::All(pat, seq, body) } else { ExprKind::Any(pat, seq, body) })
            }
            other => unreachable!("{other:?} is not an expression"),
        }
    }

    /// What stands behind the `|` of a comprehension.
    fn generator(&mut self, p: P<'_>) -> (Pattern, Expr, Vec<Expr>) {
        let mut i = p.into_inner();
        let mut g = i.next().expect("a generator").into_inner();
        let pat = self.pattern(g.next().expect("a pattern"));
        let seq = self.expr(g.nth(1).expect("a sequence"));
        (pat, seq, i.map(|q| self.expr(q)).collect())
    }

    /// A set or a map, by its elements or by a comprehension.
    fn braces(&mut self, p: P<'_>) -> ExprKind {
        let mut i = p.into_inner();
        let Some(first) = i.next() else { return ExprKind::Set(vec![]) };
        let first = self.expr(first);
        let mut parts = vec![first];
        for q in i {
            match q.as_rule() {
                R::comprehension => {
                    let (pat, seq, conds) = self.generator(q);
                    return ExprKind::SetOf(parts.remove(0), pat, seq, conds);
                }
                R::mapped => return self.mapped(parts.remove(0), q),
                _ => parts.push(self.expr(q)),
            }
        }
        ExprKind::Set(parts)
    }

    /// A map, from the value of its first key on.
    fn mapped(&mut self, key: Expr, p: P<'_>) -> ExprKind {
        let mut i = p.into_inner().skip(1);
        let value = self.expr(i.next().expect("a value"));
        let mut pairs = vec![(key, value)];
        for q in i {
            if q.as_rule() == R::comprehension {
                let (pat, seq, conds) = self.generator(q);
                return ExprKind::MapOf(pairs.remove(0), pat, seq, conds);
            }
            let mut j = q.into_inner();
            let key = self.expr(j.next().expect("a key"));
            pairs.push((key, self.expr(j.nth(1).expect("a value"))));
        }
        ExprKind::Map(pairs)
    }

    /// `a op b op c`, to the left; concatenation is kept flat by the checker, not here.
    fn chain(&mut self, p: P<'_>) -> Expr {
        let what = p.as_rule();
        let start = p.as_span().start();
        let mut i = p.into_inner();
        let mut left = self.expr(i.next().expect("an operand"));
        while let Some(op) = i.next() {
            let q = i.next().expect("an operand");
            let end = q.as_span().end();
            let right = self.expr(q);
            let op = match (what, op.as_str().trim()) {
                (R::disjunction, _) => BinOp::Or,
                (R::conjunction, _) => BinOp::And,
                (R::concat, _) => BinOp::Cat,
                (_, "∪" | "union") => BinOp::Union,
                (_, "\\") => BinOp::Without,
                (_, "∩" | "intersect") => BinOp::Intersect,
                (_, "+") => BinOp::Add,
                (_, "-") => BinOp::Sub,
                (_, "*") => BinOp::Mul,
                (_, "div") => BinOp::Div,
                _ => BinOp::Mod,
            };
            left = self.mk(Span::new(&self.source, start, end), ExprKind::Bin(op, left, right));
        }
        left
    }

    fn comparison(&mut self, p: P<'_>) -> Expr {
        let span = self.span(&p);
        let mut i = p.into_inner();
        let left = self.expr(i.next().expect("an operand"));
        let Some(tail) = i.next() else { return left };
        let what = tail.as_rule();
        let mut j = tail.into_inner();
        let op = j.next().expect("an operator").as_str().trim().to_owned();
        let right = j.next().expect("an operand");
        let kind = match what {
            R::is_tail => ExprKind::Is(left, self.pattern(right)),
            R::in_tail if right.as_rule() == R::star => {
                let names = right.into_inner().map(|n| self.name(n)).collect();
                ExprKind::Star(left, names)
            }
            R::in_tail => ExprKind::Bin(BinOp::In, left, self.expr(right)),
            _ => {
                let op = match op.as_str() {
                    "=" => BinOp::Eq,
                    "≠" | "!=" => BinOp::Ne,
                    "≤" | "<=" => BinOp::Le,
                    "≥" | ">=" => BinOp::Ge,
                    "<" => BinOp::Lt,
                    _ => BinOp::Gt,
                };
                ExprKind::Bin(op, left, self.expr(right))
            }
        };
        self.mk(span, kind)
    }

    fn postfix(&mut self, p: P<'_>) -> Expr {
        let start = p.as_span().start();
        let mut i = p.into_inner();
        let mut e = self.expr(i.next().expect("a primary"));
        for q in i {
            let span = Span::new(&self.source, start, q.as_span().end());
            let kind = match q.as_rule() {
                R::index => ExprKind::Index(e, self.expr(q.into_inner().next().expect("an index"))),
                R::member => ExprKind::Member(e, self.name(q.into_inner().next().expect("a field"))),
                _ => {
                    let w = q.into_inner().next().expect("fields or an index");
                    let what = w.as_rule();
                    let mut j = w.into_inner();
                    if what == R::with_fields {
                        ExprKind::WithFields(e, j.map(|b| self.binding(b)).collect())
                    } else {
                        let at = self.expr(j.next().expect("an index"));
                        ExprKind::WithIndex(e, at, self.expr(j.next().expect("a value")))
                    }
                }
            };
            e = self.mk(span, kind);
        }
        e
    }

    pub(super) fn pattern(&mut self, p: P<'_>) -> Pattern {
        let span = self.span(&p);
        let kind = match p.as_rule() {
            R::pattern => {
                let mut parts: Vec<Pattern> =
                    p.into_inner().filter(|q| q.as_rule() != R::op_cat).map(|q| self.pattern(q)).collect();
                if parts.len() == 1 {
                    return parts.remove(0);
                }
                PatternKind::Cat(parts)
            }
            R::pattern_part => {
                let q = p.into_inner().next().expect("a pattern");
                return self.pattern(q);
            }
            R::wildcard => PatternKind::Wild,
            R::int => PatternKind::Int(self.int(&p)),
            R::boolean => PatternKind::Bool(p.as_str() == "true"),
            R::none => PatternKind::None,
            R::pinned => PatternKind::Pinned(self.name(p.into_inner().next().expect("a name"))),
            R::ident => PatternKind::Bind(p.as_str().to_owned()),
            R::pattern_call => {
                let mut i = p.into_inner();
                let name = self.name(i.next().expect("a name"));
                PatternKind::Call(name, i.map(|q| self.pattern(q)).collect())
            }
            R::pattern_fields => {
                let mut i = p.into_inner();
                let name = self.name(i.next().expect("a name"));
                let mut fields = vec![];
                for f in i {
                    let mut j = f.into_inner();
                    fields.push((self.name(j.next().expect("a name")), self.pattern(j.next().expect("a pattern"))));
                }
                PatternKind::Fields(name, fields)
            }
            R::pattern_tuple => PatternKind::Tuple(p.into_inner().map(|q| self.pattern(q)).collect()),
            _ => PatternKind::List(p.into_inner().map(|q| self.pattern(q)).collect()),
        };
        Sp { node: Box::new(kind), span }
    }
}
