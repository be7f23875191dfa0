//! A trial launch: whether two ranks of a target's library meet, and what the library calls itself.
//!
//! A launcher that says its version may still refuse the launch line, so a target is here only if such a launch works. One that
//! worked is kept in the user's cache for as long as the compiler, the launcher and every shared object that the ranks
//! had loaded are the same files.

use crate::bounded::output;
use crate::cache::{Kept, Stamp, environment, stamp, stamp_of_program};
use crate::launch::{alone, with_tool};
use crate::process::{MARK, Premises};
use crate::target::Target;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::Output;
use std::time::Duration;
use tokio::process::Command;

const PROGRAM: &str = include_str!("../c/trial.c");
const RANKS: usize = 2;
/// Time for the compiler, and for the launch, on a loaded machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A trial that worked.
#[derive(Debug, Serialize, Deserialize)]
struct Worked {
    version: String,
    files: Vec<Stamp>,
}

/// Launches two ranks; the library's own words for its version.
///
/// # Errors
/// Why it does not work, in the words of the compiler or the launcher.
pub(crate) async fn trial(target: &Target) -> Result<String, String> {
    let programs =
        [&target.compiler, &target.launch].map(|words| words.first().map(|w| with_tool(w)).unwrap_or_default());
    let path = std::env::var_os("PATH");
    let kept = Kept::new("trials", &(&target.compiler, &target.launch, &target.env, environment(), path));
    if let Some(worked) = kept.read::<Worked>()
        && worked.files.iter().all(|known| stamp(&known.0).as_ref() == Some(known))
    {
        return Ok(worked.version);
    }
    let said = launch(target).await?;
    let of = |what: &'static str| said.lines().filter_map(move |l| l.strip_prefix(what)).map(str::to_owned);
    // As the harness's own line is read.
    let words = of("litmpi library ").next().unwrap_or_default();
    let version = words.split_whitespace().collect::<Vec<_>>().join(" ");
    match of("litmpi ranks ").next().as_deref() {
        Some("2") => {}
        Some("1") => return Err("each rank is alone: the launcher is of another library than the compiler".into()),
        _ => return Err("its two ranks print nothing".into()),
    }
    let files = programs.iter().filter_map(|p| stamp_of_program(p));
    let files = files.chain(of("litmpi file ").filter_map(|path| stamp(Path::new(&path)))).collect();
    let worked = Worked { version, files };
    kept.write(&worked);
    Ok(worked.version)
}

async fn launch(target: &Target) -> Result<String, String> {
    let premises = Premises::new().map_err(|e| format!("no folder for the launch: {e}"))?;
    let (source, program) = (premises.scratch.join("trial.c"), premises.scratch.join("trial"));
    std::fs::write(&source, PROGRAM).map_err(|e| format!("{}: {e}", source.display()))?;
    let mut compile: Vec<String> = target.compiler.clone();
    compile.extend(["-o", "trial", "trial.c"].map(str::to_owned));
    done(&compile, &[], &premises)
        .await
        .map_err(|why| format!("`{}` does not compile: {why}", target.compiler.join(" ")))?;
    let (words, environment) = alone(target, RANKS, &program, &premises);
    let output = done(&words, &environment, &premises).await;
    let output = output.map_err(|why| format!("a launch of two ranks fails: {why}"))?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs a command to its end; what it complains of, if that is not a good one.
async fn done(words: &[String], env: &[(String, String)], premises: &Premises) -> Result<Output, String> {
    let (first, rest) = words.split_first().ok_or("there is no command")?;
    let mut command = Command::new(first);
    command.args(rest).envs(env.iter().map(|(name, value)| (name, value))).env("LC_ALL", "C");
    // What the launcher leaves running ends with the premises.
    command.env(MARK, &premises.mark).current_dir(&premises.scratch);
    let output = output(&mut command, PATIENCE).await.map_err(|e| format!("{first}: {e}"))?;
    if output.status.success() { Ok(output) } else { Err(complaint(&output)) }
}

/// The first lines of what a command complains of, in one.
fn complaint(output: &Output) -> String {
    let text = format!("{}\n{}", String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    let says = |l: &&str| l.chars().any(char::is_alphanumeric);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(says).take(3).collect();
    if lines.is_empty() { output.status.to_string() } else { lines.join(" ") }
}
