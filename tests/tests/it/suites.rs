//! Suites of others, on the emulated NIC and on litmpi's MPI library: the documents say what the results do.

use crate::command::{binary, root};
use std::path::Path;
use std::process::Command;

const TABLES: [(&str, &str); 4] = [
    ("nic/suite/table.py", "docs/nic-suites.md"),
    ("verify/suite/table.py", "docs/mpi4py.md"),
    ("verify/suite/mbi_table.py", "docs/mbi.md"),
    ("verify/suite/mpich_table.py", "docs/mpich.md"),
];

/// What a script of `verify/suite` ends with where the suite cannot be had.
const NOT_HAD: i32 = 77;

/// Runs a script of `verify/suite` that gets its suite into a folder below `target/tmp` and puts the results into another one; whether the
/// suite can be had.
pub(crate) fn is_run(script: &str, folder: &str, words: &[&str], results: &Path) -> bool {
    let mut command = Command::new("python3");
    command.arg(root().join("verify/suite").join(script)).arg(root().join("target/tmp").join(folder));
    let said = match command.arg("--results").arg(results).args(words).env("LITMPI", binary()).output() {
        Ok(said) => said,
        Err(e) => {
            println!("skipped: there is no python3: {e} (./dev setup python)");
            return false;
        }
    };
    let words = String::from_utf8_lossy(&said.stderr);
    if said.status.code() == Some(NOT_HAD) {
        println!("skipped: {} (./dev setup python)", words.trim());
        return false;
    }
    assert!(said.status.success(), "{words}");
    true
}

#[test]
fn the_documents_of_suites_are_what_the_results_say() {
    for (table, document) in TABLES {
        let Ok(made) = Command::new("/usr/bin/python3").arg(table).current_dir(root()).output() else {
            println!("skipped: there is no /usr/bin/python3");
            return;
        };
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let text = std::fs::read_to_string(root().join(document)).expect("the document");
        assert_eq!(text, String::from_utf8_lossy(&made.stdout), "python3 {table} > {document}");
    }
}
