//! Tests made from critical cycles: how many there are, what they look like, and that they can be read.

use litmpi_litmus::cycles::{Cycle, cycles};
use litmpi_litmus::parse;
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;

fn named(threads: usize, name: &str) -> Cycle {
    cycles(threads).find(|c| c.name() == name).unwrap_or_else(|| panic!("{name} is among the cycles"))
}

#[test]
fn every_cycle_has_a_name_of_its_own_and_can_be_read() {
    let spec = load_shipped("tso").expect("a shipped model");
    let mut names = BTreeSet::new();
    for cycle in (2..=3).flat_map(cycles) {
        assert!(names.insert(cycle.name()), "{} comes twice", cycle.name());
        let test = parse(&Source::new("generated", cycle.text()), &spec.instructions);
        let test = test.unwrap_or_else(|r| panic!("{}\n{}", cycle.text(), r.render(false)));
        assert_eq!((test.name, test.threads.len()), (cycle.name(), cycle.threads()));
    }
}

#[test]
fn the_classic_tests_are_among_the_cycles() {
    for (threads, name, allowed) in [
        (2, "PodWR-Fre-PodWR-Fre", true),           // SB
        (2, "MFencedWR-Fre-MFencedWR-Fre", false),  // SB+mfences
        (2, "PodWR-Fre-MFencedWR-Fre", true),       // SB+mfence+po
        (2, "PodWW-Rfe-PodRR-Fre", false),          // MP
        (2, "PodRW-Rfe-PodRW-Rfe", false),          // LB
        (2, "PodWR-Fre-PodWW-Coe", true),           // R
        (2, "PodWW-Coe-PodWW-Coe", false),          // 2+2W
        (3, "PodWR-Fre-Rfe-PodRR-Fre", true),       // RWC
        (4, "PodRR-Fre-Rfe-PodRR-Fre-Rfe", false),  // IRIW
        (3, "PodRR-Fre-Rfe-PodRW-Rfe", false),      // WRC
        (3, "PodWR-Fre-PodWR-Fre-PodWR-Fre", true), // 3.SB
    ] {
        assert_eq!(named(threads, name).tso_allows(), allowed, "{name}");
    }
}

#[test]
fn a_cycle_asks_for_all_its_edges() {
    let text = named(3, "PodWW-Coe-Rfe-PodRR-Fre").text();
    assert_eq!(
        text,
        "X86 PodWW-Coe-Rfe-PodRR-Fre
\"PodWW Coe Rfe PodRR Fre\"
Verdict-tso=forbidden because \"no write passes a later read in program order\"
Verdict-sc=forbidden because \"it is a cycle\"
{ }
 P0          | P1          | P2          ;
 MOV [x0],$1 | MOV [x1],$2 | MOV EAX,[x1] ;
"
        .replace("P0          |", "P0           |")
        .replace("P1          |", "P1           |")
        .replace("P2          ;", "P2           ;")
        .replace("$1 | ", "$1  | ")
        .replace("$2 | ", "$2  | ")
            + " MOV [x1],$1  |              | MOV EBX,[x0] ;\nexists ([x1]=2 /\\ 2:EAX=2 /\\ 2:EBX=0)\n"
    );
}
