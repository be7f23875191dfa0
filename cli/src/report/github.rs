//! Results as workflow commands of GitHub Actions, which become annotations at the tests' files.

use super::{Standing, circumstances, in_short};
use crate::args::FailOn;
use crate::load::Loaded;
use litmpi_runner::RunResult;
use std::fmt::Write;

/// A command for each result that did not pass.
pub(super) fn text(results: &[RunResult], loaded: &[Loaded], fail_on: FailOn) -> String {
    let mut out = String::new();
    for r in results {
        let kind = match Standing::of(r, fail_on) {
            Standing::Passed | Standing::Skipped => continue,
            Standing::Failed | Standing::Broken => "error",
            Standing::Tolerated => "notice",
        };
        let of = loaded.iter().find(|l| l.test.name == r.test);
        let line = of.map_or(1, |l| l.test.span.line_col().0);
        let file = r.labels.get("file").map_or("", String::as_str);
        let title = property(&format!("{} on {}, {}", r.test, r.target, circumstances(r)));
        let message = data(&format!("{}\nagain: {}", in_short(r), r.command));
        let _ = writeln!(out, "::{kind} file={},line={line},title={title}::{message}", property(file));
    }
    out
}

/// A message, as the runner of workflows reads it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property, likewise.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::told::tests::result;
    use litmpi_runner::Comparison;

    #[test]
    fn what_is_new_is_an_error_and_what_is_known_a_notice() {
        let bad = result("b", Comparison::Violation { outcomes: vec!["x=100%;".into()] });
        let results =
            [result("a", Comparison::Conforms), RunResult { new: vec!["x=100%;".into()], ..bad.clone() }, bad];
        let said = text(&results, &[], FailOn::New);
        let lines: Vec<&str> = said.lines().collect();
        let title = "file=,line=1,title=b on t%2C 8 B%2C blocking::VIOLATION%3A"
            .replace("VIOLATION%3A", "VIOLATION: x=100%25;");
        assert_eq!(lines, [format!("::error {title}%0Aagain: mpirun"), format!("::notice {title}%0Aagain: mpirun")]);
    }
}
