//! What programs say of themselves: those that litmpi uses, and the probes of targets. All that they print is kept, so that who has
//! to mend something sees it.

use crate::bounded;
use crate::launch::with_tool;
use crate::target::{Target, fitted};
use litmpi_scratch::program;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

/// A program that does not answer in this time is ended.
const PATIENCE: Duration = Duration::from_secs(20);

/// What was asked, and what came.
#[derive(Debug, Clone, Serialize)]
pub struct Asked {
    /// The command.
    pub command: String,
    /// The file of its program; none if there is no such program.
    pub file: Option<PathBuf>,
    /// How it ended, if not well: an exit status, or why it did not start or end.
    pub failed: Option<String>,
    /// What it printed, to standard output and then to standard error, line by line.
    pub printed: Vec<String>,
}

/// Asks a program.
pub async fn asked(words: &[String], environment: &BTreeMap<String, String>) -> Asked {
    let words: Vec<String> = words.iter().map(|w| with_tool(w)).collect();
    let mut out = Asked { command: words.join(" "), file: None, failed: None, printed: vec![] };
    let Some((first, rest)) = words.split_first() else { return out };
    out.file = program(first);
    if out.file.is_none() {
        out.failed = Some(format!("there is no `{first}`"));
        return out;
    }
    let mut command = tokio::process::Command::new(first);
    command.args(rest).envs(environment.iter().filter(|(_, v)| !v.contains('{')));
    match bounded::output(&mut command, PATIENCE).await {
        Ok(done) => {
            let all = [done.stdout, done.stderr].concat();
            out.printed = String::from_utf8_lossy(&all).lines().map(|l| l.trim_end().to_owned()).collect();
            out.failed = (!done.status.success()).then(|| done.status.to_string());
        }
        Err(e) => out.failed = Some(e.to_string()),
    }
    out
}

/// Asks all that a target is probed by: its compiler and launcher by their files, its probe and its version by what they print.
pub async fn examined(target: &Target) -> Vec<Asked> {
    let target = fitted(target).await;
    let mut out = vec![];
    for words in [&target.compiler, &target.launch] {
        if let Some(first) = words.first().filter(|w| *w != "{program}") {
            let (first, command) = (with_tool(first), words.join(" "));
            let file = program(&first);
            let failed = file.is_none().then(|| format!("there is no `{first}`"));
            out.push(Asked { command, file, failed, printed: vec![] });
        }
    }
    for words in [&target.probe.command, &target.probe.version] {
        if !words.is_empty() {
            out.push(asked(words, &target.env).await);
        }
    }
    out
}
