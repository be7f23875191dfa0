//! The edges of cycles: their names, and which may follow which.

use super::function::{Epoch, Function, Role};
use litmpi_litmus::critical;
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// The receive that is posted at the beginning of a rank, to be completed by an event.
pub(super) const POSTED: &str = "Irecv";
/// What the parts of an exchange are.
const SENT: &str = "Send";
const RECEIVED: &str = "Recv";

/// Which of the ways a function may be called an event is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The only one, or the usual one: a receive that names its source, a rank that is not the root.
    Plain,
    /// A receive or a probe from any source.
    Any,
    /// The root of a collective.
    Root,
    /// An operation on a window that only reads: `MPI_NO_OP`.
    No,
}

/// Their names, behind that of the function.
pub(super) const FORMS: [(&str, Form); 4] =
    [("", Form::Plain), ("any", Form::Any), ("root", Form::Root), ("no", Form::No)];

/// What an event is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kind {
    /// Its function.
    pub function: Arc<Function>,
    /// How it is called.
    pub form: Form,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = FORMS.iter().find(|(_, form)| *form == self.form).map_or("", |(name, _)| name);
        write!(f, "{}{form}", self.function.name)
    }
}

/// What an event is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// The messages to a rank.
    Message,
    /// A collective.
    Collective,
    /// A location of a window.
    Memory,
    /// An epoch of a window.
    Epoch,
}

impl Kind {
    /// Whether a function can be called so.
    pub(super) fn is_one(&self) -> bool {
        match (&self.function.role, self.form) {
            (Role::Unlock | Role::Exchange, _) | (Role::Within { rank: true }, _) => false,
            (_, Form::Plain)
            | (Role::Receive | Role::Probe { .. }, Form::Any)
            | (Role::Collective { root: true }, Form::Root) => true,
            (Role::Access { reads, combines, .. }, Form::No) => *reads && *combines,
            _ => false,
        }
    }

    pub(super) fn class(&self) -> Class {
        match self.function.role {
            Role::Send | Role::Receive | Role::Exchange | Role::Probe { .. } | Role::Completion { .. } => {
                Class::Message
            }
            Role::Collective { .. } => Class::Collective,
            Role::Epoch(_) => Class::Epoch,
            Role::Access { .. } | Role::Within { .. } | Role::Unlock => Class::Memory,
        }
    }

    /// Whether it is a function that synchronises, and no access.
    pub(super) fn is_within(&self) -> bool {
        matches!(self.function.role, Role::Within { .. })
    }

    pub(super) fn epoch(&self) -> Option<Epoch> {
        if let Role::Epoch(e) = self.function.role { Some(e) } else { None }
    }

    /// Whether it is an operation on a window, and no load or store.
    pub(super) fn is_operation(&self) -> bool {
        matches!(self.function.role, Role::Access { .. }) && !self.function.is_local()
    }

    /// Whether it reads a location of a window.
    pub(super) fn reads(&self) -> bool {
        matches!(self.function.role, Role::Access { reads: true, .. })
    }

    /// Whether it writes a location of a window.
    pub(super) fn writes(&self) -> bool {
        matches!(self.function.role, Role::Access { writes: true, .. }) && self.form != Form::No
    }

    /// Whether it does both at once.
    pub(super) fn is_update(&self) -> bool {
        self.reads() && self.writes()
    }

    pub(super) fn is_send(&self) -> bool {
        self.function.role == Role::Send
    }

    /// Whether it takes a message away.
    pub(super) fn takes(&self) -> bool {
        matches!(self.function.role, Role::Receive | Role::Completion { .. } | Role::Probe { message: true, .. })
    }

    /// Whether it says whether an epoch is over, rather than wait.
    pub(super) fn is_epoch_test(&self) -> bool {
        self.epoch() == Some(Epoch::Test)
    }

    /// Whether it says that it found nothing, rather than wait.
    pub(super) fn is_told(&self) -> bool {
        matches!(self.function.role, Role::Probe { flag: true, .. } | Role::Completion { told: Some(_) })
    }

    /// Whether it is the receive that is posted early for a completion: so that one that is completed before the next call is no edge, but that completion an event.
    pub(super) fn is_posted(&self) -> bool {
        self.function.name == POSTED && self.form == Form::Plain
    }

    /// Whether it waits for a message, or is complete only with one.
    fn awaits_message(&self) -> bool {
        matches!(self.function.role, Role::Receive | Role::Completion { told: None } | Role::Probe { flag: false, .. })
    }
}

/// Communication between two events.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Com {
    /// From a send or a write to what gets it.
    Rf,
    /// From what does not get a message or a write, to it.
    Fr,
    /// From a message or a write to one that is taken, or is there, later.
    Co,
    /// From a receive to the send that it is matched with, which may wait for it.
    Rv,
    /// From a call of one rank to a call of another one that may wait for it: of a collective, of an epoch.
    Sy,
    /// From a call of a rank to an operation that is to be complete without it.
    Pg,
}

const COMS: [(&str, Com); 6] =
    [("Rf", Com::Rf), ("Fr", Com::Fr), ("Co", Com::Co), ("Rv", Com::Rv), ("Sy", Com::Sy), ("Pg", Com::Pg)];

impl Com {
    /// Whether an edge of it may begin at an event, which stands alone before it or not.
    fn may_leave(self, kind: &Kind, alone: bool) -> bool {
        let probes = matches!(kind.function.role, Role::Probe { .. });
        match self {
            Com::Rf => kind.is_send() || kind.writes(),
            Com::Co => !alone && (kind.is_send() || kind.writes()),
            Com::Fr => {
                let receives = kind.function.role == Role::Receive;
                kind.is_told() && (!alone || !probes)
                    || kind.is_epoch_test()
                    || receives && (alone || kind.form == Form::Any)
                    || kind.reads() && !kind.is_update()
            }
            Com::Rv => kind.function.role == Role::Receive,
            Com::Sy => {
                kind.class() == Class::Collective
                    || matches!(kind.epoch(), Some(Epoch::Fence | Epoch::Post | Epoch::Complete))
            }
            Com::Pg => matches!(kind.function.role, Role::Completion { told: None }) || kind.is_within(),
        }
    }

    fn may_enter(self, kind: &Kind) -> bool {
        match self {
            Com::Rf => kind.awaits_message() || kind.is_told() || kind.reads(),
            Com::Fr => kind.is_send() || kind.writes() || kind.epoch() == Some(Epoch::Complete),
            Com::Co => kind.is_send() || kind.writes() && !kind.is_update(),
            Com::Rv => kind.is_send(),
            Com::Sy => {
                kind.class() == Class::Collective
                    || matches!(
                        kind.epoch(),
                        Some(Epoch::Fence | Epoch::Start | Epoch::Complete | Epoch::Wait | Epoch::Test)
                    )
            }
            Com::Pg => kind.is_send() || kind.is_operation(),
        }
    }

    /// Whether it is the end of the edge that waits for its beginning, so that a cycle of such edges is a deadlock if all of them do.
    pub(super) fn waits(self, to: &Kind) -> bool {
        match self {
            Com::Rf => to.awaits_message(),
            Com::Fr | Com::Co => false,
            Com::Rv | Com::Sy | Com::Pg => !to.is_epoch_test(),
        }
    }
}

/// What two events of a rank, one behind the other, have to do with each other's messages, collectives or locations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// The same: of one communicator, tag and receiver; of one location.
    Same,
    /// The same receiver, who takes any tag, but another tag.
    Queue,
    /// The same receiver and communicator, and another tag, which the receiver names.
    Tag,
    /// The same receiver on another communicator; a collective of another one.
    Communicator,
    /// Others.
    Different,
}

pub(super) const PLACES: [(&str, Place); 5] =
    [("s", Place::Same), ("u", Place::Queue), ("t", Place::Tag), ("c", Place::Communicator), ("d", Place::Different)];

impl Place {
    /// Whether the location stays.
    pub(super) fn stays(self) -> bool {
        matches!(self, Place::Same | Place::Queue)
    }
}

/// What an edge is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// Program order from a call to the next one: `PodSendRecv`, `WaittIsendSend`, `Win_flushdPutSend`.
    Then {
        /// The function that stands between, which completes the first or synchronises.
        between: Option<Arc<Function>>,
        /// What both have to do with each other.
        place: Place,
        /// The first.
        from: Kind,
        /// The second.
        to: Kind,
    },
    /// Communication: `Rfe`, `Coi`.
    Com {
        /// Which.
        com: Com,
        /// Whether it goes to another rank.
        external: bool,
    },
    /// An event between two edges of communication.
    Alone(Kind),
}

/// An edge of a cycle, or an event that stands alone between two edges of communication. Edges are equal, and ordered, by name.
#[derive(Debug, Clone)]
pub struct Edge {
    name: Arc<str>,
    /// What it is.
    pub what: What,
}

impl PartialEq for Edge {
    fn eq(&self, other: &Edge) -> bool {
        self.name == other.name
    }
}

impl Eq for Edge {}

impl PartialOrd for Edge {
    fn partial_cmp(&self, other: &Edge) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Edge {
    fn cmp(&self, other: &Edge) -> Ordering {
        self.name.cmp(&other.name)
    }
}

impl fmt::Display for Edge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl Edge {
    /// An edge, if there is one of that kind.
    pub fn new(what: What) -> Option<Edge> {
        let name = match &what {
            What::Then { between, place, from, to } => {
                if !is_order(between.as_ref(), *place, from, to) {
                    return None;
                }
                let between = between.as_ref().map_or("Po", |f| &f.name);
                let place = PLACES.iter().find(|(_, p)| p == place).map_or("", |(name, _)| name);
                format!("{between}{place}{from}{to}")
            }
            What::Com { com, external } => {
                let com = COMS.iter().find(|(_, c)| c == com).map_or("", |(name, _)| name);
                format!("{com}{}", if *external { "e" } else { "i" })
            }
            What::Alone(kind) => {
                if !stands_alone(kind) {
                    return None;
                }
                kind.to_string()
            }
        };
        Some(Edge { name: name.into(), what })
    }

    /// All edges of communication.
    pub fn communication() -> Vec<Edge> {
        let all = COMS.iter().flat_map(|(_, com)| [true, false].map(|external| What::Com { com: *com, external }));
        // Who is a partner of oneself waits for oneself alone.
        let is_one = |w: &What| !matches!(w, What::Com { com: Com::Sy | Com::Pg, external: false });
        all.filter(is_one).filter_map(Edge::new).collect()
    }

    /// Whether both of its ends are in one call.
    pub(super) fn is_exchange(&self) -> bool {
        matches!(&self.what, What::Then { between: Some(f), .. } if f.role == Role::Exchange)
    }

    /// Whether it ends at another location than it begins.
    pub(super) fn changes_location(&self) -> bool {
        matches!(self.what, What::Then { place, .. } if !place.stays())
    }
}

/// Whether there is such an edge of program order.
fn is_order(between: Option<&Arc<Function>>, place: Place, from: &Kind, to: &Kind) -> bool {
    let fits = match between.map(|f| &f.role) {
        None => true,
        Some(Role::Completion { .. }) => from.function.request && !from.is_posted(),
        Some(Role::Within { rank: true } | Role::Unlock) => from.is_operation(),
        Some(Role::Exchange) => exchanges(place, from, to),
        Some(Role::Within { rank: false }) => [from, to].iter().any(|k| k.class() == Class::Memory && !k.is_within()),
        Some(_) => false,
    };
    let (a, b) = (from.class(), to.class());
    let both = |class| a == class && b == class;
    let placed = match place {
        Place::Same => both(Class::Message) || both(Class::Memory) && !from.is_within() && !to.is_within(),
        Place::Queue => from.is_send() && to.is_send(),
        Place::Tag => both(Class::Message),
        Place::Communicator => both(Class::Message) || both(Class::Collective),
        Place::Different => !both(Class::Collective),
    };
    let backwards = matches!(
        (from.epoch(), to.epoch()),
        (Some(Epoch::Complete), Some(Epoch::Start))
            | (Some(Epoch::Wait | Epoch::Test), Some(Epoch::Post))
            | (Some(Epoch::Fence), Some(_))
    );
    fits && placed && !backwards
}

/// Whether two calls are the parts of an exchange: in either order, unless they are about the same message, of which one of them is enough.
fn exchanges(place: Place, from: &Kind, to: &Kind) -> bool {
    let sends = |k: &Kind| k.function.name == SENT;
    let receives = |k: &Kind| k.function.name == RECEIVED;
    match place {
        Place::Same => sends(from) && receives(to),
        Place::Different => sends(from) && receives(to) || receives(from) && sends(to),
        _ => false,
    }
}

/// Whether an event may stand alone: a message or a write that is told from others by what gets it, or a receive that is posted before the next one.
fn stands_alone(kind: &Kind) -> bool {
    kind.is_send() || kind.writes() || kind.function.role == Role::Receive && kind.function.request
}

impl critical::Edge for Edge {
    fn is_external(&self) -> bool {
        matches!(self.what, What::Com { external: true, .. })
    }

    fn is_edge(&self) -> bool {
        !matches!(self.what, What::Alone(_))
    }

    fn is_communication(&self) -> bool {
        matches!(self.what, What::Com { .. })
    }

    /// Two edges of program order would be one. Of communication, two are only needed where what is between them is got, or got by another receive than
    /// the usual one: the others are one, too. Whatever an update reads it overwrites, so that it is entered by reads-from or from-read alone.
    fn may_precede(&self, next: &Edge) -> bool {
        match (&self.what, &next.what) {
            (What::Then { to, .. }, What::Com { com, .. }) => com.may_leave(to, false),
            (What::Com { com, .. }, What::Then { from, .. }) => com.may_enter(from),
            (What::Com { com, .. }, What::Alone(kind)) => match com {
                Com::Rf => kind.function.role == Role::Receive || kind.is_update(),
                Com::Fr => kind.is_send() || kind.writes(),
                Com::Co => kind.writes() && !kind.is_update(),
                _ => false,
            },
            (What::Alone(kind), What::Com { com, .. }) => match com {
                Com::Rf => kind.is_send() || kind.writes(),
                Com::Fr => kind.function.role == Role::Receive,
                _ => false,
            },
            _ => false,
        }
    }
}
