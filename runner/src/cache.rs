//! What can be made again and is kept between runs, in the user's cache.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// A file in the user's cache; without a cache nothing is kept.
pub(crate) struct Kept(Option<PathBuf>);

impl Kept {
    /// The file for something that is kept under this key.
    pub(crate) fn new(kind: &str, key: &impl Hash) -> Kept {
        let mut hasher = DefaultHasher::new();
        (env!("CARGO_PKG_VERSION"), key).hash(&mut hasher);
        let name = format!("{:016x}.json", hasher.finish());
        Kept(litmpi_scratch::cache().map(|folder| folder.join(kind).join(name)))
    }

    /// What is kept there; none if there is nothing, or nothing that can be read.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(&std::fs::read_to_string(self.0.as_ref()?).ok()?).ok()
    }

    /// Keeps something. A process that reads the file meanwhile sees the old or the new text as a whole. What cannot be kept is
    /// found out again the next time.
    pub(crate) fn write(&self, value: &impl Serialize) {
        let Some(path) = &self.0 else { return };
        if let Err(e) = replace(path, value) {
            tracing::debug!("{} is not kept: {e}", path.display());
        }
    }
}

fn replace(path: &Path, value: &impl Serialize) -> std::io::Result<()> {
    path.parent().map_or(Ok(()), litmpi_scratch::private)?;
    let half = path.with_extension(std::process::id().to_string());
    std::fs::write(&half, serde_json::to_string(value)?)?;
    std::fs::rename(&half, path)
}

/// A file as it was at some time: where it really is, its size, and when it was changed, in nanoseconds.
pub(crate) type Stamp = (PathBuf, u64, u128);

/// The stamp of a file, if it is there.
pub(crate) fn stamp(path: &Path) -> Option<Stamp> {
    let path = path.canonicalize().ok()?;
    let about = path.metadata().ok()?;
    let changed = about.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((path, about.len(), changed.as_nanos()))
}

/// The stamp of a program that is named as in a shell.
pub(crate) fn stamp_of_program(name: &str) -> Option<Stamp> {
    stamp(&litmpi_scratch::program(name)?)
}

/// Variables of the environment that MPI libraries, their transports, their launchers and the loader of shared objects read, sorted.
pub(crate) fn environment() -> Vec<(String, String)> {
    const PREFIXES: [&str; 15] = [
        "OMPI_",
        "PRTE_",
        "PMIX_",
        "MPICH_",
        "MPIR_",
        "MPIEXEC_",
        "HYDRA_",
        "UCX_",
        "FI_",
        "I_MPI_",
        "PSM",
        "MV2_",
        "IBV_",
        "LD_",
        "LITMPI_NIC",
    ];
    let listened = |name: &str| PREFIXES.iter().any(|p| name.starts_with(p));
    let text = |v: std::ffi::OsString| v.to_string_lossy().into_owned();
    let mut all: Vec<(String, String)> = std::env::vars_os().map(|(n, v)| (text(n), text(v))).collect();
    all.retain(|(name, _)| listened(name));
    all.sort();
    all
}
