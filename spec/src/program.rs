//! Programs as the machine runs them: nodes, locations, threads of flat code.
//!
//! Sequencing, choice and loops are the first line of Fig. 6 of rdma-tso: they are the shape of this code (the
//! successor, [`Op::Choose`], [`Op::Branch`]), so that rules speak of instructions alone. A loop jumps back, or it was unrolled to a
//! bound before it came here; a path that passes the bound ends in [`Op::Cut`] and is reported as cut, never as an outcome.

use crate::decl::{Instructions, Param, Shape};
use crate::source::Span;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// A machine of the network: an RDMA node, an MPI process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The number that programs know it by: from 1 in RDMA programs, ranks from 0 in MPI programs.
    pub number: i64,
}

/// One cell of memory. An array of `n` elements is `n` consecutive locations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loc {
    /// `x`, or `x[2]` for an array's element; `$7` and the like for an anonymous literal.
    pub name: String,
    /// Index of its node.
    pub node: usize,
    /// Initial value.
    pub initial: i64,
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
    Const(i64, Option<String>),
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
        /// What a running process has stored since its last call: locations, and what they hold when the rules look. It is no
        /// step of its own, so that it depends on nothing that the instruction does not depend on.
        stored: Vec<(usize, i64)>,
        /// Where the program says it.
        span: Span,
    },
    /// A register assignment, silent.
    Set(usize, IntExpr, Span),
    /// Goes on if the expression is not 0, else jumps.
    Branch(IntExpr, usize, Span),
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
    /// What the handles, statuses and integers hold that a running process passes to its next call: registers with the integers
    /// of a record, one behind the other. Silent.
    Bring(Vec<(usize, Vec<i64>)>),
    /// A running process is told what its call gave, silently; what it does next depends on that.
    Ask(Box<Ask>),
    /// A running process has ended in a way that ends the program.
    Gone,
    /// A running process did not go on as it should (a bound was hit): it stands still, as behind [`Op::Cut`].
    Lost,
}

/// The end of a call of a process whose program is not known beforehand. What it does next is a function of all that it was
/// told so far; what is known of that function grows (`litmpi_engine::machine::Machine::goes_on`).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ask {
    /// Registers that the process is told of.
    pub regs: Vec<usize>,
    /// Parts of its memory of which it is told what they hold, once it may read them: where the specification has a function
    /// `readable(p: Node, cells: [Loc]): Bool`, when that says so.
    pub areas: Vec<Vec<usize>>,
    /// Locations that others may write without the process having called for it, each with what the process knows to be in it. It is told of
    /// another value once the specification's function `steady(p: Node, x: Loc): Bool`, if there is one, says that it may be.
    pub watched: Vec<(usize, i64)>,
    /// Registers that hold nothing from here on.
    pub done: Vec<usize>,
    /// Locations that hold nothing from here on: who looks at one brings what the process has there before.
    pub spent: Vec<usize>,
    /// By area: locations that hold nothing from where the process is told of it.
    pub over: Vec<Vec<usize>>,
    /// The number of the last request that the process was told of, where requests that it was not told of are numbered anew from here on: the
    /// specification's function `numbers_in_use(p: Node): [Int]` says which numbers something goes by, and its state `posted[p: Node]: Int` counts.
    pub numbers: Option<i64>,
    /// Where it goes on, by what it was told: the integers of the registers, then of each area 1 and what it holds, or 0;
    /// where there are watched locations, how many of them hold something new, and each of these by its place in the list with what it holds.
    pub then: BTreeMap<Vec<i64>, usize>,
}

/// A thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thread {
    /// The number that the program gives it (its rank in MPI programs).
    pub number: i64,
    /// Index of its node.
    pub node: usize,
    /// Its registers.
    pub regs: Vec<Reg>,
    /// Its code; falling off the end is termination.
    pub code: Vec<Op>,
}

/// An array of the memory of a running process. Most of its elements are never looked at, and these take no room anywhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// Index of its first location.
    pub first: usize,
    /// How many locations it has.
    pub len: usize,
    /// Index of its node.
    pub node: usize,
    /// Address of the first location.
    pub at: u64,
    /// Bytes of a location.
    pub unit: u64,
    /// Whether all locations of the node can be reached from its first one.
    pub endless: bool,
}

/// A program.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Program {
    /// The nodes.
    pub nodes: Vec<Node>,
    /// The locations of all nodes.
    pub locs: Vec<Loc>,
    /// In the place of those: the memory of processes that run, in order of their first locations. It holds 0 at first.
    pub arrays: Vec<Array>,
    /// The threads.
    pub threads: Vec<Thread>,
}

impl Program {
    /// Whether an instruction of a thread goes to the thread's own node, and the model has no such operations: its argument is that node, or a location
    /// that is named by it.
    pub fn lacks_own_node(&self, decls: &Instructions, thread: usize, instr: usize, args: &[Operand]) -> bool {
        let own = self.threads[thread].node;
        let is_own = |operand: &Operand| match operand {
            Operand::Loc(x) => self.locs.get(*x).is_some_and(|l| l.node == own),
            Operand::Node(n) => *n == own,
            _ => false,
        };
        let is_other = |p: &Param| matches!(decls.kind(p).shape, Shape::Remote | Shape::Node);
        let goes_home = |(p, a): (&Param, &Operand)| {
            is_other(p) && if let Operand::List(all) = a { all.iter().any(is_own) } else { is_own(a) }
        };
        !decls.own_node && decls.list[instr].params.iter().zip(args).any(goes_home)
    }

    /// Whether locations are those of processes that run.
    pub fn is_sparse(&self) -> bool {
        !self.arrays.is_empty()
    }

    /// The array that a location is of, among those of processes that run.
    fn array_of(&self, loc: usize) -> Option<&Array> {
        let behind = self.arrays.partition_point(|a| a.first <= loc);
        behind.checked_sub(1).map(|i| &self.arrays[i]).filter(|a| loc < a.first + a.len)
    }

    /// One more than the largest index of a location.
    pub fn locations(&self) -> usize {
        self.arrays.last().map_or(self.locs.len(), |a| a.first + a.len)
    }

    /// A location's name: of the memory of a process that runs, its address.
    pub fn name_of(&self, loc: usize) -> Cow<'_, str> {
        match self.locs.get(loc) {
            Some(here) => Cow::Borrowed(&here.name),
            None => Cow::Owned(match self.array_of(loc) {
                Some(a) => format!("{:#x}", a.at + (loc - a.first) as u64 * a.unit),
                None => format!("spare {loc}"),
            }),
        }
    }

    /// Index of a location's node.
    pub fn node_of(&self, loc: usize) -> usize {
        match self.locs.get(loc) {
            Some(here) => here.node,
            // One that is of no array yet is of the node whose array comes before it.
            None => self.arrays[self.arrays.partition_point(|a| a.first <= loc).saturating_sub(1)].node,
        }
    }

    /// What a location holds at first.
    pub fn initial_of(&self, loc: usize) -> i64 {
        self.locs.get(loc).map_or(0, |here| here.initial)
    }

    /// Elements from a location to the end of its array ([`Loc::room`]).
    pub fn room_of(&self, loc: usize) -> u32 {
        match (self.locs.get(loc), self.array_of(loc)) {
            (Some(here), _) => here.room,
            (None, Some(a)) if a.endless && loc == a.first => u32::MAX,
            (None, Some(a)) => u32::try_from(a.first + a.len - loc).unwrap_or(u32::MAX),
            (None, None) => 1,
        }
    }

    /// Elements from the beginning of its array to a location, itself not included. What stands for an object is in no array.
    pub fn before(&self, loc: usize) -> u32 {
        let Some(here) = self.locs.get(loc) else {
            return self.array_of(loc).map_or(0, |a| (loc - a.first) as u32);
        };
        let is_of_it =
            |l: &Loc, n: usize| here.room > 0 && l.node == here.node && here.room.checked_add(n as u32) == Some(l.room);
        (1..=loc).take_while(|n| is_of_it(&self.locs[loc - n], *n)).count() as u32
    }

    /// Whether the location so many elements behind another one, or before it, is of the same array.
    pub fn reaches(&self, loc: usize, by: i64) -> bool {
        let room = i64::from(self.room_of(loc)).max(1);
        by < room
            && (by >= 0 || by.unsigned_abs() <= u64::from(self.before(loc)))
            && (loc as i64 + by) < self.locations() as i64
    }

    /// The array that a location is of.
    pub fn array(&self, loc: usize) -> std::ops::Range<usize> {
        let end = loc.saturating_add(self.room_of(loc).max(1) as usize).min(self.locations());
        loc - self.before(loc) as usize..end
    }
}
