//! A checked model, and its evaluation on candidate executions that may still be incomplete.
//!
//! Of what a candidate leaves open, two things are known: the edges that it has for sure (`low`) and those that it may
//! come to have (`high`). Every expression has both bounds too; difference and complement turn them around. A check
//! that fails on the edges that are there for sure fails on every completion, so the search can stop there.

use super::relation::Relation;
use super::syntax::Test;
use crate::source::{Source, Span, hash};
use std::sync::Arc;

/// Whether a name stands for a set of events or for a relation between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A set.
    Set,
    /// A relation.
    Relation,
}

/// A name that the engine gives a meaning to.
#[derive(Debug, Clone)]
pub struct Given {
    /// The name in `.cat` files.
    pub name: String,
    /// What it is.
    pub kind: Kind,
    /// Whether it is chosen during the search (`rf`) or fixed with the events (`po`).
    pub open: bool,
}

/// An expression with its names resolved to slots.
#[derive(Debug, Clone)]
pub(super) enum Term {
    Slot(usize),
    /// A member of a union, as it is written.
    Member(String, Box<Term>),
    Empty,
    Identity,
    Full,
    Union(Box<Term>, Box<Term>),
    Then(Box<Term>, Box<Term>),
    Minus(Box<Term>, Box<Term>),
    Meet(Box<Term>, Box<Term>),
    Product(Box<Term>, Box<Term>),
    Inverse(Box<Term>),
    Closure(Box<Term>),
    Domain(Box<Term>),
}

/// A definition; its names are of earlier slots, or of the group itself if it is recursive.
#[derive(Debug, Clone)]
pub(super) struct Define {
    /// Slots and their terms: one, or a recursive group.
    pub(super) group: Vec<(usize, Term)>,
    pub(super) recursive: bool,
    /// Depends on what the search chooses.
    pub(super) open: bool,
}

/// What is chosen of a pair that may be ordered either way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pick {
    /// One of the two directions.
    Total,
    /// One of them or none.
    Partial,
}

/// A choice of the search: `with x from orders(r)`.
#[derive(Debug, Clone)]
pub struct Choice {
    /// The slot that it fills.
    pub slot: usize,
    /// The name.
    pub name: String,
    /// What is chosen of each pair.
    pub pick: Pick,
    pub(super) pairs: Term,
}

/// A check.
#[derive(Debug, Clone)]
pub struct Check {
    /// Its name, or the text of its expression.
    pub name: String,
    /// What is asked.
    pub test: Test,
    /// Whether the opposite is asked.
    pub negated: bool,
    /// Where it stands.
    pub span: Span,
    /// Depends on what the search chooses.
    pub open: bool,
    pub(super) term: Term,
}

/// A declarative model.
#[derive(Debug, Clone)]
pub struct CatModel {
    /// Its name.
    pub name: String,
    /// The files, including ones first.
    pub files: Vec<Arc<Source>>,
    /// Names of the slots; the given ones come first, in their order.
    pub slots: Vec<String>,
    /// What each is.
    pub kinds: Vec<Kind>,
    /// What the search chooses, in the order of the file.
    pub choices: Vec<Choice>,
    /// The checks, in the order of the file.
    pub checks: Vec<Check>,
    /// Checks after `flag`: an execution for which one holds raises it.
    pub flags: Vec<Check>,
    pub(super) defines: Vec<Define>,
    /// Which bounds of a slot some check or choice depends on: low, high.
    pub(super) needed: Vec<[bool; 2]>,
}

/// The two bounds of every slot.
#[derive(Debug, Clone)]
pub struct Frame {
    size: usize,
    /// Edges that are there for sure.
    pub low: Vec<Relation>,
    /// Edges that may be there.
    pub high: Vec<Relation>,
}

pub(super) const LOW: usize = 0;
const HIGH: usize = 1;

impl Frame {
    /// Gives a slot one fixed meaning.
    pub fn fix(&mut self, slot: usize, relation: Relation) {
        self.high[slot] = relation.clone();
        self.low[slot] = relation;
    }

    fn of(&self, bound: usize) -> &[Relation] {
        if bound == LOW { &self.low } else { &self.high }
    }

    fn of_mut(&mut self, bound: usize) -> &mut [Relation] {
        if bound == LOW { &mut self.low } else { &mut self.high }
    }
}

impl CatModel {
    /// A frame of `size` events in which nothing has a meaning yet.
    pub fn frame(&self, size: usize) -> Frame {
        let none = vec![Relation::empty(size); self.slots.len()];
        Frame { size, low: none.clone(), high: none }
    }

    /// The slot that a name stands for at the end of the file.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().rposition(|s| s == name)
    }

    /// Evaluates what depends on the events alone, and opens the choices: an edge that has no opposite is there for
    /// sure. To be called once, when the given slots have been filled.
    pub fn settle(&self, frame: &mut Frame) {
        self.define(frame, |d, bound| !d.open && self.is_needed(d, bound));
        for choice in &self.choices {
            let pairs = eval(&choice.pairs, frame, LOW).minus(&Relation::identity(frame.size));
            frame.low[choice.slot] = pairs.clone().minus(&pairs.inverse());
            frame.high[choice.slot] = pairs;
        }
    }

    /// Evaluates what depends on the choices.
    pub fn evaluate(&self, frame: &mut Frame) {
        self.define(frame, |d, bound| d.open && self.is_needed(d, bound));
    }

    /// Evaluates every definition, also what no check depends on: to show them.
    pub fn evaluate_all(&self, frame: &mut Frame) {
        self.define(frame, |_, _| true);
    }

    fn is_needed(&self, define: &Define, bound: usize) -> bool {
        define.group.iter().any(|(slot, _)| self.needed[*slot][bound])
    }

    fn define(&self, frame: &mut Frame, wanted: impl Fn(&Define, usize) -> bool) {
        for define in &self.defines {
            for bound in [LOW, HIGH] {
                if !wanted(define, bound) {
                    continue;
                }
                if define.recursive {
                    // The least solution grows from nothing, not from that of the candidate before.
                    for (slot, _) in &define.group {
                        frame.of_mut(bound)[*slot] = Relation::empty(frame.size);
                    }
                }
                loop {
                    let mut changed = false;
                    for (slot, term) in &define.group {
                        let value = eval(term, frame, bound);
                        let to = &mut frame.of_mut(bound)[*slot];
                        if *to != value {
                            *to = value;
                            changed = true;
                        }
                    }
                    if !define.recursive || !changed {
                        break;
                    }
                }
            }
        }
    }

    /// Whether any check or choice depends on a name.
    pub fn mentions(&self, name: &str) -> bool {
        // A given name keeps its meaning under its slot, whatever it is redefined to.
        self.slots.iter().position(|s| s == name).is_some_and(|slot| self.needed[slot] != [false; 2])
    }

    /// A short hash of the text of all files: results carry it.
    pub fn hash(&self) -> String {
        hash(&self.files)
    }

    /// The first check that fails for sure. A negated check can only be told when nothing is open any more.
    /// The first check that fails by the events alone, whatever is chosen.
    pub fn failed_at_once(&self, frame: &Frame) -> Option<&Check> {
        self.checks.iter().filter(|c| !c.open).find(|c| !c.holds(frame))
    }

    /// The first check of the others that fails for sure. A negated check can only be told when nothing is open any more.
    pub fn failed(&self, frame: &Frame, complete: bool) -> Option<&Check> {
        self.checks.iter().filter(|c| c.open && (complete || !c.negated)).find(|c| !c.holds(frame))
    }

    /// The flags that a candidate raises: those that depend on the events alone, or all when it is complete.
    pub fn raised<'m>(&'m self, frame: &'m Frame, complete: bool) -> impl Iterator<Item = &'m Check> {
        self.flags.iter().filter(move |f| (complete || !f.open) && f.holds(frame))
    }
}

impl Check {
    /// Whether what is asked is so of the edges that are there for sure.
    fn holds(&self, frame: &Frame) -> bool {
        let relation = eval(&self.term, frame, LOW);
        let holds = match self.test {
            Test::Acyclic => relation.is_acyclic(),
            Test::Irreflexive => relation.is_irreflexive(),
            Test::Empty => relation.is_empty(),
        };
        holds != self.negated
    }
}

/// The bound of a term. Difference takes the other bound of its right side.
pub(super) fn eval(term: &Term, frame: &Frame, bound: usize) -> Relation {
    let go = |t: &Term| eval(t, frame, bound);
    match term {
        Term::Slot(slot) => frame.of(bound)[*slot].clone(),
        Term::Member(_, a) => go(a),
        Term::Empty => Relation::empty(frame.size),
        Term::Identity => Relation::identity(frame.size),
        Term::Full => Relation::full(frame.size),
        Term::Union(a, b) => go(a).union(&go(b)),
        Term::Then(a, b) => go(a).then(&go(b)),
        Term::Minus(a, b) => go(a).minus(&eval(b, frame, 1 - bound)),
        Term::Meet(a, b) => go(a).meet(&go(b)),
        Term::Product(a, b) => go(a).product(&go(b)),
        Term::Inverse(a) => go(a).inverse(),
        Term::Closure(a) => go(a).closure(),
        Term::Domain(a) => go(a).domain(),
    }
}

impl Term {
    /// Calls `visit` with every slot of the term and the bound of it that the term's `bound` depends on.
    pub(super) fn slots(&self, bound: usize, visit: &mut dyn FnMut(usize, usize)) {
        match self {
            Term::Slot(slot) => visit(*slot, bound),
            Term::Empty | Term::Identity | Term::Full => {}
            Term::Minus(a, b) => {
                a.slots(bound, visit);
                b.slots(1 - bound, visit);
            }
            Term::Union(a, b) | Term::Then(a, b) | Term::Meet(a, b) | Term::Product(a, b) => {
                a.slots(bound, visit);
                b.slots(bound, visit);
            }
            Term::Member(_, a) | Term::Inverse(a) | Term::Closure(a) | Term::Domain(a) => a.slots(bound, visit),
        }
    }
}
