//! Where a test's text has its ranks, statements and calls, so that a call can be put in another's place.
//!
//! Limits: tests of litmpi's own format whose threads are written as ranks.

use crate::parse::readable;
use litmpi_grammars::litmus::{Grammar, Rule};
use litmpi_spec::diag::{self, Report};
use litmpi_spec::source::Source;
use pest::Parser;
use pest::iterators::Pair;
use std::ops::Range;
use std::sync::Arc;

/// One `rank N { … }`.
#[derive(Debug, Clone)]
pub struct Rank {
    /// Its number.
    pub number: i64,
    /// Where its body begins, behind the brace.
    pub inside: usize,
    /// Where it ends, before the brace.
    pub end: usize,
    /// Its declared variables, `x[2] = {1, 2}`, as they stand.
    pub variables: Vec<String>,
    /// Its statements, those inside of others left out.
    pub statements: Vec<Range<usize>>,
    /// All its calls, those inside of other statements too.
    pub calls: Vec<Call>,
    /// Names of what is called for its value, `a := NAME(…)`.
    pub values: Vec<String>,
}

/// `NAME(args)`
#[derive(Debug, Clone)]
pub struct Call {
    /// What is called.
    pub name: String,
    /// Where the call stands.
    pub at: Range<usize>,
    /// Its arguments as they stand, with the names that they are given by.
    pub args: Vec<(Option<String>, String)>,
}

/// The ranks of a test, in the order of the text.
///
/// # Errors
/// The text is no test.
pub fn ranks(source: &Arc<Source>) -> Result<Vec<Rank>, Report> {
    let mut pairs = Grammar::parse(Rule::test, &source.text).map_err(|e| diag::syntax(source, &e, readable))?;
    let test = pairs.next().expect("the rule gives one pair");
    Ok(test.into_inner().filter(|p| p.as_rule() == Rule::rank).map(rank).collect())
}

fn rank(pair: Pair<'_, Rule>) -> Rank {
    let brace = pair.as_str().find('{').unwrap_or(0);
    let mut rank = Rank {
        number: 0,
        inside: pair.as_span().start() + brace + 1,
        end: (range(&pair).end).saturating_sub(1),
        variables: vec![],
        statements: vec![],
        calls: vec![],
        values: vec![],
    };
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::int => rank.number = part.as_str().parse().unwrap_or(0),
            Rule::variable => rank.variables.push(part.as_str().trim().to_owned()),
            Rule::kw_rank | Rule::kw_int => {}
            _ => {
                rank.statements.push(range(&part));
                let all = std::iter::once(part.clone()).chain(part.into_inner().flatten());
                rank.calls.extend(all.clone().filter(|p| p.as_rule() == Rule::call).map(call));
                let applied = all.filter(|p| p.as_rule() == Rule::applied);
                rank.values.extend(applied.map(|p| call(p).name));
            }
        }
    }
    rank
}

fn call(pair: Pair<'_, Rule>) -> Call {
    let at = range(&pair);
    let mut parts = pair.into_inner();
    let name = parts.next().map_or(String::new(), |p| p.as_str().trim().to_owned());
    let args = parts.next().map(|p| p.into_inner().map(argument).collect()).unwrap_or_default();
    Call { name, at, args }
}

fn argument(pair: Pair<'_, Rule>) -> (Option<String>, String) {
    let (mut name, mut value) = (None, String::new());
    for part in pair.into_inner() {
        if part.as_rule() == Rule::name {
            name = Some(part.as_str().trim().to_owned());
        } else {
            value = part.as_str().trim().to_owned();
        }
    }
    (name, value)
}

/// A non-atomic rule may end in white space that it skipped while looking for more.
fn range(pair: &Pair<'_, Rule>) -> Range<usize> {
    let start = pair.as_span().start();
    start..start + pair.as_str().trim_end().len()
}
