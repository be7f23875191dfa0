//! The library of tests that ships.

use litmpi_litmus::ast::Test;
use litmpi_litmus::{library, lower, parse, print};
use litmpi_spec::decl::Instructions;
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::Source;
use std::path::{Path, PathBuf};

/// A folder and the model whose declarations its tests are written against.
const FOLDERS: [(&str, &str); 2] = [("rdma", "rdma-tso-simplified"), ("mpi", "mpi")];

fn files(folder: &str) -> Vec<PathBuf> {
    library::find(&[Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)]).unwrap_or_else(|e| panic!("{e}"))
}

fn each(check: impl Fn(&str, &Path, &Test, &Instructions)) {
    for (folder, model) in FOLDERS {
        let decls = load_shipped(model).unwrap_or_else(|e| panic!("{}", e.render(false))).instructions;
        for file in files(folder) {
            let test = parse(&Source::read(&file).unwrap(), &decls).unwrap_or_else(|e| panic!("{}", e.render(false)));
            check(folder, &file, &test, &decls);
        }
    }
}

#[test]
fn every_test_is_named_after_its_file_and_stands_in_its_family() {
    each(|folder, file, test, _| {
        assert_eq!(Some(test.name.as_str()), file.file_stem().and_then(|s| s.to_str()), "{}", file.display());
        assert_eq!(test.family, folder, "{}", file.display());
    });
}

#[test]
fn every_test_has_a_title_and_verdicts_with_their_sources() {
    each(|_, file, test, _| {
        assert!(!test.title.is_empty(), "{}", file.display());
        for claim in &test.claims {
            assert!(!claim.verdicts.is_empty(), "{}: a claim without a verdict", claim.span);
            for v in &claim.verdicts {
                assert!(v.cite.is_some() || v.because.is_some(), "{}: no source", v.span);
            }
        }
    });
}

#[test]
fn every_test_prints_to_the_same_test() {
    each(|_, file, test, decls| {
        let printed = print(test, decls);
        let again = parse(&Source::new("printed", printed.as_str()), decls);
        let again = again.unwrap_or_else(|e| panic!("{}:\n{printed}\n{}", file.display(), e.render(false)));
        assert_eq!(test.without_places(), again.without_places(), "{}:\n{printed}", file.display());
    });
}

#[test]
fn every_test_is_small() {
    each(|_, file, test, _| assert!(lower::size(test, Some(3)) < 200, "{}", file.display()));
}
