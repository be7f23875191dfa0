//! One launch of a suite: started, listened to, ended.

use crate::observed::{Histogram, Observed};
use crate::plan::Plan;
use crate::process::{MARK, Premises};
use crate::protocol::{self, Line, Note};
use crate::schedule::{Entry, schedule};
use crate::target::{DIRECTED, OPTIONS, Target};
use litmpi_litmus::ast::Outcome;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Command;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// What became of one entry of the schedule.
#[derive(Debug, Default, Clone)]
pub(crate) struct Ran {
    pub(crate) histogram: Histogram,
    pub(crate) iterations: u64,
    pub(crate) millis: u64,
    pub(crate) ended: bool,
    pub(crate) notes: Vec<Note>,
}

/// How a launch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum End {
    /// Everything was run.
    Done,
    /// The processes ended between two entries, because iterations had left behind what nothing can take away.
    Fresh,
    /// This entry hung.
    Hung(usize),
    /// The program died at this entry.
    Died(usize, String),
    /// It ended outside of any entry.
    Lost(String),
    /// What it ran on broke down, which says nothing of the entry that it was at.
    Again(String),
}

/// What a launch gave.
#[derive(Debug)]
pub(crate) struct Report {
    pub(crate) entries: BTreeMap<usize, Ran>,
    pub(crate) library: Option<String>,
    /// How far counters of devices moved.
    pub(crate) counters: BTreeMap<String, u64>,
    pub(crate) end: End,
}

/// Words for the progress bar.
pub(crate) enum Live {
    Begun(usize),
    Ended(usize),
}

/// What the launch is waiting for, and until when.
struct Watch {
    current: Option<usize>,
    begun: Instant,
    deadline: Instant,
    /// A rank has said that it hangs: the launcher has a moment to end by itself.
    hung: Option<usize>,
    done: bool,
    fresh: bool,
    again: Option<String>,
    /// How many times longer than elsewhere everything may take.
    slow: u32,
}

/// Time for a launch to come up, and to pass from one entry to the next, on a loaded machine.
const START: Duration = Duration::from_secs(60);
/// Time for a launcher to end after its ranks have.
const GRACE: Duration = Duration::from_secs(3);

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
    live: &mut dyn FnMut(Live),
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
    let (send, mut lines) = mpsc::unbounded_channel();
    if let (Some(out), Some(err)) = (child.stdout.take(), child.stderr.take()) {
        tokio::spawn(listen(out, false, send.clone()));
        tokio::spawn(listen(err, true, send));
    }
    let mut report = Report { entries: BTreeMap::new(), library: None, counters: BTreeMap::new(), end: End::Done };
    let slow = target.slow.max(1);
    let mut watch = Watch {
        current: None,
        begun: Instant::now(),
        deadline: Instant::now() + START * slow,
        hung: None,
        done: false,
        fresh: false,
        again: None,
        slow,
    };
    let mut tail: Vec<String> = Vec::new();
    loop {
        match tokio::time::timeout_at(watch.deadline, lines.recv()).await {
            Ok(Some((from_stderr, line))) => {
                hear(&mut report, &mut watch, &mut tail, from_stderr, &line, entries, plan, live)
            }
            Ok(None) => break,
            Err(_) => {
                let known = watch.hung.or(watch.current);
                tracing::debug!(?known, done = watch.done, "no sign of life: ending the launch");
                premises.end(child.id(), GRACE).await;
                if !watch.done {
                    watch.hung = known;
                }
                break;
            }
        }
    }
    if let Some(ran) = watch.current.and_then(|id| report.entries.get_mut(&id)) {
        ran.millis = u64::try_from(watch.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    }
    let status = tokio::time::timeout(GRACE, child.wait()).await;
    premises.end(None, Duration::ZERO).await;
    let status = match status {
        Ok(Ok(status)) => in_words(status),
        _ => "killed".into(),
    };
    report.end = match (watch.done, watch.hung, watch.current) {
        (true, ..) if watch.fresh => End::Fresh,
        (true, ..) => End::Done,
        _ if watch.again.is_some() => End::Again(watch.again.unwrap_or_default()),
        (_, Some(entry), _) => End::Hung(entry),
        (_, None, Some(entry)) => End::Died(entry, status),
        _ => {
            let last = tail.iter().rev().take(6).rev().cloned().collect::<Vec<_>>().join(" | ");
            End::Lost(if last.is_empty() { status } else { format!("{status}: {last}") })
        }
    };
    Ok(report)
}

/// How the launcher ended. Shells, and programs with processes of their own, tell a signal as a status above 128.
fn in_words(status: std::process::ExitStatus) -> String {
    match status.code() {
        Some(code @ 129..=159) => format!("{status} (one of its processes was ended by signal {})", code - 128),
        _ => status.to_string(),
    }
}

async fn listen(stream: impl AsyncRead + Unpin, is_stderr: bool, to: mpsc::UnboundedSender<(bool, String)>) {
    let mut lines = BufReader::new(stream).split(b'\n');
    while let Ok(Some(line)) = lines.next_segment().await {
        if to.send((is_stderr, String::from_utf8_lossy(&line).into_owned())).is_err() {
            return;
        }
    }
}

#[expect(clippy::too_many_arguments, reason = "one step of the loop above, with all that it keeps")]
fn hear(
    report: &mut Report,
    watch: &mut Watch,
    tail: &mut Vec<String>,
    from_stderr: bool,
    line: &str,
    entries: &[Entry],
    plan: &Plan,
    live: &mut dyn FnMut(Live),
) {
    let now = Instant::now();
    if from_stderr {
        match protocol::parse_note(line) {
            Some(note) => {
                if note.what == "hang" && watch.hung.is_none() {
                    watch.hung = Some(note.entry);
                    watch.deadline = now + GRACE * watch.slow;
                }
                if watch.current.is_none() {
                    // It is of no entry: why the program ends before there is one.
                    tail.push(note.text.clone());
                }
                let notes = &mut report.entries.entry(note.entry).or_default().notes;
                if notes.len() < 32 {
                    notes.push(note);
                }
            }
            None if line.trim().is_empty() => {}
            None => {
                tracing::debug!("{line}");
                tail.push(line.trim().to_string());
            }
        }
        return;
    }
    let Some(said) = protocol::parse(line) else {
        if !line.trim().is_empty() {
            tail.push(line.trim().to_string());
        }
        return;
    };
    // An entry gives a sign of life every quarter of a second, unless an iteration takes longer.
    let patience = |id: usize| {
        let e = entries.iter().find(|e| e.id == id);
        Duration::from_millis(e.map_or(0, |e| e.millis + 1000 * e.watchdog(plan, watch.slow))) + Duration::from_secs(10)
    };
    match said {
        Line::Library(name) => report.library = Some(name),
        Line::Begin(id) => {
            watch.current = Some(id);
            watch.begun = now;
            watch.deadline = now + patience(id);
            report.entries.entry(id).or_default();
            live(Live::Begun(id));
        }
        Line::Outcome(id, observed, tally) => {
            let ran = report.entries.entry(id).or_default();
            ran.histogram.0.insert(observed, tally);
            ran.iterations = ran.iterations.max(ran.histogram.total());
            if watch.hung.is_none() {
                watch.deadline = now + patience(id);
            }
        }
        Line::Sofar(id, iterations) => report.entries.entry(id).or_default().iterations = iterations,
        Line::End(id, iterations, millis) => {
            let ran = report.entries.entry(id).or_default();
            (ran.iterations, ran.millis, ran.ended) = (iterations, millis, true);
            watch.current = None;
            watch.deadline = now + START * watch.slow;
            live(Live::Ended(id));
        }
        Line::Problem(text) => tail.push(text),
        Line::Done | Line::Fresh => {
            watch.done = true;
            watch.fresh = said == Line::Fresh;
            watch.current = None;
            watch.deadline = now + GRACE * watch.slow;
        }
        Line::Alive if watch.current.is_none() && !watch.done => watch.deadline = now + START * watch.slow,
        Line::Alive => {}
        Line::Again(why) => watch.again = Some(why),
        Line::Counter(name, by) => *report.counters.entry(name).or_default() += by,
    }
}

impl Ran {
    /// Whether an outcome was seen.
    pub(crate) fn has_seen(&self, outcome: &Outcome) -> bool {
        self.histogram.0.keys().any(|s| s.outcome().as_ref() == Some(outcome))
    }

    /// This, and what a further process gave.
    pub(crate) fn and(&self, more: &Ran) -> Ran {
        let mut all = self.clone();
        all.histogram.add(&more.histogram);
        all.iterations += more.iterations;
        all.millis += more.millis;
        all.notes.extend(more.notes.iter().cloned());
        all
    }

    /// Adds how the launch ended at this entry, as the outcome of the iteration that it was at. An error or a cut
    /// loop that a rank has reported explains why the others wait.
    pub(crate) fn end_with(&mut self, outcome: Observed) -> u64 {
        let hang = self.notes.iter().find(|n| n.what == "hang");
        let last = hang.or_else(|| self.notes.iter().rev().find(|n| n.what == "error"));
        let iteration = last.map_or(self.iterations, |n| n.iteration);
        let cause = self.notes.iter().find(|n| n.iteration == iteration && n.what != "hang");
        let outcome = match cause.map(|n| n.what.as_str()) {
            Some("cut") => Observed::Cut,
            Some("error") => Observed::Error(cause.and_then(|n| n.class.clone()).unwrap_or_default()),
            _ => outcome,
        };
        let tally = self.histogram.0.entry(outcome).or_insert(crate::observed::Tally { count: 0, first: iteration });
        tally.count += 1;
        self.iterations += 1;
        iteration
    }
}
