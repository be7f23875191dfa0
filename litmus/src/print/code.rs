//! Statements and expressions to text.

use crate::ast::{Stmt, Test, Thread};
use crate::build::BRANCHES;
use crate::resolve::default_operand;
use litmpi_spec::decl::{Form, Instructions, Shape};
use litmpi_spec::program::{BinaryOp, IntExpr, Operand, UnaryOp};

/// The body of a thread, each statement on its own line.
pub(super) fn body(test: &Test, thread: &Thread, decls: &Instructions) -> String {
    let code = Code { test, thread, decls };
    let mut out = String::new();
    code.stmts(&thread.body, 1, &mut out);
    out
}

struct Code<'a> {
    test: &'a Test,
    thread: &'a Thread,
    decls: &'a Instructions,
}

impl Code<'_> {
    fn stmts(&self, stmts: &[Stmt], depth: usize, out: &mut String) {
        for stmt in stmts {
            let indent = "  ".repeat(depth);
            out.push_str(&indent);
            let close = format!("{indent}}}");
            match stmt {
                Stmt::Call { instr, args, .. } => out.push_str(&self.call(*instr, args)),
                Stmt::Set { reg, expr, .. } => {
                    out.push_str(&format!("{} := {}", self.thread.regs[*reg].name, self.int(expr, 0)));
                }
                Stmt::If { .. } => self.branches(stmt, depth, out),
                Stmt::While { cond, bound, body, .. } => {
                    let bound = bound.map(|b| format!(" bound {b}")).unwrap_or_default();
                    out.push_str(&format!("while {}{bound} {{\n", self.int(cond, 0)));
                    self.stmts(body, depth + 1, out);
                    out.push_str(&close);
                }
                Stmt::Choose { of, .. } => {
                    for (i, stmts) in of.iter().enumerate() {
                        out.push_str(if i == 0 { "choose {\n" } else { " or {\n" });
                        self.stmts(stmts, depth + 1, out);
                        out.push_str(&close);
                    }
                }
            }
            out.push('\n');
        }
    }

    /// `if … else if … else …`, as one chain while the parser takes it.
    fn branches(&self, stmt: &Stmt, depth: usize, out: &mut String) {
        let close = format!("{}}}", "  ".repeat(depth));
        let mut next = stmt;
        for length in 1.. {
            let Stmt::If { cond, then, els, .. } = next else { return };
            out.push_str(&format!("if {} {{\n", self.int(cond, 0)));
            self.stmts(then, depth + 1, out);
            out.push_str(&close);
            match els.as_slice() {
                [] => return,
                [branch @ Stmt::If { .. }] if length < BRANCHES => {
                    out.push_str(" else ");
                    next = branch;
                }
                _ => {
                    out.push_str(" else {\n");
                    self.stmts(els, depth + 1, out);
                    out.push_str(&close);
                    return;
                }
            }
        }
    }

    fn call(&self, instr: usize, args: &[Operand]) -> String {
        let decl = &self.decls.list[instr];
        let all: Vec<usize> = (0..decl.params.len()).collect();
        match &decl.form {
            Form::Call if all.is_empty() => decl.name.clone(),
            Form::Call => format!("{}({})", decl.name, self.arguments(instr, &all, args)),
            Form::AssignCall(left, name, params) => {
                let left = self.argument(instr, *left, args);
                format!("{left} := {name}({})", self.arguments(instr, params, args))
            }
            Form::Assign(left, right) => {
                let remote = self.decls.kind(&decl.params[*left]).shape == Shape::Remote;
                let value = self.argument(instr, *right, args);
                // A bare name would be read as a location to put from.
                let register = matches!(&args[*right], Operand::Int(IntExpr::Reg(_, None)));
                let value = if remote && register { format!("({value})") } else { value };
                format!("{} := {value}", self.argument(instr, *left, args))
            }
        }
    }

    /// Arguments by place up to the first that is left out, then by name.
    fn arguments(&self, instr: usize, params: &[usize], args: &[Operand]) -> String {
        let mut parts = Vec::new();
        let mut by_name = false;
        for p in params {
            let param = &self.decls.list[instr].params[*p];
            if default_operand(param).as_ref() == Some(&args[*p]) {
                by_name = true;
                continue;
            }
            let value = self.argument(instr, *p, args);
            parts.push(if by_name { format!("{}: {value}", param.name) } else { value });
        }
        parts.join(", ")
    }

    /// An argument; a location that is named by its node is, though it be of the thread's own.
    fn argument(&self, instr: usize, param: usize, args: &[Operand]) -> String {
        let is_remote = self.decls.kind(&self.decls.list[instr].params[param]).shape == Shape::Remote;
        match &args[param] {
            Operand::Loc(i) if is_remote => {
                let loc = &self.test.locs[*i];
                format!("{}@{}", loc.name, self.test.nodes[loc.node].number)
            }
            other => self.operand(other),
        }
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Loc(i) => {
                let loc = &self.test.locs[*i];
                if loc.name.starts_with('$') {
                    loc.initial.to_string()
                } else if loc.node == self.thread.node || loc.room == 0 {
                    loc.name.clone()
                } else {
                    format!("{}@{}", loc.name, self.test.nodes[loc.node].number)
                }
            }
            Operand::Node(i) => self.test.nodes[*i].number.to_string(),
            Operand::Reg(r) => self.thread.regs[*r].name.clone(),
            Operand::NoReg => "_".to_string(),
            Operand::Int(e) => self.int(e, 0),
            Operand::List(all) => {
                let all: Vec<String> = all.iter().map(|o| self.operand(o)).collect();
                format!("[{}]", all.join(", "))
            }
        }
    }

    /// An expression inside one that binds with `strength`.
    fn int(&self, e: &IntExpr, strength: u8) -> String {
        let (text, own) = match e {
            IntExpr::Const(_, Some(name)) => (name.clone(), ATOM),
            IntExpr::Const(value, None) => (value.to_string(), ATOM),
            IntExpr::Reg(r, None) => (self.thread.regs[*r].name.clone(), ATOM),
            IntExpr::Reg(r, Some(field)) => (format!("{}.{field}", self.thread.regs[*r].name), ATOM),
            // Brackets keep `-(1)` apart from the number -1, and `- -` from a comment.
            IntExpr::Unary(UnaryOp::Neg, a) => (format!("-({})", self.int(a, 0)), ATOM),
            IntExpr::Unary(UnaryOp::Not, a) => (format!("!{}", self.int(a, ATOM)), ATOM),
            IntExpr::Binary(op, a, b) => {
                let (sign, own) = operator(*op);
                (format!("{} {sign} {}", self.int(a, own), self.int(b, own + 1)), own)
            }
        };
        if own < strength { format!("({text})") } else { text }
    }
}

const ATOM: u8 = 10;

/// How an operator is written and how strongly it binds.
fn operator(op: BinaryOp) -> (&'static str, u8) {
    match op {
        BinaryOp::Or => ("||", 1),
        BinaryOp::And => ("&&", 2),
        BinaryOp::Eq => ("=", 4),
        BinaryOp::Ne => ("!=", 4),
        BinaryOp::Lt => ("<", 4),
        BinaryOp::Le => ("<=", 4),
        BinaryOp::Gt => (">", 4),
        BinaryOp::Ge => (">=", 4),
        BinaryOp::BitOr => ("|", 5),
        BinaryOp::BitXor => ("^", 6),
        BinaryOp::BitAnd => ("&", 7),
        BinaryOp::Add => ("+", 8),
        BinaryOp::Sub => ("-", 8),
        BinaryOp::Mul => ("*", 9),
        BinaryOp::Mod => ("%", 9),
    }
}
