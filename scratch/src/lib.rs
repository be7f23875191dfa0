//! Folders that litmpi makes for itself on a machine that others use, too.
//!
//! - A [`Folder`] is for one launch: its name is random, it is made and never found, nobody else may look into it, and it goes
//!   when it is dropped. A litmpi that was killed leaves its folders behind; [`clear`] removes them, and only those: a folder
//!   must hold the marker that [`Folder::make`] writes, belong to this user, and be used by no process.
//! - A folder that stays, for results or for what can be made again, is found by its name, so [`own`] refuses one that
//!   somebody else has made or may write into: litmpi runs programs that it finds there.

mod folder;
mod own;
mod program;

pub use folder::{Cleared, Folder, clear};
pub use own::{cache, own, private};
pub use program::program;

use std::path::{Path, PathBuf};

/// Whether a path can stand in commands, schedules and results, which are UTF-8.
///
/// # Errors
/// If it cannot.
pub fn nameable(path: &Path) -> std::io::Result<()> {
    match path.to_str() {
        Some(_) => Ok(()),
        None => Err(std::io::Error::new(
            std::io::ErrorKind::InvalidInput,
            "the name of the folder is not UTF-8; name another one (TMPDIR, --out)",
        )),
    }
}

/// The folder of temporary files.
pub fn temporary() -> PathBuf {
    std::env::temp_dir()
}

/// The folder for what processes share: in memory, where there is such a file system.
pub fn shared() -> PathBuf {
    let shm = Path::new("/dev/shm");
    if shm.is_dir() { shm.to_owned() } else { temporary() }
}
