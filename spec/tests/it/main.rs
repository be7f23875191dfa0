//! The rule language as its users meet it.

mod external;
mod failing;
mod footprints;
mod language;
mod printing;
mod shipped;
mod world;
