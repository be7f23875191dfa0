//! States from which no end can be reached. A system that comes to one goes on for ever and gets nowhere, whatever it does: if it takes
//! each step again and again that it can take again and again (strong fairness), it ends up in states of this kind or at an end.
//!
//! A search that follows a stubborn set of each state sees one exactly if the search of all transitions does. Of the way to such
//! a state, take what is followed first; what is followed from there leads to an end, and the way, whose steps commute with it, would lead on
//! from that end, which has no steps (Valmari, "Stop it, and be stubborn!", ACSD 2015). An error is such an end, too: the search finds it
//! from each state from which there is a way to it, because it puts nothing off for ever.

/// About how many bytes an edge takes, while it is kept and when it is turned round.
pub(crate) const EDGE_BYTES: usize = 24;

/// The transitions of a search that keeps states by key.
#[derive(Default)]
pub(crate) struct Graph {
    /// From where, to where.
    pub(crate) edges: Vec<(u64, u64)>,
    /// States that end, in an outcome or because nothing is known of what comes after them.
    pub(crate) ends: Vec<u64>,
}

impl Graph {
    /// Adds what another has.
    pub(crate) fn append(&mut self, other: &mut Graph) {
        self.edges.append(&mut other.edges);
        self.ends.append(&mut other.ends);
    }

    /// The same with states under other keys.
    pub(crate) fn rename(&mut self, mut rename: impl FnMut(u64) -> u64) {
        self.edges.iter_mut().for_each(|(from, to)| (*from, *to) = (rename(*from), rename(*to)));
        self.ends.iter_mut().for_each(|key| *key = rename(*key));
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.edges.len() * EDGE_BYTES + self.ends.len() * size_of::<u64>()
    }

    /// Whether from some state no end can be reached.
    pub(crate) fn goes_on_for_ever(self, mut states: Vec<u64>) -> bool {
        states.sort_unstable();
        let number = |key: &u64| states.binary_search(key).expect("a state that was entered") as u32;
        let back = self.edges.iter().map(|(from, to)| (number(to), number(from))).collect();
        stuck(states.len(), back, self.ends.iter().map(number)).is_some()
    }
}

/// The first state from which no end can be reached, if there is one. `back` are edges turned round.
pub(crate) fn stuck(states: usize, mut back: Vec<(u32, u32)>, ends: impl Iterator<Item = u32>) -> Option<u32> {
    back.sort_unstable();
    reach(states, &back, ends).iter().position(|reaches| !reaches).map(|state| state as u32)
}

/// From a state, one that can be reached from each that it can reach.
pub(crate) fn settled(states: usize, mut edges: Vec<(u32, u32)>, mut at: u32) -> u32 {
    let mut back: Vec<(u32, u32)> = edges.iter().map(|(from, to)| (*to, *from)).collect();
    edges.sort_unstable();
    back.sort_unstable();
    loop {
        let (ahead, behind) = (reach(states, &edges, [at].into_iter()), reach(states, &back, [at].into_iter()));
        // The state that was found last is often far down.
        match (0..states).rposition(|state| ahead[state] && !behind[state]) {
            Some(state) => at = state as u32,
            None => return at,
        }
    }
}

/// By state: whether it can be reached from some state by edges, which are in order.
fn reach(states: usize, edges: &[(u32, u32)], from: impl Iterator<Item = u32>) -> Vec<bool> {
    let mut seen = vec![false; states];
    let mut todo: Vec<u32> = from.collect();
    todo.iter().for_each(|state| seen[*state as usize] = true);
    while let Some(state) = todo.pop() {
        let begin = edges.partition_point(|(from, _)| *from < state);
        for (_, to) in edges[begin..].iter().take_while(|(from, _)| *from == state) {
            if !std::mem::replace(&mut seen[*to as usize], true) {
                todo.push(*to);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_state_without_a_way_to_an_end_is_found() {
        // 0 -> 1 -> 2, 1 <-> 3, 3 -> 4 <-> 5.
        let edges = [(0, 1), (1, 2), (1, 3), (3, 1), (3, 4), (4, 5), (5, 4)];
        let back: Vec<(u32, u32)> = edges.iter().map(|(from, to)| (*to, *from)).collect();
        assert_eq!(stuck(6, back.clone(), [2].into_iter()), Some(4));
        assert_eq!(stuck(6, back.clone(), [2, 5].into_iter()), None);
        assert_eq!(stuck(6, back, [5].into_iter()), Some(2));
        // Without the way to 2, all ways come to 4 and 5, and stay there.
        assert_eq!(settled(6, edges.iter().copied().filter(|e| *e != (1, 2)).collect(), 0), 5);
    }

    #[test]
    fn keys_need_not_be_numbers() {
        let edges = vec![(70, 7), (7, 70), (70, 700)];
        let graph = |ends| Graph { edges: edges.clone(), ends };
        assert!(!graph(vec![700]).goes_on_for_ever(vec![700, 7, 70]));
        assert!(graph(vec![]).goes_on_for_ever(vec![700, 7, 70]));
    }
}
