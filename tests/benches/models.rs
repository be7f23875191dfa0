//! Exploration of the shipped library: every test of a folder under a model, to its complete outcome set.

#![expect(missing_docs, reason = "the functions that the macros of criterion make have no comments")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use litmpi_litmus::ast::Test;
use litmpi_litmus::{library, parse};
use litmpi_rdma_model::{Operational, Setup};
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

fn tests(folder: &str, setup: &Setup) -> Vec<Test> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let files = library::find(&[folder]).expect("the library");
    let parsed = files.iter().map(|f| parse(&Source::read(f).expect("a file"), &setup.spec.instructions));
    parsed.collect::<Result<_, _>>().expect("tests that parse")
}

/// Searches every test; the number of transitions is what the throughput counts.
fn search(tests: &[Test], setup: &Setup) -> usize {
    tests.iter().map(|t| Operational::new(t, setup).and_then(|m| m.outcomes()).expect("runs").transitions).sum()
}

fn models(c: &mut Criterion) {
    for (model, folder) in [("rdma-tso-simplified", "litmus/rdma"), ("rdma-tso", "litmus/rdma"), ("mpi", "litmus/mpi")]
    {
        let setup = Setup::new(Arc::new(load_shipped(model).expect("a shipped model")));
        let tests = tests(folder, &setup);
        let mut group = c.benchmark_group("explore");
        group.sample_size(10).measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_millis(500));
        group.throughput(Throughput::Elements(search(&tests, &setup) as u64));
        group.bench_function(model, |b| b.iter(|| search(&tests, &setup)));
        group.finish();
    }
}

criterion_group!(benches, models);
criterion_main!(benches);
