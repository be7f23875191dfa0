//! A checked model, and its evaluation on candidate executions that may still be incomplete.
//!
//! Of what a candidate leaves open, two things are known: the edges that it has for sure (`low`) and those that it may
//! come to have (`high`). Every expression has both bounds too; difference and complement turn them around. A check
//! that fails on the edges that are there for sure fails on every completion, so the search can stop there.

use super::relation::Relation;
use super::syntax::Test;
use litmpi_spec::source::{Source, Span, hash};
use smallvec::SmallVec;
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
    /// A term of [`CatModel::fixed`].
    Fixed(usize),
}

/// A set of bounds of slots.
#[derive(Debug, Clone, Default)]
pub(super) struct Bounds(SmallVec<[u64; 4]>);

impl Bounds {
    /// The empty set, of so many slots.
    fn new(slots: usize) -> Bounds {
        Bounds(SmallVec::from_elem(0, (2 * slots).div_ceil(64)))
    }

    pub(super) fn add(&mut self, slot: usize, bound: usize) {
        let at = 2 * slot + bound;
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn meets(&self, other: &Bounds) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }
}

/// A definition; its names are of earlier slots, or of the group itself if it is recursive.
#[derive(Debug, Clone)]
pub(super) struct Define {
    /// Slots and their terms: one, or a recursive group.
    pub(super) group: Vec<(usize, Term)>,
    /// Their terms without what is fixed in them, if it is open.
    pub(super) lifted: Vec<Term>,
    pub(super) recursive: bool,
    /// Depends on what the search chooses.
    pub(super) open: bool,
    /// By bound: what it depends on.
    pub(super) reads: [Bounds; 2],
    /// By bound: whether some check or choice depends on it.
    pub(super) needed: [bool; 2],
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
    /// The same without what is fixed in it.
    pub(super) lifted: Term,
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
    /// Terms that depend on the events alone, which definitions and checks that do not have in common with all candidates of these.
    pub(super) fixed: Vec<Term>,
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
    /// What the model's fixed terms are.
    fixed: Vec<Relation>,
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
        Frame { size, low: none.clone(), high: none, fixed: vec![], chosen: vec![] }
    }

    /// The slot of the order of writes, `mo` or `co`; none of a file that orders none, as those do that are only to be included.
    pub fn order(&self) -> Option<usize> {
        self.slot("mo").or_else(|| self.slot("co"))
    }

    /// The slot that a name stands for at the end of the file.
    pub fn slot(&self, name: &str) -> Option<usize> {
        self.slots.iter().rposition(|s| s == name)
    }

    /// Evaluates what depends on the events alone, and opens the choices: an edge that has no opposite is there for
    /// sure. To be called once, when the given slots have been filled.
    pub fn settle(&self, frame: &mut Frame) {
        self.define(frame, &mut Bounds::default(), |d, bound, _| !d.open && d.needed[bound]);
        frame.fixed = self.fixed.iter().map(|term| eval_in(term, frame, LOW, &[])).collect();
        for choice in &self.choices {
            let pairs = eval(&choice.pairs, frame, LOW).into_owned().minus(&Relation::identity(frame.size));
            let mut opposite = Relation::empty(frame.size);
            opposite.join_inverse(&pairs);
            frame.low[choice.slot] = pairs.clone().minus(&opposite);
            frame.high[choice.slot] = pairs;
        }
    }

    /// Evaluates what depends on the choices, if they are others than the last time.
    pub fn evaluate(&self, frame: &mut Frame) {
        let mut changed = Bounds::new(self.slots.len());
        let is_first = frame.chosen.is_empty();
        let chosen = self.given.iter().copied().chain(self.choices.iter().map(|c| c.slot));
        for (i, slot) in chosen.enumerate() {
            let now = [&frame.low[slot], &frame.high[slot]];
            if is_first {
                frame.chosen.push(now.map(Clone::clone));
                continue;
            }
            for (bound, before) in frame.chosen[i].iter_mut().enumerate() {
                if before != now[bound] {
                    before.clone_from(now[bound]);
                    changed.add(slot, bound);
                }
            }
        }
        self.define(frame, &mut changed, |d, bound, changed| {
            d.open && d.needed[bound] && (is_first || d.reads[bound].meets(changed))
        });
    }

    /// Evaluates every definition, also what no check depends on: to show them.
    pub fn evaluate_all(&self, frame: &mut Frame) {
        self.define(frame, &mut Bounds::default(), |_, _, _| true);
    }

    /// Evaluates the definitions that are wanted, and notes which slots are others than before.
    fn define(&self, frame: &mut Frame, changes: &mut Bounds, wanted: impl Fn(&Define, usize, &Bounds) -> bool) {
        let mut value = Relation::empty(frame.size);
        for define in &self.defines {
            for bound in [LOW, HIGH] {
                if !wanted(define, bound, changes) {
                    continue;
                }
                if define.recursive {
                    // The least solution grows from nothing, not from that of the candidate before. What it was is not kept, so it
                    // counts as changed.
                    for (slot, _) in &define.group {
                        frame.of_mut(bound)[*slot].clear();
                        changes.add(*slot, bound);
                    }
                }
                loop {
                    let mut grows = false;
                    for (i, (slot, term)) in define.group.iter().enumerate() {
                        let term = define.lifted.get(i).unwrap_or(term);
                        value.clear();
                        Scope { frame, bound, within: &[] }.join(&mut value, term);
                        let old = &mut frame.of_mut(bound)[*slot];
                        if *old != value {
                            old.clone_from(&value);
                            changes.add(*slot, bound);
                            grows = true;
                        }
                    }
                    if !define.recursive || !grows {
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

    /// The first check of the others that fails for sure, and so on every completion.
    pub fn failed(&self, frame: &Frame) -> Option<&Check> {
        self.checks.iter().filter(|c| c.open && !c.negated).find(|c| !c.holds(frame))
    }

    /// The first negated check that fails on a complete candidate: as long as something is open, more edges may come to be there.
    pub fn failed_at_last(&self, frame: &Frame) -> Option<&Check> {
        self.checks.iter().filter(|c| c.open && c.negated).find(|c| !c.holds(frame))
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
        let holds = |relation: &Relation| match self.test {
            Test::Acyclic => relation.is_acyclic(),
            Test::Irreflexive => relation.is_irreflexive(),
            Test::Empty => relation.is_empty(),
        };
        Scope { frame, bound: LOW, within: &[] }.with(&self.lifted, holds) != self.negated
    }
}

/// The bound of a term.
pub(super) fn eval<'f>(term: &Term, frame: &'f Frame, bound: usize) -> Cow<'f, Relation> {
    match term {
        Term::Slot(slot) => Cow::Borrowed(&frame.of(bound)[*slot]),
        _ => Cow::Owned(eval_in(term, frame, bound, &[])),
    }
}

/// The same within classes, the outermost first.
pub(super) fn eval_in(term: &Term, frame: &Frame, bound: usize, within: &[Relation]) -> Relation {
    let mut out = Relation::empty(frame.size);
    Scope { frame, bound, within }.join(&mut out, term);
    out
}

/// Where terms are evaluated: which bound of them is asked for, and the classes around them, the outermost first.
#[derive(Clone, Copy)]
struct Scope<'f> {
    frame: &'f Frame,
    bound: usize,
    within: &'f [Relation],
}

impl Scope<'_> {
    /// Adds the edges of a term. Relations are large beside what is done with them, so none is handed on by value.
    fn join(self, to: &mut Relation, term: &Term) {
        match term {
            Term::Empty => {}
            Term::Slot(_) | Term::Fixed(_) | Term::Class(_) | Term::Closure(_) => self.with(term, |a| to.join(a)),
            Term::Member(_, a) => self.join(to, a),
            Term::Identity => to.join(&Relation::identity(self.frame.size)),
            Term::Full => to.join(&Relation::full(self.frame.size)),
            Term::Union(a, b) => {
                self.join(to, a);
                self.join(to, b);
            }
            Term::Then(a, b) => self.with(a, |a| self.with(b, |b| to.join_then(a, b))),
            // What is taken away for sure is what may be taken away at most.
            Term::Minus(a, b) => {
                let other = Scope { bound: 1 - self.bound, ..self };
                self.with(a, |a| other.with(b, |b| to.join_minus(a, b)));
            }
            Term::Meet(a, b) => self.with(a, |a| self.with(b, |b| to.join_meet(a, b))),
            Term::Product(a, b) => self.with(a, |a| self.with(b, |b| to.join_product(a, b))),
            Term::Inverse(a) => self.with(a, |a| to.join_inverse(a)),
            Term::Domain(a) => self.with(a, |a| to.join_domain(a)),
            Term::Each(of, body) => self.with(of, |of| {
                for class in of.classes() {
                    let within = [self.within, &[class]].concat();
                    Scope { within: &within, ..self }.join(to, body);
                }
            }),
        }
    }

    /// Shows a term's bound: what there is under its name, or else what is made for the occasion.
    fn with<R>(self, term: &Term, show: impl FnOnce(&Relation) -> R) -> R {
        match term {
            Term::Slot(slot) => show(&self.frame.of(self.bound)[*slot]),
            Term::Fixed(i) => show(&self.frame.fixed[*i]),
            Term::Class(depth) => show(&self.within[*depth]),
            Term::Member(_, a) => self.with(a, show),
            Term::Closure(a) => {
                let mut made = Relation::empty(self.frame.size);
                self.join(&mut made, a);
                made.close();
                show(&made)
            }
            _ => {
                let mut made = Relation::empty(self.frame.size);
                self.join(&mut made, term);
                show(&made)
            }
        }
    }
}

impl Term {
    /// Calls `visit` with every slot of the term and the bound of it that the term's `bound` depends on.
    pub(super) fn slots(&self, bound: usize, visit: &mut dyn FnMut(usize, usize)) {
        match self {
            Term::Slot(slot) => visit(*slot, bound),
            Term::Empty | Term::Identity | Term::Full | Term::Class(_) | Term::Fixed(_) => {}
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
