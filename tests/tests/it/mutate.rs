//! Changes of the rules: tests tell them, and claims of commuting that say too much are refuted.

use crate::command::root;
use crate::support::{at, folder, here, litmpi_in};
use std::collections::{BTreeMap, BTreeSet};
use tempfile::TempDir;

#[test]
fn tests_tell_changes_of_a_rule() {
    let said = litmpi_in(&root(), ["mutate", "litmus/rdma/MP1.litmus", "--of", "rule put/commit", "--json"]);
    let told = said.json();
    let told = told["changes"].as_array().expect("changes").clone();
    let anywhere = told.iter().find(|c| c["change"] == "anywhere").expect("a put that overtakes another");
    assert_eq!(anywhere["fate"], "outcomes", "{told:?}");
}

#[test]
fn of_several_tests_those_are_chosen_that_tell_what_no_test_told() {
    // A record in which no change of the rule is told: the test has no get.
    let dir = folder(&[]);
    let record = at(&dir, "record.tsv");
    let rule = ["--of", "rule get/commit", "--record", &record];
    let poll = ["mutate", "litmus/rdma/POLL1.litmus", "--accept"];
    litmpi_in(&root(), [&poll[..], &rule].concat());
    let tests = ["mutate", "litmus/rdma/GG1.litmus", "litmus/rdma/POLL1.litmus", "--choose", "1", "--json"];
    let said = litmpi_in(&root(), [&tests[..], &rule].concat());
    let chosen = said.exits(0).json();
    let (untold, told) = (chosen["untold"].as_u64(), chosen["told"].as_u64());
    assert!(told > Some(0) && told < untold, "{chosen:#}");
    assert_eq!(chosen["chosen"].as_array().map(Vec::len), Some(1), "{chosen:#}");
}

#[test]
fn a_change_that_makes_no_difference_is_told_from_one_that_nobody_sees() {
    let of = ["--of", "rule transfer", "--of", "fun after_transfer", "--json"];
    let said = litmpi_in(&root(), [&["mutate", "litmus/mpi/order-same-tag.litmus"], &of[..]].concat()).json();
    let of = |c: &serde_json::Value| {
        let text = |key: &str| c[key].as_str().unwrap_or_default().to_owned();
        (format!("{} {} {}", text("change"), text("from"), text("to")), text("fate"))
    };
    let found: BTreeMap<String, String> = said["changes"].as_array().expect("changes").iter().map(of).collect();
    let with = |fate: &str| found.iter().filter(|(_, f)| *f == fate).map(|(c, _)| c.as_str()).collect::<Vec<_>>();
    // The types of both messages are right: nothing comes of not asking for that.
    assert!(with("no-difference").iter().any(|c| c.contains("type_matches")), "{found:#?}");
    // What a message that was received still carries nobody looks at: steps lead to other states, and nothing else is seen.
    assert!(with("unseen").iter().any(|c| c.contains("data = nothing()")), "{found:#?}");
    assert!(!with("outcomes").is_empty(), "{found:#?}");
}

#[test]
fn a_change_that_one_test_hides_is_told_by_a_later_one_with_more_effort() {
    let dir = folder(&[]);
    let record = at(&dir, "record.tsv");
    let tests = ["probe-iprobe-after-later-message", "probe-iprobe-first-of-two"];
    let tests = tests.map(|name| format!("litmus/mpi/{name}.litmus"));
    let with = |effort: &str| {
        let args = ["mutate", &tests[0], &tests[1], "--of", "rule iprobe/true", "--record", &record, "--accept"];
        litmpi_in(&root(), [&args[..], &["--effort", effort]].concat());
        let record = std::fs::read_to_string(&record).expect("a record");
        let last = record.lines().find(|l| l.contains("\tat-end\t") && l.contains("\tΓ2 = []\t")).expect("the change");
        last.split('\t').nth(6).expect("a fate").to_owned()
    };
    // The smaller test, which is tried alone, has other steps; behind the message that the other one asks for stands another one.
    assert_eq!(with("0"), "hidden");
    assert_eq!(with("100000"), "outcomes");
}

#[test]
fn a_record_is_made_anew_with_new_tests_alone() {
    let dir = folder(&[]);
    let record = at(&dir, "record.tsv");
    let with = |test: &str| {
        let args = ["mutate", test, "--of", "let cpu", "--of", "let nic", "--record", &record, "--accept"];
        litmpi_in(&root(), args);
        let record = std::fs::read_to_string(&record).expect("a record");
        let told = |l: &&str| l.split('\t').nth(6) == Some("outcomes");
        record.lines().filter(told).map(str::to_owned).collect::<BTreeSet<String>>()
    };
    let (first, both) = (with("litmus/loco/wait-ST9.litmus"), with("litmus/loco/wait-PodWW-Rfe-PodCW-Coe.litmus"));
    assert!(first.len() < both.len() && first.is_subset(&both), "{first:#?} {both:#?}");
}

#[test]
fn generated_programs_tell_changes_that_the_tests_do_not() {
    let dir = folder(&[]);
    let record = at(&dir, "record.tsv");
    let of = ["--of", "rule transfer", "--record", &record];
    litmpi_in(&root(), [&["mutate", "litmus/mpi/order-same-tag.litmus", "--accept"], &of[..]].concat());
    let names = ["order-same-tag", "erroneous-truncation", "deadlock-posted-receive-steals"];
    let tests = names.map(|name| format!("litmus/mpi/{name}.litmus"));
    let tests: Vec<&str> = tests.iter().map(String::as_str).collect();
    let made = |seed: &str| {
        let made = ["--generate", "40", "--seed", seed, "--max-states", "300", "--choose", "2"];
        litmpi_in(&root(), [&["mutate"], &tests[..], &of, &made].concat()).stdout
    };
    let said = made("1");
    let tells = said.lines().filter(|l| l.starts_with("--   mpi: ")).count();
    assert!(tells > 0 && said.contains("litmus mpi generated"), "{said}");
    assert_eq!(said, made("1"), "the same seed gives the same programs");
}

#[test]
fn changes_that_the_record_says_make_no_difference_make_none_in_the_states_of_other_tests() {
    // The record was made with all tests; it is held again in the states of some.
    let tests =
        ["litmus/mpi/order-same-tag.litmus", "litmus/mpi/probe-then-receive-any.litmus", "litmus/rdma/MP1.litmus"];
    let record = ["--record", "docs/mutants.tsv", "--no-difference", "--sample", "150", "--json"];
    let said = litmpi_in(&root(), [&["mutate"], &tests[..], &record].concat()).json();
    assert_eq!(said["changes"].as_array().map(Vec::len), Some(150), "{said:#}");
    assert_eq!(said["changed"].as_array().map(Vec::len), Some(0), "{:#}", said["changed"]);
}

#[test]
fn a_change_that_no_test_tells_is_named() {
    let args = ["mutate", "litmus/rdma/POLL1.litmus", "--of", "rule get/commit"];
    litmpi_in(&root(), args).exits(1).says("rule get/commit: drop-rule").says("no test comes there");
}

/// Tries the claims that rules make in some states of each test: none is refuted. The models, each with its claims.
fn claims_hold(tests: &[&str], states: &str) -> BTreeMap<String, Vec<serde_json::Value>> {
    let said = litmpi_in(&root(), [&["claims"], tests, &["--states", states, "--json"]].concat());
    said.exits(0);
    let of = |m: &serde_json::Value| {
        let claims = m["claims"].as_array().expect("claims").clone();
        assert!(claims.iter().all(|c| c["refuted"].is_null()), "{claims:?}");
        (m["model"].as_str().expect("a name").to_owned(), claims)
    };
    said.json().as_array().expect("models").iter().map(of).collect()
}

/// The claims that were tried on no pair of transitions. What is said of many rules with one reason is one claim.
fn untried(claims: &[serde_json::Value]) -> Vec<String> {
    let tried: BTreeSet<String> = claims.iter().filter(|c| c["pairs"] != 0).map(|c| c["because"].to_string()).collect();
    let shared = |c: &serde_json::Value| c["rule"].as_str().is_some_and(|r| r.ends_with("_init"));
    let is_untried =
        |c: &&serde_json::Value| c["pairs"] == 0 && !(shared(c) && tried.contains(&c["because"].to_string()));
    claims.iter().filter(is_untried).map(|c| format!("{}, {}", c["rule"], c["claim"])).collect()
}

#[test]
fn claims_of_commuting_hold_in_the_states_of_the_rdma_tests() {
    let of = claims_hold(&["litmus/rdma", "litmus/verbs"], "100");
    for (name, claims) in [("rdma-tso-simplified", 3), ("rdma-tso", 7)] {
        assert!(of[name].len() >= claims && untried(&of[name]).is_empty(), "{name}: {:?}", untried(&of[name]));
    }
    // Some test of verbs has an acknowledgement come while its queue pair is put into the error state.
    assert!(of["verbs"].len() >= 6 && untried(&of["verbs"]).is_empty(), "{:?}", untried(&of["verbs"]));
}

#[test]
fn every_claim_of_commuting_of_x86_is_tried_and_holds() {
    let of = claims_hold(&["litmus/x86"], "1000");
    assert!(of["tso"].len() >= 4 && untried(&of["tso"]).is_empty(), "{:?}", untried(&of["tso"]));
}

#[test]
fn a_claim_is_false_if_behind_a_step_that_it_covers_the_other_looks_at_what_others_write() {
    // What a thread reads of its own buffer commutes with what leaves it. Once it has left, the thread reads what others write.
    let said = litmpi_in(&root(), ["claims", "litmus/x86/CoWR.litmus", "--model", "tso", "--json"]);
    let weaker = said.json()[0]["weaker"].clone();
    let of_read =
        weaker.as_array().expect("claims").iter().find(|c| c["rule"] == "read" && c["more"] == "without its condition");
    let pair = of_read.expect("it is tried")["refuted"]["pair"].clone();
    assert_eq!(pair, "read (t = 0) and debuffer/write (t = 1)", "{weaker}");
}

/// A model in which `one` commutes with `two` while `g` is 0, with what it claims of that.
fn gated(claim: &str) -> String {
    format!(
        "model gated \"a step that touches nothing of two others, and ends what lets them commute\"
kind local = local
state M[x: Loc]: Int = x.initial
instruction one (x: local, g: local)
instruction two (x: local, g: local)
instruction three (g: local)
rule one (t: Thread)
  on t: one(x, g)
  then M[x] := M[x] + 1
  {claim}
rule two (t: Thread)
  on t: two(x, g)
  when M[g] = 0
  then M[x] := M[x] + 1
rule two/late (t: Thread)
  on t: two(x, g)
  when M[g] = 1
  then M[x] := M[x] * 2
rule three (t: Thread)
  on t: three(g)
  then M[g] := 1
"
    )
}

/// What comes of a claim in a program in which `three` comes before `two`: the claim, and in how many states a search that relies on it ends.
fn tried_in_a_gated_program(claim: &str) -> (serde_json::Value, usize) {
    let test = "litmus rdma between \"a step between two others\"
node 1 { x = 0  g = 0 }
thread 1 on 1 { one(x, g) }
thread 2 on 1 { three(g) two(x, g) }
locations x
forall true
  verdict gated allowed because \"nothing is asked\"
";
    let dir = folder(&[("gated.spec", &gated(claim)), ("between.litmus", test)]);
    let with =
        |args: &[&str]| litmpi_in(dir.path(), [args, &["between.litmus", "--spec", "gated.spec", "--json"]].concat());
    let found = with(&["enumerate", "--search", "reduced"]).json();
    let outcomes = found[0]["outcomes"].as_array().expect("outcomes").len();
    (with(&["claims"]).json()[0]["claims"][0].clone(), outcomes)
}

#[test]
fn a_claim_is_false_if_its_condition_ends_behind_a_step_that_touches_nothing_of_it() {
    // In no state with g = 0 is `two` there, and once it is, nobody makes the claim. A search that goes on with `one` alone loses an end.
    let (claim, _) = tried_in_a_gated_program("commutes with two* when M[g] = 0 because \"both add\"");
    assert_eq!(claim["refuted"]["pair"], "one (t = 1) and two/late (t = 2)", "{claim:#}");
}

#[test]
fn a_claim_about_programs_without_a_rule_is_made_of_no_other() {
    let (claim, outcomes) = tried_in_a_gated_program("commutes with two* without three because \"both add\"");
    assert_eq!((&claim["refuted"], &claim["pairs"]), (&serde_json::Value::Null, &0.into()), "{claim:#}");
    assert_eq!(outcomes, 2, "x is 1 or 2");
    // Said of all programs, it is false here.
    let (claim, _) = tried_in_a_gated_program("commutes with two* because \"both add\"");
    assert_eq!(claim["refuted"]["pair"], "one (t = 1) and two/late (t = 2)", "{claim:#}");
}

/// A model in which `go` comes to be enabled by `set`, and by `other`, with what it claims to wait for.
fn waiting(claim: &str) -> String {
    format!(
        "model waiting \"a step that others enable\"
kind local = local
state M[x: Loc]: Int = x.initial
state open[n: Node]: Int = 0
instruction set (x: local)
instruction other (x: local)
rule set (t: Thread)
  on t: set(x)
  then open[t.node] := 1
rule other (t: Thread)
  on t: other(x)
  then open[t.node] := 1, M[x] := 5
rule go (n: Node)
  when open[n] = 1
  then open[n] := 2
  {claim}
"
    )
}

#[test]
fn that_a_rule_waits_for_others_is_false_if_another_one_enables_it() {
    let test = "litmus rdma enabled \"by one of two\"
node 1 { x = 0 }
thread 1 on 1 { set(x) }
thread 2 on 1 { other(x) }
locations x
forall true
  verdict waiting allowed because \"nothing is asked\"
";
    let claims = |claim: &str| {
        let dir = folder(&[("waiting.spec", &waiting(claim)), ("enabled.litmus", test)]);
        let said = litmpi_in(dir.path(), ["claims", "enabled.litmus", "--spec", "waiting.spec", "--json"]);
        said.json()[0]["claims"][0].clone()
    };
    let claim = claims("waits for set when open[n] = 0 because \"nothing else opens\"");
    let pair = "go (n = 1) does not wait for others alone behind other (t = 2)";
    assert_eq!(claim["refuted"]["pair"], pair, "{claim:#}");
    let claim = claims("waits for set, other when open[n] = 0 because \"nothing else opens\"");
    assert_eq!(claim["refuted"], serde_json::Value::Null, "{claim:#}");
    // Once it has gone, both open it again.
    let claim = claims("waits for set when not open[n] = 1 because \"nothing else opens\"");
    assert_eq!(claim["refuted"]["pair"], pair, "{claim:#}");
    // It is about a rule that no instruction sets off, and speaks of its parameters.
    let refused = |spec: &str, says: &str| {
        let dir = folder(&[("waiting.spec", spec), ("enabled.litmus", test)]);
        litmpi_in(dir.path(), ["check", "enabled.litmus", "--spec", "waiting.spec"]).exits(2).says(says);
    };
    refused(&waiting("waits for set when x = 0 because \"x\""), "`x` is not known here");
    let by_an_instruction = waiting("").replace("M[x] := 5", "M[x] := 5 waits for set because \"x\"");
    refused(&by_an_instruction, "`other` is set off by the instruction `other`, and cannot wait for rules");
}

#[test]
fn every_claim_of_commuting_of_mpi_is_tried_and_holds_in_the_first_states_of_the_mpi_tests() {
    let of = claims_hold(&["litmus/mpi"], "60");
    // An intercommunicator is made before it is merged, and windows before they are accessed: that is late.
    let dir = folder(&[("windows.litmus", WINDOWS), ("sendrecvs.litmus", SENDRECVS)]);
    let (windows, sendrecvs) = (at(&dir, "windows.litmus"), at(&dir, "sendrecvs.litmus"));
    let late = [
        "inter-merge-then-free",
        "rma-fence-put-put-of-two",
        "rma-start-two-targets",
        "rma-lock-shared-gets",
        "rma-unlock-other-target",
        "rma-lock-all-put-put",
        "rma-separate-sync",
        "rma-flush-all",
        "rma-gets-flushed",
    ];
    let late = late.map(|t| format!("litmus/mpi/{t}.litmus"));
    let late: Vec<&str> = late.iter().chain([&windows, &sendrecvs]).map(String::as_str).collect();
    let late = claims_hold(&late, "4000");
    // Some are made only where loads and stores that race are errors.
    let dir = spec_without_races();
    let spec = at(&dir, "spec/mpi/mpi.spec");
    let race_free = ["rma-fence-seen-early", "rma-fence-store-during-get", "rma-fence-put-is-late"];
    let race_free = race_free.map(|t| format!("litmus/mpi/{t}.litmus"));
    let race_free: Vec<&str> = ["--spec", &spec].into_iter().chain(race_free.iter().map(String::as_str)).collect();
    let race_free = claims_hold(&race_free, "4000");
    // Loads and stores touch nothing of what these do, so that there is no pair to try: the footprints of rules, which do not know whose operations
    // are whose, are what the claims are for; so do the last error of a process, behind which a program that runs is told of buffers, and the end of
    // one beside accesses. Where no lock is refused, now or later, there is no decision about one. No litmus test loads and stores many variables at once:
    // a search of a program that does tries each claim of that where it relies on it.
    // Nor does one bring what the buffer of a persistent request holds.
    let apart = [
        "\"own_row\", 0",
        "\"own_row\", 1",
        "\"own_row\", 2",
        "\"own_row\", 3",
        "\"send_init\", 0",
        "\"recv_init\", 0",
        "\"last_error\", 0",
        "\"last_error\", 1",
        "\"last_error\", 2",
        "\"finalize_wait\", 1",
        "\"load\", 4",
        "\"store\", 3",
        "\"win_create_init\", 4",
        "\"win_done\", 2",
        "\"fence_init\", 2",
        "\"lock/grant\", 2",
        "\"unlock\", 2",
        "\"unlock_all\", 2",
    ];
    let others = [untried(&late["mpi"]), untried(&race_free["mpi"])];
    let is_left = |c: &String| others.iter().all(|o| o.contains(c)) && !apart.contains(&c.as_str());
    let left: Vec<String> = untried(&of["mpi"]).into_iter().filter(is_left).collect();
    assert!(of["mpi"].len() >= 27 && left.is_empty(), "{left:?}");
}

#[test]
fn every_claim_of_commuting_of_mpi_over_rdma_is_tried_and_holds() {
    // In the first states of all tests; of some tests, in more states: operations of windows come late.
    let first = claims_hold(&["litmus/mpi-rdma"], "60");
    let late = ["win-lock-beside-message", "win-lock-all", "split-then-send", "thread-sends-of-two"];
    let mut late = late.map(|t| format!("litmus/mpi-rdma/{t}.litmus")).to_vec();
    // Programs over this model may use the fence of RDMA, which no library has: a message that is put into the pipe behind it.
    let dir = folder(&[("fence.litmus", FENCE)]);
    late.push(at(&dir, "fence.litmus"));
    let late: Vec<&str> = late.iter().map(String::as_str).collect();
    let late = claims_hold(&late, "4000");
    let (first, late) = (&first["mpi-rdma"], &late["mpi-rdma"]);
    // What makes communicators and windows, and begins to access them, is the text of mpi, and abstract here, too: its claims are tried there.
    let makers = [
        "disagree",
        "dup_init",
        "idup_init",
        "create_group_init",
        "split_init",
        "create_init",
        "free_init",
        "finalize_init",
        "finalize_wait",
        "cart_init",
        "sub_init",
        "general_init",
        "graph_init",
        "spread_init",
        "bridge_init",
        "bridge_done",
        "merge_init",
        "merge_done",
        "win_create_init",
        "win_done",
        "comm_done",
        "spread_done",
        "last_error",
        "unreceived",
        "start_init",
        "flushed/kept",
    ];
    // The end of another process beside a wait is tried there, too.
    let ends = ["\"wait\", 1", "\"test/true\", 1", "\"waitall\", 1", "\"waitall\", 4"];
    let of_maker = |claim: &String| {
        ends.contains(&claim.as_str()) || makers.iter().any(|m| claim.starts_with(&format!("\"{m}\"")))
    };
    let both = untried(first).into_iter().filter(|claim| untried(late).contains(claim) && !of_maker(claim));
    let both: Vec<String> = both.collect();
    assert!(first.len() >= 14 && both.is_empty(), "{both:?}");
}

/// The shipped specification, in which loads and stores of windows that race are errors, as they are to `litmpi verify`.
fn spec_without_races() -> TempDir {
    let dir = TempDir::new().expect("a folder");
    let done = std::process::Command::new("cp").arg("-r").arg(root().join("spec")).arg(dir.path()).status();
    assert!(done.expect("cp").success());
    let file = dir.path().join("spec/mpi/rma-state.spec");
    let text = std::fs::read_to_string(&file).expect("the rules");
    assert!(text.contains("const racing: Bool = true"));
    std::fs::write(&file, text.replace("const racing: Bool = true", "const racing: Bool = false")).expect("the rules");
    dir
}

/// Messages, and calls that make communicators, beside an operation on a window.
const WINDOWS: &str = "litmus mpi windows \"messages and communicators beside an operation on a window\"
rank 0 {
  MPI_Win_create(w, win: v)
  MPI_Win_fence(win: v)
  MPI_Irecv(a, source: 1, request: r)
  MPI_Isend(1, dest: 1, request: q)
  MPI_Put(1, target_rank: 1, win: v)
  MPI_Waitall([r, q])
  MPI_Comm_dup(MPI_COMM_SELF, c)
  MPI_Win_fence(win: v)
  MPI_Win_free(v)
}
rank 1 {
  MPI_Win_create(w, win: v)
  MPI_Win_fence(win: v)
  MPI_Irecv(a, source: 0, request: r)
  MPI_Isend(1, dest: 0, request: q)
  MPI_Waitall([r, q])
  MPI_Comm_dup(MPI_COMM_SELF, c)
  MPI_Win_fence(win: v)
  MPI_Win_free(v)
}
exists deadlock
  verdict mpi forbidden because \"each waits for what the other does\"
";

const SENDRECVS: &str = "litmus mpi sendrecvs \"sends with receives beside messages and an operation on a window\"
rank 0 {
  int b = 2
  MPI_Win_create(w, win: v)
  MPI_Win_fence(win: v)
  MPI_Put(1, target_rank: 1, win: v)
  MPI_Isend(1, dest: 1, tag: 1, request: p)
  MPI_Sendrecv_replace(b, dest: 1, sendtag: 2, source: 1, recvtag: 2)
  MPI_Isendrecv(3, dest: 1, sendtag: 3, recvbuf: c, source: 1, recvtag: 3, request: q)
  MPI_Waitall([p, q])
  MPI_Win_fence(win: v)
  MPI_Win_free(v)
}
rank 1 {
  int b = 2
  MPI_Win_create(w, win: v)
  MPI_Win_fence(win: v)
  MPI_Irecv(a, source: 0, tag: 1, request: p)
  MPI_Sendrecv_replace(b, dest: 0, sendtag: 2, source: 0, recvtag: 2)
  MPI_Isendrecv(3, dest: 0, sendtag: 3, recvbuf: c, source: 0, recvtag: 3, request: q)
  MPI_Waitall([p, q])
  MPI_Win_fence(win: v)
  MPI_Win_free(v)
}
exists deadlock
  verdict mpi forbidden because \"each waits for what the other does\"
";

const FENCE: &str = "litmus mpi fence \"a message behind a remote fence of the program's own\"
rank 0 { rfence(1)  MPI_Isend(1, dest: 1, request: r)  MPI_Wait(r) }
rank 1 { MPI_Recv(a, source: 0) }
forall a = 1
  verdict mpi-rdma allowed because \"nothing is before the fence, so it goes away\"
";

#[test]
fn a_claim_about_rules_that_a_model_leaves_out_is_none() {
    // MPI_Wait commutes with the decisions of standard sends, of which MPI over RDMA has none.
    let of = claims_hold(&["litmus/mpi/order-same-tag.litmus", "litmus/mpi-rdma/split-then-send.litmus"], "1");
    let claims = |model: &str| of[model].iter().filter(|c| c["rule"] == "wait").count();
    assert_eq!((claims("mpi"), claims("mpi-rdma")), (5, 3));
}

#[test]
fn a_claim_is_about_one_transition_of_a_rule_that_has_several() {
    // Process 1 asks for a lock at itself, which nobody contends, and for one at process 0, which that process contends: the
    // claim is about the first alone.
    claims_hold(&["litmus/mpi/rma-lock-all-waits.litmus"], "3000");
}

#[test]
fn a_rule_may_say_that_no_claim_speaks_of_it() {
    // All rules are said to commute with the one that takes an acknowledgement; in `verbs` a queue pair that is put into the error state
    // flushes what is not acknowledged by then.
    let file = "litmus/verbs/modify-error-acknowledged.litmus";
    claims_hold(&[file], "3000");
    let said = litmpi_in(&root(), ["enumerate", file, "--search", "reduced"]);
    said.exits(0).says("s=0;").says("s=5;");
    assert!(!said.stdout.contains("said to commute"), "{said}");
}

#[test]
fn claims_that_say_too_much_are_refuted() {
    // The rules of windows and of requests have claims with conditions; without them, these tests find them false.
    let tests = [
        "litmus/mpi/access-send-send-buffer.litmus",
        "litmus/mpi/buffer-too-small.litmus",
        // Two threads of a process number the communicators that they make.
        "litmus/mpi/thread-comm-dup-of-two.litmus",
    ];
    let said = litmpi_in(&root(), [&["claims"], &tests[..], &["--states", "150", "--json"]].concat());
    said.exits(0);
    let weaker = said.json()[0]["weaker"].as_array().expect("claims that say more").clone();
    let refuted = |rule: &str, more: &str| {
        weaker.iter().any(|w| w["rule"] == rule && w["more"] == more && !w["refuted"].is_null())
    };
    assert!(refuted("isend", "without its condition"));
    assert!(refuted("comm_done", "without its condition"));
    assert!(refuted("wait", "of all rules"));
    assert!(refuted("decide/synchronous", "of all rules"));
}

#[test]
fn the_record_of_changes_is_of_these_rules_and_a_sample_of_it_holds() {
    let record = std::fs::read_to_string(root().join("docs/mutants.tsv")).expect("the record");
    let page = std::fs::read_to_string(root().join("docs/mutants.md")).expect("the page");
    let command = "litmpi mutate litmus --record docs/mutants.tsv --accept --max-states 20000";
    assert!(page.contains(command), "the page names the command that makes it");
    let fates: Vec<&str> = record.lines().skip(1).filter_map(|l| l.split('\t').nth(6)).collect();
    let all = page.lines().find(|l| l.starts_with("| all |")).expect("a row of sums");
    for (column, fate) in [(6, "no-difference"), (7, "unseen"), (8, "hidden"), (9, "survives"), (10, "unreached")] {
        let many = fates.iter().filter(|f| **f == fate).count().to_string();
        assert_eq!(all.split('|').nth(column).map(str::trim), Some(many.as_str()), "{fate}: {command}");
    }
    let args =
        ["mutate", "litmus", "--record", "docs/mutants.tsv", "--max-states", "20000", "--sample", "40", "--json"];
    let share = |column: usize| {
        all.split('|').nth(column).and_then(|s| s.trim().strip_suffix(" %")?.parse::<f64>().ok()).expect("a share")
    };
    // Rules that programs that run ask alone (memory of windows) have few that tell: their changes count as well.
    // Changes of rules that only programs ask are in the record, and not put to programs yet.
    assert!(share(12) >= 73.8 && share(13) >= 96.6, "fewer changes are told, or classified, than were: {all}");
    let told = litmpi_in(&root(), args).json();
    assert_eq!(told["changes"].as_array().map(Vec::len), Some(40));
    assert_eq!(told["changed"].as_array().map(Vec::len), Some(0), "{command}: {}", told["changed"]);
    let same = |l: &&str| l.split('\t').nth(3) == l.split('\t').nth(4) && l.contains(".cat\t");
    assert_eq!(record.lines().filter(same).collect::<Vec<_>>(), [""; 0], "a square that is turned around is no change");
    // A rule that is edited has other changes: some may be missing for a while, and `--accept` tries what is new.
    let apart = told["out_of_step"].as_array().expect("differences").len();
    assert!(apart * 10 <= fates.len(), "{apart} of {} changes are not in the record any more: {command}", fates.len());
}

/// No litmus test stores into another process's memory of a shared window: programs alone can.
#[test]
fn a_program_that_runs_tells_changes_of_rules_that_no_litmus_test_comes_to() {
    let rule = ["mutate", "litmus/mpi/grequest-complete.litmus", "--of", "rule shared_store", "--json"];
    let dropped = |said: serde_json::Value| {
        let changes = said["changes"].as_array().expect("changes").clone();
        let found = changes.iter().find(|c| c["change"] == "drop-rule").expect("the rule is left out");
        (found["fate"].clone(), found["test"].clone())
    };
    let (fate, test) = dropped(litmpi_in(&root(), rule).json());
    assert_eq!((fate, test), ("unreached".into(), serde_json::Value::Null));
    if here(&["mpich"]).is_empty() {
        return;
    }
    let program = "tests/verify/window-shared-store-and-put.c";
    let (fate, test) = dropped(litmpi_in(&root(), [&rule[..], &["--programs", program]].concat()).json());
    assert_eq!((fate, test), ("outcomes".into(), format!("{program} mpi").into()));
    litmpi_in(&root(), [&rule[..], &["--programs", "tests/verify/no-such.c"]].concat()).exits(2).says("no-such.c");
}
