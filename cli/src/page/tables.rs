//! Checks, comparisons, and tests by themselves: a table each.

use super::data::{By, Cell, OutcomeRow, Part, Row, Standing};
use super::tests::{Tests, text};
use crate::args::ModelArgs;
use crate::load::{limits, tests_under_any_model};
use crate::parallel;
use litmpi_litmus::ast::Prop;
use litmpi_runner::proposition;
use litmpi_spec::diag::Report;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

fn texts(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().map(|v| text(v).to_owned()).collect()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

/// How many rows have a standing.
fn count(rows: &[Row], standing: Standing) -> usize {
    rows.iter().filter(|r| r.standing == standing).count()
}

fn part(title: String, answer: String, columns: Vec<String>, mut rows: Vec<Row>, facts: Vec<(String, String)>) -> Part {
    rows.sort_by_key(|r| r.standing);
    let standing = rows.iter().map(|r| r.standing).min().unwrap_or(Standing::Open);
    Part { title, answer, standing, facts, columns, rows, findings: vec![] }
}

/// What `litmpi check --json` wrote.
pub(super) fn checked(from: &str, rows: &[Value], tests: &mut Tests<'_>) -> Part {
    let files: Vec<(String, &str, &str)> = rows.iter().map(|r| (text(&r["file"]).to_owned(), "", "")).collect();
    tests.load_those_of(&files);
    let mut out = vec![];
    for r in rows {
        let (failures, undecided) = (texts(&r["failures"]), texts(&r["undecided"]));
        let held = number(&r["agreed"]) + number(&r["beside"]) + number(&r["sets"]);
        let (standing, word) = match (failures.len(), undecided.len()) {
            (0, 0) if held == 0 => (Standing::Open, "nothing to hold".to_owned()),
            (0, 0) => (Standing::Good, format!("{held} hold")),
            (0, n) => (Standing::Undecided, format!("{n} undecided")),
            (n, _) => (Standing::Bad, format!("{n} FAIL")),
        };
        let key = text(&r["file"]).to_owned();
        let page = tests.page(&key, text(&r["test"]));
        page.notes.extend(failures.iter().map(|f| format!("FAIL: {f}")));
        page.notes.extend(undecided.iter().map(|u| format!("undecided: {u}")));
        page.notes.extend(
            r["not_run"].as_object().into_iter().flatten().map(|(m, why)| format!("not run under {m}: {}", text(why))),
        );
        let models: Vec<&str> = r["models"].as_array().into_iter().flatten().map(|m| text(&m["model"])).collect();
        let cell = Cell { word, standing, of: models.join(", ") };
        out.push(Row { test: text(&r["test"]).to_owned(), key, standing, cells: vec![vec![cell]] });
    }
    let (bad, undecided) = (count(&out, Standing::Bad), count(&out, Standing::Undecided));
    let answer = match (bad, undecided) {
        (0, 0) => format!("yes: all verdicts and complete sets of {} tests hold", out.len()),
        (0, n) => format!("undecided: {n} of {} tests reached a bound", out.len()),
        (n, _) => format!("NO: {n} of {} tests fail", out.len()),
    };
    part(format!("check: {from}"), answer, vec!["verdicts and sets".into()], out, vec![])
}

/// What `litmpi compare --json` wrote.
pub(super) fn compared(from: &str, rows: &[Value], tests: &mut Tests<'_>) -> Part {
    let mut columns: Vec<(&str, String)> = vec![];
    for r in rows {
        for kind in ["logs", "models"] {
            for name in r[kind].as_object().into_iter().flatten().map(|(name, _)| name) {
                if !columns.iter().any(|(k, n)| *k == kind && n == name) {
                    columns.push((kind, name.clone()));
                }
            }
        }
    }
    let with_file = |r: &&Value| r["file"].is_string();
    let files: Vec<(String, &str, &str)> =
        rows.iter().filter(with_file).map(|r| (text(&r["file"]).to_owned(), "", "")).collect();
    tests.load_those_of(&files);
    let mut out = vec![];
    for r in rows {
        let name = text(&r["test"]);
        let key = r["file"].as_str().unwrap_or(name).to_owned();
        let standing = match (text(&r["verdict"]), r["differs"] == true) {
            ("violation" | "VIOLATION", _) => Standing::Bad,
            _ if r["not_allowed"].as_array().is_some_and(|a| !a.is_empty()) => Standing::Bad,
            (_, true) => Standing::Differs,
            _ => Standing::Good,
        };
        let mut outcomes: BTreeMap<String, BTreeMap<String, By>> = BTreeMap::new();
        let mut cells = vec![];
        for (kind, column) in &columns {
            let answer = &r[*kind][column];
            let words = texts(&answer[if *kind == "logs" { "observations" } else { "verdicts" }]);
            let (all, counts) = (texts(&answer["outcomes"]), answer["counts"].as_array());
            for (i, outcome) in all.iter().enumerate() {
                let count = counts.and_then(|c| c.get(i)?.as_u64());
                outcomes.entry(outcome.clone()).or_default().insert(column.clone(), By { count, is_there: Some(true) });
            }
            let mut word = words.first().cloned().unwrap_or_default();
            for (sign, field) in [('+', "more"), ('-', "less")] {
                match answer[field].as_array().map_or(0, Vec::len) {
                    0 => {}
                    n => word.push_str(&format!(" {sign}{n}")),
                }
            }
            cells.push(match answer {
                Value::Null => vec![],
                a if a["error"].is_string() => {
                    vec![Cell { word: "not run".into(), standing: Standing::Open, of: text(&a["error"]).to_owned() }]
                }
                a => {
                    let undecided = a["complete"] == false && *kind == "models";
                    let standing = if undecided { Standing::Undecided } else { standing };
                    let word = format!("{word} · {}", all.len());
                    vec![Cell { word, standing, of: format!("{} outcomes", all.len()) }]
                }
            });
        }
        let page = tests.page(&key, name);
        page.outcomes = outcomes.into_iter().map(|(outcome, by)| OutcomeRow { outcome, allowed: None, by }).collect();
        page.notes.extend(texts(&r["notes"]));
        for wrong in r["not_allowed"].as_array().into_iter().flatten() {
            let (log, model) = (text(&wrong["log"]), text(&wrong["model"]));
            page.notes.push(format!("{log} has {}, which {model} does not allow", text(&wrong["outcome"])));
        }
        out.push(Row { test: name.to_owned(), key, standing, cells });
    }
    let (bad, differ) = (count(&out, Standing::Bad), count(&out, Standing::Differs));
    let answer = match (bad, differ) {
        (0, 0) => format!("no difference in {} tests", out.len()),
        (0, n) => format!("{n} of {} tests have different outcomes", out.len()),
        (n, _) => format!("NO: {n} of {} tests have an outcome that a model does not allow", out.len()),
    };
    part(format!("comparison: {from}"), answer, columns.into_iter().map(|(_, name)| name).collect(), out, vec![])
}

/// Tests under the models of their families: which outcomes there are, and whether verdicts hold.
///
/// # Errors
/// No test can be loaded.
pub(super) fn modelled(paths: &[&Path], tests: &mut Tests<'_>) -> Result<Part, Report> {
    let args = ModelArgs { tests: paths.iter().map(|p| (*p).to_owned()).collect(), ..tests.args() };
    let (loaded, mut left_out) = tests_under_any_model(&args)?;
    let answers =
        parallel::map(&loaded, args.bounds.jobs, "searching", |l| l.model.answer(&l.test, "default", limits(&args)));
    let mut columns: Vec<String> = vec![];
    let mut found = vec![];
    for (l, answer) in loaded.into_iter().zip(answers) {
        let Some(answer) = left_out.keep(&l.path, answer) else { continue };
        if !columns.iter().any(|c| c == l.model.name()) {
            columns.push(l.model.name().to_owned());
        }
        found.push((l, answer));
    }
    let mut rows = vec![];
    for (l, answer) in found {
        let (mut words, mut standing) = (vec![], Standing::Good);
        let key = l.path.display().to_string();
        for claim in &l.test.claims {
            let got = answer.verdict(claim);
            words.push(got.as_ref().map_or("undecided".to_owned(), ToString::to_string));
            let own = |m: &str, v: Option<&str>| l.model.answers_for(m, v, "default");
            let stated = claim.verdicts.iter().filter(|v| own(&v.model, v.variant.as_deref()));
            for v in stated {
                standing = standing.min(match &got {
                    None => Standing::Undecided,
                    Some(got) if *got == v.expect => Standing::Good,
                    Some(_) => Standing::Bad,
                });
            }
            if !matches!(claim.prop, Prop::Deadlock | Prop::Erroneous) {
                tests.ask(&key, "default", &proposition(&l.test, &claim.prop), claim.prop.clone());
            }
        }
        let model = l.model.name().to_owned();
        let by = || BTreeMap::from([(model.clone(), By { count: None, is_there: Some(true) })]);
        let shown = |o| OutcomeRow { outcome: l.test.show(o), allowed: Some(true), by: by() };
        tests.page(&key, &l.test.name).outcomes = answer.set.iter().map(shown).collect();
        let word = format!("{} · {}", words.join(", "), answer.set.len());
        let cell = Cell { word, standing, of: format!("{} outcomes", answer.set.len()) };
        let cells = columns.iter().map(|c| if *c == model { vec![cell.clone()] } else { vec![] }).collect();
        rows.push(Row { test: l.test.name.clone(), key: key.clone(), standing, cells });
        tests.add(key, l);
    }
    tests.left_out(&left_out);
    let (bad, undecided) = (count(&rows, Standing::Bad), count(&rows, Standing::Undecided));
    let answer = match (bad, undecided) {
        (0, 0) => format!("yes: the verdicts of {} tests hold", rows.len()),
        (0, n) => format!("undecided: {n} of {} tests reached a bound", rows.len()),
        (n, _) => format!("NO: {n} of {} tests have a verdict that does not hold", rows.len()),
    };
    let title = format!("tests under {}", columns.join(", "));
    Ok(part(title, answer, columns, rows, vec![]))
}
