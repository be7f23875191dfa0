//! Names that nobody declared and that look misspelt.
//!
//! A name that a thread does not declare is a register or a location of its own from its first use on, so a slip of the pen makes
//! another one, which is 0. Such names are refused here:
//! - one that is read, by an expression, by a copy to or from another node, or by an instruction that looks at what its argument
//!   holds (a request that is waited for), and that nothing assigns and no instruction gives a value;
//! - one that is assigned by `:=` and that nothing reads or observes, if another name differs from it by a likely slip: without
//!   such a name, it is how a test drops what an instruction brings (`c := cas(…)`, `c := x`), and refused only where what is
//!   dropped is a constant;
//! - one that stands in a single argument of a call and nowhere else, if another name differs from it by a likely slip: calls
//!   want names for what their caller may not care for (`MPI_Recv(a, …)`).
//!
//! What a node or rank declares, and what begins with `_`, is never refused: a request that is null on purpose is `_null`. No slip
//! is told by short names: `r1` is not `x1` misspelt. Who asks about executions and not about outcomes ([`Asked::Executions`])
//! need not read what a program has read. What instructions do with arguments is read off their rules (`litmpi_spec::decl::Use`).

use crate::parse::read;
use crate::raw::{Arg, Call, Expr, ExprKind, Name, Observable, Place, Prop, Right, Stmt, Term, Test, Value};
use crate::resolve::bind;
use crate::{herd, raw};
use litmpi_spec::decl::{Form, Instruction, Instructions, Use as Does};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use litmpi_spec::suggest::nearest;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Names shorter than this, or that differ in digits only, are too like each other to tell a slip by.
const TOLD: usize = 4;

/// What is asked about a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// Final values of what it observes.
    Outcomes,
    /// The order of what it does to memory, whatever becomes of the values.
    Executions,
}

/// Refuses names of a test that look misspelt. Tests in herd's format declare what they use elsewhere, and are not looked at.
///
/// # Errors
/// Each name with its place, and the name that was likely meant.
pub fn check_names(source: &Arc<Source>, decls: &Instructions, asked: Asked) -> Result<(), Report> {
    if herd::is_herd(source)? {
        return Ok(());
    }
    let raw = read(source)?;
    let mut errors = vec![];
    for (t, thread) in raw.threads.iter().enumerate() {
        let mut names = Names { used: BTreeMap::new(), decls };
        names.stmts(&thread.body);
        names.note_outside(&raw, t);
        let declared = |name: &str| {
            let of_node = raw.nodes.iter().filter(|n| n.number.value == thread.on.value);
            let constant =
                decls.kinds.iter().any(|k| k.value_of(name).is_some() || k.text.c.none.as_deref() == Some(name));
            constant || of_node.flat_map(|n| &n.variables).any(|v| v.name.text == name)
        };
        errors.extend(names.misspelt(&declared, &known(&raw, thread.on.value), asked));
    }
    errors.sort_by_key(|d| d.span.as_ref().map_or(0, |s| s.start));
    Report(errors).into_result()
}

/// Names that a node declares.
fn known(raw: &Test, node: i64) -> Vec<&str> {
    let of_node = raw.nodes.iter().filter(|n| n.number.value == node);
    of_node.flat_map(|n| &n.variables).map(|v| v.name.text.as_str()).collect()
}

/// How a name is used.
struct Use {
    first: Span,
    assigned: usize,
    /// Assigned what an instruction or a read of memory brings.
    brought: usize,
    read: usize,
    /// In arguments of calls.
    passed: usize,
    /// Of these, where the call may give it a value.
    given: usize,
    /// Of these, where the call looks at what it holds.
    wanted: usize,
    observed: bool,
}

/// The names that a thread uses.
struct Names<'d> {
    used: BTreeMap<String, Use>,
    decls: &'d Instructions,
}

impl Names<'_> {
    fn of(&mut self, name: &Name) -> &mut Use {
        let unused = || Use {
            first: name.span.clone(),
            assigned: 0,
            brought: 0,
            read: 0,
            passed: 0,
            given: 0,
            wanted: 0,
            observed: false,
        };
        self.used.entry(name.text.clone()).or_insert_with(unused)
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Assign { left, right, .. } => {
                    let brings = match right {
                        Right::Expr(e) => {
                            self.expr(e);
                            !is_constant(e)
                        }
                        Right::Call(call) => {
                            self.call(call);
                            true
                        }
                    };
                    if left.node.is_none() {
                        let of = self.of(&left.name);
                        of.assigned += 1;
                        of.brought += usize::from(brings);
                    }
                }
                Stmt::Call(call) => self.call(call),
                Stmt::If { cond, then, els, .. } => {
                    self.expr(cond);
                    self.stmts(then);
                    self.stmts(els);
                }
                Stmt::While { cond, body, .. } => {
                    self.expr(cond);
                    self.stmts(body);
                }
                Stmt::Choose { of, .. } => of.iter().for_each(|stmts| self.stmts(stmts)),
            }
        }
    }

    fn call(&mut self, call: &Call) {
        for (arg, does) in self.arguments(call) {
            let all = match &arg.value {
                Value::One(e) => std::slice::from_ref(e),
                Value::List(es) => es.as_slice(),
            };
            for e in all {
                match &e.kind {
                    ExprKind::Place(Place { name, node: None, .. }) => {
                        let of = self.of(name);
                        of.passed += 1;
                        of.given += usize::from(does != Does::Reads);
                        of.wanted += usize::from(does == Does::Reads);
                    }
                    _ => self.expr(e),
                }
            }
        }
    }

    /// The arguments of a call, each with what the instruction does with what it holds.
    fn arguments<'c>(&self, call: &'c Call) -> Vec<(&'c Arg, Does)> {
        let params = |i: &Instruction| match &i.form {
            Form::Call if i.name == call.name.text && !i.internal => Some((0..i.params.len()).collect::<Vec<_>>()),
            Form::AssignCall(_, name, inner) if *name == call.name.text => Some(inner.clone()),
            _ => None,
        };
        let found = self.decls.list.iter().enumerate().find_map(|(at, i)| params(i).map(|p| (at, i, p)));
        let Some((at, instruction, params)) = found else {
            return call.args.iter().map(|a| (a, Does::Unknown)).collect();
        };
        let bound = bind(instruction, &params, call, &mut vec![]);
        bound.into_iter().map(|(p, arg)| (arg, self.decls.use_of(at, p))).collect()
    }

    fn expr(&mut self, e: &Expr) {
        match &e.kind {
            ExprKind::Int(_) => {}
            ExprKind::Place(place) => {
                if place.node.is_none() {
                    self.of(&place.name).read += 1;
                }
            }
            // What has fields was made by a call.
            ExprKind::Field(name, _) => self.of(name).observed = true,
            ExprKind::Paren(a) | ExprKind::Unary(_, a) => self.expr(a),
            ExprKind::Binary(_, a, b) => {
                self.expr(a);
                self.expr(b);
            }
        }
    }

    /// What conditions, `locations` and other threads say of the names of this thread.
    fn note_outside(&mut self, raw: &Test, thread: usize) {
        let (own, node) = (raw.threads[thread].number.value, raw.threads[thread].on.value);
        let mut observed: Vec<&Observable> = raw.locations.iter().collect();
        raw.claims.iter().for_each(|c| prop(&c.prop, &mut observed));
        for o in observed {
            let other = o.thread.as_ref().is_some_and(|t| t.value != own)
                || o.thread.is_none() && o.node.as_ref().is_some_and(|n| n.value != node);
            if let (false, Some(known)) = (other, self.used.get_mut(&o.name.text)) {
                known.observed = true;
            }
        }
        // Another thread that puts to it or gets from it does either.
        let mut remote = vec![];
        raw.threads.iter().for_each(|t| places(&t.body, &mut remote));
        for place in remote.into_iter().filter(|p| p.node.as_ref().is_some_and(|n| n.value == node)) {
            if let Some(known) = self.used.get_mut(&place.name.text) {
                known.passed += 1;
                known.given += 1;
            }
        }
    }

    fn misspelt(&self, declared: &dyn Fn(&str) -> bool, known: &[&str], asked: Asked) -> Vec<Diagnostic> {
        let mut out = vec![];
        for (name, of) in &self.used {
            if name.starts_with('_') || name.starts_with('$') || declared(name) {
                continue;
            }
            let others = self.used.keys().map(String::as_str).chain(known.iter().copied()).filter(|o| o != name);
            let likely = nearest(name, others.filter(|o| letters(o) != letters(name)));
            let meant = |otherwise: &str| match likely {
                Some(near) => format!("did you mean `{near}`? {otherwise}"),
                None => otherwise.to_owned(),
            };
            let wrong = if of.read + of.wanted > 0 && of.assigned + of.given == 0 && !of.observed {
                let help = meant(
                    "declare it if its initial value is meant, as in `node 1 { x = 0 }` or `int x = 0` in a rank, or begin its \
                     name with `_`",
                );
                Some((format!("`{name}` is read, and nothing assigns or declares it"), "never assigned", help))
            } else if of.assigned > 0 && of.read + of.passed == 0 && !of.observed {
                let otherwise = "observe it (`locations`), declare it, or begin its name with `_`";
                let told = name.len() >= TOLD && asked == Asked::Outcomes;
                let help = match likely {
                    Some(near) if told || of.brought == 0 => {
                        Some(format!("did you mean `{near}`? if not, {otherwise}"))
                    }
                    _ => (of.brought == 0).then(|| otherwise.to_owned()),
                };
                help.map(|help| (format!("`{name}` is assigned, and nothing reads or observes it"), "never read", help))
            } else if of.passed == 1 && of.read + of.assigned == 0 && !of.observed && name.len() >= TOLD {
                let help = likely.map(|near| format!("did you mean `{near}`? declare `{name}` if not"));
                help.map(|help| (format!("`{name}` stands nowhere else in this thread"), "used once", help))
            } else {
                None
            };
            out.extend(wrong.map(|(what, found, help)| Diagnostic::at(&of.first, what).found(found).help(help)));
        }
        out
    }
}

/// Whether an expression reads nothing: to read memory is a step of the thread, whatever becomes of the value.
fn is_constant(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Place(_) | ExprKind::Field(..) => false,
        ExprKind::Paren(a) | ExprKind::Unary(_, a) => is_constant(a),
        ExprKind::Binary(_, a, b) => is_constant(a) && is_constant(b),
        ExprKind::Int(_) => true,
    }
}

/// A name without its digits: `r1` and `r2` are a family.
fn letters(name: &str) -> String {
    name.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// What a condition names.
fn prop<'r>(p: &'r Prop, out: &mut Vec<&'r Observable>) {
    match p {
        Prop::True | Prop::Deadlock | Prop::Erroneous => {}
        Prop::Chain { left, right, .. } => {
            out.extend(left);
            term(right, out);
        }
        Prop::Tuple { left, right, .. } => {
            out.extend(left);
            right.iter().for_each(|t| term(t, out));
        }
        Prop::And(a, b) | Prop::Or(a, b) => {
            prop(a, out);
            prop(b, out);
        }
        Prop::Not(a) => prop(a, out),
    }
}

fn term<'r>(t: &'r Term, out: &mut Vec<&'r Observable>) {
    if let Term::Name(o) = t {
        out.push(o);
    }
}

/// Every place that statements name.
fn places<'r>(stmts: &'r [raw::Stmt], out: &mut Vec<&'r Place>) {
    fn within<'r>(e: &'r Expr, out: &mut Vec<&'r Place>) {
        match &e.kind {
            ExprKind::Place(p) => out.push(p),
            ExprKind::Paren(a) | ExprKind::Unary(_, a) => within(a, out),
            ExprKind::Binary(_, a, b) => {
                within(a, out);
                within(b, out);
            }
            ExprKind::Int(_) | ExprKind::Field(..) => {}
        }
    }
    fn arguments<'r>(call: &'r Call, out: &mut Vec<&'r Place>) {
        for arg in &call.args {
            match &arg.value {
                Value::One(e) => within(e, out),
                Value::List(es) => es.iter().for_each(|e| within(e, out)),
            }
        }
    }
    for stmt in stmts {
        match stmt {
            Stmt::Assign { left, right, .. } => {
                out.push(left);
                match right {
                    Right::Expr(e) => within(e, out),
                    Right::Call(call) => arguments(call, out),
                }
            }
            Stmt::Call(call) => arguments(call, out),
            Stmt::If { then, els, .. } => {
                places(then, out);
                places(els, out);
            }
            Stmt::While { body, .. } => places(body, out),
            Stmt::Choose { of, .. } => of.iter().for_each(|s| places(s, out)),
        }
    }
}
