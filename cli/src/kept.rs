//! Results that are kept: `results.jsonl`, a line of JSON each. A run that is ended loses none, and another one takes them up.
//!
//! No run writes into another one's file. An earlier run's results are moved to `results-1.jsonl` or the first such name that is free,
//! and a run that begins while another writes to `results.jsonl` takes such a name itself.

use crate::say::{remark, unwritten};
use crate::targets::runtime;
use crate::unfinished::{self, UNFINISHED};
use litmpi_runner::{Availability, Plan, PlannedTest, RunResult, Target, fitted, here, setup};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Results as they come.
pub(crate) struct Lines {
    file: File,
    /// Where they are.
    pub(crate) path: PathBuf,
    /// How many there are.
    pub(crate) number: usize,
    /// Where the results went that were in [`USUAL`].
    moved: Option<PathBuf>,
}

impl Lines {
    /// A file of this run's own in the folder; it is locked for as long as the run lasts.
    pub(crate) fn new(out: &Path) -> Result<Lines, Report> {
        let opened = litmpi_scratch::own(out).and_then(|()| open(out));
        let (file, path, moved) = opened.map_err(|e| {
            Report::from(Diagnostic::general(format!("cannot write results into {}: {e}", out.display())))
        })?;
        if path.file_name().is_some_and(|name| name != USUAL) {
            remark(&format!("note: another run writes to {USUAL}; the results of this one are in {}", path.display()));
        }
        unfinished::begin(&path);
        Ok(Lines { file, path, number: 0, moved })
    }

    /// Where a file of results of this folder is now.
    pub(crate) fn now_at(&self, file: &Path) -> PathBuf {
        let is_usual = file.file_name().is_some_and(|name| name == USUAL);
        self.moved.clone().filter(|_| is_usual).unwrap_or_else(|| file.to_owned())
    }

    /// A line that cannot be written is not worth ending the run for: the results are told at its end, too. It is told, and
    /// the exit code says so.
    pub(crate) fn add(&mut self, result: &RunResult) {
        // One write: whoever reads the file meanwhile, or after the run was killed, finds whole lines.
        let written = serde_json::to_string(result).map_err(std::io::Error::other);
        match written.and_then(|line| self.file.write_all(format!("{line}\n").as_bytes())) {
            Ok(()) => self.number += 1,
            Err(e) => unwritten(format!("{} is not in {}: {e}", result.test, self.path.display())),
        }
    }
}

const USUAL: &str = "results.jsonl";

fn open(out: &Path) -> std::io::Result<(File, PathBuf, Option<PathBuf>)> {
    std::fs::create_dir_all(out)?;
    // Of two runs that begin at once, one waits for the other to have its file. Where a file system has no locks, they share nothing
    // but the names, and those are taken one at a time.
    let folder = File::open(out)?;
    let _ = folder.lock();
    let usual = out.join(USUAL);
    let mut moved = None;
    let path = match File::open(&usual) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => usual,
        Err(e) => return Err(e),
        Ok(earlier) if earlier.try_lock().is_ok() => {
            if earlier.metadata()?.len() > 0 {
                let other = free(out)?;
                std::fs::rename(&usual, &other)?;
                // Its mark goes with it, if it has one.
                let _ = std::fs::rename(usual.with_extension(UNFINISHED), other.with_extension(UNFINISHED));
                moved = Some(other);
            } else {
                std::fs::remove_file(&usual)?;
                unfinished::end(&usual);
            }
            usual
        }
        Ok(_) => free(out)?,
    };
    let file = OpenOptions::new().append(true).create_new(true).open(&path)?;
    let _ = file.try_lock();
    Ok((file, path, moved))
}

/// The first name `results-N.jsonl` that nothing has.
fn free(out: &Path) -> std::io::Result<PathBuf> {
    let mut names = (1_u32..).map(|n| out.join(format!("results-{n}.jsonl")));
    names.find(|path| !path.exists()).ok_or_else(|| std::io::Error::other("every name is taken"))
}

/// Results of earlier runs.
pub(crate) struct Kept {
    results: Vec<RunResult>,
    /// What the library of each target says of itself, where that was asked.
    libraries: BTreeMap<String, Option<String>>,
    /// Why results were not taken up: what differs, with how many.
    pub(crate) differs: BTreeMap<String, usize>,
}

impl Kept {
    pub(crate) fn load(files: &[PathBuf]) -> Result<Kept, Report> {
        let mut all = vec![];
        for file in files {
            let source = Source::read_as(file, "the results in ")?;
            let mut at = 0;
            for line in source.text.split_inclusive('\n') {
                let end = at + line.trim_end().len();
                // The last line of a run that was killed may be cut off.
                if line.ends_with('\n') && end > at {
                    all.push(serde_json::from_str(line).map_err(|e| {
                        Diagnostic::at(&Span::new(&source, at, end), format!("this is no result: {e}"))
                            .help("`litmpi run` writes this file, results.jsonl in its folder --output; remove the line, or the file")
                    })?);
                }
                at += line.len();
            }
        }
        Ok(Kept { results: latest(all), libraries: BTreeMap::new(), differs: BTreeMap::new() })
    }

    /// The results themselves.
    pub(crate) fn into_results(self) -> Vec<RunResult> {
        self.results
    }

    /// Takes what a plan asks for and is here already: the plans for the rest, a target each, and those results. One counts if
    /// everything that it is a result of is the same (see [`setup`]); what was skipped, not run or failed is tried again.
    pub(crate) fn take(&mut self, plan: Plan) -> (Vec<Plan>, Vec<RunResult>) {
        if self.results.is_empty() {
            return (vec![plan], vec![]);
        }
        let (mut plans, mut taken) = (vec![], vec![]);
        for target in &plan.targets {
            let mut part = Plan { targets: vec![target.clone()], ..plan.clone() };
            if let Some(library) = self.library(target) {
                let fitted = runtime().block_on(fitted(target));
                let target = Target { name: plan.called(&fitted), ..fitted };
                part.tests.retain(|planned| match self.of(&plan, &target, planned, &library) {
                    Ok(results) => {
                        taken.extend(results);
                        false
                    }
                    Err(differs) => {
                        differs.into_iter().for_each(|part| *self.differs.entry(part).or_default() += 1);
                        true
                    }
                });
            }
            plans.extend((!part.tests.is_empty()).then_some(part));
        }
        (plans, taken)
    }

    /// The results of a test, if all that the plan asks for on this target are here.
    ///
    /// # Errors
    /// The first part of what it was run with that is not the same, if there are results with another one.
    fn of(
        &self,
        plan: &Plan,
        target: &Target,
        planned: &PlannedTest,
        library: &str,
    ) -> Result<Vec<RunResult>, Option<String>> {
        let wanted = setup(plan, target, planned, library);
        let (mut here, mut others) = (vec![], BTreeSet::new());
        for r in self.results.iter().filter(|r| r.test == planned.test.name && r.target == target.name && r.ran()) {
            if !plan.sizes.contains(&r.size) || r.labels.get("variant") != planned.labels.get("variant") {
                continue;
            }
            match wanted.iter().find(|(part, value)| r.setup.get(*part) != Some(value)) {
                None => here.push(r),
                Some((part, _)) => drop(others.insert(part.clone())),
            }
        }
        let number = plan.entries_of(planned, target);
        if plan.sizes.iter().any(|size| here.iter().filter(|r| r.size == *size).count() < number) {
            return Err(others.into_iter().next());
        }
        let allowed: Vec<_> = planned.expected.allowed.iter().cloned().collect();
        Ok(here.into_iter().cloned().map(|r| RunResult { allowed_outcomes: allowed.clone(), ..r }).collect())
    }

    /// What a target's library says of itself; none if it is not here, so that nothing is known to be the same.
    pub(crate) fn library(&mut self, target: &Target) -> Option<String> {
        let found =
            self.libraries.entry(target.name.clone()).or_insert_with(|| match runtime().block_on(here(target)) {
                Availability::Here { version } => Some(version),
                Availability::Missing { .. } => None,
            });
        found.clone()
    }
}

/// The last of the results of the same run: one that was directed afterwards, or tried again, comes twice.
pub(crate) fn latest(all: Vec<RunResult>) -> Vec<RunResult> {
    let key = |r: &RunResult| {
        let labels = (r.labels.get("variant").cloned(), r.labels.get("file").cloned());
        (r.test.clone(), r.target.clone(), r.size, r.style, format!("{:?}", r.stress), labels, r.setup.clone())
    };
    let mut places = BTreeMap::new();
    let mut out: Vec<RunResult> = vec![];
    for r in all {
        match places.get(&key(&r)) {
            Some(at) => out[*at] = r,
            None => {
                places.insert(key(&r), out.len());
                out.push(r);
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary folder")
    }

    fn texts(out: &Path) -> BTreeMap<String, String> {
        let entries = std::fs::read_dir(out).expect("a folder").flatten();
        let text = |e: std::fs::DirEntry| {
            let name = e.file_name().to_string_lossy().into_owned();
            (name, std::fs::read_to_string(e.path()).expect("a text"))
        };
        entries.map(text).filter(|(name, _)| name.ends_with(".jsonl")).collect()
    }

    #[test]
    fn a_run_keeps_what_earlier_ones_have_written() {
        let dir = folder();
        for n in 0..3 {
            let mut lines = Lines::new(dir.path()).expect("a file");
            assert_eq!(lines.path, dir.path().join(USUAL));
            lines.file.write_all(format!("run {n}\n").as_bytes()).expect("it is written");
        }
        let all = texts(dir.path());
        let expected = [("results-1.jsonl", "run 0\n"), ("results-2.jsonl", "run 1\n"), (USUAL, "run 2\n")];
        assert_eq!(all, expected.map(|(name, text)| (name.to_owned(), text.to_owned())).into());
    }

    #[test]
    fn runs_at_the_same_time_have_files_of_their_own_and_lose_nothing() {
        let dir = folder();
        std::thread::scope(|scope| {
            for n in 0..8 {
                let out = dir.path();
                scope.spawn(move || {
                    let mut lines = Lines::new(out).expect("a file");
                    for _ in 0..50 {
                        lines.file.write_all(format!("run {n}\n").as_bytes()).expect("it is written");
                        std::thread::yield_now();
                    }
                });
            }
        });
        let all = texts(dir.path());
        assert_eq!(all.len(), 8, "{:?}", all.keys());
        for text in all.values() {
            let lines: BTreeSet<&str> = text.lines().collect();
            assert!(lines.len() == 1 && text.lines().count() == 50 && !text.contains('\0'), "{text}");
        }
    }
}
