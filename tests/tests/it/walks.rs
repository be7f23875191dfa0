//! Random walks, and outcomes of which only a part is asked for, against complete searches.

use crate::command::root;
use crate::support::{folder, litmpi_in};
use litmpi_engine::search::Walks;
use litmpi_litmus::ast::{Outcome, Prop, Test};
use litmpi_litmus::{library, lower, parse};
use litmpi_models::{Model, Operational, Search, Setup};
use litmpi_mpi_model::families::senders;
use litmpi_spec::load::load_shipped;
use litmpi_spec::program::{Ask, Op};
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::sync::Arc;

fn messages(text: &str) -> (Test, Setup) {
    let spec = Arc::new(load_shipped("mpi").expect("a shipped model"));
    let test = parse(&Source::new("generated", text), &spec.instructions).unwrap_or_else(|r| panic!("{r}"));
    (test, Setup::new(spec))
}

fn outcomes(test: &Test, setup: &Setup) -> BTreeSet<Outcome> {
    let found = Operational::new(test, setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{r}"));
    assert!(found.complete(), "{}", test.name);
    found.set
}

#[test]
fn walks_find_outcomes_of_the_complete_search_the_same_ones_for_every_number_of_threads() {
    let (test, setup) = messages(&senders(4));
    let all = outcomes(&test, &setup);
    let walked = |threads: usize, seed: u64, number: usize| {
        let of = Operational::new(&test, &Setup { threads, ..setup.clone() }).expect("it runs");
        of.walks(Walks { number, seed, longest: 1000 }).expect("no fault")
    };
    let few = walked(1, 7, 5);
    assert!(few.outcomes.len() > 1 && few.outcomes.keys().all(|o| all.contains(o)));
    assert_eq!(few, walked(3, 7, 5));
    assert_ne!(few, walked(1, 8, 5), "another seed");
    let many = walked(3, 7, 1000);
    assert_eq!(many.outcomes.keys().cloned().collect::<BTreeSet<_>>(), all, "24 orders, about 40 walks for each");
    let (about, most) = many.unseen();
    assert!(about < 0.01 && most > about && many.states > few.states && few.unseen().1 == 1.0);
}

#[test]
fn what_walks_do_not_find_is_undecided_and_the_same_bytes_are_printed_for_any_number_of_threads() {
    let waits = "litmus mpi turns \"one turns for ever\"\nrank 0 { MPI_Irecv(a, source: 1, request: q)  MPI_Test(q, flag: f)\n\
        while f = 0 { MPI_Test(q, flag: f) } }\nrank 1 { _b := 1 }\nexists true\n";
    let dir = folder(&[("senders.litmus", senders(8).as_str()), ("turns.litmus", waits)]);
    let walk = |jobs: &str, file: &str, n: &str| {
        litmpi_in(dir.path(), ["enumerate", file, "--random", n, "--seed", "3", "--jobs", jobs])
    };
    let said = walk("1", "senders.litmus", "200");
    said.exits(3).says("Walked 200 times with seed 3").says("Bound reached: 200 random walks").says("at most");
    assert_eq!(said.stdout, walk("2", "senders.litmus", "200").stdout);
    walk("1", "turns.litmus", "2").exits(3).says("2 of them to no end").says("Undecided");
    let declared = ["enumerate", "turns.litmus", "--random", "5", "--depends"];
    litmpi_in(dir.path(), declared).exits(2);
}

#[test]
fn walks_go_on_when_what_they_asked_is_answered() {
    let text = "litmus mpi asks \"what a process does next depends on what it got\"\nrank 0 { MPI_Recv(a, source: any) }\n\
        rank 1 { MPI_Send(1, dest: 0) }\nrank 2 { MPI_Send(2, dest: 0) }\nexists a = 1\n";
    let (test, setup) = messages(text);
    let mut program = lower(&test, None);
    let a = program.locs.iter().position(|l| l.name == "a").expect("a location");
    program.threads[0].code.push(Op::Ask(Box::new(Ask { areas: vec![vec![a]], ..Ask::default() })));
    let mut of = Operational::over(program, &test.observed, &setup).expect("it runs");
    let walks = Walks { number: 60, seed: 1, longest: 1000 };
    let first = of.walks(walks).expect("no fault");
    assert_eq!((first.cut, first.outcomes.len()), (60, 0), "nobody has said yet how rank 0 goes on");
    let asked = of.machine().asked();
    assert_eq!(asked.len(), 2, "it got 1 or 2");
    for (asked, _) in &asked {
        let machine = of.machine_mut();
        let end = machine.extend(asked.thread, vec![]).expect("no code");
        machine.goes_on(asked, end);
    }
    let then = of.walks(walks).expect("no fault");
    assert!(of.machine().asked_nothing());
    // The other message is never received, and lies there.
    assert_eq!((then.cut, then.outcomes.values().sum::<usize>()), (0, 60));
    assert_eq!(then.outcomes.keys().cloned().collect::<BTreeSet<_>>(), outcomes(&test, &setup));
}

/// Panics unless the outcomes of what is asked are those of the test, as far as they tell it.
fn is_projected(test: &Test, setup: &Setup, at: usize) -> (usize, usize) {
    let all = outcomes(test, setup);
    let asked = test.asked(Prop::Eq(at, 1));
    assert_eq!(asked.observed, [test.observed[at].clone()]);
    let expected: BTreeSet<Outcome> = all
        .iter()
        .map(|o| match o {
            Outcome::Values(values) => Outcome::Values(vec![values[at]]),
            Outcome::Undefined(values) => Outcome::of_values(vec![values[at]]),
            other => other.clone(),
        })
        .collect();
    for search in [Search::Auto, Search::Reduced, Search::Full] {
        let found = outcomes(&asked, &Setup { search, ..setup.clone() });
        assert_eq!(found, expected, "{}: {} ({search:?})", test.name, test.observed[at].name);
    }
    (all.len(), expected.len())
}

#[test]
fn what_is_asked_for_is_what_the_whole_outcomes_say_of_it() {
    let (mut more, mut less) = (0, 0);
    for (folder, model) in [("litmus/mpi", "mpi"), ("litmus/rdma", "rdma-tso")] {
        let Ok(Model::Rules(spec)) = Model::named(model) else { panic!("a model of rules") };
        let setup = Setup::new(Arc::clone(&spec));
        let files = library::find(&[root().join(folder)]).expect("the library");
        for file in files.iter().step_by(7) {
            let Ok(test) = parse(&Source::read(file).expect("a file"), &spec.instructions) else { continue };
            if litmpi_engine::machine::runs(&spec, &lower(&test, None)).is_err()
                || !test.states_all_bounds()
                || test.observed.is_empty()
            {
                continue;
            }
            // What loops that state a bound do beyond it is not known.
            let of = Operational::new(&test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{r}"));
            if of.complete() {
                let (all, asked) = is_projected(&test, &setup, test.observed.len() - 1);
                more += all;
                less += asked;
            }
        }
    }
    assert!(less > 100 && more > less + 20, "{less} of {more} outcomes");
}

#[test]
fn asking_for_less_tells_fewer_states_apart() {
    let dir = folder(&[("senders.litmus", senders(6).as_str())]);
    let states = |args: &[&str]| -> usize {
        let said = litmpi_in(dir.path(), [&["enumerate", "senders.litmus"], args].concat());
        said.exits(0);
        let line = said.stdout.lines().find(|l| l.starts_with("Explored")).expect("a number of states");
        line.split(' ').nth(1).and_then(|n| n.parse().ok()).expect("a number")
    };
    let (all, one) = (states(&[]), states(&["--for", "r1=2"]));
    assert!(one * 2 < all, "{one} of {all} states");
    litmpi_in(dir.path(), ["enumerate", "senders.litmus", "--for", "r1=2"])
        .exits(0)
        .says("States 6")
        .says("exists (r1=2)");
    litmpi_in(dir.path(), ["enumerate", "senders.litmus", "--for", "deadlock"]).exits(0).says("Never 0 1");
    litmpi_in(dir.path(), ["enumerate", "senders.litmus", "--for", "q=2"]).exits(2).says("no part of an outcome");
}
