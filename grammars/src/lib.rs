//! The grammars of the project's languages, each with the parser that pest makes of it.
//!
//! They are a package of their own so that the parsers are compiled once, and not again for the unit tests of each package: what pest
//! makes of a grammar takes the compiler longer than all that is written by hand around it. They are optimised: every test is parsed.

// What pest makes of a rule has no documentation but the rule's own.
#![allow(missing_docs)]

/// The rule language, `.spec`.
pub mod spec {
    /// The parser that pest makes of `spec.pest`.
    #[derive(pest_derive::Parser)]
    #[grammar = "spec.pest"]
    pub struct Grammar;
}

/// Tests, `.litmus`.
pub mod litmus {
    /// The parser that pest makes of `litmus.pest`.
    #[derive(pest_derive::Parser)]
    #[grammar = "litmus.pest"]
    pub struct Grammar;
}

/// Tests in herd's format for X86.
pub mod herd {
    /// The parser that pest makes of `herd.pest`.
    #[derive(pest_derive::Parser)]
    #[grammar = "herd.pest"]
    pub struct Grammar;
}

/// Relational models, `.cat`.
pub mod cat {
    /// The parser that pest makes of `cat.pest`.
    #[derive(pest_derive::Parser)]
    #[grammar = "cat.pest"]
    pub struct Grammar;
}

/// Laws that programs of MPI obey, `.laws`.
pub mod laws {
    /// The parser that pest makes of `laws.pest`.
    #[derive(pest_derive::Parser)]
    #[grammar = "laws.pest"]
    pub struct Grammar;
}

/// Filters of tests, as in `-E 'test(rma-*)'`.
pub mod filter {
    /// The parser that pest makes of `filter.pest`.
    #[derive(pest_derive::Parser)]
    #[grammar = "filter.pest"]
    pub struct Grammar;
}
