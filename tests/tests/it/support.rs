//! Calls whose whole result is judged, folders to try things in, and targets that may not be here.

use crate::command::binary;
use litmpi_runner::process::marked;
use litmpi_runner::{Availability, probe, shipped_targets};
use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// What a call of the command came to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pid: u32,
}

impl Said {
    /// Panics, showing everything, if the exit code is another.
    #[track_caller]
    pub(crate) fn exits(&self, code: i32) -> &Said {
        assert_eq!(self.code, Some(code), "{self}");
        assert!(!self.stderr.contains("panicked at"), "{self}");
        self
    }

    /// Panics, showing everything, if stdout or stderr does not hold the text.
    #[track_caller]
    pub(crate) fn says(&self, text: &str) -> &Said {
        assert!(self.stdout.contains(text) || self.stderr.contains(text), "nothing says {text:?}\n{self}");
        self
    }

    /// Processes of this call's launches that are left.
    pub(crate) fn orphans(&self) -> Vec<i32> {
        launched(self.pid)
    }

    /// The output as JSON.
    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|e| panic!("{e}\n{self}"))
    }
}

impl fmt::Display for Said {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit code {:?}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// Processes that a litmpi has launched and that are still there.
pub(crate) fn launched(litmpi: u32) -> Vec<i32> {
    let launches = (0..200).map(|n| format!("{litmpi}-{n}"));
    launches.chain([format!("lab-{litmpi}")]).flat_map(|mark| marked(&mark)).collect()
}

/// Ends a litmpi by a signal: it has this exit code and leaves nothing running. What it said about it.
pub(crate) fn ended(litmpi: Child, signal: &str, code: i32) -> String {
    let pid = litmpi.id();
    let sent = Command::new("kill").args([format!("-{signal}"), pid.to_string()]).status();
    assert!(sent.expect("kill runs").success());
    let done = litmpi.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(code), "{signal}\n{said}");
    assert!(launched(pid).is_empty(), "{signal}");
    said
}

/// Calls `litmpi` in a folder.
pub(crate) fn litmpi_in<I: IntoIterator<Item = S>, S: AsRef<std::ffi::OsStr>>(folder: &Path, args: I) -> Said {
    litmpi_with(&[], folder, args)
}

/// Calls `litmpi` in a folder, with these in its environment.
pub(crate) fn litmpi_with<I: IntoIterator<Item = S>, S: AsRef<std::ffi::OsStr>>(
    environment: &[(&str, &str)],
    folder: &Path,
    args: I,
) -> Said {
    called(environment, folder, args, None)
}

/// Calls `litmpi` in a folder, with this on its standard input.
pub(crate) fn litmpi_given<I: IntoIterator<Item = S>, S: AsRef<std::ffi::OsStr>>(
    input: impl AsRef<[u8]>,
    folder: &Path,
    args: I,
) -> Said {
    called(&[], folder, args, Some(input.as_ref()))
}

fn called<I: IntoIterator<Item = S>, S: AsRef<std::ffi::OsStr>>(
    environment: &[(&str, &str)],
    folder: &Path,
    args: I,
    input: Option<&[u8]>,
) -> Said {
    let mut child = Command::new(binary())
        .args(args)
        .envs(environment.iter().copied())
        .current_dir(folder)
        .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("litmpi starts");
    let pid = child.id();
    if let Some((mut to, input)) = child.stdin.take().zip(input) {
        // One that wants none of it ends before it is read.
        let _ = to.write_all(input);
    }
    let done = child.wait_with_output().expect("litmpi ends");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("litmpi writes UTF-8");
    Said { code: done.status.code(), stdout: text(done.stdout), stderr: text(done.stderr), pid }
}

/// A folder with files in it, which goes away when dropped.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let dir = TempDir::new().expect("a temporary folder");
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().expect("below the folder")).expect("folders can be made");
        std::fs::write(path, text).expect("files can be written");
    }
    dir
}

/// The path of something in a folder, as an argument.
pub(crate) fn at(dir: &TempDir, name: &str) -> String {
    dir.path().join(name).display().to_string()
}

/// Those of the targets that are here; of each other one, why not.
pub(crate) fn here(names: &[&'static str]) -> Vec<&'static str> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("an event loop");
    names
        .iter()
        .copied()
        .filter(|name| {
            let target = shipped_targets().into_iter().find(|t| t.name == *name).expect("a shipped target");
            match runtime.block_on(probe(&target)) {
                Availability::Here { .. } => true,
                Availability::Missing { reason, how } => {
                    println!("skipped on {name}: {reason} ({how})");
                    false
                }
            }
        })
        .collect()
}
