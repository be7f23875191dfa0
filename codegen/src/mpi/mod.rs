//! C for MPI.

pub(crate) mod body;
pub(crate) mod c;
pub(crate) mod contents;
pub(crate) mod dialect;
pub(crate) mod expr;
pub(crate) mod names;
mod reproducer;
mod template;
pub(crate) mod test;

use crate::suite::{Suite, files_of, room, suite};
use litmpi_litmus::ast::Test;
use litmpi_spec::decl::{Instructions, Language};

pub use reproducer::{Reproduced, is_polled, reproducer};
pub use test::mpi_test;

/// The harness's files, the same for every suite.
pub const HARNESS: [(&str, &str); 16] = [
    ("litmpi.h", include_str!("../../c/litmpi.h")),
    ("harness.h", include_str!("../../c/harness.h")),
    ("common.h", include_str!("../../c/common.h")),
    ("common.c", include_str!("../../c/common.c")),
    ("main.c", include_str!("../../c/main.c")),
    ("harness.c", include_str!("../../c/harness.c")),
    ("contents.c", include_str!("../../c/contents.c")),
    ("memory.c", include_str!("../../c/memory.c")),
    ("statuses.c", include_str!("../../c/statuses.c")),
    ("control.c", include_str!("../../c/control.c")),
    ("outcomes.c", include_str!("../../c/outcomes.c")),
    ("relaxed.c", include_str!("../../c/relaxed.c")),
    ("collectives.c", include_str!("../../c/collectives.c")),
    ("objects.c", include_str!("../../c/objects.c")),
    ("callbacks.c", include_str!("../../c/callbacks.c")),
    ("windows.c", include_str!("../../c/windows.c")),
];

/// Generates a program from tests that share instruction declarations. A test that cannot be expressed is left out
/// and said to be so in [`Suite::rejected`].
pub fn mpi_suite(tests: &[&Test], instructions: &Instructions) -> Suite {
    suite(Language::C, files_of(&HARNESS), tests, |test, name| {
        room(&test::limits(test, instructions))?;
        Ok(mpi_test(test, instructions, name)?)
    })
}
