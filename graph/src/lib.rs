//! Pictures of executions: graphs of events and relations as those who know herd draw them, and message sequences.
//!
//! ```text
//! events, named relations, a cycle ─► Graph ─► drawn edges ─► text | dot | SVG
//! lanes, acts ─────────────────────► Sequence ──────────────► text | SVG
//! lanes, steps ──────────────────────► Sequence ────────────► text | SVG
//! ```
//! Nothing here knows a model: who makes a [`Graph`] names its relations, and a relation without a colour of its own gets
//! one of the rest. The same input gives the same bytes.
//!
//! A thread is a column, its queue pairs are lanes of it, and program order goes downwards, as in the figures of herd
//! (Alglave, Maranget, Tautschnig: Herding Cats, TOPLAS 2014).

mod dot;
mod drawn;
mod execution;
mod geometry;
mod layout;
mod route;
mod sequence;
mod sequence_svg;
mod style;
mod svg;
mod text;

pub use drawn::{Drawn, drawn};
pub use execution::{Column, Cycle, Event, Graph, Link, Named};
pub use sequence::{Act, Band, Sequence, Where};
