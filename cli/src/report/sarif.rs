//! Results in SARIF 2.1.0, which code scanning (GitHub, GitLab, Azure) and editors read: a result for each that did not pass.
//!
//! What the run does not fail for is suppressed, with what is known of it. A result has the same fingerprint in every run, so that
//! readers know it again.

use super::{Standing, circumstances, in_short};
use crate::args::FailOn;
use crate::load::Loaded;
use litmpi_runner::RunResult;
use litmpi_spec::source::{Source, hash};
use serde_json::{Value, json};

/// The kinds of results, with what they are.
const RULES: [(&str, &str); 4] = [
    ("violation", "The library showed an outcome that the specification does not allow"),
    ("unconfirmed", "Wrong values that did not come again in a fresh process"),
    ("undecided", "An outcome that was not found within the bounds of the model"),
    ("failed", "A test that could not be built or launched"),
];

/// The document.
pub(super) fn text(results: &[RunResult], loaded: &[Loaded], fail_on: FailOn) -> String {
    let rules: Vec<Value> =
        RULES.iter().map(|(id, says)| json!({ "id": id, "shortDescription": { "text": says } })).collect();
    let told: Vec<Value> = results.iter().filter_map(|r| result(r, loaded, fail_on)).collect();
    let document = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "litmpi", "version": env!("CARGO_PKG_VERSION"), "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "results": told,
        }],
    });
    format!("{document:#}\n")
}

fn result(r: &RunResult, loaded: &[Loaded], fail_on: FailOn) -> Option<Value> {
    let standing = Standing::of(r, fail_on);
    let rule = match standing {
        Standing::Broken => "failed",
        _ if r.verdict.is_violation() => "violation",
        _ if r.is_bad() => "unconfirmed",
        _ if r.verdict.is_undecided() => "undecided",
        _ => return None,
    };
    let level = match standing {
        Standing::Failed | Standing::Broken => "error",
        Standing::Tolerated => "note",
        _ => "warning",
    };
    let of = loaded.iter().find(|l| l.test.name == r.test);
    let line = of.map_or(1, |l| l.test.span.line_col().0);
    let file = r.labels.get("file").map_or("", String::as_str);
    let number = RULES.iter().position(|(id, _)| *id == rule);
    let message = format!("{} on {} ({}): {}", r.test, r.target, circumstances(r), in_short(r));
    let told_apart = format!("{} {} {} {}", r.test, r.target, circumstances(r), rule);
    let mut out = json!({
        "ruleId": rule, "ruleIndex": number, "level": level, "message": { "text": message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(file) }, "region": { "startLine": line },
        } }],
        "partialFingerprints": { "litmpi/v1": hash(&[Source::new("result", told_apart)]) },
        "properties": { "library": r.library, "again": r.command, "seed": r.seed, "iterations": r.iterations },
    });
    if standing == Standing::Tolerated {
        let known: Vec<String> = r.known.iter().map(|k| format!("{}; {}", k.says, k.ticket)).collect();
        let why = if known.is_empty() { "the run fails for no violation".to_owned() } else { known.join(" | ") };
        out["suppressions"] = json!([{ "kind": "external", "justification": why }]);
    }
    Some(out)
}

/// A path as a reference of a URI.
fn uri(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::told::tests::result;
    use litmpi_runner::Comparison;

    #[test]
    fn what_is_new_is_an_error_and_what_is_known_is_suppressed() {
        let bad = result("b", Comparison::Violation { outcomes: vec!["x=1;".into()] });
        let new = RunResult { new: vec!["x=1;".into()], ..bad.clone() };
        let failed = result("c", Comparison::Failed { reason: "no\ncompiler".into() });
        let results = [result("a", Comparison::Conforms), new, bad, failed, result("d", Comparison::Erroneous)];
        let read = |fail_on| -> Value { serde_json::from_str(&text(&results, &[], fail_on)).expect("JSON") };
        let said = read(FailOn::New);
        let told = said["runs"][0]["results"].as_array().expect("results").clone();
        let levels: Vec<&str> = told.iter().filter_map(|r| r["level"].as_str()).collect();
        assert_eq!(levels, ["error", "note", "error"], "{said:#}");
        assert!(told[0].get("suppressions").is_none() && told[1]["suppressions"][0]["kind"] == "external", "{said:#}");
        assert_eq!(told[2]["message"]["text"], "c on t (8 B, blocking): FAILED: no");
        for r in &told {
            let rule = r["ruleIndex"].as_u64().expect("a number") as usize;
            assert_eq!(said["runs"][0]["tool"]["driver"]["rules"][rule]["id"], r["ruleId"]);
        }
        assert_eq!(read(FailOn::Never)["runs"][0]["results"][0]["level"], "note");
        assert_eq!(read(FailOn::New), said);
    }

    #[test]
    fn paths_are_references() {
        assert_eq!(uri("a b/ü#1.litmus"), "a%20b/%C3%BC%231.litmus");
    }
}
