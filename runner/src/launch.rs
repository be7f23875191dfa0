//! One launch of a suite: started, listened to, ended.

use crate::hearing::{GRACE, Hearing, Live, Report};
use crate::plan::Plan;
use crate::process::{MARK, Premises};
use crate::schedule::{Entry, schedule};
use crate::target::{DIRECTED, OPTIONS, Target};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::Command;
use tokio::sync::mpsc;

/// Longer lines are taken for several.
const LONGEST_LINE: u64 = 1 << 20;
/// How many lines may wait to be looked at: whoever prints more waits, too.
const LINES_WAITING: usize = 16;

/// What stands for a target's placeholders.
pub(crate) struct Fill<'a> {
    pub(crate) ranks: usize,
    pub(crate) program: &'a Path,
    pub(crate) scratch: &'a str,
    pub(crate) shm: &'a str,
    /// The file of scores, for a launch that follows some.
    pub(crate) scores: Option<&'a str>,
    pub(crate) plan: &'a Plan,
}

impl Fill<'_> {
    /// The launch command with its placeholders filled in.
    pub(crate) fn command_line(&self, target: &Target) -> Vec<String> {
        let directed: &[String] = if self.scores.is_some() { &target.directed } else { &[] };
        let settings = self.plan.settings.iter().map(|(name, value)| format!("{name}={value}"));
        let settings: Vec<String> = settings.collect();
        let words = |w: &String| match w.as_str() {
            OPTIONS => settings.clone(),
            DIRECTED => directed.iter().map(|w| self.word(w)).collect(),
            _ => vec![self.word(w)],
        };
        target.launch.iter().flat_map(words).collect()
    }

    /// The environment of the launch, beside that of the tool.
    pub(crate) fn environment(&self, target: &Target) -> Vec<(String, String)> {
        let own = target.env.iter().map(|(k, v)| (k.clone(), self.word(v)));
        let settings = self.plan.settings.iter().filter(|_| !target.has_options()).cloned();
        own.chain(settings).collect()
    }

    /// A word with its placeholders filled in.
    pub(crate) fn word(&self, word: &str) -> String {
        with_tool(word)
            .replace("{n}", &self.ranks.to_string())
            .replace("{program}", &self.program.display().to_string())
            .replace("{scratch}", self.scratch)
            .replace("{shm}", self.shm)
            .replace("{seed}", &self.plan.seed.to_string())
            .replace("{scores}", self.scores.unwrap_or(""))
            .replace("{variant}", &self.plan.variant)
    }
}

/// The command and the environment of a launch of a program that listens to nothing: it is no suite.
pub(crate) fn alone(
    target: &Target,
    ranks: usize,
    program: &Path,
    premises: &Premises,
) -> (Vec<String>, Vec<(String, String)>) {
    let plan = Plan::new(vec![], Arc::default(), vec![], PathBuf::new());
    let (scratch, shm) = (premises.scratch.display().to_string(), premises.shm.display().to_string());
    let fill = Fill { ranks, program, scratch: &scratch, shm: &shm, scores: None, plan: &plan };
    (fill.command_line(target), fill.environment(target))
}

/// `{litmpi}` is this program, if it is the tool: what `LITMPI` names, or the running executable.
pub(crate) fn with_tool(word: &str) -> String {
    if !word.contains("{litmpi}") {
        return word.to_string();
    }
    let this = std::env::var_os("LITMPI").or_else(|| std::env::current_exe().ok().map(Into::into));
    word.replace("{litmpi}", &this.unwrap_or_else(|| "litmpi".into()).to_string_lossy())
}

/// What a launch is to run.
pub(crate) struct Job<'a> {
    pub(crate) program: &'a Path,
    pub(crate) entries: &'a [Entry],
    /// Which launch of this program it is.
    pub(crate) number: u64,
    /// The scores that its entries speak of.
    pub(crate) scores: Option<&'a str>,
}

/// Launches a program with a schedule of the job's entries.
///
/// # Errors
/// When the launcher does not start or the schedule cannot be written.
pub(crate) async fn launch(
    target: &Target,
    Job { program, entries, number, scores }: Job<'_>,
    plan: &Plan,
    premises: Premises,
    live: &mut dyn FnMut(Live<'_>),
) -> Result<Report, String> {
    let (scratch, shm) = (premises.scratch.display().to_string(), premises.shm.display().to_string());
    let file = premises.scratch.join("schedule");
    std::fs::write(&file, schedule(entries, plan, target, number)).map_err(|e| format!("{}: {e}", file.display()))?;
    let ranks = entries.iter().map(|e| e.ranks).max().unwrap_or(1);
    let file_of_scores = premises.scratch.join("scores").display().to_string();
    if let Some(text) = scores {
        std::fs::write(&file_of_scores, text).map_err(|e| format!("{file_of_scores}: {e}"))?;
    }
    let fill =
        Fill { ranks, program, scratch: &scratch, shm: &shm, scores: scores.map(|_| file_of_scores.as_str()), plan };
    let words = fill.command_line(target);
    let (launcher, arguments) = words.split_first().ok_or("the target has no launch command")?;
    tracing::debug!(command = words.join(" "), entries = entries.len(), "launch");
    let mut child = Command::new(launcher)
        .args(arguments)
        .arg(format!("schedule={}", file.display()))
        .envs(fill.environment(target))
        .envs(plan.environment.iter().map(|(name, value)| (name, value)))
        .env(MARK, &premises.mark)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|e| format!("{launcher}: {e}"))?;
    let (send, mut lines) = mpsc::channel(LINES_WAITING);
    if let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) {
        tokio::spawn(listen(out, false, send.clone()));
        tokio::spawn(listen(err, true, send));
    }
    let mut hearing = Hearing::new(plan, entries, target.slow.max(1));
    loop {
        match tokio::time::timeout_at(hearing.deadline(), lines.recv()).await {
            Ok(Some((from_stderr, line))) => {
                hearing.hear(from_stderr, &line, live);
                if hearing.is_flooded() {
                    premises.end(child.id(), GRACE).await;
                    break;
                }
            }
            Ok(None) => break,
            Err(_) => {
                tracing::debug!("no sign of life: ending the launch");
                premises.end(child.id(), GRACE).await;
                hearing.heard_nothing();
                break;
            }
        }
    }
    let status = tokio::time::timeout(GRACE, child.wait()).await;
    premises.end(None, Duration::ZERO).await;
    let status = match status {
        Ok(Ok(status)) => in_words(status),
        _ => "killed".into(),
    };
    Ok(hearing.end(status))
}

/// How the launcher ended. Shells, and programs with processes of their own, tell a signal as a status above 128.
fn in_words(status: std::process::ExitStatus) -> String {
    match status.code() {
        Some(code @ 129..=159) => format!("{status} (one of its processes was ended by signal {})", code - 128),
        _ => status.to_string(),
    }
}

async fn listen(stream: impl AsyncRead + Unpin, is_stderr: bool, to: mpsc::Sender<(bool, String)>) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = vec![];
        match (&mut stream).take(LONGEST_LINE).read_until(b'\n', &mut line).await {
            Ok(n) if n > 0 => {}
            _ => return,
        }
        if line.ends_with(b"\n") {
            line.pop();
        }
        if to.send((is_stderr, String::from_utf8_lossy(&line).into_owned())).await.is_err() {
            return;
        }
    }
}
