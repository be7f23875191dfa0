//! Tests in Rust, those of MPI by rsmpi and those of RDMA by rdma-sys: what is emitted, what rsmpi lacks, and runs on real libraries.

use crate::command::root;
use crate::support::{Said, at, folder, here, litmpi_in};
use std::path::Path;
use std::process::Command;

/// What is emitted for these stands in `rust/`; after a wanted change, run with `UPDATE=1` to write it anew.
const GOLDEN: [&str; 6] = [
    "mpi/order-causal",
    "mpi/wait-any-two-sources",
    "mpi/coll-gather-order",
    "rdma/GFG",
    "rdma/RMW-lock",
    "verbs/datagram-oldest-receive",
];

#[test]
fn rust_is_emitted_as_the_declarations_say() {
    for test in GOLDEN {
        let said = litmpi_in(&root(), ["emit", "--lang", "rust", &format!("litmus/{test}.litmus")]);
        let name = test.rsplit('/').next().unwrap_or(test);
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/rust").join(format!("{name}.rs"));
        if std::env::var_os("UPDATE").is_some() {
            std::fs::write(&path, &said.exits(0).stdout).expect("the golden file is written");
        }
        let expected = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(expected == said.exits(0).stdout, "{test} differs (UPDATE=1 accepts):\n{said}");
    }
}

#[test]
fn conditions_and_numbers_are_different_things_in_rust() {
    let dir = folder(&[(
        "truth.litmus",
        "litmus mpi truth \"every operator\"\nrank 0 {\n  r := x\n  s := (r = 0) + 2 * r\n  if r { x := 1 }\n  \
         while r < 2 and s bound 2 { r := r + 1 }\n}\nexists 0:r = 1\n",
    )]);
    let said = litmpi_in(dir.path(), ["emit", "--lang", "rust", "truth.litmus"]);
    said.exits(0).says("s = i32::from(r == 0) + (2 * r);").says("if r != 0 {").says("while (r < 2) && (s != 0) {");
}

#[test]
fn what_rsmpi_lacks_is_said_and_not_left_out_silently() {
    let said = litmpi_in(&root(), ["emit", "--lang", "rust", "litmus/mpi/persistent-bsend-completes.litmus"]);
    said.exits(2).says("rsmpi lacks MPI_Bsend_init, MPI_Request_free, MPI_Start").says("--lang");
    for target in here(&["openmpi"]) {
        let said = run(&["coll-allreduce-in-place"], target, &["--json"]);
        let r = &said.exits(4).json()[0];
        assert_eq!(r["verdict"], "skipped", "{said}");
        assert!(r["reason"].as_str().is_some_and(|t| t.contains("rsmpi lacks MPI_IN_PLACE")), "{said}");
    }
    let dir = folder(&[("cpu.litmus", "X86 cpu\n{ }\n P0 ;\n MOV [x],$1 ;\nexists (x=1)\n")]);
    let said = litmpi_in(dir.path(), ["emit", "--lang", "rust", "cpu.litmus"]);
    said.exits(2).says("no Rust is generated for tests of the family `x86`");
}

#[test]
fn rdma_tests_in_rust_conform_on_the_emulated_nic_and_show_what_they_may() {
    conform_on_the_nic(&["ST2", "ST9", "RMW-fails", "POLL3"].map(|t| format!("litmus/rdma/{t}.litmus")));
}

#[test]
fn messages_in_rust_conform_on_the_emulated_nic_and_show_what_they_may() {
    // A message, immediates, shared receives, errors at both ends, and datagrams that are lost and reordered.
    let tests = ["send-of-get", "write-imm", "srq-two-senders", "send-to-astray", "modify-error", "error-refused"];
    let datagrams = ["datagram-reordered", "datagram-oldest-receive", "datagram-from-astray"];
    let tests: Vec<String> = tests.iter().chain(&datagrams).map(|t| format!("litmus/verbs/{t}.litmus")).collect();
    conform_on_the_nic(&tests);
}

/// Runs tests in Rust on the emulated NIC: they conform, and all that is allowed is seen.
fn conform_on_the_nic(tests: &[String]) {
    let probe = litmpi_in(&root(), ["nic", "--probe"]);
    if probe.code != Some(0) {
        println!("skipped: {}", probe.stderr);
        return;
    }
    let dir = folder(&[]);
    let out = at(&dir, "out");
    let fixed = ["run", "--lang", "rust", "--target", "nic", "--time", "300", "--json", "--out", &out];
    let said = litmpi_in(&root(), fixed.into_iter().chain(tests.iter().map(String::as_str)));
    assert_eq!(said.orphans(), Vec::<i32>::new(), "processes are left\n{said}");
    for r in said.exits(0).json().as_array().expect("results") {
        if r["verdict"] == "skipped" {
            println!("skipped: {}", r["reason"]);
            continue;
        }
        assert_eq!((&r["verdict"], &r["target"]), (&"conforms".into(), &"nic:rust".into()), "{r:#}");
        assert_eq!(r["unseen"], serde_json::json!([]), "{r:#}");
    }
}

#[test]
fn the_rdma_library_in_rust_leaves_clippy_nothing_to_say() {
    for library in ["rdma", "verbs"] {
        let dir = folder(&[]);
        let out = at(&dir, "crate");
        let said = litmpi_in(&root(), ["emit", "--lang", "rust", "-o", &out, &format!("litmus/{library}")]);
        said.exits(0).says("cargo build --release").says("as=threads");
        assert!(!said.stderr.contains("not emitted"), "{said}");
        let clang = std::env::var("LIBCLANG_PATH").unwrap_or("/usr/lib/llvm-14/lib".into());
        let clippy = Command::new("cargo")
            .args(["clippy", "--locked", "--release", "--quiet", "--", "-D", "warnings"])
            .current_dir(&out)
            .env("LIBCLANG_PATH", clang)
            .env("CARGO_TARGET_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("rdma-clippy"))
            .env_remove("RUSTFLAGS")
            .output()
            .expect("cargo runs");
        let words = String::from_utf8_lossy(&clippy.stderr);
        if words.contains("failed to run custom build command") || words.contains("no such command") {
            println!("skipped: rdma-sys cannot be built, or there is no clippy:\n{words}");
            return;
        }
        assert!(clippy.status.success(), "{library}: {words}");
    }
}

/// Runs shipped tests in Rust; no process may be left.
fn run(tests: &[&str], target: &str, more: &[&str]) -> Said {
    let dir = folder(&[]);
    let files: Vec<String> = tests.iter().map(|t| format!("litmus/mpi/{t}.litmus")).collect();
    let out = at(&dir, "out");
    let fixed = ["run", "--lang", "rust", "--target", target, "--sizes", "8", "--time", "60", "--out", &out];
    let said =
        litmpi_in(&root(), fixed.into_iter().chain(files.iter().map(String::as_str)).chain(more.iter().copied()));
    assert_eq!(said.orphans(), Vec::<i32>::new(), "processes are left\n{said}");
    said
}

/// Whether rsmpi can be built here; if not, why.
fn built(said: &Said) -> bool {
    let json = said.json();
    let skipped = json[0]["reason"].as_str().filter(|r| r.contains("libclang") || r.contains("crate `mpi`"));
    if let Some(reason) = skipped {
        println!("skipped: {reason}");
    }
    skipped.is_none()
}

#[test]
fn rust_programs_conform_and_deadlock_as_c_programs_do() {
    let tests = ["order-causal", "wait-any-two-sources", "coll-gather-order", "deadlock-ssend-ssend", "sendrecv-ring"];
    for target in here(&["openmpi", "mpich"]) {
        let said = run(&tests, target, &["--json"]);
        if !built(said.exits(0)) {
            continue;
        }
        for r in said.json().as_array().expect("a list") {
            assert_eq!(r["verdict"], "conforms", "{r:#}");
            assert_eq!(r["target"], format!("{target}:rust"));
            let deadlocks = r["observed"][0]["outcome"] == "deadlock";
            assert_eq!(deadlocks, r["test"].as_str().is_some_and(|t| t.starts_with("deadlock")), "{r:#}");
        }
    }
}

#[test]
fn a_rust_program_whose_outcome_the_model_does_not_allow_is_told() {
    // Without buffering both ranks wait for ever; a library that buffers eight bytes does not.
    for target in here(&["openmpi"]) {
        let said = run(&["eager-head-to-head"], target, &["--json", "--variant", "rendezvous"]);
        if !built(&said) {
            continue;
        }
        let r = &said.exits(1).json()[0];
        assert_eq!(r["verdict"], "violation", "{r:#}");
        assert_eq!(r["outcomes"][0], "a=2; b=1;", "{r:#}");
    }
}
