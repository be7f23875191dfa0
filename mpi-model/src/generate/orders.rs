//! Random programs that use the communicators that they make: each member asks for its rank, and how the communicator compares to others, and what is sent and
//! gathered goes by the order of its members.
//!
//! Keys and groups are such that this is often another order than that of `MPI_COMM_WORLD`, and equal keys are among them. The functions are those of
//! [`communicators`](super::communicators), from their declarations.

use super::Dice;
use super::communicators::{makers, making};
use super::runs::Program;
use litmpi_spec::decl::{Instruction, Instructions};

/// A communicator: its name, and the ranks of `MPI_COMM_WORLD` that are its members, in its order, for each of its groups.
struct Comm {
    name: String,
    groups: Vec<Vec<usize>>,
}

/// The litmus test of at most so many ranks that a seed stands for; the same seed gives the same text.
pub fn orders(seed: u64, most: usize, decls: &Instructions) -> String {
    let mut dice = Dice::new(!seed);
    // Two processes have few orders.
    let ranks = dice.ranks(most, 2);
    let mut p = Program::new(ranks);
    let all = makers(decls);
    let mut comms = vec![Comm { name: "MPI_COMM_WORLD".to_owned(), groups: vec![(0..ranks).collect()] }];
    for _ in 0..1 + dice.roll(2) {
        // Of all processes, so that all call it.
        let whole: Vec<&Comm> = comms.iter().filter(|c| c.groups.len() == 1 && c.groups[0].len() == ranks).collect();
        let of = whole[dice.roll(whole.len())];
        let function = all[dice.roll(all.len())];
        let name = p.name("c");
        let made = make(&mut p, function, (of, name), &mut dice, decls);
        asked(&mut p, of, &made, &mut dice);
        comms.push(made);
    }
    let used = &comms[1 + dice.roll(comms.len() - 1)];
    message(&mut p, used, &mut dice);
    if dice.one_in(2) {
        gathered(&mut p, used);
    }
    p.show_what_fits();
    p.text("communicators2", seed)
}

/// Members in another order, now and then.
fn shuffled(mut members: Vec<usize>, dice: &mut Dice) -> Vec<usize> {
    for i in (1..members.len()).rev() {
        members.swap(i, dice.roll(i + 1));
    }
    members
}

/// All processes make a communicator of one of which all are members.
fn make(
    p: &mut Program,
    function: &Instruction,
    (of, name): (&Comm, String),
    dice: &mut Dice,
    decls: &Instructions,
) -> Comm {
    let kind = |name: &str| function.params.iter().any(|p| decls.kinds[p.kind].name == name);
    let parent = &of.groups[0];
    let ranks = parent.len();
    let keys: Vec<usize> = (0..ranks).map(|_| dice.roll(2)).collect();
    let colours: Vec<usize> = (0..ranks).map(|_| if ranks > 2 && dice.one_in(4) { 1 } else { 0 }).collect();
    let mut members = shuffled((0..ranks).collect(), dice);
    if ranks > 2 && dice.one_in(4) {
        members.pop();
    }
    let groups = if kind("colour") {
        let with = |colour: usize| {
            let mut all: Vec<usize> = (0..ranks).filter(|i| colours[*i] == colour).collect();
            all.sort_by_key(|i| (keys[*i], *i));
            all.into_iter().map(|i| parent[i]).collect::<Vec<usize>>()
        };
        [0, 1].into_iter().map(with).filter(|group| !group.is_empty()).collect()
    } else if kind("group") {
        vec![members.iter().map(|i| parent[*i]).collect()]
    } else {
        vec![parent.clone()]
    };
    // Of a group alone, those call it that are in it: it says with which tag they find each other.
    let alone = kind("tag");
    for (i, &rank) in parent.iter().enumerate() {
        if alone && !members.contains(&i) {
            continue;
        }
        let mut value = |kind: &str| if kind == "colour" { colours[i] } else { keys[i] }.to_string();
        let calls = making(p, function, (&of.name, &name), &members, decls, &mut value);
        p.bodies[rank].extend(calls);
    }
    Comm { name, groups }
}

/// Each member asks for its rank, and how the communicator compares to the one that it was made of.
fn asked(p: &mut Program, of: &Comm, made: &Comm, dice: &mut Dice) {
    for &rank in made.groups.iter().flatten() {
        let own = p.name("r");
        p.bodies[rank].push(format!("MPI_Comm_rank({}, {own})", made.name));
        p.shown[rank].push(own);
        if dice.one_in(2) {
            let result = p.name("e");
            p.bodies[rank].push(format!("MPI_Comm_compare({}, {}, {result})", of.name, made.name));
            p.shown[rank].push(result);
        }
    }
}

/// A message between two members, whose source is told.
fn message(p: &mut Program, comm: &Comm, dice: &mut Dice) {
    let Some(group) = comm.groups.iter().find(|g| g.len() > 1) else { return };
    let from = dice.roll(group.len());
    let to = (from + 1 + dice.roll(group.len() - 1)) % group.len();
    let (into, status, name) = (p.name("x"), p.name("s"), &comm.name);
    p.bodies[group[from]].push(format!("MPI_Send({}, dest: {to}, comm: {name})", 70 + group[from]));
    // Of two senders either may come first.
    let other = (0..group.len()).find(|i| ![from, to].contains(i)).filter(|_| dice.one_in(2));
    if let Some(other) = other {
        let more = p.name("x");
        p.bodies[group[other]].push(format!("MPI_Send({}, dest: {to}, comm: {name})", 70 + group[other]));
        p.bodies[group[to]].push(format!("MPI_Recv({more}, source: any, comm: {name})"));
        p.shown[group[to]].push(more);
    }
    let source = if other.is_some() || dice.one_in(2) { "any".to_owned() } else { from.to_string() };
    p.bodies[group[to]].push(format!("MPI_Recv({into}, source: {source}, comm: {name}, status: {status})"));
    p.shown[group[to]].extend([into, format!("{status}.source")]);
}

/// What each member gives, in the order of the communicator.
fn gathered(p: &mut Program, comm: &Comm) {
    let (into, name) = (p.name("b"), &comm.name);
    for group in &comm.groups {
        for &rank in group {
            p.heads[rank].push(format!("int {into}[{}]", group.len()));
            p.bodies[rank].push(format!("MPI_Allgather({}, recvbuf: {into}, comm: {name})", 50 + rank));
            p.shown[rank].extend((0..group.len()).map(|i| format!("{into}[{i}]")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{makers, orders};
    use crate::generate::calls_all;
    use litmpi_spec::load::load_shipped;
    use std::collections::BTreeSet;

    #[test]
    fn communicators_are_made_by_every_function_that_is_declared_and_every_program_can_be_read() {
        let spec = load_shipped("mpi").expect("a shipped model");
        let of = &spec.instructions;
        let mut left: BTreeSet<String> = makers(of).iter().map(|i| i.name.clone()).collect();
        left.extend(["MPI_Comm_rank", "MPI_Comm_compare", "MPI_Allgather"].map(str::to_owned));
        calls_all(orders, left, of);
    }
}
