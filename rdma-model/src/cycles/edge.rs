//! The edges of cycles: their names, and which may follow which.

use litmpi_litmus::critical;
use std::fmt;

/// An access, by what makes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A CPU's write.
    W,
    /// A CPU's read.
    R,
    /// A CPU's compare-and-swap that succeeds.
    C,
    /// The local read of a put.
    Pr,
    /// The remote write of a put.
    Pw,
    /// The remote read of a get.
    Gr,
    /// The local write of a get.
    Gw,
    /// The remote read and write of an atomic operation.
    A,
    /// The local write of an atomic operation's result.
    Al,
}

/// All of them. Names of two letters stand first, so that a prefix of a text is told by the first that fits.
pub(super) const KINDS: [(&str, Kind); 9] = [
    ("Pr", Kind::Pr),
    ("Pw", Kind::Pw),
    ("Gr", Kind::Gr),
    ("Gw", Kind::Gw),
    ("Al", Kind::Al),
    ("W", Kind::W),
    ("R", Kind::R),
    ("C", Kind::C),
    ("A", Kind::A),
];

impl Kind {
    /// Whether a network card makes it, for an operation on a queue pair.
    pub fn is_remote_operation(self) -> bool {
        !matches!(self, Kind::W | Kind::R | Kind::C)
    }

    /// Whether it is an access to the memory of the other node.
    pub fn is_there(self) -> bool {
        matches!(self, Kind::Pw | Kind::Gr | Kind::A)
    }

    /// Whether it reads and writes at once.
    pub fn is_update(self) -> bool {
        matches!(self, Kind::C | Kind::A)
    }

    /// Whether it reads.
    pub fn reads(self) -> bool {
        matches!(self, Kind::R | Kind::Pr | Kind::Gr) || self.is_update()
    }

    /// Whether it writes.
    pub fn writes(self) -> bool {
        !matches!(self, Kind::R | Kind::Pr | Kind::Gr)
    }
}

/// What stands between two instructions in program order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Between {
    /// Nothing.
    Po,
    /// A memory fence.
    Mfence,
    /// A remote fence on the queue pair of the first one.
    Rfence,
    /// Polls, as many as it takes to poll the first one.
    Poll,
    /// A wait for the work identifier of the first one.
    Wait,
}

/// All of them, with their names.
pub(super) const BETWEEN: [(&str, Between); 5] = [
    ("Po", Between::Po),
    ("Mfence", Between::Mfence),
    ("Rfence", Between::Rfence),
    ("Poll", Between::Poll),
    ("Wait", Between::Wait),
];

/// Communication between two accesses of a location.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Com {
    /// From a write to what reads it.
    Rf,
    /// From a read to the write that overwrites what it read.
    Fr,
    /// From a write to a later one.
    Co,
}

/// Whether two operations are on one queue pair, that is, of one thread and to one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Queue {
    /// They are.
    Same,
    /// They are towards different nodes.
    Other,
}

/// An edge of a cycle, or an access that stands alone between two edges of communication.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Edge {
    /// Program order from an instruction to the next one: `PodWR`, `PolldGwR`, `RfencedqPwGr`.
    Then {
        /// What stands between.
        between: Between,
        /// Whether the accesses are to one location.
        same: bool,
        /// Whether they are on one queue pair; nothing where that is clear.
        queue: Option<Queue>,
        /// The access that it begins with.
        from: Kind,
        /// The access that it ends with.
        to: Kind,
    },
    /// From the read of a put, a get or an atomic operation to where the value goes: `Put`, `Get`, `Amo`.
    Within(Kind, Kind),
    /// Communication: `Rfe`, `Fri`, `Coe`; `Rfiq` where two local accesses are of operations.
    Com {
        /// Which.
        com: Com,
        /// Whether it goes to another thread.
        external: bool,
        /// Whether both are on one queue pair; nothing where that is clear.
        queue: Option<Queue>,
    },
    /// An access between two edges of communication.
    Alone(Kind),
}

/// The edges within an operation.
pub(super) const WITHIN: [(&str, Kind, Kind); 3] =
    [("Put", Kind::Pr, Kind::Pw), ("Get", Kind::Gr, Kind::Gw), ("Amo", Kind::A, Kind::Al)];

/// Those of communication.
const COMS: [(&str, Com); 3] = [("Rf", Com::Rf), ("Fr", Com::Fr), ("Co", Com::Co)];

fn kind_name(kind: Kind) -> &'static str {
    KINDS.iter().find(|(_, k)| *k == kind).map_or("", |(name, _)| name)
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queue_name = |q: Option<Queue>| match q {
            None => "",
            Some(Queue::Same) => "q",
            Some(Queue::Other) => "o",
        };
        match *self {
            Edge::Then { between, same, queue, from, to } => {
                let between = BETWEEN.iter().find(|(_, b)| *b == between).map_or("", |(name, _)| name);
                let place = if same { "s" } else { "d" };
                write!(f, "{between}{place}{}{}{}", queue_name(queue), kind_name(from), kind_name(to))
            }
            Edge::Within(from, _) => {
                write!(f, "{}", WITHIN.iter().find(|(_, k, _)| *k == from).map_or("", |(name, _, _)| name))
            }
            Edge::Com { com, external, queue } => {
                let com = COMS.iter().find(|(_, c)| *c == com).map_or("", |(name, _)| name);
                write!(f, "{com}{}{}", if external { "e" } else { "i" }, queue_name(queue))
            }
            Edge::Alone(kind) => write!(f, "{}", kind_name(kind)),
        }
    }
}

/// Whether the queue pairs of two operations are to be told: both are operations, and the location does not tell.
fn told(from: Kind, to: Kind, same: bool) -> bool {
    from.is_remote_operation() && to.is_remote_operation() && !(same && from.is_there() && to.is_there())
}

impl Edge {
    /// The edge of this name.
    pub fn named(text: &str) -> Option<Edge> {
        edges().find(|e| e.to_string() == text)
    }

    /// Whether it ends at another location than it begins.
    pub fn changes_location(self) -> bool {
        matches!(self, Edge::Then { same: false, .. } | Edge::Within(..))
    }
}

impl critical::Edge for Edge {
    fn is_external(&self) -> bool {
        matches!(self, Edge::Com { external: true, .. })
    }

    fn is_edge(&self) -> bool {
        !matches!(self, Edge::Alone(_))
    }

    fn is_communication(&self) -> bool {
        matches!(self, Edge::Com { .. })
    }

    /// Two edges of program order would be one. Of communication, two are only needed where a write between them is read: the others are one,
    /// too. Whatever an update reads it overwrites, so that it is entered by reads-from or from-read alone. What a put, a get or an atomic operation copies is
    /// to be read, for nobody sees what it was if it is overwritten.
    fn may_precede(&self, next: &Edge) -> bool {
        match (*self, *next) {
            (Edge::Then { to: kind, .. }, Edge::Com { com, .. }) => com.may_leave(kind),
            (Edge::Within(_, kind), Edge::Com { com, .. }) => com == Com::Rf && com.may_leave(kind),
            (Edge::Com { com, .. }, Edge::Then { from: kind, .. } | Edge::Within(kind, _)) => com.may_enter(kind),
            (Edge::Com { com, .. }, Edge::Alone(kind)) => {
                com.may_enter(kind)
                    && (kind.is_update() || com != Com::Rf)
                    && matches!(kind, Kind::W | Kind::Pw | Kind::C | Kind::A)
            }
            (Edge::Alone(_), Edge::Com { com, .. }) => com == Com::Rf,
            _ => false,
        }
    }
}

impl Com {
    fn may_leave(self, kind: Kind) -> bool {
        match self {
            Com::Fr => kind.reads() && !kind.is_update(),
            Com::Rf | Com::Co => kind.writes(),
        }
    }

    fn may_enter(self, kind: Kind) -> bool {
        match self {
            Com::Rf => kind.reads(),
            Com::Fr => kind.writes(),
            Com::Co => kind.writes() && !kind.is_update(),
        }
    }
}

/// Whether something may stand between two accesses. Polls, waits and remote fences are for operations, the last for those on one queue pair.
fn stands(between: Between, from: Kind, to: Kind, queue: Option<Queue>) -> bool {
    match between {
        Between::Po | Between::Mfence => true,
        Between::Poll => from.is_remote_operation(),
        Between::Wait => from.is_remote_operation() && ![from, to].iter().any(|k| matches!(k, Kind::A | Kind::Al)),
        Between::Rfence => from.is_remote_operation() && to.is_remote_operation() && queue != Some(Queue::Other),
    }
}

/// Every edge that there is, each once, in a fixed order.
pub fn edges() -> impl Iterator<Item = Edge> {
    let kinds = [Kind::W, Kind::R, Kind::C, Kind::Pr, Kind::Pw, Kind::Gr, Kind::Gw, Kind::A, Kind::Al];
    let alone = [Kind::W, Kind::Pw, Kind::C, Kind::A].map(Edge::Alone);
    let within = WITHIN.map(|(_, from, to)| Edge::Within(from, to));
    let thens = BETWEEN.into_iter().flat_map(move |(_, between)| {
        [false, true].into_iter().flat_map(move |same| {
            kinds.into_iter().flat_map(move |from| {
                kinds.into_iter().flat_map(move |to| {
                    let queues: &[Option<Queue>] =
                        if told(from, to, same) { &[Some(Queue::Same), Some(Queue::Other)] } else { &[None] };
                    queues.iter().filter(move |q| stands(between, from, to, **q)).map(move |queue| Edge::Then {
                        between,
                        same,
                        queue: *queue,
                        from,
                        to,
                    })
                })
            })
        })
    });
    let coms = COMS.into_iter().flat_map(|(_, com)| {
        [(true, None), (false, None), (false, Some(Queue::Same)), (false, Some(Queue::Other))]
            .map(|(external, queue)| Edge::Com { com, external, queue })
    });
    alone.into_iter().chain(within).chain(thens).chain(coms)
}
