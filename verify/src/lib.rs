//! Real MPI programs, unmodified: the rules as an MPI library.
//!
//! A rank of a program is a function from the answers that it was given to its next call. So each rank is run alone, under an MPI
//! library (`verify/c/library.c`) that passes every call to litmpi ([`rank`]); what it passes becomes an instruction of the
//! specification ([`call`]), and what the instruction gives is put back into its memory. What a rank does after each
//! sequence of answers is remembered as a tree of calls ([`tree`]). The tree is the code of a thread of the model ([`emit`],
//! [`layout`]), and the search of litmus tests explores it ([`explore`]), asking for more of the tree where it ends.
//!
//! A program that has too many behaviours is followed through some of them at random ([`sample`]). What its ranks print, and the like, can be
//! compared between behaviours ([`observe`]). A behaviour that was found is kept in a file ([`behaviour`]) and followed again, also on a real library
//! ([`forced`]).
//!
//! Loads and stores of a program are seen if [`compiler`] has compiled it ([`accesses`]).
//!
//! What it cannot do yet: files, sessions, partitioned communication, processes that are started by others, threads that call MPI at once, and programs
//! that were not compiled for MPICH's ABI. Each ends the verdict as unsupported.

mod accesses;
mod ahead;
mod asked;
mod basic;
mod behaviour;
mod beside;
mod buffers;
mod call;
mod compare;
mod declared;
mod denied;
mod digest;
mod emit;
mod explained;
mod explore;
mod face;
mod forced;
mod forgotten;
mod frames;
mod heard;
mod instrumented;
mod kept;
mod launchers;
mod layout;
mod library;
mod local;
mod looks;
mod mapped;
mod memory;
mod named;
mod objects;
mod observe;
mod operations;
mod overlaps;
mod pack;
mod passed;
mod races;
mod rank;
mod report;
mod returned;
mod rounds;
mod runs;
mod sample;
mod sites;
mod threads;
mod tree;
mod turns;
mod twins;
mod typed;
mod unknown;
mod watch;
mod windows;

pub use behaviour::{Behaviour, Turn};
pub use beside::{explore, explore_with};
pub use explore::{Run, Stopped};
pub use forced::{FORCING, Forced};
pub use launchers::{Launchers, answer, note, seed};
pub use library::{Source, compiled, compiler, other_sanitizer};
pub use observe::{As, End, Observe};
pub use report::{Bad, Beside, Calling, Finding, Refusals, Verdict};
pub use sample::Sample;
pub use watch::{Held, Watcher};
