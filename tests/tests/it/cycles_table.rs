//! The table of which variants of MPI, and which protocols over RDMA, some critical cycles tell apart.

use crate::command::root;
use crate::reduction::spec;
use litmpi_litmus::ast::{Expect, Outcome};
use litmpi_litmus::parse;
use litmpi_models::{Operational, Setup};
use litmpi_mpi_model::cycles::{Cycle, Vocabulary};
use litmpi_spec::model::Spec;
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

/// Variants of MPI, and of MPI over RDMA those that are right and those that have a mistake.
const MPI: [&str; 7] =
    ["default", "eager", "rendezvous", "synchronising", "non-synchronising", "separate", "race-free"];
const OVER: [&str; 7] = ["default", "get", "put", "own-progress", "puts", "wrong-round", "wrong-fence"];

/// A search of more states ends there.
const MOST: usize = 8_000;

/// The cycles, what each is known as, in the order of the table.
const CYCLES: [(&str, &str); 36] = [
    ("PodSendRecv-Rve-PodSendRecv-Rve", "head to head"),
    ("PodSendRecv-Rve-PodSsendRecv-Rve", "head to head, one synchronous"),
    ("PodRecvSend-Rfe-PodRecvSend-Rfe", "both receive first"),
    ("WaitdIsendRecv-Rve-WaitdIsendRecv-Rve", "head to head, waited for"),
    ("PodIsendRecv-Rve-PodIsendRecv-Rve", "head to head, waited for behind the receives"),
    ("SendrecvdRecvSend-Rfe-SendrecvdRecvSend-Rfe", "both send and receive at once"),
    ("PodRecvSend-Rfe-SendrecvdRecvSend-Rfe", "one receives first, the other does both at once"),
    ("PodSsendRecv-Rve-SendrecvdSendRecv-Rve", "one sends first, synchronously, the other does both at once"),
    ("PotRecvRecv-Rve-PotSendSend-Rfe", "tags out of order"),
    ("PocRecvRecv-Rve-PocSendSend-Rfe", "communicators out of order"),
    ("PosSendSend-Coi", "overtaking"),
    ("PodRecvSend-Coe-PodSendSend-Rfe", "overtaking by way of a third rank"),
    ("PodRecvSend-Coe-PodSsendSend-Rfe", "the same behind a synchronous send"),
    ("PotRecvIprobe-Fre-PotSendSend-Rfe", "a probe behind a later message"),
    ("PodSendIprobe-Fre-PodSendIprobe-Fre", "store buffering with probes"),
    ("PotRecvTest-Fre-PotSendSend-Rfe", "a test behind a later message"),
    ("PotRecvWait-Pge-PotSsendSend-Rfe", "a send whose receive is completed later"),
    ("PodBarrierSend-Rfe-PodRecvBarrier-Sye", "out of a barrier before another one enters"),
    ("PodBcastrootSend-Rfe-PodRecvBcast-Sye", "the root out of a broadcast"),
    ("PodBcastSend-Rfe-PodRecvBcastroot-Sye", "another rank out of a broadcast"),
    ("PodRecvReduceroot-Sye-PodReduceSend-Rfe", "another rank out of a reduction"),
    ("PocBarrierBarrier-Sye-PocBarrierBarrier-Sye", "barriers of two communicators"),
    ("PocBcastBcastroot-Sye-PocBcastBcastroot-Sye", "broadcasts of two communicators"),
    ("PocAlltoallwAlltoallw-Sye-PocAlltoallwAlltoallw-Sye", "exchanges of all of two communicators"),
    ("PodBarrierSend-Coe-PodSendBarrier-Sye", "overtaking behind a barrier"),
    ("PodBcastRecv-Rve-PodSendBcastroot-Sye", "a send before a broadcast"),
    ("PodLoadLoad-Fre-PodPutPut-Rfe", "message passing through a window"),
    ("PodLoadLoad-Fre-Win_flushdPutPut-Rfe", "the same with a flush"),
    ("PodRecvLoad-Fre-Win_flushdPutSend-Rfe", "a put, a flush, a message"),
    ("PodRecvLoad-Fre-Win_flush_localdPutSend-Rfe", "a put, a local flush, a message"),
    ("PodRecvLoad-Fre-Win_unlockdPutSend-Rfe", "a put, an unlock, a message"),
    ("PodPutWin_fence-Sye-PodWin_fenceLoad-Fre", "a put, fences"),
    ("PodPutWin_complete-Sye-PodWin_waitLoad-Fre", "a put, complete, wait"),
    ("PodPutWin_complete-Sye-PodWin_testLoad-Fre", "a put, complete, a test"),
    ("PodRecvWin_test-Fre-PodWin_completeSend-Rfe", "a test behind a message that follows complete"),
    ("PodRecvWin_sync-Pge-Win_flushdPutSend-Rfe", "progress of a put"),
];

/// What a model says of a program's claims: `+` that it comes, `-` that it does not, for each; `!` of an erroneous one, `.` of one that it does not run, or that has too many states.
fn says(text: &str, spec: &Arc<Spec>, variant: &str) -> (String, BTreeSet<String>) {
    let none = || (".".to_owned(), BTreeSet::new());
    let Ok(test) = parse(&Source::new("cycle.litmus", text), &spec.instructions) else { return none() };
    let mut setup = Setup { variant: variant.to_owned(), ..Setup::new(Arc::clone(spec)) };
    setup.bounds.states = MOST;
    let Ok(found) = Operational::new(&test, &setup).and_then(|m| m.outcomes()) else { return none() };
    if !found.complete() {
        return none();
    }
    if found.set.iter().any(|o| matches!(o, Outcome::Erroneous { .. })) {
        return ("!".to_owned(), BTreeSet::new());
    }
    let sign = |e: Expect| if e == Expect::Allowed { "+" } else { "-" };
    let signs = test.claims.iter().map(|c| sign(c.verdict(found.set.iter()))).collect();
    (signs, found.set.iter().map(|o| test.show(o)).collect())
}

fn row(out: &mut String, cells: &[String]) {
    let _ = writeln!(out, "| {} |", cells.join(" | "));
}

/// A table of the cycles under some variants of a model; over RDMA, an outcome that MPI does not allow is marked.
fn table(variants: &[&str], of: &Arc<Spec>, mpi: &Arc<Spec>) -> String {
    let vocabulary = Vocabulary::new(&mpi.instructions);
    let mut out = String::new();
    let head: Vec<String> = ["cycle", ""].iter().chain(variants).map(|v| (*v).to_owned()).collect();
    row(&mut out, &head);
    row(&mut out, &vec!["---".to_owned(); head.len()]);
    for (name, known) in CYCLES {
        let cycle =
            Cycle::parse(&Source::new("cycle", name), &vocabulary).unwrap_or_else(|r| panic!("{}", r.render(false)));
        assert_eq!(cycle.name(), name);
        let text = cycle.text(&vocabulary);
        let (_, allowed) = says(&text, mpi, "default");
        let mut cells = vec![format!("`{name}`"), known.to_owned()];
        let mut runs = false;
        for variant in variants {
            let (signs, set) = says(&text, of, variant);
            runs |= signs != ".";
            let more = of.name != mpi.name && !set.is_subset(&allowed);
            cells.push(if more { format!("**{signs}**") } else { signs });
        }
        if runs {
            row(&mut out, &cells);
        }
    }
    out
}

#[test]
fn the_tables_of_cycles_are_what_the_models_say() {
    let (mpi, over) = (spec("mpi"), spec("mpi-rdma"));
    let path = root().join("docs/cycles.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let mut wanted = String::new();
    let mut rest = page.as_str();
    for (mark, variants, of) in [("mpi", &MPI[..], &mpi), ("mpi-rdma", &OVER[..], &over)] {
        let (begin, end) = (format!("<!-- cycles of {mark} -->\n"), "<!-- end -->\n");
        let (before, behind) = rest.split_once(&begin).expect("the mark");
        let (_, behind) = behind.split_once(end).expect("the end");
        wanted += &format!("{before}{begin}{}{end}", table(variants, of, &mpi));
        rest = behind;
    }
    wanted += rest;
    if std::env::var_os("LITMPI_ACCEPT").is_some() {
        std::fs::write(&path, &wanted).expect("the page is written");
    }
    assert!(page == wanted, "run this test with LITMPI_ACCEPT=1 in its environment, twice\n{wanted}");
}
