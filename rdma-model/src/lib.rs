//! Loads litmus tests into operational and declarative models, and runs them to their outcomes.
//!
//! The rules are in `spec/rdma`; nothing of them is said here. [`Operational`] serves every model that is written as
//! rules, of RDMA or on top of it: it runs a lowered test, and projects final states to the test's outcomes.
//! [`declarative`] serves every model that is written as relations and checks. [`Model`] is any of
//! these, or a layer over one ([`Layered`]); [`refine`] holds one
//! against another on all clients up to a bound.

pub mod declarative;
pub mod generate;
mod layered;
mod model;
mod operational;
pub mod refine;

pub use layered::Layered;
pub use model::{Answer, Effort, Limits, Model, Reached, Relations};
pub use operational::{Executions, Operational, Outcomes, Search, Setup, Ways, ends_in};

/// The models of RDMA programs that ship as rules, the first one the default. Those of relations are
/// [`litmpi_spec::shipped::CAT_MODELS`].
pub const MODELS: &[&str] = &["rdma-tso-simplified", "rdma-tso"];

/// The models of RDMA programs with work identifiers that ship as rules.
pub const WAIT_MODELS: &[&str] = &["rdma-wait-simplified", "rdma-wait"];

/// The models of programs of libibverbs with messages, errors and datagrams that ship.
pub const VERBS_MODELS: &[&str] = &["verbs"];

/// The models of programs without remote operations that ship, the first one the default.
pub const CPU_MODELS: &[&str] = &["tso", "sc"];

/// LOCO: what its programs are made of, and its libraries as layers over RDMA^WAIT.
pub const LOCO: &[&str] = &["loco", "loco-shared-variable", "loco-barrier", "loco-ring-buffer", "loco-mixed-size"];
