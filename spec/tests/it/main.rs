//! The rule language as its users meet it.

mod failing;
mod printing;
mod shipped;
mod world;
