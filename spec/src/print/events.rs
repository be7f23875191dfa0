//! What instructions are to declarative models.

use super::doc::{Doc, align, bracketed, cat, nest};
use super::expr::{Level, expr};
use super::{cite, quoted};
use crate::syntax::{Event, EventStep, Events};

pub(super) fn events(e: &Events) -> Doc {
    let params: Vec<&str> = e.params.iter().map(|p| p.node.as_str()).collect();
    let head = format!("events {} ({})", e.name.node, params.join(", "));
    let notes = e.cites.iter().map(cite).chain(e.deviations.iter().map(|d| format!("deviation {}", quoted(d))));
    let notes: Vec<Doc> = notes.flat_map(|n| [Doc::Line, n.into()]).collect();
    let open = if notes.is_empty() {
        cat([" ".into(), "{".into()])
    } else {
        cat([nest(Doc::Cat(notes)), Doc::Line, "{".into()])
    };
    // Outside any group, every step has a line.
    cat([head.into(), open, block(&e.steps)])
}

/// The steps and the closing bracket.
fn block(steps: &[EventStep]) -> Doc {
    let lines = steps.iter().flat_map(|s| [Doc::Line, step(s)]).collect();
    cat([nest(Doc::Cat(lines)), Doc::Line, "}".into()])
}

fn step(s: &EventStep) -> Doc {
    match s {
        EventStep::Event(e) => event(e),
        EventStep::Set(r, e) => cat([format!("{} := ", r.node).into(), align(expr(e, Level::Whole))]),
        EventStep::When(e) => cat(["when ".into(), align(expr(e, Level::Whole))]),
        EventStep::For(name, over, steps) => {
            let head = cat([format!("for {} in ", name.node).into(), align(expr(over, Level::Whole)), " {".into()]);
            cat([head, block(steps)])
        }
        EventStep::Either(of) => {
            let mut parts = vec![];
            for (i, steps) in of.iter().enumerate() {
                parts.push(if i == 0 { "either {".into() } else { " or {".into() });
                parts.push(block(steps));
            }
            Doc::Cat(parts)
        }
    }
}

fn event(e: &Event) -> Doc {
    let mut parts: Vec<Doc> = vec![e.label.node.as_str().into()];
    if !e.keys.is_empty() {
        let keys = e.keys.iter().map(|(k, v)| cat([format!("{}: ", k.node).into(), expr(v, Level::Whole)]));
        parts.extend([" ".into(), bracketed("(", keys, ")")]);
    }
    for (label, condition) in &e.also {
        parts.push(format!(" also {}", label.node).into());
        if let Some(c) = condition {
            parts.extend([" if ".into(), align(expr(c, Level::Whole))]);
        }
    }
    if let Some((x, index)) = &e.at {
        parts.push(format!(" at {}", x.node).into());
        if let Some(n) = index {
            parts.extend(["[".into(), expr(n, Level::Whole), "]".into()]);
        }
    }
    if let Some(a) = &e.reads {
        parts.push(format!(" reads {}", a.node).into());
    }
    if let Some(v) = &e.writes {
        parts.extend([" writes ".into(), align(expr(v, Level::Whole))]);
    }
    Doc::Cat(parts)
}
