//! Raw tree to test: names become nodes, locations, registers, instructions.
//!
//! Undeclared names of a thread are told apart by use ([`classify`]): what is passed where an instruction wants a
//! location of the node is an implicit location, initially 0; what is assigned is a register. An integer expression
//! that mentions locations first loads each into a hidden register `$1`, `$2`, `$3`, in any order if there are
//! several (rdma-tso Fig. 6); at most three, since the orders are spelt out.
//!
//! A literal where a location is wanted is an anonymous location that holds it, one for each value and node. A name
//! that the thread declares or assigns hides a constant of the same name.

mod assign;
mod body;
mod call;
mod claim;
mod classify;
mod expr;
mod normal;
mod vars;

use crate::ast::{Test, Thread};
use crate::{lower, raw};
pub(crate) use body::default as default_operand;
pub(crate) use call::bind;
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::program::{Node, Reg};
use litmpi_spec::source::Span;
use std::collections::BTreeMap;
use vars::Vars;

/// A test whose loops unroll to more steps than this is refused.
const LARGEST: u64 = 100_000;

/// A number has at most as many bits as the integers of programs.
fn fits(value: i64, span: &Span, decls: &Instructions, errors: &mut Vec<Diagnostic>) {
    if !decls.bits.holds(value) {
        let (least, greatest) = decls.bits.range();
        let help = format!("integers of these programs have {} bits: {least} to {greatest}", decls.bits);
        errors.push(Diagnostic::at(span, "the number does not fit").found("too large").help(help));
    }
}

/// Looks up everything; all errors, in the order of the text.
pub(crate) fn resolve(raw: &raw::Test, decls: &Instructions) -> Result<Test, Report> {
    // A test in herd's format may say that its integers have more bits than the specification gives those of programs.
    let wide = raw.herd.as_ref().is_some_and(|h| h.wide);
    let own = wide.then(|| Instructions { bits: litmpi_spec::integers::Bits::default(), ..decls.clone() });
    let decls = own.as_ref().unwrap_or(decls);
    let mut errors = Vec::new();
    let nodes = nodes(raw, &mut errors);
    let mut vars = Vars::declare(raw, decls, &nodes, &mut errors);
    let placed = threads(raw, &nodes, &mut errors);

    let uses: Vec<classify::Uses> =
        placed.iter().map(|(thread, node)| classify::uses(thread, *node, &vars, decls)).collect();
    let registers = vars.imply(&placed, uses, &nodes, &mut errors);

    let mut threads = Vec::new();
    for ((thread, node), found) in placed.iter().zip(registers) {
        let mut body = body::Body::new(decls, &nodes, &mut vars, *node, thread, found);
        let mut stmts = Vec::new();
        body.stmts(&thread.body, &mut stmts);
        let mut regs: Vec<Reg> = body.regs;
        errors.append(&mut body.errors);
        normal::registers(&mut stmts, &mut regs, decls);
        threads.push(Thread { number: thread.number.value, node: *node, regs, body: stmts });
    }

    let locs = vars.locs;
    let (observed, claims) = claim::Claims::new(&nodes, &locs, &threads, decls, &mut errors).all(raw);
    if claims.is_empty() {
        errors.push(
            Diagnostic::at(&raw.name.span, format!("test `{}` claims nothing", raw.name.text))
                .found("a test without a claim")
                .help("end it with a claim: `exists x = 1`, `~exists …` or `forall …`"),
        );
    }
    errors.sort_by_key(|d| d.span.as_ref().map_or(0, |s| s.start));
    Report(errors).into_result()?;

    let test = Test {
        family: raw.family.text.clone(),
        name: raw.name.text.clone(),
        title: raw.title.clone(),
        nodes,
        locs,
        threads,
        observed,
        claims,
        herd: raw.herd.clone(),
        span: raw.span.clone(),
    };
    let size = lower::size(&test, None);
    if size > LARGEST {
        let message = format!("the loops of test `{}` unroll to {size} steps", test.name);
        let d = Diagnostic::at(&raw.name.span, message).found("too large");
        return Err(d.help(format!("lower the bounds: at most {LARGEST} steps")).into());
    }
    Ok(test)
}

/// The nodes in order of their numbers.
fn nodes(raw: &raw::Test, errors: &mut Vec<Diagnostic>) -> Vec<Node> {
    let mut seen = BTreeMap::new();
    for node in &raw.nodes {
        let number = &node.number;
        if number.value < 0 {
            errors.push(
                Diagnostic::at(&number.span, format!("{} cannot be a node's number", number.value))
                    .found("negative")
                    .help("number nodes from 1, ranks from 0"),
            );
        }
        if seen.insert(number.value, &number.span).is_some() {
            errors.push(
                Diagnostic::at(&number.span, format!("node {} is declared twice", number.value))
                    .found("declared before")
                    .help("give each node or rank its own number, in one block"),
            );
        }
    }
    let ranks: Vec<_> = raw.threads.iter().filter(|t| t.rank).collect();
    if !ranks.is_empty() && ranks.len() == raw.threads.len() {
        for rank in ranks {
            if rank.number.value >= i64::try_from(seen.len()).unwrap_or(i64::MAX) {
                errors.push(
                    Diagnostic::at(&rank.number.span, format!("there is no rank {} here", rank.number.value))
                        .found(format!("the test has {} ranks", seen.len()))
                        .help("number ranks 0, 1, 2, … without gaps; a rank may be empty: `rank 1 { }`"),
                );
            }
        }
    }
    seen.into_keys().map(|number| Node { number }).collect()
}

/// The threads in order of their numbers, each with its node's index.
fn threads<'r>(raw: &'r raw::Test, nodes: &[Node], errors: &mut Vec<Diagnostic>) -> Vec<(&'r raw::Thread, usize)> {
    let mut placed: BTreeMap<i64, (&raw::Thread, usize)> = BTreeMap::new();
    for thread in &raw.threads {
        let on = &thread.on;
        let Some(node) = nodes.iter().position(|n| n.number == on.value) else {
            let known: Vec<String> = nodes.iter().map(|n| n.number.to_string()).collect();
            errors.push(
                Diagnostic::at(&on.span, format!("there is no node {}", on.value)).found("not declared").help(format!(
                    "declare it: `node {} {{ }}`; declared are: {}",
                    on.value,
                    known.join(", ")
                )),
            );
            continue;
        };
        let number = &thread.number;
        if placed.insert(number.value, (thread, node)).is_some() && !thread.rank {
            errors.push(
                Diagnostic::at(&number.span, format!("thread {} is declared twice", number.value))
                    .found("declared before")
                    .help("give each thread its own number"),
            );
        }
    }
    placed.into_values().collect()
}
