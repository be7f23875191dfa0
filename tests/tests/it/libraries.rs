//! Layers as libraries: what `litmpi emit --layer` makes is compiled, linked with a program, and run on the emulated NIC, which
//! holds back what the rules let it hold back. The layers' own planted mistakes lose or break something there.

use crate::command::{binary, root};
use crate::nic::nic_is_here;
use crate::support::{Said, folder, litmpi_in};
use std::path::Path;
use std::process::Command;

/// What of a layer is set: its words are told to the program, too.
fn settings<'s>(set: &[&'s str]) -> impl Iterator<Item = &'s str> + Clone {
    set.iter().copied().flat_map(|s| ["--set", s])
}

/// A program of `tests/layers` with the libraries of some layers, run as several processes.
fn runs(program: &str, layers: &[&str], set: &[&str], nodes: u32, rounds: u32) -> Said {
    let sources = root().join("tests/layers");
    let read = |name: &str| std::fs::read_to_string(sources.join(name)).expect("it is there");
    let main = format!("{program}.c");
    let dir = folder(&[("launch.h", &read("launch.h")), (&main, &read(&main))]);
    for (i, layer) in layers.iter().enumerate() {
        let into = format!("layer{i}");
        litmpi_in(dir.path(), ["emit", "--layer", layer, "-o", &into].into_iter().chain(settings(set))).exits(0);
        for file in std::fs::read_dir(dir.path().join(into)).expect("it was written") {
            let file = file.expect("it can be read");
            std::fs::copy(file.path(), dir.path().join(file.file_name())).expect("it can be copied");
        }
    }
    let usual = if program == "team" { "1" } else { "2" };
    let words = set.iter().find_map(|s| s.strip_prefix("words=")).unwrap_or(usual);
    let built = Command::new("sh")
        .args(["-c", &format!("cc -std=c11 -O2 -Wall -Wextra -Werror -DWORDS={words} -o program *.c -libverbs")])
        .current_dir(dir.path())
        .output()
        .expect("sh starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    on_nic(dir.path(), "./program", nodes, rounds)
}

fn on_nic(dir: &Path, program: &str, nodes: u32, rounds: u32) -> Said {
    let (nodes, rounds) = (nodes.to_string(), rounds.to_string());
    let program = ["--", "timeout", "600", program, nodes.as_str(), rounds.as_str()];
    litmpi_in(dir, ["nic", "--scheduler", "adversarial"].into_iter().chain(program))
}

/// The same in Rust: a program of `tests/layers/rust` and a layer's crate; `cargo` says what is done with them.
fn crate_of(program: &str, layer: &str, set: &[&str], cargo: &[&str]) -> (tempfile::TempDir, std::process::Output) {
    let sources = root().join("tests/layers/rust");
    let read = |name: &str| std::fs::read_to_string(sources.join(name)).expect("it is there");
    let name = layer.split(':').next().expect("a name");
    let manifest = format!(
        "[package]\nname = \"program\"\nedition = \"2024\"\n[dependencies]\nlitmpi-net = {{ path = \"litmpi-net\" }}\n\
         {name} = {{ path = \"{name}\" }}\n[workspace]\nmembers = [\"litmpi-net\", \"{name}\"]\n"
    );
    let dir = folder(&[
        ("Cargo.toml", &manifest),
        ("src/main.rs", &read(&format!("{program}.rs"))),
        ("src/launch.rs", &read("launch.rs")),
    ]);
    let emit = ["emit", "--lang", "rust", "--layer", layer, "-o", "."];
    litmpi_in(dir.path(), emit.into_iter().chain(settings(set))).exits(0);
    let compiled = Path::new(env!("CARGO_TARGET_TMPDIR")).join("layers");
    let output = Command::new("cargo")
        .args(cargo)
        .current_dir(dir.path())
        .env("CARGO_TARGET_DIR", &compiled)
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "{layer}: {}", String::from_utf8_lossy(&output.stderr));
    if cargo[0] == "build" {
        std::fs::copy(compiled.join("release/program"), dir.path().join("program")).expect("it was built");
    }
    (dir, output)
}

fn runs_in_rust(program: &str, layer: &str, set: &[&str], nodes: u32, rounds: u32) -> Said {
    let (dir, _) = crate_of(program, layer, set, &["build", "--release", "--quiet"]);
    on_nic(dir.path(), "./program", nodes, rounds)
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
    whole("wide", &["loco-wide"], &["words=8"], 3, 300);
    whole("wide-ring", &["loco-wide-ring"], &["words=512", "slots=3"], 3, 200);
    whole("team", &["puts-team"], &["words=4"], 4, 100);
}

#[test]
fn libraries_in_rust_lose_nothing_on_an_adversarial_nic_and_their_mistakes_show() {
    if !nic_is_here() {
        return;
    }
    let whole = |program, layer, set: &[&str], nodes, rounds| {
        runs_in_rust(program, layer, set, nodes, rounds).exits(0).says("nothing lost");
    };
    whole("wide-ring", "loco-wide-ring", &["words=8", "slots=64"], 3, 1000);
    whole("wide", "loco-wide", &["words=8"], 3, 300);
    whole("team", "puts-team", &["words=4"], 4, 100);
    let lost = |program: &str, layer: &str, says: &str| {
        runs_in_rust(program, layer, &[], 3, 20_000).exits(1).says(says);
    };
    for mistake in ["head-first", "no-wait", "reused-early"] {
        lost("wide-ring", &format!("loco-wide-ring:{mistake}"), "is not the next one");
    }
    lost("wide", "loco-wide:unchecked", "part of one value and part of another");
    for mistake in ["unasked", "number-first", "unsettled"] {
        lost("team", &format!("puts-team:{mistake}"), "is not the next one");
    }
    lost("team", "puts-team:no-round", "came out of the barrier before");
}

/// Rank 0, a process in C, and two in Rust, or the other way round; they meet in a folder or by TCP.
#[test]
fn processes_in_c_and_in_rust_meet() {
    if !nic_is_here() {
        return;
    }
    let (dir, _) = crate_of("wide-ring", "loco-wide-ring", &["words=8"], &["build", "--release", "--quiet"]);
    let emit = ["emit", "--layer", "loco-wide-ring", "--set", "words=8", "-o", "c"];
    litmpi_in(dir.path(), emit).exits(0);
    let layers = root().join("tests/layers");
    let build = "cc -std=c11 -O2 -DWORDS=8 -I c -o alone \"$0/wide-ring-alone.c\" c/*.c -libverbs";
    let built =
        Command::new("sh").args(["-c", build]).arg(&layers).current_dir(dir.path()).output().expect("sh starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let all = "export LITMPI_NODES=3; export LITMPI_MEET=$4\n\
               LITMPI_RANK=$1 ./alone 100 & a=$!; LITMPI_RANK=$2 ./program 3 100 & b=$!; LITMPI_RANK=$3 ./program 3 100 & c=$!\n\
               wait $a && wait $b && wait $c";
    std::fs::write(dir.path().join("all.sh"), all).expect("it can be written");
    let port = std::net::TcpListener::bind(("::", 0)).and_then(|l| l.local_addr()).expect("a port").port();
    for (ranks, meet) in [(["0", "1", "2"], "./folder".to_owned()), (["1", "0", "2"], format!("localhost:{port}"))] {
        std::fs::create_dir_all(dir.path().join("folder")).expect("a folder can be made");
        let run = ["nic", "--scheduler", "adversarial", "--", "timeout", "120", "sh", "all.sh"];
        litmpi_in(dir.path(), run.into_iter().chain(ranks).chain([meet.as_str()])).exits(0);
    }
}

#[test]
fn crates_of_layers_leave_clippy_nothing_to_say_and_their_examples_compile() {
    let clippy = ["clippy", "--workspace", "--quiet", "--", "-D", "warnings"];
    for layer in ["puts-team", "loco-barrier", "loco-ring-buffer"] {
        // The program is of another layer: it is left out by its name.
        let program = if layer == "puts-team" { "team" } else { "none" };
        crate_of(program, layer, &[], &clippy);
        crate_of(program, layer, &[], &["test", "--doc", "--package", layer, "--quiet"]);
    }
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
    for mistake in ["head-first", "no-wait", "reused-early"] {
        lost("wide-ring", &[&format!("loco-wide-ring:{mistake}")], 3, 20_000, "is not the next one");
    }
    lost("wide", &["loco-wide:unchecked"], 2, 100_000, "part of one value and part of another");
    for mistake in ["unasked", "number-first", "unsettled"] {
        lost("team", &[&format!("puts-team:{mistake}")], 3, 20_000, "is not the next one");
    }
    lost("team", &["puts-team:no-round"], 3, 20_000, "came out of the barrier before");
}

/// Small clients of an emitted library on the emulated NIC, against the outcomes that the specification has of them.
fn clients(arguments: &[&str]) -> Option<std::process::Output> {
    let script = root().join("tests/layers/clients.py");
    Command::new("python3").arg(script).arg(binary()).args(arguments).current_dir(root()).output().ok()
}

#[test]
fn what_clients_of_a_library_come_to_is_allowed_by_its_specification() {
    if !nic_is_here() {
        return;
    }
    let Some(right) = clients(&["--clients", "12", "--rounds", "60"]) else {
        println!("skipped: there is no python3 (./dev setup python)");
        return;
    };
    let said = String::from_utf8_lossy(&right.stdout);
    assert!(right.status.success(), "{said}{}", String::from_utf8_lossy(&right.stderr));
    assert_eq!(said.matches("clients with an outcome that it has not: 0").count(), 3, "{said}");
    for (layer, mistake) in [("ring", "head-first"), ("team", "number-first"), ("barrier", "no-wait")] {
        let wrong = clients(&["--clients", "12", "--rounds", "100", "--layers", layer, "--mistake", mistake])
            .expect("it ran before");
        assert_eq!(wrong.status.code(), Some(1), "{layer} {mistake}: {}", String::from_utf8_lossy(&wrong.stdout));
    }
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
    mailbox("b.letter[here] := v", "choose { b.letter[here] := v } or { }")
        .exits(2)
        .says("a choice has no place in a library");
    mailbox("b.letter[here] := v", "rfence(1)").exits(2).says("`rfence` has no place in a library");
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
    emits(&["puts-team", "-o", "team"]).exits(0);
    std::fs::write(dir.path().join("team/program.cc"), "#include \"puts-team.h\"\n").expect("it can be written");
    let program = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "team/program.cc"];
    if let Ok(checked) = Command::new("g++").args(program).current_dir(dir.path()).output() {
        assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
    }
    emits(&["loco-barrier", "--lang", "rust"]).exits(0).says("pub fn bar(&self) -> Result<()>");
    emits(&["loco-wide", "--set", "words=0"]).exits(2).says("nothing says how many");
}
