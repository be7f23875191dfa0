//! Whether a layer fits what is below: every instruction of its own has a body, bodies call what is there and keep to what
//! is theirs, and the layer says nothing by rules, which nobody would run.

use super::value::called;
use litmpi_spec::decl::{Instructions, Shape};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use litmpi_spec::suggest::nearest;
use litmpi_spec::syntax::{Expr, ExprKind, Name, Stmt, StmtKind};

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
        let params = &spec.instructions.list[body.instr].params;
        assigned(&body.stmts, &mut |target| {
            let ExprKind::Name(name) = &*target.node else { return };
            let param = body.params.iter().position(|p| p == name).and_then(|i| params.get(i));
            let Some(kind) = param.map(|p| spec.instructions.kind(p)) else { return };
            if !matches!(kind.shape, Shape::Object | Shape::Node) {
                return;
            }
            let message = format!("`{name}` is a {}, which a body cannot change", kind.name);
            let help = "assign to memory that the layer declares, or to a register";
            errors.0.push(Diagnostic::at(&target.span, message).found("given by the caller").help(help));
        });
    }
    super::names::check(spec, layer, below, &mut errors);
    // What it imports may be a specification with rules; its own file is an implementation.
    let own = &layer.over.span.source;
    for rule in spec.rules.iter().filter(|r| r.span.source.name == own.name) {
        let message = format!("the layer {} has a rule, {}", spec.name, rule.name);
        let d = Diagnostic::at(&rule.span, message).found("a layer runs by what is below");
        errors.0.push(d.help("say by `implement` how instructions are made; rules belong to specifications"));
    }
    errors.into_result()
}

/// Visits what is assigned to.
fn assigned(stmts: &[Stmt], visit: &mut dyn FnMut(&Expr)) {
    for stmt in stmts {
        match &stmt.node {
            StmtKind::Assign(target, _) => visit(target),
            StmtKind::Call(..) => {}
            StmtKind::If(_, a, b) => {
                assigned(a, visit);
                assigned(b, visit);
            }
            StmtKind::While(_, _, body) | StmtKind::Repeat(body, _) | StmtKind::For(_, _, body) => {
                assigned(body, visit);
            }
            StmtKind::Choose(of) => of.iter().for_each(|s| assigned(s, visit)),
        }
    }
}

/// Visits the names that are called.
fn calls(stmts: &[Stmt], visit: &mut dyn FnMut(&Name)) {
    for stmt in stmts {
        match &stmt.node {
            StmtKind::Assign(_, e) => {
                if let ExprKind::Call(f, _) = &*e.node
                    && !litmpi_spec::layer::FUNCTIONS.contains(&f.node.as_str())
                {
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
