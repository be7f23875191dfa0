//! Statements put into the text of a test, and the difference as a patch.

use super::places::Item;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::Source;
use similar::TextDiff;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

/// The text with these put in.
///
/// # Errors
/// A node that is to have a further location and is not found in the text.
pub(super) fn with(source: &Arc<Source>, items: &[&Item]) -> Result<Arc<Source>, Report> {
    let text = &source.text;
    let name = |stem: &str, number: String| {
        let mut name = format!("{stem}{number}");
        while text.contains(&name) {
            name.insert(0, 'm');
        }
        name
    };
    let mut edits: Vec<(usize, String)> = vec![];
    let mut spares: BTreeSet<i64> = BTreeSet::new();
    for (number, item) in items.iter().enumerate() {
        let spare = name("spare", item.node.map_or(String::new(), |n| n.to_string()));
        let copy = name("copy", format!("{}_{}", item.thread + 1, number + 1));
        if item.insertion.has_copy() {
            spares.extend(item.node);
        }
        for statement in item.insertion.with(item.node, &spare, &copy) {
            edits.push(behind(text, item.behind.start, item.behind.end, &statement));
        }
    }
    for node in spares {
        let at = node_at(text, node).ok_or_else(|| {
            let d = Diagnostic::general(format!("the declaration of node {node} is not found in {}", source.name));
            Report::from(d.help("write it as `node N { … }`, on a line of its own"))
        })?;
        edits.push((at, format!(" {} = 0 ", name("spare", node.to_string()))));
    }
    // Of what goes to one place, the first stays first.
    edits.sort_by_key(|(at, _)| *at);
    let mut out = String::new();
    let mut done = 0;
    for (at, new) in edits {
        out.push_str(&text[done..at]);
        out.push_str(&new);
        done = at;
    }
    out.push_str(&text[done..]);
    Ok(Source::new(source.name.clone(), out))
}

/// Where and how a statement is put in behind another one: on a line of its own if that has one.
fn behind(text: &str, start: usize, end: usize, statement: &str) -> (usize, String) {
    let line = text[..start].rfind('\n').map_or(0, |i| i + 1);
    let rest = text[end..].split('\n').next().unwrap_or_default();
    let alone = text[line..start].trim().is_empty() && (rest.trim().is_empty() || rest.trim_start().starts_with("--"));
    if alone {
        (end + rest.len(), format!("\n{}{statement}", &text[line..start]))
    } else {
        (end, format!("  {statement}"))
    }
}

/// The place behind the bracket that opens a node.
fn node_at(text: &str, node: i64) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let mut words = line.split_whitespace();
        if words.next() == Some("node") && words.next() == Some(node.to_string().as_str()) {
            return Some(at + line.find('{')? + 1);
        }
        at += line.len();
    }
    None
}

/// The difference of two texts of a file, as `patch` takes it.
pub(super) fn patch(path: &Path, old: &str, new: &str) -> String {
    let name = path.display().to_string();
    let name = name.trim_start_matches('/');
    TextDiff::from_lines(old, new).unified_diff().header(&format!("a/{name}"), &format!("b/{name}")).to_string()
}
