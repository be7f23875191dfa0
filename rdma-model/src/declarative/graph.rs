//! The events of one way through each thread, with everything that does not depend on what reads from what.

use super::unfold::{Event, Label, Path, Place};
use super::value::{Value, constant, evaluate, substitute};
use litmpi_spec::cat::{CatModel, Frame, Given, Kind, Relation};
use litmpi_spec::program::{IntExpr, Program};

const fn set(name: &'static str) -> Given {
    Given { name, kind: Kind::Set, open: false }
}

const fn relation(name: &'static str) -> Given {
    Given { name, kind: Kind::Relation, open: false }
}

/// The names that models may use: the types of events of rdma-tso Def. 4.1; reads `R`, writes `W`, initial writes `IW`;
/// program order, same location, same thread (herd's `int`; `ext` is its opposite), same queue pair, polls-from and
/// reads-from.
pub const GIVEN: &[Given] = &[
    set("lR"),
    set("lW"),
    set("CAS"),
    set("F"),
    set("P"),
    set("nlR"),
    set("nrW"),
    set("nrR"),
    set("nlW"),
    set("nF"),
    set("R"),
    set("W"),
    set("M"),
    set("IW"),
    relation("id"),
    relation("po"),
    relation("loc"),
    relation("sthd"),
    relation("int"),
    relation("ext"),
    relation("sqp"),
    relation("pf"),
    Given { name: "rf", kind: Kind::Relation, open: true },
];

/// The slot of `rf`.
pub(super) const RF: usize = GIVEN.len() - 1;

/// A location, as the events of one candidate know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Nowhere,
    Loc(usize),
    Fresh(usize),
}

/// Events `0..`: initial writes, then thread after thread.
pub(super) struct Graph {
    events: Vec<Event>,
    threads: Vec<Option<usize>>,
    places: Vec<At>,
    /// Conditions, over the events of the graph.
    conditions: Vec<(IntExpr, bool)>,
    /// Final registers of each thread.
    regs: Vec<Vec<IntExpr>>,
    /// The reads.
    pub(super) reads: Vec<usize>,
}

fn name(label: Label) -> &'static str {
    match label {
        Label::LocalRead => "lR",
        Label::LocalWrite => "lW",
        Label::Cas => "CAS",
        Label::Fence => "F",
        Label::Poll => "P",
        Label::NicLocalRead => "nlR",
        Label::NicRemoteWrite => "nrW",
        Label::NicRemoteRead => "nrR",
        Label::NicLocalWrite => "nlW",
        Label::NicFence => "nF",
    }
}

impl Graph {
    /// Puts the ways of all threads together.
    pub(super) fn new(program: &Program, paths: &[&Path]) -> Graph {
        let mut g = Graph {
            events: Vec::new(),
            threads: Vec::new(),
            places: Vec::new(),
            conditions: Vec::new(),
            regs: Vec::new(),
            reads: Vec::new(),
        };
        let all = || paths.iter().flat_map(|p| &p.events);
        for (x, loc) in program.locs.iter().enumerate() {
            if all().any(|e| e.place == Place::Loc(x)) {
                g.initial(At::Loc(x), constant(loc.initial));
            }
        }
        // Where each thread's events begin; the initial writes of constants' own locations stand before them all.
        let fresh = all().filter(|e| matches!(e.place, Place::Fresh(_))).count();
        let mut base = g.events.len() + fresh;
        for path in paths {
            let shifted = |e: &IntExpr| substitute(e, &|r| IntExpr::Reg(r + base, None));
            for (i, event) in path.events.iter().enumerate() {
                if let Place::Fresh(v) = &event.place {
                    g.initial(At::Fresh(base + i), shifted(v));
                }
            }
            base += path.events.len();
        }
        for (t, path) in paths.iter().enumerate() {
            let base = g.events.len();
            let shifted = |e: &IntExpr| substitute(e, &|r| IntExpr::Reg(r + base, None));
            for event in &path.events {
                let id = g.events.len();
                g.places.push(match event.place {
                    Place::None => At::Nowhere,
                    Place::Loc(x) => At::Loc(x),
                    Place::Fresh(_) => At::Fresh(id),
                });
                g.threads.push(Some(t));
                let writes = event.writes.as_ref().map(shifted);
                let polls = event.polls.map(|w| w + base);
                g.events.push(Event { writes, polls, ..event.clone() });
            }
            g.conditions.extend(path.conditions.iter().map(|(e, v)| (shifted(e), *v)));
            g.regs.push(path.regs.iter().map(shifted).collect());
        }
        g.reads = (0..g.events.len()).filter(|e| g.is_read(*e)).collect();
        g
    }

    fn initial(&mut self, place: At, value: IntExpr) {
        self.places.push(place);
        self.threads.push(None);
        let label = Label::LocalWrite;
        self.events.push(Event { label, place: Place::None, towards: None, writes: Some(value), polls: None });
    }

    pub(super) fn size(&self) -> usize {
        self.events.len()
    }

    fn is_read(&self, e: usize) -> bool {
        use Label::{Cas, LocalRead, NicLocalRead, NicRemoteRead};
        matches!(self.events[e].label, Cas | LocalRead | NicLocalRead | NicRemoteRead)
    }

    fn is_write(&self, e: usize) -> bool {
        self.events[e].writes.is_some()
    }

    /// The writes that a read may read from.
    pub(super) fn sources(&self, read: usize) -> Vec<usize> {
        let same = |w: &usize| *w != read && self.is_write(*w) && self.places[*w] == self.places[read];
        (0..self.size()).filter(same).collect()
    }

    /// The writes of a location of the program.
    pub(super) fn writes_of(&self, loc: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.size()).filter(move |w| self.is_write(*w) && self.places[*w] == At::Loc(loc))
    }

    /// Fills the slots of [`GIVEN`]; of `rf`, what is possible.
    pub(super) fn frame(&self, model: &CatModel) -> Frame {
        let n = self.size();
        let mut frame = model.frame(n);
        let t = &self.threads;
        let same_thread = |a: usize, b: usize| t[a].is_some() && t[a] == t[b];
        for (slot, given) in GIVEN.iter().enumerate().filter(|(slot, _)| *slot != RF) {
            let towards = |e: usize| self.events[e].towards;
            let meaning = match given.name {
                "R" => Relation::set(n, |e| self.is_read(e)),
                "W" => Relation::set(n, |e| self.is_write(e)),
                "M" => Relation::set(n, |e| self.is_read(e) || self.is_write(e)),
                "IW" => Relation::set(n, |e| t[e].is_none()),
                "id" => Relation::identity(n),
                // Events are numbered in program order, initial writes before all.
                "po" => Relation::of(n, |a, b| a < b && (same_thread(a, b) || t[a].is_none() && t[b].is_some())),
                "loc" => Relation::of(n, |a, b| self.places[a] != At::Nowhere && self.places[a] == self.places[b]),
                "sthd" | "int" => Relation::of(n, same_thread),
                "ext" => Relation::of(n, |a, b| !same_thread(a, b)),
                "sqp" => Relation::of(n, |a, b| same_thread(a, b) && towards(a).is_some() && towards(a) == towards(b)),
                "pf" => Relation::of(n, |a, b| self.events[b].polls == Some(a)),
                label => Relation::set(n, |e| name(self.events[e].label) == label),
            };
            frame.fix(slot, meaning);
        }
        for read in &self.reads {
            self.sources(*read).into_iter().for_each(|w| frame.high[RF].insert(w, *read));
        }
        frame
    }

    /// Values of all reads, as far as `from` (the write of each event that reads) tells.
    pub(super) fn values(&self, from: &[Option<usize>]) -> Vec<Value> {
        let mut known = vec![None; self.size()];
        let mut out = vec![Value::Open; self.size()];
        for read in &self.reads {
            out[*read] = self.value(*read, from, &mut known);
        }
        out
    }

    fn value(&self, read: usize, from: &[Option<usize>], known: &mut Vec<Option<Value>>) -> Value {
        if let Some(v) = known[read] {
            return v;
        }
        // Met again while it is being computed, it depends on itself.
        known[read] = Some(Value::Circular);
        let value = match from[read].and_then(|w| self.events[w].writes.as_ref()) {
            None => Value::Open,
            Some(e) => evaluate(e, &mut |r| self.value(r, from, known)),
        };
        known[read] = Some(value);
        value
    }

    /// Whether all conditions can still hold.
    pub(super) fn possible(&self, values: &[Value]) -> bool {
        self.conditions.iter().all(|(e, nonzero)| match evaluate(e, &mut |r| values[r]) {
            Value::Known(v) => (v != 0) == *nonzero,
            _ => true,
        })
    }

    /// What a write writes.
    pub(super) fn written(&self, write: usize, values: &[Value]) -> Value {
        self.events[write].writes.as_ref().map_or(Value::Open, |e| evaluate(e, &mut |r| values[r]))
    }

    /// What a register holds at the end.
    pub(super) fn register(&self, thread: usize, reg: usize, values: &[Value]) -> Value {
        evaluate(&self.regs[thread][reg], &mut |r| values[r])
    }

    /// Whether a condition cannot be told although all reads have their writes, for want of range.
    pub(super) fn overflows(&self, values: &[Value]) -> bool {
        let over = |e: &IntExpr| evaluate(e, &mut |r| values[r]) == Value::Overflow;
        self.conditions.iter().any(|(e, _)| over(e)) || self.events.iter().filter_map(|e| e.writes.as_ref()).any(over)
    }
}
