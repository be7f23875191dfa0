//! Checks of layers by clients up to the bounds that the tests use, as a user starts them: `litmpi refine`.

#![expect(missing_docs, reason = "the functions that the macros of criterion make have no comments")]

use criterion::{Criterion, criterion_group, criterion_main};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const LAYERS: [(&str, &str, &[&str]); 6] = [
    ("loco-shared-variable", "loco.cat", &["--length", "2", "--size", "4"]),
    ("loco-barrier", "loco.cat", &["--length", "2", "--size", "4"]),
    ("loco-ring-buffer", "loco.cat", &["--length", "2", "--size", "3", "--with", "rb_submit,rb_receive"]),
    ("loco-mixed-size", "loco.cat", &["--length", "2", "--size", "3"]),
    ("rdma-wait-simplified", "rdma-wait.cat", &["--with", "write,read,wput,wget,wait", "--size", "3", "--names", "2"]),
    ("mpi-rdma", "mpi", &["--size", "2"]),
];

fn litmpi() -> PathBuf {
    let own = std::env::current_exe().expect("a running program has a path");
    let target = own.ancestors().nth(3).expect("target/PROFILE/deps").to_path_buf();
    let built = ["release", "debug"].map(|profile| target.join(profile).join("litmpi"));
    built.into_iter().find(|p| p.exists()).expect("litmpi is built: `cargo build`")
}

fn check(binary: &Path, layer: &str, against: &str, bound: &[&str]) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut command = Command::new(binary);
    command.args(["refine", layer, "--against", against]).args(bound).current_dir(root);
    let done = command.output().expect("litmpi can be started");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}

fn refine(c: &mut Criterion) {
    let binary = litmpi();
    let mut group = c.benchmark_group("refine");
    group.sample_size(10).measurement_time(Duration::from_secs(5)).warm_up_time(Duration::from_millis(100));
    for (layer, against, bound) in LAYERS {
        group.bench_function(layer, |b| b.iter(|| check(&binary, layer, against, bound)));
    }
    group.finish();
}

criterion_group!(benches, refine);
criterion_main!(benches);
