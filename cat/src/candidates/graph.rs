//! The events of one way through each thread, with everything that does not depend on what reads from what.

use super::programs::{Programs, RF};
use super::unfold::{Event, Path};
use super::value::{Value, constant, evaluate, substitute};
use crate::{CatModel, Frame, Relation};
use litmpi_spec::integers::{Bits, NoValue};
use litmpi_spec::program::{IntExpr, Program};
use litmpi_spec::source::Span;

/// Events `0..`: initial writes, then thread after thread, each in program order.
pub(super) struct Graph {
    pub(super) events: Vec<Event>,
    pub(super) threads: Vec<Option<usize>>,
    /// The node that each runs on; none for an initial write.
    nodes: Vec<Option<usize>>,
    /// The node whose memory each accesses.
    homes: Vec<Option<usize>>,
    /// Conditions, over the events of the graph.
    conditions: Vec<(IntExpr, bool)>,
    /// Final registers of each thread.
    regs: Vec<Vec<IntExpr>>,
    /// The reads.
    pub(super) reads: Vec<usize>,
    /// How many bits integers have.
    bits: Bits,
}

impl Graph {
    /// Puts the ways of all threads together.
    pub(super) fn new(program: &Program, bits: Bits, paths: &[&Path], start: &Span) -> Graph {
        let mut g = Graph {
            events: Vec::new(),
            threads: Vec::new(),
            nodes: Vec::new(),
            homes: Vec::new(),
            conditions: Vec::new(),
            regs: Vec::new(),
            reads: Vec::new(),
            bits,
        };
        for (x, loc) in program.locs.iter().enumerate() {
            if paths.iter().flat_map(|p| &p.events).any(|e| e.loc == Some(x)) {
                g.threads.push(None);
                g.events.push(Event {
                    labels: Vec::new(),
                    keys: Vec::new(),
                    loc: Some(x),
                    reads: false,
                    writes: Some(constant(loc.initial)),
                    instruction: 0,
                    span: start.clone(),
                });
            }
        }
        for (t, path) in paths.iter().enumerate() {
            let base = g.events.len();
            let shifted = |e: &IntExpr| substitute(bits, e, &|r| IntExpr::Reg(r + base, None));
            for event in &path.events {
                g.threads.push(Some(t));
                let writes = event.writes.as_ref().map(shifted);
                g.events.push(Event { writes, ..event.clone() });
            }
            g.conditions.extend(path.conditions.iter().map(|(e, v)| (shifted(e), *v)));
            g.regs.push(path.regs.iter().map(shifted).collect());
        }
        g.nodes = g.threads.iter().map(|t| t.map(|t| program.threads[t].node)).collect();
        g.homes = g.events.iter().map(|e| e.loc.map(|x| program.locs[x].node)).collect();
        g.reads = (0..g.events.len()).filter(|e| g.events[*e].reads).collect();
        g
    }

    pub(super) fn size(&self) -> usize {
        self.events.len()
    }

    fn is_write(&self, e: usize) -> bool {
        self.events[e].writes.is_some()
    }

    fn same_thread(&self, a: usize, b: usize) -> bool {
        self.threads[a].is_some() && self.threads[a] == self.threads[b]
    }

    /// The writes that a read may read from.
    pub(super) fn sources(&self, read: usize) -> Vec<usize> {
        let same = |w: &usize| *w != read && self.is_write(*w) && self.events[*w].loc == self.events[read].loc;
        (0..self.size()).filter(same).collect()
    }

    /// The writes of a location of the program.
    pub(super) fn writes_of(&self, loc: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.size()).filter(move |w| self.is_write(*w) && self.events[*w].loc == Some(loc))
    }

    /// Fills the slots of [`Programs::given`]; of `rf`, what is possible.
    pub(super) fn frame(&self, programs: &Programs, model: &CatModel) -> Frame {
        let n = self.size();
        let mut frame = model.frame(n);
        let (e, t) = (&self.events, &self.threads);
        // In the order of `given`.
        let mut slot = RF + 1;
        let mut fill = |r: Relation| {
            frame.fix(slot, r);
            slot += 1;
        };
        fill(Relation::set(n, |a| e[a].reads));
        fill(Relation::set(n, |a| self.is_write(a)));
        fill(Relation::set(n, |a| e[a].loc.is_some()));
        fill(Relation::set(n, |a| t[a].is_none()));
        fill(Relation::identity(n));
        // Events are numbered in program order, initial writes before all.
        fill(Relation::of(n, |a, b| a < b && (self.same_thread(a, b) || t[a].is_none() && t[b].is_some())));
        fill(Relation::of(n, |a, b| e[a].loc.is_some() && e[a].loc == e[b].loc));
        fill(Relation::of(n, |a, b| self.same_thread(a, b)));
        fill(Relation::of(n, |a, b| !self.same_thread(a, b)));
        fill(Relation::of(n, |a, b| a == b || self.same_thread(a, b) && e[a].instruction == e[b].instruction));
        let same = |a: Option<usize>, b: Option<usize>| a.is_some() && a == b;
        fill(Relation::of(n, |a, b| same(self.nodes[a], self.nodes[b])));
        fill(Relation::of(n, |a, b| same(self.homes[a], self.homes[b])));
        fill(Relation::of(n, |a, b| same(self.homes[a], self.nodes[b])));
        for label in &programs.names.labels {
            fill(Relation::set(n, |a| e[a].labels.contains(label)));
        }
        for key in &programs.names.keys {
            let values: Vec<_> = e.iter().map(|e| e.keys.iter().find(|(k, _)| k == key).map(|(_, v)| *v)).collect();
            let register = |a: usize| matches!(values[a], Some(super::unfold::KeyValue::Register(_)));
            fill(Relation::of(n, |a, b| {
                values[a].is_some() && values[a] == values[b] && (!register(a) || self.same_thread(a, b))
            }));
        }
        for read in &self.reads {
            self.sources(*read).into_iter().for_each(|w| frame.high[RF].insert(w, *read));
        }
        frame
    }

    /// Values of all reads, as far as `from` (the write of each event that reads) and `race` (what is known of the
    /// reads that a race leaves undefined) tell.
    pub(super) fn values(&self, from: &[Option<usize>], race: &impl Fn(usize) -> Option<bool>) -> Vec<Value> {
        let mut known = vec![None; self.size()];
        let mut out = vec![Value::Open; self.size()];
        for read in &self.reads {
            out[*read] = self.value(*read, from, race, &mut known);
        }
        out
    }

    fn value(
        &self,
        read: usize,
        from: &[Option<usize>],
        race: &impl Fn(usize) -> Option<bool>,
        known: &mut Vec<Option<Value>>,
    ) -> Value {
        if let Some(v) = known[read] {
            return v;
        }
        // Met again while it is being computed, it depends on itself.
        known[read] = Some(Value::Circular);
        let value = match (race(read), from[read].and_then(|w| self.events[w].writes.as_ref())) {
            (Some(true), _) => Value::Undefined,
            (None, _) | (_, None) => Value::Open,
            (Some(false), Some(e)) => evaluate(self.bits, e, &mut |r| self.value(r, from, race, known)),
        };
        known[read] = Some(value);
        value
    }

    /// Whether all conditions can still hold. An undefined value may be any.
    pub(super) fn possible(&self, values: &[Value]) -> bool {
        self.conditions.iter().all(|(e, nonzero)| match evaluate(self.bits, e, &mut |r| values[r]) {
            Value::Known(v) => (v != 0) == *nonzero,
            _ => true,
        })
    }

    /// What a write writes.
    pub(super) fn written(&self, write: usize, values: &[Value]) -> Value {
        self.events[write].writes.as_ref().map_or(Value::Open, |e| evaluate(self.bits, e, &mut |r| values[r]))
    }

    /// What a register holds at the end.
    pub(super) fn register(&self, thread: usize, reg: usize, values: &[Value]) -> Value {
        evaluate(self.bits, &self.regs[thread][reg], &mut |r| values[r])
    }

    /// Why a condition, or what a write writes, has no value although all reads have their writes.
    pub(super) fn without_value(&self, values: &[Value]) -> Option<NoValue> {
        let mut all =
            self.conditions.iter().map(|(e, _)| e).chain(self.events.iter().filter_map(|e| e.writes.as_ref()));
        all.find_map(|e| match evaluate(self.bits, e, &mut |r| values[r]) {
            Value::None(why) => Some(why),
            _ => None,
        })
    }
}
