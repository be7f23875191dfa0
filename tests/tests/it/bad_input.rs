//! Bad input gives a message with its place and exit code 2; never a panic.

use crate::command::{litmpi, stderr, stdout};
use crate::support::{folder, litmpi_in};

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
        // Found by fuzzing: a search of nothing.
        (with("thread 1 on 1 { z@2 := x }\n", ""), &["t.litmus:1", "has no thread"]),
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
        ("model m\n", &["m.spec:1", "expected one of: `over`, a text in quotes"]),
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
fn a_model_of_another_family_says_which_ones_fit() {
    let file = [("t.litmus", GOOD)];
    for command in ["enumerate", "check"] {
        let says = ["mpi runs tests of the family `mpi`", "t.litmus:1:8", "this is one of `rdma`", "rdma-tso"];
        complains(&file, &[command, "--model", "mpi", "@/t.litmus"], &says);
    }
    complains(&file, &["enumerate", "--model", "tso", "@/t.litmus"], &["t.litmus:4", "no rule of tso runs `put`"]);
    complains(&file, &["enumerate", "--model", "tso.cat", "@/t.litmus"], &["TSO says nothing of"]);
    complains(&file, &["run", "--model", "rdma-tso.cat", "@/t.litmus"], &["rdma-tso.cat is not a model of rules"]);
}

#[test]
fn a_file_that_is_not_text_is_told_with_what_to_do() {
    let dir = folder(&[("t.litmus", GOOD)]);
    for (name, args) in [
        ("bad.litmus", ["enumerate", "bad.litmus"].as_slice()),
        ("bad.spec", &["enumerate", "--spec", "bad.spec", "t.litmus"]),
        ("bad.cat", &["enumerate", "--model", "bad.cat", "t.litmus"]),
        ("t.expected", &["check", "t.litmus"]),
    ] {
        std::fs::write(dir.path().join(name), [0xff, 0xfe, 0]).expect("can be written");
        litmpi_in(dir.path(), args).exits(2).says(&format!("{name}: ")).says("help: ").says("UTF-8");
    }
}

#[test]
fn unknown_names_are_told_with_the_known_ones() {
    let file = [("t.litmus", GOOD)];
    complains(&file, &["enumerate", "--model", "rdma-tsp", "@/t.litmus"], &["did you mean `rdma-tso`"]);
    complains(&file, &["enumerate", "--variant", "nopcie", "@/t.litmus"], &["no variant `nopcie`", "no-pcie"]);
    complains(&file, &["check", "--models", "rdma-tso,rdma-tsp", "@/t.litmus"], &["did you mean `rdma-tso`"]);
    complains(&file, &["enumerate", "--model", "rdma-tsp.cat", "@/t.litmus"], &["rdma-tsp.cat", "rdma-tso.cat"]);
    complains(&file, &["explain", "--outcome", "q=1", "@/t.litmus"], &["`q=1`", "names z"]);
    let mpi = [("m.litmus", "litmus mpi m \"m\"\nrank 0 { MPI_Barrier() }\nexists true\n")];
    complains(&mpi, &["run", "--target", "openmpy", "@/m.litmus"], &["no target is called `openmpy`", "openmpi"]);
    complains(&mpi, &["run", "--sizes", "8x", "@/m.litmus"], &["`8x` is no message size"]);
    complains(&file, &["run", "--target", "mpich", "@/t.litmus"], &["t", "rdma"]);
}

#[test]
fn a_complete_set_that_is_damaged_is_told() {
    let cases = ["z=0;\n", "model rdma-tso-simplified varia", "model rdma-tso variant default\nz=0;\nz=0;\n"];
    for (text, line) in cases.into_iter().zip([1, 1, 3]) {
        let files = [("t.litmus", GOOD), ("t.expected", text)];
        complains(&files, &["check", "@/t.litmus"], &[&format!("t.expected:{line}")]);
    }
}

#[test]
fn a_complete_set_that_is_cut_short_is_an_outcome_set_that_differs() {
    let dir = folder(&[("t.litmus", GOOD), ("t.expected", "model rdma-tso-simplified variant default\n")]);
    litmpi_in(dir.path(), ["check", "t.litmus"])
        .exits(1)
        .says("FAIL t.litmus: rdma-tso-simplified (default)")
        .says("  + z=0;");
}

#[test]
fn outcomes_that_are_none_are_told_with_the_names_of_the_test() {
    for outcome in ["z", "z=", "z=one", "z=99999999999999999999", "z=1; y=2", "deadlocked"] {
        complains(
            &[("t.litmus", GOOD)],
            &["explain", "@/t.litmus", "--outcome", outcome],
            &["no part of an outcome", "names z"],
        );
    }
}

#[test]
fn an_outcome_that_is_not_there_is_no_bad_input() {
    let dir = folder(&[("t.litmus", GOOD)]);
    for outcome in ["z=1", "deadlock", "erroneous"] {
        litmpi_in(dir.path(), ["explain", "t.litmus", "--outcome", outcome])
            .exits(1)
            .says("No such outcome")
            .says("  z=0;");
    }
}

#[test]
fn files_that_are_empty_or_no_text_are_told() {
    complains(&[("t.litmus", "")], &["enumerate", "@/t.litmus"], &["t.litmus:1:1", "expected `litmus`"]);
    complains(
        &[("t.litmus", GOOD)],
        &["enumerate", "@/t.litmus", "--spec", "@/t.litmus"],
        &["t.litmus:1:1", "`model`"],
    );
    let dir = folder(&[]);
    std::fs::write(dir.path().join("t.litmus"), [0xff, 0xfe, 0x00]).expect("files can be written");
    litmpi_in(dir.path(), ["enumerate", "t.litmus"]).exits(2).says("cannot read t.litmus");
}

#[test]
fn all_mistakes_of_all_files_are_told_at_once() {
    let wrong = GOOD.replace("z@2 := x", "pol(2)");
    let other = GOOD.replace("exists z = 0", "exists y = 0");
    complains(
        &[("a.litmus", &wrong), ("b.litmus", &other), ("c.litmus", GOOD)],
        &["check", "@"],
        &["a.litmus:4", "b.litmus:5"],
    );
}

#[test]
fn numbers_of_a_run_that_cannot_be_are_told() {
    let mpi = [("m.litmus", "litmus mpi m \"m\"\nrank 0 { MPI_Barrier() }\nexists true\n")];
    for (option, value, says) in [
        ("--sizes", "0", "multiples of 4"),
        ("--sizes", "3", "multiples of 4"),
        ("--sizes", "99999999999999999999G", "is no message size"),
        ("--delay-chance", "7", "from 0 to 1"),
        ("--delay-max", "nan", "microseconds"),
        ("--iterations", "0", "--iterations"),
        ("--targets", "@/none.toml", "none.toml"),
        ("--out", "@/m.litmus", "m.litmus"),
    ] {
        complains(&mpi, &["run", "@/m.litmus", option, value], &[says]);
    }
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
    assert_eq!(out.status.code(), Some(3));
    assert!(stdout(&out).contains("Bound reached: 10 states"), "{}", stdout(&out));
    assert!(stdout(&out).contains("\nUndef\n"), "{}", stdout(&out));
}

#[test]
fn what_a_search_did_not_reach_is_neither_a_verdict_that_holds_nor_a_complete_set() {
    let wrong = "litmus rdma t \"t\"\nnode 1 { x = 0 }\nnode 2 { z = 0 }\nthread 1 on 1 { z@2 := x  x := 1 }\n\
                 ~exists z = 1\n  verdict rdma-tso forbidden because \"so it seems at first\"\n";
    let dir = folder(&[("t.litmus", wrong)]);
    let said = litmpi_in(dir.path(), ["check", "--max-states", "5", "t.litmus"]);
    said.exits(1).says("~exists (z=1) is not decided: the search stopped at 5 states").says(": 0 verdicts hold");
    litmpi_in(dir.path(), ["check", "--accept", "--models", "rdma-tso", "--max-states", "5", "t.litmus"])
        .exits(3)
        .says("no complete set to write");
    assert!(!dir.path().join("t.expected").exists());
}

#[test]
fn a_mark_that_tells_apart_models_that_agree_fails() {
    let test = |mark: &str| {
        format!(
            "{}  verdict rdma-tso allowed because \"nothing else can be\"\n  {mark}\n",
            GOOD.trim_end().to_owned() + "\n"
        )
    };
    let said = |mark: &str| {
        let dir = folder(&[("t.litmus", &test(mark))]);
        litmpi_in(dir.path(), ["check", "t.litmus"])
    };
    said("agree rdma-tso rdma-tso (no-pcie)").exits(0).says("1 marks of two models hold");
    said("tells apart rdma-tso rdma-tso (no-pcie)").exits(1).says("exists (z=0) is allowed by rdma-tso");
    said("tells apart rdma-tso mpi").exits(0).says("not checked: 1 verdicts of mpi");
    let dir = folder(&[("t.litmus", &test("tells apart rdma-tso rdma-tso"))]);
    litmpi_in(dir.path(), ["check", "t.litmus"]).exits(2).says("`rdma-tso` is set beside itself");
    let race = "litmus rdma r \"r\"\nnode 1 { x = 0 }\nnode 2 { z = 0 }\nthread 1 on 1 { z@2 := x  x := 1 }\n\
                exists z = 1\n  verdict rdma-tso allowed because \"of the race\"\n  agree rdma-tso sc\n";
    let dir = folder(&[("r.litmus", race)]);
    litmpi_in(dir.path(), ["check", "r.litmus", "--models", "rdma-tso,sc.cat"])
        .exits(1)
        .says("agree rdma-tso sc")
        .says("only rdma-tso (default) has the outcome z=1;");
}

#[test]
fn a_verdict_of_a_variant_that_the_model_lacks_fails() {
    let dir = folder(&[("t.litmus", &format!("{GOOD}  verdict rdma-tso (nopcie) allowed because \"of a slip\"\n"))]);
    litmpi_in(dir.path(), ["check", "t.litmus"]).exits(2).says("rdma-tso has no variant `nopcie`").says("no-pcie");
}

#[test]
fn what_is_asked_of_files_that_have_no_answer_is_told_once() {
    let own = [("own/t.litmus", GOOD)];
    // Hundreds of clauses name tests of the library, and none of these is here.
    complains(
        &own,
        &["clauses", "@/own"],
        &["names of tests in the clauses are of tests that are not given", "give that folder"],
    );
    let said = litmpi(&["functions", "nosuch"]);
    assert_eq!((said.status.code(), stdout(&said)), (Some(2), String::new()), "{}", stderr(&said));
    let mpi = "litmus mpi t \"t\"\nrank 0 { r := MPI_Comm_rank(comm: MPI_COMM_WORLD) }\nexists r = 0\n";
    complains(&[("t.litmus", mpi)], &["robust", "@/t.litmus"], &["family `rdma`", "relations over events"]);
}

#[test]
fn a_mark_of_its_encoding_at_the_beginning_of_a_file_is_no_part_of_its_text() {
    let dir = folder(&[("t.litmus", &format!("\u{feff}{GOOD}"))]);
    litmpi_in(dir.path(), ["enumerate", "t.litmus"]).exits(0).says("z=0;");
}
