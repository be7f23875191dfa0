//! Programs mended by Fig. 5 of rdma-robustness: where LDRF or fenced fails on two accesses of a thread, what the figure asks
//! for stands behind the first one. That is quick, and often more than is needed.

use super::places::{Item, towards};
use super::table::{Insertion, Table};
use super::{Mended, Patient, text};
use litmpi_cat::candidates::Broken;
use litmpi_litmus::ast::Test;
use litmpi_models::Tried;
use litmpi_spec::diag::Report;
use litmpi_spec::source::Source;
use std::sync::Arc;

/// The conditions that are enough together.
const ENOUGH: [&str; 2] = ["ldrf", "fenced"];
/// Most insertions, and most times that one is repeated to reach the operation that it is for.
const MOST: usize = 40;
const REPEATED: usize = 8;

/// The program as the figure mends it, and what that comes to; nothing if there are no conditions for the model, if they hold
/// already, or if the figure says nothing of a pair.
pub(super) fn mend(p: &Patient<'_>, source: &Arc<Source>, table: &Table) -> Result<Option<(Mended, Tried)>, Report> {
    let mut now = Arc::clone(source);
    let mut items: Vec<Item> = vec![];
    for _ in 0..MOST {
        let test = p.parse(&now)?;
        let broken = broken(p, &test)?;
        let Some(pair) = broken.first() else {
            let tried = if items.is_empty() { None } else { p.ask(&now)? };
            return Ok(tried.map(|tried| (Mended { items, source: now, rounds: None }, tried)));
        };
        let Some((insertion, thread, node)) = asked_for(&test, pair, table) else { return Ok(None) };
        let item = |insertion| Item { insertion, thread, node, behind: pair.from.span.clone() };
        let mut chosen = vec![item(insertion.clone())];
        // Earlier operations may have to be polled before.
        let again = table
            .insertions
            .iter()
            .find(|i| i.statements[..] == insertion.statements[insertion.statements.len() - 1..]);
        loop {
            let next = text::with(&now, &chosen.iter().collect::<Vec<_>>())?;
            let left = self::broken(p, &p.parse(&next)?)?;
            if left.len() < broken.len() {
                now = next;
                items.append(&mut chosen);
                break;
            }
            let Some(again) = again.filter(|_| chosen.len() <= REPEATED) else { return Ok(None) };
            chosen.push(item(again.clone()));
        }
    }
    Ok(None)
}

/// The pairs on which the conditions fail.
fn broken(p: &Patient<'_>, test: &Test) -> Result<Vec<Broken>, Report> {
    let mut out = vec![];
    for condition in p.robustness.conditions.iter().filter(|c| ENOUGH.contains(&c.name.as_str())) {
        out.extend(p.robustness.against(condition, test, p.variant, p.limits)?);
    }
    Ok(out)
}

/// What the figure asks for between two events, in which thread and towards which node.
fn asked_for<'t>(test: &Test, pair: &Broken, table: &'t Table) -> Option<(&'t Insertion, usize, Option<i64>)> {
    let thread = pair.from.thread?;
    let [first, second] = [&pair.from.span, &pair.to.span].map(|s| towards(test, thread, s));
    let same = first.is_some() && first == second;
    Some((table.order(&pair.from.label, &pair.to.label, same)?, thread, first))
}
