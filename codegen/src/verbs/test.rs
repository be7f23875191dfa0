//! One test's file: its threads' bodies and the table that describes it to the harness.

use crate::mpi::body::{Scope, comment, place};
use crate::mpi::c::C;
use crate::mpi::dialect::Dialect;
use litmpi_litmus::ast::{Call, Observed, Test};
use litmpi_spec::decl::{Form, Instructions, Language, Shape};
use litmpi_spec::diag::{Diagnostic, Report};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What the harness has room for (`c/verbs/litmpi.h`).
const OBSERVED: usize = 64;
const NODES: usize = 8;
const THREADS: usize = 16;
const BLOCKS: usize = 64;

/// The C file of one test, whose names begin with `name` (an identifier).
///
/// # Errors
/// What of the test has no C: more than the harness has room for, a location of another node where one of the
/// thread's own must stand, an instruction without C text.
pub fn verbs_test(test: &Test, instructions: &Instructions, name: &str) -> Result<String, Report> {
    let bodies = bodies(test, instructions, name, (Language::C, &C))?;
    Ok(format!(
        "/* {}: {}\n * Generated from {}. */\n#include \"litmpi.h\"\n{bodies}{}",
        comment(&test.name),
        comment(&test.title),
        comment(&test.span.source.name),
        table(test, instructions, name)
    ))
}

/// The threads' bodies in a language, whose dialect that is.
pub(super) fn bodies(
    test: &Test,
    instructions: &Instructions,
    name: &str,
    (language, dialect): (Language, &dyn Dialect),
) -> Result<String, Report> {
    let mut problems = limits(test, instructions, language);
    if !problems.is_empty() {
        return Err(Report(problems));
    }
    let mut bodies = String::new();
    for thread in &test.threads {
        let mut scope = Scope::new(test, thread, instructions, (name, "thread"), dialect);
        let _ = write!(bodies, "\n{}", scope.function());
        problems.append(&mut scope.problems());
    }
    if !problems.is_empty() {
        return Err(Report(problems));
    }
    Ok(bodies)
}

/// What of a test the harness has no room for, or the language no text.
pub(super) fn limits(test: &Test, instructions: &Instructions, language: Language) -> Vec<Diagnostic> {
    let mut problems = shape(test);
    problems.extend(without_text(test, instructions, language));
    problems
}

/// Whether the test fits the harness at all.
fn shape(test: &Test) -> Vec<Diagnostic> {
    let most = (0..test.nodes.len()).map(|n| test.locs.iter().filter(|l| l.node == n).count()).max().unwrap_or(0);
    let limits = [
        ("nodes", test.nodes.len(), NODES),
        ("threads", test.threads.len(), THREADS),
        ("observed values", test.observed.len(), OBSERVED),
        ("locations on one node", most, BLOCKS),
    ];
    limits
        .into_iter()
        .filter(|(_, has, room)| has > room)
        .map(|(what, has, room)| {
            Diagnostic::at(&test.span, format!("it has {has} {what}"))
                .found("this test")
                .help(format!("the harness has room for {room}"))
        })
        .collect()
}

/// Instructions that are neither a plain load or store nor have a text of their own in the language.
fn without_text<'t>(
    test: &'t Test,
    instructions: &'t Instructions,
    language: Language,
) -> impl Iterator<Item = Diagnostic> + 't {
    let (word, clause) = match language {
        Language::C => ("C", "c"),
        Language::Rust => ("Rust", "rust"),
    };
    test.calls().into_iter().filter_map(move |Call { instr, span, .. }| {
        let i = &instructions.list[instr];
        let shape = |at: usize| &instructions.kind(&i.params[at]).shape;
        let plain = matches!(i.form, Form::Assign(l, r)
            if matches!((shape(l), shape(r)), (Shape::Local, Shape::Int) | (Shape::Register(_), Shape::Local)));
        let lacks = || {
            Diagnostic::at(span, format!("`{}` has no {word} text", i.name))
                .found("in this test")
                .help(format!("its declaration may say one: `{clause} \"…\"`"))
        };
        (i.text.of(language).is_none() && !plain).then(lacks)
    })
}

/// Names of the instructions that have a text of their own in the language, each behind a space.
pub(super) fn uses(test: &Test, instructions: &Instructions, language: Language) -> String {
    let called = test.calls().into_iter().map(|c| &instructions.list[c.instr]);
    let used: BTreeSet<String> =
        called.filter(|i| i.text.of(language).is_some()).map(|i| format!(" {}", i.name)).collect();
    used.into_iter().collect()
}

fn table(test: &Test, instructions: &Instructions, name: &str) -> String {
    let mut out = String::from("\n");
    let (mut nodes, mut threads) = (String::new(), String::new());
    for (i, node) in test.nodes.iter().enumerate() {
        let initial: Vec<String> = test.locs.iter().filter(|l| l.node == i).map(|l| l.initial.to_string()).collect();
        let values = if initial.is_empty() { "0".to_string() } else { initial.join(", ") };
        let n = node.number;
        let _ = writeln!(out, "static const int {name}_initial_{n}[] = {{{values}}};");
        let _ = writeln!(nodes, "    {{{n}, {name}_initial_{n}, {}}},", initial.len());
    }
    for thread in &test.threads {
        let n = thread.number;
        let _ = writeln!(threads, "    {{{n}, {}, {name}_thread_{n}}},", thread.node);
    }
    let _ = write!(out, "static const struct litmpi_node {name}_nodes[] = {{\n{nodes}}};\n");
    let _ = write!(out, "static const struct litmpi_thread {name}_threads[] = {{\n{threads}}};\n");
    let _ = writeln!(out, "static const struct litmpi_observable {name}_observables[] = {{");
    for o in &test.observed {
        let (node, block) = match &o.what {
            // A register's value is reported by its thread.
            Observed::Reg(..) => (0, "-1".to_string()),
            Observed::Loc(l) => {
                let (node, block) = place(test, *l);
                (node, block.to_string())
            }
        };
        let _ = writeln!(out, "    {{{node}, {block}}}, /* {} */", comment(&o.name));
    }
    if test.observed.is_empty() {
        out.push_str("    {0, -1},\n");
    }
    let file = test.span.source.name.rsplit('/').next().unwrap_or_default().replace(['"', '\\'], "_");
    let (n, t, o) = (test.nodes.len(), test.threads.len(), test.observed.len());
    let used = uses(test, instructions, Language::C);
    let _ = writeln!(
        out,
        "}};\nstatic const struct litmpi_test {name} = {{\n    \"{name}\", \"{file}\", {n}, {name}_nodes, {t}, {name}_threads, {o}, \
         {name}_observables,\n    \"{used}\",\n}};"
    );
    out
}
