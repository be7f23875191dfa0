//! Compiles the device's part, which is the C libraries' own: headers of libibverbs have inline functions.

fn main() {
    println!("cargo:rerun-if-changed=c");
    cc::Build::new().std("c11").file("c/litmpi-verbs.c").compile("litmpi_verbs");
    println!("cargo:rustc-link-lib=ibverbs");
}
