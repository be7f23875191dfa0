//! Loads MPI programs into the MPI models
