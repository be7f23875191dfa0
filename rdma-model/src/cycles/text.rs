//! The program of a cycle, and the condition that asks for its execution.
//!
//! Locations hold 0 at first, and each write has a value of its own. An update reads what is just before it in coherence. Of an operation
//! whose local access alone is in the cycle, the other one is of a location that nothing else touches, which shows what was read, or holds what is written.

use super::Cycle;
use super::edge::{Between, Edge, Kind};
use super::place::{Event, Places};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Names of locations that are in the cycle; further ones are `x7`, `x8`, ….
const NAMES: [&str; 6] = ["x", "y", "z", "u", "v", "w"];

fn location(l: usize) -> String {
    NAMES.get(l).map_or_else(|| format!("x{}", l + 1), |n| (*n).to_owned())
}

/// Values of the accesses, by their numbers in the cycle.
struct Values {
    /// What an access reads.
    read: Vec<i64>,
    /// What it writes.
    written: Vec<i64>,
    /// The last value of a location, if that tells an order of writes.
    last: BTreeMap<usize, i64>,
}

/// The accesses to each location, each row in the order of the communication that leads from one to the next.
fn rows(places: &Places) -> Vec<Vec<usize>> {
    let events = &places.events;
    let n = events.len();
    let is_com = |i: usize| matches!(events[i].edge, Edge::Com { .. });
    (0..n)
        .filter(|i| !is_com((i + n - 1) % n))
        .map(|start| {
            let mut row = vec![start];
            let mut i = start;
            while is_com(i) {
                i = (i + 1) % n;
                row.push(i);
            }
            row
        })
        .collect()
}

fn values(places: &Places) -> Values {
    let events = &places.events;
    let n = events.len();
    let mut v = Values { read: vec![0; n], written: vec![0; n], last: BTreeMap::new() };
    // Each access has a number that its value is made of: writes 1, 2, …, and what atomic operations add 100, 200, ….
    let mut writes = 0;
    let own: Vec<i64> = events
        .iter()
        .map(|e| {
            writes += i64::from(e.kind.writes());
            if e.kind == Kind::A { 100 * writes } else { writes }
        })
        .collect();
    let rows = rows(places);
    // What is copied is known when what it is copied from is: as many turns as there are rows are enough.
    for _ in 0..=rows.len() {
        for row in &rows {
            let (mut before, mut count) = (0, 0);
            for (k, i) in row.iter().enumerate() {
                let e = &events[*i];
                if e.kind.reads() {
                    v.read[*i] = before;
                }
                if !e.kind.writes() {
                    continue;
                }
                let from = (*i + n - 1) % n;
                let copied = matches!(events[from].edge, Edge::Within(..)).then(|| v.read[from]);
                v.written[*i] = match e.kind {
                    Kind::A => before + own[*i],
                    _ => copied.unwrap_or(own[*i]),
                };
                before = v.written[*i];
                count += 1;
                if count > 1 || e.kind.is_update() && k > 0 {
                    v.last.insert(e.location, before);
                }
            }
        }
    }
    v
}

/// The program being written.
struct Writer<'a> {
    places: &'a Places,
    values: Values,
    /// What each node declares beside the locations of the cycle.
    further: Vec<Vec<String>>,
    registers: u8,
    asked: Vec<String>,
    /// Whether operations have work identifiers.
    waits: bool,
    /// For each instruction, its identifier.
    work: BTreeMap<usize, String>,
}

impl Writer<'_> {
    /// A location that nothing else touches.
    fn private(&mut self, node: usize, value: i64) -> String {
        let name = format!("p{}", self.further.iter().map(Vec::len).sum::<usize>() + 1);
        self.further[node].push(format!("{name} = {value}"));
        name
    }

    fn ask(&mut self, what: &str, value: i64) {
        self.asked.push(format!("{what} = {value}"));
    }

    fn there(&self, name: &str, node: usize) -> String {
        format!("{name}@{}", node + 1)
    }

    /// The statement of an instruction, whose accesses in the cycle these are.
    fn statement(&mut self, instr: usize, accesses: &[usize]) -> String {
        let event = |i: usize| self.places.events[i];
        let find = |kind: Kind| accesses.iter().copied().find(|i| event(*i).kind == kind);
        let name = |i: usize| location(event(i).location);
        let (thread, towards) = self.places.instrs[instr];
        let (here, there) = (self.places.threads[thread], towards.unwrap_or(0));
        let first = accesses[0];
        match event(first).kind {
            Kind::W => format!("{} := {}", name(first), self.values.written[first]),
            Kind::R | Kind::C => {
                let (register, x) = (self.register(), name(first));
                self.ask(&register, self.values.read[first]);
                if event(first).kind == Kind::R {
                    return format!("{register} := {x}");
                }
                format!("{register} := CAS({x}, {}, {})", self.values.read[first], self.values.written[first])
            }
            Kind::Pr | Kind::Pw => {
                let (read, written) = (find(Kind::Pr).map(|i| (i, name(i))), find(Kind::Pw).map(|i| (i, name(i))));
                let to = match &written {
                    Some((_, y)) => y.clone(),
                    None => {
                        let p = self.private(there, 0);
                        self.ask(&p, self.values.read[first]);
                        p
                    }
                };
                let to = self.there(&to, there);
                let from = match (&read, &written) {
                    (Some((_, x)), _) => x.clone(),
                    (None, Some((i, _))) if self.waits => self.private(here, self.values.written[*i]),
                    (None, Some((i, _))) => self.values.written[*i].to_string(),
                    (None, None) => String::new(),
                };
                match self.work(instr) {
                    Some(d) => format!("{to} := put({from}, {d})"),
                    None => format!("{to} := {from}"),
                }
            }
            Kind::Gr | Kind::Gw => {
                let (read, written) = (find(Kind::Gr).map(|i| (i, name(i))), find(Kind::Gw).map(|i| (i, name(i))));
                let from = match (&read, &written) {
                    (Some((_, y)), _) => y.clone(),
                    (None, Some((i, _))) => self.private(there, self.values.written[*i]),
                    (None, None) => String::new(),
                };
                let from = self.there(&from, there);
                let to = self.result(written.map(|(_, x)| x), here, self.values.read[first]);
                match self.work(instr) {
                    Some(d) => format!("{to} := get({from}, {d})"),
                    None => format!("{to} := {from}"),
                }
            }
            Kind::A | Kind::Al => {
                let (update, written) = (find(Kind::A).map(|i| (i, name(i))), find(Kind::Al).map(|i| (i, name(i))));
                let (from, added) = match (&update, &written) {
                    (Some((i, y)), _) => (y.clone(), self.values.written[*i] - self.values.read[*i]),
                    (None, Some((i, _))) => (self.private(there, self.values.written[*i]), 1),
                    (None, None) => (String::new(), 0),
                };
                let from = self.there(&from, there);
                let to = self.result(written.map(|(_, x)| x), here, self.values.read[first]);
                format!("{to} := rfaa({from}, {added})")
            }
        }
    }

    /// Where an operation writes what it read: a location of the cycle, or one that shows the value.
    fn result(&mut self, written: Option<String>, here: usize, value: i64) -> String {
        written.unwrap_or_else(|| {
            let p = self.private(here, 0);
            self.ask(&p, value);
            p
        })
    }

    fn register(&mut self) -> String {
        self.registers += 1;
        let letter = char::from(b'a' + (self.registers - 1) % 15);
        if self.registers <= 15 { letter.to_string() } else { format!("{letter}{}", self.registers / 15) }
    }

    /// The work identifier of an instruction, a new one.
    fn work(&mut self, instr: usize) -> Option<String> {
        let next = self.work.len() + 1;
        self.waits.then(|| self.work.entry(instr).or_insert_with(|| format!("d{next}")).clone())
    }
}

/// The text of a cycle's program.
pub(super) fn program(cycle: &Cycle) -> String {
    let Ok(places) = Places::new(cycle) else { return String::new() };
    let values = values(&places);
    let mut w = Writer {
        places: &places,
        values,
        further: vec![vec![]; places.nodes],
        registers: 0,
        asked: vec![],
        waits: cycle.waits(),
        work: BTreeMap::new(),
    };
    let mut threads: Vec<String> = vec![];
    for (t, node) in places.threads.iter().enumerate() {
        let mut out = format!("thread {} on {} {{\n", t + 1, node + 1);
        let mut asked_for: BTreeMap<usize, usize> = BTreeMap::new();
        for (instr, (_, towards)) in places.instrs.iter().enumerate().filter(|(_, (thread, _))| *thread == t) {
            let accesses: Vec<usize> = (0..places.events.len()).filter(|i| places.events[*i].instr == instr).collect();
            let statement = w.statement(instr, &accesses);
            let _ = writeln!(out, "  {statement}");
            if let Some(n) = towards {
                *asked_for.entry(*n).or_default() += 1;
            }
            let last = accesses.last().map(|i| places.events[*i]);
            between(&mut out, last, towards.unwrap_or(0), &mut asked_for, w.work.get(&instr));
        }
        out.push_str("}\n");
        threads.push(out);
    }
    for (l, value) in w.values.last.clone() {
        w.ask(&location(l), value);
    }
    let mut text = format!("litmus rdma {} \"{}\"\n", cycle.name(), title(cycle));
    for n in 0..places.nodes {
        let own =
            (0..places.locations.len()).filter(|l| places.locations[*l] == n).map(|l| format!("{} = 0", location(l)));
        let all: Vec<String> = own.chain(w.further[n].iter().cloned()).collect();
        let inside = if all.is_empty() { " ".to_owned() } else { format!(" {} ", all.join("  ")) };
        let _ = writeln!(text, "node {} {{{inside}}}", n + 1);
    }
    text.push_str(&threads.concat());
    let asked = if w.asked.is_empty() { "true".to_owned() } else { w.asked.join(" /\\ ") };
    let _ = writeln!(text, "exists {asked}");
    text
}

/// What stands behind an instruction. Polls are as many as there are operations on its queue pair that were not polled.
fn between(
    out: &mut String,
    last: Option<Event>,
    towards: usize,
    asked_for: &mut BTreeMap<usize, usize>,
    work: Option<&String>,
) {
    let Some(Event { edge: Edge::Then { between, .. }, .. }) = last else { return };
    match between {
        Between::Po => {}
        Between::Mfence => out.push_str("  mfence\n"),
        Between::Rfence => {
            let _ = writeln!(out, "  rfence({})", towards + 1);
        }
        Between::Poll => {
            for _ in 0..asked_for.insert(towards, 0).unwrap_or(0) {
                let _ = writeln!(out, "  poll({})", towards + 1);
            }
        }
        Between::Wait => {
            let _ = writeln!(out, "  wait({})", work.map_or("", String::as_str));
        }
    }
}

/// What a cycle is, as a sentence for readers.
fn title(cycle: &Cycle) -> String {
    let (n, t) = (cycle.size(), cycle.threads());
    format!("a critical cycle of {n} edges in {t} thread{}", if t == 1 { "" } else { "s" })
}
