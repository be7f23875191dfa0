//! `litmpi check`: models against stated verdicts, against complete outcome sets, and against each other where a test
//! says so.

use crate::args::CheckArgs;
use crate::load::{File, Loaded, limits, tests_under_models};
use crate::whole::write_file;
use crate::{Verdict, remark, say, shard, stream, tell};
use litmpi_litmus::ast::{Beside, Claim, Expect, How, Named};
use litmpi_litmus::golden::{self, Golden};
use litmpi_models::{Answer, Effort};
use litmpi_runner::proposition;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, unreadable};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What came of one test, or of all.
#[derive(Default, Serialize, Deserialize)]
struct Checked {
    /// Verdicts that hold.
    agreed: usize,
    /// What is said of two models beside each other and holds.
    beside: usize,
    /// Verdicts, and words on two models, of models that were not run here, by model.
    unchecked: BTreeMap<String, usize>,
    /// What does not hold.
    failures: Vec<String>,
    /// What a search that stopped at a bound left open.
    undecided: Vec<String>,
    /// Verdicts among those that hold that are so within the bounds which the test states for its loops.
    within: usize,
    /// Outcome sets compared, or written.
    sets: usize,
    /// Models and variants without a complete set in the file.
    missing: Vec<String>,
    /// Bounds that were hit.
    bounded: Vec<String>,
    effort: Total,
}

/// What all answers took.
#[derive(Default, Clone, Copy, Serialize, Deserialize)]
struct Total {
    states: usize,
    transitions: usize,
    candidates: u64,
}

/// What one model says of a test under one variant.
struct Run<'l> {
    loaded: &'l Loaded,
    variant: String,
    answer: Answer,
}

pub(crate) fn check(args: &CheckArgs) -> Result<Verdict, Report> {
    if args.accept && args.model.tests.iter().any(|p| stream::is_stream(p)) {
        let d = Diagnostic::general(
            "`--accept` writes complete sets beside the files of the tests, and standard input is none",
        );
        return Err(d
            .help("write the tests into a folder: `litmpi generate … -o DIR`, `litmpi check --accept DIR`")
            .into());
    }
    let (files, mut left_out) = tests_under_models(&args.model, &args.models)?;
    let start = std::time::Instant::now();
    let results = shard::map(&files, File::about, args.model.bounds.jobs, "checking", |f| check_file(f, args))?;
    let Some(results) = results else { return Ok(left_out.end(Verdict::Good)) };
    let (mut failed, mut undecided, mut total) = (0, 0, Checked::default());
    let mut rows = vec![];
    for (f, c) in files.iter().zip(results) {
        let Some(c) = left_out.keep(&f.path, c) else { continue };
        if args.json {
            rows.push(as_json(f, &c));
        } else {
            c.failures.iter().for_each(|text| tell(&format!("FAIL {}: {text}\n", f.path.display())));
            c.undecided.iter().for_each(|text| tell(&format!("UNDECIDED {}: {text}\n", f.path.display())));
            c.bounded.iter().for_each(|text| say(&format!("note {}: {text}\n", f.path.display())));
        }
        failed += usize::from(!c.failures.is_empty());
        undecided += usize::from(!c.undecided.is_empty());
        total.add(f, c);
    }
    if args.json {
        rows.extend(left_out.rows());
        say(&format!("{:#}\n", json!(rows)));
    } else {
        summary(&files, (failed, undecided), &total, args.accept);
        remark(&format!("{:.1} s", start.elapsed().as_secs_f64()));
    }
    let held = total.agreed + total.beside + total.sets;
    Ok(left_out.end(match Verdict::of(failed, undecided) {
        Verdict::Good if held == 0 => Verdict::Nothing,
        verdict => verdict,
    }))
}

impl Checked {
    fn add(&mut self, file: &File, other: Checked) {
        self.agreed += other.agreed;
        self.within += other.within;
        self.beside += other.beside;
        self.sets += other.sets;
        self.effort.states += other.effort.states;
        self.effort.transitions += other.effort.transitions;
        self.effort.candidates += other.effort.candidates;
        self.missing.extend(other.missing.iter().map(|m| format!("{} ({m})", file.path.display())));
        for (model, n) in other.unchecked {
            *self.unchecked.entry(model).or_default() += n;
        }
    }
}

fn as_json(file: &File, c: &Checked) -> serde_json::Value {
    let models: Vec<_> =
        file.under.iter().map(|l| json!({ "model": l.model.name(), "hash": l.model.hash() })).collect();
    let refused: BTreeMap<&str, &str> = file.refused.iter().map(|(m, why)| (m.as_str(), why.as_str())).collect();
    json!({
        "file": file.path.display().to_string(), "test": file.under.first().map(|l| l.test.name.as_str()),
        "models": models, "not_run": refused,
        "agreed": c.agreed, "beside": c.beside, "sets": c.sets, "failures": c.failures, "undecided": c.undecided, "within_stated_bounds": c.within, "unchecked": c.unchecked,
        "without_set": c.missing, "bounds": c.bounded,
        "states": c.effort.states, "transitions": c.effort.transitions, "candidates": c.effort.candidates,
    })
}

fn summary(files: &[File], (failed, undecided): (usize, usize), total: &Checked, accept: bool) {
    let mut models: Vec<&str> = vec![];
    for l in files.iter().flat_map(|f| &f.under) {
        if !models.contains(&l.model.name()) {
            models.push(l.model.name());
        }
    }
    let sets = if accept { "complete sets written" } else { "complete sets agree" };
    let Total { states, transitions, candidates } = total.effort;
    let candidates = if candidates == 0 { String::new() } else { format!(", {candidates} candidates") };
    let beside = if total.beside == 0 { String::new() } else { format!(" {} marks of two models hold,", total.beside) };
    let within = match total.within {
        0 => String::new(),
        n => format!(" ({n} of them within the bounds that tests state for their loops)"),
    };
    let undecided = if undecided == 0 { String::new() } else { format!(", {undecided} are undecided") };
    say(&format!(
        "{} tests under {}: {} verdicts hold{within},{beside} {} {sets}, {failed} tests fail{undecided} \
         ({states} states, {transitions} transitions{candidates})\n",
        files.iter().filter(|f| !f.under.is_empty()).count(),
        models.join(", "),
        total.agreed,
        total.sets,
    ));
    for (model, n) in &total.unchecked {
        say(&format!("not checked: {n} verdicts of {model}, which is not among the models run\n"));
    }
    let mut refused: BTreeMap<&str, Vec<(&File, &str)>> = BTreeMap::new();
    for f in files {
        f.refused.iter().for_each(|(model, why)| refused.entry(model).or_default().push((f, why)));
    }
    for (model, tests) in refused {
        let (first, why) = tests[0];
        say(&format!("not run under {model}: {} tests, the first {}: {why}\n", tests.len(), first.path.display()));
    }
    if !total.missing.is_empty() {
        let (n, first) = (total.missing.len(), &total.missing[0]);
        say(&format!(
            "without a complete set to compare with: {n}, the first {first}; `litmpi check --accept` writes them\n"
        ));
    }
}

/// The complete sets beside a test.
pub(crate) fn recorded(test: &Path) -> Result<Golden, Report> {
    let path = golden::path(test);
    // `--accept` writes there: what goes to a device is lost.
    if path.exists() && !path.is_file() {
        let d = Diagnostic::general(format!("`{}` is where complete sets are kept, and is no file", path.display()));
        return Err(d.help("remove it; `litmpi check --accept` writes a file").into());
    }
    match Source::read(&path) {
        Ok(source) => Golden::parse(&source),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Golden::default()),
        Err(e) => Err(unreadable(&path, "", &e).into()),
    }
}

fn check_file(file: &File, args: &CheckArgs) -> Result<Checked, Report> {
    let mut c = Checked::default();
    let golden_path = golden::path(&file.path);
    let mut golden = recorded(&file.path)?;
    let mut runs = vec![];
    for l in &file.under {
        for variant in variants(l, &golden) {
            let answer = l.model.answer(&l.test, &variant, limits(&args.model))?;
            c.effort.add(answer.effort);
            c.bounded
                .extend(answer.bounds.iter().map(|b| format!("{} ({variant}): bound reached: {b}", l.model.name())));
            let refuted = |pair: &String| format!("{}: {pair} are said to commute and do not", l.model.name());
            c.bounded.extend(answer.refuted.as_ref().map(refuted));
            runs.push(Run { loaded: l, variant, answer });
        }
    }
    if let Some(first) = file.under.first() {
        for (i, claim) in first.test.claims.iter().enumerate() {
            verdicts(i, claim, &runs, &mut c);
            claim.beside.iter().for_each(|b| beside(i, b, &runs, &mut c));
        }
    }
    runs.iter().for_each(|run| run.hold_against(&mut golden, args.accept, &mut c));
    if args.accept && !golden.sections.is_empty() {
        write_file(&golden_path, golden.to_string())?;
    }
    Ok(c)
}

impl Total {
    fn add(&mut self, effort: Effort) {
        match effort {
            Effort::Search { states, transitions, .. } => {
                self.states += states;
                self.transitions += transitions;
            }
            Effort::Walks { steps, .. } => self.transitions += steps,
            Effort::Candidates { candidates, .. } => self.candidates += candidates,
        }
    }
}

/// The default variant, and every one that a verdict or a recorded set names: a set of an equivalent model, too.
pub(crate) fn variants(l: &Loaded, golden: &Golden) -> Vec<String> {
    let verdicts = l.test.claims.iter().flat_map(|c| &c.verdicts).map(|v| (v.model.as_str(), v.variant.as_deref()));
    let beside = l.test.claims.iter().flat_map(|c| &c.beside).flat_map(|b| &b.models);
    let beside = beside.map(|n| (n.model.as_str(), n.variant.as_deref()));
    let sets = golden.sections.iter().map(|s| (s.model.as_str(), Some(s.variant.as_str())));
    let named: Vec<_> = verdicts.chain(beside).chain(sets).collect();
    let answers = |variant: &&str| {
        *variant == golden::DEFAULT || named.iter().any(|(model, v)| l.model.answers_for(model, *v, variant))
    };
    l.model.variants().into_iter().filter(answers).map(str::to_owned).collect()
}

/// Holds the verdicts of a claim against what the models say.
fn verdicts(i: usize, claim: &Claim, runs: &[Run<'_>], c: &mut Checked) {
    for v in &claim.verdicts {
        let mut spoken = false;
        for run in runs.iter().filter(|r| r.answers_for(&v.model, v.variant.as_deref()) && r.can_judge(i)) {
            spoken = true;
            match run.verdict(i) {
                Err(undecided) => c.undecided.push(undecided),
                Ok(found) if found == v.expect => {
                    c.agreed += 1;
                    c.within += usize::from(run.answer.verdict(claim).is_none());
                }
                Ok(found) => {
                    let cite = v.cite.as_ref().map_or(String::new(), |c| format!(" ({} {})", c.work, c.place));
                    let text = run.condition(i);
                    c.failures.push(format!("{run}: {text} is {found} by the rules, {} by {}{cite}", v.expect, v.span));
                }
            }
        }
        let variant = v.variant.as_deref().unwrap_or(golden::DEFAULT);
        if let Some(without) = runs.iter().find(|r| r.lacks(&v.model, variant)) {
            let known = without.loaded.model.variants().join(", ");
            c.failures.push(format!("{} has no variant `{variant}`, {}; variants: {known}", v.model, v.span));
        } else if !spoken {
            *c.unchecked.entry(v.model.clone()).or_default() += 1;
        }
    }
}

/// Holds what a claim says of two models against what they say: every form of the one beside every form of the other.
fn beside(i: usize, b: &Beside, runs: &[Run<'_>], c: &mut Checked) {
    let of = |n: &Named| -> Vec<&Run<'_>> {
        let named = |r: &&Run<'_>| r.answers_for(&n.model, n.variant.as_deref());
        runs.iter().filter(named).filter(|r| b.how == How::Agree || r.can_judge(i)).collect()
    };
    let [ones, others] = [of(&b.models[0]), of(&b.models[1])];
    for (n, runs) in b.models.iter().zip([&ones, &others]) {
        if runs.is_empty() {
            *c.unchecked.entry(n.model.clone()).or_default() += 1;
        }
    }
    let (mut failure, mut undecided) = (None, None);
    for (one, other) in ones.iter().flat_map(|one| others.iter().map(move |other| (one, other))) {
        let found = match b.how {
            How::Apart => match (one.verdict(i), other.verdict(i)) {
                (Err(undecided), _) | (_, Err(undecided)) => Err(undecided),
                (Ok(a), Ok(b)) => Ok((a == b).then(|| format!("{} is {a} by {one} and by {other}", one.condition(i)))),
            },
            How::Agree => difference(one, other),
        };
        match found {
            Ok(found) => failure = failure.or(found),
            Err(why) => undecided = undecided.or(Some(why)),
        }
    }
    let place = &b.span;
    match (failure, undecided) {
        (Some(why), _) => {
            c.failures.push(format!("{} {} {}, {place}, does not hold: {why}", b.how, b.models[0], b.models[1]))
        }
        (None, Some(why)) => {
            c.undecided.push(format!("{} {} {}, {place}, is not decided: {why}", b.how, b.models[0], b.models[1]))
        }
        _ if !ones.is_empty() && !others.is_empty() => c.beside += 1,
        _ => {}
    }
}

/// How two answers differ in their outcomes, deadlocks aside if one of the models knows none; at a bound, why that is not known.
fn difference(one: &Run<'_>, other: &Run<'_>) -> Result<Option<String>, String> {
    if let Some(stopped) = one.answer.stopped().or(other.answer.stopped()) {
        return Err(format!("a search stopped at {stopped}"));
    }
    let both = one.loaded.model.knows_deadlock() && other.loaded.model.knows_deadlock();
    let [a, b] = [one, other].map(|r| if both { r.answer.set.iter().collect() } else { r.answer.values() });
    let only = |run: &Run<'_>, o| format!("only {run} has the outcome {}", run.loaded.test.show(o));
    let more = a.difference(&b).next().map(|o| only(one, o));
    Ok(more.or_else(|| b.difference(&a).next().map(|o| only(other, o))))
}

impl Run<'_> {
    fn answers_for(&self, model: &str, variant: Option<&str>) -> bool {
        self.loaded.model.answers_for(model, variant, &self.variant)
    }

    /// Whether the model is of rules and of this name, or a form of it, but has no such variant.
    fn lacks(&self, model: &str, variant: &str) -> bool {
        let m = &self.loaded.model;
        m.knows_deadlock() && self.loaded.spec.answers_for(model) && !m.variants().contains(&variant)
    }

    /// Whether the model can judge a claim: one that knows no deadlock cannot judge a claim about it.
    fn can_judge(&self, claim: usize) -> bool {
        self.loaded.model.knows_deadlock() || !self.loaded.test.claims[claim].speaks_of_other_ends()
    }

    fn condition(&self, claim: usize) -> String {
        let test = &self.loaded.test;
        let claim = &test.claims[claim];
        format!("{} ({})", claim.quantifier, proposition(test, &claim.prop))
    }

    /// The verdict on a claim, or a message that it is not decided.
    fn verdict(&self, claim: usize) -> Result<Expect, String> {
        let set = &self.answer.set;
        let of = &self.loaded.test.claims[claim];
        match self.answer.stopped().filter(|_| !of.is_decided(set.iter())) {
            Some(at) => Err(format!("{self}: {} is not decided: the search stopped at {at}", self.condition(claim))),
            None => Ok(of.verdict(set.iter())),
        }
    }

    /// Compares the outcomes with the complete set of the file, or writes them into it.
    fn hold_against(&self, golden: &mut Golden, accept: bool, c: &mut Checked) {
        let (model, variant) = (self.loaded.model.name(), self.variant.as_str());
        let found: BTreeSet<String> = self.answer.set.iter().map(|o| self.loaded.test.show(o)).collect();
        if let (true, Some(at)) = (accept, self.answer.stopped()) {
            c.undecided.push(format!("{self}: no complete set to write: the search stopped at {at}"));
        } else if accept {
            golden.set(model, variant, found);
            c.sets += 1;
        } else {
            match golden.find(model, variant) {
                None => c.missing.push(format!("{model} {variant}")),
                Some(set) if *set == found && self.answer.stopped().is_none() => c.sets += 1,
                // What was not found within a bound may come beyond it; what was found and is not recorded is wrong for sure.
                Some(set) if self.answer.stopped().is_some() && found.is_subset(set) => {
                    let at = self.answer.stopped().expect("it stopped");
                    c.undecided.push(format!("{self}: the complete set was not compared: the search stopped at {at}"));
                }
                Some(set) => c.failures.push(format!("{self}: {}", set_difference(set, &found))),
            }
        }
    }
}

impl std::fmt::Display for Run<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.loaded.model.name(), self.variant)
    }
}

fn set_difference(expected: &BTreeSet<String>, found: &BTreeSet<String>) -> String {
    let mut out =
        "the outcomes are not those of the .expected file; accept them with `litmpi check --accept`".to_owned();
    for o in found.difference(expected) {
        out.push_str(&format!("\n  + {o}"));
    }
    for o in expected.difference(found) {
        out.push_str(&format!("\n  - {o}"));
    }
    out
}
