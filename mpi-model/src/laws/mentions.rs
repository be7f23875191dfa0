//! The functions that a file of laws names: one that a model does not declare is a slip, not a law that speaks of no program.

use super::rewrite::fits;
use super::syntax::{Laws, named, schema};
use litmpi_grammars::laws::Rule;
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use litmpi_spec::suggest::suggest;
use pest::iterators::Pair;
use std::sync::Arc;

/// A place where functions are named.
#[derive(Debug, Clone)]
pub(super) struct Mention {
    /// Names, or patterns of names: one, or, where a law for several functions says what programs it does not speak of, one for each.
    names: Vec<String>,
    span: Span,
}

/// The mentions in a law, a completes-before rule or a piece.
pub(super) fn mentions(source: &Arc<Source>, item: &Pair<'_, Rule>) -> Vec<Mention> {
    let schema = item.clone().into_inner().find(|p| p.as_rule() == Rule::schema).map(schema);
    let instances = |text: &str| match &schema {
        Some((name, functions)) if text.contains('<') => functions.iter().map(|f| named(text, name, f)).collect(),
        _ => vec![text.to_owned()],
    };
    let mut out = vec![];
    for part in item.clone().into_inner().filter(|p| p.as_rule() != Rule::schema) {
        let excludes = matches!(part.as_rule(), Rule::without | Rule::never);
        for name in std::iter::once(part.clone()).chain(part.into_inner().flatten()) {
            let (text, span) = (name.as_str(), name.as_span());
            match name.as_rule() {
                Rule::glob | Rule::callee => {
                    let span = Span::new(source, span.start(), span.end());
                    if excludes {
                        out.push(Mention { names: instances(text), span });
                    } else {
                        let one = |name| Mention { names: vec![name], span: span.clone() };
                        out.extend(instances(text).into_iter().map(one));
                    }
                }
                Rule::body => out.extend(calls(text).map(|(at, name)| Mention {
                    names: vec![name.to_owned()],
                    span: Span::new(source, span.start() + at, span.start() + at + name.len()),
                })),
                _ => {}
            }
        }
    }
    out
}

/// The calls in the text of a piece, with their places.
fn calls(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let in_comment = |at: usize| text[..at].rsplit('\n').next().is_some_and(|line| line.contains("--"));
    text.match_indices('(').filter(move |(at, _)| !in_comment(*at)).filter_map(move |(at, _)| {
        let before = text[..at].trim_end();
        let start = before.char_indices().rfind(|(_, c)| !is_name(*c)).map_or(0, |(i, c)| i + c.len_utf8());
        let name = &before[start..];
        let is_call = name.starts_with(|c: char| c.is_ascii_alphabetic()) && !matches!(name, "if" | "while");
        is_call.then_some((start, name))
    })
}

impl Laws {
    /// Whether a model declares every function that is named.
    ///
    /// # Errors
    /// Each name that none has, with its place and the likely one.
    pub fn names_functions(&self, decls: &Instructions) -> Result<(), Report> {
        let known: Vec<&str> = decls.list.iter().map(|i| i.name.as_str()).collect();
        let mut errors: Vec<Diagnostic> = vec![];
        for m in &self.mentions {
            if m.names.iter().any(|name| known.iter().any(|k| fits(name, k))) {
                continue;
            }
            let name = &m.names[0];
            let d = Diagnostic::at(&m.span, format!("no function is called `{name}`")).found("unknown");
            let otherwise = "functions are those that the specification declares as instructions";
            let likely = if name.contains('*') { otherwise.to_owned() } else { suggest(name, &known, otherwise) };
            errors.push(d.help(likely));
        }
        Report(errors).into_result()
    }
}
