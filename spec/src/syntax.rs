//! The rule language as parsed: names unresolved, types unchecked, every node with its place.
//!
//! Two trees are equal when they differ in places alone, so that printing and parsing again can be compared.

use crate::source::Span;
use serde::{Deserialize, Serialize};

/// A node with its place; equality looks at the node alone.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Sp<T> {
    /// The node.
    pub node: T,
    /// Its place.
    pub span: Span,
}

impl<T: PartialEq> PartialEq for Sp<T> {
    fn eq(&self, other: &Self) -> bool {
        self.node == other.node
    }
}

impl<T: Eq> Eq for Sp<T> {}

/// A name with its place.
pub type Name = Sp<String>;

/// A whole file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct File {
    /// `model` or `module`.
    pub is_model: bool,
    /// Its name.
    pub name: Name,
    /// The model whose verdicts hold for it too.
    pub of: Option<Name>,
    /// The model or layer below, if it is a layer.
    pub over: Option<Name>,
    /// One sentence.
    pub title: String,
    /// The literature.
    pub cites: Vec<Cite>,
    /// Declarative forms of a model.
    pub declared: Vec<Declared>,
    /// Imported files, relative to this one.
    pub imports: Vec<Name>,
    /// The rest.
    pub items: Vec<Item>,
}

/// A declarative model with the same outcomes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// The variant that it is the form of; none for the default one.
    pub variant: Option<Name>,
    /// Its file and variant, `rdma-tso.cat:inline`.
    pub form: Name,
}

/// A place in the literature.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cite {
    /// The work: a paper's short name, or `MPI-4.1`.
    pub work: String,
    /// Where in it.
    pub place: String,
}

/// An alternative of a type: a constructor with its fields, or the name of a type that is included.
pub type Alternative = (Name, Vec<(Name, Type)>);

/// A declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Item {
    /// `const x: T = e`
    Const(Name, Type, Expr),
    /// `variant v "…" sets NAME=value { x = e }`
    Variant(Name, String, Vec<Setting>, Vec<(Name, Expr)>),
    /// `alias A = T`
    Alias(Name, Type),
    /// `record R { f: T }`
    Record(Name, Vec<(Name, Type)>),
    /// `type U = A(x: T) | B`
    Union(Name, Vec<Alternative>),
    /// `type U gains A(x: T) | B`: further alternatives of a type of an imported file
    Gains(Name, Vec<Alternative>),
    /// `state s[i: I]: T = e`, and perhaps `keeps e because "…"`
    State(Name, Vec<(Name, Type)>, Type, Expr, Option<Keeps>),
    /// `fun f(x: T): U = e`
    Fun(Fun),
    /// `kind k = shape …`
    Kind(Kind),
    /// `instruction i (…)`
    Instruction(Instruction),
    /// `events i (…) { … }`
    Events(Events),
    /// `requirements g (x: T) requires …`
    Requirements(Requirements),
    /// `updates g (x: T) then …`
    Updates(Updates),
    /// `rule r (…) …`
    Rule(Rule),
    /// `memory x[node], …`
    Memory(Vec<(Name, Vec<Expr>)>),
    /// `registers d, …`
    Registers(Vec<Name>),
    /// `implement i (…) { … }`
    Implement(Implement),
    /// `bind c i "…"`, `bind c kind k type "…"`
    Bind(Binding),
    /// `claim r commutes with …`
    Claim(Claim),
    /// `without r, fun f, …`: these rules and functions of imported files are left out.
    Without(Vec<LeftOut>),
}

/// A setting of the environment of programs under test, and its value.
pub type Setting = (Name, String);

/// How a kind or an instruction of an imported file stands in programs of one language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The language.
    pub language: crate::decl::Language,
    /// The kind or instruction.
    pub name: Name,
    /// What is said of it.
    pub text: Bound,
}

/// What a binding says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bound {
    /// How values of a kind stand.
    Kind(crate::decl::KindText),
    /// The statement that an instruction is.
    Instruction(String),
}

/// What is claimed of the order in which steps of some rules of imported files are taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// The rules, of each of which all is said.
    pub rules: Vec<Name>,
    /// Rules that they are said to commute with.
    pub commutes: Vec<Commutes>,
    /// `late because "…"`
    pub late: Option<String>,
}

/// What is left out of imported files.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftOut {
    /// A function; else rules.
    pub function: bool,
    /// The name; `*` stands for any letters.
    pub name: Name,
}

/// A function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the syntax")]
pub struct Fun {
    pub name: Name,
    pub params: Vec<(Name, Type)>,
    pub result: Type,
    pub cites: Vec<Cite>,
    pub deviations: Vec<String>,
    pub body: Expr,
}

/// A kind of parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the syntax")]
pub struct Kind {
    pub name: Name,
    pub shape: crate::decl::Shape,
    pub is_in: bool,
    /// Whether an argument is one of the names, and no number: `names only`.
    pub only_names: bool,
    pub names: Vec<(String, i64)>,
    pub carries: Vec<(String, String)>,
    pub text: crate::decl::ByLanguage<crate::decl::KindText>,
}

/// An instruction's declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the syntax")]
pub struct Instruction {
    pub internal: bool,
    pub name: Name,
    pub params: Vec<Param>,
    pub form: Option<Form>,
    pub doc: String,
    pub text: crate::decl::ByLanguage<Option<String>>,
    pub expansion: Option<Expansion>,
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the syntax")]
pub struct Param {
    pub name: Name,
    pub kind: Name,
    pub list: bool,
    pub default: Option<Sp<Atom>>,
}

/// An integer or a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants are the syntax")]
pub enum Atom {
    Int(i64),
    Name(String),
}

/// How programs write it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants are the syntax")]
pub enum Form {
    Assign(Name, Name),
    AssignCall(Name, Name, Vec<Name>),
}

/// What an instruction is short for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expansion {
    /// The instructions, in order.
    pub steps: Vec<Sp<(Name, Vec<Sp<Atom>>)>>,
    /// Hidden registers: name and kind.
    pub locals: Vec<(Name, Name)>,
}

/// What an instruction is to a declarative model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Events {
    /// The instruction.
    pub name: Name,
    /// A name for each of its parameters.
    pub params: Vec<Name>,
    /// The literature.
    pub cites: Vec<Cite>,
    /// Where and why it departs from the literature.
    pub deviations: Vec<String>,
    /// Events in program order, and what goes with them.
    pub steps: Vec<EventStep>,
}

/// A step of an instruction's events.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum EventStep {
    /// `label (key: e) also other if e at x reads a writes e`
    Event(Event),
    /// `r := e`
    Set(Name, Expr),
    /// `when e`
    When(Expr),
    /// `either { … } or { … }`
    Either(Vec<Vec<EventStep>>),
    /// `for n in e { … }`
    For(Name, Expr, Vec<EventStep>),
}

/// An event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the syntax")]
pub struct Event {
    pub label: Name,
    pub keys: Vec<(Name, Expr)>,
    pub also: Vec<(Name, Option<Expr>)>,
    pub at: Option<(Name, Option<Expr>)>,
    pub reads: Option<Name>,
    pub writes: Option<Expr>,
}

/// How a layer makes an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Implement {
    /// The instruction.
    pub name: Name,
    /// A name for each of its parameters.
    pub params: Vec<Name>,
    /// The literature.
    pub cites: Vec<Cite>,
    /// Where and why it departs from the literature.
    pub deviations: Vec<String>,
    /// What is done.
    pub body: Vec<Stmt>,
}

/// `keeps e because "…"`: what the entries of a state variable are after every step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Keeps {
    /// The entry.
    pub value: Expr,
    /// Why nobody looks at what is left out.
    pub because: String,
}

/// A statement of an implementation.
pub type Stmt = Sp<StmtKind>;

/// A statement's form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum StmtKind {
    /// `place := e`
    Assign(Expr, Expr),
    /// `f(e, …)`
    Call(Name, Vec<Expr>),
    /// `if e { … } else { … }`
    If(Expr, Vec<Stmt>, Vec<Stmt>),
    /// `while e bound n { … }`
    While(Expr, Option<i64>, Vec<Stmt>),
    /// `repeat { … } until e`
    Repeat(Vec<Stmt>, Expr),
    /// `for x in e { … }`
    For(Name, Expr, Vec<Stmt>),
    /// `choose { … } or { … }`
    Choose(Vec<Vec<Stmt>>),
}

/// Requirements that several rules share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the syntax")]
pub struct Requirements {
    pub name: Name,
    pub params: Vec<(Name, Type)>,
    pub cites: Vec<Cite>,
    pub requires: Vec<(Expr, Option<String>)>,
}

/// Updates that several rules share.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the fields are the syntax")]
pub struct Updates {
    pub name: Name,
    pub params: Vec<(Name, Type)>,
    pub cites: Vec<Cite>,
    pub then: Vec<Update>,
}

/// A rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Its name.
    pub name: Name,
    /// Parameters, each over a sort.
    pub params: Vec<(Name, Type)>,
    /// One sentence.
    pub doc: String,
    /// The literature.
    pub cites: Vec<Cite>,
    /// Where and why it departs from the literature.
    pub deviations: Vec<String>,
    /// The instruction that it runs: thread, instruction, arguments.
    pub on: Option<(Name, Name, Vec<Pattern>)>,
    /// `again`: the thread stays at the instruction.
    pub again: bool,
    /// Premises.
    pub when: Vec<Premise>,
    /// What must hold once the premises do, and why; without a reason, the use of shared requirements.
    pub requires: Vec<(Expr, Option<String>)>,
    /// The next state.
    pub then: Vec<Update>,
    /// Rules that it is said to commute with.
    pub commutes: Vec<Commutes>,
    /// `late because "…"`: a reduced search takes it when nothing else is left to do, and why.
    pub late: Option<String>,
}

/// Which instances of the other rules a claim of commuting is about, by a parameter that both rules have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Whose {
    /// `of another p`: those where it differs.
    Another,
    /// `of the same p`: those where it is the same.
    TheSame,
}

/// `commutes with r, s over v of another p without q unless erroneous when e because "…"`; `commutes with none because "…"` says that no claim of another rule
/// speaks of this one, not even one that speaks of all. `waits for r, s when e because "…"`: an instance that is not enabled, where `e` holds, comes to be enabled
/// by no other rules than these.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Commutes {
    /// Whether it waits for the other rules, in place of commuting with them.
    pub waits: bool,
    /// Names of the other rules, in which `*` stands for any letters.
    pub with: Vec<Name>,
    /// `over v, w`: where both touch entries of these state variables alone; of any if none is named.
    pub over: Vec<Name>,
    /// `of another p` or `of the same p`: those instances whose parameter of this name, which both rules have, differs or is the same.
    pub of: Option<(Whose, Name)>,
    /// `without r, s`: in programs in which none of these rules ever fires.
    pub without: Vec<Name>,
    /// `unless erroneous`: or one of the two makes the other erroneous.
    pub unless_erroneous: bool,
    /// When; always if there is none.
    pub when: Option<Expr>,
    /// Why.
    pub because: String,
}

impl Commutes {
    /// Whether it says that the rule commutes with none.
    pub fn is_none(&self) -> bool {
        matches!(&self.with[..], [name] if name.node == "none")
    }
}

/// A premise.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Premise {
    /// A condition; `e is p` at the top binds the pattern's names, once for every way to match.
    Cond(Expr),
    /// `pick p in e`: any element of a sequence.
    Pick(Pattern, Expr),
    /// `let p = e`
    Let(Pattern, Expr),
    /// `always` and a premise: it holds wherever those before it do, and a search that finds otherwise is a fault.
    Always(Box<Premise>),
}

impl Premise {
    /// Its place, without a leading `pick`, `let` or `always`.
    pub fn span(&self) -> Span {
        match self {
            Premise::Cond(e) => e.span.clone(),
            Premise::Pick(p, e) | Premise::Let(p, e) => p.span.to(&e.span),
            Premise::Always(p) => p.span(),
        }
    }
}

/// An update.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Update {
    /// `place := e`
    Set(Expr, Expr),
    /// `for x in e { … }`
    For(Name, Expr, Vec<Update>),
    /// `if e { … } else { … }`
    If(Expr, Vec<Update>, Vec<Update>),
    /// `g(e)`: shared updates.
    Use(Name, Vec<Expr>),
}

/// A type.
pub type Type = Sp<TypeKind>;

/// A type's form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants are the syntax")]
pub enum TypeKind {
    Name(String),
    Seq(Box<Type>),
    Set(Box<Type>),
    Map(Box<Type>, Box<Type>),
    Option(Box<Type>),
    Reg(Box<Type>),
    Tuple(Vec<Type>),
}

/// An expression.
pub type Expr = Sp<Box<ExprKind>>;

/// Operators of two operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants are the operators")]
pub enum BinOp {
    Implies,
    Or,
    And,
    Eq,
    Ne,
    Le,
    Ge,
    Lt,
    Gt,
    In,
    Cat,
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Union,
    Intersect,
    Without,
}

/// An expression's form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants are the syntax")]
pub enum ExprKind {
    Int(i64),
    Bool(bool),
    None,
    Name(String),
    Call(Name, Vec<Expr>),
    Record(Name, Vec<(Name, Expr)>),
    Tuple(Vec<Expr>),
    List(Vec<Expr>),
    Comprehension(Expr, Pattern, Expr, Vec<Expr>),
    Set(Vec<Expr>),
    SetOf(Expr, Pattern, Expr, Vec<Expr>),
    Map(Vec<(Expr, Expr)>),
    MapOf((Expr, Expr), Pattern, Expr, Vec<Expr>),
    Index(Expr, Expr),
    Member(Expr, Name),
    WithFields(Expr, Vec<(Name, Expr)>),
    WithIndex(Expr, Expr, Expr),
    Let(Pattern, Expr, Expr),
    If(Expr, Expr, Expr),
    Match(Expr, Vec<(Pattern, Expr)>),
    All(Pattern, Expr, Expr),
    Any(Pattern, Expr, Expr),
    Is(Expr, Pattern),
    Star(Expr, Vec<Name>),
    Not(Expr),
    Neg(Expr),
    Deref(Expr),
    Bin(BinOp, Expr, Expr),
}

/// A pattern.
pub type Pattern = Sp<Box<PatternKind>>;

/// A pattern's form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants are the syntax")]
pub enum PatternKind {
    Wild,
    Int(i64),
    Bool(bool),
    None,
    Pinned(Name),
    Bind(String),
    Call(Name, Vec<Pattern>),
    Fields(Name, Vec<(Name, Pattern)>),
    Tuple(Vec<Pattern>),
    List(Vec<Pattern>),
    Cat(Vec<Pattern>),
}
