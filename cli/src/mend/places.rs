//! Where statements may be put into a test's text, and which.

use super::table::{Insertion, Table};
use litmpi_litmus::ast::{Stmt, Test, calls};
use litmpi_spec::program::Operand;
use litmpi_spec::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// Polls that are put in at one place for one queue pair, at most.
const POLLS: usize = 4;

/// Something that may be put in at a place.
#[derive(Debug, Clone)]
pub(super) struct Item {
    pub(super) insertion: Insertion,
    /// Index of the thread.
    pub(super) thread: usize,
    /// The number of the node that it is towards, if any.
    pub(super) node: Option<i64>,
    /// Behind this statement.
    pub(super) behind: Span,
}

/// The node that a statement accesses the memory of, if it is another one's.
pub(super) fn towards(test: &Test, thread: usize, statement: &Span) -> Option<i64> {
    let calls = calls(&test.threads[thread].body);
    calls.iter().filter(|c| c.span.start == statement.start).find_map(|c| remote(test, thread, c.args))
}

fn remote(test: &Test, thread: usize, args: &[Operand]) -> Option<i64> {
    let own = test.threads[thread].node;
    args.iter().find_map(|a| match a {
        Operand::Loc(x) if test.locs[*x].node != own => Some(test.nodes[test.locs[*x].node].number),
        _ => None,
    })
}

/// Everything that may be put in, in the order of the text. What is towards a node stands behind an operation towards it,
/// and nothing stands at the end of a thread, where it would do nothing.
pub(super) fn items(test: &Test, table: &Table) -> Vec<Item> {
    let mut out = vec![];
    for (t, thread) in test.threads.iter().enumerate() {
        let mut walk = Walk { test, table, thread: t, before: BTreeMap::new(), polls: BTreeMap::new(), out: &mut out };
        for call in calls(&thread.body).iter().filter(|c| c.span.text().starts_with("poll")) {
            for arg in call.args {
                if let Operand::Node(n) = arg {
                    *walk.polls.entry(test.nodes[*n].number).or_default() += 1;
                }
            }
        }
        walk.body(&thread.body, true);
    }
    out
}

struct Walk<'w> {
    test: &'w Test,
    table: &'w Table,
    thread: usize,
    /// Operations towards each node that stand before.
    before: BTreeMap<i64, usize>,
    /// Polls of the thread's own, towards each node.
    polls: BTreeMap<i64, usize>,
    out: &'w mut Vec<Item>,
}

impl Walk<'_> {
    /// `last` says that nothing comes behind the body.
    fn body(&mut self, stmts: &[Stmt], last: bool) {
        for (i, stmt) in stmts.iter().enumerate() {
            let ends = last && i + 1 == stmts.len();
            let span = match stmt {
                Stmt::Call { args, span, .. } => {
                    if let Some(n) = remote(self.test, self.thread, args) {
                        *self.before.entry(n).or_default() += 1;
                    }
                    span
                }
                Stmt::Set { span, .. } => span,
                Stmt::If { then, els, span, .. } => {
                    [then, els].into_iter().for_each(|b| self.body(b, ends));
                    span
                }
                Stmt::While { body, span, .. } => {
                    // What stands later in a round stands before in the next.
                    let all: BTreeSet<i64> =
                        calls(body).into_iter().filter_map(|c| remote(self.test, self.thread, c.args)).collect();
                    all.into_iter().for_each(|n| _ = self.before.entry(n).or_insert(1));
                    self.body(body, false);
                    span
                }
                Stmt::Choose { of, span } => {
                    of.iter().for_each(|b| self.body(b, ends));
                    span
                }
            };
            // A statement that became several has one end.
            if !ends && stmts.get(i + 1).is_none_or(|next| start(next) != span.start) {
                self.place(span);
            }
        }
    }

    fn place(&mut self, behind: &Span) {
        for insertion in &self.table.insertions {
            let mut add = |node| {
                let (insertion, behind) = (insertion.clone(), behind.clone());
                self.out.push(Item { insertion, thread: self.thread, node, behind });
            };
            if !insertion.is_towards() {
                add(None);
                continue;
            }
            for (n, operations) in &self.before {
                // A fence twice is a fence once; polls add up. What brings what it polls leaves an own poll that comes later something to poll,
                // and so may have to stand once more for each of those.
                let polls = insertion.statements.iter().any(|s| s.starts_with("poll"));
                let times = match (polls, insertion.statements.len()) {
                    (true, 1) => (*operations).min(POLLS),
                    (true, _) => (1 + self.polls.get(n).unwrap_or(&0)).min(POLLS),
                    (false, _) => 1,
                };
                (0..times).for_each(|_| add(Some(*n)));
            }
        }
    }
}

fn start(stmt: &Stmt) -> usize {
    match stmt {
        Stmt::Call { span, .. }
        | Stmt::Set { span, .. }
        | Stmt::If { span, .. }
        | Stmt::While { span, .. }
        | Stmt::Choose { span, .. } => span.start,
    }
}
