//! Layers: instructions that are made of those of a layer or model below.
//!
//! `layer NAME over BELOW` begins the file of one; `implement` items say how each instruction is made. A body is a program
//! over what is below, with what is known before it runs worked out: loops over nodes and threads, conditions on
//! constants. `litmpi_litmus::layer` puts bodies in the place of calls.

use crate::source::Span;
use crate::syntax::{Expr, Name, Stmt};
use serde::{Deserialize, Serialize};

/// Functions that stand in expressions of bodies; what else is called there is an instruction.
///
/// `users(x)`, `homes(x)`, `others(x)`: who uses an object, perhaps by one instruction, `users(x, post)`. Of those users: `count(x)`, how
/// many; `place(x, t)`, which one a thread is, from 0; `member(x, i)`, the thread at a place, past the last the first again;
/// `doubling(x)`, the numbers 1, 2, 4, … below how many there are. `range(n)`: 0 to below `n`; `unordered(n)`: the same, in whatever
/// order. `mixed(h, w)`: a number that tells apart what was mixed into it.
pub const FUNCTIONS: [&str; 10] =
    ["users", "homes", "others", "count", "place", "member", "doubling", "range", "unordered", "mixed"];

/// A layer.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Layer {
    /// The model or layer below, by the name of a shipped one or a file beside this one.
    pub over: Name,
    /// Memory that bodies may use, all 0 at first: of each object that has it as a field, or one for all.
    pub memory: Vec<Memory>,
    /// Registers that last from call to call, of each object that has it as a field, or one for all.
    pub registers: Vec<Name>,
    /// The bodies.
    pub bodies: Vec<Body>,
}

/// Memory.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Memory {
    /// Its name.
    pub name: String,
    /// What it is indexed by.
    pub indices: Vec<Index>,
    /// Where.
    pub span: Span,
}

/// What memory is indexed by.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Index {
    /// A node: the memory is there.
    Node,
    /// A thread's number.
    Thread,
    /// From 0 to below this.
    To(Expr),
}

/// How an instruction is made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Body {
    /// The instruction.
    pub instr: usize,
    /// Names of its parameters.
    pub params: Vec<String>,
    /// What is done.
    pub stmts: Vec<Stmt>,
    /// The literature.
    pub cites: Vec<String>,
    /// Where and why it departs from it.
    pub deviations: Vec<String>,
    /// Where.
    pub span: Span,
}

impl Layer {
    /// How an instruction is made, if the layer makes it.
    pub fn body(&self, instr: usize) -> Option<&Body> {
        self.bodies.iter().find(|b| b.instr == instr)
    }
}
