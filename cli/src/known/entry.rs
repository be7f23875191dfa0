//! One known violation: of which tests, with which library, in which versions, and which outcomes it shows.

use super::outcome::fits;
use litmpi_runner::{RunResult, SeenOutcome, Site, Style, Version, numbers};
use serde::{Deserialize, Serialize};
use toml::Spanned;

/// One known violation.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Names of the tests that show it.
    #[serde(default = "no_names")]
    pub(super) tests: Spanned<Vec<String>>,
    /// Functions: any program shows it in which each rank that fails, or that hangs, does so in a call of one of these; or whose values differ from
    /// allowed ones in nothing but registers, or a field of them, or elements of arrays, that only calls of these have.
    #[serde(default)]
    pub(super) at: Option<Spanned<Vec<String>>>,
    /// With `at`: the call has a register that earlier calls of the rank have, too, one for each of these; `A|B` is either function,
    /// `A[dims=2, periods=1]` one with these numbers at the same place of its lists, and `A[base>0]` one with an argument that begins within an array.
    #[serde(default)]
    pub(super) of: Vec<String>,
    /// With `at`: no earlier call that has a register of the call is one of these.
    #[serde(default)]
    pub(super) without: Vec<String>,
    /// What the library's own words contain.
    pub(super) library: String,
    /// The versions that it was seen in: one, or the first and the last.
    pub(super) seen: Spanned<String>,
    /// The version from which on it is said to be mended.
    #[serde(default)]
    pub(super) mended: Option<Spanned<String>>,
    /// The outcomes that it shows.
    pub(super) outcomes: Vec<Spanned<String>>,
    /// The targets that show it, or their names up to a `*`, with the options that it needs, as in `*:ring`; all, if there are none.
    #[serde(default)]
    pub(super) targets: Vec<String>,
    /// The smallest message that shows it, in bytes; any, if nothing is said.
    #[serde(default)]
    pub(super) size_from: u64,
    /// The style in which ranks must wait for it to show; either, if nothing is said.
    #[serde(default)]
    pub(super) style: Option<Style>,
    /// What it is.
    pub(super) says: String,
    /// The clause of the standard that asks for something else.
    #[serde(default)]
    pub(super) clause: String,
    /// Where it is kept.
    pub(super) ticket: String,
    /// The file and line of the entry.
    #[serde(skip)]
    pub(super) place: String,
}

/// An entry as it is written into a file.
#[derive(Debug, Serialize)]
pub(super) struct Written {
    pub(super) tests: Vec<String>,
    pub(super) library: String,
    pub(super) seen: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) mended: Option<String>,
    pub(super) outcomes: Vec<String>,
    pub(super) targets: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) size_from: Option<u64>,
    pub(super) says: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) clause: String,
    pub(super) ticket: String,
}

/// An entry may say by calls alone what shows it.
fn no_names() -> Spanned<Vec<String>> {
    Spanned::new(0..0, vec![])
}

impl Entry {
    /// Whether it speaks of a result's test, target and library.
    pub(super) fn is_of(&self, r: &RunResult) -> bool {
        self.is_of_test(&r.test) && self.is_like(r)
    }

    /// Whether it speaks of a result's target, library, size and style.
    fn is_like(&self, r: &RunResult) -> bool {
        let shows = r.size >= self.size_from && self.style.is_none_or(|style| style == r.style);
        shows && self.may_show_on(&r.target, &r.library)
    }

    /// Whether it has an outcome of a result because of the test's name.
    pub(super) fn has(&self, r: &RunResult, seen: &SeenOutcome) -> bool {
        self.is_of(r) && self.shows(seen)
    }

    /// Whether it is why a result's outcome came at a call.
    pub(super) fn explains(&self, r: &RunResult, seen: &SeenOutcome, site: &Site) -> bool {
        let is_one = |names: &str, name: &str| names.split('|').any(|n| is_called(n.trim(), name));
        let called = self.at.as_ref().is_some_and(|at| at.as_ref().iter().any(|names| is_one(names, &site.call)));
        let shares = |names: &String| site.shares.iter().any(|name| is_one(names, name));
        let is_shown = match &site.value {
            Some(value) => self.outcomes.iter().any(|o| o.as_ref() == value),
            None => self.shows(seen),
        };
        self.is_like(r) && called && is_shown && self.of.iter().all(shares) && !self.without.iter().any(shares)
    }

    /// Whether a test may show it on a target with this library, at some size and in some style.
    pub(super) fn may_show(&self, test: &str, target: &str, words: &str) -> bool {
        self.is_of_test(test) && self.may_show_on(target, words)
    }

    fn may_show_on(&self, target: &str, words: &str) -> bool {
        // What stands between a program in Rust and the library may be the one that is wrong.
        let is_rust = target.ends_with(":rust");
        let library = words.contains(&self.library) || is_rust && self.library == "rsmpi";
        let mut words = target.split(':');
        let (base, options) = (words.next().unwrap_or_default(), words.collect::<Vec<_>>());
        let named = |t: &String| {
            let mut wanted = t.split(':');
            let name = wanted.next().unwrap_or_default();
            let is_base = name.strip_suffix('*').map_or(base == name, |first| base.starts_with(first));
            is_base && wanted.all(|option| options.contains(&option))
        };
        library && (self.targets.is_empty() || self.targets.iter().any(named))
    }

    pub(super) fn is_of_test(&self, test: &str) -> bool {
        self.tests.get_ref().iter().any(|t| t == test)
    }

    /// Whether an outcome is one that it shows.
    pub(super) fn shows(&self, seen: &SeenOutcome) -> bool {
        self.outcomes.iter().any(|o| fits(o.as_ref(), seen))
    }

    /// How the version in a library's words stands to those that it was seen in.
    pub(super) fn version_in(&self, library: &str) -> Version {
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

/// A function, and what stands at one place of its lists, `A[dims=2, periods=1]`.
pub(super) fn function_and_place(text: &str) -> (&str, Vec<&str>) {
    let (function, place) = text.split_once('[').unwrap_or((text, ""));
    let place = place.strip_suffix(']').unwrap_or(place);
    (function, place.split(',').map(str::trim).filter(|part| !part.is_empty()).collect())
}

/// Whether a call has the name that an entry says, and at one place of its lists all that the entry says.
fn is_called(said: &str, call: &str) -> bool {
    let ((said, parts), (function, place)) = (function_and_place(said), function_and_place(call));
    said == function && parts.iter().all(|part| place.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

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
