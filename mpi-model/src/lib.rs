//! Loads MPI litmus tests into the MPI models.
//!
//! The rules are in `spec/mpi` and `spec/mpi-rdma`; nothing of them is said here. Tests run as every operational model's do
//! ([`Operational`]); each rank is a node with one thread.

pub mod clients;
pub mod cycles;
pub mod families;
pub mod generate;
pub mod laws;

pub use litmpi_models::{Operational, Outcomes, Search, Setup};

/// The models of MPI programs that ship, the first one the default.
pub const MODELS: &[&str] = &["mpi"];

/// Models of an implementation of MPI by what is below it: for programs that speak of them.
pub const LAYERED: &[&str] = &["mpi-rdma"];
