//! `litmpi mutate`: is every part of the rules held by a test?
//!
//! Each rule, function, event and check of the shipped models is changed in small ways, one at a time, and the tests that come there
//! are searched again, the cheap ones first, until the outcomes of one differ from those of the right rules. A change that no
//! test tells is a hole in the library, or it changes nothing; that must be said, with a reason that can be tried.

mod list;
mod record;
mod run;
mod subject;
mod table;

use crate::args::MutateArgs;
use crate::{Verdict, parallel, say};
use list::{Change, Key, changes};
use litmpi_spec::diag::{Diagnostic, Report};
use run::{Fate, run};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use subject::subjects;

pub(crate) fn mutate(args: &MutateArgs) -> Result<Verdict, Report> {
    let before = args.record.as_deref().map(record::read).transpose()?.unwrap_or_default();
    let (subjects, large, left_out) = subjects(args)?;
    let asked = |c: &Change| {
        args.of.is_empty()
            || args.of.iter().any(|t| c.key.file.contains(t.as_str()) || c.key.owner.contains(t.as_str()))
    };
    let every = changes(&subjects);
    let all: Vec<&Change> = every.iter().filter(|c| asked(c)).collect();
    if all.is_empty() {
        let d = Diagnostic::general("there is nothing to change");
        return Err(d.help("name tests of shipped models, and with --of a file, rule or function of these").into());
    }
    let out_of_step =
        if args.record.is_some() && !args.accept { table::out_of_step(&all, &before, args) } else { vec![] };
    let tried = sample(&all, args, &before);
    let attempt = |c: &&Change| {
        let by = match before.get(&c.key) {
            Some(Fate::Killed { by, .. }) => Some(by.as_str()),
            _ => None,
        };
        let fate = run(c, &subjects, by, args.max_tests.unwrap_or(usize::MAX));
        match (before.get(&c.key), &fate) {
            (Some(said @ Fate::Equivalent(_)), Fate::Survives(_) | Fate::Unreached) => said.clone(),
            _ => fate,
        }
    };
    let mut fates: HashMap<&Key, Fate> = HashMap::new();
    for some in tried.chunks(if args.accept { SAVED } else { usize::MAX }) {
        let found = parallel::map(some, args.jobs, "trying changes", attempt);
        fates.extend(some.iter().map(|c| &c.key).zip(found));
        if args.accept {
            table::write(args, &every, |c| fates.get(&c.key).or_else(|| before.get(&c.key)).cloned())?;
        }
    }
    let fate = |c: &&Change| {
        let kept = || if args.accept { before.get(&c.key).cloned() } else { None };
        fates.get(&c.key).cloned().or_else(kept)
    };
    let results: Vec<(&Change, Fate)> = all.iter().filter_map(|c| Some((*c, fate(c)?))).collect();
    let report = table::Report { results: &results, of: all.len(), large, out_of_step: &out_of_step, before: &before };
    say(&if args.json { report.as_json() } else { report.as_text() });
    Ok(left_out.end(if report.is_good(args) { Verdict::Good } else { Verdict::Bad }))
}

/// The record is written anew when so many further changes have been tried, so that little is lost if the command is ended.
const SAVED: usize = 200;

/// The changes to try: those of the sample, those that are not in the record when one is to be written, or all.
fn sample<'c>(all: &[&'c Change], args: &MutateArgs, before: &HashMap<Key, Fate>) -> Vec<&'c Change> {
    let said = |c: &&Change| matches!(before.get(&c.key), Some(Fate::Killed { .. } | Fate::Equivalent(_)));
    let mut out = all.to_vec();
    if args.accept {
        out.retain(|c| !before.contains_key(&c.key) || matches!(before[&c.key], Fate::Survives(_) | Fate::Unreached));
    } else if args.record.is_some() {
        out.retain(said);
    }
    if let Some(n) = args.sample {
        let rank = |c: &Change| {
            let mut h = DefaultHasher::new();
            (args.seed, &c.key).hash(&mut h);
            h.finish()
        };
        let mut ranked: Vec<(u64, usize)> = out.iter().enumerate().map(|(i, c)| (rank(c), i)).collect();
        ranked.sort_unstable();
        let mut chosen: Vec<usize> = ranked.into_iter().take(n).map(|(_, i)| i).collect();
        chosen.sort_unstable();
        out = chosen.into_iter().map(|i| out[i]).collect();
    }
    out
}
