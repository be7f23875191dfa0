//! A checked model, and its evaluation on candidate executions that may still be incomplete.
//!
//! Of what a candidate leaves open, two things are known: the edges that it has for sure (`low`) and those that it may
//! come to have (`high`). Every expression has both bounds too; difference and complement turn them around. A check
//! that fails on the edges that are there for sure fails on every completion, so the search can stop there.

use super::relation::Relation;
use super::syntax::Test;
use litmpi_spec::source::{Source, Span, hash};
use std::borrow::Cow;
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
    /// For each class of a relation the same term, together.
    Each(Box<Term>, Box<Term>),
    /// The class of the enclosing `Each` that has so many others around it.
    Class(usize),
}

/// A definition; its names are of earlier slots, or of the group itself if it is recursive.
#[derive(Debug, Clone)]
pub(super) struct Define {
    /// Slots and their terms: one, or a recursive group.
    pub(super) group: Vec<(usize, Term)>,
    pub(super) recursive: bool,
    /// Depends on what the search chooses.
    pub(super) open: bool,
    /// By bound: the slots, with the bounds of them, that it depends on.
    pub(super) reads: [Vec<(usize, usize)>; 2],
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

/// A relation of which a check asks that it has no cycle, and what is part of it.
#[derive(Debug, Clone)]
pub struct Order {
    /// Choices, and given relations that are chosen, of which every edge is in it.
    pub slots: Vec<usize>,
    /// The relation, closed.
    pub(super) term: Term,
}

impl Order {
    /// Its edges that are there for sure: what is chosen may not go against them.
    pub fn known<'f>(&self, frame: &'f Frame) -> Cow<'f, Relation> {
        eval(&self.term, frame, LOW)
    }
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
    /// What its checks order.
    pub orders: Vec<Order>,
    pub(super) defines: Vec<Define>,
    /// Slots that are given and open.
    pub(super) given: Vec<usize>,
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
    /// What was chosen when definitions were last evaluated.
    chosen: Vec<[Relation; 2]>,
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
        Frame { size, low: none.clone(), high: none, chosen: vec![] }
    }

    /// The slot that a name stands for at the end of the file.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().rposition(|s| s == name)
    }

    /// Evaluates what depends on the events alone, and opens the choices: an edge that has no opposite is there for
    /// sure. To be called once, when the given slots have been filled.
    pub fn settle(&self, frame: &mut Frame) {
        self.define(frame, |d, bound, _| !d.open && self.is_needed(d, bound));
        for choice in &self.choices {
            let pairs = eval(&choice.pairs, frame, LOW).into_owned().minus(&Relation::identity(frame.size));
            frame.low[choice.slot] = pairs.clone().minus(&pairs.inverse());
            frame.high[choice.slot] = pairs;
        }
    }

    /// Evaluates what depends on the choices, if they are others than the last time.
    pub fn evaluate(&self, frame: &mut Frame) {
        let mut changed = vec![[frame.chosen.is_empty(); 2]; self.slots.len()];
        let chosen = self.given.iter().copied().chain(self.choices.iter().map(|c| c.slot));
        for (i, slot) in chosen.enumerate() {
            let now = [&frame.low[slot], &frame.high[slot]];
            match frame.chosen.get_mut(i) {
                None => frame.chosen.push(now.map(Clone::clone)),
                Some(before) => {
                    for bound in [LOW, HIGH] {
                        if before[bound] != *now[bound] {
                            before[bound].clone_from(now[bound]);
                            changed[slot][bound] = true;
                        }
                    }
                }
            }
        }
        self.define_changed(frame, &mut changed, |d, bound, changed| {
            d.open && self.is_needed(d, bound) && d.reads[bound].iter().any(|(slot, bound)| changed[*slot][*bound])
        });
    }

    /// Evaluates every definition, also what no check depends on: to show them.
    pub fn evaluate_all(&self, frame: &mut Frame) {
        self.define(frame, |_, _, _| true);
    }

    fn is_needed(&self, define: &Define, bound: usize) -> bool {
        define.group.iter().any(|(slot, _)| self.needed[*slot][bound])
    }

    fn define(&self, frame: &mut Frame, wanted: impl Fn(&Define, usize, &[[bool; 2]]) -> bool) {
        self.define_changed(frame, &mut vec![[false; 2]; self.slots.len()], wanted);
    }

    /// Evaluates the definitions that are wanted, and notes which slots are others than before.
    fn define_changed(
        &self,
        frame: &mut Frame,
        changes: &mut [[bool; 2]],
        wanted: impl Fn(&Define, usize, &[[bool; 2]]) -> bool,
    ) {
        for define in &self.defines {
            for bound in [LOW, HIGH] {
                if !wanted(define, bound, changes) {
                    continue;
                }
                // What a recursive group was is not kept: it counts as changed.
                let recursive = define.recursive;
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
                        let differs = frame.of(bound)[*slot] != *value;
                        changes[*slot][bound] |= recursive || differs;
                        if differs {
                            let value = value.into_owned();
                            frame.of_mut(bound)[*slot] = value;
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
    /// Whether it is the same check as one of another model: both have it from the same place of the same file.
    pub fn is_also_in(&self, other: &CatModel) -> bool {
        let same = |c: &Check| c.span.source.name == self.span.source.name && c.span.start == self.span.start;
        other.checks.iter().any(same)
    }

    /// The pairs of events that are against it, by the edges that are there for sure: all that should not be related, or
    /// those that are related to themselves. An event of a set is paired with itself.
    pub fn against(&self, frame: &Frame) -> Vec<(usize, usize)> {
        let relation = eval(&self.term, frame, LOW);
        let loops = |r: &Relation| (0..r.size()).filter(|e| r.contains(*e, *e)).map(|e| (e, e)).collect();
        match self.test {
            Test::Empty => relation.pairs().collect(),
            Test::Irreflexive => loops(&relation),
            Test::Acyclic => loops(&relation.closure()),
        }
    }

    /// Whether what is asked is so of the edges that are there for sure.
    pub(super) fn holds(&self, frame: &Frame) -> bool {
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
pub(super) fn eval<'f>(term: &Term, frame: &'f Frame, bound: usize) -> Cow<'f, Relation> {
    eval_in(term, frame, bound, &[])
}

/// The same within classes, the outermost first.
pub(super) fn eval_in<'f>(term: &Term, frame: &'f Frame, bound: usize, within: &[Relation]) -> Cow<'f, Relation> {
    let go = |t: &Term| eval_in(t, frame, bound, within);
    let owned = |t: &Term| go(t).into_owned();
    Cow::Owned(match term {
        Term::Slot(slot) => return Cow::Borrowed(&frame.of(bound)[*slot]),
        Term::Member(_, a) => return go(a),
        Term::Empty => Relation::empty(frame.size),
        Term::Identity => Relation::identity(frame.size),
        Term::Full => Relation::full(frame.size),
        Term::Union(a, b) => {
            let mut out = owned(a);
            join(&mut out, b, frame, bound, within);
            out
        }
        Term::Then(a, b) => go(a).then(&go(b)),
        Term::Minus(a, b) => owned(a).minus(&eval_in(b, frame, 1 - bound, within)),
        Term::Meet(a, b) => owned(a).meet(&go(b)),
        Term::Product(a, b) => go(a).product(&go(b)),
        Term::Inverse(a) => go(a).inverse(),
        Term::Closure(a) => go(a).closure(),
        Term::Domain(a) => go(a).domain(),
        Term::Each(of, body) => go(of).classes().into_iter().fold(Relation::empty(frame.size), |all, class| {
            let within = [within, &[class]].concat();
            all.union(&eval_in(body, frame, bound, &within))
        }),
        Term::Class(depth) => within[*depth].clone(),
    })
}

/// Adds the edges of a term: unions are what most definitions are made of, and need no relation of their own.
fn join(to: &mut Relation, term: &Term, frame: &Frame, bound: usize, within: &[Relation]) {
    match term {
        Term::Union(a, b) => {
            join(to, a, frame, bound, within);
            join(to, b, frame, bound, within);
        }
        _ => to.join(&eval_in(term, frame, bound, within)),
    }
}

impl Term {
    /// Calls `visit` with every slot of the term and the bound of it that the term's `bound` depends on.
    pub(super) fn slots(&self, bound: usize, visit: &mut dyn FnMut(usize, usize)) {
        match self {
            Term::Slot(slot) => visit(*slot, bound),
            Term::Empty | Term::Identity | Term::Full | Term::Class(_) => {}
            Term::Minus(a, b) => {
                a.slots(bound, visit);
                b.slots(1 - bound, visit);
            }
            Term::Union(a, b) | Term::Then(a, b) | Term::Meet(a, b) | Term::Product(a, b) | Term::Each(a, b) => {
                a.slots(bound, visit);
                b.slots(bound, visit);
            }
            Term::Member(_, a) | Term::Inverse(a) | Term::Closure(a) | Term::Domain(a) => a.slots(bound, visit),
        }
    }
}
