//! Rust for RDMA verbs, by rdma-sys: the same plan as in C.
//!
//! A suite is a crate: a module a test, `src/litmpi` (what tests see), and the C harness, which its build script compiles.
//! Requests are posted and completions taken in Rust; what surrounds the tests (nodes, connections, iterations) is the
//! harness's. Which crate binds libibverbs is said in `rust/verbs/binding.rs` and the manifest alone.

use super::VERBS_HARNESS;
use super::test::{bodies, limits, uses};
use crate::mpi::body::place;
use crate::rust::{BODY, Rust, head, observables};
use crate::suite::{Suite, SuiteFile, files_of, room, suite};
use litmpi_litmus::ast::{Observed, Test};
use litmpi_spec::decl::{Instructions, Language};
use litmpi_spec::diag::Report;
use std::fmt::Write as _;

/// The crate's own files, the same for every suite.
const CRATE: [(&str, &str); 9] = [
    ("Cargo.toml", include_str!("../../rust/verbs/Cargo.toml.in")),
    ("Cargo.lock", include_str!("../../rust/verbs/Cargo.lock.in")),
    ("build.rs", include_str!("../../rust/verbs/build.rs")),
    ("src/litmpi/mod.rs", include_str!("../../rust/verbs/mod.rs")),
    BODY,
    ("src/litmpi/verbs.rs", include_str!("../../rust/verbs/verbs.rs")),
    ("src/litmpi/messages.rs", include_str!("../../rust/verbs/messages.rs")),
    ("src/litmpi/datagrams.rs", include_str!("../../rust/verbs/datagrams.rs")),
    ("src/litmpi/binding.rs", include_str!("../../rust/verbs/binding.rs")),
];

/// Generates a crate from tests that share instruction declarations. A test that cannot be expressed is left out and
/// said to be so in [`Suite::rejected`].
pub fn verbs_rust_suite(tests: &[&Test], instructions: &Instructions) -> Suite {
    let mut files = files_of(&CRATE);
    files.extend(VERBS_HARNESS.map(|(name, text)| SuiteFile { name: format!("harness/{name}"), text: text.into() }));
    suite(Language::Rust, files, tests, |test, name| {
        room(&limits(test, instructions, Language::Rust))?;
        Ok(verbs_rust_test(test, instructions, name)?)
    })
}

/// The Rust module of one test.
///
/// # Errors
/// What of the test has no Rust: more than the harness has room for, a location of another node where one of the thread's
/// own must stand, an instruction without a Rust text.
pub fn verbs_rust_test(test: &Test, instructions: &Instructions, name: &str) -> Result<String, Report> {
    let bodies = bodies(test, instructions, name, (Language::Rust, &Rust))?;
    Ok(format!("{}{bodies}{}", head(test), table(test, instructions, name)))
}

fn table(test: &Test, instructions: &Instructions, name: &str) -> String {
    let mut out = String::from("\n");
    let _ = writeln!(out, "static NODES: [Node; {}] = [", test.nodes.len());
    for (i, node) in test.nodes.iter().enumerate() {
        let initial: Vec<String> = test.locs.iter().filter(|l| l.node == i).map(|l| l.initial.to_string()).collect();
        let _ = writeln!(out, "    Node::new({}, &[{}]),", node.number, initial.join(", "));
    }
    let _ = writeln!(out, "];\n\nstatic THREADS: [Thread; {}] = [", test.threads.len());
    for thread in &test.threads {
        let n = thread.number;
        let _ = writeln!(out, "    Thread::new({n}, {}, thread_{n}),", thread.node);
    }
    out.push_str(&observables(test, (name, "NODES THREADS"), |what| match what {
        // A register's value is reported by its thread.
        Observed::Reg(..) => (0, "-1".to_owned()),
        Observed::Loc(l) => {
            let (node, block) = place(test, *l);
            (node, block.to_string())
        }
    }));
    let used = uses(test, instructions, Language::Rust);
    out.insert_str(out.rfind(");").unwrap_or(out.len()), &format!(", c\"{used}\""));
    out
}
