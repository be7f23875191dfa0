//! Verbs on the emulated NIC: the RDMA library, NICs that are wrong, and programs that know nothing of litmpi.

use crate::command::{binary, root};
use crate::support::{Said, at, ended, folder, litmpi_in};
use litmpi_litmus::library;
use litmpi_nic::mutants;
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

/// Whether the NIC can be used here; if not, why not.
pub(crate) fn nic_is_here() -> bool {
    let said = litmpi_in(&root(), ["nic", "--probe"]);
    if said.code != Some(0) {
        println!("skipped: {}", said.stderr);
    }
    said.code == Some(0)
}

/// Runs RDMA tests on a NIC for so many milliseconds each.
fn run(tests: &[&str], millis: &str, more: &[&str]) -> Said {
    let dir = folder(&[]);
    let folder_of = |t: &str| if root().join(format!("litmus/verbs/{t}.litmus")).exists() { "verbs" } else { "rdma" };
    let files = tests.iter().map(|t| format!("litmus/{}/{t}.litmus", folder_of(t)));
    let out = at(&dir, "out");
    let args: Vec<String> = ["run".to_owned()]
        .into_iter()
        .chain(files)
        .chain(["--time", millis, "--json", "--out", &out].map(str::to_owned))
        .chain(["--target", "nic"].into_iter().filter(|_| !more.contains(&"--target")).map(str::to_owned))
        .chain(more.iter().map(|s| (*s).to_owned()))
        .collect();
    let said = litmpi_in(&root(), args);
    assert_eq!(said.orphans(), Vec::<i32>::new(), "processes are left\n{said}");
    said
}

fn results(said: &Said) -> Vec<Value> {
    said.json().as_array().unwrap_or_else(|| panic!("{said}")).clone()
}

/// Whether a test's result shows every allowed outcome, or those of a few more seeds do: a busy machine leaves few iterations.
fn all_seen(first: Value, test: &str) -> bool {
    let mut result = first;
    for seed in ["2", "3", "4", "5"] {
        assert_eq!(result["verdict"], Value::from("conforms"), "{result:#}");
        if result["unseen"] == Value::Array(vec![]) {
            return true;
        }
        println!("{test}: unseen {} in {} iterations", result["unseen"], result["iterations"]);
        result = results(run(&[test], "3000", &["--seed", seed]).exits(0)).remove(0);
    }
    result["unseen"] == Value::Array(vec![])
}

/// Tests of every kind of outcome: puts, gets, atomic operations, several queue pairs, and a processor's store buffer.
const SAMPLE: [&str; 15] = [
    "2+2W3",
    "CRMA2",
    "Fig3e",
    "GFG",
    "IRIW2",
    "LB3bis",
    "MP3",
    "RMW-lock",
    "RMW-lost-put",
    "RRPR3",
    "SB2-no-mfence",
    "SB3bis",
    "ST2",
    "ST8",
    "TSO-SB",
];

#[test]
fn of_a_sample_of_the_library_the_nic_shows_every_outcome_that_is_allowed_and_no_other() {
    if !nic_is_here() {
        return;
    }
    let said = run(&SAMPLE, "100", &["--seed", "1"]);
    let all = results(said.exits(0));
    assert_eq!(all.len(), SAMPLE.len(), "{said}");
    for r in all {
        assert_eq!((&r["verdict"], &r["complete"]), (&Value::from("conforms"), &Value::from(true)), "{r:#}");
        let test = r["test"].as_str().expect("a name").to_owned();
        assert!(all_seen(r, &test), "{test}");
    }
}

/// The tests of messages, errors and datagrams; programs that are erroneous are not run.
fn of_verbs() -> Vec<String> {
    let mut files = litmpi_litmus::library::find(&[root().join("litmus/verbs")]).expect("the library");
    files.retain(|f| !std::fs::read_to_string(f).expect("a test").contains("exists erroneous"));
    files.iter().filter_map(|f| f.file_stem()?.to_str().map(str::to_owned)).collect()
}

#[test]
fn messages_receives_errors_and_datagrams_show_every_outcome_that_is_allowed_and_no_other() {
    if !nic_is_here() {
        return;
    }
    let names = of_verbs();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let said = run(&names, "60", &["--seed", "1", "--model", "verbs"]);
    let all = results(said.exits(0));
    assert_eq!(all.len(), names.len(), "{said}");
    let mut unseen = vec![];
    for r in all {
        assert_eq!(r["verdict"], Value::from("conforms"), "{r:#}");
        let test = r["test"].as_str().expect("a name").to_owned();
        if r["unseen"] != Value::Array(vec![]) && !all_seen(r.clone(), &test) {
            unseen.push(format!("{test}: {}", r["unseen"]));
        }
    }
    assert!(unseen.is_empty(), "{unseen:#?}");
    let said = run(&["rnr", "rnr-posted-before", "rnr-ready"], "60", &["--seed", "1", "--variant", "no-rnr-retry"]);
    for r in results(said.exits(0)) {
        assert_eq!((&r["verdict"], &r["unseen"]), (&Value::from("conforms"), &Value::Array(vec![])), "{r:#}");
    }
}

#[test]
fn nodes_that_are_threads_of_one_process_show_what_processes_do() {
    if !nic_is_here() {
        return;
    }
    let tests = ["CRMA2", "IRIW2", "RMW-lock", "POLL2", "TSO-SB"];
    let said = run(&tests, "100", &["--target", "nic:threads", "--stress", "random,traffic:1"]);
    for r in results(said.exits(0)) {
        assert_eq!((&r["verdict"], &r["target"]), (&"conforms".into(), &"nic:threads".into()), "{r:#}");
        assert_eq!(r["unseen"], Value::Array(vec![]), "{r:#}");
        assert!(r["command"].as_str().is_some_and(|c| c.contains("as=threads")), "{r:#}");
    }
}

#[test]
fn outcomes_that_do_not_come_by_themselves_are_directed_to_come() {
    if !nic_is_here() {
        return;
    }
    // One iteration shows one outcome: all others are directed.
    let tests = ["GFG", "RFF1", "QP1"];
    let all = results(run(&tests, "1000", &["--iterations", "1"]).exits(0));
    for r in &all {
        assert_eq!(r["verdict"], "conforms", "{r:#}");
        assert_eq!(r["unseen"], Value::Array(vec![]), "{r:#}");
        assert!(r["directed"].as_u64().is_some_and(|n| n > 0), "{r:#}");
    }
    let free = results(run(&tests[..1], "1000", &["--iterations", "1", "--undirected"]).exits(0)).remove(0);
    assert_eq!((&free["directed"], &free["iterations"]), (&Value::Null, &Value::from(1)), "{free:#}");
}

#[test]
fn a_poll_that_nothing_answers_is_a_deadlock_and_costs_only_its_test() {
    if !nic_is_here() {
        return;
    }
    let said = run(&["POLL2", "ST2"], "300", &[]);
    let all = results(said.exits(0));
    let outcomes: BTreeSet<&str> =
        all.iter().flat_map(|r| r["observed"].as_array().unwrap()).map(|o| o["outcome"].as_str().unwrap()).collect();
    assert!(outcomes.contains("deadlock") && outcomes.contains("z=1;"), "{said}");
}

#[test]
fn without_the_pcie_guarantee_the_nic_shows_what_only_that_variant_allows() {
    if !nic_is_here() {
        return;
    }
    let said = run(&["GFP1"], "3000", &["--variant", "no-pcie"]);
    let all = results(said.exits(0));
    assert_eq!(all[0]["verdict"], "conforms", "{said}");
}

#[test]
fn on_other_wires_the_nic_shows_what_each_of_them_allows() {
    if !nic_is_here() {
        return;
    }
    // On each of them one or two of these programs show what InfiniBand forbids.
    let tests = ["wires/MP+puts", "wires/put-then-get", "wires/get-poll"];
    let shown = [
        ("relaxed-ordering", [4, 1, 1]),
        ("unordered", [4, 2, 1]),
        ("fi-order-waw", [3, 2, 1]),
        ("gpu-memory", [3, 2, 2]),
    ];
    for (variant, counts) in shown {
        let all = |seed: &str| {
            let rows = results(run(&tests, "600", &["--variant", variant, "--seed", seed]).exits(0));
            rows.iter().all(|r| r["unseen"] == Value::Array(vec![]))
                && rows.iter().map(|r| r["allowed"].as_array().map_or(0, Vec::len)).eq(counts)
        };
        assert!(["1", "2", "3"].iter().any(|seed| all(seed)), "{variant}");
    }
}

#[test]
fn each_nic_that_breaks_a_rule_is_caught_by_a_test_of_the_library() {
    if !nic_is_here() {
        return;
    }
    let said = litmpi_in(&root(), ["nic", "--catch", "litmus"]);
    assert_eq!(said.orphans(), Vec::<i32>::new(), "processes are left\n{said}");
    println!("{}", said.stdout);
    for mutant in mutants() {
        said.says(&format!("| `{}` | `{}` | {} |", mutant.name, mutant.rule, mutant.what));
    }
    assert!(!said.stdout.contains("NONE") && !said.stdout.contains("not tried"), "{said}");
    let named: BTreeSet<String> = mutants().into_iter().flat_map(|m| m.told_by).collect();
    let there = library::find(&[root().join("litmus")]).expect("the library");
    let there: BTreeSet<_> = there.iter().filter_map(|f| f.file_stem()?.to_str()).collect();
    assert!(named.iter().all(|test| there.contains(test.as_str())), "{named:?}");
    said.exits(0);
}

#[test]
fn what_was_caught_before_a_signal_is_kept_and_nothing_is_left_behind() {
    if !nic_is_here() {
        return;
    }
    for (signal, code) in [("TERM", 143), ("HUP", 129)] {
        let tmp = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(binary());
        command.args(["nic", "--catch", "litmus"]).current_dir(root()).env("TMPDIR", tmp.path());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("litmpi starts");
        let mut lines = BufReader::new(child.stdout.take().expect("it is a pipe")).lines().map_while(Result::ok);
        // The head, what is under it, and the first NIC.
        let first: Vec<String> = lines.by_ref().take(3).collect();
        let said = ended(child, signal, code);
        assert!(said.contains(&format!("ended by SIG{signal}: ")), "{said}");
        assert!(first.last().is_some_and(|line| line.starts_with("| `")), "{first:?}");
        let left: Vec<_> = std::fs::read_dir(&tmp).expect("a folder").flatten().map(|e| e.file_name()).collect();
        assert!(left.is_empty(), "{signal}: {left:?}");
    }
}

/// Instructions that bring programs to a bad end.
const ENDS: &str = "model ends of rdma-tso \"RDMA^TSO, and programs that come to a bad end\"
  cite rdma-tso \"Figs. 5-8\"
import \"rdma/tso.spec\"
instruction die   ()           \"the process dies\"        c \"__builtin_trap()\"
instruction stay  ()           \"goes on for ever\"        c \"for (;;)\"
instruction stray (y: remote)  \"writes where it may not\" c \"litmpi_put_value((struct litmpi_remote){({y}).node, 100000}, 1)\"
rule die   (t: Thread) cite rdma-tso \"Fig. 7\" on t: die()
rule stay  (t: Thread) cite rdma-tso \"Fig. 7\" on t: stay()
rule stray (t: Thread) cite rdma-tso \"Fig. 7\" on t: stray(_)
";

#[test]
fn a_node_that_dies_a_request_that_fails_and_a_program_that_hangs_cost_only_their_tests() {
    if !nic_is_here() {
        return;
    }
    let test = |name: &str, what: &str| {
        format!(
            "litmus rdma {name} \"a bad end\"\nnode 1 {{ x = 1 }}\nnode 2 {{ z = 0 }}\nthread 1 on 1 {{\n  z@2 := x\n  poll(2)\n  \
             {what}\n}}\nthread 2 on 2 {{ a := z }}\nexists z = 1\n"
        )
    };
    let files = [("good", "mfence"), ("dies", "die"), ("hangs", "stay"), ("strays", "stray(z@2)  poll(2)")];
    let files = files.map(|(name, what)| (format!("{name}.litmus"), test(name, what)));
    let mut all: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    all.push(("ends.spec", ENDS));
    let dir = folder(&all);
    let names = files.iter().map(|(name, _)| name.as_str());
    let fixed = [
        "run",
        "--spec",
        "ends.spec",
        "--target",
        "nic",
        "--time",
        "100",
        "--iterations",
        "20",
        "--json",
        "--out",
        "out",
    ];
    let said = litmpi_in(dir.path(), fixed.into_iter().chain(names));
    assert_eq!(said.orphans(), Vec::<i32>::new(), "processes are left\n{said}");
    let all = results(said.exits(1));
    let of = |name: &str| all.iter().find(|r| r["test"] == name).unwrap_or_else(|| panic!("{name} is lost\n{said}"));
    assert_eq!(of("good")["verdict"], "conforms", "{said}");
    assert!(of("good")["iterations"].as_u64().is_some_and(|n| n > 0), "{said}");
    for (name, says) in [("dies", "the program died"), ("hangs", "deadlock"), ("strays", "IBV_WC_10")] {
        let r = of(name);
        assert_eq!(r["verdict"], "violation", "{said}");
        assert!(r["outcomes"].to_string().contains(says), "{name}: {r:#}");
    }
    let notes = of("strays")["notes"].to_string();
    assert!(notes.contains("remote access error") && notes.contains("strays.litmus:"), "{notes}");
    assert!(of("hangs")["notes"].to_string().contains("hang at hangs.litmus:"), "{:#}", of("hangs"));
}

/// A shell script with the emulated NIC as its device.
pub(crate) fn served(script: &str) -> Said {
    let said = litmpi_in(&root(), ["nic", "--rules", "--", "sh", "-c", script]);
    println!("{said}");
    said
}

/// Whether the programs can be found; if not, which.
pub(crate) fn programs_are_here(names: &[&str]) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let on_path = |name: &str| std::env::split_paths(&path).any(|dir| dir.join(name).is_file());
    let missing: Vec<&str> = names.iter().copied().filter(|n| !on_path(n)).collect();
    if !missing.is_empty() {
        println!("skipped: no {} (apt-get install ibverbs-utils perftest ucx-utils)", missing.join(", "));
    }
    missing.is_empty() && nic_is_here()
}

#[test]
fn ibv_devinfo_shows_the_nic_with_an_active_port() {
    if programs_are_here(&["ibv_devinfo"]) {
        served("ibv_devinfo -v").exits(0).says("litmpi0").says("PORT_ACTIVE").says("litmpi verbs");
    }
}

#[test]
fn ibv_rc_pingpong_of_the_distribution_completes_on_the_nic() {
    if programs_are_here(&["ibv_rc_pingpong"]) {
        let script =
            "ibv_rc_pingpong -c -p 18605 -n 50 & sleep 1; ibv_rc_pingpong -c -p 18605 -n 50 localhost && wait $!";
        let said = served(script);
        // Fifty messages each way, each by the rules of a put.
        said.exits(0).says("50 iters in").says("100 put/commit");
    }
}

#[test]
fn programs_of_the_distribution_send_datagrams_of_which_none_is_lost() {
    if programs_are_here(&["ibv_ud_pingpong", "ib_send_bw", "ib_send_lat"]) {
        // A datagram takes a receive by the rules, which lose and double none for programs that do not ask for it.
        let runs = [
            ("ibv_ud_pingpong -c -n 50 -p 18641", "50 iters in", "100 datagram/place"),
            ("ibv_ud_pingpong -e -n 50 -p 18642", "50 iters in", "100 datagram/place"),
            ("ib_send_bw -c UD -n 100 -p 18643", "BW average", "100 datagram/place"),
            ("ib_send_lat -c UD -n 20 -p 18644", "t_typical", "40 datagram/place"),
        ];
        for (one, says, rule) in runs {
            let said = served(&format!("{one} & sleep 1; {one} localhost && wait $!"));
            said.exits(0).says(says).says(rule);
            assert!(!said.stderr.contains("datagram/lose") && !said.stderr.contains("datagram/double"), "{said}");
        }
    }
}

#[test]
fn without_being_asked_the_nic_doubles_no_datagram_and_none_passes_another() {
    if !nic_is_here() {
        return;
    }
    let shipped = std::fs::read_to_string(root().join("runner/targets.toml")).expect("the targets");
    let nic = shipped.split("[[target]]").find(|t| t.contains("\nname = \"nic\"\n")).expect("the NIC");
    let calm = nic.replace("name = \"nic\"", "name = \"calm\"").replace("\"--lossy\", ", "");
    assert!(nic.contains("\"--lossy\"") && !calm.contains("\"--lossy\""), "{nic}");
    let dir = folder(&[("calm.toml", &format!("[[target]]{calm}"))]);
    let targets = at(&dir, "calm.toml");
    let said = run(
        &["datagram-reordered"],
        "500",
        &["--target", "calm", "--targets", &targets, "--undirected", "--model", "verbs"],
    );
    let result = results(said.exits(0)).remove(0);
    let seen =
        result["observed"].as_array().expect("outcomes").iter().map(|o| o["outcome"].as_str().expect("text").trim());
    // Receives may be posted too late; then the first datagram is lost, or both are.
    let orderly = ["y=0; z=0;", "y=1; z=0;", "y=2; z=0;", "y=1; z=2;"];
    let others: Vec<&str> = seen.filter(|o| !orderly.contains(o)).collect();
    assert!(others.is_empty(), "{result:#}");
}

#[test]
fn programs_of_the_distribution_sleep_until_completions_wake_them_and_share_receive_queues() {
    if programs_are_here(&["ibv_rc_pingpong", "ibv_srq_pingpong", "ib_send_bw"]) {
        let runs = [
            ("ibv_rc_pingpong -e -n 50 -p 18606", "50 iters in", "100 put/commit"),
            ("ibv_srq_pingpong -n 50 -p 18607", "50 iters in", "put/commit"),
            ("ibv_srq_pingpong -e -n 50 -p 18608", "50 iters in", "put/commit"),
            ("ib_send_bw -e -n 100 -p 18609", "BW average", "100 put/commit"),
        ];
        for (one, says, rule) in runs {
            // ibv_srq_pingpong was seen to fail so once, when both sides had printed their results: it counts what comes by all of its queue pairs, so that
            // a side that has its number seems to leave while the other one's last send is under way. Of the other programs it would be a mistake.
            let is_left = |said: &Said| {
                one.starts_with("ibv_srq_pingpong") && said.stderr.contains("Failed status remote operation error")
            };
            let mut tries = (0..3).map(|_| served(&format!("{one} & sleep 1; {one} localhost && wait $!")));
            let said = tries.find(|said| !is_left(said)).expect("in one of three runs no side leaves early");
            said.exits(0).says(says).says(rule);
        }
    }
}

#[test]
fn perftest_of_the_distribution_measures_latencies_and_sends_on_the_nic() {
    if programs_are_here(&["ib_write_lat", "ib_read_lat", "ib_send_lat"]) {
        let tools = [("ib_write_lat", "put", 18621), ("ib_read_lat", "get", 18622), ("ib_send_lat", "put", 18623)];
        for (tool, rule, port) in tools {
            let one = format!("{tool} -n 20 -p {port}");
            let said = served(&format!("{one} & sleep 1; {one} localhost && wait $!"));
            said.exits(0).says("t_typical").says(&format!("{rule}/commit"));
        }
    }
}

#[test]
fn perftest_of_the_distribution_writes_and_reads_on_the_nic() {
    if programs_are_here(&["ib_write_bw", "ib_read_bw"]) {
        for (tool, rule, port) in [("ib_write_bw", "300 put/commit", 18615), ("ib_read_bw", "300 get/commit", 18616)] {
            let one = format!("{tool} -n 300 -s 4096 -p {port}");
            served(&format!("{one} & sleep 1; {one} localhost && wait $!")).exits(0).says("BW average").says(rule);
        }
    }
}

#[test]
fn perftest_of_the_distribution_does_atomic_operations_on_the_nic() {
    if programs_are_here(&["ib_atomic_bw"]) {
        for (kind, rule, port) in
            [("FETCH_AND_ADD", "300 rmw/commit", 18617), ("CMP_AND_SWAP", "300 get/commit", 18618)]
        {
            let one = format!("ib_atomic_bw -A {kind} -n 300 -p {port}");
            served(&format!("{one} & sleep 1; {one} localhost && wait $!")).exits(0).says("BW average").says(rule);
        }
    }
}

#[test]
fn a_lock_that_processors_and_nics_take_is_seen_to_fail_on_the_nic() {
    if nic_is_here() {
        for test in ["RMW-lost-CAS", "RMW-lock"] {
            let first = results(run(&[test], "1500", &[]).exits(0)).remove(0);
            assert!(all_seen(first, test), "{test}");
        }
    }
}

#[test]
fn the_nic_ends_with_its_programs_own_exit_code_and_refuses_what_it_does_not_know() {
    if nic_is_here() {
        served("exit 7").exits(7);
        let nic = |args: &[&str]| litmpi_in(&root(), ["nic"].iter().chain(args).copied().collect::<Vec<_>>());
        nic(&["--variant", "pci", "--", "true"]).exits(2).says("no variant `pci`").says("no-pcie");
        nic(&["--mutant", "bad", "--", "true"]).exits(2).says("no mutant is called `bad`").says("completion-lost");
        nic(&["--scheduler", "fair", "--", "true"]).exits(2).says("no scheduler is called `fair`");
        let dir = folder(&[("bad", "thread 0"), ("unknown", "score\nqueue 0 1 put/teleport 0\n")]);
        nic(&["--scores", &at(&dir, "bad"), "--", "true"]).exits(2).says("line 1 of the scores is `thread 0`");
        nic(&["--scores", &at(&dir, "unknown"), "--", "true"]).exits(2).says("the rule `put/teleport`");
        nic(&["--model", "mpi", "--", "true"]).exits(2).says("the model mpi has no instruction `get`");
        nic(&["--", "/nonexistent/program"]).exits(2).says("/nonexistent/program");
    }
}
