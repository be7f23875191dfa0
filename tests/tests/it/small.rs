//! Every small MPI program of some functions: the searches find the same outcomes of it, and MPI over RDMA does nothing that MPI does not allow.

use crate::command::root;
use crate::reduction::{agree, found, spec};
use crate::support::{at, folder, litmpi_in};
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::{library, parse};
use litmpi_models::{Operational, Search, Setup};
use litmpi_mpi_model::generate::Every;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::sync::Arc;

/// Programs of at most so many calls of these functions in so many ranks, one of so many, or all with `LITMPI_ALL_SMALL=1` in the environment.
fn small(spec: &Spec, names: &str, (size, ranks): (usize, usize), each: usize) -> Vec<Test> {
    let names: Vec<String> = names.split(',').map(str::to_owned).collect();
    let functions = Every::functions(&spec.instructions, &names).expect("functions");
    let each = if std::env::var_os("LITMPI_ALL_SMALL").is_some() { 1 } else { each };
    let of_size = |n: usize| {
        let every = Every::new(&spec.instructions, &functions, n, ranks);
        every.clone().map(move |p| every.text(&p, "small")).collect::<Vec<_>>()
    };
    let texts = (1..=size).flat_map(of_size).step_by(each);
    let read = |text: String| {
        parse(&Source::new("small.litmus", text.as_str()), &spec.instructions).unwrap_or_else(|r| panic!("{r}\n{text}"))
    };
    texts.map(read).collect()
}

#[test]
fn reduced_and_full_search_agree_on_small_programs() {
    let spec = spec("mpi");
    for (names, bounds, each) in [
        ("MPI_Send,MPI_Recv,MPI_Barrier", (3, 3), 29),
        ("MPI_Isend,MPI_Irecv,MPI_Waitany", (3, 2), 5),
        ("MPI_Issend,MPI_Irecv,MPI_Cancel,MPI_Wait", (3, 2), 11),
        ("MPI_Ssend,MPI_Iprobe,MPI_Recv", (3, 2), 13),
        ("MPI_Isend,MPI_Improbe,MPI_Imrecv,MPI_Mprobe,MPI_Mrecv", (3, 2), 17),
        ("MPI_Ibcast,MPI_Ibarrier,MPI_Allreduce,MPI_Testsome", (3, 2), 5),
        ("MPI_Send,MPI_Recv,MPI_Comm_dup,MPI_Comm_free", (3, 2), 13),
        ("MPI_Recv_init,MPI_Send_init,MPI_Start,MPI_Request_free,MPI_Test", (3, 2), 7),
    ] {
        let tests = small(&spec, names, bounds, each);
        assert!(tests.len() > 20, "{names}: {} programs", tests.len());
        for test in &tests {
            agree(test, &spec, "default");
        }
    }
}

#[test]
fn over_rdma_small_programs_do_nothing_that_mpi_does_not_allow() {
    let (over, mpi) = (spec("mpi-rdma"), spec("mpi"));
    for (names, bounds, each) in [
        ("MPI_Send,MPI_Recv", (3, 2), 7),
        ("MPI_Isend,MPI_Irecv,MPI_Wait", (3, 2), 29),
        ("MPI_Send,MPI_Recv,MPI_Barrier", (3, 2), 23),
    ] {
        let mut tried = 0;
        for test in small(&over, names, bounds, each) {
            let text = &test.span.source.text;
            let same = parse(&test.span.source, &mpi.instructions).unwrap_or_else(|r| panic!("{r}\n{text}"));
            let allowed = found(&same, &mpi, "default", Search::Auto);
            for variant in ["default", "get", "put"] {
                let setup = Setup { variant: variant.to_owned(), ..Setup::new(Arc::clone(&over)) };
                let Ok(seen) = Operational::new(&test, &setup).and_then(|m| m.outcomes()) else { continue };
                if !seen.complete() || !allowed.complete() || has_mistake(&allowed.set) {
                    continue;
                }
                let more: Vec<String> = seen.set.difference(&allowed.set).map(|o| test.show(o)).collect();
                assert!(more.is_empty(), "over RDMA ({variant}) alone: {more:?}\n{text}");
                tried += 1;
            }
        }
        assert!(tried > 50, "{names}: {tried} sets");
    }
}

fn has_mistake(set: &std::collections::BTreeSet<Outcome>) -> bool {
    set.iter().any(|o| matches!(o, Outcome::Erroneous { .. }))
}

#[test]
fn every_small_mpi_program_is_made_by_a_command_that_says_what_it_leaves_out() {
    let dir = folder(&[]);
    let out = at(&dir, "out");
    let every = |args: &[&str]| litmpi_in(&root(), ["generate", "mpi", "--every"].iter().chain(args).copied());
    let of = ["--with", "MPI_Send,MPI_Recv", "--size", "2", "--ranks", "2"];
    let said = every(&[&of[..], &["-o", &out]].concat());
    let files = library::find(&[dir.path().join("out")]).expect("the programs");
    said.exits(0).says(&format!(
        "{} programs of at most 2 calls in at most 2 ranks; left out: 0 that are erroneous",
        files.len()
    ));
    let printed = every(&of).exits(0).stdout.clone();
    assert_eq!(printed.matches("\nrank 0 {").count(), files.len());
    assert_eq!(printed, every(&[&of[..], &["--jobs", "1"]].concat()).exits(0).stdout);
    // Those that never end, and mistakes: a request that is freed is waited for no more.
    let mistakes = ["--with", "MPI_Isend,MPI_Request_free,MPI_Start", "--size", "2", "--ranks", "2", "--mistakes"];
    let wrong = every(&mistakes).exits(0).stdout.clone();
    assert!(wrong.contains("MPI_Start(request: r1)") && wrong.contains("exists erroneous"), "{wrong}");
    every(&["--size", "9"]).exits(2).says("programs").says("--most N");
    every(&["--with", "MPI_Sned"]).exits(2).says("did you mean `MPI_Send`?");
    every(&["--calls"]).exits(2).says("`--every` and `--calls` ask for different programs");
    litmpi_in(&root(), ["generate", "mpi", "--with", "MPI_Send"])
        .exits(2)
        .says("add `--calls`, `--collectives` or `--topologies`, or `--every`");
    // Programs that are of these functions: some of those that are made without the option.
    let calls = ["generate", "mpi", "--calls", "--with", "MPI_Cart_sub,MPI_Ibarrier", "--count"];
    let printed = litmpi_in(&root(), calls.iter().chain(&["2", "--seed", "4"])).exits(0).stdout.clone();
    assert!(printed.contains("MPI_Cart_sub(") && printed.contains("MPI_Ibarrier("), "{printed}");
    let misspelt = ["generate", "mpi", "--calls", "--with", "MPI_Ibarier"];
    litmpi_in(&root(), misspelt).exits(2).says("did you mean `MPI_Ibarrier`?");
    litmpi_in(&root(), ["generate", "mpi", "--every", "--cycle", "Rfe"]).exits(2).says("ask for different programs");
}
