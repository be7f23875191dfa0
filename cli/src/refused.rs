//! What keeps files from being read, by feature: each reason with how many files it is of, and what they name.
//!
//! Two messages are of one reason if they differ only in what stands between backquotes, so that `the instruction `cmove` is
//! not supported` and the same of `setne` are counted together.

use crate::say::fit;
use comfy_table::{CellAlignment, Table, presets};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::visible::visible;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Names that are shown of a reason; of others, how many there are.
const SHOWN: usize = 6;

/// Reasons with the files that they are of.
#[derive(Debug, Default)]
pub(crate) struct Refused {
    reasons: BTreeMap<String, Reason>,
    files: usize,
}

#[derive(Debug, Default)]
struct Reason {
    files: BTreeSet<PathBuf>,
    /// What messages have between backquotes, and how many files have it.
    names: BTreeMap<String, BTreeSet<PathBuf>>,
    /// Where it stands for the first time.
    place: String,
}

impl Refused {
    /// Counts a file that was refused with these messages.
    pub(crate) fn add(&mut self, file: &Path, why: &Report) {
        self.files += 1;
        for d in &why.0 {
            let (kind, names) = parts(&d.message);
            let reason = self.reasons.entry(kind).or_default();
            reason.files.insert(file.to_owned());
            for name in names {
                reason.names.entry(name).or_default().insert(file.to_owned());
            }
            if reason.place.is_empty() {
                reason.place = place(d, file);
            }
        }
    }

    /// The reasons that most files have first.
    fn sorted(&self) -> Vec<(&String, &Reason)> {
        let mut all: Vec<_> = self.reasons.iter().collect();
        all.sort_by_key(|(kind, reason)| (std::cmp::Reverse(reason.files.len()), (*kind).clone()));
        all
    }

    /// A table; empty if nothing was refused.
    pub(crate) fn table(&self) -> String {
        if self.files == 0 {
            return String::new();
        }
        let mut table = Table::new();
        table.load_preset(presets::NOTHING);
        fit(&mut table);
        table.set_header(["files", "why", "of", "first"]);
        for (kind, reason) in self.sorted() {
            let number = reason.files.len().to_string();
            table.add_row([
                number,
                visible(kind).into_owned(),
                visible(&reason.of()).into_owned(),
                reason.place.clone(),
            ]);
        }
        if let Some(column) = table.column_mut(0) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        format!("{table}\n")
    }

    /// A line for the end of a list of messages, if there are several reasons.
    pub(crate) fn line(&self) -> Option<String> {
        let all = self.sorted();
        if all.len() < 2 {
            return None;
        }
        let part = |(kind, reason): &(&String, &Reason)| format!("{} {kind}", reason.files.len());
        let shown: Vec<String> = all.iter().take(SHOWN).map(part).collect();
        let more = all.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!("; {more} other reasons") } else { String::new() };
        Some(format!("by reason: {}{more}", shown.join("; ")))
    }

    /// An object for each reason.
    pub(crate) fn rows(&self) -> Vec<Value> {
        let names = |reason: &Reason| -> BTreeMap<String, usize> {
            reason.names.iter().map(|(name, files)| (name.clone(), files.len())).collect()
        };
        let row = |(kind, reason): (&String, &Reason)| json!({ "refused": kind, "files": reason.files.len(), "names": names(reason), "first": reason.place });
        self.sorted().into_iter().map(row).collect()
    }
}

impl Reason {
    /// The names that most files have, with how many do.
    fn of(&self) -> String {
        let mut names: Vec<(&String, usize)> = self.names.iter().map(|(name, files)| (name, files.len())).collect();
        names.sort_by_key(|(name, n)| (std::cmp::Reverse(*n), (*name).clone()));
        let more = names.len().saturating_sub(SHOWN);
        let shown: Vec<String> = names.into_iter().take(SHOWN).map(|(name, n)| format!("{name} {n}")).collect();
        let more = if more > 0 { format!(", {more} more") } else { String::new() };
        format!("{}{more}", shown.join(", "))
    }
}

/// A message with `…` between its backquotes, and what stands there.
fn parts(message: &str) -> (String, Vec<String>) {
    let (mut kind, mut names) = (String::new(), vec![]);
    for (i, part) in message.split('`').enumerate() {
        if i % 2 == 0 {
            kind.push_str(part);
        } else {
            kind.push('…');
            names.push(part.to_owned());
        }
    }
    (kind, names)
}

fn place(d: &Diagnostic, file: &Path) -> String {
    d.span.as_ref().map_or_else(|| file.display().to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_that_differ_in_a_name_are_one_reason() {
        let mut refused = Refused::default();
        let of = |word: &str| Report::from(Diagnostic::general(format!("the instruction `{word}` is not supported")));
        refused.add(Path::new("a.litmus"), &of("cmove"));
        refused.add(Path::new("b.litmus"), &of("setne"));
        refused.add(Path::new("c.litmus"), &of("cmove"));
        refused.add(Path::new("d.litmus"), &Diagnostic::general("tests for ARM are not read").into());
        let rows = json!(refused.rows());
        assert_eq!(rows[0]["files"], 3, "{rows:#}");
        assert_eq!(rows[0]["names"], json!({ "cmove": 2, "setne": 1 }), "{rows:#}");
        assert_eq!(rows[1]["files"], 1, "{rows:#}");
        let line = refused.line().expect("two reasons");
        assert_eq!(line, "by reason: 3 the instruction … is not supported; 1 tests for ARM are not read");
        assert!(refused.table().contains("cmove 2, setne 1"), "{}", refused.table());
    }
}
