//! Random programs of messages with derived datatypes, made from the declarations: whatever makes a datatype of numbers and other
//! datatypes is called, and a function that is added to the specification is made without a change here.
//!
//! All ranks make the same datatypes, of MPI_INT or of each other, and each side of a message takes one of them, or as many ints. Now and then a rank asks
//! for the size or the bounds of one. The model tells which constructors have no such arguments, and which messages are of other types, too long, or reach beyond their buffers.

use super::runs::Program;
use super::{Dice, is_call, scatter};
use litmpi_spec::decl::{Instruction, Instructions, Param};

/// Kinds of which all parameters of a constructor are.
const KINDS: [&str; 8] = ["number", "bytes", "offset", "oldtype", "newtype", "order", "distribution", "share"];
/// Kinds of those of a function that tells how much was received.
const COUNTS: [&str; 3] = ["status", "datatype", "index"];
/// Kinds of what a function tells of a datatype.
const TOLD: [&str; 2] = ["size", "address"];
/// Once in so many programs, a datatype is asked for what it is.
const ASKED: usize = 4;
/// Elements of each buffer.
const ROOM: usize = 10;

fn calls(decls: &Instructions) -> impl Iterator<Item = &Instruction> {
    decls.list.iter().filter(|i| is_call(i))
}

/// The functions that make a datatype, in the order of their declarations.
fn constructors(decls: &Instructions) -> Vec<&Instruction> {
    let kind = |p: &Param| decls.kinds[p.kind].name.as_str();
    let has = |i: &Instruction, name: &str| i.params.iter().any(|p| kind(p) == name);
    calls(decls)
        .filter(|i| has(i, "newtype") && has(i, "oldtype") && i.params.iter().all(|p| KINDS.contains(&kind(p))))
        .collect()
}

/// The functions that tell of a status how much was received.
fn counters(decls: &Instructions) -> Vec<&Instruction> {
    let kind = |p: &Param| decls.kinds[p.kind].name.as_str();
    calls(decls)
        .filter(|i| i.params.len() == COUNTS.len() && i.params.iter().zip(COUNTS).all(|(p, name)| kind(p) == name))
        .collect()
}

/// The functions that tell of a datatype how large it is, and where it begins.
fn tellers(decls: &Instructions) -> Vec<&Instruction> {
    let kind = |p: &Param| decls.kinds[p.kind].name.as_str();
    let tells = |i: &Instruction| match &i.params[..] {
        [of, told @ ..] => kind(of) == "oldtype" && !told.is_empty() && told.iter().all(|p| TOLD.contains(&kind(p))),
        [] => false,
    };
    calls(decls).filter(|i| tells(i)).collect()
}

/// The litmus test of at most so many ranks that a seed stands for; the same seed gives the same text.
pub fn datatypes(seed: u64, most: usize, decls: &Instructions) -> String {
    let mut dice = Dice::new(seed);
    let mut p = Program::new(dice.ranks(most, 4));
    let ranks = p.bodies.len();
    let (all, counters) = (constructors(decls), counters(decls));
    let mut types: Vec<String> = vec![];
    let mut made = vec![];
    for _ in 0..1 + dice.roll(3) {
        let name = p.name("d");
        made.push(construct(all[dice.roll(all.len())], &name, &types, &mut dice, decls));
        made.push(format!("MPI_Type_commit({name})"));
        types.push(name);
    }
    for k in 0..1 + dice.roll(2) {
        message(&mut p, k, &types, &counters, &mut dice);
    }
    // Datatypes may go while what they are used for is under way.
    let frees = dice.roll(3);
    for body in &mut p.bodies {
        if frees == 1 {
            body.extend(types.iter().map(|name| format!("MPI_Type_free({name})")));
        }
        if frees == 2 {
            scatter(&mut dice, body, vec![format!("MPI_Type_free({})", types[0])]);
        }
    }
    for rank in 0..ranks {
        p.bodies[rank].splice(0..0, made.iter().cloned());
    }
    // Whether a datatype is asked has numbers of its own, so that the rest of a program does not depend on it.
    let mut rare = Dice::new(!seed);
    if rare.one_in(ASKED) {
        let tellers = tellers(decls);
        let (asked, teller) = (rare.roll(types.len()), tellers[rare.roll(tellers.len())]);
        let told = ["_of0", "_of1"].map(str::to_owned);
        let told = &told[..teller.params.len() - 1];
        p.bodies[0].insert(made.len(), format!("{}({}, {})", teller.name, types[asked], told.join(", ")));
        p.shown[0].extend_from_slice(told);
    }
    p.text("datatypes", seed)
}

/// A call of a constructor: small numbers, displacements that ascend.
fn construct(function: &Instruction, name: &str, types: &[String], dice: &mut Dice, decls: &Instructions) -> String {
    let items = 1 + dice.roll(2);
    let mut arguments = vec![];
    for param in &function.params {
        let kind = &decls.kinds[param.kind];
        let mut before = 0;
        let mut one = |dice: &mut Dice| match kind.name.as_str() {
            "newtype" => name.to_owned(),
            "oldtype" => match dice.roll(12) {
                // Not MPI_PACKED: in C it is a byte, where an element of a program is as long as it is run with.
                0 => ["MPI_DATATYPE_NULL", "MPI_FLOAT", "MPI_UNSIGNED", "MPI_2INT"][dice.roll(4)].to_owned(),
                1..5 if !types.is_empty() => types[dice.roll(types.len())].clone(),
                _ => "MPI_INT".to_owned(),
            },
            _ if !kind.names.is_empty() => kind.names[dice.roll(kind.names.len())].0.clone(),
            "offset" | "number" if param.list && param.name.contains("displacement") => {
                before += dice.roll(3);
                let at = before;
                before += 1;
                at.to_string()
            }
            // Now and then backwards.
            "bytes" if dice.one_in(8) => "-1".to_owned(),
            _ => [0, 1, 1, 1, 2, 2, 2, 3][dice.roll(8)].to_string(),
        };
        let value = if param.list {
            format!("[{}]", (0..items).map(|_| one(dice)).collect::<Vec<_>>().join(", "))
        } else {
            one(dice)
        };
        arguments.push(format!("{}: {value}", param.name));
    }
    format!("{}({})", function.name, arguments.join(", "))
}

/// A message whose sides have datatypes of their own.
fn message(p: &mut Program, k: usize, types: &[String], counters: &[&Instruction], dice: &mut Dice) {
    let ranks = p.bodies.len();
    let from = dice.roll(ranks);
    let to = (from + 1 + dice.roll(ranks - 1)) % ranks;
    let way = (from, to, dice.roll(2));
    let at = if dice.one_in(4) { 1 } else { 0 };
    let side = |p: &mut Program, rank: usize, letter: &str, most: usize, dice: &mut Dice| {
        let buffer = format!("_{letter}{k}");
        let values: Vec<String> = (0..ROOM).map(|i| (100 * (rank + 1) + 20 * k + i).to_string()).collect();
        p.heads[rank].push(format!("int {buffer}[{ROOM}] = {{{}}}", values.join(", ")));
        let place = if at == 0 { buffer.clone() } else { format!("{buffer}[{at}]") };
        let (count, datatype) = if dice.one_in(3) {
            (most, "MPI_INT".to_owned())
        } else {
            ([1, 1, 1, 2, 0][dice.roll(5)], types[dice.roll(types.len())].clone())
        };
        (buffer, place.clone(), datatype.clone(), format!("{place}, {count}, {datatype}"))
    };
    let ints = 1 + dice.roll(4);
    let (.., data) = side(p, from, "a", ints, dice);
    p.send(dice, way, &data);
    // Who receives ints has room for more of them than may come.
    let (buffer, _, datatype, data) = side(p, to, "b", ROOM - 1, dice);
    if dice.one_in(3) {
        let (status, count) = (p.name("s"), p.name("n"));
        let counter = counters[dice.roll(counters.len())].name.clone();
        let calls = vec![
            format!("MPI_Recv({data}, source: {from}, tag: any, status: {status})"),
            format!("{counter}({status}, {datatype}, {count})"),
        ];
        p.shown[to].push(count);
        scatter(dice, &mut p.bodies[to], calls);
        p.shown[to].extend((0..ROOM).map(|i| format!("{buffer}[{i}]")));
    } else if p.receive(dice, way, &data) {
        p.shown[to].extend((0..ROOM).map(|i| format!("{buffer}[{i}]")));
    }
}

#[cfg(test)]
mod tests {
    use super::{constructors, counters, datatypes, tellers};
    use crate::generate::calls_all;
    use litmpi_spec::load::load_shipped;
    use std::collections::BTreeSet;

    #[test]
    fn every_constructor_of_datatypes_that_is_declared_is_called_and_every_program_can_be_read() {
        let spec = load_shipped("mpi").expect("a shipped model");
        let of = &spec.instructions;
        let all = [constructors(of), counters(of), tellers(of)].concat();
        let left: BTreeSet<String> = all.iter().map(|i| i.name.clone()).collect();
        assert!(
            left.len() >= 16
                && left.contains("MPI_Type_get_true_extent")
                && left.contains("MPI_Type_create_struct")
                && left.contains("MPI_Get_elements")
        );
        calls_all(datatypes, left, of);
    }
}
