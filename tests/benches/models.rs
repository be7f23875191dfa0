//! Exploration of the shipped library: every test of a folder under a model, to its complete outcome set.

#![expect(missing_docs, reason = "the functions that the macros of criterion make have no comments")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use litmpi_litmus::ast::Test;
use litmpi_litmus::{library, parse};
use litmpi_models::{Operational, Search, Setup};
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
    for (model, folder) in [
        ("rdma-tso-simplified", "litmus/rdma"),
        ("rdma-tso", "litmus/rdma"),
        ("mpi", "litmus/mpi"),
        ("mpi-rdma", "litmus/mpi-rdma"),
    ] {
        let setup = Setup::new(Arc::new(load_shipped(model).expect("a shipped model")));
        let tests = tests(folder, &setup);
        let mut group = c.benchmark_group("explore");
        group.sample_size(10).measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_millis(500));
        for (how, name) in [
            (Search::Auto, "auto"),
            (Search::Reduced, "reduced"),
            (Search::Footprints, "footprints"),
            (Search::Full, "full"),
        ] {
            let setup = Setup { search: how, ..setup.clone() };
            group.throughput(Throughput::Elements(search(&tests, &setup) as u64));
            group.bench_function(format!("{model}/{name}"), |b| b.iter(|| search(&tests, &setup)));
        }
        group.finish();
    }
}

/// A message goes round a ring.
fn ring(n: usize) -> String {
    let body = |r: usize| {
        let (to, from) = ((r + 1) % n, (r + n - 1) % n);
        let (send, receive) = (format!("MPI_Send(a{r}, dest: {to})"), format!("MPI_Recv(a{r}, source: {from})"));
        if r == 0 { [send, receive].join("\n") } else { [receive, send].join("\n") }
    };
    program(n, body)
}

/// Processes add their numbers along a binary tree.
fn tree(n: usize) -> String {
    let body = |r: usize| {
        let mut out = format!("s{r} := {r}\n");
        let mut step = 1;
        while step < n && r.is_multiple_of(2 * step) {
            out += &format!("MPI_Recv(v{r}, source: {})\np := s{r}\nq := v{r}\ns{r} := p + q\n", r + step);
            step *= 2;
        }
        if r > 0 { out + &format!("MPI_Send(s{r}, dest: {})", r - step) } else { out }
    };
    program(n, body)
}

/// Everybody sends to one that takes messages as they come, after having been given work if there is any.
fn senders(n: usize, work: bool) -> String {
    let body = |r: usize| {
        let each = |f: fn(usize) -> String| (1..=n).map(f).collect::<String>();
        match (r, work) {
            (0, false) => each(|i| format!("MPI_Recv(r{i}, source: any)\n")),
            (0, true) => {
                each(|i| format!("MPI_Send({i}, dest: {i})\n")) + &each(|i| format!("MPI_Recv(r{i}, source: any)\n"))
            }
            (_, false) => format!("MPI_Send({r}, dest: 0)"),
            (_, true) => format!("MPI_Recv(w{r}, source: 0)\nMPI_Send(w{r}, dest: 0)"),
        }
    };
    program(n + 1, body)
}

fn program(n: usize, body: impl Fn(usize) -> String) -> String {
    let ranks: String = (0..n).map(|r| format!("rank {r} {{\n{}\n}}\n", body(r))).collect();
    let observed: String =
        if ranks.contains("r1,") { (1..n).map(|i| format!(" r{i}")).collect() } else { " a0".into() };
    let observed = if ranks.contains("s0") { " s0".to_owned() } else { observed };
    format!("litmus mpi generated \"generated\"\n{ranks}locations{observed}\nexists true\n")
}

/// Programs of many processes, which only the reduced search can do.
fn many(c: &mut Criterion) {
    let setup = Setup::new(Arc::new(load_shipped("mpi").expect("a shipped model")));
    let programs = [
        ("ring of 8", ring(8)),
        ("ring of 16", ring(16)),
        ("tree of 16", tree(16)),
        ("master and 6 workers", senders(6, true)),
        ("6 senders, one receiver", senders(6, false)),
        ("7 senders, one receiver", senders(7, false)),
    ];
    let mut group = c.benchmark_group("many processes");
    group.sample_size(10).measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_millis(500));
    for (name, text) in programs {
        let test = parse(&Source::new("generated", text), &setup.spec.instructions).expect("a test that parses");
        let tests = [test];
        group.throughput(Throughput::Elements(search(&tests, &setup) as u64));
        group.bench_function(name, |b| b.iter(|| search(&tests, &setup)));
    }
    group.finish();
}

criterion_group!(benches, models, many);
criterion_main!(benches);
