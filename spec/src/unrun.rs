//! Instructions of a user's specification that nothing runs: no program could use them.

use crate::diag::{Diagnostic, Report};
use crate::load::Trees;
use crate::model::Spec;
use crate::shipped::FILES;
use crate::syntax::{Instruction, Item, Rule};

/// That each instruction which a user's model declares in its own file is run by a rule, short for others, made by a layer, or known
/// to declarative models by its events. What a model imports may be there for other models.
///
/// # Errors
/// The instructions for which that is not so, each with the likely cause.
pub(crate) fn check(trees: &Trees, spec: &Spec) -> Result<(), Report> {
    let (Some(file), Some(source)) = (trees.files.last(), trees.sources.last()) else { return Ok(()) };
    let is_shipped = FILES.iter().any(|(_, text)| **text == *source.text);
    if is_shipped || trees.is_module() {
        return Ok(());
    }
    let declared = file.items.iter().filter_map(|item| if let Item::Instruction(i) = item { Some(i) } else { None });
    let unrun = declared.filter(|i| !is_run(i, spec));
    Report(unrun.map(|i| told(i, trees)).collect()).into_result()
}

fn is_run(i: &Instruction, spec: &Spec) -> bool {
    let Some(at) = spec.instructions.find(&i.name.node) else { return true };
    spec.rules.iter().any(|r| r.on.as_ref().is_some_and(|(_, instr, _)| *instr == at))
        || spec.expansions.get(at).is_some_and(Option::is_some)
        || spec.events.get(at).is_some_and(Option::is_some)
        || spec.layer.as_ref().is_some_and(|l| l.bodies.iter().any(|b| b.instr == at))
}

fn told(i: &Instruction, trees: &Trees) -> Diagnostic {
    let name = &i.name.node;
    let rules: Vec<&Rule> = trees
        .files
        .iter()
        .flat_map(|f| &f.items)
        .filter_map(|item| if let Item::Rule(r) = item { Some(r) } else { None })
        .collect();
    let params: Vec<&str> = i.params.iter().map(|p| p.name.node.as_str()).collect();
    let on = format!("on t: {name}({})", params.join(", "));
    let named = |r: &&&Rule| r.name.node == *name || r.name.node.split('/').next() == Some(name.as_str());
    let left_out = rules.iter().find(|r| r.on.as_ref().is_some_and(|(_, instr, _)| instr.node == *name));
    let help = match (left_out, rules.iter().find(named)) {
        (Some(rule), _) => format!("its rule `{}` is left out by `without`: write one in its place", rule.name.node),
        (None, Some(rule)) => match &rule.on {
            None => format!("the rule `{}` has no line `{on}`, so that it is of no instruction", rule.name.node),
            Some((_, other, _)) => format!("the rule `{}` is of `{}`: write `{on}`", rule.name.node, other.node),
        },
        (None, None) => format!("write a rule with `{on}`, or say what it is short for, `= {{ … }}` behind it"),
    };
    Diagnostic::at(&i.name.span, format!("nothing runs the instruction `{name}`")).found("no rule is of it").help(help)
}
