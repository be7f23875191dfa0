//! Programs from critical cycles: the literature's come out under their names, names and programs are told apart, models agree.

use litmpi_rdma_model::cycles::{Cycle, Cycles, Edge, most};
use litmpi_spec::source::Source;

pub(crate) fn cycle(name: &str) -> Cycle {
    Cycle::parse(&Source::new("cycle", name)).unwrap_or_else(|r| panic!("{name}: {}", r.render(false)))
}

#[test]
fn tmp() {
    for size in 2..=4 {
        let t = std::time::Instant::now();
        println!(
            "{size}: {} of {}  {:?}",
            Cycles::new(Cycles::usual(), size, 3).count(),
            most(Cycles::usual(), size),
            t.elapsed()
        );
    }
    println!("edges {}", Cycles::usual().len());
    for n in [
        "PodWR-Fre-PodWR-Fre",
        "PodqPwPw Rfe PodRR Fre",
        "PosGwR Fri",
        "PolldGwR-Fre-PodWW-Rfe",
        "Rfe Put Rfe PodRW",
        "W Rfi Put Rfe PodRR Fre",
        "PodWA-Rfe-A-Rfe-PodRR-Fre",
        "WaitsGwR-Fri",
        "PosPrW-Rfi",
    ] {
        println!("{}", Cycle::parse(&Source::new("cycle", n)).map(|c| c.text()).unwrap_or_else(|r| r.render(false)));
    }
    for c in Cycles::new(Cycles::usual(), 3, 3).step_by(37).take(12) {
        println!("{}", c.text());
    }
}
