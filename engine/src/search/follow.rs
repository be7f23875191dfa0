//! What is followed from one state: enough for every end, and all where something might be put off for ever
//! ([`crate::search::sweep`], *Putting off*).

use crate::search::Target;
use crate::search::sweep::{Shared, Worker};
use std::cell::Cell;

/// Steps of a way that are looked at to see whether it comes back.
const STEPS: usize = 64;

/// Follows transitions of a state that are enough for every end, and says how many they are. `take` is given each of them, and whether one before
/// it leads ahead; it says whether one does now. A transition leads ahead if no cycle of what is followed is closed by it. Where none
/// does, and a way may return, all are followed: `take` is then given some of them again.
///
/// # Errors
/// The system's own.
pub(crate) fn follow<S: Shared>(
    system: &S,
    worker: &mut dyn Worker<S::Outcome, S::Fault>,
    from: &[u32],
    mut take: impl FnMut(Target<'_, S::Outcome>, bool) -> bool,
) -> Result<usize, S::Fault> {
    let (followed, ahead) = (Cell::new(0), Cell::new(false));
    let mut visit = |target: Target<'_, S::Outcome>| {
        followed.set(followed.get() + 1);
        ahead.set(take(target, ahead.get()));
    };
    let are_all = worker.enough(from, &mut visit)?;
    if !are_all && followed.get() > 0 && !ahead.get() && may_return(system, worker, from)? {
        followed.set(0);
        worker.all(from, &mut visit)?;
    }
    Ok(followed.get())
}

/// Whether a state may be in a set of states which no transition that is followed leaves, and of which each is reached from each. From
/// such a state any way goes on for ever, and no step of it is final. So one way is enough that does otherwise.
fn may_return<S: Shared>(
    system: &S,
    worker: &mut dyn Worker<S::Outcome, S::Fault>,
    from: &[u32],
) -> Result<bool, S::Fault> {
    let mut at = from.to_vec();
    for _ in 0..STEPS {
        let (mut leaves, mut next) = (false, None);
        worker.enough(&at, &mut |target| {
            if let Target::State(to) = target {
                leaves |= system.is_final(&at, to);
                next.get_or_insert_with(|| to.to_vec());
            }
        })?;
        match next {
            Some(to) if !leaves => at = to,
            _ => return Ok(false),
        }
        if at == from {
            break;
        }
    }
    Ok(true)
}
