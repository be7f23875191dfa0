//! A whole run: target by target, launch by launch.

mod prepare;

use crate::build::Built;
use crate::cache::environment;
use crate::compare::{Comparison, compare, confirmed, would_have_come};
use crate::event::{Event, RunError};
use crate::hearing::{End, Live, Ran};
use crate::interrupt::interrupted;
use crate::launch::{Fill, Job, launch};
use crate::observed::Observed;
use crate::plan::{Director, Plan, PlannedTest, Style};
use crate::process::Premises;
use crate::result::{RESULT_SCHEMA, Retry, RunResult, SeenOutcome};
use crate::schedule::{Entry, Scores, placement};
use crate::setup::setup;
use crate::sites::explained;
use crate::stress::Stress;
use crate::target::{Availability, Target, fitted, probe};
use litmpi_codegen::{Suite, family_suite};
use litmpi_litmus::ast::Outcome;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

/// Runs a plan; results are in the order of targets, tests, sizes and styles. A signal that asks to end (see [`interrupted`]) ends it and
/// all its processes; the results so far have been told as events.
///
/// # Errors
/// When nothing can be run at all, or the user ends it.
pub async fn run(plan: &Plan, on_event: impl FnMut(Event)) -> Result<Vec<RunResult>, RunError> {
    tokio::select! {
        done = run_all(plan, on_event) => done,
        signal = interrupted() => Err(RunError::Interrupted(signal)),
    }
}

async fn run_all(plan: &Plan, mut on_event: impl FnMut(Event)) -> Result<Vec<RunResult>, RunError> {
    if let Some(bad) = plan.sizes.iter().find(|s| **s < 4 || **s % 4 != 0 || **s > 1 << 30) {
        return Err(RunError::Size(*bad));
    }
    let absolute = std::path::absolute(&plan.out_dir).map_err(|e| RunError::OutDir(plan.out_dir.clone(), e))?;
    litmpi_scratch::nameable(&absolute).map_err(|e| RunError::OutDir(absolute.clone(), e))?;
    litmpi_scratch::own(&absolute).map_err(|e| RunError::OutDir(absolute.clone(), e))?;
    let tests: Vec<_> = plan.tests.iter().map(|t| t.test.as_ref()).collect();
    let family = tests.first().map_or("mpi", |t| t.family.as_str());
    let suite =
        family_suite(family, plan.language, &tests, &plan.instructions).map_err(|r| RunError::Family(r.to_string()))?;
    let mut results = Vec::new();
    let cache = std::path::absolute(&plan.cache).map_err(|e| RunError::OutDir(plan.cache.clone(), e))?;
    for target in &plan.targets {
        let target = &Target { name: plan.called(target), ..fitted(target).await };
        let mut on = OnTarget {
            plan,
            target,
            suite: &suite,
            out: &absolute,
            cache: &cache,
            event: &mut on_event,
            slots: Vec::new(),
            suspects: Vec::new(),
            version: String::new(),
            library: String::new(),
            program: None,
        };
        on.run().await;
        results.extend(on.slots.into_iter().filter_map(|s| s.result));
    }
    Ok(results)
}

/// Why a test gave nothing that a launch to its end was to run.
const LEFT_OUT: &str = "the launch left it out: it has too few ranks, or its launcher is of another library than the compiler; \
                        `litmpi targets` tries that";

/// How often what a target runs on may break down before the rest is given up.
const BREAKDOWNS: u32 = 4;

/// How often each outcome that has not come is tried for, launch by launch, and how long a try may take: most come at once.
const DIRECTED_TURNS: [usize; 5] = [3, 8, 20, 60, 200];
const DIRECTED_MILLIS: u64 = 100;

/// What is to become one result.
struct Slot {
    entry: Entry,
    ran: Ran,
    /// What a violation was in the process that had run other tests; then `ran` is of a fresh one.
    first: Option<Ran>,
    broken_launches: u32,
    /// Iterations that followed a score.
    directed: u64,
    /// Why it could not be directed, though its outcomes asked for that.
    undirected: Option<String>,
    counters: BTreeMap<String, u64>,
    result: Option<RunResult>,
    /// The result was made while the launch went on.
    told: bool,
}

struct OnTarget<'a> {
    plan: &'a Plan,
    target: &'a Target,
    suite: &'a Suite,
    out: &'a Path,
    cache: &'a Path,
    event: &'a mut dyn FnMut(Event),
    /// By entry number.
    slots: Vec<Slot>,
    /// Those with a violation that is to be tried again.
    suspects: Vec<usize>,
    /// What the probe found.
    version: String,
    /// The library, in its own words once it has been launched.
    library: String,
    program: Option<Built>,
}

impl OnTarget<'_> {
    async fn run(&mut self) {
        self.enter();
        if let Some(reason) = self.target.refuses(&self.plan.settings) {
            return self.finish_all(&Comparison::Skipped { reason });
        }
        let availability = probe(self.target).await;
        (self.event)(Event::Probed { target: self.target.name.clone(), availability: availability.clone() });
        let version = match availability {
            Availability::Here { version } => version,
            Availability::Missing { reason, how } => {
                return self.finish_all(&Comparison::Skipped { reason: format!("{reason}; get it with: {how}") });
            }
        };
        self.library.clone_from(&version);
        self.version = version;
        self.leave_out();
        if self.open().is_empty() {
            return;
        }
        if let Some(program) = self.build().await
            && !self.open().is_empty()
        {
            self.launches(&program).await;
        }
    }

    /// Lists everything that is to be run.
    fn enter(&mut self) {
        let slow = u64::from(self.target.slow.max(1));
        let none = [Stress::default()];
        for (i, planned) in self.plan.tests.iter().enumerate() {
            let ranks = planned.test.nodes.len();
            let may_deadlock = planned.expected.may_deadlock();
            let vectors = planned.stress.get(&self.target.name).map_or(&none[..], Vec::as_slice);
            for &size in &self.plan.sizes {
                let styles = self.plan.styles(planned);
                for (&style, stress) in styles.iter().flat_map(|s| vectors.iter().map(move |v| (s, v))) {
                    let entry = Entry {
                        id: self.slots.len(),
                        test: i,
                        name: self.suite.names[i].clone().unwrap_or_default(),
                        ranks,
                        size,
                        style,
                        may_deadlock,
                        start: 0,
                        stress: stress.clone(),
                        scores: None,
                        millis: self.plan.budget.millis * if self.plan.scale_millis { slow } else { 1 },
                    };
                    self.slots.push(Slot {
                        entry,
                        ran: Ran::default(),
                        first: None,
                        broken_launches: 0,
                        directed: 0,
                        undirected: None,
                        counters: BTreeMap::new(),
                        result: None,
                        told: false,
                    });
                }
            }
        }
    }

    fn open(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|i| self.slots[*i].result.is_none()).collect()
    }

    async fn launches(&mut self, program: &Path) {
        self.launch_open(program, None).await;
        self.retry(program).await;
        let Some(director) = self.plan.director.clone().filter(|_| !self.target.directed.is_empty()) else { return };
        for turns in DIRECTED_TURNS {
            let Some(scores) = self.direct(&director, turns) else { return };
            self.launch_open(program, Some(&scores)).await;
        }
    }

    /// Opens what has not shown everything again, to be directed; the scores.
    fn direct(&mut self, director: &Director, turns: usize) -> Option<String> {
        let (mut text, mut count) = (String::new(), 0);
        for id in 0..self.slots.len() {
            let slot = &self.slots[id];
            let test = slot.entry.test;
            let conforms = slot.result.as_ref().is_some_and(|r| r.verdict == Comparison::Conforms);
            // What stress a test was run with makes no difference then.
            let again = self.slots[..id].iter().any(|s| s.entry.test == test);
            let allowed = &self.plan.tests[test].expected.allowed;
            let missing: Vec<Outcome> = allowed.iter().filter(|o| !slot.ran.has_seen(o)).cloned().collect();
            if !conforms || again || missing.is_empty() {
                continue;
            }
            let scores: Vec<String> = (director.0)(test, &missing).into_iter().flatten().collect();
            if scores.is_empty() {
                continue;
            }
            let slot = &mut self.slots[id];
            slot.entry.scores = Some(Scores { first: count, count: scores.len(), turns });
            slot.entry.start = slot.ran.iterations;
            slot.entry.millis = DIRECTED_MILLIS * (scores.len() * turns) as u64;
            slot.ran.ended = false;
            slot.result = None;
            count += scores.len();
            text.extend(scores);
        }
        (count > 0).then_some(text)
    }

    /// Tries each violation again, alone in a fresh process and for twice as long.
    async fn retry(&mut self, program: &Path) {
        while !self.suspects.is_empty() {
            let id = self.suspects.remove(0);
            let slot = &mut self.slots[id];
            slot.first = Some(std::mem::take(&mut slot.ran));
            slot.broken_launches = 0;
            (slot.entry.start, slot.entry.millis) = (0, 2 * slot.entry.millis);
            self.launch_all(program, VecDeque::from([id]), None).await;
        }
    }

    async fn launch_open(&mut self, program: &Path, scores: Option<&str>) {
        // What may end a launch comes last, so that it costs the others nothing.
        let mut order = self.open();
        order.sort_by_key(|id| {
            let entry = &self.slots[*id].entry;
            (self.plan.tests[entry.test].expected.erroneous, entry.may_deadlock && entry.style == Style::Blocking)
        });
        self.launch_all(program, order.into(), scores).await;
    }

    async fn launch_all(&mut self, program: &Path, mut queue: VecDeque<usize>, scores: Option<&str>) {
        (self.event)(Event::Scheduled { target: self.target.name.clone(), runs: queue.len() });
        let (mut number, mut lost, mut broken) = (0, 0, 0);
        while !queue.is_empty() {
            number += 1;
            let entries: Vec<Entry> = queue.iter().map(|i| self.slots[*i].entry.clone()).collect();
            let premises = match Premises::new() {
                Ok(premises) => premises,
                Err(e) => {
                    return self.finish_all(&Comparison::Failed { reason: format!("no folder for the launch: {e}") });
                }
            };
            let (target, mark) = (self.target.name.clone(), premises.mark.clone());
            (self.event)(Event::Launching { target, runs: entries.len(), mark });
            let report = {
                let (target, plan) = (self.target, self.plan);
                let mut live = |live: Live<'_>| self.hear(live, scores.is_some());
                let job = Job { program, entries: &entries, number, scores };
                launch(target, job, plan, premises, &mut live).await
            };
            let report = match report {
                Ok(report) => report,
                Err(reason) => return self.finish_all(&Comparison::Failed { reason }),
            };
            if let Some(library) = report.library {
                self.library = library;
            }
            let before = queue.len();
            for (id, ran) in report.entries {
                let Some(slot) = self.slots.get_mut(id) else { continue };
                if std::mem::take(&mut slot.told) {
                    queue.retain(|i| *i != id);
                    continue;
                }
                for (name, by) in &report.counters {
                    let moved = slot.counters.entry(name.clone()).or_default();
                    *moved = moved.saturating_add(*by);
                }
                slot.ran.histogram.add(&ran.histogram);
                let directed = if scores.is_some() { ran.iterations } else { 0 };
                slot.directed = slot.directed.saturating_add(directed);
                slot.ran.iterations = slot.ran.iterations.saturating_add(ran.iterations);
                slot.ran.millis = slot.ran.millis.saturating_add(ran.millis);
                slot.ran.notes.extend(ran.notes);
                slot.ran.ended |= ran.ended;
                if ran.ended {
                    queue.retain(|i| *i != id);
                    self.finish(id, None);
                }
            }
            let what = format!("{:?}", report.end);
            match report.end {
                End::Done => {
                    // A test that the program does not know, or that needs more ranks than there are.
                    if !std::mem::take(&mut queue).is_empty() {
                        self.finish_all(&Comparison::Failed { reason: LEFT_OUT.into() });
                    }
                }
                End::Fresh if queue.len() < before => {}
                End::Fresh => {
                    return self.finish_all(&Comparison::Failed { reason: "a fresh process ran nothing".into() });
                }
                End::Hung(id) => {
                    self.broke(Some(id), "it hangs");
                    self.break_at(id, Observed::Deadlock, &mut queue);
                }
                End::Died(id, status) => {
                    self.broke(Some(id), &status);
                    self.break_at(id, Observed::Error(format!("the program died: {status}")), &mut queue);
                }
                End::Flooded(Some(id), why) => {
                    self.broke(Some(id), &why);
                    queue.retain(|i| *i != id);
                    self.finish_as(id, &Comparison::Failed { reason: why });
                }
                End::Flooded(None, why) => return self.finish_all(&Comparison::Failed { reason: why }),
                End::Again(why) => {
                    self.broke(None, &why);
                    broken += 1;
                    if broken >= BREAKDOWNS {
                        let reason = format!("what the target runs on broke down {broken} times, at last so: {why}");
                        return self.finish_all(&Comparison::Failed { reason });
                    }
                }
                End::Lost(words) => {
                    self.broke(None, &words);
                    lost += 1;
                    // Once may be bad luck; a launch that comes to nothing again will not do better.
                    if lost > 1 && queue.len() == before {
                        // It may be for the number of ranks that the largest tests have.
                        let ranks = |id: usize| self.slots[id].entry.ranks;
                        let most = queue.iter().map(|id| ranks(*id)).max().unwrap_or(0);
                        let (largest, rest): (Vec<usize>, Vec<usize>) =
                            queue.iter().partition(|id| ranks(**id) == most);
                        if !rest.is_empty() {
                            let reason = format!("a launch of {most} ranks failed: {words}");
                            largest
                                .into_iter()
                                .for_each(|id| self.finish(id, Some(Comparison::Failed { reason: reason.clone() })));
                            queue = rest.into();
                            lost = 0;
                            continue;
                        }
                        return self.finish_all(&Comparison::Failed { reason: format!("the launch failed: {words}") });
                    }
                }
            }
            tracing::debug!(what, left = queue.len(), "launch ended");
        }
    }

    /// Hears of a launch that goes on. What conforms is a result at once, so that it is not lost if the launch is; what does not waits for
    /// what the ranks say of it, which may come later, and for being tried again.
    fn hear(&mut self, live: Live<'_>, is_directed: bool) {
        let (Live::Begun(id) | Live::Ended(id, _)) = live else {
            if let Live::Library(name) = live {
                name.clone_into(&mut self.library);
            }
            return;
        };
        let Some(slot) = self.slots.get_mut(id) else { return };
        let planned = &self.plan.tests[slot.entry.test];
        let (target, test) = (self.target.name.clone(), planned.test.name.clone());
        let Live::Ended(_, ran) = live else {
            let (size, style) = (slot.entry.size, slot.entry.style);
            return (self.event)(Event::Begun { target, test, size, style });
        };
        (self.event)(Event::Ended { target, test });
        let conforms = || {
            let so_far = compare(&planned.expected, &ran.histogram, |o| o.show(&planned.test));
            so_far == Comparison::Conforms && slot.ran.iterations == 0 && slot.first.is_none()
        };
        if !is_directed && slot.result.is_none() && !self.target.tells_counters() && conforms() {
            slot.ran = ran.clone();
            slot.told = true;
            self.finish(id, None);
        }
    }

    fn broke(&mut self, id: Option<usize>, what: &str) {
        let test = id.and_then(|i| self.slots.get(i)).map(|s| self.plan.tests[s.entry.test].test.name.clone());
        (self.event)(Event::Broke { target: self.target.name.clone(), test, what: what.to_string() });
    }

    /// A launch ended in this entry. Where that was to be expected and there is more to be seen, it goes on after
    /// the iteration.
    fn break_at(&mut self, id: usize, outcome: Observed, queue: &mut VecDeque<usize>) {
        let Some(slot) = self.slots.get_mut(id) else { return };
        let iteration = slot.ran.end_with(outcome);
        slot.broken_launches += 1;
        slot.entry.start = iteration.saturating_add(1);
        queue.retain(|i| *i != id);
        let expected = &self.plan.tests[slot.entry.test].expected;
        let more = !expected.allowed.iter().all(|o| slot.ran.has_seen(o));
        if slot.entry.may_deadlock && more && slot.broken_launches < self.plan.budget.launches {
            queue.push_back(id);
        } else {
            self.finish(id, None);
        }
    }

    fn finish_all(&mut self, verdict: &Comparison) {
        self.open().into_iter().for_each(|id| self.finish_as(id, verdict));
    }

    /// Makes the result of an entry that was not run.
    fn finish_as(&mut self, id: usize, verdict: &Comparison) {
        // It is going to be tried again.
        if self.suspects.contains(&id) {
            return;
        }
        // What has run freely has its verdict.
        let free = self.slots[id].entry.scores.is_none();
        if let (false, Comparison::Failed { reason }) = (free, verdict) {
            self.slots[id].undirected = Some(format!("not directed: {reason}"));
        }
        self.finish(id, free.then(|| verdict.clone()));
    }

    /// Makes the result of an entry; a verdict is given when it was not run.
    fn finish(&mut self, id: usize, verdict: Option<Comparison>) {
        let slot = &self.slots[id];
        let planned = &self.plan.tests[slot.entry.test];
        let test = &planned.test;
        let expected = &planned.expected;
        let shown = |o: &Observed| o.show(test);
        let compared = |ran: &Ran| compare(expected, &ran.histogram, shown);
        // What came has come, though the target may have broken down since.
        let came = compared(slot.first.as_ref().unwrap_or(&slot.ran));
        let broke = match &verdict {
            Some(Comparison::Failed { reason }) if came.is_violation() => {
                Some(format!("then nothing ran any more: {reason}"))
            }
            _ => None,
        };
        let verdict = match (verdict, &slot.first) {
            (Some(_), _) if broke.is_some() => came,
            (Some(verdict), _) => verdict,
            (None, None) => came,
            (None, Some(first)) => {
                let is_wrong = |o: &Observed| expected.allows(o) != Some(true) && *o != Observed::Cut;
                let (long, fresh) = (first.iterations, slot.ran.iterations);
                let wrong = first.histogram.0.iter().filter(|(o, _)| is_wrong(o));
                let is_settled = wrong.map(|(_, tally)| tally.count).all(|n| would_have_come(n, long, fresh));
                confirmed(came, compared(&slot.ran), is_settled)
            }
        };
        if self.plan.retry && verdict.is_violation() && slot.first.is_none() && slot.entry.scores.is_none() {
            return self.suspects.push(id);
        }
        let all = slot.first.as_ref().map_or_else(|| slot.ran.clone(), |first| first.and(&slot.ran));
        let explained_of = |ran: &Ran| {
            let allowed = || expected.allowed.iter();
            let known =
                |o: &Observed| (shown(o), explained(test, &self.plan.instructions, ran.notes.iter(), allowed(), o));
            let forbidden = ran.histogram.0.keys().filter(|o| expected.allows(o) != Some(true));
            forbidden.map(known).filter(|(_, ways)| !ways.is_empty()).collect()
        };
        let result = RunResult {
            schema: RESULT_SCHEMA,
            test: test.name.clone(),
            target: self.target.name.clone(),
            size: slot.entry.size,
            style: slot.entry.style,
            verdict,
            observed: all
                .histogram
                .0
                .iter()
                .map(|(o, tally)| SeenOutcome {
                    outcome: shown(o),
                    observed: o.clone(),
                    tally: *tally,
                    allowed: expected.allows(o),
                })
                .collect(),
            allowed: expected.allowed.iter().map(|o| test.show(o)).collect(),
            allowed_outcomes: expected.allowed.iter().cloned().collect(),
            complete: expected.complete,
            unseen: expected.allowed.iter().filter(|o| !all.has_seen(o)).map(|o| test.show(o)).collect(),
            iterations: all.iterations,
            directed: slot.directed,
            retry: slot.first.as_ref().map(|first| {
                let forbidden =
                    |o: &&Observed| !o.outcome().is_some_and(|o| expected.allowed.contains(&o)) && **o != Observed::Cut;
                let count = |ran: &Ran, o: &Observed| ran.histogram.0.get(o).map_or(0, |t| t.count);
                let outcomes = all.histogram.0.keys().filter(forbidden);
                Retry {
                    first: first.iterations,
                    fresh: slot.ran.iterations,
                    outcomes: outcomes.map(|o| (shown(o), (count(first, o), count(&slot.ran, o)))).collect(),
                }
            }),
            known: vec![],
            new: vec![],
            explained: explained_of(&all),
            millis: all.millis,
            patience: slot.entry.patience(self.plan, self.target.slow.max(1)),
            seed: self.plan.seed,
            delay: self.plan.delay,
            stress: slot.entry.stress.clone(),
            settings: self.plan.settings.iter().cloned().collect(),
            library: self.library.clone(),
            counters: slot.counters.clone(),
            command: self.command(planned, &slot.entry),
            notes: all.notes.iter().map(|n| n.text.clone()).chain(slot.undirected.clone()).chain(broke).collect(),
            setup: setup(self.plan, self.target, planned, self.words()),
            labels: planned.labels.clone(),
        };
        (self.event)(Event::Finished(Box::new(result.clone())));
        self.slots[id].result = Some(result);
    }

    /// The words of the library's that a later run can have before it launches anything: see [`here`](crate::here()).
    fn words(&self) -> &str {
        if self.target.is_tried() { &self.library } else { &self.version }
    }

    /// A shell command that runs an entry alone, from its first iteration.
    fn command(&self, planned: &PlannedTest, entry: &Entry) -> String {
        let Some(built) = &self.program else { return String::new() };
        let ranks = planned.test.nodes.len();
        let fill =
            Fill { ranks, program: &built.program, scratch: "/tmp", shm: "/dev/shm", scores: None, plan: self.plan };
        // What the user's own environment says to libraries and the NIC, where the target says nothing else; where shared objects are
        // looked for is his machine's.
        let mut env: BTreeMap<String, String> =
            environment().into_iter().filter(|(k, _)| !k.starts_with("LD_")).collect();
        env.extend(fill.environment(self.target));
        let env = env.into_iter().map(|(k, v)| format!("{k}={}", quoted(&v)));
        let words = fill.command_line(self.target);
        let fresh = Entry { start: 0, scores: None, ..entry.clone() };
        let mut all: Vec<String> = env.chain(words.iter().map(|w| quoted(w))).collect();
        all.push(fresh.line(self.plan, self.target));
        if self.plan.permute {
            all.push(format!("placement={}", placement(self.plan, 1)));
        }
        all.join(" ")
    }
}

/// A word of a shell command.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
