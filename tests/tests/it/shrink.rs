//! Programs made smaller, and reproducers: C files that need nothing but an MPI library.

use crate::command::root;
use crate::faults::{faulty, library};
use crate::support::{Said, at, folder, here, litmpi_given, litmpi_in, litmpi_with};
use litmpi_runner::{Target, shipped_targets};
use std::path::Path;
use std::process::Command;

/// A program in which one message is what matters.
const LARGE: &str = "litmus mpi large \"much beside a message\"
rank 0 {
  int x = 3
  MPI_Barrier()
  while i < 2 bound 2 { i := i + 1 }
  MPI_Isend(x, dest: 1, tag: 4, request: q)
  choose { MPI_Iprobe(source: any, flag: f) } or { _g := 1 }
  MPI_Wait(q)
  MPI_Send(5, dest: 2, tag: 7)
}
rank 1 {
  MPI_Barrier()
  MPI_Recv(y, source: any, tag: 4, status: s)
  MPI_Allreduce(1, z)
}
rank 2 {
  MPI_Barrier()
  MPI_Recv(w, source: 0, tag: 7)
  MPI_Allreduce(2, v)
}
locations w
exists y = 3 /\\ s.tag = 4
  verdict mpi allowed cite MPI-4.1 \"§3.2.4 Blocking Receive\"
";

/// The same without the collective that not all ranks call.
pub(crate) fn large() -> String {
    LARGE.lines().filter(|l| !l.contains("MPI_Allreduce")).fold(String::new(), |text, l| text + l + "\n")
}

/// The exit code of a reproducer on a target, perhaps with a mistake planted before the library, and what it prints.
pub(crate) fn reproduced(
    name: &str,
    file: &Path,
    ranks: usize,
    preload: Option<(&str, &str)>,
) -> (Option<i32>, String) {
    let target: Target = shipped_targets().into_iter().find(|t| t.name == name).expect("a shipped target");
    let dir = file.parent().expect("a folder");
    let program = dir.join(format!("reproducer.{name}"));
    let (compiler, more) = target.compiler.split_first().expect("a compiler");
    let built = Command::new(compiler)
        .args(more)
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(file)
        .output();
    let built = built.expect("the compiler starts");
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let mut words: Vec<String> = vec![];
    for word in &target.launch {
        match word.as_str() {
            "{program}" => {
                if let Some((library, _)) = preload {
                    words.extend(["env".into(), format!("LD_PRELOAD={library}")]);
                }
                words.push(program.display().to_string());
            }
            "{options}" => {}
            word => words.push(
                word.replace("{n}", &ranks.to_string())
                    .replace("{scratch}", &dir.display().to_string())
                    .replace("{shm}", &dir.display().to_string()),
            ),
        }
    }
    words.push("60".into());
    let mut launch = Command::new(&words[0]);
    launch.args(&words[1..]).envs(&target.env);
    if let Some((_, fault)) = preload {
        launch.env("LITMPI_FAULT", fault);
    }
    let done = launch.output().expect("the launcher starts");
    (done.status.code(), String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr))
}

fn shrunk_and_reproduced(name: &'static str) {
    if here(&[name]).is_empty() {
        return;
    }
    let dir = folder(&[("large.litmus", &large())]);
    let targets = faulty(name, &dir);
    let out = at(&dir, "out");
    let file = at(&dir, "large.litmus");
    let fixed = [
        "shrink",
        &file,
        "--targets",
        &targets,
        "--target",
        "faulty",
        "--sizes",
        "8",
        "--time",
        "20",
        "--output",
        &out,
    ];
    let said = litmpi_with(&[("LITMPI_FAULT", "zero-tail")], &root(), fixed);
    said.exits(1).says("litmus mpi large-small").says("the C file, run by itself on faulty, shows it: exit code 1");
    let litmus = std::fs::read_to_string(dir.path().join("out/large-small.litmus")).expect("the test");
    let calls = litmus.matches("  MPI_").count();
    assert!(calls <= 2 && litmus.matches("rank ").count() - litmus.matches("of rank ").count() <= 2, "{litmus}");
    let program = dir.path().join("out/large-small.c");
    let text = std::fs::read_to_string(&program).expect("the reproducer");
    assert!(text.contains("§3.2.4") && text.lines().count() < 250 && !text.to_lowercase().contains("litmpi"), "{text}");
    let mistaken = library(&dir);
    let (code, printed) = reproduced(name, &program, 2, Some((&mistaken, "zero-tail")));
    assert!(code == Some(1) && printed.contains("NOT ALLOWED"), "{code:?} {printed}\n{text}");
    for preload in [None, Some((mistaken.as_str(), "none"))] {
        let (code, printed) = reproduced(name, &program, 2, preload);
        assert!(code == Some(0) && printed.contains("all allowed"), "{code:?} {printed}\n{text}");
    }
}

#[test]
fn a_mistake_planted_in_open_mpi_is_shrunk_to_its_message_and_the_reproducer_shows_it_with_the_mistake_alone() {
    shrunk_and_reproduced("openmpi");
}

#[test]
fn a_mistake_planted_in_mpich_is_shrunk_to_its_message_and_the_reproducer_shows_it_with_the_mistake_alone() {
    shrunk_and_reproduced("mpich");
}

/// Messages, statuses, objects, windows, errors, a deadlock that is allowed, and what is known of MPICH 4.0.2.
const REPRODUCED: [&str; 10] = [
    "null-irecv",
    "order-causal",
    "coll-bcast-values",
    "comm-dup-isolates-messages",
    "deadlock-wrong-tag",
    "type-vector-column",
    "rma-fence-get",
    "rma-cas-fails",
    "attr-set-get",
    "error-argument-rank",
];

#[test]
fn a_reproducer_ends_as_a_run_of_the_test_does() {
    let names = here(&["openmpi", "mpich"]);
    let dir = folder(&[]);
    let (programs, out) = (at(&dir, "programs"), at(&dir, "out"));
    let files: Vec<String> =
        REPRODUCED.iter().map(|t| format!("litmus/mpi/{t}.litmus")).filter(|f| root().join(f).exists()).collect();
    assert!(files.len() >= 8, "{files:?}");
    let args = ["emit", "--reproducer", "--size", "8", "-o", &programs];
    litmpi_in(&root(), args.into_iter().chain(files.iter().map(String::as_str))).exits(0);
    for name in names {
        let args = ["run", "--target", name, "--sizes", "8", "--time", "30", "--json", "--output", &out];
        let said: Said = litmpi_in(&root(), args.into_iter().chain(files.iter().map(String::as_str)));
        for result in said.json().as_array().expect("results") {
            let test = result["test"].as_str().expect("a name");
            let file = dir.path().join(format!("programs/{test}.c"));
            let text = std::fs::read_to_string(&file).expect("the reproducer");
            let ranks = text
                .split("mpirun -n ")
                .nth(1)
                .and_then(|t| t.split(' ').next())
                .and_then(|n| n.parse().ok())
                .expect("ranks");
            let (code, printed) = reproduced(name, &file, ranks, None);
            let wrong = i32::from(result["verdict"] == "violation");
            assert_eq!(code, Some(wrong), "{test} on {name}: {printed}\n{result:#}");
        }
    }
}

#[test]
fn models_that_differ_are_shrunk_to_the_same_bytes_on_any_number_of_threads() {
    let shrink = |jobs: &str| {
        let args = ["shrink", "litmus/mpi/eager-head-to-head.litmus", "--between", "mpi,mpi:eager", "--jobs", jobs];
        litmpi_in(&root(), args).exits(0).stdout.clone()
    };
    let text = shrink("1");
    assert_eq!(text, shrink("3"));
    assert!(text.contains("-- only mpi: deadlock") && text.matches("MPI_").count() == 1, "{text}");
    // What the programs say of each other is in the paper: coreRMA lets the second put fetch before the first.
    let args = ["shrink", "litmus/rdma/CRMA2.litmus", "--between", "rdma-tso,core-rma.cat", "--outcome", "a=2; b=0"];
    litmpi_in(&root(), args).exits(0).says("-- only core-rma.cat: a=2; b=0;");
}

#[test]
fn what_cannot_be_shrunk_is_said() {
    let shrink = |args: &[&str]| litmpi_in(&root(), ["shrink"].iter().chain(args).copied());
    let (one, two) = ("litmus/mpi/order-causal.litmus", "litmus/mpi/null-irecv.litmus");
    shrink(&[one, "--between", "mpi,mpi:eager"]).exits(0).says("there is nothing to make smaller");
    shrink(&[one, "--between", "mpi,nonsense"]).exits(2).says("nonsense");
    shrink(&[one, "--between", "mpi,mpi:nonsense"]).exits(2).says("nonsense");
    shrink(&[one, "--between", "mpi"]).exits(2).says("two models");
    shrink(&[one, two, "--between", "mpi,mpi:eager"]).exits(2).says("2 tests are named, and one is made smaller");
    let on_target = ["--target", "mpich"];
    shrink(&[&[one, "--between", "mpi,mpi:eager"][..], &on_target].concat())
        .exits(2)
        .says("cannot be used with '--target");
    shrink(&[one, two, "--target", "mpich"]).exits(2).says("2 tests are named");
    shrink(&[one, "--target", "mpich,openmpi"]).exits(2).says("several targets are named");
    shrink(&[one]).exits(2).says("no target is named, and a violation is of one");
    let read = |text: &str| litmpi_given(text, &root(), ["shrink", "-", "--between", "mpi,mpi:eager"]);
    let text = |name: &str| std::fs::read_to_string(root().join(name)).expect("a test");
    read(&text("litmus/mpi/eager-head-to-head.litmus")).exits(0).says("-- only mpi: deadlock");
    read(&(text(one) + &text(two))).exits(2).says("2 tests are named");
    litmpi_in(&root(), ["emit", "--reproducer", "litmus/rdma/MP1.litmus"]).exits(2).says("programs of MPI");
}

/// What MPICH up to 4.2.1 takes for too long (`recv-ends-within-a-pair`), which a C file whose values are of two ints does not show.
const WITHIN_A_PAIR: &str = r#"litmus mpi within-a-pair "half of a pair comes"
rank 0 {
  int x = 1
  MPI_Send(x, dest: 1)
}
rank 1 {
  int a[6] = 0
  MPI_Type_vector(2, 1, 2, MPI_2INT, pairs)
  MPI_Type_commit(pairs)
  MPI_Recv(a[0], datatype: pairs, source: 0)
}
exists true
"#;

#[test]
fn a_c_file_that_shows_nothing_gives_way_to_one_with_values_of_another_size() {
    if here(&["mpich"]).is_empty() {
        return;
    }
    let dir = folder(&[("within-a-pair.litmus", WITHIN_A_PAIR)]);
    let (file, out) = (at(&dir, "within-a-pair.litmus"), at(&dir, "out"));
    let args = ["shrink", &file, "--target", "mpich", "--sizes", "8", "--time", "10", "--output", &out];
    let said = litmpi_in(&root(), args);
    said.exits(1).says("shows it: exit code 1 (with 4 B a value; with 8 B it shows nothing)");
    let program = dir.path().join("out/within-a-pair-small.c");
    let (code, printed) = reproduced("mpich", &program, 2, None);
    assert!(code == Some(1) && printed.contains("NOT ALLOWED"), "{code:?} {printed}");
}

#[test]
fn an_outcome_of_names_that_the_test_does_not_have_is_told_before_anything_runs() {
    let dir = folder(&[("large.litmus", &large())]);
    let shrink = |more: &[&str]| litmpi_in(dir.path(), ["shrink", "large.litmus"].iter().chain(more).copied());
    for way in [&["--target", "mpich"][..], &["--between", "mpi:eager,mpi:rendezvous"]] {
        let said = shrink(&[way, &["--outcome", "zz=1"]].concat());
        said.exits(2).says("`zz=1` is no part of an outcome of large").says("with the names y, ");
        assert!(!said.stderr.contains("shows") && said.stdout.is_empty(), "{said}");
    }
}
