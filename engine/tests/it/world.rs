//! Small programs by hand, and what they do.

use litmpi_engine::eval::Fault;
use litmpi_engine::machine::{End, Machine, Target};
use litmpi_spec::model::Spec;
use litmpi_spec::parse::parse;
use litmpi_spec::program::{Loc, Node, Op, Operand, Program, Reg, Thread};
use litmpi_spec::source::{Source, Span};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Where statements of programs by hand stand.
pub(crate) fn nowhere() -> Span {
    Span::new(&Source::new("program", "program"), 0, 0)
}

/// A specification from its items.
pub(crate) fn spec(items: &str) -> Arc<Spec> {
    let source = Source::new("test.spec", format!("model t \"test\"\n{items}"));
    let checked = parse(&source).and_then(|f| litmpi_spec::check::check(&[f], vec![source]));
    Arc::new(checked.unwrap_or_else(|r| panic!("{}", r.render(false))))
}

/// A program in the making.
pub(crate) struct World {
    spec: Arc<Spec>,
    pub(crate) program: Program,
}

impl World {
    pub(crate) fn new(spec: &Arc<Spec>) -> World {
        World { spec: Arc::clone(spec), program: Program::default() }
    }

    pub(crate) fn node(&mut self, number: i64) -> usize {
        self.program.nodes.push(Node { number });
        self.program.nodes.len() - 1
    }

    pub(crate) fn loc(&mut self, name: &str, node: usize, initial: i64) -> Operand {
        self.program.locs.push(Loc { name: name.into(), node, initial, room: 1 });
        Operand::Loc(self.program.locs.len() - 1)
    }

    pub(crate) fn array(&mut self, name: &str, node: usize, len: u32) -> Operand {
        let first = self.program.locs.len();
        for i in 0..len {
            self.program.locs.push(Loc { name: format!("{name}[{i}]"), node, initial: 0, room: len - i });
        }
        Operand::Loc(first)
    }

    pub(crate) fn thread(&mut self, number: i64, node: usize) -> usize {
        self.program.threads.push(Thread { number, node, regs: vec![], code: vec![] });
        self.program.threads.len() - 1
    }

    pub(crate) fn reg(&mut self, t: usize, name: &str, ty: &str) -> Operand {
        self.program.threads[t].regs.push(Reg { name: name.into(), ty: ty.into(), kind: None });
        Operand::Reg(self.program.threads[t].regs.len() - 1)
    }

    pub(crate) fn exec(&mut self, t: usize, instr: &str, args: Vec<Operand>) {
        let Some(instr) = self.spec.instructions.find(instr) else { panic!("no instruction `{instr}`") };
        self.program.threads[t].code.push(Op::Exec { instr, args, stored: vec![], span: nowhere() });
    }

    pub(crate) fn machine(&self) -> Result<Machine, Fault> {
        self.variant("default")
    }

    pub(crate) fn variant(&self, name: &str) -> Result<Machine, Fault> {
        Machine::new(Arc::clone(&self.spec), &self.program, name)
    }
}

/// A program without instructions: one node, numbered 1, for rules that run of themselves.
pub(crate) fn alone(spec: &Arc<Spec>) -> Machine {
    let mut w = World::new(spec);
    w.node(1);
    w.machine().unwrap_or_else(|f| panic!("{}", f.0.message))
}

/// The transitions of the initial state, each as the entries that it changes, in the machine's order.
pub(crate) fn steps(m: &Machine) -> Vec<String> {
    let mut out = vec![];
    let result = m.transitions(m.initial(), &mut |step, target| {
        let what = match target {
            Target::Erroneous(why) => format!("erroneous: {why}"),
            Target::State(next) => {
                let changes = m.changes(m.initial(), next);
                changes
                    .iter()
                    .map(|c| format!("{}: {} → {}", c.entry, c.before, c.after))
                    .collect::<Vec<_>>()
                    .join(", ")
            }
        };
        out.push(format!("{}; {what}", m.step_name(&step)));
    });
    result.unwrap_or_else(|f| panic!("{}", litmpi_spec::diag::Report::from(f).render(false)));
    out
}

/// All ends: how, and the state's words that are not program counters.
pub(crate) fn explore(m: &Machine) -> Result<BTreeSet<(String, Vec<u32>)>, Fault> {
    let mut seen: BTreeSet<Vec<u32>> = BTreeSet::from([m.initial().to_vec()]);
    let mut open = vec![m.initial().to_vec()];
    let mut ends = BTreeSet::new();
    while let Some(state) = open.pop() {
        let mut last = true;
        m.transitions(&state, &mut |_, target| {
            last = false;
            match target {
                Target::Erroneous(why) => {
                    ends.insert((format!("erroneous: {why}"), vec![]));
                }
                Target::State(next) => {
                    if seen.insert(next.to_vec()) {
                        open.push(next.to_vec());
                    }
                }
            }
        })?;
        if last {
            let how = match m.end(&state) {
                End::Done => "done",
                End::Deadlock => "deadlock",
                End::Cut => "cut",
            };
            ends.insert((how.into(), state[m.program().threads.len()..].to_vec()));
        }
    }
    Ok(ends)
}
