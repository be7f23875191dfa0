//! A `.cat` file as parsed: names unresolved, kinds unchecked.

use litmpi_spec::source::Span;
use litmpi_spec::syntax::Name;

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
    Let(bool, Vec<Binding>),
    /// `with x from orders(e)` and the like
    With(Name, Chooser, Vec<Expr>),
    /// `forall S in classes(r) do … end`
    Each(Each),
    /// `acyclic e as x`
    Check(Check),
}

/// `x = e` or, with parameters, `f(x, y) = e`.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    pub(super) name: Name,
    pub(super) params: Option<Vec<Name>>,
    pub(super) body: Expr,
}

/// Definitions and checks for each class of a relation.
#[derive(Debug, Clone)]
pub(super) struct Each {
    /// What a class is called.
    pub(super) name: Name,
    /// The relation.
    pub(super) of: Expr,
    pub(super) items: Vec<Item>,
}

/// What `with` chooses from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chooser {
    /// `orders(r)`
    Orders,
    /// `partial_orders(r)`
    PartialOrders,
    /// `generate_cos(r)`
    Cos,
    /// `linearisations(S, r)`
    Linearisations,
}

/// A check.
#[derive(Debug, Clone)]
pub(super) struct Check {
    /// It is no condition: what it holds for is said, not forbidden.
    pub(super) flag: bool,
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
    /// `f(a, b)`, `f a`
    Apply(Name, Vec<Expr>),
    /// `let x = a in e`
    Local(Vec<Binding>, Box<Expr>),
    /// `try e with e`: the second where the first names what is not defined
    Try(Box<Expr>, Box<Expr>),
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
}
