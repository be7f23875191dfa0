//! A test as it is written: a tree with places, names not yet looked up.

use litmpi_spec::program::{BinaryOp, UnaryOp};
use litmpi_spec::source::Span;

/// A word with its place.
#[derive(Debug, Clone)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) span: Span,
}

/// A number with its place.
#[derive(Debug, Clone)]
pub(crate) struct Number {
    pub(crate) value: i64,
    pub(crate) span: Span,
}

/// A whole file.
#[derive(Debug)]
pub(crate) struct Test {
    pub(crate) family: Name,
    pub(crate) name: Name,
    pub(crate) title: String,
    pub(crate) nodes: Vec<Node>,
    pub(crate) threads: Vec<Thread>,
    pub(crate) locations: Vec<Observable>,
    pub(crate) claims: Vec<Claim>,
    /// What only herd's format says.
    pub(crate) herd: Option<crate::ast::Herd>,
    pub(crate) span: Span,
}

/// A node block, or the declarations of a rank.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) number: Number,
    pub(crate) variables: Vec<Variable>,
}

/// `x = 0`, `r[4] = {1, 2, 3, 4}`
#[derive(Debug)]
pub(crate) struct Variable {
    pub(crate) name: Name,
    /// The length, if it is an array.
    pub(crate) len: Option<Number>,
    pub(crate) init: Init,
}

/// The initial value of a variable.
#[derive(Debug)]
pub(crate) enum Init {
    /// Not stated: 0.
    Zero,
    /// The same for every element.
    All(Number),
    /// One an element.
    Each(Vec<Number>, Span),
}

/// A thread, or the body of a rank.
#[derive(Debug)]
pub(crate) struct Thread {
    pub(crate) number: Number,
    pub(crate) on: Number,
    /// Written as a rank: its undeclared names are its own, whatever other nodes declare.
    pub(crate) rank: bool,
    pub(crate) body: Vec<Stmt>,
}

/// A statement.
#[derive(Debug, Clone)]
pub(crate) enum Stmt {
    Assign { left: Place, right: Right, span: Span },
    Call(Call),
    If { cond: Expr, then: Vec<Stmt>, els: Vec<Stmt>, span: Span },
    While { cond: Expr, bound: Option<Number>, body: Vec<Stmt>, span: Span },
    Choose { of: Vec<Vec<Stmt>>, span: Span },
}

/// What is assigned.
#[derive(Debug, Clone)]
pub(crate) enum Right {
    Expr(Expr),
    /// `NAME(args)`
    Call(Call),
}

/// `NAME(args)`
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) name: Name,
    pub(crate) args: Vec<Arg>,
    pub(crate) span: Span,
}

/// `value` or `name: value`
#[derive(Debug, Clone)]
pub(crate) struct Arg {
    pub(crate) name: Option<Name>,
    pub(crate) value: Value,
    pub(crate) span: Span,
}

/// One value or a list.
#[derive(Debug, Clone)]
pub(crate) enum Value {
    One(Expr),
    List(Vec<Expr>),
}

/// A variable, perhaps an array's element, perhaps on another node.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) name: Name,
    pub(crate) index: Option<Number>,
    pub(crate) node: Option<Number>,
    pub(crate) span: Span,
}

/// An expression.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

/// What an expression is.
#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    Int(i64),
    Place(Place),
    Field(Name, Name),
    /// Kept, since `y@2 := (r)` puts a register's value where `y@2 := r` puts a location.
    Paren(Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
}

/// What a condition names.
#[derive(Debug, Clone)]
pub(crate) struct Observable {
    pub(crate) thread: Option<Number>,
    pub(crate) name: Name,
    pub(crate) index: Option<Number>,
    pub(crate) field: Option<Name>,
    pub(crate) node: Option<Number>,
    pub(crate) span: Span,
}

/// A condition with its verdicts; cites and rates need no looking up.
#[derive(Debug)]
pub(crate) struct Claim {
    pub(crate) quantifier: crate::ast::Quantifier,
    pub(crate) prop: Prop,
    pub(crate) verdicts: Vec<crate::ast::Verdict>,
    pub(crate) seen: Vec<crate::ast::Seen>,
    pub(crate) beside: Vec<crate::ast::Beside>,
    pub(crate) span: Span,
}

/// A proposition.
#[derive(Debug)]
pub(crate) enum Prop {
    True,
    Deadlock,
    Erroneous,
    /// `a = b = 0`: each but the last equals the last.
    Chain {
        left: Vec<Observable>,
        equal: bool,
        right: Term,
    },
    /// `(a, b) = (1, 0)`
    Tuple {
        left: Vec<Observable>,
        equal: bool,
        right: Vec<Term>,
    },
    And(Box<Prop>, Box<Prop>),
    Or(Box<Prop>, Box<Prop>),
    Not(Box<Prop>),
}

/// The right side of an equation: a number or a constant's name.
#[derive(Debug)]
pub(crate) enum Term {
    Number(Number),
    Name(Observable),
}
