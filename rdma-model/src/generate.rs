//! Generated RDMA programs, on which models are compared: every one up to a bound, and random ones beyond it.
//!
//! Thread `i` runs on node `i`; each node has one shared location, `x1`, `x2`, …. Values written are all different, every
//! read has a register of its own, and an outcome lists all locations and registers, so that two programs are told
//! apart by as much as can be seen. Programs are text: a disagreement is reported as a test that can be kept.

use std::fmt::Write;

/// What one thread may do at a place. The other node is the next one, round robin.
pub const ALPHABET: [Instr; 8] =
    [Instr::Write, Instr::Read, Instr::Get, Instr::Put, Instr::PutImm, Instr::Poll, Instr::RFence, Instr::MFence];

/// Work identifiers in the place of polls.
pub const WAITS: [Instr; 8] = [
    Instr::Write,
    Instr::Read,
    Instr::WGet("d"),
    Instr::WPut("d"),
    Instr::WPut("e"),
    Instr::Wait("d"),
    Instr::RFence,
    Instr::MFence,
];

/// Remote read-modify-writes and what they meet.
pub const UPDATES: [Instr; 9] = [
    Instr::RFaa,
    Instr::RCswap,
    Instr::Write,
    Instr::Read,
    Instr::Get,
    Instr::Put,
    Instr::PutImm,
    Instr::Poll,
    Instr::RFence,
];

/// An instruction of a generated program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instr {
    /// A value of its own to the thread's location.
    Write,
    /// The thread's location to a register of its own.
    Read,
    /// The other node's location to the thread's.
    Get,
    /// The thread's location to the other node's.
    Put,
    /// A value of its own to the other node's location.
    PutImm,
    /// Waits for the earliest unpolled operation.
    Poll,
    /// A remote fence.
    RFence,
    /// A memory fence.
    MFence,
    /// A get under a work identifier.
    WGet(&'static str),
    /// A put under a work identifier.
    WPut(&'static str),
    /// A remote fetch-and-add of a power of two of its own on the other node's location, whose old value goes to the
    /// thread's.
    RFaa,
    /// A remote compare-and-swap of the other node's location from 0 to a value of its own.
    RCswap,
    /// Waits for what is under a work identifier.
    Wait(&'static str),
}

/// Every program of `threads` threads with `length` instructions each, two threads in one order only.
pub fn exhaustive(threads: usize, length: usize) -> impl Iterator<Item = String> {
    exhaustive_of(&ALPHABET, threads, length)
}

/// The same with work identifiers and waits in the place of polls.
pub fn exhaustive_waits(threads: usize, length: usize) -> impl Iterator<Item = String> {
    exhaustive_of(&WAITS, threads, length)
}

/// The same with remote read-modify-writes, which each program has.
pub fn exhaustive_updates(threads: usize, length: usize) -> impl Iterator<Item = String> {
    exhaustive_of(&UPDATES, threads, length).filter(|text| text.contains("rfaa") || text.contains("rcswap"))
}

/// The same, of some instructions only.
pub fn exhaustive_of(alphabet: &[Instr], threads: usize, length: usize) -> impl Iterator<Item = String> {
    let codes = alphabet.len().pow(u32::try_from(length).expect("short programs"));
    let total = codes.pow(u32::try_from(threads).expect("few threads"));
    (0..total).filter_map(move |number| {
        let mut rest = number;
        let parts: Vec<usize> = (0..threads)
            .map(|_| {
                let part = rest % codes;
                rest /= codes;
                part
            })
            .collect();
        // Two threads are alike but for their names: one order of them is enough.
        if threads == 2 && parts[0] > parts[1] {
            return None;
        }
        let bodies: Vec<Vec<Instr>> = parts.iter().map(|p| decode(alphabet, *p, length)).collect();
        Some(program(&format!("all-{threads}x{length}-{number}"), &bodies))
    })
}

fn decode(alphabet: &[Instr], mut number: usize, length: usize) -> Vec<Instr> {
    (0..length)
        .map(|_| {
            let i = alphabet[number % alphabet.len()];
            number /= alphabet.len();
            i
        })
        .collect()
}

/// A random program; the same seed gives the same program.
pub fn random(seed: u64, threads: usize, length: usize) -> String {
    any(&ALPHABET, seed, threads, length)
}

/// The same with work identifiers and waits in the place of polls.
pub fn random_waits(seed: u64, threads: usize, length: usize) -> String {
    any(&WAITS, seed, threads, length)
}

/// The same with remote read-modify-writes.
pub fn random_updates(seed: u64, threads: usize, length: usize) -> String {
    any(&UPDATES, seed, threads, length)
}

fn any(alphabet: &[Instr], seed: u64, threads: usize, length: usize) -> String {
    let mut scatter = Scatter(seed);
    let bodies: Vec<Vec<Instr>> =
        (0..threads).map(|_| (0..length).map(|_| *scatter.one_of(alphabet)).collect()).collect();
    program(&format!("random-{seed}"), &bodies)
}

/// SplitMix64: enough to scatter instructions, and the same everywhere.
pub(crate) struct Scatter(pub(crate) u64);

impl Scatter {
    fn next(&mut self) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) as usize
    }

    /// Any of these, of which there is one at least.
    pub(crate) fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.next() % all.len()]
    }
}

/// The program of these threads, each on a node of its own.
pub fn program(name: &str, bodies: &[Vec<Instr>]) -> String {
    // A thread alone still has a node to talk to.
    let nodes = bodies.len().max(2);
    let mut out = format!("litmus rdma {name} \"generated\"\n");
    for n in 1..=nodes {
        let _ = writeln!(out, "node {n} {{ x{n} = 0 }}");
    }
    let mut observed: Vec<String> = (1..=nodes).map(|n| format!("x{n}")).collect();
    for (t, body) in bodies.iter().enumerate() {
        let n = t + 1;
        let m = n % nodes + 1;
        let _ = writeln!(out, "thread {n} on {n} {{");
        for (i, instr) in body.iter().enumerate() {
            let value = n * 10 + i + 1;
            let line = match instr {
                Instr::Write => format!("x{n} := {value}"),
                Instr::Read => {
                    observed.push(format!("{n}:a{i}"));
                    format!("a{i} := x{n}")
                }
                Instr::Get => format!("x{n} := x{m}@{m}"),
                Instr::Put => format!("x{m}@{m} := x{n}"),
                Instr::PutImm => format!("x{m}@{m} := {value}"),
                Instr::Poll => format!("poll({m})"),
                Instr::RFence => format!("rfence({m})"),
                Instr::MFence => "mfence".into(),
                Instr::WGet(d) => format!("x{n} := get(x{m}@{m}, {d})"),
                Instr::WPut(d) => format!("x{m}@{m} := put(x{n}, {d})"),
                Instr::Wait(d) => format!("wait({d})"),
                Instr::RFaa => format!("x{n} := rfaa(x{m}@{m}, {})", 100 << (4 * t + i)),
                Instr::RCswap => format!("x{n} := rcswap(x{m}@{m}, 0, {value})"),
            };
            let _ = writeln!(out, "  {line}");
        }
        out.push_str("}\n");
    }
    let _ = writeln!(out, "locations {}\nexists true", observed.join(" "));
    out
}
