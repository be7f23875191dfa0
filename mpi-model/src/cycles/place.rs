//! Where the events of a cycle are: ranks, and what they are about: whose messages, which communicator, which location of whose window.
//!
//! Beside the ranks of the cycle there are others that do one thing each: who takes messages in an order that is asked for, who sends what a receive gets
//! in the place of a message, who has the memory of a window that nobody loads or stores, and who is the root of a collective of two others.

use super::edge::{Class, Com, Edge, Form, Kind, Place, What};
use super::function::{Epoch, Role};
use litmpi_litmus::critical::{Edge as _, Misfit};

/// An event of a cycle.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) kind: Kind,
    /// The rank that it is of.
    pub(super) rank: usize,
    pub(super) location: usize,
    /// The edge that begins at it.
    pub(super) edge: Edge,
    /// The place of that edge in the cycle.
    pub(super) at: usize,
}

/// What some events are about.
#[derive(Debug, Clone)]
pub(super) struct Location {
    pub(super) class: Class,
    /// Whose messages, or whose window; of a collective, its first rank.
    pub(super) home: usize,
    /// Which of two communicators, of messages; which of several, of collectives.
    pub(super) communicator: usize,
    /// The tag, of messages; which element of the home's window.
    pub(super) number: usize,
    /// A rank that sends a message of its own there; or that is the root.
    pub(super) helper: Option<usize>,
    /// Whether messages of two tags go there.
    pub(super) any_tag: bool,
}

/// The events of a cycle and what they are about.
pub(super) struct Places {
    pub(super) events: Vec<Event>,
    /// Ranks of the cycle.
    pub(super) threads: usize,
    /// All ranks.
    pub(super) ranks: usize,
    pub(super) locations: Vec<Location>,
    /// Whether there is a second communicator for messages.
    pub(super) second: bool,
    /// Who accesses whose window between start and complete, and post and wait.
    pub(super) pairs: Vec<(usize, usize)>,
}

/// The events of the edges of a cycle that is known to be one, of so many locations.
fn events(edges: &[Edge], threads: usize, changes: usize) -> Vec<Event> {
    let n = edges.len();
    let (mut rank, mut location) = (0, 0);
    let mut out = vec![];
    for (at, edge) in edges.iter().enumerate().filter(|(_, e)| e.is_edge()) {
        let kind = match (&edge.what, &edges[(at + n - 1) % n].what) {
            (What::Then { from, .. }, _) => from.clone(),
            (_, What::Then { to, .. }) => to.clone(),
            (_, What::Alone(kind)) => kind.clone(),
            // Two edges of communication have an event between them.
            (_, What::Com { .. }) => continue,
        };
        out.push(Event { kind, rank: rank % threads, location: location % changes.max(1), edge: edge.clone(), at });
        rank += usize::from(edge.is_external());
        location += usize::from(edge.changes_location());
    }
    out
}

impl Places {
    /// Finds ranks, communicators, tags and windows.
    pub(super) fn new(edges: &[Edge], threads: usize) -> Result<Places, Misfit> {
        let changes = edges.iter().filter(|e| e.changes_location()).count();
        let mut p = Places {
            events: events(edges, threads, changes),
            threads,
            ranks: threads,
            locations: vec![],
            second: false,
            pairs: vec![],
        };
        p.partners()?;
        for l in 0..changes.max(1) {
            let location = p.location(l)?;
            p.locations.push(location);
        }
        p.communicators()?;
        p.numbers();
        p.epochs()?;
        Ok(p)
    }

    pub(super) fn at(&self, l: usize) -> impl Iterator<Item = (usize, &Event)> {
        self.events.iter().enumerate().filter(move |(_, e)| e.location == l)
    }

    /// The event that an event's edge leads to.
    pub(super) fn next(&self, i: usize) -> usize {
        (i + 1) % self.events.len()
    }

    /// Both ends of communication are about the same thing.
    fn partners(&mut self) -> Result<(), Misfit> {
        for i in 0..self.events.len() {
            let (from, to) = (&self.events[i], &self.events[self.next(i)]);
            let What::Com { com, .. } = from.edge.what else { continue };
            let (a, b) = (&from.kind, &to.kind);
            if com == Com::Sy {
                let fits = match (a.epoch(), b.epoch()) {
                    (None, None) => a.function == b.function && !(a.form == Form::Root && b.form == Form::Root),
                    (Some(Epoch::Fence), Some(Epoch::Fence))
                    | (Some(Epoch::Post), Some(Epoch::Start | Epoch::Complete))
                    | (Some(Epoch::Complete), Some(Epoch::Wait | Epoch::Test)) => true,
                    _ => false,
                };
                if !fits {
                    let why =
                        format!("`{}` is between `{a}` and `{b}`, of which neither waits for the other", from.edge);
                    return Err(Misfit::new(
                        from.at,
                        why,
                        "it goes from a collective to the same one, of which one rank is the root if there is one; from `Win_post` to `Win_start` or `Win_complete`, from `Win_complete` to `Win_wait` or `Win_test`, from `Win_fence` to `Win_fence`",
                    ));
                }
            } else if a.class() != b.class() {
                let why = format!("`{}` is between `{a}` and `{b}`, which do not communicate", from.edge);
                return Err(Misfit::new(
                    from.at,
                    why,
                    "it goes from a send or receive to a receive, a probe or a send, or from an access of a window to another one",
                ));
            }
            match (a.epoch(), b.epoch()) {
                (Some(Epoch::Post | Epoch::Test), Some(_)) => self.pairs.push((to.rank, from.rank)),
                (Some(Epoch::Complete), Some(_)) => self.pairs.push((from.rank, to.rank)),
                _ => {}
            }
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        Ok(())
    }

    fn further(&mut self) -> usize {
        self.ranks += 1;
        self.ranks - 1
    }

    /// What the events of a location are about, and whose it is.
    fn location(&mut self, l: usize) -> Result<Location, Misfit> {
        let all: Vec<(usize, Event)> = self.at(l).map(|(i, e)| (i, e.clone())).collect();
        let (class, first) = (all[0].1.kind.class(), all[0].1.rank);
        let mut out = Location { class, home: first, communicator: 0, number: 0, helper: None, any_tag: false };
        let is_home = |e: &Event| match class {
            Class::Message => !e.kind.is_send(),
            Class::Memory => !e.kind.is_operation(),
            _ => false,
        };
        let home: Vec<&Event> = all.iter().map(|(_, e)| e).filter(|e| is_home(e)).collect();
        if let Some(other) = home.iter().find(|e| e.rank != home[0].rank) {
            let (why, help) = if class == Class::Message {
                (
                    "messages to one rank are received by two",
                    "what receives, probes and completes a message is of one rank: make one of them a send",
                )
            } else {
                (
                    "two ranks load or store one location",
                    "a rank loads and stores its own window alone: make one of them an operation, such as `Put` or `Get`",
                )
            };
            return Err(Misfit::new(other.at, format!("`{}`: {why}", other.edge), help));
        }
        match (class, home.first()) {
            (_, Some(e)) => out.home = e.rank,
            (Class::Message, None) => out.home = self.further(),
            (Class::Memory, None) => out.home = self.memory(),
            _ => {}
        }
        let receives = |e: &Event| e.kind.function.role == Role::Receive && e.kind.form == Form::Any;
        let from_read = |e: &Event| matches!(e.edge.what, What::Com { com: Com::Fr, .. });
        let is_entered = |i: usize| {
            let before = (i + self.events.len() - 1) % self.events.len();
            matches!(self.events[before].edge.what, What::Com { com: Com::Rf, .. })
        };
        let needs_message = all.iter().any(|(i, e)| receives(e) && from_read(e) && !is_entered(*i));
        let roots = all.iter().any(|(_, e)| e.kind.form == Form::Root);
        let has_root = matches!(all[0].1.kind.function.role, Role::Collective { root: true });
        out.any_tag = all.iter().any(|(_, e)| matches!(e.edge.what, What::Then { place: Place::Queue, .. }));
        if needs_message || has_root && !roots {
            out.helper = Some(self.further());
        }
        Ok(out)
    }

    /// Who has memory that nobody loads or stores: whoever exposes it, or else a rank that does nothing else, the same for all.
    fn memory(&mut self) -> usize {
        if let Some((_, target)) = self.pairs.first() {
            return *target;
        }
        let is_further = |l: &&Location| l.class == Class::Memory && l.home >= self.threads;
        match self.locations.iter().find(is_further) {
            Some(l) => l.home,
            None => self.further(),
        }
    }

    /// Whether two locations of messages are of one receiver is said by the edge between them.
    fn communicators(&mut self) -> Result<(), Misfit> {
        // Of each location, the one that it is held against, and whether it is on the other communicator than that.
        let mut held: Vec<(usize, bool)> = (0..self.locations.len()).map(|l| (l, false)).collect();
        let mut collectives = 0;
        for l in &mut self.locations {
            if l.class == Class::Collective {
                l.communicator = collectives;
                collectives += 1;
            }
        }
        for i in 0..self.events.len() {
            let What::Then { place, from, to, .. } = &self.events[i].edge.what else { continue };
            if place.stays() || from.class() != Class::Message || to.class() != Class::Message {
                continue;
            }
            let (a, b, at) = (self.events[i].location, self.events[self.next(i)].location, self.events[i].at);
            let edge = &self.events[i].edge;
            let one = self.locations[a].home == self.locations[b].home;
            if one == (*place == Place::Different) {
                let (why, help) = if one {
                    (
                        "both messages are to one rank",
                        "write `t` for another tag, or `c` for another communicator, in the place of `d`",
                    )
                } else {
                    ("the messages are to two ranks", "write `d` in the place of `t` or `c`")
                };
                return Err(Misfit::new(at, format!("`{edge}`: {why}"), help));
            }
            let other = *place == Place::Communicator;
            if place == &Place::Different {
                continue;
            }
            let ((ra, pa), (rb, pb)) = (held[a], held[b]);
            if ra == rb {
                if (pa != pb) != other {
                    let why = format!("`{edge}`: no two communicators fit the cycle");
                    return Err(Misfit::new(
                        at,
                        why,
                        "the number of edges with `c` between messages to one rank is even",
                    ));
                }
                continue;
            }
            for h in &mut held {
                if h.0 == rb {
                    *h = (ra, h.1 ^ pa ^ pb ^ other);
                }
            }
        }
        for (l, (_, other)) in held.iter().enumerate() {
            if *other {
                self.locations[l].communicator = 1;
                self.second = true;
            }
        }
        let both = |e: &Event, to: &Event| [e, to].map(|e| self.locations[e.location].communicator);
        let split = (0..self.events.len()).find(|i| {
            let (e, to) = (&self.events[*i], &self.events[self.next(*i)]);
            e.edge.is_exchange() && both(e, to)[0] != both(e, to)[1]
        });
        split.map_or(Ok(()), |i| {
            let e = &self.events[i];
            let why = format!("`{}`: the parts of an exchange are on two communicators", e.edge);
            Err(Misfit::new(e.at, why, "an exchange has one communicator: write `Po` in its place"))
        })
    }

    /// Tags, and elements of windows: the next one that is not used at the home, of the communicator.
    fn numbers(&mut self) {
        for l in 0..self.locations.len() {
            let this = &self.locations[l];
            let alike =
                |o: &&Location| o.class == this.class && o.home == this.home && o.communicator == this.communicator;
            let room = |o: &Location| 1 + usize::from(o.any_tag);
            self.locations[l].number = self.locations[..l].iter().filter(alike).map(room).sum();
        }
    }

    /// All ranks of the cycle call a fence, if one does.
    fn epochs(&mut self) -> Result<(), Misfit> {
        let fences =
            |rank: usize| self.events.iter().filter(|e| e.rank == rank && e.kind.epoch() == Some(Epoch::Fence)).count();
        let Some(fence) = self.events.iter().find(|e| e.kind.epoch() == Some(Epoch::Fence)) else { return Ok(()) };
        if let Some(rank) = (0..self.threads).find(|r| fences(*r) != 1) {
            let why = format!(
                "all ranks of a window call `MPI_Win_fence`, and rank {rank} of the cycle does so {} times",
                fences(rank)
            );
            return Err(Misfit::new(fence.at, why, "let each rank of the cycle have one fence"));
        }
        if !self.pairs.is_empty() {
            return Err(Misfit::new(
                fence.at,
                "epochs of fences are no epochs of post and start",
                "take one of the two",
            ));
        }
        Ok(())
    }

    /// Whether a window is synchronised by fences.
    pub(super) fn has_fences(&self) -> bool {
        self.events.iter().any(|e| e.kind.epoch() == Some(Epoch::Fence))
    }

    /// Whether there is a window.
    pub(super) fn has_window(&self) -> bool {
        self.events.iter().any(|e| matches!(e.kind.class(), Class::Memory | Class::Epoch))
    }

    /// The ranks that call a collective, in their order.
    pub(super) fn members(&self, l: usize) -> Vec<usize> {
        let mut all: Vec<usize> = self.at(l).map(|(_, e)| e.rank).chain(self.locations[l].helper).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
