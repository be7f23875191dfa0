//! Which instructions a test runs: those that it calls, and those that these are short for.

use litmpi_litmus::ast::Test;
use litmpi_spec::decl::Instructions;
use litmpi_spec::load::Trees;
use litmpi_spec::syntax::Item;
use std::collections::{BTreeSet, HashMap};

/// For each instruction that is short for others, the names of these.
pub(super) type Expansions = HashMap<String, Vec<String>>;

pub(super) fn expansions(trees: &Trees) -> Expansions {
    let items = trees.files.iter().flat_map(|f| &f.items);
    let of = |item: &Item| match item {
        Item::Instruction(i) => {
            let steps = &i.expansion.as_ref()?.steps;
            Some((i.name.node.clone(), steps.iter().map(|s| s.node.0.node.clone()).collect()))
        }
        _ => None,
    };
    items.filter_map(of).collect()
}

/// The names of the instructions that a test runs.
pub(super) fn calls(test: &Test, declared: &Instructions, expansions: &Expansions) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    let mut todo: Vec<String> = test.calls().into_iter().map(|c| declared.list[c.instr].name.clone()).collect();
    while let Some(name) = todo.pop() {
        todo.extend(expansions.get(&name).into_iter().flatten().filter(|n| !out.contains(*n)).cloned());
        out.insert(name);
    }
    out
}
