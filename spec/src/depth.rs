//! How deep a syntax tree may be: what checks, evaluates and prints it is recursive.
//!
//! The parser itself is guarded by pest. A flat chain, `a + b + c + …`, is deep, too: it leans to the left, and each operator
//! stands on the one before it.

use crate::diag::{Diagnostic, Report};
use crate::source::{Source, Span};
use pest::RuleType;
use pest::Token;
use pest::iterators::Pairs;
use std::sync::Arc;

/// Rules of the grammars between an expression and one in brackets inside of it, about.
const LEVELS: usize = 12;

/// Deepest tree, in expressions inside of each other.
const DEEPEST: usize = 200;

/// Refuses a tree that is too deep. `links` says how many operators a node of a rule with so many children chains.
///
/// # Errors
/// Where the tree becomes too deep, and what would be right.
pub fn within<R: RuleType>(
    source: &Arc<Source>,
    pairs: &Pairs<'_, R>,
    links: impl Fn(R, usize) -> usize,
) -> Result<(), Report> {
    // Of each node that is open: how deep the tree below it is so far, and how many children it has.
    let mut open = vec![(0, 0)];
    for token in pairs.clone().tokens() {
        match token {
            Token::Start { .. } => {
                if let Some((_, children)) = open.last_mut() {
                    *children += 1;
                }
                open.push((0, 0));
            }
            Token::End { rule, pos } => {
                let Some((below, children)) = open.pop() else { break };
                let depth = below + 1 + LEVELS * links(rule, children);
                if depth > LEVELS * DEEPEST {
                    let end = pos.pos();
                    let last = source.text[..end].char_indices().next_back().map_or(0, |(at, _)| at);
                    let message = format!("this is more than {DEEPEST} expressions inside of each other");
                    return Err(Diagnostic::at(&Span::new(source, last, end), message)
                        .found("up to here; of a chain such as a + b + c, each operator counts")
                        .help("give parts of it names")
                        .into());
                }
                if let Some((deepest, _)) = open.last_mut() {
                    *deepest = depth.max(*deepest);
                }
            }
        }
    }
    Ok(())
}
