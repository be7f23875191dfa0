//! Structured bodies to flat code.
//!
//! A loop that states no bound is a jump back to its condition, unless the caller wants it unrolled. A loop that states a bound,
//! or is to be unrolled, becomes that many rounds and a last test of the condition; a run that would go on is cut ([`Op::Cut`]).
//! A loop without a body goes on for ever, or not at all ([`Op::Spin`]); with the bound 0, which no test may state, it is how a
//! layer waits ([`Op::Early`]).

use crate::ast::{Stmt, Test, Thread};
use litmpi_spec::program::{Op, Program};

/// The program of a test. `unroll` is the bound of loops that state none; without it they jump back.
pub fn lower(test: &Test, unroll: Option<u32>) -> Program {
    Program {
        nodes: test.nodes.clone(),
        locs: test.locs.clone(),
        arrays: vec![],
        threads: test.threads.iter().map(|t| thread(t, unroll)).collect(),
    }
}

/// How many steps [`lower`] makes of the test, so that a caller can refuse a bound that is too large.
pub fn size(test: &Test, unroll: Option<u32>) -> u64 {
    test.threads.iter().fold(0, |sum, t| sum.saturating_add(count(&t.body, unroll)))
}

fn count(stmts: &[Stmt], unroll: Option<u32>) -> u64 {
    let one = |stmt: &Stmt| match stmt {
        Stmt::Call { .. } | Stmt::Set { .. } => 1,
        Stmt::If { then, els, .. } => {
            let jump = u64::from(!els.is_empty());
            count(then, unroll).saturating_add(count(els, unroll)).saturating_add(1 + jump)
        }
        Stmt::While { body, .. } if body.is_empty() => 2,
        Stmt::While { bound, body, .. } => {
            let round = count(body, unroll).saturating_add(1);
            match bound.or(unroll) {
                Some(rounds) => round.saturating_mul(u64::from(rounds)).saturating_add(2),
                None => round.saturating_add(1),
            }
        }
        Stmt::Choose { of, .. } => {
            let all = of.iter().fold(0_u64, |sum, s| sum.saturating_add(count(s, unroll)));
            all.saturating_add(u64::try_from(of.len()).unwrap_or(u64::MAX))
        }
    };
    stmts.iter().fold(0, |sum, s| sum.saturating_add(one(s)))
}

fn thread(t: &Thread, unroll: Option<u32>) -> litmpi_spec::program::Thread {
    let mut code = Code { ops: Vec::new(), unroll };
    code.stmts(&t.body);
    litmpi_spec::program::Thread { number: t.number, node: t.node, regs: t.regs.clone(), code: code.ops }
}

struct Code {
    ops: Vec<Op>,
    unroll: Option<u32>,
}

impl Code {
    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            self.stmt(stmt);
        }
    }

    /// A step that jumps somewhere not yet known.
    fn hole(&mut self) -> usize {
        self.ops.push(Op::Jump(0));
        self.ops.len() - 1
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Call { instr, args, span } => {
                self.ops.push(Op::Exec { instr: *instr, args: args.clone(), stored: vec![], span: span.clone() });
            }
            Stmt::Set { reg, expr, span } => self.ops.push(Op::Set(*reg, expr.clone(), span.clone())),
            Stmt::If { cond, then, els, span } => {
                let branch = self.hole();
                self.stmts(then);
                if els.is_empty() {
                    self.ops[branch] = Op::Branch(cond.clone(), self.ops.len(), span.clone());
                    return;
                }
                let over = self.hole();
                self.ops[branch] = Op::Branch(cond.clone(), self.ops.len(), span.clone());
                self.stmts(els);
                self.ops[over] = Op::Jump(self.ops.len());
            }
            // What the condition says, it says for ever.
            Stmt::While { cond, bound, body, span } if body.is_empty() => {
                self.ops.push(Op::Branch(cond.clone(), self.ops.len() + 2, span.clone()));
                self.ops.push(if *bound == Some(0) { Op::Early } else { Op::Spin });
            }
            Stmt::While { cond, bound, body, span } => {
                let mut exits = Vec::new();
                let Some(rounds) = bound.or(self.unroll) else {
                    let top = self.hole();
                    self.stmts(body);
                    self.ops.push(Op::Jump(top));
                    self.ops[top] = Op::Branch(cond.clone(), self.ops.len(), span.clone());
                    return;
                };
                for _ in 0..rounds {
                    exits.push(self.hole());
                    self.stmts(body);
                }
                exits.push(self.hole());
                self.ops.push(Op::Cut);
                let end = self.ops.len();
                for exit in exits {
                    self.ops[exit] = Op::Branch(cond.clone(), end, span.clone());
                }
            }
            Stmt::Choose { of, .. } => {
                let choose = self.hole();
                let (mut starts, mut exits) = (Vec::new(), Vec::new());
                for (i, stmts) in of.iter().enumerate() {
                    starts.push(self.ops.len());
                    self.stmts(stmts);
                    if i + 1 < of.len() {
                        exits.push(self.hole());
                    }
                }
                self.ops[choose] = Op::Choose(starts);
                let end = self.ops.len();
                for exit in exits {
                    self.ops[exit] = Op::Jump(end);
                }
            }
        }
    }
}
