//! Instructions that are short for others (`MPI_Send` is `MPI_Isend`, then `MPI_Wait`) are replaced in programs.

use crate::eval::Fault;
use litmpi_spec::decl::Shape;
use litmpi_spec::ir::StepArg;
use litmpi_spec::model::Spec;
use litmpi_spec::program::{IntExpr, Op, Operand, Program, Reg, Thread};

/// Replaces until nothing is short for anything.
///
/// # Errors
/// An instruction that is short for itself.
pub fn expand(spec: &Spec, program: &Program) -> Result<Program, Fault> {
    let mut program = program.clone();
    for thread in &mut program.threads {
        for depth in 0.. {
            let Some(short) = thread.code.iter().find_map(|op| match op {
                Op::Exec { instr, .. } if spec.expansions[*instr].is_some() => Some(*instr),
                _ => None,
            }) else {
                break;
            };
            if depth == 8 {
                let i = &spec.instructions.list[short];
                return Err(Fault::new(&i.span, format!("`{}` is short for itself", i.name))
                    .help("an expansion must end in instructions with rules"));
            }
            expand_once(spec, thread);
        }
        optional(spec, thread);
    }
    Ok(program)
}

/// A location that may be left out is a sequence of at most one for rules, as every option is.
fn optional(spec: &Spec, thread: &mut Thread) {
    for op in &mut thread.code {
        let Op::Exec { instr, args, .. } = op else { continue };
        for (param, arg) in spec.instructions.list[*instr].params.iter().zip(args) {
            if spec.instructions.kind(param).shape == Shape::LocalOrNone {
                *arg = Operand::List(match arg {
                    Operand::Loc(l) => vec![Operand::Loc(*l)],
                    _ => vec![],
                });
            }
        }
    }
}

fn expand_once(spec: &Spec, thread: &mut Thread) {
    let old = std::mem::take(&mut thread.code);
    let mut starts = vec![];
    for op in old {
        starts.push(thread.code.len());
        match &op {
            Op::Exec { instr, args, stored, span } if spec.expansions[*instr].is_some() => {
                let e = spec.expansions[*instr].as_ref().expect("just seen");
                let locals: Vec<usize> =
                    e.locals.iter().map(|(name, kind)| hidden(spec, thread, name, *kind)).collect();
                let mut stored = stored.clone();
                for (target, step_args) in &e.steps {
                    let args = step_args
                        .iter()
                        .map(|a| match a {
                            StepArg::Param(p) => args[*p].clone(),
                            StepArg::Local(l) => Operand::Reg(locals[*l]),
                            StepArg::Int(v) => Operand::Int(IntExpr::Const(*v, None)),
                            StepArg::NoReg => Operand::NoReg,
                        })
                        .collect();
                    // The process has stored before the first step.
                    let stored = std::mem::take(&mut stored);
                    thread.code.push(Op::Exec { instr: *target, args, stored, span: span.clone() });
                }
            }
            _ => thread.code.push(op),
        }
    }
    starts.push(thread.code.len());
    for op in &mut thread.code {
        match op {
            Op::Branch(_, to, _) | Op::Jump(to) => *to = starts[*to],
            Op::Choose(targets) => targets.iter_mut().for_each(|t| *t = starts[*t]),
            Op::Ask(ask) => ask.then.values_mut().for_each(|t| *t = starts[*t]),
            _ => {}
        }
    }
}

/// The hidden register of that name; expansions of one thread share it, for they run one after the other.
fn hidden(spec: &Spec, thread: &mut Thread, name: &str, kind: usize) -> usize {
    let name = format!("${name}");
    if let Some(i) = thread.regs.iter().position(|r| r.name == name && r.kind == Some(kind)) {
        return i;
    }
    let ty = match &spec.instructions.kinds[kind].shape {
        Shape::Register(ty) => ty.clone(),
        _ => "Int".into(),
    };
    thread.regs.push(Reg { name, ty, kind: Some(kind) });
    thread.regs.len() - 1
}
