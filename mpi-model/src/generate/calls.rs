//! Random programs of any functions that are declared, with arguments by the kinds of their parameters: a function that is added to the
//! specification is called without a change here.
//!
//! A program is a row of scenes. A scene is one function, called by all ranks with arguments that agree, by one rank that alone has what the
//! function looks at, or, where it names another rank and a tag, by a rank whose message another rank receives. An object that it looks at (a communicator, a
//! datatype, a request, a status) is one that an earlier call gave or, if there is none, a scene before it calls a function that gives one.
//! Each seed has a function of its own, in turn, which is in its program if any of its calls is legal there. With the seeds of the second round on
//! a second function is behind it, another one in each round, so that as many rounds as there are functions have every pair; the other ones are random.
//!
//! Whether a call is legal where it stands is asked of the model, scene by scene: one behind which the program may be erroneous, or never ends,
//! is taken back, and made anew with other arguments. So what a program needs around a call (a fence before a put, a start of a persistent request) comes about by
//! trying, and calls that need much of it are rarer than those that need little; windows have a generator of their own.
//!
//! In some scenes the ranks are two halves that give different numbers: colours by which a communicator is split, leaders of two groups, the
//! root of an intercommunicator. Of parameters without a kind of their own, names say what they may be, as the standard uses them: `rank` is
//! the caller's, `size` the number of ranks, `local_leader` is the first of a half, `remote_leader` of the other.

use super::runs::Program;
use super::{Dice, is_call};
use litmpi_spec::decl::{Default, Instruction, Instructions, Param, Shape, Use};
use std::collections::BTreeMap;

/// Elements of each buffer: as many as a rank gets from three ranks, two from each.
const ROOM: usize = 6;
/// Names of greater numbers stand for no number.
const SPECIAL: i64 = 1 << 20;
/// How often a scene is made anew that the model refuses, and one with another one before it.
const TRIES: usize = 10;
const PREPARED: usize = 150;
/// How many scenes are made, at most, before one that is not legal without others.
const KEPT: usize = 3;
/// How many calls are tried to end what a program leaves behind.
const TIDYING: usize = 12;
/// Once in so many scenes, nobody is at the other end.
const NULL: usize = 12;
/// How many functions are called, one for the sake of another, to have an object.
const DEPTH: usize = 4;

/// What the model says of a program, so far as this needs it: whether it is legal in every execution, and ends in one.
pub type Legal<'a> = &'a dyn Fn(&str) -> bool;

/// The functions that are called, in the order of their declarations. `MPI_Status_set_elements` is left out: whoever asks the status afterwards must
/// do so with the same datatype (MPI-4.1 §13.3), and the rules keep no datatype with a status.
pub fn callable(decls: &Instructions) -> Vec<usize> {
    let argument = |p: &Param| !matches!(decls.kind(p).shape, Shape::Remote | Shape::Node | Shape::Object);
    let fits = |i: &Instruction| is_call(i) && i.name != "MPI_Status_set_elements" && i.params.iter().all(argument);
    (0..decls.list.len()).filter(|i| fits(&decls.list[*i])).collect()
}

/// Of these functions those with these names.
///
/// # Errors
/// The first name that none of them has, with the names that they have.
pub fn named(decls: &Instructions, all: &[usize], names: &[String]) -> Result<Vec<usize>, (String, Vec<String>)> {
    let place = |name: &String| all.iter().copied().find(|f| decls.list[*f].name == *name);
    let known = || all.iter().map(|f| decls.list[*f].name.clone()).collect();
    names.iter().map(|name| place(name).ok_or_else(|| (name.clone(), known()))).collect()
}

/// Of the seeds whose own function is one of these, all in turn, the one that comes after so many; all seeds count without any.
pub fn seed_of(decls: &Instructions, functions: &[usize], after: u64) -> u64 {
    let all = callable(decls);
    let places: Vec<u64> = (0..).zip(&all).filter(|(_, f)| functions.contains(f)).map(|(place, _)| place).collect();
    let Some(place) = after.checked_rem(places.len() as u64) else { return after };
    let round = after / places.len() as u64;
    round.wrapping_mul(all.len() as u64).wrapping_add(places[place as usize])
}

/// The litmus test of at most so many ranks that a seed stands for; the same seed gives the same text.
pub fn calls(seed: u64, most: usize, decls: &Instructions, legal: Legal<'_>) -> String {
    let mut dice = Dice::new(seed);
    let all = callable(decls);
    let ranks = dice.ranks(most, 4);
    let mut p = Play {
        decls,
        all: &all,
        program: Program::new(ranks),
        has: vec![BTreeMap::new(); ranks],
        names: vec![0; ranks],
    };
    let functions = all.len() as u64;
    let own = all[(seed % functions) as usize];
    let second = (seed / functions).checked_sub(1).map(|round| all[(round % functions) as usize]);
    let before = dice.roll(3);
    let after = dice.roll(3 - before);
    let fits = |p: &Play<'_>| legal(&p.program.text("calls", seed));
    for _ in 0..before {
        p = p.further(TRIES, &mut dice, &fits, |p, dice| p.scene(p.any(dice), DEPTH, dice));
    }
    let so_far = p.program.bodies[0].len();
    p = p.further(TRIES, &mut dice, &fits, |p, dice| p.scene(own, DEPTH, dice));
    if p.program.bodies[0].len() == so_far {
        p = p.prepared(own, &mut dice, &fits);
    }
    for k in 0..after.max(usize::from(second.is_some())) {
        let next = second.filter(|_| k == 0);
        p = p.further(TRIES, &mut dice, &fits, |p, dice| p.scene(next.unwrap_or_else(|| p.any(dice)), DEPTH, dice));
    }
    // Most programs leave nothing behind.
    let tidy = |p: &Play<'_>| legal(&p.program.text("calls", seed).replace("\n}", "\n  MPI_Finalize()\n}"));
    if !dice.one_in(4) && !tidy(&p) {
        for _ in 0..TIDYING {
            p = p.further(1, &mut dice, &fits, |p, dice| match p.user(dice) {
                Some(user) => p.scene(user, 0, dice),
                None => false,
            });
            if tidy(&p) {
                break;
            }
        }
    }
    p.program.show_what_fits();
    p.program.text("calls", seed)
}

/// A program that is being made.
#[derive(Clone)]
struct Play<'d> {
    decls: &'d Instructions,
    all: &'d [usize],
    program: Program,
    /// For each rank, the registers that a call gave a value, by their type.
    has: Vec<BTreeMap<&'d str, Vec<String>>>,
    /// How many names each rank has.
    names: Vec<usize>,
}

/// What the calls of a scene agree on.
struct Agreed {
    count: usize,
    root: usize,
    tag: usize,
    in_place: bool,
    /// How many items each list has, unless a list has its own number of them.
    items: Option<usize>,
    /// The ranks are two halves, with numbers of their own.
    halves: bool,
    /// Whoever names another rank names `MPI_PROC_NULL`.
    is_null: bool,
    /// The numbers that arguments of no known kind have.
    dice: Dice,
}

impl<'d> Play<'d> {
    fn function(&self, function: usize) -> &'d Instruction {
        &self.decls.list[function]
    }

    fn kind(&self, param: &Param) -> &'d str {
        &self.decls.kinds[param.kind].name
    }

    fn ranks(&self) -> usize {
        self.has.len()
    }

    /// The program with one scene more, if one that fits is found in so many tries.
    fn further(
        self,
        tries: usize,
        dice: &mut Dice,
        fits: &dyn Fn(&Play<'d>) -> bool,
        scene: impl Fn(&mut Play<'d>, &mut Dice) -> bool,
    ) -> Play<'d> {
        for _ in 0..tries {
            let mut further = self.clone();
            if scene(&mut further, dice) && fits(&further) {
                return further;
            }
        }
        self
    }

    /// The program with a scene of this function, which may need others before it: calls of what it looks at, perhaps. Programs in which it
    /// is not legal yet are gone on with, too: each is one of those, at random, with one scene more.
    fn prepared(self, own: usize, dice: &mut Dice, fits: &dyn Fn(&Play<'d>) -> bool) -> Play<'d> {
        let mut all = vec![(0, self)];
        for _ in 0..PREPARED {
            let (kept, from) = &all[dice.roll(all.len())];
            let (kept, so_far) = (*kept, from.program.bodies[0].len());
            let before = from.clone().further(2, dice, fits, |p, dice| {
                let near = p.near(own, dice.roll(4));
                let first = if near.is_empty() { p.any(dice) } else { near[dice.roll(near.len())] };
                p.scene(first, DEPTH, dice)
            });
            let prepared = before.program.bodies[0].len();
            if prepared == so_far {
                continue;
            }
            let whole = before.clone().further(4, dice, fits, |p, dice| p.scene(own, DEPTH, dice));
            if whole.program.bodies[0].len() > prepared {
                return whole;
            }
            if kept + 1 < KEPT {
                all.push((kept + 1, before));
            }
        }
        all.swap_remove(0).1
    }

    /// A function at random: every other time one that looks at something that is there, so that it is used.
    fn any(&self, dice: &mut Dice) -> usize {
        let function = self.all[dice.roll(self.all.len())];
        if dice.one_in(2) { function } else { self.user(dice).unwrap_or(function) }
    }

    /// A function that looks at something that is there.
    fn user(&self, dice: &mut Dice) -> Option<usize> {
        let there: Vec<&str> = self.has.iter().flat_map(|of| of.keys().copied()).collect();
        let wanted = *there.get(dice.roll(there.len().max(1)))?;
        let uses: Vec<usize> = self.all.iter().copied().filter(|f| self.looks_at(*f).any(|ty| ty == wanted)).collect();
        uses.get(dice.roll(uses.len().max(1))).copied()
    }

    /// The functions that may be what another one needs before it: those that look at what it looks at, that give this, that give what it
    /// may be given, or that are named alike (`MPI_Buffer_attach`, `MPI_Buffer_detach`).
    fn near(&self, own: usize, how: usize) -> Vec<usize> {
        let needs: Vec<&str> = self.looks_at(own).collect();
        let words = |f: usize| self.function(f).name.rsplit_once('_').map(|(words, _)| words.to_owned());
        let near = |f: usize| match how {
            0 => self.looks_at(f).any(|ty| needs.contains(&ty)),
            1 => self.gives(f).any(|ty| needs.contains(&ty)),
            2 => self.gives(f).any(|ty| self.takes(own).any(|of| of == ty)),
            _ => f != own && words(f) == words(own),
        };
        self.all.iter().copied().filter(|f| near(*f)).collect()
    }

    /// A name that nothing else has on this rank.
    fn name(&mut self, rank: usize, letter: &str) -> String {
        self.names[rank] += 1;
        format!("_{letter}{}", self.names[rank])
    }

    /// The types of the objects without which a function cannot be called.
    fn looks_at(&self, function: usize) -> impl Iterator<Item = &'d str> + use<'d> {
        let (decls, of) = (self.decls, self.function(function));
        of.params.iter().enumerate().filter_map(move |(i, p)| match &decls.kind(p).shape {
            Shape::Register(ty) if ty != "Int" && decls.use_of(function, i) == Use::Reads => Some(ty.as_str()),
            Shape::Handle(ty) if p.default.is_none() => Some(ty.as_str()),
            _ => None,
        })
    }

    /// The types of the objects that a function may be given.
    fn takes(&self, function: usize) -> impl Iterator<Item = &'d str> + use<'d> {
        let decls = self.decls;
        self.function(function).params.iter().filter_map(move |p| match &decls.kind(p).shape {
            Shape::Handle(ty) => Some(ty.as_str()),
            _ => None,
        })
    }

    /// The types of the objects that a function gives.
    fn gives(&self, function: usize) -> impl Iterator<Item = &'d str> + use<'d> {
        let (decls, of) = (self.decls, self.function(function));
        of.params.iter().enumerate().filter_map(move |(i, p)| match &decls.kind(p).shape {
            Shape::Register(ty) if ty != "Int" && decls.use_of(function, i) == Use::Gives => Some(ty.as_str()),
            _ => None,
        })
    }

    /// What a rank has of a type.
    fn of(&self, rank: usize, ty: &str) -> &[String] {
        self.has[rank].get(ty).map_or(&[], Vec::as_slice)
    }

    /// The function, with what it needs before it; false if that cannot be had.
    fn scene(&mut self, function: usize, depth: usize, dice: &mut Dice) -> bool {
        for ty in self.looks_at(function).collect::<Vec<_>>() {
            let has = (0..self.ranks()).any(|rank| !self.of(rank, ty).is_empty());
            let constant = self.function(function).params.iter().any(|p| {
                matches!(&self.decls.kind(p).shape, Shape::Handle(of) if of == ty) && !self.constants(p).is_empty()
            });
            if has || constant && dice.one_in(2) {
                continue;
            }
            let makers: Vec<usize> = self.all.iter().copied().filter(|f| self.gives(*f).any(|of| of == ty)).collect();
            if makers.is_empty() || depth == 0 || !self.scene(makers[dice.roll(makers.len())], depth - 1, dice) {
                return constant;
            }
        }
        let mut agreed = Agreed {
            count: [1, 1, 2, 0][dice.roll(4)],
            root: dice.roll(self.ranks()),
            tag: dice.roll(2),
            in_place: dice.one_in(5),
            items: dice.one_in(2).then(|| self.some_items(dice)),
            halves: self.direction(function).is_none() && dice.one_in(4),
            is_null: false,
            dice: Dice::new(dice.roll(usize::MAX) as u64),
        };
        agreed.is_null = agreed.dice.clone().one_in(NULL);
        let ranks = self.ranks();
        let next = |rank: usize| (rank + 1) % ranks;
        match self.direction(function) {
            // Each rank sends to the next one.
            Some((true, true)) => {
                (0..ranks).all(|r| self.call(function, r, (next(r), (r + ranks - 1) % ranks), &agreed))
            }
            Some((sends, _)) => {
                let (from, to) = if dice.one_in(2) { (0, 1) } else { (ranks - 1, 0) };
                let others: Vec<usize> =
                    self.all.iter().copied().filter(|f| self.direction(*f) == Some((!sends, sends))).collect();
                let other = others[dice.roll(others.len())];
                let (send, receive) = if sends { (function, other) } else { (other, function) };
                let (send, receive) = ((send, from, (to, from)), (receive, to, (from, from)));
                let mut end = |(f, rank, peers)| self.call(f, rank, peers, &agreed);
                match dice.roll(5) {
                    0 | 1 => end(send) && end(receive),
                    2 | 3 => end(receive) && end(send),
                    // What is sent when the receive is known to have been called.
                    _ => {
                        let called = end(receive);
                        self.program.bodies.iter_mut().for_each(|body| body.push("MPI_Barrier()".to_owned()));
                        called && self.call(send.0, send.1, send.2, &agreed)
                    }
                }
            }
            None => {
                let needs: Vec<&str> = self.looks_at(function).collect();
                let has = |rank: usize| needs.iter().all(|ty| !self.of(rank, ty).is_empty());
                let who: Vec<usize> = match (0..ranks).filter(|r| has(*r)).collect::<Vec<_>>() {
                    some if some.is_empty() => (0..ranks).collect(),
                    some => some,
                };
                who.into_iter().all(|rank| self.call(function, rank, (next(rank), (rank + ranks - 1) % ranks), &agreed))
            }
        }
    }

    /// How many items a list may have.
    fn some_items(&self, dice: &mut Dice) -> usize {
        [1, 2, 2, self.ranks(), 3][dice.roll(5)]
    }

    /// Which half of the ranks this one is of.
    fn half(&self, rank: usize) -> usize {
        2 * rank / self.ranks()
    }

    /// Of a function of messages, whether it sends and whether it receives (or probes).
    fn direction(&self, function: usize) -> Option<(bool, bool)> {
        let params = &self.function(function).params;
        let has = |kind: &str| params.iter().any(|p| self.kind(p) == kind);
        let named = |name: &str| params.iter().any(|p| p.name == name);
        let (sends, receives) = (named("dest"), named("source"));
        (has("rank") && has("tag") && (sends || receives)).then_some((sends, receives))
    }

    /// The named constants of a handle that stand for something.
    fn constants(&self, param: &Param) -> Vec<&'d str> {
        let names = self.decls.kinds[param.kind].names.iter().map(|(name, _)| name.as_str());
        names.filter(|name| !name.ends_with("_NULL") && !name.ends_with("_INVALID")).collect()
    }

    /// A call of one rank; false if it lacks an object.
    fn call(&mut self, function: usize, rank: usize, peers: (usize, usize), agreed: &Agreed) -> bool {
        let mut dice = agreed.dice.clone();
        let of = self.function(function);
        let (mut arguments, mut given) = (vec![], vec![]);
        for (i, param) in of.params.iter().enumerate() {
            let skip = dice.one_in(2) || matches!(param.default, Some(Default::NoRegister)) && dice.one_in(2);
            let items = match (param.list, agreed.items, self.kind(param)) {
                (false, ..) => 1,
                (_, Some(items), _) => items,
                (_, _, "count" | "displacement") => self.ranks(),
                _ => self.some_items(&mut dice),
            };
            let (mut values, before) = (vec![], given.len());
            for item in 0..items {
                match self.argument((function, i, item), rank, peers, agreed, &mut dice, &mut given) {
                    Some(value) => values.push(value),
                    None => return false,
                }
            }
            if skip && param.default.is_some() {
                given.truncate(before);
                continue;
            }
            let value = if param.list { format!("[{}]", values.join(", ")) } else { values.remove(0) };
            arguments.push(format!("{}: {value}", param.name));
        }
        let text = format!("{}({})", of.name, arguments.join(", "));
        for (ty, name) in given {
            if ty == "Int" {
                self.program.shown[rank].push(name);
                continue;
            }
            let fields = self.decls.records.iter().find(|(of, _)| of == ty).map_or(&[][..], |(_, fields)| fields);
            self.program.shown[rank].extend(fields.iter().map(|field| format!("{name}.{field}")));
            self.has[rank].entry(ty).or_default().push(name);
        }
        self.program.bodies[rank].push(text);
        // Most persistent requests are started; of one that is not, calls that complete it say so.
        let start = of.name.ends_with("_init") && !dice.one_in(6);
        if start && let Some(request) = self.of(rank, "Request").last() {
            let start = format!("MPI_Start({request})");
            self.program.bodies[rank].push(start);
        }
        true
    }

    /// An argument; what it is given is noted beside it.
    fn argument(
        &mut self,
        (function, index, item): (usize, usize, usize),
        rank: usize,
        (dest, source): (usize, usize),
        agreed: &Agreed,
        dice: &mut Dice,
        given: &mut Vec<(&'d str, String)>,
    ) -> Option<String> {
        let (of, decls) = (self.function(function), self.decls);
        let param = &of.params[index];
        let kind = decls.kind(param);
        let (number, apart, other) = (dice.roll(8), dice.roll(8), dice.roll(usize::MAX));
        let apart = (agreed.halves && self.half(rank) == 1 && dice.one_in(2)).then_some(apart);
        let number = apart.unwrap_or(number);
        let small = [0, 1, 1, 1, 2, 2, 2, 3][number];
        Some(match &kind.shape {
            Shape::LocalOrNone if agreed.in_place => "MPI_IN_PLACE".to_owned(),
            // Memory that the call brings.
            Shape::Local if kind.name == "newmemory" => {
                let memory = self.name(rank, "m");
                self.program.shown[rank].push(memory.clone());
                memory
            }
            Shape::Local | Shape::LocalOrNone => {
                let buffer = self.name(rank, "b");
                let values: Vec<String> = (0..ROOM).map(|i| (100 * (rank + 1) + 10 * index + i).to_string()).collect();
                self.program.heads[rank].push(format!("int {buffer}[{ROOM}] = {{{}}}", values.join(", ")));
                if !kind.is_in {
                    self.program.shown[rank].extend((0..ROOM).map(|i| format!("{buffer}[{i}]")));
                }
                buffer
            }
            Shape::Register(ty) if decls.use_of(function, index) == Use::Reads && ty != "Int" => {
                let has = self.of(rank, ty);
                // Each item of a list is another one.
                let at = has.len().checked_sub(1 + item)?;
                if param.list { has[at].clone() } else { has[other % has.len()].clone() }
            }
            Shape::Register(ty) => {
                let name = self.name(rank, "r");
                given.push((ty.as_str(), name.clone()));
                name
            }
            Shape::Handle(ty) => {
                let (has, constants) = (self.of(rank, ty), self.constants(param));
                match (has.len(), constants.len()) {
                    (0, 0) => return None,
                    (0, m) => constants[other % m].to_owned(),
                    (n, 0) => has[other % n].clone(),
                    (_, m) if number < 2 => constants[other % m].to_owned(),
                    (n, _) => has[other % n].clone(),
                }
            }
            _ => match kind.name.as_str() {
                "rank" if agreed.is_null => "MPI_PROC_NULL".to_owned(),
                "rank" if param.name == "source" && number == 0 => "any".to_owned(),
                "rank" if param.name == "source" => source.to_string(),
                "rank" => dest.to_string(),
                "root" if agreed.halves && other.is_multiple_of(2) => {
                    let first = (0..rank).all(|r| self.half(r) != self.half(rank));
                    ["MPI_ROOT", "MPI_PROC_NULL", "0"][if self.half(rank) == 1 { 2 } else { usize::from(!first) }]
                        .to_owned()
                }
                "tag" if param.name.contains("recv") || !param.name.contains("send") && self.receives(function) => {
                    if number < 2 {
                        "any".to_owned()
                    } else {
                        agreed.tag.to_string()
                    }
                }
                "tag" => agreed.tag.to_string(),
                "root" => agreed.root.to_string(),
                "count" => agreed.count.to_string(),
                "displacement" => (item * agreed.count).to_string(),
                // Beside numbers a kind may have names for a few that are none (`MPI_UNDEFINED`); other kinds have names alone.
                _ if !kind.names.is_empty()
                    && (number < 2 || kind.names.iter().any(|(_, v)| (0..SPECIAL).contains(v))) =>
                {
                    kind.names[other % kind.names.len()].0.clone()
                }
                _ if other.is_multiple_of(2) => {
                    let first = (0..self.ranks()).find(|r| self.half(*r) != self.half(rank));
                    let first = first.filter(|_| agreed.halves);
                    match param.name.as_str() {
                        "rank" => rank,
                        "size" => self.ranks(),
                        name if name.starts_with("source") => source,
                        name if name.starts_with("dest") => dest,
                        name if name.starts_with("local") => 0,
                        name if name.starts_with("remote") => first.unwrap_or(small),
                        _ => small,
                    }
                    .to_string()
                }
                _ => small.to_string(),
            },
        })
    }

    /// Whether a function takes messages and sends none.
    fn receives(&self, function: usize) -> bool {
        self.direction(function).is_some_and(|(sends, _)| !sends)
    }
}

#[cfg(test)]
mod tests {
    use super::{callable, calls, named, seed_of};
    use crate::generate::RANKS;
    use litmpi_litmus::ast::Outcome;
    use litmpi_spec::load::load_shipped;
    use litmpi_spec::source::Source;
    use std::collections::BTreeSet;
    use std::sync::Arc;

    #[test]
    fn nearly_every_function_that_is_declared_is_called_and_every_program_is_legal() {
        let spec = Arc::new(load_shipped("mpi").expect("a shipped model"));
        let of = &spec.instructions;
        let legal = |text: &str| {
            let Ok(test) = litmpi_litmus::parse(&Source::new("t.litmus", text), of) else { return false };
            let mut setup = crate::Setup::new(Arc::clone(&spec));
            setup.bounds.states = 2_000;
            let found = crate::Operational::new(&test, &setup).and_then(|model| model.outcomes());
            found.is_ok_and(|f| f.complete() && !f.set.iter().any(|o| matches!(o, Outcome::Erroneous { .. })))
        };
        let all: BTreeSet<&str> = callable(of).iter().map(|i| of.list[*i].name.as_str()).collect();
        assert!(all.len() > 220, "{}", all.len());
        let mut called = BTreeSet::new();
        for seed in (0..all.len() as u64).step_by(2) {
            let text = calls(seed, RANKS, of, &legal);
            assert!(legal(&text), "{text}");
            if seed < 6 {
                assert_eq!(text, calls(seed, RANKS, of, &legal), "the same seed gives the same text");
            }
            called.extend(all.iter().filter(|name| text.contains(&format!("{name}("))).copied());
        }
        // A seed has a function of its own, and others with it; those that need several calls before them come with one seed and not with another.
        assert!(called.len() * 5 > all.len() * 3, "never called: {:?}", all.difference(&called));
        // Seeds of two functions.
        let two = named(of, &callable(of), &["MPI_Ibarrier".to_owned(), "MPI_Cart_sub".to_owned()])
            .expect("they are declared");
        for after in 0..8 {
            let seed = seed_of(of, &two, after);
            let own = &of.list[callable(of)[(seed % all.len() as u64) as usize]].name;
            assert!(["MPI_Ibarrier", "MPI_Cart_sub"].contains(&own.as_str()), "{own}");
            assert_eq!(seed / all.len() as u64, after / 2, "each round has both");
            assert_eq!(seed_of(of, &[], after), after);
        }
        assert_eq!(named(of, &callable(of), &["MPI_Sendd".to_owned()]).map_err(|e| e.0), Err("MPI_Sendd".to_owned()));
        // In the round of MPI_Barrier most programs have it.
        let list: Vec<usize> = callable(of);
        let barrier = list.iter().position(|i| of.list[*i].name == "MPI_Barrier").expect("it is declared") as u64;
        let round = (1 + barrier) * list.len() as u64;
        let with = (round..round + 20).filter(|seed| calls(*seed, RANKS, of, &legal).contains("MPI_Barrier(")).count();
        assert!(with > 15, "{with}");
    }
}
