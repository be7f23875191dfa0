//! What a launch prints, heard without one: for programs that read it again, and for tests that print what no harness would.

use crate::compare::compare;
use crate::hearing::{End, Hearing};
use crate::observed::Histogram;
use crate::plan::{Plan, Style};
use crate::schedule::Entry;
use crate::stress::Stress;
use crate::{Comparison, Observed};

/// What came of a plan's tests, each with the entry number of its place, in a launch that printed these lines and ended.
pub fn heard(plan: &Plan, stdout: &str, stderr: &str) -> Vec<(Histogram, Comparison)> {
    let entry = |(id, t): (usize, &crate::PlannedTest)| Entry {
        id,
        test: id,
        name: t.test.name.clone(),
        ranks: t.test.nodes.len(),
        size: 4,
        style: Style::Relaxed,
        may_deadlock: t.expected.may_deadlock(),
        start: 0,
        millis: 1,
        stress: Stress::default(),
        scores: None,
    };
    let entries: Vec<Entry> = plan.tests.iter().enumerate().map(entry).collect();
    let mut hearing = Hearing::new(plan, &entries, 1);
    for (from_stderr, text) in [(true, stderr), (false, stdout)] {
        text.lines().for_each(|line| hearing.hear(from_stderr, line, &mut |_| {}));
    }
    let mut report = hearing.end("exit status: 0".into());
    let broke = match &report.end {
        End::Hung(id) => Some((*id, Observed::Deadlock)),
        End::Died(id, status) => Some((*id, Observed::Error(status.clone()))),
        _ => None,
    };
    if let Some((id, outcome)) = broke {
        report.entries.entry(id).or_default().end_with(outcome);
    }
    let ran = |(id, t): (usize, &crate::PlannedTest)| {
        let mut histogram = Histogram::default();
        if let Some(ran) = report.entries.get(&id) {
            histogram.add(&ran.histogram);
        }
        let verdict = compare(&t.expected, &histogram, |o| o.show(&t.test));
        (histogram, verdict)
    };
    plan.tests.iter().enumerate().map(ran).collect()
}
