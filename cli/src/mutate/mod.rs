//! `litmpi mutate`: is every part of the rules held by a test?
//!
//! Each rule, function, event and check of the shipped models is changed in small ways, one at a time, and the tests that come there
//! are searched again, the cheap ones first, until the outcomes of one differ from those of the right rules. A change that no
//! test tells is a hole in the library, or it changes nothing; that must be said, with a reason that can be tried.

mod args;
mod bench;
mod calls;
mod choose;
mod generate;
mod list;
mod others;
mod record;
mod run;
mod steps;
mod subject;
mod table;

pub(crate) use args::MutateArgs;
pub(crate) use bench::Bench;

use crate::{Verdict, parallel, say};
use list::{Change, Key, changes};
use litmpi_spec::diag::{Diagnostic, Report};
use others::{Others, is_other};
use record::Record;
use run::{Fate, Patience, comers, run};
use std::collections::{BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use subject::{Wanted, search, subjects};

pub(crate) fn mutate(args: &MutateArgs) -> Result<Verdict, Report> {
    let before = args.record.as_deref().map(record::read).transpose()?.unwrap_or_default();
    let (mut subjects, mut left_out) = subjects(args)?;
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
    if let Some(many) = args.generate {
        generate::generate(&all, &mut subjects, &before, (many, args));
        return Ok(left_out.end(Verdict::Good));
    }
    let tried = sample(&all, args, &before);
    let large = search(&mut subjects, &wanted(&tried, args, &before), args, &mut left_out);
    if let Some(number) = args.choose {
        choose::choose(&all, &subjects, &before, (number, args));
        return Ok(left_out.end(Verdict::Good));
    }
    let others = Others::new(args, (&subjects, &tried), &before, &mut left_out)?;
    let tellers = tellers(&before);
    let attempt = |c: &&Change| {
        tracing::debug!(change = %c.key, file = %c.key.file, "trying");
        let groups = [(c.key.file.as_str(), c.key.owner.as_str()), (c.key.file.as_str(), "")];
        let first: Vec<_> = groups.iter().filter_map(|g| tellers.get(g)).collect();
        let said = before.get(&c.key);
        if let Some(said) =
            said.filter(|said| args.more && !has_more(said, comers(c, &subjects) + others.number(c, &subjects)))
        {
            return said.clone();
        }
        if let Some(by) = said.and_then(Fate::by)
            && let Some(how) = others.tells(by, c, &subjects)
        {
            return Fate::Killed { by: by.to_owned(), how };
        }
        let patience = Patience::new(args);
        let fate = run(c, &subjects, said, &first, patience);
        let compared = args.record.is_some() && !args.accept;
        let fate = if compared { fate } else { others.after(fate, c, &subjects, (&first, patience.tests)) };
        fate.after(said)
    };
    let mut fates: HashMap<&Key, Fate> = HashMap::new();
    for some in tried.chunks(if args.accept { SAVED } else { usize::MAX }) {
        let found = parallel::map(some, args.jobs, "trying changes", attempt);
        fates.extend(some.iter().map(|c| &c.key).zip(found));
        if args.accept {
            table::write(args, &every, &before, |c| fates.get(&c.key).or_else(|| before.get(&c.key)).cloned())?;
        }
    }
    let fate = |c: &&Change| {
        let kept = || if args.accept { before.get(&c.key).cloned() } else { None };
        fates.get(&c.key).cloned().or_else(kept)
    };
    let results: Vec<(&Change, Fate)> = all.iter().filter_map(|c| Some((*c, fate(c)?))).collect();
    let (large, limited) = (large, others.limited);
    let report =
        table::Report { results: &results, of: all.len(), large, limited, out_of_step: &out_of_step, before: &before };
    say(&if args.json { report.as_json() } else { report.as_text() });
    Ok(left_out.end(match (report.is_good(args), report.is_undecided()) {
        (true, _) => Verdict::Good,
        (false, true) => Verdict::Undecided,
        (false, false) => Verdict::Bad,
    }))
}

/// The record is written anew when so many further changes have been tried, so that little is lost if the command is ended.
const SAVED: usize = 100;

/// Whether there is more to try for a change that no test tells by the record, now that so many tests come there.
fn has_more(said: &Fate, comers: usize) -> bool {
    match said {
        Fate::Same { tests, .. } | Fate::Survives { tests, compared: true } => comers > *tests,
        Fate::Unseen { .. } => false,
        Fate::Survives { .. } => true,
        _ => comers > 0,
    }
}

/// By file and item, and by file, the tests that tell some change there by the record.
fn tellers(before: &Record) -> HashMap<(&str, &str), BTreeSet<&str>> {
    let mut out: HashMap<(&str, &str), BTreeSet<&str>> = HashMap::new();
    for (key, fate) in before {
        if let Some(by) = fate.by() {
            out.entry((&key.file, &key.owner)).or_default().insert(by);
            out.entry((&key.file, "")).or_default().insert(by);
        }
    }
    out
}

/// The tests to search: who holds a record against the rules needs those that it names, and all small ones where it says of a change
/// that none tells it. What many small tests do not tell, large ones may.
fn wanted<'a>(tried: &[&Change], args: &MutateArgs, before: &'a Record) -> Wanted<'a> {
    if args.more || args.effort.is_some() {
        return Wanted::Each;
    }
    if args.record.is_none() || args.accept || args.choose.is_some() {
        return Wanted::All;
    }
    let named: Vec<Option<&str>> = tried.iter().map(|c| before.get(&c.key)?.by()).collect();
    Wanted::Named(named.iter().copied().flatten().collect(), named.contains(&None))
}

/// The changes to try: those of the sample, those that are not in the record when one is to be written, or all.
fn sample<'c>(all: &[&'c Change], args: &MutateArgs, before: &Record) -> Vec<&'c Change> {
    let said = |c: &&Change| match before.get(&c.key) {
        // Nobody has given the programs that tell it.
        Some(Fate::Killed { by, .. }) if is_other(by) && args.programs.is_empty() => false,
        Some(Fate::Same { .. } | Fate::Unseen { .. }) => args.no_difference,
        Some(Fate::Killed { .. } | Fate::Equivalent(_)) => !args.no_difference,
        _ => false,
    };
    let mut out = all.to_vec();
    if args.accept {
        out.retain(|c| before.get(&c.key).is_none_or(Fate::is_open));
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
