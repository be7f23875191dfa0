//! `litmpi known list`: what is known, entry by entry, the user's own first.

use super::{Known, entry::Entry};
use crate::args::KnownListArgs;
use crate::{Verdict, say};
use litmpi_spec::diag::Report;
use serde_json::json;

pub(crate) fn list(args: &KnownListArgs) -> Result<Verdict, Report> {
    let known = Known::load(&args.known)?;
    if args.json {
        let rows: Vec<_> = known.0.iter().map(row).collect();
        say(&format!("{:#}\n", json!(rows)));
    } else {
        known.0.iter().for_each(|e| say(&text(e)));
    }
    Ok(Verdict::Good)
}

fn row(e: &Entry) -> serde_json::Value {
    json!({
        "entry": e.place, "tests": e.tests.get_ref(), "at": at(e), "of": e.of, "library": e.library, "seen": e.seen.as_ref(),
        "mended": e.mended.as_ref().map(|m| m.as_ref()), "outcomes": e.outcomes.iter().map(|o| o.as_ref()).collect::<Vec<_>>(),
        "targets": e.targets, "size_from": e.size_from, "style": e.style, "says": e.says, "clause": e.clause, "ticket": e.ticket,
    })
}

fn text(e: &Entry) -> String {
    let mended = e.mended.as_ref().map_or_else(String::new, |m| format!(", said to be mended in {}", m.as_ref()));
    let mut out = format!("{} {}{mended}: {}\n", e.library, e.seen.as_ref(), e.says);
    let outcomes: Vec<&str> = e.outcomes.iter().map(|o| o.as_ref().as_str()).collect();
    let mut line = |word: &str, text: &str| {
        if !text.is_empty() {
            out.push_str(&format!("  {word:<9}{text}\n"));
        }
    };
    line("tests", &e.tests.get_ref().join(", "));
    line("at", &at(e).join(", "));
    line("of", &e.of.join(", "));
    line("targets", &e.targets.join(", "));
    line("outcomes", &outcomes.join(" | "));
    line("clause", &e.clause);
    line("ticket", &e.ticket);
    line("entry", &e.place);
    out
}

/// The functions in whose calls it shows.
fn at(e: &Entry) -> &[String] {
    e.at.as_ref().map_or(&[], |at| at.as_ref())
}
