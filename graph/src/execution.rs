//! What is drawn: events in columns, relations between them, and perhaps a cycle.

use std::collections::BTreeSet;

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its heading, `thread 1 on node 1`.
    pub title: String,
    /// Headings of its lanes: the CPU first, then a lane a queue pair. At least one.
    pub lanes: Vec<String>,
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// Its column and lane; none for an initial write.
    pub place: Option<(usize, usize)>,
    /// What it is, `nlR x=1`.
    pub label: String,
    /// The statement that it comes from, as the program has it; perhaps empty.
    pub source: String,
}

/// A relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Its name, `rf`.
    pub name: String,
    /// Its edges.
    pub pairs: Vec<(usize, usize)>,
    /// Whether edges that follow from others by transitivity are left out of drawings.
    pub reduce: bool,
}

/// An edge of a cycle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// From this event.
    pub from: usize,
    /// To this one.
    pub to: usize,
    /// The relations that have the edge, those of the model's first layer.
    pub names: Vec<String>,
}

/// A cycle: each link begins where the one before it ends.
pub type Cycle = Vec<Link>;

/// An execution graph. Events of a thread are numbered in program order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Graph {
    /// What it is a graph of, one line.
    pub title: String,
    /// What is to be said of it, a line each.
    pub notes: Vec<String>,
    /// The threads.
    pub columns: Vec<Column>,
    /// The events.
    pub events: Vec<Event>,
    /// The relations, in the order in which names are listed.
    pub relations: Vec<Named>,
    /// What is wrong with it, if anything: a cycle, or edges that should not be.
    pub cycle: Cycle,
    /// Events that are marked besides those of the cycle.
    pub marked: Vec<usize>,
}

impl Graph {
    /// The short name of an event, as herd has it: `a`, `b`, …, `z`, `aa`; an initial write is called by what it writes.
    pub fn name(&self, event: usize) -> String {
        if self.events[event].place.is_none() {
            return format!("init {}", self.events[event].label);
        }
        let mut n = self.events[..event].iter().filter(|e| e.place.is_some()).count() + 1;
        let mut letters = vec![];
        while n > 0 {
            letters.push(char::from(b'a' + u8::try_from((n - 1) % 26).expect("below 26")));
            n = (n - 1) / 26;
        }
        letters.iter().rev().collect()
    }

    /// Name and label: `c: nrW z=1`, `init x=0`.
    pub fn caption(&self, event: usize) -> String {
        match self.events[event].place {
            None => self.name(event),
            Some(_) => format!("{}: {}", self.name(event), self.events[event].label),
        }
    }

    /// Whether an event is marked, by itself or as part of the cycle.
    pub(crate) fn is_marked(&self, event: usize) -> bool {
        self.marked.contains(&event) || self.cycle.iter().any(|l| l.from == event || l.to == event)
    }

    /// The events of a column, downwards.
    pub fn column(&self, column: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.events.len()).filter(move |e| self.events[*e].place.is_some_and(|(c, _)| c == column))
    }
}

impl Named {
    /// The edges to draw: all, or those that do not follow from others. A relation with a cycle is not reduced.
    pub fn drawn_pairs(&self) -> BTreeSet<(usize, usize)> {
        let all: BTreeSet<(usize, usize)> = self.pairs.iter().copied().collect();
        if !self.reduce {
            return all;
        }
        let next = |a: usize| all.range((a, 0)..=(a, usize::MAX)).map(|(_, b)| *b);
        // Whether b is reached from a by more than one edge.
        let by_detour = |a: usize, b: usize| {
            let mut seen = BTreeSet::new();
            let mut todo: Vec<usize> = next(a).filter(|c| *c != b).collect();
            while let Some(c) = todo.pop() {
                if c == b {
                    return true;
                }
                if seen.insert(c) {
                    todo.extend(next(c));
                }
            }
            false
        };
        let cyclic = |a: usize| by_detour(a, a) || all.contains(&(a, a));
        if all.iter().any(|(a, _)| cyclic(*a)) {
            return all;
        }
        all.iter().copied().filter(|(a, b)| !by_detour(*a, *b)).collect()
    }
}
