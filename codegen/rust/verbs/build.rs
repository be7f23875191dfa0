//! Compiles the harness, which is C.

fn main() {
    println!("cargo:rerun-if-changed=harness");
    let mut files: Vec<_> = std::fs::read_dir("harness")
        .expect("the folder `harness`")
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "c"))
        .collect();
    files.sort();
    cc::Build::new().std("c11").flag("-fwrapv").define("LITMPI_LIBRARY", None).files(files).compile("litmpi_harness");
}
