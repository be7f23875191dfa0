//! Statements of one thread.

use super::vars::Vars;
use crate::ast::Stmt;
use crate::raw;
use litmpi_spec::decl::{Default, Form, Instruction, Instructions, Param, Shape};
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::program::{IntExpr, Node, Operand, Reg};
use litmpi_spec::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// The largest bound that a loop may state.
const BOUND: i64 = 1000;
/// More locations than this in one statement are refused: each order of loading them is spelt out.
const LOADS: usize = 3;

/// One thread while it is resolved.
pub(super) struct Body<'a> {
    pub(super) decls: &'a Instructions,
    pub(super) nodes: &'a [Node],
    pub(super) vars: &'a mut Vars,
    /// Index of the thread's node.
    pub(super) node: usize,
    pub(super) regs: Vec<Reg>,
    pub(super) by_name: BTreeMap<String, usize>,
    pub(super) errors: Vec<Diagnostic>,
    /// Locations that the statement at hand must load before it, with the registers.
    loads: Vec<(usize, usize)>,
    /// Locations that take the value of a register after it.
    pub(super) stores: Vec<(usize, usize)>,
    /// Number of the next hidden register; they are used again in each statement.
    hidden: usize,
    /// Names of hidden registers that the text itself uses.
    taken: BTreeSet<String>,
}

impl<'a> Body<'a> {
    pub(super) fn new(
        decls: &'a Instructions,
        nodes: &'a [Node],
        vars: &'a mut Vars,
        node: usize,
        thread: &raw::Thread,
        registers: Vec<(String, String)>,
    ) -> Body<'a> {
        let mut body = Body {
            decls,
            nodes,
            vars,
            node,
            regs: Vec::new(),
            by_name: BTreeMap::new(),
            errors: Vec::new(),
            loads: Vec::new(),
            stores: Vec::new(),
            hidden: 0,
            taken: BTreeSet::new(),
        };
        for (name, ty) in registers {
            if name.starts_with('$') {
                body.taken.insert(name.clone());
            }
            body.register(name, ty);
        }
        debug_assert!(thread.on.value == nodes[node].number, "the thread stands on its node");
        body
    }

    fn register(&mut self, name: String, ty: String) -> usize {
        let i = self.regs.len();
        self.by_name.insert(name.clone(), i);
        self.regs.push(Reg { name, ty, kind: None });
        i
    }

    /// A register that the text does not name, free in this statement.
    pub(super) fn hidden(&mut self) -> usize {
        loop {
            self.hidden += 1;
            let name = format!("${}", self.hidden);
            if !self.taken.contains(&name) {
                let known = self.by_name.get(&name).copied();
                return known.unwrap_or_else(|| self.register(name, "Int".into()));
            }
        }
    }

    /// The register that will hold the location's value when the statement runs.
    pub(super) fn load(&mut self, loc: usize) -> usize {
        if let Some((_, reg)) = self.loads.iter().find(|(l, _)| *l == loc) {
            return *reg;
        }
        let reg = self.hidden();
        self.loads.push((loc, reg));
        reg
    }

    /// A register whose value the location takes after the statement.
    pub(super) fn store(&mut self, loc: usize) -> usize {
        let reg = self.hidden();
        self.stores.push((loc, reg));
        reg
    }

    /// Resolves statements; those with errors are left out.
    pub(super) fn stmts(&mut self, stmts: &[raw::Stmt], out: &mut Vec<Stmt>) {
        for stmt in stmts {
            self.hidden = 0;
            self.loads.clear();
            self.stores.clear();
            self.stmt(stmt, out);
        }
    }

    fn block(&mut self, stmts: &[raw::Stmt]) -> Vec<Stmt> {
        let mut out = Vec::new();
        self.stmts(stmts, &mut out);
        out
    }

    fn stmt(&mut self, stmt: &raw::Stmt, out: &mut Vec<Stmt>) {
        match stmt {
            raw::Stmt::Assign { left, right, span } => {
                let made = match right {
                    raw::Right::Expr(e) => self.assign(left, e, span),
                    raw::Right::Call(call) => self.applied(left, call, span),
                };
                self.finish(made, span, out);
            }
            raw::Stmt::Call(call) => {
                let made = self.call(call);
                self.finish(made, &call.span, out);
            }
            raw::Stmt::If { cond, then, els, span } => {
                let cond = self.int(cond, None);
                let loads = self.loading(span);
                let (then, els) = (self.block(then), self.block(els));
                if let (Some(cond), Some(loads)) = (cond, loads) {
                    out.extend(loads);
                    out.push(Stmt::If { cond, then, els, span: span.clone() });
                }
            }
            raw::Stmt::While { cond, bound, body, span } => {
                let cond = self.int(cond, None);
                let loads = self.loading(span);
                let bound = bound.as_ref().map(|b| self.bound(b));
                let mut body = self.block(body);
                if let (Some(cond), Some(loads)) = (cond, loads) {
                    out.extend(loads.iter().cloned());
                    body.extend(loads);
                    out.push(Stmt::While { cond, bound, body, span: span.clone() });
                }
            }
            raw::Stmt::Choose { of, span } => {
                let of = of.iter().map(|stmts| self.block(stmts)).collect();
                out.push(Stmt::Choose { of, span: span.clone() });
            }
        }
    }

    fn bound(&mut self, bound: &raw::Number) -> u32 {
        if !(0..=BOUND).contains(&bound.value) {
            self.errors.push(
                Diagnostic::at(&bound.span, format!("a loop cannot have the bound {}", bound.value))
                    .found("the bound")
                    .help(format!("0 to {BOUND} rounds")),
            );
        }
        u32::try_from(bound.value.clamp(0, BOUND)).unwrap_or(0)
    }

    /// The loads before, the statement, the stores after.
    fn finish(&mut self, made: Option<Stmt>, span: &Span, out: &mut Vec<Stmt>) {
        let loads = self.loading(span);
        let (Some(made), Some(loads)) = (made, loads) else { return };
        out.extend(loads);
        out.push(made);
        for (loc, reg) in std::mem::take(&mut self.stores) {
            let value = Operand::Int(IntExpr::Reg(reg, None));
            let store = self.form(|s| *s == Shape::Local, |s| *s == Shape::Int);
            match store.and_then(|(i, l, r)| self.make(i, vec![(l, Operand::Loc(loc)), (r, value)], span)) {
                Some(stmt) => out.push(stmt),
                None => self.cannot(span, "stores to a location"),
            }
        }
    }

    /// The statements that load what the statement at hand needs, in every order; nothing on error.
    fn loading(&mut self, span: &Span) -> Option<Vec<Stmt>> {
        let loads = std::mem::take(&mut self.loads);
        if loads.len() > LOADS {
            self.errors.push(
                Diagnostic::at(span, format!("the statement reads {} locations", loads.len()))
                    .found("too many at once")
                    .help(format!("read at most {LOADS} at once; load the others into registers first: `r := x`")),
            );
            return None;
        }
        let made: Option<Vec<Stmt>> = loads.iter().map(|(loc, reg)| self.read(*reg, *loc, span)).collect();
        let made = made?;
        if made.len() < 2 {
            return Some(made);
        }
        Some(vec![Stmt::Choose { of: orders(&made), span: span.clone() }])
    }

    /// The instruction that reads a location into a register.
    pub(super) fn read(&mut self, reg: usize, loc: usize, span: &Span) -> Option<Stmt> {
        let read = self.form(|s| *s == Shape::Register("Int".into()), |s| *s == Shape::Local);
        let made = read.and_then(|(i, l, r)| self.make(i, vec![(l, Operand::Reg(reg)), (r, Operand::Loc(loc))], span));
        if made.is_none() {
            self.cannot(span, "reads a location");
        }
        made
    }

    fn cannot(&mut self, span: &Span, what: &str) {
        self.errors.push(
            Diagnostic::at(span, format!("no instruction {what}"))
                .found("this needs one")
                .help("the specification must declare an instruction with the form `r := x` or `x := v`"),
        );
    }

    /// The first assignment form whose sides have these shapes: the instruction and its two parameters.
    pub(super) fn form(
        &self,
        left: impl Fn(&Shape) -> bool,
        right: impl Fn(&Shape) -> bool,
    ) -> Option<(usize, usize, usize)> {
        let shape = |i: &Instruction, p: usize| self.decls.kind(&i.params[p]).shape.clone();
        self.decls.list.iter().enumerate().find_map(|(n, i)| match i.form {
            Form::Assign(l, r) if !i.internal && left(&shape(i, l)) && right(&shape(i, r)) => Some((n, l, r)),
            _ => None,
        })
    }

    /// An instruction with these operands and defaults for the others; nothing if one has no default.
    pub(super) fn make(&self, instr: usize, given: Vec<(usize, Operand)>, span: &Span) -> Option<Stmt> {
        let params = &self.decls.list[instr].params;
        let mut args: Vec<Option<Operand>> = params.iter().map(default).collect();
        for (param, operand) in given {
            args[param] = Some(operand);
        }
        let args: Option<Vec<Operand>> = args.into_iter().collect();
        Some(Stmt::Call { instr, args: args?, span: span.clone() })
    }
}

/// What stands for an argument left out.
pub(crate) fn default(param: &Param) -> Option<Operand> {
    Some(match param.default.as_ref()? {
        Default::Int(value, name) => Operand::Int(IntExpr::Const(*value, name.clone())),
        Default::NoRegister => Operand::NoReg,
    })
}

/// Every order of the statements, the given one first.
fn orders(stmts: &[Stmt]) -> Vec<Vec<Stmt>> {
    if stmts.len() < 2 {
        return vec![stmts.to_vec()];
    }
    let mut all = Vec::new();
    for first in 0..stmts.len() {
        let mut rest = stmts.to_vec();
        let head = rest.remove(first);
        for mut order in orders(&rest) {
            order.insert(0, head.clone());
            all.push(order);
        }
    }
    all
}
