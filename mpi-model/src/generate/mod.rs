//! Random MPI programs, on which ways to search, and models, are compared.
//!
//! A program is a few messages, each a send at one rank and a receive at another, of any mode, blocking or not, with
//! wildcards now and then, and a few things beside them: probes, loads and stores, a collective of all ranks, a call that
//! does not belong. Many of them deadlock or are erroneous: those sets are compared too. Programs are text, so that one that shows a
//! difference can be kept as a test; the same seed gives the same program.

mod calls;
mod collectives;
mod communicators;
mod datatypes;
mod every;
mod exchanges;
mod mistakes;
mod orders;
mod runs;
mod topologies;
mod windows;

pub use calls::{Legal, callable, calls, named, seed_of};
pub use collectives::{all_functions, collectives, pairs_and_parts};
pub use communicators::communicators;
pub use datatypes::datatypes;
pub use every::{Every, Small};
pub use exchanges::exchanges;
pub use mistakes::mistaken;
pub use orders::orders;
pub use runs::program;
pub use topologies::{collectives_of, topologies};
pub use windows::{Windows, replacing, windows};

use litmpi_spec::decl::{Form, Instruction};
use std::fmt::Write;

/// Most ranks of a program, if nothing else is asked for.
pub const RANKS: usize = 3;

/// Whether it is a function that a program of MPI may call.
pub(crate) fn is_call(i: &Instruction) -> bool {
    !i.internal && matches!(i.form, Form::Call)
}

/// SplitMix64: enough to scatter calls, and the same everywhere.
#[derive(Clone)]
pub(crate) struct Dice(u64);

impl Dice {
    /// The same seed gives the same numbers.
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    /// A number below `n`.
    pub(crate) fn roll(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % n as u64) as usize
    }

    /// How many ranks a program has, of which there may be so many: of two and three, three once in so many times, as [`RANKS`] has it; else any number of at
    /// least two is as likely.
    fn ranks(&mut self, most: usize, three: usize) -> usize {
        if most == RANKS { if self.one_in(three) { 3 } else { 2 } } else { 2 + self.roll(most.max(2) - 1) }
    }

    /// Once in so many times.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.roll(n) == 0
    }
}

/// A random program of that many ranks and messages.
pub fn random(seed: u64, ranks: usize, messages: usize) -> String {
    let mut dice = Dice(seed);
    let mut bodies: Vec<Vec<String>> = vec![vec![]; ranks];
    for k in 0..messages {
        let from = dice.roll(ranks);
        let to = (from + 1 + dice.roll(ranks.max(2) - 1)) % ranks;
        let tag = dice.roll(2);
        let send = match dice.roll(8) {
            0 => vec![format!("MPI_Ssend({}, dest: {to}, tag: {tag})", k + 1)],
            1 => vec![format!("MPI_Bsend({}, dest: {to}, tag: {tag})", k + 1)],
            2 => vec![format!("MPI_Rsend({}, dest: {to}, tag: {tag})", k + 1)],
            3 | 4 => {
                let start = format!("MPI_Isend({}, dest: {to}, tag: {tag}, request: q{k})", k + 1);
                vec![start, completion(&mut dice, &format!("q{k}"), k, "")]
            }
            _ => vec![format!("MPI_Send({}, dest: {to}, tag: {tag})", k + 1)],
        };
        scatter(&mut dice, &mut bodies[from], send);
        let source = if dice.one_in(3) { "any".to_owned() } else { from.to_string() };
        let tag = if dice.one_in(2) { "any".to_owned() } else { tag.to_string() };
        let receive = if dice.one_in(2) {
            let start = format!("MPI_Irecv(x{k}, source: {source}, tag: {tag}, request: p{k})");
            vec![start, completion(&mut dice, &format!("p{k}"), k, "s")]
        } else {
            vec![format!("MPI_Recv(x{k}, source: {source}, tag: {tag})")]
        };
        scatter(&mut dice, &mut bodies[to], receive);
    }
    beside(&mut dice, &mut bodies, messages);
    text(seed, &bodies, messages)
}

/// Whether programs of these seeds can be read and are the same each time, and each of these functions is called in some of them.
#[cfg(test)]
fn calls_all(
    made: fn(u64, usize, &litmpi_spec::decl::Instructions) -> String,
    mut left: std::collections::BTreeSet<String>,
    decls: &litmpi_spec::decl::Instructions,
) {
    for seed in 0..600 {
        let most = if seed < 500 { RANKS } else { 6 };
        let text = made(seed, most, decls);
        assert_eq!(text, made(seed, most, decls), "the same seed gives the same text");
        let source = litmpi_spec::source::Source::new("t.litmus", text.as_str());
        litmpi_litmus::parse(&source, decls).unwrap_or_else(|r| panic!("{r}\n{text}"));
        left.retain(|name| !text.contains(&format!("{name}(")));
    }
    assert!(left.is_empty(), "never called: {left:?}");
}

/// What completes a request, or asks whether it is complete.
fn completion(dice: &mut Dice, request: &str, k: usize, side: &str) -> String {
    match dice.roll(4) {
        0 => format!("MPI_Test({request}, flag: f{side}{k})"),
        1 => format!("MPI_Waitall([{request}])"),
        2 => format!("MPI_Waitany([{request}], index: i{side}{k})"),
        _ => format!("MPI_Wait({request})"),
    }
}

/// Puts calls into a body, in their order, anywhere.
fn scatter(dice: &mut Dice, body: &mut Vec<String>, calls: Vec<String>) {
    let mut least = 0;
    for call in calls {
        let at = least + dice.roll(body.len() - least + 1);
        body.insert(at, call);
        least = at + 1;
    }
}

fn beside(dice: &mut Dice, bodies: &mut [Vec<String>], messages: usize) {
    if dice.one_in(3) {
        let root = dice.roll(bodies.len());
        let kind = dice.roll(4);
        for (r, body) in bodies.iter_mut().enumerate() {
            // Now and then a rank forgets the call, or makes another.
            let call = match if dice.one_in(12) { dice.roll(4) } else { kind } {
                0 => "MPI_Barrier()".to_owned(),
                1 => format!("MPI_Bcast(c{r}, root: {root})"),
                2 => format!("MPI_Reduce(c{r}, d{r}, root: {root})"),
                _ => format!("MPI_Allreduce(c{r}, d{r})"),
            };
            if !dice.one_in(12) {
                scatter(dice, body, vec![call]);
            }
        }
    }
    for (r, body) in bodies.iter_mut().enumerate() {
        let k = dice.roll(messages);
        let call = match dice.roll(7) {
            0 => format!("MPI_Iprobe(source: any, flag: g{r})"),
            1 => "MPI_Probe(source: any)".to_owned(),
            2 => format!("x{k} := {}", 50 + r),
            3 => format!("l{r} := x{k}"),
            _ => continue,
        };
        let own = |b: &[String]| b.iter().any(|c| c.contains(&format!("(x{k},")));
        if !call.contains(&format!("x{k}")) || own(body) {
            scatter(dice, body, vec![call]);
        }
    }
}

fn text(seed: u64, bodies: &[Vec<String>], messages: usize) -> String {
    let mut out = format!("litmus mpi random-{seed} \"generated\"\n");
    let mut observed = vec![];
    for (r, body) in bodies.iter().enumerate() {
        let _ = writeln!(out, "rank {r} {{");
        for call in body {
            let _ = writeln!(out, "  {call}");
        }
        out.push_str("}\n");
        let has = |what: &str| body.iter().any(|c| c.contains(what));
        for k in 0..messages {
            let names = [("x", "(x"), ("f", "flag: f"), ("fs", "flag: fs"), ("i", "index: i"), ("is", "index: is")];
            for (name, call) in names {
                let end = if name == "x" { "," } else { ")" };
                if has(&format!("{call}{k}{end}")) {
                    observed.push(format!("{name}{k}"));
                }
            }
        }
        for name in ["g", "l", "d"] {
            if has(&format!("{name}{r})")) || has(&format!("{name}{r} :=")) || has(&format!("{name}{r},")) {
                observed.push(format!("{name}{r}"));
            }
        }
    }
    if !observed.is_empty() {
        let _ = writeln!(out, "locations {}", observed.join(" "));
    }
    out.push_str("exists true\n");
    out
}
