//! Search over any transition system: all outcomes, traces to them, bounds that are said when hit.
//!
//! What is too large to be searched can be walked at random ([`walk`]), or searched for one outcome ([`towards`]). There are two searches, both breadth first. [`explore`] keeps every state and the way to it, on one
//! thread: the trace kept for an outcome is a shortest one, and executions are counted. [`sweep`] compresses states to a few bytes
//! each and keeps nothing but outcomes and numbers, on any number of threads. Both give the same result, byte for byte, for the same
//! system, because they follow transitions in the order in which the system gives them, or depend on no order.

mod across;
mod bounds;
mod disk;
mod expand;
mod follow;
mod forever;
mod layout;
mod pairs;
mod random;
mod sample;
mod states;
mod store;
mod sweep;
mod towards;
mod trace;
mod tree;
mod visited;
mod walks;
mod ways;

pub use across::{Apart, Failure, Peers, Portable, Together, across};
pub use bounds::{Bound, Bounds, Clock, interrupt};
pub use random::Random;
pub use sweep::{Follow, Shared, Swept, Worker, sweep};
pub use towards::{Way, towards};
pub use trace::{Path, path};
pub use walks::{Walked, Walks, walk};
pub use ways::{Exploration, Found, explore};

/// What a system calls for every transition: its name, and where it leads.
pub type Visit<'v, S, O> = &'v mut dyn FnMut(&S, Target<'_, O>);

/// A transition system.
pub trait System {
    /// Names a transition.
    type Step: Clone;
    /// What a terminal state, or a transition out of the system, ends in.
    type Outcome: Ord + Clone;
    /// What can go wrong in computing transitions.
    type Fault;

    /// The initial state; its length is the width of every state.
    fn initial(&self) -> Vec<u32>;

    /// Calls `visit` for every transition of a state, always in the same order.
    ///
    /// # Errors
    /// The system's own.
    fn transitions(&self, state: &[u32], visit: Visit<'_, Self::Step, Self::Outcome>) -> Result<(), Self::Fault>;

    /// About how many bytes the system itself keeps for the states seen so far: values that they share.
    fn bytes(&self) -> usize {
        0
    }

    /// Whether the system does not say everything that may come after a state, because a loop was unrolled no further.
    fn is_cut(&self, _state: &[u32]) -> bool {
        false
    }

    /// What a state ends in from which no end can be reached; none where paths never come back to a state.
    fn forever(&self) -> Option<Self::Outcome> {
        None
    }

    /// What a state without transitions ends in; none if the path was cut short and says nothing.
    fn end(&self, state: &[u32]) -> Option<Self::Outcome>;

    /// What a state ends in though others may go on in it for ever, because what one has done ends all; none else. Asked where paths come back to states.
    fn over(&self, _state: &[u32]) -> Option<Self::Outcome> {
        None
    }
}

/// Where a transition leads.
#[derive(Debug)]
pub enum Target<'a, O> {
    /// To a state.
    State(&'a [u32]),
    /// To an end of its own.
    Outcome(O),
}
