//! A run on a real library: build, launch, iterate, read, compare. Skipped, with a word, where no library is.

#![expect(missing_docs, reason = "the functions that the macros of criterion make have no comments")]

use criterion::{Criterion, criterion_group, criterion_main};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

fn litmpi() -> PathBuf {
    let own = std::env::current_exe().expect("a running program has a path");
    let target = own.ancestors().nth(3).expect("target/PROFILE/deps").to_path_buf();
    let built = ["release", "debug"].map(|profile| target.join(profile).join("litmpi"));
    built.into_iter().find(|p| p.exists()).expect("litmpi is built: `cargo build`")
}

fn run(c: &mut Criterion) {
    let binary = litmpi();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = tempfile::tempdir().expect("a folder");
    let mut group = c.benchmark_group("run");
    group.sample_size(10).measurement_time(Duration::from_secs(20)).warm_up_time(Duration::from_secs(1));
    for target in ["openmpi", "mpich"] {
        for tests in [1, 8] {
            let files = ["same-tag", "causal", "tag-selection", "modes-mixed", "irecv-posted-order", "isend-then-send"];
            let more = ["nonblocking-both-ends", "wildcard-tag-takes-first"];
            let files = files.iter().chain(&more).take(tests).map(|n| format!("litmus/mpi/order-{n}.litmus"));
            let mut command = Command::new(&binary);
            command.arg("run").args(files).args(["--target", target, "--sizes", "8", "--iterations", "100"]);
            command.arg("--out").arg(out.path()).current_dir(&root);
            let first = command.output().expect("litmpi can be started");
            if String::from_utf8_lossy(&first.stdout).contains("skipped") {
                eprintln!("skipped: {target} is not here");
                continue;
            }
            let name = format!("{tests} tests, 100 iterations, {target}");
            group.bench_function(name, |b| b.iter(|| command.output().expect("litmpi can be started").status));
        }
    }
    group.finish();
}

criterion_group!(benches, run);
criterion_main!(benches);
