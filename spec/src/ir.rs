//! The typed intermediate form: names resolved to slots, state accesses to state variables.
//!
//! It is what the evaluator runs and what footprints are read off; a compiler to faster code would start here.

use crate::deferred::Deferred;
use crate::source::Span;
use crate::syntax::Whose;
use crate::types::{Sort, Ty};
use serde::{Deserialize, Serialize};

/// Index of a local variable in a frame.
pub type Slot = usize;

/// An expression.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants mirror the syntax; operands are named where it is not plain")]
pub enum E {
    Word(u32),
    /// An integer that is no word of its own: see [`crate::heap`].
    Int(i64),
    Var(Slot),
    Const(usize),
    /// A state variable at indices; with a field, one slot of a record that is kept in slots.
    State {
        var: usize,
        index: Vec<E>,
        field: Option<usize>,
    },
    Ctor(usize, Vec<E>),
    /// A record of this type; without one, a tuple or `Some`.
    Build(Option<usize>, Vec<E>),
    Seq(Vec<Part>),
    /// A field of a record: the record's type, and which field.
    Field(Box<E>, usize, usize),
    /// A copy of a record of this type with some fields replaced.
    With(Box<E>, usize, Vec<(usize, E)>),
    /// What is made of sets and maps, or asked of them; the type is that of the first operand, or of what is made.
    Set(SetOp, Vec<E>, Box<Ty>, Span),
    Index(Box<E>, Box<E>, Span),
    WithIndex(Box<E>, Box<E>, Box<E>, Span),
    Comprehension {
        value: Box<E>,
        pat: Pat,
        seq: Box<E>,
        conds: Vec<E>,
    },
    /// Quantifiers: all if the flag is set.
    Quantified {
        all: bool,
        pat: Pat,
        seq: Box<E>,
        body: Box<E>,
    },
    Let(Pat, Box<E>, Box<E>, Span),
    If(Box<E>, Box<E>, Box<E>),
    Match(Box<E>, Vec<(Pat, E)>, Span),
    Is(Box<E>, Pat),
    /// Whether all elements have one of these constructors.
    Star(Box<E>, Vec<usize>),
    Not(Box<E>),
    Neg(Box<E>, Span),
    And(Box<E>, Box<E>),
    Or(Box<E>, Box<E>),
    Eq(Box<E>, Box<E>),
    Lt(Box<E>, Box<E>),
    Le(Box<E>, Box<E>),
    In(Box<E>, Box<E>),
    Arith(Arith, Box<E>, Box<E>, Span),
    /// The value that a register holds; if the program left the register out, the other one.
    Deref(Box<E>, Box<E>),
    Call(usize, Vec<E>),
    Builtin(Builtin, Vec<E>, Span),
    /// All elements of a sort.
    All(Sort),
    /// Whether the next step of a thread is one of these instructions; with the last word, too, whether it stands still in a
    /// loop that goes on for ever.
    At(Box<E>, Vec<usize>, bool),
}

impl E {
    /// An integer.
    pub fn int(v: i64) -> E {
        crate::heap::small(v).map_or(E::Int(v), E::Word)
    }
}

/// What is made of sets and maps, or asked of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SetOp {
    /// The set or map of the elements of a sequence.
    Of,
    /// `a ∪ b`; of maps that give one key different values there is none.
    Union,
    /// `a ∩ b` of sets.
    Intersect,
    /// `a \ b` of sets.
    Without,
    /// `m \ ks` of a map and a set of keys.
    WithoutKeys,
    /// `keys(m)`.
    Keys,
    /// `lookup(m, k)`: the value or `None`.
    Lookup,
    /// `m[k]`: the value, which must be there.
    Get,
    /// `m with [k] = v`.
    Put,
}

/// The key of a map that an update gives another value.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Key {
    /// The key.
    pub key: E,
    /// The map's type.
    pub map: Ty,
}

/// Arithmetic on integers, checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants are the operators")]
pub enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    /// A location and a number of elements.
    Shift,
}

/// What is built in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Builtin {
    /// `size(s)`: length of a sequence; number of elements of a sort.
    Size,
    /// `range(n)`: `[0, …, n-1]`.
    Range,
    /// `x.node` of a thread or location.
    NodeOf(Sort),
    /// `n.number`: a node's or thread's number in the program.
    NumberOf(Sort),
    /// `x.initial`: a location's initial value.
    InitialOf,
    /// `x.room`: elements from a location to the end of its array.
    RoomOf,
    /// `x.before`: elements from the beginning of an array to a location of it.
    BeforeOf,
    /// `x.offset(y)`… the distance from `y` to `x` in elements.
    Distance,
    /// `node(i)`: the node of that number, if any.
    NodeNumbered,
    /// `reverse(s)`.
    Reverse,
    /// `wrapping_sum(a, b, n)`: the sum of two numbers of `n` bits, modulo 2^n.
    WrappingSum,
    /// What an operation gives for two sequences of values that only the caller understands.
    Operate,
    /// `bitand(a, b)`.
    BitAnd,
    /// `bitor(a, b)`.
    BitOr,
    /// `bitxor(a, b)`.
    BitXor,
    /// `flatten(ss)`: the elements of a sequence of sequences.
    Flatten,
    /// `cells(n, p)`: so many locations of the model's own on a node, initially 0; the first one.
    Cells,
    /// `threads(n, p)`: so many threads of the model's own on a node, which run nothing.
    Threads,
}

/// An element of a sequence expression.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Part {
    /// One element.
    One(E),
    /// All elements of a sequence.
    Splice(E),
}

/// A pattern.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[expect(missing_docs, reason = "the variants mirror the syntax")]
pub enum Pat {
    Wild,
    Bind(Slot),
    /// Equal to this word.
    Word(u32),
    /// Equal to this integer, which is no word of its own.
    Int(i64),
    /// Equal to a variable's value.
    Pinned(Slot),
    /// A constructor with patterns for some fields (index into the interned slice).
    Ctor(usize, Vec<(usize, Pat)>),
    /// Records, tuples and `Some`, as their type says: patterns for some words of the slice, whose length must be this.
    Fields {
        of: Ty,
        words: usize,
        parts: Vec<(usize, Pat)>,
    },
    /// Sequences.
    Seq(Vec<PatPart>),
}

/// A part of a sequence pattern.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum PatPart {
    /// One element.
    One(Pat),
    /// Any number of elements, bound to a slot or not.
    Rest(Option<Slot>),
}

/// A function.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Number of parameters, which take the first slots.
    pub params: usize,
    /// Their types, and that of its value.
    pub signature: (Vec<Ty>, Ty),
    /// Slots of its frame.
    pub slots: usize,
    /// Its body.
    pub body: Deferred<E>,
    /// Where.
    pub span: Span,
}

/// A state variable.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StateVar {
    /// Its name.
    pub name: String,
    /// The sorts that index it.
    pub index: Vec<Sort>,
    /// The type of one entry.
    pub ty: Ty,
    /// Fields that have a slot each; empty if an entry is one slot.
    pub fields: Vec<(String, Ty)>,
    /// Initial value, with the indices in the first slots.
    pub init: E,
    /// What an entry is after every step, if something in it is left out that nobody looks at, with the indices in the first slots.
    pub keeps: Option<E>,
    /// Slots of the frames of both.
    pub slots: usize,
    /// Where.
    pub span: Span,
}

/// A premise.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Premise {
    /// A condition.
    Cond(E),
    /// A pattern on a value, once for every way to match.
    Match(E, Pat),
    /// Any element of a sequence that matches.
    Pick(Pat, E),
    /// One that holds wherever those before it do; it is a fault if it does not.
    Always(Box<Premise>, Span),
}

impl Premise {
    /// Whether it may fail: a `let` that binds a name cannot, and what holds `always` must not.
    pub fn can_fail(&self) -> bool {
        !matches!(self, Premise::Match(_, Pat::Bind(_) | Pat::Wild) | Premise::Always(..))
    }
}

/// An update.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Update {
    /// A state variable's entry or a field of it.
    State {
        /// The variable.
        var: usize,
        /// Its indices.
        index: Vec<E>,
        /// The field, or the whole entry.
        field: Option<usize>,
        /// The key, if one value of a map is changed: those of other keys stay, and may be changed by other updates.
        key: Option<Box<Key>>,
        /// The new value.
        value: E,
        /// Where.
        span: Span,
    },
    /// A register.
    Reg(E, E, Span),
    /// With the value of an expression in a slot.
    Let(Slot, E, Vec<Update>),
    /// For every element.
    For(Slot, E, Vec<Update>),
    /// One branch.
    If(E, Vec<Update>, Vec<Update>),
}

/// What a rule is said to commute with, or to wait for: see `litmpi_engine::reduce`.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Commutes {
    /// Whether an instance that is not enabled waits for the other rules, in place of commuting with them.
    pub waits: bool,
    /// Indices of the other rules, each with that of the parameter that is compared, if one is.
    pub with: Vec<(usize, Option<usize>)>,
    /// State variables whose entries alone both may touch; any if there is none.
    pub over: Vec<usize>,
    /// The rule's own parameter that it is compared with, and whether it must be the same there.
    pub of: Option<(Whose, usize)>,
    /// Rules that never fire in programs of which it is said.
    pub without: Vec<usize>,
    /// It holds but where one of the two makes the other erroneous.
    pub unless_erroneous: bool,
    /// When, with everything that the premises bind; of a rule that waits, with its parameters alone.
    pub when: Option<E>,
    /// Where.
    pub span: Span,
    /// Why.
    pub because: String,
    /// Nobody makes this claim: it is only to be tried.
    pub tried: bool,
}

/// A rule: which instances it has, and what it says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Rule {
    /// Its name.
    pub name: String,
    /// Names of the parameters, which take the first slots, and the sorts that they range over.
    pub params: Vec<(String, Sort)>,
    /// The parameter that is the thread, the instruction, and patterns on its arguments.
    pub on: Option<(usize, usize, Vec<Pat>)>,
    /// The thread stays at the instruction.
    pub again: bool,
    /// A reduced search takes it when nothing else is left to do.
    pub late: bool,
    /// Slots of the frame.
    pub slots: usize,
    /// Where.
    pub span: Span,
    /// What it says; its fields are read as if they were the rule's own.
    pub says: Deferred<Says>,
}

impl std::ops::Deref for Rule {
    type Target = Says;

    fn deref(&self) -> &Says {
        &self.says
    }
}

impl std::ops::DerefMut for Rule {
    fn deref_mut(&mut self) -> &mut Says {
        &mut self.says
    }
}

/// What a rule says.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Says {
    /// One sentence.
    pub doc: String,
    /// `work "place"`, joined.
    pub cite: String,
    /// Departures from the literature.
    pub deviations: Vec<String>,
    /// Premises, in order.
    pub when: Vec<Premise>,
    /// Conditions whose violation makes the program erroneous, with the reason.
    pub requires: Vec<(E, String)>,
    /// Updates, all from the old state.
    pub then: Vec<Update>,
    /// Names of the slots, for traces.
    pub names: Vec<(String, Ty)>,
    /// Rules that it is said to commute with.
    pub commutes: Vec<Commutes>,
    /// Where each premise stands.
    pub when_at: Vec<Span>,
    /// Where each of `requires` stands: for shared ones, where the rule names them.
    pub requires_at: Vec<Span>,
}

/// An expansion's step argument.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum StepArg {
    /// The instruction's own parameter.
    Param(usize),
    /// A hidden register, by index among the expansion's locals.
    Local(usize),
    /// An integer.
    Int(i64),
    /// A register left out.
    NoReg,
}

/// What an instruction is short for.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Expansion {
    /// Instructions and their arguments.
    pub steps: Vec<(usize, Vec<StepArg>)>,
    /// Types of hidden registers, by name of kind.
    pub locals: Vec<(String, usize)>,
}
