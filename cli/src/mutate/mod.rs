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
use list::{Change, changes};
use litmpi_spec::diag::{Diagnostic, Report};
use run::{Fate, run};
use std::hash::{DefaultHasher, Hash, Hasher};
use subject::subjects;

pub(crate) fn mutate(args: &MutateArgs) -> Result<Verdict, Report> {
    let before = args.record.as_deref().map(record::read).transpose()?.unwrap_or_default();
    let (subjects, large, left_out) = subjects(args)?;
    let asked = |c: &Change| {
        args.of.is_empty()
            || args.of.iter().any(|t| c.key.file.contains(t.as_str()) || c.key.owner.contains(t.as_str()))
    };
    let all: Vec<Change> = changes(&subjects).into_iter().filter(asked).collect();
    if all.is_empty() {
        let d = Diagnostic::general("there is nothing to change");
        return Err(d.help("name tests of shipped models, and with --of a file, rule or function of these").into());
    }
    let out_of_step =
        if args.record.is_some() && !args.accept { table::out_of_step(&all, &before, args) } else { vec![] };
    let tried = sample(&all, args, &before);
    let fates = parallel::map(&tried, args.jobs, "trying changes", |c| {
        let by = match before.get(&c.key) {
            Some(Fate::Killed { by, .. }) => Some(by.as_str()),
            _ => None,
        };
        run(c, &subjects, by)
    });
    let mut results: Vec<(&Change, Fate)> = tried.into_iter().zip(fates).collect();
    if args.accept {
        let new: std::collections::HashMap<_, _> = results.drain(..).map(|(c, f)| (&c.key, f)).collect();
        let fate = |c: &Change| new.get(&c.key).or_else(|| before.get(&c.key)).cloned();
        results = all.iter().filter_map(|c| fate(c).map(|f| (c, f))).collect();
        table::write(args, &results)?;
    }
    let report = table::Report { results: &results, large, out_of_step: &out_of_step, before: &before };
    say(&if args.json { report.as_json() } else { report.as_text() });
    Ok(left_out.end(if report.is_good(args) { Verdict::Good } else { Verdict::Bad }))
}

/// The changes to try: those of the sample, those that are not in the record when one is to be written, or all.
fn sample<'c>(
    all: &'c [Change],
    args: &MutateArgs,
    before: &std::collections::HashMap<list::Key, Fate>,
) -> Vec<&'c Change> {
    let killed = |c: &&Change| matches!(before.get(&c.key), Some(Fate::Killed { .. }));
    let mut out: Vec<&Change> = all.iter().collect();
    if args.accept {
        out.retain(|c| !before.contains_key(&c.key) || matches!(before[&c.key], Fate::Survives(_) | Fate::Unreached));
    } else if args.record.is_some() {
        out.retain(killed);
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
