//! One search by several processes: the result of one, and a clear end when they are not together.

use crate::command::{binary, root};
use crate::support::{Said, folder, litmpi_in};
use litmpi_engine::search::Peers;
use litmpi_litmus::ast::Test;
use litmpi_litmus::{library, parse};
use litmpi_models::{Operational, Outcomes, Search, Setup};
use litmpi_spec::diag::Report;
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;
use std::time::Duration;

/// A sum that depends on the order in which so many messages come.
fn weighted(senders: usize) -> String {
    let receive = |i| format!("  MPI_Recv(a, source: any)  r := r + {i} * a\n");
    let receives: String = (1..=senders).map(receive).collect();
    let sends: String = (1..=senders).map(|i| format!("rank {i} {{ MPI_Send({i}, dest: 0) }}\n")).collect();
    format!("litmus mpi weighted \"a sum\"\nrank 0 {{\n{receives}}}\n{sends}exists r = 1\n")
}

/// What so many processes find, each a thread here with a machine of its own.
fn together(test: &Test, spec: &Arc<Spec>, search: Search, number: usize) -> Vec<Result<Outcomes, Report>> {
    let dir = tempfile::tempdir().expect("a folder");
    let sockets: Vec<String> = (0..number).map(|i| format!("{}/{i}", dir.path().display())).collect();
    let one = |own: usize| {
        let peers = Peers::new(sockets.clone(), own, 7, Duration::from_secs(60)).expect("a socket");
        let across = Some(Arc::new(peers));
        Operational::new(test, &Setup { search, across, ..Setup::new(Arc::clone(spec)) })?.outcomes()
    };
    std::thread::scope(|scope| {
        let all: Vec<_> = (0..number).map(|own| scope.spawn(move || one(own))).collect();
        all.into_iter().map(|t| t.join().expect("no panic")).collect()
    })
}

/// Holds what processes find against what one does. Whether the test was searched by them: one that may go round for ever is not.
fn agree(test: &Test, spec: &Arc<Spec>, number: usize) -> bool {
    for search in [Search::Full, Search::Reduced] {
        let alone =
            Operational::new(test, &Setup { search, ..Setup::new(Arc::clone(spec)) }).and_then(|m| m.outcomes());
        let alone = alone.unwrap_or_else(|r| panic!("{}", r.render(false)));
        for found in together(test, spec, search, number) {
            let found = match found {
                Err(r) if r.render(false).contains("may go round for ever") => return false,
                Err(r) => panic!("{}: {}", test.name, r.render(false)),
                Ok(found) => found,
            };
            assert_eq!((&found.set, &found.bounds), (&alone.set, &alone.bounds), "{} {search:?}", test.name);
            if search == Search::Full {
                let (these, those) = ((found.states, found.transitions), (alone.states, alone.transitions));
                assert_eq!(these, those, "{}: states and transitions", test.name);
            }
        }
    }
    true
}

/// Holds every so manyth test of a folder; how many were searched, and how many may go round for ever.
fn all_agree(of: &str, name: &str, every: usize) -> (usize, usize) {
    let spec = Arc::new(load_shipped(name).expect("a shipped model"));
    let files = library::find(&[root().join(of)]).expect("the library");
    let (mut searched, mut refused) = (0, 0);
    for (i, file) in files.iter().step_by(every).enumerate() {
        let source = Source::read(file).expect("a readable file");
        let Ok(test) = parse(&source, &spec.instructions) else { continue };
        let known = Operational::new(&test, &Setup::new(Arc::clone(&spec))).is_ok();
        match known.then(|| agree(&test, &spec, 2 + i % 2)) {
            Some(true) => searched += 1,
            Some(false) => refused += 1,
            None => {}
        }
    }
    (searched, refused)
}

#[test]
fn several_processes_find_what_one_does_in_the_library() {
    let found = [("litmus/mpi", "mpi", 60), ("litmus/rdma", "rdma-tso", 8), ("litmus/mpi-rdma", "mpi-rdma", 25)]
        .map(|(of, name, every)| all_agree(of, name, every));
    assert!(found[0].0 > 15 && found[1].0 > 8 && found[2].0 > 2, "searched, and not: {found:?}");
}

#[test]
fn several_processes_find_what_one_does_of_random_programs() {
    let rdma = Arc::new(load_shipped("rdma-tso").expect("a shipped model"));
    let mpi = Arc::new(load_shipped("mpi").expect("a shipped model"));
    for seed in 0..10 {
        let text = litmpi_rdma_model::generate::random(seed, 2, 3);
        let test = parse(&Source::new("generated", text), &rdma.instructions).expect("a program");
        assert!(agree(&test, &rdma, 2 + seed as usize % 3));
        let text = litmpi_mpi_model::generate::random(seed, 2 + seed as usize % 2, 2);
        let test = parse(&Source::new("generated", text), &mpi.instructions).expect("a program");
        assert!(agree(&test, &mpi, 2 + seed as usize % 3));
    }
}

#[test]
fn processes_that_are_started_here_say_what_one_says() {
    let dir = folder(&[("sum.litmus", &weighted(7))]);
    let alone = litmpi_in(dir.path(), ["enumerate", "sum.litmus"]);
    alone.exits(0).says("Explored 27358 states, 30961 transitions");
    for number in ["1", "2", "3"] {
        let said = litmpi_in(dir.path(), ["enumerate", "sum.litmus", "--across", number]);
        assert_eq!(said.exits(0).stdout, alone.stdout);
    }
    let json =
        |across: &[&str]| litmpi_in(dir.path(), ["enumerate", "sum.litmus", "--json"].iter().chain(across)).json();
    assert_eq!(json(&["--across", "2"]), json(&[]));
    let few = ["enumerate", "sum.litmus", "--across", "2", "--max-states", "3000"];
    litmpi_in(dir.path(), few).exits(3).says("Bound reached: 3000 states");
}

/// Starts a process of a search.
fn start(dir: &Path, file: &str, of: &str, options: &[&str]) -> Child {
    let mut command = Command::new(binary());
    command.current_dir(dir).args(["enumerate", file, "--across", of]).args(options);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts")
}

fn end(child: Child) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = child.wait_with_output().expect("it ends");
    (status.code(), String::from_utf8(stdout).expect("text"), String::from_utf8(stderr).expect("text"))
}

#[test]
fn processes_at_addresses_have_one_result_and_the_first_says_it() {
    let dir = folder(&[("sum.litmus", &weighted(6)), ("hosts", "./a # the first\n./b\n\n./c\n")]);
    let numbers = ["0", "1", "2"];
    let started: Vec<Child> =
        numbers.iter().map(|n| start(dir.path(), "sum.litmus", "@hosts", &["--process", n])).collect();
    let said: Vec<_> = started.into_iter().map(end).collect();
    let alone = litmpi_in(dir.path(), ["enumerate", "sum.litmus"]);
    assert_eq!(said[0], (Some(0), alone.stdout, String::new()));
    for other in &said[1..] {
        assert_eq!(*other, (Some(0), String::new(), String::new()));
    }
}

#[test]
fn a_process_that_is_killed_ends_the_search_of_all_and_nothing_is_said_of_the_test() {
    let dir = folder(&[("sum.litmus", &weighted(10))]);
    let started: Vec<Child> =
        ["0", "1", "2"].iter().map(|n| start(dir.path(), "sum.litmus", "./a,./b,./c", &["--process", n])).collect();
    let mut started = started;
    // The sockets are there, and the processes have met and search: ten senders take a minute.
    std::thread::sleep(Duration::from_secs(4));
    assert!(started.iter_mut().all(|c| c.try_wait().expect("it is known").is_none()), "the search goes on");
    started[1].kill().expect("it was there");
    for (i, child) in started.into_iter().enumerate().filter(|(i, _)| *i != 1) {
        let (code, stdout, stderr) = end(child);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "process {i}: {stderr}");
        assert!(stderr.contains("process 1, at ./b, has ended before the search did"), "{stderr}");
        assert!(!stderr.contains("panicked"), "{stderr}");
    }
}

#[test]
fn processes_that_do_not_belong_together_do_not_search_together() {
    let dir = folder(&[("sum.litmus", &weighted(6)), ("other.litmus", &weighted(5))]);
    let one = start(dir.path(), "sum.litmus", "./a,./b", &["--process", "0"]);
    let other = start(dir.path(), "other.litmus", "./a,./b", &["--process", "1"]);
    for (number, child) in [(1, one), (0, other)] {
        let (code, stdout, stderr) = end(child);
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{stderr}");
        assert!(
            stderr.contains(&format!("process {number}, at")) && stderr.contains("searches something else"),
            "{stderr}"
        );
    }
    let alone = ["enumerate", "sum.litmus", "--across", "./c,./d", "--process", "0", "--patience", "1"];
    litmpi_in(dir.path(), alone).exits(2).says("process 1, at ./d, did not come within 1 seconds");
}

#[test]
fn what_cannot_be_searched_by_several_processes_is_said_before_anything_starts() {
    let dir = folder(&[
        ("sum.litmus", &weighted(3)),
        ("other.litmus", &weighted(2)),
        (
            "spin.litmus",
            "litmus mpi spin \"a loop\"\nrank 0 { while f = 0 { MPI_Iprobe(source: 1, flag: f) } }\nrank 1 { }\nexists deadlock\n",
        ),
    ]);
    let say = |options: &[&str]| -> Said { litmpi_in(dir.path(), ["enumerate"].iter().chain(options)) };
    say(&["sum.litmus", "other.litmus", "--across", "2"]).exits(2).says("--across is for one test, and there are 2");
    say(&["sum.litmus", "--across", "host"]).exits(2).says("an address is HOST:PORT");
    say(&["sum.litmus", "--across", "./a,./b"]).exits(2).says("which of the processes this one is");
    say(&["sum.litmus", "--across", "./a,./b", "--process", "2"]).exits(2).says("there is no process 2");
    say(&["sum.litmus", "--across", "2", "--process", "1"]).exits(2).says("leave --process out");
    say(&["sum.litmus", "--across", "2", "--random", "5"]).exits(2).says("cannot be used with");
    // What is small each process searches for itself.
    say(&["spin.litmus", "--across", "2"]).exits(0).says("deadlock");
    say(&["spin.litmus", "--across", "2", "--search", "full"]).exits(2).says("may go round for ever");
}
