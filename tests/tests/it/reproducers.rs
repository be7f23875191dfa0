//! Reproducers of what was seen in relaxed style: their calls that wait are made of calls that test.

use crate::shrink::reproduced;
use crate::support::{folder, here};
use litmpi_codegen::{Reproduced, reproducer};
use litmpi_litmus::parse;
use litmpi_models::{Operational, Setup};
use litmpi_runner::{Availability, probe, shipped_targets};
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::sync::Arc;

/// Every call that a polling program makes of others.
const ALL: &str = "litmus mpi all \"each call that waits\"
rank 0 {
  MPI_Isend(1, dest: 1, tag: 1, request: q)
  MPI_Wait(q)
  MPI_Send(2, dest: 1, tag: 2)
  MPI_Ssend(3, dest: 1, tag: 3)
  MPI_Send(4, dest: 1, tag: 4)
  MPI_Send(5, dest: 1, tag: 5)
  MPI_Sendrecv(6, dest: 1, sendtag: 6, recvbuf: g, source: 1, recvtag: 7)
  MPI_Bcast(h, root: 1)
  MPI_Allreduce(1, k)
  MPI_Barrier()
}
rank 1 {
  int h = 8
  MPI_Probe(source: 0, tag: 1)
  MPI_Recv(a, source: 0, tag: 1)
  MPI_Mprobe(source: 0, tag: 2, message: m)
  MPI_Mrecv(b, message: m)
  MPI_Irecv(c, source: 0, tag: 3, request: r)
  MPI_Waitall([r])
  MPI_Irecv(d, source: 0, tag: 4, request: s)
  MPI_Waitany([s], _i)
  MPI_Irecv(e, source: 0, tag: 5, request: t)
  MPI_Waitsome([t], _n, [_j])
  MPI_Sendrecv(7, dest: 0, sendtag: 7, recvbuf: f, source: 0, recvtag: 6)
  MPI_Bcast(h, root: 1)
  MPI_Allreduce(2, l)
  MPI_Barrier()
}
exists a = 1 /\\ b = 2 /\\ c = 3 /\\ d = 4 /\\ e = 5 /\\ f = 6 /\\ g = 7 /\\ 0:h = 8 /\\ k = 3 /\\ l = 3
";

/// A known bug of MPICH 4.0.2, in another program than the one that is known by name.
const TESTALL: &str = "litmus mpi other \"a persistent collective that is waited for in a list\"
rank 0 { int x = 4 MPI_Bcast_init(x, root: 0, request: q)  MPI_Start(q)  MPI_Waitall([q])  MPI_Request_free(q) }
rank 1 { MPI_Bcast_init(y, root: 0, request: q)  MPI_Start(q)  MPI_Waitall([q])  MPI_Request_free(q) }
exists y = 4
";

/// The reproducer of a test under the model, with calls that wait or with calls that test.
fn made(text: &str, polls: bool) -> String {
    let spec = Arc::new(load_shipped("mpi").expect("mpi"));
    let test = parse(&Source::new("t.litmus", text), &spec.instructions).unwrap_or_else(|r| panic!("{r}"));
    let model = Operational::new(&test, &Setup::new(Arc::clone(&spec))).unwrap_or_else(|r| panic!("{r}"));
    let allowed = model.outcomes().unwrap_or_else(|r| panic!("{r}")).set;
    let of = Reproduced { test: &test, allowed: &allowed, size: 8, about: vec![], turns: 60, polls };
    reproducer(&of, &spec.instructions).unwrap_or_else(|r| panic!("{r}"))
}

#[test]
fn a_program_that_polls_calls_nothing_that_waits_and_conforms() {
    let (waits, polls) = (made(ALL, false), made(ALL, true));
    let body = |text: &str| text.split_once("/* ---- the program ---- */").expect("a program").1.to_owned();
    let waiting = [
        "Wait",
        "Waitall",
        "Waitany",
        "Waitsome",
        "Probe",
        "Mprobe",
        "Recv",
        "Send",
        "Ssend",
        "Sendrecv",
        "Bcast",
        "Allreduce",
        "Barrier",
    ];
    let calls =
        |text: &str, call: &str| ["(", "= "].iter().any(|before| text.contains(&format!("{before}MPI_{call}(")));
    for call in waiting {
        assert!(calls(&body(&waits), call), "{call}\n{waits}");
        assert!(!calls(&body(&polls), call), "{call}\n{polls}");
    }
    assert!(!waits.contains("sched_yield") && polls.contains("sched_yield"));
    for target in here(&["openmpi", "mpich"]) {
        for (name, text) in [("waits.c", &waits), ("polls.c", &polls)] {
            let dir = folder(&[(name, text)]);
            let (code, said) = reproduced(target, &dir.path().join(name), 2, None);
            assert_eq!(code, Some(0), "{name} on {target}\n{said}");
        }
    }
}

#[test]
fn what_only_polling_shows_is_shown_by_the_program_that_polls() {
    for target in here(&["mpich"]) {
        let all = shipped_targets();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("an event loop");
        let found = runtime.block_on(probe(all.iter().find(|t| t.name == target).expect("a target")));
        let is_wrong = matches!(found, Availability::Here { version } if version.contains("4.0.2"));
        for polls in [false, true] {
            let dir = folder(&[("other.c", &made(TESTALL, polls))]);
            let (code, said) = reproduced(target, &dir.path().join("other.c"), 2, None);
            let shows = polls && is_wrong;
            assert_eq!(code, Some(shows.into()), "polls: {polls}\n{said}");
            assert_eq!(said.contains("NOT ALLOWED: an error"), shows, "polls: {polls}\n{said}");
        }
    }
}
