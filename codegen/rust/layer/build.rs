//! Compiles the device's part, which is the C libraries' own: headers of libibverbs have inline functions. `CC` and `AR` choose the
//! programs.

use std::path::PathBuf;
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=c");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo says where to"));
    let (object, archive) = (out.join("litmpi-verbs.o"), out.join("liblitmpi_verbs.a"));
    let program = |variable: &str, usual: &str| {
        println!("cargo:rerun-if-env-changed={variable}");
        Command::new(std::env::var_os(variable).unwrap_or_else(|| usual.into()))
    };
    let run = |command: &mut Command| {
        let status = command.status().unwrap_or_else(|e| panic!("{command:?}: {e}"));
        assert!(status.success(), "{command:?} failed: it needs libibverbs-dev");
    };
    run(program("CC", "cc").args(["-std=c11", "-O2", "-fPIC", "-Wall", "-c", "c/litmpi-verbs.c", "-o"]).arg(&object));
    let _ = std::fs::remove_file(&archive);
    run(program("AR", "ar").arg("crs").arg(&archive).arg(&object));
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=litmpi_verbs");
    println!("cargo:rustc-link-lib=ibverbs");
}
