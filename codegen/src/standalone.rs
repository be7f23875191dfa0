//! Regression suites: a folder of tests that needs nothing of litmpi to build and run. Each test is a program of its own, which
//! carries the outcomes that the model allows and says in TAP whether a library shows others (`c/tap.c`).
//!
//! The same tests in C (CMake with CTest, a Makefile, an MPICH-style `testlist`) and in Rust by rsmpi (a crate with
//! `cargo test`). What is allowed comes from the caller: this crate knows no model.

use crate::mpi::{HARNESS, mpi_test, names::Names};
use crate::rust::{CRATE, rust_test};
use crate::suite::SuiteFile;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_spec::decl::Instructions;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Files beside the harness, the same for every suite.
const FILES: [(&str, &str); 8] = [
    ("harness/tap.c", include_str!("../c/tap.c")),
    ("harness/standalone.h", include_str!("../c/standalone.h")),
    ("Makefile", include_str!("../suite/Makefile")),
    ("CMakeLists.txt", include_str!("../suite/CMakeLists.txt")),
    ("rust/src/lib.rs", include_str!("../suite/lib.rs")),
    ("rust/src/standalone.rs", include_str!("../suite/standalone.rs")),
    ("rust/tests/suite.rs", include_str!("../suite/suite.rs")),
    ("rust/README.md", include_str!("../suite/rust.md")),
];

/// A test that can be judged without a model.
#[derive(Debug, Clone)]
pub struct Judged<'a> {
    /// The test.
    pub test: &'a Test,
    /// All outcomes that the model allows.
    pub allowed: &'a BTreeSet<Outcome>,
    /// Where the test and its verdicts come from: lines.
    pub about: Vec<String>,
}

/// The files of a suite; `left_out` are tests that cannot be in it, and why, and `origin` says what it was made from. Tests that
/// a language has no words for join those left out.
pub fn standalone_suite(
    tests: &[Judged<'_>],
    instructions: &Instructions,
    mut left_out: Vec<(String, String)>,
    origin: &[String],
) -> Vec<SuiteFile> {
    let mut files: Vec<SuiteFile> = FILES.iter().map(|(name, text)| file(name, *text)).collect();
    files.extend(HARNESS.iter().map(|(name, text)| file(&format!("harness/{name}"), *text)));
    files.extend(CRATE.iter().filter(|(name, _)| *name != "Cargo.toml").map(|(n, t)| file(&format!("rust/{n}"), *t)));
    let mut taken = Names::default();
    ["all", "check", "clean", "harness", "tests", "rust"].iter().for_each(|n| taken.reserve(n));
    let (mut list, mut manifest, mut cases) = (String::new(), manifest(), String::new());
    let mut only_c = vec![];
    for judged in tests {
        let name = taken.fresh(&judged.test.name);
        let ranks = judged.test.threads.len();
        match mpi_test(judged.test, instructions, &name) {
            Ok(text) => {
                files.push(file(&format!("tests/{name}.c"), text + &c_end(judged, &name)));
                let _ = writeln!(list, "{name} {ranks} timeLimit=180 env=LITMPI_QUIET=1");
            }
            Err(report) => {
                left_out.push((judged.test.name.clone(), report.to_string()));
                continue;
            }
        }
        match rust_test(judged.test, instructions, &name) {
            Ok(text) => {
                let text = rust_program(&text, judged, &name);
                files.push(file(&format!("rust/src/bin/{name}.rs"), text));
                let _ = write!(manifest, "\n[[bin]]\nname = \"{name}\"\ntest = false\n");
                let _ = write!(cases, "\ncase!({name}, {ranks});");
            }
            Err(why) => only_c.push((judged.test.name.clone(), why.reason())),
        }
    }
    files.push(file("testlist", list));
    files.push(file("rust/Cargo.toml", manifest));
    files.push(file(
        "rust/tests/cases/mod.rs",
        format!("//! The programs, and how many processes each has.\n{cases}\n"),
    ));
    files.push(file("README.md", readme(tests.len() - failed(&left_out, tests), &left_out, &only_c, origin)));
    files
}

/// How many of the judged tests had to be left out after all.
fn failed(left_out: &[(String, String)], tests: &[Judged<'_>]) -> usize {
    tests.iter().filter(|t| left_out.iter().any(|(name, _)| *name == t.test.name)).count()
}

fn file(name: &str, text: impl Into<String>) -> SuiteFile {
    SuiteFile { name: name.into(), text: text.into() }
}

/// An outcome as the harness says it, with `*` for what may hold anything.
fn harness_word(outcome: &Outcome) -> Option<String> {
    match outcome {
        Outcome::Values(values) => Some(values.iter().fold("values".into(), |text, v| format!("{text} {v}"))),
        Outcome::Undefined(values) => {
            let word = |v: &Option<i64>| v.map_or("*".to_owned(), |v| v.to_string());
            Some(values.iter().fold("values".into(), |text, v| format!("{text} {}", word(v))))
        }
        Outcome::Deadlock => Some("deadlock".into()),
        _ => None,
    }
}

/// A text in quotes, in C and in Rust.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out + "\""
}

fn c_end(judged: &Judged<'_>, name: &str) -> String {
    let mut out = format!(
        "\n#include \"standalone.h\"\n\nconst struct litmpi_test *const litmpi_tests[] = {{&{name}}};\n\
         const int litmpi_test_count = 1;\n\nstatic const char *const {name}_about[] = {{\n"
    );
    for line in &judged.about {
        let _ = writeln!(out, "    {},", quoted(line));
    }
    let _ = write!(out, "    NULL,\n}};\nstatic const struct litmpi_allowed {name}_allowed[] = {{\n");
    for outcome in judged.allowed {
        if let Some(word) = harness_word(outcome) {
            let _ = writeln!(out, "    {{{}, {}}},", quoted(&word), quoted(&judged.test.show(outcome)));
        }
    }
    let may_deadlock = i32::from(judged.allowed.contains(&Outcome::Deadlock));
    let _ = write!(
        out,
        "    {{NULL, NULL}},\n}};\n\nint main(int argc, char **argv)\n{{\n    static const struct litmpi_standalone of = {{\n        \
         \"{name}\", {name}_about, {name}_allowed, {may_deadlock},\n    }};\n    return litmpi_tap(argc, argv, &of);\n}}\n"
    );
    out
}

/// The module of a test as a program.
fn rust_program(module: &str, judged: &Judged<'_>, name: &str) -> String {
    let mut out = module.replacen(
        "use crate::litmpi::*;\n",
        "// Names are the tests' own.\n#![allow(non_snake_case, non_upper_case_globals)]\n\nuse litmpi_suite::litmpi::*;\n\
         use litmpi_suite::standalone::{Allowed, Standalone, tap};\nuse std::ffi::{CStr, c_int};\n",
        1,
    );
    let _ = write!(
        out,
        "\n/// For the harness.\n#[unsafe(no_mangle)]\nstatic litmpi_tests: [&Test; 1] = [&TEST];\n\n/// For the harness.\n\
         #[unsafe(no_mangle)]\nstatic litmpi_test_count: c_int = 1;\n\nstatic ABOUT: &[&CStr] = &[\n"
    );
    for line in &judged.about {
        let _ = writeln!(out, "    c{},", quoted(line));
    }
    let _ = write!(out, "];\n\nstatic ALLOWED: &[Allowed] = &[\n");
    for outcome in judged.allowed {
        if let Some(word) = harness_word(outcome) {
            let _ = writeln!(
                out,
                "    Allowed {{ outcome: c{}, shown: c{} }},",
                quoted(&word),
                quoted(&judged.test.show(outcome))
            );
        }
    }
    let may_deadlock = judged.allowed.contains(&Outcome::Deadlock);
    let _ = write!(
        out,
        "];\n\nfn main() {{\n    tap(&Standalone {{ name: c\"{name}\", about: ABOUT, allowed: ALLOWED, may_deadlock: {may_deadlock} }});\n}}\n"
    );
    out
}

/// The crate's manifest: that of other suites, with a library, and a program a test.
fn manifest() -> String {
    let text = CRATE.iter().find(|(name, _)| *name == "Cargo.toml").map_or("", |(_, text)| text);
    let own = "[[bin]]\nname = \"suite\"\npath = \"src/main.rs\"\n";
    let text = text.replace(own, "[lib]\nname = \"litmpi_suite\"\ntest = false\ndoctest = false\n");
    // `cargo test` builds what it runs in the profile `test`.
    text.replace(
        "[workspace]\n",
        "[profile.dev]\nopt-level = 1\ndebug-assertions = false\noverflow-checks = false\n\n[workspace]\n",
    )
}

fn readme(tests: usize, left_out: &[(String, String)], only_c: &[(String, String)], origin: &[String]) -> String {
    let mut out = include_str!("../suite/README.md").replace("{tests}", &tests.to_string());
    out = out.replace("{origin}", &origin.iter().fold(String::new(), |text, line| text + "- " + line + "\n"));
    let mut section = |title: &str, all: &[(String, String)]| {
        if all.is_empty() {
            return;
        }
        let _ = write!(out, "\n## {title}\n\n| test | why |\n|---|---|\n");
        for (name, why) in all {
            let _ = writeln!(out, "| {name} | {} |", why.lines().next().unwrap_or("").replace('|', "\\|"));
        }
    };
    section("Not in the suite", left_out);
    section("In C only", only_c);
    out
}
