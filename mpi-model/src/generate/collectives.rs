//! Random programs of collectives, made from their declarations: whatever function the specification declares with parameters of
//! the kinds that are listed here is called, blocking, not blocking or persistent as it has a request or none. A function that is added to
//! the specification is made without a change here.
//!
//! All ranks call the same functions in the same order, with counts, operations and roots that agree; requests are completed at once or when all have
//! been started, so that collectives overlap. Messages stand beside them. Neighbourhood collectives are on a ring. What is nevertheless
//! erroneous (an operation that is not for integers, `MPI_IN_PLACE` where it may not be) the model tells.

use super::runs::Program;
use super::topologies::{Place, collectives_of};
use super::{Dice, RANKS, is_call};
use litmpi_spec::decl::{Instruction, Instructions, Param, Shape};

/// Kinds of which all parameters of such a function are that are no buffers.
pub(super) const KINDS: [&str; 7] = ["count", "displacement", "datatype", "op", "root", "comm", "request"];
/// Elements of a buffer, if there may be no more than [`RANKS`]: as many as a rank gets from three ranks, two from each.
const ROOM: usize = 6;
/// The communicator with a topology, where one is wanted.
const RING: &str = "_ring";

/// The functions that are called, in the order of their declarations.
fn functions(decls: &Instructions) -> Vec<usize> {
    functions_of(decls, &KINDS)
}

/// The functions of which all parameters that are no buffers are of these kinds.
pub(super) fn functions_of(decls: &Instructions, kinds: &[&str]) -> Vec<usize> {
    let kind = |p: &Param| decls.kinds[p.kind].name.as_str();
    let is_buffer = |p: &Param| matches!(decls.kind(p).shape, Shape::Local | Shape::LocalOrNone);
    let fits = |p: &Param| is_buffer(p) || kinds.contains(&kind(p));
    let fits = |i: &Instruction| i.params.iter().any(|p| kind(p) == "comm") && i.params.iter().all(fits);
    (0..decls.list.len()).filter(|i| is_call(&decls.list[*i]) && fits(&decls.list[*i])).collect()
}

/// The litmus test of at most so many ranks that a seed stands for, of these functions, or of all if there are none here; the same seed gives the same text.
pub fn collectives(seed: u64, most: usize, decls: &Instructions, with: &[usize]) -> String {
    let mut dice = Dice::new(seed);
    let mut p = Program::new(dice.ranks(most, 3));
    let ranks = p.bodies.len();
    // Those with a datatype for each part are called where they are named: without names, a seed stands for what it always stood for.
    let mut all = if with.is_empty() { functions(decls) } else { all_functions(decls) };
    all.retain(|i| with.is_empty() || with.contains(i));
    let mut later = vec![vec![]; ranks];
    for k in 0..1 + dice.roll(2) {
        let function = &decls.list[all[dice.roll(all.len())]];
        Call::new(function, k, (place(function, ranks, decls), most), &mut dice, decls)
            .add(&mut p, &mut later, &mut dice, decls);
    }
    for (body, later) in p.bodies.iter_mut().zip(later) {
        body.extend(later);
    }
    if dice.one_in(2) {
        p.message(&mut dice);
    }
    p.show_what_fits();
    p.text("collectives", seed)
}

/// The same with reductions of pairs (`MPI_MINLOC`, `MPI_MAXLOC`) and collectives with a datatype for each part, of which most calls are if there are
/// any among these functions; those among neighbours only if they are named. The same seed gives the same text.
pub fn pairs_and_parts(seed: u64, most: usize, decls: &Instructions, with: &[usize]) -> String {
    let mut dice = Dice::new(!seed);
    let mut p = Program::new(dice.ranks(most, 2));
    let ranks = p.bodies.len();
    let mut all = if with.is_empty() { collectives_of(decls, true) } else { all_functions(decls) };
    all.retain(|i| with.is_empty() || with.contains(i));
    let has = |i: usize, name: &str| decls.list[i].params.iter().any(|p| decls.kinds[p.kind].name == name);
    let of = |keep: &dyn Fn(usize) -> bool| all.iter().copied().filter(|i| keep(*i)).collect::<Vec<usize>>();
    let reductions = of(&|i| has(i, "op"));
    let blocking = of(&|i| has(i, "op") && !has(i, "request"));
    let parted = of(&|i| has(i, "oldtype"));
    let mut later = vec![vec![]; ranks];
    for k in 0..1 + dice.roll(2) {
        let of = match dice.roll(5) {
            0 if !blocking.is_empty() => &blocking,
            1 if !reductions.is_empty() => &reductions,
            2 if !parted.is_empty() => &parted,
            _ => &all,
        };
        let function = &decls.list[of[dice.roll(of.len())]];
        let mut call = Call::new(function, k, (place(function, ranks, decls), most), &mut dice, decls);
        if !dice.one_in(3) {
            call.of_pairs(&mut dice, decls);
        }
        call.add(&mut p, &mut later, &mut dice, decls);
    }
    for (body, later) in p.bodies.iter_mut().zip(later) {
        body.extend(later);
    }
    p.show_what_fits();
    p.text("collectives2", seed)
}

/// What a function is called on: all ranks, or neighbours on a ring.
fn place(function: &Instruction, ranks: usize, decls: &Instructions) -> Place {
    let comm = function.params.iter().find(|p| decls.kinds[p.kind].name == "comm");
    let neighbours = comm.is_some_and(|p| p.default.is_none());
    if neighbours { Place::all(Some(RING), ranks, 2) } else { Place::all(None, ranks, ranks) }
}

/// All collectives of processes that are declared, with a datatype for all parts or for each, in the order of their declarations.
pub fn all_functions(decls: &Instructions) -> Vec<usize> {
    let mut all: Vec<usize> = [true, false].into_iter().flat_map(|of_all| collectives_of(decls, of_all)).collect();
    all.extend(functions(decls));
    all.sort_unstable();
    all.dedup();
    all
}

/// A call of a function by all ranks: what they agree on.
pub(super) struct Call<'d> {
    function: &'d Instruction,
    number: usize,
    count: usize,
    /// Elements of each buffer.
    room: usize,
    root: usize,
    op: String,
    /// Values are of one digit.
    small: bool,
    /// Parts stand in the buffer from the last one to the first.
    backwards: bool,
    in_place: bool,
    /// The datatype of pairs, where the operation is of them.
    pairs: Option<String>,
    place: Place,
}

impl<'d> Call<'d> {
    /// A call of this function, the program's call of this number, with ranks of which there may be so many.
    pub(super) fn new(
        function: &'d Instruction,
        number: usize,
        (place, most): (Place, usize),
        dice: &mut Dice,
        decls: &Instructions,
    ) -> Call<'d> {
        let ranks = place.outs.len();
        // With many ranks a part may be cut into pieces, one for each of them: there are as many elements, one more, or fewer.
        let counts = if most == RANKS { [0, 1, 1, 2] } else { [1, 2, ranks, ranks + 1] };
        let op = function.params.iter().find(|p| decls.kinds[p.kind].name == "op");
        let op = op.map_or(String::new(), |p| {
            let names = &decls.kinds[p.kind].names;
            names[dice.roll(names.len())].0.clone()
        });
        let count = counts[dice.roll(4)];
        Call {
            function,
            number,
            count,
            room: (if most == RANKS { ROOM } else { ranks * count }).max(place.most() * count),
            root: dice.roll(ranks),
            small: most > RANKS && op == "MPI_PROD",
            op,
            backwards: dice.one_in(3),
            in_place: dice.one_in(4),
            pairs: None,
            place,
        }
    }

    /// Makes it a reduction of pairs, if it is a reduction: of values, few so that some are equal, and where they are.
    fn of_pairs(&mut self, dice: &mut Dice, decls: &Instructions) {
        let param = |name: &str| self.function.params.iter().find(|p| decls.kinds[p.kind].name == name);
        let names = |name: &str| param(name).map_or(&[][..], |p| &decls.kinds[p.kind].names);
        let ops: Vec<&String> = names("op").iter().map(|(n, _)| n).filter(|n| n.ends_with("LOC")).collect();
        let pairs = names("datatype").iter().map(|(n, _)| n).find(|n| n.starts_with("MPI_2"));
        let (Some(pairs), false) = (pairs, ops.is_empty()) else { return };
        (self.op, self.pairs) = (ops[dice.roll(ops.len())].clone(), Some(pairs.clone()));
    }

    /// All ranks call it, and complete its requests at once or with those that are later.
    pub(super) fn add(&self, p: &mut Program, later: &mut [Vec<String>], dice: &mut Dice, decls: &Instructions) {
        for (rank, later) in later.iter_mut().enumerate() {
            if self.place.comm == Some(RING) && !p.bodies[rank].iter().any(|s| s.contains(RING)) {
                let ranks = p.bodies.len();
                p.bodies[rank].push(format!("MPI_Cart_create(dims: [{ranks}], periods: [1], newcomm: {RING})"));
            }
            let call = self.call(rank, p, decls);
            p.bodies[rank].push(call);
            let Some(request) = self.request(decls) else { continue };
            let mut calls = vec![];
            if self.function.name.ends_with("_init") {
                p.bodies[rank].push(format!("MPI_Start({request})"));
            }
            match dice.roll(6) {
                0 => {
                    let flag = format!("_f{}", self.number);
                    calls.push(format!("MPI_Test({request}, flag: {flag})"));
                    p.shown[rank].push(flag);
                }
                1 => calls.push(format!("MPI_Waitall([{request}])")),
                2 => {}
                _ => calls.push(format!("MPI_Wait({request})")),
            }
            if dice.one_in(2) { later.extend(calls) } else { p.bodies[rank].extend(calls) }
        }
    }

    fn request(&self, decls: &Instructions) -> Option<String> {
        let has = self.function.params.iter().any(|p| decls.kinds[p.kind].name == "request");
        has.then(|| format!("_q{}", self.number))
    }

    fn call(&self, rank: usize, p: &mut Program, decls: &Instructions) -> String {
        let (outs, ins) = (self.place.outs[rank], self.place.ins[rank]);
        let mut arguments = vec![];
        let mut place = 0;
        for param in &self.function.params {
            let name = &param.name;
            let parts = if name.starts_with('s') { outs } else { ins };
            let list = |each: &dyn Fn(usize) -> usize| {
                format!("[{}]", (0..parts).map(|i| each(i).to_string()).collect::<Vec<_>>().join(", "))
            };
            let kind = decls.kind(param);
            let value = match (&kind.shape, kind.name.as_str()) {
                (Shape::LocalOrNone, _) if self.in_place => "MPI_IN_PLACE".to_owned(),
                (Shape::Local | Shape::LocalOrNone, _) => {
                    let buffer = format!("_b{}_{place}", self.number);
                    // The product of eight numbers of three digits is no int.
                    let value = |i: usize| {
                        if self.pairs.is_some() {
                            if i.is_multiple_of(2) {
                                5 + (3 * rank + i / 2 + self.root) % 4
                            } else {
                                40 * (2 * rank + place) + i
                            }
                        } else if self.small {
                            1 + (rank + i) % 3
                        } else {
                            100 * (rank + 1) + 10 * place + i
                        }
                    };
                    let ints = if self.pairs.is_some() { 2 } else { 1 };
                    let values: Vec<String> = (0..self.room * ints).map(|i| value(i).to_string()).collect();
                    p.heads[rank].push(format!("int {buffer}[{}] = {{{}}}", values.len(), values.join(", ")));
                    // What is sent stays as it was.
                    if !kind.is_in {
                        p.shown[rank].extend((0..parts * self.count.max(1) * ints).map(|i| format!("{buffer}[{i}]")));
                    }
                    place += 1;
                    buffer
                }
                (_, "oldtype") => format!("[{}]", vec!["MPI_INT"; parts].join(", ")),
                (_, "count" | "number") if param.list => list(&|_| self.count),
                (_, "count") => self.count.to_string(),
                (_, "displacement" | "offset" | "bytes") if self.backwards => list(&|i| (parts - 1 - i) * self.count),
                (_, "displacement" | "offset" | "bytes") => list(&|i| i * self.count),
                (_, "datatype") => match &self.pairs {
                    Some(pairs) => pairs.clone(),
                    None => continue,
                },
                (_, "op") => self.op.clone(),
                (_, "root") => self.place.root(rank, self.root),
                (_, "request") => self.request(decls).unwrap_or_default(),
                (_, "comm") => match self.place.comm {
                    Some(comm) => comm.to_owned(),
                    None => continue,
                },
                _ => continue,
            };
            arguments.push(format!("{name}: {value}"));
        }
        format!("{}({})", self.function.name, arguments.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::{collectives, collectives_of, functions, pairs_and_parts};
    use crate::generate::calls_all;
    use litmpi_spec::load::load_shipped;
    use std::collections::BTreeSet;

    #[test]
    fn every_collective_that_is_declared_is_called_and_every_program_can_be_read() {
        let spec = load_shipped("mpi").expect("a shipped model");
        let left: BTreeSet<String> =
            functions(&spec.instructions).into_iter().map(|i| spec.instructions.list[i].name.clone()).collect();
        assert!(left.len() >= 60 && left.contains("MPI_Neighbor_alltoallv_init"), "{left:?}");
        calls_all(|seed, most, decls| collectives(seed, most, decls, &[]), left, &spec.instructions);
        let all = collectives_of(&spec.instructions, true).into_iter();
        let left: BTreeSet<String> = all.map(|i| spec.instructions.list[i].name.clone()).collect();
        assert!(["MPI_Alltoallw", "MPI_Ialltoallw", "MPI_Alltoallw_init"].iter().all(|name| left.contains(*name)));
        let reduces = |seed: u64, op: &str| pairs_and_parts(seed, 3, &spec.instructions, &[]).contains(op);
        for op in ["datatype: MPI_2INT, op: MPI_MINLOC", "datatype: MPI_2INT, op: MPI_MAXLOC"] {
            assert!((0..100).filter(|seed| reduces(*seed, op)).count() > 3, "{op}");
        }
        calls_all(|seed, most, decls| pairs_and_parts(seed, most, decls, &[]), left, &spec.instructions);
    }
}
