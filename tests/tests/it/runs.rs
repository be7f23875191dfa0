//! Runs on real libraries, from the command line: verdicts, deadlocks, what is left behind, what is written.

use crate::command::{binary, root};
use crate::support::{Said, at, folder, here, launched, litmpi_in, litmpi_with};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const TARGETS: [&str; 2] = ["openmpi", "mpich"];

/// Runs shipped MPI tests on one target; programs go to a folder of the call's own, and no process may be left.
fn run(tests: &[&str], target: &str, sizes: &str, more: &[&str]) -> Said {
    let dir = folder(&[]);
    let files: Vec<String> = tests.iter().map(|t| format!("litmus/mpi/{t}.litmus")).collect();
    let out = at(&dir, "out");
    let fixed = ["--target", target, "--sizes", sizes, "--time", "60", "--out", &out];
    let said = litmpi_in(
        &root(),
        ["run"].into_iter().chain(files.iter().map(String::as_str)).chain(fixed).chain(more.iter().copied()),
    );
    assert_eq!(said.orphans(), Vec::<i32>::new(), "processes are left\n{said}");
    said
}

fn results(said: &Said) -> Vec<Value> {
    said.json().as_array().unwrap_or_else(|| panic!("{said}")).clone()
}

fn outcomes(result: &Value) -> BTreeSet<String> {
    let all = result["observed"].as_array().expect("a list of outcomes");
    all.iter().map(|o| o["outcome"].as_str().expect("a text").to_owned()).collect()
}

#[test]
fn order_wildcards_probes_waits_and_collectives_conform_at_small_and_large_messages() {
    let tests = [
        "order-same-tag",
        "order-causal",
        "probe-then-receive-any",
        "wait-any-two-sources",
        "coll-allreduce-sum",
        "sendrecv-ring",
    ];
    for target in here(&TARGETS) {
        let said = run(&tests, target, "8,64K", &["--json"]);
        let all = results(said.exits(0));
        assert_eq!(all.len(), 2 * tests.len(), "{said}");
        for r in &all {
            assert_eq!(r["verdict"], "conforms", "{r:#}");
            assert!(r["iterations"].as_u64().is_some_and(|n| n > 0), "{r:#}");
            assert_eq!(r["complete"], true, "{r:#}");
        }
    }
}

#[test]
fn what_was_seen_is_what_enumerate_lists() {
    let listed = litmpi_in(&root(), ["enumerate", "litmus/mpi/order-causal.litmus"]);
    for target in here(&TARGETS) {
        let said = run(&["order-causal"], target, "8", &["--json"]);
        for r in results(said.exits(0)) {
            for o in outcomes(&r) {
                assert!(listed.exits(0).stdout.contains(&format!("\n{o}\n")), "{o} is not listed\n{listed}");
            }
        }
    }
}

#[test]
fn a_collective_that_a_deadlock_kept_some_ranks_from_does_not_meet_those_of_the_next_test() {
    for target in here(&TARGETS) {
        let said = run(&["paper-q5", "reduce-local-as-reduce"], target, "8", &["--json", "--progress", "relaxed"]);
        for r in results(said.exits(0)) {
            assert_eq!(r["verdict"], "conforms", "{r:#}");
        }
    }
}

#[test]
fn a_program_that_must_deadlock_is_seen_to_and_costs_the_others_nothing() {
    let tests = ["deadlock-ssend-ssend", "order-same-tag", "deadlock-barrier-missing", "coll-bcast-values"];
    for target in here(&TARGETS) {
        for style in ["relaxed", "blocking"] {
            let said = run(&tests, target, "8", &["--json", "--progress", style]);
            for r in results(said.exits(0)) {
                assert_eq!(r["verdict"], "conforms", "{r:#}");
                assert_eq!(r["style"], style);
                let must = r["test"].as_str().is_some_and(|t| t.starts_with("deadlock"));
                assert_eq!(outcomes(&r) == BTreeSet::from(["deadlock".to_owned()]), must, "{r:#}");
                assert!(must || r["iterations"].as_u64().is_some_and(|n| n > 0), "{r:#}");
            }
        }
    }
}

#[test]
fn standard_sends_complete_when_small_and_deadlock_when_large() {
    for target in here(&TARGETS) {
        let said = run(&["eager-head-to-head"], target, "8,4M", &["--json"]);
        let by_size: BTreeMap<u64, BTreeSet<String>> =
            results(said.exits(0)).iter().map(|r| (r["size"].as_u64().expect("a size"), outcomes(r))).collect();
        assert_eq!(by_size[&8], BTreeSet::from(["a=2; b=1;".to_owned()]), "{said}");
        assert_eq!(by_size[&(4 << 20)], BTreeSet::from(["deadlock".to_owned()]), "{said}");
    }
}

#[test]
fn an_erroneous_program_is_not_run_unless_asked_for() {
    for target in here(&TARGETS[..1]) {
        let said = run(&["erroneous-rsend-always"], target, "8", &["--json"]);
        assert!(results(said.exits(4)).iter().all(|r| r["iterations"] == 0 && r["verdict"] == "not-run"), "{said}");
    }
}

#[test]
fn a_result_says_all_that_is_needed_to_see_it_again() {
    for target in here(&TARGETS) {
        let said = run(&["order-causal"], target, "8", &["--json", "--seed", "7"]);
        let r = &results(said.exits(0))[0];
        for label in ["file", "model", "variant", "model-hash", "test-hash", "litmpi"] {
            assert!(r["labels"][label].as_str().is_some_and(|t| !t.is_empty()), "no {label} in {r:#}");
        }
        assert_eq!(r["labels"]["file"], "litmus/mpi/order-causal.litmus");
        assert_eq!(r["labels"]["model"], "mpi");
        assert_eq!(r["seed"], 7);
        assert!(r["command"].as_str().is_some_and(|c| c.contains("mpirun")), "{r:#}");
        let library = if target == "mpich" { "MPICH" } else { "Open MPI" };
        assert!(r["library"].as_str().is_some_and(|l| l.contains(library)), "{r:#}");
    }
}

#[test]
fn the_table_has_a_row_for_each_test_and_the_log_reads_as_litmus7_writes_it() {
    for target in here(&TARGETS[..1]) {
        run(&["order-same-tag", "coll-bcast-values"], target, "8", &["--log"])
            .exits(0)
            .says("Test order-same-tag Required")
            .says("Observation order-same-tag Always")
            .says(" order-same-tag ")
            .says(" coll-bcast-values ")
            .says("conforms");
    }
}

#[test]
fn every_target_is_here_or_says_what_is_missing_and_how_to_get_it() {
    let said = litmpi_in(&root(), ["targets", "--json"]);
    let json = said.exits(0).json();
    let rows = json.as_array().expect("a list");
    assert!(rows.len() >= 5, "{said}");
    for row in rows {
        let here = row["availability"]["here"]["version"].as_str();
        let missing = row["availability"]["missing"]["how"].as_str();
        assert!(here.or(missing).is_some_and(|t| !t.is_empty()), "{row:#}");
    }
}

#[test]
fn a_target_of_ones_own_that_is_absent_is_skipped_with_its_reason() {
    let text = "[[target]]\nname = \"cluster\"\nfamily = \"mpi\"\ndescription = \"a cluster\"\ncompiler = [\"mpicc.of-nobody\"]\n\
                launch = [\"srun\", \"-n\", \"{n}\", \"{program}\"]\nprobe = { command = [\"srun\", \"--version\"] }\n\
                missing = \"there is no cluster\"\nget = \"ask for one\"\n";
    let dir = folder(&[("targets.toml", text)]);
    run(&["order-causal"], "cluster", "8", &["--targets", &at(&dir, "targets.toml")])
        .exits(4)
        .says("skipped")
        .says("there is no cluster")
        .says("ask for one");
}

#[test]
fn what_an_earlier_run_has_found_is_not_run_again() {
    for target in here(&TARGETS[..1]) {
        let dir = folder(&[]);
        let (first, second, kept) = (at(&dir, "first"), at(&dir, "second"), at(&dir, "first/results.jsonl"));
        let (old, new) = ("litmus/mpi/order-same-tag.litmus", "litmus/mpi/coll-bcast-values.litmus");
        let run = |out: &str, size: &str, more: &[&str]| {
            let fixed = ["run", "--target", target, "--time", "60", "--json", "--out", out, "--sizes", size];
            litmpi_in(&root(), fixed.iter().chain(more))
        };
        run(&first, "8", &[old]).exits(0);
        let before = std::fs::read_to_string(&kept).expect("it is kept");
        // The last line of a run that was killed.
        std::fs::write(&kept, format!("{before}{{\"test\": \"coll-bc")).expect("it is our file");
        let said = run(&second, "8", &[new, old, "--with", &kept]);
        let all = results(said.exits(0));
        let names: Vec<_> = all.iter().map(|r| r["test"].as_str().expect("a name")).collect();
        assert_eq!(names, ["coll-bcast-values", "order-same-tag"], "{said}");
        let earlier: Value = serde_json::from_str(&before).expect("one line");
        assert_eq!(all[1], earlier, "{said}");
        let both = std::fs::read_to_string(at(&dir, "second/results.jsonl")).expect("results as they come");
        assert!(both.lines().count() == 2 && both.starts_with(&before), "all that is known is kept\n{both}");

        // Another size is another result.
        let said = run(&second, "64K", &[old, "--with", &kept]);
        assert!(results(said.exits(0)).iter().all(|r| r["size"] == 64 << 10), "{said}");
        std::fs::write(&kept, "{\"test\": 1}\n").expect("it is our file");
        run(&second, "8", &[old, "--with", &kept]).exits(2).says("this is no result").says("results.jsonl:1:1");
    }
}

#[test]
fn what_a_run_that_was_killed_has_left_is_cleared_away_by_the_next() {
    for target in here(&TARGETS) {
        let dir = folder(&[("tmp/keep-me", "")]);
        let tmp = at(&dir, "tmp");
        let args = ["run", "litmus/mpi/order-same-tag.litmus", "--target", target, "--out", &at(&dir, "out")];
        let mut killed = Command::new(binary())
            .args(args.iter().chain(&["--time", "60000"]))
            .env("TMPDIR", &tmp)
            .current_dir(root())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("litmpi starts");
        let (pid, since) = (killed.id(), Instant::now());
        // Its ranks run.
        while launched(pid).len() < 3 && since.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        killed.kill().and_then(|()| killed.wait()).expect("it was killed");
        let left = |folder: &str| {
            let all = std::fs::read_dir(folder).expect("a folder").flatten();
            let names = all.map(|e| e.file_name().to_string_lossy().into_owned());
            names.filter(|n| n.starts_with(&format!("litmpi-{pid}-"))).collect::<Vec<_>>()
        };
        assert!(!left(&tmp).is_empty(), "it had a folder, or there is nothing to clear away");
        litmpi_with(&[("TMPDIR", &tmp)], &root(), [&args[..], &["--time", "50"]].concat())
            .exits(0)
            .says("cleared away what a litmpi that was killed has left");
        assert_eq!((left(&tmp), left("/dev/shm"), launched(pid)), (vec![], vec![], vec![]));
        assert!(dir.path().join("tmp/keep-me").exists());
    }
}

/// Programs that leave something behind, or let go of a receive: what a library did is then read too early, or meets the next
/// iteration, unless the harness settles it.
const LEAVING: [(&str, &str); 8] = [
    (
        "freed-receive",
        "rank 0 { MPI_Irecv(x, source: any, request: r) MPI_Request_free(r) }\nrank 1 { MPI_Send(1, dest: 0) }",
    ),
    (
        "tested-receive",
        "rank 0 { MPI_Irecv(x, source: any, request: r) MPI_Testall([r], flag: f) }\nrank 1 { MPI_Send(1, dest: 0) }",
    ),
    (
        "cancelled-and-left",
        "rank 0 { MPI_Irecv(x, source: 1, tag: 3, request: r) MPI_Cancel(r) }\nrank 1 { MPI_Bsend(1, dest: 0) }",
    ),
    (
        "reserved-and-left",
        "rank 0 { MPI_Mprobe(source: 1, message: m) x := 1 }\nrank 1 { MPI_Issend(1, dest: 0, request: q) }",
    ),
    (
        "barrier-and-left",
        "rank 0 { MPI_Ibarrier(request: q) MPI_Irecv(x, source: 1, tag: 3, request: r) }\nrank 1 { MPI_Bsend(1, dest: 0) }",
    ),
    ("broadcast-alone", "rank 0 { MPI_Bcast(x, root: 0) }\nrank 1 { }"),
    // Whoever waits for a large message waits for ever where nobody can receive it any more.
    (
        "send-on-a-freed-communicator",
        "rank 0 { MPI_Comm_dup(newcomm: _c) MPI_Isend(1, dest: 1, comm: _c, request: _q) MPI_Comm_free(_c) MPI_Recv(x, source: 1) }\n\
         rank 1 { MPI_Comm_dup(newcomm: _c) MPI_Comm_free(_c) MPI_Send(5, dest: 0) }",
    ),
    (
        "persistent-on-a-freed-communicator",
        "rank 0 { MPI_Comm_dup(newcomm: _c) MPI_Send_init(1, dest: 1, comm: _c, request: _q) MPI_Start(_q) MPI_Comm_free(_c) MPI_Recv(x, source: 1) }\n\
         rank 1 { MPI_Comm_dup(newcomm: _c) MPI_Comm_free(_c) MPI_Send(5, dest: 0) }",
    ),
];

#[test]
fn what_an_iteration_leaves_behind_reaches_neither_final_values_nor_other_iterations() {
    let dir = folder(&[]);
    let mut files = vec![];
    for (name, body) in LEAVING {
        let file = at(&dir, &format!("{name}.litmus"));
        let text = format!("litmus mpi {name} \"what is left behind\"\n{body}\nlocations 0:x\nexists true\n");
        std::fs::write(&file, text).expect("it is written");
        files.push(file);
    }
    let all = ["--sizes", "8,65536", "--time", "300", "--json", "--no-retry", "--out"];
    let out = at(&dir, "out");
    for target in here(&TARGETS) {
        let said = litmpi_in(
            &root(),
            ["run"]
                .into_iter()
                .chain(files.iter().map(String::as_str))
                .chain(["--target", target])
                .chain(all)
                .chain([out.as_str()]),
        );
        for r in results(said.exits(0)) {
            assert_eq!(r["verdict"], "conforms", "{r:#}");
            let often = r["iterations"].as_u64().expect("a number");
            // What nothing can take away is not piled up.
            let stays = r["test"] == "barrier-and-left"
                || r["test"] == "broadcast-alone"
                || r["size"] == 65536 && r["test"].as_str().is_some_and(|t| t.ends_with("freed-communicator"));
            assert!(often > 0 && (!stays || often <= 16), "{r:#}");
        }
    }
}

#[test]
fn a_process_ends_before_windows_that_tests_have_left_use_the_library_up() {
    for target in here(&["mpich"]) {
        // 14 entries of 16 windows each: more than a process is to have.
        let sizes = "8,16,24,32,40,48,56";
        let said =
            run(&["rma-get-meets-no-op", "rma-no-op-ignores-origin", "rma-fence-put"], target, sizes, &["--json"]);
        let all = results(said.exits(0));
        assert_eq!(all.len(), 21, "{said}");
        for r in all {
            assert_eq!(r["verdict"], "conforms", "{r:#}");
            assert!(r["test"] == "rma-fence-put" || r["iterations"].as_u64().is_some_and(|n| n <= 16), "{r:#}");
        }
    }
}

/// MPICH 4.0.2 returns an error from `MPI_Testall` of a persistent collective, and none from `MPI_Waitall`.
#[test]
fn an_error_of_a_call_that_polls_in_place_of_one_that_waits_is_told_of_it() {
    let text = "litmus mpi waited \"a persistent collective\"\n\
                rank 0 { int a  MPI_Allreduce_init(1, a, request: r)  MPI_Start(r)  MPI_Waitall([r]) }\n\
                rank 1 { int b  MPI_Allreduce_init(2, b, request: r)  MPI_Start(r)  MPI_Waitall([r]) }\n\
                rank 2 { int c  MPI_Allreduce_init(4, c, request: r)  MPI_Start(r)  MPI_Waitall([r]) }\n\
                forall a = 7 and b = 7 and c = 7\n";
    let dir = folder(&[("waited.litmus", text)]);
    for target in here(&["mpich"]) {
        let said = litmpi_in(dir.path(), ["run", "waited.litmus", "--target", target, "--sizes", "8", "--time", "20"]);
        // Later versions may conform, and on more than two cores the calls that wait are made.
        let is_told = said.stdout.contains("MPI_ERR_IN_STATUS from MPI_Testall: ");
        assert!(is_told || said.code == Some(0), "{said}");
    }
}

#[test]
fn random_programs_make_no_false_violation() {
    let dir = folder(&[]);
    let (tests, out) = (at(&dir, "random"), at(&dir, "out"));
    let generate = |to: &str| litmpi_in(&root(), ["generate", "mpi", "--seed", "1", "--count", "60", "-o", to]);
    generate(&tests).exits(0).says("60 programs").says("that are erroneous");
    // The same seed gives the same programs.
    let again = at(&dir, "again");
    generate(&again).exits(0);
    let text = |folder: &str| std::fs::read_to_string(format!("{folder}/random-1.litmus")).expect("a program");
    assert_eq!(text(&tests), text(&again));
    for target in here(&TARGETS) {
        let said = litmpi_in(
            &root(),
            ["run", &tests, "--target", target, "--sizes", "8", "--time", "20", "--json", "--out", &out],
        );
        let all = results(said.exits(0));
        assert_eq!(all.len(), 60);
        let wrong: Vec<&Value> = all.iter().filter(|r| r["verdict"] != "conforms").collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

const SPINS: [(&str, &str); 2] = [
    (
        "always.litmus",
        "litmus mpi always \"a thread spins for ever, beside a receive of what it has sent\"
rank 0 { MPI_Isend(1, dest: 1, request: r)  while 1 = 1 { } }
rank 1 { MPI_Recv(a, source: 0) }
forall deadlock
  verdict mpi allowed because \"rank 0 never ends\"
",
    ),
    (
        "sometimes.litmus",
        "litmus mpi sometimes \"a thread spins for ever if it gets one of two messages first\"
rank 0 { MPI_Recv(a, source: any)  if a = 1 { while 1 = 1 { } }  MPI_Recv(b, source: any) }
rank 1 { MPI_Send(1, dest: 0) }
rank 2 { MPI_Send(2, dest: 0) }
exists deadlock
  verdict mpi allowed because \"rank 0 never ends if 1 comes first\"
exists a = 2 /\\ b = 1
  verdict mpi allowed because \"it ends if 2 comes first\"
",
    ),
];

#[test]
fn a_program_that_spins_for_ever_is_ended_and_told_and_nothing_is_said_against_the_library() {
    for target in here(&TARGETS) {
        let dir = folder(&SPINS);
        let out = at(&dir, "out");
        let fixed = ["--target", target, "--sizes", "8", "--time", "200", "--patience", "1", "--out", &out, "--json"];
        let said = litmpi_in(dir.path(), ["run", "always.litmus", "sometimes.litmus"].into_iter().chain(fixed));
        assert_eq!(said.orphans(), Vec::<i32>::new(), "processes are left\n{said}");
        let all = results(&said);
        // The message that makes the other thread spin may always come first: then nothing ran to its end.
        let ran = all.iter().any(|r| r["verdict"] == "conforms");
        said.exits(if ran { 0 } else { 4 });
        for r in all {
            let seen = outcomes(&r);
            match r["test"].as_str() {
                // The model has deadlock alone; what was cut is not said to be one.
                Some("always") => {
                    assert_eq!(seen, BTreeSet::from(["cut".to_owned()]), "{r:#}");
                    assert_eq!(r["verdict"], "not-run", "{r:#}");
                }
                _ => {
                    let may = BTreeSet::from(["cut".to_owned(), "a=2; b=1;".to_owned()]);
                    assert!(!seen.is_empty() && seen.is_subset(&may), "{r:#}");
                    assert!(r["verdict"] == "conforms" || r["verdict"] == "not-run", "{r:#}");
                }
            }
        }
    }
}

/// Ranks that wait for a persistent collective which another rank has not started.
const GIVEN_UP: [(&str, &str); 2] = [
    (
        "alone.litmus",
        "litmus mpi alone \"one\"
rank 0 {
  MPI_Barrier_init(request: q)
  MPI_Start(q)
  MPI_Wait(q)
}
rank 1 { MPI_Barrier_init(request: q) }
exists true
",
    ),
    (
        "together.litmus",
        "litmus mpi together \"all of one\"
rank 0 {
  MPI_Allreduce_init(1, a, op: MPI_SUM, request: q)
  MPI_Start(q)
  MPI_Waitall([q])
}
rank 1 { MPI_Allreduce_init(2, b, op: MPI_SUM, request: q) }
exists true
",
    ),
];

/// It is active still: a library to which such a request is given back before it is complete may die later on.
#[test]
fn a_persistent_collective_whose_wait_is_given_up_is_not_freed() {
    for target in here(&TARGETS) {
        let dir = folder(&GIVEN_UP);
        let out = at(&dir, "out");
        let fixed = ["--target", target, "--sizes", "8", "--time", "100", "--progress", "relaxed", "--out", &out];
        let more = ["--json", "--no-tests", "pass"];
        let said =
            litmpi_in(dir.path(), ["run", "alone.litmus", "together.litmus"].into_iter().chain(fixed).chain(more));
        for r in results(&said) {
            assert!(r["verdict"] == "conforms" || r["verdict"] == "skipped", "{r:#}");
            let seen = outcomes(&r);
            assert!(r["verdict"] == "skipped" || seen == BTreeSet::from(["deadlock".to_owned()]), "{r:#}");
        }
    }
}
