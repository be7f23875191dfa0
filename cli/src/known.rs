//! Violations that are known, with their tickets: `known.toml`, and files of the user's.
//!
//! An entry is of some tests, on some targets, with a library in the versions that it was seen in, and of the outcomes that it
//! shows. Another outcome of the same test is something else, and is not called known.

use litmpi_runner::{Observed, RunResult, SeenOutcome, Style, numbers};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use litmpi_spec::table::misfit;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use toml::Spanned;

const HELP: &str = "entries are [[known]] tables with tests, library, seen (the versions: `4.0.2`, or `4.0.2 to 4.2.1`), outcomes (`deadlock`, \
                    `error`, `error MPI_ERR_…`, `corrupt`, `values`, or values as printed, of which some may be left out), says, ticket, and, \
                    where it does not always show, targets, size_from (bytes) and style";

/// One known violation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Names of the tests that show it.
    tests: Vec<String>,
    /// What the library's own words contain.
    library: String,
    /// The versions that it was seen in: one, or the first and the last.
    seen: Spanned<String>,
    /// The version from which on it is said to be mended.
    #[serde(default)]
    mended: Option<Spanned<String>>,
    /// The outcomes that it shows.
    outcomes: Vec<Spanned<String>>,
    /// The targets that show it, or their names up to a `*`; all, if there are none.
    #[serde(default)]
    targets: Vec<String>,
    /// The smallest message that shows it, in bytes; any, if nothing is said.
    #[serde(default)]
    size_from: u64,
    /// The style in which ranks must wait for it to show; either, if nothing is said.
    #[serde(default)]
    style: Option<Style>,
    /// What it is.
    says: String,
    /// Where it is kept.
    ticket: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    known: Vec<Entry>,
}

/// All known violations.
pub(crate) struct Known(Vec<Entry>);

/// How the version of a library stands to those that a violation was seen in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Seen,
    Older,
    Newer,
    /// It should be gone.
    Mended,
}

impl Known {
    /// The shipped ones and those of the files.
    pub(crate) fn load(files: &[PathBuf]) -> Result<Known, Report> {
        let mut sources = vec![Source::new("known.toml", include_str!("../known.toml"))];
        for path in files {
            sources.push(Source::read_as(path, "the known violations in ")?);
        }
        let mut out = vec![];
        for source in sources {
            let file: File =
                toml::from_str(&source.text).map_err(|e| Report::from(misfit(&source, e.span(), e.message(), HELP)))?;
            let wrong = |s: &Spanned<String>, what: &str| {
                let d = Diagnostic::at(&Span::new(&source, s.span().start, s.span().end), what.to_owned());
                Report::from(d.found(format!("`{}`", s.as_ref())).help(HELP))
            };
            for e in &file.known {
                let versions = e.seen.as_ref().split(" to ").chain(e.mended.iter().map(|m| m.as_ref().as_str()));
                if versions.map(numbers).any(|v| v.is_none()) {
                    return Err(wrong(&e.seen, "a version of a known violation begins with a number"));
                }
                if let Some(bad) = e.outcomes.iter().find(|o| !is_outcome(o.as_ref())) {
                    return Err(wrong(bad, "this is no outcome"));
                }
            }
            out.extend(file.known);
        }
        Ok(Known(out))
    }

    /// What is known of a test, a line for each library.
    pub(crate) fn of_test(&self, test: &str) -> Vec<String> {
        let about = self.0.iter().filter(|e| e.tests.iter().any(|t| t == test));
        about.map(|e| format!("known of {} {}: {}; {}", e.library, e.seen.as_ref(), e.says, e.ticket)).collect()
    }

    /// What is known of a result's violation, a line each; and what of it is not known, though something else of the test is.
    pub(crate) fn about(&self, r: &RunResult) -> Vec<String> {
        let forbidden: Vec<&SeenOutcome> = r.observed.iter().filter(|o| o.allowed != Some(true)).collect();
        let mut out = vec![];
        for e in self.0.iter().filter(|e| e.is_of(r) && forbidden.iter().any(|o| e.shows(o))) {
            let seen = e.seen.as_ref();
            let version = match e.version(r) {
                Version::Seen => String::new(),
                Version::Newer => format!(", seen in {seen}; this version is newer and still has it"),
                Version::Older => format!(", seen in {seen}; this version is older and has it, too"),
                Version::Mended => {
                    let mended = e.mended.as_ref().map_or("", |m| m.as_ref());
                    format!(", said to be mended in {mended}; this version still has it")
                }
            };
            out.push(format!("known    {}; {}{version}", e.says, e.ticket));
        }
        if !out.is_empty() {
            let known = |o: &&&SeenOutcome| self.0.iter().any(|e| e.is_of(r) && e.shows(o));
            for o in forbidden.iter().filter(|o| !known(o)) {
                out.push(format!("not that {} is not what is known of this test", o.outcome));
            }
        }
        out
    }

    /// Known violations that results of their tests, targets and versions did not show: a line for each entry and target.
    pub(crate) fn not_seen(&self, results: &[RunResult]) -> Vec<String> {
        let mut out = vec![];
        for e in &self.0 {
            let mut tried: BTreeMap<(&str, &str), (u64, bool)> = BTreeMap::new();
            for r in results.iter().filter(|r| r.ran() && e.is_of(r)) {
                let (iterations, shown) = tried.entry((&r.target, &r.library)).or_default();
                *iterations += r.iterations;
                *shown |= r.observed.iter().any(|o| o.allowed != Some(true) && e.shows(o));
            }
            for ((target, library), (iterations, shown)) in tried {
                if !shown && !matches!(e.version_in(library), Version::Mended) {
                    let tests = e.tests.join(", ");
                    out.push(format!("known, not seen in {iterations} iterations on {target}: {tests}: {}", e.says));
                }
            }
        }
        out
    }
}

impl Entry {
    /// Whether it speaks of a result's test, target and library.
    fn is_of(&self, r: &RunResult) -> bool {
        // What stands between a program in Rust and the library may be the one that is wrong.
        let is_rust = r.target.ends_with(":rust");
        let library = r.library.contains(&self.library) || is_rust && self.library == "rsmpi";
        let base = r.target.split(':').next().unwrap_or_default();
        let named = |t: &String| match t.strip_suffix('*') {
            Some(first) => base.starts_with(first),
            None => base == t,
        };
        let shows = r.size >= self.size_from && self.style.is_none_or(|style| style == r.style);
        library && shows && self.tests.contains(&r.test) && (self.targets.is_empty() || self.targets.iter().any(named))
    }

    /// Whether an outcome is one that it shows.
    fn shows(&self, seen: &SeenOutcome) -> bool {
        self.outcomes.iter().any(|o| fits(o.as_ref(), seen))
    }

    fn version(&self, r: &RunResult) -> Version {
        self.version_in(&r.library)
    }

    fn version_in(&self, library: &str) -> Version {
        let at = library.find(&self.library).unwrap_or(0);
        let Some(found) = numbers(&library[at..]) else { return Version::Seen };
        let seen: Vec<Vec<u64>> = self.seen.as_ref().split(" to ").filter_map(numbers).collect();
        let mended = self.mended.as_ref().and_then(|m| numbers(m.as_ref()));
        match (seen.first(), seen.last()) {
            // The versions of rsmpi do not stand in the library's words.
            _ if self.library == "rsmpi" => Version::Seen,
            _ if mended.is_some_and(|m| found >= m) => Version::Mended,
            (Some(first), _) if found < *first => Version::Older,
            (_, Some(last)) if found > *last => Version::Newer,
            _ => Version::Seen,
        }
    }
}

/// Whether a text names an outcome, or a kind of outcomes.
fn is_outcome(text: &str) -> bool {
    let is_value = |part: &str| part.split_once('=').is_some_and(|(name, _)| !name.trim().is_empty());
    matches!(text, "deadlock" | "error" | "corrupt" | "values")
        || text.strip_prefix("error ").is_some_and(|class| !class.trim().is_empty())
        || !text.trim().is_empty() && parts(text).all(is_value)
}

/// Whether an outcome is one that a known violation shows: of its kind, of its class of error, or with its values.
fn fits(known: &str, seen: &SeenOutcome) -> bool {
    match &seen.observed {
        Observed::Deadlock => known == "deadlock",
        Observed::Corrupt(_) => known == "corrupt",
        Observed::Error(class) => {
            known == "error" || known.strip_prefix("error ").is_some_and(|c| class.starts_with(c))
        }
        Observed::Values(_) => known == "values" || parts(known).all(|part| parts(&seen.outcome).any(|p| p == part)),
        Observed::Cut => false,
    }
}

fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(';').map(str::trim).filter(|p| !p.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmpi_runner::Tally;

    #[test]
    fn a_known_outcome_is_told_from_others_of_the_same_test() {
        let seen = |observed: Observed, printed: &str| SeenOutcome {
            outcome: printed.to_owned(),
            observed,
            tally: Tally { count: 1, first: 0 },
            allowed: Some(false),
        };
        let deadlock = seen(Observed::Deadlock, "deadlock");
        let other = seen(Observed::Error("MPI_ERR_OTHER".into()), "error MPI_ERR_OTHER");
        let corrupt = seen(Observed::Corrupt("x".into()), "corrupt: x");
        let values = seen(Observed::Values(vec![Some(1), Some(2)]), "a=1; b=2;");
        let torn = seen(Observed::Values(vec![Some(1), None]), "a=1; b=torn;");
        for (known, seen, expected) in [
            ("deadlock", &deadlock, true),
            ("deadlock", &values, false),
            ("deadlock", &other, false),
            ("error MPI_ERR_OTHER", &other, true),
            ("error MPI_ERR_TRUNCATE", &other, false),
            ("error", &other, true),
            ("error", &corrupt, false),
            ("corrupt", &corrupt, true),
            ("corrupt", &values, false),
            ("values", &torn, true),
            ("values", &deadlock, false),
            ("values", &corrupt, false),
            ("b=torn", &torn, true),
            ("b=2", &values, true),
            ("b=2; a=1", &values, true),
            ("b=20", &values, false),
            ("b=2; c=3", &values, false),
            ("b=2", &deadlock, false),
        ] {
            assert!(is_outcome(known), "{known}");
            assert_eq!(fits(known, seen), expected, "{known} | {}", seen.outcome);
        }
        for wrong in ["", "hang", "error ", "a", "=1"] {
            assert!(!is_outcome(wrong), "{wrong}");
        }
    }

    #[test]
    fn the_shipped_file_is_in_order() {
        let all = Known::load(&[]).unwrap_or_else(|report| panic!("{report}"));
        assert!(!all.0.is_empty());
    }

    #[test]
    fn versions_are_held_against_the_range_that_was_seen() {
        let entry = |seen: &str, mended: &str| -> Entry {
            let text = format!(
                "tests = []\nlibrary = \"Open MPI\"\nseen = \"{seen}\"\n{mended}\noutcomes = [\"deadlock\"]\nsays = \"\"\nticket = \"\"\n"
            );
            toml::from_str(&text).expect("an entry")
        };
        let (range, mended) = (entry("4.1.0 to 4.1.6", ""), entry("4.1.4", "mended = \"5.0.8\""));
        for (version, in_range, with_mended) in [
            ("4.0.3", Version::Older, Version::Older),
            ("4.1.4", Version::Seen, Version::Seen),
            ("4.1.6", Version::Seen, Version::Newer),
            ("4.1.10", Version::Newer, Version::Newer),
            ("5.0.7", Version::Newer, Version::Newer),
            ("5.0.8", Version::Newer, Version::Mended),
        ] {
            let words = format!("Open MPI v{version}, package: Debian OpenMPI");
            assert_eq!((range.version_in(&words), mended.version_in(&words)), (in_range, with_mended), "{version}");
        }
    }
}
