//! Why a check fails: a shortest cycle, edge by edge, with the relations that each edge is of.
//!
//! A relation that is a closure, a sequence or a union by its definition is taken apart into what its definition names;
//! what is left is named as the file writes it. Recursive definitions are left whole.

use super::model::{CatModel, Check, Frame, LOW, Term, eval, eval_in};
use super::relation::Relation;
use super::syntax::Test;
use std::collections::VecDeque;

/// One edge.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The event that it leads from.
    pub from: usize,
    /// The event that it leads to.
    pub to: usize,
    /// The relations that it is of, as the file writes them: each by itself is reason enough.
    pub by: Vec<String>,
}

/// Why a check fails.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Witness {
    /// A cycle of what should have none, as short as can be; each edge begins where the one before ends.
    Cycle(Vec<Edge>),
    /// The edges of what should be empty.
    Edges(Vec<Edge>),
    /// The events of what should be empty, if it is a set.
    Events(Vec<usize>),
    /// What was asked for is not there: a cycle or an edge of a negated check.
    Nothing,
}

impl CatModel {
    /// Why a check fails on a candidate. What holds of the edges that are there for sure holds of every completion. Of a
    /// negated check that holds: what there is of what it asks for.
    pub fn witness(&self, check: &Check, frame: &Frame) -> Witness {
        let taken_apart = TakenApart { model: self, frame, within: vec![] };
        let relation = eval(&check.term, frame, LOW);
        match check.test {
            _ if check.negated && relation.is_empty() => Witness::Nothing,
            Test::Empty if taken_apart.is_set(&check.term) => {
                Witness::Events(relation.pairs().map(|(a, _)| a).collect())
            }
            Test::Empty => {
                Witness::Edges(relation.pairs().flat_map(|(a, b)| taken_apart.path(&check.term, a, b)).collect())
            }
            Test::Acyclic => {
                let cycle = Term::Closure(Box::new(check.term.clone()));
                taken_apart.cycle(&cycle, &relation.closure())
            }
            Test::Irreflexive => taken_apart.cycle(&check.term, &relation),
        }
    }
}

struct TakenApart<'m> {
    model: &'m CatModel,
    frame: &'m Frame,
    /// The classes that it is asked within, the outermost first.
    within: Vec<Relation>,
}

impl<'m> TakenApart<'m> {
    fn is_set(&self, term: &Term) -> bool {
        match term {
            Term::Slot(s) => self.model.kinds[*s] == super::Kind::Set,
            Term::Member(_, a) => self.is_set(a),
            Term::Union(a, _) | Term::Meet(a, _) | Term::Minus(a, _) => self.is_set(a),
            Term::Domain(_) | Term::Class(_) => true,
            Term::Each(_, body) => self.is_set(body),
            _ => false,
        }
    }

    /// The shortest way from an event that is related to itself back to it.
    fn cycle(&self, term: &Term, relation: &Relation) -> Witness {
        let loops = (0..relation.size()).filter(|e| relation.contains(*e, *e));
        let shortest = loops.map(|e| self.path(term, e, e)).min_by_key(Vec::len);
        shortest.map_or(Witness::Nothing, Witness::Cycle)
    }

    /// The definition of a name, if it is one that can be taken apart.
    fn definition(&self, slot: usize) -> Option<&'m Term> {
        let define = self.model.defines.iter().find(|d| !d.recursive && d.group[0].0 == slot)?;
        let mut term = &define.group[0].1;
        while let Term::Member(_, inner) = term {
            term = inner;
        }
        matches!(term, Term::Closure(_) | Term::Then(..)).then_some(term)
    }

    fn eval(&self, term: &Term) -> Relation {
        eval_in(term, self.frame, LOW, &self.within)
    }

    /// What is called by a name of its own: it is not taken apart further.
    fn leaf(&self, name: String, from: usize, to: usize) -> Vec<Edge> {
        vec![Edge { from, to, by: vec![name] }]
    }

    /// Why `from` is related to `to` by a term, edge by edge.
    fn path(&self, term: &Term, from: usize, to: usize) -> Vec<Edge> {
        match term {
            Term::Slot(slot) => match self.definition(*slot) {
                Some(inner) => self.path(inner, from, to),
                None => self.leaf(self.model.slots[*slot].clone(), from, to),
            },
            Term::Member(name, inner) => match (&**inner, self.member(inner)) {
                (_, Some(apart)) => self.path(apart, from, to),
                _ => self.leaf(name.clone(), from, to),
            },
            Term::Union(..) => self.union(term, from, to),
            Term::Then(a, b) => self.sequence(a, b, from, to),
            Term::Closure(inner) => self.steps(inner, from, to),
            Term::Each(of, body) => {
                let within = |class| TakenApart { within: [&self.within[..], &[class]].concat(), ..*self };
                let mut classes = self.eval(of).classes().into_iter().map(within);
                let found = classes.find(|c| c.eval(body).contains(from, to));
                found.map_or_else(Vec::new, |c| c.path(body, from, to))
            }
            // On a set, nothing is between an event and itself.
            Term::Identity | Term::Domain(_) | Term::Class(_) if from == to => Vec::new(),
            Term::Minus(a, _) | Term::Meet(a, _) => self.path(a, from, to),
            _ => self.leaf(String::new(), from, to),
        }
    }

    /// What a member of a union is taken apart into: closures and sequences, under whatever name.
    fn member(&self, term: &'m Term) -> Option<&'m Term> {
        match term {
            Term::Slot(slot) => self.definition(*slot),
            Term::Closure(_) | Term::Then(..) => Some(term),
            _ => None,
        }
    }

    fn union(&self, term: &Term, from: usize, to: usize) -> Vec<Edge> {
        let mut names = Vec::new();
        let mut apart: Vec<Vec<Edge>> = Vec::new();
        let mut todo = vec![term];
        while let Some(part) = todo.pop() {
            if let Term::Union(a, b) = part {
                todo.extend([&**b, &**a]);
            } else if self.eval(part).contains(from, to) {
                let path = self.path(part, from, to);
                match path.as_slice() {
                    [one] if (one.from, one.to) == (from, to) => names.extend(one.by.iter().cloned()),
                    _ => apart.push(path),
                }
            }
        }
        names.dedup();
        if names.is_empty() {
            return apart.into_iter().min_by_key(Vec::len).unwrap_or_default();
        }
        vec![Edge { from, to, by: names }]
    }

    fn sequence(&self, a: &Term, b: &Term, from: usize, to: usize) -> Vec<Edge> {
        let (left, right) = (self.eval(a), self.eval(b));
        let through = left.row(from).filter(|m| right.contains(*m, to));
        let path = |m: usize| {
            let mut path = self.half(a, from, m);
            path.extend(self.half(b, m, to));
            path
        };
        through.map(path).min_by_key(Vec::len).unwrap_or_default()
    }

    /// One side of a sequence; the identity on a set is no edge.
    fn half(&self, term: &Term, from: usize, to: usize) -> Vec<Edge> {
        if from == to && self.is_identity(term) { Vec::new() } else { self.path(term, from, to) }
    }

    fn is_identity(&self, term: &Term) -> bool {
        match term {
            Term::Member(_, a) => self.is_identity(a),
            Term::Slot(s) => self.model.kinds[*s] == super::Kind::Set,
            Term::Union(a, b) => self.is_identity(a) || self.is_identity(b),
            Term::Minus(a, _) | Term::Meet(a, _) => self.is_identity(a),
            Term::Identity | Term::Domain(_) | Term::Class(_) => true,
            _ => false,
        }
    }

    /// A shortest way along a relation; from an event to itself, at least one step.
    fn steps(&self, term: &Term, from: usize, to: usize) -> Vec<Edge> {
        let relation = self.eval(term);
        let mut before = vec![None; relation.size()];
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            for next in relation.row(at) {
                if before[next].is_none() {
                    before[next] = Some(at);
                    queue.push_back(next);
                }
            }
            if before[to].is_some() {
                break;
            }
        }
        let mut way = vec![to];
        while let Some(at) = before[*way.last().expect("the end")] {
            way.push(at);
            if at == from {
                break;
            }
        }
        way.reverse();
        way.windows(2).flat_map(|w| self.path(term, w[0], w[1])).collect()
    }
}
