//! What RDMA tests become in C, with the shipped declarations and the shipped library.

use crate::golden;
use litmpi_codegen::{verbs_suite, verbs_test};
use litmpi_litmus::ast::Test;
use litmpi_litmus::{library, parse};
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Every instruction that has C, on three nodes and two threads of one of them.
const EVERYTHING: &str = "litmus rdma everything \"every instruction */ once\"
node 1 { x = 3  r[2] = {1, 2} }
node 2 { y = 0  z = 5 }
node 3 { w = 0 }
thread 1 on 1 {
  x := 7
  a := x
  r[1] := y@2
  rfence(2)
  z@2 := x
  w@3 := 4
  poll(2)
  poll(3)
  mfence
  b := CAS(x, 7, a + 1)
  if b = 7 { c := r[1] } else { choose { c := 1 } or { c := 2 } }
  while c = 0 { c := x }
}
thread 2 on 1 { d := x }
locations z
exists a = 7 /\\ d = 3 /\\ c = 1
";

fn test(text: &str) -> Test {
    let spec = load_shipped("rdma-tso").expect("a shipped model");
    parse(&Source::new("everything.litmus", text), &spec.instructions).expect("it parses")
}

#[test]
fn a_test_becomes_a_function_for_each_thread_on_its_node() {
    let spec = load_shipped("rdma-tso").expect("a shipped model");
    golden("verbs_everything.c", &verbs_test(&test(EVERYTHING), &spec.instructions, "everything").expect("it has C"));
}

#[test]
fn an_instruction_without_c_text_is_said_and_the_others_stay_in_the_suite() {
    let spec = load_shipped("rdma-tso").expect("a shipped model");
    let flush = "litmus rdma flushes \"an instruction of another model\"
node 1 { }
node 2 { y = 0 }
thread 1 on 1 { flush(2) }
locations y
exists y = 0
";
    let (bad, good) = (test(flush), test(EVERYTHING));
    let suite = verbs_suite(&[&bad, &good], &spec.instructions);
    assert_eq!(suite.names, [None, Some("everything".to_string())]);
    assert!(suite.lacking[0].1.contains("`flush` has no C text"), "{:?}", suite.lacking);
}

#[test]
fn the_rdma_library_compiles_without_a_warning() {
    let header = "#include <infiniband/verbs.h>\n";
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verbs");
    std::fs::create_dir_all(&folder).expect("a folder for the suite");
    std::fs::write(folder.join("probe.c"), header).expect("a file is written");
    let probe = Command::new("cc").current_dir(&folder).args(["-fsyntax-only", "probe.c"]).output();
    if !probe.is_ok_and(|p| p.status.success()) {
        println!("skipped: no C compiler, or no headers of libibverbs");
        return;
    }
    let spec = load_shipped("rdma-tso").expect("a shipped model");
    let rdma = Path::new(env!("CARGO_MANIFEST_DIR")).join("../litmus/rdma");
    let parsed = |path: PathBuf| parse(&Source::read(&path).expect("a file"), &spec.instructions).ok();
    let tests: Vec<Test> = library::find(&[rdma]).expect("the library").into_iter().filter_map(parsed).collect();
    assert!(tests.len() > 50);
    let suite = verbs_suite(&tests.iter().collect::<Vec<_>>(), &spec.instructions);
    for file in &suite.files {
        std::fs::write(folder.join(&file.name), &file.text).expect("a file of the suite is written");
    }
    let output = Command::new("cc")
        .current_dir(&folder)
        .args(["-std=c11", "-O1", "-Wall", "-Wextra", "-Wshadow", "-Werror", "-pthread", "-o", "suite"])
        .args(&suite.units)
        .arg("-libverbs")
        .output()
        .expect("the compiler runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
