//! Every small RDMA program, one of those that are alike but for the names of threads, nodes, locations and values.
//!
//! A program is threads on nodes, several on one perhaps, and locations on nodes, as many as it speaks of. Each location has an initial
//! value of its own and each write another value, so that everything that can be seen of a program is seen. Left out are programs that
//! say nothing which smaller ones do not say: whose threads share no memory, which read or write what nothing else touches,
//! which wait for nothing that was asked for, or fence nothing off.

use std::collections::BTreeSet;
use std::fmt::Write;

/// What a statement does, by the name of its instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Does {
    /// `x := 11`
    Write,
    /// `a := x`
    Read,
    /// `a := CAS(x, 1, 11)`, with the initial value of x
    Cas,
    /// `x := y@2`
    Get,
    /// `y@2 := x`
    Put,
    /// `y@2 := 11`
    PutImm,
    /// `x := rfaa(y@2, 11)`
    Rfaa,
    /// `x := rcswap(y@2, 2, 11)`, with the initial value of y
    Rcswap,
    /// `mfence`
    MFence,
    /// `poll(2)`
    Poll,
    /// `rfence(2)`
    RFence,
    /// `flush(2)`
    Flush,
}

/// All of them, with the names of their instructions.
pub const DOES: [(&str, Does); 12] = [
    ("write", Does::Write),
    ("read", Does::Read),
    ("cas", Does::Cas),
    ("get", Does::Get),
    ("put", Does::Put),
    ("put_imm", Does::PutImm),
    ("rfaa", Does::Rfaa),
    ("rcswap", Does::Rcswap),
    ("mfence", Does::MFence),
    ("poll", Does::Poll),
    ("rfence", Does::RFence),
    ("flush", Does::Flush),
];

/// A statement; what it does not have is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    does: Does,
    /// A location of the thread's own node.
    own: usize,
    /// A location of another node, or the other node.
    other: usize,
}

/// A program whose nodes and locations are numbered in the order in which its threads come to them.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shape {
    /// The statements of each thread.
    bodies: Vec<Vec<Step>>,
    /// The node of each thread, and of each location.
    on: Vec<usize>,
    at: Vec<usize>,
}

/// Every program of so many statements in at most so many threads, one after another: nothing is kept but programs that are begun.
#[derive(Debug, Clone)]
pub struct Shapes {
    of: Vec<Does>,
    /// How many statements the threads have, longest first; the last way is worked on.
    lengths: Vec<Vec<usize>>,
    /// Programs that are begun, the next one last.
    begun: Vec<Shape>,
}

impl Shapes {
    /// Programs of `size` of these statements in at most so many threads.
    pub fn new(of: &[Does], size: usize, threads: usize) -> Shapes {
        let mut lengths = partitions(size, threads, size);
        lengths.reverse();
        let begun = if lengths.is_empty() { vec![] } else { vec![Shape::empty()] };
        Shapes { of: of.to_vec(), lengths, begun }
    }
}

impl Iterator for Shapes {
    type Item = Shape;

    fn next(&mut self) -> Option<Shape> {
        loop {
            let lengths = self.lengths.last()?;
            let Some(shape) = self.begun.pop() else {
                self.lengths.pop();
                self.begun.extend((!self.lengths.is_empty()).then(Shape::empty));
                continue;
            };
            let t = shape.bodies.len();
            if t > 0 && shape.bodies[t - 1].len() < lengths[t - 1] {
                let more = shape.with_step(&self.of, t - 1, lengths[t - 1]);
                self.begun.extend(more.into_iter().rev());
            } else if t < lengths.len() {
                self.begun.extend((0..=shape.nodes()).rev().map(|node| shape.with_thread(node)));
            } else if shape.says_something() && shape.is_first() {
                return Some(shape);
            }
        }
    }
}

/// Ways to divide so many statements among threads, longest first.
fn partitions(size: usize, threads: usize, most: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![vec![]];
    }
    if threads == 0 {
        return vec![];
    }
    let first = (1..=size.min(most)).rev();
    first
        .flat_map(|n| partitions(size - n, threads - 1, n).into_iter().map(move |rest| [vec![n], rest].concat()))
        .collect()
}

impl Shape {
    fn empty() -> Shape {
        Shape { bodies: vec![], on: vec![], at: vec![] }
    }

    /// With a further thread, which has no statements yet.
    fn with_thread(&self, node: usize) -> Shape {
        let mut next = self.clone();
        next.on.push(node);
        next.bodies.push(vec![]);
        next
    }

    /// With each further statement that a thread of so many may have.
    fn with_step(&self, of: &[Does], t: usize, length: usize) -> Vec<Shape> {
        let node = self.on[t];
        let mut out = vec![];
        for does in of {
            let more: Vec<(Shape, usize, usize)> = match does {
                Does::Write | Does::Read | Does::Cas => {
                    self.with_own(node).into_iter().map(|(s, own)| (s, own, 0)).collect()
                }
                Does::Get | Does::Put | Does::Rfaa | Does::Rcswap => {
                    let mut both = vec![];
                    for (with, own) in self.with_own(node) {
                        both.extend(with.with_other(node).into_iter().map(|(s, other)| (s, own, other)));
                    }
                    both
                }
                Does::PutImm => self.with_other(node).into_iter().map(|(s, other)| (s, 0, other)).collect(),
                Does::MFence if self.may_fence(t, length) => vec![(self.clone(), 0, 0)],
                Does::MFence => vec![],
                Does::Poll | Does::RFence | Does::Flush => {
                    self.asked(t, *does).into_iter().map(|n| (self.clone(), 0, n)).collect()
                }
            };
            out.extend(more.into_iter().map(|(mut next, own, other)| {
                next.bodies[t].push(Step { does: *does, own, other });
                next
            }));
        }
        out
    }

    /// How many statements it has.
    pub fn size(&self) -> usize {
        self.bodies.iter().map(Vec::len).sum()
    }

    fn nodes(&self) -> usize {
        self.on.iter().chain(&self.at).max().map_or(0, |n| n + 1)
    }

    /// With each location of a node, or a new one there.
    fn with_own(&self, node: usize) -> Vec<(Shape, usize)> {
        let mut out: Vec<(Shape, usize)> =
            (0..self.at.len()).filter(|l| self.at[*l] == node).map(|l| (self.clone(), l)).collect();
        let mut new = self.clone();
        new.at.push(node);
        out.push((new, self.at.len()));
        out
    }

    /// With each location of another node, or a new one on any of them, or on a new node.
    fn with_other(&self, node: usize) -> Vec<(Shape, usize)> {
        let mut out: Vec<(Shape, usize)> =
            (0..self.at.len()).filter(|l| self.at[*l] != node).map(|l| (self.clone(), l)).collect();
        for other in (0..=self.nodes().max(node + 1)).filter(|n| *n != node) {
            let mut new = self.clone();
            new.at.push(other);
            out.push((new, self.at.len()));
        }
        out
    }

    /// Whether a fence has something of the thread before it, and may have something behind it.
    fn may_fence(&self, t: usize, length: usize) -> bool {
        let body = &self.bodies[t];
        body.len() + 1 < length && body.last().is_some_and(|s| s.does != Does::MFence)
    }

    /// The nodes that a thread may wait for, or put a fence towards.
    fn asked(&self, t: usize, does: Does) -> Vec<usize> {
        let body = &self.bodies[t];
        let requests = |n: usize| body.iter().filter(|s| s.asks() && self.at[s.other] == n).count();
        let done = |n: usize| body.iter().filter(|s| s.does == Does::Poll && s.other == n).count();
        let nodes: BTreeSet<usize> = body.iter().filter(|s| s.asks()).map(|s| self.at[s.other]).collect();
        let last = body.last().copied();
        let free = |n: &usize| match does {
            Does::Poll => done(*n) < requests(*n),
            _ => last.is_some_and(|s| !(s.does == does && s.other == *n)),
        };
        nodes.into_iter().filter(free).collect()
    }

    /// Whether all threads are bound together by memory, and everything that is read or written is touched again, or copied.
    fn says_something(&self) -> bool {
        let touches = |t: usize| -> BTreeSet<usize> { self.bodies[t].iter().flat_map(Step::locations).collect() };
        let mut bound = touches(0);
        let mut left: Vec<usize> = (1..self.bodies.len()).collect();
        while let Some(i) = left.iter().position(|t| !touches(*t).is_disjoint(&bound)) {
            bound.extend(touches(left.remove(i)));
        }
        let all: Vec<(&Step, usize)> =
            self.bodies.iter().flatten().flat_map(|s| s.locations().into_iter().map(move |l| (s, l))).collect();
        let alone = |l: usize| all.iter().filter(|(_, m)| *m == l).count() == 1;
        let useless = |(s, l): &(&Step, usize)| match s.does {
            Does::Write | Does::Read | Does::Cas => alone(*l),
            Does::Put => *l == s.own && alone(*l),
            _ => false,
        };
        left.is_empty() && !all.iter().any(useless)
    }

    /// Whether no other order of its threads gives a program that stands before this one.
    fn is_first(&self) -> bool {
        self.orders().all(|order| self.in_order(&order) >= *self)
    }

    /// The orders of threads in which longer ones stand first.
    fn orders(&self) -> impl Iterator<Item = Vec<usize>> + '_ {
        let mut all = vec![vec![]];
        for _ in 0..self.bodies.len() {
            all = all
                .iter()
                .flat_map(|order: &Vec<usize>| {
                    (0..self.bodies.len())
                        .filter(|t| !order.contains(t))
                        .map(|t| [order.clone(), vec![t]].concat())
                        .collect::<Vec<_>>()
                })
                .collect();
        }
        all.into_iter().filter(|order| order.windows(2).all(|w| self.bodies[w[0]].len() >= self.bodies[w[1]].len()))
    }

    /// The same program with its threads in another order, and everything numbered anew.
    fn in_order(&self, order: &[usize]) -> Shape {
        let (mut nodes, mut locations): (Vec<usize>, Vec<usize>) = (vec![], vec![]);
        fn number(of: usize, all: &mut Vec<usize>) -> usize {
            all.iter().position(|n| *n == of).unwrap_or_else(|| {
                all.push(of);
                all.len() - 1
            })
        }
        let mut out = Shape { bodies: vec![], on: vec![], at: vec![] };
        for t in order {
            out.on.push(number(self.on[*t], &mut nodes));
            let mut body = vec![];
            for s in &self.bodies[*t] {
                let mut location = |l: usize| {
                    let node = number(self.at[l], &mut nodes);
                    let l = number(l, &mut locations);
                    if l == out.at.len() {
                        out.at.push(node);
                    }
                    l
                };
                let own = if s.has_own() { location(s.own) } else { 0 };
                let other = if s.asks() { location(s.other) } else { s.other };
                let other = if s.names_node() { number(other, &mut nodes) } else { other };
                body.push(Step { does: s.does, own, other });
            }
            out.bodies.push(body);
        }
        out
    }

    /// The form of a program that all those have that are alike but for names.
    fn canonical(&self) -> Shape {
        self.orders().map(|order| self.in_order(&order)).min().unwrap_or_else(|| self.clone())
    }

    /// Every program that is this one without some of its statements.
    pub fn parts(&self) -> BTreeSet<Shape> {
        let mut out = BTreeSet::new();
        for mask in 1..(1_usize << self.size()) - 1 {
            let mut bit = 0;
            let mut part = Shape { bodies: vec![], on: vec![], at: self.at.clone() };
            for (t, body) in self.bodies.iter().enumerate() {
                let kept: Vec<Step> = body
                    .iter()
                    .filter(|_| {
                        bit += 1;
                        mask >> (bit - 1) & 1 == 1
                    })
                    .copied()
                    .collect();
                if !kept.is_empty() {
                    part.on.push(self.on[t]);
                    part.bodies.push(kept);
                }
            }
            out.insert(part.canonical());
        }
        out
    }

    /// The program as a test of the family `rdma` that observes everything.
    pub fn text(&self, name: &str) -> String {
        let mut out = format!("litmus rdma {name} \"every small program\"\n");
        let nodes = self.nodes().max(2);
        for n in 0..nodes {
            let own: Vec<String> =
                (0..self.at.len()).filter(|l| self.at[*l] == n).map(|l| format!("x{} = {}", l + 1, l + 1)).collect();
            let inside = if own.is_empty() { " ".to_owned() } else { format!(" {} ", own.join("  ")) };
            let _ = writeln!(out, "node {} {{{inside}}}", n + 1);
        }
        let mut observed: Vec<String> = (1..=self.at.len()).map(|l| format!("x{l}")).collect();
        for (t, body) in self.bodies.iter().enumerate() {
            let _ = writeln!(out, "thread {} on {} {{", t + 1, self.on[t] + 1);
            for (i, s) in body.iter().enumerate() {
                let (own, value, register) = (format!("x{}", s.own + 1), 10 * (t + 1) + i + 1, format!("a{}", i + 1));
                let other = self.at.get(s.other).map_or(String::new(), |n| format!("x{}@{}", s.other + 1, n + 1));
                let line = match s.does {
                    Does::Write => format!("{own} := {value}"),
                    Does::Read => format!("{register} := {own}"),
                    Does::Cas => format!("{register} := CAS({own}, {}, {value})", s.own + 1),
                    Does::Get => format!("{own} := {other}"),
                    Does::Put => format!("{other} := {own}"),
                    Does::PutImm => format!("{other} := {value}"),
                    Does::Rfaa => format!("{own} := rfaa({other}, {value})"),
                    Does::Rcswap => format!("{own} := rcswap({other}, {}, {value})", s.other + 1),
                    Does::MFence => "mfence".to_owned(),
                    Does::Poll => format!("poll({})", s.other + 1),
                    Does::RFence => format!("rfence({})", s.other + 1),
                    Does::Flush => format!("flush({})", s.other + 1),
                };
                if matches!(s.does, Does::Read | Does::Cas) {
                    observed.push(format!("{}:{register}", t + 1));
                }
                let _ = writeln!(out, "  {line}");
            }
            out.push_str("}\n");
        }
        let _ = writeln!(out, "locations {}\nexists true", observed.join(" "));
        out
    }
}

impl Step {
    fn has_own(&self) -> bool {
        !self.names_node() && !matches!(self.does, Does::PutImm | Does::MFence)
    }

    /// Whether it is a request to another node.
    fn asks(&self) -> bool {
        matches!(self.does, Does::Get | Does::Put | Does::PutImm | Does::Rfaa | Does::Rcswap)
    }

    fn names_node(&self) -> bool {
        matches!(self.does, Does::Poll | Does::RFence | Does::Flush)
    }

    fn locations(&self) -> Vec<usize> {
        [(self.has_own(), self.own), (self.asks(), self.other)]
            .into_iter()
            .filter(|(has, _)| *has)
            .map(|(_, l)| l)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{DOES, Does, Shape, Shapes};
    use std::collections::BTreeSet;

    fn all(of: &[Does], size: usize, threads: usize) -> Vec<Shape> {
        Shapes::new(of, size, threads).collect()
    }

    #[test]
    fn no_two_programs_are_alike_but_for_names() {
        let every: Vec<Does> = DOES.iter().map(|(_, d)| *d).collect();
        for size in 1..=3 {
            let found = all(&every, size, 3);
            let forms: BTreeSet<Shape> = found.iter().map(Shape::canonical).collect();
            assert_eq!(forms.len(), found.len(), "size {size}");
            assert!(found.iter().all(|s| *s == s.canonical()), "size {size}");
        }
    }

    #[test]
    fn the_programs_of_two_statements_of_reading_writing_and_putting_are_these() {
        let found: Vec<String> = all(&[Does::Write, Does::Read, Does::Put], 2, 2).iter().map(|s| s.text("t")).collect();
        let bodies = |text: &String| {
            text.lines().filter(|l| l.starts_with("  ")).map(|l| l.trim().to_owned()).collect::<Vec<_>>().join("; ")
        };
        let found: BTreeSet<String> = found.iter().map(bodies).collect();
        for program in [
            "x1 := 11; x1 := 12",
            "x1 := 11; a2 := x1",
            "x1 := 11; x2@2 := x1",
            "x2@2 := x1; x1 := 12",
            "x1 := 11; a1 := x1",
        ] {
            assert!(found.contains(program), "{program}: {found:#?}");
        }
        assert!(!found.contains("x1 := 11; x2 := 12") && !found.contains("a1 := x1; a2 := x2"), "{found:#?}");
    }

    #[test]
    fn parts_of_a_program_are_smaller_programs_in_the_same_form() {
        for shape in all(&[Does::Write, Does::Read, Does::Put, Does::Poll], 3, 2) {
            for part in shape.parts() {
                assert_eq!(part, part.canonical(), "of {shape:?}");
            }
        }
    }
}
