//! What is known of the robustness of tests, as a table, as text and as JSON.

use super::Row;
use crate::explain::{Files, graph as drawn, mark, shape};
use crate::say::fit;
use comfy_table::{Table, presets};
use litmpi_cat::candidates::{Broken, Place};
use litmpi_litmus::ast::Test;
use litmpi_models::{Judged, Reached, Robustness, Weak, Word};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::one_line;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::Path;

/// Pairs that text lists of one condition.
const LISTED: usize = 8;

/// The model and the variant.
pub(crate) fn name(robustness: &Robustness, variant: &str) -> String {
    let model = robustness.model().name();
    if variant == "default" { model.to_owned() } else { format!("{model} ({variant})") }
}

fn verdict(robust: Option<bool>) -> &'static str {
    match robust {
        Some(true) => "robust",
        Some(false) => "not robust",
        None => "undecided",
    }
}

fn word(word: Word) -> &'static str {
    match word {
        Word::Holds => "holds",
        Word::Fails => "fails",
        Word::Conservative => "conservative",
        Word::Undecided => "undecided",
        Word::Silent => "-",
    }
}

/// In what a weak execution differs from those of sequential consistency.
fn outcome(test: &Test, weak: &Weak) -> String {
    let shown = test.show(&weak.found.outcome);
    if shown.is_empty() {
        return "; the test observes nothing".to_owned();
    }
    let shown = format!(" with {shown}");
    match weak.shows {
        Some(true) => format!("{shown} which no sequentially consistent execution has"),
        Some(false) => format!(
            "{shown} which a sequentially consistent execution has, too: the test does not observe what is weak"
        ),
        None => format!("{shown} which no sequentially consistent execution was found with, within the bounds"),
    }
}

/// The graph of the weak execution and its cycle as text; pictures go where they were asked for.
pub(super) fn graph(row: &Row, model: &str, files: &mut Files<'_>) -> Result<Option<String>, Report> {
    let Ok((l, found)) = &row.found else { return Ok(None) };
    let Some(weak) = &found.weak else { return Ok(None) };
    let mut graph = drawn(&l.test, &weak.found.execution);
    mark(&mut graph, &weak.cycle);
    graph.title = format!("{}: not robust under {model}", row.name);
    let shape = shape(&weak.found.execution, &weak.cycle);
    graph.notes = vec![l.test.title.clone(), format!("an execution that is not sequentially consistent: {shape}")];
    let names = files.relations(&graph)?;
    files.graph(&row.name, "weak", &graph)?;
    Ok(Some(format!("{}\n{}", graph.text(&names), graph.cycle_text(&graph.cycle))))
}

pub(super) fn as_table(rows: &[Row], robustness: &Robustness, model: &str) -> String {
    let mut table = Table::new();
    fit(&mut table);
    table.load_preset(presets::NOTHING);
    let conditions = robustness.conditions.iter().map(|c| c.name.as_str());
    table.set_header(["test", model].into_iter().chain(conditions));
    for row in rows {
        let cells: Vec<&str> = match &row.found {
            Ok((_, found)) => {
                let conditions = found.conditions.iter().map(|c| word(c.word));
                std::iter::once(verdict(found.robust)).chain(conditions).collect()
            }
            Err(_) => vec!["-"; robustness.conditions.len() + 1],
        };
        table.add_row(std::iter::once(row.name.as_str()).chain(cells));
    }
    let mut out = format!("{table}\n\n");
    let judged: Vec<_> = rows.iter().filter_map(|r| r.found.as_ref().ok()).collect();
    let count = |what: Option<bool>| judged.iter().filter(|(_, f)| f.robust == what).count();
    let _ = write!(out, "{} tests: {} robust, {} not", rows.len(), count(Some(true)), count(Some(false)));
    for (number, what) in [(count(None), "undecided"), (rows.len() - judged.len(), "of which the model says nothing")] {
        if number > 0 {
            let _ = write!(out, ", {number} {what}");
        }
    }
    out.push('\n');
    for row in rows {
        match &row.found {
            Err(why) => _ = writeln!(out, "{}: {}", row.name, reason(why)),
            Ok((_, found)) => match (&found.by, found.robust) {
                (Some(by), _) => _ = writeln!(out, "{}: {}", row.name, by_theorem(by)),
                (None, None) => _ = write!(out, "{}: {}", row.name, bounds(&found.bounds)),
                (None, Some(_)) => {}
            },
        }
    }
    out
}

/// Why nothing is said of a test: the place, and what stands there.
pub(crate) fn reason(why: &Report) -> String {
    let one = |d: &Diagnostic| match (&d.span, d.label.as_str()) {
        (Some(span), label) if label != "here" => {
            format!("{span}: {}: {label}: `{}`", d.message, one_line(span.text()))
        }
        _ => Report::from(d.clone()).to_string(),
    };
    why.0.iter().map(one).collect::<Vec<_>>().join("; ")
}

fn bounds(all: &[Reached]) -> String {
    let stopped = all.iter().filter(|b| **b != Reached::Loops);
    stopped
        .map(|b| format!("Bound reached: {b}; no weak execution was found within it, and there may be one\n"))
        .collect()
}

/// Why a program is robust of which not every execution was looked at.
fn by_theorem(by: &[String]) -> String {
    format!(
        "By {}, which hold (rdma-robustness Theorems 5 and 17); there are too many executions to look at each",
        by.join(" and ")
    )
}

pub(super) fn as_text(row: &Row, robustness: &Robustness, model: &str, graph: Option<&str>) -> String {
    let Ok((l, found)) = &row.found else { return String::new() };
    let mut out = format!("Test {}: {} under {model}\n", row.name, verdict(found.robust));
    if let (Some(weak), Some(graph)) = (&found.weak, graph) {
        let _ = write!(out, "\nA weak execution{}\n\n{graph}\n", outcome(&l.test, weak));
    }
    match (&found.by, found.robust) {
        (Some(by), _) => _ = writeln!(out, "{}", by_theorem(by)),
        (None, None) => out.push_str(&bounds(&found.bounds)),
        (None, Some(_)) => {}
    }
    let wide = robustness.conditions.iter().map(|c| c.name.len()).max().unwrap_or(0);
    for (condition, judged) in robustness.conditions.iter().zip(&found.conditions) {
        let _ = writeln!(out, "{:wide$}  {}", condition.name, in_words(judged));
        for broken in judged.broken.iter().take(LISTED) {
            let _ = writeln!(out, "{:wide$}    {}", "", pair(&l.test, broken));
        }
        if judged.broken.len() > LISTED {
            let _ = writeln!(out, "{:wide$}    … and {} more, which --json lists", "", judged.broken.len() - LISTED);
        }
    }
    out.push('\n');
    out
}

fn in_words(judged: &Judged) -> String {
    let why = judged.why.as_deref().unwrap_or_default();
    match judged.word {
        Word::Holds => "holds".into(),
        Word::Fails => "fails".into(),
        Word::Conservative => "fails, and is conservative here: the program is robust".into(),
        Word::Undecided => format!("undecided: {why}"),
        Word::Silent => format!("says nothing of this test: {why}"),
    }
}

/// Two instructions that are against a condition, and the check.
fn pair(test: &Test, broken: &Broken) -> String {
    let thread = broken.from.thread.map_or(String::new(), |t| format!("thread {}: ", test.threads[t].number));
    let first = instruction(&broken.from);
    let other = broken.to.thread.filter(|t| Some(*t) != broken.from.thread);
    let other = other.map_or(String::new(), |t| format!("thread {}: ", test.threads[t].number));
    let second =
        if broken.from == broken.to { String::new() } else { format!(" and {other}{}", instruction(&broken.to)) };
    format!("{thread}{first}{second}  ({} {})", broken.check, broken.at)
}

fn instruction(place: &Place) -> String {
    let loc = place.loc.as_ref().map_or(String::new(), |x| format!(" {x}"));
    format!("line {} `{}` {}{loc}", place.span.line_col().0, one_line(place.span.text()), place.label)
}

pub(super) fn as_json(row: &Row, robustness: &Robustness, variant: &str, graph: Option<&str>) -> Value {
    let file = row.path.display().to_string();
    let model = robustness.model();
    let mut out = json!({
        "test": row.name, "file": file, "model": model.name(), "variant": variant, "hash": model.hash(), "robust": null,
    });
    let (l, found) = match &row.found {
        Ok(both) => both,
        Err(why) => {
            out["says_nothing"] = json!(reason(why));
            return out;
        }
    };
    out["robust"] = json!(found.robust);
    if let Some(by) = &found.by {
        out["by"] = json!(by);
    }
    out["bounds"] = found.bounds.iter().map(ToString::to_string).collect();
    if let Some(weak) = &found.weak {
        out["weak"] = json!({
            "outcome": l.test.show(&weak.found.outcome), "shows": weak.shows,
            "cycle": shape(&weak.found.execution, &weak.cycle), "graph": graph,
        });
    }
    let place = |p: &Place| {
        json!({
            "thread": p.thread.map(|t| l.test.threads[t].number), "line": p.span.line_col().0,
            "statement": one_line(p.span.text()), "event": p.label, "location": p.loc,
        })
    };
    let judged = |(c, j): (&litmpi_models::Condition, &Judged)| {
        let broken = |b: &Broken| json!({ "check": b.check, "at": b.at.to_string(), "from": place(&b.from), "to": place(&b.to) });
        let mut out =
            json!({ "condition": c.name, "verdict": match j.word { Word::Silent => "says nothing", w => word(w) } });
        if let Some(why) = &j.why {
            out["why"] = json!(why);
        }
        if !j.broken.is_empty() {
            out["pairs"] = j.broken.iter().map(broken).collect();
        }
        out
    };
    out["conditions"] = robustness.conditions.iter().zip(&found.conditions).map(judged).collect();
    out
}

/// The row of a file that was left out: named as the test would be, and of unknown robustness.
pub(super) fn left_out(mut row: Value) -> Value {
    let name = row["file"].as_str().map(Path::new).and_then(Path::file_stem).map(|s| s.to_string_lossy().into_owned());
    row["test"] = json!(name);
    row["robust"] = Value::Null;
    row
}
