//! Documents on what of MPI is there: the table of functions, and the tests of the standard's examples.

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
