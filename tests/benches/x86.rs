//! Classic X86 tests under TSO, from their text to their verdict: tests made from critical cycles, a second's worth, and
//! the six-thread tests with the most states and the most final states.

#![expect(missing_docs, reason = "the functions that the macros of criterion make have no comments")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use litmpi_litmus::ast::{Expect, Test};
use litmpi_litmus::cycles::cycles;
use litmpi_litmus::parse;
use litmpi_models::{Operational, Setup};
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::sync::Arc;
use std::time::Duration;

/// The largest of the tests in this folder.
const LARGEST: [(&str, &str); 2] =
    [("6.SB+readers", include_str!("x86/6.SB+readers.litmus")), ("6.R", include_str!("x86/6.R.litmus"))];

/// The texts of tests and their verdicts under TSO: every cycle of two threads, and as many of three and of four, evenly
/// chosen.
fn classic() -> Vec<(String, bool)> {
    let two = cycles(2).count();
    let chosen = (2..=4).flat_map(|threads| {
        let step = cycles(threads).count() / two;
        cycles(threads).step_by(step.max(1)).take(two)
    });
    chosen.map(|c| (c.text(), c.tso_allows())).collect()
}

fn read(text: &str, setup: &Setup) -> Test {
    parse(&Source::new("test", text), &setup.spec.instructions).expect("a test")
}

fn allows(test: &Test, setup: &Setup) -> bool {
    let found = Operational::new(test, setup).and_then(|m| m.outcomes()).expect("runs");
    test.claims[0].verdict(found.set.iter()) == Expect::Allowed
}

fn x86(c: &mut Criterion) {
    let setup = Setup::new(Arc::new(load_shipped("tso").expect("a shipped model")));
    let tests = classic();
    let parsed: Vec<Test> = tests.iter().map(|(text, _)| read(text, &setup)).collect();
    let mut group = c.benchmark_group("x86");
    group.sample_size(10).measurement_time(Duration::from_secs(3)).warm_up_time(Duration::from_millis(500));
    group.throughput(Throughput::Elements(tests.len() as u64));
    group.bench_function("classic tests, from text to verdict", |b| {
        b.iter(|| tests.iter().all(|(text, allowed)| allows(&read(text, &setup), &setup) == *allowed));
    });
    group.bench_function("the same, reading alone", |b| {
        b.iter(|| tests.iter().map(|(text, _)| read(text, &setup).threads.len()).sum::<usize>());
    });
    group.bench_function("the same, loading into the machine alone", |b| {
        b.iter(|| parsed.iter().map(|t| Operational::new(t, &setup).expect("loads").machine().width()).sum::<usize>());
    });
    for (name, text) in LARGEST {
        group.throughput(Throughput::Elements(1));
        group.bench_function(name, |b| b.iter(|| allows(&read(text, &setup), &setup)));
    }
    group.finish();
}

criterion_group!(benches, x86);
criterion_main!(benches);
