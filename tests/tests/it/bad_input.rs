//! Bad input gives a message with its place and exit code 2; never a panic.

use crate::command::{litmpi, stderr, stdout};

/// Runs with the arguments, in which `@` is the folder that holds the files; all of `says` must be in the message.
fn complains(files: &[(&str, &str)], args: &[&str], says: &[&str]) {
    let dir = tempfile::tempdir().expect("a folder");
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("can be made");
        std::fs::write(path, text).expect("can be written");
    }
    std::fs::create_dir_all(dir.path().join("empty")).expect("can be made");
    let folder = dir.path().to_str().expect("a plain path");
    let args: Vec<String> = args.iter().map(|a| a.replace('@', folder)).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let out = litmpi(&args);
    let message = stderr(&out);
    assert_eq!(out.status.code(), Some(2), "{args:?}\n{}{message}", stdout(&out));
    assert!(!message.contains("panicked"), "{message}");
    for s in says {
        assert!(message.contains(s), "{args:?}: no `{s}` in\n{message}");
    }
}

const GOOD: &str =
    "litmus rdma t \"t\"\nnode 1 { x = 0 }\nnode 2 { z = 0 }\nthread 1 on 1 { z@2 := x }\nexists z = 0\n";

#[test]
fn in_a_test_the_place_is_told_and_what_would_be_right() {
    let with = |from: &str, to: &str| GOOD.replace(from, to);
    let cases = [
        (with("z@2 := x", "z@2 = x"), &["t.litmus:4", "does not fit here"][..]),
        (with("z@2 := x", "pol(2)"), &["t.litmus:4", "no instruction `pol`", "did you mean `poll`"]),
        (with("z@2 := x", "z@3 := x"), &["t.litmus:4", "there is no node 3"]),
        (with("z@2 := x", "x@2 := x"), &["t.litmus:4"]),
        (with("z@2 := x", "poll(2, 2)"), &["t.litmus:4"]),
        (with("exists z = 0\n", ""), &["t.litmus:1", "claims nothing"]),
        (with("exists z = 0", "exists zz = 0"), &["t.litmus:5"]),
        (with("litmus rdma", "litmus smoke"), &["t.litmus:1", "family `smoke`"]),
    ];
    for (text, says) in cases {
        complains(&[("t.litmus", &text)], &["enumerate", "@/t.litmus"], says);
    }
}

#[test]
fn in_a_specification_the_place_is_told() {
    let cases = [
        ("model m \"m\"\nconst a: Int = true\n", &["m.spec:2", "of type Int is needed"][..]),
        ("model m \"m\"\nimport \"mpi/mpy.spec\"\n", &["m.spec:2", "cannot find `mpi/mpy.spec`", "mpi/mpi.spec"]),
        ("model m \"m\"\nrule r (t: Thread) on t: nothing()\n", &["m.spec:2", "no instruction is called `nothing`"]),
        ("model m\n", &["m.spec:1", "expected a text in quotes"]),
    ];
    for (text, says) in cases {
        complains(&[("t.litmus", GOOD), ("m.spec", text)], &["enumerate", "--spec", "@/m.spec", "@/t.litmus"], says);
    }
}

#[test]
fn missing_files_and_empty_folders_are_told() {
    complains(&[], &["check", "@/nowhere"], &["nowhere"]);
    complains(&[], &["check", "@/empty"], &["holds no tests", ".litmus"]);
    complains(&[("t.litmus", GOOD)], &["enumerate", "--spec", "@/no.spec", "@/t.litmus"], &["cannot read", "no.spec"]);
}

#[test]
fn unknown_names_are_told_with_the_known_ones() {
    let file = [("t.litmus", GOOD)];
    complains(&file, &["enumerate", "--model", "rdma-tsp", "@/t.litmus"], &["did you mean `rdma-tso`"]);
    complains(&file, &["enumerate", "--variant", "nopcie", "@/t.litmus"], &["no variant `nopcie`", "no-pcie"]);
    complains(&file, &["explain", "--outcome", "q=1", "@/t.litmus"], &["`q=1`", "names z"]);
    let mpi = [("m.litmus", "litmus mpi m \"m\"\nrank 0 { MPI_Barrier() }\nexists true\n")];
    complains(&mpi, &["run", "--target", "openmpy", "@/m.litmus"], &["no target is called `openmpy`", "openmpi"]);
    complains(&mpi, &["run", "--sizes", "8x", "@/m.litmus"], &["`8x` is no message size"]);
    complains(&file, &["run", "@/t.litmus"], &["t", "rdma"]);
}

#[test]
fn a_complete_set_that_is_damaged_is_told() {
    let files = [("t.litmus", GOOD), ("t.expected", "z=0;\n")];
    complains(&files, &["check", "@/t.litmus"], &["t.expected:1"]);
}

#[test]
fn a_rank_outside_the_communicator_is_erroneous_and_no_crash() {
    let out = litmpi(&["enumerate", "litmus/mpi/erroneous-invalid-rank.litmus"]);
    assert_eq!(out.status.code(), Some(0));
    assert!(stdout(&out).contains("erroneous (isend: the destination is no rank"), "{}", stdout(&out));
}

#[test]
fn a_bound_that_was_hit_is_told() {
    let out = litmpi(&["enumerate", "--max-states", "10", "litmus/rdma/RFF1.litmus"]);
    assert_eq!(out.status.code(), Some(0));
    assert!(stdout(&out).contains("Bound reached: 10 states"), "{}", stdout(&out));
}
