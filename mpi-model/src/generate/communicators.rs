//! Random programs of messages on communicators that are made and freed under way, from the declarations: whatever makes a
//! communicator of others, groups, colours and keys is called, and a function that is added to the specification is made without a
//! change here.
//!
//! All ranks call the same functions in the same order. Messages, probes and collectives are on any of the communicators, with few tags, so that
//! what a communicator keeps apart could meet. A communicator is freed at any time after it was made, while messages are under way, too.
//! A program may leave a message, or a request, on a communicator that goes; libraries may give its context to one of the next iteration, where
//! what was left then arrives. `cli/src/generate` leaves such programs out.
//! Ranks that are none of a communicator's, and communicators that a process does not have, the model tells.

use super::runs::Program;
use super::{Dice, is_call, scatter};
use litmpi_spec::decl::{Instruction, Instructions, Param};

/// Kinds of which all parameters of such a function are.
const KINDS: [&str; 7] = ["comm", "newcomm", "colour", "value", "group", "tag", "request"];

/// The functions that make a communicator, in the order of their declarations.
pub(super) fn makers(decls: &Instructions) -> Vec<&Instruction> {
    let kind = |p: &Param| decls.kinds[p.kind].name.as_str();
    let all = decls.list.iter().filter(|i| is_call(i));
    let makes = |i: &Instruction| ["comm", "newcomm"].iter().all(|name| i.params.iter().any(|p| kind(p) == *name));
    all.filter(|i| makes(i) && i.params.iter().all(|p| KINDS.contains(&kind(p)))).collect()
}

/// The litmus test of at most so many ranks that a seed stands for; the same seed gives the same text.
pub fn communicators(seed: u64, most: usize, decls: &Instructions) -> String {
    let mut dice = Dice::new(seed);
    let mut p = Program::new(dice.ranks(most, 3));
    let ranks = p.bodies.len();
    let all = makers(decls);
    let mut comms = vec!["MPI_COMM_WORLD".to_owned()];
    let mut heads = vec![vec![]; ranks];
    for _ in 0..1 + dice.roll(2) {
        let of = comms[dice.roll(comms.len())].clone();
        let name = p.name("c");
        make(&mut p, &mut heads, all[dice.roll(all.len())], (&of, &name), &mut dice, decls);
        comms.push(name);
    }
    for _ in 0..1 + dice.roll(2) {
        on(&mut p, &comms, &mut dice);
        p.message(&mut dice);
    }
    if dice.one_in(3) {
        on(&mut p, &comms, &mut dice);
        p.collective(&mut dice);
    }
    if dice.one_in(4) {
        on(&mut p, &comms, &mut dice);
        p.probe(&mut dice);
    }
    for comm in comms.iter().skip(1) {
        let when = dice.roll(3);
        for body in &mut p.bodies {
            let call = format!("MPI_Comm_free({comm})");
            match when {
                0 => {}
                1 => body.push(call),
                // Behind the last call that speaks of it: others would speak of nothing.
                _ => {
                    let last = body.iter().rposition(|c| c.contains(&format!("comm: {comm}"))).map_or(0, |i| i + 1);
                    let mut rest = body.split_off(last);
                    scatter(&mut dice, &mut rest, vec![call]);
                    body.extend(rest);
                }
            }
        }
    }
    for (body, head) in p.bodies.iter_mut().zip(heads) {
        body.splice(0..0, head);
    }
    p.text("communicators", seed)
}

/// What is made next is on one of these.
fn on(p: &mut Program, comms: &[String], dice: &mut Dice) {
    let comm = &comms[dice.roll(comms.len())];
    p.on = if comm == "MPI_COMM_WORLD" { String::new() } else { format!(", comm: {comm}") };
}

/// All ranks make a communicator: mostly of all of them, in their order.
fn make(
    p: &mut Program,
    heads: &mut [Vec<String>],
    function: &Instruction,
    (of, name): (&str, &str),
    dice: &mut Dice,
    decls: &Instructions,
) {
    let ranks = heads.len();
    let (same, ordered, whole) = (!dice.one_in(4), !dice.one_in(4), !dice.one_in(4));
    let mut members: Vec<usize> = (0..ranks).collect();
    if !whole {
        members.remove(dice.roll(ranks));
    }
    if !ordered {
        members.reverse();
    }
    for (rank, head) in heads.iter_mut().enumerate() {
        let mut value = |kind: &str| match kind {
            "colour" if same => "3".to_owned(),
            "colour" if dice.one_in(3) => "MPI_UNDEFINED".to_owned(),
            "colour" => dice.roll(2).to_string(),
            _ if ordered => "0".to_owned(),
            _ => (ranks - rank).to_string(),
        };
        head.extend(making(p, function, (of, name), &members, decls, &mut value));
    }
}

/// The statements by which a process calls a function that makes a communicator, of these members of the one that it is made of if it takes a group; `value`
/// gives the colour and the key.
pub(super) fn making(
    p: &mut Program,
    function: &Instruction,
    (of, name): (&str, &str),
    members: &[usize],
    decls: &Instructions,
    value: &mut dyn FnMut(&str) -> String,
) -> Vec<String> {
    let (mut out, mut arguments, mut after) = (vec![], vec![], vec![]);
    for param in &function.params {
        let given = match decls.kinds[param.kind].name.as_str() {
            "comm" => of.to_owned(),
            "newcomm" => name.to_owned(),
            kind @ ("colour" | "value") => value(kind),
            "group" => {
                let (all, some) = (p.name("g"), p.name("h"));
                out.push(format!("MPI_Comm_group({of}, {all})"));
                out.push(format!("MPI_Group_incl({all}, {members:?}, {some})"));
                some
            }
            "request" => {
                let request = p.name("q");
                after.push(format!("MPI_Wait({request})"));
                request
            }
            _ => continue,
        };
        arguments.push(format!("{}: {given}", param.name));
    }
    out.push(format!("{}({})", function.name, arguments.join(", ")));
    out.extend(after);
    out
}

#[cfg(test)]
mod tests {
    use super::{communicators, makers};
    use crate::generate::calls_all;
    use litmpi_spec::load::load_shipped;
    use std::collections::BTreeSet;

    #[test]
    fn every_function_that_makes_communicators_and_is_declared_is_called_and_every_program_can_be_read() {
        let spec = load_shipped("mpi").expect("a shipped model");
        let of = &spec.instructions;
        let left: BTreeSet<String> = makers(of).iter().map(|i| i.name.clone()).collect();
        assert!(left.len() >= 5 && left.contains("MPI_Comm_idup") && left.contains("MPI_Comm_split"), "{left:?}");
        calls_all(communicators, left, of);
    }
}
