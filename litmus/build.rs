//! Says where the library of tests is, to the build script of the command, which packs it in: the tests stand beside this file.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if let Ok(folder) = std::env::var("CARGO_MANIFEST_DIR") {
        println!("cargo::metadata=tests={folder}");
    }
}
