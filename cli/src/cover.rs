//! Of many tests, the few that together show the most.

use std::collections::{BTreeMap, BTreeSet};

/// One after the other, so many at most, the test that shows the most of what those before it do not; of several the first by name.
/// What each shows that is new stands beside it.
pub(crate) fn greedy<K: Ord + Clone, V: Clone>(
    mut by_test: BTreeMap<String, BTreeMap<K, V>>,
    number: usize,
) -> Vec<(String, BTreeMap<K, V>)> {
    let mut out: Vec<(String, BTreeMap<K, V>)> = vec![];
    let mut done: BTreeSet<K> = BTreeSet::new();
    while out.len() < number {
        by_test.values_mut().for_each(|shows| shows.retain(|i, _| !done.contains(i)));
        by_test.retain(|_, shows| !shows.is_empty());
        let Some((test, shows)) = by_test.iter().rev().max_by_key(|(_, shows)| shows.len()) else { break };
        done.extend(shows.keys().cloned());
        out.push((test.clone(), shows.clone()));
    }
    out
}
