//! What a predicate of a filter compares with.

use super::Rule;
use globset::{GlobBuilder, GlobMatcher};
use pest::iterators::Pair;
use regex::Regex;

/// A glob for the whole of a text, the exact text, a part of it, or a regular expression for a part of it.
#[derive(Debug, Clone)]
pub(super) enum Matcher {
    Glob(GlobMatcher),
    Exact(String),
    Contains(String),
    Regex(Regex),
}

impl Matcher {
    /// Reads the argument of a predicate.
    ///
    /// # Errors
    /// Why it is no glob or no regular expression.
    pub(super) fn read(argument: &Pair<'_, Rule>) -> Result<Matcher, String> {
        let text = argument.clone().into_inner().next().map_or("", |p| p.as_str().trim());
        match argument.as_rule() {
            Rule::exact => Ok(Matcher::Exact(text.to_owned())),
            Rule::contains => Ok(Matcher::Contains(text.to_owned())),
            Rule::regex => {
                let pattern = text.replace("\\/", "/");
                // The last line says what is wrong; those before it show the pattern.
                let last = |e: regex::Error| e.to_string().lines().last().unwrap_or_default().to_owned();
                Regex::new(&pattern).map(Matcher::Regex).map_err(last)
            }
            _ => {
                // A `*` stands for slashes, too: `file(litmus/*)` is everything below.
                let glob = GlobBuilder::new(text).build();
                glob.map(|g| Matcher::Glob(g.compile_matcher())).map_err(|e| e.to_string())
            }
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Matcher::Glob(g) if g.glob().glob().is_empty())
    }

    pub(super) fn fits(&self, text: &str) -> bool {
        match self {
            Matcher::Glob(glob) => glob.is_match(text),
            Matcher::Exact(exact) => text == exact,
            Matcher::Contains(part) => text.contains(part),
            Matcher::Regex(regex) => regex.is_match(text),
        }
    }
}
