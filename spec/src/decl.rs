//! Instruction declarations: what programs may write, read by the litmus parser, the model loader and the
//! code generators alike. They come from `instruction` and `kind` items of a specification; a new function is a
//! declaration and its rules, and no Rust.

use crate::deferred::Deferred;
use crate::source::Span;
use serde::{Deserialize, Serialize};

/// What an argument of a kind may be in a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Shape {
    /// A location of the thread's own node, or a literal (an anonymous location that holds it). Rules see a `Loc`.
    Local,
    /// The same, or left out (`MPI_IN_PLACE`). Rules see a `Loc?`.
    LocalOrNone,
    /// A location of another node, written `x@n`, or of any node ([`Instructions::own_node`]). Rules see a `Loc`.
    Remote,
    /// A node other than the thread's own, or any ([`Instructions::own_node`]), by its number. Rules see a `Node`.
    Node,
    /// An object of a library that all nodes share, by its name. It stands for a location on each node, one after the
    /// other; rules see the first.
    Object,
    /// An integer expression over registers; the kind's named constants are allowed. Rules see an `Int`.
    Int,
    /// A register of the named type (`Int`, or a record or option type of the specification), written and perhaps
    /// read by the instruction. Rules see a `Reg T`.
    Register(String),
    /// What a register of the named type holds, or one of the kind's named constants: an object of the library that the
    /// program knows by a number (`MPI_Comm`). Rules see an `Int`.
    Handle(String),
}

/// A language that programs are generated in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Language {
    /// C.
    C,
    /// Rust: for MPI, by rsmpi (the crate `mpi`).
    Rust,
}

/// What a declaration says for each language.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ByLanguage<T> {
    /// In C.
    pub c: T,
    /// In Rust.
    pub rust: T,
}

impl<T> ByLanguage<T> {
    /// For that language.
    pub fn of(&self, language: Language) -> &T {
        match language {
            Language::C => &self.c,
            Language::Rust => &self.rust,
        }
    }

    /// The same, to be changed.
    pub fn of_mut(&mut self, language: Language) -> &mut T {
        match language {
            Language::C => &mut self.c,
            Language::Rust => &mut self.rust,
        }
    }
}

/// How values of a kind stand in generated programs of one language. `{}` is the argument's own text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct KindText {
    /// Type of the variable that a register of this kind is, e.g. `MPI_Request`.
    pub ty: Option<String>,
    /// Initial value of that variable, e.g. `MPI_REQUEST_NULL`.
    pub init: Option<String>,
    /// How an argument is passed, e.g. `&{}` or `{} * LITMPI_BLOCK`. Default `{}`.
    pub pass: Option<String>,
    /// What is passed for an omitted register, e.g. `MPI_STATUS_IGNORE`.
    pub none: Option<String>,
    /// What is passed for an omitted list of registers, e.g. `MPI_STATUSES_IGNORE`.
    pub none_list: Option<String>,
    /// What is done with the register's variable when the program ends, e.g. `litmpi_leave(&{})`.
    pub leave: Option<String>,
    /// How a field of the register is read for the outcome: `source` -> `{}.MPI_SOURCE`. The field `""` is the
    /// register itself.
    pub fields: Vec<(String, String)>,
    /// The text of a named constant that does not stand for itself: `MPI_COMM_WORLD` -> `LITMPI_COMM`; an empty one says that
    /// the language's binding has no such constant.
    pub names: Vec<(String, String)>,
}

/// A kind of parameter: the standard's own words (`rank`, `tag`, `request`) or the paper's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kind {
    /// Its name.
    pub name: String,
    /// What an argument may be.
    pub shape: Shape,
    /// Whether the standard marks such parameters IN: the call looks at what is there, and never writes to it.
    pub is_in: bool,
    /// Whether an argument must be one of the named constants: what stands for them in C has other numbers in each library.
    pub only_names: bool,
    /// Named constants: `MPI_ANY_SOURCE = -1`. An alias (`any = MPI_ANY_SOURCE`) has the same value and stands
    /// after the name that generated programs use; see [`Kind::name_of`].
    pub names: Vec<(String, i64)>,
    /// What a named constant (or, under the empty name, any argument) does to data that passes through the call, in the words
    /// of the program generator: which form of contents survives it.
    pub carries: Vec<(String, String)>,
    /// Emission.
    pub text: ByLanguage<KindText>,
    /// Where it is declared.
    pub span: Span,
}

impl Kind {
    /// The value of a named constant.
    pub fn value_of(&self, name: &str) -> Option<i64> {
        self.names.iter().find(|(n, _)| n == name).map(|(_, v)| *v)
    }

    /// The names of the bits that a value has, where each bit has a name and the value has several (`MPI_MODE_NOSTORE | MPI_MODE_NOPUT`): libraries
    /// have other bits for them.
    pub fn bits_of(&self, value: i64) -> Option<Vec<(&str, i64)>> {
        let is_bit = |v: i64| v > 0 && v & (v - 1) == 0;
        let bits: Vec<(&str, i64)> =
            self.names.iter().filter(|(_, v)| is_bit(*v)).map(|(n, v)| (n.as_str(), *v)).collect();
        let all = bits.iter().fold(0, |all, (_, v)| all | v);
        // Names that are numbered one after the other are no bits.
        let are_bits = bits.len() > 2
            && self.names.iter().all(|(_, v)| *v >= 0 && (*v & !all) == 0)
            && !self.names.iter().any(|(_, v)| *v == 3);
        let parts: Vec<(&str, i64)> = bits.into_iter().filter(|(_, v)| value & v != 0).collect();
        (are_bits && parts.len() > 1 && value & !all == 0).then_some(parts)
    }

    /// The first declared name of a value: the one that generated programs use.
    pub fn name_of(&self, value: i64) -> Option<&str> {
        self.names.iter().find(|(_, v)| *v == value).map(|(n, _)| n.as_str())
    }
}

/// A parameter's default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Default {
    /// An integer, with the constant's name if it was given by one.
    Int(i64, Option<String>),
    /// An omitted register (`MPI_STATUS_IGNORE`).
    NoRegister,
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Its name; arguments may be given by it: `dest: 1`.
    pub name: String,
    /// Index into [`Instructions::kinds`].
    pub kind: usize,
    /// The argument is a list, `[r1, r2]`; rules see a sequence.
    pub list: bool,
    /// Given when the argument may be left out.
    pub default: Option<Default>,
    /// Where it is declared.
    pub span: Span,
}

/// How an instruction is written when not as `NAME(args)`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// `NAME(args)`.
    Call,
    /// `left := right`, by parameter indices.
    Assign(usize, usize),
    /// `left := NAME(args)`: the left parameter, the name, and the parameters inside the brackets.
    AssignCall(usize, String, Vec<usize>),
}

/// An instruction that a program may use: how it is found in a program, and what is declared of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Instruction {
    /// Its name: `put`, `MPI_Isend`.
    pub name: String,
    /// How programs write it.
    pub form: Form,
    /// Only the specification's own expansions may use it.
    pub internal: bool,
    /// The rest; its fields are read as if they were the instruction's own.
    pub declared: Deferred<Declared>,
}

impl std::ops::Deref for Instruction {
    type Target = Declared;

    fn deref(&self) -> &Declared {
        &self.declared
    }
}

impl std::ops::DerefMut for Instruction {
    fn deref_mut(&mut self) -> &mut Declared {
        &mut self.declared
    }
}

/// What is declared of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Declared {
    /// Its parameters in the order of the C signature.
    pub params: Vec<Param>,
    /// A statement with `{param}` placeholders. In C, where the signature `name(params…)` is not right; in Rust, a
    /// function has one if the library's binding (rsmpi) offers it.
    pub text: ByLanguage<Option<String>>,
    /// One line on what it does.
    pub doc: String,
    /// Where it is declared.
    pub span: Span,
}

impl Instruction {
    /// The parameter of that name.
    pub fn param(&self, name: &str) -> Option<usize> {
        self.params.iter().position(|p| p.name == name)
    }
}

/// What an instruction does with what an argument holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Use {
    /// It looks at it, and may give it another value.
    Reads,
    /// It gives it a value, and looks at none.
    Gives,
    /// The rules do not say.
    Unknown,
}

impl Use {
    pub(crate) fn of(reads: bool, gives: bool) -> Use {
        match (reads, gives) {
            (true, _) => Use::Reads,
            (false, true) => Use::Gives,
            (false, false) => Use::Unknown,
        }
    }

    pub(crate) fn reads(self) -> bool {
        self == Use::Reads
    }

    pub(crate) fn gives(self) -> bool {
        self == Use::Gives
    }
}

/// Everything that a specification declares for programs.
#[derive(Debug, Clone, PartialEq, Eq, std::default::Default, Serialize, Deserialize)]
pub struct Instructions {
    /// The kinds.
    pub kinds: Vec<Kind>,
    /// The instructions, in order of declaration: assignment forms are tried in this order.
    pub list: Vec<Instruction>,
    /// Record types that registers may hold, with their `Int` fields: `Status` -> `[source, tag, count]`.
    pub records: Vec<(String, Vec<String>)>,
    /// How many bits integers of programs have: [`crate::model::BITS`].
    pub bits: crate::integers::Bits,
    /// Whether the model has operations to the thread's own node: [`crate::model::OWN_NODE`].
    pub own_node: bool,
    /// What each instruction does with each argument; empty if no rules are at hand.
    pub uses: Vec<Vec<Use>>,
}

impl Instructions {
    /// The instruction of that name.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.list.iter().position(|i| i.name == name)
    }

    /// What an instruction does with an argument.
    pub fn use_of(&self, instruction: usize, param: usize) -> Use {
        self.uses.get(instruction).and_then(|of| of.get(param)).copied().unwrap_or(Use::Unknown)
    }

    /// The kind of a parameter.
    pub fn kind(&self, param: &Param) -> &Kind {
        &self.kinds[param.kind]
    }
}
