//! The rule language as its users meet it.

mod printing;
mod shipped;
