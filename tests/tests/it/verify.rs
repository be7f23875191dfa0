//! Real MPI programs under the rules: each program of `tests/verify` says in its head what is to be found.

use crate::command::root;
use crate::support::{Said, here, litmpi_in};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What a program's head says: ranks, and the verdict.
fn head(text: &str) -> (String, String) {
    let of = |word: &str| {
        let line = text.lines().find_map(|l| l.strip_prefix(word));
        line.unwrap_or_else(|| panic!("no line `{word}`")).to_owned()
    };
    (of(" * ranks: "), of(" * expect: "))
}

fn programs() -> Vec<PathBuf> {
    let folder = std::fs::read_dir(root().join("tests/verify")).expect("the programs");
    let mut all: Vec<PathBuf> = folder.map(|e| e.expect("an entry").path()).collect();
    all.sort();
    all
}

/// Compiles a program, as its user would.
fn compiled(source: &Path, dir: &TempDir) -> PathBuf {
    let out = dir.path().join(source.file_stem().expect("a name"));
    let done = Command::new("mpicc.mpich").args(["-g", "-O1", "-o"]).arg(&out).arg(source).status();
    assert!(done.expect("the compiler").success(), "{}", source.display());
    out
}

fn verify(program: &Path, more: &[&str]) -> Said {
    let mut args = vec!["verify", "--patience", "2"];
    args.extend(more);
    args.extend(["--", program.to_str().expect("UTF-8")]);
    litmpi_in(&root(), args)
}

/// What litmpi says of a program, in the words of the heads.
fn verdict(said: &Said) -> String {
    let json = said.json();
    let word = json["verdict"].as_str().expect("a verdict").to_owned();
    let findings = json["findings"].as_array().expect("a list");
    match word.as_str() {
        "undecided" if !json["unsupported"].as_array().expect("a list").is_empty() => "unsupported".into(),
        "correct" if findings.iter().any(|f| f["bad"] == "leak") => "leak".into(),
        _ => word,
    }
}

#[test]
fn of_every_program_is_found_what_its_head_says() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let mut wrong = vec![];
    for source in programs() {
        let (ranks, wanted) = head(&std::fs::read_to_string(&source).expect("a program"));
        let said = verify(&compiled(&source, &dir), &["-n", &ranks, "--json"]);
        let code = match wanted.as_str() {
            "correct" => 0,
            "unsupported" => 3,
            _ => 1,
        };
        said.exits(code);
        let found = verdict(&said);
        if found != wanted {
            wrong.push(format!("{}: {wanted} is wanted, {found} is said\n{said}", source.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reduced_search_finds_of_programs_what_the_full_one_finds() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    for name in ["wildcard-race", "probe-then-any", "waitany", "bcast-and-send", "collective-order", "test-loop"] {
        let source = root().join("tests/verify").join(format!("{name}.c"));
        let (ranks, _) = head(&std::fs::read_to_string(&source).expect("a program"));
        let program = compiled(&source, &dir);
        let found = |search: &str| {
            let json = verify(&program, &["-n", &ranks, "--search", search, "--json"]).json();
            let findings = json["findings"].as_array().expect("a list").clone();
            // Where each rank is when it is found is that of one way of many.
            let said = |f: &serde_json::Value| (f["bad"].clone(), f["clause"].clone(), f["rank"].clone());
            let mut all: Vec<String> = findings.iter().map(said).map(|f| format!("{f:?}")).collect();
            all.sort();
            (json["verdict"].clone(), all, json["calls"].clone())
        };
        assert_eq!(found("reduced"), found("full"), "{name}");
    }
}

#[test]
fn the_same_is_said_for_any_number_of_threads() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = TempDir::new().expect("a folder");
    let program = compiled(&root().join("tests/verify/wildcard-race.c"), &dir);
    let said = |jobs: &str| verify(&program, &["-n", "3", "--jobs", jobs, "--json"]).stdout;
    assert_eq!(said("1"), said("3"));
}

#[test]
fn what_is_no_mpi_program_is_told() {
    verify(Path::new("/bin/true"), &[]).exits(2).says("before it called MPI");
    verify(Path::new("/nowhere/at-all"), &[]).exits(2).says("there is no program");
    litmpi_in(&root(), ["verify", "-n", "65", "--", "/bin/true"]).exits(2).says("from 1 to 64");
    litmpi_in(&root(), ["verify", "--model", "rdma-tso", "--", "/bin/true"]).exits(2).says("MPI");
}
