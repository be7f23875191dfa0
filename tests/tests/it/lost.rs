//! Nothing is lost: a test that cannot be used costs no other test its result, and a command that ran nothing does not say that
//! all is well.

use crate::command::{binary, root};
use crate::support::{Said, at, folder, here, launched, litmpi_in, litmpi_with};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
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
    (&["compare", "all", "--model", "mpi,mpi:eager"], "good", COMPARE),
    (&["compare", "--json", "all", "--model", "mpi"], "\"good\"", COMPARE),
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

/// A file of targets with Open MPI under the name `old`, by this compiler and launch command.
fn own_target(compiler: &str, launch: &str) -> String {
    format!(
        "[[target]]\nname = \"old\"\nfamily = \"mpi\"\ndescription = \"\"\ncompiler = [{compiler}]\nlaunch = [{launch}]\n\
         env = {{ OMPI_ALLOW_RUN_AS_ROOT = \"1\", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM = \"1\" }}\n\
         probe = {{ command = [\"mpirun.openmpi\", \"--version\"] }}\nmissing = \"\"\nget = \"nothing\"\n"
    )
}

const LAUNCH: &str = "\"mpirun.openmpi\", \"-n\", \"{n}\", \"--oversubscribe\", \"{program}\"";

#[test]
fn a_function_that_a_library_does_not_have_costs_its_own_tests_alone() {
    if here(&["openmpi"]).is_empty() {
        return;
    }
    let compare = "litmus mpi compare \"a comparison\"\nrank 0 { MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_WORLD, r) }\n\
                   rank 1 { }\nexists r = MPI_IDENT\n";
    // A library without MPI_Comm_compare: its compiler refuses the name.
    let compiler = "#!/bin/sh\nexec mpicc.openmpi -include \"$(dirname \"$0\")/lacks.h\" \"$@\"\n";
    let header = "#include <mpi.h>\n#pragma GCC poison MPI_Comm_compare\n";
    let files = [("good.litmus", GOOD), ("compare.litmus", compare), ("mpicc", compiler), ("lacks.h", header)];
    let dir = folder(&files);
    std::fs::set_permissions(dir.path().join("mpicc"), PermissionsExt::from_mode(0o755)).expect("it is our file");
    let targets = own_target(&format!("\"{}\"", at(&dir, "mpicc")), LAUNCH);
    std::fs::write(dir.path().join("targets.toml"), targets).expect("can be written");
    let args = ["run", "good.litmus", "compare.litmus", "--targets", "targets.toml", "--target", "old", "--sizes", "8"];
    let cache = at(&dir, "cache");
    for _ in 0..2 {
        let said =
            litmpi_with(&[("XDG_CACHE_HOME", &cache)], dir.path(), args.iter().chain(&["--time", "30", "--json"]));
        let results = said.exits(0).json();
        assert_eq!(results[0]["verdict"], "conforms", "{said}");
        assert_eq!(results[1]["verdict"], "skipped", "{said}");
        assert_eq!(results[1]["reason"], "no MPI_Comm_compare in this library", "{said}");
    }
    // With another compiler it is another library.
    litmpi_with(
        &[("XDG_CACHE_HOME", &cache)],
        dir.path(),
        ["run", "compare.litmus", "--target", "openmpi", "--sizes", "8", "--time", "30"],
    )
    .exits(0)
    .says("conforms");
}

#[test]
fn the_harness_is_compiled_once_for_a_library_and_again_for_another_compiler() {
    if here(&["openmpi"]).is_empty() {
        return;
    }
    let other = GOOD.replace("litmus mpi good", "litmus mpi other");
    // A compiler that notes what it is asked to compile.
    let compiler = "#!/bin/sh\necho \"$@\" >> \"$(dirname \"$0\")/asked\"\nexec mpicc.openmpi \"$@\"\n";
    let dir = folder(&[("good.litmus", GOOD), ("other.litmus", &other), ("mpicc", compiler), ("mpicc2", compiler)]);
    for name in ["mpicc", "mpicc2"] {
        std::fs::set_permissions(dir.path().join(name), PermissionsExt::from_mode(0o755)).expect("it is our file");
    }
    let cache = at(&dir, "cache");
    let compiled = |test: &str, compiler: &str| {
        let targets = own_target(&format!("\"{}\"", at(&dir, compiler)), LAUNCH);
        std::fs::write(dir.path().join("targets.toml"), targets).expect("can be written");
        let asked = dir.path().join("asked");
        let _ = std::fs::remove_file(&asked);
        let args = ["run", test, "--targets", "targets.toml", "--target", "old", "--sizes", "8", "--time", "30"];
        litmpi_with(&[("XDG_CACHE_HOME", &cache)], dir.path(), args).exits(0).says("conforms");
        let asked = std::fs::read_to_string(asked).unwrap_or_default();
        let harness = asked.lines().filter(|l| l.ends_with(" -o harness.c.o harness.c")).count();
        (harness, asked.lines().filter(|l| l.contains(" tests.c ")).count())
    };
    assert_eq!(compiled("good.litmus", "mpicc"), (1, 1));
    assert_eq!(compiled("other.litmus", "mpicc"), (0, 1));
    assert_eq!(compiled("good.litmus", "mpicc2"), (1, 1));
}

#[test]
fn a_target_whose_launcher_says_its_version_and_launches_nothing_is_not_here() {
    if here(&["openmpi"]).is_empty() {
        return;
    }
    let cases = [
        (
            "\"sh\", \"-c\", \"echo an unrecognized option >&2; exit 3\", \"{program}\"",
            "a launch of two ranks fails: an unrecognized option",
        ),
        ("\"sh\", \"-c\", \"$0 & $0; wait\", \"{program}\"", "each rank is alone"),
    ];
    for (launch, says) in cases {
        let dir = folder(&[("targets.toml", &own_target("\"mpicc.openmpi\"", launch))]);
        let said = litmpi_in(dir.path(), ["targets", "--targets", "targets.toml", "--json"]);
        let reason = &said.exits(0).json()[0]["availability"]["missing"]["reason"];
        assert!(reason.as_str().is_some_and(|r| r.contains(says)), "{reason}");
    }
}

#[test]
fn a_run_that_is_interrupted_says_what_it_has_and_how_to_go_on() {
    for target in here(&["openmpi"]) {
        for (signal, code) in [("-INT", 130), ("-TERM", 143)] {
            let dir = folder(&[("good.litmus", GOOD), ("other.litmus", &GOOD.replace("mpi good", "mpi other"))]);
            let args = ["run", "good.litmus", "other.litmus", "--target", target, "--sizes", "8,64K", "--out", "out"];
            let child = Command::new(binary())
                .args(args.iter().chain(&["--time", "4000"]))
                .current_dir(dir.path())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()
                .expect("litmpi starts");
            let (pid, since) = (child.id(), Instant::now());
            let results = || std::fs::read_to_string(dir.path().join("out/results.jsonl")).unwrap_or_default();
            // A result of a launch comes with its end, so it is ended in the first one or in a later one.
            while launched(pid).len() < 3 && since.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(20));
            }
            let sent = Command::new("kill").args([signal, &pid.to_string()]).status().expect("kill runs");
            assert!(sent.success());
            let done = child.wait_with_output().expect("litmpi ends");
            let (stdout, stderr) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            assert_eq!(done.status.code(), Some(code), "{stdout}{stderr}");
            assert!(stdout.contains(" results: "), "no summary\n{stdout}{stderr}");
            for says in ["the run was ended by SIG", "out/results.jsonl", "to go on: ", "--with out/results.jsonl"] {
                assert!(stderr.contains(says), "{says}\n{stderr}");
            }
            assert_eq!(launched(pid), Vec::<i32>::new());
            let number = results().lines().count();
            assert!(stderr.contains(&format!("{number} results are in")), "{stderr}");
        }
    }
}

#[test]
fn an_earlier_result_counts_only_if_all_that_it_is_a_result_of_is_the_same() {
    for target in here(&["openmpi"]) {
        let dir = folder(&[("good.litmus", GOOD)]);
        let run = |environment: &[(&str, &str)], more: &[&str]| {
            let fixed = ["run", "good.litmus", "--target", target, "--sizes", "8", "--json", "--out", "out"];
            litmpi_with(environment, dir.path(), fixed.iter().chain(more))
        };
        let first = run(&[], &["--time", "30"]);
        std::fs::rename(dir.path().join("out/results.jsonl"), dir.path().join("first.jsonl")).expect("it was written");
        let with = ["--with", "first.jsonl"];
        let again = |environment: &[(&str, &str)], more: &[&str]| run(environment, &[&with[..], more].concat());
        assert_eq!(again(&[], &["--time", "30"]).exits(0).stdout, first.exits(0).stdout, "the same is taken up");
        for (environment, more, part) in [
            (&[("OMPI_MCA_mpi_yield_when_idle", "0")][..], &["--time", "30"][..], "environment"),
            (&[], &["--time", "40"], "options"),
            (&[], &["--time", "30", "--seed", "2"], "options"),
            (&[], &["--time", "30", "--progress", "relaxed"], "options"),
        ] {
            let said = again(environment, more);
            said.exits(0).says(&format!("are not taken up: the {part} is another one"));
            assert_ne!(said.stdout, first.stdout, "{said}");
        }
        std::fs::write(dir.path().join("good.litmus"), GOOD.replace("MPI_Ssend", "MPI_Send")).expect("our file");
        again(&[], &["--time", "30"]).exits(0).says("are not taken up: the test is another one");
        // Every one of these runs has kept the results of those before it.
        let kept = std::fs::read_dir(dir.path().join("out")).expect("a folder").flatten();
        let kept = kept.filter(|e| e.file_name().to_string_lossy().ends_with(".jsonl"));
        assert_eq!(
            kept.map(|e| std::fs::read_to_string(e.path()).expect("a text").lines().count()).collect::<Vec<_>>(),
            [1; 6]
        );
    }
}

#[test]
fn a_known_violation_is_of_an_outcome_and_versions() {
    for target in here(&["mpich"]) {
        let run = |dir: &Path, test: &str, more: &[&str]| {
            let args = ["run", test, "--target", target, "--sizes", "8", "--time", "30"];
            litmpi_in(dir, args.iter().chain(more))
        };
        let out = at(&folder(&[]), "o");
        let said = run(&root(), "litmus/mpi/null-irecv.litmus", &["--out", &out, "--json"]);
        let library = said.json()[0]["library"].as_str().unwrap_or_default().to_owned();
        if !library.contains("4.0.2") {
            println!("skipped: {library} has no violation that is known");
            continue;
        }
        let outcome = said.exits(1).json()[0]["observed"][0]["outcome"].as_str().expect("a text").to_owned();
        let entry = |seen: &str, outcomes: &str| {
            format!(
                "[[known]]\ntests = [\"own\"]\nlibrary = \"MPICH\"\nseen = \"{seen}\"\noutcomes = [{outcomes}]\n\
                 says = \"the status is not set\"\nticket = \"none\"\n"
            )
        };
        let test = std::fs::read_to_string(root().join("litmus/mpi/null-irecv.litmus")).expect("it ships");
        let test = test.replacen("null-irecv", "own", 1);
        for (known, says, says_not) in [
            (entry("4.0.2", &format!("\"{outcome}\"")), "the status is not set; none\n", "newer"),
            (entry("4.0.2", "\"values\""), "the status is not set; none\n", "newer"),
            (
                entry("3.4 to 4.0.1", "\"values\""),
                "seen in 3.4 to 4.0.1; this version is newer and still has it",
                "older",
            ),
            (entry("4.0.2", "\"deadlock\""), "known, not seen in ", "  known "),
        ] {
            let dir = folder(&[("own.litmus", &test), ("known.toml", &known)]);
            let said = run(dir.path(), "own.litmus", &["--known", "known.toml", "--no-retry"]);
            said.exits(1).says(says);
            assert!(!said.stdout.contains(says_not), "{said}");
        }
        let dir = folder(&[("own.litmus", &test), ("known.toml", &entry("4.0.2", "\"hangs\""))]);
        litmpi_in(dir.path(), ["run", "own.litmus", "--known", "known.toml"])
            .exits(2)
            .says("this is no outcome")
            .says("known.toml:5:");
    }
}

/// Two specifications declare different instructions, and a program is made by the declarations that its test was resolved against.
#[test]
fn tests_of_two_specifications_run_in_one_command() {
    for _ in here(&["nic"]) {
        let dir = folder(&[]);
        let (put, message) = (root().join("litmus/rdma/MP1.litmus"), root().join("litmus/verbs/send.litmus"));
        let files = [put.to_str().expect("a path"), message.to_str().expect("a path")];
        let args = ["run", "--target", "nic", "--time", "50", "--undirected"];
        litmpi_in(dir.path(), [&args[..], &files[..]].concat()).exits(0).says("2 results: 2 conforms");
        let said = litmpi_in(dir.path(), [&["emit", "-o", "out"][..], &files[..]].concat());
        said.exits(2)
            .says("send is a test of the specification `verbs`")
            .says("together with MP1, of the specification");
    }
}
