//! A thread's runs, apart from the others: its events for each way through its branches, with the values of reads left
//! open and the conditions under which it goes that way.

use super::value::{constant, substitute};
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::program::{BinaryOp, IntExpr, Op, Operand, Program};
use litmpi_spec::source::Span;

/// Types of events (rdma-tso Def. 4.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    LocalRead,
    LocalWrite,
    Cas,
    Fence,
    Poll,
    NicLocalRead,
    NicRemoteWrite,
    NicRemoteRead,
    NicLocalWrite,
    NicFence,
}

/// Where an event reads or writes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Place {
    /// Nowhere.
    None,
    /// A location of the program.
    Loc(usize),
    /// A location of its own that holds a constant and is never written: the source of a put of that constant.
    Fresh(IntExpr),
}

/// An event.
#[derive(Debug, Clone)]
pub(super) struct Event {
    pub(super) label: Label,
    pub(super) place: Place,
    /// The node at the other end of the queue pair.
    pub(super) towards: Option<usize>,
    /// What a write writes.
    pub(super) writes: Option<IntExpr>,
    /// The event of the same thread that a poll polls from.
    pub(super) polls: Option<usize>,
}

/// One way through a thread. Expressions name reads by their events' numbers in it.
#[derive(Debug, Clone)]
pub(super) struct Path {
    pub(super) events: Vec<Event>,
    /// What must be nonzero, or zero.
    pub(super) conditions: Vec<(IntExpr, bool)>,
    /// Final values of registers.
    pub(super) regs: Vec<IntExpr>,
    pc: usize,
}

/// All ways through a thread.
#[derive(Debug)]
pub(super) struct Paths {
    pub(super) list: Vec<Path>,
    /// A way was left out because a loop was unrolled no further.
    pub(super) cut: bool,
    /// There are more ways than these.
    pub(super) many: bool,
}

/// How an instruction of this name becomes events.
struct Unfold<'p> {
    program: &'p Program,
    decls: &'p Instructions,
    inline: bool,
}

/// The ways through a thread, at most `most`.
pub(super) fn paths(
    program: &Program,
    thread: usize,
    decls: &Instructions,
    inline: bool,
    most: usize,
) -> Result<Paths, Report> {
    let unfold = Unfold { program, decls, inline };
    let t = &program.threads[thread];
    let start = Path { events: Vec::new(), conditions: Vec::new(), regs: vec![constant(0); t.regs.len()], pc: 0 };
    let mut out = Paths { list: Vec::new(), cut: false, many: false };
    let mut todo = vec![start];
    while let Some(mut path) = todo.pop() {
        let Some(op) = t.code.get(path.pc) else {
            if out.list.len() == most {
                out.many = true;
                break;
            }
            out.list.push(path);
            continue;
        };
        path.pc += 1;
        match op {
            Op::Cut => out.cut = true,
            Op::Jump(to) => {
                path.pc = *to;
                todo.push(path);
            }
            Op::Choose(of) => todo.extend(of.iter().rev().map(|to| Path { pc: *to, ..path.clone() })),
            Op::Set(reg, e) => {
                path.regs[*reg] = path.value(e);
                todo.push(path);
            }
            Op::Branch(e, to) => {
                let cond = path.value(e);
                let (mut yes, mut no) = (path.clone(), path);
                no.pc = *to;
                let possible = [no.require(cond.clone(), false), yes.require(cond, true)];
                todo.extend([no, yes].into_iter().zip(possible).filter_map(|(p, possible)| possible.then_some(p)));
            }
            Op::Exec { instr, args, span } => todo.extend(unfold.instruction(path, *instr, args, span)?),
        }
    }
    Ok(out)
}

impl Path {
    fn value(&self, e: &IntExpr) -> IntExpr {
        substitute(e, &|r| self.regs[r].clone())
    }

    /// Adds a condition; false if it cannot hold.
    fn require(&mut self, e: IntExpr, nonzero: bool) -> bool {
        if let IntExpr::Const(v, _) = e {
            return (v != 0) == nonzero;
        }
        self.conditions.push((e, nonzero));
        true
    }

    /// Adds an event and gives its number.
    fn event(&mut self, label: Label, place: Place, towards: Option<usize>, writes: Option<IntExpr>) -> usize {
        self.events.push(Event { label, place, towards, writes, polls: None });
        self.events.len() - 1
    }

    /// A poll takes the oldest NIC write of the queue pair that no earlier poll has taken (Def. 4.3 (1)); if there is
    /// none, this way never ends. False then.
    fn poll(&mut self, n: usize) -> bool {
        let of_pair = |e: &&Event| e.towards == Some(n);
        let earlier = self.events.iter().filter(of_pair).filter(|e| e.label == Label::Poll).count();
        let write = |e: &Event| matches!(e.label, Label::NicRemoteWrite | Label::NicLocalWrite);
        let found = (0..self.events.len())
            .filter(|i| write(&self.events[*i]) && self.events[*i].towards == Some(n))
            .nth(earlier);
        let poll = self.event(Label::Poll, Place::None, Some(n), None);
        self.events[poll].polls = found;
        found.is_some()
    }
}

fn read(event: usize) -> IntExpr {
    IntExpr::Reg(event, None)
}

impl Unfold<'_> {
    /// The ways on after an instruction.
    fn instruction(&self, mut p: Path, instr: usize, args: &[Operand], span: &Span) -> Result<Vec<Path>, Report> {
        let name = self.decls.list[instr].name.as_str();
        let value = |p: &Path, e: &IntExpr| p.value(e);
        let node = |y: usize| Some(self.program.locs[y].node);
        match (name, args) {
            ("write", [Operand::Loc(x), Operand::Int(v)]) => {
                let v = value(&p, v);
                p.event(Label::LocalWrite, Place::Loc(*x), None, Some(v));
            }
            ("read", [Operand::Reg(r), Operand::Loc(x)]) => {
                let e = p.event(Label::LocalRead, Place::Loc(*x), None, None);
                p.regs[*r] = read(e);
            }
            ("exchange" | "fetch_add" | "fetch_and" | "fetch_or" | "fetch_xor", args) => {
                let [Operand::Reg(r), Operand::Loc(x), Operand::Int(v)] = args else { return Ok(vec![p]) };
                let v = value(&p, v);
                let new = p.events.len();
                let with = |op| IntExpr::Binary(op, Box::new(read(new)), Box::new(v.clone()));
                let writes = match name {
                    "exchange" => v.clone(),
                    "fetch_add" => with(BinaryOp::Add),
                    "fetch_and" => with(BinaryOp::BitAnd),
                    "fetch_or" => with(BinaryOp::BitOr),
                    _ => with(BinaryOp::BitXor),
                };
                let e = p.event(Label::Cas, Place::Loc(*x), None, Some(writes));
                p.regs[*r] = read(e);
            }
            ("lfence" | "sfence", []) => {}
            ("mfence", []) => _ = p.event(Label::Fence, Place::None, None, None),
            ("rfence", [Operand::Node(n)]) => _ = p.event(Label::NicFence, Place::None, Some(*n), None),
            ("poll", [Operand::Node(n)]) => {
                if !p.poll(*n) {
                    return Ok(Vec::new());
                }
            }
            ("put", [Operand::Loc(y), Operand::Loc(x)]) => {
                let e = p.event(Label::NicLocalRead, Place::Loc(*x), node(*y), None);
                p.event(Label::NicRemoteWrite, Place::Loc(*y), node(*y), Some(read(e)));
            }
            ("put_imm", [Operand::Loc(y), Operand::Int(v)]) => {
                let mut v = value(&p, v);
                if !self.inline {
                    v = read(p.event(Label::NicLocalRead, Place::Fresh(v), node(*y), None));
                }
                p.event(Label::NicRemoteWrite, Place::Loc(*y), node(*y), Some(v));
            }
            ("get", [Operand::Loc(x), Operand::Loc(y)]) => {
                let e = p.event(Label::NicRemoteRead, Place::Loc(*y), node(*y), None);
                p.event(Label::NicLocalWrite, Place::Loc(*x), node(*y), Some(read(e)));
            }
            ("cas", [Operand::Reg(r), Operand::Loc(x), Operand::Int(old), Operand::Int(new)]) => {
                return Ok(Self::cas(p, *r, *x, old, new));
            }
            _ => {
                let d = Diagnostic::at(span, format!("declarative models have no events for `{name}`"));
                return Err(d.found("this instruction").help("run the test under an operational model").into());
            }
        }
        Ok(vec![p])
    }

    /// A compare-and-swap that fails is a fence and a read (rdma-tso App. D, CASF).
    fn cas(p: Path, r: usize, x: usize, old: &IntExpr, new: &IntExpr) -> Vec<Path> {
        let (old, new) = (p.value(old), p.value(new));
        let equal = |e: usize| IntExpr::Binary(BinaryOp::Eq, Box::new(read(e)), Box::new(old.clone()));
        let (mut yes, mut no) = (p.clone(), p);
        let e = yes.event(Label::Cas, Place::Loc(x), None, Some(new));
        yes.conditions.push((equal(e), true));
        yes.regs[r] = read(e);
        no.event(Label::Fence, Place::None, None, None);
        let e = no.event(Label::LocalRead, Place::Loc(x), None, None);
        no.conditions.push((equal(e), false));
        no.regs[r] = read(e);
        vec![no, yes]
    }
}
