//! The device follows a [score](crate::score): queue pairs of a test take the steps that it says, when it says, and the
//! program's threads wait for their turn.
//!
//! Program and device meet at a board, a file of 64-bit words that both map; the program finds it by `LITMPI_BOARD`. The
//! program's side is the harness of generated tests (`codegen/c/verbs/direct.c`); a program that knows nothing of boards is
//! served as ever. The board is never part of what is tested: who waits there does so between two statements, and what
//! it writes there is plain stores, which keep no store from waiting in its buffer.
//!
//! A score is no more than a wish: an item that nothing comes of in time ends it for this iteration, and the device goes on by
//! its scheduler.

use crate::layout::QP_COUNT;
use crate::region::Words;
use crate::rules::Rules;
use crate::score::{Act, Item, Score};
use crate::temper::Rng;
use litmpi_spec::diag::{Diagnostic, Report};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

// The board; `direct.c` has the same numbers.
/// Iterations that the program has begun with a score, and the score of the last.
const ROUND: usize = 0;
const SCORE: usize = 1;
/// The last iteration that the device is ready for, and the last that it has given up.
const READY: usize = 8;
const LOOSE: usize = 9;
/// When threads that race begin.
const START: usize = 10;
const THREADS: usize = 16;
const NODES: usize = 8;
const THREAD: usize = 32;
const THREAD_WORDS: usize = 128;
/// Of a thread: items that it has done, by the program; items that it may begin, by the device.
const DONE: usize = 0;
const GO: usize = 8;
/// The time, again and again, while it waits for others to race with; then this.
const SEEN: usize = 1;
const GONE: u64 = 1;
/// Its queue pairs, by node.
const QPNS: usize = 16;
/// How many statements of it are items, and their lines.
const COUNT: usize = 24;
const LINES: usize = 32;
/// With a line: the thread's store is to stay in its buffer; it is racing; a bit for each thread that it begins to race
/// with, and itself, and for the device.
const LATE: u64 = 1 << 32;
const RACING: u64 = 1 << 33;
const RACERS: usize = 40;
const MOST_LINES: usize = THREAD_WORDS - LINES;
const WORDS: usize = THREAD + THREADS * THREAD_WORDS;

/// The device, among those that race.
const DEVICE: u64 = 1 << THREADS;

/// What names of rules for constants end with.
const IMMEDIATE: &str = "-immediate";

/// How long an item may take, on a machine where others run, too.
const PATIENCE: Duration = Duration::from_millis(60);

/// How long to wait for a thread that is on a processor, and for one that just was, in turns of a loop.
const PAUSES: u32 = 10_000;
const FEW_PAUSES: u32 = 10;
/// What the device waits at most when threads that race have begun, in nanoseconds: about as long as a store stays in its buffer.
const MOST_LATE: usize = 800;
/// How long the device leaves its processor to others.
const REST: Duration = Duration::from_micros(100);

/// An item, with its rule resolved.
#[derive(Debug, Clone, Copy)]
enum Turn {
    /// A thread's statement, the how many-th of its items.
    Thread(usize, u64),
    /// A step of a queue pair, by thread and node.
    Queue(usize, usize, Wanted),
}

/// A step that a queue pair is to take: by one of these rules, and which of the ways to apply it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) rules: [usize; 2],
    pub(crate) way: usize,
}

struct Part {
    turns: Vec<(Turn, bool)>,
    /// Who takes part in what is done at once around each item, as a bit each: threads, and the device.
    racers: Vec<u64>,
    lines: BTreeMap<usize, Vec<u64>>,
}

/// An iteration that follows a score.
struct Active {
    part: usize,
    at: usize,
    since: Instant,
    /// Region and index of queue pairs, by thread and node.
    queues: BTreeMap<(usize, usize), (usize, usize)>,
}

/// Scores, and the iteration that follows one.
pub(crate) struct Direction {
    board: Words,
    parts: Vec<Part>,
    round: u64,
    active: Option<Active>,
    /// What came of iterations, for a trace: score, items, those that were done.
    ended: Vec<(usize, usize, usize)>,
}

impl Direction {
    /// Makes a board at this path for these scores.
    ///
    /// # Errors
    /// A board that cannot be made; a rule that the device does not have; more than a board has room for.
    pub(crate) fn new(path: &Path, scores: &[Score], rules: &Rules) -> Result<Direction, Report> {
        let general = |message: String| Report::from(Diagnostic::general(message));
        let board = Words::create(path, WORDS).map_err(|e| general(format!("{}: {e}", path.display())))?;
        let parts = scores.iter().map(|s| part(s, rules)).collect::<Result<_, Report>>()?;
        Ok(Direction { board, parts, round: 0, active: None, ended: vec![] })
    }

    /// Looks whether an iteration begins, and lets threads go on; whether anything came of it.
    pub(crate) fn follow(&mut self, now: Instant) -> bool {
        let round = self.board.get(ROUND);
        if round != self.round {
            self.round = round;
            self.begin(now);
            return true;
        }
        let Some(active) = &mut self.active else { return false };
        let part = &self.parts[active.part];
        let before = active.at;
        while let Some((Turn::Thread(t, n), at_once)) = part.turns.get(active.at).copied() {
            let at = THREAD + t * THREAD_WORDS;
            if self.board.get(at + GO) <= n {
                self.board.set(at + GO, n + 1);
                active.since = now;
            }
            if !at_once && self.board.get(at + DONE) <= n {
                break;
            }
            active.at += 1;
            active.since = now;
        }
        let over = active.at == part.turns.len();
        let did = active.at != before;
        if now.saturating_duration_since(active.since) > PATIENCE {
            self.board.set(LOOSE, self.round);
            self.ended.push((active.part, part.turns.len(), active.at));
            self.active = None;
        } else if over {
            self.ended.push((active.part, active.at, active.at));
            self.active = None;
        }
        did
    }

    fn begin(&mut self, now: Instant) {
        self.active = None;
        let number = usize::try_from(self.board.get(SCORE)).unwrap_or(usize::MAX);
        let part = self.parts.get(number);
        let mut queues = BTreeMap::new();
        for t in 0..THREADS {
            let at = THREAD + t * THREAD_WORDS;
            let lines = part.and_then(|p| p.lines.get(&t)).map_or(&[][..], Vec::as_slice);
            self.board.set(at + GO, 0);
            self.board.set(at + COUNT, lines.len() as u64);
            let words = lines.iter().copied().chain([0]).enumerate();
            words.for_each(|(i, line)| self.board.set(at + LINES + i, line));
            for n in 0..NODES {
                let qpn = usize::try_from(self.board.get(at + QPNS + n)).unwrap_or(0);
                if let Some(region) = (qpn / QP_COUNT).checked_sub(1) {
                    queues.insert((t, n), (region, qpn % QP_COUNT));
                }
            }
        }
        match part {
            Some(_) => self.active = Some(Active { part: number, at: 0, since: now, queues }),
            None => self.board.set(LOOSE, self.round),
        }
        self.board.set(READY, self.round);
    }

    /// What came of iterations that are over since the last call: the score's number, its items, and how many were done.
    pub(crate) fn ended(&mut self) -> Vec<(usize, usize, usize)> {
        std::mem::take(&mut self.ended)
    }

    /// Whether an iteration follows a score now, and waits for nothing but the device or one thread. Threads that race need
    /// the processors for themselves.
    pub(crate) fn is_active(&self) -> bool {
        self.active.as_ref().is_some_and(|a| self.parts[a.part].racers.get(a.at).is_none_or(|r| *r == 0))
    }

    /// Steps of queue pairs that are to be taken while threads race, now that these know.
    pub(crate) fn burst(&self) -> Vec<(usize, usize, Wanted)> {
        let Some(active) = &self.active else { return vec![] };
        let part = &self.parts[active.part];
        let mut out = vec![];
        for (turn, racers) in part.turns.iter().zip(&part.racers).skip(active.at) {
            match turn.0 {
                Turn::Queue(t, n, wanted) if racers & DEVICE != 0 => match active.queues.get(&(t, n)) {
                    Some((region, index)) => out.push((*region, *index, wanted)),
                    None => return vec![],
                },
                _ => break,
            }
        }
        out
    }

    /// Starts the threads that race, once all of them are on processors and this one has got ready, or in time if that does
    /// not come about.
    pub(crate) fn start(&self, rng: &mut Rng, get_ready: impl Fn()) {
        let Some(active) = &self.active else { return };
        let racers = self.parts[active.part].racers[active.at];
        let seen = |t: usize| self.board.get(THREAD + t * THREAD_WORDS + SEEN);
        let threads = || (0..THREADS).filter(|t| racers >> t & 1 != 0);
        // Each tells the time again and again. It has waited for its own processor if that is long ago.
        let told = |within: u32| {
            let before: Vec<u64> = threads().map(seen).collect();
            let all = || threads().map(seen).zip(&before).all(|(now, before)| now != *before);
            (0..within).any(|_| {
                std::hint::spin_loop();
                all()
            })
        };
        while active.since.elapsed() < PATIENCE {
            if told(PAUSES) {
                get_ready();
                if told(FEW_PAUSES) {
                    break;
                }
            } else {
                // Perhaps they wait for this processor.
                std::thread::sleep(REST);
            }
        }
        self.board.set(START, 1);
        let gone = || threads().all(|t| seen(t) == GONE);
        let _ = (0..PAUSES).any(|_| gone());
        // Early or late by chance: nobody knows how long the threads take for what they do first.
        let (begun, late) = (Instant::now(), Duration::from_nanos(rng.below(MOST_LATE) as u64));
        while begun.elapsed() < late {}
    }

    /// Whether the score speaks of a queue pair; if so, the step that it is to take now, if any.
    pub(crate) fn says(&self, region: usize, index: usize) -> Option<Option<Wanted>> {
        let active = self.active.as_ref()?;
        if !active.queues.values().any(|q| *q == (region, index)) {
            return None;
        }
        Some(match self.parts[active.part].turns.get(active.at) {
            Some((Turn::Queue(t, n, wanted), _)) if active.queues.get(&(*t, *n)) == Some(&(region, index)) => {
                Some(*wanted)
            }
            _ => None,
        })
    }

    /// The queue pair has taken the step.
    pub(crate) fn took(&mut self, now: Instant) {
        if let Some(active) = &mut self.active {
            active.at += 1;
            active.since = now;
        }
    }
}

fn part(score: &Score, rules: &Rules) -> Result<Part, Report> {
    let general = |message: String| Report::from(Diagnostic::general(message));
    let mut part = Part { turns: vec![], racers: racers(score), lines: BTreeMap::new() };
    let mut running = 0;
    for (item, racers) in score.items.iter().zip(part.racers.clone()) {
        let turn = match &item.act {
            Act::Statement { thread, line } => {
                let lines = part.lines.entry(*thread).or_default();
                if *thread >= THREADS || lines.len() + 1 >= MOST_LINES {
                    return Err(general(format!("a score has room for {THREADS} threads of {MOST_LINES} statements")));
                }
                // They meet before the first item of each.
                let first = running & (1 << thread) == 0;
                let races = if first { racers << RACERS } else { RACING };
                // Of threads that race, each stays as long as the others.
                let late = item.late || first && (racers & !DEVICE).count_ones() > 1;
                lines.push(*line as u64 | if late { LATE } else { 0 } | races);
                running = if item.at_once { running | 1 << thread } else { 0 };
                Turn::Thread(*thread, lines.len() as u64 - 1)
            }
            Act::Rule { thread, node, rule, way } => {
                let unknown = || general(format!("a score speaks of the rule `{rule}`, which this NIC does not have"));
                let named = rules.find(rule).ok_or_else(unknown)?;
                // A constant that is not inlined is put from a location that holds it.
                let plain = rule.strip_suffix(IMMEDIATE).and_then(|r| rules.find(r)).unwrap_or(named);
                Turn::Queue(*thread, *node, Wanted { rules: [named, plain], way: *way })
            }
        };
        part.turns.push((turn, item.at_once));
    }
    Ok(part)
}

/// For each item, who takes part in what is done at once there, if they are several: a bit for each thread, and for the device.
fn racers(score: &Score) -> Vec<u64> {
    let mut out = vec![];
    for run in score.items.split_inclusive(|i| !i.at_once) {
        let bit = |item: &Item| match &item.act {
            Act::Statement { thread, .. } => 1 << (thread % THREADS),
            Act::Rule { .. } => DEVICE,
        };
        // The device begins when all threads do, with what it has to do then: before, it has nothing.
        let late = run.iter().skip_while(|i| bit(i) != DEVICE).any(|i| bit(i) != DEVICE && i.at_once);
        let all = run.iter().filter(|i| i.at_once && !(late && bit(i) == DEVICE)).fold(0, |all, i| all | bit(i));
        let several = all.count_ones() > 1;
        out.extend(run.iter().map(|i| if several && i.at_once { all } else { 0 }));
    }
    out
}
