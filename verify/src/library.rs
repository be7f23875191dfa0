//! The MPI library in C: built when it is first needed, and kept.

use crate::face;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = include_str!("../c/library.c");
const OBJECTS: &str = include_str!("../c/objects.c");

/// Names under which programs look for it: the ABI of MPICH, upstream's and Debian's.
const NAMES: [&str; 2] = ["libmpi.so.12", "libmpich.so.12"];

/// The folder with the library; it is built if it is not there.
///
/// # Errors
/// There is no compiler for C, or the folder cannot be written to.
pub(crate) fn build(cache: &Path) -> Result<PathBuf, String> {
    let stubs = face::stubs();
    let mut hash = DefaultHasher::new();
    (SOURCE, OBJECTS, &stubs).hash(&mut hash);
    let cache = std::path::absolute(cache).map_err(|e| e.to_string())?;
    let folder = cache.join(format!("libmpi-{:016x}", hash.finish()));
    let failed = |e: std::io::Error| format!("{}: {e}", folder.display());
    // The library is loaded into programs: nobody else may have put it there.
    litmpi_scratch::own(&cache).map_err(|e| format!("{}: {e}", cache.display()))?;
    litmpi_scratch::private(&folder).map_err(failed)?;
    if NAMES.iter().all(|n| folder.join(n).is_file()) {
        return Ok(folder);
    }
    std::fs::write(folder.join("library.c"), SOURCE).map_err(failed)?;
    std::fs::write(folder.join("objects.c"), OBJECTS).map_err(failed)?;
    std::fs::write(folder.join("functions.inc"), stubs).map_err(failed)?;
    for name in NAMES {
        let half = format!("half.{}", std::process::id());
        let soname = format!("-Wl,-soname,{name}");
        let output = Command::new("cc")
            .current_dir(&folder)
            .args(["-std=gnu11", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra", &soname, "-o", &half, "library.c"])
            .output()
            .map_err(|e| format!("cc: {e}"))?;
        if !output.status.success() {
            return Err(format!("the MPI library does not compile:\n{}", String::from_utf8_lossy(&output.stderr)));
        }
        // A library that is half written must not look built.
        std::fs::rename(folder.join(half), folder.join(name)).map_err(failed)?;
    }
    Ok(folder)
}
