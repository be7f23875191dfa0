//! The comparison as a table and as JSON.

use super::column::Column;
use super::judge::{Judgement, Row, UNDECIDED};
use crate::say::fit;
use comfy_table::{Table, presets};
use litmpi_litmus::log::State;
use serde_json::json;
use std::fmt::Write;

/// States of one difference that are listed below the table.
const LISTED: usize = 12;

pub(super) fn as_table(columns: &[Column], rows: &[Row]) -> String {
    let judged = rows.iter().any(|r| r.verdict != Judgement::None);
    let mut table = Table::new();
    fit(&mut table);
    table.load_preset(presets::NOTHING);
    let mut head = vec!["", "test", "condition"];
    head.extend(columns.iter().map(|c| c.name.as_str()));
    head.extend(judged.then_some("verdict"));
    table.set_header(head);
    for r in rows {
        for i in 0..r.conditions.len().max(1) {
            let cells: Vec<String> = (0..columns.len()).map(|c| cell(r, c, i)).collect();
            let mut row = vec![mark(columns, r, i).to_owned(), r.name.clone()];
            row.push(r.conditions.get(i).cloned().unwrap_or_default());
            row.extend(cells);
            row.extend(judged.then(|| if i == 0 { r.verdict.word().to_owned() } else { String::new() }));
            table.add_row(row);
        }
    }
    let mut out = format!("{table}\n\n");
    let differing = rows.iter().filter(|r| r.differs).count();
    let _ = writeln!(
        out,
        "{} tests, {differing} with different outcomes (* another verdict, + other outcomes only)",
        rows.len()
    );
    if judged {
        let caught = rows.iter().filter(|r| r.verdict.is_violation()).count();
        let _ = writeln!(out, "{caught} with an outcome that a model does not allow (!)");
    }
    let undecided = rows.iter().filter(|r| r.is_undecided()).count();
    if undecided > 0 {
        let _ = writeln!(out, "{undecided} undecided: a model stopped at a bound, or does not judge a condition");
    }
    for r in rows {
        details(columns, r, &mut out);
    }
    out
}

/// Whether verdicts of models, or observations of logs, differ for a condition, or only outcomes do.
fn mark(columns: &[Column], r: &Row, condition: usize) -> &'static str {
    let differ = |logs: bool| {
        let mut words: Vec<&str> = (0..columns.len())
            .filter(|c| columns[*c].is_log() == logs)
            .filter_map(|c| r.answer(c)?.words.get(condition).map(String::as_str))
            .filter(|word| *word != UNDECIDED)
            .collect();
        words.dedup();
        words.len() > 1
    };
    match () {
        () if r.verdict.is_violation() && condition == 0 => "!",
        () if differ(false) || differ(true) => "*",
        () if r.differs && condition == 0 => "+",
        () => "",
    }
}

/// A verdict or an observation; with the first condition, how many states there are and how they differ from the first
/// column's.
fn cell(r: &Row, column: usize, condition: usize) -> String {
    let Some(answer) = r.answer(column) else { return "-".into() };
    let mut out = answer.words.get(condition).cloned().unwrap_or_default();
    if condition == 0 {
        let at_least = if answer.complete || r.is_log(column) { "" } else { "≥" };
        let _ = write!(out, " {at_least}{}", answer.states.len());
        if let Some((more, less)) = r.against_first(column) {
            for (sign, states) in [('+', more), ('-', less)] {
                if !states.is_empty() {
                    let _ = write!(out, " {sign}{}", states.len());
                }
            }
        }
    }
    out.trim_start().to_owned()
}

/// What the table only counts.
fn details(columns: &[Column], r: &Row, out: &mut String) {
    let mut text = String::new();
    for (log, model, state) in &r.wrong {
        let n = r.answer(*log).and_then(|a| a.states[state]).map_or(String::new(), |n| format!(" ({n} times)"));
        let complete = r.answer(*model).is_some_and(|a| a.complete);
        let word = if complete { "is not allowed by" } else { "was not found within the bounds of" };
        let _ = writeln!(text, "  {}: {state}{n} {word} {}", columns[*log].name, columns[*model].name);
    }
    for (c, column) in columns.iter().enumerate() {
        match &r.answers[c] {
            Some(Err(why)) => _ = writeln!(text, "  not run under {}: {why}", column.name),
            Some(Ok(a)) if !a.complete => _ = writeln!(text, "  a bound was reached under {}", column.name),
            _ => {}
        }
        if let (true, Some((more, less))) = (r.differs || r.verdict.is_violation(), r.against_first(c)) {
            list(&column.name, '+', &more, &mut text);
            list(&column.name, '-', &less, &mut text);
        }
    }
    for note in &r.notes {
        let _ = writeln!(text, "  {note}");
    }
    if !text.is_empty() {
        let _ = write!(out, "\n{}\n{text}", r.name);
    }
}

fn list(column: &str, sign: char, states: &[&State], out: &mut String) {
    for state in states.iter().take(LISTED) {
        let _ = writeln!(out, "  {column} {sign} {state}");
    }
    if states.len() > LISTED {
        let _ = writeln!(out, "  {column} {sign} … and {} more, which --json lists", states.len() - LISTED);
    }
}

pub(super) fn as_json(columns: &[Column], rows: &[Row]) -> String {
    let answer = |r: &Row, c: usize| {
        let texts = |states: &[&State]| states.iter().map(ToString::to_string).collect::<Vec<_>>();
        match &r.answers[c] {
            None => json!(null),
            Some(Err(why)) => json!({ "error": why }),
            Some(Ok(a)) => {
                let (more, less) = r.against_first(c).unwrap_or_default();
                let words = if columns[c].is_log() { "observations" } else { "verdicts" };
                let mut out = json!({
                    words: a.words, "complete": a.complete,
                    "outcomes": a.states.keys().map(ToString::to_string).collect::<Vec<_>>(),
                    "more": texts(&more), "less": texts(&less),
                });
                if a.states.values().any(Option::is_some) {
                    out["counts"] = json!(a.states.values().collect::<Vec<_>>());
                }
                out
            }
        }
    };
    let group = |r: &Row, logs: bool| -> serde_json::Map<_, _> {
        let of = (0..columns.len()).filter(|c| columns[*c].is_log() == logs);
        of.map(|c| (columns[c].name.clone(), answer(r, c))).collect()
    };
    let rows: Vec<_> = rows
        .iter()
        .map(|r| {
            let wrong: Vec<_> = r
                .wrong
                .iter()
                .map(|(log, model, s)| {
                    json!({ "log": columns[*log].name, "model": columns[*model].name, "outcome": s.to_string() })
                })
                .collect();
            json!({
                "test": r.name, "file": r.path.as_ref().map(|p| p.display().to_string()), "conditions": r.conditions,
                "differs": r.differs, "verdict": r.verdict.word(), "not_allowed": wrong, "notes": r.notes,
                "models": group(r, false), "logs": group(r, true),
            })
        })
        .collect();
    format!("{:#}\n", json!(rows))
}
