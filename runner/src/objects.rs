//! The units of a harness, compiled once for each library: they are the same in every suite, and most of what a compiler has to do.
//! Objects are kept in the user's cache, by all that they are made of.

use crate::bounded::output;
use crate::build::FLAGS;
use crate::cache::{environment, stamp_of_program};
use crate::target::Target;
use litmpi_codegen::{Suite, SuiteFile};
use nix::sys::signal::Signal;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

/// Variables of the environment by which compilers find headers, beside those that MPI libraries read.
const FINDS: [&str; 4] = ["PATH", "CPATH", "C_INCLUDE_PATH", "GCC_EXEC_PREFIX"];

/// Runs a target's compiler in a folder. What it complains of without failing is logged.
///
/// # Errors
/// The compiler's words.
pub(crate) async fn run(target: &Target, limit: Duration, folder: &Path, words: &[&str]) -> Result<(), String> {
    let (compiler, own) = target.compiler.split_first().ok_or("the target names no compiler")?;
    let mut command = tokio::process::Command::new(compiler);
    // Complaints are read: see `undeclared`.
    command.env("LC_ALL", "C");
    command.current_dir(folder).args(own).args(FLAGS).args(words);
    let output = output(&mut command, limit).await.map_err(|e| format!("{compiler}: {e}"))?;
    let words = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{compiler} {} in {}:\n{words}", failed(&output), folder.display()));
    }
    if !words.trim().is_empty() {
        tracing::warn!("{compiler}: {words}");
    }
    Ok(())
}

/// How a compiler failed: by its exit code, or by the signal that ended it; and whether it did not say why.
pub(crate) fn failed(output: &Output) -> String {
    let how = match (output.status.signal(), output.status.code()) {
        (Some(signal), _) => {
            let name = Signal::try_from(signal).map_or(String::new(), |known| format!(" ({known})"));
            format!("was ended by signal {signal}{name}")
        }
        (None, Some(code)) => format!("failed with exit code {code}"),
        (None, None) => "failed".to_owned(),
    };
    how + if output.stderr.trim_ascii().is_empty() { " without a word" } else { "" }
}

/// The object of a unit of the harness: kept from an earlier suite, or compiled in this suite's folder and kept. `version` is the
/// library's own words for its version.
///
/// # Errors
/// The compiler's words.
pub(crate) async fn object(
    suite: &Suite,
    unit: &str,
    target: &Target,
    version: &str,
    (limit, folder): (Duration, &Path),
) -> Result<PathBuf, String> {
    let kept = litmpi_scratch::cache().map(|cache| cache.join("objects").join(name(suite, unit, target, version)));
    if let Some(kept) = kept.as_ref().filter(|k| k.is_file()) {
        return Ok(kept.clone());
    }
    let made = format!("{unit}.o");
    // An object speaks of no folder that is gone by the time that it is used.
    let here = format!("-fdebug-prefix-map={}=.", folder.display());
    run(target, limit, folder, &[&here, "-c", "-o", &made, unit]).await?;
    if let Some(kept) = kept
        && let Err(e) = keep(&folder.join(&made), &kept)
    {
        tracing::debug!("{} is not kept: {e}", kept.display());
    }
    Ok(folder.join(made))
}

/// Copies a file to where a process that looks for it meanwhile finds nothing or all of it.
fn keep(made: &Path, kept: &Path) -> std::io::Result<()> {
    kept.parent().map_or(Ok(()), litmpi_scratch::private)?;
    let half = kept.with_extension(std::process::id().to_string());
    std::fs::copy(made, &half).and_then(|_| std::fs::rename(&half, kept)).inspect_err(|_| {
        let _ = std::fs::remove_file(&half);
    })
}

/// The name of an object: everything that it is made of, hashed.
fn name(suite: &Suite, unit: &str, target: &Target, version: &str) -> String {
    let mut hasher = DefaultHasher::new();
    let compiler = target.compiler.first().and_then(|c| stamp_of_program(c));
    (env!("CARGO_PKG_VERSION"), &target.compiler, FLAGS, version, compiler, environment()).hash(&mut hasher);
    FINDS.map(std::env::var_os).hash(&mut hasher);
    let part = |f: &&SuiteFile| f.name == unit || f.name.ends_with(".h");
    suite.files.iter().filter(part).for_each(|f| (&f.name, &f.text).hash(&mut hasher));
    format!("{}-{:016x}.o", unit.trim_end_matches(".c").replace('/', "-"), hasher.finish())
}
