//! `litmpi mend`: programs are robust behind it, at the least cost, and keep what they may do.

use crate::command::root;
use crate::support::{Said, folder, litmpi_in};

fn mend(arguments: &[&str]) -> Said {
    litmpi_in(&root(), [&["mend"], arguments].concat())
}

#[test]
fn mended_programs_are_robust_in_every_form_of_the_model_and_at_no_more_cost_than_by_the_figure() {
    let dir = folder(&[]);
    let tests = ["ST2", "ST4", "ST8", "SB3", "SB3bis", "LB3", "RFF1", "GFP1", "TSO-SB", "robustness"];
    let files: Vec<String> = tests
        .iter()
        .map(|t| root().join("litmus/rdma").join(t))
        .map(|p| if p.is_dir() { p.display().to_string() } else { format!("{}.litmus", p.display()) })
        .collect();
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let said = litmpi_in(dir.path(), [&["mend", "--json", "--out", "mended"], &files[..]].concat());
    let rows = said.exits(0).json();
    let (mut mended, mut dearer) = (0, 0);
    for row in rows.as_array().expect("rows") {
        let (Some(cost), quick) = (row["mended"]["cost"].as_u64(), &row["by_figure"]) else {
            assert_eq!(row["came"], "nothing to mend", "{row}");
            continue;
        };
        assert_eq!(quick["which"], "does", "{row}");
        assert!(quick["cost"].as_u64().is_some_and(|q| q >= cost), "{row}");
        mended += 1;
        dearer += usize::from(quick["cost"].as_u64() > Some(cost));
    }
    assert!(mended >= 20 && dearer >= 2, "{mended} mended, {dearer} at less cost than by the figure");
    for model in ["rdma-tso", "rdma-tso-robust"] {
        litmpi_in(dir.path(), ["robust", "mended", "--model", model]).exits(0).says(&format!("{mended} robust, 0 not"));
    }
    // The rules have the outcomes of threads that take turns, too; they know deadlocks, of which there are none.
    let models = ["compare", "mended", "--models", "rdma-tso,rdma-tso-simplified,sc.cat"];
    litmpi_in(dir.path(), models).exits(0).says(&format!("{mended} tests, 0 with different outcomes"));
}

#[test]
fn the_cheapest_insertions_are_shown_as_a_patch() {
    let said = mend(&["litmus/rdma/RFF1.litmus"]);
    said.exits(0)
        .says("mended under rdma-tso.cat at cost 500: rfence towards node 2 behind `a := y@2`")
        .says("By rdma-robustness Fig. 5: cost 3000, which does")
        .says("+++ b/litmus/rdma/RFF1.litmus")
        .says("\n   a := y@2\n+  rfence(2)\n   y@2 := 2\n");
    mend(&["litmus/rdma/robustness/Fig6b.litmus"]).exits(0).says("nothing to mend");
    mend(&["litmus/rdma/TSO-SB.litmus", "--model", "rdma-sc"]).exits(0).says("nothing to mend under rdma-sc.cat");
}

#[test]
fn an_outcome_is_forbidden_and_others_are_kept() {
    let sb = "litmus/rdma/TSO-SB.litmus";
    mend(&[sb, "--forbid", "a=0; b=0"]).exits(0).says("at cost 40");
    // Where threads take turns, this may come about.
    mend(&[sb, "--forbid", "a=1; b=0"]).exits(1).says("cannot be mended").says("a=1; b=0;");
    mend(&[sb, "--forbid", "a=0; b=0", "--keep", "a=1; b=1"]).exits(0).says("at cost 40");
    mend(&[sb, "--forbid", "a=0; b=0", "--keep", "a=0; b=0"]).exits(1).says("cannot be mended");
    mend(&[sb, "--forbid", "c=0"]).exits(2).says("no part of an outcome");
}

#[test]
fn what_may_be_put_in_and_its_cost_is_a_table() {
    let file = root().join("litmus/rdma/robustness/E8+rfence.litmus").display().to_string();
    let only = "[[insertion]]\nname = \"mfence\"\nstatements = [\"mfence()\"]\ncost = 1\n";
    let wrong = "[[insertion]]\nname = \"x\"\nstatements = [\"nothing()\"]\ncost = 1\n";
    let unknown = "[[order]]\nearlier = [\"lW\"]\nlater = [\"lR\"]\ninsert = \"hope\"\n";
    let files =
        [("only.toml", only), ("wrong.toml", wrong), ("unknown.toml", unknown), ("broken.toml", "insertion = 3\n")];
    let dir = folder(&files);
    let call = |table: &str| litmpi_in(dir.path(), ["mend", &file, "--costs", table]);
    call("only.toml").exits(1).says("cannot be mended under rdma-tso.cat").says("none of the sets of");
    call("wrong.toml").exits(2).says("what the table puts into").says("nothing");
    call("unknown.toml").exits(2).says("unknown.toml:4:11").says("no insertion is called so");
    call("broken.toml").exits(2).says("broken.toml:1:");
    call("absent.toml").exits(2).says("absent.toml");
}

#[test]
fn loops_and_branches_are_mended_too_and_bounds_are_told() {
    let branch = "litmus rdma branch \"a put in a branch\"\nnode 1 { x = 0  y = 1 }\nnode 2 { z = 0 }\nthread 1 on 1 {\n  a := y\n  \
                  if (a = 1) {\n    z@2 := x\n    x := 1\n  }\n}\nexists z = 1\n";
    let rounds = "litmus rdma rounds \"a put in each round\"\nnode 1 { x = 0 }\nnode 2 { z = 0 }\nthread 1 on 1 {\n  i := 0\n  \
                  while (i < 2) bound 2 {\n    z@2 := x\n    x := i + 1\n    i := i + 1\n  }\n}\nexists z = 2\n";
    let dir = folder(&[("branch.litmus", branch), ("rounds.litmus", rounds)]);
    let call = |arguments: &[&str]| litmpi_in(dir.path(), [&["mend"], arguments].concat());
    call(&["branch.litmus"]).exits(0).says("at cost 2000").says("+    poll(2)");
    call(&["rounds.litmus"]).exits(0).says("at cost 2000").says("+    poll(2)");
    call(&["branch.litmus", "--most", "2"]).exits(3).says("undecided");
    mend(&["litmus/rdma/RMW-lock.litmus"]).exits(4).says("says nothing of it");
    mend(&["litmus/mpi/order-causal.litmus"]).exits(2);
}

/// A thread that waits in a loop that states no bound: `inside` is what it does in each round.
fn waiting(inside: &str) -> String {
    format!(
        "litmus rdma waiting \"a put and its flag\"\nnode 1 {{ f = 0  x = 5 }}\nnode 2 {{ y = 0 }}\nthread 1 on 1 {{\n  a := f\n  while a = 0 {{\n    \
         a := f\n{inside}  }}\n  y@2 := x\n  x := 6\n}}\nthread 2 on 2 {{\n  f@1 := 1\n}}\nexists true\n"
    )
}

#[test]
fn a_loop_that_only_reads_is_decided_though_it_states_no_bound() {
    let dir = folder(&[("reads.litmus", &waiting("")), ("writes.litmus", &waiting("    x := a\n"))]);
    let call = |arguments: &[&str]| litmpi_in(dir.path(), arguments);
    let mended = call(&["mend", "reads.litmus", "--output", "out"]);
    mended.exits(0).says("at cost 2000").says("+  poll(2)");
    assert!(!mended.stdout.contains("Bound reached"), "{mended}");
    call(&["robust", "out/waiting.litmus"]).exits(0).says("robust under");
    call(&["robust", "reads.litmus"]).exits(1);
    // Two rounds may not show what three do.
    call(&["robust", "out/waiting.litmus", "--unroll", "2"]).exits(3).says("the unrolling of loops (--unroll 2)");
    // What writes in each round is looked at for some rounds, and that is said.
    let bound = call(&["mend", "writes.litmus"]);
    bound
        .exits(3)
        .says("Bound reached: loops were looked at for 4 rounds (--unroll), and may have more")
        .says("+  poll(2)");
}

#[test]
fn what_nobody_reads_is_no_mistake_where_no_outcome_is_asked_about() {
    let text = "litmus rdma unread \"\"\nnode 1 { x = 0 }\nnode 2 { y = 0 }\nthread 1 on 1 {\n  x := y@2\n  r := x\n}\nexists true\n";
    let dir = folder(&[("unread.litmus", text)]);
    litmpi_in(dir.path(), ["mend", "unread.litmus"]).exits(0).says("+  poll(2)");
}

#[test]
fn what_cannot_be_mended_by_insertions_says_why() {
    // Threads that take turns come to it.
    mend(&["litmus/rdma/MP1.litmus", "--forbid", "a=0; b=0"])
        .exits(1)
        .says("cannot be mended")
        .says("threads that take turns come to");
    // Fences alone do not wait for what a put has written.
    let dir = folder(&[("fences.toml", "[[insertion]]\nname = \"rfence\"\nstatements = [\"rfence(N)\"]\ncost = 1\n")]);
    let costs = dir.path().join("fences.toml");
    let said = mend(&["litmus/rdma/2+2W3.litmus", "--costs", costs.to_str().expect("a path")]);
    said.exits(1).says("cannot be mended").says("none of the sets of 4 insertions does");
}

#[test]
fn what_is_polled_before_leaves_a_later_poll_of_the_program_something_to_poll() {
    let text = "litmus rdma later \"\"\nnode 1 { y = 0 }\nnode 2 { x = 0 }\nthread 1 on 1 {\n  x@2 := 2\n  y := 1\n  poll(2)\n}\n\
                thread 2 on 2 {\n  y@1 := 2\n  x := 1\n  poll(1)\n}\nexists x = 2 /\\ y = 2\n";
    let dir = folder(&[("later.litmus", text)]);
    let said = litmpi_in(dir.path(), ["mend", "later.litmus", "--output", "out"]);
    // Two gets with their polls behind each put: the second poll is of the first get, and the program's own is of the second one.
    said.exits(0).says("at cost 10000");
    litmpi_in(dir.path(), ["robust", "out/later.litmus"]).exits(0);
}

#[test]
fn programs_of_one_name_are_written_beside_each_other_and_none_over_what_was_mended() {
    let text = "litmus rdma same \"\"\nnode 1 { x = 0 }\nnode 2 { y = 0 }\nthread 1 on 1 {\n  x := y@2\n  r := x\n}\nexists true\n";
    let dir = folder(&[("one.litmus", text), ("same.litmus", &text.replace("r := x", "s := x"))]);
    let said = litmpi_in(dir.path(), ["mend", "one.litmus", "same.litmus", "-o", "out"]);
    said.exits(0).says("wrote out/same.litmus").says("wrote out/same-2.litmus");
    let read = |name: &str| std::fs::read_to_string(dir.path().join(name)).expect("a file");
    assert!(read("out/same.litmus").contains("r := x") && read("out/same-2.litmus").contains("s := x"), "{said}");
    let over = litmpi_in(dir.path(), ["mend", "same.litmus", "-o", "."]);
    over.exits(2).says("./same.litmus is a test that is to be mended").says("give another folder");
    assert!(!read("same.litmus").contains("poll"), "{over}");
    let drawn = litmpi_in(dir.path(), ["robust", "one.litmus", "same.litmus", "-o", "drawn"]);
    drawn.exits(1);
    let all = std::fs::read_dir(dir.path().join("drawn")).expect("a folder");
    let names: std::collections::BTreeSet<String> =
        all.map(|f| f.expect("a file").file_name().to_string_lossy().into_owned()).collect();
    assert!(names.contains("same-weak.svg") && names.contains("same-2-weak.svg"), "{names:?}");
}
