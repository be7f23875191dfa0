//! What is said of the word under the pointer: the declaration of an instruction and its rules, a rule, a function.

use litmpi_spec::ir::Rule;
use litmpi_spec::model::Spec;
use litmpi_spec::source::Span;
use std::fmt::Write;

/// More rules of one instruction are not listed.
const RULES: usize = 12;

/// The text for a word, as Markdown; nothing for a word that the specification does not know.
pub(super) fn hover(spec: &Spec, word: &str) -> Option<String> {
    if let Some(at) = spec.instructions.find(word) {
        let span = &spec.instructions.list[at].span;
        let mut out = format!("{}\n{span}\n", fenced(&block(span)));
        let rules: Vec<&Rule> =
            spec.rules.iter().filter(|r| r.on.as_ref().is_some_and(|(_, instr, _)| *instr == at)).collect();
        for rule in rules.iter().take(RULES) {
            let doc = if rule.doc.is_empty() { String::new() } else { format!(": {}", rule.doc) };
            let cite = if rule.cite.is_empty() { String::new() } else { format!(" ({})", rule.cite) };
            let _ = write!(out, "\n- `{}`{doc}{cite}, {}", rule.name, rule.span);
        }
        if rules.len() > RULES {
            let _ = write!(out, "\n- and {} more rules", rules.len() - RULES);
        }
        return Some(out);
    }
    let rule = spec.rules.iter().find(|r| r.name == word).map(|r| &r.span);
    let function = spec.functions.iter().find(|f| f.name == word).map(|f| &f.span);
    let span = rule.or(function)?;
    Some(format!("{}\n{span}", fenced(&block(span))))
}

fn fenced(text: &str) -> String {
    format!("```litmpi-spec\n{text}\n```\n")
}

/// The item that begins in the span's line: that line and those below it that are indented.
fn block(span: &Span) -> String {
    let text = &span.source.text;
    let at = span.start.min(text.len());
    let start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let mut out = String::new();
    for (i, line) in text[start..].lines().enumerate() {
        if i > 0 && !line.starts_with([' ', '\t', '}']) {
            break;
        }
        if i > 0 {
            out.push('\n');
        }
        out.push_str(line.trim_end());
    }
    out
}
