//! Regression suites: what is written builds and runs from an empty folder, with nothing of litmpi, and tells a wrong outcome.

use crate::command::root;
use crate::support::{at, folder, here, litmpi_in};
use std::path::Path;
use std::process::{Command, Stdio};

const TESTS: [&str; 5] = [
    "order-causal",
    "eager-head-to-head",
    "deadlock-ssend-ssend",
    "erroneous-rsend-always",
    "persistent-bsend-completes",
];

/// Writes the suite of some tests.
fn written(dir: &Path, more: &[&str]) {
    let files = TESTS.map(|t| format!("litmus/mpi/{t}.litmus"));
    let dir = dir.display().to_string();
    let words =
        ["suite", &dir, "--from"].into_iter().chain(files.iter().map(String::as_str)).chain(more.iter().copied());
    litmpi_in(&root(), words).exits(0).says("4 of 5 tests").says("3 of them in Rust, too");
}

/// Calls a program in a folder: its exit code and all that it said.
fn call(folder: &Path, target: &str, words: &[&str]) -> (Option<i32>, String) {
    let output = Command::new(words[0])
        .args(&words[1..])
        .current_dir(folder)
        .envs(environment(target))
        .stdin(Stdio::null())
        .output()
        .unwrap_or_else(|e| panic!("{}: {e}", words[0]));
    let said = [output.stdout, output.stderr].map(|t| String::from_utf8_lossy(&t).into_owned()).join("\n");
    (output.status.code(), said)
}

/// What the suite's README says of this library, and a short run.
fn environment(target: &str) -> Vec<(&'static str, String)> {
    let flags = match target {
        "openmpi" => "--oversubscribe --bind-to none --mca mpi_yield_when_idle 1 --mca btl self,vader --mca pml ob1",
        _ => "",
    };
    vec![
        ("MPICC", format!("mpicc.{target}")),
        ("MPIEXEC", format!("mpirun.{target}")),
        ("MPIEXEC_FLAGS", flags.into()),
        ("LITMPI_MILLIS", "50".into()),
        ("LITMPI_SIZES", "8".into()),
        ("OMPI_ALLOW_RUN_AS_ROOT", "1".into()),
        ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1".into()),
    ]
}

fn is_here(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !found {
        println!("skipped: there is no `{program}`");
    }
    found
}

#[test]
fn a_suite_says_what_is_not_in_it_and_why() {
    let dir = folder(&[]);
    let suite = dir.path().join("suite");
    written(&suite, &[]);
    let read = |name: &str| std::fs::read_to_string(suite.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let readme = read("README.md");
    assert!(readme.contains("| erroneous-rsend-always | erroneous: the standard says nothing"), "{readme}");
    assert!(readme.contains("| persistent-bsend-completes | rsmpi lacks MPI_Bsend_init"), "{readme}");
    assert!(read("testlist").contains("order_causal 3 timeLimit="));
    let test = read("tests/order_causal.c");
    for provenance in
        ["from litmus/mpi/order-causal.litmus hash ", "model mpi variant default hash ", "cite MPI-4.1 §3.5"]
    {
        assert!(test.contains(provenance), "no {provenance} in\n{test}");
    }
    // It is not written over something else.
    litmpi_in(&root(), ["suite", &at(&dir, "suite"), "--from", "litmus/mpi/order-causal.litmus"])
        .exits(2)
        .says("not empty");
}

#[test]
fn its_makefile_builds_and_passes_it_on_both_libraries_and_each_program_says_tap() {
    for target in here(&["openmpi", "mpich"]).into_iter().filter(|_| is_here("make")) {
        let dir = folder(&[]);
        written(dir.path(), &[]);
        let (code, said) = call(dir.path(), target, &["make", "check"]);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("4 tests, 0 failed"), "{said}");
        let tap = std::fs::read_to_string(dir.path().join("eager_head_to_head.tap")).expect("its output");
        for line in
            ["TAP version 13", "1..1", "ok 1 - eager_head_to_head, 8 bytes: 1 of 2 allowed outcomes", " No Errors"]
        {
            assert!(tap.lines().any(|l| l.starts_with(line)), "{tap}");
        }
    }
}

#[test]
fn a_program_of_a_suite_fails_on_an_outcome_that_is_not_allowed() {
    // Without buffering both ranks wait for ever; a library that buffers eight bytes does not.
    for target in here(&["mpich"]).into_iter().filter(|_| is_here("make")) {
        let dir = folder(&[]);
        written(dir.path(), &["--variant", "rendezvous"]);
        let (code, said) = call(dir.path(), target, &["make", "check"]);
        assert!(code != Some(0) && said.contains("not ok eager_head_to_head"), "{said}");
        assert!(
            said.contains("# not allowed: values 2 1") && said.contains("# allowed: deadlock (deadlock)"),
            "{said}"
        );
        assert!(said.contains("4 tests, 1 failed"), "{said}");
    }
}

/// Goes through `testlist` as MPICH's `runtests` does: a program is built by `make`, run with its processes and settings, and
/// passes if it ends with 0 and says ` No Errors` and not a line more. Those that fail, with what they said.
fn run_testlist(folder: &Path, target: &str) -> (usize, Vec<String>) {
    let list = std::fs::read_to_string(folder.join("testlist")).expect("the list");
    let mut failed = vec![];
    for line in list.lines() {
        let mut words = line.split_whitespace();
        let (name, ranks) = (words.next().expect("a program"), words.next().expect("a number of processes"));
        let mut settings = vec![];
        for word in words {
            match word.split_once('=').expect("key=value") {
                ("env", setting) => settings.push(setting),
                ("timeLimit", seconds) => assert!(seconds.parse::<u32>().is_ok(), "{line}"),
                (key, _) => panic!("runtests knows no `{key}`: {line}"),
            }
        }
        let (code, said) = call(folder, target, &["make", name]);
        assert_eq!(code, Some(0), "{said}");
        let environment = environment(target);
        let flags = environment.iter().find(|(k, _)| *k == "MPIEXEC_FLAGS").map_or("", |(_, v)| v.as_str());
        let launcher = format!("mpirun.{target}");
        let program = format!("./{name}");
        let run: Vec<&str> = ["env"]
            .into_iter()
            .chain(settings)
            .chain([launcher.as_str()])
            .chain(flags.split_whitespace())
            .chain(["-n", ranks, &program])
            .collect();
        let (code, said) = call(folder, target, &run);
        let lines: Vec<&str> = said.lines().filter(|l| !l.is_empty()).collect();
        if code != Some(0) || lines != [" No Errors"] {
            failed.push(format!("{name}\n{said}"));
        }
    }
    (list.lines().count(), failed)
}

#[test]
fn its_testlist_passes_as_mpich_reads_one_and_a_program_that_fails_says_why() {
    for target in here(&["openmpi", "mpich"]).into_iter().filter(|_| is_here("make")) {
        let dir = folder(&[]);
        written(dir.path(), &[]);
        let (count, failed) = run_testlist(dir.path(), target);
        assert!(count == 4 && failed.is_empty(), "{failed:#?}");
    }
    for target in here(&["mpich"]).into_iter().filter(|_| is_here("make")) {
        let dir = folder(&[]);
        written(dir.path(), &["--variant", "rendezvous"]);
        let (_, failed) = run_testlist(dir.path(), target);
        let said = failed.join("\n");
        assert!(
            failed.len() == 1 && said.contains("TAP version 13") && said.contains("# not allowed: values 2 1"),
            "{said}"
        );
    }
}

#[test]
fn a_test_says_which_libraries_are_known_to_violate_it_and_is_of_the_variant_that_libraries_promise() {
    let dir = folder(&[]);
    let (suite, files) = (at(&dir, "suite"), ["null-irecv", "error-argument-send"]);
    let files = files.map(|t| format!("litmus/mpi/{t}.litmus"));
    litmpi_in(&root(), ["suite", &suite, "--from", &files[0], &files[1]]).exits(0).says("2 of 2 tests");
    let read = |name: &str| std::fs::read_to_string(dir.path().join("suite/tests").join(name)).expect("a program");
    assert!(read("null_irecv.c").contains("known of MPICH 4.0.2: an MPI_Irecv from MPI_PROC_NULL"));
    let checked = read("error_argument_send.c");
    assert!(checked.contains("variant checked hash") && checked.contains("values 6 4 2 3 0 7"), "{checked}");
}

#[test]
fn cmake_and_ctest_pass_it() {
    for target in here(&["openmpi", "mpich"]).into_iter().filter(|_| is_here("cmake")) {
        let dir = folder(&[]);
        written(dir.path(), &[]);
        let compiler = format!("-DMPI_C_COMPILER=mpicc.{target}");
        let launcher = format!("-DMPIEXEC_EXECUTABLE=/usr/bin/mpirun.{target}");
        let flags = environment(target)
            .iter()
            .find(|(k, _)| *k == "MPIEXEC_FLAGS")
            .map_or_else(String::new, |(_, v)| v.clone());
        let flags = format!("-DMPIEXEC_PREFLAGS={}", flags.split_whitespace().collect::<Vec<_>>().join(";"));
        let (code, said) = call(dir.path(), target, &["cmake", "-B", "build", &compiler, &launcher, &flags]);
        assert_eq!(code, Some(0), "{said}");
        let (code, said) = call(dir.path(), target, &["cmake", "--build", "build"]);
        assert_eq!(code, Some(0), "{said}");
        let (code, said) = call(&dir.path().join("build"), target, &["ctest"]);
        assert!(code == Some(0) && said.contains("100% tests passed, 0 tests failed out of 4"), "{said}");
    }
}

#[test]
fn its_crate_builds_and_passes_with_cargo() {
    let of = |name: &str| std::env::var_os(name).filter(|v| !v.is_empty()).map(std::path::PathBuf::from);
    // The crate `mpi` is compiled where `litmpi run --lang rust` has it.
    let cache = of("XDG_CACHE_HOME").or_else(|| of("HOME").map(|home| home.join(".cache")));
    for target in here(&["mpich"]) {
        let dir = folder(&[]);
        written(dir.path(), &[]);
        let compiled = cache
            .as_ref()
            .map_or(dir.path().join("target"), |c| c.join("litmpi/crates").join(format!("mpicc.{target}")));
        let place = format!("CARGO_TARGET_DIR={}", compiled.display());
        let (code, said) =
            call(&dir.path().join("rust"), target, &["env", &place, "cargo", "test", "--release", "--locked"]);
        if code != Some(0) && ["libclang", "failed to download", "failed to get"].iter().any(|w| said.contains(w)) {
            println!("skipped: rsmpi cannot be built here\n{said}");
            continue;
        }
        assert!(code == Some(0) && said.contains("test result: ok. 3 passed; 0 failed"), "{said}");
    }
}
