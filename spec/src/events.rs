//! What instructions are to declarative models: the events of each, as `events` items of a specification say.
//!
//! Steps are in program order. An event has a label, by which `.cat` files know it, further labels that may depend on
//! constants, keys (events with equal keys are related by the key's name), and at most one access to one location: it
//! reads, writes, or does both at once. `when` says what must hold for this way to be gone, `either … or` gives ways.

use crate::model::Spec;
use crate::program::{BinaryOp, UnaryOp};
use crate::source::Span;
use serde::{Deserialize, Serialize};

/// The events of one instruction.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Events {
    /// In program order.
    pub steps: Vec<Step>,
    /// How many values its events read.
    pub slots: usize,
    /// The literature, `work "place"`.
    pub cites: Vec<String>,
    /// Where it is declared.
    pub span: Span,
}

/// A step.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Step {
    /// An event.
    Event(Event),
    /// The register that is this parameter holds a value from here on.
    Set(usize, Value),
    /// This way is gone only if the value is not 0.
    When(Value),
    /// One of these ways.
    Either(Vec<Vec<Step>>),
    /// The steps for each of these, by the number that it is known by in them.
    For(usize, Over, Vec<Step>),
}

/// What steps are done for, one after the other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Over {
    /// Every node.
    Nodes,
    /// Every node but the thread's own.
    Others,
    /// The nodes in the list that this parameter is.
    List(usize),
    /// The threads whose program calls an instruction (this one, or whichever) on the object that the parameter is.
    Users(usize, Option<usize>),
    /// The nodes of those.
    Homes(usize, Option<usize>),
    /// The same without the thread's own.
    OtherHomes(usize, Option<usize>),
}

/// A node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum At {
    /// The thread's own.
    Here,
    /// What the steps are done for: a node, or the node of a thread.
    Each(usize),
}

/// An event.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Event {
    /// Its label.
    pub label: String,
    /// Further labels, each with the condition under which the event has it.
    pub also: Vec<(String, Option<Value>)>,
    /// Keys: events with an equal value of a key are related by the key's name.
    pub keys: Vec<(String, Key)>,
    /// The parameter that is the location accessed, or the object whose location on a node is.
    pub at: Option<(usize, Option<At>)>,
    /// The slot that the value read is known by.
    pub reads: Option<usize>,
    /// What is written.
    pub writes: Option<Value>,
    /// Where.
    pub span: Span,
}

/// What a key is.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Key {
    /// The parameter itself: a location, a node, a register.
    Param(usize),
    /// The node of the parameter, a location.
    NodeOf(usize),
    /// A node.
    Node(At),
    /// The thread itself.
    Own,
    /// The thread that the steps are done for.
    Each(usize),
    /// The location on a node of the object that the parameter is.
    Of(usize, At),
    /// How many calls of this instruction on the object the thread has made before.
    Round(usize),
}

/// A value that events read, write, or depend on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Value {
    /// A number; truth is 1.
    Int(i64),
    /// A constant of the specification, which variants may set.
    Const(usize),
    /// A parameter of a kind of integers.
    Param(usize),
    /// A value that an earlier event of the instruction read.
    Slot(usize),
    /// `-e`, `not e`
    Unary(UnaryOp, Box<Value>),
    /// `a + b` and the like; comparisons and connectives give 1 or 0.
    Binary(BinaryOp, Box<Value>, Box<Value>),
}

impl Step {
    /// Calls `visit` with every event in and below the step.
    pub(crate) fn events<'e>(&'e self, visit: &mut dyn FnMut(&'e Event)) {
        match self {
            Step::Event(e) => visit(e),
            Step::Either(of) => of.iter().flatten().for_each(|s| s.events(visit)),
            Step::For(_, _, steps) => steps.iter().for_each(|s| s.events(visit)),
            Step::Set(..) | Step::When(_) => {}
        }
    }

    fn values(&self, visit: &mut dyn FnMut(&Value)) {
        match self {
            Step::Event(e) => e.also.iter().filter_map(|(_, v)| v.as_ref()).chain(&e.writes).for_each(visit),
            Step::Set(_, v) | Step::When(v) => visit(v),
            Step::Either(of) => of.iter().flatten().for_each(|s| s.values(visit)),
            Step::For(_, _, steps) => steps.iter().for_each(|s| s.values(visit)),
        }
    }
}

impl Value {
    fn consts(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Value::Const(c) => visit(*c),
            Value::Unary(_, a) => a.consts(visit),
            Value::Binary(_, a, b) => {
                a.consts(visit);
                b.consts(visit);
            }
            Value::Int(_) | Value::Param(_) | Value::Slot(_) => {}
        }
    }
}

/// What `.cat` files may name because some instruction declares it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EventNames {
    /// Labels: sets of events.
    pub labels: Vec<String>,
    /// Keys: relations between events.
    pub keys: Vec<String>,
}

impl Spec {
    fn steps(&self) -> impl Iterator<Item = &Step> {
        self.events.iter().flatten().flat_map(|e| &e.steps)
    }

    /// The labels and keys of all instructions, in order of their first use.
    pub fn event_names(&self) -> EventNames {
        let mut names = EventNames::default();
        let add = |to: &mut Vec<String>, name: &str| {
            if !to.iter().any(|n| n == name) {
                to.push(name.to_owned());
            }
        };
        for step in self.steps() {
            step.events(&mut |e| {
                add(&mut names.labels, &e.label);
                e.also.iter().for_each(|(label, _)| add(&mut names.labels, label));
                e.keys.iter().for_each(|(key, _)| add(&mut names.keys, key));
            });
        }
        names
    }

    /// Whether a variant sets nothing but constants that events depend on: then it says something to declarative
    /// models, too.
    pub fn is_about_events(&self, variant: &str) -> bool {
        let mut used = vec![];
        self.steps().for_each(|s| s.values(&mut |v| v.consts(&mut |c| used.push(c))));
        self.variant(variant).map_or(variant == "default", |v| v.sets.iter().all(|(c, _)| used.contains(c)))
    }
}
