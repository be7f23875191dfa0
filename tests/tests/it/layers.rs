//! MPI over RDMA has only outcomes that MPI allows, with every protocol, for programs that are not erroneous.

use litmpi_litmus::ast::{Outcome, Test};
use litmpi_litmus::parse;
use litmpi_models::{Operational, Setup};
use litmpi_spec::load::load_shipped;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

const RIGHT: &[&str] = &[
    "default",
    "eager",
    "two-sided",
    "get",
    "put",
    "put-rail",
    "own-progress",
    "get-own-progress",
    "put-own-progress",
];
/// Other ways for collectives and windows: programs of messages alone say nothing of them.
const OTHERS: &[&str] = &["puts", "window-queue"];

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
fn every_variant_of_mpi_over_rdma_is_one_that_is_right_or_one_that_is_wrong() {
    let layered = load_shipped("mpi-rdma").expect("a shipped model");
    // Those of the hardware alone, without the PCIe guarantee, are of no library that is right.
    let own = layered.variants.iter().filter(|v| v.span.source.name.contains("mpi-rdma"));
    let right: BTreeSet<&str> = own.map(|v| v.name.as_str()).filter(|v| !v.starts_with("wrong-")).collect();
    let known: BTreeSet<&str> =
        RIGHT.iter().copied().filter(|v| *v != "default").chain(OTHERS.iter().copied()).collect();
    assert_eq!(right, known, "the planted mistakes are looked for by `litmpi refine`: see refine.rs");
}
