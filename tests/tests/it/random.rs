//! Random programs of MPI that are made to be run on libraries: searched in full and reduced, read back from what is printed of
//! them, and emitted as C.

use crate::command::root;
use crate::support::{folder, litmpi_in};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::{parse, print};
use litmpi_models::{Operational, Outcomes, Search, Setup};
use litmpi_mpi_model::generate::{
    RANKS, collectives, communicators, datatypes, exchanges, orders, pairs_and_parts, program, replacing, topologies,
    windows,
};
use litmpi_spec::decl::Instructions;
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::sync::Arc;

/// Programs of each kind that are looked at; `LITMPI_RANDOM` may say more.
const PROGRAMS: u64 = 60;
/// A search of more states ends there.
const MOST: usize = 60_000;

type Made = fn(u64, &Instructions) -> String;

const KINDS: [(&str, Made); 10] = [
    ("messages", |seed, _| program(seed, RANKS)),
    ("collectives", |seed, of| collectives(seed, RANKS, of, &[])),
    ("windows", |seed, of| windows(seed, RANKS, of)),
    ("datatypes", |seed, of| datatypes(seed, RANKS, of)),
    ("communicators", |seed, of| communicators(seed, RANKS, of)),
    ("topologies", |seed, of| topologies(seed, RANKS, of, &[])),
    ("messages of series 2", |seed, _| exchanges(seed, RANKS)),
    ("collectives of series 2", |seed, of| pairs_and_parts(seed, RANKS, of, &[])),
    ("windows of series 2", |seed, of| replacing(seed, RANKS, of)),
    ("communicators of series 2", |seed, of| orders(seed, RANKS, of)),
];

fn outcomes(test: &Test, spec: &Arc<Spec>, search: Search) -> Outcomes {
    let mut setup = Setup { search, ..Setup::new(Arc::clone(spec)) };
    setup.bounds.states = MOST;
    Operational::new(test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{}", r.render(false)))
}

#[test]
fn reduced_and_full_searches_and_what_is_printed_agree_on_random_programs() {
    let spec = Arc::new(load_shipped("mpi").expect("a shipped model"));
    let wanted = std::env::var("LITMPI_RANDOM").map_or(PROGRAMS, |n| n.parse().expect("a number of programs"));
    let read = |text: &str| parse(&Source::new("generated", text), &spec.instructions);
    for (kind, made) in KINDS {
        let (mut searched, mut legal, mut several) = (0, 0, 0);
        for seed in 0..wanted {
            let text = made(seed, &spec.instructions);
            let test = read(&text).unwrap_or_else(|r| panic!("{}\n{text}", r.render(false)));
            let reduced = outcomes(&test, &spec, Search::Reduced);
            assert_eq!(reduced.refuted, None, "{text}");
            let full = outcomes(&test, &spec, Search::Full);
            if !full.complete() || !reduced.complete() {
                continue;
            }
            searched += 1;
            assert_eq!(full.set, reduced.set, "{text}");
            let printed = print(&test, &spec.instructions);
            let again = read(&printed).unwrap_or_else(|r| panic!("{}\n{printed}", r.render(false)));
            let show = |test: &Test, found: &Outcomes| found.set.iter().map(|o| test.show(o)).collect::<Vec<_>>();
            assert_eq!(
                show(&test, &reduced),
                show(&again, &outcomes(&again, &spec, Search::Reduced)),
                "{text}\n{printed}"
            );
            if !reduced.set.iter().any(|o| matches!(o, Outcome::Erroneous { .. })) {
                legal += 1;
                several += usize::from(reduced.set.len() > 1);
            }
        }
        // Nearly all are small enough, an eighth can be run at least, and some of these are lively.
        let wanted = usize::try_from(wanted).expect("a number of programs");
        assert!(
            searched * 10 > wanted * 9 && legal * 8 > wanted && several > 0,
            "{kind}: {searched} {legal} {several}"
        );
    }
}

#[test]
fn random_programs_are_emitted_as_c() {
    for options in [
        &["--collectives"][..],
        &["--windows"],
        &["--datatypes"],
        &["--communicators"],
        &["--topologies"],
        &[],
        &["--series", "2"],
    ] {
        let dir = folder(&[]);
        let made = dir.path().join("made").display().to_string();
        let mut words = vec!["generate", "mpi", "--seed", "300", "--count", "15", "-o", &made];
        words.extend(options);
        litmpi_in(&root(), words).exits(0);
        let out = dir.path().join("c").display().to_string();
        let said = litmpi_in(&root(), ["emit", "-o", &out, &made]);
        said.exits(0);
        assert!(!said.stderr.contains("not emitted"), "{said}");
    }
}
