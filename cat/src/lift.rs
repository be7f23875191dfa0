//! What a candidate does not change is evaluated once for all candidates of the same events.
//!
//! Definitions and checks are mostly unions, of which few members depend on what the search chooses. The others, and whatever else in
//! a term depends on the events alone, are lifted out of it: they are *fixed* terms of the model, and the term names them by number.

use super::model::{CatModel, Term};

/// Lifts what is fixed out of the definitions, checks and orders that depend on choices.
pub(super) fn lift(model: &mut CatModel) {
    let mut open = vec![false; model.slots.len()];
    model.given.iter().for_each(|slot| open[*slot] = true);
    model.choices.iter().for_each(|choice| open[choice.slot] = true);
    for define in model.defines.iter().filter(|d| d.open) {
        define.group.iter().for_each(|(slot, _)| open[*slot] = true);
    }
    let mut lifter = Lifter { open, fixed: vec![] };
    for define in model.defines.iter_mut().filter(|d| d.open) {
        define.lifted = define.group.iter().map(|(_, term)| lifter.lift(term)).collect();
    }
    for check in model.checks.iter_mut().filter(|c| c.open) {
        check.lifted = lifter.lift(&check.term);
    }
    for order in &mut model.orders {
        order.term = lifter.lift(&order.term);
    }
    model.fixed = lifter.fixed;
}

struct Lifter {
    /// By slot.
    open: Vec<bool>,
    fixed: Vec<Term>,
}

impl Lifter {
    /// A term without what is fixed in it.
    fn lift(&mut self, term: &Term) -> Term {
        if matches!(term, Term::Slot(_) | Term::Empty | Term::Class(_) | Term::Fixed(_)) {
            return term.clone();
        }
        if !self.varies(term) {
            self.fixed.push(term.clone());
            return Term::Fixed(self.fixed.len() - 1);
        }
        let mut part = |a: &Term| Box::new(self.lift(a));
        match term {
            Term::Member(_, a) => self.lift(a),
            Term::Union(..) => self.union(term),
            Term::Then(a, b) => Term::Then(part(a), part(b)),
            Term::Minus(a, b) => Term::Minus(part(a), part(b)),
            Term::Meet(a, b) => Term::Meet(part(a), part(b)),
            Term::Product(a, b) => Term::Product(part(a), part(b)),
            Term::Each(a, b) => Term::Each(part(a), part(b)),
            Term::Inverse(a) => Term::Inverse(part(a)),
            Term::Closure(a) => Term::Closure(part(a)),
            Term::Domain(a) => Term::Domain(part(a)),
            Term::Slot(_) | Term::Empty | Term::Class(_) | Term::Fixed(_) | Term::Identity | Term::Full => {
                unreachable!("they have no parts")
            }
        }
    }

    /// A union: its fixed members together, then the others.
    fn union(&mut self, term: &Term) -> Term {
        let (mut left, mut fixed, mut others) = (vec![term], None, vec![]);
        while let Some(member) = left.pop() {
            match member {
                Term::Member(_, a) => left.push(a),
                Term::Union(a, b) => left.extend([&**b, &**a]),
                _ if self.varies(member) => others.push(self.lift(member)),
                _ => fixed = Some(together(fixed, member.clone())),
            }
        }
        let fixed = fixed.map(|term| self.lift(&term));
        others.into_iter().fold(fixed, |all, member| Some(together(all, member))).expect("a union has members")
    }

    /// Whether a term depends on what is chosen, or on the class that it is evaluated in.
    fn varies(&self, term: &Term) -> bool {
        match term {
            Term::Slot(slot) => self.open[*slot],
            Term::Class(_) => true,
            Term::Empty | Term::Identity | Term::Full | Term::Fixed(_) => false,
            Term::Member(_, a) | Term::Inverse(a) | Term::Closure(a) | Term::Domain(a) => self.varies(a),
            Term::Union(a, b)
            | Term::Then(a, b)
            | Term::Minus(a, b)
            | Term::Meet(a, b)
            | Term::Product(a, b)
            | Term::Each(a, b) => self.varies(a) || self.varies(b),
        }
    }
}

fn together(one: Option<Term>, other: Term) -> Term {
    match one {
        None => other,
        Some(one) => Term::Union(Box::new(one), Box::new(other)),
    }
}
