//! Suites of others, on the emulated NIC and on litmpi's MPI library: the documents say what the results do.

use crate::command::root;
use std::process::Command;

const TABLES: [(&str, &str); 4] = [
    ("nic/suite/table.py", "docs/nic-suites.md"),
    ("verify/suite/table.py", "docs/mpi4py.md"),
    ("verify/suite/mbi_table.py", "docs/mbi.md"),
    ("verify/suite/mpich_table.py", "docs/mpich.md"),
];

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
