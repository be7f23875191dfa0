//! What came of each change, as a file of lines: the change, its fate, the test that tells it.
//!
//! Who finds that a change which no test tells cannot change an outcome writes `equivalent` for its fate, and the reason in place of the test.

use super::list::Key;
use super::run::{Fate, How};
use indexmap::IndexMap;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use std::fmt::Write;
use std::path::Path;

const HEAD: &str = "file\trule or function\tchange\tfrom\tto\tnumber\tfate\ttest";

/// What came of changes, in the order of the file.
pub(super) type Record = IndexMap<Key, Fate>;

/// Reads a record; an empty one if there is no such file.
///
/// # Errors
/// A line that is no change with its fate.
pub(super) fn read(path: &Path) -> Result<Record, Report> {
    if !path.exists() {
        return Ok(Record::new());
    }
    let source = Source::read_as(path, "the record of changes ")?;
    let (mut out, mut at) = (Record::new(), 0);
    for (number, line) in source.text.split_inclusive('\n').enumerate() {
        let (start, text) = (at, line.trim_end_matches('\n'));
        at += line.len();
        if number == 0 && text == HEAD {
            continue;
        }
        let wrong = |found: String| {
            let d =
                Diagnostic::at(&Span::new(&source, start, start + text.len()), "this line is no change with its fate");
            Report::from(d.found(found).help("`litmpi mutate litmus --record FILE --accept` writes the file"))
        };
        let parts: Vec<&str> = text.split('\t').collect();
        let [file, owner, what, from, to, number, fate, by] = parts[..] else {
            return Err(wrong(format!("{} columns of 8", parts.len())));
        };
        let number = number.parse().map_err(|_| wrong(format!("`{number}` is no number")))?;
        let [file, owner, what, from, to] = [file, owner, what, from, to].map(str::to_owned);
        let fate = match fate {
            "survives" | "hidden" => Fate::Survives { tests: by.parse().unwrap_or(0), compared: fate == "hidden" },
            "no-difference" | "unseen" => match by.split_once(' ').map(|(n, m)| (n.parse(), m.parse())) {
                Some((Ok(evaluated), Ok(tests))) if fate == "no-difference" => Fate::Same { evaluated, tests },
                Some((Ok(states), Ok(tests))) => Fate::Unseen { states, tests },
                _ => return Err(wrong(format!("`{by}` does not say in how many states of how many tests"))),
            },
            "unreached" => Fate::Unreached,
            "ill-typed" => Fate::None,
            "equivalent" if !by.is_empty() => Fate::Equivalent(by.to_owned()),
            "equivalent" => return Err(wrong("no reason".to_owned())),
            name => match How::ALL.into_iter().find(|h| h.name() == name) {
                Some(how) => Fate::Killed { by: by.to_owned(), how },
                None => return Err(wrong(format!("unknown fate `{name}`"))),
            },
        };
        out.insert(Key { file, owner, what, from, to, number }, fate);
    }
    Ok(out)
}

/// The text of a record.
pub(super) fn write<'a>(fates: impl Iterator<Item = (&'a Key, &'a Fate)>) -> String {
    let mut out = format!("{HEAD}\n");
    for (k, fate) in fates {
        let by = match fate {
            Fate::None | Fate::Unreached => String::new(),
            Fate::Killed { by, .. } => by.clone(),
            Fate::Same { evaluated, tests } => format!("{evaluated} {tests}"),
            Fate::Unseen { states, tests } => format!("{states} {tests}"),
            Fate::Survives { tests, .. } => tests.to_string(),
            Fate::Equivalent(why) => why.clone(),
        };
        let (name, Key { file, owner, what, from, to, number }) = (fate.name(), k);
        let _ = writeln!(out, "{file}\t{owner}\t{what}\t{from}\t{to}\t{number}\t{name}\t{by}");
    }
    out
}
