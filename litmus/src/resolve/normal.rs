//! One order of registers, so that a test and its printed form have the same.

use crate::ast::Stmt;
use litmpi_spec::decl::{Instructions, Shape};
use litmpi_spec::program::{IntExpr, Operand, Reg};

/// Numbers the registers in order of first use in the statements, unused ones last, and gives each the kind of the
/// first parameter that it is passed to.
pub(super) fn registers(stmts: &mut [Stmt], regs: &mut Vec<Reg>, decls: &Instructions) {
    let mut order: Vec<usize> = Vec::new();
    for_each(
        stmts,
        &mut |reg, kind| {
            if !order.contains(reg) {
                order.push(*reg);
            }
            if let (Some(kind), None) = (kind, regs[*reg].kind) {
                regs[*reg].kind = Some(kind);
            }
        },
        decls,
    );
    for reg in 0..regs.len() {
        if !order.contains(&reg) {
            order.push(reg);
        }
    }
    let mut place = vec![0; regs.len()];
    for (new, old) in order.iter().enumerate() {
        place[*old] = new;
    }
    for_each(stmts, &mut |reg, _| *reg = place[*reg], decls);
    *regs = order.into_iter().map(|old| regs[old].clone()).collect();
}

/// Visits every register in the statements, with the kind of the parameter it is passed to as a register.
fn for_each(stmts: &mut [Stmt], visit: &mut impl FnMut(&mut usize, Option<usize>), decls: &Instructions) {
    for stmt in stmts {
        match stmt {
            Stmt::Call { instr, args, .. } => {
                for (param, arg) in decls.list[*instr].params.iter().zip(args) {
                    let is_register = matches!(decls.kind(param).shape, Shape::Register(_));
                    operand(arg, is_register.then_some(param.kind), visit);
                }
            }
            Stmt::Set { reg, expr, .. } => {
                visit(reg, None);
                int(expr, visit);
            }
            Stmt::If { cond, then, els, .. } => {
                int(cond, visit);
                for_each(then, visit, decls);
                for_each(els, visit, decls);
            }
            Stmt::While { cond, body, .. } => {
                int(cond, visit);
                for_each(body, visit, decls);
            }
            Stmt::Choose { of, .. } => {
                for stmts in of {
                    for_each(stmts, visit, decls);
                }
            }
        }
    }
}

fn operand(arg: &mut Operand, kind: Option<usize>, visit: &mut impl FnMut(&mut usize, Option<usize>)) {
    match arg {
        Operand::Reg(reg) => visit(reg, kind),
        Operand::Int(e) => int(e, visit),
        Operand::List(args) => args.iter_mut().for_each(|a| operand(a, kind, visit)),
        Operand::Loc(_) | Operand::Node(_) | Operand::NoReg => {}
    }
}

fn int(e: &mut IntExpr, visit: &mut impl FnMut(&mut usize, Option<usize>)) {
    match e {
        IntExpr::Const(..) => {}
        IntExpr::Reg(reg, _) => visit(reg, None),
        IntExpr::Unary(_, a) => int(a, visit),
        IntExpr::Binary(_, a, b) => {
            int(a, visit);
            int(b, visit);
        }
    }
}
