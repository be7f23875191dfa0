//! Documents on what of MPI is there: the tables of functions and of clauses, and the tests of the standard's examples.

use crate::command::root;
use crate::support::litmpi_in;

#[test]
fn the_table_of_functions_is_up_to_date() {
    let said = litmpi_in(&root(), ["functions", "litmus/mpi", "--runs", "docs/mpi-runs.json"]);
    said.exits(0);
    let kept = std::fs::read_to_string(root().join("docs/mpi-functions.md")).expect("the table");
    assert!(
        kept == said.stdout,
        "make it anew: litmpi functions litmus/mpi --runs docs/mpi-runs.json > docs/mpi-functions.md"
    );
}

#[test]
fn every_function_is_called_by_a_test_and_has_rules_with_a_section_of_the_standard() {
    let said = litmpi_in(&root(), ["functions", "litmus/mpi"]);
    for row in said.exits(0).stdout.lines().filter(|l| l.starts_with("| `MPI_")) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        assert!(cells[2].contains('§') && cells[3].contains('`') && cells[4] != "0", "{row}");
    }
}

#[test]
fn the_table_of_clauses_is_up_to_date_and_the_readme_says_its_share() {
    let said = litmpi_in(&root(), ["clauses", "litmus/mpi"]);
    said.exits(0);
    let kept = std::fs::read_to_string(root().join("docs/mpi-clauses.md")).expect("the table");
    assert!(kept == said.stdout, "make it anew: litmpi clauses litmus/mpi > docs/mpi-clauses.md");
    let share = said.stdout.lines().find(|l| l.contains(" clauses are covered"));
    let share = share.and_then(|l| l.split(" are covered").next()).expect("a line with the share");
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README");
    assert!(readme.contains(share), "the README says another share than `{share}`");
}

#[test]
fn each_test_that_a_clause_names_tells_changes_of_what_carries_it() {
    // And of each item that is named some change is told.
    let said = litmpi_in(&root(), ["clauses", "litmus/mpi", "--hold"]);
    assert_eq!(said.exits(0).stdout, "");
}

#[test]
fn a_citation_of_a_section_that_is_not_there_or_is_called_otherwise_is_an_error_at_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("wrong.litmus");
    let text = |place: &str| {
        format!(
            "litmus mpi wrong \"a test\"\nrank 0 {{ MPI_Barrier() }}\nexists deadlock\n  verdict mpi forbidden cite MPI-4.1 \"{place}\"\n"
        )
    };
    for (place, message) in [
        ("§3.10 Null Processes", "`Null Processes` is not section 3.10"),
        ("§12.9.9", "the table of clauses has no section 12.9.9"),
    ] {
        std::fs::write(&file, text(place)).expect("written");
        let path = file.to_str().expect("a path");
        let said = litmpi_in(&root(), ["clauses", "litmus/mpi", path]);
        let said = said.exits(2);
        assert!(said.stderr.contains(message) && said.stderr.contains("wrong.litmus:4"), "{}", said.stderr);
    }
}

#[test]
fn every_example_of_the_standard_names_tests_that_are_there() {
    let kept = std::fs::read_to_string(root().join("docs/standard-examples.md")).expect("the table");
    let rows: Vec<Vec<&str>> =
        kept.lines().filter(|l| l.starts_with("| ")).skip(1).map(|l| l.split('|').map(str::trim).collect()).collect();
    assert!(rows.len() >= 40, "{} examples", rows.len());
    for row in rows {
        let tests: Vec<&str> = row[3].split('`').skip(1).step_by(2).collect();
        assert!(!tests.is_empty(), "{row:?}");
        for test in tests {
            assert!(root().join(format!("litmus/mpi/{test}.litmus")).is_file(), "{test}");
        }
    }
}
