//! A `.cat` file as parsed: names unresolved, kinds unchecked.

use crate::source::Span;
use crate::syntax::Name;

/// One file.
#[derive(Debug, Clone)]
pub(super) struct File {
    /// The model's name, if the file says one.
    pub(super) title: Option<String>,
    /// In order.
    pub(super) items: Vec<Item>,
}

/// One statement.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// `include "file"`
    Include(Name),
    /// `let x = e and …`; recursive if the flag is set.
    Let(bool, Vec<(Name, Expr)>),
    /// `with x from orders(e)`
    With(Name, Expr),
    /// `acyclic e as x`
    Check(Check),
}

/// A check.
#[derive(Debug, Clone)]
pub(super) struct Check {
    pub(super) negated: bool,
    pub(super) test: Test,
    pub(super) expr: Expr,
    pub(super) name: Option<Name>,
    pub(super) span: Span,
}

/// What a check asks of a relation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Test {
    /// It has no cycle.
    Acyclic,
    /// It relates no event to itself.
    Irreflexive,
    /// It is empty.
    Empty,
}

/// An expression with its place.
#[derive(Debug, Clone)]
pub(super) struct Expr {
    pub(super) node: Node,
    pub(super) span: Span,
}

/// An expression.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Name(String),
    /// `_`
    Universe,
    /// `0`
    Nothing,
    Binary(Binary, Box<Expr>, Box<Expr>),
    Unary(Unary, Box<Expr>),
}

/// Operators of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Binary {
    /// `|`
    Union,
    /// `;`
    Sequence,
    /// `\`
    Difference,
    /// `&`
    Meet,
    /// `*`
    Product,
}

/// Operators of one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unary {
    /// `~`
    Complement,
    /// `^-1`
    Inverse,
    /// `^+`
    Plus,
    /// `^*`
    Star,
    /// `?`
    Option,
    /// `[S]`
    Identity,
    /// `domain(r)`
    Domain,
    /// `range(r)`
    Range,
}
