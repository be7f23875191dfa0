//! What a launch says, line by line, and what that comes to: the time that it still has, and how it ended.

use crate::observed::{Histogram, Observed};
use crate::plan::Plan;
use crate::protocol::{self, Line, Note};
use crate::schedule::Entry;
use litmpi_litmus::ast::Outcome;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;
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
    /// It was ended, perhaps at this entry, because it did not stop printing.
    Flooded(Option<usize>, String),
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

/// What is told while a launch goes on.
pub(crate) enum Live<'r> {
    /// What the library says of itself.
    Library(&'r str),
    Begun(usize),
    /// An entry has ended, with this; words of its ranks may still come.
    Ended(usize, &'r Ran),
}

/// What the launch is waiting for, and until when.
#[derive(Debug)]
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
pub(crate) const GRACE: Duration = Duration::from_secs(3);

/// Most bytes of other words than the harness's, and of outcomes that are new: a launch that prints more is ended.
const MOST_WORDS: usize = 64 << 20;
/// Most bytes in all.
const MOST: usize = 4 * MOST_WORDS;
/// What a line counts beside its bytes, since it costs time to look at it.
const LINE: usize = 64;
/// How many of others' last words are kept.
const LAST_WORDS: usize = 6;

/// What is heard of a launch.
pub(crate) struct Hearing<'a> {
    plan: &'a Plan,
    entries: &'a [Entry],
    report: Report,
    watch: Watch,
    tail: Tail,
    /// Bytes in all.
    bytes: usize,
}

impl<'a> Hearing<'a> {
    /// Nothing is heard yet. Everything may take `slow` times longer than elsewhere.
    pub(crate) fn new(plan: &'a Plan, entries: &'a [Entry], slow: u32) -> Hearing<'a> {
        let report = Report { entries: BTreeMap::new(), library: None, counters: BTreeMap::new(), end: End::Done };
        let watch = Watch {
            current: None,
            begun: Instant::now(),
            deadline: Instant::now() + START * slow,
            hung: None,
            done: false,
            fresh: false,
            again: None,
            slow,
        };
        Hearing { plan, entries, report, watch, tail: Tail::default(), bytes: 0 }
    }

    /// Until when something must be heard.
    pub(crate) fn deadline(&self) -> Instant {
        self.watch.deadline
    }

    /// Whether it prints without end.
    pub(crate) fn is_flooded(&self) -> bool {
        self.tail.bytes > MOST_WORDS || self.bytes > MOST
    }

    /// Nothing was heard in time: what it was at hangs.
    pub(crate) fn heard_nothing(&mut self) {
        if !self.watch.done {
            self.watch.hung = self.watch.hung.or(self.watch.current);
        }
    }

    /// What came of it, when it has ended with this status.
    pub(crate) fn end(mut self, status: String) -> Report {
        let flooded = self.is_flooded();
        let watch = self.watch;
        if let Some(ran) = watch.current.and_then(|id| self.report.entries.get_mut(&id)) {
            ran.millis = u64::try_from(watch.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        }
        let last = self.tail.last();
        self.report.end = match (watch.done, watch.hung, watch.current) {
            (true, ..) if watch.fresh => End::Fresh,
            (true, ..) => End::Done,
            _ if flooded => {
                let last: String = last.chars().take(200).collect();
                let most = MOST_WORDS >> 20;
                End::Flooded(
                    watch.current,
                    format!("it did not stop printing, and was ended after {most} MiB or many lines: {last}"),
                )
            }
            _ if watch.again.is_some() => End::Again(watch.again.unwrap_or_default()),
            (_, Some(entry), _) => End::Hung(entry),
            (_, None, Some(entry)) => End::Died(entry, status),
            _ => End::Lost(if last.is_empty() { status } else { format!("{status}: {last}") }),
        };
        self.report
    }

    /// Hears a line.
    pub(crate) fn hear(&mut self, from_stderr: bool, line: &str, live: &mut dyn FnMut(Live<'_>)) {
        self.bytes += line.len() + LINE;
        let now = Instant::now();
        if from_stderr {
            match protocol::parse_note(line) {
                Some(note) => {
                    let known = self.entries.iter().any(|e| e.id == note.entry);
                    if known && note.what == "hang" && self.watch.hung.is_none() {
                        self.watch.hung = Some(note.entry);
                        self.watch.deadline = now + GRACE * self.watch.slow;
                    }
                    if self.watch.current.is_none() || !known {
                        // It is of no entry: why the program ends before there is one.
                        self.tail.push(&note.text);
                    }
                    if known {
                        let notes = &mut self.report.entries.entry(note.entry).or_default().notes;
                        if notes.len() < 32 {
                            notes.push(note);
                        }
                    }
                }
                None => {
                    tracing::debug!("{line}");
                    self.tail.push(line);
                }
            }
            return;
        }
        let Some(said) = protocol::parse(line) else {
            self.tail.push(line);
            return;
        };
        if !fits(&said, self.entries, self.plan) {
            // A line that only looks like the harness's.
            self.tail.push(line);
            return;
        }
        if said.entry().is_some_and(|id| self.entries.iter().all(|e| e.id != id)) {
            // The harness speaks of nothing else than what it was given.
            self.tail.push(line);
            return;
        }
        // An entry gives a sign of life every quarter of a second, unless an iteration takes longer.
        let patience = |id: usize| {
            let e = self.entries.iter().find(|e| e.id == id);
            Duration::from_millis(e.map_or(0, |e| e.millis + 1000 * e.watchdog(self.plan, self.watch.slow)))
                + Duration::from_secs(10)
        };
        match said {
            Line::Library(name) => {
                live(Live::Library(&name));
                self.report.library = Some(name);
            }
            Line::Begin(id) => {
                self.watch.current = Some(id);
                self.watch.begun = now;
                self.watch.deadline = now + patience(id);
                self.report.entries.entry(id).or_default();
                live(Live::Begun(id));
            }
            Line::Outcome(id, observed, tally) => {
                let ran = self.report.entries.entry(id).or_default();
                if ran.histogram.0.insert(observed, tally).is_none() {
                    self.tail.bytes += line.len();
                }
                ran.iterations = ran.iterations.max(ran.histogram.total());
                if self.watch.hung.is_none() {
                    self.watch.deadline = now + patience(id);
                }
            }
            Line::Sofar(id, iterations) => self.report.entries.entry(id).or_default().iterations = iterations,
            Line::End(id, iterations, millis) => {
                let ran = self.report.entries.entry(id).or_default();
                (ran.iterations, ran.millis, ran.ended) = (iterations, millis, true);
                self.watch.current = None;
                self.watch.deadline = now + START * self.watch.slow;
                live(Live::Ended(id, ran));
            }
            Line::Problem(text) => self.tail.push(&text),
            Line::Done | Line::Fresh => {
                self.watch.done = true;
                self.watch.fresh = said == Line::Fresh;
                self.watch.current = None;
                self.watch.deadline = now + GRACE * self.watch.slow;
            }
            Line::Alive if self.watch.current.is_none() && !self.watch.done => {
                self.watch.deadline = now + START * self.watch.slow
            }
            Line::Alive => {}
            Line::Again(why) => self.watch.again = Some(why),
            Line::Counter(name, by) => {
                if !self.report.counters.contains_key(&name) {
                    self.tail.bytes += line.len();
                }
                let moved = self.report.counters.entry(name).or_default();
                *moved = moved.saturating_add(by);
            }
        }
    }
}

/// Whether an outcome has a value for each observable of its test.
fn fits(said: &Line, entries: &[Entry], plan: &Plan) -> bool {
    let Line::Outcome(id, Observed::Values(values), _) = said else { return true };
    let test = entries.iter().find(|e| e.id == *id).and_then(|e| plan.tests.get(e.test));
    test.is_none_or(|t| t.test.observed.len() == values.len())
}

/// What others than the harness have said.
#[derive(Debug, Default)]
struct Tail {
    lines: VecDeque<String>,
    /// How much that was in all.
    bytes: usize,
}

impl Tail {
    fn push(&mut self, line: &str) {
        self.bytes += line.len() + LINE;
        let line = line.trim();
        if line.is_empty() {
            return;
        }
        if self.lines.len() == LAST_WORDS {
            self.lines.pop_front();
        }
        self.lines.push_back(line.chars().take(2000).collect());
    }

    /// The last words.
    fn last(&self) -> String {
        self.lines.iter().map(String::as_str).collect::<Vec<_>>().join(" | ")
    }
}

impl Ran {
    /// Whether an outcome was seen.
    pub(crate) fn has_seen(&self, outcome: &Outcome) -> bool {
        self.histogram.0.keys().any(|s| s.shows(outcome))
    }

    /// This, and what a further process gave.
    pub(crate) fn and(&self, more: &Ran) -> Ran {
        let mut all = self.clone();
        all.histogram.add(&more.histogram);
        all.iterations = all.iterations.saturating_add(more.iterations);
        all.millis = all.millis.saturating_add(more.millis);
        all.notes.extend(more.notes.iter().cloned());
        all
    }

    /// Adds how the launch ended at this entry, as the outcome of the iteration that it was at. An error or a cut
    /// loop that a rank has reported explains why the others wait.
    pub(crate) fn end_with(&mut self, outcome: Observed) -> u64 {
        let hang = self.notes.iter().find(|n| n.what == "hang");
        let last = hang.or_else(|| self.notes.iter().rev().find(|n| n.what == "error"));
        let iteration = last.map_or(self.iterations, |n| n.iteration);
        let cause =
            self.notes.iter().find(|n| n.iteration == iteration && !["hang", "stuck"].contains(&n.what.as_str()));
        let outcome = match cause.map(|n| n.what.as_str()) {
            Some("cut") => Observed::Cut,
            Some("error") => Observed::Error(cause.and_then(|n| n.class.clone()).unwrap_or_default()),
            _ => outcome,
        };
        let tally = self.histogram.0.entry(outcome).or_insert(crate::observed::Tally { count: 0, first: iteration });
        tally.count = tally.count.saturating_add(1);
        self.iterations = self.iterations.saturating_add(1);
        iteration
    }
}
