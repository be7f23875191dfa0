//! Random MPI programs to be run on real libraries: messages in every mode, receives and probes with wildcards, requests that
//! are waited for, tested, freed, cancelled or left, collectives blocking and not.
//!
//! Unlike the programs of [`random`](super::random), these need not be tidy: a message may have no receive, a receive no
//! message, a request nobody who completes it, a collective too few callers. What a library and a harness then have left at
//! the end of a program is part of what they are tested for. Whether a program is erroneous, and what may come of it, is the
//! model's to say.

use super::{Dice, scatter};
use std::fmt::Write;

/// Values that a program shows, of all ranks: the harness has room for no more.
const SHOWN: usize = 64;

/// A program that is being made: the statements of each rank, and what each rank shows at the end.
#[derive(Clone)]
pub(super) struct Program {
    /// What stands before the statements: arrays with their values.
    pub(super) heads: Vec<Vec<String>>,
    pub(super) bodies: Vec<Vec<String>>,
    pub(super) shown: Vec<Vec<String>>,
    /// The communicator of messages and collectives that are made next, as `, comm: _c1`; nothing for MPI_COMM_WORLD.
    pub(super) on: String,
    /// How many names of a kind a rank has used.
    names: usize,
}

/// The litmus test of at most so many ranks that a seed stands for; the same seed gives the same text.
pub fn program(seed: u64, most: usize) -> String {
    let mut dice = Dice::new(seed);
    let ranks = dice.ranks(most, 3);
    let mut p = Program::new(ranks);
    for _ in 0..1 + dice.roll(if ranks == 2 { 3 } else { 2 }) {
        p.message(&mut dice);
    }
    if dice.one_in(3) {
        p.collective(&mut dice);
    }
    if dice.one_in(3) {
        p.probe(&mut dice);
    }
    p.text("random", seed)
}

impl Program {
    /// One of so many ranks, without a statement.
    pub(super) fn new(ranks: usize) -> Program {
        Program {
            heads: vec![vec![]; ranks],
            bodies: vec![vec![]; ranks],
            shown: vec![vec![]; ranks],
            on: String::new(),
            names: 0,
        }
    }

    /// A name that no other thing of the program has.
    pub(super) fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("_{letter}{}", self.names)
    }

    /// A message: its send, its receive, or both.
    pub(super) fn message(&mut self, dice: &mut Dice) {
        let ranks = self.bodies.len();
        let from = dice.roll(ranks);
        let to = (from + 1 + dice.roll(ranks - 1)) % ranks;
        let tag = dice.roll(2);
        let alone = dice.roll(10);
        if alone != 0 {
            let value = 10 * (self.names + 1) + from;
            self.send(dice, (from, to, tag), &value.to_string());
        }
        if alone > 1 {
            let into = self.name("x");
            if self.receive(dice, (from, to, tag), &into) {
                self.shown[to].push(into);
            }
        }
    }

    /// A send of a rank to another one, with a tag, of what is given as its data: a buffer, perhaps with a count and a datatype.
    pub(super) fn send(&mut self, dice: &mut Dice, (from, to, tag): (usize, usize, usize), data: &str) {
        let mode = ["", "", "s", "b", "r"][dice.roll(5)];
        let to = format!("dest: {to}, tag: {tag}{}", self.on);
        if dice.one_in(2) {
            let blocking = if mode.is_empty() { "Send".to_owned() } else { format!("{}send", mode.to_uppercase()) };
            let call = format!("MPI_{blocking}({data}, {to})");
            return scatter(dice, &mut self.bodies[from], vec![call]);
        }
        let request = self.name("q");
        let mut calls = if dice.one_in(6) {
            let init =
                if mode.is_empty() { "Send_init".to_owned() } else { format!("{}send_init", mode.to_uppercase()) };
            vec![format!("MPI_{init}({data}, {to}, request: {request})"), format!("MPI_Start({request})")]
        } else {
            vec![format!("MPI_I{mode}send({data}, {to}, request: {request})")]
        };
        calls.extend(self.completion(dice, from, &request));
        scatter(dice, &mut self.bodies[from], calls);
    }

    /// A receive of such a send, perhaps of others, too; whether it receives, or only probes.
    pub(super) fn receive(&mut self, dice: &mut Dice, (from, to, tag): (usize, usize, usize), into: &str) -> bool {
        let source = if dice.one_in(2) { "any".to_owned() } else { from.to_string() };
        let tag = if dice.one_in(2) { "any".to_owned() } else { tag.to_string() };
        let from = format!("source: {source}, tag: {tag}{}", self.on);
        let calls = match dice.roll(8) {
            0..3 => vec![format!("MPI_Recv({into}, {from})")],
            3 => {
                let message = self.name("m");
                let probe = format!("MPI_Mprobe({from}, message: {message})");
                let receive = format!("MPI_Mrecv({into}, message: {message})");
                // A message that is reserved, and never received.
                if dice.one_in(4) { vec![probe] } else { vec![probe, receive] }
            }
            4 => {
                let request = self.name("q");
                let init = format!("MPI_Recv_init({into}, {from}, request: {request})");
                let mut calls = vec![init, format!("MPI_Start({request})")];
                calls.extend(self.completion(dice, to, &request));
                calls
            }
            _ => {
                let request = self.name("q");
                let mut calls = vec![format!("MPI_Irecv({into}, {from}, request: {request})")];
                calls.extend(self.completion(dice, to, &request));
                calls
            }
        };
        let receives = calls.iter().any(|c| c.contains(&format!("({into},")));
        scatter(dice, &mut self.bodies[to], calls);
        receives
    }

    /// What becomes of a request.
    fn completion(&mut self, dice: &mut Dice, rank: usize, request: &str) -> Vec<String> {
        let (flag, index) = (self.name("f"), self.name("i"));
        let mut shows = |what: &str| self.shown[rank].push(what.to_owned());
        match dice.roll(14) {
            0..4 => vec![format!("MPI_Wait({request})")],
            4 => vec![format!("MPI_Waitall([{request}])")],
            5 => {
                shows(&index);
                vec![format!("MPI_Waitany([{request}], index: {index})")]
            }
            6 => {
                shows(&flag);
                vec![format!("MPI_Test({request}, flag: {flag})")]
            }
            7 => {
                shows(&flag);
                vec![format!("MPI_Testall([{request}], flag: {flag})")]
            }
            8 => {
                shows(&flag);
                vec![format!("MPI_Testany([{request}], index: {index}, flag: {flag})")]
            }
            9 => {
                shows(&index);
                vec![format!("MPI_Testsome([{request}], outcount: {index}, array_of_indices: [_j{index}])")]
            }
            10 => vec![format!("MPI_Request_free({request})")],
            11 => {
                shows(&flag);
                let status = self.name("s");
                vec![
                    format!("MPI_Cancel({request})"),
                    format!("MPI_Wait({request}, {status})"),
                    format!("MPI_Test_cancelled({status}, {flag})"),
                ]
            }
            12 => vec![format!("MPI_Cancel({request})")],
            _ => vec![],
        }
    }

    /// A collective of all ranks, of which one now and then does not call it.
    pub(super) fn collective(&mut self, dice: &mut Dice) {
        let (kind, root) = (dice.roll(5), dice.roll(self.bodies.len()));
        let forgets = if dice.one_in(3) { dice.roll(self.bodies.len()) } else { self.bodies.len() };
        let on = self.on.clone();
        for rank in 0..self.bodies.len() {
            let (own, request) = (self.name("c"), self.name("q"));
            let mut calls = match kind {
                0 => vec![format!("MPI_Barrier({})", on.trim_start_matches(", "))],
                1 => vec![format!("MPI_Bcast({own}, root: {root}{on})")],
                2 => vec![format!("MPI_Ibarrier(request: {request}{on})")],
                3 => vec![format!("MPI_Ibcast({own}, root: {root}, request: {request}{on})")],
                _ => vec![format!("MPI_Allreduce({}, {own}{on})", rank + 1)],
            };
            if rank == forgets {
                continue;
            }
            match kind {
                2 | 3 => match dice.roll(5) {
                    0 => calls.push(format!("MPI_Test({request}, flag: _f{request})")),
                    1 => {}
                    _ => calls.push(format!("MPI_Wait({request})")),
                },
                _ => {}
            }
            if matches!(kind, 1 | 3 | 4) {
                self.shown[rank].push(own);
            }
            scatter(dice, &mut self.bodies[rank], calls);
        }
    }

    pub(super) fn probe(&mut self, dice: &mut Dice) {
        let rank = dice.roll(self.bodies.len());
        let (flag, on) = (self.name("f"), &self.on);
        let call = match dice.roll(3) {
            0 => format!("MPI_Probe(source: any{on})"),
            1 => format!("MPI_Iprobe(source: any{on}, flag: {flag})"),
            _ => format!("MPI_Improbe(source: any{on}, flag: {flag}, message: _m{flag})"),
        };
        if call.contains(&flag) {
            self.shown[rank].push(flag);
        }
        scatter(dice, &mut self.bodies[rank], vec![call]);
    }

    /// Leaves each rank as many of the values that it shows as the harness has room for.
    pub(super) fn show_what_fits(&mut self) {
        let room = SHOWN / self.shown.len();
        self.shown.iter_mut().for_each(|shown| shown.truncate(room));
    }

    /// The test, called so with the seed behind.
    pub(super) fn text(&self, name: &str, seed: u64) -> String {
        let mut out = format!("litmus mpi {name}-{seed} \"random, seed {seed}\"\n");
        let mut shown = vec![];
        for (rank, body) in self.bodies.iter().enumerate() {
            let _ = writeln!(out, "rank {rank} {{");
            self.heads[rank].iter().chain(body).for_each(|call| out.push_str(&format!("  {call}\n")));
            out.push_str("}\n");
            shown.extend(self.shown[rank].iter().map(|name| format!("{rank}:{name}")));
        }
        if !shown.is_empty() {
            let _ = writeln!(out, "locations {}", shown.join(" "));
        }
        out.push_str("exists true\n");
        out
    }
}
