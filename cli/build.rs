//! Packs the library of tests into a program that is to be installed: `litmpi run @mpi` needs no checkout then. A program that is
//! made for work on litmpi reads the folder itself, so that a changed test is seen without a build; `LITMPI_TESTS_INSIDE=1` packs them there, too.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let mut list = String::from("&[\n");
    println!("cargo::rerun-if-env-changed=LITMPI_TESTS_INSIDE");
    if std::env::var("PROFILE")? == "release" || std::env::var_os("LITMPI_TESTS_INSIDE").is_some() {
        // The package `litmpi-litmus` has the tests; its build script says where.
        let library = PathBuf::from(std::env::var_os("DEP_LITMPI_LITMUS_TESTS").ok_or("no tests")?).canonicalize()?;
        println!("cargo::rerun-if-changed={}", library.display());
        folder(&library, &library, &mut list)?;
    }
    list.push(']');
    std::fs::write(out.join("tests.rs"), list)?;
    Ok(())
}

/// Tests and their complete sets, in order; what else the folder has is the package of the format.
fn folder(library: &Path, path: &Path, list: &mut String) -> Result<(), Box<dyn Error>> {
    let mut entries = std::fs::read_dir(path)?.collect::<std::io::Result<Vec<_>>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = path.strip_prefix(library)?.to_str().ok_or("a name in UTF-8")?.to_owned();
        if entry.file_type()?.is_dir() {
            if !matches!(name.as_str(), "src" | "tests" | "target") {
                folder(library, &path, list)?;
            }
        } else if path.extension().is_some_and(|e| e == "litmus" || e == "expected") {
            writeln!(list, "({name:?}, include_str!({path:?})),")?;
        }
    }
    Ok(())
}
