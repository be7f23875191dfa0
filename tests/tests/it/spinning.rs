//! A thread that spins stands still, and the others go on: every search agrees on it, under every model.

use crate::command::root;
use crate::support::{folder, litmpi_in};
use litmpi_engine::search::Bound;
use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::parse;
use litmpi_models::{Limits, Model, Operational, Outcomes, Search, Setup};
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

fn test(text: &str, spec: &Spec) -> Test {
    parse(&Source::new("generated", text), &spec.instructions).unwrap_or_else(|r| panic!("{text}\n{}", r.render(false)))
}

fn found(test: &Test, spec: &Arc<Spec>, search: Search) -> Outcomes {
    let setup = Setup { search, ..Setup::new(Arc::clone(spec)) };
    Operational::new(test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{}", r.render(false)))
}

#[test]
fn what_others_do_beside_a_thread_that_spins_is_found() {
    let spinning = "rank 0 { MPI_Isend(1, dest: 1, request: r)  while 1 = 1 { } }\n";
    let receives = "rank 1 { MPI_Recv(a, source: 0)  MPI_Send(1, dest: 7) }\n";
    let more = "rank 2 { MPI_Send(2, dest: 1) }\n";
    let claim = "exists erroneous\n  verdict mpi allowed because \"there is no rank 7\"\n";
    let files = [
        ("one.litmus", format!("litmus mpi one \"\"\n{spinning}{receives}{claim}")),
        (
            "two.litmus",
            format!("litmus mpi two \"\"\n{spinning}{}{more}{claim}", receives.replace("source: 0", "source: any")),
        ),
    ];
    let dir = folder(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    for (name, _) in &files {
        let said: Vec<_> = ["full", "reduced", "footprints"]
            .map(|search| litmpi_in(dir.path(), ["enumerate", name, "--search", search]))
            .into_iter()
            .map(|said| {
                said.exits(0).says("erroneous");
                said.stdout.lines().take_while(|l| !l.starts_with("Model")).map(str::to_owned).collect::<Vec<_>>()
            })
            .collect();
        assert!(said.iter().all(|s| *s == said[0]), "{said:#?}");
        litmpi_in(dir.path(), ["check", name, "--model", "mpi"]).exits(0).says("1 verdicts hold");
    }
}

/// A loop: one that waits for memory or a flag, one that turns a number of rounds, one that goes on for ever.
fn spin(dice: &mut StdRng, poll: &str, flag: &str) -> String {
    match dice.random_range(0..6) {
        0 => "while 1 = 1 { }".to_owned(),
        1 => format!("{poll}  while {flag} = 0 {{ }}"),
        2 => format!("{poll}  while {flag} = 0 {{ {poll} }}"),
        3 => format!("{poll}  while {flag} = 0 bound 1 {{ {poll} }}"),
        4 => format!("{poll}  if {flag} = 1 {{ while 1 = 1 {{ }} }}"),
        _ => format!("{poll}  while {flag} = 1 bound 2 {{ {poll} }}"),
    }
}

/// Two or three threads on two nodes, each with a few accesses, and loops among them.
fn random_memory(seed: u64, remote: bool) -> String {
    let dice = &mut StdRng::seed_from_u64(seed);
    let threads = dice.random_range(2..=3);
    let mut text =
        format!("litmus rdma spin-{seed} \"generated\"\nnode 1 {{ x = 0  u = 0 }}\nnode 2 {{ y = 0  v = 0 }}\n");
    let mut observed = "locations x y".to_owned();
    for t in 1..=threads {
        let (node, [own, scratch], other) =
            if t == 2 && remote { (2, ["y", "v"], "x@1") } else { (1, ["x", "u"], "y@2") };
        let mut body = vec![];
        for i in 0..dice.random_range(1..=2) {
            body.push(match dice.random_range(0..if remote { 5 } else { 3 }) {
                0 => format!("{own} := {}", t * 10 + i),
                1 => format!("r{i} := {own}"),
                2 => format!("{scratch} := 1"),
                3 => format!("{other} := {own}"),
                _ => format!("{own} := {other}"),
            });
            if body.last().is_some_and(|b| b.starts_with(&format!("r{i}"))) {
                let _ = write!(observed, " {t}:r{i}");
            }
        }
        if t == 1 || dice.random_bool(0.4) {
            let at = dice.random_range(0..=body.len());
            let watched = [own, scratch].choose(dice).copied().unwrap_or(own);
            body.insert(at, spin(dice, &format!("f := {watched}"), "f"));
            if body[at].contains("f :=") {
                let _ = write!(observed, " {t}:f");
            }
        }
        let _ = writeln!(text, "thread {t} on {node} {{\n  {}\n}}", body.join("\n  "));
    }
    text + &observed + "\nexists true\n"
}

/// Messages among two or three ranks, with loops over MPI_Test, MPI_Iprobe and nothing.
fn random_messages(seed: u64) -> String {
    let dice = &mut StdRng::seed_from_u64(seed);
    let ranks = dice.random_range(2..=3_usize);
    let mut bodies: Vec<Vec<String>> = vec![vec![]; ranks];
    let mut observed = vec![];
    for k in 0..dice.random_range(1..=2) {
        let from = dice.random_range(0..ranks);
        let to = (from + dice.random_range(1..ranks)) % ranks;
        let send = ["MPI_Send", "MPI_Ssend", "MPI_Isend"].choose(dice).copied().unwrap_or("MPI_Send");
        let request = if send == "MPI_Isend" { format!(", request: q{k}") } else { String::new() };
        bodies[from].push(format!("{send}({}, dest: {to}{request})", k + 1));
        if request.is_empty() && dice.random_bool(0.3) {
            bodies[from].push(spin(dice, &format!("MPI_Iprobe(source: any, flag: g{k})"), &format!("g{k}")));
        } else if !request.is_empty() {
            bodies[from].push(spin(dice, &format!("MPI_Test(q{k}, flag: f{k})"), &format!("f{k}")));
        }
        if dice.random_bool(0.5) {
            bodies[to].push(format!("MPI_Recv(x{k}, source: any)"));
        } else {
            bodies[to].push(format!("MPI_Irecv(x{k}, source: any, request: p{k})"));
            bodies[to].push(spin(dice, &format!("MPI_Test(p{k}, flag: h{k})"), &format!("h{k}")));
        }
        observed.push(format!("x{k}"));
    }
    if dice.random_bool(0.3) {
        bodies[0].push(format!("MPI_Send(9, dest: {})", ranks + 4));
    }
    let mut text = format!("litmus mpi spin-{seed} \"generated\"\n");
    for (r, body) in bodies.iter().enumerate() {
        let _ = writeln!(text, "rank {r} {{\n  {}\n}}", body.join("\n  "));
    }
    text + "locations " + &observed.join(" ") + "\nexists true\n"
}

/// Panics with the program if a reduced search finds other outcomes, or does not say where loops were cut.
fn agree(text: &str, spec: &Arc<Spec>) -> Outcomes {
    let test = test(text, spec);
    let [full, reduced, footprints] =
        [Search::Full, Search::Reduced, Search::Footprints].map(|search| found(&test, spec, search));
    for other in [&reduced, &footprints] {
        let (a, b) = (shown(&test, &full), shown(&test, other));
        assert_eq!(a, b, "{} ({:?})\n{text}", spec.name, other.search);
        assert_eq!(full.bounds, other.bounds, "{} ({:?})\n{text}", spec.name, other.search);
    }
    full
}

fn shown(test: &Test, found: &Outcomes) -> BTreeSet<String> {
    found.set.iter().map(|o| test.show(o)).collect()
}

#[test]
fn every_search_agrees_on_random_programs_with_loops() {
    let (mut deadlocks, mut errors, mut cut) = (0, 0, 0);
    let mut note = |found: &Outcomes| {
        deadlocks += usize::from(found.set.contains(&Outcome::Deadlock));
        errors += usize::from(found.set.iter().any(|o| matches!(o, Outcome::Erroneous { .. })));
        cut += usize::from(found.bounds.contains(&Bound::Loops));
    };
    for (name, remote) in [("rdma-tso", true), ("rdma-tso-simplified", true), ("tso", false)] {
        let spec = Arc::new(load_shipped(name).expect("a shipped model"));
        (0..20).for_each(|seed| note(&agree(&random_memory(seed, remote), &spec)));
    }
    let spec = Arc::new(load_shipped("mpi").expect("a shipped model"));
    (0..40).for_each(|seed| note(&agree(&random_messages(seed), &spec)));
    let spec = Arc::new(load_shipped("mpi-rdma").expect("a shipped model"));
    let small = (0..60).map(random_messages).filter(|t| !t.contains("MPI_Iprobe") && !t.contains("rank 2"));
    small.take(2).for_each(|text| note(&agree(&text, &spec)));
    assert!(deadlocks > 10 && errors > 2 && cut > 10, "{deadlocks} deadlocks, {errors} errors, {cut} cut");
}

/// Panics with the program unless its loops, as they are and unrolled to a depth, have the same outcomes; gives those of the loops.
fn agrees_unrolled(text: &str, spec: &Arc<Spec>) -> Outcomes {
    let loops = agree(text, spec);
    let test = test(text, spec);
    let setup = Setup { unroll: Some(6), search: Search::Full, ..Setup::new(Arc::clone(spec)) };
    let unrolled = Operational::new(&test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{r}"));
    // A loop that is unrolled is cut before it is known to go on for ever.
    let lasting = |found: &Outcomes| found.set.iter().filter(|o| **o != Outcome::Deadlock).cloned().collect();
    let (a, b): (BTreeSet<Outcome>, BTreeSet<Outcome>) = (lasting(&loops), lasting(&unrolled));
    let named = |set: &BTreeSet<Outcome>| set.iter().map(|o| test.show(o)).collect::<Vec<_>>();
    assert_eq!(named(&a), named(&b), "{}\n{text}", spec.name);
    let (for_ever, stands) = (loops.set.contains(&Outcome::Deadlock), unrolled.set.contains(&Outcome::Deadlock));
    assert!(for_ever || !stands, "{}: a deadlock only if unrolled\n{text}", spec.name);
    assert!(stands || !for_ever || unrolled.bounds == [Bound::Loops], "{}: unrolled to the end\n{text}", spec.name);
    loops
}

#[test]
fn loops_without_a_bound_have_the_outcomes_of_loops_that_are_unrolled() {
    let (mut complete, mut for_ever) = (0, 0);
    let mut note = |found: &Outcomes| {
        complete += usize::from(found.complete());
        for_ever += usize::from(found.set.contains(&Outcome::Deadlock));
    };
    for (name, remote) in [("rdma-tso", true), ("rdma-tso-simplified", true), ("tso", false)] {
        let spec = Arc::new(load_shipped(name).expect("a shipped model"));
        let free = (1000..1060).map(|seed| random_memory(seed, remote)).filter(|t| !t.contains("bound"));
        free.take(20).for_each(|text| note(&agrees_unrolled(&text, &spec)));
    }
    let spec = Arc::new(load_shipped("mpi").expect("a shipped model"));
    let free = (1000..1150).map(random_messages).filter(|t| !t.contains("bound"));
    free.take(50).for_each(|text| note(&agrees_unrolled(&text, &spec)));
    assert!(complete == 110 && for_ever > 20, "{complete} complete, {for_ever} with loops that never end");
}

#[test]
fn a_thread_that_waits_for_a_flag_of_another_is_decided() {
    let memory = "litmus rdma flag \"a flag is waited for\"\nnode 1 { x = 0  y = 0 }\n\
        thread 1 on 1 { a := y  while a = 0 { a := y }  b := x }\nthread 2 on 1 { x := 1  y := 1 }\nforall 1:b = 1\n\
        \x20 verdict rdma-tso allowed because \"stores are seen in order\"\n";
    let never = memory.replace("y := 1 }", "}").replace("forall 1:b = 1", "forall deadlock");
    let messages = "litmus mpi tested \"a request is tested until it is over\"\nrank 0 { MPI_Isend(1, dest: 1, request: r)  \
        MPI_Test(r, flag: f)  while f = 0 { MPI_Test(r, flag: f) } }\nrank 1 { MPI_Recv(a, source: 0) }\nforall a = 1 /\\ f = 1\n\
        \x20 verdict mpi allowed because \"of progress\"\n";
    let silent = "litmus rdma silent \"a loop without an instruction\"\nnode 1 { x = 0 }\n\
        thread 1 on 1 { a := 0  while a < 2 { a := 1 - a } }\nthread 2 on 1 { x := 1 }\nforall deadlock\n\
        \x20 verdict rdma-tso allowed because \"the loop never ends\"\n";
    let dir = folder(&[
        ("flag.litmus", memory),
        ("never.litmus", never.as_str()),
        ("tested.litmus", messages),
        ("silent.litmus", silent),
    ]);
    for (file, model) in [("flag", "rdma-tso"), ("never", "rdma-tso"), ("tested", "mpi"), ("silent", "rdma-tso")] {
        let file = format!("{file}.litmus");
        for search in ["full", "reduced", "footprints"] {
            let said = litmpi_in(dir.path(), ["enumerate", &file, "--search", search]);
            said.exits(0).says(" Always 1 0");
            assert!(!said.stdout.contains("Bound reached"), "{said}");
        }
        litmpi_in(dir.path(), ["check", &file, "--model", model]).exits(0).says("1 verdicts hold");
    }
    litmpi_in(dir.path(), ["explain", "never.litmus", "--outcome", "deadlock"])
        .exits(0)
        .says("states come again")
        .says("thread 1 at a := y");
}

#[test]
fn declared_and_operational_models_agree_on_random_programs_with_loops_deadlocks_aside() {
    let mut values = 0;
    for (rules, declared, remote) in [("rdma-tso", "rdma-tso.cat", true), ("tso", "tso.cat", false)] {
        let (rules, declared) = (Model::named(rules).expect("a model"), Model::named(declared).expect("a model"));
        let limits = Limits { unroll: Some(2), ..Limits::default() };
        for seed in 100..130 {
            let text = random_memory(seed, remote);
            let answer = |m: &Model| {
                let test = test(&text, m.spec());
                let answer =
                    m.answer(&test, "default", limits).unwrap_or_else(|r| panic!("{text}\n{}", r.render(false)));
                answer.values().into_iter().map(|o| test.show(o)).collect::<BTreeSet<String>>()
            };
            let (a, b) = (answer(&rules), answer(&declared));
            assert_eq!(a, b, "{text}");
            values += a.len();
        }
    }
    assert!(values > 60, "{values} outcomes with values");
}

#[test]
fn a_thread_that_spins_is_in_no_call_so_a_library_without_progress_of_its_own_does_nothing_for_it() {
    // The receiver's get needs no call of the sender's; the sender's put does.
    let text = "litmus mpi spin \"\"\nrank 0 { MPI_Isend(1, dest: 1, request: r)  while 1 = 1 { } }\n\
        rank 1 { MPI_Recv(a, source: 0)  MPI_Send(1, dest: 7) }\nexists erroneous\n";
    let spec = Arc::new(load_shipped("mpi-rdma").expect("a shipped model"));
    let test = test(text, &spec);
    let erroneous = |variant: &str| {
        let setup = Setup { variant: variant.to_owned(), search: Search::Full, ..Setup::new(Arc::clone(&spec)) };
        let found = Operational::new(&test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{r}"));
        assert!(found.complete());
        found.set.iter().any(|o| matches!(o, Outcome::Erroneous { .. }))
    };
    assert!(erroneous("default") && erroneous("get"));
    assert!(!erroneous("put"), "nobody answers the receiver while the sender spins");
    assert!(erroneous("put-own-progress"));
    assert!(root().join("spec/mpi-rdma").is_dir());
}
