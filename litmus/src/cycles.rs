//! Classic tests made from critical cycles, in herd's X86 format, with the verdicts that follow from how they are made.
//!
//! A test is a cycle of accesses. Each thread has two accesses to different locations in program order, perhaps with
//! something between them, or one write; from the last access of a thread to the first of the next goes reads-from
//! (`Rfe`), from-read (`Fre`) or coherence (`Coe`), on one location. The condition asks for the execution that has all
//! these edges. Names are diy's: `PodWR` is program order from a write to a read of a different location.
//!
//! The cycles are critical: at most two accesses a thread and three a location, and no two edges that one could replace
//! (Shasha, Snir 1988; Alglave 2010). So the execution asked for has no other cycle, and its verdict is known without
//! any model: sequential consistency forbids it; x86-TSO allows it if and only if some edge from a write to a read in
//! program order has neither a fence nor a locked instruction. That is an oracle for models of TSO.
//!
//! Limits: reads that are part of locked instructions, and accesses to one location in succession, are not generated.

use std::fmt::Write as _;

/// What one thread does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Thread {
    /// Its first access, a write or a read.
    first: Access,
    /// Its second access, and what stands between the two; a thread without one is a write alone.
    second: Option<(Order, Access)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Access {
    Write,
    Read,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Order {
    /// Nothing.
    Program,
    Mfence,
    /// The first access is a write by XCHG.
    Exchange,
}

use Access::{Read, Write};

const fn pod(first: Access, order: Order, second: Access) -> Thread {
    Thread { first, second: Some((order, second)) }
}

/// Every thread that a cycle may have.
const THREADS: [Thread; 11] = [
    pod(Write, Order::Program, Read),
    pod(Write, Order::Program, Write),
    pod(Read, Order::Program, Read),
    pod(Read, Order::Program, Write),
    Thread { first: Write, second: None },
    pod(Write, Order::Mfence, Read),
    pod(Write, Order::Exchange, Read),
    pod(Write, Order::Mfence, Write),
    pod(Write, Order::Exchange, Write),
    pod(Read, Order::Mfence, Read),
    pod(Read, Order::Mfence, Write),
];

impl Thread {
    fn last(self) -> Access {
        self.second.map_or(self.first, |(_, last)| last)
    }

    /// `PodWR`, `MFencedWR`, `XchgdWR`; nothing for a write alone.
    fn name(self) -> Option<String> {
        let (order, second) = self.second?;
        let order = match order {
            Order::Program => "Pod",
            Order::Mfence => "MFenced",
            Order::Exchange => "Xchgd",
        };
        let letter = |a: Access| if a == Write { 'W' } else { 'R' };
        Some(format!("{order}{}{}", letter(self.first), letter(second)))
    }
}

/// Whether one thread may follow another: there is an edge between two reads never, into a write alone only from what a
/// shorter cycle would not have, and out of it only to a read.
fn follows(a: Thread, b: Thread) -> bool {
    match (a.last(), b.first) {
        (Read, Read) => false,
        (Write, Write) => a.second.is_some(),
        _ => true,
    }
}

/// A critical cycle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cycle {
    threads: Vec<Thread>,
}

/// Every critical cycle of that many threads, each once, in a fixed order.
///
/// ```
/// let names: Vec<String> = litmpi_litmus::cycles::cycles(2).map(|c| c.name()).collect();
/// assert_eq!(names[0], "PodWR-Fre-PodWR-Fre");
/// ```
pub fn cycles(threads: usize) -> impl Iterator<Item = Cycle> {
    let mut next = (threads >= 2).then(|| vec![0; threads]);
    std::iter::from_fn(move || {
        loop {
            let digits = next.clone()?;
            next = successor(&digits);
            if is_least(&digits) {
                let cycle = Cycle { threads: digits.iter().map(|d| THREADS[*d]).collect() };
                if cycle.is_critical() {
                    return Some(cycle);
                }
            }
        }
    })
}

/// The next number, as digits.
fn successor(digits: &[usize]) -> Option<Vec<usize>> {
    let mut out = digits.to_vec();
    for digit in out.iter_mut().rev() {
        *digit += 1;
        if *digit < THREADS.len() {
            return Some(out);
        }
        *digit = 0;
    }
    None
}

/// Whether no other beginning of the same cycle comes earlier.
fn is_least(digits: &[usize]) -> bool {
    let n = digits.len();
    (1..n).all(|shift| (0..n).map(|i| digits[(i + shift) % n]).ge(digits.iter().copied()))
}

impl Cycle {
    fn is_critical(&self) -> bool {
        let n = self.threads.len();
        let pairs = || (0..n).map(|i| (self.threads[i], self.threads[(i + 1) % n]));
        self.threads.iter().filter(|t| t.second.is_some()).count() >= 2 && pairs().all(|(a, b)| follows(a, b))
    }

    /// How many threads it has.
    pub fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Whether x86-TSO allows the execution.
    pub fn tso_allows(&self) -> bool {
        self.threads.contains(&pod(Write, Order::Program, Read))
    }

    /// Its edges: `PodWR-Fre-PodWR-Fre`.
    pub fn name(&self) -> String {
        let n = self.threads.len();
        let mut edges = Vec::new();
        for (i, thread) in self.threads.iter().enumerate() {
            edges.extend(thread.name());
            let edge = match (thread.last(), self.threads[(i + 1) % n].first) {
                (Write, Read) => "Rfe",
                (Read, _) => "Fre",
                (Write, Write) => "Coe",
            };
            edges.push(edge.to_owned());
        }
        edges.join("-")
    }

    /// The test, in herd's format, with its verdicts.
    pub fn text(&self) -> String {
        let n = self.threads.len();
        // A thread of two accesses goes from one location to the next.
        let locations = self.threads.iter().filter(|t| t.second.is_some()).count();
        let name = |location: usize| format!("x{}", location % locations);
        let (mut columns, mut asked) = (Vec::new(), Vec::new());
        let mut location = 0;
        for (t, thread) in self.threads.iter().enumerate() {
            let before = self.threads[(t + n - 1) % n];
            let mut column = Column { thread: t, lines: Vec::new(), registers: 0 };
            // The first access ends the edge from the thread before.
            let (x, written) = (name(location), self.written_before(t));
            match thread.first {
                Write => {
                    let locked = matches!(thread.second, Some((Order::Exchange, _)));
                    column.write(&x, written + 1, locked);
                    if before.last() == Write {
                        asked.push(format!("[{x}]={}", written + 1));
                    }
                }
                Read => asked.push(column.read(&x, written)),
            }
            if let Some((order, second)) = thread.second {
                if order == Order::Mfence {
                    column.lines.push("MFENCE".into());
                }
                location += 1;
                let x = name(location);
                match second {
                    Write => column.write(&x, 1, false),
                    Read => asked.push(column.read(&x, 0)),
                }
            }
            columns.push(column.lines);
        }
        self.file(&columns, &asked)
    }

    /// How many writes of its location stand before a thread's first access along the cycle.
    fn written_before(&self, thread: usize) -> u32 {
        let n = self.threads.len();
        let before = self.threads[(thread + n - 1) % n];
        match before.second {
            Some((_, last)) => u32::from(last == Write),
            None => self.written_before((thread + n - 1) % n) + 1,
        }
    }

    fn file(&self, columns: &[Vec<String>], asked: &[String]) -> String {
        let tso = if self.tso_allows() { "allowed" } else { "forbidden" };
        let why = if self.tso_allows() {
            "a write passes a later read in program order"
        } else {
            "no write passes a later read in program order"
        };
        let name = self.name();
        let mut out = format!("X86 {name}\n\"{}\"\n", name.replace('-', " "));
        let _ = writeln!(out, "Verdict-tso={tso} because \"{why}\"");
        let _ = writeln!(out, "Verdict-sc=forbidden because \"it is a cycle\"\n{{ }}");
        let width = columns.iter().flatten().map(String::len).max().unwrap_or(0);
        let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
        let row = |cells: Vec<String>| {
            let cells: Vec<String> = cells.into_iter().map(|c| format!(" {c:width$} ")).collect();
            format!("{};\n", cells.join("|"))
        };
        out.push_str(&row((0..columns.len()).map(|t| format!("P{t}")).collect()));
        for i in 0..rows {
            out.push_str(&row(columns.iter().map(|c| c.get(i).cloned().unwrap_or_default()).collect()));
        }
        let _ = writeln!(out, "exists ({})", asked.join(" /\\ "));
        out
    }
}

/// One thread's instructions.
struct Column {
    thread: usize,
    lines: Vec<String>,
    registers: usize,
}

impl Column {
    fn register(&mut self) -> &'static str {
        self.registers += 1;
        ["EAX", "EBX", "ECX"][self.registers - 1]
    }

    fn write(&mut self, x: &str, value: u32, locked: bool) {
        if locked {
            let r = self.register();
            self.lines.push(format!("MOV {r},${value}"));
            self.lines.push(format!("XCHG [{x}],{r}"));
        } else {
            self.lines.push(format!("MOV [{x}],${value}"));
        }
    }

    /// Reads, and gives the equation that asks for a value.
    fn read(&mut self, x: &str, value: u32) -> String {
        let r = self.register();
        self.lines.push(format!("MOV {r},[{x}]"));
        format!("{}:{r}={value}", self.thread)
    }
}
