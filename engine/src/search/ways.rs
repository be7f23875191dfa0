//! Exhaustive search, breadth first.

use crate::search::forever::{settled, stuck};
use crate::search::states::States;
use crate::search::{Bound, Bounds, System, Target};
use std::collections::BTreeMap;

/// How an outcome was first reached: the number of the state, and of its transition if that led out of the system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Found {
    /// The state's number.
    pub state: u32,
    /// The transition's place among those of the state, for outcomes that are no states.
    pub transition: Option<u32>,
}

/// What a search found.
#[derive(Debug)]
pub struct Exploration<O> {
    /// Every outcome and where it was first reached.
    pub outcomes: BTreeMap<O, Found>,
    /// Distinct states.
    pub states: usize,
    /// Transitions, counted once a state.
    pub transitions: usize,
    /// Paths from the initial state to an end; none if there are infinitely many, `u128::MAX` if more than that.
    pub executions: Option<u128>,
    /// Whether no path comes back to a state; known only of a search that was not stopped.
    pub acyclic: bool,
    /// Bounds that were hit: the outcomes are then perhaps not all.
    pub bounds: Vec<Bound>,
    /// For every state, the one that it was first reached from and the place of the transition there.
    pub(crate) parents: Vec<(u32, u32)>,
}

/// A search looks at the clock after so many states.
const LOOKS: usize = 64;

/// The bound that the states alone exceed, if one.
fn exceeded(states: &States, bounds: Bounds) -> Option<Bound> {
    if states.len() > bounds.states {
        return Some(Bound::States(bounds.states));
    }
    (states.bytes() > bounds.bytes).then_some(Bound::Bytes(bounds.bytes))
}

/// Reaches every state within the bounds.
///
/// # Errors
/// The system's own.
pub fn explore<S: System>(system: &S, bounds: Bounds) -> Result<Exploration<S::Outcome>, S::Fault> {
    let initial = system.initial();
    let mut states = States::new(initial.len());
    states.add(&initial);
    let mut out = Exploration {
        outcomes: BTreeMap::new(),
        states: 0,
        transitions: 0,
        executions: None,
        acyclic: false,
        bounds: vec![],
        parents: vec![(0, 0)],
    };
    // Successors of every expanded state, for counting executions; an end counts as one path.
    let (mut edges, mut starts, mut ends): (Vec<u32>, Vec<usize>, Vec<u32>) = (vec![], vec![], vec![]);
    let mut cut: Vec<u32> = vec![];
    let comes_back = system.forever().is_some();
    let mut current = Vec::with_capacity(initial.len());
    let mut next = 0;
    while next < states.len() {
        let from = next as u32;
        next += 1;
        states.load(from, &mut current);
        starts.push(edges.len());
        // Nothing is known of what comes after a state that is cut.
        let (mut place, mut leaves) = (0, 0);
        let is_cut = system.is_cut(&current);
        let mut hit = None;
        system.transitions(&current, &mut |_, target| {
            match target {
                // A state may have very many successors, each of them large.
                Target::State(_) if hit.is_some() => {}
                Target::State(s) => {
                    let (to, new) = states.add(s);
                    if new {
                        out.parents.push((from, place));
                        hit = exceeded(&states, bounds);
                    }
                    edges.push(to);
                }
                Target::Outcome(o) => {
                    leaves += 1;
                    out.outcomes.entry(o).or_insert(Found { state: from, transition: Some(place) });
                }
            }
            place += 1;
        })?;
        out.transitions += place as usize;
        if place == 0 {
            leaves = 1;
            match system.end(&current) {
                Some(o) => _ = out.outcomes.entry(o).or_insert(Found { state: from, transition: None }),
                None if !out.bounds.contains(&Bound::Loops) => out.bounds.push(Bound::Loops),
                None => {}
            }
        }
        if is_cut && !out.bounds.contains(&Bound::Loops) {
            out.bounds.push(Bound::Loops);
        }
        ends.push(leaves);
        let over = if comes_back { system.over(&current) } else { None };
        if is_cut || over.is_some() {
            cut.push(from);
        }
        if let Some(o) = over {
            out.outcomes.entry(o).or_insert(Found { state: from, transition: None });
        }
        if let Some(hit) = hit {
            out.bounds.push(hit);
            break;
        }
        let kept = (out.parents.len() + starts.len()) * 8 + (edges.len() + ends.len()) * 4;
        if states.bytes() + kept + system.bytes() > bounds.bytes {
            out.bounds.push(Bound::Bytes(bounds.bytes));
            break;
        }
        if out.parents.len().is_multiple_of(LOOKS)
            && let Some(late) = bounds.late()
        {
            out.bounds.push(late);
            break;
        }
    }
    out.states = states.len();
    starts.push(edges.len());
    if !Bound::stopped(&out.bounds) {
        out.executions = count_paths(&edges, &starts, &ends);
        out.acyclic = out.executions.is_some();
        if let Some(outcome) = system.forever().filter(|_| !out.acyclic) {
            let range = |from: usize| edges[starts[from]..starts[from + 1]].iter();
            let all = (0..ends.len()).flat_map(|from| range(from).map(move |to| (from as u32, *to)));
            let back = all.clone().map(|(from, to)| (to, from)).collect();
            let ended = (0_u32..).zip(&ends).filter(|(_, n)| **n > 0).map(|(state, _)| state);
            if let Some(state) = stuck(ends.len(), back, ended.chain(cut)) {
                let found = || Found { state: settled(ends.len(), all.collect(), state), transition: None };
                out.outcomes.entry(outcome).or_insert_with(found);
            }
        }
    }
    Ok(out)
}

/// Paths from state 0 to an end, if the graph has no cycle.
fn count_paths(edges: &[u32], starts: &[usize], ends: &[u32]) -> Option<u128> {
    const UNSEEN: u8 = 0;
    const OPEN: u8 = 1;
    const CLOSED: u8 = 2;
    let mut mark = vec![UNSEEN; ends.len()];
    let mut paths = vec![0_u128; ends.len()];
    let mut stack = vec![(0_u32, starts[0])];
    mark[0] = OPEN;
    paths[0] = u128::from(ends[0]);
    while let Some((state, at)) = stack.last_mut() {
        let s = *state as usize;
        if *at == starts[s + 1] {
            mark[s] = CLOSED;
            stack.pop();
            if let Some((parent, _)) = stack.last() {
                let p = *parent as usize;
                paths[p] = paths[p].saturating_add(paths[s]);
            }
            continue;
        }
        let to = edges[*at] as usize;
        *at += 1;
        match mark[to] {
            UNSEEN => {
                mark[to] = OPEN;
                paths[to] = u128::from(ends[to]);
                stack.push((to as u32, starts[to]));
            }
            OPEN => return None,
            _ => paths[s] = paths[s].saturating_add(paths[to]),
        }
    }
    Some(paths[0])
}
