//! Programs as the machine runs them: nodes, locations, threads of flat code.
//!
//! Sequencing, choice and loops are the first line of Fig. 6 of rdma-tso: they are the shape of this code (the
//! successor, [`Op::Choose`], [`Op::Branch`]), so that rules speak of instructions alone. Loops are unrolled to a bound before they
//! come here; a path that passes the bound ends in [`Op::Cut`] and is reported as cut, never as an outcome.

use crate::source::Span;
use serde::{Deserialize, Serialize};

/// A machine of the network: an RDMA node, an MPI process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The number that programs know it by: from 1 in RDMA programs, ranks from 0 in MPI programs.
    pub number: i32,
}

/// One cell of memory. An array of `n` elements is `n` consecutive locations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loc {
    /// `x`, or `x[2]` for an array's element; `$7` and the like for an anonymous literal.
    pub name: String,
    /// Index of its node.
    pub node: usize,
    /// Initial value.
    pub initial: i32,
    /// Elements from this one to the end of its array, itself included: 1 for a scalar, 0 for what stands for an
    /// object that all nodes share.
    pub room: u32,
}

/// A register: private to its thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reg {
    /// Its name.
    pub name: String,
    /// Name of its type: `Int`, `Status`, …
    pub ty: String,
    /// Index of the kind that made it (for emission), if any did.
    pub kind: Option<usize>,
}

/// An integer expression over the thread's registers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IntExpr {
    /// A constant; the name, if it was written by one (`MPI_ANY_SOURCE`).
    Const(i32, Option<String>),
    /// An `Int` register, or a field of a record register.
    Reg(usize, Option<String>),
    /// `-e` or `!e`.
    Unary(UnaryOp, Box<IntExpr>),
    /// `a op b`; comparisons and connectives give 1 or 0.
    Binary(BinaryOp, Box<IntExpr>, Box<IntExpr>),
}

/// Operators of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum UnaryOp {
    /// `-e`
    Neg,
    /// `!e`
    Not,
}

/// Operators of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the names are the operators")]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    And,
    Or,
    /// Bit by bit.
    BitAnd,
    BitOr,
    BitXor,
    /// What is left, from 0 on; by 0 it is out of range.
    Mod,
}

/// An argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operand {
    /// A location, by index into [`Program::locs`].
    Loc(usize),
    /// A node, by index.
    Node(usize),
    /// A register of the thread, by index.
    Reg(usize),
    /// A register argument left out.
    NoReg,
    /// An integer.
    Int(IntExpr),
    /// A list.
    List(Vec<Operand>),
}

/// One step of a thread's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Op {
    /// An instruction, run by the rules.
    Exec {
        /// Index into [`crate::decl::Instructions::list`].
        instr: usize,
        /// One operand a parameter.
        args: Vec<Operand>,
        /// Where the program says it.
        span: Span,
    },
    /// A register assignment, silent.
    Set(usize, IntExpr),
    /// Goes on if the expression is not 0, else jumps.
    Branch(IntExpr, usize),
    /// Jumps.
    Jump(usize),
    /// Goes on at any of these.
    Choose(Vec<usize>),
    /// The bound of a loop was passed.
    Cut,
    /// A layer's `repeat … until` looked too early. Where what it waits for comes at all, another run looks later, so a search
    /// leaves this one out.
    Early,
    /// A loop goes on for ever and changes nothing: the thread stands still here, in no call of a library, and the others go on.
    Spin,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// The number that the program gives it (its rank in MPI programs).
    pub number: i32,
    /// Index of its node.
    pub node: usize,
    /// Its registers.
    pub regs: Vec<Reg>,
    /// Its code; falling off the end is termination.
    pub code: Vec<Op>,
}

impl Thread {
    /// Whether it never comes back to an operation.
    pub fn is_forward(&self) -> bool {
        self.code.iter().enumerate().all(|(at, op)| match op {
            Op::Branch(_, to) | Op::Jump(to) => at < *to,
            Op::Choose(targets) => targets.iter().all(|to| at < *to),
            Op::Exec { .. } | Op::Set(..) | Op::Cut | Op::Early | Op::Spin => true,
        })
    }
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The locations of all nodes.
    pub locs: Vec<Loc>,
    /// The threads.
    pub threads: Vec<Thread>,
}
