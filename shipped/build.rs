//! Checks the shipped specifications, and writes their checked forms where `src/lib.rs` includes them.

use litmpi_spec::compiled::encode;
use litmpi_spec::load::load_shipped;
use litmpi_spec::shipped;
use std::error::Error;
use std::fmt::Write as _;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    // The script is run again when litmpi-spec, and with it a text, has changed.
    println!("cargo::rerun-if-changed=build.rs");
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    let mut list = String::from("&[\n");
    for model in shipped::names() {
        let spec = load_shipped(model).map_err(|report| report.to_string())?;
        std::fs::write(folder.join(model), encode(&spec)?)?;
        writeln!(list, "(\"{model}\", include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{model}\"))),")?;
    }
    list.push(']');
    std::fs::write(folder.join("models.rs"), list)?;
    Ok(())
}
