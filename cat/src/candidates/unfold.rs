//! A thread's runs, apart from the others: its events for each way through its branches and through the ways of its
//! instructions, with the values of reads left open and the conditions under which it goes that way.

use super::programs::Programs;
use super::value::{binary_of, constant, substitute, unary_of};
use litmpi_spec::decl::Shape;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::events::{self, At, Key, Over, Step};
use litmpi_spec::integers::Bits;
use litmpi_spec::program::{IntExpr, Op, Operand, Program};
use litmpi_spec::source::Span;

/// The value of a key. Registers are their thread's own, nodes and locations everybody's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyValue {
    Node(usize),
    Loc(usize),
    Register(usize),
    Thread(usize),
    /// A call on the object that begins there, by how many went before.
    Round(usize, usize),
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
    /// Calls on objects: the instruction, and where the object begins.
    calls: Vec<(usize, usize)>,
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
    let start = Path { events: Vec::new(), conditions: Vec::new(), regs, instructions: 0, calls: Vec::new(), pc: 0 };
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
            Op::Early | Op::Spin | Op::Bring(_) | Op::Ask(_) | Op::Lost | Op::Gone => {}
            Op::Jump(to) => {
                path.pc = *to;
                todo.push(path);
            }
            Op::Choose(of) => todo.extend(of.iter().rev().map(|to| Path { pc: *to, ..path.clone() })),
            Op::Set(reg, e, _) => {
                path.regs[*reg] = path.value(programs.bits, e);
                todo.push(path);
            }
            Op::Branch(e, to, _) => {
                let cond = path.value(programs.bits, e);
                let (mut yes, mut no) = (path.clone(), path);
                no.pc = *to;
                let possible = [no.require(cond.clone(), false), yes.require(cond, true)];
                todo.extend([no, yes].into_iter().zip(possible).filter_map(|(p, possible)| possible.then_some(p)));
            }
            Op::Exec { instr, args, span, .. } => {
                let Some(events) = &programs.spec.events[*instr] else {
                    let name = &programs.spec.instructions.list[*instr].name;
                    let d = Diagnostic::at(span, format!("`{name}` has no events"));
                    let help = "declarative models know what `events` items of the specification say";
                    return Err(d.found("this instruction").help(help).into());
                };
                if program.lacks_own_node(&programs.spec.instructions, thread, *instr, args) {
                    let name = &programs.spec.instructions.list[*instr].name;
                    let d = Diagnostic::at(span, format!("the model has no `{name}` to the thread's own node"));
                    let help =
                        "name another node, or choose a model of operations to the own one, such as core-rma.cat";
                    return Err(d.found("this instruction").help(help).into());
                }
                path.instructions += 1;
                let slots = vec![None; events.slots];
                let call = Call { program, programs, thread, instr: *instr, args, span, each: Vec::new() };
                let mut ways = call.steps(&events.steps, vec![(path, slots)])?;
                ways.reverse();
                let objects = call.objects();
                todo.extend(ways.into_iter().map(|(mut path, _)| {
                    path.calls.extend(objects.iter().map(|x| (*instr, *x)));
                    path
                }));
            }
        }
    }
    Ok(out)
}

impl Path {
    fn value(&self, bits: Bits, e: &IntExpr) -> IntExpr {
        substitute(bits, e, &|r| self.regs[r].clone())
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
    thread: usize,
    instr: usize,
    args: &'p [Operand],
    span: &'p Span,
    /// What steps are done for, outermost first.
    each: Vec<KeyValue>,
}

/// A way, and the events whose values the slots of the instruction are.
type Way = (Path, Vec<Option<usize>>);

impl Call<'_> {
    /// Where the objects of the call begin.
    fn objects(&self) -> Vec<usize> {
        let params = &self.programs.spec.instructions.list[self.instr].params;
        let kinds = &self.programs.spec.instructions.kinds;
        let object = |(p, a): (&litmpi_spec::decl::Param, &Operand)| match a {
            Operand::Loc(x) if kinds[p.kind].shape == Shape::Object => Some(*x),
            _ => None,
        };
        params.iter().zip(self.args).filter_map(object).collect()
    }

    /// What steps are done for.
    fn over(&self, over: &Over) -> Vec<KeyValue> {
        let own = self.program.threads[self.thread].node;
        let nodes = |keep: &dyn Fn(usize) -> bool| {
            (0..self.program.nodes.len()).filter(|n| keep(*n)).map(KeyValue::Node).collect::<Vec<_>>()
        };
        let home = |object: usize, by: Option<usize>, n: usize| {
            self.users(object, by).iter().any(|t| self.program.threads[*t].node == n)
        };
        match over {
            Over::Nodes => nodes(&|_| true),
            Over::Others => nodes(&|n| n != own),
            Over::List(p) => match &self.args[*p] {
                Operand::List(all) => {
                    let node = |o: &Operand| if let Operand::Node(n) = o { Some(KeyValue::Node(*n)) } else { None };
                    all.iter().filter_map(node).collect()
                }
                _ => vec![],
            },
            Over::Users(x, by) => self.users(*x, *by).into_iter().map(KeyValue::Thread).collect(),
            Over::Homes(x, by) => nodes(&|n| home(*x, *by, n)),
            Over::OtherHomes(x, by) => nodes(&|n| n != own && home(*x, *by, n)),
        }
    }

    /// The threads whose program calls an instruction on the object that a parameter is.
    fn users(&self, param: usize, by: Option<usize>) -> Vec<usize> {
        let object = &self.args[param];
        let uses = |op: &Op| match op {
            Op::Exec { instr, args, .. } => by.is_none_or(|b| b == *instr) && args.contains(object),
            _ => false,
        };
        (0..self.program.threads.len()).filter(|t| self.program.threads[*t].code.iter().any(uses)).collect()
    }

    fn node(&self, at: &At) -> usize {
        match at {
            At::Here => self.program.threads[self.thread].node,
            At::Each(i) => match self.each[*i] {
                KeyValue::Thread(t) => self.program.threads[t].node,
                KeyValue::Node(n) => n,
                _ => 0,
            },
        }
    }

    /// The location of an object on a node.
    fn copy(&self, param: usize, at: &At) -> Option<usize> {
        if let Operand::Loc(first) = self.args[param] { Some(first + self.node(at)) } else { None }
    }

    fn key(&self, key: &Key, path: &Path) -> Option<KeyValue> {
        let arg = |p: usize| self.args.get(p);
        Some(match key {
            Key::NodeOf(p) => match arg(*p)? {
                Operand::Loc(x) => KeyValue::Node(self.program.locs[*x].node),
                _ => return None,
            },
            Key::Param(p) => match arg(*p)? {
                Operand::Loc(x) => KeyValue::Loc(*x),
                Operand::Node(n) => KeyValue::Node(*n),
                Operand::Reg(r) => KeyValue::Register(*r),
                _ => return None,
            },
            Key::Node(at) => KeyValue::Node(self.node(at)),
            Key::Own => KeyValue::Thread(self.thread),
            Key::Each(i) => self.each[*i],
            Key::Of(p, at) => KeyValue::Loc(self.copy(*p, at)?),
            Key::Round(p) => match arg(*p)? {
                Operand::Loc(x) => KeyValue::Round(*x, path.calls.iter().filter(|c| **c == (self.instr, *x)).count()),
                _ => return None,
            },
        })
    }

    /// The ways on after some steps.
    fn steps(&self, steps: &[Step], mut ways: Vec<Way>) -> Result<Vec<Way>, Report> {
        for step in steps {
            let mut next = Vec::new();
            for (mut path, mut slots) in ways {
                match step {
                    Step::For(_, over, steps) => {
                        let mut inner = vec![(path, slots)];
                        for value in self.over(over) {
                            let each = [self.each.clone(), vec![value]].concat();
                            inner = Call { each, ..*self }.steps(steps, inner)?;
                        }
                        next.extend(inner);
                        continue;
                    }
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
        let keys = e.keys.iter().filter_map(|(name, key)| Some((name.clone(), self.key(key, path)?))).collect();
        let loc = e.at.as_ref().and_then(|(p, at)| match (at, &self.args[*p]) {
            (Some(at), _) => self.copy(*p, at),
            (None, Operand::Loc(x)) => Some(*x),
            _ => None,
        });
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
                Operand::Int(e) => path.value(self.programs.bits, e),
                _ => constant(0),
            },
            // The checker saw to it that the read stands before.
            V::Slot(slot) => slots[*slot].map_or_else(|| constant(0), |event| IntExpr::Reg(event, None)),
            V::Unary(op, a) => unary_of(self.programs.bits, *op, self.value(a, path, slots)),
            V::Binary(op, a, b) => {
                binary_of(self.programs.bits, *op, self.value(a, path, slots), self.value(b, path, slots))
            }
        }
    }
}
