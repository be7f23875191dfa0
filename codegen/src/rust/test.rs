//! One test's module: its bodies and the table that describes it to the harness.

use super::dialect::Rust;
use crate::mpi::body::Scope;
use crate::mpi::contents::Contents;
use crate::mpi::test::{home, names, shape};
use litmpi_litmus::ast::{Observed, Test};
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::Report;
use std::collections::BTreeSet;
use std::fmt::Display;
use std::fmt::Write as _;

/// Why a test has no program in Rust.
#[derive(Debug, Clone)]
pub enum NoRust {
    /// Something is wrong with the test or the declarations.
    Report(Report),
    /// rsmpi lacks these.
    Lacks(BTreeSet<String>),
}

impl From<Report> for NoRust {
    fn from(report: Report) -> NoRust {
        NoRust::Report(report)
    }
}

impl NoRust {
    /// In words.
    pub fn reason(&self) -> String {
        match self {
            NoRust::Report(report) => report.to_string(),
            NoRust::Lacks(what) => format!("rsmpi lacks {}", what.iter().cloned().collect::<Vec<_>>().join(", ")),
        }
    }
}

/// The Rust module of one test, by rsmpi (the crate `mpi`).
///
/// # Errors
/// What of the test has no Rust.
pub fn rust_test(test: &Test, instructions: &Instructions, name: &str) -> Result<String, NoRust> {
    let mut problems = shape(test);
    if !problems.is_empty() {
        return Err(NoRust::Report(Report(problems)));
    }
    let (mut bodies, mut lacks, mut constants) = (String::new(), BTreeSet::new(), BTreeSet::new());
    for thread in &test.threads {
        let mut scope = Scope::new(test, thread, instructions, (name, "rank"), &Rust);
        let _ = write!(bodies, "\n{}", scope.function());
        problems.append(&mut scope.problems());
        lacks.append(&mut scope.lacks);
        constants.append(&mut scope.constants);
    }
    if !lacks.is_empty() {
        return Err(NoRust::Lacks(lacks));
    }
    if !problems.is_empty() {
        return Err(NoRust::Report(Report(problems)));
    }
    let mut out = head(test);
    if !constants.is_empty() {
        out.push_str("\n// As the model has them; the harness knows the library's.\n");
    }
    for (constant, value) in &constants {
        let _ = writeln!(out, "const {constant}: i32 = {value};");
    }
    out.push_str(&bodies);
    out.push_str(&table(test, name, Contents::of(test, instructions)));
    Ok(out)
}

fn table(test: &Test, name: &str, contents: Contents) -> String {
    let mut out = String::from("\n");
    let ranks = test.threads.len();
    let _ = writeln!(out, "static RANKS: [Rank; {ranks}] = [");
    for thread in &test.threads {
        let initial: Vec<String> =
            test.locs.iter().filter(|l| l.node == thread.node).map(|l| l.initial.to_string()).collect();
        let names = names(test, thread.node);
        let _ = writeln!(out, "    Rank::new(rank_{}, &[{}], c\"{names}\"),", thread.number, initial.join(", "));
    }
    out.push_str(&observables(test, (name, "RANKS"), |what| match what {
        Observed::Reg(thread, _, _) => (test.threads[*thread].number, -1),
        Observed::Loc(l) => home(test, *l),
    }));
    out.insert_str(out.rfind(");").unwrap_or(out.len()), &format!(", {}", contents.name()));
    out
}

/// What a module begins with.
pub(crate) fn head(test: &Test) -> String {
    format!(
        "//! {}: {}\n//! Generated from {}.\n\nuse crate::litmpi::*;\n",
        test.name, test.title, test.span.source.name
    )
}

/// The end of the table before it, where each observable is (of what, and which block of it; -1 for a register), and the test,
/// which is made of these tables.
pub(crate) fn observables<N: Display, B: Display>(
    test: &Test,
    (name, tables): (&str, &str),
    at: impl Fn(&Observed) -> (N, B),
) -> String {
    let mut out = format!("];\n\nstatic OBSERVABLES: [Observable; {}] = [\n", test.observed.len());
    for o in &test.observed {
        let (of, block) = at(&o.what);
        let _ = writeln!(out, "    Observable::new({of}, {block}), // {}", o.name);
    }
    let file = test.span.source.name.rsplit('/').next().unwrap_or_default().replace(['"', '\\'], "_");
    let tables: String = tables.split(' ').map(|t| format!("&{t}, ")).collect();
    let _ = writeln!(
        out,
        "];\n\n/// The test.\npub static TEST: Test = Test::new(c\"{name}\", c\"{file}\", {tables}&OBSERVABLES);"
    );
    out
}
