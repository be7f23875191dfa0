//! The engine: a program under rules, its states and transitions, and the search for every outcome.
//!
//! [`machine`] runs a program under the rules of a specification, one transition at a time; [`eval`] evaluates what the rules say.
//! `actors` says what a thread or a rule does in a state, [`memo`] remembers it, [`present`] keeps it for the state that a walk has come
//! to, [`reduce`] chooses which transitions are enough, `forget` and `settle` make states one that nobody can tell apart. [`unfold`] is
//! for programs whose threads become known as they run. [`search`] finds every outcome of any transition system and knows nothing of
//! rules. [`external`] serves those who fire rules one at a time over memory of their own.

mod actors;
mod allocate;
pub mod beside;
pub mod blocked;
mod calls;
mod claim;
pub mod coverage;
pub mod describe;
mod elements;
pub mod eval;
pub mod expand;
pub mod external;
mod fault;
pub mod footprint;
mod forget;
mod integers;
pub mod late;
pub mod machine;
pub mod memo;
pub mod portable;
pub mod present;
pub mod reach;
pub mod reduce;
mod returned;
pub mod search;
mod sets;
mod settle;
mod slices;
mod slots;
mod sparse;
mod touched;
pub mod unfold;
mod watchers;
mod written;
