//! Messages to the user: where, what was found, what would be right.
//!
//! Errors are collected, not thrown at the first one; a [`Report`] holds them all and prints each with its
//! source line. Everything here is the user's to mend; a failure that is ours is a panic.

use crate::source::Span;
use crate::visible::{visible, visible_in_place};
use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

/// One message about one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Where; none when the matter has no place (a missing file).
    pub span: Option<Span>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What stands at the place, shown under the source line.
    pub label: String,
    /// What would be right.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A message about `span`.
    pub fn at(span: &Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: Some(span.clone()), message: message.into(), label: "here".into(), help: None }
    }

    /// A message without a place.
    pub fn general(message: impl Into<String>) -> Diagnostic {
        Diagnostic { span: None, message: message.into(), label: String::new(), help: None }
    }

    /// Says what stands at the place.
    #[must_use]
    pub fn found(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Says what would be right.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }
}

/// All that was wrong with an input; never empty.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report(pub Vec<Diagnostic>);

impl Report {
    /// `Err` of itself unless it is empty.
    ///
    /// # Errors
    /// Itself, when it holds a message.
    pub fn into_result(self) -> Result<(), Report> {
        if self.0.is_empty() { Ok(()) } else { Err(self) }
    }

    /// The messages as text with source lines, with ANSI colour if `color`. Control characters of what they show are
    /// made visible, so that a terminal obeys none of them.
    pub fn render(&self, color: bool) -> String {
        use ariadne::{CharSet, Color, Config, IndexType, Label, Report as Page, ReportKind};
        let mut out = String::new();
        for d in &self.0 {
            let Some(span) = &d.span else {
                out.push_str(&format!("error: {}\n", visible(&d.message)));
                if let Some(help) = &d.help {
                    out.push_str(&format!("  help: {}\n", visible(help)));
                }
                continue;
            };
            let name = visible(&span.source.name).into_owned();
            let text = visible_in_place(&span.source.text);
            let place = whole_characters(&text, span.start, span.end);
            let begin = text[..place.start].rfind('\n').map_or(0, |at| at + 1);
            if place.start - begin > FAR {
                out.push_str(&format!(
                    "error: {}: {}\n  {}\n",
                    visible(&span.to_string()),
                    visible(&d.message),
                    visible(&d.label)
                ));
                if let Some(help) = &d.help {
                    out.push_str(&format!("  help: {}\n", visible(help)));
                }
                continue;
            }
            let (text, place) = clipped(text, place);
            let (text, place) = below(text, place, span.source.above);
            let mut page = Page::build(ReportKind::Error, (name.clone(), place.clone()))
                .with_config(
                    Config::default()
                        .with_color(color)
                        .with_char_set(if color { CharSet::Unicode } else { CharSet::Ascii })
                        .with_index_type(IndexType::Byte),
                )
                .with_message(visible(&d.message))
                .with_label(Label::new((name.clone(), place)).with_message(visible(&d.label)).with_color(Color::Red));
            if let Some(help) = &d.help {
                page = page.with_help(visible(help));
            }
            let mut bytes = Vec::new();
            let cache = (name, ariadne::Source::from(text));
            // Writing to memory cannot fail.
            page.finish().write(cache, &mut bytes).expect("a report is written to memory");
            out.push_str(&String::from_utf8_lossy(&bytes));
        }
        out
    }
}

/// Bytes of a line before a place: with more, the line is not shown.
const FAR: usize = 1000;
/// Bytes of a line that are shown from a place on.
const SHOWN: usize = 200;

/// A text below so many lines, so that its lines are counted as they are in what it was cut out of.
fn below(text: Cow<'_, str>, place: Range<usize>, above: usize) -> (Cow<'_, str>, Range<usize>) {
    match above {
        0 => (text, place),
        n => (Cow::Owned("\n".repeat(n) + &text), place.start + n..place.end + n),
    }
}

/// A text without the rest of a long line behind a place, and what of the place is left.
fn clipped(text: Cow<'_, str>, place: Range<usize>) -> (Cow<'_, str>, Range<usize>) {
    let end = text[place.start..].find('\n').map_or(text.len(), |at| place.start + at);
    if end - place.start <= SHOWN {
        return (text, place);
    }
    let cut = whole_characters(&text, place.start, place.start + SHOWN).end;
    let short = format!("{} …{}", &text[..cut], &text[end..]);
    (Cow::Owned(short), place.start..place.end.min(cut))
}

/// The place widened to whole characters: one that is counted in bytes may end within one.
fn whole_characters(text: &str, start: usize, end: usize) -> Range<usize> {
    let mut start = start.min(text.len());
    let mut end = end.clamp(start, text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    start..end
}

impl From<Diagnostic> for Report {
    fn from(d: Diagnostic) -> Report {
        Report(vec![d])
    }
}

/// One line a message, without source lines.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            if let Some(span) = &d.span {
                write!(f, "{span}: ")?;
            }
            write!(f, "{}", d.message)?;
            if let Some(help) = &d.help {
                write!(f, " ({help})")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Report {}

/// Turns a pest error into a message: the token found and the ones that fit, by readable names.
pub fn syntax<R: pest::RuleType>(
    source: &std::sync::Arc<crate::source::Source>,
    error: &pest::error::Error<R>,
    name: impl Fn(&R) -> String,
) -> Diagnostic {
    use pest::error::{ErrorVariant, InputLocation};
    let start = match error.location {
        InputLocation::Pos(p) => p,
        InputLocation::Span((s, _)) => s,
    };
    let rest = &source.text[start.min(source.text.len())..];
    let token: String = match rest.chars().next() {
        None => "the end of the file".into(),
        Some('\n') => "the end of the line".into(),
        Some(c) if c.is_alphanumeric() || c == '_' => {
            let word: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            format!("`{word}`")
        }
        Some(c) => format!("`{c}`"),
    };
    let len = token.trim_matches('`').len().min(rest.len()).max(usize::from(!rest.is_empty()));
    let end =
        (start..=source.text.len()).find(|e| *e >= start + len && source.text.is_char_boundary(*e)).unwrap_or(start);
    let expected = match &error.variant {
        ErrorVariant::ParsingError { positives, .. } => {
            let mut names: Vec<String> = positives.iter().map(name).filter(|n| !n.is_empty()).collect();
            names.sort();
            names.dedup();
            names
        }
        ErrorVariant::CustomError { message } => vec![message.clone()],
    };
    let span = Span::new(source, start, end);
    let d = Diagnostic::at(&span, format!("{token} does not fit here")).found("found this");
    match expected.as_slice() {
        [] => d,
        [one] => d.help(format!("expected {one}")),
        many => d.help(format!("expected one of: {}", many.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Source;

    /// What is said of a place in a line of many bytes.
    fn said(start: usize, end: usize) -> String {
        let source = Source::new("long", format!("first\n{}\nlast\n", "é+".repeat(100_000)));
        Report::from(Diagnostic::at(&Span::new(&source, 6 + start, 6 + end), "too long").help("shorter")).render(false)
    }

    #[test]
    fn a_long_line_is_shown_as_far_as_it_helps() {
        let whole = said(0, 300_000);
        assert!(whole.contains("long:2:1") && whole.contains("é …") && whole.len() < 2000, "{whole}");
        let across = said(10, 300_003);
        assert!(across.contains("…") && across.len() < 2000, "{across}");
        assert_eq!(said(150_000, 150_002), "error: long:2:100001: too long\n  here\n  help: shorter\n");
    }
}
