//! The emulated NIC as a device: what is told when something goes wrong, and rdma-core's own tests. What came of both stands in
//! `nic/suite/results`, and from there in `docs/nic-suites.md`.

use crate::command::root;
use crate::nic::{nic_is_here, served};
use crate::support::{at, folder, litmpi_in};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use tempfile::TempDir;

/// A file of `nic/suite`.
fn of_suite(name: &str) -> String {
    let path = root().join("nic/suite").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// What an adversary does is drawn by lot, and how long it takes rests on the machine: how often a program may run until it shows what it is
/// to show.
const TRIES: usize = 3;

/// A program of `nic/suite`, compiled.
pub(crate) fn built(dir: &TempDir, name: &str) -> String {
    let program = at(dir, name);
    let done = Command::new("cc")
        .args(["-O1", "-Wall", "-Wextra", "-Werror", "-o", &program, &format!("nic/suite/{name}.c")])
        .args(if name == "meet" { &["-lrdmacm", "-libverbs"][..] } else { &["-libverbs"] })
        .current_dir(root())
        .output()
        .expect("cc starts");
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    program
}

#[test]
fn what_goes_wrong_between_queue_pairs_is_told_at_both_ends() {
    if !nic_is_here() {
        return;
    }
    let dir = folder(&[]);
    let probes = built(&dir, "probes");
    let said = served(&probes);
    said.exits(0);
    let (wanted, found) = (of_suite("results/probes.nic"), said.stdout.clone());
    let differ: Vec<String> = wanted
        .lines()
        .zip(found.lines())
        .filter(|(wanted, found)| wanted != found)
        .map(|(wanted, found)| format!("should be {wanted}\nand is    {found}"))
        .collect();
    assert_eq!(differ, Vec::<String>::new(), "{said}");
    assert_eq!(wanted.lines().count(), found.lines().count(), "{said}");
}

/// How often the programs of `nic/suite/careless.c` were wrong under an adversary, by name.
fn wrong(careless: &str, name: &str, adversary: &str) -> usize {
    let said = litmpi_in(&root(), ["nic", "--scheduler", "prompt", "--adversary", adversary, "--", careless, name]);
    let times = said.exits(0).stdout.split_once("wrong ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
    times.unwrap_or_else(|| panic!("{said}"))
}

#[test]
fn each_adversary_shows_a_program_that_takes_more_for_granted_than_a_fabric_promises() {
    if !nic_is_here() {
        return;
    }
    let dir = folder(&[]);
    let careless = built(&dir, "careless");
    // Where a busy machine is late, too, a calm device says nothing.
    for (name, adversary, least, is_calm_right) in [
        ("last-byte", "torn", 40, true),
        ("within", "slow", 40, false),
        ("any-status", "break", 1, true),
        ("undone", "unheard", 1, true),
        ("by-itself", "fatal", 1, true),
        ("at-last", "outage", 1, true),
        ("link-stays", "flap", 5, true),
        ("together", "atomics", 40, false),
        ("never-again", "loss", 1, true),
        ("never-again", "storm", 1, true),
        ("early", "bursts", 100, false),
        ("soon", "loss", 15, false),
        ("soon", "storm", 100, false),
    ] {
        let shows = || wrong(&careless, name, adversary) >= least;
        assert!((0..TRIES).any(|_| shows()), "{name} under {adversary} is seldom wrong");
        // The processor may be taken away from the device in the middle of a copy, which is rare.
        let is_right = || (0..TRIES).any(|_| wrong(&careless, name, "") == 0);
        assert!(!is_calm_right || is_right(), "{name} is wrong on a calm device");
    }
    litmpi_in(&root(), ["nic", "--adversary", "tron", "--", "true"]).exits(2).says("`tron`").says("torn, slow");
}

/// A request of an unreliable connection that cannot be sent fails at this end, whatever the network does with others: a device that asked
/// the network first said of one in ten that it had been sent.
#[test]
fn what_cannot_be_sent_fails_though_the_link_is_down_or_loses_packets() {
    if !nic_is_here() {
        return;
    }
    let out = folder(&[]);
    let test = "litmus/verbs/unreliable-from-astray.litmus";
    let words =
        ["run", test, "--target", "nic:flap,nic:loss", "--time", "2000", "--no-retry", "--out", &at(&out, "out")];
    litmpi_in(&root(), words).exits(0).says("2 conform");
}

/// What `nic/suite/library.c`, with or without a mistake, says of itself under an adversary, and how long a step is held back then, in
/// microseconds.
fn library(program: &str, fault: &str, (adversary, hold): (&str, &str)) -> String {
    let nic = ["nic", "--scheduler", "prompt", "--hold", hold, "--adversary", adversary, "--", program, fault];
    litmpi_in(&root(), nic).exits(0).stdout.clone()
}

#[test]
fn a_library_that_is_right_is_right_under_every_adversary_and_each_mistake_shows_under_one_and_not_without() {
    if !nic_is_here() {
        return;
    }
    let dir = folder(&[]);
    let program = built(&dir, "library");
    let listed = litmpi_in(&root(), ["nic", "--adversaries"]);
    let names: Vec<&str> = listed.exits(0).stdout.lines().filter_map(|line| line.split(' ').next()).collect();
    assert!(names.len() > 10, "{listed}");
    for adversary in names.iter().chain(&["", "torn+slow+bursts+loss+storm+outage+unheard+fatal"]) {
        let said = library(&program, "right", (adversary, "150"));
        assert!(said.starts_with("right: 1000"), "{adversary}: {said}");
    }
    // Those that rest on time are wrong on a busy machine, too.
    for (fault, adversaries, rests_on_time) in [
        ("flag-with-data", &["torn", "slow"][..], false),
        ("other-queue-pair", &["slow"], true),
        ("early-reuse", &["slow"], true),
        ("no-retry", &["loss", "storm", "break", "unheard", "fatal"], false),
        ("any-status", &["break", "unheard", "fatal"], false),
        ("resends", &["unheard"], false),
        ("processor-atomics", &["atomics"], true),
        ("takes-one", &["bursts"], true),
    ] {
        for adversary in adversaries {
            // These programs wait for 8 ms: slow memory takes longer, up to ten times as long as a step is held back.
            let hold = if *adversary == "slow" { "5000" } else { "150" };
            let shows = || library(&program, fault, (adversary, hold)).starts_with("wrong: ");
            assert!((0..TRIES).any(|_| shows()), "{fault} is right under {adversary}");
        }
        let is_right = || (0..TRIES).any(|_| library(&program, fault, ("", "150")).starts_with("right: "));
        assert!(rests_on_time || is_right(), "{fault} is wrong on a calm device");
    }
}

/// Who has librdmacm's header, and its programs, finds the stand-in beside the NIC's libibverbs.
#[test]
fn processes_find_each_other_by_addresses_and_hear_what_the_other_end_does() {
    if !nic_is_here() || !std::path::Path::new("/usr/include/rdma/rdma_cma.h").exists() {
        return;
    }
    let dir = folder(&[]);
    let said = served(&built(&dir, "meet"));
    let of = |who: &str| -> Vec<String> {
        let line = |line: &str| line.strip_prefix(&format!("{who}: ")).map(|l| l.replace("RDMA_CM_EVENT_", ""));
        said.exits(0).stdout.lines().filter_map(line).collect()
    };
    let found = ["ADDR_RESOLVED 0", "ROUTE_RESOLVED 0"];
    let let_in = [&found[..], &["ESTABLISHED 0 \"come in\"", "answers 1 reads, asks 2"]].concat();
    let leaves = ["sent, success", "DISCONNECTED 0"];
    let clients = [
        &let_in[..],
        &leaves,
        // This one is killed.
        &let_in,
        &found,
        &["REJECTED 28 \"stay out\""],
        // By then nobody listens.
        &found,
        &["REJECTED 8"],
    ];
    assert_eq!(of("client"), clients.concat(), "{said}");
    let lets_in = |words| [words, "ESTABLISHED 0", "received \"letter\", success", "DISCONNECTED 0"];
    let server = [
        &lets_in("CONNECT_REQUEST 0 \"knock\"")[..],
        &lets_in("CONNECT_REQUEST 0 \"knock again\""),
        &["CONNECT_REQUEST 0 \"stranger\""],
    ];
    assert_eq!(of("server"), server.concat(), "{said}");
    said.says("the same port again: Address already in use").says("no event: Resource temporarily unavailable");
}

#[test]
fn the_programs_of_librdmacm_run_between_two_processes() {
    if !nic_is_here() || !is_done("command -v rping && command -v ucmatose && command -v mckey") {
        return;
    }
    // More messages than the rules see receives at a time: nothing is sent again there.
    let many = "ucmatose -c 3 -C 20 -S 1000";
    for (server, client) in [
        ("rping -s -C 5 -a 127.0.0.1".to_owned(), "rping -c -C 5 -a 127.0.0.1".to_owned()),
        ("rping -s -q -C 5 -a 127.0.0.1".to_owned(), "rping -c -q -C 5 -a 127.0.0.1".to_owned()),
        (many.to_owned(), format!("{many} -s 127.0.0.1")),
        ("udaddy".to_owned(), "udaddy -s 127.0.0.1".to_owned()),
    ] {
        let both = format!("{server} & sleep 2; {client} && wait $!");
        litmpi_in(&root(), ["nic", "--", "timeout", "60", "sh", "-c", &both]).exits(0);
    }
    // What is sent to a group that nobody has joined yet is lost.
    let group = "mckey -m 224.1.1.7 -C 5 & who=$!; while kill -0 $who; do mckey -m 224.1.1.7 -s -C 5; done; wait $who";
    litmpi_in(&root(), ["nic", "--", "timeout", "60", "sh", "-c", group]).exits(0);
    let nobody = "rping -c -C 1 -a 127.0.0.1; rping -c -C 1 -a 192.0.2.1";
    let said = litmpi_in(&root(), ["nic", "--", "sh", "-c", nobody]);
    said.says("RDMA_CM_EVENT_REJECTED, error 8").says("RDMA_CM_EVENT_ADDR_ERROR, error -101");
}

#[test]
fn where_the_nic_and_soft_roce_tell_other_things_the_document_has_the_reason() {
    let of = |name: &str| -> BTreeMap<String, String> {
        let line = |line: &str| line.split_once(':').map(|(probe, said)| (probe.to_owned(), said.to_owned()));
        of_suite(name).lines().filter_map(line).collect()
    };
    let (nic, rxe, reasons) = (of("results/probes.nic"), of("results/probes.rxe"), of("probes.reasons"));
    assert_eq!(nic.keys().collect::<Vec<_>>(), rxe.keys().collect::<Vec<_>>());
    let differ: BTreeSet<String> =
        nic.iter().filter(|(probe, said)| rxe[*probe] != **said).map(|(p, _)| format!("`{p}`")).collect();
    assert_eq!(differ, reasons.keys().cloned().collect());
}

/// Exit codes of programs, by their names.
fn codes(text: &str) -> BTreeMap<String, String> {
    let line = |line: &str| {
        let (name, rest) = line.split_once(": ")?;
        Some((name.to_owned(), rest.split(' ').next()?.to_owned()))
    };
    text.lines().filter_map(line).collect()
}

#[test]
fn programs_of_others_end_as_the_document_says() {
    if !is_done(
        "for p in ib_write_bw ibv_rc_pingpong ucx_perftest rping fi_pingpong qperf rstream; do command -v $p || exit 1; done",
    ) {
        return;
    }
    let run = |only: &str| {
        let nic = ["nic", "--scheduler", "prompt", "--pause", "20", "--", "sh", "nic/suite/programs.sh", only];
        codes(&litmpi_in(&root(), nic).exits(0).stdout)
    };
    let (wanted, mut found) = (codes(&of_suite("results/programs.nic")), run(""));
    // A machine that is busy makes some wait for longer than they would; alone, they do not.
    for name in wanted.keys() {
        if found.get(name) != wanted.get(name) {
            found.extend(run(name));
        }
    }
    assert_eq!(found, wanted);
}

/// What came of each test, by name.
fn results(text: &str) -> BTreeMap<String, (String, String)> {
    let line = |line: &str| {
        let mut parts = line.splitn(3, '\t').map(str::to_owned);
        Some((parts.next()?, (parts.next()?, parts.next().unwrap_or_default())))
    };
    text.lines().filter(|l| !l.starts_with('#')).filter_map(line).collect()
}

/// A shell command; whether it succeeded, else what it said.
pub(crate) fn is_done(command: &str) -> bool {
    let said = Command::new("sh").args(["-c", command]).current_dir(root()).output().expect("sh starts");
    if !said.status.success() {
        println!("skipped: {command}: {}", String::from_utf8_lossy(&said.stderr));
    }
    said.status.success()
}

/// What runs rdma-core's own tests, if they can be run here: they are fetched to the folder.
fn rdma_cores_tests(dir: &TempDir) -> Option<String> {
    let suite = at(dir, "suite");
    let loads = format!("PYTHONPATH={suite}/usr/lib/python3/dist-packages /usr/bin/python3 -c 'import pyverbs.device'");
    let are_here = nic_is_here() && is_done(&format!("nic/suite/fetch.sh {suite}")) && is_done(&loads);
    are_here.then(|| format!("/usr/bin/python3 nic/suite/rdma_core.py {suite}"))
}

#[test]
fn rdma_cores_own_tests_pass_on_the_nic_but_for_those_that_the_document_names() {
    let dir = folder(&[]);
    let Some(run) = rdma_cores_tests(&dir) else { return };
    let said = served(&run);
    said.exits(0);
    let wanted = results(&of_suite("results/rdma-core.nic.tsv"));
    let found = results(&said.stdout);
    assert_eq!(wanted.keys().collect::<Vec<_>>(), found.keys().collect::<Vec<_>>(), "{said}");
    let passes =
        |of: &BTreeMap<String, (String, String)>, test: &str| of.get(test).is_some_and(|(what, _)| what == "pass");
    for (test, (what, why)) in &found {
        assert!(what != "crash", "{test} crashes: {why}");
        // A machine that is busy makes some wait for longer than they would; alone, they do not.
        let again = || results(&served(&format!("{run} --only {test}")).stdout);
        let is_good = what == "pass" || !passes(&wanted, test) || passes(&again(), test);
        assert!(is_good, "{test}: {what}, {why}");
    }
}

/// Both ends of a queue pair have one completion queue there. A device that flushes the receives of an end as soon as a request of it has
/// failed shows a flushed receive first in about one run of five.
#[test]
fn no_receive_of_an_end_is_flushed_before_the_request_that_failed_there_is_completed() {
    let dir = folder(&[]);
    let Some(run) = rdma_cores_tests(&dir) else { return };
    let test = "test_mr.MRTest.test_mr_rereg_pd";
    let once = format!("{run} --only {test}");
    for seed in 1..=20 {
        let seed = seed.to_string();
        let said = litmpi_in(&root(), ["nic", "--scheduler", "adversarial", "--seed", &seed, "--", "sh", "-c", &once]);
        let (what, why) = results(&said.stdout).remove(test).unwrap_or_default();
        assert_eq!(what, "pass", "seed {seed}: {why}\n{said}");
    }
}
