//! Output that cannot be written, that nobody reads, and that others wrote: it changes no verdict, and no terminal obeys it.

use crate::command::{binary, root};
use crate::support::{at, folder, litmpi_in};
use std::fs::{File, OpenOptions};
use std::path::Path;
use std::process::{Command, Stdio};

/// A test with a verdict that does not hold.
const BAD: &str = "litmus rdma bad \"the verdict is wrong\"
node 1 { x = 0 }
thread 1 on 1 { a := x }
exists a = 1
  verdict rdma-tso allowed because \"it is not\"
";

fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").expect("a device that is always full")
}

/// How a command ends whose standard output is this.
fn code(arguments: &[&str], folder: &Path, output: impl Into<Stdio>) -> (Option<i32>, String) {
    let mut command = Command::new(binary());
    command.args(arguments).current_dir(folder).stdin(Stdio::null()).stdout(output).stderr(Stdio::piped());
    let done = command.spawn().expect("litmpi starts").wait_with_output().expect("litmpi ends");
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

/// A command of each kind that prints to standard output, on the test above.
const COMMANDS: &[&[&str]] = &[
    &["--help"],
    &["--version"],
    &["check", "--help"],
    &["check", "bad.litmus"],
    &["check", "bad.litmus", "--json"],
    &["enumerate", "bad.litmus"],
    &["enumerate", "bad.litmus", "--json"],
    &["enumerate", "bad.litmus", "--depends"],
    &["compare", "bad.litmus", "--models", "rdma-tso,rdma-tso.cat"],
    &["compare", "bad.litmus", "--models", "rdma-tso", "--json"],
    &["coverage", "bad.litmus"],
    &["coverage", "bad.litmus", "--json"],
    &["explain", "bad.litmus", "--outcome", "a=0"],
    &["robust", "bad.litmus"],
    &["robust", "bad.litmus", "--json"],
    &["mend", "bad.litmus"],
    &["emit", "bad.litmus"],
    &["emit", "bad.litmus", "-o", "emitted"],
    &["generate", "x86", "--size", "2"],
    &["generate", "x86", "--size", "2", "-o", "generated"],
    &["suite", "suite", "--from", "order.litmus"],
    &["nic", "--mutants"],
    &["lab", "status", "--json"],
    &["targets", "--json"],
];

#[test]
fn output_that_cannot_be_written_ends_no_command_well() {
    let order = std::fs::read_to_string(root().join("litmus/mpi/order-causal.litmus")).expect("a test");
    for arguments in COMMANDS {
        let dir = folder(&[("bad.litmus", BAD), ("order.litmus", &order)]);
        let (code, said) = code(arguments, dir.path(), full());
        assert_eq!(code, Some(2), "{arguments:?}\n{said}");
        assert!(said.contains("cannot write to standard output"), "{arguments:?}\n{said}");
    }
    // One that is open for reading alone is one, too.
    let dir = folder(&[("bad.litmus", BAD)]);
    let unwritable = File::open(dir.path().join("bad.litmus")).expect("it is there");
    let (code, said) = code(&["check", "bad.litmus"], dir.path(), unwritable);
    assert_eq!(code, Some(2), "{said}");
}

#[test]
fn a_reader_that_goes_away_changes_no_verdict() {
    let dir = folder(&[("bad.litmus", BAD)]);
    for (arguments, expected) in
        [(&["check", "bad.litmus"][..], 1), (&["enumerate", "bad.litmus"], 0), (&["check", "absent.litmus"], 2)]
    {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        let (code, said) = code(arguments, dir.path(), writer);
        assert_eq!(code, Some(expected), "{arguments:?}\n{said}");
    }
}

#[test]
fn standard_error_that_cannot_be_written_changes_no_verdict() {
    let dir = folder(&[("bad.litmus", BAD)]);
    for (arguments, expected) in [(&["check", "bad.litmus"][..], 1), (&["check", "absent.litmus"], 2), (&["chekc"], 2)]
    {
        let mut command = Command::new(binary());
        command.args(arguments).current_dir(dir.path()).stdout(Stdio::null()).stderr(full());
        assert_eq!(command.status().expect("litmpi runs").code(), Some(expected), "{arguments:?}");
    }
}

#[test]
fn files_that_cannot_be_written_end_no_command_well() {
    let dir = folder(&[("bad.litmus", BAD)]);
    let link = |name: &str| std::os::unix::fs::symlink("/dev/full", dir.path().join(name)).expect("a link");
    link("graph.svg");
    let graph = at(&dir, "graph.svg");
    litmpi_in(dir.path(), ["explain", "bad.litmus", "--outcome", "a=0", "--graph", &graph])
        .exits(2)
        .says("No space left on device");
}

/// What a terminal may obey: clearing the screen, setting its title, going back, C1, turning the direction.
const CONTROLS: &str = "\x1b[2J\x1b]0;title\x07 \rback \u{9b}1m \u{202e}";

#[test]
fn control_characters_of_others_reach_no_terminal() {
    let told =
        BAD.replace("it is not", &format!("it is not {CONTROLS}")).replace("wrong", &format!("wrong {CONTROLS}"));
    let broken = format!("litmus rdma {CONTROLS}");
    let target = format!(
        "[[target]]\nname = \"t{}\"\nfamily = \"mpi\"\ndescription = \"d\"\ncompiler = [\"cc\"]\nlaunch = [\"sh\", \"{{program}}\"]\nmissing = \"m\"\nget = \"g\"\n[target.probe]\ncommand = [\"printf\", 'version 1 \\033[2J \\302\\233']\nexpect = []\n",
        r"\u001b[2J\u009b"
    );
    let known = "[[known]]\n\"\\u001b[2Jtests\" = 1\n";
    let name = format!("name{CONTROLS}.litmus").replace('\r', "");
    let dir = folder(&[
        ("told.litmus", &told),
        ("broken.litmus", &broken),
        ("targets.toml", &target),
        ("known.toml", known),
        (&name, BAD),
    ]);
    for arguments in [
        &["check", "told.litmus"][..],
        &["check", "told.litmus", "--json"],
        &["enumerate", "told.litmus"],
        &["explain", "told.litmus", "--outcome", "a=0"],
        &["emit", "told.litmus"],
        &["compare", "told.litmus", "--models", "rdma-tso"],
        &["check", "broken.litmus"],
        &["check", &name],
        &["targets", "--targets", "targets.toml"],
        &["run", "told.litmus", "--known", "known.toml"],
        &["run", "told.litmus", "--target", "\u{1b}[2J"],
        &["enumerate", "told.litmus", "--variant", "\u{1b}[2J"],
        &["\u{1b}[2J"],
    ] {
        let said = litmpi_in(dir.path(), arguments);
        let obeyed = |c: char| (c.is_control() && c != '\n' && c != '\t') || c == '\u{202e}';
        for text in [&said.stdout, &said.stderr] {
            assert!(!text.contains(obeyed), "{arguments:?}\n{text:?}");
        }
    }
}
