//! What is made smaller and is ended by a signal: the smallest program so far is kept.

use crate::command::{binary, root};
use crate::faults::faulty;
use crate::shrink::large;
use crate::support::{at, folder, here, launched};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Calls litmpi, ends it by SIGTERM when it has told that something is smaller, and gives its exit code and what it said.
fn ended_when_smaller(args: &[&str]) -> (Option<i32>, String, String) {
    let mut litmpi = Command::new(binary())
        .args(args)
        .env("LITMPI_FAULT", "zero-tail")
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("litmpi starts");
    let pid = litmpi.id();
    let mut told = String::new();
    for line in BufReader::new(litmpi.stderr.take().expect("it is piped")).lines() {
        let line = line.expect("litmpi writes UTF-8");
        if line.starts_with("smaller: ") && !told.contains("smaller: ") {
            let sent = Command::new("kill").args(["-TERM", &pid.to_string()]).status();
            assert!(sent.expect("kill runs").success());
        }
        told = told + &line + "\n";
    }
    let done = litmpi.wait_with_output().expect("it ends");
    assert!(launched(pid).is_empty(), "{told}");
    (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned(), told)
}

/// The calls of a file.
fn calls(dir: &TempDir, file: &str) -> usize {
    let text = std::fs::read_to_string(dir.path().join(file)).expect("a file");
    text.matches("MPI_").count()
}

#[test]
fn a_violation_that_is_made_smaller_when_a_signal_comes_is_kept_as_small_as_it_is() {
    let Some(&name) = here(&["openmpi", "mpich"]).first() else { return };
    let dir = folder(&[("large.litmus", &large())]);
    let (targets, out, file) = (faulty(name, &dir), at(&dir, "out"), at(&dir, "large.litmus"));
    let args =
        ["shrink", &file, "--targets", &targets, "--target", "faulty", "--sizes", "8", "--time", "20", "-o", &out];
    let (code, said, told) = ended_when_smaller(&args);
    assert_eq!(code, Some(143), "{said}{told}");
    assert!(said.contains("litmus mpi large-small") && said.contains("faulty shows `corrupt: "), "{said}{told}");
    assert!(told.contains("ended by SIGTERM: a smaller program may show it, too"), "{told}");
    assert!(calls(&dir, "out/large-small.litmus") < calls(&dir, "large.litmus"), "{said}");
    assert!(dir.path().join("out/large-small.c").exists(), "{told}");
}

#[test]
fn a_campaign_that_is_ended_while_it_makes_a_program_smaller_keeps_what_it_has() {
    let Some(&name) = here(&["openmpi", "mpich"]).first() else { return };
    let dir = folder(&[]);
    let (targets, out) = (faulty(name, &dir), at(&dir, "out"));
    let args = ["campaign", "--messages", "--targets", &targets, "--target", "faulty", "--programs", "10"];
    let rest = ["--sizes", "8", "--time", "10", "--seed", "1", "-o", &out];
    let (code, said, told) = ended_when_smaller(&[&args[..], &rest[..]].concat());
    assert_eq!(code, Some(143), "{said}{told}");
    let page = std::fs::read_to_string(dir.path().join("out/campaign.md")).expect("the page");
    assert!(said == page && page.contains("The campaign was ended in a batch of 10 programs"), "{said}{told}{page}");
    let found: Vec<String> = std::fs::read_dir(dir.path().join("out/found"))
        .expect("findings")
        .flatten()
        .map(|e| e.path().display().to_string())
        .collect();
    assert!(["-small.c", "-small.litmus"].iter().all(|end| found.iter().any(|f| f.ends_with(end))), "{found:?}");
    assert!(found.iter().all(|f| page.contains(&format!("`{f}`"))), "{found:?}\n{page}");
    assert!(
        page.contains("a signal ended the campaign while it was made smaller: a smaller program may show it, too"),
        "{page}"
    );
}
