//! The cheapest set of items that does, where more items never do less.
//!
//! Whoever asks has an oracle: a set does, fails, or does and is of no use for another reason. If a set fails, all of its
//! subsets fail. So each failing set is first made as large as it can be; whatever does has an item outside of it. A set that
//! does thus hits the complement of every failing set found, and the cheapest sets that hit them all are asked about in the
//! order of their costs: what is found is the cheapest, and what was asked about is the proof. (Implicit hitting sets, as
//! solvers for MaxSAT have them: Davies and Bacchus, CP 2011.)

use std::collections::{BTreeSet, BinaryHeap};
use std::cmp::Reverse;

/// A set of items, by their numbers.
type Items = BTreeSet<usize>;

/// What a set comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried {
    /// It does.
    Does,
    /// It fails, and so does each of its subsets.
    Fails,
    /// It does not fail, but is of no use; others may be, with more items or fewer.
    Useless,
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

/// A cheapest set of items with these costs. `most` sets are tried at most.
///
/// # Errors
/// What the oracle says; none of the sets tried does, and there are more.
pub fn cheapest<E>(
    costs: &[u64],
    most: usize,
    mut ask: impl FnMut(&BTreeSet<usize>) -> Result<Tried, E>,
) -> Result<Option<Cheapest>, E> {
    let mut reasons: Vec<Items> = vec![];
    let mut useless: BTreeSet<Items> = BTreeSet::new();
    let mut tried = 0;
    let mut ask = |set: &Items, tried: &mut usize| {
        *tried += 1;
        ask(set)
    };
    loop {
        let Some(set) = next(costs, &reasons, &useless) else {
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
            Tried::Useless => _ = useless.insert(set),
            Tried::Fails => {
                let mut large = set;
                for item in 0..costs.len() {
                    if large.insert(item) && ask(&large, &mut tried)? != Tried::Fails {
                        large.remove(&item);
                    }
                }
                reasons.push((0..costs.len()).filter(|i| !large.contains(i)).collect());
            }
        }
    }
}

/// The cheapest set that has an item of each reason and is not known to be useless; of several, the least.
fn next(costs: &[u64], reasons: &[Items], useless: &BTreeSet<Items>) -> Option<Items> {
    let mut todo = BinaryHeap::from([Reverse((0, Items::new()))]);
    let mut seen: BTreeSet<Items> = BTreeSet::new();
    while let Some(Reverse((cost, set))) = todo.pop() {
        if !seen.insert(set.clone()) {
            continue;
        }
        let unhit = reasons.iter().find(|r| r.is_disjoint(&set));
        let more: Items = match unhit {
            None if !useless.contains(&set) => return Some(set),
            None => (0..costs.len()).filter(|i| !set.contains(i)).collect(),
            Some(reason) => reason.clone(),
        };
        for item in more {
            let mut larger = set.clone();
            larger.insert(item);
            todo.push(Reverse((cost + costs[item], larger)));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Cheapest, Tried, cheapest};
    use std::collections::BTreeSet;

    /// By trying all sets.
    fn by_hand(costs: &[u64], ask: impl Fn(&BTreeSet<usize>) -> Tried) -> Option<u64> {
        let sets = (0..1_u32 << costs.len()).map(|bits| (0..costs.len()).filter(|i| bits >> i & 1 == 1).collect());
        let does = sets.filter(|set: &BTreeSet<usize>| ask(set) == Tried::Does);
        does.map(|set| set.iter().map(|i| costs[*i]).sum()).min()
    }

    #[test]
    fn what_is_found_is_as_cheap_as_what_trying_all_sets_finds() {
        let costs = [3, 1, 4, 1, 5, 9, 2];
        // What has to be hit, and what makes a set useless.
        for seed in 0_usize..200 {
            let needs: Vec<Vec<usize>> = (0..4).map(|k| (0..7).filter(|i| (seed * 7 + k * 5 + i * i) % 3 == 0).collect()).collect();
            let ask = |set: &BTreeSet<usize>| match () {
                () if needs.iter().any(|n| n.iter().all(|i| !set.contains(i))) => Tried::Fails,
                () if set.len() == seed % 4 => Tried::Useless,
                () => Tried::Does,
            };
            let found = cheapest(&costs, 10_000, |set| Ok::<_, ()>(ask(set))).expect("no error").expect("enough");
            let cost = found.set.map(|set| set.iter().map(|i| costs[*i]).sum());
            assert_eq!(cost, by_hand(&costs, ask), "{needs:?}");
        }
    }

    #[test]
    fn what_nothing_does_is_told_and_a_bound_is_no_answer() {
        let none = cheapest(&[1, 2], 100, |_| Ok::<_, ()>(Tried::Fails)).expect("no error");
        assert_eq!(none, Some(Cheapest { set: None, tried: 3, failing: 1 }));
        let useless = cheapest(&[1, 2], 100, |_| Ok::<_, ()>(Tried::Useless)).expect("no error").expect("enough");
        assert_eq!((useless.set, useless.tried), (None, 4));
        assert_eq!(cheapest(&[1, 2], 2, |_| Ok::<_, ()>(Tried::Useless)), Ok(None));
    }
}
