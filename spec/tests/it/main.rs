//! The rule language as its users meet it.

mod failing;
mod footprints;
mod language;
mod printing;
mod shipped;
mod world;
