//! Random programs of collectives between the two groups of an intercommunicator, and among neighbours of grids and graphs, made from their
//! declarations as those of [`collectives`](super::collectives) are.
//!
//! The groups of an intercommunicator are the first ranks and the others, each in any order, led by any of its processes; messages go between
//! them, too, and now and then they are merged and have a collective together. A grid has one or two dimensions, periodic or not, and may be one of the
//! subgrids of another, which may have no dimension; a graph has any edges, now and then several between the same two processes, of which each rank gives
//! its own. What is nevertheless erroneous (a scan of two groups, counts that do not agree) the model tells.

use super::Dice;
use super::collectives::{Call, KINDS, functions_of};
use super::runs::Program;
use litmpi_spec::decl::{Instructions, Param};

/// Kinds of parameters of a collective with a datatype for each part, beside those of the others.
const PARTED: [&str; 4] = ["oldtype", "offset", "bytes", "number"];
/// The communicator of collectives, the group of which a process is one, and both groups as one.
const COMM: &str = "_comm";
const HALF: &str = "_half";
const ALL: &str = "_all";
/// The grid of which the communicator is a subgrid.
const WHOLE: &str = "_whole";

/// What a collective is called on.
#[derive(Clone)]
pub(super) struct Place {
    /// The communicator, unless it is `MPI_COMM_WORLD`.
    pub(super) comm: Option<&'static str>,
    /// How many parts each rank gives, one for each rank to which it sends, and how many it gets.
    pub(super) outs: Vec<usize>,
    pub(super) ins: Vec<usize>,
    /// Of two groups, the ranks of each in their order there.
    groups: Option<[Vec<usize>; 2]>,
}

impl Place {
    /// All ranks, each of which has a part of the same size for all.
    pub(super) fn all(comm: Option<&'static str>, ranks: usize, parts: usize) -> Place {
        Place { comm, outs: vec![parts; ranks], ins: vec![parts; ranks], groups: None }
    }

    /// The root, as a rank names it.
    pub(super) fn root(&self, rank: usize, root: usize) -> String {
        let Some(groups) = &self.groups else { return root.to_string() };
        let with = |r: usize| groups.iter().position(|group| group.contains(&r));
        if with(rank) != with(root) {
            groups.iter().find_map(|group| group.iter().position(|r| *r == root)).unwrap_or(0).to_string()
        } else if rank == root {
            "MPI_ROOT".to_owned()
        } else {
            "MPI_PROC_NULL".to_owned()
        }
    }

    /// Most parts that a rank gives or gets.
    pub(super) fn most(&self) -> usize {
        self.outs.iter().chain(&self.ins).copied().max().unwrap_or(0).max(1)
    }
}

/// Once in so many programs of a grid or a graph, it is a subgrid, or has several edges between two processes.
const RARE: usize = 6;

/// The litmus test of at most so many ranks that a seed stands for, of these collectives, or of any if there are none here; the same seed gives the same text.
pub fn topologies(seed: u64, most: usize, decls: &Instructions, with: &[usize]) -> String {
    let mut dice = Dice::new(seed);
    // What is rare has numbers of its own, so that a program without it does not depend on it.
    let mut rare = Dice::new(seed.swap_bytes());
    let rare = rare.one_in(RARE).then_some(rare);
    let mut p = Program::new(dice.ranks(most, 2));
    let ranks = p.bodies.len();
    let mut makes = vec![vec![]; ranks];
    let [between, among] = [true, false].map(|of_all| {
        let mut all = collectives_of(decls, of_all);
        all.retain(|i| with.is_empty() || with.contains(i));
        all
    });
    let kind = dice.roll(5);
    let is_between = !between.is_empty() && (among.is_empty() || kind < 2);
    let place = match kind {
        _ if is_between => groups(&mut makes, &mut dice),
        2 => grid(&mut makes, &mut dice, rare),
        3 => graph(&mut makes, &mut dice, rare),
        _ => edges(&mut makes, &mut dice, rare),
    };
    let all = if is_between { between } else { among };
    let mut later = vec![vec![]; ranks];
    let mut number = 0;
    let mut call = |p: &mut Program, place: &Place, dice: &mut Dice| {
        let function = &decls.list[all[dice.roll(all.len())]];
        Call::new(function, number, (place.clone(), most), dice, decls).add(p, &mut later, dice, decls);
        number += 1;
    };
    for _ in 0..1 + dice.roll(2) {
        call(&mut p, &place, &mut dice);
    }
    if let Some(groups) = &place.groups
        && dice.one_in(3)
    {
        let high = dice.roll(2);
        for (rank, body) in p.bodies.iter_mut().enumerate() {
            let high = usize::from(groups[high].contains(&rank));
            body.push(format!("MPI_Intercomm_merge({COMM}, high: {high}, newintracomm: {ALL})"));
        }
        call(&mut p, &Place::all(Some(ALL), ranks, ranks), &mut dice);
    }
    for (body, later) in p.bodies.iter_mut().zip(later) {
        body.extend(later);
    }
    if let Some(groups) = &place.groups
        && dice.one_in(2)
    {
        message(&mut p, groups, &mut dice);
    }
    for (body, make) in p.bodies.iter_mut().zip(makes) {
        body.splice(0..0, make);
    }
    p.show_what_fits();
    p.text("topologies", seed)
}

/// The collectives of all processes of a communicator, or those among neighbours, which have no communicator by default.
pub fn collectives_of(decls: &Instructions, of_all: bool) -> Vec<usize> {
    let kinds: Vec<&str> = KINDS.iter().chain(&PARTED).copied().collect();
    let kind = |p: &Param| decls.kinds[p.kind].name.as_str();
    let mut all = functions_of(decls, &kinds);
    all.retain(|i| {
        let i = &decls.list[*i];
        let comm = i.params.iter().find(|p| kind(p) == "comm");
        let moves = i.params.iter().all(|p| !PARTED.contains(&kind(p)) || p.list) && !i.name.ends_with("_buffer");
        moves && comm.is_some_and(|p| p.default.is_some() == of_all)
    });
    all
}

/// A message from a rank of one group to one of the other, and its receive.
fn message(p: &mut Program, groups: &[Vec<usize>; 2], dice: &mut Dice) {
    let first = dice.roll(2);
    let [from, to] = [first, 1 - first].map(|side| (side, dice.roll(groups[side].len())));
    let tag = dice.roll(2);
    p.on = format!(", comm: {COMM}");
    p.send(dice, (groups[from.0][from.1], to.1, tag), "77");
    let into = p.name("x");
    let to = groups[to.0][to.1];
    if p.receive(dice, (from.1, to, tag), &into) {
        p.shown[to].push(into);
    }
    p.on = String::new();
}

/// Two groups, and the calls that make an intercommunicator of them.
fn groups(makes: &mut [Vec<String>], dice: &mut Dice) -> Place {
    let ranks = makes.len();
    let first = 1 + dice.roll(ranks - 1);
    let mut groups = [(0..first).collect::<Vec<_>>(), (first..ranks).collect()];
    let backwards = [dice.one_in(3), dice.one_in(3)];
    groups.iter_mut().zip(backwards).filter(|(_, b)| *b).for_each(|(group, _)| group.reverse());
    let leaders = [0, 1].map(|side: usize| dice.roll(groups[side].len()));
    let tag = dice.roll(2);
    for (rank, make) in makes.iter_mut().enumerate() {
        let side = usize::from(rank >= first);
        let key = if backwards[side] { ranks - rank } else { 0 };
        make.push(format!("MPI_Comm_split(color: {side}, key: {key}, newcomm: {HALF})"));
        let (own, other) = (leaders[side], groups[1 - side][leaders[1 - side]]);
        let leaders = format!("local_leader: {own}, remote_leader: {other}");
        make.push(format!("MPI_Intercomm_create({HALF}, {leaders}, tag: {tag}, newintercomm: {COMM})"));
    }
    let sizes = |rank: usize, same: bool| groups[usize::from((rank >= first) == same)].len();
    // What is scattered among one's own group has as many parts as that.
    let same = dice.one_in(4);
    let parts: Vec<usize> = (0..ranks).map(|rank| sizes(rank, same)).collect();
    Place { comm: Some(COMM), outs: parts.clone(), ins: parts, groups: Some(groups) }
}

/// A grid of all ranks, or a subgrid of it.
fn grid(makes: &mut [Vec<String>], dice: &mut Dice, part: Option<Dice>) -> Place {
    let ranks = makes.len();
    let dims = match dice.roll(3) {
        0 if ranks.is_multiple_of(2) => vec![2, ranks / 2],
        0 | 1 => vec![ranks],
        _ => vec![1, ranks],
    };
    // What a process gets from one that is its neighbour on both sides, both libraries mix up, which is known.
    let twice = dice.one_in(8);
    let periods: Vec<usize> = dims.iter().map(|of| if *of > 2 || twice { dice.roll(2) } else { 0 }).collect();
    let remain: Option<Vec<usize>> = part.map(|mut part| dims.iter().map(|_| part.roll(2)).collect());
    for make in makes {
        let whole = if remain.is_some() { WHOLE } else { COMM };
        make.push(format!("MPI_Cart_create(dims: {dims:?}, periods: {periods:?}, newcomm: {whole})"));
        make.extend(remain.iter().map(|r| format!("MPI_Cart_sub({WHOLE}, remain_dims: {r:?}, newcomm: {COMM})")));
    }
    Place::all(Some(COMM), ranks, 2 * remain.map_or(dims.len(), |r| r.iter().sum()))
}

/// A graph that all ranks give, with edges both ways.
fn graph(makes: &mut [Vec<String>], dice: &mut Dice, several: Option<Dice>) -> Place {
    let ranks = makes.len();
    let mut edges: Vec<Vec<usize>> = vec![vec![]; ranks];
    for a in 0..ranks {
        for b in a..ranks {
            // Now and then a process is its own neighbour.
            if dice.one_in(if a == b { 6 } else { 2 }) {
                edges[a].push(b);
                if a != b {
                    edges[b].push(a);
                }
            }
        }
    }
    if let Some(mut several) = several {
        let [a, b] = [several.roll(ranks), several.roll(ranks)];
        edges[a].extend([b, b]);
        if a != b {
            edges[b].extend([a, a]);
        }
    }
    let ends: Vec<usize> = edges.iter().scan(0, |sum, of| Some((*sum += of.len(), *sum).1)).collect();
    let all = edges.concat();
    for make in makes {
        make.push(format!("MPI_Graph_create(index: {ends:?}, edges: {all:?}, newcomm: {COMM})"));
    }
    let parts: Vec<usize> = edges.iter().map(Vec::len).collect();
    Place { comm: Some(COMM), outs: parts.clone(), ins: parts, groups: None }
}

/// A graph of which each rank gives its own edges: those in and out, or those out alone.
fn edges(makes: &mut [Vec<String>], dice: &mut Dice, several: Option<Dice>) -> Place {
    let ranks = makes.len();
    let mut outs: Vec<Vec<usize>> = (0..ranks).map(|_| (0..ranks).filter(|_| dice.one_in(2)).collect()).collect();
    if let Some(mut several) = several {
        let [from, to] = [several.roll(ranks), several.roll(ranks)];
        outs[from].extend([to, to]);
    }
    let of = |outs: &[Vec<usize>], rank: usize| -> Vec<usize> {
        let from = |from: usize| outs[from].iter().filter(|to| **to == rank).map(move |_| from);
        (0..ranks).flat_map(from).collect()
    };
    let mut ins: Vec<Vec<usize>> = (0..ranks).map(|rank| of(&outs, rank)).collect();
    // What each hears and tells is in the order in which it says so.
    outs.iter_mut().chain(&mut ins).filter(|_| dice.one_in(3)).for_each(|list| list.reverse());
    let adjacent = !dice.one_in(3);
    for (rank, make) in makes.iter_mut().enumerate() {
        let (hears, tells) = (&ins[rank], &outs[rank]);
        make.push(if adjacent {
            format!("MPI_Dist_graph_create_adjacent(sources: {hears:?}, destinations: {tells:?}, newcomm: {COMM})")
        } else {
            let degree = tells.len();
            format!("MPI_Dist_graph_create(sources: [{rank}], degrees: [{degree}], destinations: {tells:?}, newcomm: {COMM})")
        });
    }
    let sizes = |of: &[Vec<usize>]| of.iter().map(Vec::len).collect();
    Place { comm: Some(COMM), outs: sizes(&outs), ins: sizes(&ins), groups: None }
}

#[cfg(test)]
mod tests {
    use super::{collectives_of, topologies};
    use crate::generate::{RANKS, calls_all, named};
    use litmpi_spec::load::load_shipped;
    use std::collections::BTreeSet;

    #[test]
    fn programs_of_named_collectives_have_no_other_and_now_and_then_subgrids_and_several_edges() {
        let spec = load_shipped("mpi").expect("a shipped model");
        let of = |between| collectives_of(&spec.instructions, between);
        let all = [of(true), of(false)].concat();
        let with = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
            named(&spec.instructions, &all, &names).expect("they are declared")
        };
        let two = with(&["MPI_Ibcast", "MPI_Neighbor_allgather"]);
        let texts: String = (0..600).map(|seed| topologies(seed, RANKS, &spec.instructions, &two)).collect();
        for other in all.iter().filter(|i| !two.contains(i)) {
            let name = &spec.instructions.list[*other].name;
            assert!(!texts.contains(&format!("{name}(")), "{name}");
        }
        for wanted in ["MPI_Ibcast(", "MPI_Neighbor_allgather(", "remain_dims: [0]", "edges: [1, 1, 1, 0, 0, 0]"] {
            assert!(texts.contains(wanted), "{wanted}");
        }
        let alone = with(&["MPI_Ibcast"]);
        assert!((0..20).all(|seed| topologies(seed, 4, &spec.instructions, &alone).contains("MPI_Ibcast(")));
    }

    #[test]
    fn every_collective_is_called_between_groups_or_among_neighbours_and_every_program_can_be_read() {
        let spec = load_shipped("mpi").expect("a shipped model");
        let all = [true, false].map(|between| collectives_of(&spec.instructions, between));
        let mut left: BTreeSet<String> =
            all.into_iter().flatten().map(|i| spec.instructions.list[i].name.clone()).collect();
        assert!(left.contains("MPI_Neighbor_alltoallw_init") && left.contains("MPI_Ialltoallw"), "{left:?}");
        let makers =
            ["Intercomm_create", "Intercomm_merge", "Graph_create", "Dist_graph_create", "Dist_graph_create_adjacent"];
        left.extend(makers.map(|name| format!("MPI_{name}")));
        calls_all(|seed, most, decls| topologies(seed, most, decls, &[]), left, &spec.instructions);
    }
}
