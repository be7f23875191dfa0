//! The library of tests that ships.

use crate::decls::read;
use crate::printing::round_trip;
use litmpi_litmus::{library, lower};
use std::path::{Path, PathBuf};

fn files(folder: &str) -> Vec<PathBuf> {
    library::find(&[Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)]).unwrap_or_else(|e| panic!("{e}"))
}

fn each(folder: &str, check: impl Fn(&Path, &str)) {
    for file in files(folder) {
        let text = std::fs::read_to_string(&file).unwrap();
        check(&file, &text);
    }
}

#[test]
fn every_test_is_named_after_its_file_and_stands_in_its_family() {
    for folder in ["rdma", "mpi"] {
        each(folder, |file, text| {
            let test = read(text);
            assert_eq!(Some(test.name.as_str()), file.file_stem().and_then(|s| s.to_str()), "{}", file.display());
            assert_eq!(test.family, folder, "{}", file.display());
        });
    }
}

#[test]
fn every_test_has_a_title_and_a_verdict_with_its_source() {
    for folder in ["rdma", "mpi"] {
        each(folder, |file, text| {
            let test = read(text);
            assert!(!test.title.is_empty(), "{}", file.display());
            for claim in &test.claims {
                assert!(!claim.verdicts.is_empty(), "{}: a claim without a verdict", file.display());
                for v in &claim.verdicts {
                    assert!(v.cite.is_some() || v.because.is_some(), "{}: {}: no source", file.display(), v.span);
                }
            }
        });
    }
}

#[test]
fn every_test_prints_to_the_same_test() {
    for folder in ["rdma", "mpi"] {
        each(folder, |_, text| {
            round_trip(text);
        });
    }
}

#[test]
fn every_test_is_small() {
    for folder in ["rdma", "mpi"] {
        each(folder, |file, text| {
            assert!(lower::size(&read(text), 3) < 200, "{}", file.display());
        });
    }
}
