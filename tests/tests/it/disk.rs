//! States that have no room in memory go to disk: the outcomes are the same, and what goes wrong there is a bound.

use crate::support::{folder, litmpi_in, litmpi_with};
use litmpi_engine::search::Bounds;
use litmpi_litmus::parse;
use litmpi_models::{Operational, Setup};
use litmpi_mpi_model::families::senders;
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::sync::Arc;

#[test]
fn a_search_that_goes_on_on_disk_finds_the_same() {
    let spec = Arc::new(load_shipped("mpi").expect("a shipped model"));
    let test = parse(&Source::new("senders", senders(7)), &spec.instructions).expect("a test");
    let under = |bytes: usize, disk: usize, threads: usize| {
        let bounds = Bounds { bytes, disk, ..Bounds::default() };
        let setup = Setup { bounds, threads, ..Setup::new(Arc::clone(&spec)) };
        Operational::new(&test, &setup).and_then(|m| m.outcomes()).expect("it runs")
    };
    let whole = under(1 << 30, 0, 1);
    assert_eq!((whole.set.len(), whole.states, whole.complete()), (5_040, 49_765, true));
    // What a search needs in memory when its states are on disk differs a little with what each thread remembers: so the search that
    // was first to be done is the one that is compared.
    for threads in [1, 2] {
        let of = |some: usize| some << 17;
        let with_disk =
            |bytes: usize| Some((bytes, under(bytes, 1 << 30, threads))).filter(|(_, found)| found.complete());
        let (enough, found) = (4..32).map(of).find_map(with_disk).expect("on disk 4 MiB are enough");
        assert!(under(enough, 0, threads).stopped(), "{enough} bytes of memory are not, without a disk");
        assert_eq!((&found.set, found.states, found.transitions), (&whole.set, whole.states, whole.transitions));
    }
}

#[test]
fn a_disk_that_cannot_be_written_or_is_too_small_ends_a_search_undecided() {
    let dir = folder(&[("senders.litmus", &senders(8))]);
    let enumerate = ["enumerate", "senders.litmus", "--max-memory", "6"];
    litmpi_in(dir.path(), enumerate.into_iter().chain(["--max-disk", "1"]))
        .exits(3)
        .says("Observation senders-8 Undecided")
        .says("Bound reached: 1 MiB of disk for states");
    // A folder that is not there.
    let gone = dir.path().join("gone").display().to_string();
    litmpi_with(&[("TMPDIR", &gone)], dir.path(), enumerate)
        .exits(3)
        .says("Observation senders-8 Undecided")
        .says("Bound reached: states that could not be put on disk")
        .says("TMPDIR");
}
