//! Clients of MPI, for refinement ([`litmpi_models::refine`]): small programs of sends and receives, blocking and not,
//! of buffers that are written before and after, and collectives.
//!
//! What a receive brings is read at once when it is complete, and once more at the end: a library that says too early that
//! a message is there shows it in the smallest client. Of clients that are the same but for the names of ranks, tags and
//! requests, one is tried; those with a statement that does nothing (a wait for no request, a write to what is never sent)
//! are left out, as they say nothing that smaller ones do not.
//!
//! Clients may also have a window of all ranks ([`windows`]), if functions of windows are asked for.

mod calls;
mod windows;

use crate::generate::Dice;
use calls::{Call, calls, may_follow};
use litmpi_models::refine::{Bodies, Clients, filled};
use std::fmt::Write;
use windows::{Epochs, Reads, Win};

/// Programs of some ranks.
#[derive(Debug, Clone)]
pub struct MpiClients {
    ranks: usize,
    length: usize,
    names: usize,
    matched: bool,
    /// The statements of each rank.
    calls: Vec<Vec<Call>>,
}

impl MpiClients {
    /// Programs of `ranks` ranks with at most `length` statements each, of `names` tags, and as many requests a rank; all
    /// of them, or only those that are `matched`: each message has a receive and each receive a message, each request is
    /// waited for, and all ranks call the same collectives.
    pub fn new(ranks: usize, length: usize, names: usize, matched: bool) -> MpiClients {
        let known = Self::functions().iter().map(|f| (*f).to_owned()).collect::<Vec<_>>();
        MpiClients { ranks, length, names, matched, calls: vec![] }.with(&known)
    }

    /// The functions that the clients call if none are named, and `write`.
    pub fn functions() -> &'static [&'static str] {
        &["MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Wait", "MPI_Barrier", "MPI_Bcast", "write"]
    }

    /// The functions of windows that they call, too, and `load`, which reads a rank's own window.
    pub fn window_functions() -> &'static [&'static str] {
        windows::FUNCTIONS
    }

    /// How operations on the window are synchronised, if there are any.
    fn epochs(&self) -> Option<Epochs> {
        Epochs::of(self.calls.iter().flatten().filter_map(|c| if let Call::Win(win) = c { Some(*win) } else { None }))
    }

    /// Only the statements that call these.
    #[must_use]
    pub fn with(mut self, functions: &[String]) -> MpiClients {
        let named = |c: &Call| functions.iter().any(|f| f == c.function());
        self.calls =
            (0..self.ranks).map(|r| calls(r, self.ranks, self.names).into_iter().filter(named).collect()).collect();
        self
    }

    /// What the statements of the first rank are.
    pub fn statements(&self) -> Vec<String> {
        self.calls.first().map_or_else(Vec::new, |calls| calls.iter().map(|c| c.statement(0, self.names)).collect())
    }

    /// Every body of a rank with that many statements of which each does something.
    fn of_length(&self, rank: usize, length: usize) -> Vec<Vec<Call>> {
        let mut bodies = vec![vec![]];
        for _ in 0..length {
            let more = |b: &Vec<Call>| -> Vec<Vec<Call>> {
                let next = self.calls[rank].iter().filter(|c| may_follow(b, **c));
                next.map(|c| [b.as_slice(), &[*c]].concat()).collect()
            };
            bodies = bodies.iter().flat_map(more).collect();
        }
        bodies.retain(|b| !b.contains(&Call::Write) || b.iter().any(|c| c.sends_buffer(rank)));
        bodies
    }

    /// A few operations on the window, among fences of all or flushes; epochs of a rank's own are left to small clients.
    fn random_windows(&self, dice: &mut Dice, bodies: &mut [Vec<Call>]) {
        let Some(epochs) = self.epochs().filter(|e| !matches!(e, Epochs::Own { .. })) else { return };
        for (r, body) in bodies.iter_mut().enumerate() {
            let of_window = |c: &&Call| matches!(c, Call::Win(w) if *w != Win::Fence);
            let known: Vec<Call> = self.calls[r].iter().filter(of_window).copied().collect();
            for _ in 0..dice.roll(self.length + 1) {
                let call = known[dice.roll(known.len())];
                if may_follow(body, call) {
                    body.push(call);
                }
            }
        }
        if epochs == Epochs::Fences {
            bodies.iter_mut().for_each(|b| scatter(dice, b, &[Call::Win(Win::Fence)]));
        }
    }

    fn is_tried(&self, client: &[Vec<Call>]) -> bool {
        (!self.matched || is_matched(client)) && is_first(client)
    }

    fn bodies(&self, client: &[Vec<Call>]) -> Bodies {
        let body = |(r, b): (usize, &Vec<Call>)| b.iter().map(|c| c.statement(r, self.names)).collect();
        client.iter().enumerate().map(body).collect()
    }
}

/// A client with its ranks renamed, tags and requests numbered in the order of their first use.
fn renamed(client: &[Vec<Call>], name: &[usize]) -> Vec<Vec<Call>> {
    let mut out = vec![vec![]; client.len()];
    for (r, body) in client.iter().enumerate() {
        out[name[r]] = body.iter().map(|c| c.by_ranks(name)).collect();
    }
    let mut tags = vec![];
    for body in &mut out {
        let mut requests = vec![];
        body.iter_mut().for_each(|c| *c = c.by_use(&mut tags, &mut requests));
    }
    out
}

/// How clients that are the same but for names are ordered: one whose first ranks do more stands before.
fn rank_order(client: &[Vec<Call>]) -> (Vec<std::cmp::Reverse<usize>>, &[Vec<Call>]) {
    (client.iter().map(|b| std::cmp::Reverse(b.len())).collect(), client)
}

/// Whether no other naming gives a client that stands before this one.
fn is_first(client: &[Vec<Call>]) -> bool {
    let own: Vec<usize> = (0..client.len()).collect();
    renamed(client, &own) == client
        && permutations(client.len()).iter().all(|name| rank_order(&renamed(client, name)) >= rank_order(client))
}

fn permutations(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let insert =
        |p: &Vec<usize>| -> Vec<Vec<usize>> { (0..n).map(|at| [&p[..at], &[n - 1], &p[at..]].concat()).collect() };
    permutations(n - 1).iter().flat_map(insert).collect()
}

/// Whether messages and receives are as many for each two ranks and tag, those of any source counted where they may come
/// from; requests are waited for; and all ranks call the same collectives.
fn is_matched(client: &[Vec<Call>]) -> bool {
    let collectives = |b: &Vec<Call>| -> Vec<Call> {
        let of_all = |c: &&Call| matches!(c, Call::Barrier | Call::Bcast { .. } | Call::Win(Win::Fence));
        b.iter().filter(of_all).copied().collect()
    };
    let waited = |b: &Vec<Call>| {
        b.iter().enumerate().all(|(i, c)| match c {
            Call::Isend { request, .. } | Call::Irecv { request, .. } => {
                b[i + 1..].iter().find(|d| d.request() == Some(*request)) == Some(&Call::Wait { request: *request })
            }
            _ => true,
        })
    };
    client.iter().all(|b| waited(b) && collectives(b) == collectives(&client[0]))
        && windows::is_matched(client)
        && (0..client.len()).all(|r| {
            tags(client).into_iter().all(|t| {
                let received = |source: Option<usize>| {
                    client[r].iter().filter(|c| matches!(c,
                        Call::Recv { from, tag } | Call::Irecv { from, tag, .. } if *from == source && *tag == t)).count()
                };
                let sent = |p: usize| {
                    client[p].iter().filter(|c| matches!(c,
                        Call::SendValue { to, tag } | Call::Send { to, tag } | Call::Isend { to, tag, .. } if *to == r && *tag == t)).count()
                };
                let spare = (0..client.len()).map(|p| sent(p).checked_sub(received(Some(p)))).sum::<Option<usize>>();
                spare == Some(received(None))
            })
        })
}

fn tags(client: &[Vec<Call>]) -> Vec<usize> {
    let tag = |c: &Call| match c {
        Call::SendValue { tag, .. } | Call::Send { tag, .. } | Call::Recv { tag, .. } => Some(*tag),
        Call::Isend { tag, .. } | Call::Irecv { tag, .. } => Some(*tag),
        _ => None,
    };
    let mut all: Vec<usize> = client.iter().flatten().filter_map(tag).collect();
    all.sort_unstable();
    all.dedup();
    all
}

impl Clients for MpiClients {
    fn of_size(&self, size: usize) -> Box<dyn Iterator<Item = Bodies> + '_> {
        // The first ranks do most: every other share is the same by another naming.
        let shares = litmpi_models::refine::shares(size, self.ranks, self.length);
        let sorted = shares.into_iter().filter(|s| s.is_sorted_by(|a, b| a >= b));
        let all = sorted.flat_map(move |share| {
            let of: Vec<Vec<Vec<Call>>> = share.iter().enumerate().map(|(r, n)| self.of_length(r, *n)).collect();
            let total = of.iter().map(Vec::len).product::<usize>();
            (0..total).map(move |mut number| {
                let pick = |bodies: &Vec<Vec<Call>>| {
                    let body = bodies[number % bodies.len()].clone();
                    number /= bodies.len();
                    body
                };
                of.iter().map(pick).collect::<Vec<_>>()
            })
        });
        Box::new(all.filter(|c| self.is_tried(c)).map(|c| self.bodies(&c)).filter(|b| self.observes(b)))
    }

    /// A few messages, each with its receive, scattered over the ranks, with a collective of all now and then, and writes.
    fn random(&self, seed: u64) -> Bodies {
        let mut dice = Dice::new(seed);
        let mut bodies: Vec<Vec<Call>> = vec![vec![]; self.ranks];
        if self.ranks > 1 && !dice.one_in(4) {
            for _ in 0..1 + dice.roll(self.length.max(1)) {
                message(&mut dice, &mut bodies, self.names);
            }
        }
        if dice.one_in(2) {
            let call = if dice.one_in(2) { Call::Barrier } else { Call::Bcast { root: dice.roll(self.ranks) } };
            bodies.iter_mut().for_each(|b| scatter(&mut dice, b, &[call]));
        }
        self.random_windows(&mut dice, &mut bodies);
        for (r, body) in bodies.iter_mut().enumerate() {
            if body.iter().any(|c| c.sends_buffer(r)) && dice.one_in(2) {
                scatter(&mut dice, body, &[Call::Write]);
            }
            body.retain(|c| self.calls[r].contains(c));
        }
        self.bodies(&bodies)
    }

    fn text(&self, name: &str, bodies: &Bodies) -> String {
        let mut out = format!("litmus mpi {name} \"a client\"\n");
        let mut observed: Vec<String> = vec![];
        let epochs = self.epochs();
        for (n, body) in bodies.iter().enumerate() {
            let _ = writeln!(out, "rank {n} {{");
            if body.iter().any(|s| s.contains("(b,") || s.starts_with("b :=")) {
                let _ = writeln!(out, "  int b = {}", n * 10 + 9);
            }
            epochs.iter().for_each(|e| out.push_str(&e.begin(n, self.ranks)));
            let mut reads = Reads::default();
            // Where each request that is open receives into.
            let mut open: Vec<(&str, Option<usize>)> = vec![];
            for (i, statement) in body.iter().enumerate() {
                let _ = writeln!(out, "  {}", filled(statement, n, i));
                let request = statement.split_once("{q.").and_then(|(_, rest)| rest.split_once('}')).map(|(q, _)| q);
                let receives = statement.contains("{r}");
                let complete = match request {
                    Some(q) if statement.starts_with("MPI_Wait") => {
                        open.iter().rev().find(|(of, _)| *of == q).and_then(|(_, into)| *into)
                    }
                    Some(q) => {
                        open.push((q, receives.then_some(i)));
                        None
                    }
                    None => (receives && !reads.begins(statement, i)).then_some(i),
                };
                if receives {
                    observed.push(format!("{n}:a{i}"));
                }
                for i in complete.into_iter().chain(reads.complete(statement)) {
                    let _ = writeln!(out, "  r{i} := a{i}");
                    observed.push(format!("{n}:r{i}"));
                }
                if statement.ends_with(":= x") {
                    observed.push(format!("{n}:s{i}"));
                }
            }
            if let Some(e) = epochs {
                out.push_str(e.end());
                observed.push(format!("{n}:x"));
            }
            out.push_str("}\n");
        }
        if !observed.is_empty() {
            let _ = writeln!(out, "locations {}", observed.join(" "));
        }
        out.push_str("exists true\n");
        out
    }

    fn observes(&self, bodies: &Bodies) -> bool {
        // What is received, and whether all calls return.
        bodies.iter().flatten().any(|s| s.starts_with("MPI_"))
    }
}

/// Puts a message into a client: a send at one rank, its receive at another.
fn message(dice: &mut Dice, bodies: &mut [Vec<Call>], names: usize) {
    let ranks = bodies.len();
    let (p, tag, request) = (dice.roll(ranks), dice.roll(names), dice.roll(names));
    let q = (p + 1 + dice.roll(ranks - 1)) % ranks;
    let send = match dice.roll(3) {
        0 => vec![Call::SendValue { to: q, tag }],
        1 => vec![Call::Send { to: q, tag }],
        _ => vec![Call::Isend { to: q, tag, request }, Call::Wait { request }],
    };
    scatter(dice, &mut bodies[p], &send);
    let receive = match dice.roll(4) {
        0 => vec![Call::Recv { from: None, tag }],
        1 => vec![Call::Irecv { from: Some(p), tag, request }, Call::Wait { request }],
        _ => vec![Call::Recv { from: Some(p), tag }],
    };
    scatter(dice, &mut bodies[q], &receive);
}

/// Puts calls into a body, in their order, anywhere.
fn scatter(dice: &mut Dice, body: &mut Vec<Call>, calls: &[Call]) {
    let mut least = 0;
    for call in calls {
        let at = least + dice.roll(body.len() - least + 1);
        body.insert(at, *call);
        least = at + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(clients: &MpiClients, upto: usize) -> Vec<usize> {
        (1..=upto).map(|n| clients.of_size(n).count()).collect()
    }

    #[test]
    fn of_clients_that_are_the_same_but_for_names_one_is_made() {
        let only = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let two = MpiClients::new(2, 2, 1, true).with(&only(&["MPI_Send", "MPI_Recv"]));
        // A value or the buffer, received from the other one or from any: at either rank, which is the same.
        assert_eq!(sizes(&two, 2), [0, 4]);
        let three = MpiClients::new(3, 2, 1, true).with(&only(&["MPI_Send", "MPI_Recv"]));
        assert_eq!(sizes(&three, 2), [0, 4], "which two of three makes no difference");
        let tags = MpiClients::new(2, 2, 2, true).with(&only(&["MPI_Send", "MPI_Recv"]));
        assert_eq!(sizes(&tags, 2), [0, 4], "which tag makes no difference");
    }

    #[test]
    fn what_is_received_is_read_when_it_is_complete() {
        let clients = MpiClients::new(2, 3, 1, false);
        let statements = ["MPI_Irecv({r}, source: 1, request: {q.1})", "MPI_Isend(b, dest: 1, request: {q.2})"];
        let waits = ["MPI_Wait({q.2})", "MPI_Wait({q.1})"];
        let body = statements.iter().chain(&waits).map(|s| (*s).to_owned()).collect();
        let text = clients.text("c", &vec![body, vec![]]);
        assert!(text.contains("  MPI_Wait(q2)\n  MPI_Wait(q1)\n  r0 := a0\n}"), "{text}");
        assert!(text.contains("locations 0:a0 0:r0"), "{text}");
    }

    #[test]
    fn random_clients_have_a_receive_for_every_message() {
        let clients = MpiClients::new(3, 3, 2, true);
        for seed in 0..200 {
            let text = clients.text("c", &clients.random(seed));
            assert_eq!(
                text.matches("send(").count() + text.matches("Send(").count(),
                text.matches("ecv(").count(),
                "{text}"
            );
        }
    }

    #[test]
    fn clients_with_a_window_have_epochs_around_and_read_what_a_get_brought_when_it_is_complete() {
        let only = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let body = |statements: &[&str]| statements.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>();
        let flushes = MpiClients::new(2, 2, 1, true).with(&only(&["MPI_Get", "MPI_Win_flush"]));
        let text =
            flushes.text("c", &vec![body(&["MPI_Get({r}, target_rank: 1, win: w)", "MPI_Win_flush(1, w)"]), vec![]]);
        assert!(text.contains("MPI_Win_flush(1, w)\n  r0 := a0\n  MPI_Win_unlock_all(w)\n"), "{text}");
        assert_eq!(text.matches("MPI_Win_lock_all").count(), 2, "{text}");
        // One get at either rank; two, of one rank or of both; a flush behind a get, never alone.
        assert_eq!(sizes(&flushes, 2), [1, 3]);
        let fences = MpiClients::new(2, 2, 1, true).with(&only(&["MPI_Put", "MPI_Win_fence"]));
        let text = fences.text("c", &vec![body(&["MPI_Put({v}, target_rank: 1, win: w)"]), vec![]]);
        assert_eq!(text.matches("MPI_Win_fence(").count(), 4, "{text}");
        let own = MpiClients::new(2, 2, 1, true).with(&only(&["MPI_Win_lock"]));
        assert_eq!(sizes(&own, 2), [0, 1], "a lock and its unlock");
    }
}
