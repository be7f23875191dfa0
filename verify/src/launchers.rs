//! Launchers and compilers that a command finds in the place of an MPI library's, so that what it launches is followed under the rules.

use litmpi_scratch::{Folder, temporary};
use std::io::{Error, Result};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use twox_hash::XxHash3_128;

/// Names of launchers.
pub(crate) const LAUNCHERS: [&str; 8] = [
    "mpiexec",
    "mpirun",
    "mpiexec.hydra",
    "mpiexec.mpich",
    "mpirun.mpich",
    "mpiexec.openmpi",
    "mpirun.openmpi",
    "orterun",
];
/// Names of compilers, and the commands of litmpi that are in their place.
const COMPILERS: [(&str, &str); 7] = [
    ("mpicc", "cc"),
    ("mpicxx", "c++"),
    ("mpic++", "c++"),
    ("mpiCC", "c++"),
    ("mpifort", "fc"),
    ("mpif90", "fc"),
    ("mpif77", "fc"),
];
/// Options by which a launcher is asked about itself, as configure scripts do.
const QUESTIONS: [&str; 8] = ["--version", "-version", "-V", "--help", "-help", "-h", "-info", "--info"];
/// Launchers that answer: those of the library whose ABI programs are compiled for.
const ANSWER: [&str; 2] = ["mpiexec.mpich", "mpiexec.hydra"];
/// The variable that names the file in which launches are written down.
const LAUNCHES: &str = "LITMPI_LAUNCHES";

/// A folder of launchers and compilers.
#[derive(Debug)]
pub struct Launchers {
    folder: Folder,
}

impl Launchers {
    /// Makes it: `litmpi` is this command, and `launch` what it is called with as a launcher, before the launcher's own arguments.
    ///
    /// # Errors
    /// The folder cannot be made or written to.
    pub fn make(litmpi: &str, launch: &[String]) -> Result<Launchers> {
        let folder = Folder::make(&temporary(), &["mpi"])?;
        let write = |name: &str, arguments: &[String]| {
            let words = std::iter::once(litmpi).chain(arguments.iter().map(String::as_str)).map(quoted);
            let path = folder.path().join(name);
            std::fs::write(&path, format!("#!/bin/sh\nexec {} \"$@\"\n", words.collect::<Vec<_>>().join(" ")))?;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755))
        };
        LAUNCHERS.into_iter().try_for_each(|name| write(name, launch))?;
        COMPILERS.into_iter().try_for_each(|(name, command)| write(name, &[command.to_owned()]))?;
        Ok(Launchers { folder })
    }

    /// Runs a command that finds them first. How it ended, and a line for each launch.
    ///
    /// # Errors
    /// There is no such command, or it cannot be started.
    pub fn run(&self, command: &[String]) -> Result<(ExitStatus, Vec<String>)> {
        let (program, arguments) = command.split_first().ok_or_else(|| Error::other("no command is named"))?;
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.folder.path().to_owned()).chain(std::env::split_paths(&path));
        let path = std::env::join_paths(folders).map_err(Error::other)?;
        let launches = self.folder.path().join("launches");
        let status = Command::new(program).args(arguments).env("PATH", path).env(LAUNCHES, &launches).status()?;
        let text = std::fs::read_to_string(launches).unwrap_or_default();
        Ok((status, text.lines().map(str::to_owned).collect()))
    }
}

/// How a launcher ended that was asked about itself, and that is installed. None of other arguments.
///
/// # Errors
/// It cannot be started.
pub fn answer(arguments: &[String]) -> Option<Result<ExitStatus>> {
    arguments.first().filter(|word| QUESTIONS.contains(&word.as_str()))?;
    // Not the one of [`Launchers`], which stands first in PATH and would ask again.
    let launches = std::env::var_os(LAUNCHES).map(PathBuf::from);
    let own = launches.as_ref().and_then(|path| path.parent());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).filter(|folder| Some(folder.as_path()) != own).collect();
    let mut all = ANSWER.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let launcher = all.find(|path| path.is_file())?;
    Some(Command::new(launcher).args(arguments).status())
}

/// A word of the shell's.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', "'\\''"))
}

/// Writes a launch down, if somebody asks.
///
/// # Errors
/// The file cannot be written to.
pub fn note(line: &str) -> Result<()> {
    use std::io::Write;
    let Some(path) = std::env::var_os(LAUNCHES) else { return Ok(()) };
    // One write, so that lines of launches at the same time stay whole.
    std::fs::OpenOptions::new().append(true).create(true).open(path)?.write_all(format!("{line}\n").as_bytes())
}

/// The seed of a launch: another one for each program and arguments, the same in each run.
pub fn seed(of: u64, launch: &[String]) -> u64 {
    XxHash3_128::oneshot(launch.join("\0").as_bytes()) as u64 ^ of
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_one_word_to_a_shell() {
        let said = Command::new("sh").args(["-c", &format!("printf %s {}", quoted("it's $HOME; `x` \"y\""))]).output();
        assert_eq!(String::from_utf8_lossy(&said.expect("a shell").stdout), "it's $HOME; `x` \"y\"");
    }

    #[test]
    fn a_launch_has_a_seed_of_its_own() {
        let launch = |n: &str| seed(1, &[n.to_owned(), "./a".to_owned()]);
        assert_eq!(launch("2"), launch("2"));
        assert_ne!(launch("2"), launch("3"));
        assert_ne!(seed(2, &["2".to_owned(), "./a".to_owned()]), launch("2"));
    }
}
