//! One test's file: its bodies and the table that describes it to the harness.

use super::body::{Scope, comment, place};
use super::c::C;
use super::contents::Contents;
use litmpi_litmus::ast::{Call, Observed, Test};
use litmpi_spec::decl::{Instruction, Instructions, Kind, Language};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::program::{IntExpr, Operand};
use litmpi_spec::source::Span;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// What programs may call of the harness.
const HEADER: &str = include_str!("../../c/litmpi.h");

/// Most observables and ranks that the harness has room for (`c/litmpi.h`).
const OBSERVED: usize = 64;
const RANKS: usize = 32;

/// The C file of one test, whose names begin with `name` (an identifier).
///
/// # Errors
/// What of the test has no C: ranks that are not `0, 1, …` with one thread each, a location of another rank, a
/// kind or an instruction without C text.
pub fn mpi_test(test: &Test, instructions: &Instructions, name: &str) -> Result<String, Report> {
    let mut problems = limits(test, instructions);
    if !problems.is_empty() {
        return Err(Report(problems));
    }
    let mut bodies = Vec::new();
    let mut translated = BTreeSet::new();
    for thread in &test.threads {
        let mut scope = Scope::new(test, thread, instructions, (name, "rank"), &C);
        bodies.push(scope.function());
        problems.append(&mut scope.problems());
        translated.append(&mut scope.translated);
    }
    if !problems.is_empty() {
        return Err(Report(problems));
    }
    let mut out = format!(
        "/* {}: {}\n * Generated from {}. */\n#include \"litmpi.h\"\n",
        comment(&test.name),
        comment(&test.title),
        comment(&test.span.source.name)
    );
    for kind in instructions.kinds.iter().filter(|k| translated.contains(&k.name)) {
        out.push_str(&translation(kind, name));
    }
    for body in &bodies {
        let _ = write!(out, "\n{body}");
    }
    let single = out.contains("LITMPI_SINGLE(");
    out.push_str(&table(test, name, single, Contents::of(test, instructions)));
    Ok(out)
}

/// The names in a text of C.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

/// What of a test the harness has no room for, or no function: an instruction of queue pairs in a test of the layer below MPI, which
/// is enumerated and cannot be run.
pub(crate) fn limits(test: &Test, instructions: &Instructions) -> Vec<Diagnostic> {
    let mut problems = shape(test);
    for Call { instr, args, span } in test.calls() {
        let i = &instructions.list[instr];
        if let Some(d) = multiplies_no_ints(i, args, instructions, span) {
            problems.push(d);
        }
        let text = i.text.of(Language::C).as_deref().unwrap_or_default();
        if words(text).any(|w| w.starts_with("litmpi_") && !words(HEADER).any(|known| known == w)) {
            problems.push(
                Diagnostic::at(span, format!("no `{}` in programs of MPI", i.name))
                    .found("this call")
                    .help("it is of the queue pairs below: the test can be enumerated"),
            );
        }
    }
    problems
}

/// Elements in memory are ints, whatever the datatype: their bits as floats can be added and compared like ints, but not multiplied.
fn multiplies_no_ints(
    i: &Instruction,
    args: &[Operand],
    instructions: &Instructions,
    span: &Span,
) -> Option<Diagnostic> {
    let has = |constant: &str| {
        i.params.iter().zip(args).any(|(p, arg)| {
            let value = instructions.kind(p).value_of(constant);
            value.is_some() && matches!(arg, Operand::Int(IntExpr::Const(v, _)) if Some(*v) == value)
        })
    };
    (has("MPI_PROD") && has("MPI_FLOAT")).then(|| {
        let d = Diagnostic::at(span, "elements of programs are ints, whose bits cannot be multiplied as floats");
        d.found("MPI_PROD of MPI_FLOAT").help("multiply ints, or enumerate the test")
    })
}

/// Whether the test fits the harness at all.
pub(crate) fn shape(test: &Test) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut say = |message: String, help: &str| {
        problems.push(Diagnostic::at(&test.span, message).found("this test").help(help));
    };
    let numbers: Vec<i64> = test.threads.iter().map(|t| t.number).collect();
    let nodes: BTreeSet<usize> = test.threads.iter().map(|t| t.node).collect();
    if nodes.len() != test.threads.len() || nodes.len() != test.nodes.len() {
        say("some rank has several threads".into(), "such programs are enumerated; the harness runs one thread a rank");
    } else if numbers.iter().enumerate().any(|(i, n)| usize::try_from(*n) != Ok(i)) {
        say(format!("its ranks are {numbers:?}, not 0, 1, …"), "number the ranks from 0 without gaps, in order");
    }
    if test.threads.len() > RANKS {
        say(format!("it has {} ranks", test.threads.len()), "the harness runs tests of at most 32 ranks");
    }
    if test.observed.len() > OBSERVED {
        say(format!("it observes {} values", test.observed.len()), "the harness has room for 64: observe fewer");
    }
    problems
}

/// A function from the model's numbers to the library's constants.
pub(super) fn translation(kind: &Kind, name: &str) -> String {
    let mut out = format!("\nstatic int {name}_{}(int value)\n{{\n    switch (value) {{\n", kind.name);
    let mut seen = BTreeSet::new();
    for (constant, value) in &kind.names {
        if seen.insert(*value) {
            let _ = writeln!(out, "    case {value}: return {constant};");
        }
    }
    out.push_str("    default: return value;\n    }\n}\n");
    out
}

/// The names of a rank's locations, in the order of their blocks.
pub(crate) fn names(test: &Test, node: usize) -> String {
    let names: Vec<String> =
        test.locs.iter().filter(|l| l.node == node).map(|l| l.name.replace([' ', '"', '\\'], "_")).collect();
    names.join(" ")
}

fn table(test: &Test, name: &str, single: bool, contents: Contents) -> String {
    let mut out = String::from("\n");
    let mut ranks = String::new();
    for thread in &test.threads {
        let initial: Vec<String> =
            test.locs.iter().filter(|l| l.node == thread.node).map(|l| l.initial.to_string()).collect();
        let values = if initial.is_empty() { "0".to_string() } else { initial.join(", ") };
        let n = thread.number;
        let _ = writeln!(out, "static const int {name}_initial_{n}[] = {{{values}}};");
        let names = names(test, thread.node);
        let _ = writeln!(ranks, "    {{{name}_rank_{n}, {name}_initial_{n}, {}, \"{names}\"}},", initial.len());
    }
    let _ = write!(out, "static const struct litmpi_rank {name}_ranks[] = {{\n{ranks}}};\n");
    let _ = writeln!(out, "static const struct litmpi_observable {name}_observables[] = {{");
    for o in &test.observed {
        let (rank, block) = match &o.what {
            Observed::Reg(thread, _, _) => (test.threads[*thread].number, -1),
            Observed::Loc(l) => home(test, *l),
        };
        let _ = writeln!(out, "    {{{rank}, {block}}}, /* {} */", comment(&o.name));
    }
    if test.observed.is_empty() {
        out.push_str("    {0, -1},\n");
    }
    let file = test.span.source.name.rsplit('/').next().unwrap_or_default();
    let _ = writeln!(
        out,
        "}};\nstatic const struct litmpi_test {name} = {{\n    \"{name}\", \"{}\", {}, {name}_ranks, {}, {name}_observables, {}, {},\n}};",
        file.replace(['"', '\\'], "_"),
        test.threads.len(),
        test.observed.len(),
        i64::from(single),
        contents.name()
    );
    out
}

/// Rank and block number of a location.
pub(crate) fn home(test: &Test, loc: usize) -> (i64, i64) {
    let (node, block) = place(test, loc);
    let rank = test.threads.iter().find(|t| t.node == node).map_or(0, |t| t.number);
    (rank, i64::try_from(block).unwrap_or(i64::MAX))
}
