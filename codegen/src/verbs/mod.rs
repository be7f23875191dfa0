//! C and Rust for RDMA verbs (libibverbs, rdma-sys): nodes are processes, the threads of a test are threads of its nodes, and each
//! thread has a queue pair of its own towards every other node, as `QP[t][n]` of the models.
//!
//! What an instruction becomes is said where it is declared (`spec/rdma/program.spec`); the functions named there are
//! the harness's, `c/verbs/litmpi.h`.

mod rust;
mod test;

use crate::suite::{Suite, files_of, room, suite};
use litmpi_litmus::ast::Test;
use litmpi_spec::decl::{Instructions, Language};

pub use rust::{verbs_rust_suite, verbs_rust_test};
pub use test::verbs_test;

/// The harness's files, the same for every suite.
pub const VERBS_HARNESS: [(&str, &str); 13] = [
    ("litmpi.h", include_str!("../../c/verbs/litmpi.h")),
    ("harness.h", include_str!("../../c/verbs/harness.h")),
    ("device.h", include_str!("../../c/verbs/device.h")),
    ("common.h", include_str!("../../c/common.h")),
    ("common.c", include_str!("../../c/common.c")),
    ("main.c", include_str!("../../c/verbs/main.c")),
    ("threads.c", include_str!("../../c/verbs/threads.c")),
    ("queues.c", include_str!("../../c/verbs/queues.c")),
    ("messages.c", include_str!("../../c/verbs/messages.c")),
    ("datagrams.c", include_str!("../../c/verbs/datagrams.c")),
    ("stress.c", include_str!("../../c/verbs/stress.c")),
    ("direct.c", include_str!("../../c/verbs/direct.c")),
    ("outcomes.c", include_str!("../../c/verbs/outcomes.c")),
];

/// Generates a program from tests that share instruction declarations. A test that cannot be expressed is left out
/// and said to be so in [`Suite::rejected`].
pub fn verbs_suite(tests: &[&Test], instructions: &Instructions) -> Suite {
    suite(Language::C, files_of(&VERBS_HARNESS), tests, |t, name| {
        room(&test::limits(t, instructions, Language::C))?;
        Ok(verbs_test(t, instructions, name)?)
    })
}
