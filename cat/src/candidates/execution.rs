//! An execution as it is shown: its events, and the relations by name.

use super::search::Candidate;
use super::unfold::KeyValue;
use super::value::Value;
use crate::{Kind, Relation};
use litmpi_spec::source::Span;

/// An event.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its labels (`nrW`), the first one the main one; an initial write has none.
    pub labels: Vec<String>,
    /// Index of its thread in the test; an initial write has none.
    pub thread: Option<usize>,
    /// Index of the location that it accesses.
    pub loc: Option<usize>,
    /// Name of that location.
    pub place: Option<String>,
    /// Keys (`towards`) with their values in words.
    pub keys: Vec<(String, String)>,
    /// Whether it reads.
    pub reads: bool,
    /// Whether it writes.
    pub writes: bool,
    /// What it reads; nothing if that is not known, or undefined.
    pub read: Option<i64>,
    /// What it writes; nothing if that is not known, or undefined.
    pub written: Option<i64>,
    /// Whether what it reads is undefined.
    pub undefined: bool,
    /// Which instruction of its thread's way it is of: events of one instruction have the same number.
    pub instruction: usize,
    /// The statement that it is of; the whole test for an initial write.
    pub span: Span,
}

/// A candidate execution, complete or as far as it matters.
#[derive(Debug, Clone)]
pub struct Execution {
    /// Initial writes, then thread after thread in program order. Relations and witnesses name events by their index.
    pub events: Vec<Event>,
    /// Every relation that the model knows, by name, in order of definition: `rf`, `po`, …, the model's own last. Of one
    /// that is not complete, the edges that are there for sure. A name that is defined again hides the earlier one.
    pub relations: Vec<(String, Relation)>,
}

impl Execution {
    /// The relation of that name.
    pub fn relation(&self, name: &str) -> Option<&Relation> {
        self.relations.iter().find(|(n, _)| n == name).map(|(_, r)| r)
    }

    pub(super) fn of(candidate: &Candidate<'_, '_>) -> Execution {
        let (of, graph) = (candidate.of, candidate.graph);
        let mut frame = candidate.frame.clone();
        of.model.evaluate_all(&mut frame);
        let values = candidate.values();
        let known = |v: Value| if let Value::Known(v) = v { Some(v) } else { None };
        let key = |t: Option<usize>, value: KeyValue| match value {
            KeyValue::Node(n) => of.program.nodes[n].number.to_string(),
            KeyValue::Loc(x) => of.program.locs[x].name.clone(),
            KeyValue::Thread(t) => of.program.threads[t].number.to_string(),
            KeyValue::Round(x, n) => format!("{} {}", of.program.locs[x].name, n + 1),
            KeyValue::Register(r) => t.map_or_else(String::new, |t| of.program.threads[t].regs[r].name.clone()),
        };
        let event = |(i, e): (usize, &super::unfold::Event)| Event {
            labels: e.labels.clone(),
            thread: graph.threads[i],
            loc: e.loc,
            place: e.loc.map(|x| of.program.locs[x].name.clone()),
            keys: e.keys.iter().map(|(k, v)| (k.clone(), key(graph.threads[i], *v))).collect(),
            reads: e.reads,
            writes: e.writes.is_some(),
            read: if e.reads { known(values[i]) } else { None },
            written: known(graph.written(i, &values)),
            undefined: values[i] == Value::Undefined,
            instruction: e.instruction,
            span: e.span.clone(),
        };
        let events = graph.events.iter().enumerate().map(event).collect();
        let slots = of.model.slots.iter().enumerate();
        let last = slots.filter(|(i, name)| of.model.slot(name) == Some(*i) && of.model.kinds[*i] == Kind::Relation);
        let relations = last.map(|(i, name)| (name.clone(), frame.low[i].clone())).collect();
        Execution { events, relations }
    }
}
