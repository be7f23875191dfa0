//! Any model of a litmus test by one interface, whatever it is written in, and refinement between two of them.
//!
//! [`Operational`] serves every model that is written as rules: it runs a lowered test and projects final states to the test's
//! outcomes. `litmpi_cat::candidates` serves every model that is written as relations and checks. [`Model`] is any of these, or a
//! layer over one ([`Layered`]); [`Robustness`] tells whether a program has only the behaviours of sequential consistency;
//! [`refine`] holds one against another on all clients up to a bound.

mod cheapest;
mod layered;
mod model;
mod operational;
pub mod refine;
mod robust;

pub use cheapest::{Cheapest, Priced, Tried, cheapest};
pub use layered::{Layered, Valued};
pub use model::{Answer, Effort, Limits, Model, Reached, Relations};
pub use operational::{Executions, Operational, Outcomes, Search, Setup, Ways, ends_in};
pub use robust::{Condition, Judged, Robust, Robustness, Weak, Word};
