//! Compiles the harness, which is C, with the library's own compiler.

fn main() {
    println!("cargo:rerun-if-env-changed=MPICC");
    // A suite has its harness beside the crate, for its tests in C use it, too.
    let harness = if std::path::Path::new("harness").is_dir() { "harness" } else { "../harness" };
    println!("cargo:rerun-if-changed={harness}");
    let compiler = std::env::var("MPICC").unwrap_or_else(|_| "mpicc".into());
    let mut files: Vec<_> = std::fs::read_dir(harness)
        .expect("the folder `harness`")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    // The harness has MPI functions of its own before the library's: all of it goes into the program.
    cc::Build::new()
        .compiler(compiler)
        .std("c11")
        .flag("-fwrapv")
        .define("LITMPI_LIBRARY", None)
        .files(files)
        .link_lib_modifier("+whole-archive")
        .compile("litmpi_harness");
}
