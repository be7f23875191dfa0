//! The rule language: pest grammar, parser, types, printer, diagnostics; and the rules themselves.

mod callers;
pub mod check;
pub mod compiled;
pub mod decl;
pub mod deferred;
pub mod depth;
pub mod diag;
pub mod events;
pub mod heap;
pub mod ir;
pub mod layer;
pub mod load;
pub mod model;
pub mod mutate;
mod overlay;
pub mod parse;
pub mod print;
pub mod program;
mod rounds;
pub mod shipped;
pub mod source;
pub mod suggest;
pub mod syntax;
pub mod table;
pub mod types;
mod uses;
pub mod visible;
