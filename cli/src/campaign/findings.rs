//! What a batch showed that is forbidden, made smaller as far as there is time for it.

use super::CampaignArgs;
use super::log::{CampaignLog, Finding};
use super::resembling::{Resembling, called};
use crate::args::RunArgs;
use crate::load::Loaded;
use crate::run::chosen;
use crate::shrink::{OnTarget, Shows, begun, finding, rates, smallest, sort, text, write};
use crate::{complain, remark};
use litmpi_litmus::golden::DEFAULT;
use litmpi_runner::{RunResult, Target, interruption};
use litmpi_spec::diag::Report;
use litmpi_spec::source::Source;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A batch that was run, and what was found before.
pub(super) struct Findings<'a> {
    pub(super) args: &'a CampaignArgs,
    pub(super) run: &'a RunArgs,
    pub(super) loaded: &'a [Loaded],
    pub(super) log: &'a CampaignLog,
    pub(super) resembling: &'a Resembling,
}

impl Findings<'_> {
    /// What a batch showed that is forbidden: of each program and target the result with the smallest message, one that is not known if there
    /// is one. If a signal comes, what there is of it by then.
    ///
    /// # Errors
    /// A target that is not there; a file that cannot be written.
    pub(super) fn of(&self, results: &[RunResult]) -> Result<Vec<Finding>, Report> {
        let mut first: BTreeMap<(&str, &str), &RunResult> = BTreeMap::new();
        for r in results.iter().filter(|r| r.is_bad()) {
            let old = first.entry((&r.target, &r.test)).or_insert(r);
            // What is known hides nothing that is new.
            if (r.is_known(), r.size) < (old.is_known(), old.size) {
                *old = r;
            }
        }
        let targets = chosen(self.run)?;
        let mut all: Vec<(&Target, &Loaded, &RunResult)> = vec![];
        for ((target, test), result) in first {
            let base = self.loaded.iter().find(|l| l.test.name == test);
            all.extend(targets.iter().find(|t| t.name == target).zip(base).map(|(on, base)| (on, base, result)));
        }
        // Time is first for what is least likely to be known.
        let likely = |base: &Loaded, result: &RunResult| {
            self.resembling.likely(&called(&base.test.span.source), &result.library)
        };
        all.sort_by_key(|(_, base, result)| (result.is_known(), likely(base, result)));
        let (mut out, mut shrunk) = (vec![], BTreeMap::<&str, usize>::new());
        for (target, base, result) in all {
            let done = shrunk.entry(&target.name).or_default();
            match self.one((target, base), result, &out, done) {
                Err(report) if interruption().is_some() => {
                    complain(&report);
                    break;
                }
                new => out.push(new?),
            }
            if interruption().is_some() {
                break;
            }
        }
        Ok(out)
    }

    /// One of them, made smaller if fewer than so many of its target are.
    fn one(
        &self,
        (target, base): (&Target, &Loaded),
        result: &RunResult,
        out: &[Finding],
        done: &mut usize,
    ) -> Result<Finding, Report> {
        let args = self.args;
        let test = &base.test.name;
        let mut new = Finding {
            target: target.name.clone(),
            program: test.clone(),
            shows: rates(result),
            small: None,
            small_shows: None,
            alone: None,
            cut: false,
            files: vec![],
            known: vec![],
            is: vec![],
        };
        if result.is_known() {
            // It has its reproducer, and its ticket: time is for what has none.
            let lines: BTreeSet<String> = result.known.iter().map(|k| format!("{}; {}", k.says, k.ticket)).collect();
            new.is = lines.into_iter().collect();
            return Ok(new);
        }
        if *done >= args.shrink {
            new.known = self.resembling.of(&base.test.span.source, &result.library);
            return Ok(new);
        }
        *done += 1;
        let mut asked = OnTarget {
            args: self.run,
            target,
            base,
            variant: DEFAULT,
            sizes: vec![result.size],
            millis: args.time,
            sorts: BTreeSet::new(),
            outcome: None,
            until: None,
            last: None,
        };
        let decls = &base.spec.instructions;
        let name = format!("{test}-small");
        let from = text(&base.test, decls, &name, &format!("from {test}"));
        let earlier = || self.log.findings.iter().chain(out);
        if let Some(known) = same_cause(&asked, &from, result, earlier())? {
            *done -= 1;
            new.known = self.resembling.of(&known, &result.library);
            new.small = Some(cause(&known));
            return Ok(new);
        }
        remark(&format!("{} shows {} of {test}: it is made smaller", target.name, new.shows));
        asked.until = Some(Instant::now() + Duration::from_secs(args.shrink_seconds));
        let Some((from, _)) = begun(&mut asked, (&name, &format!("from {test}")))? else { return Ok(new) };
        let (small, _) = smallest(&from, decls, &mut asked)?;
        new.cut = asked.is_over();
        let cause = cause(&small);
        let is_new = earlier().all(|f| f.target != target.name || f.small.as_ref() != Some(&cause));
        let written = finding(&asked, &small, &base.test)?;
        new.small_shows = written.result.as_ref().map(rates);
        if is_new {
            let (folder, name) = (args.out.join("found"), format!("{}-{name}", target.name));
            new.files.push(write(&folder, &format!("{name}.litmus"), &written.litmus)?);
            match written.program {
                Ok(program) => new.files.push(write(&folder, &format!("{name}.c"), &program)?),
                Err(why) => complain(&why),
            }
            new.alone = written.alone;
        }
        new.known = self.resembling.of(&small, &result.library);
        new.small = Some(cause);
        Ok(new)
    }
}

/// The smallest program of an earlier finding on this target that calls nothing which the program does not call, and does the same sort of wrong.
fn same_cause<'f>(
    asked: &OnTarget<'_>,
    program: &Arc<Source>,
    result: &RunResult,
    earlier: impl Iterator<Item = &'f Finding>,
) -> Result<Option<Arc<Source>>, Report> {
    let (functions, mut tried) = (called(program), BTreeSet::new());
    let sorts: BTreeSet<&str> = result.forbidden().map(|o| sort(&o.observed)).collect();
    let mut sources = vec![];
    for small in earlier.filter(|f| f.target == asked.target.name).filter_map(|f| f.small.as_ref()) {
        let source = Source::new("earlier.litmus", format!("litmus mpi earlier \"an earlier finding\"\n{small}"));
        if tried.insert(small) && called(&source).is_subset(&functions) {
            sources.push(source);
        }
    }
    // One build and one launch for all of them.
    let found = asked.run(&sources)?;
    let same = |r: &RunResult| r.is_bad() && r.forbidden().any(|o| sorts.contains(sort(&o.observed)));
    Ok(found.iter().find(|(_, r)| same(r)).map(|(i, _)| Arc::clone(&sources[*i])))
}

/// A smallest program without its name: programs that are made smaller to the same one show the same.
fn cause(small: &Arc<Source>) -> String {
    small.text.lines().skip(1).fold(String::new(), |out, line| out + line + "\n")
}
