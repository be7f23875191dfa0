//! Words that one operation moves in the place of one each: those that a layer moves in whatever order.

use super::code::{At, Num, Size, Step};

/// A loop over the words of an element, in whatever order, as one operation towards each node; none if it does anything else.
pub(super) fn together(counter: usize, end: i64, body: &[Step]) -> Option<Step> {
    let [step] = body else { return None };
    match step {
        Step::Remote { way, node, far, own, words: 1, work } if *node != Num::Counter(counter) => Some(Step::Remote {
            way: *way,
            node: node.clone(),
            far: whole(far, counter, end)?,
            own: whole(own, counter, end)?,
            words: end,
            work: work.clone(),
        }),
        Step::EachNode { counter: node, of, others, body } => {
            let body = vec![together(counter, end, body)?];
            Some(Step::EachNode { counter: *node, of: of.clone(), others: *others, body })
        }
        _ => None,
    }
}

/// Where an element begins of which the loop takes every word.
fn whole(at: &At, counter: usize, end: i64) -> Option<At> {
    let ((size, last), before) = at.indices.split_last()?;
    let is_every_word = *size == Size::Is(end) && *last == Num::Counter(counter);
    if !is_every_word || before.iter().any(|(_, n)| mentions(n, counter)) {
        return None;
    }
    let mut at = at.clone();
    at.indices.last_mut()?.1 = Num::Int(0);
    Some(at)
}

fn mentions(n: &Num, counter: usize) -> bool {
    let mut found = false;
    n.each(&mut |n| found |= *n == Num::Counter(counter));
    found
}
