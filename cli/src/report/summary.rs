//! The end of a run: how many results came to what, and in the last line whether the libraries conform.

use super::{Standing, Styles};
use crate::args::FailOn;
use crate::load::Loaded;
use litmpi_runner::{Comparison, RunResult};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{Display, Write};

/// What is said at the end of a run.
pub(crate) struct Summary(String);

impl Summary {
    /// Of these results of these tests; `not_seen` is what is known and did not show.
    pub(crate) fn new(results: &[RunResult], loaded: &[Loaded], not_seen: &[String], fail_on: FailOn) -> Summary {
        let mut out = used_up(results);
        out.push_str(&totals(results));
        Styles::of(results, loaded).words().iter().for_each(|line| _ = writeln!(out, "{line}"));
        not_seen.iter().for_each(|line| _ = writeln!(out, "{line}"));
        let _ = writeln!(out, "{}", answer(results, fail_on));
        Summary(out)
    }

    pub(crate) fn text(&self) -> String {
        self.0.clone()
    }
}

/// How many of a thing there are.
pub(crate) fn counted<N: Display + PartialEq + From<u8>>(n: N, one: &str) -> String {
    if n == N::from(1) { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// A few of these names, and how many more there are.
fn some(names: &BTreeSet<String>) -> String {
    const SHOWN: usize = 5;
    let mut out = names.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN {
        let _ = write!(out, " and {} more", names.len() - SHOWN);
    }
    out
}

/// Does it conform? In one line, for who reads no other.
pub(crate) fn answer(results: &[RunResult], fail_on: FailOn) -> String {
    let places = |keep: &dyn Fn(&RunResult) -> bool| -> BTreeSet<String> {
        results.iter().filter(|r| keep(r)).map(|r| format!("{} on {}", r.test, r.target)).collect()
    };
    let new = places(&|r| r.is_bad() && !r.is_known());
    let known = places(&RunResult::is_known);
    let ran: Vec<&RunResult> = results.iter().filter(|r| r.ran()).collect();
    let tests: BTreeSet<&str> = ran.iter().map(|r| r.test.as_str()).collect();
    let targets: BTreeSet<&str> = ran.iter().map(|r| r.target.as_str()).collect();
    let of = format!(
        "{} of {} on {}",
        counted(ran.len(), "result"),
        counted(tests.len(), "test"),
        targets.iter().copied().collect::<Vec<_>>().join(", ")
    );
    let number = |n: usize, word: &str| format!("{n} {word} violation{}", if n == 1 { "" } else { "s" });
    let undecided = results.iter().filter(|r| r.verdict.is_undecided()).count();
    let broken = results.iter().filter(|r| Standing::of(r, fail_on) == Standing::Broken).count();
    let left = match (results.len() - ran.len(), broken) {
        (0, _) => String::new(),
        (n, 0) => format!("; {n} not run"),
        (n, b) => format!("; {n} not run, {b} of them failed"),
    };
    let verdict = match (new.is_empty(), known.is_empty()) {
        _ if ran.is_empty() => return "conforms? nothing was run".to_owned(),
        (false, true) => format!("NO: {} ({})", number(new.len(), "new"), some(&new)),
        (false, false) => {
            format!("NO: {} ({}), and {}", number(new.len(), "new"), some(&new), number(known.len(), "known"))
        }
        (true, false) => format!("no, but nothing is new: {} ({})", number(known.len(), "known"), some(&known)),
        (true, true) if undecided > 0 => format!("undecided: {undecided} results are beyond a bound of the model"),
        (true, true) => "yes, as far as was seen".to_owned(),
    };
    format!("conforms? {verdict}; {of}{left}")
}

/// What a target's processes ran out of: errors and hangs that came after other tests, and in no fresh process. That is a finding
/// about the library, or about what ran before, and not one about each test.
fn used_up(results: &[RunResult]) -> String {
    let mut by: BTreeMap<(&str, &str), Vec<&RunResult>> = BTreeMap::new();
    for r in results.iter().filter(|r| !r.is_unexplained()) {
        if let Comparison::Unconfirmed { outcomes } = &r.verdict {
            outcomes.iter().for_each(|o| by.entry((&r.target, o)).or_default().push(r));
        }
    }
    let mut out = String::new();
    for ((target, outcome), of) in by {
        let names: BTreeSet<&str> = of.iter().map(|r| r.test.as_str()).collect();
        let seen = of
            .iter()
            .filter_map(|r| r.retry.as_ref())
            .filter_map(|r| r.outcomes.get(outcome))
            .map(|(n, _)| n)
            .sum::<u64>();
        out.push_str(&format!(
            "\nFINDING on {target} ({}): {outcome}, {seen} times in processes that had run other tests, in no fresh one: something is used up\n",
            of[0].library
        ));
        if let Some(said) = of.iter().flat_map(|r| &r.notes).find(|n| n.contains(": error at ")) {
            out.push_str(&format!("  said     {said}\n"));
        }
        out.push_str(&format!("  tests    {}\n", names.into_iter().collect::<Vec<_>>().join(", ")));
    }
    out
}

/// How many results came to what, and why some were not run: nothing is left out silently.
fn totals(results: &[RunResult]) -> String {
    let mut words: BTreeMap<&str, usize> = BTreeMap::new();
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for r in results {
        *words.entry(r.verdict.word()).or_default() += 1;
        if let Comparison::Skipped { reason } | Comparison::NotRun { reason } | Comparison::Failed { reason } =
            &r.verdict
        {
            *reasons.entry(reason.lines().next().unwrap_or("")).or_default() += 1;
        }
    }
    let words: Vec<String> = words.iter().map(|(w, n)| format!("{n} {w}")).collect();
    let plural = if results.len() == 1 { "" } else { "s" };
    let mut out = format!("\n{} result{plural}: {}\n", results.len(), words.join(", "));
    for (reason, n) in reasons {
        let times = if n == 1 { "once".to_owned() } else { format!("{n} times") };
        out.push_str(&format!("not run, {times}: {reason}\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::told::tests::result;

    fn line(results: &[RunResult]) -> String {
        answer(results, FailOn::Any)
    }

    #[test]
    fn the_last_line_answers_whether_it_conforms() {
        let good = result("a", Comparison::Conforms);
        let bad = result("b", Comparison::Violation { outcomes: vec!["x=1;".into()] });
        let new = RunResult { new: vec!["x=1;".into()], ..bad.clone() };
        let known = RunResult { test: "c".into(), ..bad };
        let skipped = result("d", Comparison::Skipped { reason: "it is not here".into() });
        for (results, says) in [
            (vec![], "conforms? nothing was run"),
            (vec![skipped.clone()], "conforms? nothing was run"),
            (vec![good.clone()], "conforms? yes, as far as was seen; 1 result of 1 test on t"),
            (vec![good.clone(), skipped], "conforms? yes, as far as was seen; 1 result of 1 test on t; 1 not run"),
            (
                vec![good.clone(), known.clone()],
                "conforms? no, but nothing is new: 1 known violation (c on t); 2 results of 2 tests on t",
            ),
            (
                vec![good, new.clone(), new, known],
                "conforms? NO: 1 new violation (b on t), and 1 known violation; 4 results of 3 tests on t",
            ),
        ] {
            assert_eq!(line(&results), says);
        }
    }
}
