//! How a layer makes its instructions: memory, registers, bodies.

use super::grammar::Rule as R;
use super::{Builder, P};
use crate::syntax::*;
use pest::iterators::Pairs;

impl Builder {
    pub(super) fn memory(&mut self, i: Pairs<'_, R>) -> Item {
        let field = |this: &mut Builder, q: P<'_>| {
            let mut j = q.into_inner();
            let name = this.name(j.next().expect("a name"));
            (name, j.map(|k| this.expr(k.into_inner().next().expect("an index"))).collect())
        };
        Item::Memory(i.skip(1).map(|q| field(self, q)).collect())
    }

    pub(super) fn implement(&mut self, i: Pairs<'_, R>) -> Item {
        let mut i = i.skip(1);
        let name = self.name(i.next().expect("an instruction"));
        let params = i.next().expect("parameters").into_inner().map(|q| self.name(q)).collect();
        let (mut cites, mut deviations, mut body) = (vec![], vec![], vec![]);
        for q in i {
            match q.as_rule() {
                R::cite => cites.push(self.cite(q)),
                R::deviation => deviations.push(self.deviation(q)),
                _ => body = self.stmts(q),
            }
        }
        Item::Implement(Implement { name, params, cites, deviations, body })
    }

    fn stmts(&mut self, p: P<'_>) -> Vec<Stmt> {
        p.into_inner().map(|q| self.stmt(q)).collect()
    }

    fn stmt(&mut self, p: P<'_>) -> Stmt {
        let (what, span) = (p.as_rule(), self.trimmed(&p));
        let words = [R::kw_if, R::kw_else, R::kw_while, R::kw_bound, R::kw_repeat, R::kw_until, R::kw_for, R::kw_in];
        let mut i = p.into_inner().filter(|q| !words.contains(&q.as_rule())).peekable();
        let mut next = || i.next().expect("the grammar's shape");
        let node = match what {
            R::s_if => {
                let (cond, then) = (self.expr(next()), self.stmts(next()));
                let els = match i.next() {
                    Some(q) if q.as_rule() == R::s_if => vec![self.stmt(q)],
                    Some(q) => self.stmts(q),
                    None => vec![],
                };
                StmtKind::If(cond, then, els)
            }
            R::s_while => {
                let cond = self.expr(next());
                let mut q = next();
                let mut bound = None;
                if q.as_rule() == R::int {
                    bound = Some(self.int(&q));
                    q = next();
                }
                StmtKind::While(cond, bound, self.stmts(q))
            }
            R::s_repeat => StmtKind::Repeat(self.stmts(next()), self.expr(next())),
            R::s_for => StmtKind::For(self.name(next()), self.expr(next()), self.stmts(next())),
            R::s_choose => {
                StmtKind::Choose(i.filter(|q| q.as_rule() == R::stmt_block).map(|q| self.stmts(q)).collect())
            }
            R::s_assign => StmtKind::Assign(self.expr(next()), self.expr(next())),
            _ => StmtKind::Call(self.name(next()), i.map(|q| self.expr(q)).collect()),
        };
        Sp { node, span }
    }

    /// The place of a pair without the white space that it ends in.
    fn trimmed(&self, p: &P<'_>) -> crate::source::Span {
        let mut span = self.span(p);
        span.end = span.start + p.as_str().trim_end().len();
        span
    }
}
