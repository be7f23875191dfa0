//! The way to an outcome.

use crate::search::{Exploration, Found, System, Target};

/// A path from the initial state.
#[derive(Debug, Clone)]
pub struct Path<T> {
    /// The states, the initial one first.
    pub states: Vec<Vec<u32>>,
    /// The step out of each state but the last; the last state has one too if it leads out of the system.
    pub steps: Vec<T>,
}

/// The shortest path to where an outcome was found, recomputed from the numbers that the search kept.
///
/// # Errors
/// The system's own.
pub fn path<S: System>(
    system: &S,
    exploration: &Exploration<S::Outcome>,
    found: Found,
) -> Result<Path<S::Step>, S::Fault> {
    let mut places: Vec<u32> = found.transition.into_iter().collect();
    let mut at = found.state;
    while at != 0 {
        let (parent, place) = exploration.parents[at as usize];
        places.push(place);
        at = parent;
    }
    let mut out = Path { states: vec![system.initial()], steps: vec![] };
    for wanted in places.into_iter().rev() {
        let state = out.states.last().expect("the initial state").clone();
        let (mut place, mut next) = (0, None);
        system.transitions(&state, &mut |step, target| {
            if place == wanted {
                out.steps.push(step.clone());
                if let Target::State(s) = target {
                    next = Some(s.to_vec());
                }
            }
            place += 1;
        })?;
        out.states.extend(next);
    }
    Ok(out)
}
