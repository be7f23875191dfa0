//! Files of outcome sets.

use litmpi_litmus::golden::{Golden, path};
use litmpi_spec::source::Source;
use std::collections::BTreeSet;
use std::path::Path;

fn set(outcomes: &[&str]) -> BTreeSet<String> {
    outcomes.iter().map(|o| (*o).to_string()).collect()
}

const FILE: &str = "model rdma-tso variant default
deadlock
z=0;
z=1;

model rdma-tso variant no-pcie
{}
erroneous (rule: a reason)
";

#[test]
fn a_file_is_read_and_printed_to_the_same_bytes() {
    let golden = Golden::parse(&Source::new("t.expected", FILE)).unwrap();
    assert_eq!(golden.to_string(), FILE);
    assert_eq!(golden.find("rdma-tso", "default"), Some(&set(&["z=1;", "z=0;", "deadlock"])));
    assert_eq!(golden.find("rdma-tso", "no-pcie"), Some(&set(&["", "erroneous (rule: a reason)"])));
    assert_eq!(golden.find("rdma-tso", "inline"), None);
}

#[test]
fn a_section_is_replaced_in_its_place_or_added_at_the_end() {
    let mut golden = Golden::parse(&Source::new("t.expected", FILE)).unwrap();
    golden.set("rdma-tso", "default", set(&["z=2;"]));
    golden.set("mpi", "default", set(&[]));
    let names: Vec<String> = golden.sections.iter().map(|s| format!("{} {}", s.model, s.variant)).collect();
    assert_eq!(names, ["rdma-tso default", "rdma-tso no-pcie", "mpi default"]);
    assert_eq!(Golden::parse(&Source::new("t", golden.to_string())).unwrap(), golden);
}

#[test]
fn wrong_lines_are_all_told() {
    let text = "x=1;\nmodel a\nmodel a variant b\nx=1;\nx=1;\nmodel a variant b\n";
    let report = Golden::parse(&Source::new("t.expected", text)).unwrap_err().to_string();
    let lines: Vec<&str> = report.lines().collect();
    assert_eq!(lines.len(), 4, "{report}");
    assert!(lines[0].starts_with("t.expected:1:1: an outcome stands before the first section"), "{report}");
    assert!(lines[1].starts_with("t.expected:2:1: this is not the head of a section"), "{report}");
    assert!(lines[2].starts_with("t.expected:5:1: the outcome stands twice"), "{report}");
    assert!(lines[3].starts_with("t.expected:6:1: a second section"), "{report}");
}

#[test]
fn the_file_stands_beside_the_test() {
    assert_eq!(path(Path::new("rdma/2+2W1.litmus")), Path::new("rdma/2+2W1.expected"));
}
