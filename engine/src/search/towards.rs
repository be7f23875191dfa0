//! Search for one outcome: the state that looks nearest to it is expanded first.
//!
//! What is found is a way, not a shortest one. That nothing is found says nothing: a system that leaves transitions out may put off for ever what
//! leads there, and bounds may be hit.

use crate::search::states::States;
use crate::search::{Bounds, Exploration, Found, Path, System, Target, path};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// An outcome, and a way to it.
pub type Way<S> = (<S as System>::Outcome, Path<<S as System>::Step>);

/// A way to an outcome for which `wanted` holds. Of the states that were met, those of least `distance` are expanded first, of these the ones that are
/// farthest from the initial state, and of these the ones that were met first.
///
/// # Errors
/// The system's own.
pub fn towards<S: System>(
    system: &S,
    bounds: Bounds,
    wanted: impl Fn(&S::Outcome) -> bool,
    distance: impl Fn(&[u32]) -> usize,
) -> Result<Option<Way<S>>, S::Fault> {
    let initial = system.initial();
    let mut states = States::new(initial.len());
    states.add(&initial);
    let mut parents = vec![(0, 0)];
    let mut todo = BinaryHeap::from([(Reverse(distance(&initial)), 0_u32, Reverse(0_u32))]);
    let mut current = vec![];
    while let Some((_, depth, Reverse(from))) = todo.pop() {
        states.load(from, &mut current);
        let (mut place, mut found) = (0, None);
        system.transitions(&current, &mut |_, target| {
            match target {
                _ if found.is_some() => {}
                Target::State(s) => {
                    let (to, new) = states.add(s);
                    if new {
                        parents.push((from, place));
                        todo.push((Reverse(distance(s)), depth + 1, Reverse(to)));
                    }
                }
                Target::Outcome(o) if wanted(&o) => found = Some((o, Found { state: from, transition: Some(place) })),
                Target::Outcome(_) => {}
            }
            place += 1;
        })?;
        if place == 0 {
            let end = system.end(&current).filter(&wanted);
            found = end.map(|o| (o, Found { state: from, transition: None }));
        }
        if let Some((outcome, found)) = found {
            let states = states.len();
            let outcomes = BTreeMap::from([(outcome.clone(), found)]);
            let (executions, acyclic, bounds) = (None, false, vec![]);
            let met = Exploration { outcomes, states, transitions: 0, executions, acyclic, bounds, parents };
            return path(system, &met, found).map(|path| Some((outcome, path)));
        }
        let kept = parents.len() * size_of::<(u32, u32)>() + todo.len() * size_of::<(usize, u32, u32)>();
        if states.len() > bounds.states || states.bytes() + kept + system.bytes() > bounds.bytes {
            return Ok(None);
        }
    }
    Ok(None)
}
