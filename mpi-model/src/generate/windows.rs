//! Random programs of windows, made from their declarations: whatever operation the specification declares on a window, with
//! parameters of the kinds that are listed here, is called, as is whatever synchronises a window within an epoch of locks, and whatever
//! makes one of memory. A function that is added to the specification is made without a change here. What Rust knows are the
//! calls that begin and end epochs, since no declaration says which belong together.
//!
//! All ranks make the same windows and go through the same phases, each of fences, of posts and starts, or of locks. Origins, targets,
//! places and counts are random, and loads and stores stand between the phases. Many programs let accesses meet, or ask for what a
//! library may not be asked for: the model tells.

use super::runs::Program;
use super::{Dice, is_call, scatter};
use litmpi_spec::decl::{Instruction, Instructions, Kind, Param, Shape};

/// Kinds of which all parameters of an operation are that are no buffers.
const KINDS: [&str; 7] = ["count", "datatype", "rank", "number", "update", "win", "request"];
/// What ends an epoch, of what is declared for a window, or a rank of it, alone.
const ENDS: [&str; 4] = ["MPI_Win_complete", "MPI_Win_wait", "MPI_Win_unlock", "MPI_Win_unlock_all"];
/// Elements of each rank's window.
const ROOM: usize = 4;
/// Elements of the array that it is in, of which it may leave the first one out.
const ARRAY: usize = 5;

/// What programs of windows are made of, in the order of the declarations.
pub struct Windows<'d> {
    /// What makes a window of memory.
    pub makers: Vec<&'d Instruction>,
    /// What accesses one.
    pub operations: Vec<&'d Instruction>,
    /// What synchronises one within an epoch.
    pub within: Vec<&'d Instruction>,
    decls: &'d Instructions,
}

impl<'d> Windows<'d> {
    /// Of these declarations.
    pub fn new(decls: &'d Instructions) -> Windows<'d> {
        let kind = |p: &Param| decls.kinds[p.kind].name.as_str();
        let is_buffer = |p: &Param| matches!(decls.kind(p).shape, Shape::Local | Shape::LocalOrNone);
        let calls = decls.list.iter().filter(|i| is_call(i));
        let (mut makers, mut operations, mut within) = (vec![], vec![], vec![]);
        for i in calls {
            let has = |name: &str| i.params.iter().any(|p| kind(p) == name);
            let buffers = i.params.iter().any(is_buffer);
            if has("newwin") && buffers {
                makers.push(i);
            } else if has("win") && buffers && i.params.iter().all(|p| is_buffer(p) || KINDS.contains(&kind(p))) {
                operations.push(i);
            } else if has("win")
                && i.params.iter().all(|p| ["rank", "win"].contains(&kind(p)))
                && !ENDS.contains(&i.name.as_str())
            {
                within.push(i);
            }
        }
        Windows { makers, operations, within, decls }
    }

    /// Whether a maker brings the memory itself.
    fn brings(&self, maker: &Instruction) -> bool {
        maker.params.iter().any(|p| self.decls.kinds[p.kind].name == "newmemory")
    }
}

/// The litmus test of at most so many ranks that a seed stands for; the same seed gives the same text.
pub fn windows(seed: u64, most: usize, decls: &Instructions) -> String {
    of_updates(("windows", seed), Dice::new(seed), most, decls, None)
}

/// The same with what puts another value in the place of the one that is there (`MPI_REPLACE`) as the operation that most accumulates have, and with more of these.
pub fn replacing(seed: u64, most: usize, decls: &Instructions) -> String {
    of_updates(("windows2", seed), Dice::new(!seed), most, decls, Some("MPI_REPLACE"))
}

/// A program in which most accumulates have this operation, or one that is drawn.
fn of_updates(
    (name, seed): (&str, u64),
    mut dice: Dice,
    most: usize,
    decls: &Instructions,
    updates: Option<&str>,
) -> String {
    let ranks = dice.ranks(most, 3);
    let of = Windows::new(decls);
    let windows = if dice.one_in(6) { 2 } else { 1 };
    let maker = of.makers[dice.roll(of.makers.len())];
    let mut making = Making {
        p: Program::new(ranks),
        of: &of,
        window: 0,
        op: String::new(),
        updates: updates.is_some(),
        apart: dice.one_in(2),
        array: if of.brings(maker) { ROOM } else { ARRAY },
        within: vec![],
        used: vec![0; ranks],
        names: 0,
    };
    making.op = making.one_of("update", 1, &mut dice);
    if let Some(op) = updates {
        op.clone_into(&mut making.op);
    }
    for window in 0..windows {
        making.window = window;
        making.make(maker, &mut dice);
    }
    for _ in 0..1 + dice.roll(2) {
        making.window = dice.roll(windows);
        making.used.fill(0);
        let operations = 1 + dice.roll(if ranks == 2 { 3 } else { 2 });
        match dice.roll(4) {
            0 => making.fences(operations, &mut dice),
            1 => making.posts(operations, &mut dice),
            _ => making.locks(operations, &mut dice),
        }
        making.between(&mut dice);
    }
    let freed = dice.roll(4);
    for window in 0..windows {
        making.window = window;
        making.end(maker, freed > 0);
    }
    if dice.one_in(4) {
        making.p.message(&mut dice);
    }
    making.p.text(name, seed)
}

/// A program that is being made.
struct Making<'d> {
    p: Program,
    of: &'d Windows<'d>,
    /// The window that calls are about.
    window: usize,
    /// The operation of most accumulates: others may not meet it.
    op: String,
    /// Half of the operations are accumulates.
    updates: bool,
    /// Operations on one target's window are at places of their own, while there are any.
    apart: bool,
    /// Elements of the arrays that windows are in: memory that the library brings is the window alone.
    array: usize,
    /// Of each window, where it begins in each rank's array.
    within: Vec<Vec<usize>>,
    /// How many elements of each rank's window operations of this phase have.
    used: Vec<usize>,
    names: usize,
}

impl Making<'_> {
    fn name(&mut self, letter: &str) -> String {
        self.names += 1;
        format!("_{letter}{}", self.names)
    }

    fn ranks(&self) -> usize {
        self.p.bodies.len()
    }

    fn win(&self) -> String {
        format!("_w{}", self.window)
    }

    fn memory(&self) -> String {
        format!("_m{}", self.window)
    }

    fn say(&mut self, rank: usize, call: String) {
        self.p.bodies[rank].push(call);
    }

    fn kind(&self, name: &str) -> Option<&Kind> {
        self.of.decls.kinds.iter().find(|k| k.name == name)
    }

    /// One of a kind's names, those of the first so many values aside.
    fn one_of(&self, kind: &str, but: usize, dice: &mut Dice) -> String {
        let names = self.kind(kind).map_or(&[][..], |k| k.names.get(but..).unwrap_or_default());
        if names.is_empty() { "0".to_owned() } else { names[dice.roll(names.len())].0.clone() }
    }

    fn assertion(&self, dice: &mut Dice) -> String {
        if dice.one_in(8) { format!("assert: {}, ", self.one_of("assertion", 0, dice)) } else { String::new() }
    }

    /// All ranks make a window.
    fn make(&mut self, maker: &Instruction, dice: &mut Dice) {
        let info = dice.one_in(4).then(|| self.one_of("wininfo", 1, dice));
        let unit = if dice.one_in(8) { 2 } else { 1 };
        let brought = self.of.brings(maker);
        let within = (0..self.ranks()).map(|_| usize::from(!brought && dice.one_in(5))).collect();
        self.within.push(within);
        for rank in 0..self.ranks() {
            let (memory, window, array) = (self.memory(), self.window, self.array);
            let values: Vec<String> = (0..array).map(|i| (100 * (rank + 1) + 10 * window + i).to_string()).collect();
            self.p.heads[rank].push(format!("int {memory}[{array}] = {{{}}}", values.join(", ")));
            let mut arguments = vec![];
            for param in &maker.params {
                let kind = self.of.decls.kind(param);
                let value = match (&kind.shape, kind.name.as_str(), param.name.as_str()) {
                    (Shape::Local | Shape::LocalOrNone, ..) => match self.within[window][rank] {
                        0 => memory.clone(),
                        at => format!("{memory}[{at}]"),
                    },
                    (_, "bytes", "size") => ROOM.to_string(),
                    (_, "bytes", _) if unit > 1 => unit.to_string(),
                    (_, "wininfo", _) if info.is_some() => info.clone().unwrap_or_default(),
                    (_, "newwin", _) => self.win(),
                    _ => continue,
                };
                arguments.push(format!("{}: {value}", param.name));
            }
            self.say(rank, format!("{}({})", maker.name, arguments.join(", ")));
        }
    }

    /// A random rank that may be the same.
    fn rank(&self, dice: &mut Dice) -> usize {
        dice.roll(self.ranks())
    }

    /// A call of an operation by a rank on another one's window, or its own, and what completes its request.
    fn operation(&mut self, rank: usize, target: usize, dice: &mut Dice) {
        let of = self.of;
        let mut function = of.operations[dice.roll(of.operations.len())];
        let is_update = |f: &Instruction| f.params.iter().any(|p| of.decls.kinds[p.kind].name == "update");
        if self.updates && dice.one_in(2) {
            let updates: Vec<&Instruction> = of.operations.iter().copied().filter(|f| is_update(f)).collect();
            function = updates.get(dice.roll(updates.len().max(1))).copied().unwrap_or(function);
        }
        let many = function.params.iter().any(|p| of.decls.kinds[p.kind].name == "count");
        let count = if many { [1, 1, 1, 2, 0][dice.roll(5)] } else { 1 };
        let place = if self.apart && self.used[target] + count <= ROOM {
            self.used[target]
        } else {
            // Few places, so that operations meet.
            let places = if dice.one_in(4) { ROOM + 1 - count } else { 2 };
            dice.roll(places)
        };
        self.used[target] = place + count;
        let op = match dice.roll(6) {
            0 => self.one_of("update", 1, dice),
            _ => self.op.clone(),
        };
        let nowhere = dice.one_in(30);
        let (mut arguments, mut calls) = (vec![], vec![]);
        for param in &function.params {
            let kind = of.decls.kind(param);
            let value = match (&kind.shape, kind.name.as_str()) {
                (Shape::Local | Shape::LocalOrNone, name) => {
                    let buffer = self.name("b");
                    // What is compared is now and then what is there.
                    let first = if name == "compared" {
                        100 * (target + 1) + 10 * self.window + place
                    } else {
                        10 * self.names
                    };
                    let room = count.max(1);
                    let values: Vec<String> = (0..room).map(|i| (first + i).to_string()).collect();
                    self.p.heads[rank].push(format!("int {buffer}[{room}] = {{{}}}", values.join(", ")));
                    if !kind.is_in {
                        self.p.shown[rank].extend((0..room).map(|i| format!("{buffer}[{i}]")));
                    }
                    buffer
                }
                (_, "count") => count.to_string(),
                (_, "rank") if nowhere => "MPI_PROC_NULL".to_owned(),
                (_, "rank") => target.to_string(),
                (_, "number") => place.to_string(),
                (_, "update") => op.clone(),
                (_, "win") => self.win(),
                (_, "request") => {
                    // Messages between the epochs number their requests themselves.
                    let request = self.name("rq");
                    calls.extend(self.completion(rank, &request, dice));
                    request
                }
                _ => continue,
            };
            arguments.push(format!("{}: {value}", param.name));
        }
        self.say(rank, format!("{}({})", function.name, arguments.join(", ")));
        self.p.bodies[rank].extend(calls);
    }

    fn completion(&mut self, rank: usize, request: &str, dice: &mut Dice) -> Vec<String> {
        match dice.roll(6) {
            0 => {
                let flag = self.name("f");
                self.p.shown[rank].push(flag.clone());
                vec![format!("MPI_Test({request}, flag: {flag})")]
            }
            1 => vec![format!("MPI_Waitall([{request}])")],
            2 => vec![],
            _ => vec![format!("MPI_Wait({request})")],
        }
    }

    fn fences(&mut self, operations: usize, dice: &mut Dice) {
        let epochs = 1 + dice.roll(2);
        for epoch in 0..=epochs {
            for rank in 0..self.ranks() {
                let assertion = self.assertion(dice);
                self.say(rank, format!("MPI_Win_fence({assertion}win: {})", self.win()));
                if epoch > 0 && dice.one_in(3) {
                    self.look(rank, dice);
                }
            }
            if epoch == epochs {
                break;
            }
            for k in 0..operations {
                if k % epochs == epoch {
                    let (rank, target) = (self.rank(dice), self.rank(dice));
                    self.operation(rank, target, dice);
                }
            }
        }
    }

    /// Each rank is an origin of some and a target of some.
    fn posts(&mut self, operations: usize, dice: &mut Dice) {
        let ranks = self.ranks();
        let pairs: Vec<(usize, usize)> = (0..operations).map(|_| (self.rank(dice), self.rank(dice))).collect();
        let access = |rank: usize| -> Vec<usize> { (0..ranks).filter(|t| pairs.contains(&(rank, *t))).collect() };
        let exposure = |rank: usize| -> Vec<usize> { (0..ranks).filter(|o| pairs.contains(&(*o, rank))).collect() };
        for rank in 0..ranks {
            let (targets, origins, win) = (access(rank), exposure(rank), self.win());
            // Who starts first perhaps waits for posts of others before it posts itself.
            let late = dice.one_in(4);
            if !late {
                self.post(rank, &origins, dice);
            }
            if !targets.is_empty() {
                let group = self.group(rank, &targets);
                let assertion = self.assertion(dice);
                self.say(rank, format!("MPI_Win_start({group}, {assertion}win: {win})"));
                for (_, target) in pairs.iter().filter(|(o, _)| *o == rank) {
                    self.operation(rank, *target, dice);
                }
                self.say(rank, format!("MPI_Win_complete({win})"));
            }
            if late {
                self.post(rank, &origins, dice);
            }
            if origins.is_empty() {
                continue;
            }
            if dice.one_in(4) {
                let flag = self.name("f");
                self.say(rank, format!("MPI_Win_test({win}, {flag})"));
                self.say(rank, format!("if {flag} = 0 {{ MPI_Win_wait({win}) }}"));
                self.p.shown[rank].push(flag);
            } else {
                self.say(rank, format!("MPI_Win_wait({win})"));
            }
            if dice.one_in(3) {
                self.look(rank, dice);
            }
        }
    }

    /// A group of these ranks, by the window's.
    fn group(&mut self, rank: usize, of: &[usize]) -> String {
        let (all, some, win) = (self.name("g"), self.name("h"), self.win());
        self.say(rank, format!("MPI_Win_get_group({win}, {all})"));
        self.say(rank, format!("MPI_Group_incl({all}, {of:?}, {some})"));
        some
    }

    fn post(&mut self, rank: usize, origins: &[usize], dice: &mut Dice) {
        if !origins.is_empty() {
            let (group, assertion, win) = (self.group(rank, origins), self.assertion(dice), self.win());
            self.say(rank, format!("MPI_Win_post({group}, {assertion}win: {win})"));
        }
    }

    fn locks(&mut self, operations: usize, dice: &mut Dice) {
        let pairs: Vec<(usize, usize)> = (0..operations).map(|_| (self.rank(dice), self.rank(dice))).collect();
        let win = self.win();
        for rank in 0..self.ranks() {
            let own: Vec<usize> = pairs.iter().filter(|(o, _)| *o == rank).map(|(_, t)| *t).collect();
            if own.is_empty() {
                continue;
            }
            if dice.one_in(3) {
                let assertion = self.assertion(dice);
                self.say(rank, format!("MPI_Win_lock_all({assertion}win: {win})"));
                own.iter().for_each(|t| self.locked(rank, *t, dice));
                self.say(rank, format!("MPI_Win_unlock_all({win})"));
                continue;
            }
            let mut targets = own.clone();
            targets.dedup();
            // One epoch behind the other, or all of them within each other.
            let nested = dice.one_in(3);
            if nested {
                targets.sort_unstable();
                targets.dedup();
            }
            let mut open = vec![];
            for target in &targets {
                let (how, assertion) = (self.one_of("locktype", 0, dice), self.assertion(dice));
                self.say(rank, format!("MPI_Win_lock({how}, {target}, {assertion}win: {win})"));
                let mine = own.iter().filter(|t| *t == target).count();
                (0..mine).for_each(|_| self.locked(rank, *target, dice));
                if *target == rank && dice.one_in(2) {
                    self.look(rank, dice);
                }
                let unlock = format!("MPI_Win_unlock({target}, {win})");
                if nested { open.push(unlock) } else { self.say(rank, unlock) }
            }
            open.into_iter().for_each(|unlock| self.say(rank, unlock));
        }
    }

    /// An operation under a lock, and what synchronises it there, if anything does.
    fn locked(&mut self, rank: usize, target: usize, dice: &mut Dice) {
        self.operation(rank, target, dice);
        if !dice.one_in(3) {
            return;
        }
        let of = self.of;
        let function = of.within[dice.roll(of.within.len())];
        let arguments = function.params.iter().map(|p| match of.decls.kinds[p.kind].name.as_str() {
            "rank" => target.to_string(),
            _ => self.win(),
        });
        let call = format!("{}({})", function.name, arguments.collect::<Vec<_>>().join(", "));
        self.say(rank, call);
        if dice.one_in(3) {
            self.message(rank, target, dice);
        }
    }

    /// Tells another rank how far this one is.
    fn message(&mut self, rank: usize, target: usize, dice: &mut Dice) {
        if rank == target {
            return;
        }
        let into = self.name("x");
        self.say(rank, format!("MPI_Send({}, dest: {target}, tag: 7)", self.names));
        let receive = format!("MPI_Recv({into}, source: {rank}, tag: 7)");
        let memory = self.memory();
        let seen = self.name("r");
        let load = format!("{seen} := {memory}[{}]", dice.roll(self.array));
        // Behind the making of windows, so that the load is of the window's memory.
        let body = &mut self.p.bodies[target];
        let made = body.iter().rposition(|c| self.of.makers.iter().any(|m| c.starts_with(&format!("{}(", m.name))));
        let mut rest = body.split_off(made.map_or(0, |at| at + 1));
        scatter(dice, &mut rest, vec![receive, load]);
        body.extend(rest);
        self.p.shown[target].extend([into, seen]);
    }

    /// A load or a store of the rank's own window.
    fn look(&mut self, rank: usize, dice: &mut Dice) {
        let (memory, at) = (self.memory(), dice.roll(self.array));
        if dice.one_in(2) {
            let seen = self.name("r");
            self.say(rank, format!("{seen} := {memory}[{at}]"));
            self.p.shown[rank].push(seen);
        } else {
            let value = self.names + 900;
            self.names += 1;
            self.say(rank, format!("{memory}[{at}] := {value}"));
        }
    }

    /// Between two phases: a barrier mostly, and loads and stores.
    fn between(&mut self, dice: &mut Dice) {
        let barriers = dice.roll(3);
        for rank in 0..self.ranks() {
            if barriers > 0 {
                self.say(rank, "MPI_Barrier()".to_owned());
                if dice.one_in(2) {
                    self.look(rank, dice);
                }
            }
        }
        if barriers > 1 {
            (0..self.ranks()).for_each(|rank| self.say(rank, "MPI_Barrier()".to_owned()));
        }
    }

    /// Windows are freed, mostly. Memory that the library brought is looked at before, since it goes with its window.
    fn end(&mut self, maker: &Instruction, freed: bool) {
        let brought = self.of.brings(maker);
        for rank in 0..self.ranks() {
            let memory = self.memory();
            if freed && brought {
                for at in 0..self.array {
                    let seen = self.name("r");
                    self.say(rank, format!("{seen} := {memory}[{at}]"));
                    self.p.shown[rank].push(seen);
                }
            } else {
                self.p.shown[rank].extend((0..self.array).map(|at| format!("{memory}[{at}]")));
            }
            if freed {
                let win = self.win();
                self.say(rank, format!("MPI_Win_free({win})"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Windows, windows};
    use crate::generate::calls_all;
    use litmpi_spec::load::load_shipped;
    use std::collections::BTreeSet;

    #[test]
    fn every_operation_on_windows_that_is_declared_is_called_and_every_program_can_be_read() {
        let spec = load_shipped("mpi").expect("a shipped model");
        let of = Windows::new(&spec.instructions);
        let names = |some: &[&litmpi_spec::decl::Instruction]| -> BTreeSet<String> {
            some.iter().map(|i| i.name.clone()).collect()
        };
        assert!(of.operations.len() >= 10 && names(&of.operations).contains("MPI_Compare_and_swap"));
        assert!(of.within.len() >= 5 && !names(&of.within).contains("MPI_Win_unlock"));
        let left: BTreeSet<String> =
            [&of.makers, &of.operations, &of.within].iter().flat_map(|some| names(some)).collect();
        calls_all(windows, left, &spec.instructions);
    }
}
