//! `litmpi check`: models against stated verdicts and complete outcome sets.

use crate::args::CheckArgs;
use crate::load::{Loaded, tests_under_all_models};
use crate::{Verdict, parallel, say};
use litmpi_explore::Bound;
use litmpi_litmus::golden::{self, Golden};
use litmpi_rdma_model::{Operational, Outcomes};
use litmpi_runner::proposition;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// What came of one test.
#[derive(Default)]
struct Checked {
    /// Verdicts that hold.
    agreed: usize,
    /// Verdicts of models that were not run here, by model.
    unchecked: BTreeMap<String, usize>,
    /// What does not hold.
    failures: Vec<String>,
    /// Outcome sets compared, or written.
    sets: usize,
    /// Models and variants without a complete set in the file.
    missing: Vec<String>,
    /// Bounds that were hit.
    bounded: Vec<String>,
    states: usize,
    transitions: usize,
}

pub(crate) fn check(args: &CheckArgs) -> Result<Verdict, Report> {
    let loaded = tests_under_all_models(&args.model)?;
    let start = std::time::Instant::now();
    // A file at a time: its models share one file of complete sets.
    let files: Vec<&[Loaded]> = loaded.chunk_by(|a, b| a.path == b.path).collect();
    let results = parallel::map(&files, args.model.jobs, "checking", |ls| {
        ls.iter().map(|l| check_one(l, args)).collect::<Result<Vec<Checked>, Report>>()
    });
    let (mut failed, mut total) = (0, Checked::default());
    let mut rows = vec![];
    let checked = results.into_iter().collect::<Result<Vec<_>, Report>>()?;
    for (l, c) in loaded.iter().zip(checked.into_iter().flatten()) {
        if args.json {
            rows.push(json!({
                "test": l.test.name, "file": l.path.display().to_string(), "model": l.spec.name, "hash": l.spec.hash(),
                "agreed": c.agreed, "failures": c.failures, "unchecked": c.unchecked, "without_set": c.missing, "bounds": c.bounded,
                "states": c.states, "transitions": c.transitions,
            }));
        } else {
            for f in &c.failures {
                say(&format!("FAIL {}: {f}\n", l.path.display()));
            }
            for b in &c.bounded {
                say(&format!("note {}: {b}\n", l.path.display()));
            }
        }
        failed += usize::from(!c.failures.is_empty());
        total.agreed += c.agreed;
        total.sets += c.sets;
        total.states += c.states;
        total.transitions += c.transitions;
        total.missing.extend(c.missing.iter().map(|m| format!("{} ({m})", l.path.display())));
        for (model, n) in c.unchecked {
            *total.unchecked.entry(model).or_default() += n;
        }
    }
    if args.json {
        say(&format!("{:#}\n", json!(rows)));
    } else {
        summary(&loaded, files.len(), failed, &total, args.accept);
        eprintln!("{:.1} s", start.elapsed().as_secs_f64());
    }
    Ok(if failed == 0 { Verdict::Good } else { Verdict::Bad })
}

fn summary(loaded: &[Loaded], files: usize, failed: usize, total: &Checked, accept: bool) {
    let models: BTreeSet<&str> = loaded.iter().map(|l| l.spec.name.as_str()).collect();
    let models: Vec<&str> = models.into_iter().collect();
    let sets = if accept { "complete sets written" } else { "complete sets agree" };
    say(&format!(
        "{} tests under {}: {} verdicts hold, {} {sets}, {failed} tests fail ({} states, {} transitions)\n",
        files,
        models.join(", "),
        total.agreed,
        total.sets,
        total.states,
        total.transitions
    ));
    for (model, n) in &total.unchecked {
        say(&format!("not checked: {n} verdicts of {model}, which is not among the models run\n"));
    }
    if !total.missing.is_empty() {
        let (n, first) = (total.missing.len(), &total.missing[0]);
        say(&format!(
            "without a complete set to compare with: {n}, the first {first}; `litmpi check --accept` writes them\n"
        ));
    }
}

/// The complete sets beside a test.
pub(crate) fn recorded(l: &Loaded) -> Result<Golden, Report> {
    let path = golden::path(&l.path);
    match Source::read(&path) {
        Ok(source) => Golden::parse(&source),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Golden::default()),
        Err(e) => Err(Diagnostic::general(format!("cannot read {}: {e}", path.display())).into()),
    }
}

/// The default variant, and every one that a verdict or a recorded set names: a set of an equivalent model, too.
pub(crate) fn variants(l: &Loaded, golden: &Golden) -> BTreeSet<String> {
    let verdicts = l.test.claims.iter().flat_map(|c| &c.verdicts).filter(|v| l.spec.answers_for(&v.model));
    let sets = golden.sections.iter().filter(|s| l.spec.answers_for(&s.model)).map(|s| s.variant.clone());
    let mut out = BTreeSet::from([golden::DEFAULT.to_owned()]);
    out.extend(verdicts.filter_map(|v| v.variant.clone()).chain(sets));
    out
}

fn check_one(l: &Loaded, args: &CheckArgs) -> Result<Checked, Report> {
    let mut c = Checked::default();
    let golden_path = golden::path(&l.path);
    let mut golden = recorded(l)?;
    for v in l.test.claims.iter().flat_map(|c| &c.verdicts).filter(|v| !l.spec.answers_for(&v.model)) {
        *c.unchecked.entry(v.model.clone()).or_default() += 1;
    }
    for variant in variants(l, &golden) {
        let outcomes = Operational::new(&l.test, &l.setup(&args.model, &variant))?.outcomes()?;
        c.states += outcomes.states;
        c.transitions += outcomes.transitions;
        for b in &outcomes.bounds {
            c.bounded.push(format!("{} ({variant}): bound reached: {b}", l.spec.name));
        }
        verdicts(l, &variant, &outcomes, &mut c);
        let found: BTreeSet<String> = outcomes.set.iter().map(|o| l.test.show(o)).collect();
        if let (true, Some(b)) = (args.accept, stopped(&outcomes)) {
            c.failures
                .push(format!("{} ({variant}): no complete set to write: the search stopped at {b}", l.spec.name));
        } else if args.accept {
            golden.set(&l.spec.name, &variant, found);
            c.sets += 1;
        } else {
            match golden.find(&l.spec.name, &variant) {
                None => c.missing.push(format!("{} {variant}", l.spec.name)),
                Some(set) if *set == found => c.sets += 1,
                Some(set) => c.failures.push(set_difference(&l.spec.name, &variant, set, &found)),
            }
        }
    }
    if args.accept && !golden.sections.is_empty() {
        std::fs::write(&golden_path, golden.to_string())
            .map_err(|e| Report::from(Diagnostic::general(format!("cannot write {}: {e}", golden_path.display()))))?;
    }
    Ok(c)
}

/// The bound of the user's at which a search stopped early. The unrolling of loops is none: the test states it.
fn stopped(outcomes: &Outcomes) -> Option<&Bound> {
    outcomes.bounds.iter().find(|b| **b != Bound::Loops)
}

fn verdicts(l: &Loaded, variant: &str, outcomes: &Outcomes, c: &mut Checked) {
    for claim in &l.test.claims {
        for v in &claim.verdicts {
            if !l.spec.answers_for(&v.model) || v.variant.as_deref().unwrap_or(golden::DEFAULT) != variant {
                continue;
            }
            let found = claim.verdict(outcomes.set.iter());
            if let (false, Some(b)) = (claim.is_decided(outcomes.set.iter()), stopped(outcomes)) {
                c.failures.push(format!(
                    "{} ({variant}): {} ({}) is not decided: the search stopped at {b}",
                    l.spec.name,
                    claim.quantifier,
                    proposition(&l.test, &claim.prop),
                ));
            } else if found == v.expect {
                c.agreed += 1;
            } else {
                let cite = v.cite.as_ref().map_or(String::new(), |c| format!(" ({} {})", c.work, c.place));
                c.failures.push(format!(
                    "{} ({variant}): {} ({}) is {found} by the rules, {} by {}{cite}",
                    l.spec.name,
                    claim.quantifier,
                    proposition(&l.test, &claim.prop),
                    v.expect,
                    v.span,
                ));
            }
        }
    }
}

fn set_difference(model: &str, variant: &str, expected: &BTreeSet<String>, found: &BTreeSet<String>) -> String {
    let mut out = format!(
        "{model} ({variant}): the outcomes are not those of the .expected file; accept them with `litmpi check --accept`"
    );
    for o in found.difference(expected) {
        out.push_str(&format!("\n  + {o}"));
    }
    for o in expected.difference(found) {
        out.push_str(&format!("\n  - {o}"));
    }
    out
}
