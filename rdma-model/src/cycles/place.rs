//! Where the accesses of a cycle are: threads, instructions, locations, and the nodes of all of them.

use super::edge::{Edge, Kind, Queue};
use super::{Cycle, Misfit};
use litmpi_litmus::critical::Edge as _;

/// An access of a cycle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Event {
    pub(super) kind: Kind,
    pub(super) thread: usize,
    /// The number of its instruction, counted through all threads.
    pub(super) instr: usize,
    pub(super) location: usize,
    /// The edge that begins at it.
    pub(super) edge: Edge,
    /// The place of that edge in the cycle.
    pub(super) at: usize,
}

/// The accesses of a cycle and their nodes.
#[derive(Debug)]
pub(super) struct Places {
    /// In the order of the cycle.
    pub(super) events: Vec<Event>,
    /// The node of each thread, from 0.
    pub(super) threads: Vec<usize>,
    /// The thread of each instruction, and the node that it is towards if it is an operation.
    pub(super) instrs: Vec<(usize, Option<usize>)>,
    /// The node of each location.
    pub(super) locations: Vec<usize>,
    /// How many nodes there are.
    pub(super) nodes: usize,
}

/// Classes of what is on one node.
struct Classes(Vec<usize>);

impl Classes {
    fn of(&self, mut i: usize) -> usize {
        while self.0[i] != i {
            i = self.0[i];
        }
        i
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.0[a.max(b)] = a.min(b);
    }
}

/// The accesses of a cycle; the last edge comes back to the first.
fn walk(cycle: &Cycle) -> Vec<Event> {
    let n = cycle.edges.len();
    let (mut thread, mut instr, mut location) = (0, 0, 0);
    let mut out: Vec<Event> = vec![];
    for (at, edge) in cycle.edges.iter().copied().enumerate().filter(|(_, e)| e.is_edge()) {
        let kind = match (edge, cycle.edges[(at + n - 1) % n]) {
            (Edge::Then { from, .. } | Edge::Within(from, _), _) => from,
            (_, Edge::Then { to, .. } | Edge::Within(_, to) | Edge::Alone(to)) => to,
            (_, Edge::Com { .. }) => Kind::W,
        };
        out.push(Event { kind, thread, instr, location, edge, at });
        thread += usize::from(edge.is_external());
        instr += usize::from(!matches!(edge, Edge::Within(..)));
        location += usize::from(edge.changes_location());
    }
    // The locations behind the last change are the first one.
    if location > 0 {
        out.iter_mut().filter(|e| e.location == location).for_each(|e| e.location = 0);
    }
    out
}

impl Places {
    /// # Errors
    /// An edge between accesses that would be on two nodes at once, or queue pairs that are not as an edge says.
    pub(super) fn new(cycle: &Cycle) -> Result<Places, Misfit> {
        let events = walk(cycle);
        let (threads, locations) = (cycle.threads(), events.iter().map(|e| e.location).max().unwrap_or(0) + 1);
        let instrs = events.iter().map(|e| e.instr).max().unwrap_or(0) + 1;
        // Threads, then locations, then what instructions are towards.
        let (of_location, towards) = (|l: usize| threads + l, |i: usize| threads + locations + i);
        let mut classes = Classes((0..threads + locations + instrs).collect());
        let mut apart: Vec<(usize, usize, usize)> = vec![];
        let mut thread_of = vec![0; instrs];
        let mut is_operation = vec![false; instrs];
        for e in &events {
            thread_of[e.instr] = e.thread;
            let home = if e.kind.is_there() { towards(e.instr) } else { e.thread };
            classes.join(of_location(e.location), home);
            if e.kind.is_remote_operation() {
                is_operation[e.instr] = true;
                apart.push((e.thread, towards(e.instr), e.at));
            }
        }
        for (i, e) in events.iter().enumerate() {
            let next = &events[(i + 1) % events.len()];
            match queue(e, next)? {
                Some(Queue::Same) => classes.join(towards(e.instr), towards(next.instr)),
                Some(Queue::Other) => apart.push((towards(e.instr), towards(next.instr), e.at)),
                None => {}
            }
        }
        for (a, b, at) in &apart {
            if classes.of(*a) == classes.of(*b) {
                let edge = cycle.edges[*at];
                let why = format!(
                    "no nodes fit `{edge}`: its accesses, and what they communicate with, would be on one node and on two"
                );
                let help = "`Pw`, `Gr` and `A` access another node's memory, all other accesses that of their own; `q` is one queue pair, towards one node, `o` two";
                return Err(Misfit { at: *at, why, help: help.to_owned() });
            }
        }
        Ok(Places::numbered(events, threads, locations, &classes, &apart, &thread_of, &is_operation))
    }

    /// With nodes numbered in the order of threads; an operation whose other node does not matter is towards the first one that there is.
    fn numbered(
        events: Vec<Event>,
        threads: usize,
        locations: usize,
        classes: &Classes,
        apart: &[(usize, usize, usize)],
        thread_of: &[usize],
        is_operation: &[bool],
    ) -> Places {
        let mut node_of: Vec<Option<usize>> = vec![None; classes.0.len()];
        let mut nodes = 0;
        for i in 0..threads + locations {
            let class = classes.of(i);
            if node_of[class].is_none() {
                node_of[class] = Some(nodes);
                nodes += 1;
            }
        }
        for i in (0..thread_of.len()).filter(|i| is_operation[*i]) {
            let class = classes.of(threads + locations + i);
            if node_of[class].is_none() {
                let not: Vec<usize> = apart
                    .iter()
                    .flat_map(|(a, b, _)| [(*a, *b), (*b, *a)])
                    .filter(|(a, _)| classes.of(*a) == class)
                    .filter_map(|(_, b)| node_of[classes.of(b)])
                    .collect();
                let node = (0..).find(|n| !not.contains(n)).unwrap_or(nodes);
                node_of[class] = Some(node);
                nodes = nodes.max(node + 1);
            }
        }
        let node = |i: usize| node_of[classes.of(i)].unwrap_or(0);
        Places {
            events,
            threads: (0..threads).map(node).collect(),
            instrs: (0..thread_of.len())
                .map(|i| (thread_of[i], is_operation[i].then(|| node(threads + locations + i))))
                .collect(),
            locations: (0..locations).map(|l| node(threads + l)).collect(),
            nodes: nodes.max(2),
        }
    }
}

/// What an edge says of the queue pairs of its ends.
fn queue(from: &Event, to: &Event) -> Result<Option<Queue>, Misfit> {
    match from.edge {
        Edge::Then { queue, .. } => Ok(queue),
        Edge::Com { external: false, queue, .. } => {
            let both = from.kind.is_remote_operation() && to.kind.is_remote_operation();
            let needed = both && !(from.kind.is_there() && to.kind.is_there());
            if needed == queue.is_some() {
                return Ok(queue);
            }
            let why = if needed {
                "it is between two operations, and does not say whether they are on one queue pair"
            } else {
                "it speaks of queue pairs, and is not between local accesses of two operations"
            };
            let help = if needed { "write `q` behind it, or `o` for two queue pairs" } else { "leave `q` and `o` out" };
            Err(Misfit { at: from.at, why: format!("`{}`: {why}", from.edge), help: help.to_owned() })
        }
        _ => Ok(None),
    }
}
