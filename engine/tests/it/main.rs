//! What rules mean and what a search finds.

mod external;
mod failing;
mod footprints;
mod language;
mod search;
mod world;
