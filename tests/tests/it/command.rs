//! Running the command `litmpi`.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The binary, which stands two folders above the test's own. Cargo builds it with `cargo build`, not for these tests.
pub(crate) fn binary() -> PathBuf {
    let own = std::env::current_exe().expect("a running test has a path");
    let binary = own.ancestors().nth(2).expect("target/PROFILE/deps").join("litmpi");
    assert!(binary.exists(), "{} is missing: run `cargo build` first", binary.display());
    binary
}

/// Runs `litmpi` in the repository.
pub(crate) fn litmpi(args: &[&str]) -> Output {
    Command::new(binary()).args(args).current_dir(root()).output().expect("litmpi can be started")
}

/// What it printed.
pub(crate) fn stdout(out: &Output) -> String {
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// And to stderr.
pub(crate) fn stderr(out: &Output) -> String {
    String::from_utf8_lossy(&out.stderr).into_owned()
}
