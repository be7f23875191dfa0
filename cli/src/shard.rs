//! Work that is many tests, divided among machines: `--shard 2/3` works on every third test and writes what it found into a
//! file; `litmpi merge` puts the files together.
//!
//! A merge is the command itself, which the files name, with what they hold in the place of the work. So its output is that of one run, to
//! the byte. What failed in a shard fails again in the merge, where it is told.

use crate::{parallel, remark};
use litmpi_spec::diag::{Diagnostic, Report};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::OnceLock;

/// Where shards are written to and merged from, unless another folder is named.
pub(crate) const FOLDER: &str = "litmpi-shards";

/// One of several shards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub(crate) struct Shard {
    /// From 1 on.
    number: usize,
    of: usize,
}

/// What the environment names shards by: the number of this one, the first number, how far numbers are apart, and how many there are.
const ENVIRONMENT: [(&str, First, &str); 5] = [
    ("SLURM_ARRAY_TASK_ID", First::Named("SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_STEP"), "SLURM_ARRAY_TASK_COUNT"),
    ("OMPI_COMM_WORLD_RANK", First::Is(0), "OMPI_COMM_WORLD_SIZE"),
    ("PMI_RANK", First::Is(0), "PMI_SIZE"),
    ("SLURM_PROCID", First::Is(0), "SLURM_NTASKS"),
    ("CI_NODE_INDEX", First::Is(1), "CI_NODE_TOTAL"),
];

/// The number of the first shard.
#[derive(Clone, Copy)]
enum First {
    Is(usize),
    /// It is in this variable, and the step in that; 1 and 1 if they are not there.
    Named(&'static str, &'static str),
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        if text == "auto" {
            return Shard::of_environment(|name| std::env::var(name).ok());
        }
        let wanted = || format!("found `{text}`; a shard is I/N, the Ith of N, as in 2/3, or `auto`");
        let (number, of) = text.split_once('/').ok_or_else(wanted)?;
        let (Ok(number), Ok(of)) = (number.parse(), of.parse()) else { return Err(wanted()) };
        Shard::checked(number, of).ok_or_else(|| {
            format!(
                "there is no shard {number} of {of}: shards are numbered from 1 to their number, as in 1/3, 2/3, 3/3"
            )
        })
    }
}

impl Shard {
    fn checked(number: usize, of: usize) -> Option<Shard> {
        (1..=of).contains(&number).then_some(Shard { number, of })
    }

    /// The shard that a launcher or a CI system has named in the environment.
    fn of_environment(value: impl Fn(&str) -> Option<String>) -> Result<Shard, String> {
        let number = |name: &str| -> Result<Option<usize>, String> {
            let read = |text: String| text.parse().map_err(|_| format!("{name} is `{text}`, and should be a number"));
            value(name).filter(|text| !text.is_empty()).map(read).transpose()
        };
        for (own, first, all) in ENVIRONMENT {
            let (Some(here), Some(of)) = (number(own)?, number(all)?) else { continue };
            let (first, step) = match first {
                First::Is(first) => (first, 1),
                First::Named(first, step) => (number(first)?.unwrap_or(1), number(step)?.unwrap_or(1).max(1)),
            };
            let place = here.checked_sub(first).map(|n| n / step + 1);
            return place.and_then(|n| Shard::checked(n, of)).ok_or_else(|| {
                format!("{own} is {here} and {all} is {of}: there is no such shard, when the first one is {first}")
            });
        }
        let names: Vec<String> = ENVIRONMENT.iter().map(|(own, _, all)| format!("{own} and {all}")).collect();
        Err(format!("nothing in the environment says so; looked for {}", names.join(", ")))
    }

    /// The shard that the environment names: its number, from 0, and how many there are.
    ///
    /// # Errors
    /// Nothing there says so.
    pub(crate) fn here() -> Result<(usize, usize), String> {
        let shard = Shard::of_environment(|name| std::env::var(name).ok())?;
        Ok((shard.number - 1, shard.of))
    }

    fn file(self) -> String {
        format!("{}.jsonl", self.folder())
    }

    /// Whether an item is its work.
    pub(crate) fn has(self, item: u64) -> bool {
        item % self.of as u64 == self.number as u64 - 1
    }

    /// The numbers of all shards that there are.
    pub(crate) fn all(self) -> impl Iterator<Item = Shard> {
        (1..=self.of).map(move |number| Shard { number, ..self })
    }

    /// What the folder of a shard is called, where each has one.
    pub(crate) fn folder(self) -> String {
        format!("{}-of-{}", self.number, self.of)
    }
}

impl TryFrom<String> for Shard {
    type Error = String;

    fn try_from(text: String) -> Result<Shard, String> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> String {
        shard.to_string()
    }
}

impl std::fmt::Display for Shard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// The first line of a shard's file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Head {
    litmpi: String,
    command: Vec<String>,
    shard: usize,
    of: usize,
    tests: usize,
}

/// A further line: a test, and what was found; nothing if that failed.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    test: usize,
    about: String,
    found: Option<serde_json::Value>,
}

/// The last line, so that a file that was cut short is known.
#[derive(Debug, Serialize, Deserialize)]
struct End {
    end: usize,
}

/// How the work of this command is divided.
enum Work {
    Part { shard: Shard, folder: PathBuf },
    Merged { tests: usize, lines: BTreeMap<usize, Line> },
}

static WORK: OnceLock<Work> = OnceLock::new();

/// This command works on a shard alone, and writes into this folder.
pub(crate) fn work_on(shard: Shard, folder: &Path) {
    let _ = WORK.set(Work::Part { shard, folder: folder.to_owned() });
}

/// Maps `work` over items, as [`parallel::map`] does, or takes the results from the shards that are merged; none if only a shard was worked
/// on, which is then in its file. `about` says of an item what it is, so that shards of something else are told.
///
/// # Errors
/// The file cannot be written; the shards are of something else.
pub(crate) fn map<T: Sync, U: Send + Serialize + DeserializeOwned>(
    items: &[T],
    about: impl Fn(&T) -> String,
    jobs: Option<usize>,
    what: &str,
    work: impl Fn(&T) -> Result<U, Report> + Sync,
) -> Result<Option<Vec<Result<U, Report>>>, Report> {
    match WORK.get() {
        None => Ok(Some(parallel::map(items, jobs, what, work))),
        Some(Work::Part { shard, folder }) => {
            let own: Vec<(usize, &T)> = items.iter().enumerate().filter(|(i, _)| shard.has(*i as u64)).collect();
            let found = parallel::map(&own, jobs, what, |(_, item)| work(item));
            let lines = own.iter().zip(found).map(|((test, item), found)| {
                let found = found.ok().map(|f| serde_json::to_value(f).expect("results can be written"));
                Line { test: *test, about: about(item), found }
            });
            write(*shard, folder, items.len(), lines.collect())?;
            Ok(None)
        }
        Some(Work::Merged { tests, lines }) => {
            if *tests != items.len() {
                return Err(other(format!("the shards are of {tests} tests, and here are {}", items.len())));
            }
            let missing = |(i, item): (usize, &T)| {
                let line = lines.get(&i).filter(|l| l.about == about(item));
                line.ok_or_else(|| other(format!("no shard has worked on {}", about(item))))
            };
            let lines = items.iter().enumerate().map(missing).collect::<Result<Vec<&Line>, Report>>()?;
            let both: Vec<(&T, &Line)> = items.iter().zip(lines).collect();
            let taken = parallel::map(&both, jobs, what, |(item, line)| match &line.found {
                Some(found) => serde_json::from_value(found.clone()).map_err(|e| other(format!("{}: {e}", line.about))),
                // It failed, and says once more why.
                None => work(item),
            });
            Ok(Some(taken))
        }
    }
}

/// Of these tests, those of the shard that is worked on: for `run`, whose results stand in files of their own, which `run --with` takes up.
pub(crate) fn own<T>(items: Vec<T>) -> Vec<T> {
    match WORK.get() {
        Some(Work::Part { shard, .. }) => {
            items.into_iter().enumerate().filter(|(i, _)| shard.has(*i as u64)).map(|(_, item)| item).collect()
        }
        _ => items,
    }
}

fn other(found: String) -> Report {
    let help = "merge where the shards were made, with the same tests and the same litmpi; or make them again";
    Diagnostic::general(format!("these shards are not of the tests that are here: {found}")).help(help).into()
}

fn write(shard: Shard, folder: &Path, tests: usize, lines: Vec<Line>) -> Result<(), Report> {
    let failed =
        |e: std::io::Error| Report::from(Diagnostic::general(format!("cannot write to {}: {e}", folder.display())));
    let head = Head {
        litmpi: env!("CARGO_PKG_VERSION").to_owned(),
        command: command(std::env::args().skip(1)),
        shard: shard.number,
        of: shard.of,
        tests,
    };
    let text = |line: serde_json::Result<String>| line.expect("strings and numbers") + "\n";
    let mut out = text(serde_json::to_string(&head));
    lines.iter().for_each(|l| out.push_str(&text(serde_json::to_string(l))));
    out.push_str(&text(serde_json::to_string(&End { end: lines.len() })));
    std::fs::create_dir_all(folder).map_err(failed)?;
    // Whoever merges sees the whole file or none.
    let path = folder.join(shard.file());
    let begun = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
    std::fs::write(begun.path(), out).map_err(failed)?;
    begun.persist(&path).map_err(|e| failed(e.error))?;
    let failing = lines.iter().filter(|l| l.found.is_none()).count();
    let failing =
        if failing == 0 { String::new() } else { format!(", {failing} of them failed, as the merge will say") };
    remark(&format!("shard {shard}: {} of {tests} tests{failing}, in {}", lines.len(), path.display()));
    Ok(())
}

/// The arguments without those that differ from shard to shard.
fn command(arguments: impl Iterator<Item = String>) -> Vec<String> {
    let (mut out, mut arguments) = (vec![], arguments);
    while let Some(argument) = arguments.next() {
        match argument.split('=').next() {
            Some("--shard" | "--shards" | "--jobs") => {
                if !argument.contains('=') {
                    arguments.next();
                }
            }
            _ => out.push(argument),
        }
    }
    out
}

/// Reads shards from files, or from a folder, and says which command they are of: it will take its results from them.
///
/// # Errors
/// A file that cannot be read or is no shard's, or was cut short; a shard that is missing or there twice; shards of different commands.
pub(crate) fn merge(paths: &[PathBuf]) -> Result<Vec<String>, Report> {
    let mut files = vec![];
    for path in paths {
        if path.is_dir() {
            let unreadable = |e| unreadable(path, &e);
            let entries =
                std::fs::read_dir(path).map_err(unreadable)?.collect::<Result<Vec<_>, _>>().map_err(unreadable)?;
            let mut found: Vec<PathBuf> = entries.into_iter().map(|e| e.path()).collect();
            found.retain(|p| p.extension().is_some_and(|e| e == "jsonl"));
            found.sort();
            files.extend(found);
        } else {
            files.push(path.clone());
        }
    }
    let mut shards: BTreeMap<usize, (PathBuf, Head)> = BTreeMap::new();
    let mut lines = BTreeMap::new();
    for path in files {
        let (head, own) = read(&path)?;
        if let Some((first, known)) = shards.first_key_value().map(|(_, s)| s) {
            let same = Head { shard: known.shard, ..head.clone() };
            if same != *known {
                let of = |h: &Head| {
                    format!("`litmpi {}`, {} tests, {} shards, litmpi {}", h.command.join(" "), h.tests, h.of, h.litmpi)
                };
                let mut found = String::new();
                let _ = write!(found, "{} is of {}, {} of {}", first.display(), of(known), path.display(), of(&head));
                return Err(wrong("these are not shards of one command", &found));
            }
        }
        if let Some((first, _)) = shards.get(&head.shard) {
            let found = format!("{} and {}", first.display(), path.display());
            return Err(wrong(&format!("shard {} of {} is there twice", head.shard, head.of), &found));
        }
        lines.extend(own.into_iter().map(|l| (l.test, l)));
        shards.insert(head.shard, (path, head));
    }
    let Some((_, head)) = shards.values().next().cloned() else {
        let named: Vec<String> = paths.iter().map(|p| p.display().to_string()).collect();
        let d = Diagnostic::general(format!("there is no shard in {}", named.join(", ")));
        return Err(d.help("a command makes one with --shard 1/3, the next with --shard 2/3, …").into());
    };
    let missing: Vec<String> = (1..=head.of).filter(|n| !shards.contains_key(n)).map(|n| n.to_string()).collect();
    if !missing.is_empty() {
        let found = format!("{} of {} are here; {} missing", shards.len(), head.of, missing.join(", "));
        return Err(wrong("a shard is missing", &found));
    }
    let _ = WORK.set(Work::Merged { tests: head.tests, lines });
    Ok(head.command)
}

fn wrong(what: &str, found: &str) -> Report {
    Diagnostic::general(format!("{what}: {found}"))
        .help("name the files of all shards of one command, each once, or their folder")
        .into()
}

fn unreadable(path: &Path, e: &std::io::Error) -> Report {
    Diagnostic::general(format!("cannot read {}: {e}", path.display())).into()
}

fn read(path: &Path) -> Result<(Head, Vec<Line>), Report> {
    let text = std::fs::read_to_string(path).map_err(|e| unreadable(path, &e))?;
    let bad = |number: usize, what: String| {
        let d = Diagnostic::general(format!("{}:{number} is not as `--shard` writes it: {what}", path.display()));
        Report::from(d.help("make the shard again"))
    };
    let all: Vec<&str> = text.lines().collect();
    let [head, lines @ .., end] = all.as_slice() else {
        return Err(bad(1, "fewer than two lines".into()));
    };
    let head: Head = serde_json::from_str(head).map_err(|e| bad(1, e.to_string()))?;
    let parsed = serde_json::from_str::<End>(end).ok().filter(|e| e.end == lines.len());
    if parsed.is_none() || Shard::checked(head.shard, head.of).is_none() {
        return Err(bad(all.len(), "the file was cut short".into()));
    }
    let line = |(i, text): (usize, &&str)| serde_json::from_str(text).map_err(|e| bad(i + 2, e.to_string()));
    Ok((head, lines.iter().enumerate().map(line).collect::<Result<_, _>>()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_read_from_its_number_or_from_the_environment() {
        assert_eq!("2/3".parse(), Ok(Shard { number: 2, of: 3 }));
        for bad in ["4/3", "0/3", "3", "a/3", "1/0", "-1/2", ""] {
            assert!(bad.parse::<Shard>().is_err(), "{bad}");
        }
        let of = |pairs: &[(&str, &str)]| {
            Shard::of_environment(|name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned()))
        };
        let is = |number, of| Ok(Shard { number, of });
        assert_eq!(of(&[("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "4")]), is(1, 4));
        assert_eq!(of(&[("PMI_RANK", "3"), ("PMI_SIZE", "4")]), is(4, 4));
        assert_eq!(of(&[("CI_NODE_INDEX", "2"), ("CI_NODE_TOTAL", "5")]), is(2, 5));
        let array =
            |id| [("SLURM_ARRAY_TASK_ID", id), ("SLURM_ARRAY_TASK_COUNT", "3"), ("PMI_RANK", "0"), ("PMI_SIZE", "1")];
        assert_eq!(of(&array("2")), is(2, 3));
        let stepped =
            [array("14").as_slice(), &[("SLURM_ARRAY_TASK_MIN", "10"), ("SLURM_ARRAY_TASK_STEP", "2")]].concat();
        assert_eq!(of(&stepped), is(3, 3));
        assert!(of(&array("0")).is_err_and(|e| e.contains("SLURM_ARRAY_TASK_ID is 0")));
        assert!(of(&array("x")).is_err_and(|e| e.contains("should be a number")));
        assert!(of(&[]).is_err_and(|e| e.contains("PMI_RANK and PMI_SIZE")));
    }

    #[test]
    fn the_command_of_a_shard_is_the_same_for_all_shards() {
        let given = ["check", "litmus", "--shard", "1/3", "--jobs=2", "--json", "--shards", "d"];
        assert_eq!(command(given.iter().map(|a| (*a).to_owned())), ["check", "litmus", "--json"]);
    }
}
