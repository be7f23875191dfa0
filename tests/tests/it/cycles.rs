//! Programs of MPI from critical cycles: each is read, printed and searched as it is written, none is there twice, and those of the library are found again by
//! name.
//!
//! A part of them is tried; with `LITMPI_ALL_CYCLES=1` in the environment, all of these sizes.

use crate::command::root;
use crate::reduction::{agree, spec};
use crate::support::{at, folder, litmpi_in};
use litmpi_litmus::ast::{Stmt, Test};
use litmpi_litmus::{library, parse, print};
use litmpi_mpi_model::cycles::{Cycle, Cycles, Edge, Usual, Vocabulary};
use litmpi_spec::decl::Instructions;
use litmpi_spec::program::{IntExpr, Operand};
use litmpi_spec::source::Source;
use std::collections::{BTreeMap, BTreeSet};

const USUAL: [Usual; 3] = [Usual::Messages, Usual::Collectives, Usual::Windows];

/// One of so many, or each if all are asked for.
fn every(n: usize) -> usize {
    if std::env::var_os("LITMPI_ALL_CYCLES").is_some() { 1 } else { n }
}

fn cycle(name: &str, vocabulary: &Vocabulary<'_>) -> Cycle {
    Cycle::parse(&Source::new("cycle", name), vocabulary).unwrap_or_else(|r| panic!("{name}: {}", r.render(false)))
}

fn read(text: &str, decls: &Instructions) -> Test {
    parse(&Source::new("cycle.litmus", text), decls).unwrap_or_else(|r| panic!("{}\n{text}", r.render(false)))
}

/// Cycles of the usual edges of each kind, of up to four edges, one of so many of the largest.
fn some(vocabulary: &Vocabulary<'_>, each: usize) -> Vec<Cycle> {
    let of = |usual: Usual| {
        let edges = Cycles::usual(usual, vocabulary);
        let small = Cycles::new(edges.clone(), 2, 3, vocabulary).chain(Cycles::new(edges.clone(), 3, 3, vocabulary));
        small.chain(Cycles::new(edges, 4, 3, vocabulary).step_by(every(each))).collect::<Vec<_>>()
    };
    USUAL.into_iter().flat_map(of).collect()
}

/// What is named in a program, numbered as it comes.
#[derive(Default)]
struct Names(BTreeMap<String, usize>);

impl Names {
    fn of(&mut self, what: String) -> String {
        let next = self.0.len();
        format!("n{}", self.0.entry(what).or_insert(next))
    }
}

/// A program with ranks in an order, and everything else numbered as it comes.
struct Form<'t> {
    test: &'t Test,
    decls: &'t Instructions,
    order: Vec<usize>,
    names: Names,
    /// Whether all messages have one tag, so that a receive of any is one of it.
    one_tag: bool,
    /// Whether the values of messages matter, or only that there is one.
    with_values: bool,
}

impl Form<'_> {
    fn rank(&self, n: i64) -> String {
        let place = self.order.iter().position(|o| i64::try_from(*o) == Ok(n));
        place.map_or(n.to_string(), |p| format!("rank {p}"))
    }

    fn value(&mut self, n: i64) -> String {
        if n == 0 { "0".to_owned() } else { self.names.of(format!("value {n}")) }
    }

    fn int(&mut self, thread: usize, e: &IntExpr, kind: &str) -> String {
        match (e, kind) {
            (IntExpr::Const(n, _), "rank" | "member" | "root") => self.rank(*n),
            (IntExpr::Const(..), "tag") if self.one_tag => String::new(),
            (IntExpr::Const(n, _), "tag") if *n >= 0 => self.names.of(format!("tag {n}")),
            (IntExpr::Const(n, _), "value") => self.value(*n),
            (IntExpr::Const(n, _), "number") => self.names.of(format!("element {n}")),
            (IntExpr::Const(n, _), _) => n.to_string(),
            (IntExpr::Reg(r, field), _) => format!("{}{field:?}", self.names.of(format!("register {thread} {r}"))),
            (IntExpr::Unary(op, a), _) => format!("{op:?}({})", self.int(thread, a, kind)),
            (IntExpr::Binary(op, a, b), _) => {
                format!("{op:?}({}, {})", self.int(thread, a, kind), self.int(thread, b, kind))
            }
        }
    }

    fn operand(&mut self, thread: usize, arg: &Operand, kind: &str) -> String {
        match arg {
            Operand::Loc(l) => {
                let loc = &self.test.locs[*l];
                if !self.with_values && loc.name.starts_with('$') {
                    return "value".to_owned();
                }
                let initial = self.value(loc.initial);
                if loc.name.starts_with('$') {
                    initial
                } else {
                    format!("{}={initial}", self.names.of(format!("location {l}")))
                }
            }
            Operand::Node(n) => self.rank(i64::try_from(*n).expect("a rank")),
            _ if kind == "status" => String::new(),
            Operand::Reg(r) => self.names.of(format!("register {thread} {r}")),
            Operand::NoReg => String::new(),
            Operand::Int(e) => self.int(thread, e, kind),
            Operand::List(all) => {
                let all: Vec<String> = all.iter().map(|a| self.operand(thread, a, kind)).collect();
                format!("[{}]", all.join(", "))
            }
        }
    }

    fn body(&mut self, thread: usize, body: &[Stmt], out: &mut String) {
        for s in body {
            match s {
                Stmt::Call { instr, args, .. } => {
                    let i = &self.decls.list[*instr];
                    let args: Vec<String> = args
                        .iter()
                        .zip(&i.params)
                        // The memory of a window is an array, whichever element begins it.
                        .map(|(a, p)| match p.name.as_str() {
                            "base" => String::new(),
                            _ => self.operand(thread, a, &self.decls.kinds[p.kind].name.clone()),
                        })
                        .collect();
                    *out += &format!("{}({})\n", i.name, args.join(", "));
                }
                Stmt::Set { reg, expr, .. } => {
                    let to = self.names.of(format!("register {thread} {reg}"));
                    *out += &format!("{to} := {}\n", self.int(thread, expr, "value"));
                }
                Stmt::If { cond, then, els, .. } => {
                    *out += &format!("if {}\n", self.int(thread, cond, ""));
                    self.body(thread, then, out);
                    out.push_str("else\n");
                    self.body(thread, els, out);
                    out.push_str("end\n");
                }
                other => *out += &format!("{other:?}\n"),
            }
        }
    }

    /// What is claimed, in any order, of programs whose names are of the whole program.
    fn claims(&mut self, text: &str) -> String {
        let mut all = vec![];
        for line in text.lines().filter_map(|l| l.strip_prefix("exists ")) {
            let mut parts: Vec<String> = line.split(" /\\ ").map(|part| self.claim(part)).collect();
            parts.sort();
            all.push(parts.join(" and "));
        }
        all.join("\n")
    }

    fn claim(&mut self, part: &str) -> String {
        let Some((name, value)) = part.split_once(" = ") else { return part.to_owned() };
        let value: i64 = value.parse().expect("a number");
        let (rank, plain) = name.split_once(':').map_or((None, name), |(rank, n)| (rank.parse::<usize>().ok(), n));
        let (plain, field) = plain.split_once('.').unwrap_or((plain, ""));
        if field == "source" {
            return format!("{field} {}", self.rank(value));
        }
        let is = |l: &&(usize, &litmpi_spec::program::Loc)| l.1.name == plain && rank.is_none_or(|r| l.1.node == r);
        let locs: Vec<(usize, &litmpi_spec::program::Loc)> = self.test.locs.iter().enumerate().collect();
        let what = match locs.iter().find(is) {
            Some((l, _)) => format!("location {l}"),
            None => {
                let of = |t: usize| self.test.threads[t].regs.iter().position(|r| r.name == plain).map(|r| (t, r));
                let (t, r) = (0..self.test.threads.len()).find_map(of).unwrap_or_else(|| panic!("{part}"));
                format!("register {t} {r}")
            }
        };
        format!(
            "{} = {}",
            self.names.of(what),
            if value == 1 && plain.starts_with(['f', 'g']) { "1".to_owned() } else { self.value(value) }
        )
    }
}

/// A form of a program that is the same for all that are alike but for the names of ranks, tags, values, variables and registers.
fn form(text: &str, decls: &Instructions, with_claims: bool) -> String {
    let test = read(text, decls);
    let ranks = test.threads.len();
    let mut orders: Vec<Vec<usize>> = vec![vec![]];
    for _ in 0..ranks {
        let longer = |o: Vec<usize>| {
            (0..ranks).filter(|r| !o.contains(r)).map(|r| [o.clone(), vec![r]].concat()).collect::<Vec<_>>()
        };
        orders = orders.into_iter().flat_map(longer).collect();
    }
    let mut tags = BTreeSet::new();
    for s in test.threads.iter().flat_map(|t| &t.body) {
        if let Stmt::Call { instr, args, .. } = s {
            let params = &decls.list[*instr].params;
            for (a, p) in args.iter().zip(params) {
                if let (Operand::Int(IntExpr::Const(n, _)), "tag") = (a, decls.kinds[p.kind].name.as_str()) {
                    tags.extend((*n >= 0).then_some(*n));
                }
            }
        }
    }
    let one = |order: Vec<usize>| {
        let mut f = Form {
            test: &test,
            decls,
            order: order.clone(),
            names: Names::default(),
            one_tag: tags.len() < 2,
            with_values: with_claims,
        };
        let mut out = String::new();
        // A rank that does nothing is there for others to be told from.
        for thread in order.into_iter().filter(|t| !test.threads[*t].body.is_empty()) {
            out.push_str("rank\n");
            f.body(thread, &test.threads[thread].body, &mut out);
        }
        if with_claims {
            out += &f.claims(text);
        }
        out
    };
    orders.into_iter().map(one).min().expect("an order")
}

#[test]
fn edges_have_names_of_their_own_and_a_cycle_has_one_wherever_it_begins() {
    let spec = spec("mpi");
    let vocabulary = Vocabulary::new(&spec.instructions);
    for usual in USUAL {
        let edges = Cycles::usual(usual, &vocabulary);
        let names: BTreeSet<String> = edges.iter().map(Edge::to_string).collect();
        assert!(edges.len() > 100 && names.len() == edges.iter().collect::<BTreeSet<_>>().len(), "{}", edges.len());
        for edge in edges {
            assert_eq!(vocabulary.named(&edge.to_string()).map(|e| e.what), Some(edge.what));
        }
    }
    let kinds: BTreeSet<String> = vocabulary.kinds().map(|k| k.to_string()).collect();
    for name in [
        "Rsend_init",
        "Improbe",
        "Mprobeany",
        "Ialltoallv",
        "Reduce_scatter_block_init",
        "Ialltoallw",
        "Win_test",
        "Rget_accumulateno",
        "Waitsome",
        "Request_get_status_any",
    ] {
        assert!(kinds.contains(name), "{name}: {kinds:?}");
    }
    let all = some(&vocabulary, 499);
    assert!(all.len() > 150, "{}", all.len());
    for c in all {
        let n = c.edges().len();
        for i in 0..if c.ranks() == 1 { 1 } else { n } {
            let turned = Cycle::new((0..n).map(|k| c.edges()[(i + k) % n].clone()).collect());
            assert_eq!(turned.expect("a cycle").name(), c.name());
        }
        assert_eq!(cycle(&c.name(), &vocabulary), c);
    }
}

#[test]
fn no_two_programs_of_cycles_are_alike_but_for_names() {
    let spec = spec("mpi");
    let vocabulary = Vocabulary::new(&spec.instructions);
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for c in some(&vocabulary, 97) {
        let old = seen.insert(form(&c.text(&vocabulary), &spec.instructions, true), c.name());
        assert!(old.as_ref().is_none_or(|o| *o == c.name()), "{old:?} and {} are\n{}", c.name(), c.text(&vocabulary));
    }
    assert!(seen.len() > 1000, "{}", seen.len());
}

#[test]
fn reduced_and_full_searches_and_what_is_printed_agree_on_programs_of_cycles() {
    let spec = spec("mpi");
    let vocabulary = Vocabulary::new(&spec.instructions);
    let mut tried = 0;
    for c in some(&vocabulary, 1999).into_iter().step_by(every(5)) {
        let text = c.text(&vocabulary);
        let test = read(&text, &spec.instructions);
        agree(&test, &spec, "default");
        let printed = print(&test, &spec.instructions);
        assert_eq!(form(&text, &spec.instructions, false), form(&printed, &spec.instructions, false), "{text}");
        tried += 1;
    }
    assert!(tried > 100, "{tried}");
}

/// Tests of the library that are cycles, with the cycle's name.
const KNOWN: [(&str, &str); 30] = [
    ("deadlock-ssend-ssend", "PodSsendRecv-Rve-PodSsendRecv-Rve"),
    ("eager-head-to-head", "PodSendRecv-Rve-PodSendRecv-Rve"),
    ("eager-head-to-head-one-ssend", "PodSendRecv-Rve-PodSsendRecv-Rve"),
    ("eager-head-to-head-one-bsend", "PodBsendRecv-Rve-PodSendRecv-Rve"),
    ("deadlock-recv-recv", "PodRecvSend-Rfe-PodRecvSend-Rfe"),
    ("deadlock-ssend-tags", "PotRecvRecv-Rve-PotSsendSsend-Rfe"),
    ("deadlock-ssend-self", "PosSsendRecv-Rvi"),
    ("eager-self-send", "PosSendRecv-Rvi"),
    ("sendrecv-exchange", "SendrecvdRecvSend-Rfe-SendrecvdRecvSend-Rfe"),
    ("sendrecv-replace-swap", "Sendrecv_replacedRecvSend-Rfe-Sendrecv_replacedRecvSend-Rfe"),
    ("sendrecv-with-recv-then-send", "PodRecvSsend-Rfe-SendrecvdRecvSend-Rfe"),
    ("sendrecv-with-send-then-recv", "PodSsendRecv-Rve-SendrecvdSendRecv-Rve"),
    ("order-same-tag", "PosSendSend-Coi"),
    ("order-isend-then-send", "PosIsendSsend-Coi"),
    ("order-wildcard-tag-takes-first", "PouSendSend-Coi"),
    ("order-causal", "PodRecvSend-Coe-PodSendSend-Rfe"),
    ("order-causal-ssend", "PodRecvSend-Coe-PodSsendSend-Rfe"),
    ("probe-iprobe-after-later-message", "PotBsendBsend-Rfe-PotRecvIprobe-Fre"),
    ("probe-iprobe-before-send", "PodIprobeSend-Rfe-PodRecvSend-Rfe"),
    ("probe-iprobe-stays-true", "PosIprobeIprobe-Fre-Send-Rfe"),
    ("probe-iprobe-after-probe", "PosProbeIprobe-Fre-Send-Rfe"),
    ("probe-then-receive-any", "PosProbeanyRecvany-Fre-Send-Rfe"),
    ("test-fails-before-send", "PodRecvSend-Rfe-PodTestSend-Rfe"),
    ("comm-dup-blocking-orders-deadlock", "PocBarrierBarrier-Sye-PocBarrierBarrier-Sye"),
    ("coll-barrier-needs-all", "PodBarrierSend-Rfe-PodRecvBarrier-Sye"),
    ("coll-send-before-barrier", "PodBarrierRecv-Rve-PodSendBarrier-Sye"),
    ("coll-ssend-before-bcast", "PodBcastRecv-Rve-PodSsendBcastroot-Sye"),
    ("coll-bcast-root-leaves-early", "PodBcastrootSend-Rfe-PodRecvBcast-Sye"),
    ("rma-puts-not-ordered", "PodLoadLoad-Fre-PodPutPut-Rfe"),
    ("rma-separate-put-load", "PodRecvLoad-Fre-Win_unlockdPutSend-Rfe"),
];

#[test]
fn tests_of_the_library_are_found_again_by_the_names_of_their_cycles() {
    let spec = spec("mpi");
    let vocabulary = Vocabulary::new(&spec.instructions);
    let mut wrong = vec![];
    for (test, name) in KNOWN {
        let text = std::fs::read_to_string(root().join(format!("litmus/mpi/{test}.litmus"))).expect("a test");
        let c = cycle(name, &vocabulary);
        assert_eq!(c.name(), name);
        let (theirs, ours) =
            (form(&text, &spec.instructions, false), form(&c.text(&vocabulary), &spec.instructions, false));
        if theirs != ours {
            wrong.push(format!("{test} is not {name}:\n{theirs}--\n{ours}{}", c.text(&vocabulary)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn generate(args: &[&str]) -> crate::support::Said {
    litmpi_in(&root(), ["generate", "mpi"].iter().chain(args).copied())
}

#[test]
fn a_cycle_of_mpi_is_made_with_the_verdicts_of_the_model_and_its_variants() {
    let one = |name: &str| generate(&["--cycle", name]).exits(0).stdout.clone();
    let said = one("PodSendRecv Rve PodSendRecv Rve");
    for line in [
        "exists deadlock\n  verdict mpi allowed  because \"mpi says so\"\n  verdict mpi (eager) forbidden",
        "exists v1 = 3 /\\ v3 = 1\n  verdict mpi allowed",
        "  verdict mpi (rendezvous) forbidden",
    ] {
        assert!(said.contains(line), "{line}\n{said}");
    }
    // A flush that waits is enough for who is told, a local one is not; progress needs no call of the target.
    let verdict = |name: &str| {
        let said = one(name);
        let lines: Vec<&str> = said.lines().filter(|l| l.starts_with("  verdict mpi ") && !l.contains('(')).collect();
        lines.join("\n")
    };
    for (name, verdicts) in [
        ("Win_flushdPutSend Rfe PodRecvLoad Fre", &["forbidden"][..]),
        ("Win_flush_localdPutSend Rfe PodRecvLoad Fre", &["allowed"]),
        ("Win_flushdPutSend Rfe PodRecvWin_sync Pge", &["forbidden", "allowed"]),
        ("PotSsendSend Rfe PotRecvWait Pge", &["forbidden", "allowed"]),
        ("PodSendIprobe Fre PodSendIprobe Fre", &["allowed"]),
        ("PodPutWin_fence Sye PodWin_fenceLoad Fre", &["forbidden"]),
        ("PodPutWin_complete Sye PodWin_waitLoad Fre", &["forbidden"]),
        ("PodWin_completeSend Rfe PodRecvWin_post Sye", &["allowed", "allowed"]),
        ("PodPutWin_complete Sye PodWin_testLoad Fre", &["forbidden"]),
        ("PodWin_completeSend Rfe PodRecvWin_test Fre", &["allowed"]),
        ("SendrecvdRecvSend Rfe SendrecvdRecvSend Rfe", &["forbidden", "allowed"]),
        ("Sendrecv_replacedRecvSend Rfe PodRecvSsend Rfe", &["forbidden", "allowed"]),
        ("SendrecvsSendRecv Rvi", &["forbidden", "allowed"]),
        ("PocIalltoallwIalltoallw Sye PocIalltoallwIalltoallw Sye", &["forbidden"]),
        ("PodBarrierSend Rfe PodRecvBarrier Sye", &["allowed", "forbidden"]),
        ("WaitdIbarrierSend Rfe PodRecvIbarrier Sye", &["allowed", "forbidden"]),
        ("PodIbarrierSend Rfe PodRecvIbarrier Sye", &["forbidden", "allowed"]),
        ("PosSendSend Coi", &["forbidden"]),
        ("PosSendSend Rfe Irecv Fre", &["forbidden"]),
        ("PosSend_initSend_init Rfe Recv_initany Fre", &["forbidden"]),
        ("Win_flushdAccumulateGet_accumulateno Fre Win_flushdAccumulateGet_accumulateno Fre", &["forbidden"]),
        ("PodAccumulateGet_accumulateno Fre PodAccumulateGet_accumulateno Fre", &["allowed"]),
    ] {
        let said = verdict(name);
        let wanted: Vec<String> =
            verdicts.iter().map(|v| format!("  verdict mpi {v}  because \"mpi says so\"")).collect();
        assert_eq!(said, wanted.join("\n"), "{name}");
    }
    generate(&["--cycle", "PosPutPut Coi"]).exits(0).says("exists erroneous");
}

#[test]
fn cycles_are_written_with_their_sets_held_and_emitted_as_c() {
    let dir = folder(&[("edges.txt", "PodSendRecv PodSsendRecv # two\nPosSendSend Rve\nCoi Rfe PodRecvSend\n")]);
    let (edges, out, c) = (at(&dir, "edges.txt"), at(&dir, "out"), at(&dir, "c"));
    let said = generate(&["--edges", &edges, "--size", "4", "-o", &out]);
    said.exits(0).says(" tests: ").says("litmpi check");
    let files = library::find(&[dir.path().join("out")]).expect("the tests");
    assert!(files.len() >= 5, "{files:?}");
    litmpi_in(dir.path(), ["check", "out"]).exits(0);
    let said = litmpi_in(&root(), ["emit", "-o", &c, &out]);
    said.exits(0);
    assert!(!said.stderr.contains("not emitted"), "{said}");
    let named = generate(&["--edges", &edges, "--size", "4"]).exits(0).stdout.clone();
    assert_eq!(named.lines().count(), files.len());
    assert_eq!(named, generate(&["--edges", &edges, "--size", "4", "--jobs", "1"]).exits(0).stdout);
    for option in [&["--collectives"][..], &["--windows"], &[]] {
        let out = at(&dir, &format!("usual{}", option.len() + option.first().map_or(0, |o| o.len())));
        generate(&[&["--cycles", "--size", "2", "-o", &out], option].concat()).exits(0);
        let said = litmpi_in(&root(), ["emit", "-o", &c, &out]);
        said.exits(0);
        assert!(!said.stderr.contains("not emitted"), "{said}");
    }
}

#[test]
fn edges_of_mpi_that_fit_nowhere_are_told_with_what_would_fit() {
    for (text, says) in [
        ("PodSendRecv Rfe", "after `PodSendRecv` may come: Rve"),
        ("PodSendRcev Rve", "`Rcev` is no event; near it is `Recv`"),
        ("PodsendRecv Rve", "program order: `PodSendRecv` is"),
        ("WatdIsendRecv Rve", "is `Po`, or a function that completes a request"),
        ("WaitdSendRecv Rve", "`Wait` does not stand between `Send` and `Recv`"),
        ("PouRecvRecv Rve", "may stand, in the place of `u`: s, t, c, d"),
        ("WaitdIrecvSend Rve", "the event of its completion: `PodWaitSend`"),
        ("Rf", "near it is: Rfe"),
        ("podSendRecv", "there is no edge `podSendRecv`"),
        ("PodSendRecv Rve PodSendRecv Rve PodSendRecv Rvi", "of messages that a rank of several sends to itself"),
        ("PodSendRecv Rve PosSendRecv Rve", "the only edge that ends at other messages"),
        ("PosSendRecv Rve", "the only edge to another rank"),
        ("SendrecvdSendRecv Rve SendrecvdSendRecv Rve", "is the same from receives to sends"),
        ("SendrecvcSendRecv Rve", "an exchange is of a `Send` and a `Recv`"),
        ("PodPutWin_test Sye PodWin_testPut Sye", "after `PodPutWin_test` may come: Fre"),
        ("PocRecvRecv Rve SendrecvdSendRecv Rve PodSendSend Rfe", "the parts of an exchange are on two communicators"),
        ("PotSendRecv Rve PodSendRecv Rve", "the messages are to two ranks"),
        ("PodSendSend Rfe PodRecvRecv Rve", "both messages are to one rank"),
        ("PocSendSend Rfe PotRecvRecv Rve", "no two communicators fit"),
        ("PodSendBarrier Sye PodBcastRecv Rve", "of which neither waits for the other"),
        ("PodSendLoad Fre PodSendLoad Fre", "which do not communicate"),
        ("PodLoadStore Rfe PodLoadStore Rfe PodLoadStore Rfe", "two ranks load or store one location"),
        ("PodPutWin_fence Sye PodWin_fencePut Coe PodPutPut Coe", "all ranks of a window call `MPI_Win_fence`"),
        ("PosRecvIprobe Fre Send Rfe", "is taken, so that who looks for it later cannot tell"),
        ("Bcast", "does not stand alone"),
        ("", "has no edges"),
    ] {
        generate(&["--cycle", text]).exits(2).says(says).says(if text.is_empty() {
            "has no edges"
        } else {
            "--cycle:1:"
        });
    }
    let dir = folder(&[("empty.txt", "# nothing\n")]);
    generate(&["--edges", &at(&dir, "empty.txt")]).exits(2).says("names no edges");
    generate(&["--cycles", "--size", "9"]).exits(2).says("rows of edges that come back").says("--most N");
    generate(&["--cycles", "--size", "9", "--most", "2"]).exits(0).says("2 tests: ");
    generate(&["--cycles", "--datatypes"]).exits(2).says("no usual edges");
    generate(&["--cycles", "--every"]).exits(2).says("ask for different programs");
    generate(&["--most", "3"]).exits(2).says("for cycles and every small program");
    litmpi_in(&root(), ["generate", "rdma", "--cycles"]).exits(2).says("is for programs of MPI");
}
