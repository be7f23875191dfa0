//! The table of functions in the documents is what the declarations, rules and tests give.

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
