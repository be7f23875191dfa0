//! What the programs of this suite share.

pub mod litmpi;
pub mod standalone;
