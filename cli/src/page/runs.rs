//! Results of runs: a table of tests by targets, each test with what was seen.

use super::data::{By, Cell, OutcomeRow, Part, Row, Run, Standing, TestPage};
use super::tests::Tests;
use crate::args::FailOn;
use crate::explain::only;
use crate::known::{Known, about};
use crate::report::{answer, circumstances};
use litmpi_litmus::ast::Outcome;
use litmpi_runner::{Comparison, RunResult};
use litmpi_spec::diag::Report;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

fn label<'r>(r: &'r RunResult, key: &str) -> &'r str {
    r.labels.get(key).map_or("", String::as_str)
}

fn standing(r: &RunResult) -> Standing {
    match &r.verdict {
        _ if r.is_known() => Standing::Known,
        _ if r.is_bad() => Standing::Bad,
        verdict if verdict.is_undecided() => Standing::Undecided,
        Comparison::Failed { .. } => Standing::Undecided,
        Comparison::Conforms => Standing::Good,
        _ => Standing::Open,
    }
}

/// Where the page of a result's test is found: by its file, or else its name.
fn key(r: &RunResult) -> String {
    Some(label(r, "file")).filter(|f| !f.is_empty()).unwrap_or(&r.test).to_owned()
}

/// Results as a part of a page; their tests are given to `tests`.
///
/// # Errors
/// The list of known violations cannot be read.
pub(super) fn part(mut results: Vec<RunResult>, known: &[PathBuf], tests: &mut Tests<'_>) -> Result<Part, Report> {
    let known = Known::load(known)?;
    results.iter_mut().for_each(|r| known.mark(r));
    let mut columns: Vec<String> = vec![];
    let mut keys: Vec<String> = vec![];
    for r in &results {
        if !columns.contains(&r.target) {
            columns.push(r.target.clone());
        }
        if !keys.contains(&key(r)) {
            keys.push(key(r));
        }
    }
    let mut by_test: BTreeMap<String, Vec<&RunResult>> = BTreeMap::new();
    results.iter().for_each(|r| by_test.entry(key(r)).or_default().push(r));
    tests
        .load_those_of(&results.iter().map(|r| (key(r), label(r, "model"), label(r, "test-hash"))).collect::<Vec<_>>());
    let mut rows = vec![];
    for key in keys {
        let of = &by_test[&key];
        let cells = |target: &String| {
            let here = of.iter().filter(|r| r.target == *target);
            here.map(|r| Cell { word: word(r), standing: standing(r), of: circumstances(r) }).collect()
        };
        rows.push(Row {
            test: of[0].test.clone(),
            standing: of.iter().map(|r| standing(r)).min().unwrap_or(Standing::Open),
            cells: columns.iter().map(cells).collect(),
            key: key.clone(),
        });
        fill(tests.page(&key, &of[0].test), of);
        for r in of {
            for o in r.forbidden() {
                if let Some(Outcome::Values(values)) = o.observed.outcome() {
                    tests.ask(&key, label(r, "variant"), &o.outcome, only(&values));
                }
            }
        }
        tests.as_variant(&key, label(of[0], "variant"));
    }
    rows.sort_by_key(|r| r.standing);
    let part = Part {
        title: format!("tests on {}", columns.join(", ")),
        answer: answer(&results, FailOn::Any),
        standing: rows.iter().map(|r| r.standing).min().unwrap_or(Standing::Open),
        facts: facts(&results, &columns),
        columns,
        rows,
        findings: vec![],
    };
    Ok(part)
}

fn word(r: &RunResult) -> String {
    if r.is_known() { format!("{} (known)", r.verdict.word()) } else { r.verdict.word().to_owned() }
}

/// What is the same for many results.
fn facts(results: &[RunResult], columns: &[String]) -> Vec<(String, String)> {
    let mut out = vec![];
    for target in columns {
        let library =
            results.iter().filter(|r| r.target == *target).map(|r| r.library.as_str()).find(|l| !l.is_empty());
        out.push((target.clone(), library.unwrap_or("not here").to_owned()));
    }
    let all = |of: &dyn Fn(&RunResult) -> String| -> String {
        let values: BTreeSet<String> = results.iter().map(of).filter(|v| !v.is_empty()).collect();
        values.into_iter().collect::<Vec<_>>().join(", ")
    };
    let model = |r: &RunResult| match (label(r, "model"), label(r, "variant")) {
        (model, "" | "default") => model.to_owned(),
        (model, variant) => format!("{model}:{variant}"),
    };
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    results.iter().for_each(|r| *words.entry(r.verdict.word()).or_default() += 1);
    let words: Vec<String> = words.iter().map(|(word, n)| format!("{n} {word}")).collect();
    out.push(("results".into(), words.join(", ")));
    out.push(("model".into(), all(&model)));
    out.push(("seed".into(), all(&|r| r.seed.to_string())));
    out.push(("iterations".into(), results.iter().map(|r| r.iterations).sum::<u64>().to_string()));
    out.push(("litmpi".into(), all(&|r| label(r, "litmpi").to_owned())));
    out.retain(|(_, value)| !value.is_empty());
    out
}

/// Puts the results of a test on its page.
fn fill(page: &mut TestPage, results: &[&RunResult]) {
    let mut outcomes: Vec<OutcomeRow> = vec![];
    let mut of = |outcome: &str, allowed: Option<bool>| -> usize {
        outcomes.iter().position(|o| o.outcome == outcome).unwrap_or_else(|| {
            outcomes.push(OutcomeRow { outcome: outcome.to_owned(), allowed, by: BTreeMap::new() });
            outcomes.len() - 1
        })
    };
    let mut counts: Vec<(usize, String, u64)> = vec![];
    for r in results {
        r.allowed.iter().for_each(|a| _ = of(a, Some(true)));
        for o in &r.observed {
            counts.push((of(&o.outcome, o.allowed), r.target.clone(), o.tally.count));
        }
        page.runs.push(Run {
            target: r.target.clone(),
            of: circumstances(r),
            library: r.library.clone(),
            verdict: verdict(r),
            standing: standing(r),
            iterations: r.iterations,
            seed: r.seed,
            seen: r.observed.iter().map(|o| (o.outcome.clone(), o.tally.count, o.allowed)).collect(),
            notes: r.notes.clone(),
            known: if r.is_bad() { about(r) } else { vec![] },
            again: r.command.clone(),
        });
    }
    for (at, target, count) in counts {
        let by: &mut By = outcomes[at].by.entry(target).or_default();
        by.count = Some(by.count.unwrap_or(0) + count);
    }
    page.outcomes = outcomes;
}

fn verdict(r: &RunResult) -> String {
    match &r.verdict {
        Comparison::Skipped { reason } | Comparison::NotRun { reason } | Comparison::Failed { reason } => {
            format!("{}: {reason}", word(r))
        }
        _ => word(r),
    }
}
