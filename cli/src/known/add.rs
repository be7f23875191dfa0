//! `litmpi known add`: writes down that violations of an earlier run are known, with their cause and their ticket.
//!
//! Violations with the same library and the same outcomes become one entry, which is added to the end of the file; what stands there
//! already, comments too, stays as it is.

use super::entry::Written;
use super::library::name_and_version;
use super::outcome::named;
use super::{Known, OWN, read};
use crate::args::KnownAddArgs;
use crate::filter::{Filter, Subject};
use crate::kept::Kept;
use crate::{Verdict, say};
use litmpi_runner::{RunResult, TOLD, numbers};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Serialize)]
struct Added<'a> {
    known: &'a [Written],
}

pub(crate) fn add(args: &KnownAddArgs) -> Result<Verdict, Report> {
    let file = args.file.clone().unwrap_or_else(|| PathBuf::from(OWN));
    let known = Known::load(&file.exists().then(|| file.clone()).into_iter().collect::<Vec<_>>())?;
    let filter = Filter::read(&args.filter, &["test", "file", "target", "verdict", "known"])?;
    let mut results = Kept::load(&args.from)?.into_results();
    results.iter_mut().for_each(|r| known.mark(r));
    let chosen: Vec<&RunResult> =
        results.iter().filter(|r| r.is_bad() && !r.new.is_empty() && filter.takes(&Subject::of_result(r))).collect();
    let entries = entries(&chosen, &results, args)?;
    if entries.is_empty() {
        let what = match results.iter().filter(|r| r.is_bad()).count() {
            0 => "there is no violation among the results".to_owned(),
            n => format!("none of the {n} violations among the results is new and selected"),
        };
        say(&format!("{what}: nothing was added to {}\n", file.display()));
        // Nothing was to be run, so that what is said of commands that ran nothing would be beside the point.
        return Ok(Verdict::Ended(4));
    }
    let text = toml::to_string(&Added { known: &entries })
        .map_err(|e| Report::from(Diagnostic::general(format!("this cannot be written as TOML: {e}"))))?;
    // What is added can be read, or nothing is.
    read(&Source::new("the new entries", text.clone()))?;
    append(&file, &text)
        .map_err(|e| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", file.display()))))?;
    for e in &entries {
        let (tests, outcomes) = (e.tests.join(", "), e.outcomes.join(" | "));
        say(&format!("known of {} {} on {}: {tests}: {outcomes}\n", e.library, e.seen, e.targets.join(", ")));
    }
    say(&format!("{} entries were added to {}, for {} results\n", entries.len(), file.display(), chosen.len()));
    Ok(Verdict::Good)
}

/// Of outcomes that are too many to come again, what they have in common: the values that all of them have, or that they are values.
fn in_common(outcomes: BTreeSet<String>) -> BTreeSet<String> {
    let (values, mut out): (BTreeSet<String>, BTreeSet<String>) = outcomes.into_iter().partition(|o| o.contains('='));
    if values.len() <= TOLD {
        out.extend(values);
        return out;
    }
    let parts =
        |o: &String| o.split(';').map(|p| p.trim().to_owned()).filter(|p| !p.is_empty()).collect::<BTreeSet<_>>();
    let common = values.iter().map(parts).reduce(|a, b| a.intersection(&b).cloned().collect()).unwrap_or_default();
    let common: Vec<String> = common.into_iter().collect();
    let entry = if common.is_empty() { "values".to_owned() } else { common.join("; ") };
    say(&format!("{} outcomes are known as `{entry}`, what they have in common\n", values.len()));
    out.insert(entry);
    out
}

/// What violations have in common that one entry is of: the library, and the outcomes.
type Cause = (String, BTreeSet<String>);

/// An entry for each library and set of outcomes.
fn entries(chosen: &[&RunResult], all: &[RunResult], args: &KnownAddArgs) -> Result<Vec<Written>, Report> {
    let mut causes: BTreeMap<Cause, Vec<(&RunResult, String)>> = BTreeMap::new();
    for r in chosen {
        let Some((name, version)) = name_and_version(&r.library) else {
            let what = format!("{} does not say its name and version: `{}`", r.target, r.library);
            let help = "write the entry by hand: `litmpi known list` shows what entries say";
            return Err(Diagnostic::general(what).help(help).into());
        };
        let new: BTreeSet<String> = r.forbidden().filter(|o| r.new.contains(&o.outcome)).map(named).collect();
        causes.entry((name, in_common(new))).or_default().push((r, version));
    }
    let entry = |((library, outcomes), of): (Cause, Vec<(&RunResult, String)>)| {
        let words: BTreeSet<&str> = of.iter().map(|(r, _)| r.target.split(':').next().unwrap_or_default()).collect();
        let tests: BTreeSet<&str> = of.iter().map(|(r, _)| r.test.as_str()).collect();
        Written {
            tests: tests.into_iter().map(str::to_owned).collect(),
            library,
            seen: args.seen.clone().unwrap_or_else(|| range(of.iter().map(|(_, version)| version.as_str()))),
            mended: args.mended.clone(),
            outcomes: outcomes.into_iter().collect(),
            targets: words.into_iter().map(str::to_owned).collect(),
            size_from: size_from(&of.iter().map(|(r, _)| *r).collect::<Vec<_>>(), all),
            says: args.says.clone(),
            clause: args.clause.clone().unwrap_or_default(),
            ticket: args.ticket.clone(),
        }
    };
    Ok(causes.into_iter().map(entry).collect())
}

/// The versions, as one or as the first and the last.
fn range<'a>(versions: impl Iterator<Item = &'a str>) -> String {
    let mut all: Vec<&str> = versions.collect();
    all.sort_by_key(|v| numbers(v));
    match (all.first(), all.last()) {
        (Some(first), Some(last)) if first != last => format!("{first} to {last}"),
        (first, _) => first.copied().unwrap_or_default().to_owned(),
    }
}

/// The smallest message that showed it, if smaller ones of the same tests did not.
fn size_from(of: &[&RunResult], all: &[RunResult]) -> Option<u64> {
    let least = of.iter().map(|r| r.size).min()?;
    let same = |r: &&RunResult| of.iter().any(|o| o.test == r.test && o.target == r.target);
    all.iter().filter(same).any(|r| r.ran() && !r.is_bad() && r.size < least).then_some(least)
}

fn append(file: &Path, text: &str) -> std::io::Result<()> {
    let mut out = std::fs::OpenOptions::new().read(true).append(true).create(true).open(file)?;
    let is_empty = out.metadata()?.len() == 0;
    let before = if is_empty { "# Violations that are known: `litmpi known list`.\n\n" } else { "\n" };
    // One write, so that no reader finds half of it.
    out.write_all(format!("{before}{text}").as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_versions_are_a_range() {
        assert_eq!(range(["4.1.10", "4.1.9", "4.1.10"].into_iter()), "4.1.9 to 4.1.10");
        assert_eq!(range(["5.0.1"].into_iter()), "5.0.1");
    }

    #[test]
    fn an_entry_is_added_behind_what_is_there() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let file = dir.path().join("known.toml");
        append(&file, "[[known]]\na = 1\n").expect("it is written");
        append(&file, "[[known]]\na = 2\n").expect("it is written");
        let text = std::fs::read_to_string(&file).expect("a text");
        assert!(text.starts_with("# Violations") && text.ends_with("a = 1\n\n[[known]]\na = 2\n"), "{text}");
    }

    #[test]
    fn what_would_not_come_again_is_known_by_what_it_has_in_common() {
        let set = |all: &[String]| all.iter().cloned().collect::<BTreeSet<_>>();
        let few = set(&["a=1; b=2".into(), "deadlock".into()]);
        assert_eq!(in_common(few.clone()), few);
        let many: Vec<String> = (0..20).map(|n| format!("a={n}; b=2")).collect();
        let all = [many, vec!["deadlock".to_owned()]].concat();
        assert_eq!(in_common(set(&all)), set(&["b=2".into(), "deadlock".into()]));
        let other: Vec<String> = (0..20).map(|n| format!("a={n}; b={n}")).collect();
        assert_eq!(in_common(set(&other)), set(&["values".into()]));
    }
}
