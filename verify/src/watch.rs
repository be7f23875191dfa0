//! Who watches the processes of one behaviour while it is followed.

use crate::explore::{Explorer, Stopped};
use litmpi_spec::heap::Word;

/// A process that waits in a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// Its rank.
    pub rank: usize,
    /// Its number.
    pub pid: i32,
    /// Its call, with file and line where they are known.
    pub call: String,
}

/// Sees the processes of a behaviour; what it does takes the processes' time, since they wait meanwhile.
pub trait Watcher {
    /// Whether it looks at anything: else a behaviour is followed once, and not a second time for it.
    fn watches(&self) -> bool {
        true
    }

    /// The behaviour is followed from its beginning.
    fn starts(&mut self) {}

    /// A process waits in its first call.
    fn begins(&mut self, _first: &Held) {}

    /// The behaviour is at its end; those processes that have not ended wait in their last calls.
    fn ends(&mut self, _all: &[Held]) {}

    /// The behaviour has come to a state.
    ///
    /// # Errors
    /// A function of the rules cannot be evaluated.
    #[doc(hidden)]
    fn comes(&mut self, _state: &At<'_>) -> Result<(), Stopped> {
        Ok(())
    }
}

/// Nobody.
impl Watcher for () {
    fn watches(&self) -> bool {
        false
    }
}

/// A state of a behaviour.
pub struct At<'e> {
    pub(crate) explorer: &'e Explorer<'e>,
    pub(crate) state: &'e [Word],
}
