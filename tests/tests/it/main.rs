//! The whole of litmpi, as its users have it: the shipped models and tests through the libraries, and the command
//! `litmpi` as a process of its own, with real MPI libraries where they are installed.

mod agreement;
mod bad_input;
mod bad_mpi;
mod command;
mod compare;
mod coverage;
mod depends;
mod explain;
mod faults;
mod functions;
mod lab;
mod lab_ends;
mod laws;
mod layers;
mod library;
mod lost;
mod nic;
mod own_spec;
mod planted;
mod provenance;
mod reduction;
mod refine;
mod runs;
mod rust;
mod suite;
mod support;
mod tidy;
mod torn;
mod tune;
mod ucx;
mod verbs;
mod wait;
