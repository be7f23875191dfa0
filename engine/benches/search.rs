//! The search alone: a system whose transitions cost nothing, so that time goes into states and their index.

#![expect(missing_docs, reason = "the functions that the macros of criterion make have no comments")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use litmpi_engine::search::{Bounds, System, Target, Visit, explore};

/// `n` counters that each go from 0 to `top`.
struct Counters {
    n: usize,
    top: u32,
}

impl System for Counters {
    type Step = ();
    type Outcome = ();
    type Fault = std::convert::Infallible;

    fn initial(&self) -> Vec<u32> {
        vec![0; self.n]
    }

    fn transitions(&self, state: &[u32], visit: Visit<'_, (), ()>) -> Result<(), Self::Fault> {
        let mut next = state.to_vec();
        for i in 0..self.n {
            if state[i] < self.top {
                next[i] += 1;
                visit(&(), Target::State(&next));
                next[i] -= 1;
            }
        }
        Ok(())
    }

    fn end(&self, _: &[u32]) -> Option<()> {
        Some(())
    }
}

fn search(c: &mut Criterion) {
    let mut group = c.benchmark_group("search");
    group.sample_size(10);
    for (n, top) in [(6, 6), (20, 1)] {
        let system = Counters { n, top };
        let found = explore(&system, Bounds::default()).expect("no fault");
        group.throughput(Throughput::Elements(found.transitions as u64));
        group.bench_function(format!("{n} counters to {top}, {} states", found.states), |b| {
            b.iter(|| explore(&system, Bounds::default()).expect("no fault").states)
        });
    }
    group.finish();
}

criterion_group!(benches, search);
criterion_main!(benches);
