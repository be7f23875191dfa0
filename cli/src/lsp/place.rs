//! Places in a text: bytes here, lines and units of UTF-16 in the protocol; paths here, `file:` addresses there.

use litmpi_spec::source::Span;
use serde_json::{Value, json};
use std::path::PathBuf;

/// A place of the protocol.
fn position(text: &str, at: usize) -> Value {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let line = text[..start].matches('\n').count();
    json!({ "line": line, "character": text[start..at].encode_utf16().count() })
}

/// A stretch of the protocol.
pub(super) fn range(text: &str, start: usize, end: usize) -> Value {
    json!({ "start": position(text, start), "end": position(text, end.max(start)) })
}

/// The stretch of a span in its own text.
pub(super) fn range_of(span: &Span) -> Value {
    range(&span.source.text, span.start, span.end)
}

/// Where in the text a place of the protocol is.
pub(super) fn offset(text: &str, position: &Value) -> Option<usize> {
    let line = usize::try_from(position["line"].as_u64()?).ok()?;
    let wanted = usize::try_from(position["character"].as_u64()?).ok()?;
    let start = if line == 0 { 0 } else { text.match_indices('\n').nth(line - 1)?.0 + 1 };
    let mut units = 0;
    for (i, c) in text[start..].char_indices() {
        if units >= wanted || c == '\n' {
            return Some(start + i);
        }
        units += c.len_utf16();
    }
    Some(text.len())
}

/// The word at a place: a name of a rule or instruction, with `/` and `-` where rules may have them.
pub(super) fn word(text: &str, at: usize, of_rule: bool) -> &str {
    let inside = |c: char| c.is_alphanumeric() || c == '_' || of_rule && (c == '/' || c == '-');
    let start = text[..at].char_indices().rev().take_while(|(_, c)| inside(*c)).last().map_or(at, |(i, _)| i);
    let end = text[at..].char_indices().find(|(_, c)| !inside(*c)).map_or(text.len(), |(i, _)| at + i);
    &text[start..end]
}

/// The file of a `file:` address.
pub(super) fn path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let rest = &rest[rest.find('/')?..];
    let (mut bytes, mut at) = (vec![], 0);
    while at < rest.len() {
        let byte = rest.as_bytes()[at];
        let code =
            if byte == b'%' { rest.get(at + 1..at + 3).and_then(|h| u8::from_str_radix(h, 16).ok()) } else { None };
        bytes.push(code.unwrap_or(byte));
        at += if code.is_some() { 3 } else { 1 };
    }
    Some(PathBuf::from(String::from_utf8(bytes).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_units_of_utf_16() {
        let text = "a\nβ𝄞x := 1\n";
        let at = text.find('x').expect("it is there");
        let place = position(text, at);
        assert_eq!(place, json!({ "line": 1, "character": 3 }));
        assert_eq!(offset(text, &place), Some(at));
        assert_eq!(offset(text, &json!({ "line": 1, "character": 99 })), Some(text.len() - 1));
        assert_eq!(offset(text, &json!({ "line": 9, "character": 0 })), None);
    }

    #[test]
    fn words_and_files_are_found() {
        let text = "rule all_done/true (t)";
        assert_eq!(
            (word(text, 7, true), word(text, 7, false), word(text, 4, false)),
            ("all_done/true", "all_done", "rule")
        );
        assert_eq!(path("file:///a%20b/c%C3%A9.spec"), Some(PathBuf::from("/a b/cé.spec")));
        assert_eq!((path("untitled:1"), path("file://host/x")), (None, Some(PathBuf::from("/x"))));
    }
}
