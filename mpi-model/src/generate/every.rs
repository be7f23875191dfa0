//! Every small MPI program of some functions, one of those that are alike but for the names of ranks, tags, values, variables and registers.
//!
//! What an argument may be is said by the declaration of its parameter: a rank is each other one, and any where the parameter is a source; a tag is
//! one of two, and any where that is the default; a root is each rank; a buffer is a variable of its own; an object is one that an
//! earlier call of the rank has given; what may be left out is left out, but for tags and sources. A function that is added to the specification is
//! called without a change here.
//!
//! Left out are programs that fall apart into ranks that have nothing to do with each other. Whether a program is erroneous is the model's to say.

use super::{callable, named};
use litmpi_spec::decl::{Default, Instructions, Kind, Param, Shape, Use};
use std::fmt::Write;

/// Tags that a program may have.
const TAGS: usize = 2;
/// Numbers of parameters that are no rank, tag or root and have no default.
const NUMBERS: [i64; 2] = [0, 1];
/// So many named constants of a kind without a default are tried.
const NAMES: usize = 3;

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Arg {
    /// It is left out.
    Out,
    Rank(usize),
    Tag(usize),
    /// Any source, any tag.
    Any,
    Number(i64),
    /// One of the kind's names.
    Named(usize),
    /// A value of its own.
    Value,
    /// A variable of its own.
    Place,
    /// So many registers of their own.
    Gives(usize),
    /// Registers that earlier calls of the rank have given, by how many of their type were given before.
    Takes(Vec<usize>),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    function: usize,
    args: Vec<Arg>,
}

/// A program: what each rank does.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Small(Vec<Vec<Step>>);

/// Every program of exactly so many calls in exactly so many ranks, one after another; nothing is kept but programs that are begun.
#[derive(Debug, Clone)]
pub struct Every<'d> {
    decls: &'d Instructions,
    functions: Vec<usize>,
    size: usize,
    /// Whether a function looks at statuses, so that calls are to give them.
    with_statuses: bool,
    /// Programs that are begun, with the rank that is worked on.
    begun: Vec<(Small, usize)>,
}

impl<'d> Every<'d> {
    /// Programs of `size` calls of these functions, which are among [`callable`] ones, in `ranks` ranks.
    pub fn new(decls: &'d Instructions, functions: &[usize], size: usize, ranks: usize) -> Every<'d> {
        let is_status = |p: &Param| matches!(&decls.kind(p).shape, Shape::Register(ty) if ty == "Status");
        let reads = |f: usize| {
            let params = decls.list[f].params.iter().enumerate();
            params.clone().any(|(i, p)| is_status(p) && p.default.is_none() && decls.use_of(f, i) == Use::Reads)
        };
        Every {
            decls,
            functions: functions.to_vec(),
            size,
            with_statuses: functions.iter().any(|f| reads(*f)),
            begun: vec![(Small(vec![vec![]; ranks]), 0)],
        }
    }

    /// The functions of these names, or the usual ones without any.
    ///
    /// # Errors
    /// A name of none that can be called, with those that can be.
    pub fn functions(decls: &Instructions, names: &[String]) -> Result<Vec<usize>, (String, Vec<String>)> {
        const USUAL: [&str; 6] = ["MPI_Send", "MPI_Isend", "MPI_Recv", "MPI_Irecv", "MPI_Wait", "MPI_Barrier"];
        let usual: Vec<String> = USUAL.map(str::to_owned).to_vec();
        named(decls, &callable(decls), if names.is_empty() { &usual } else { names })
    }

    /// Registers of a type that a body has given.
    fn given(&self, body: &[Step], ty: &str) -> usize {
        let of = |s: &Step| -> usize {
            let params = self.decls.list[s.function].params.iter();
            let gives = |(p, a): (&Param, &Arg)| match (a, type_of(self.decls.kind(p))) {
                (Arg::Gives(n), Some(t)) if t == ty => *n,
                _ => 0,
            };
            params.zip(&s.args).map(gives).sum()
        };
        body.iter().map(of).sum()
    }

    /// What an argument may be behind these, at a rank of a program.
    fn choices(&self, program: &Small, rank: usize, function: usize, args: &[Arg]) -> Vec<Arg> {
        let param = &self.decls.list[function].params[args.len()];
        let kind = self.decls.kind(param);
        let ranks = program.0.len();
        let earlier = |ty: &str| -> Vec<Arg> {
            let n = self.given(&program.0[rank], ty);
            if param.list {
                let of = |set: usize| (0..n).filter(|i| set >> i & 1 == 1).collect();
                return (1..1_usize << n.min(6)).map(|set| Arg::Takes(of(set))).collect();
            }
            (0..n).map(|i| Arg::Takes(vec![i])).collect()
        };
        match (&kind.shape, kind.name.as_str()) {
            (Shape::Int, "rank") => {
                let others = (0..ranks).filter(|q| *q != rank).map(Arg::Rank);
                others.chain(param.name.contains("source").then_some(Arg::Any)).collect()
            }
            (Shape::Int, "tag") => {
                // Of tags that are not used yet, one is as good as the other.
                let used = program.tags().max(args.iter().filter_map(tag).map(|t| t + 1).max().unwrap_or(0));
                let tags = (0..(used + 1).min(TAGS)).map(Arg::Tag);
                let any = matches!(&param.default, Some(Default::Int(n, _)) if *n < 0);
                tags.chain(any.then_some(Arg::Any)).collect()
            }
            (Shape::Int, "root") => (0..ranks).map(Arg::Rank).collect(),
            (Shape::Local | Shape::LocalOrNone, _) => vec![if kind.is_in { Arg::Value } else { Arg::Place }],
            (Shape::Register(ty), _) if param.default.is_some() && (ty != "Status" || !self.with_statuses) => {
                vec![Arg::Out]
            }
            (Shape::Register(ty), _) => match self.decls.use_of(function, args.len()) {
                Use::Gives if param.list => {
                    let lists =
                        args.iter().filter_map(|a| if let Arg::Takes(all) = a { Some(all.len()) } else { None });
                    vec![Arg::Gives(lists.max().unwrap_or(1))]
                }
                Use::Gives => vec![Arg::Gives(1)],
                _ => earlier(ty),
            },
            (Shape::Handle(ty), _) => {
                let own = if param.default.is_some() { vec![Arg::Out] } else { self.named(kind) };
                own.into_iter().chain(earlier(ty)).collect()
            }
            _ if param.default.is_some() => vec![Arg::Out],
            _ if !kind.names.is_empty() => self.named(kind),
            _ => NUMBERS.map(Arg::Number).to_vec(),
        }
    }

    /// The named constants of a kind, without those that stand for none.
    fn named(&self, kind: &Kind) -> Vec<Arg> {
        let is_one = |i: &usize| {
            let (name, value) = &kind.names[*i];
            !name.ends_with("_NULL") && kind.names[..*i].iter().all(|(_, v)| v != value)
        };
        (0..kind.names.len()).filter(is_one).take(NAMES).map(Arg::Named).collect()
    }

    /// Calls that may come next at a rank.
    fn steps(&self, program: &Small, rank: usize) -> Vec<Step> {
        let mut out = vec![];
        for function in &self.functions {
            let mut ways = vec![vec![]];
            for _ in &self.decls.list[*function].params {
                let longer = |args: Vec<Arg>| {
                    let all = self.choices(program, rank, *function, &args);
                    all.into_iter().map(move |a| [args.clone(), vec![a]].concat())
                };
                ways = ways.into_iter().flat_map(longer).collect();
            }
            out.extend(ways.into_iter().map(|args| Step { function: *function, args }));
        }
        out
    }

    /// Whether all ranks have to do with each other: by naming one, or in a call of all ranks of a communicator.
    fn is_whole(&self, program: &Small) -> bool {
        let ranks = program.0.len();
        let mut part: Vec<usize> = (0..ranks).collect();
        let mut join = |a: usize, b: usize| {
            let (a, b) = (part[a], part[b]);
            part.iter_mut().filter(|p| **p == b).for_each(|p| *p = a);
        };
        for (rank, body) in program.0.iter().enumerate() {
            for step in body {
                let params = &self.decls.list[step.function].params;
                let is = |name: &str| params.iter().any(|p| self.decls.kind(p).name == name);
                if is("comm") && !is("rank") {
                    (0..ranks).for_each(|q| join(rank, q));
                }
                let named = step.args.iter().filter_map(|a| if let Arg::Rank(q) = a { Some(*q) } else { None });
                named.for_each(|q| join(rank, q));
            }
        }
        part.iter().all(|p| *p == part[0])
    }

    /// The program as a test that observes every variable and every number that a call has given.
    pub fn text(&self, program: &Small, name: &str) -> String {
        let calls = if self.size == 1 { "one call".to_owned() } else { format!("{} calls", self.size) };
        let mut out = format!("litmus mpi {name} \"a program of {calls}\"\n");
        let (mut observed, mut values) = (vec![], 0);
        for (rank, body) in program.0.iter().enumerate() {
            let (mut places, mut registers, mut lines) = (0, vec![], vec![]);
            for step in body {
                let instruction = &self.decls.list[step.function];
                let mut words = vec![];
                let mut given = vec![];
                for (param, arg) in instruction.params.iter().zip(&step.args) {
                    let kind = self.decls.kind(param);
                    let text = match arg {
                        Arg::Out => continue,
                        Arg::Rank(n) | Arg::Tag(n) => n.to_string(),
                        Arg::Any => "any".to_owned(),
                        Arg::Number(n) => n.to_string(),
                        Arg::Named(i) => kind.names[*i].0.clone(),
                        Arg::Value => {
                            values += 1;
                            values.to_string()
                        }
                        Arg::Place => {
                            places += 1;
                            observed.push(format!("{rank}:b{places}"));
                            format!("b{places}")
                        }
                        Arg::Gives(n) => {
                            let ty = type_of(kind).unwrap_or_default();
                            let first = registers.len() + given.len() + 1;
                            let names: Vec<String> = (first..first + n).map(|i| format!("r{i}")).collect();
                            given.extend(names.iter().map(|n| (ty.to_owned(), n.clone())));
                            if ty == "Int" {
                                observed.extend(names.iter().map(|n| format!("{rank}:{n}")));
                            }
                            written(param, &names)
                        }
                        Arg::Takes(all) => {
                            let ty = type_of(kind).unwrap_or_default();
                            let of: Vec<&(String, String)> = registers.iter().filter(|(t, _)| t == ty).collect();
                            let names: Vec<String> = all.iter().map(|i| of[*i].1.clone()).collect();
                            written(param, &names)
                        }
                    };
                    words.push(format!("{}: {text}", param.name));
                }
                registers.extend(given);
                lines.push(format!("  {}({})", instruction.name, words.join(", ")));
            }
            let _ = writeln!(out, "rank {rank} {{");
            for place in 1..=places {
                let _ = writeln!(out, "  int b{place} = {}", 100 * (rank + 1) + place);
            }
            for line in lines {
                let _ = writeln!(out, "{line}");
            }
            out.push_str("}\n");
        }
        if !observed.is_empty() {
            let _ = writeln!(out, "locations {}", observed.join(" "));
        }
        out.push_str("exists true\n");
        out
    }
}

impl Iterator for Every<'_> {
    type Item = Small;

    fn next(&mut self) -> Option<Small> {
        while let Some((program, rank)) = self.begun.pop() {
            let left = self.size - program.0.iter().map(Vec::len).sum::<usize>();
            let is_last = rank + 1 == program.0.len();
            // No rank has more calls than the one before it.
            let has_room = rank == 0 || program.0[rank].len() < program.0[rank - 1].len();
            if left > 0 && has_room {
                for step in self.steps(&program, rank).into_iter().rev() {
                    let mut next = program.clone();
                    next.0[rank].push(step);
                    self.begun.push((next, rank));
                }
            }
            if !is_last && (left == 0 || !program.0[rank].is_empty()) {
                self.begun.push((program.clone(), rank + 1));
            }
            if is_last && left == 0 && self.is_whole(&program) && program.is_first() {
                return Some(program);
            }
        }
        None
    }
}

impl Small {
    /// How many tags it has.
    fn tags(&self) -> usize {
        self.0.iter().flatten().flat_map(|s| &s.args).filter_map(tag).map(|t| t + 1).max().unwrap_or(0)
    }

    /// With the ranks in another order: the rank that is at a place, by its old number; tags are numbered as they come.
    fn renamed(&self, order: &[usize]) -> Small {
        let mut tags: Vec<usize> = vec![];
        let mut renamed = |arg: &Arg| match arg {
            Arg::Rank(q) => Arg::Rank(order.iter().position(|o| o == q).unwrap_or(*q)),
            Arg::Tag(t) => Arg::Tag(tags.iter().position(|n| n == t).unwrap_or_else(|| {
                tags.push(*t);
                tags.len() - 1
            })),
            other => other.clone(),
        };
        let mut bodies = vec![];
        for rank in order {
            let step = |s: &Step| Step { function: s.function, args: s.args.iter().map(&mut renamed).collect() };
            bodies.push(self.0[*rank].iter().map(step).collect());
        }
        Small(bodies)
    }

    /// Whether it is the first of those that are alike but for names and have as many calls at each rank.
    fn is_first(&self) -> bool {
        let calls = |rank: usize| self.0[rank].len();
        let mut orders: Vec<Vec<usize>> = vec![vec![]];
        for place in 0..self.0.len() {
            let fits = |order: &[usize], rank: usize| !order.contains(&rank) && calls(rank) == calls(place);
            let longer = |order: Vec<usize>| {
                let next: Vec<usize> = (0..self.0.len()).filter(|r| fits(&order, *r)).collect();
                next.into_iter().map(move |r| [order.clone(), vec![r]].concat())
            };
            orders = orders.into_iter().flat_map(longer).collect();
        }
        orders.iter().all(|order| *self <= self.renamed(order))
    }
}

/// The type of the registers, or of the objects, of a kind.
fn type_of(kind: &Kind) -> Option<&str> {
    match &kind.shape {
        Shape::Register(ty) | Shape::Handle(ty) => Some(ty),
        _ => None,
    }
}

fn tag(arg: &Arg) -> Option<usize> {
    if let Arg::Tag(t) = arg { Some(*t) } else { None }
}

/// Names as an argument.
fn written(param: &Param, names: &[String]) -> String {
    if param.list { format!("[{}]", names.join(", ")) } else { names.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::{Every, Small};
    use litmpi_spec::decl::Instructions;
    use litmpi_spec::load::load_shipped;
    use std::collections::BTreeSet;

    fn all(decls: &Instructions, names: &[&str], size: usize, ranks: usize) -> Vec<Small> {
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        let functions = Every::functions(decls, &names).expect("functions");
        Every::new(decls, &functions, size, ranks).collect()
    }

    #[test]
    fn programs_of_two_calls_are_the_ones_that_one_counts_by_hand() {
        let spec = load_shipped("mpi").expect("a shipped model");
        let decls = &spec.instructions;
        // Both at one rank: the second one's tag is that of the first or another. One at each.
        assert_eq!(all(decls, &["MPI_Send"], 2, 2).len(), 2 + 2);
        // A send and a receive from it or from any, with the same tag, another one or any, at two ranks; and at one, in both orders.
        let both = all(decls, &["MPI_Send", "MPI_Recv"], 2, 2);
        let text = |p: &Small| Every::new(decls, &[], 2, 2).text(p, "t");
        let has = |p: &&Small| text(p).contains("MPI_Send") && text(p).contains("MPI_Recv");
        assert_eq!(both.iter().filter(has).filter(|p| !p.0[1].is_empty()).count(), 2 * 3);
        assert_eq!(all(decls, &["MPI_Barrier"], 2, 2).len(), 1 + 1);
    }

    #[test]
    fn no_two_programs_are_alike_and_each_can_be_read() {
        let spec = load_shipped("mpi").expect("a shipped model");
        let decls = &spec.instructions;
        let names = ["MPI_Isend", "MPI_Recv", "MPI_Waitany", "MPI_Bcast", "MPI_Comm_dup", "MPI_Testsome"];
        for (size, ranks) in [(2, 2), (3, 2), (2, 3), (3, 3)] {
            let all = all(decls, &names, size, ranks);
            let orders: &[&[usize]] = if ranks == 2 {
                &[&[0, 1], &[1, 0]]
            } else {
                &[&[0, 1, 2], &[0, 2, 1], &[1, 0, 2], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0]]
            };
            let forms: BTreeSet<Small> = all.iter().filter_map(|p| orders.iter().map(|o| p.renamed(o)).min()).collect();
            assert_eq!(forms.len(), all.len());
            for program in &all {
                let text = Every::new(decls, &[], size, ranks).text(program, "t");
                let source = litmpi_spec::source::Source::new("t.litmus", text.as_str());
                litmpi_litmus::parse(&source, decls).unwrap_or_else(|r| panic!("{r}\n{text}"));
            }
        }
    }
}
