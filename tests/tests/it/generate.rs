//! `litmpi generate rdma`: tests from critical cycles with verdicts on which the forms of a model agree, every small program, and what is said
//! of wrong input; `litmpi cells`: Fig. 9 of rdma-tso cell by cell.

use crate::command::root;
use crate::support::{at, folder, litmpi_in};
use litmpi_litmus::{golden, library};
use std::collections::BTreeSet;

fn generate(args: &[&str]) -> crate::support::Said {
    litmpi_in(&root(), ["generate", "rdma"].iter().chain(args).copied())
}

#[test]
fn a_cycle_is_a_test_with_the_verdicts_of_the_models() {
    let said = generate(&["--cycle", "PodqPwPw Rfe PodRR Fre"]);
    let text = "litmus rdma PodRR-Fre-PodqPwPw-Rfe \"a critical cycle of 4 edges in 2 threads\"
node 1 { x = 0  y = 0 }
node 2 { }
thread 1 on 1 {
  a := x
  b := y
}
thread 2 on 2 {
  y@1 := 1
  x@1 := 2
}
exists a = 2 /\\ b = 0
  verdict rdma-tso forbidden  because \"rdma-tso, rdma-tso-simplified, rdma-tso.cat say so\"
  verdict rdma-tso (no-pcie) forbidden  because \"rdma-tso, rdma-tso-simplified, rdma-tso-no-pcie.cat say so\"
";
    assert_eq!(said.exits(0).stdout, text);
    let document = std::fs::read_to_string(root().join("docs/generated.md")).expect("the document");
    assert!(document.contains(text), "docs/generated.md shows it");
    // A get that nobody waits for is overtaken; one that is polled, or waited for by its work identifier, is not.
    let verdict = |cycle: &str| generate(&["--cycle", cycle]).exits(0).stdout.contains("allowed");
    let found = ["PosGwR Fri", "PollsGwR Fri", "WaitsGwR Fri"].map(verdict);
    assert_eq!(found, [true, false, false]);
    generate(&["--cycle", "WaitsGwR Fri"]).exits(0).says("verdict rdma-wait forbidden");
}

#[test]
fn tests_from_cycles_are_written_with_their_sets_and_hold() {
    let dir = folder(&[(
        "edges.txt",
        "# message passing by puts, and store buffering\nPodqPwPw, PodoPwPw PodRR\nPodWR-MfencedWR Rfe Fre Coe\n",
    )]);
    let (out, edges) = (at(&dir, "out"), at(&dir, "edges.txt"));
    let args = ["--edges", &edges, "--size", "4"];
    let said = generate(&[&args[..], &["-o", &out]].concat());
    let files = library::find(&[dir.path().join("out")]).expect("the tests");
    said.exits(0).says(&format!("{} tests: ", files.len()));
    assert!(files.len() >= 5, "{said}");
    let sets = files.iter().filter(|f| f.with_extension("expected").exists()).count();
    assert_eq!(sets, files.len());
    litmpi_in(dir.path(), ["check", "out"]).exits(0);
    // Without a folder, names and verdicts, the same whatever the number of threads.
    let named = generate(&[&args[..], &["--jobs", "1"]].concat()).exits(0).stdout.clone();
    assert_eq!(named, generate(&[&args[..], &["--jobs", "3"]].concat()).exits(0).stdout);
    let names: BTreeSet<&str> = named.lines().filter_map(|l| l.split(' ').next()).collect();
    assert_eq!(names.len(), files.len());
    assert!(named.contains("PodWR-Fre-PodWR-Fre rdma-tso allowed\n"), "{named}");
    assert!(named.contains("MfencedWR-Fre-MfencedWR-Fre rdma-tso forbidden\n"), "{named}");
}

#[test]
fn a_size_that_explodes_is_said_before_it_starts() {
    generate(&["--size", "8"]).exits(2).says("rows of edges that come back to their beginning").says("--most N");
    generate(&["--size", "8", "--most", "3"]).exits(0).says("3 tests: ");
    generate(&["--every", "--size", "6"]).exits(2).says("there are about").says("--with put,read");
    generate(&["--every", "--size", "6", "--most", "2"]).exits(0).says("2 programs of at most 6 statements");
}

#[test]
fn every_small_program_is_made_once() {
    let dir = folder(&[]);
    let out = at(&dir, "out");
    let args = ["--every", "--size", "2", "--with", "write,read,put"];
    generate(&[&args[..], &["-o", &out]].concat()).exits(0).says("programs of at most 2 statements");
    let files = library::find(&[dir.path().join("out")]).expect("the programs");
    let texts: BTreeSet<String> = files
        .iter()
        .map(|f| std::fs::read_to_string(f).expect("a program").lines().skip(1).collect::<Vec<_>>().join("\n"))
        .collect();
    assert_eq!(texts.len(), files.len());
    let printed = generate(&args).exits(0).stdout.matches("litmus rdma every-").count();
    assert!(printed == files.len() && printed > 10, "{printed}");
    litmpi_in(dir.path(), ["enumerate", "out"]).exits(0);
}

#[test]
fn edges_that_fit_nowhere_and_options_that_do_not_belong_are_told() {
    let alone = folder(&[("edges", "PodWR\n")]);
    generate(&["--edges", &at(&alone, "edges"), "--size", "4"])
        .exits(2)
        .says("no critical cycle of at most 4 edges is of these edges alone");
    let dir = folder(&[("edges.txt", "PodWR Fre\nPodXY # not one\n"), ("empty.txt", "# nothing\n")]);
    let at = |name: &str| at(&dir, name);
    generate(&["--cycle", "PodWR Rfe"]).exits(2).says("--cycle:1:7").says("after `PodWR` may come: Fre");
    generate(&["--cycle", "PodWGr Fre PodWR Fre"]).exits(2).says("no nodes fit");
    generate(&["--edges", &at("edges.txt")]).exits(2).says("edges.txt:2:1").says("there is no edge `PodXY`");
    generate(&["--edges", &at("empty.txt")]).exits(2).says("names no edges");
    generate(&["--edges", &at("missing.txt")]).exits(2).says("missing.txt");
    generate(&["--with", "put"]).exits(2).says("--every");
    generate(&["--every", "--with", "putt"]).exits(2).says("they may have: write, read");
    generate(&["--every", "--cycle", "Fre"]).exits(2).says("ask for different programs");
    litmpi_in(&root(), ["generate", "x86", "--cycle", "PodWR"]).exits(2).says("is for programs of RDMA and MPI");
    litmpi_in(&root(), ["generate", "x86", "--size", "9"]).exits(2).says("2 to 6 threads");
    litmpi_in(&root(), ["cells"]).exits(2).says("litmpi cells litmus/cells");
}

#[test]
fn the_tests_of_cells_tell_what_the_document_says() {
    let page = litmpi_in(&root(), ["cells", "litmus/cells", "litmus/rdma"]).exits(0).stdout.clone();
    let document = std::fs::read_to_string(root().join("docs/fig9.md")).expect("the document");
    assert!(page == document, "run `litmpi cells litmus/cells litmus/rdma > docs/fig9.md`\n{page}");
}

#[test]
fn cells_are_told_by_programs_that_are_found() {
    let dir = folder(&[]);
    let out = at(&dir, "out");
    litmpi_in(&root(), ["cells", "--find", &out, "--size", "2", "--edges", "2"]).exits(0);
    let files = library::find(&[dir.path().join("out")]).expect("the tests");
    assert!(files.len() > 5);
    // A get and a read of what it writes.
    let page = litmpi_in(&root(), ["cells", &out]).exits(0).stdout.clone();
    assert!(page.lines().any(|l| l.starts_with("| nlW, lR `.` | not ordered | [")), "{page}");
    litmpi_in(dir.path(), ["check", "out"]).exits(0);
}

#[test]
fn pivots_are_counted_beside_those_of_the_paper() {
    let said = litmpi_in(&root(), ["pivots", "--size", "8", "--rule", "ir"]);
    // The paper's first test of IR has nine actions; three have eight.
    assert!(
        said.exits(0).stdout.contains("| IR | ≤ 11: 127 (368) | 0 (0) | 0 (0) | 0 (0) | 0 (0) | 3 (9) |"),
        "{said}"
    );
    let dir = folder(&[]);
    let out = at(&dir, "out");
    litmpi_in(&root(), ["pivots", "--size", "7", "--rule", "LO", "-o", &out]).exits(0);
    assert_eq!(library::find(&[dir.path().join("out")]).expect("the tests").len(), 158 + 14);
    litmpi_in(&root(), ["enumerate", &out, "--model", "core-rma.cat"]).exits(0);
    litmpi_in(&root(), ["pivots", "--rule", "XY"]).exits(2).says("rules are R1, R2");
}

#[test]
fn random_programs_of_mpi_are_the_same_for_a_seed_and_what_does_not_fit_is_told() {
    for (option, name) in
        ["collectives", "windows", "datatypes", "communicators", "topologies"].map(|name| (format!("--{name}"), name))
    {
        let made = || litmpi_in(&root(), ["generate", "mpi", &option, "--seed", "7", "--count", "12"]);
        let said = made();
        said.exits(0);
        assert_eq!(said.stdout, made().stdout);
        assert_eq!(said.stdout.matches(&format!("litmus mpi {name}-")).count(), 12, "{said}");
        litmpi_in(&root(), ["generate", "rdma", &option]).exits(2).says(&format!("`{option}` is for programs of MPI"));
    }
    let both = litmpi_in(&root(), ["generate", "mpi", "--collectives", "--windows"]);
    both.exits(2).says("`--collectives` and `--windows` ask for different programs");
    let with = |option: &str, names: &str| {
        litmpi_in(&root(), ["generate", "mpi", option, "--with", names, "--seed", "7", "--count", "12"])
    };
    let named = with("--topologies", "MPI_Ibcast,MPI_Neighbor_alltoall");
    named.exits(0).says("MPI_Ibcast(").says("MPI_Neighbor_alltoall(");
    assert!(!named.stdout.contains("MPI_Bcast(") && !named.stdout.contains("MPI_Neighbor_allgather("), "{named}");
    let scans = with("--collectives", "MPI_Scan");
    scans.exits(0).says("MPI_Scan(");
    assert!(!scans.stdout.contains("MPI_Exscan("), "{scans}");
    with("--topologies", "MPI_Send").exits(2).says("do not call `MPI_Send`").says("`--calls` makes programs");
    with("--collectives", "MPI_Bcst").exits(2).says("did you mean `MPI_Bcast`?");
    with("--windows", "MPI_Put").exits(2).says("`--with` is for programs of calls or collectives");
}

#[test]
fn programs_that_leave_something_on_a_communicator_that_they_free_are_left_out() {
    let dir = folder(&[]);
    let out = at(&dir, "out");
    // In the program of seed 50107 nobody receives the one message on the communicator that both ranks free.
    litmpi_in(&root(), ["generate", "mpi", "--communicators", "--seed", "50107", "--count", "8", "-o", &out])
        .exits(0)
        .says("that leave messages, requests or epochs behind and free a communicator or have a window");
    let made = library::find(&[dir.path().join("out")]).expect("the tests");
    assert_eq!(made.len(), 8);
    assert!(made.iter().all(|p| !p.ends_with("communicators-50107.litmus")), "{made:?}");
    // Others that free one stay.
    assert!(
        made.iter().any(|p| std::fs::read_to_string(p).is_ok_and(|text| text.contains("MPI_Comm_free"))),
        "{made:?}"
    );
}

#[test]
fn programs_with_a_mistake_are_erroneous_and_their_reproducers_say_so() {
    let dir = folder(&[]);
    let (out, programs) = (at(&dir, "out"), at(&dir, "programs"));
    let mistaken = |kind: &str| {
        let args = ["generate", "mpi", kind, "--mistakes", "--count", "6", "--seed", "3", "-o", &out];
        litmpi_in(&root(), args).exits(0).says("6 programs with a mistake");
    };
    ["--collectives", "--windows"].into_iter().for_each(mistaken);
    let files = library::find(&[dir.path().join("out")]).expect("the programs");
    assert_eq!(files.len(), 12);
    for file in &files {
        let text = std::fs::read_to_string(file).expect("a program");
        assert!(text.starts_with("litmus mpi mistaken-") && text.ends_with("exists erroneous\n"), "{text}");
        litmpi_in(&root(), ["enumerate", file.to_str().expect("UTF-8")]).exits(0).says("\nerroneous (");
    }
    litmpi_in(&root(), ["emit", "--reproducer", &out, "-o", &programs]).exits(0);
    let emitted: Vec<_> =
        std::fs::read_dir(&programs).expect("programs").map(|e| e.expect("an entry").path()).collect();
    assert_eq!(emitted.len(), 12);
    for file in emitted {
        let text = std::fs::read_to_string(&file).expect("a program");
        assert!(text.contains("\n * The program is erroneous: ") && text.contains("ERRONEOUS = 1"), "{text}");
    }
    litmpi_in(&root(), ["generate", "rdma", "--mistakes"]).exits(2).says("`--mistakes` is for programs of MPI");
}

#[test]
fn an_option_that_what_is_made_does_not_ask_for_is_refused() {
    for (args, says, help) in [
        ("rdma --count 3", "`--count` is for random programs of MPI", "`--most N`"),
        ("rdma --seed 3", "`--seed` is for random programs of MPI", "`--most N`"),
        ("x86 --seed 3", "`--seed` is for random programs of MPI", "`--most N`"),
        ("x86 --threads 2", "`--threads` is for programs of RDMA", "`--size N`"),
        ("mpi --every --seed 3", "`--seed` is for random programs of MPI", "`--most N`"),
        ("mpi --cycles --count 3", "`--count` is for random programs of MPI", "`--most N`"),
        ("mpi --every --series 2", "`--series` is for random programs of MPI", "leave it out"),
        ("mpi --cycles --series 2", "`--series` is for random programs of MPI", "leave it out"),
        ("mpi --size 4", "`--size` is not for random programs", "add `--every` or `--cycles`"),
        ("mpi --threads 4", "`--threads` is for programs of RDMA", "`--ranks N`"),
        ("mpi --most 4", "`--most` is for cycles and every small program", "`--count`"),
        ("mpi --cycle PodSendRecv --ranks 4", "`--ranks` is not for `--cycle`", "leave it out"),
        ("rdma --cycle PodWR --size 4", "`--size` is not for `--cycle`", "leave it out"),
        ("rdma --jobs 0", "at least one works", "leave it out"),
    ] {
        let said = litmpi_in(&root(), std::iter::once("generate").chain(args.split(' ')));
        said.exits(2).says(says).says(help);
        assert!(said.stdout.is_empty(), "{args}: {said}");
    }
}

#[test]
fn functions_that_no_legal_program_calls_are_told() {
    let calls = |names: &str, more: &[&str]| {
        let args = ["generate", "mpi", "--calls", "--with", names, "--count", "1"];
        litmpi_in(&root(), args.iter().chain(more).copied())
    };
    for more in [&[][..], &["--mistakes"]] {
        calls("MPI_Send,MPI_Abort", more)
            .exits(2)
            .says("no program that calls `MPI_Abort` is legal")
            .says("no legal program calls MPI_Abort");
    }
    calls("MPI_Status_set_elements", &[]).exits(2).says("of which rules speak").says("all such functions but MPI_");
    calls("MPI_Snd", &[]).exits(2).says("did you mean `MPI_Send`?");
    calls("MPI_Send", &["--jobs", "1"]).exits(0).says("MPI_Send(");
}

#[test]
fn the_page_on_pivots_has_what_the_command_says() {
    const SIZE: usize = 7;
    let page = std::fs::read_to_string(root().join("docs/pivots.md")).expect("a page");
    let said = litmpi_in(&root(), ["pivots", "--size", &SIZE.to_string()]);
    // Rows of the page go on to larger sizes: a name, what the paper has, and a cell for each size from 4 on.
    let cut = |line: &str| match line.strip_prefix("|") {
        Some(row) => row.split('|').take(SIZE - 1).map(str::trim).collect::<Vec<_>>().join(" | "),
        None => line.to_owned(),
    };
    let cut = |text: &str| text.lines().map(cut).collect::<Vec<_>>();
    assert_eq!(cut(&page), cut(&said.exits(0).stdout), "litmpi pivots --size 12 > docs/pivots.md");
}

/// A get that may be read before it is through.
const RACY: &str = "litmus rdma racy \"what is fetched is read at once\"
node 1 { x = 1  a = 5 }
node 2 { z = 0 }
thread 1 on 1 {
  z@2 := x
  a := z@2
  b := a
}
exists b = 5
  verdict rdma-tso allowed because \"nobody polls\"
";

/// Sends that may wait for each other.
const SENDS: &str = "litmus mpi sends \"head to head\"
rank 0 {
  MPI_Send(1, dest: 1)
  MPI_Recv(a, source: 1)
}
rank 1 {
  MPI_Send(2, dest: 0)
  MPI_Recv(b, source: 0)
}
exists a = 2
";

#[test]
fn a_disk_that_is_full_leaves_what_was_there_or_nothing() {
    let dir = folder(&[("racy.litmus", RACY), ("sends.litmus", SENDS)]);
    // What is written to a file that may not grow fails as on a disk that is full.
    let command = |limit: &str, args: &str| {
        let made = format!("{} {args}", crate::command::binary().display());
        let done = std::process::Command::new("sh")
            .args(["-c", &format!("trap '' XFSZ; ulimit -f {limit}; exec {made}")])
            .current_dir(dir.path())
            .output();
        let done = done.expect("a shell");
        (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
    };
    let is_file = |e: &std::fs::DirEntry| e.path().is_file();
    let files = |folder: &str| {
        std::fs::read_dir(dir.path().join(folder)).map_or(0, |files| files.flatten().filter(is_file).count())
    };
    let random = "generate mpi --count 2 -o out";
    for args in [
        random,
        "generate x86 --size 2 -o out",
        "pivots --size 7 --rule LO -o out",
        "emit sends.litmus -o out",
        "emit --reproducer sends.litmus -o out",
        "mend racy.litmus --forbid b=5 -o out",
        "shrink sends.litmus --between mpi,mpi:rendezvous -o out",
        "suite sends.litmus -o out",
    ] {
        let (code, said) = command("0", args);
        assert!(code == Some(2) && said.contains("cannot write out/"), "{args}: {code:?} {said}");
        assert!(said.contains("make room"), "{args}: {said}");
        assert_eq!(files("out"), 0, "{args}");
    }
    assert_eq!((command("unlimited", random).0, files("out")), (Some(0), 2));
    // What was recorded before stays, and so do tests that are to be laid out.
    assert_eq!(command("unlimited", "check --accept racy.litmus").0, Some(0));
    let all = files(".");
    let recorded = std::fs::read(golden::path(&dir.path().join("racy.litmus"))).expect("outcomes");
    std::fs::write(dir.path().join("racy.litmus"), RACY.replace("  a := z", "a  := z").replace("x = 1", "x = 7"))
        .expect("it is ours");
    let changed = std::fs::read(dir.path().join("racy.litmus")).expect("a test");
    for args in ["check --accept racy.litmus", "fmt racy.litmus"] {
        let (code, said) = command("0", args);
        assert!(code == Some(2) && said.contains("cannot write"), "{args}: {code:?} {said}");
        assert_eq!(std::fs::read(golden::path(&dir.path().join("racy.litmus"))).expect("outcomes"), recorded, "{args}");
        assert_eq!(std::fs::read(dir.path().join("racy.litmus")).expect("a test"), changed, "{args}");
        assert_eq!(files("."), all, "{args}");
    }
}
