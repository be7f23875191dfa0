//! Some states of a system, from random ways through it.

use crate::search::Target;
use crate::search::random::Random;
use crate::search::sweep::Shared;

/// States of a way that is gone to its end or, if it has none, so far.
const LONGEST: usize = 1000;

/// So many states, as rows of words, from ways that begin at the initial state; always the same ones. They are fewer if the values that the
/// system comes by on the way take more than `room` bytes.
///
/// # Errors
/// The system's own.
pub(crate) fn sample<S: Shared>(system: &S, most: usize, room: usize) -> Result<Vec<Vec<u32>>, S::Fault> {
    let mut worker = system.worker();
    let mut random = Random::new(1, 0);
    let mut rows = vec![];
    let full = system.bytes() + room;
    let is_full = || system.bytes() > full;
    while rows.len() < most && !is_full() {
        let mut at = system.initial();
        for _ in 0..LONGEST {
            let (mut next, mut seen) = (None, 0);
            worker.enough(&at, &mut |target| {
                if let Target::State(state) = target {
                    seen += 1;
                    // Each of those that there are is taken with the same chance.
                    if random.below(seen) == 0 {
                        next = Some(state.to_vec());
                    }
                }
            })?;
            let Some(next) = next.filter(|_| rows.len() < most && !is_full()) else { break };
            rows.push(std::mem::replace(&mut at, next));
        }
        rows.push(at);
    }
    Ok(rows)
}
