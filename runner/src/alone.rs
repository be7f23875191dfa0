//! One launch on a target of a program of the user's own, or of one whose source is given.

use crate::bounded::output;
use crate::launch;
use crate::orchestrate::quoted;
use crate::process::{MARK, Premises};
use crate::target::Target;
use std::io::ErrorKind;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tokio::process::Command;

/// What is launched.
#[derive(Debug, Clone)]
pub struct Alone<'a> {
    /// How many ranks.
    pub ranks: usize,
    /// The program and its arguments.
    pub command: &'a [String],
    /// The source of a library in C that is loaded into each rank before all others.
    pub before: &'a str,
    /// Files beside it, which the ranks find by a variable of the environment: the variable, and the text.
    pub files: &'a [(&'a str, &'a str)],
    /// How long it may take.
    pub patience: Duration,
}

/// How a launch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AloneEnded {
    /// The launcher's exit code, or 128 and the signal that ended it; none if it was ended because its time was over.
    pub code: Option<i32>,
    /// What launcher and ranks wrote to standard output and to standard error; nothing of one that was ended.
    pub wrote: String,
}

/// Launches a program.
///
/// # Errors
/// The library does not compile, or the launcher does not start.
pub async fn alone(target: &Target, what: &Alone<'_>) -> Result<AloneEnded, String> {
    let premises = Premises::new().map_err(|e| format!("no folder for the launch: {e}"))?;
    let write = |name: &str, text: &str| {
        let path = premises.scratch.join(name);
        std::fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
        Ok::<PathBuf, String>(path)
    };
    let source = write("before.c", what.before)?;
    let library = premises.scratch.join("before.so");
    compile(target, &["-shared", "-fPIC"], (&source, &library), what.patience).await?;
    // The launcher itself is not to load the library.
    let mut script = format!("#!/bin/sh\nexport LD_PRELOAD={}\n", quoted(&library.display().to_string()));
    for (i, (variable, text)) in what.files.iter().enumerate() {
        let path = write(&format!("file{i}"), text)?;
        script += &format!("export {variable}={}\n", quoted(&path.display().to_string()));
    }
    let words: Vec<String> = what.command.iter().map(|w| quoted(w)).collect();
    script += &format!("exec {}\n", words.join(" "));
    let program = write("rank.sh", &script)?;
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(&program, executable).map_err(|e| format!("{}: {e}", program.display()))?;
    launched(target, what.ranks, (&program, &premises), what.patience).await
}

/// Compiles a program and launches it.
///
/// # Errors
/// It does not compile, or the launcher does not start.
pub async fn compiled_alone(
    target: &Target,
    ranks: usize,
    source: &str,
    patience: Duration,
) -> Result<AloneEnded, String> {
    let premises = Premises::new().map_err(|e| format!("no folder for the launch: {e}"))?;
    let (text, program) = (premises.scratch.join("program.c"), premises.scratch.join("program"));
    std::fs::write(&text, source).map_err(|e| format!("{}: {e}", text.display()))?;
    compile(target, &["-O1"], (&text, &program), patience).await?;
    launched(target, ranks, (&program, &premises), patience).await
}

async fn compile(
    target: &Target,
    options: &[&str],
    (from, to): (&Path, &Path),
    patience: Duration,
) -> Result<(), String> {
    let (compiler, rest) = target.compiler.split_first().ok_or("the target has no compiler")?;
    let mut compile = Command::new(compiler);
    compile.args(rest).args(options).args(["-w", "-o"]).arg(to).arg(from);
    let compiled = output(&mut compile, patience.max(COMPILING)).await.map_err(|e| format!("{compiler}: {e}"))?;
    match compiled.status.success() {
        true => Ok(()),
        false => Err(format!("{compiler}: {}", String::from_utf8_lossy(&compiled.stderr))),
    }
}

async fn launched(
    target: &Target,
    ranks: usize,
    (program, premises): (&Path, &Premises),
    patience: Duration,
) -> Result<AloneEnded, String> {
    let (words, environment) = launch::alone(target, ranks, program, premises);
    let (launcher, arguments) = words.split_first().ok_or("the target has no launch command")?;
    let mut command = Command::new(launcher);
    command.args(arguments).envs(environment).env(MARK, &premises.mark);
    match output(&mut command, patience).await {
        Ok(done) => {
            let wrote = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
            // As shells say it.
            let code = done.status.code().or_else(|| done.status.signal().map(|signal| 128 + signal));
            Ok(AloneEnded { code, wrote })
        }
        Err(e) if e.kind() == ErrorKind::TimedOut => Ok(AloneEnded { code: None, wrote: String::new() }),
        Err(e) => Err(format!("{launcher}: {e}")),
    }
}

/// Time for the compiler, on a loaded machine.
const COMPILING: Duration = Duration::from_secs(60);
