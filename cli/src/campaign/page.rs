//! The page of a campaign: what was tried, and what was found, sorted by cause.

use super::log::{CampaignLog, Finding};
use crate::generate::Kept;
use crate::report::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Findings of one cause: the same smallest program on the same target.
pub(crate) fn causes(findings: &[Finding]) -> Vec<(&Finding, usize)> {
    let mut out: Vec<(&Finding, usize)> = vec![];
    for finding in findings.iter().filter(|f| f.small.is_some()) {
        match out.iter_mut().find(|(f, _)| f.target == finding.target && f.small == finding.small) {
            Some((_, n)) => *n += 1,
            None => out.push((finding, 1)),
        }
    }
    // What nothing is known of stands first.
    out.sort_by_key(|(f, n)| (!f.is.is_empty(), !f.known.is_empty(), std::cmp::Reverse(*n)));
    out
}

/// The batch in which a campaign was ended: it is run again.
pub(super) struct UnderWay<'a> {
    pub(super) made: &'a Kept,
    /// What was found in it until then.
    pub(super) found: Vec<Finding>,
}

/// The page of a campaign, which perhaps was ended in a batch.
pub(super) fn page(log: &CampaignLog, under_way: Option<&UnderWay<'_>>) -> String {
    let about = &log.about;
    let mut out = format!(
        "# A campaign\n\nRandom MPI programs (`{}`{}, at most {} ranks) from seed {} on, held against the model {}, with messages of {} on {}.\n\n",
        about.programs,
        if about.with.is_empty() { String::new() } else { format!(", of {}", about.with.join(", ")) },
        about.ranks,
        about.seed,
        about.model,
        about.sizes.join(", "),
        about.targets.join(", ")
    );
    if !about.shards.is_empty() {
        let shards: Vec<String> = about.shards.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "Of the programs those of the shards {}.\n", shards.join(", "));
    }
    let sum = |of: fn(&super::log::Batch) -> u64| log.batches.iter().map(of).sum::<u64>();
    let _ = writeln!(
        out,
        "{} in {}, {:.0} seconds, {} iterations; {} of the programs can only deadlock. Left out: {} erroneous, {} too large, {} without a call, \
         {} that can only deadlock, where they were more than one in eight. Of {} outcomes that are allowed, {} came.\n",
        counted(log.programs(), "program"),
        if log.batches.len() == 1 { "1 batch".to_owned() } else { format!("{} batches", log.batches.len()) },
        log.seconds(),
        sum(|b| b.iterations),
        sum(|b| b.stuck),
        sum(|b| b.erroneous),
        sum(|b| b.large),
        sum(|b| b.idle),
        sum(|b| b.too_stuck),
        sum(|b| b.allowed),
        sum(|b| b.seen)
    );
    let mut verdicts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for batch in &log.batches {
        for (target, all) in &batch.verdicts {
            all.iter().for_each(|(verdict, n)| *verdicts.entry((target, verdict)).or_default() += n);
        }
    }
    let _ = writeln!(out, "| target | library | verdict | results |\n|---|---|---|--:|");
    for ((target, verdict), n) in verdicts {
        let library = log.batches.iter().rev().find_map(|b| b.libraries.get(target)).map_or("", String::as_str);
        let _ = writeln!(out, "| {target} | {library} | {verdict} | {n} |");
    }
    log.styles().words().iter().for_each(|line| _ = writeln!(out, "\n{line}"));
    let mut not_run: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (target, why) in log.batches.iter().flat_map(|b| &b.failed) {
        not_run.entry(target).or_default().insert(why);
    }
    for (target, reasons) in not_run {
        let reasons: Vec<&str> = reasons.into_iter().collect();
        let _ = writeln!(out, "\nWhat was not run on {target}, one reason a batch: {}", reasons.join("; "));
    }
    under_way.iter().for_each(|at| out.push_str(&ended_in(at)));
    let causes = causes(&log.findings);
    let loose: Vec<&Finding> = log.findings.iter().filter(|f| f.small.is_none()).collect();
    let _ =
        writeln!(out, "\n## Found: {} in {}\n", counted(causes.len(), "cause"), counted(log.findings.len(), "program"));
    for (i, (finding, n)) in causes.iter().enumerate() {
        let (of, standing) = (counted(*n, "program"), finding.standing());
        let title = format!("{}. {}, {of}, first {}: {standing}", i + 1, finding.target, finding.program);
        out.push_str(&made_smaller(finding, &title, TIME_OVER));
    }
    let (known, loose): (Vec<&Finding>, Vec<&Finding>) = loose.into_iter().partition(|f| !f.is.is_empty());
    if !loose.is_empty() {
        let _ = writeln!(out, "## Not made smaller\n");
        loose.iter().for_each(|f| _ = writeln!(out, "- {} on {}: {}", f.program, f.target, f.shows));
    }
    if !known.is_empty() {
        let _ = writeln!(out, "## Known, and not made smaller\n");
        let line = |f: &&Finding| format!("- {} on {}: {}: {}\n", f.program, f.target, f.shows, f.is.join("; "));
        known.iter().for_each(|f| out.push_str(&line(f)));
    }
    out
}

/// Why a smaller program may show it, too.
const TIME_OVER: &str = "the time for making it smaller (`--shrink-seconds`) was over";
const ENDED: &str = "a signal ended the campaign while it was made smaller";

/// A finding with its smallest program; `cut` says why it may not be the smallest.
fn made_smaller(finding: &Finding, title: &str, cut: &str) -> String {
    let small = finding.small.as_deref().unwrap_or("");
    let mut out = format!("### {title}\n\n```\n{small}```\n\n{}\n\n", finding.small_shows.as_deref().unwrap_or(""));
    if finding.cut {
        let _ = writeln!(out, "- {cut}: a smaller program may show it, too");
    }
    finding.alone.iter().for_each(|said| _ = writeln!(out, "- {said}"));
    finding.known.iter().for_each(|k| _ = writeln!(out, "- {k}"));
    finding.files.iter().for_each(|f| _ = writeln!(out, "- `{}`", f.display()));
    out.push('\n');
    out
}

/// In which batch a campaign was ended, and what was found in it.
fn ended_in(at: &UnderWay<'_>) -> String {
    let first = at.made.programs.first().map_or("", |(name, _)| name);
    let mut out = format!(
        "\nThe campaign was ended in a batch of {} programs, {first} and those behind it, which counts for nothing else here and is run again by the \
         same command.\n",
        at.made.programs.len()
    );
    let small: Vec<&Finding> = at.found.iter().filter(|f| f.small.is_some()).collect();
    if !small.is_empty() {
        out.push_str("\n## Found in this batch until then\n\n");
    }
    for (i, finding) in small.iter().enumerate() {
        let last = i + 1 == small.len();
        let title = format!("{} on {}: {}", finding.program, finding.target, finding.standing());
        out.push_str(&made_smaller(finding, &title, if last { ENDED } else { TIME_OVER }));
    }
    out
}
