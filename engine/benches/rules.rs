//! Reading the shipped models, and transitions a second of the evaluator.
//!
//! `cargo bench -p litmpi-spec`. The evaluator is to make 100,000 transitions a second on one core.

#[path = "rules/programs.rs"]
mod programs;

use criterion::{Criterion, Throughput};
use litmpi_engine::machine::{Machine, Target};
use litmpi_spec::load::load_shipped;
use litmpi_spec::shipped;
use std::collections::HashSet;
use std::hint::black_box;

fn loading(c: &mut Criterion) {
    let mut group = c.benchmark_group("load");
    group.throughput(Throughput::Bytes(shipped::FILES.iter().map(|(_, text)| text.len() as u64).sum()));
    group.bench_function("all shipped models", |b| {
        b.iter(|| {
            shipped::names()
                .iter()
                .map(|m| load_shipped(black_box(m)).expect("shipped models load").rules.len())
                .sum::<usize>()
        });
    });
    group.finish();
}

/// The first states that a search meets, breadth first.
fn states(m: &Machine, most: usize) -> Vec<Vec<u32>> {
    let mut seen = HashSet::from([m.initial().to_vec()]);
    let mut list = vec![m.initial().to_vec()];
    let mut at = 0;
    while at < list.len() && list.len() < most {
        let state = list[at].clone();
        at += 1;
        m.transitions(&state, &mut |_, target| {
            if let Target::State(next) = target
                && seen.insert(next.to_vec())
            {
                list.push(next.to_vec());
            }
        })
        .expect("the program has no faults");
    }
    list
}

/// Transitions of many states, without a search's own work: hashing and storing states.
fn evaluation(c: &mut Criterion) {
    let mut group = c.benchmark_group("transitions");
    for (name, machine) in programs::all() {
        let states = states(&machine, 20_000);
        let run = || {
            let mut count = 0_u64;
            for s in &states {
                machine
                    .transitions(s, &mut |_, target| count += u64::from(matches!(target, Target::State(_))))
                    .expect("no faults");
            }
            count
        };
        group.throughput(Throughput::Elements(run()));
        group.sample_size(10);
        group.bench_function(name, |b| b.iter(run));
    }
    group.finish();
}

fn main() {
    let mut c = Criterion::default().configure_from_args();
    loading(&mut c);
    evaluation(&mut c);
    c.final_summary();
}
