//! Generated RDMA programs of every shape but loops, as trees: branches, choices, compare-and-swaps, values that go on through
//! registers, polls with nothing to poll, several threads on a node. What makes them can be read by a test that is no parser.

use crate::generate::Scatter;
use std::fmt::{self, Display, Formatter, Write as _};

/// A program.
#[derive(Debug, Clone)]
pub struct Program {
    /// How many nodes there are.
    pub nodes: usize,
    /// The node of each location, and its initial value.
    pub locations: Vec<(usize, i64)>,
    /// The node of each thread, and what it does.
    pub threads: Vec<(usize, Vec<Statement>)>,
}

/// What is written: a number, or a register of the thread and a number.
#[derive(Debug, Clone, Copy)]
pub enum Value {
    /// A number.
    Number(i64),
    /// What a register holds, and so much more.
    Register(usize, i64),
}

/// A statement; locations and registers by number, nodes from 1.
#[derive(Debug, Clone)]
pub enum Statement {
    /// To a location of the node, a value.
    Write(usize, Value),
    /// To a register, a location of the node.
    Read(usize, usize),
    /// To a register what a location held; if it held the first number, it holds the second one now.
    Cas(usize, usize, i64, i64),
    /// A memory fence.
    Mfence,
    /// To a location of the node, one of another node.
    Get(usize, usize),
    /// To a location of another node, one of the node.
    Put(usize, usize),
    /// To a location of another node, a number.
    PutNumber(usize, i64),
    /// Waits for the earliest operation towards a node that no poll has waited for.
    Poll(usize),
    /// A remote fence towards a node.
    Rfence(usize),
    /// Whether a register holds a number, and what is done then and otherwise.
    If(usize, i64, Vec<Statement>, Vec<Statement>),
    /// One of two.
    Choose(Vec<Statement>, Vec<Statement>),
}

impl Program {
    /// The text of a test that observes nothing.
    pub fn text(&self, name: &str) -> String {
        let mut out = format!("litmus rdma {name} \"generated\"\n");
        for n in 1..=self.nodes {
            let _ = write!(out, "node {n} {{");
            for (x, (_, value)) in self.locations.iter().enumerate().filter(|(_, (node, _))| *node == n) {
                let _ = write!(out, " {} = {value} ", self.place(x));
            }
            out.push_str("}\n");
        }
        for (t, (node, body)) in self.threads.iter().enumerate() {
            let _ = writeln!(out, "thread {} on {node} {{", t + 1);
            self.body(body, 1, &mut out);
            out.push_str("}\n");
        }
        out.push_str("exists true\n");
        out
    }

    fn place(&self, x: usize) -> String {
        format!("x{x}")
    }

    fn remote(&self, x: usize) -> String {
        format!("x{x}@{}", self.locations[x].0)
    }

    fn body(&self, body: &[Statement], deep: usize, out: &mut String) {
        let before = "  ".repeat(deep);
        let nested = |one: &[Statement], word: &str, other: &[Statement], out: &mut String| {
            self.body(one, deep + 1, out);
            let _ = writeln!(out, "{before}}} {word} {{");
            self.body(other, deep + 1, out);
            let _ = writeln!(out, "{before}}}");
        };
        for statement in body {
            let _ = match statement {
                Statement::Write(x, value) => writeln!(out, "{before}{} := {value}", self.place(*x)),
                Statement::Read(r, x) => writeln!(out, "{before}r{r} := {}", self.place(*x)),
                Statement::Cas(r, x, old, new) => {
                    writeln!(out, "{before}r{r} := CAS({}, {old}, {new})", self.place(*x))
                }
                Statement::Mfence => writeln!(out, "{before}mfence"),
                Statement::Get(x, y) => writeln!(out, "{before}{} := {}", self.place(*x), self.remote(*y)),
                Statement::Put(y, x) => writeln!(out, "{before}{} := {}", self.remote(*y), self.place(*x)),
                Statement::PutNumber(y, n) => writeln!(out, "{before}{} := {n}", self.remote(*y)),
                Statement::Poll(n) => writeln!(out, "{before}poll({n})"),
                Statement::Rfence(n) => writeln!(out, "{before}rfence({n})"),
                Statement::If(r, n, then, otherwise) => {
                    let _ = writeln!(out, "{before}if r{r} = {n} {{");
                    nested(then, "else", otherwise, out);
                    Ok(())
                }
                Statement::Choose(one, other) => {
                    let _ = writeln!(out, "{before}choose {{");
                    nested(one, "or", other, out);
                    Ok(())
                }
            };
        }
    }
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(n) => write!(f, "{n}"),
            Value::Register(r, 0) => write!(f, "r{r}"),
            Value::Register(r, n) => write!(f, "r{r} + {n}"),
        }
    }
}

/// A random program of up to `threads` threads with up to `length` statements each; the same seed gives the same program.
pub fn random(seed: u64, threads: usize, length: usize) -> Program {
    let mut scatter = Scatter(seed);
    let nodes = *scatter.one_of(&[2, 2, 3]);
    let on_each = *scatter.one_of(&[1, 1, 2]);
    let locations = (1..=nodes).flat_map(|n| (0..on_each).map(move |_| (n, 0))).collect();
    let mut program = Program { nodes, locations, threads: vec![] };
    let number = (1 + *scatter.one_of(&[0, 1, 1, 1, 2])).min(threads);
    for t in 0..number {
        let node = *scatter.one_of(&[0, 1, 2, t]) % nodes + 1;
        let mut thread =
            Thread { program: &program, node, value: 10 * (t as i64 + 1), registers: 0, pending: vec![0; nodes + 1] };
        let wanted = *scatter.one_of(&[length, length, length.saturating_sub(1), length.saturating_sub(2)]);
        let body = thread.body(&mut scatter, wanted, 0);
        program.threads.push((node, body));
    }
    program
}

/// A thread that is being made.
struct Thread<'p> {
    program: &'p Program,
    node: usize,
    /// The last value that was given.
    value: i64,
    /// How many registers have a value.
    registers: usize,
    /// Operations towards each node that were not polled, about: branches are counted one behind the other.
    pending: Vec<usize>,
}

impl Thread<'_> {
    fn local(&self, scatter: &mut Scatter) -> usize {
        let own: Vec<usize> = self.of(|n| n == self.node);
        *scatter.one_of(&own)
    }

    fn remote(&self, scatter: &mut Scatter) -> usize {
        let others: Vec<usize> = self.of(|n| n != self.node);
        *scatter.one_of(&others)
    }

    /// What an operation accesses.
    fn operand(&mut self, scatter: &mut Scatter) -> usize {
        let x = self.remote(scatter);
        self.pending[self.program.locations[x].0] += 1;
        x
    }

    fn of(&self, keep: impl Fn(usize) -> bool) -> Vec<usize> {
        self.program.locations.iter().enumerate().filter(|(_, (n, _))| keep(*n)).map(|(x, _)| x).collect()
    }

    /// A small number, which another thread may have given as well, or one of its own.
    fn number(&mut self, scatter: &mut Scatter) -> i64 {
        self.value += 1;
        *scatter.one_of(&[self.value, self.value, 1])
    }

    fn body(&mut self, scatter: &mut Scatter, wanted: usize, deep: usize) -> Vec<Statement> {
        (0..wanted).map(|_| self.statement(scatter, deep)).collect()
    }

    fn statement(&mut self, scatter: &mut Scatter, deep: usize) -> Statement {
        const KINDS: [&str; 17] = [
            "write",
            "write",
            "read",
            "read",
            "get",
            "get",
            "put",
            "put",
            "put number",
            "poll",
            "poll",
            "poll",
            "rfence",
            "rfence",
            "mfence",
            "cas",
            "branch",
        ];
        let there = self.program.locations[self.remote(scatter)].0;
        match *scatter.one_of(&KINDS) {
            "write" => {
                let x = self.local(scatter);
                let copies = self.registers > 0 && *scatter.one_of(&[true, false]);
                let value = if copies {
                    Value::Register(self.registers - 1, *scatter.one_of(&[0, 0, 1]))
                } else {
                    Value::Number(self.number(scatter))
                };
                Statement::Write(x, value)
            }
            "read" => {
                let x = self.local(scatter);
                self.registers += 1;
                Statement::Read(self.registers - 1, x)
            }
            "get" => Statement::Get(self.local(scatter), self.operand(scatter)),
            "put" => Statement::Put(self.operand(scatter), self.local(scatter)),
            "put number" => Statement::PutNumber(self.operand(scatter), self.number(scatter)),
            "poll" => match (1..self.pending.len()).find(|n| self.pending[*n] > 0) {
                Some(n) => {
                    self.pending[n] -= 1;
                    Statement::Poll(n)
                }
                // Now and then a thread waits for ever.
                None if *scatter.one_of(&[true, false, false, false, false]) => Statement::Poll(there),
                None => Statement::Get(self.local(scatter), self.operand(scatter)),
            },
            "rfence" => Statement::Rfence(there),
            "mfence" => Statement::Mfence,
            "cas" => {
                let (x, old) = (self.local(scatter), *scatter.one_of(&[0, 0, 1]));
                self.registers += 1;
                Statement::Cas(self.registers - 1, x, old, self.number(scatter))
            }
            _ if deep > 1 => Statement::Mfence,
            _ => {
                let registers = self.registers;
                let (one, other) = (*scatter.one_of(&[1, 1, 2]), *scatter.one_of(&[0, 0, 1]));
                let then = self.body(scatter, one, deep + 1);
                let otherwise = self.body(scatter, other, deep + 1);
                // What only one of them reads is not looked at behind them.
                self.registers = registers;
                match registers {
                    0 => Statement::Choose(then, otherwise),
                    r => Statement::If(r - 1, *scatter.one_of(&[0, 1]), then, otherwise),
                }
            }
        }
    }
}
