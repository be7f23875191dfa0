//! Changes of rules, and of what rules share.

use super::expr::negated;
use super::{Part, Walk, What};
use crate::print::{print_expr, print_pattern};
use crate::source::Span;
use crate::syntax::*;

impl Walk {
    pub(super) fn rule(&mut self, r: &mut Rule) {
        self.part = Part::Behind;
        if self.offer(What::DropRule, &r.name.span, String::new) {
            // It stays and never fires, so that the other rules keep their numbers.
            r.when.insert(0, Premise::Cond(Sp { node: Box::new(ExprKind::Bool(false)), span: r.name.span.clone() }));
            return;
        }
        self.part = Part::Whole;
        if let Some((_, _, patterns)) = &mut r.on {
            patterns.iter_mut().for_each(|p| self.pattern(p));
        }
        for i in 0..r.when.len() {
            self.part = Part::Premise(i);
            if self.offer(What::DropPremise, &r.when[i].span(), String::new) {
                r.when.remove(i);
                return;
            }
            if let Some(asked) = anchored(&r.when[i]) {
                for name in asked {
                    let empty = format!("{name} = []");
                    if self.offer(What::AtEnd, &r.when[i].span(), || empty.clone()) {
                        let span = r.when[i].span();
                        r.when.insert(i + 1, Premise::Cond(is_empty(&name, &span)));
                        return;
                    }
                }
            }
            if self.anywhere(r, i) {
                return;
            }
            self.premise(&mut r.when[i]);
        }
        self.part = Part::Behind;
        self.required(&mut r.requires);
        self.updates(&mut r.then);
        if r.on.is_some() && self.offer(What::Flip, &r.name.span, || "again".into()) {
            r.again = !r.again;
        }
        self.part = Part::Whole;
    }

    fn premise(&mut self, p: &mut Premise) {
        match p {
            Premise::Cond(e) => {
                if !is_negated_anyway(e) && self.offer(What::Negate, &e.span, || print_expr(&negated(e))) {
                    *e = negated(e);
                    return;
                }
                if let ExprKind::Is(of, pattern) = &mut *e.node {
                    // At the top of a premise it binds names: it is no condition that could be turned around.
                    self.expr(of);
                    self.pattern(pattern);
                } else {
                    self.expr(e);
                }
            }
            Premise::Pick(p, e) | Premise::Let(p, e) => {
                self.pattern(p);
                self.expr(e);
            }
            // What is said to hold always is a claim about the other rules, no part of the meaning of this one.
            Premise::Always(_) => {}
        }
    }

    /// A requirement that is left out becomes `true`, so that the others keep their numbers.
    pub(super) fn required(&mut self, requires: &mut Vec<(Expr, Option<String>)>) {
        for i in 0..requires.len() {
            let (e, why) = &mut requires[i];
            if self.offer(What::DropRequirement, &e.span, String::new) {
                if why.is_some() {
                    *e.node = ExprKind::Bool(true);
                } else {
                    requires.remove(i);
                }
                return;
            }
            self.expr(e);
        }
    }

    pub(super) fn updates(&mut self, us: &mut Vec<Update>) {
        for i in 0..us.len() {
            if self.offer(What::DropUpdate, &update_span(&us[i]), String::new) {
                us.remove(i);
                return;
            }
            match &mut us[i] {
                Update::Set(_, value) => self.expr(value),
                Update::For(_, of, body) => {
                    self.expr(of);
                    self.updates(body);
                }
                Update::If(c, then, els) => {
                    if self.offer(What::DropCondition, &c.span, || "true".into()) {
                        *c.node = ExprKind::Bool(true);
                        return;
                    }
                    self.expr(c);
                    self.updates(then);
                    self.updates(els);
                }
                Update::Use(_, args) => args.iter_mut().for_each(|a| self.expr(a)),
            }
        }
    }

    /// A premise that takes an entry at one end of a sequence takes it anywhere: what stands beyond is kept by the update of
    /// that sequence.
    fn anywhere(&mut self, r: &mut Rule, i: usize) -> bool {
        let Premise::Cond(e) = &r.when[i] else { return false };
        let ExprKind::Is(place, pattern) = &*e.node else { return false };
        let PatternKind::Cat(parts) = &*pattern.node else { return false };
        let one =
            |p: &Pattern| matches!(&*p.node, PatternKind::List(_) | PatternKind::Call(..) | PatternKind::Fields(..));
        let (first, last) = (parts.first().is_some_and(one), parts.last().is_some_and(one));
        let sets = |u: &Update| matches!(u, Update::Set(at, _) if at == place);
        let (place, span) = (place.clone(), pattern.span.clone());
        let Some(update) = r.then.iter().position(sets).filter(|_| first != last) else { return false };
        let rest = Sp { node: Box::new(PatternKind::Bind(BEYOND.into())), span: span.clone() };
        let mut wide = parts.clone();
        if last {
            wide.push(rest)
        } else {
            wide.insert(0, rest)
        }
        let wide = Sp { node: Box::new(PatternKind::Cat(wide)), span: span.clone() };
        if !self.offer(What::Anywhere, &span, || print_pattern(&wide)) {
            return false;
        }
        let beyond = Sp { node: Box::new(ExprKind::Name(BEYOND.into())), span: span.clone() };
        if let Update::Set(_, value) = &mut r.then[update] {
            let (a, b) = if last { (value.clone(), beyond) } else { (beyond, value.clone()) };
            *value.node = ExprKind::Bin(BinOp::Cat, a, b);
        }
        *match &mut r.when[i] {
            Premise::Cond(e) => &mut *e.node,
            _ => return true,
        } = ExprKind::Is(place, wide);
        true
    }
}

/// What stands beyond an entry that may be taken anywhere.
const BEYOND: &str = "ω";

/// Comparisons and negations are turned around where expressions are.
fn is_negated_anyway(e: &Expr) -> bool {
    matches!(
        &*e.node,
        ExprKind::Not(_) | ExprKind::Is(..) | ExprKind::Bool(_) | ExprKind::Bin(BinOp::Eq | BinOp::Ne | BinOp::In, ..)
    )
}

/// The names of any number of elements before or behind the entry that a premise takes out of a sequence.
fn anchored(p: &Premise) -> Option<Vec<String>> {
    let Premise::Cond(e) = p else { return None };
    let ExprKind::Is(_, pattern) = &*e.node else { return None };
    let PatternKind::Cat(parts) = &*pattern.node else { return None };
    let name = |p: &Pattern| if let PatternKind::Bind(n) = &*p.node { Some(n.clone()) } else { None };
    Some([parts.first(), parts.last()].into_iter().flatten().filter_map(name).collect())
}

fn is_empty(name: &str, span: &Span) -> Expr {
    let at = |node| Sp { node: Box::new(node), span: span.clone() };
    at(ExprKind::Bin(BinOp::Eq, at(ExprKind::Name(name.to_owned())), at(ExprKind::List(vec![]))))
}

fn update_span(u: &Update) -> Span {
    match u {
        Update::Set(place, value) => place.span.to(&value.span),
        Update::For(name, e, _) => name.span.to(&e.span),
        Update::If(c, _, _) => c.span.clone(),
        Update::Use(name, args) => name.span.to(args.last().map_or(&name.span, |a| &a.span)),
    }
}
