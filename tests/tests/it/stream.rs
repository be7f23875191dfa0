//! Tests that stand one after the other on standard input: what `litmpi generate` prints, other commands read.

use crate::command::root;
use crate::support::{folder, here, litmpi_given, litmpi_in};
use std::collections::BTreeSet;

/// Makes tests, and prints them.
fn printed(args: &[&str]) -> String {
    litmpi_in(&root(), ["generate"].iter().chain(args).copied()).exits(0).stdout.clone()
}

const RANDOM: [&str; 6] = ["mpi", "--seed", "5", "--count", "4", "--collectives"];

#[test]
fn what_generate_prints_is_read_as_if_it_were_in_files() {
    let cycles = ["rdma", "--size", "4", "--most", "5"];
    let every = ["mpi", "--every", "--size", "2", "--with", "MPI_Send,MPI_Recv", "--most", "5"];
    for (made, number) in [(&RANDOM[..], 4), (&["x86", "--size", "2"], 36), (&cycles, 5), (&every, 5)] {
        let dir = folder(&[]);
        let to = |place: &'static str| [made, &["-o", place]].concat();
        litmpi_in(dir.path(), ["generate"].into_iter().chain(to("out"))).exits(0);
        let stream = printed(&to("-"));
        // The same tests, and nothing else.
        let outcomes = |text: &str| -> BTreeSet<String> {
            text.split("Test ").filter(|part| !part.is_empty()).map(str::to_owned).collect()
        };
        let named = litmpi_in(dir.path(), ["enumerate", "out"]).exits(0).stdout.clone();
        let read = litmpi_given(&stream, dir.path(), ["enumerate", "-"]);
        assert_eq!(read.exits(0).stdout.matches("Test ").count(), number, "{made:?}");
        assert_eq!(outcomes(&read.stdout), outcomes(&named), "{made:?}");
        // Random programs and small ones state no verdicts, so that nothing is checked of them.
        let checks = litmpi_given(&stream, dir.path(), ["check", "-", "--no-tests", "pass"]);
        checks.exits(0).says(&format!("{number} tests under "));
    }
    assert_eq!(printed(&RANDOM), printed(&[&RANDOM[..], &["-o", "-"]].concat()));
}

#[test]
fn tests_on_standard_input_run() {
    let Some(&name) = here(&["mpich", "openmpi"]).first() else { return };
    let dir = folder(&[]);
    let run = ["run", "-", "--target", name, "--sizes", "8", "--time", "5"];
    let said = litmpi_given(printed(&["mpi", "--seed", "1", "--count", "3"]), dir.path(), run);
    said.exits(0).says(&format!("3 results of 3 tests on {name}"));
}

/// A test, with something wrong in its third line if it is called so.
fn test(name: &str) -> String {
    let call = if name == "bad" { "MPI_Sned(1)" } else { "MPI_Barrier()" };
    format!("litmus mpi {name} \"a test\"\nrank 0 {{\n  {call}\n}}\nexists true\n")
}

#[test]
fn what_is_wrong_on_standard_input_is_told_with_its_line_there() {
    let dir = folder(&[("two.litmus", &(test("one") + &test("other")))]);
    let text = test("one") + "\n-- what follows is wrong\n" + &test("bad") + &test("last");
    let said = litmpi_given(&text, dir.path(), ["enumerate", "-"]);
    said.exits(2).says("left out: standard input:8\n").says("standard input:10:3").says("10 |   MPI_Sned(1)");
    assert_eq!(said.stdout.matches("Test ").count(), 2, "{said}");
    litmpi_given(&text, dir.path(), ["list", "-"]).says("last\tstandard input:13\ta test");
    // A file has one test, and how several are read is said.
    let file = litmpi_in(dir.path(), ["enumerate", "two.litmus"]);
    file.exits(2).says("two.litmus:6:1").says("a file has one test").says("name `-` and add `< two.litmus`");
    let whole = std::fs::read(dir.path().join("two.litmus")).expect("the file");
    litmpi_given(whole, dir.path(), ["enumerate", "-"]).exits(0).says("Test one").says("Test other");
    for (text, says) in [(&b"\n"[..], "standard input holds no tests"), (b"litmus \xff", "cannot read standard input")]
    {
        litmpi_given(text, dir.path(), ["check", "-"]).exits(2).says(says);
    }
    litmpi_given(test("one"), dir.path(), ["check", "--accept", "-"]).exits(2).says("standard input is none");
    // Those of herd's format are read, too, whatever their comments say.
    litmpi_given(HERD, dir.path(), ["enumerate", "-"]).exits(0).says("Test SB ");
}

const HERD: &str = "X86 SB\n\"Fre PodWR Fre PodWR\"\n(* this\nX86 test *)\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\n \
MOV EAX,[y] | MOV EAX,[x] ;\nexists (0:EAX=0 /\\ 1:EAX=0)\n";
