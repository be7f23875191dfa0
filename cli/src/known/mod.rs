//! Violations that are known, with their tickets: the user's files, then the shipped `known.toml`.
//!
//! An entry is of some tests, or of calls in which any program fails or hangs; of some targets, with a library in the versions that it was seen
//! in; and of the outcomes that it shows. Another outcome of the same test is something else, and is not called known. Where several entries
//! have an outcome, the first one counts, so that a user's own entry stands before a shipped one.

pub(crate) mod add;
mod entry;
mod library;
mod list;
mod outcome;

use crate::Verdict;
use crate::args::KnownCommand;
use entry::{Entry, function_and_place};
pub(crate) use list::list;
use litmpi_runner::{Comparison, Recognised, RunResult, SeenOutcome, Site, Version, numbers, shipped_targets};
use litmpi_spec::decl::{Param, Shape};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::load::load_shipped;
use litmpi_spec::source::{Source, Span};
use litmpi_spec::suggest::slip;
use litmpi_spec::table::misfit;
use outcome::{is_in_a_call, is_outcome};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use toml::Spanned;

const HELP: &str = "entries are [[known]] tables with tests (names) or at (functions in which ranks fail or hang; of: what was called before with \
                    the same registers, without: what was not), library, seen (the versions: `4.0.2`, or `4.0.2 to 4.2.1`), outcomes (`deadlock`, \
                    `error`, `error MPI_ERR_…`, `corrupt`, `values`, or values as printed, of which some may be left out; with at, `.error=0` or `=1`, a field of \
                    registers that these functions alone have, or such a register, or `exchanged`, the order of an array's elements, or `elements`, any of them), says, ticket, and, \
                    where it is known, clause and mended (a version), and, where it does not always show, targets, size_from (bytes) and style";

/// The file that a user's own entries are kept in, unless another one is named.
pub(crate) const OWN: &str = "litmpi-known.toml";

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    known: Vec<Entry>,
}

/// All known violations, those of the user's first.
pub(crate) struct Known(Vec<Entry>);

pub(crate) fn known(command: &KnownCommand) -> Result<Verdict, Report> {
    match command {
        KnownCommand::Add(args) => add::add(args),
        KnownCommand::List(args) => list(args),
    }
}

impl Known {
    /// Those of the files, or of [`OWN`] if none is named and it is there; then the shipped ones.
    pub(crate) fn load(files: &[PathBuf]) -> Result<Known, Report> {
        let own = [PathBuf::from(OWN)];
        let files = if files.is_empty() && Path::new(OWN).exists() { &own[..] } else { files };
        let mut sources = vec![];
        for path in files {
            sources.push(Source::read_as(path, "the known violations in ")?);
        }
        sources.push(Source::new("known.toml", include_str!("../../known.toml")));
        let mut out = vec![];
        for source in sources {
            out.extend(read(&source)?);
        }
        Ok(Known(out))
    }

    /// What is known of a test, a line for each library.
    pub(crate) fn of_test(&self, test: &str) -> Vec<String> {
        self.lines(test, |_| true)
    }

    /// What is known of a test with this version of a library.
    pub(crate) fn of_test_with(&self, test: &str, library: &str) -> Vec<String> {
        let is_of_version = |e: &Entry| !matches!(e.version_in(library), Version::Mended | Version::Older);
        self.lines(test, |e| library.contains(&e.library) && is_of_version(e))
    }

    fn lines(&self, test: &str, fits: impl Fn(&Entry) -> bool) -> Vec<String> {
        let about = self.0.iter().filter(|e| e.is_of_test(test) && fits(e));
        about.map(|e| format!("known of {} {}: {}; {}", e.library, e.seen.as_ref(), e.says, e.ticket)).collect()
    }

    /// Whether something is known of a test on a target with this library, or on any target, if none is named.
    pub(crate) fn has(&self, test: &str, target: Option<(&str, &str)>) -> bool {
        self.0.iter().any(|e| match target {
            Some((target, library)) => e.may_show(test, target, library) && e.version_in(library) != Version::Mended,
            None => e.is_of_test(test),
        })
    }

    /// Writes into a result which of its forbidden outcomes are known, and which are new.
    pub(crate) fn mark(&self, r: &mut RunResult) {
        let (mut known, mut new) = (vec![], vec![]);
        if matches!(r.verdict, Comparison::Violation { .. } | Comparison::Unconfirmed { .. }) {
            for o in r.forbidden() {
                let found = self.recognise(r, o);
                if found.is_empty() || found.iter().any(|k| k.version == Version::Mended) {
                    new.push(o.outcome.clone());
                }
                known.extend(found);
            }
        }
        (r.known, r.new) = (known, new);
    }

    /// What is known of an outcome: by the first entry of its test or of all calls that explain it; or by several entries, each of some of these calls.
    fn recognise(&self, r: &RunResult, seen: &SeenOutcome) -> Vec<Recognised> {
        let ways = || r.explained.get(&seen.outcome).into_iter().flatten();
        let explains_all = |e: &Entry| ways().any(|sites| sites.iter().all(|site| e.explains(r, seen, site)));
        let by_one = self.0.iter().position(|e| e.has(r, seen) || explains_all(e)).map(|i| BTreeSet::from([i]));
        let by = |site: &Site| self.0.iter().position(|e| e.explains(r, seen, site));
        let by_several = || ways().find_map(|sites| sites.iter().map(by).collect::<Option<BTreeSet<usize>>>());
        let of = |e: &Entry| Recognised {
            outcome: seen.outcome.clone(),
            says: e.says.clone(),
            clause: e.clause.clone(),
            ticket: e.ticket.clone(),
            seen: e.seen.as_ref().clone(),
            mended: e.mended.as_ref().map(|m| m.as_ref().clone()),
            version: e.version_in(&r.library),
            entry: e.place.clone(),
        };
        by_one.or_else(by_several).into_iter().flatten().map(|i| of(&self.0[i])).collect()
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
                    let tests = e.tests.get_ref().join(", ");
                    out.push(format!("known, not seen in {iterations} iterations on {target}: {tests}: {}", e.says));
                }
            }
        }
        out
    }
}

/// What is known of a result's violation, a line each; and what of it is not known, though something else of the test is.
pub(crate) fn about(r: &RunResult) -> Vec<String> {
    let mut out: Vec<String> = vec![];
    for k in &r.known {
        let seen = &k.seen;
        let version = match k.version {
            Version::Seen => String::new(),
            Version::Newer => format!(", seen in {seen}; this version is newer and still has it"),
            Version::Older => format!(", seen in {seen}; this version is older and has it, too"),
            Version::Mended => {
                let mended = k.mended.as_deref().unwrap_or_default();
                format!(", said to be mended in {mended}; this version still has it, so it counts as new")
            }
        };
        let line = format!("known    {}; {}{version}", k.says, k.ticket);
        if !out.contains(&line) {
            out.push(line);
        }
    }
    for new in r.new.iter().filter(|new| r.known.iter().all(|k| k.outcome != **new)) {
        out.push(match r.known.is_empty() {
            true => "new      nothing of this is known; `litmpi known add` writes down what is".to_owned(),
            false => format!("new      {new} is not what is known of this test"),
        });
        if r.known.is_empty() {
            break;
        }
    }
    out
}

/// The entries of a file.
fn read(source: &Arc<Source>) -> Result<Vec<Entry>, Report> {
    let file: File =
        toml::from_str(&source.text).map_err(|e| Report::from(misfit(source, e.span(), e.message(), HELP)))?;
    let wrong = |s: &Spanned<String>, what: &str| {
        let d = Diagnostic::at(&Span::new(source, s.span().start, s.span().end), what.to_owned());
        Report::from(d.found(format!("`{}`", s.as_ref())).help(HELP))
    };
    let shipped = shipped_targets();
    let mut out = file.known;
    for e in &mut out {
        let libraries = ["MPICH", "Open MPI", "MVAPICH2", "rsmpi"];
        let targets = e.targets.iter().find_map(|t| Some((t, slip(t, shipped.iter().map(|s| s.name.as_str()))?)));
        let library = slip(&e.library, libraries).map(|near| (&e.library, near));
        if let Some((name, near)) = targets.or(library) {
            // It would never be known of anything.
            let d = Diagnostic::at(
                &Span::new(source, e.seen.span().start, e.seen.span().end),
                "an entry of no target or library",
            );
            return Err(d.found(format!("the entry says `{name}`")).help(format!("did you mean `{near}`?")).into());
        }
        let versions = e.seen.as_ref().split(" to ").chain(e.mended.iter().map(|m| m.as_ref().as_str()));
        if versions.map(numbers).any(|v| v.is_none()) {
            return Err(wrong(&e.seen, "a version of a known violation begins with a number"));
        }
        if let Some(bad) = e.outcomes.iter().find(|o| !is_outcome(o.as_ref())) {
            return Err(wrong(bad, "this is no outcome"));
        }
        if let Some(bad) = e.outcomes.iter().find(|o| e.at.is_some() && !is_in_a_call(o.as_ref())) {
            // Values come about anywhere: a program that shows others for another reason would be called known.
            return Err(wrong(
                bad,
                "what is known by calls is `error MPI_ERR_…`, `deadlock`, a field of a register, `.error=0`, a register, `=1`, or of arrays `exchanged` or `elements`",
            ));
        }
        let calls = e.at.as_ref().map(|at| at.as_ref().clone()).unwrap_or_default();
        if let (Some(bad), Some(at)) = (unnamed(calls.iter().chain(&e.of).chain(&e.without))?, &e.at) {
            let d = Diagnostic::at(
                &Span::new(source, at.span().start, at.span().end),
                format!("there is no function `{bad}`"),
            );
            return Err(d.found("in an entry that is known by calls").help(HELP).into());
        }
        if let Some(bad) = e.outcomes.iter().find(|o| e.at.is_none() && outcome::is_of_what_calls_have(o.as_ref())) {
            return Err(wrong(
                bad,
                "a field of no register in particular, or what no array in particular holds, is known by `at`, the functions that have it",
            ));
        }
        if e.outcomes.is_empty() {
            return Err(wrong(&e.seen, "an entry says which outcomes it shows"));
        }
        if e.tests.get_ref().is_empty() && calls.is_empty() {
            return Err(wrong(&e.seen, "an entry says which tests show it, or in which calls it shows"));
        }
        let more = [("of", &e.of), ("without", &e.without)].into_iter().find(|(_, names)| !names.is_empty());
        if let (Some((name, _)), true) = (more, calls.is_empty()) {
            return Err(wrong(&e.seen, &format!("`{name}` says more of the calls of `at`, and there are none")));
        }
        let head = e.at.as_ref().map_or(e.tests.span(), |at| at.span());
        let head = if e.tests.get_ref().is_empty() { head } else { e.tests.span() };
        let (line, _) = Span::new(source, head.start, head.end).line_col();
        e.place = format!("{}:{line}", source.name);
    }
    Ok(out)
}

/// The first of these names, of which `A|B` are two, that no function of MPI has, or that says what no list or buffer of its function can have.
fn unnamed<'n>(names: impl Iterator<Item = &'n String>) -> Result<Option<&'n str>, Report> {
    let mut names = names.flat_map(|of| of.split('|').map(str::trim)).peekable();
    if names.peek().is_none() {
        return Ok(None);
    }
    let declared = &load_shipped("mpi")?.instructions;
    let is_one = |name: &str| {
        let (function, place) = function_and_place(name);
        let has = |part: &str| {
            let of = declared.list.iter().find(|i| i.name == function);
            let is_local = |p: &Param| matches!(declared.kinds[p.kind].shape, Shape::Local | Shape::LocalOrNone);
            let has = |param: &str, fits: &dyn Fn(&Param) -> bool| {
                of.is_some_and(|i| i.params.iter().any(|p| p.name == param && fits(p)))
            };
            match (part.split_once('='), part.strip_suffix(">0")) {
                (Some((param, value)), _) => value.parse::<i64>().is_ok() && has(param, &|p| p.list),
                (None, Some(param)) => has(param, &|p| !p.list && is_local(p)),
                (None, None) => false,
            }
        };
        let is_whole = name.contains('[') == name.ends_with(']') && name.contains('[') != place.is_empty();
        is_whole && declared.list.iter().any(|i| i.name == function) && place.iter().all(|part| has(part))
    };
    Ok(names.find(|name| !is_one(name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_file_is_in_order() {
        let all = Known::load(&[]).unwrap_or_else(|report| panic!("{report}"));
        assert!(!all.0.is_empty());
    }

    #[test]
    fn entries_of_the_users_stand_before_shipped_ones() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let own = dir.path().join("own.toml");
        let text = "[[known]]\ntests = [\"null-irecv\"]\nlibrary = \"MPICH\"\nseen = \"4.0.2\"\noutcomes = [\"values\"]\n\
                    says = \"ours\"\nticket = \"T-1\"\n";
        std::fs::write(&own, text).expect("it is written");
        let all = Known::load(&[own]).unwrap_or_else(|report| panic!("{report}"));
        assert_eq!(all.0[0].says, "ours");
        assert!(all.0[0].place.ends_with("own.toml:2"), "{}", all.0[0].place);
        assert!(all.0.iter().any(|e| e.says != "ours" && e.is_of_test("null-irecv")), "the shipped ones follow");
        assert!(all.has("null-irecv", Some(("mpich", "MPICH Version:\t4.0.2"))));
        assert!(!all.has("null-irecv", Some(("openmpi", "Open MPI v4.1.4"))));
    }
}
