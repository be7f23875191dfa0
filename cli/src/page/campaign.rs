//! A campaign: what was tried, and what was found, by cause.

use super::data::{Finding, Part, Standing};
use crate::campaign::{CampaignLog, causes};
use crate::report::Styles;
use std::collections::BTreeMap;

/// A campaign as a part of a page.
pub(super) fn part(from: &str, log: &CampaignLog) -> Part {
    let sum = |of: fn(&crate::campaign::Batch) -> u64| log.batches.iter().map(of).sum::<u64>();
    let mut facts = vec![
        ("programs".to_owned(), format!("{} in {} batches", sum(|b| b.programs), log.batches.len())),
        ("can only deadlock".to_owned(), sum(|b| b.stuck).to_string()),
        (
            "left out".to_owned(),
            format!(
                "{} erroneous, {} too large, {} without a call, {} that can only deadlock",
                sum(|b| b.erroneous),
                sum(|b| b.large),
                sum(|b| b.idle),
                sum(|b| b.too_stuck)
            ),
        ),
        ("iterations".to_owned(), sum(|b| b.iterations).to_string()),
        ("allowed outcomes".to_owned(), format!("{} of {} came", sum(|b| b.seen), sum(|b| b.allowed))),
        ("seconds".to_owned(), format!("{:.0}", log.batches.iter().fold(0.0, |all, b| all + b.seconds))),
        ("seed".to_owned(), log.about.seed.to_string()),
        ("model".to_owned(), log.about.model.clone()),
        ("sizes".to_owned(), log.about.sizes.join(", ")),
    ];
    let mut verdicts: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    for (target, all) in log.batches.iter().flat_map(|b| &b.verdicts) {
        all.iter().for_each(|(verdict, n)| *verdicts.entry((target, verdict)).or_default() += n);
    }
    for target in &log.about.targets {
        let library = log.batches.iter().rev().find_map(|b| b.libraries.get(target)).map_or("", String::as_str);
        let of = verdicts.iter().filter(|((t, _), _)| t == target);
        let words: Vec<String> = of.map(|((_, verdict), n)| format!("{n} {verdict}")).collect();
        facts.push((target.clone(), format!("{library}: {}", words.join(", "))));
    }
    let styles = Styles::sum(log.batches.iter().map(|b| &b.styles));
    facts.extend(styles.words().map(|words| ("calls that wait".to_owned(), words)));
    facts.extend(log.batches.iter().flat_map(|b| &b.failed).map(|(t, why)| (format!("{t} failed"), why.clone())));
    let standing = |is_new: bool| if is_new { Standing::Bad } else { Standing::Known };
    let mut findings = vec![];
    for (finding, n) in causes(&log.findings) {
        let mut notes: Vec<String> = finding.known.iter().map(|k| format!("resembles what is known: {k}")).collect();
        notes.extend(finding.is.iter().map(|k| format!("known: {k}")));
        notes.extend(finding.files.iter().map(|f| f.display().to_string()));
        findings.push(Finding {
            title: format!(
                "{}: {n} program{}, first {}",
                finding.target,
                if n == 1 { "" } else { "s" },
                finding.program
            ),
            standing: standing(finding.is_new()),
            program: finding.small.clone().unwrap_or_default(),
            shows: finding.small_shows.clone().unwrap_or_default(),
            notes,
        });
    }
    for finding in log.findings.iter().filter(|f| f.small.is_none()) {
        findings.push(Finding {
            title: format!("{}: {}, not made smaller", finding.target, finding.program),
            standing: standing(finding.is_new()),
            program: String::new(),
            shows: finding.shows.clone(),
            notes: finding.known.iter().chain(&finding.is).cloned().collect(),
        });
    }
    let of = sum(|b| b.programs);
    let worst = findings.iter().map(|f| f.standing).min();
    let (answer, standing) = match worst {
        _ if of == 0 => ("nothing was run".to_owned(), Standing::Open),
        None => (format!("yes, as far as was seen in {of} programs"), Standing::Good),
        Some(Standing::Known) => (
            format!("no, but all {} findings are known, or resemble what is; {of} programs", findings.len()),
            Standing::Known,
        ),
        Some(_) => {
            let new = findings.iter().filter(|f| f.standing == Standing::Bad).count();
            (format!("NO: {new} of {} findings resemble nothing known; {of} programs", findings.len()), Standing::Bad)
        }
    };
    Part {
        title: format!("campaign: {from}"),
        answer: format!("conforms? {answer}"),
        standing,
        facts,
        columns: vec![],
        rows: vec![],
        findings,
    }
}
