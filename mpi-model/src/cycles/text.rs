//! The program of a cycle, and the conditions that ask for its execution.
//!
//! A message, and a write, has the number of its event as its value. At the beginning of a rank stand communicators, windows, requests that are made or posted early, and epochs; at its end
//! the receives of what the cycle leaves, the completion of requests, the ends of epochs.

use super::Cycle;
use super::edge::{Class, Com, Form, Kind, POSTED, Place, What};
use super::function::{Epoch, Function, Role, call, is_received};
use super::place::{Event, Places};
use litmpi_spec::decl::{Instructions, Param, Shape};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// What a message has that a receive gets in the place of the cycle's.
const OTHER: usize = 90;

/// A rank's statements.
#[derive(Default)]
struct Rank {
    head: Vec<String>,
    row: Vec<String>,
    /// The ends of passive epochs, behind the row.
    ends: Vec<String>,
    drain: Vec<String>,
    tail: Vec<String>,
    /// The targets whose locks are held.
    locked: Vec<usize>,
}

struct Writer<'a> {
    p: &'a Places,
    decls: &'a Instructions,
    ranks: Vec<Rank>,
    asked: Vec<String>,
    /// What is observed beside what is asked about.
    shown: Vec<String>,
    /// What an access of a window reads.
    read: Vec<usize>,
}

/// The value of what an event sends or writes.
fn value(i: usize) -> usize {
    i + 1
}

/// What accesses of windows read, and the last value of a location if that tells an order of writes.
fn memory(p: &Places) -> (Vec<usize>, BTreeMap<usize, usize>) {
    let n = p.events.len();
    let is_com = |i: usize| matches!(p.events[i].edge.what, What::Com { .. });
    let (mut read, mut last) = (vec![0; n], BTreeMap::new());
    for start in (0..n).filter(|i| !is_com((i + n - 1) % n) && p.events[*i].kind.class() == Class::Memory) {
        let (mut i, mut before, mut count) = (start, 0, 0);
        loop {
            let e = &p.events[i];
            read[i] = before;
            if e.kind.writes() {
                before = value(i);
                count += 1;
                if count > 1 || e.kind.is_update() && i != start {
                    last.insert(e.location, before);
                }
            }
            if !is_com(i) {
                break;
            }
            i = p.next(i);
        }
    }
    (read, last)
}

impl Writer<'_> {
    fn function(&self, f: &Function, text: impl Fn(&Param, &str) -> Option<String>) -> String {
        f.index.map_or(String::new(), |i| call(&self.decls.list[i], self.decls, text))
    }

    fn ask(&mut self, what: String, value: usize) {
        self.asked.push(format!("{what} = {value}"));
    }

    /// The communicator of a location's messages or collective, if it is not the one of all.
    fn communicator(&self, l: usize) -> Option<String> {
        let location = &self.p.locations[l];
        match location.class {
            Class::Collective => (!self.is_world(l)).then(|| format!("k{}", location.communicator)),
            _ => (location.communicator == 1).then(|| "c".to_owned()),
        }
    }

    /// Whether a collective is on the communicator of all.
    fn is_world(&self, l: usize) -> bool {
        self.p.locations[l].communicator == 0 && self.p.members(l).len() == self.p.ranks
    }

    /// Arguments of a call about a location's messages.
    fn about(&self, l: usize, partner: &str, tag: Option<usize>, p: &Param, kind: &str) -> Option<String> {
        match (kind, p.name.as_str()) {
            ("rank", _) => Some(partner.to_owned()),
            ("tag", _) => Some(tag.map_or("any".to_owned(), |t| t.to_string())),
            ("comm", _) => self.communicator(l),
            _ => None,
        }
    }

    /// Who sends to a location.
    fn senders(&self, l: usize) -> Vec<usize> {
        let sends = self.p.at(l).filter(|(_, e)| e.kind.is_send()).map(|(_, e)| e.rank);
        let mut all: Vec<usize> = sends.chain(self.p.locations[l].helper).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The source that a receive or probe of a location names.
    fn source(&self, l: usize, form: Form) -> String {
        match self.senders(l)[..] {
            [one] if form != Form::Any => one.to_string(),
            _ => "any".to_owned(),
        }
    }

    /// The tag that what receives names.
    fn received_tag(&self, l: usize) -> Option<usize> {
        let location = &self.p.locations[l];
        (!location.any_tag).then_some(location.number)
    }

    /// The send that an event of a location's home is about: the other end of its edge of communication.
    fn partner(&self, i: usize) -> usize {
        let n = self.p.events.len();
        let before = (i + n - 1) % n;
        match self.p.events[before].edge.what {
            What::Com { .. } => before,
            _ => self.p.next(i),
        }
    }

    /// Whether the edge before an event is that, and the one that begins at it.
    fn edges_at(&self, i: usize) -> (Option<Com>, Option<Com>) {
        let n = self.p.events.len();
        let com = |i: usize| match self.p.events[i].edge.what {
            What::Com { com, .. } => Some(com),
            _ => None,
        };
        (com((i + n - 1) % n), com(i))
    }

    fn event(&mut self, i: usize) {
        let n = self.p.events.len();
        let e = self.p.events[i].clone();
        let l = e.location;
        if let What::Then { between: Some(f), .. } = &e.edge.what
            && f.role == Role::Exchange
        {
            return self.exchange(i, f);
        }
        if self.p.events[(i + n - 1) % n].edge.is_exchange() {
            return;
        }
        match e.kind.function.role {
            Role::Send => self.send(i, &e, l),
            Role::Receive => self.receive(i, &e, l),
            Role::Completion { .. } => self.completion(i, &e, l),
            Role::Probe { .. } => self.probe(i, &e, l),
            Role::Collective { .. } => self.collective(i, &e.kind, e.rank, l),
            Role::Access { .. } => self.access(i, &e, l),
            Role::Within { .. } => self.within(&e.kind.function, e.rank, l),
            Role::Epoch(Epoch::Test) => {
                let line = self.function(&e.kind.function, |_, kind| match kind {
                    "win" => Some("w".to_owned()),
                    _ => Some(format!("f{i}")),
                });
                self.ranks[e.rank].row.push(line);
                self.ask(format!("f{i}"), usize::from(self.edges_at(i).1 != Some(Com::Fr)));
            }
            Role::Epoch(epoch) => {
                let line = self.epoch(epoch, e.rank);
                self.ranks[e.rank].row.extend(line);
            }
            Role::Unlock | Role::Exchange => {}
        }
        if let What::Then { between: Some(f), .. } = &e.edge.what {
            match f.role {
                Role::Completion { .. } => {
                    let (line, told) = self.completed(f, &format!("q{i}"), i);
                    self.ranks[e.rank].row.push(line);
                    match told {
                        Some(told) => self.ask(told, 1),
                        None => self.ranks[e.rank].tail.retain(|l| *l != format!("MPI_Wait(q{i})")),
                    }
                }
                // What stands between a message and an access is about the access.
                _ if e.kind.class() == Class::Memory => self.within(f, e.rank, l),
                _ => self.within(f, e.rank, self.p.events[self.p.next(i)].location),
            }
        }
    }

    /// The call that completes a request, and what it says that tells whether it has.
    fn completed(&self, f: &Function, request: &str, i: usize) -> (String, Option<String>) {
        let Role::Completion { told } = &f.role else { return (String::new(), None) };
        let name = |p: &Param| match told {
            Some(told) if *told == p.name => format!("g{i}"),
            _ => format!("j{i}"),
        };
        let line = self.function(f, |p, kind| match kind {
            "request" => Some(request.to_owned()),
            "flag" | "index" => Some(name(p)),
            _ => None,
        });
        (line, told.as_ref().map(|_| format!("g{i}")))
    }

    /// A call that gives a request, or its making at the beginning and its start here; with what ends it.
    fn requested(&mut self, f: &Function, rank: usize, line: String, request: &str) {
        let r = &mut self.ranks[rank];
        if f.is_persistent() {
            r.head.push(line);
            r.row.push(format!("MPI_Start({request})"));
        } else {
            r.row.push(line);
        }
        if f.request {
            r.tail.push(format!("MPI_Wait({request})"));
        }
        if f.is_persistent() {
            r.tail.push(format!("MPI_Request_free({request})"));
        }
    }

    fn send(&mut self, i: usize, e: &Event, l: usize) {
        let (home, mut tag) = (self.p.locations[l].home, self.p.locations[l].number);
        let n = self.p.events.len();
        if matches!(self.p.events[(i + n - 1) % n].edge.what, What::Then { place: Place::Queue, .. }) {
            tag += 1;
        }
        let line = self.function(&e.kind.function, |p, kind| match kind {
            "sent" => Some(value(i).to_string()),
            "request" => Some(format!("q{i}")),
            _ => self.about(l, &home.to_string(), Some(tag), p, kind),
        });
        self.requested(&e.kind.function, e.rank, line, &format!("q{i}"));
    }

    fn received(&self, f: &Function, l: usize, form: Form, into: &str, request: &str) -> String {
        let (source, tag) = (self.source(l, form), self.received_tag(l));
        self.function(f, |p, kind| match kind {
            "buffer" => Some(into.to_owned()),
            "request" => Some(request.to_owned()),
            _ => self.about(l, &source, tag, p, kind),
        })
    }

    fn receive(&mut self, i: usize, e: &Event, l: usize) {
        let line = self.received(&e.kind.function, l, e.kind.form, &format!("v{i}"), &format!("q{i}"));
        self.requested(&e.kind.function, e.rank, line, &format!("q{i}"));
        let (before, behind) = self.edges_at(i);
        let gets = match (before, behind) {
            (Some(Com::Rf), Some(Com::Fr)) => {
                // Two of these receives: the second gets what the first did not.
                let line = self.received(&e.kind.function, l, e.kind.form, &format!("w{i}"), &format!("r{i}"));
                self.requested(&e.kind.function, e.rank, line, &format!("r{i}"));
                self.ask(format!("w{i}"), value(self.p.next(i)));
                value(self.partner(i))
            }
            (_, Some(Com::Fr)) => OTHER + l,
            _ => value(self.partner(i)),
        };
        self.ask(format!("v{i}"), gets);
    }

    /// The call of which an event and the next one are the parts.
    fn exchange(&mut self, i: usize, f: &Function) {
        let next = self.p.next(i);
        let (send, receive) = if self.p.events[i].kind.is_send() { (i, next) } else { (next, i) };
        let [to, from] = [send, receive].map(|e| self.p.events[e].location);
        let e = self.p.events[receive].clone();
        let home = self.p.locations[to].home.to_string();
        let (source, tag) = (self.source(from, e.kind.form), self.received_tag(from));
        let line = self.function(f, |p, kind| match kind {
            "sent" => Some(value(send).to_string()),
            "buffer" => Some(format!("v{receive}")),
            "request" => Some(format!("q{i}")),
            _ if is_received(p) => self.about(from, &source, tag, p, kind),
            _ => self.about(to, &home, Some(self.p.locations[to].number), p, kind),
        });
        if !self.function_buffers(f).iter().any(|(_, is_in)| *is_in) {
            // What is received takes the place of what is sent.
            self.ranks[e.rank].head.push(format!("int v{receive} = {}", value(send)));
        }
        self.requested(f, e.rank, line, &format!("q{i}"));
        let is_other = self.edges_at(receive).1 == Some(Com::Fr);
        let gets = if is_other { OTHER + from } else { value(self.partner(receive)) };
        self.ask(format!("v{receive}"), gets);
    }

    /// A receive that was posted early is completed.
    fn completion(&mut self, i: usize, e: &Event, l: usize) {
        let Some(posts) = self.decls.find(&format!("MPI_{POSTED}")) else { return };
        let (source, tag) = (self.source(l, Form::Plain), self.received_tag(l));
        let posted = call(&self.decls.list[posts], self.decls, |p, kind| match kind {
            "buffer" => Some(format!("v{i}")),
            "request" => Some(format!("p{i}")),
            _ => self.about(l, &source, tag, p, kind),
        });
        let (line, told) = self.completed(&e.kind.function, &format!("p{i}"), i);
        let r = &mut self.ranks[e.rank];
        r.head.push(posted);
        r.row.push(line);
        if told.is_some() {
            r.tail.push(format!("MPI_Wait(p{i})"));
        }
        let is_seen = self.edges_at(i).1 != Some(Com::Fr);
        if let Some(told) = told {
            self.ask(told, usize::from(is_seen));
        }
        self.ask(format!("v{i}"), value(self.partner(i)));
    }

    fn probe(&mut self, i: usize, e: &Event, l: usize) {
        let Role::Probe { flag, message } = e.kind.function.role else { return };
        let (source, tag) = (self.source(l, e.kind.form), self.received_tag(l));
        let is_any = e.kind.form == Form::Any;
        let line = self.function(&e.kind.function, |p, kind| match kind {
            "flag" => Some(format!("f{i}")),
            "message" => Some(format!("m{i}")),
            "status" => is_any.then(|| format!("s{i}")),
            _ => self.about(l, &source, tag, p, kind),
        });
        self.ranks[e.rank].row.push(line);
        let is_seen = self.edges_at(i).1 != Some(Com::Fr);
        if flag {
            self.ask(format!("f{i}"), usize::from(is_seen));
        }
        if is_any && is_seen && self.senders(l).len() > 1 {
            let from = self.p.events[self.partner(i)].rank;
            self.ask(format!("s{i}.source"), from);
        }
        if message {
            let taken = format!("MPI_Mrecv(v{i}, message: m{i})");
            let other = self.drained(l, &format!("v{i}"));
            let line = if flag { format!("if f{i} = 1 {{ {taken} }} else {{ {other} }}") } else { taken };
            self.ranks[e.rank].drain.push(line);
            self.shown.push(format!("v{i}"));
        }
    }

    /// A receive of what is left of a location's messages.
    fn drained(&self, l: usize, into: &str) -> String {
        let Some(f) = self.decls.find("MPI_Recv") else { return String::new() };
        let (source, tag) = (self.source(l, Form::Plain), self.received_tag(l));
        call(&self.decls.list[f], self.decls, |p, kind| match kind {
            "buffer" => Some(into.to_owned()),
            _ => self.about(l, &source, tag, p, kind),
        })
    }

    /// Receives of what the events of a location leave, and the messages of others.
    fn leftovers(&mut self, l: usize) {
        let location = self.p.locations[l].clone();
        if location.class != Class::Message {
            return;
        }
        let all: Vec<(usize, Event)> = self.p.at(l).map(|(i, e)| (i, e.clone())).collect();
        let sends = all.iter().filter(|(_, e)| e.kind.is_send()).count() + usize::from(location.helper.is_some());
        let twice = |i: usize| self.edges_at(i) == (Some(Com::Rf), Some(Com::Fr));
        let takes = |i: usize, k: &Kind| {
            if k.function.role == Role::Receive && twice(i) { 2 } else { usize::from(k.takes()) }
        };
        let taken: usize = all.iter().map(|(i, e)| takes(*i, &e.kind)).sum();
        let order = all.iter().find(|(_, e)| matches!(e.edge.what, What::Com { com: Com::Co, .. })).map(|(i, _)| *i);
        for k in 0..sends.saturating_sub(taken) {
            let into = format!("d{l}_{k}");
            let line = self.drained(l, &into);
            self.ranks[location.home].drain.push(line);
            match order {
                Some(i) => self.ask(into, value([i, self.p.next(i)][k.min(1)])),
                None => self.shown.push(into),
            }
        }
        if let (Some(helper), Some(send)) = (location.helper, self.decls.find("MPI_Send")) {
            let line = call(&self.decls.list[send], self.decls, |p, kind| match kind {
                "sent" => Some((OTHER + l).to_string()),
                _ => self.about(l, &location.home.to_string(), Some(location.number), p, kind),
            });
            self.ranks[helper].row.push(line);
        }
    }

    fn collective(&mut self, i: usize, kind: &Kind, rank: usize, l: usize) {
        let members = self.p.members(l);
        let root = self.p.at(l).find(|(_, e)| e.kind.form == Form::Root).map(|(_, e)| e.rank);
        let root = root.or(self.p.locations[l].helper).and_then(|r| members.iter().position(|m| *m == r));
        let size = members.len();
        let buffers = self.function_buffers(&kind.function);
        for (name, is_in) in &buffers {
            let first = if *is_in || kind.form == Form::Root { 10 * value(i) } else { 0 };
            let values: Vec<String> =
                (0..size).map(|k| if first > 0 { (first + k).to_string() } else { "0".to_owned() }).collect();
            self.ranks[rank].head.insert(0, format!("int b{i}_{name}[{size}] = {{{}}}", values.join(", ")));
            if !is_in {
                self.shown.push(format!("{rank}:b{i}_{name}[0]"));
            }
        }
        let list = |item: &dyn Fn(usize) -> String| {
            let all: Vec<String> = (0..size).map(item).collect();
            format!("[{}]", all.join(", "))
        };
        let line = self.function(&kind.function, |p, k| match k {
            "root" => root.map(|r| r.to_string()),
            "comm" => self.communicator(l),
            "request" => Some(format!("q{i}")),
            "count" | "number" if p.list => Some(list(&|_| "1".to_owned())),
            "displacement" | "offset" | "bytes" if p.list => Some(list(&|k| k.to_string())),
            "datatype" | "oldtype" if p.list => Some(list(&|_| "MPI_INT".to_owned())),
            _ if matches!(self.decls.kind(p).shape, Shape::Local | Shape::LocalOrNone) => {
                Some(format!("b{i}_{}", p.name))
            }
            _ => None,
        });
        self.requested(&kind.function, rank, line, &format!("q{i}"));
    }

    /// The buffers of a function, and whether it only reads them.
    fn function_buffers(&self, f: &Function) -> Vec<(String, bool)> {
        let Some(index) = f.index else { return vec![] };
        let all = self.decls.list[index].params.iter().map(|p| (p.name.clone(), self.decls.kind(p)));
        let buffers = all.filter(|(_, k)| matches!(k.shape, Shape::Local | Shape::LocalOrNone));
        buffers.map(|(name, k)| (name, k.is_in || k.name == "contributed")).collect()
    }

    fn access(&mut self, i: usize, e: &Event, l: usize) {
        let (home, at) = (self.p.locations[l].home, self.p.locations[l].number);
        if e.kind.function.is_local() {
            let line = if e.kind.writes() { format!("x[{at}] := {}", value(i)) } else { format!("v{i} := x[{at}]") };
            self.ranks[e.rank].row.push(line);
            if e.kind.reads() {
                self.ask(format!("v{i}"), self.read[i]);
            }
            return;
        }
        if self.has_locks(e.rank) && !self.ranks[e.rank].locked.contains(&home) {
            self.ranks[e.rank].locked.push(home);
            self.ranks[e.rank].row.push(format!("MPI_Win_lock(rank: {home}, win: w)"));
        }
        let (is_no, read) = (e.kind.form == Form::No, self.read[i]);
        let line = self.function(&e.kind.function, |p, kind| match kind {
            "compared" => Some(read.to_string()),
            "rank" => Some(home.to_string()),
            "number" => Some(at.to_string()),
            "win" => Some("w".to_owned()),
            "request" => Some(format!("q{i}")),
            "update" => Some(if is_no { "MPI_NO_OP" } else { "MPI_REPLACE" }.to_owned()),
            _ if matches!(self.decls.kind(p).shape, Shape::Local | Shape::LocalOrNone) => {
                Some(match (self.decls.kind(p).is_in, is_no) {
                    (true, true) => "0".to_owned(),
                    (true, false) => value(i).to_string(),
                    (false, _) => format!("v{i}"),
                })
            }
            _ => None,
        });
        self.requested(&e.kind.function, e.rank, line, &format!("q{i}"));
        if e.kind.reads() {
            self.ask(format!("v{i}"), read);
        }
    }

    /// Whether a rank's accesses are in epochs of a lock each.
    fn has_locks(&self, rank: usize) -> bool {
        let unlocks = |e: &Event| match &e.edge.what {
            What::Then { between: Some(f), .. } => f.role == Role::Unlock,
            _ => false,
        };
        self.p.events.iter().any(|e| e.rank == rank && unlocks(e))
    }

    /// Whether a rank calls what is legal within an epoch alone.
    fn has_epoch(&self, rank: usize) -> bool {
        let within = |f: &Function| matches!(f.role, Role::Within { .. } | Role::Unlock);
        let calls = |e: &Event| {
            let between = matches!(&e.edge.what, What::Then { between: Some(f), .. } if within(f));
            between || within(&e.kind.function) || e.kind.is_operation()
        };
        self.p.events.iter().any(|e| e.rank == rank && calls(e))
    }

    /// A call that synchronises a window, with its rank if it names one.
    fn within(&mut self, f: &Function, rank: usize, l: usize) {
        let home = self.p.locations[l].home;
        let line = self.function(f, |_, kind| match kind {
            "rank" => Some(home.to_string()),
            "win" => Some("w".to_owned()),
            _ => None,
        });
        self.ranks[rank].row.push(line);
        if f.role == Role::Unlock {
            self.ranks[rank].locked.retain(|t| *t != home);
        }
    }

    /// Ranks as a group of the window.
    fn group(&mut self, rank: usize, of: &[usize], name: &str) {
        let head = &mut self.ranks[rank].head;
        if !head.iter().any(|l| l.starts_with("MPI_Win_get_group")) {
            head.push("MPI_Win_get_group(w, g)".to_owned());
        }
        head.push(format!("MPI_Group_incl(g, {of:?}, {name})"));
    }

    /// The call that begins or ends an epoch.
    fn epoch(&self, epoch: Epoch, rank: usize) -> Option<String> {
        let with = |is_one: &dyn Fn(&(usize, usize)) -> bool| self.p.pairs.iter().any(is_one);
        let (origin, target) = (with(&|(o, _)| *o == rank), with(&|(_, t)| *t == rank));
        match epoch {
            Epoch::Fence => Some("MPI_Win_fence(win: w)".to_owned()),
            Epoch::Start => origin.then(|| "MPI_Win_start(gs, win: w)".to_owned()),
            Epoch::Complete => origin.then(|| "MPI_Win_complete(w)".to_owned()),
            Epoch::Post => target.then(|| "MPI_Win_post(gp, win: w)".to_owned()),
            Epoch::Wait | Epoch::Test => target.then(|| "MPI_Win_wait(w)".to_owned()),
        }
    }

    /// Communicators, windows and epochs at the beginning of all ranks.
    fn heads(&mut self) {
        let p = self.p;
        for rank in 0..p.ranks {
            if p.second {
                self.ranks[rank].head.push("MPI_Comm_dup(MPI_COMM_WORLD, c)".to_owned());
            }
            for l in 0..p.locations.len() {
                if p.locations[l].class != Class::Collective || self.is_world(l) {
                    continue;
                }
                let (k, members) = (p.locations[l].communicator, p.members(l));
                let line = if members.len() == p.ranks {
                    format!("MPI_Comm_dup(MPI_COMM_WORLD, k{k})")
                } else {
                    let colour = if members.contains(&rank) { "1" } else { "MPI_UNDEFINED" };
                    format!("MPI_Comm_split(MPI_COMM_WORLD, {colour}, 0, k{k})")
                };
                self.ranks[rank].head.push(line);
            }
            if p.has_window() {
                let all = p.locations.iter().filter(|l| l.class == Class::Memory && l.home == rank);
                let room = all.map(|l| l.number + 1).max().unwrap_or(1);
                self.ranks[rank].head.push(format!("int x[{room}]"));
                self.ranks[rank].head.push(format!("MPI_Win_create(x, size: {room}, win: w)"));
            }
        }
    }

    /// Epochs that the cycle does not name begin with each rank.
    fn epochs(&mut self) {
        let p = self.p;
        let named =
            |rank: usize, epoch: Epoch| p.events.iter().any(|e| e.rank == rank && e.kind.epoch() == Some(epoch));
        for rank in 0..p.ranks {
            if !p.has_window() {
                continue;
            }
            if p.has_fences() {
                let fence = "MPI_Win_fence(win: w)".to_owned();
                self.ranks[rank].head.push(fence.clone());
                if rank >= p.threads {
                    self.ranks[rank].row.push(fence.clone());
                }
                self.ranks[rank].tail.push(fence);
            } else if !p.pairs.is_empty() {
                let of = |is_origin: bool| -> Vec<usize> {
                    let pairs = p.pairs.iter().filter(|(o, t)| if is_origin { *o == rank } else { *t == rank });
                    pairs.map(|(o, t)| if is_origin { *t } else { *o }).collect()
                };
                let (targets, origins) = (of(true), of(false));
                if !origins.is_empty() {
                    self.group(rank, &origins, "gp");
                }
                if !targets.is_empty() {
                    self.group(rank, &targets, "gs");
                }
                for epoch in [Epoch::Post, Epoch::Start].into_iter().filter(|e| !named(rank, *e)) {
                    let line = self.epoch(epoch, rank);
                    self.ranks[rank].head.extend(line);
                }
                let test = p.events.iter().position(|e| e.rank == rank && e.kind.is_epoch_test());
                for epoch in [Epoch::Complete, Epoch::Wait].into_iter().filter(|e| !named(rank, *e)) {
                    let line = self.epoch(epoch, rank).map(|line| match test {
                        // A flag that was true has ended the epoch.
                        Some(i) if epoch == Epoch::Wait => format!("if f{i} = 0 {{ {line} }}"),
                        _ => line,
                    });
                    self.ranks[rank].tail.extend(line);
                }
            } else if !self.has_locks(rank) && self.has_epoch(rank) {
                self.ranks[rank].head.push("MPI_Win_lock_all(win: w)".to_owned());
                self.ranks[rank].ends.push("MPI_Win_unlock_all(w)".to_owned());
            }
        }
    }

    fn tails(&mut self) {
        let p = self.p;
        for r in &mut self.ranks {
            for target in std::mem::take(&mut r.locked) {
                r.ends.push(format!("MPI_Win_unlock({target}, w)"));
            }
            if p.has_window() {
                r.tail.push("MPI_Win_free(w)".to_owned());
            }
        }
        // Who is the root of a collective of two others.
        for l in 0..p.locations.len() {
            let (Class::Collective, Some(helper)) = (p.locations[l].class, p.locations[l].helper) else { continue };
            if let Some((_, e)) = p.at(l).next() {
                let kind = Kind { function: e.kind.function.clone(), form: Form::Root };
                self.collective(p.events.len() + l, &kind, helper, l);
            }
        }
    }
}

/// The text of a cycle's program.
pub(super) fn program(cycle: &Cycle, decls: &Instructions) -> String {
    let Ok(places) = cycle.places() else { return String::new() };
    let (read, last) = memory(&places);
    let ranks = (0..places.ranks).map(|_| Rank::default()).collect();
    let mut w = Writer { p: &places, decls, ranks, asked: vec![], shown: vec![], read };
    w.heads();
    for i in 0..places.events.len() {
        w.event(i);
    }
    (0..places.locations.len()).for_each(|l| w.leftovers(l));
    w.epochs();
    w.tails();
    for (l, value) in last {
        let location = &places.locations[l];
        w.ask(format!("{}:x[{}]", location.home, location.number), value);
    }
    let mut text = format!("litmus mpi {} \"{}\"\n", cycle.name(), title(cycle));
    for (rank, r) in w.ranks.iter().enumerate() {
        let (declared, head): (Vec<&String>, Vec<&String>) = r.head.iter().partition(|l| l.starts_with("int "));
        let all = declared.into_iter().chain(head).chain(r.row.iter().chain(&r.ends).chain(&r.drain).chain(&r.tail));
        let _ = writeln!(text, "rank {rank} {{");
        for line in all {
            let _ = writeln!(text, "  {line}");
        }
        text.push_str("}\n");
    }
    if !w.shown.is_empty() {
        let _ = writeln!(text, "locations {}", w.shown.join(" "));
    }
    if cycle.waits() {
        text.push_str("exists deadlock\n");
    }
    if !w.asked.is_empty() {
        let _ = writeln!(text, "exists {}", w.asked.join(" /\\ "));
    }
    text
}

/// What a cycle is, as a sentence for readers.
fn title(cycle: &Cycle) -> String {
    let (n, t) = (cycle.size(), cycle.ranks());
    format!("a critical cycle of {n} edges in {t} rank{}", if t == 1 { "" } else { "s" })
}
