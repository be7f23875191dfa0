//! A `.cat` file as parsed: names unresolved, kinds unchecked.

use litmpi_spec::source::Span;
use litmpi_spec::syntax::Name;

/// One file.
#[derive(Debug, Clone)]
pub(super) struct File {
    /// The model's name, if the file says one.
    pub(super) title: Option<String>,
    /// The machine that it is for, if its programs are not read.
    pub(super) machine: Option<(&'static str, Span)>,
    /// In order.
    pub(super) items: Vec<Item>,
}

/// One statement.
#[derive(Debug, Clone)]
pub(super) enum Item {
    /// `include "file"`
    Include(Name),
    /// `let x = e and …`; recursive if the flag is set, and then perhaps with a check, `when …`.
    Let(bool, Vec<Binding>, Option<Box<Check>>),
    /// `with x from orders(e)` and the like
    With(Name, Chooser, Vec<Expr>),
    /// `forall S in classes(r) do … end`
    Each(Each),
    /// `acyclic e as x`
    Check(Check),
    /// `procedure f(x) = … end`
    Procedure(Procedure),
    /// `call f(e) as x`
    Call(Name, Vec<Expr>, Option<Name>),
    /// `if "variant" … else … end`
    Either(Variants, Vec<Item>, Vec<Item>),
    /// `match e with 'tag -> … || _ -> … end`
    Cases(Expr, Vec<(Option<String>, Vec<Item>)>),
    /// What is read and not supported: `forall` over another set than classes, `with … from` another set of orders, what `.bell` files
    /// declare; with the words for it.
    Beyond(&'static str, Span),
}

/// Definitions and checks under a name.
#[derive(Debug, Clone)]
pub(super) struct Procedure {
    pub(super) name: Name,
    pub(super) params: Vec<Name>,
    pub(super) items: Vec<Item>,
}

/// A condition on the variants that are chosen.
#[derive(Debug, Clone)]
pub(super) enum Variants {
    Named(String),
    Not(Box<Variants>),
    All(Vec<Variants>),
    Any(Vec<Variants>),
}

impl Variants {
    /// Whether it is so of some variants.
    pub(super) fn hold(&self, chosen: &[String]) -> bool {
        match self {
            Variants::Named(name) => chosen.contains(name),
            Variants::Not(of) => !of.hold(chosen),
            Variants::All(of) => of.iter().all(|v| v.hold(chosen)),
            Variants::Any(of) => of.iter().any(|v| v.hold(chosen)),
        }
    }
}

/// `x = e` or, with parameters, `f(x, y) = e`; or `(x, y) = e`, where the name is that of nothing and the parameters are what is defined.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    pub(super) name: Name,
    /// It takes a tuple apart.
    pub(super) apart: bool,
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
    /// `generate_orders(S, r)`
    OrdersOf,
    /// `linearisations(S, r)`
    Linearisations,
}

/// A check.
#[derive(Debug, Clone)]
pub(super) struct Check {
    /// It is no condition: what it holds for is said, not forbidden.
    pub(super) flag: bool,
    /// The same of what it does not hold for: `undefined_unless`.
    pub(super) unless: bool,
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
    /// `let x = a in e`; recursive if the flag is set.
    Local(bool, Vec<Binding>, Box<Expr>),
    /// `fun x -> e`
    Fun(Vec<Name>, Box<Expr>),
    /// `(a, b)`
    Tuple(Vec<Expr>),
    /// `'tag`
    Tag(String),
    /// `{a, b}`
    Members(Vec<Expr>),
    /// `a ++ b`
    Add(Box<Expr>, Box<Expr>),
    /// `if "variant" then a else b`
    If(Variants, Box<Expr>, Box<Expr>),
    /// `if a = b then …`, which is not supported
    Compared,
    /// `match e with … end`
    Match(Box<Expr>, Vec<(Pattern, Expr)>),
    /// `try e with e`: the second where the first names what is not defined
    Try(Box<Expr>, Box<Expr>),
}

/// What an arm of `match` is for. A name is that of a parameter; `_` is one that nothing names.
#[derive(Debug, Clone)]
pub(super) enum Pattern {
    /// `'tag`
    Tag(String),
    /// `{}`
    Empty,
    /// `x ++ rest`
    Element(Name, Name),
    /// `before | x ++ rest`, which is not supported
    Between,
    /// `_`
    Any,
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
