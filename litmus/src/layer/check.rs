//! Whether a layer fits what is below: every instruction of its own has a body, and bodies call what is there.

use super::value::called;
use crate::suggest::nearest;
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use litmpi_spec::syntax::{ExprKind, Name, Stmt, StmtKind};

/// Holds a layer against the instructions below; `known` says of each whether what is below runs it.
///
/// # Errors
/// An instruction without a body, a body that calls what is not below.
pub fn check(spec: &Spec, below: &Instructions, name: &str, known: &dyn Fn(usize) -> bool) -> Result<(), Report> {
    let Some(layer) = &spec.layer else { return Ok(()) };
    let mut errors = Report::default();
    for (i, instr) in spec.instructions.list.iter().enumerate() {
        let is_below = below.find(&instr.name).is_some();
        if !instr.internal && !is_below && layer.body(i).is_none() {
            let message = format!("the layer {} leaves `{}` unimplemented", spec.name, instr.name);
            let d = Diagnostic::at(&instr.span, message).found("declared here, and not known below");
            errors.0.push(d.help(format!("add `implement {} (…) {{ … }}` to {}", instr.name, spec.name)));
        }
    }
    let names: Vec<&str> =
        (below.list.iter().enumerate()).filter(|(i, _)| known(*i)).map(|(_, i)| i.name.as_str()).collect();
    for body in &layer.bodies {
        calls(&body.stmts, &mut |f| {
            let found = called(below, &f.node).or_else(|| below.find(&f.node).map(|i| (i, vec![])));
            if found.is_some_and(|(i, _)| known(i)) {
                return;
            }
            let near = nearest(&f.node, names.iter().copied());
            let help = near.map_or_else(|| format!("it has: {}", names.join(", ")), |n| format!("did you mean `{n}`?"));
            let message = format!("`{}` is no instruction of {name}", f.node);
            errors.0.push(Diagnostic::at(&f.span, message).found("a body may use what is below alone").help(help));
        });
    }
    errors.into_result()
}

/// Visits the names that are called.
fn calls(stmts: &[Stmt], visit: &mut dyn FnMut(&Name)) {
    for stmt in stmts {
        match &stmt.node {
            StmtKind::Assign(_, e) => {
                if let ExprKind::Call(f, _) = &*e.node {
                    visit(f);
                }
            }
            StmtKind::Call(f, _) => visit(f),
            StmtKind::If(_, a, b) => {
                calls(a, visit);
                calls(b, visit);
            }
            StmtKind::While(_, _, body) | StmtKind::Repeat(body, _) | StmtKind::For(_, _, body) => calls(body, visit),
            StmtKind::Choose(of) => of.iter().for_each(|s| calls(s, visit)),
        }
    }
}
