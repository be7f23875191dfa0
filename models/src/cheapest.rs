//! The cheapest set of items that does, where more items never do less.
//!
//! Whoever asks has an oracle: a set does, or fails, and then all of its subsets fail, or it is too much, and then all of its
//! supersets are. So each failing set is first made as large as it can be, and each that is too much as small: whatever does has
//! an item outside of the one and is no superset of the other. The cheapest such sets are asked about in the order of their
//! costs: what is found is the cheapest, and what was asked about is the proof. (Implicit hitting sets, as solvers for MaxSAT
//! have them: Davies and Bacchus, CP 2011.)

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

/// A set of items, by their numbers.
type Items = BTreeSet<usize>;

/// An item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Priced {
    /// What it costs.
    pub cost: u64,
    /// An earlier item that does the same: this one is taken only with that one.
    pub again: Option<usize>,
}

/// What a set comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried {
    /// It does.
    Does,
    /// It fails, and so does each of its subsets.
    Fails,
    /// It takes away what is to be kept, and so does each of its supersets.
    TooMuch,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cheapest {
    /// A cheapest set; none if no set does.
    pub set: Option<Vec<usize>>,
    /// How many sets were tried.
    pub tried: usize,
    /// How many of them fail and cannot be made larger: the reasons why nothing cheaper does.
    pub failing: usize,
}

/// A cheapest set of these items; none if `most` sets were tried and there are more.
///
/// # Errors
/// What the oracle says.
pub fn cheapest<E>(
    items: &[Priced],
    most: usize,
    mut ask: impl FnMut(&BTreeSet<usize>) -> Result<Tried, E>,
) -> Result<Option<Cheapest>, E> {
    let mut reasons: Vec<Items> = vec![];
    let mut too_much: Vec<Items> = vec![];
    let mut tried = 0;
    let mut ask = |set: &Items, tried: &mut usize| {
        *tried += 1;
        ask(set)
    };
    loop {
        let Some(set) = next(items, &reasons, &too_much) else {
            return Ok(Some(Cheapest { set: None, tried, failing: reasons.len() }));
        };
        if tried >= most {
            return Ok(None);
        }
        match ask(&set, &mut tried)? {
            Tried::Does => {
                let set = Some(set.into_iter().collect());
                return Ok(Some(Cheapest { set, tried, failing: reasons.len() }));
            }
            Tried::TooMuch => {
                let mut small = set;
                for item in (0..items.len()).rev() {
                    let with_later = small.iter().any(|i| items[*i].again == Some(item));
                    if !with_later && small.remove(&item) && ask(&small, &mut tried)? != Tried::TooMuch {
                        small.insert(item);
                    }
                }
                too_much.push(small);
            }
            Tried::Fails => {
                let mut large = set;
                for (item, priced) in items.iter().enumerate() {
                    let with_earlier = priced.again.is_none_or(|e| large.contains(&e));
                    if with_earlier && large.insert(item) && ask(&large, &mut tried)? != Tried::Fails {
                        large.remove(&item);
                    }
                }
                reasons.push((0..items.len()).filter(|i| !large.contains(i)).collect());
            }
        }
    }
}

/// The cheapest set that has an item of each reason and not all of anything that is too much; of several, the least.
fn next(items: &[Priced], reasons: &[Items], too_much: &[Items]) -> Option<Items> {
    let mut todo = BinaryHeap::from([Reverse((0, Items::new()))]);
    let mut seen: BTreeSet<Items> = BTreeSet::new();
    while let Some(Reverse((cost, set))) = todo.pop() {
        if too_much.iter().any(|t| t.is_subset(&set)) || !seen.insert(set.clone()) {
            continue;
        }
        let Some(more) = reasons.iter().find(|r| r.is_disjoint(&set)) else { return Some(set) };
        // With an item come the earlier ones that do the same; the first of them that is missing stands for all.
        for item in more.iter().filter(|i| items[**i].again.is_none_or(|e| !more.contains(&e) || set.contains(&e))) {
            let (mut larger, mut price, mut next) = (set.clone(), cost, Some(*item));
            while let Some(item) = next.filter(|i| larger.insert(*i)) {
                price += items[item].cost;
                next = items[item].again;
            }
            todo.push(Reverse((price, larger)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Cheapest, Priced, Tried, cheapest};
    use std::collections::BTreeSet;

    fn priced(costs: &[u64]) -> Vec<Priced> {
        costs.iter().map(|cost| Priced { cost: *cost, again: None }).collect()
    }

    /// By trying all sets.
    fn by_hand(costs: &[u64], ask: impl Fn(&BTreeSet<usize>) -> Tried) -> Option<u64> {
        let sets = (0..1_u32 << costs.len()).map(|bits| (0..costs.len()).filter(|i| bits >> i & 1 == 1).collect());
        let does = sets.filter(|set: &BTreeSet<usize>| ask(set) == Tried::Does);
        does.map(|set| set.iter().map(|i| costs[*i]).sum()).min()
    }

    #[test]
    fn what_is_found_is_as_cheap_as_what_trying_all_sets_finds() {
        let costs = [3, 1, 4, 1, 5, 9, 2];
        // What has to be hit, and what is too much.
        for seed in 0_usize..200 {
            let needs: Vec<Vec<usize>> =
                (0..4).map(|k| (0..7).filter(|i| (seed * 7 + k * 5 + i * i) % 3 == 0).collect()).collect();
            let ask = |set: &BTreeSet<usize>| match () {
                () if set.contains(&(seed % 7)) && set.contains(&(seed % 5)) => Tried::TooMuch,
                () if needs.iter().any(|n| n.iter().all(|i| !set.contains(i))) => Tried::Fails,
                () => Tried::Does,
            };
            let found =
                cheapest(&priced(&costs), 10_000, |set| Ok::<_, ()>(ask(set))).expect("no error").expect("enough");
            let cost = found.set.map(|set| set.iter().map(|i| costs[*i]).sum());
            assert_eq!(cost, by_hand(&costs, ask), "{needs:?}");
        }
    }

    #[test]
    fn of_items_that_do_the_same_only_their_number_counts() {
        // Four polls of which three are needed, or one thing that costs as much as four.
        let mut items = priced(&[4, 1, 1, 1, 1]);
        (2..5).for_each(|i| items[i].again = Some(i - 1));
        let polls = |set: &BTreeSet<usize>| set.iter().filter(|i| **i > 0).count();
        let ask = |set: &BTreeSet<usize>| {
            assert!(!set.contains(&4) || polls(set) == 4, "{set:?}");
            if set.contains(&0) || polls(set) >= 3 { Tried::Does } else { Tried::Fails }
        };
        let found = cheapest(&items, 100, |set| Ok::<_, ()>(ask(set))).expect("no error").expect("enough");
        assert_eq!(found.set, Some(vec![1, 2, 3]));
    }

    #[test]
    fn what_nothing_does_is_told_and_a_bound_is_no_answer() {
        let none = cheapest(&priced(&[1, 2]), 100, |_| Ok::<_, ()>(Tried::Fails)).expect("no error");
        assert_eq!(none, Some(Cheapest { set: None, tried: 3, failing: 1 }));
        let none = cheapest(&priced(&[1, 2]), 100, |_| Ok::<_, ()>(Tried::TooMuch)).expect("no error");
        assert_eq!(none, Some(Cheapest { set: None, tried: 1, failing: 0 }));
        let second = |set: &BTreeSet<usize>| Ok::<_, ()>(if set.contains(&1) { Tried::Does } else { Tried::Fails });
        assert_eq!(cheapest(&priced(&[1, 2]), 2, second), Ok(None));
        assert!(cheapest(&priced(&[1, 2]), 4, second).is_ok_and(|c| c.is_some_and(|c| c.set == Some(vec![1]))));
    }
}
