//! Nothing is lost: a test that cannot be used costs no other test its result, and a command that ran nothing does not say that
//! all is well.

use crate::support::{Said, folder, here, litmpi_in};
use tempfile::TempDir;

const GOOD: &str = "\
litmus mpi good \"one message\"
rank 0 { MPI_Ssend(7, dest: 1) }
rank 1 { int a  MPI_Recv(a, source: 0) }
exists a = 7
verdict mpi allowed cite MPI-4.1 \"§3.5\"
";

/// Tests that cannot be used, by the names of their files.
fn bad_tests() -> [(&'static str, String); 5] {
    [
        ("bad-syntax.litmus", GOOD.replace("rank 1 {", "rank 1 [")),
        ("bad-name.litmus", GOOD.replace("MPI_Recv", "MPI_Recieve")),
        ("bad-family.litmus", GOOD.replace("litmus mpi", "litmus smoke")),
        ("bad-claim.litmus", GOOD.replace("exists a = 7", "exists b = 7")),
        ("empty.litmus", String::new()),
    ]
}

/// A folder `all` with one good test among tests that cannot be used in every way that a file can have.
fn tests() -> TempDir {
    let bad = bad_tests();
    let bad = bad.iter().map(|(name, text)| (format!("all/{name}"), text.as_str()));
    let files: Vec<(String, &str)> = bad.chain([("all/good.litmus".to_owned(), GOOD)]).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), *text)).collect();
    let dir = folder(&files);
    std::fs::write(dir.path().join("all/bad-text.litmus"), [0xff, 0xfe, 0]).expect("can be written");
    std::os::unix::fs::symlink("nowhere", dir.path().join("all/bad-link.litmus")).expect("can be made");
    dir
}

/// A command, what its output holds if the good test has its result, and the tests that it can use although others cannot.
type Case = (&'static [&'static str], &'static str, &'static [&'static str]);

/// A model that is named runs tests of any family.
const COMPARE: &[&str] = &["bad-family.litmus"];
/// Calls are counted in whatever is written as ranks and statements.
const CALLS: &[&str] = &["bad-name.litmus", "bad-family.litmus", "bad-claim.litmus"];
/// Laws speak of programs, not of claims.
const LAWS: &[&str] = &["bad-name.litmus", "bad-family.litmus", "bad-claim.litmus"];
const ALL_BAD: &[&str] = &[];

const CASES: [Case; 13] = [
    (&["enumerate", "all"], "a=7;", ALL_BAD),
    (&["enumerate", "--json", "all"], "\"a\": 7", ALL_BAD),
    (&["check", "all"], "1 tests under mpi: 1 verdicts hold", ALL_BAD),
    (&["check", "--json", "all"], "\"agreed\": 1", ALL_BAD),
    (&["compare", "all", "--models", "mpi,mpi:eager"], "good", COMPARE),
    (&["compare", "--json", "all", "--models", "mpi"], "\"good\"", COMPARE),
    (&["explain", "all", "--outcome", "a=7"], "a=7;", ALL_BAD),
    (&["emit", "all"], "MPI_Ssend", ALL_BAD),
    (&["emit", "all", "-o", "program"], "files in program", ALL_BAD),
    (&["suite", "suite", "--from", "all"], "1 of 1 tests in suite", ALL_BAD),
    (&["coverage", "all"], "over 1 tests", ALL_BAD),
    (&["functions", "all"], "| `MPI_Ssend` |", CALLS),
    (&["laws", "all", "--law", "blocking/Ssend", "--most", "1", "--random", "0"], "laws are as they say", LAWS),
];

/// The good test has its result, each bad one is named, and the command says that its input is to be mended.
#[track_caller]
fn lost_nothing(said: &Said, shows: &str, usable: &[&str]) {
    said.exits(2);
    assert!(said.stdout.contains(shows), "{shows:?} is not there\n{said}");
    let bad = bad_tests().map(|(name, _)| name);
    for name in bad.into_iter().chain(["bad-text.litmus", "bad-link.litmus"]) {
        assert_eq!(said.stderr.contains(name), !usable.contains(&name), "{name}\n{said}");
    }
}

#[test]
fn a_test_that_cannot_be_used_costs_no_other_its_result_whatever_the_command() {
    let dir = tests();
    for (args, shows, usable) in CASES {
        let said = litmpi_in(dir.path(), args);
        lost_nothing(&said, shows, usable);
        if args.contains(&"--json") && args[0] != "compare" {
            let left_out = |row: &&serde_json::Value| row["left_out"].is_string();
            assert_eq!(said.json().as_array().into_iter().flatten().filter(left_out).count(), 7, "{said}");
        }
    }
    for target in here(&["openmpi"]) {
        let said = litmpi_in(dir.path(), ["run", "all", "--target", target, "--sizes", "8", "--time", "20"]);
        lost_nothing(&said, "conforms", &[]);
    }
}

#[test]
fn a_path_that_is_not_there_costs_the_others_nothing() {
    let dir = folder(&[("a/good.litmus", GOOD), ("none/readme", "")]);
    litmpi_in(dir.path(), ["enumerate", "a", "nowhere", "none"]).exits(2).says("a=7;").says("nowhere").says("none");
}

#[test]
fn a_complete_set_that_is_damaged_costs_only_its_own_test() {
    let dir = folder(&[("a.litmus", GOOD), ("b.litmus", GOOD), ("b.expected", "a=7;\n")]);
    litmpi_in(dir.path(), ["check", "a.litmus", "b.litmus"])
        .exits(2)
        .says("1 verdicts hold")
        .says("left out: b.litmus")
        .says("b.expected:1");
}

#[test]
fn one_reason_for_many_tests_is_told_once() {
    let dir = folder(&[("a.litmus", GOOD), ("b.litmus", GOOD)]);
    let said = litmpi_in(dir.path(), ["enumerate", "a.litmus", "b.litmus", "--variant", "egaer"]);
    assert_eq!(said.exits(2).stderr.matches("no variant").count(), 1, "{said}");
    said.says("left out: a.litmus, b.litmus");
}

#[test]
fn a_command_that_ran_nothing_does_not_end_well_unless_asked_to() {
    let verbs = "litmus rdma t \"t\"\nnode 1 { x = 0 }\nnode 2 { z = 0 }\nthread 1 on 1 { z@2 := x }\nexists z = 0\n";
    let absent = "[[target]]\nname = \"cluster\"\nfamily = \"mpi\"\ndescription = \"\"\ncompiler = [\"mpicc.of-nobody\"]\n\
                  launch = [\"srun\", \"{program}\"]\nprobe = { command = [\"srun\"] }\nmissing = \"no cluster\"\nget = \"ask\"\n";
    let dir = folder(&[("good.litmus", GOOD), ("verbs.litmus", verbs), ("targets.toml", absent)]);
    let cases: [&[&str]; 4] = [
        &["run", "good.litmus", "--targets", "targets.toml", "--target", "cluster"],
        &["check", "verbs.litmus", "--models", "mpi"],
        &["check", "verbs.litmus", "--models", "sc"],
        &["layers", "--only", "no such line"],
    ];
    for args in cases {
        litmpi_in(dir.path(), args).exits(4).says("nothing was run").says("--no-tests pass");
        litmpi_in(dir.path(), args.iter().chain(&["--no-tests", "pass"])).exits(0);
    }
}
