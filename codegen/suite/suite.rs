//! Runs every program of the suite, one after the other: MPIEXEC (mpiexec) and MPIEXEC_FLAGS say how.

use std::process::{Command, Stdio};
use std::sync::Mutex;

static ONE: Mutex<()> = Mutex::new(());

fn run(program: &str, ranks: usize) {
    let _one = ONE.lock().unwrap_or_else(|e| e.into_inner());
    let mpiexec = std::env::var("MPIEXEC").unwrap_or_else(|_| "mpiexec".into());
    let flags = std::env::var("MPIEXEC_FLAGS").unwrap_or_default();
    let output = Command::new(&mpiexec)
        .args(flags.split_whitespace())
        .args(["-n", &ranks.to_string(), program])
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|e| panic!("{mpiexec}: {e}"));
    let said = String::from_utf8_lossy(&output.stdout);
    print!("{said}");
    // Not by the exit code: where deadlock is allowed, a launcher may take the end of it for a failure.
    let good = said.contains(" No Errors") && !said.lines().any(|l| l.starts_with("not ok"));
    assert!(good, "{}\n{said}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
}

macro_rules! case {
    ($name:ident, $ranks:expr) => {
        #[test]
        fn $name() {
            crate::run(env!(concat!("CARGO_BIN_EXE_", stringify!($name))), $ranks);
        }
    };
}

// Names are the tests' own.
#[allow(non_snake_case)]
mod cases;
