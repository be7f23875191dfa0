//! Results as JUnit XML: a suite for each target, a case for each result. `schemas/junit.xsd` has its form.
//!
//! A violation that the run does not fail for is skipped, as pytest writes expected failures: readers that count failures then
//! agree with the exit code.

use super::told::Teller;
use super::{Standing, circumstances, in_short};
use crate::args::FailOn;
use litmpi_runner::{Comparison, RunResult};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::time::Duration;

/// The document.
pub(super) fn text(results: &[RunResult], teller: &Teller<'_>, fail_on: FailOn) -> String {
    let mut report = Report::new("litmpi");
    let mut targets: Vec<&str> = vec![];
    for r in results {
        if !targets.contains(&r.target.as_str()) {
            targets.push(&r.target);
        }
    }
    let mut all = 0;
    for target in targets {
        let mut suite = TestSuite::new(target);
        let of: Vec<&RunResult> = results.iter().filter(|r| r.target == target).collect();
        let library = of.iter().map(|r| r.library.as_str()).find(|l| !l.is_empty()).unwrap_or("not here");
        suite.add_property(("library", library));
        let millis: u64 = of.iter().map(|r| r.millis).sum();
        suite.set_time(Duration::from_millis(millis));
        all += millis;
        suite.add_test_cases(of.iter().map(|r| case(r, teller, fail_on)));
        report.add_test_suite(suite);
    }
    report.set_time(Duration::from_millis(all));
    // A text without control characters is always written.
    report.to_string().unwrap_or_default()
}

fn case(r: &RunResult, teller: &Teller<'_>, fail_on: FailOn) -> TestCase {
    let mut status = match Standing::of(r, fail_on) {
        Standing::Passed => TestCaseStatus::success(),
        Standing::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Standing::Broken => TestCaseStatus::non_success(NonSuccessKind::Error),
        Standing::Tolerated | Standing::Skipped => TestCaseStatus::skipped(),
    };
    if !matches!(status, TestCaseStatus::Success { .. }) {
        status.set_message(in_short(r));
        let kind = match &r.verdict {
            _ if r.is_known() => "known",
            Comparison::Violation { .. } => "violation",
            Comparison::Unconfirmed { .. } => "unconfirmed",
            Comparison::Failed { .. } => "failed",
            _ => "skipped",
        };
        status.set_type(kind);
        if r.is_bad() {
            status.set_description(teller.violation(r));
        }
    }
    let mut case = TestCase::new(format!("{} ({})", r.test, circumstances(r)), status);
    case.set_classname(format!("litmpi.{}.{}", r.target.replace(['.', '/'], "-"), r.test));
    case.set_time(Duration::from_millis(r.millis));
    case
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::told::tests::result;

    #[test]
    fn what_the_run_does_not_fail_for_is_no_failure() {
        let bad = result("b", Comparison::Violation { outcomes: vec!["<x>=1 & \"y\";".into()] });
        let results = [
            result("a", Comparison::Conforms),
            RunResult { new: vec!["x".into()], ..bad.clone() },
            bad,
            result("d", Comparison::Skipped { reason: "no".into() }),
            result("e", Comparison::Failed { reason: "no".into() }),
        ];
        for (fail_on, failures, skipped) in [(FailOn::Any, 2, 1), (FailOn::New, 1, 2), (FailOn::Never, 0, 3)] {
            let said = text(&results, &Teller::new(None, &[]), fail_on);
            assert_eq!(said.matches("<failure ").count(), failures, "{said}");
            assert_eq!(said.matches("<skipped ").count(), skipped, "{said}");
            assert_eq!(said.matches("<error ").count(), 1, "{said}");
            assert!(said.contains(&format!("tests=\"5\" failures=\"{failures}\" errors=\"1\"")), "{said}");
            assert!(said.contains("&lt;x&gt;=1 &amp; &quot;y&quot;"), "{said}");
        }
    }
}
