//! Finding test files.

use litmpi_litmus::library::find;
use std::fs;
use std::path::PathBuf;

fn folder(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    dir
}

#[test]
fn folders_are_searched_in_order_and_files_taken_as_given() {
    let dir = folder(&["b/2.litmus", "b/1.litmus", "b/1.expected", "a.litmus", "c/d/3.litmus", "notes.txt"]);
    let at = |p: &str| dir.path().join(p);
    let found = find(&[at("notes.txt"), dir.path().to_path_buf(), at("b/1.litmus")]).unwrap();
    let expected = ["notes.txt", "a.litmus", "b/1.litmus", "b/2.litmus", "c/d/3.litmus"].map(at);
    assert_eq!(found, expected);
}

#[test]
fn what_is_missing_is_told_with_the_nearest_name() {
    let dir = folder(&["SB1.litmus", "empty/readme"]);
    let report = find(&[dir.path().join("SB1"), dir.path().join("SB2.litmus"), dir.path().join("empty")]).unwrap_err();
    let text = report.to_string();
    assert_eq!(report.0.len(), 3, "{text}");
    assert_eq!(text.matches("SB1.litmus`?").count(), 2, "{text}");
    assert!(text.contains("holds no tests"), "{text}");
    assert!(find(&[PathBuf::from("/nowhere/at/all")]).is_err());
}
