//! A run on a real library: enumerate, build, launch, iterate, read, compare. A program that is there already is not
//! built again, so the build is measured by itself. Skipped, with a word, where no library is.

#![expect(missing_docs, reason = "the functions that the macros of criterion make have no comments")]

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const TESTS: [&str; 8] = [
    "same-tag",
    "causal",
    "tag-selection",
    "modes-mixed",
    "irecv-posted-order",
    "isend-then-send",
    "nonblocking-both-ends",
    "wildcard-tag-takes-first",
];

fn litmpi() -> PathBuf {
    let own = std::env::current_exe().expect("a running program has a path");
    let target = own.ancestors().nth(3).expect("target/PROFILE/deps").to_path_buf();
    let built = ["release", "debug"].map(|profile| target.join(profile).join("litmpi"));
    built.into_iter().find(|p| p.exists()).expect("litmpi is built: `cargo build`")
}

/// Runs the first tests of the list, 100 iterations each; false if the target is not here.
fn launch(binary: &Path, tests: usize, target: &str, out: &Path) -> bool {
    let mut command = Command::new(binary);
    command.arg("run").args(TESTS.iter().take(tests).map(|n| format!("litmus/mpi/order-{n}.litmus")));
    command.args(["--target", target, "--sizes", "8", "--iterations", "100", "--out"]).arg(out);
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(".."));
    let done = command.output().expect("litmpi can be started");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    !String::from_utf8_lossy(&done.stdout).contains("skipped")
}

fn run(c: &mut Criterion) {
    let binary = litmpi();
    let folder = || tempfile::tempdir().expect("a folder");
    let mut group = c.benchmark_group("run");
    group.sample_size(10).measurement_time(Duration::from_secs(10)).warm_up_time(Duration::from_secs(1));
    for target in ["openmpi", "mpich"] {
        let out = folder();
        if !launch(&binary, 1, target, out.path()) {
            eprintln!("skipped: {target} is not here");
            continue;
        }
        for tests in [1, 8] {
            launch(&binary, tests, target, out.path());
            group.bench_function(format!("{target}, {tests} tests"), |b| {
                b.iter(|| launch(&binary, tests, target, out.path()));
            });
        }
        group.bench_function(format!("{target}, 8 tests and their build"), |b| {
            b.iter_batched(folder, |out| launch(&binary, 8, target, out.path()), BatchSize::PerIteration);
        });
    }
    group.finish();
}

criterion_group!(benches, run);
criterion_main!(benches);
