//! Building suites, each once for each content.

use crate::cargo::{self, NotBuilt};
use crate::objects::{object, run};
use crate::plan::Plan;
use crate::target::Target;
use litmpi_codegen::{Language, Suite};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Flags beside the target's own. Expressions of litmus tests wrap, as the model's do.
pub(crate) const FLAGS: &[&str] = &["-std=c11", "-O1", "-g", "-fwrapv", "-Wall", "-Wextra"];

/// A built program.
#[derive(Debug, Clone)]
pub(crate) struct Built {
    pub(crate) program: PathBuf,
    /// It was there from an earlier run.
    pub(crate) cached: bool,
}

/// Builds a suite for a target under `out`, in a folder that is named by the content; `cache` is for what crates share. A compiler
/// that does not end in the plan's time has failed.
///
/// # Errors
/// The compiler's words, or the file system's.
pub(crate) async fn build(
    suite: &Suite,
    target: &Target,
    version: &str,
    plan: &Plan,
    (out, cache): (&Path, &Path),
) -> Result<Built, NotBuilt> {
    let name = format!("{}-{:016x}", target.name, key(suite, target, version));
    let place = out.join("build").join(&name);
    if place.join("suite").is_file() {
        return Ok(Built { program: place.join("suite"), cached: true });
    }
    // Another run may build the same at this moment: each has a folder of its own, and the first to be done has its place.
    let folder = out.join("build").join(format!("{name}.{}", std::process::id()));
    let program = folder.join("suite");
    write(suite, &folder).map_err(|e| NotBuilt::Failed(format!("{}: {e}", folder.display())))?;
    match suite.language {
        Language::C => {
            compile(suite, target, version, plan.build_limit, (&folder, &program)).await.map_err(NotBuilt::Failed)?
        }
        Language::Rust => cargo::build(suite, target, plan.build_limit, (&folder, &program), cache).await?,
    }
    let settled = settle(&folder, &place).map_err(|e| NotBuilt::Failed(format!("{}: {e}", place.display())));
    settled.map(|()| Built { program: place.join("suite"), cached: false })
}

/// Moves a folder that holds a program to its place, unless another run's is there by now.
fn settle(folder: &Path, place: &Path) -> std::io::Result<()> {
    if std::fs::rename(folder, place).is_ok() {
        return Ok(());
    }
    if !place.join("suite").is_file() {
        // What is left of one that failed.
        std::fs::remove_dir_all(place)?;
        return std::fs::rename(folder, place);
    }
    std::fs::remove_dir_all(folder)
}

/// Compiles the unit that holds the tests, and links it with the objects of the harness.
async fn compile(
    suite: &Suite,
    target: &Target,
    version: &str,
    limit: Duration,
    (folder, program): (&Path, &Path),
) -> Result<(), String> {
    let (tests, harness) = suite.units.split_last().ok_or("the suite has no units")?;
    let mut objects = vec![];
    for unit in harness {
        objects.push(object(suite, unit, target, version, (limit, folder)).await?.display().to_string());
    }
    // A program that is half written must not look built.
    let half = format!("suite.{}", std::process::id());
    let words: Vec<&str> = ["-o", &half, tests].into_iter().chain(objects.iter().map(String::as_str)).collect();
    run(target, limit, folder, &words).await?;
    std::fs::rename(folder.join(&half), program).map_err(|e| match e.kind() {
        ErrorKind::NotFound => {
            let compiler = target.compiler.first().map_or("", String::as_str);
            format!("{compiler} ended well, and there is no program {}", folder.join(&half).display())
        }
        _ => format!("{}: {e}", program.display()),
    })
}

fn write(suite: &Suite, folder: &Path) -> std::io::Result<()> {
    litmpi_scratch::private(folder)?;
    for file in &suite.files {
        let path = folder.join(&file.name);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, &file.text)?;
    }
    Ok(())
}

/// FNV-1a over everything that the program depends on: stable, and good enough to name a folder.
fn key(suite: &Suite, target: &Target, version: &str) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut eat = |text: &str| {
        for b in text.bytes().chain([0]) {
            hash = (hash ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    target.compiler.iter().for_each(|w| eat(w));
    FLAGS.iter().for_each(|w| eat(w));
    eat(version);
    for file in &suite.files {
        eat(&file.name);
        eat(&file.text);
    }
    hash
}
