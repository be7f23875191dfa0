//! Tests on locations of two elements.
//!
//! On a real library a location is a block of many elements, and a model's location is one. What a model says of blocks it says of
//! the widened test: each location is two, next to each other, and whatever speaks of items of a location speaks of twice as many. A
//! load reads the elements one after the other, into a register for each, and a store writes them so. Where an outcome of the
//! widened test gives two values for the two elements of one location or register, that value may be torn, into these two; where
//! none does, elements belong together. So it is the model's rules that say what may be torn: elements of one message arrive
//! together, those of an MPI_Put one by one.
//!
//! What counts items of a location is read off the C texts of kinds: those that speak of `LITMPI_UNIT` or `LITMPI_BYTES`.

use crate::ast::{Observable, Observed, Stmt, Test, Thread};
use litmpi_spec::decl::{Form, Instructions, Kind, Shape};
use litmpi_spec::program::{BinaryOp, IntExpr, Loc, Operand};

/// The widened test, whose outcomes list the first elements of what the test observes, then the second ones.
///
/// None if it cannot be said what a call is on locations of two elements: datatypes that are built of elements, and operations on
/// single ones.
pub fn widen(test: &Test, instructions: &Instructions) -> Option<Test> {
    let locs = test.locs.iter().flat_map(both).collect();
    let mut threads = Vec::new();
    let mut seconds = Vec::new();
    for thread in &test.threads {
        let second = second_registers(thread, instructions);
        let mut wide = Wide { instructions, second: &second };
        let mut regs = thread.regs.clone();
        regs.extend(thread.regs.iter().map(|r| {
            let mut twin = r.clone();
            twin.name.push('\'');
            twin
        }));
        threads.push(Thread { regs, body: wide.block(&thread.body)?, ..thread.clone() });
        seconds.push(second);
    }
    let mut observed: Vec<Observable> = test.observed.iter().map(|o| element(o, &seconds, 0)).collect();
    observed.extend(test.observed.iter().map(|o| element(o, &seconds, 1)));
    Some(Test { locs, threads, observed, claims: Vec::new(), ..test.clone() })
}

fn both(l: &Loc) -> [Loc; 2] {
    let second = Loc { name: format!("{}'", l.name), room: (2 * l.room).saturating_sub(1), ..l.clone() };
    [Loc { room: 2 * l.room, ..l.clone() }, second]
}

/// An observable's first or second element.
fn element(o: &Observable, seconds: &[Vec<Option<usize>>], at: usize) -> Observable {
    let what = match &o.what {
        Observed::Loc(l) => Observed::Loc(2 * l + at),
        Observed::Reg(t, r, None) if at == 1 => Observed::Reg(*t, seconds[*t][*r].unwrap_or(*r), None),
        other => other.clone(),
    };
    Observable { name: format!("{}{}", o.name, if at == 1 { "'" } else { "" }), what }
}

/// For each register, the one that holds the second element, if the register holds what was loaded or computed, and nothing that a
/// call gives it.
fn second_registers(thread: &Thread, instructions: &Instructions) -> Vec<Option<usize>> {
    let n = thread.regs.len();
    let mut second: Vec<Option<usize>> = (0..n).map(|r| Some(n + r)).collect();
    given(&thread.body, instructions, &mut second);
    second
}

fn given(body: &[Stmt], instructions: &Instructions, second: &mut [Option<usize>]) {
    fn drop(arg: &Operand, second: &mut [Option<usize>]) {
        match arg {
            Operand::Reg(r) => second[*r] = None,
            Operand::List(items) => items.iter().for_each(|i| drop(i, second)),
            _ => {}
        }
    }
    for stmt in body {
        match stmt {
            Stmt::Call { instr, .. } if is_load(instructions, *instr) => {}
            Stmt::Call { args, .. } => args.iter().for_each(|a| drop(a, second)),
            Stmt::Set { .. } => {}
            Stmt::If { then, els, .. } => {
                given(then, instructions, second);
                given(els, instructions, second);
            }
            Stmt::While { body, .. } => given(body, instructions, second),
            Stmt::Choose { of, .. } => of.iter().for_each(|b| given(b, instructions, second)),
        }
    }
}

fn shapes(instructions: &Instructions, instr: usize) -> Option<(&Shape, &Shape)> {
    let instruction = &instructions.list[instr];
    let Form::Assign(left, right) = instruction.form else { return None };
    let shape = |at: usize| &instructions.kind(&instruction.params[at]).shape;
    (instruction.params.len() == 2 && instruction.text.c.is_none()).then(|| (shape(left), shape(right)))
}

/// `r := x`
fn is_load(instructions: &Instructions, instr: usize) -> bool {
    matches!(shapes(instructions, instr), Some((Shape::Register(_), Shape::Local)))
}

/// `x := v`
fn is_store(instructions: &Instructions, instr: usize) -> bool {
    matches!(shapes(instructions, instr), Some((Shape::Local, Shape::Int)))
}

struct Wide<'a> {
    instructions: &'a Instructions,
    second: &'a [Option<usize>],
}

impl Wide<'_> {
    fn block(&mut self, body: &[Stmt]) -> Option<Vec<Stmt>> {
        let mut out = Vec::new();
        for stmt in body {
            self.stmt(stmt, &mut out)?;
        }
        Some(out)
    }

    fn stmt(&mut self, stmt: &Stmt, out: &mut Vec<Stmt>) -> Option<()> {
        match stmt {
            Stmt::Call { instr, args, span } => {
                let call = |args| Stmt::Call { instr: *instr, args, span: span.clone() };
                if is_load(self.instructions, *instr) || is_store(self.instructions, *instr) {
                    out.push(call(args.iter().map(|a| self.of_element(a, 0)).collect::<Option<_>>()?));
                    if let Some(second) = args.iter().map(|a| self.of_element(a, 1)).collect() {
                        out.push(call(second));
                    }
                } else {
                    out.push(call(self.arguments(*instr, args)?));
                }
            }
            Stmt::Set { reg, expr, span } => {
                out.push(stmt.clone());
                if let Some(second) = self.second[*reg] {
                    out.push(Stmt::Set { reg: second, expr: self.of_second(expr), span: span.clone() });
                }
            }
            Stmt::If { cond, then, els, span } => out.push(Stmt::If {
                cond: cond.clone(),
                then: self.block(then)?,
                els: self.block(els)?,
                span: span.clone(),
            }),
            Stmt::While { cond, bound, body, span } => {
                out.push(Stmt::While { cond: cond.clone(), bound: *bound, body: self.block(body)?, span: span.clone() })
            }
            Stmt::Choose { of, span } => out.push(Stmt::Choose {
                of: of.iter().map(|b| self.block(b)).collect::<Option<_>>()?,
                span: span.clone(),
            }),
        }
        Some(())
    }

    /// An operand of a load or a store, for one element; none where there is no second register.
    fn of_element(&self, arg: &Operand, at: usize) -> Option<Operand> {
        Some(match arg {
            Operand::Loc(l) => Operand::Loc(2 * l + at),
            Operand::Reg(r) if at == 1 => Operand::Reg(self.second[*r]?),
            Operand::Int(e) if at == 1 => Operand::Int(self.of_second(e)),
            other => other.clone(),
        })
    }

    /// An expression over second elements.
    fn of_second(&self, e: &IntExpr) -> IntExpr {
        match e {
            IntExpr::Reg(r, None) => IntExpr::Reg(self.second[*r].unwrap_or(*r), None),
            IntExpr::Unary(op, a) => IntExpr::Unary(*op, Box::new(self.of_second(a))),
            IntExpr::Binary(op, a, b) => IntExpr::Binary(*op, Box::new(self.of_second(a)), Box::new(self.of_second(b))),
            other => other.clone(),
        }
    }

    fn arguments(&self, instr: usize, args: &[Operand]) -> Option<Vec<Operand>> {
        let instruction = &self.instructions.list[instr];
        if instruction.text.c.as_deref().is_some_and(|t| t.contains("LITMPI_SINGLE(")) {
            return None;
        }
        let kinds: Vec<&Kind> = instruction.params.iter().map(|p| self.instructions.kind(p)).collect();
        let mut out = Vec::new();
        for (at, (kind, arg)) in kinds.iter().zip(args).enumerate() {
            let pass = kind.text.c.pass.as_deref().unwrap_or_default();
            if pass.contains("litmpi_oldtype(") {
                return None;
            }
            // `{datatype}` is the next argument of that kind.
            let datatype = || kinds[at..].iter().zip(&args[at..]).find(|(k, _)| k.name == "datatype").map(|(_, a)| a);
            let doubled = pass.contains("LITMPI_BYTES")
                || pass.contains("LITMPI_UNIT({datatype})") && matches!(datatype(), Some(Operand::Int(_)))
                || pass.contains("LITMPI_UNIT(MPI_");
            out.push(scaled(arg, doubled));
        }
        Some(out)
    }
}

fn scaled(arg: &Operand, doubled: bool) -> Operand {
    match arg {
        Operand::Loc(l) => Operand::Loc(2 * l),
        Operand::Int(e) if doubled => {
            Operand::Int(IntExpr::Binary(BinaryOp::Mul, Box::new(e.clone()), Box::new(IntExpr::Const(2, None))))
        }
        Operand::List(items) => Operand::List(items.iter().map(|i| scaled(i, doubled)).collect()),
        other => other.clone(),
    }
}
