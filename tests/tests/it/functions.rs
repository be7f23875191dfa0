//! Documents on what of MPI is there: the tables of functions and of clauses, and the tests of the standard's examples.

use crate::command::root;
use crate::support::{folder, litmpi_in};
use litmpi_spec::decl::Shape;
use litmpi_spec::load::load_shipped;
use std::process::Command;

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

/// The prototypes of a library's header, by the name of the function; nothing where the compiler is not here.
fn prototypes(compiler: &str) -> Option<Vec<(String, Vec<String>)>> {
    let dir = folder(&[("all.c", "#include <mpi.h>\n")]);
    let said = Command::new(compiler).args(["-E", "-P", "all.c"]).current_dir(dir.path()).output().ok()?;
    let text = String::from_utf8(said.stdout).ok()?.split_whitespace().collect::<Vec<_>>().join(" ");
    let declared = text.split(';').filter_map(|d| {
        // Behind attributes, which may have parentheses of their own.
        let (name, rest) = d.get(d.find(" MPI_")? + 1..)?.split_once('(')?;
        let params = rest.split_once(')').map_or(rest, |(params, _)| params);
        Some((name.trim().to_owned(), params.split(',').map(|p| p.trim().to_owned()).collect()))
    });
    Some(declared.collect())
}

#[test]
fn buffers_that_are_in_are_those_that_the_headers_of_the_libraries_have_as_const() {
    let spec = load_shipped("mpi").expect("a shipped model");
    let decls = &spec.instructions;
    for compiler in ["mpicc.openmpi", "mpicc.mpich"] {
        let Some(declared) = prototypes(compiler) else {
            println!("skipped: no {compiler} here");
            continue;
        };
        let mut compared = 0;
        for instruction in decls.list.iter().filter(|i| !i.internal) {
            let Some((_, params)) = declared.iter().find(|(name, _)| *name == instruction.name) else { continue };
            for param in &instruction.params {
                let kind = decls.kind(param);
                let named = |p: &&String| p.trim_end_matches("[]").ends_with(&format!("void *{}", param.name));
                if let (Shape::Local | Shape::LocalOrNone, Some(text)) = (&kind.shape, params.iter().find(named)) {
                    assert_eq!(kind.is_in, text.starts_with("const "), "{compiler}: {}: {text}", instruction.name);
                    compared += 1;
                }
            }
        }
        assert!(compared > 120, "{compiler}: {compared}");
    }
}

#[test]
fn the_readme_says_how_many_tests_there_are() {
    let of = |folders: &[&str]| {
        let folders = folders.iter().map(|f| format!("litmus/{f}"));
        let said = litmpi_in(&root(), std::iter::once("list".to_owned()).chain(folders));
        said.exits(0).stdout.lines().count()
    };
    let readme = std::fs::read_to_string(root().join("README.md")).expect("the README");
    let words = readme.split_whitespace().collect::<Vec<_>>().join(" ");
    let says = |text: String| assert!(words.contains(&text), "the README does not say `{text}`");
    says(format!("The library has {} RDMA tests", of(&["rdma", "wait", "core-rma"])));
    says(format!("{} that tell the cells of Fig. 9", of(&["cells"])));
    says(format!("{} of verbs, {} of LOCO's libraries", of(&["verbs"]), of(&["loco"])));
    let (mpi, layered) = (of(&["mpi"]), of(&["mpi-rdma"]));
    says(format!("{} X86 tests in herd's format, {mpi} MPI tests and {layered} of MPI over RDMA", of(&["x86"])));
    says(format!("most of them running {mpi} MPI tests on both"));
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
