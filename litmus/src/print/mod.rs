//! Test to text. What is printed parses back to the same test, up to places.
//!
//! Sugar is printed in its plain form: loads of locations in expressions as reads into the hidden registers `$1`,
//! tuples and chains of equations as conjunctions, implicit locations as declared ones, aliases of constants by
//! their first name. A literal that an anonymous location holds is printed as the literal, and arguments that equal
//! their defaults are left out.

mod code;

use crate::ast::{Cite, Claim, Prop, Test, Thread};
use litmpi_spec::decl::Instructions;
use litmpi_spec::program::Loc;
use std::fmt::Write as _;

/// The text of a test.
pub fn print(test: &Test, decls: &Instructions) -> String {
    let mut out = format!("litmus {} {} {}\n", test.family, test.name, quoted(&test.title));
    if as_ranks(test) {
        for thread in &test.threads {
            let variables: Vec<String> =
                variables(test, thread.node).into_iter().map(|v| format!("  int {v}\n")).collect();
            let body = code::body(test, thread, decls);
            if variables.is_empty() && body.is_empty() {
                line(&mut out, &format!("rank {} {{ }}", thread.number));
            } else {
                line(&mut out, &format!("rank {} {{\n{}{body}}}", thread.number, variables.concat()));
            }
        }
    } else {
        for (i, node) in test.nodes.iter().enumerate() {
            let variables = variables(test, i);
            let inside = if variables.is_empty() { " ".to_string() } else { format!(" {} ", variables.join("  ")) };
            line(&mut out, &format!("node {} {{{inside}}}", node.number));
        }
        for thread in &test.threads {
            let head = format!("thread {} on {}", thread.number, test.nodes[thread.node].number);
            let body = code::body(test, thread, decls);
            line(&mut out, &if body.is_empty() { format!("{head} {{ }}") } else { format!("{head} {{\n{body}}}") });
        }
    }
    let mut named = Vec::new();
    test.claims.iter().for_each(|c| mentioned(&c.prop, &mut named));
    let further: Vec<&str> =
        (0..test.observed.len()).filter(|i| !named.contains(i)).map(|i| test.observed[i].name.as_str()).collect();
    if !further.is_empty() {
        line(&mut out, &format!("locations {}", further.join(" ")));
    }
    for claim in &test.claims {
        print_claim(&mut out, test, claim);
    }
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Whether each thread is its node's only one and has its number, from 0: then the test is written by ranks.
fn as_ranks(test: &Test) -> bool {
    let own = |(i, t): (usize, &Thread)| t.node == i && usize::try_from(t.number) == Ok(i);
    test.family == "mpi"
        && test.threads.len() == test.nodes.len()
        && test.nodes.iter().enumerate().all(|(i, n)| usize::try_from(n.number) == Ok(i))
        && test.threads.iter().enumerate().all(own)
}

/// The declarations of a node: `x = 0`, `r[2] = {1, 2}`.
fn variables(test: &Test, node: usize) -> Vec<String> {
    let written = |l: &&Loc| l.node == node && l.room > 0 && !l.name.starts_with('$');
    let named: Vec<&Loc> = test.locs.iter().filter(written).collect();
    let mut out = Vec::new();
    let mut i = 0;
    while i < named.len() {
        let loc = named[i];
        let Some(base) = loc.name.strip_suffix("[0]") else {
            out.push(format!("{} = {}", loc.name, loc.initial));
            i += 1;
            continue;
        };
        let len = usize::try_from(loc.room).unwrap_or(1).clamp(1, named.len() - i);
        let values = &named[i..i + len];
        if values.iter().all(|l| l.initial == loc.initial) {
            out.push(format!("{base}[{len}] = {}", loc.initial));
        } else {
            let values: Vec<String> = values.iter().map(|l| l.initial.to_string()).collect();
            out.push(format!("{base}[{len}] = {{{}}}", values.join(", ")));
        }
        i += len;
    }
    out
}

/// The observables of a proposition in order of mention.
fn mentioned(prop: &Prop, out: &mut Vec<usize>) {
    match prop {
        Prop::Eq(i, _) | Prop::Ne(i, _) | Prop::Undefined(i) => {
            if !out.contains(i) {
                out.push(*i);
            }
        }
        Prop::And(a, b) | Prop::Or(a, b) => {
            mentioned(a, out);
            mentioned(b, out);
        }
        Prop::Not(a) => mentioned(a, out),
        Prop::True | Prop::Deadlock | Prop::Erroneous => {}
    }
}

fn print_claim(out: &mut String, test: &Test, claim: &Claim) {
    line(out, &format!("{} {}", claim.quantifier, prop(test, &claim.prop, 0)));
    for v in &claim.verdicts {
        let mut text = format!("  verdict {}", v.model);
        if let Some(variant) = &v.variant {
            let _ = write!(text, " ({variant})");
        }
        let _ = write!(text, " {}", v.expect);
        text.push_str(&cited(v.cite.as_ref()));
        if let Some(because) = &v.because {
            let _ = write!(text, "  because {}", quoted(because));
        }
        line(out, &text);
    }
    for s in &claim.seen {
        line(out, &format!("  seen {} on {}{}", quoted(&s.rate), quoted(&s.on), cited(s.cite.as_ref())));
    }
    for b in &claim.beside {
        let [one, other] = &b.models;
        let because = b.because.as_ref().map_or(String::new(), |b| format!("  because {}", quoted(b)));
        line(out, &format!("  {} {one} {other}{}{because}", b.how, cited(b.cite.as_ref())));
    }
}

fn cited(cite: Option<&Cite>) -> String {
    cite.map(|c| format!("  cite {} {}", c.work, quoted(&c.place))).unwrap_or_default()
}

/// A proposition as a condition writes it: `x = 1 /\ ~deadlock`.
pub fn condition(test: &Test, p: &Prop) -> String {
    prop(test, p, 0)
}

/// A proposition inside one that binds with `strength`: 0 nothing, 1 or, 2 and.
fn prop(test: &Test, p: &Prop, strength: u8) -> String {
    let name = |i: &usize| test.observed.get(*i).map_or("?", |o| o.name.as_str());
    let (text, own) = match p {
        Prop::True => ("true".to_string(), 3),
        Prop::Deadlock => ("deadlock".to_string(), 3),
        Prop::Erroneous => ("erroneous".to_string(), 3),
        Prop::Eq(i, v) => (format!("{} = {v}", name(i)), 3),
        Prop::Ne(i, v) => (format!("{} != {v}", name(i)), 3),
        Prop::Undefined(i) => (format!("{} = undefined", name(i)), 3),
        Prop::And(a, b) => (format!("{} /\\ {}", prop(test, a, 2), prop(test, b, 3)), 2),
        Prop::Or(a, b) => (format!("{} \\/ {}", prop(test, a, 1), prop(test, b, 2)), 1),
        Prop::Not(a) => match **a {
            Prop::True | Prop::Deadlock | Prop::Erroneous => (format!("~{}", prop(test, a, 3)), 3),
            _ => (format!("~({})", prop(test, a, 0)), 3),
        },
    };
    if own < strength { format!("({text})") } else { text }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
