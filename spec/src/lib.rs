//! The rule language: pest grammar, parser, types, evaluator, printer, diagnostics; and the rules themselves.

pub mod decl;
pub mod diag;
pub mod parse;
pub mod program;
pub mod source;
pub mod syntax;
