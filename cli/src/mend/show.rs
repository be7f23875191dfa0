//! What came of mending, as text and as JSON.

use super::text::patch;
use super::{Came, Mended, Row};
use litmpi_models::{Robustness, Tried};
use litmpi_spec::source::one_line;
use serde_json::{Value, json};
use std::fmt::Write;

fn insertions(mended: &Mended) -> String {
    let one = |i: &super::Item| {
        let node = i.node.map_or(String::new(), |n| format!(" towards node {n}"));
        format!("{}{node} behind `{}`, {}", i.insertion.name, one_line(i.behind.text()), i.insertion.cost)
    };
    mended.items.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// What is changed of the test's text.
fn changed(row: &Row, mended: &Mended) -> String {
    row.test.as_ref().map_or_else(String::new, |t| patch(&row.path, &t.span.source.text, &mended.source.text))
}

fn does(tried: Tried) -> &'static str {
    match tried {
        Tried::Does => "does",
        Tried::Fails => "is not enough",
        Tried::TooMuch => "takes outcomes away: a poll may wait for ever",
    }
}

/// What Fig. 5 asks for, if it was asked.
fn by_figure(row: &Row, out: &mut String) {
    if let Some((quick, tried)) = &row.by_figure {
        let (cost, which) = (quick.cost(), does(*tried));
        let _ = writeln!(out, "By rdma-robustness Fig. 5: cost {cost}, which {which}: {}", insertions(quick));
    }
}

pub(super) fn as_text(row: &Row, robustness: &Robustness, variant: &str) -> String {
    let model = crate::robust::name(robustness, variant);
    let mut out = format!("Test {}: ", row.name);
    let (tried, failing) = row.tried;
    match &row.came {
        Came::Silent(why) => _ = writeln!(out, "{model} says nothing of it: {why}"),
        Came::Well => _ = writeln!(out, "nothing to mend under {model}"),
        Came::Never(why) => _ = writeln!(out, "cannot be mended under {model} by what may be put in: {why}"),
        Came::Undecided(why) => {
            let _ = writeln!(out, "undecided under {model}: {why}");
            by_figure(row, &mut out);
            // What is known to do is better than nothing, though something cheaper may do as well.
            if let Some((quick, Tried::Does)) = &row.by_figure {
                let _ = write!(out, "\n{}", changed(row, quick));
            }
        }
        Came::Mended(mended) => {
            let _ = writeln!(out, "mended under {model} at cost {}: {}", mended.cost(), insertions(mended));
            if let Some(rounds) = mended.rounds {
                let _ = writeln!(
                    out,
                    "Bound reached: loops were looked at for {rounds} rounds (--unroll), and may have more"
                );
            }
            let _ = writeln!(
                out,
                "Nothing cheaper does: {tried} sets were tried; each cheaper one is part of one of {failing} that fail, or takes outcomes away"
            );
            by_figure(row, &mut out);
            let _ = write!(out, "\n{}", changed(row, mended));
        }
    }
    out.push('\n');
    out
}

pub(super) fn as_json(row: &Row, robustness: &Robustness, variant: &str) -> Value {
    let told = |mended: &Mended| {
        let one = |i: &super::Item| {
            json!({
                "insertion": i.insertion.name, "cost": i.insertion.cost, "thread": row.test.as_ref().map(|t| t.threads[i.thread].number),
                "towards": i.node, "behind": one_line(i.behind.text()),
            })
        };
        json!({
            "cost": mended.cost(), "insertions": mended.items.iter().map(one).collect::<Vec<_>>(),
            "patch": changed(row, mended),
        })
    };
    let (word, why) = match &row.came {
        Came::Silent(why) => ("says nothing", Some(why)),
        Came::Well => ("nothing to mend", None),
        Came::Never(why) => ("cannot be mended", Some(why)),
        Came::Undecided(why) => ("undecided", Some(why)),
        Came::Mended(_) => ("mended", None),
    };
    let mut out = json!({
        "test": row.name, "file": row.path.display().to_string(), "model": robustness.model().name(),
        "variant": variant, "came": word, "tried": row.tried.0, "failing": row.tried.1,
    });
    if let Some(why) = why {
        out["why"] = json!(why);
    }
    if let Came::Mended(mended) = &row.came {
        out["mended"] = told(mended);
        if let Some(rounds) = mended.rounds {
            out["bounds"] = json!([format!("loops were looked at for {rounds} rounds (--unroll)")]);
        }
    }
    if let Some((quick, tried)) = &row.by_figure {
        out["by_figure"] = told(quick);
        out["by_figure"]["which"] = json!(does(*tried));
    }
    out
}
