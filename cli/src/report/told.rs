//! A violation in full: the test and its program, the clause, what came, what is allowed and why not this, and how to see it again.

use crate::args::ModelArgs;
use crate::clauses;
use crate::explain::forbidding;
use crate::known::about;
use crate::load::Loaded;
use litmpi_litmus::ast::Test;
use litmpi_runner::{Observed, RunResult, SeenOutcome, TOLD, quoted, size_name};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::time::{Duration, Instant};

/// Tells violations. What is the same for all sizes and styles of a test is told once, and what forbids an outcome is found once.
pub(crate) struct Teller<'a> {
    model: Option<&'a ModelArgs>,
    loaded: &'a [Loaded],
    /// By test, variant and outcome.
    forbidding: RefCell<BTreeMap<(String, String, String), Vec<String>>>,
    told: RefCell<BTreeSet<(String, String, Vec<String>)>>,
    /// How long was looked for what forbids outcomes.
    spent: Cell<Duration>,
}

/// So long is looked for what forbids outcomes, in all: violations are not to wait for their explanations.
const MOST: Duration = Duration::from_secs(60);

impl<'a> Teller<'a> {
    /// For results of these tests; with a model, it is asked what forbids an outcome.
    pub(crate) fn new(model: Option<&'a ModelArgs>, loaded: &'a [Loaded]) -> Teller<'a> {
        Teller { model, loaded, forbidding: RefCell::default(), told: RefCell::default(), spent: Cell::default() }
    }

    /// A violation for people, in short if the same outcomes of the test on this target have been told.
    pub(crate) fn tell(&self, r: &RunResult) -> String {
        let outcomes: Vec<String> = r.forbidden().map(|o| o.outcome.clone()).collect();
        match self.told.borrow_mut().insert((r.test.clone(), r.target.clone(), outcomes)) {
            true => self.violation(r),
            false => format!("\n{}\n{}  again    {}\n", head(r), seen(r), r.command),
        }
    }

    /// A violation in full.
    pub(crate) fn violation(&self, r: &RunResult) -> String {
        let loaded = self.loaded.iter().find(|l| l.test.name == r.test);
        let mut out = format!("\n{}\n", head(r));
        if let Some(l) = loaded {
            let _ = writeln!(out, "  about    {}   {}", l.test.title, l.path.display());
            listed(&mut out, "program", &program(&l.test));
            listed(&mut out, "clause", &clauses_of(&l.test));
        }
        out.push_str(&seen(r));
        if let Some(said) = r.notes.iter().find(|n| n.contains(": error at ")) {
            let _ = writeln!(out, "  said     {said}");
        }
        if r.observed.iter().any(|o| o.observed == Observed::Deadlock) {
            let seconds = Duration::from_millis(r.patience).as_secs_f64();
            let _ = writeln!(out, "  hung     {seconds} s without progress count as hanging (--patience)");
        }
        r.allowed.iter().for_each(|a| _ = writeln!(out, "  allowed  {a}"));
        if let Some(l) = loaded {
            r.forbidden().take(TOLD).for_each(|o| listed(&mut out, "why not", &self.why_not(l, r, o)));
        }
        about(r).iter().for_each(|line| _ = writeln!(out, "  {line}"));
        let _ = writeln!(out, "  model    {}; seed {}\n  again    {}", model(r), r.seed, r.command);
        out
    }

    /// What of the rules forbids an outcome, where that is soon found, and the command that says more.
    fn why_not(&self, l: &Loaded, r: &RunResult, o: &SeenOutcome) -> Vec<String> {
        let variant = label(r, "variant");
        let explained = matches!(&o.observed, Observed::Values(v) if v.iter().all(Option::is_some));
        let Some(model) = self.model.filter(|_| explained && r.complete) else { return vec![] };
        let key = (r.test.clone(), variant.to_owned(), o.outcome.clone());
        let mut known = self.forbidding.borrow_mut();
        let found = known.entry(key).or_insert_with(|| {
            let since = Instant::now();
            let in_time = self.spent.get() < MOST;
            let found = in_time.then(|| forbidding(l, model, variant, &o.observed)).flatten();
            self.spent.set(self.spent.get() + since.elapsed());
            let mut lines = found.unwrap_or_default();
            let mut command = format!("litmpi explain {} --outcome {}", quoted(label(r, "file")), quoted(&o.outcome));
            if variant != "default" {
                let _ = write!(command, " --variant {}", quoted(variant));
            }
            if let Some(spec) = &model.spec {
                let _ = write!(command, " --spec {}", quoted(&spec.display().to_string()));
            }
            lines.push(command);
            lines
        });
        found.clone()
    }
}

fn head(r: &RunResult) -> String {
    let size = size_name(r.size);
    let new = match (r.known.is_empty(), r.new.is_empty()) {
        (_, true) => " (known)",
        (true, false) => "",
        (false, false) => " (partly known)",
    };
    format!("{}{new} {} on {} ({size}, {} style, {})", r.verdict.word(), r.test, r.target, r.style.word(), r.library)
}

fn seen(r: &RunResult) -> String {
    let mut out = String::new();
    let all: Vec<_> = r.observed.iter().filter(|o| o.allowed != Some(true)).collect();
    for o in all.iter().take(TOLD) {
        let (count, first, of) = (o.tally.count, o.tally.first, r.iterations);
        let _ = writeln!(out, "  seen     {count} × {}, first in iteration {first}, of {of}", o.outcome);
        if let Some(retry) = r.retry.as_ref().filter(|retry| retry.outcomes.contains_key(&o.outcome)) {
            let _ = writeln!(out, "           {}", retry.words(Some(&o.outcome)));
        }
    }
    if all.len() > TOLD {
        let (rest, count) = (all.len() - TOLD, all.iter().skip(TOLD).map(|o| o.tally.count).sum::<u64>());
        let _ = writeln!(
            out,
            "           and {rest} others that are not allowed, {count} × in all; `results.jsonl` has them"
        );
    }
    out
}

/// Lines with a word before the first one.
fn listed(out: &mut String, word: &str, lines: &[String]) {
    for (i, line) in lines.iter().enumerate() {
        let _ = writeln!(out, "  {:<9}{line}", if i == 0 { word } else { "" });
    }
}

/// The program of a test: its text without the head and the claims.
fn program(test: &Test) -> Vec<String> {
    let text = &test.span.source.text;
    let is_claim = |l: &&str| ["exists", "~exists", "forall", "locations"].iter().any(|w| l.starts_with(w));
    let lines = text.lines().skip_while(|l| !l.starts_with("litmus ")).skip(1).take_while(|l| !is_claim(l));
    lines.filter(|l| !l.trim().is_empty()).map(str::to_owned).collect()
}

/// What the standard asks and the test needs: the sentences of its clauses, or else what its verdicts cite.
pub(crate) fn clauses_of(test: &Test) -> Vec<String> {
    let asked = clauses::of_test(&test.name);
    if !asked.is_empty() {
        return asked;
    }
    let verdicts = || test.claims.iter().flat_map(|c| &c.verdicts);
    let cites: BTreeSet<String> =
        verdicts().filter_map(|v| v.cite.as_ref()).map(|c| format!("{} {}", c.work, c.place)).collect();
    cites.into_iter().collect()
}

/// The model, and its variant if it is not the usual one.
fn model(r: &RunResult) -> String {
    match label(r, "variant") {
        "" | "default" => label(r, "model").to_owned(),
        variant => format!("{}:{variant}", label(r, "model")),
    }
}

fn label<'r>(r: &'r RunResult, key: &str) -> &'r str {
    r.labels.get(key).map_or("", String::as_str)
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use litmpi_runner::{Comparison, Delay, Stress, Style, Tally};

    /// A result of a test on the target `t`; a violation is of values `x=1;` and is known, unless `new` is set.
    pub(in crate::report) fn result(test: &str, verdict: Comparison) -> RunResult {
        let bad = verdict.is_violation();
        let seen = SeenOutcome {
            outcome: "x=1;".into(),
            observed: Observed::Values(vec![Some(1)]),
            tally: Tally { count: 2, first: 1 },
            allowed: Some(!bad),
        };
        RunResult {
            schema: 1,
            test: test.into(),
            target: "t".into(),
            size: 8,
            style: Style::Blocking,
            verdict,
            observed: vec![seen],
            allowed: vec!["x=0;".into()],
            allowed_outcomes: vec![],
            complete: true,
            unseen: vec![],
            iterations: 10,
            directed: 0,
            retry: None,
            known: vec![],
            new: vec![],
            explained: BTreeMap::new(),
            millis: 1,
            patience: 0,
            seed: 1,
            delay: Delay::default(),
            stress: Stress::default(),
            settings: BTreeMap::new(),
            library: "a library 1.0".into(),
            counters: BTreeMap::new(),
            command: "mpirun".into(),
            notes: vec![],
            setup: BTreeMap::new(),
            labels: BTreeMap::new(),
        }
    }

    #[test]
    fn the_same_violation_at_another_size_is_told_in_short() {
        let teller = Teller::new(None, &[]);
        let bad = result("b", Comparison::Violation { outcomes: vec!["x=1;".into()] });
        let bad = RunResult { new: vec!["x=1;".into()], ..bad };
        let first = teller.tell(&bad);
        assert!(first.contains("VIOLATION b on t (8 B, blocking style, a library 1.0)\n"), "{first}");
        assert!(first.contains("  seen     2 × x=1;, first in iteration 1, of 10\n  allowed  x=0;\n"), "{first}");
        assert!(first.contains("  new      nothing of this is known"), "{first}");
        let second = teller.tell(&RunResult { size: 64, ..bad.clone() });
        assert!(second.contains("(64 B") && !second.contains("allowed"), "{second}");
        let other = teller.tell(&RunResult { target: "u".into(), ..bad });
        assert!(other.contains("allowed"), "{other}");
    }
}
