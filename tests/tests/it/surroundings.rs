//! What is around litmpi and not its own: other users' folders, launchers and compilers that do not end or do not stop
//! printing, signals, names that are not UTF-8.

use crate::command::{binary, root};
use crate::support::{Said, at, ended, folder, launched, litmpi_with};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A target whose compiler is this script (`$OUT` is what it is to make) and whose launches run what that makes.
fn target(dir: &TempDir, compiler: &str) -> String {
    let script = format!("while [ \"$1\" != -o ]; do shift; done\nOUT=$2\n{compiler}\n");
    std::fs::write(dir.path().join("cc"), script).expect("a file");
    let text = format!(
        "[[target]]\nname = \"fake\"\nfamily = \"mpi\"\ndescription = \"d\"\ncompiler = [\"sh\", \"{}\"]\n\
         launch = [\"sh\", \"{{program}}\", \"{{n}}\"]\nmissing = \"m\"\nget = \"g\"\n\
         probe = {{ command = [\"echo\", \"version 1\"] }}\n",
        at(dir, "cc")
    );
    std::fs::write(dir.path().join("targets.toml"), text).expect("a file");
    at(dir, "targets.toml")
}

/// The arguments of a run on that target.
fn arguments(dir: &TempDir, compiler: &str) -> Vec<String> {
    let targets = target(dir, compiler);
    let words = ["run", "litmus/mpi/order-causal.litmus", "--target", "fake", "--sizes", "8", "--targets", &targets];
    words.map(str::to_owned).into_iter().chain(["--out".into(), at(dir, "out")]).collect()
}

fn run(dir: &TempDir, compiler: &str, more: &[&str]) -> Said {
    let words = arguments(dir, compiler);
    litmpi_with(&[], &root(), words.iter().map(String::as_str).chain(more.iter().copied()))
}

#[test]
fn a_launch_that_does_not_stop_printing_is_ended_and_takes_no_memory() {
    for flood in ["yes", "cat /dev/zero", "cat /dev/zero >&2"] {
        let dir = folder(&[]);
        let words = arguments(&dir, &format!("echo 'exec {flood}' > $OUT"));
        let done = Command::new("sh")
            .args(["-c", "ulimit -v 1500000; exec \"$0\" \"$@\""])
            .arg(binary())
            .args(&words)
            .current_dir(root())
            .output()
            .expect("sh runs");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{flood}\n{said}");
        assert!(said.contains("did not stop printing, and was ended"), "{flood}\n{said}");
        assert!(!said.contains('\0'), "{flood}");
    }
}

#[test]
fn a_compiler_that_does_not_end_is_ended() {
    let dir = folder(&[]);
    let begun = Instant::now();
    run(&dir, "sleep 98765", &["--build-limit", "1"]).exits(2).says("it did not end within 1 s");
    assert!(begun.elapsed() < Duration::from_secs(60));
    let dir = folder(&[]);
    run(&dir, "exec yes", &[]).exits(2).says("it printed more than 64 MiB");
}

#[test]
fn how_a_compiler_failed_is_told() {
    for (compiler, says) in [
        ("kill -SEGV $$", "was ended by signal 11 (SIGSEGV) without a word in "),
        ("echo wrong >&2; kill -KILL $$", "was ended by signal 9 (SIGKILL) in "),
        ("exit 3", "failed with exit code 3 without a word in "),
        ("case $OUT in suite*) ;; *) echo > $OUT ;; esac", "ended well, and there is no program "),
    ] {
        run(&folder(&[]), compiler, &[]).exits(2).says(says);
    }
}

#[test]
fn signals_that_ask_to_end_leave_nothing_behind() {
    for (signal, code) in [("HUP", 129), ("TERM", 143), ("INT", 130), ("QUIT", 131)] {
        let dir = folder(&[("tmp/keep-me", "")]);
        let tmp = at(&dir, "tmp");
        let words = arguments(&dir, "echo 'sleep 98765 & sleep 98765; echo' > $OUT");
        let mut command = Command::new(binary());
        command.args(&words).env("TMPDIR", &tmp).current_dir(root()).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().expect("litmpi starts");
        let (pid, since) = (child.id(), Instant::now());
        while launched(pid).len() < 3 && since.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        let said = ended(child, signal, code);
        assert!(said.contains(&format!("ended by SIG{signal}")), "{said}");
        let left: Vec<_> = std::fs::read_dir(&tmp).expect("a folder").flatten().map(|e| e.file_name()).collect();
        assert_eq!(left, ["keep-me"], "{signal}");
    }
}

#[test]
fn names_that_are_not_utf8_are_refused_and_named() {
    let dir = folder(&[]);
    let strange = dir.path().join(OsString::from_vec(b"t\xff".to_vec()));
    std::fs::create_dir(&strange).expect("a folder");
    let words = arguments(&dir, "echo echo > $OUT");
    let as_out = [&words[..words.len() - 1], &[]].concat();
    let outputs = [
        Command::new(binary()).args(&as_out).arg(&strange).current_dir(root()).output(),
        Command::new(binary()).args(&words).env("TMPDIR", &strange).current_dir(root()).output(),
    ];
    for done in outputs {
        let done = done.expect("litmpi runs");
        let said = String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(2), "{said}");
        assert!(said.contains("is not UTF-8"), "{said}");
    }
}

#[test]
fn folders_of_others_are_neither_removed_nor_used() {
    // A user's own results under a name like those of litmpi's folders, a link to them, and a folder that everybody may write into.
    let dir = folder(&[("tmp/litmpi-12345-results/results.jsonl", "mine"), ("open/build/mine", ""), ("else/mine", "")]);
    std::os::unix::fs::symlink(at(&dir, "else"), at(&dir, "tmp/litmpi-12346-link")).expect("a link");
    for name in ["tmp/litmpi-12345-results", "else"] {
        std::fs::set_permissions(at(&dir, name), PermissionsExt::from_mode(0o700)).expect("its owner may");
    }
    let words = arguments(&dir, "echo 'echo litmpi done' > $OUT");
    let said = litmpi_with(&[("TMPDIR", &at(&dir, "tmp"))], &root(), &words);
    assert!(!said.stderr.contains("removed"), "{said}");
    for name in ["tmp/litmpi-12345-results/results.jsonl", "tmp/litmpi-12346-link/mine", "else/mine"] {
        assert!(dir.path().join(name).exists(), "{name} is gone\n{said}");
    }
    std::fs::set_permissions(at(&dir, "open"), PermissionsExt::from_mode(0o1777)).expect("its owner may");
    let words = [&words[..words.len() - 1], &[at(&dir, "open")]].concat();
    litmpi_with(&[], &root(), &words).exits(2).says("everybody may write into the folder");
    for arguments in [
        &["emit", "litmus/mpi/order-causal.litmus", "-o", &at(&dir, "open")][..],
        &["generate", "x86", "--size", "2", "-o", &at(&dir, "open")],
        &["suite", &at(&dir, "open"), "--from", "litmus/mpi/order-causal.litmus"],
        &["explain", "litmus/rdma/MP1.litmus", "--outcome", "a=1; b=1", "--out", &at(&dir, "open")],
    ] {
        litmpi_with(&[], &root(), arguments).exits(2);
    }
    // What a program is built to stands in a folder that nobody else may write into.
    let about = std::fs::metadata(dir.path().join("out/build")).expect("it was built there");
    let inside = std::fs::read_dir(dir.path().join("out/build")).expect("a folder").flatten();
    assert!(about.is_dir());
    for entry in inside {
        assert_eq!(entry.metadata().expect("it is there").permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn a_program_that_corrupts_what_it_shares_with_its_device_harms_neither_the_device_nor_other_programs() {
    if crate::support::here(&["nic"]).is_empty() {
        return;
    }
    let dir = folder(&[]);
    let (out, program) = (at(&dir, "out"), at(&dir, "hostile"));
    litmpi_with(&[], &root(), ["nic", "--probe", "--out", &out]).exits(0);
    let front = std::fs::read_dir(&out).expect("it was built there").flatten().next().expect("a folder").path();
    let built = Command::new("cc")
        .args(["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-o", &program, "-I"])
        .arg(front)
        .args(["tests/tests/it/hostile.c", "-libverbs"])
        .current_dir(root())
        .output()
        .expect("a compiler");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    for seed in ["1", "2", "3"] {
        let words = ["nic", "--seed", seed, "--out", &out, "--", &program, seed, "500"];
        litmpi_with(&[], &root(), words).exits(0).says(" right requests");
    }
}
