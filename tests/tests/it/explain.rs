//! `litmpi explain`: traces, sequences, execution graphs, and what forbids an outcome.

use crate::command::root;
use crate::support::{Said, folder, litmpi_in};
use litmpi_models::Model;
use litmpi_spec::load::load_shipped;
use litmpi_spec::shipped;
use std::collections::BTreeSet;
use std::path::Path;
use tempfile::TempDir;

fn explain(args: &[&str]) -> Said {
    litmpi_in(&root(), [&["explain"], args].concat())
}

/// Explains with `--out` and gives the folder too.
fn explain_into(args: &[&str]) -> (Said, TempDir) {
    let dir = TempDir::new().expect("a folder");
    let out = dir.path().join("new/folder").display().to_string();
    (explain(&[args, &["--out", &out]].concat()), dir)
}

fn files(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder.join("new/folder")).expect("a folder");
    entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect()
}

fn text(folder: &TempDir, name: &str) -> String {
    std::fs::read_to_string(folder.path().join("new/folder").join(name)).expect(name)
}

#[test]
fn an_mpi_trace_is_a_sequence_of_ranks_with_messages_and_what_they_run() {
    let (said, dir) = explain_into(&["litmus/mpi/coll-bcast-race.litmus"]);
    said.exits(0).says("rank 0").says("◀ transfer ──").says("bcast_init");
    let svg = text(&dir, "coll-bcast-race-sequence.svg");
    assert_eq!(svg.matches("<polygon").count(), 2, "two messages: {svg}");
    assert!(svg.contains("MPI_Bsend(2, dest: 1)") && svg.contains("MPI_Bcast(x, root: 0)"), "{svg}");
    assert!(text(&dir, "coll-bcast-race-steps.txt").contains("mpi-2-formal-spec Fig. 4, transfer"));
}

#[test]
fn a_deadlock_has_a_sequence_too() {
    let said = explain(&["litmus/mpi/deadlock-barrier-missing.litmus", "--outcome", "deadlock"]);
    said.exits(0).says("these wait for ever").says("In short").says("barrier_init");
}

#[test]
fn an_outcome_that_is_far_away_is_searched_for_by_what_misses_it_by_least() {
    // Of eight senders, one order of 40,320: all states are 400,000 in a reduced search, and many more in full.
    let dir = folder(&[("senders.litmus", &litmpi_mpi_model::families::senders(8))]);
    let asked = (1..=8).map(|i| format!("r{i}={}", 9 - i)).collect::<Vec<_>>().join(";");
    let file = dir.path().join("senders.litmus").display().to_string();
    let said = explain(&[&file, "--outcome", &asked]);
    said.exits(0).says("r1=8; r2=7; r3=6; r4=5; r5=4; r6=3; r7=2; r8=1; under mpi (default), in ");
    said.says("It need not be a shortest way").says("transfer (p = 8, q = 0)");
}

#[test]
fn an_rdma_trace_has_a_lane_a_queue_pair() {
    let said = explain(&["litmus/rdma/ST2.litmus", "--outcome", "z=1"]);
    said.exits(0).says("1 → node 2").says("put/fetch");
}

#[test]
fn the_same_call_writes_the_same_bytes() {
    let args = ["litmus/rdma/ST2.litmus", "--outcome", "z=1"];
    let ((first, a), (second, b)) = (explain_into(&args), explain_into(&args));
    assert_eq!(first.stdout, second.stdout);
    assert_eq!(files(a.path()), files(b.path()));
    for name in files(a.path()) {
        assert_eq!(text(&a, &name), text(&b, &name), "{name}");
    }
}

#[test]
fn an_allowed_outcome_has_an_execution_graph_in_the_declarative_form_that_the_model_names() {
    let (said, dir) = explain_into(&["litmus/rdma/ST2.litmus", "--outcome", "z=1"]);
    said.exits(0).says("A consistent execution of rdma-tso.cat with z=1;").says("rf   c → a").says("po   a → b → c");
    let expected = ["graph.dot", "graph.svg", "graph.txt", "sequence.svg", "sequence.txt", "steps.txt"];
    assert_eq!(files(dir.path()), expected.map(|f| format!("ST2-{f}")).into_iter().collect());
    let svg = text(&dir, "ST2-graph.svg");
    for part in ["a: nlR x=1", "b: nrW z=1", "c: lW x=1", "to node 2", "<title>z@2 := x</title>", ">rf</tspan>"] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    assert!(text(&dir, "ST2-graph.dot").starts_with("digraph"));
}

#[test]
fn the_variant_asked_for_is_the_variant_explained() {
    let said = explain(&["litmus/rdma/GFP1.litmus", "--model", "rdma-tso", "--variant", "no-pcie"]);
    said.exits(0).says("A consistent execution of rdma-tso-no-pcie.cat");
    let said = explain(&["litmus/rdma/GFP1.litmus", "--model", "rdma-tso"]);
    said.exits(1).says("of rdma-tso.cat with");
}

#[test]
fn a_forbidden_outcome_names_the_check_and_the_cycle_of_each_candidate() {
    let (said, dir) = explain_into(&["litmus/rdma/MP1.litmus", "--model", "rdma-tso.cat"]);
    said.exits(1).says("The only candidate execution of rdma-tso.cat").says("1 of 1 fail `observed-before`");
    said.says("spec/rdma/rdma-tso-checks.cat:").says("f: lR x=0  ─rb──────→ b: nrW x=1");
    let svg = text(&dir, "MP1-forbidden-1.svg");
    assert_eq!(svg.matches("class=\"marked\"").count(), 4, "the events of the cycle: {svg}");
    assert_eq!(svg.matches("class=\"glow\"").count(), 4, "its edges: {svg}");
    assert!(text(&dir, "MP1-forbidden-1.txt").contains("─oppo"));
}

#[test]
fn candidates_that_fail_alike_stand_together_with_their_number() {
    let said = explain(&["litmus/rdma/GFP1.litmus", "--model", "rdma-tso.cat"]);
    said.exits(1);
    let line = said.stdout.lines().find(|l| l.starts_with("Each of the ")).unwrap_or_else(|| panic!("{said}"));
    let total: u64 = line.split_whitespace().nth(3).and_then(|n| n.parse().ok()).expect("a number");
    let groups: Vec<(u64, &str)> = said
        .stdout
        .lines()
        .filter_map(|l| l.split_once(". ")?.1.split_once(&format!(" of {total} fail `")))
        .map(|(n, rest)| (n.parse().expect("a number"), rest))
        .collect();
    assert!(groups.len() > 1, "{said}");
    assert_eq!(groups.iter().map(|(n, _)| n).sum::<u64>(), total, "{said}");
    assert!(groups.is_sorted_by(|a, b| a.0 >= b.0), "{said}");
    let shapes: BTreeSet<&str> =
        said.stdout.lines().filter(|l| l.starts_with("   ") && l.contains("→") && l.contains('─')).collect();
    assert_eq!(shapes.len(), groups.len(), "each has a shape of its own: {said}");
}

#[test]
fn every_forbidden_outcome_of_the_library_has_a_reason_and_every_allowed_one_a_graph() {
    let mut reasons = 0;
    for name in ["2+2W1", "2+2W3", "CRMA1", "IRIW1", "IRIW2", "LB1", "LB3", "MP3", "SB1", "SB3"] {
        let file = format!("litmus/rdma/{name}.litmus");
        let by_rules = explain(&[&file, "--model", "rdma-tso"]);
        let by_checks = explain(&[&file, "--model", "rdma-tso.cat"]);
        assert_eq!(by_rules.code, by_checks.code, "{by_rules}\n{by_checks}");
        if by_checks.code == Some(1) {
            by_rules.says(" fail `");
            reasons += 1;
        } else {
            by_rules.says("A consistent execution of rdma-tso.cat");
            assert!(!by_rules.stdout.contains("disagree"), "{by_rules}");
        }
    }
    assert!(reasons > 2);
}

#[test]
fn relations_are_chosen_by_name_and_the_form_of_a_graph_by_the_name_of_its_file() {
    let dir = TempDir::new().expect("a folder");
    let path = |name: &str| dir.path().join(name).display().to_string();
    let graph = |name: &str, relations: &str| {
        let file = path(name);
        explain(&["litmus/rdma/ST2.litmus", "--outcome", "z=1", "--graph", &file, "--relations", relations]).exits(0);
        std::fs::read_to_string(file).expect("a graph")
    };
    let only = graph("a.svg", "rf");
    assert!(only.contains(">rf</tspan>") && !only.contains(">po</tspan>"), "{only}");
    assert!(graph("a.txt", "po,ob").contains("  ob "));
    assert!(graph("a.dot", "po").contains(">po</font>"));
    let bad = explain(&["litmus/rdma/ST2.litmus", "--graph", &path("a.png")]);
    bad.exits(2).says("end its name in .svg, .dot or .txt");
    let bad = explain(&["litmus/rdma/ST2.litmus", "--relations", "po,hb"]);
    bad.exits(2).says("defines no relation `hb`").says("its relations are");
    let bad = explain(&["litmus/rdma", "--graph", &path("a.svg")]);
    bad.exits(2).says("do not fit into one file").says("--output DIR");
}

#[test]
fn a_model_without_a_declarative_form_says_so_and_a_declarative_one_knows_no_deadlock() {
    explain(&["litmus/mpi/order-causal.litmus"]).exits(0).says("mpi names no declarative form");
    let said = explain(&["litmus/rdma/POLL1.litmus", "--model", "rdma-tso.cat", "--outcome", "deadlock"]);
    said.exits(2).says("it has only final values").says("ask a model of rules");
}

#[test]
fn what_no_write_can_give_is_told_as_that() {
    let said = explain(&["litmus/rdma/MP1.litmus", "--model", "rdma-tso.cat", "--outcome", "a=7"]);
    said.exits(1).says("no choice of writes to read from gives these values");
    let said = explain(&["litmus/rdma/MP1.litmus", "--outcome", "a=1; b=0"]);
    said.exits(1).says("The nearest miss it by one value: a=0; b=0;");
}

#[test]
fn a_declarative_form_answers_for_the_model_and_variant_that_name_it() {
    let mut forms = 0;
    for name in shipped::names() {
        let spec = load_shipped(name).expect("a shipped model");
        let of = spec.of.as_deref().unwrap_or(&spec.name);
        for (variant, form) in &spec.declared {
            let (file, form_variant) = form.split_once(':').unwrap_or((form, "default"));
            let model = Model::named(file).unwrap_or_else(|r| panic!("{name}: {r}"));
            model.knows_variant(form_variant).unwrap_or_else(|r| panic!("{name}: {r}"));
            assert!(model.answers_for(of, Some(variant), form_variant), "{name} ({variant}): {form}");
            forms += 1;
        }
    }
    assert!(forms >= 10);
}

/// The picture in docs/ is what the command in its caption writes.
#[test]
fn the_picture_of_the_documents_is_up_to_date() {
    let dir = TempDir::new().expect("a folder");
    let file = dir.path().join("mp1.svg").display().to_string();
    explain(&["litmus/rdma/MP1.litmus", "--model", "rdma-tso.cat", "--graph", &file]).exits(1);
    let (new, old) = (std::fs::read_to_string(&file).expect("a graph"), root().join("docs/mp1-forbidden.svg"));
    let command = "litmpi explain litmus/rdma/MP1.litmus --model rdma-tso.cat --graph docs/mp1-forbidden.svg";
    assert!(std::fs::read_to_string(old).is_ok_and(|t| t == new), "write it again: {command}");
    let readme = std::fs::read_to_string(root().join("README.md")).expect("a file");
    assert!(readme.contains("docs/mp1-forbidden.svg") && readme.contains(command), "the README shows both");
}

#[test]
fn what_forbids_an_outcome_of_a_model_of_rules_is_told_with_the_way_it_would_come_about() {
    let said =
        explain(&["litmus/rdma/MP1.litmus", "--model", "rdma-tso-simplified", "--outcome", "a=1; b=0", "--json"]);
    let told = said.exits(1).json();
    let ways = told[0]["forbidden_by"]["ways"].as_array().expect("ways").clone();
    let of: BTreeSet<&str> = ways.iter().filter_map(|w| w["without"][0]["of"].as_str()).collect();
    // Puts stay in order in the store buffer, when they are placed, and when they reach memory: each of the three is needed.
    let own = ["rule debuffer/remote", "rule put/place", "rule put/commit"];
    // So is that this is a wire that orders requests, and memory that orders writes.
    assert_eq!(of, own.into_iter().chain(["rule unordered/pipe", "rule relaxed/commit-remote"]).collect());
    for way in &ways {
        assert!(way["steps"].as_array().is_some_and(|s| s.len() > 10), "{way}");
        assert!(way["without"][0]["cite"].as_str().is_some_and(|c| !c.is_empty()), "{way}");
    }
}

#[test]
fn what_a_run_shows_where_a_location_has_no_value_is_explained_by_that() {
    let test = "litmus/mpi/nbc-pending-undefined.litmus";
    let said = explain(&[test, "--outcome", "0:a=1; 1:f=0; 1:b=77"]);
    said.exits(0).says("0:a=1; 1:f=0; 1:b=undefined; under mpi").says("may be anything in a run").says("test/false");
    let said = explain(&[test, "--outcome", "0:a=1; 1:f=1; 1:b=77"]);
    said.says("No such outcome under mpi");
}

#[test]
fn a_deadlock_says_at_which_premise_each_thread_waits() {
    let said = explain(&["litmus/mpi/deadlock-recv-recv.litmus", "--outcome", "deadlock"]);
    said.exits(0).says("thread 0 at MPI_Recv(a, source: 1)").says("wait (t = 0) stops at `has_completed(t.node, !r)`");
    said.says("thread 1 at MPI_Recv(b, source: 0)").says("sends[1] is []");
}

#[test]
fn a_deadlock_of_messages_names_the_transfer_that_does_not_come_about_and_what_it_lacks() {
    let waits = |test: &str| {
        let said = explain(&[&format!("litmus/mpi/deadlock-{test}.litmus"), "--outcome", "deadlock"]);
        said.exits(0);
        said
    };
    let no_send = "transfer (p = 0 or 1, q = 0), which could change that, stops at `sends[p] is Γ1 · [s] · Γ2`";
    waits("recv-recv").says(no_send);
    let no_receive = "transfer (p = 0, q = 0 or 1), which could change that, stops at `recvs[q] is Δ1 · [r] · Δ2`";
    waits("ssend-ssend").says(no_receive).says(&no_receive.replace("p = 0", "p = 1"));
    waits("ssend-self").says(no_receive);
    let other_tag = "transfer (p = 0, q = 1), which could change that, stops at `matches(s, q, r)`";
    let both = waits("ssend-tags");
    assert_eq!(both.stdout.matches(other_tag).count(), 2, "sender and receiver wait for it: {both}");
    // What a thread waits with is shown, also behind entries into which nothing has been put.
    waits("barrier-missing").says("entered[0] is [").says("entered[1] is [");
}

/// Every deadlock of the library that the model has for two ranks with nothing but messages: some rule is named that would end it.
#[test]
fn every_thread_of_a_deadlock_of_messages_is_told_a_rule_that_would_let_it_go_on() {
    let mut threads = 0;
    for test in ["missing-receive", "missing-message", "wrong-tag", "wrong-source", "waitall", "waitany", "recv-cycle"]
    {
        let file = format!("litmus/mpi/deadlock-{test}.litmus");
        let said = explain(&[&file, "--outcome", "deadlock", "--json"]);
        let told = said.exits(0).json();
        for waiting in told[0]["waiting"].as_array().unwrap_or_else(|| panic!("{said}")) {
            let stops = waiting["stops"].as_array().unwrap_or_else(|| panic!("{said}"));
            let others = stops.iter().flat_map(|s| s["could_change_that"].as_array().into_iter().flatten());
            let transfer = others.clone().any(|o| o["rule"].as_str().is_some_and(|r| r.starts_with("transfer (")));
            assert!(transfer, "{test}: {waiting:#}");
            threads += 1;
        }
    }
    assert!(threads > 7, "{threads} threads");
}

const GATES: &str = "model gates \"a letter that passes two gates\"
kind value = Int
kind register = register Int
instruction post (v: value) \"leaves a letter at the desk\"
instruction look (r: register)  form r := look()  \"reads the last letter in the box, or gives 0\"
state desk: [Int] = []
state road: [Int] = []
state box: Int = 0
state looked: Bool = false
rule post (t: Thread)
  on t: post(v)
  then desk := [v]
rule carry (n: Node)
  when desk is [v], looked
  then desk := [], road := [v]
rule deliver (n: Node)
  when road is [v], looked
  then road := [], box := v
rule look (t: Thread)
  on t: look(r)
  then r := box, looked := true
";

const LETTER: &str = "litmus rdma letter \"a letter that is posted is not in the box at the first look\"
node 1 { }
thread 1 on 1 { post(1) }
thread 2 on 1 { a := look() }
~exists 2:a = 1
  verdict gates forbidden because \"the letter is carried and delivered after the look\"
";

#[test]
fn where_no_single_change_allows_an_outcome_the_pairs_that_do_are_told() {
    let dir = folder(&[("gates.spec", GATES), ("letter.litmus", LETTER)]);
    let args = ["explain", "--spec", "gates.spec", "letter.litmus"];
    let told = litmpi_in(dir.path(), args.into_iter().chain(["--json"])).exits(1).json();
    let forbidden = &told[0]["forbidden_by"];
    assert_eq!((&forbidden["tried"], &forbidden["pairs"]), (&2.into(), &1.into()), "{forbidden:#}");
    let ways = forbidden["ways"].as_array().expect("ways");
    let [way] = &ways[..] else { panic!("one pair alone: {forbidden:#}") };
    let of: Vec<_> = way["without"].as_array().expect("changes").iter().map(|c| (&c["of"], &c["from"])).collect();
    assert_eq!(of, [(&"rule carry".into(), &"looked".into()), (&"rule deliver".into(), &"looked".into())]);
    assert_eq!(way["steps"].as_array().map(Vec::len), Some(4), "{way:#}");
    let said = litmpi_in(dir.path(), args);
    said.exits(1).says("none allows it; their one pair does.").says("   and rule deliver: the premise `looked`");
    // With one gate open, the other alone forbids it.
    let open = GATES.replacen(", looked\n", "\n", 1);
    std::fs::write(dir.path().join("gates.spec"), open).expect("a file");
    litmpi_in(dir.path(), args)
        .exits(1)
        .says("without this it would be allowed")
        .says("1. rule deliver: the premise `looked`");
}

/// The lines of a transcript in the README, between its command and its end; those that are left out there are `…`.
fn transcript(command: &str) -> Vec<String> {
    let readme = std::fs::read_to_string(root().join("README.md")).expect("a file");
    let (_, rest) =
        readme.split_once(&format!("$ {command}\n")).unwrap_or_else(|| panic!("the README shows {command}"));
    let (text, _) = rest.split_once("\n```").expect("its end");
    text.lines().filter(|l| *l != "…").map(str::to_owned).collect()
}

#[test]
fn the_condition_that_keeps_messages_in_order_is_told_as_the_readme_shows() {
    let said = explain(&["litmus/mpi/order-same-tag.litmus", "--outcome", "a=2; b=1"]);
    said.exits(1);
    let mut lines = said.stdout.lines();
    for line in transcript("litmpi explain litmus/mpi/order-same-tag.litmus --outcome 'a=2; b=1'") {
        assert!(lines.any(|l| l == line), "not there, or not in this order: {line}\n{said}");
    }
    assert_eq!(said.stdout.matches("It would come about so:").count(), 1, "nothing else forbids it: {said}");
}

#[test]
fn of_a_program_that_is_only_erroneous_the_mistake_is_shown_and_no_rule_is_looked_for_that_forbids_values() {
    let text = "litmus mpi wrong \"a send to nobody\"\nrank 0 {\n  MPI_Send(1, dest: 7)\n}\nrank 1 {\n  MPI_Recv(b, source: 0)\n}\nexists b = 1\n";
    let dir = folder(&[("wrong.litmus", text)]);
    let said = litmpi_in(dir.path(), ["explain", "wrong.litmus"]);
    said.exits(1)
        .says("The program is erroneous whatever happens")
        .says("erroneous (isend: the destination is no rank of the communicator)");
    assert!(!said.stdout.contains("forbidden by"), "{said}");
}
