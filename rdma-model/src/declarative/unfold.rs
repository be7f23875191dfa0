//! A thread's runs, apart from the others: its events for each way through its branches and through the ways of its
//! instructions, with the values of reads left open and the conditions under which it goes that way.

use super::programs::Programs;
use super::value::{binary_of, constant, substitute, unary_of};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::events::{self, Key, Step};
use litmpi_spec::program::{IntExpr, Op, Operand, Program};
use litmpi_spec::source::Span;

/// The value of a key. Registers are their thread's own, nodes and locations everybody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyValue {
    Node(usize),
    Loc(usize),
    Register(usize),
}

/// An event.
#[derive(Debug, Clone)]
pub(super) struct Event {
    /// Its labels, the first one by which it is shown.
    pub(super) labels: Vec<String>,
    pub(super) keys: Vec<(String, KeyValue)>,
    pub(super) loc: Option<usize>,
    pub(super) reads: bool,
    /// What a write writes.
    pub(super) writes: Option<IntExpr>,
    /// Which instruction of its way it is of.
    pub(super) instruction: usize,
    /// The statement.
    pub(super) span: Span,
}

/// One way through a thread. Expressions name reads by their events' numbers in it.
#[derive(Debug, Clone)]
pub(super) struct Path {
    pub(super) events: Vec<Event>,
    /// What must be nonzero, or zero.
    pub(super) conditions: Vec<(IntExpr, bool)>,
    /// Final values of registers.
    pub(super) regs: Vec<IntExpr>,
    instructions: usize,
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

/// The ways through a thread, at most `most`.
pub(super) fn paths(program: &Program, thread: usize, programs: &Programs, most: usize) -> Result<Paths, Report> {
    let t = &program.threads[thread];
    let regs = vec![constant(0); t.regs.len()];
    let start = Path { events: Vec::new(), conditions: Vec::new(), regs, instructions: 0, pc: 0 };
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
            Op::Exec { instr, args, span } => {
                let Some(events) = &programs.spec.events[*instr] else {
                    let name = &programs.spec.instructions.list[*instr].name;
                    let d = Diagnostic::at(span, format!("`{name}` has no events"));
                    let help = "declarative models know what `events` items of the specification say";
                    return Err(d.found("this instruction").help(help).into());
                };
                path.instructions += 1;
                let slots = vec![None; events.slots];
                let call = Call { program, programs, args, span };
                let mut ways = call.steps(&events.steps, vec![(path, slots)])?;
                ways.reverse();
                todo.extend(ways.into_iter().map(|(path, _)| path));
            }
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
}

/// An instruction of a program, and what it is declared to be.
struct Call<'p> {
    program: &'p Program,
    programs: &'p Programs,
    args: &'p [Operand],
    span: &'p Span,
}

/// A way, and the events whose values the slots of the instruction are.
type Way = (Path, Vec<Option<usize>>);

impl Call<'_> {
    /// The ways on after some steps.
    fn steps(&self, steps: &[Step], mut ways: Vec<Way>) -> Result<Vec<Way>, Report> {
        for step in steps {
            let mut next = Vec::new();
            for (mut path, mut slots) in ways {
                match step {
                    Step::Either(of) => {
                        for steps in of {
                            next.extend(self.steps(steps, vec![(path.clone(), slots.clone())])?);
                        }
                        continue;
                    }
                    Step::When(e) => {
                        let condition = self.value(e, &path, &slots);
                        if !path.require(condition, true) {
                            continue;
                        }
                    }
                    Step::Set(param, e) => {
                        let value = self.value(e, &path, &slots);
                        if let Operand::Reg(r) = &self.args[*param] {
                            path.regs[*r] = value;
                        }
                    }
                    Step::Event(e) => self.event(e, &mut path, &mut slots)?,
                }
                next.push((path, slots));
            }
            ways = next;
        }
        Ok(ways)
    }

    fn event(&self, e: &events::Event, path: &mut Path, slots: &mut [Option<usize>]) -> Result<(), Report> {
        let mut labels = vec![e.label.clone()];
        for (label, condition) in &e.also {
            match condition.as_ref().map(|c| self.value(c, path, slots)) {
                None => labels.push(label.clone()),
                Some(IntExpr::Const(v, _)) => labels.extend((v != 0).then(|| label.clone())),
                Some(_) => {
                    let d = Diagnostic::at(self.span, format!("whether this is `{label}` depends on what is read"));
                    return Err(d.found("this instruction").help("give a constant").into());
                }
            }
        }
        let node = |loc: usize| KeyValue::Node(self.program.locs[loc].node);
        let keys = e.keys.iter().filter_map(|(name, key)| {
            let value = match (key, self.args.get(param_of(key))) {
                (Key::NodeOf(_), Some(Operand::Loc(x))) => node(*x),
                (Key::Param(_), Some(Operand::Loc(x))) => KeyValue::Loc(*x),
                (Key::Param(_), Some(Operand::Node(n))) => KeyValue::Node(*n),
                (Key::Param(_), Some(Operand::Reg(r))) => KeyValue::Register(*r),
                _ => return None,
            };
            Some((name.clone(), value))
        });
        let keys = keys.collect();
        let loc = e.at.and_then(|p| if let Operand::Loc(x) = self.args[p] { Some(x) } else { None });
        if let Some(slot) = e.reads {
            slots[slot] = Some(path.events.len());
        }
        let writes = e.writes.as_ref().map(|v| self.value(v, path, slots));
        let (instruction, span) = (path.instructions, self.span.clone());
        path.events.push(Event { labels, keys, loc, reads: e.reads.is_some(), writes, instruction, span });
        Ok(())
    }

    fn value(&self, v: &events::Value, path: &Path, slots: &[Option<usize>]) -> IntExpr {
        use events::Value as V;
        match v {
            V::Int(n) => constant(*n),
            V::Const(c) => constant(self.programs.constants[*c]),
            V::Param(p) => match &self.args[*p] {
                Operand::Int(e) => path.value(e),
                _ => constant(0),
            },
            // The checker saw to it that the read stands before.
            V::Slot(slot) => slots[*slot].map_or_else(|| constant(0), |event| IntExpr::Reg(event, None)),
            V::Unary(op, a) => unary_of(*op, self.value(a, path, slots)),
            V::Binary(op, a, b) => binary_of(*op, self.value(a, path, slots), self.value(b, path, slots)),
        }
    }
}

fn param_of(key: &Key) -> usize {
    match key {
        Key::Param(p) | Key::NodeOf(p) => *p,
    }
}
