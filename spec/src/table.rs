//! Messages about files of tables (TOML) that do not have the form that their reader wants.

use crate::diag::Diagnostic;
use crate::source::{Source, Span};
use crate::suggest::nearest;
use std::ops::Range;
use std::sync::Arc;

/// What a reader found wrong, at its place. A reader names an unknown field or word, and those that it knows, between backquotes; if
/// one of these is likely to be meant, the message asks for it, and then says `help`.
pub fn misfit(source: &Arc<Source>, at: Option<Range<usize>>, found: &str, help: &str) -> Diagnostic {
    let at = at.unwrap_or(0..0);
    let quoted: Vec<&str> = found.split('`').skip(1).step_by(2).collect();
    let likely = match quoted.as_slice() {
        [unknown, known @ ..] if found.starts_with("unknown ") => nearest(unknown, known.iter().copied()),
        _ => None,
    };
    let help = likely.map_or_else(|| help.to_owned(), |name| format!("did you mean `{name}`? {help}"));
    Diagnostic::at(&Span::new(source, at.start, at.end), found).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_field_is_answered_with_the_likely_one() {
        let source = Source::new("t.toml", "a = 1\nlibary = 2\n");
        let said = |found: &str| misfit(&source, Some(6..12), found, "fields are these");
        let said = |found: &str| crate::diag::Report::from(said(found)).to_string();
        let unknown = said("unknown field `libary`, expected one of `tests`, `library`, `seen`");
        assert!(
            unknown.contains("t.toml:2:1") && unknown.contains("did you mean `library`? fields are these"),
            "{unknown}"
        );
        for other in ["unknown field `x`, expected `library`", "missing field `library`", "expected a string"] {
            assert!(!said(other).contains("did you mean"), "{other}");
        }
    }
}
