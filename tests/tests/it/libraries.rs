//! Layers as libraries: what `litmpi emit --layer` makes is compiled, linked with a program, and run on the emulated NIC, which
//! holds back what the rules let it hold back. The layers' own planted mistakes lose or break something there.

use crate::command::root;
use crate::nic::nic_is_here;
use crate::support::{Said, folder, litmpi_in};
use std::process::Command;

/// A program of `tests/layers` with the libraries of some layers, run as several processes.
fn runs(program: &str, layers: &[&str], set: &[&str], nodes: u32, rounds: u32) -> Said {
    let sources = root().join("tests/layers");
    let read = |name: &str| std::fs::read_to_string(sources.join(name)).expect("it is there");
    let main = format!("{program}.c");
    let dir = folder(&[("launch.h", &read("launch.h")), (&main, &read(&main))]);
    for (i, layer) in layers.iter().enumerate() {
        let into = format!("layer{i}");
        let set = set.iter().flat_map(|s| ["--set", s]);
        litmpi_in(dir.path(), ["emit", "--layer", layer, "-o", &into].into_iter().chain(set)).exits(0);
        for file in std::fs::read_dir(dir.path().join(into)).expect("it was written") {
            let file = file.expect("it can be read");
            std::fs::copy(file.path(), dir.path().join(file.file_name())).expect("it can be copied");
        }
    }
    let built = Command::new("sh")
        .args(["-c", "cc -std=c11 -O2 -Wall -Wextra -Werror -o program *.c -libverbs"])
        .current_dir(dir.path())
        .output()
        .expect("sh starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let (nodes, rounds) = (nodes.to_string(), rounds.to_string());
    let program = ["--", "timeout", "600", "./program", nodes.as_str(), rounds.as_str()];
    litmpi_in(dir.path(), ["nic", "--scheduler", "adversarial"].into_iter().chain(program))
}

#[test]
fn libraries_of_layers_lose_nothing_on_an_adversarial_nic() {
    if !nic_is_here() {
        return;
    }
    let whole = |program, layers: &[&str], set: &[&str], nodes, rounds| {
        runs(program, layers, set, nodes, rounds).exits(0).says("nothing lost");
    };
    whole("ring", &["loco-ring-buffer"], &[], 3, 300);
    whole("ring", &["loco-ring-buffer"], &["slots=64"], 2, 1000);
    whole("barrier", &["loco-barrier"], &[], 3, 50);
    whole("variable", &["loco-barrier", "loco-shared-variable"], &[], 2, 100);
    whole("mixed", &["loco-mixed-size"], &[], 3, 500);
}

#[test]
fn every_planted_mistake_of_a_layer_shows_in_its_library() {
    if !nic_is_here() {
        return;
    }
    let lost = |program, layers: &[&str], nodes, rounds, says| {
        runs(program, layers, &[], nodes, rounds).exits(1).says(says);
    };
    for mistake in ["head-first", "no-wait", "reused-early"] {
        lost("ring", &[&format!("loco-ring-buffer:{mistake}")], 3, 20_000, "is not the next one");
    }
    for mistake in ["no-wait", "no-fence", "flag-first"] {
        lost("barrier", &[&format!("loco-barrier:{mistake}")], 2, 5000, "before the barrier is not");
    }
    for mistake in ["fence-without-wait", "fence-by-puts"] {
        let layer = format!("loco-shared-variable:{mistake}");
        lost("variable", &["loco-barrier", &layer], 2, 10_000, "neither saw the other");
    }
    lost("mixed", &["loco-mixed-size:unchecked"], 2, 100_000, "half of one pair and half of another");
}

/// The mailbox of the examples with its body changed.
fn mailbox(from: &str, to: &str) -> Said {
    let changed = include_str!("../../examples/mailbox-by-puts.spec").replacen(from, to, 1);
    let dir =
        folder(&[("mailbox.spec", include_str!("../../examples/mailbox.spec")), ("mailbox-by-puts.spec", &changed)]);
    litmpi_in(dir.path(), ["emit", "--layer", "mailbox-by-puts.spec"])
}

#[test]
fn a_layer_of_ones_own_is_a_library_or_it_is_said_where_it_is_none() {
    mailbox("", "").exits(0).says("void mailbox_by_puts_post(struct mailbox_by_puts_box *b_, int64_t v_)");
    mailbox("b.letter[here] := v", "choose { b.letter[here] := v } or { }").exits(2).says("a choice has no C");
    mailbox("b.letter[here] := v", "rfence(1)").exits(2).says("`rfence` has no C in a library");
    mailbox("b.letter[here] := v", "for m in others { b.letter[m] := v }").exits(2).says("may be on another node");
    mailbox("b.letter[here] := v", "d := v").exits(2).says("a number here and a work identifier elsewhere");
    let dir = folder(&[]);
    let emits = |args: &[&str]| litmpi_in(dir.path(), ["emit", "--layer"].iter().chain(args));
    emits(&["rdma-tso"]).exits(2).says("rdma-tso is no layer");
    emits(&["loco-barriers"]).exits(2);
    emits(&["loco-barrier:no-such"]).exits(2);
    emits(&["loco-ring-buffer", "--set", "slot=8"]).exits(2).says("it has: slots, room");
    emits(&["loco-ring-buffer", "--set", "slots"]).exits(2).says("write `--set slots=1024`");
    emits(&["loco-ring-buffer", "--set", "slots=0"]).exits(2).says("the size of memory is a positive number");
    emits(&["loco-barrier", "--lang", "rust"]).exits(2).says("are in C");
}
