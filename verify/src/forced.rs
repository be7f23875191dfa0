//! One behaviour of a program on a real MPI library: what the library is made to do.
//!
//! A library that is loaded before the real one (`verify/c/forced.c`) counts the calls of each function that each rank makes, and changes those that a
//! script names, through the profiling interface (MPI-4.1, §15.2):
//! - a receive or a probe with `MPI_ANY_SOURCE` or `MPI_ANY_TAG` is given the source and the tag that it has in the behaviour;
//! - a test says what it says there: if yes, it waits;
//! - a call that completes one or some of several requests completes those that it completes there;
//! - a standard send that waits for its receive at the end of the behaviour is a synchronous one;
//! - a blocking collective in which a rank waits at the end of the behaviour begins with a barrier.
//!
//! What it cannot force: sends of more bytes than the library buffers, where the behaviour has them buffered; receives that are made as persistent
//! requests; nonblocking collectives that synchronise; accesses to windows; wildcard receives of functions that Open MPI's Fortran bindings
//! call, which pass the profiling interface by.

use crate::call::{Call, Form};
use crate::explore::Stopped;
use crate::tree::Next;
use crate::watch::{At, Watcher};
use litmpi_engine::unfold::{Given, Shown};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The library in C that forces the real one.
pub const FORCING: &str = include_str!("../c/forced.c");

/// Blocking collectives that can be made to synchronise.
const COLLECTIVES: [&str; 16] = [
    "MPI_Bcast",
    "MPI_Reduce",
    "MPI_Allreduce",
    "MPI_Gather",
    "MPI_Gatherv",
    "MPI_Scatter",
    "MPI_Scatterv",
    "MPI_Allgather",
    "MPI_Allgatherv",
    "MPI_Alltoall",
    "MPI_Alltoallv",
    "MPI_Alltoallw",
    "MPI_Reduce_scatter",
    "MPI_Reduce_scatter_block",
    "MPI_Scan",
    "MPI_Exscan",
];

/// Standard sends that can be made to wait.
const SENDS: [&str; 2] = ["MPI_Send", "MPI_Isend"];

/// A call of a rank: its function, and how many calls of it the rank had made before.
type Counted = (String, usize);

/// What is known of a rank.
#[derive(Debug, Default)]
struct Rank {
    /// The place that it is at.
    at: Option<usize>,
    counts: BTreeMap<String, usize>,
    now: Option<Counted>,
    /// The number of its last request, and the calls that made requests.
    last: i64,
    made_by: BTreeMap<i64, Counted>,
    lines: BTreeMap<Counted, String>,
    /// Sends that wait for their receive.
    waiting: Vec<i64>,
}

/// Takes down, of a behaviour that is followed, what a real library must be made to do.
#[derive(Debug, Default)]
pub struct Forced {
    ranks: Vec<Rank>,
}

impl Forced {
    /// The script: a line a call, with the rank, the function, the number of the call, and what is forced.
    pub fn script(&self) -> String {
        let mut out = String::new();
        for (rank, known) in self.ranks.iter().enumerate() {
            let sends = known.waiting.iter().filter_map(|request| known.made_by.get(request));
            let sends = sends.filter(|by| SENDS.contains(&by.0.as_str())).map(|by| (by, "synchronous"));
            let collective = known.now.iter().filter(|now| COLLECTIVES.contains(&now.0.as_str()));
            let at_end: BTreeMap<&Counted, &str> = sends.chain(collective.map(|now| (now, "synchronising"))).collect();
            let lines = known.lines.iter().map(|(call, what)| (call, what.as_str()));
            for ((function, number), what) in lines.chain(at_end) {
                let _ = writeln!(out, "{rank} {function} {number} {what}");
            }
        }
        out
    }
}

impl Watcher for Forced {
    fn starts(&mut self) {
        self.ranks.clear();
    }

    fn comes(&mut self, here: &At<'_>) -> Result<(), Stopped> {
        self.ranks.resize_with(here.explorer.run.ranks, Rank::default);
        for (number, rank) in self.ranks.iter_mut().enumerate() {
            rank.comes(number, here)?;
        }
        Ok(())
    }
}

impl Rank {
    fn comes(&mut self, number: usize, here: &At<'_>) -> Result<(), Stopped> {
        let (places, functions) = (&here.explorer.tree.places, &here.explorer.tree.functions);
        // Requests of the call that it was in until now.
        let last = asked(here, "last_posted", number)?.first().copied().unwrap_or(0);
        for request in self.last + 1..=last {
            if let Some(by) = &self.now {
                self.made_by.insert(request, by.clone());
            }
        }
        self.last = last;
        // Several calls may lie behind it, of which the rules say nothing.
        let mut passed = vec![];
        let mut place = here.explorer.place_of(number, here.state[number]);
        while let Some(p) = place.filter(|p| Some(*p) != self.at) {
            passed.push(p);
            place = places[p].parent.as_ref().map(|(before, _)| *before);
        }
        for p in passed.into_iter().rev() {
            if let (Some(call), Some((before, told))) = (self.now.take(), &places[p].parent)
                && let Next::Call(was) = &places[*before].next
                && let Some(what) = self.answered(here, &call.0, was, told)
            {
                self.lines.insert(call, what);
            }
            self.at = Some(p);
            if let Next::Call(call) = &places[p].next {
                let name = functions[call.function].name.trim_end_matches("_c").to_owned();
                let count = self.counts.entry(name.clone()).or_default();
                self.now = Some((name, *count));
                *count += 1;
            }
        }
        self.waiting = asked(here, "waiting_sends", number)?;
        for message in asked(here, "received", number)?.chunks(3) {
            if let [request, source, tag] = message
                && let Some(by) = self.made_by.get(request)
            {
                self.lines.insert(by.clone(), format!("from {source} {tag}"));
            }
        }
        Ok(())
    }

    /// What a call must be made to answer.
    fn answered(&self, here: &At<'_>, function: &str, call: &Call, told: &[i64]) -> Option<String> {
        let outs = |wanted: &str| {
            let kinds = &here.explorer.tree.all_kinds;
            let is_of = |form: Form| match form {
                Form::Int(_, _, k) => kinds[k].name == wanted,
                Form::Status => wanted == "status",
                _ => false,
            };
            let of = call.outs.iter().enumerate().filter(move |(_, out)| is_of(out.form));
            of.flat_map(|(i, out)| told.iter().skip(call.told_at(i)).take(out.brought.len()))
                .copied()
                .collect::<Vec<i64>>()
        };
        let flag = || outs("flag").first().copied();
        Some(match function {
            "MPI_Test" | "MPI_Testall" | "MPI_Request_get_status" => format!("flag {}", flag()?),
            "MPI_Iprobe" | "MPI_Improbe" => match (flag()?, &outs("status")[..]) {
                (0, _) => "flag 0".into(),
                (_, [source, tag, ..]) => format!("from {source} {tag}"),
                _ => "flag 1".into(),
            },
            "MPI_Probe" | "MPI_Mprobe" => match &outs("status")[..] {
                [source, tag, ..] => format!("from {source} {tag}"),
                _ => return None,
            },
            "MPI_Testany" => format!("index {}", if flag()? == 0 { -2 } else { *outs("index").first()? }),
            "MPI_Waitany" => format!("index {}", outs("index").first()?),
            "MPI_Waitsome" | "MPI_Testsome" => {
                let values = outs("index");
                let (count, which) = values.split_first()?;
                let which = which.iter().take(usize::try_from(*count).ok()?);
                format!("indices {count}{}", which.map(|i| format!(" {i}")).collect::<String>())
            }
            _ => return None,
        })
    }
}

/// What a function of the rules gives for a process, its numbers one behind the other.
fn asked(here: &At<'_>, function: &str, rank: usize) -> Result<Vec<i64>, Stopped> {
    let shown = here.explorer.machine().apply(function, &[Given::Word(rank as i64)], here.state)?;
    let mut out = vec![];
    if let Some(shown) = shown {
        flatten(&shown, &mut out);
    }
    Ok(out)
}

fn flatten(shown: &Shown, out: &mut Vec<i64>) {
    match shown {
        Shown::Int(n) => out.push(*n),
        Shown::Parts(parts) => parts.iter().for_each(|p| flatten(p, out)),
    }
}
