//! The rule language: pest grammar, parser, types, evaluator, printer, diagnostics; and the rules themselves.

mod allocate;
pub mod cat;
pub mod check;
pub mod coverage;
pub mod decl;
pub mod describe;
pub mod diag;
pub mod eval;
pub mod events;
pub mod expand;
pub mod external;
pub mod footprint;
pub mod heap;
pub mod ir;
pub mod layer;
pub mod load;
pub mod machine;
pub mod memo;
pub mod model;
pub mod parse;
pub mod print;
pub mod program;
pub mod reduce;
pub mod shipped;
pub mod source;
pub mod syntax;
pub mod types;
