//! Time that is over in the midst of an evaluation.
//!
//! A rule may go through lists of millions of elements, and through one of them for each element of another. A search looks at the clock between
//! its steps; who gives a machine the bounds of its search has them looked at within a step, too.

use crate::eval::Fault;
use crate::machine::Machine;
use crate::search::Bounds;

/// What a fault says that is none of the rules or the program.
pub const LATE: &str = "the evaluation of a rule was not over when the search had to end";

impl Machine {
    /// Has the evaluation of a rule end, with the fault [`LATE`], when a search with these bounds has to.
    pub fn end_by(&mut self, bounds: Bounds) {
        self.until = Some(bounds);
    }

    /// Whether there is time left, if it is time to look.
    ///
    /// # Errors
    /// [`LATE`].
    pub(crate) fn has_time(&self, looks: bool) -> Result<(), Fault> {
        match self.until.as_ref().filter(|_| looks).and_then(Bounds::late) {
            Some(_) => Err(Fault::general(LATE)),
            None => Ok(()),
        }
    }
}
