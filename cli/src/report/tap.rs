//! Results in the Test Anything Protocol, version 14. A violation that the run does not fail for is a `TODO`.

use super::{Standing, circumstances, in_short};
use crate::args::FailOn;
use litmpi_runner::RunResult;
use std::fmt::Write;

/// The results, a test point each.
pub(super) fn text(results: &[RunResult], fail_on: FailOn) -> String {
    let mut out = format!("TAP version 14\n1..{}\n", results.len());
    for (i, r) in results.iter().enumerate() {
        let what = escaped(&format!("{} on {}, {}", r.test, r.target, circumstances(r)));
        let why = escaped(&in_short(r));
        let (ok, directive) = match Standing::of(r, fail_on) {
            Standing::Passed => ("ok", String::new()),
            Standing::Failed | Standing::Broken => ("not ok", String::new()),
            Standing::Tolerated => ("not ok", format!(" # TODO {why}")),
            Standing::Skipped => ("ok", format!(" # SKIP {why}")),
        };
        let _ = writeln!(out, "{ok} {} - {what}{directive}", i + 1);
        if matches!(Standing::of(r, fail_on), Standing::Failed | Standing::Broken) {
            // JSON strings are YAML, too.
            let quoted = |text: &str| serde_json::to_string(text).unwrap_or_default();
            let _ = writeln!(out, "  ---\n  message: {}\n  again: {}\n  ...", quoted(&in_short(r)), quoted(&r.command));
        }
    }
    out
}

/// A description without what would begin a directive or a new line.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('#', "\\#").replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::told::tests::result;
    use litmpi_runner::Comparison;

    #[test]
    fn what_is_known_is_to_be_done_and_what_is_new_is_not_ok() {
        let bad = result("b", Comparison::Violation { outcomes: vec!["x=1;".into()] });
        let results = [
            result("a", Comparison::Conforms),
            RunResult { new: vec!["x=1;".into()], ..bad.clone() },
            bad,
            result("d", Comparison::Skipped { reason: "no #2 here\nat all".into() }),
        ];
        let expected = "TAP version 14\n1..4\nok 1 - a on t, 8 B, blocking\nnot ok 2 - b on t, 8 B, blocking\n  ---\n  \
                        message: \"VIOLATION: x=1;\"\n  again: \"mpirun\"\n  ...\nnot ok 3 - b on t, 8 B, blocking # TODO VIOLATION: x=1;\n\
                        ok 4 - d on t, 8 B, blocking # SKIP skipped: no \\#2 here\n";
        assert_eq!(text(&results, FailOn::New), expected);
        assert!(text(&results, FailOn::Any).contains("not ok 3 - b on t, 8 B, blocking\n"));
        assert!(text(&results, FailOn::Never).contains("not ok 2 - b on t, 8 B, blocking # TODO"));
    }
}
