//! Results that are kept: `results.jsonl`, a line of JSON each. A run that is ended loses none, and another one takes them up.

use litmpi_runner::{Comparison, Plan, RunResult};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Results as they come.
pub(crate) struct Lines(std::fs::File);

impl Lines {
    pub(crate) fn new(out: &Path) -> Result<Lines, Report> {
        let path = out.join("results.jsonl");
        let made = std::fs::create_dir_all(out).and_then(|()| std::fs::File::create(&path));
        made.map(Lines).map_err(|e| Diagnostic::general(format!("cannot write {}: {e}", path.display())).into())
    }

    /// A line that cannot be written is not worth ending the run for: the results are told at its end, too.
    pub(crate) fn add(&mut self, result: &RunResult) {
        let written = serde_json::to_string(result).map_err(std::io::Error::other);
        if let Err(e) = written.and_then(|line| writeln!(self.0, "{line}")) {
            eprintln!("note: {} is not in results.jsonl: {e}", result.test);
        }
    }
}

/// Results of earlier runs.
pub(crate) struct Kept(Vec<RunResult>);

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
                            .help("`litmpi run` writes this file, results.jsonl in its folder --out; remove the line, or the file")
                    })?);
                }
                at += line.len();
            }
        }
        Ok(Kept(all))
    }

    /// Takes what a plan asks for and is here already: the plans for the rest, a target each, and those results. One counts when
    /// test, model, variant and this program are the same; what was skipped or failed is tried again.
    pub(crate) fn take(&self, plan: Plan) -> (Vec<Plan>, Vec<RunResult>) {
        if self.0.is_empty() {
            return (vec![plan], vec![]);
        }
        let mut taken = vec![];
        let mut rest = |target: &litmpi_runner::Target| {
            let mut part = Plan { targets: vec![target.clone()], ..plan.clone() };
            let name = plan.called(target);
            part.tests.retain(|planned| {
                let of = |r: &&RunResult| {
                    let came = !matches!(r.verdict, Comparison::Skipped { .. } | Comparison::Failed { .. });
                    came && r.target == name && r.labels == planned.labels && plan.sizes.contains(&r.size)
                };
                let here: Vec<&RunResult> = self.0.iter().filter(of).collect();
                let vectors = planned.stress.get(&target.name).map_or(1, Vec::len);
                let all = plan.sizes.iter().all(|size| here.iter().filter(|r| r.size == *size).count() >= vectors);
                if all {
                    let allowed: Vec<_> = planned.expected.allowed.iter().cloned().collect();
                    taken.extend(
                        here.into_iter().cloned().map(|r| RunResult { allowed_outcomes: allowed.clone(), ..r }),
                    );
                }
                !all
            });
            (!part.tests.is_empty()).then_some(part)
        };
        let plans = plan.targets.iter().filter_map(&mut rest).collect();
        (plans, taken)
    }
}
