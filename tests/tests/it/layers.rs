//! MPI over RDMA has only outcomes that MPI allows, with every protocol, for programs that are not erroneous; each planted
//! mistake is found out, by a program that is as small as can be.

use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::parse;
use litmpi_rdma_model::{Operational, Setup};
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

const RIGHT: &[&str] =
    &["default", "two-sided", "get", "put", "put-rail", "own-progress", "get-own-progress", "put-own-progress"];
const WRONG: &[&str] = &["wrong-flag", "wrong-release", "wrong-fin", "wrong-poll", "wrong-slot"];

/// How collectives go by puts, right and wrong: no program of messages alone tells.
const BY_PUTS: &[&str] = &["puts", "wrong-round", "wrong-bell", "wrong-leave"];

/// What comes before and after at the sender of one message; the same at the receiver.
const SENDS: &[&[&str]] = &[
    &["MPI_Send(x, dest: 1)"],
    &["MPI_Ssend(x, dest: 1)"],
    &["MPI_Isend(x, dest: 1, request: p)", "MPI_Wait(p)"],
    &["MPI_Isend(x, dest: 1, request: p)", "MPI_Test(p, f)", "MPI_Wait(p)"],
];
const RECEIVES: &[&[&str]] = &[
    &["MPI_Recv(a, source: 0)"],
    &["MPI_Irecv(a, source: 0, request: p)", "MPI_Wait(p)"],
    &["MPI_Irecv(a, source: any, request: p)", "MPI_Test(p, f)", "MPI_Wait(p)"],
];

/// Every program of one message between two ranks, made of these, the sender's buffer written at the end or not, the
/// receiver's read or not; then programs of one to three messages by blocking calls; the shorter ones first.
fn programs(spec: &Spec) -> Vec<Test> {
    let mut texts = vec![];
    for send in SENDS {
        for receive in RECEIVES {
            for (write, read) in [(false, false), (true, false), (false, true), (true, true)] {
                let mut text = String::from("rank 0 {\n  int x = 1\n");
                send.iter().for_each(|s| _ = writeln!(text, "  {s}"));
                text += if write { "  x := 2\n}\nrank 1 {\n" } else { "}\nrank 1 {\n" };
                receive.iter().for_each(|s| _ = writeln!(text, "  {s}"));
                text += if read { "  r := a\n}\nlocations a r\n" } else { "}\nlocations a\n" };
                texts.push(text);
            }
        }
    }
    for n in 1..4 {
        let mut text = String::from("rank 0 {\n");
        (0..n).for_each(|i| _ = writeln!(text, "  MPI_Send({}, dest: 1)", i + 1));
        text += "}\nrank 1 {\n";
        (0..n).for_each(|i| _ = writeln!(text, "  MPI_Recv(a{i}, source: 0)"));
        text += "}\nlocations";
        (0..n).for_each(|i| _ = write!(text, " a{i}"));
        texts.push(text + "\n");
    }
    texts.sort_by_key(String::len);
    let test = |text: String| {
        let source = Source::new("generated", format!("litmus mpi client \"generated\"\n{text}exists true\n"));
        parse(&source, &spec.instructions).unwrap_or_else(|r| panic!("{}\n{}", source.text, r.render(false)))
    };
    texts.into_iter().map(test).collect()
}

fn outcomes(test: &Test, spec: &Arc<Spec>, variant: &str) -> BTreeSet<String> {
    let setup = Setup { variant: variant.to_owned(), ..Setup::new(Arc::clone(spec)) };
    let found = Operational::new(test, &setup).and_then(|m| m.outcomes()).unwrap_or_else(|r| panic!("{r}"));
    assert!(found.complete(), "{}", test.span.source.text);
    assert!(!found.set.iter().any(|o| matches!(o, Outcome::Erroneous { .. })), "{}", test.span.source.text);
    found.set.iter().map(|o| test.show(o)).collect()
}

/// The programs as the two models read them, with what MPI allows.
fn clients() -> (Arc<Spec>, Vec<(Test, BTreeSet<String>)>) {
    let (mpi, layered) = ["mpi", "mpi-rdma"].map(|m| Arc::new(load_shipped(m).expect("a shipped model"))).into();
    let allowed: Vec<BTreeSet<String>> = programs(&mpi).iter().map(|t| outcomes(t, &mpi, "default")).collect();
    let tests = programs(&layered).into_iter().zip(allowed).collect();
    (layered, tests)
}

#[test]
fn mpi_over_rdma_has_only_outcomes_that_mpi_allows_under_every_protocol() {
    let (layered, clients) = clients();
    assert_eq!(clients.len(), 51);
    for variant in RIGHT {
        for (test, allowed) in &clients {
            let found = outcomes(test, &layered, variant);
            assert!(found.is_subset(allowed), "{variant}: {found:?} {allowed:?}\n{}", test.span.source.text);
            assert!(!found.is_empty());
        }
    }
}

#[test]
fn every_planted_mistake_is_found_by_a_program_of_a_few_calls() {
    let (layered, clients) = clients();
    for variant in WRONG {
        let told = clients.iter().find(|(test, allowed)| !outcomes(test, &layered, variant).is_subset(allowed));
        let (test, _) = told.unwrap_or_else(|| panic!("{variant} is not found out"));
        let calls = test.span.source.text.matches("MPI_").count();
        assert_eq!(calls, if *variant == "wrong-slot" { 6 } else { 2 }, "{variant}\n{}", test.span.source.text);
    }
    let known: BTreeSet<&str> = RIGHT.iter().chain(WRONG).chain(BY_PUTS).copied().collect();
    // Those of the hardware alone, without the PCIe guarantee, are of no library that is right.
    let own = layered.variants.iter().filter(|v| v.span.source.name.contains("mpi-rdma"));
    let all: BTreeSet<&str> = own.map(|v| v.name.as_str()).chain(["default"]).collect();
    assert_eq!(all, known, "every variant of mpi-rdma is one that is right or one that is wrong");
}
