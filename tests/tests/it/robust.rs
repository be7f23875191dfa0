//! `litmpi robust`: what has weak behaviours, and which conditions hold.

use crate::command::root;
use crate::support::{Said, at, folder, litmpi_in};
use serde_json::Value;

fn robust(arguments: &[&str]) -> Said {
    litmpi_in(&root(), [&["robust"], arguments].concat())
}

/// The examples of rdma-robustness: the test, whether it is robust, and what LDRF, fenced and tree-fenced say, over SC and
/// over TSO nodes alike. `+` holds, `-` fails, `~` is conservative.
const EXAMPLES: &[(&str, &str, bool, &str)] = &[
    ("Fig. 1a", "ST1", true, "+++"),
    ("Fig. 1b", "ST2", false, "-++"),
    ("Fig. 1c", "ST3", true, "+++"),
    ("Fig. 1d", "ST4", false, "-++"),
    ("Fig. 1e", "ST5", false, "-++"),
    ("Fig. 1f", "robustness/D7", false, "-+-"),
    ("Fig. 1g", "ST7", true, "+++"),
    ("Fig. 1h", "ST8", false, "-+-"),
    ("Fig. 1i", "ST9", true, "+++"),
    ("Fig. 2a", "SB3bis", false, "+--"),
    ("Fig. 2b", "LB3", false, "+--"),
    ("Fig. 2c", "LB3bis", true, "++~"),
    ("Fig. 2d; §5.1, Tree Topology, first", "SB3", false, "+--"),
    ("Fig. 2e", "Fig3e", true, "++~"),
    ("Fig. 3a", "robustness/Fig3a", true, "+++"),
    ("Fig. 3b", "robustness/Fig3b", false, "+--"),
    ("Fig. 3c", "robustness/Fig3c", true, "++~"),
    ("Fig. 5, C6", "robustness/C6+rfence", false, "+--"),
    ("Fig. 5, C6", "robustness/C6+get+polls", true, "++~"),
    ("Fig. 5, D7", "robustness/D7+rfence", true, "+++"),
    ("Fig. 5, D7", "robustness/D7+poll", true, "+++"),
    ("Fig. 5, E1", "robustness/E1", false, "-++"),
    ("Fig. 5, E1", "robustness/E1+rfence", false, "-++"),
    ("Fig. 5, E1", "robustness/E1+poll", true, "+++"),
    ("Fig. 5, E2", "robustness/E2", false, "-++"),
    ("Fig. 5, E2", "robustness/E2+poll", true, "+++"),
    ("Fig. 5, E8", "robustness/E8+rfence", false, "+--"),
    ("Fig. 5, E8", "robustness/E8+poll", true, "++~"),
    ("Fig. 6a", "robustness/Fig6a", true, "+++"),
    ("Fig. 6b", "robustness/Fig6b", true, "+~~"),
    ("Fig. 6c", "robustness/Fig6c", false, "+--"),
    ("§5.1, Private Copies", "robustness/tree-private", false, "+--"),
    ("§5.1, Private Copies", "robustness/tree-private-kept", true, "+++"),
    ("§5.1, Get in Order", "robustness/tree-gets", false, "+--"),
    ("§5.1, Get in Order", "robustness/tree-gets+rfence", true, "+++"),
    ("§5.1, Get in Order", "robustness/tree-get-put", false, "+--"),
    ("§5.1, Get in Order", "robustness/tree-get-put+rfence", true, "+++"),
    ("§5.1, Tree Topology, second", "robustness/tree-two-ways", false, "+--"),
    ("§5.1, Tree Topology, third", "robustness/tree-two-queue-pairs", false, "+--"),
    ("§5.3, star", "robustness/star-SB", true, "+++"),
    ("§5.3, star", "robustness/star-LB", true, "+++"),
    ("§5.3, star", "robustness/star-MP", true, "+++"),
    ("§5.3, star", "robustness/star-workers", true, "+++"),
];

#[test]
fn the_examples_of_the_paper_are_robust_or_not_as_it_says() {
    for model in ["rdma-sc", "rdma-tso"] {
        let files: Vec<String> = EXAMPLES.iter().map(|(_, test, ..)| format!("litmus/rdma/{test}.litmus")).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let rows = robust(&[&files[..], &["--model", model, "--json"]].concat()).exits(1).json();
        let found = rows.as_array().expect("rows");
        for (cite, test, robust, conditions) in EXAMPLES {
            let is = |r: &&Value| r["file"] == format!("litmus/rdma/{test}.litmus");
            let row = found.iter().find(is).unwrap_or_else(|| panic!("{test} is missing"));
            assert_eq!(row["robust"], *robust, "{cite} {test} {model}");
            let mark = |name: &str| {
                let all = row["conditions"].as_array().expect("conditions");
                let verdict = all.iter().find(|c| c["condition"] == name).expect("a condition")["verdict"].as_str();
                match verdict {
                    Some("holds") => '+',
                    Some("fails") => '-',
                    Some("conservative") => '~',
                    other => panic!("{other:?}"),
                }
            };
            let marks: String = ["ldrf", "fenced", "tree-fenced"].map(mark).iter().collect();
            assert_eq!(marks, *conditions, "{cite} {test} {model}");
        }
    }
}

#[test]
fn store_buffering_of_one_node_is_weak_over_tso_nodes_alone() {
    robust(&["litmus/rdma/TSO-SB.litmus", "--model", "rdma-sc"]).exits(0).says("robust under rdma-sc.cat");
    let said = robust(&["litmus/rdma/TSO-SB.litmus"]);
    said.exits(1).says("not robust under rdma-tso.cat").says("store-may-be-overtaken");
    robust(&["litmus/rdma/TSO-SB+mfences.litmus"]).exits(0);
}

#[test]
fn a_weak_execution_is_shown_with_its_cycle_and_what_is_against_a_condition_with_its_lines() {
    let said = robust(&["litmus/rdma/robustness/E1.litmus"]);
    said.exits(1)
        .says("A weak execution with x=1; which no sequentially consistent execution has")
        .says("c: lW x=2  ─mo→ b: nlW x=1")
        .says("ldrf         fails\n")
        .says("thread 1: line 5 `x := y@2` nlW x and line 6 `x := 2` lW x  (local-race spec/rdma/ldrf.cat:");
    let row = &robust(&["litmus/rdma/robustness/E1.litmus", "--json"]).exits(1).json()[0];
    assert_eq!(row["test"], "E1");
    assert_eq!(row["robust"], false);
    assert_eq!(row["weak"]["cycle"], "lW ─mo→ nlW ─po→ lW");
    assert_eq!(row["weak"]["shows"], true);
    let ldrf = row["conditions"].as_array().and_then(|c| c.iter().find(|c| c["condition"] == "ldrf"));
    let pair = &ldrf.expect("a condition")["pairs"][0];
    assert_eq!((&pair["from"]["line"], &pair["to"]["line"]), (&5.into(), &6.into()), "{row}");
    // That a program is not robust need not show in what its test observes.
    let unseen = "litmus rdma unseen \"nobody looks at the order\"\nnode 1 { x = 0 }\nnode 2 { y = 1 }\n\
                  thread 1 on 1 {\n  x := y@2\n  x := 1\n}\nexists y = 1\n";
    let dir = folder(&[("unseen.litmus", unseen)]);
    litmpi_in(dir.path(), ["robust", "unseen.litmus"])
        .exits(1)
        .says("which a sequentially consistent execution has, too");
}

#[test]
fn a_picture_of_the_weak_execution_goes_where_it_is_asked_for() {
    let dir = folder(&[]);
    let test = root().join("litmus/rdma/robustness/E1.litmus").display().to_string();
    litmpi_in(dir.path(), ["robust", &test, "--graph", "e1.svg"]).exits(1).says("wrote e1.svg");
    let svg = std::fs::read_to_string(dir.path().join("e1.svg")).expect("a picture");
    assert!(svg.contains("not robust under rdma-tso.cat"), "{svg}");
    litmpi_in(dir.path(), ["robust", &test, &test, "--graph", "e1.png"]).exits(2).says("end its name in .svg");
}

/// Loops without bounds of their own: `robust` says nothing that a longer search could refute.
const SPIN: &str = "litmus rdma spin \"a flag\"
node 1 { x = 0  y = 0 }
thread 1 on 1 { x := 1  y := 1 }
thread 2 on 1 { while (a = 0) { a := y }  b := x }
exists b = 1
";

/// A loop that writes, of which no number of rounds is enough.
const WRITES: &str = "litmus rdma writes \"a flag and a count\"
node 1 { x = 0  y = 0  z = 0 }
thread 1 on 1 { x := 1  y := 1 }
thread 2 on 1 { while (a = 0) { a := y  z := a }  b := x }
exists b = 1
";

const SB: &str = "litmus rdma SB \"store buffering\"
node 1 { x = 0  y = 0 }
thread 1 on 1 { x := 1  a := y }
thread 2 on 1 { y := 1  b := x }
exists a = 0 /\\ b = 0
";

#[test]
fn exit_codes_tell_what_came_of_it() {
    let files = [
        ("SB.litmus", SB),
        ("spin.litmus", SPIN),
        ("writes.litmus", WRITES),
        ("broken.litmus", "litmus rdma broken \"no end\"\nnode 1 {"),
    ];
    let dir = folder(&files);
    let call = |arguments: &[&str]| litmpi_in(dir.path(), [&["robust"], arguments].concat());
    call(&["spin.litmus"]).exits(0).says("robust under rdma-tso.cat");
    call(&["writes.litmus"]).exits(3).says("undecided under rdma-tso.cat").says("the unrolling of loops");
    call(&["writes.litmus", "SB.litmus"]).exits(1).says("2 tests: 0 robust, 1 not, 1 undecided");
    call(&["SB.litmus", "--model", "rdma-sc"]).exits(0);
    // What is fenced and free of races is robust however many executions it has; of what is not, they must be looked at.
    call(&["SB.litmus", "--max-states", "2", "--model", "rdma-sc"]).exits(0).says("By ldrf and fenced");
    robust(&["litmus/rdma/robustness/Fig6b.litmus", "--max-states", "2"]).exits(3).says("Bound reached");
    // Nothing is asked about outcomes, so that a test need not claim any.
    let silent = folder(&[("silent.litmus", SB.split("exists").next().expect("what stands before"))]);
    litmpi_in(silent.path(), ["robust", "silent.litmus"]).exits(1).says("A weak execution; the test observes nothing");
    // A test that cannot be read costs no other its result.
    let said = call(&["broken.litmus", "SB.litmus", "--json"]);
    let rows = said.exits(2).json();
    assert_eq!((&rows[0]["test"], &rows[0]["robust"]), (&"SB".into(), &false.into()), "{said}");
    assert!(rows[1]["left_out"].is_string() && rows[1]["test"] == "broken" && rows[1]["robust"].is_null(), "{said}");
    call(&["broken.litmus"]).exits(2).says("broken.litmus");
    let said = call(&["broken.litmus", "--json"]);
    assert_eq!(said.exits(2).json()[0]["test"], "broken", "{said}");
    call(&["nowhere.litmus"]).exits(2);
    call(&["SB.litmus", "--model", "rdma"]).exits(2).says("no declarative model is called `rdma`");
    call(&["SB.litmus", "--variant", "nosuch"]).exits(2).says("has no variant `nosuch`");
    let empty = folder(&[]);
    litmpi_in(empty.path(), ["robust", &at(&empty, "")]).exits(2);
}

#[test]
fn what_nobody_reads_and_what_cannot_be_seen_costs_no_program_its_row() {
    // `r1` is near `x1`, and `value` near `valve`, and neither is a slip of the pen where nobody asks for outcomes.
    let unread = "litmus rdma unread \"nothing is observed\"\nnode 1 { x1 = 0  valve = 0 }\nnode 2 { y2 = 0 }\n\
                  thread 1 on 1 { x1 := 1  r1 := x1  value := valve  y2@2 := x1 }\nexists true\n";
    // That it is weak is told at once; that its outcomes tell would take hours.
    let body = |n: i32, m: i32| {
        let write = |i: i32| format!("  x{n} := {}\n  y{m}@{m} := x{n}\n  r{i} := y{n}\n", 10 * n + i);
        format!("thread {n} on {n} {{\n{}}}\n", (0..3).map(write).collect::<String>())
    };
    let nodes: String = (1..=4).map(|n| format!("node {n} {{ x{n} = 0  y{n} = 0 }}\n")).collect();
    let threads: String = (1..=4).map(|n| body(n, n % 4 + 1)).collect();
    let large = format!("litmus rdma large \"a ring\"\n{nodes}{threads}exists true\n");
    let dir = folder(&[("large.litmus", &large), ("unread.litmus", unread)]);
    let rows = litmpi_in(dir.path(), ["robust", ".", "--json"]).exits(1).json();
    assert_eq!((&rows[0]["robust"], &rows[0]["weak"]["shows"]), (&false.into(), &Value::Null), "{rows:#}");
    assert_eq!((&rows[1]["test"], &rows[1]["robust"]), (&"unread".into(), &true.into()), "{rows:#}");
}

#[test]
fn instructions_of_which_a_model_says_nothing_are_told_and_are_no_mistake() {
    let said = robust(&["litmus/rdma/RMW-lock.litmus", "litmus/rdma/TSO-MP.litmus"]);
    said.exits(0)
        .says("1 of which the model says nothing")
        .says("RMW-lock.litmus:6:3")
        .says("remote-read-modify-writes");
    robust(&["litmus/rdma/RMW-lock.litmus"]).exits(4).says("nothing was run");
    let row = &robust(&["litmus/rdma/RMW-lock.litmus", "--json"]).exits(4).json()[0];
    assert!(row["robust"].is_null() && row["says_nothing"].is_string(), "{row}");
}

#[test]
fn conditions_of_ones_own_stand_beside_the_shipped_ones() {
    let own = "\"no two puts\"\ninclude \"rdma-base.cat\"\nempty [nrW]; po; [nrW] as two-puts\n";
    let open = "\"reads\"\ninclude \"rdma-base.cat\"\nempty rf as reads\n";
    let dir = folder(&[("own.cat", own), ("open.cat", open), ("SB.litmus", SB)]);
    let call = |arguments: &[&str]| litmpi_in(dir.path(), [&["robust", "SB.litmus"], arguments].concat());
    call(&["--condition", "own.cat"]).exits(1).says("own          holds");
    call(&["--condition", "open.cat"]).exits(2).says("open.cat:3:1").says("no condition on pre-executions");
    call(&["--condition", "absent.cat"]).exits(2).says("absent.cat");
    // No condition of the paper is for other models.
    let said = call(&["--model", "rdma-tso-no-pcie"]);
    said.exits(1);
    assert!(!said.stdout.contains("ldrf"), "{said}");
}

#[test]
fn the_same_bytes_come_of_any_number_of_threads() {
    let one = robust(&["litmus/rdma/robustness", "--jobs", "1", "--json"]);
    let four = robust(&["litmus/rdma/robustness", "--jobs", "4", "--json"]);
    assert_eq!(one.stdout, four.stdout);
}

#[test]
fn the_page_on_robustness_shows_what_the_command_says() {
    let page = std::fs::read_to_string(root().join("docs/robust.md")).expect("the page");
    let blocks = page.split("```console\n").skip(1).filter_map(|b| b.split("\n```").next());
    let mut shown = 0;
    for transcript in blocks.flat_map(|b| b.split("$ litmpi ").skip(1)) {
        let (command, output) = transcript.split_once('\n').expect("a command and what it prints");
        let said = litmpi_in(&root(), command.split(' '));
        let trimmed = |text: &str| text.trim_end().lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
        assert_eq!(trimmed(&said.stdout), trimmed(output), "litmpi {command}\n{said}");
        shown += 1;
    }
    assert_eq!(shown, 3);
}

/// A program of many puts that is fenced and free of races, and has more executions than can be looked at; with `racy`, its first thread writes
/// what it is putting.
fn large(racy: bool) -> String {
    let mut text = "litmus rdma large \"\"\nnode 1 {".to_owned();
    (1..=9).for_each(|i| text += &format!(" a{i} = 0 "));
    text += "}\nnode 2 {";
    (1..=9).for_each(|i| text += &format!(" x{i} = 0 "));
    text += "}\nthread 1 on 1 {\n";
    (1..=9).for_each(|i| text += &format!("  x{i}@2 := a{i}\n"));
    if racy {
        text += "  a9 := 1\n";
    }
    text += "}\n";
    for thread in 2..=4 {
        text += &format!("thread {thread} on 2 {{\n");
        (1..=9).for_each(|i| text += &format!("  r{i} := x{i}\n"));
        (1..=3).for_each(|i| text += &format!("  x{} := {thread}\n", 3 * (thread - 2) + i));
        text += "}\n";
    }
    text + "exists true\n"
}

#[test]
fn of_a_large_program_a_weak_execution_is_found_soon_and_conditions_that_are_enough_decide() {
    let dir = folder(&[("large.litmus", &large(false)), ("racy.litmus", &large(true))]);
    let call = |arguments: &[&str]| litmpi_in(dir.path(), arguments);
    let said = call(&["robust", "large.litmus", "--max-states", "200000", "--json"]);
    let row = &said.exits(0).json()[0];
    assert_eq!(
        (&row["robust"], &row["by"]),
        (&serde_json::json!(true), &serde_json::json!(["ldrf", "fenced"])),
        "{said}"
    );
    call(&["robust", "large.litmus"]).exits(0).says("By ldrf and fenced, which hold");
    call(&["robust", "racy.litmus"]).exits(1).says("a9");
}
