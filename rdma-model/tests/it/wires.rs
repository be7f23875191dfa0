//! Wires beside InfiniBand's: a weaker one allows whatever a stronger one does, and something more; reduced searches find what full
//! ones do.

use super::{library, spec, test};
use litmpi_engine::search::Bound;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_models::{Operational, Search, Setup};
use litmpi_rdma_model::{generate, spread};
use std::collections::BTreeSet;

/// Stronger and weaker variants.
const WEAKER: [(&str, &str); 7] = [
    ("default", "relaxed-ordering"),
    ("relaxed-ordering", "unordered"),
    ("default", "fi-order-waw"),
    ("fi-order-waw", "unordered"),
    ("default", "no-pcie"),
    ("no-pcie", "gpu-memory"),
    ("default", "gpu-memory"),
];

fn outcomes(test: &Test, variant: &str, search: Search) -> BTreeSet<Outcome> {
    let setup = Setup { variant: variant.into(), search, ..Setup::new(spec()) };
    let found = Operational::new(test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{r}"));
    assert!(found.bounds.iter().all(|b| *b == Bound::Loops), "{}: {:?}", test.name, found.bounds);
    found.set
}

/// How many of the tests tell each pair apart; the stronger one of each allows nothing more on any.
fn told(tests: &[Test]) -> [usize; WEAKER.len()] {
    let mut told = [0; WEAKER.len()];
    for test in tests {
        for (told, (strong, weak)) in told.iter_mut().zip(WEAKER) {
            let [few, many] = [strong, weak].map(|variant| outcomes(test, variant, Search::Auto));
            assert!(few.is_subset(&many), "{strong}, {weak}\n{}", test.span.source.text);
            *told += usize::from(few != many);
        }
    }
    told
}

#[test]
fn weaker_wires_allow_more_of_the_library() {
    let told = told(&library(&spec()));
    assert!(told.iter().all(|n| *n >= 2), "{told:?}");
}

#[test]
fn weaker_wires_allow_more_of_random_programs() {
    let spec = spec();
    let plain = (0..50).map(|seed| test(&spread::random(seed, 3), &spec));
    let updates = (0..30).map(|seed| test(&generate::random_updates(seed, 2, 3), &spec));
    let told = told(&plain.chain(updates).collect::<Vec<_>>());
    // That completions come before data shows only where a thread polls a get and then reads what it brought.
    assert!(told[..5].iter().all(|n| *n >= 1), "{told:?}");
}

#[test]
fn on_every_wire_a_reduced_search_finds_what_a_full_one_does() {
    let spec = spec();
    let own = library(&spec).into_iter().filter(|t| t.span.source.text.contains("(unordered)"));
    let random = (0..60).map(|seed| test(&generate::random(seed, 2, 3), &spec));
    for (i, test) in own.chain(random).enumerate() {
        let variant = ["relaxed-ordering", "unordered", "fi-order-waw", "gpu-memory"][i % 4];
        let [full, reduced] = [Search::Full, Search::Reduced].map(|search| outcomes(&test, variant, search));
        assert_eq!(full, reduced, "{variant}\n{}", test.span.source.text);
    }
}
