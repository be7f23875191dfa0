//! The model's rules as a queue pair runs them.
//!
//! A queue pair is the model's `QP[t][n]` for one thread `t` and one node `n`: a program of two nodes and one thread
//! without code, with as many locations as operations may name at a time. All queue pairs share one machine; each has
//! a state of its own. The thread's buffer `B[t]` holds what was posted and has not entered the queue pair; its stores
//! are the real processor's.

use crate::layout::{FENCE, SEND_INLINE, WR_CMP_SWP, WR_FETCH_ADD, WR_READ};
use litmpi_spec::decl::{Instruction, Shape};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::external::{Memory, Ready};
use litmpi_spec::heap::Word;
use litmpi_spec::machine::Machine;
use litmpi_spec::model::Spec;
use litmpi_spec::program::{Loc, Node, Program, Thread};
use litmpi_spec::types::Sort;
use std::sync::Arc;

/// Locations of each node of a queue pair.
pub(crate) const SLOTS: usize = 32;
/// The other node's index.
const PEER: Word = 1;

/// A machine, and its instructions by what they do.
pub(crate) struct Rules {
    machine: Machine,
    get: usize,
    put: usize,
    put_imm: usize,
    rfaa: usize,
    rcswap: usize,
    rfence: usize,
    poll: usize,
}

/// What a work request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// Read a remote location into a local one.
    Get { x: Word, y: Word },
    /// Write a local location into a remote one.
    Put { y: Word, x: Word },
    /// Write a value that came with the request.
    PutValue { y: Word, v: Word },
    /// Add to a remote location, and write what it held into a local one.
    FetchAdd { x: Word, y: Word, v: Word },
    /// Write a remote location if it holds what is expected, and what it held into a local one.
    CompareSwap { x: Word, y: Word, old: Word, new: Word },
}

/// Whether a request's data comes with it.
pub(crate) fn is_inline(opcode: u64, flags: u64) -> bool {
    flags & SEND_INLINE != 0 && !matches!(opcode, WR_READ | WR_CMP_SWP | WR_FETCH_ADD)
}

/// Whether a request waits for those before it.
pub(crate) fn is_fenced(flags: u64) -> bool {
    flags & FENCE != 0
}

impl Rules {
    /// Prepares a model.
    ///
    /// # Errors
    /// A model whose instructions are not those of RDMA; an unknown variant.
    pub(crate) fn new(spec: Spec, variant: &str) -> Result<Rules, Report> {
        let find = |name: &str| {
            spec.instructions.find(name).ok_or_else(|| {
                Report::from(
                    Diagnostic::general(format!("the model {} has no instruction `{name}`", spec.name))
                        .help("a NIC runs the rules of rdma-tso or rdma-tso-simplified, or of a model built on them"),
                )
            })
        };
        let (get, put, put_imm) = (find("get")?, find("put")?, find("put_imm")?);
        let (rfaa, rcswap) = (find("rfaa")?, find("rcswap")?);
        let (rfence, poll) = (find("rfence")?, find("poll")?);
        let loc = |node: usize, i: usize| Loc { name: format!("{node}.{i}"), node, initial: 0, room: 1 };
        let program = Program {
            nodes: vec![Node { number: 1 }, Node { number: 2 }],
            locs: (0..2).flat_map(|node| (0..SLOTS).map(move |i| loc(node, i))).collect(),
            threads: vec![Thread { number: 1, node: 0, regs: vec![], code: vec![] }],
        };
        let machine = Machine::new(Arc::new(spec), &program, variant).map_err(Report::from)?;
        Ok(Rules { machine, get, put, put_imm, rfaa, rcswap, rfence, poll })
    }

    /// The state of a queue pair that has nothing to do.
    pub(crate) fn idle(&self) -> &[Word] {
        self.machine.initial()
    }

    /// A rule's name.
    pub(crate) fn name(&self, rule: usize) -> &str {
        &self.machine.spec().rules[rule].name
    }

    /// The rule of this name.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.machine.spec().rules.iter().position(|r| r.name == name)
    }

    /// Whether a rule is a step of a queue pair by itself; the others hand requests and completions over.
    pub(crate) fn is_of_queue(&self, rule: usize) -> bool {
        let rule = &self.machine.spec().rules[rule];
        rule.on.is_none() && rule.params.iter().any(|(_, s)| *s == Sort::Node)
    }

    /// How many rules there are.
    pub(crate) fn count(&self) -> usize {
        self.machine.spec().rules.len()
    }

    /// The state after the thread has asked for something.
    pub(crate) fn ask(&self, ask: Ask, state: &[Word], memory: &dyn Memory) -> Result<Vec<Word>, Report> {
        let (instr, named): (usize, Vec<(&str, Word)>) = match ask {
            Ask::Get { x, y } => (self.get, vec![("x", x), ("y", y)]),
            Ask::Put { y, x } => (self.put, vec![("y", y), ("x", x)]),
            Ask::PutValue { y, v } => (self.put_imm, vec![("y", y), ("v", v)]),
            Ask::FetchAdd { x, y, v } => (self.rfaa, vec![("x", x), ("y", y), ("v", v)]),
            Ask::CompareSwap { x, y, old, new } => (self.rcswap, vec![("x", x), ("y", y), ("old", old), ("new", new)]),
        };
        self.run(instr, &named, state, memory)
    }

    /// The state after a remote fence.
    pub(crate) fn fence(&self, state: &[Word], memory: &dyn Memory) -> Result<Vec<Word>, Report> {
        self.run(self.rfence, &[], state, memory)
    }

    fn run(
        &self,
        instr: usize,
        named: &[(&str, Word)],
        state: &[Word],
        memory: &dyn Memory,
    ) -> Result<Vec<Word>, Report> {
        let instruction = &self.machine.spec().instructions.list[instr];
        let args = self.arguments(instruction, named);
        let ready = self.machine.ready_for((0, instr, &args), state, memory).map_err(Report::from)?;
        let first = ready.first().ok_or_else(|| {
            Report::from(Diagnostic::at(&instruction.span, format!("no rule takes `{}` at once", instruction.name)))
        })?;
        self.fire(first, state, memory)
    }

    /// Arguments by the names of the parameters; a node is the other one.
    fn arguments(&self, instruction: &Instruction, named: &[(&str, Word)]) -> Vec<Word> {
        let kinds = &self.machine.spec().instructions;
        let value = |name: &str| named.iter().find(|(n, _)| *n == name).map_or(0, |(_, v)| *v);
        let word = |p: &litmpi_spec::decl::Param| {
            if kinds.kind(p).shape == Shape::Node { PEER } else { value(&p.name) }
        };
        instruction.params.iter().map(word).collect()
    }

    /// What the queue pair may do now, a completion that could be polled included. Completions are handed over as
    /// soon as that is allowed: taking one earlier than the program would blocks no other rule.
    pub(crate) fn ready(&self, state: &[Word], memory: &dyn Memory) -> Result<Vec<Ready>, Report> {
        let mut ready = self.machine.ready(state, memory).map_err(Report::from)?;
        ready.extend(self.machine.ready_for((0, self.poll, &[PEER]), state, memory).map_err(Report::from)?);
        Ok(ready)
    }

    /// Whether the rule hands a completion over.
    pub(crate) fn is_poll(&self, ready: &Ready) -> bool {
        self.machine.spec().rules[ready.rule].on.as_ref().is_some_and(|(_, instr, _)| *instr == self.poll)
    }

    /// The rule as it is ready now: what its premises read of memory may have changed.
    pub(crate) fn renew(&self, ready: Ready, state: &[Word], memory: &dyn Memory) -> Result<Option<Ready>, Report> {
        if self.is_poll(&ready) {
            return Ok(Some(ready));
        }
        self.machine.renew(&ready, state, memory).map_err(Report::from)
    }

    /// The state after a rule.
    pub(crate) fn fire(&self, ready: &Ready, state: &[Word], memory: &dyn Memory) -> Result<Vec<Word>, Report> {
        self.machine.fire(ready, state, memory).map_err(Report::from)
    }
}
