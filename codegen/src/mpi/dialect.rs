//! What differs between the languages that programs are generated in.

use super::body::Scope;
use litmpi_spec::decl::{Instruction, Kind, Language, Param};
use litmpi_spec::program::{BinaryOp, Operand, UnaryOp};
use litmpi_spec::source::Span;

/// A function's parts.
pub(crate) struct Body {
    pub(crate) name: String,
    /// What it is the body of: `rank`, `thread`.
    pub(crate) role: String,
    pub(crate) number: i64,
    pub(crate) declarations: String,
    pub(crate) statements: String,
    pub(crate) tail: String,
    /// Something in it leaves it early.
    pub(crate) jumps: bool,
}

/// A list argument that is an array of its own, and what is copied back from it afterwards.
pub(crate) struct Array {
    pub(crate) declaration: String,
    pub(crate) back: Vec<String>,
}

/// An expression.
pub(crate) struct Term {
    pub(crate) text: String,
    /// Its type is that of conditions (C has one type for both).
    pub(crate) truth: bool,
    /// It needs brackets as an operand.
    pub(crate) compound: bool,
}

impl Term {
    /// As an operand.
    pub(crate) fn tight(&self) -> String {
        if self.compound { format!("({})", self.text) } else { self.text.clone() }
    }
}

/// A language.
pub(crate) trait Dialect {
    fn language(&self) -> Language;
    /// Its name in messages.
    fn word(&self) -> &'static str;
    /// Names that variables must not take, beside those that no language lets them.
    fn reserved(&self) -> &'static [&'static str];
    fn function(&self, body: &Body) -> String;
    /// The variable that is a location: the block with this number.
    fn location(&self, name: &str, block: usize) -> String;
    /// A register's variable; without a type of its own it holds an integer.
    fn variable(&self, name: &str, ty: Option<&str>, init: Option<&str>, written: bool) -> String;
    /// An element of an array of locations.
    fn after(&self, name: &str, at: usize) -> String;
    fn observe(&self, observable: usize, value: &str, name: &str) -> String;
    /// Keeps the compiler from complaining of a register that nothing reads.
    fn unread(&self, name: &str) -> String;
    /// Where the program is.
    fn point(&self, line: usize, shown: &str) -> String;
    fn branch(&self, condition: &str) -> String;
    fn repeat(&self, condition: &str) -> Vec<String>;
    fn choose(&self, of: usize) -> String;
    /// How an alternative begins and ends.
    fn alternative(&self, number: usize, last: bool) -> (String, &'static str);
    fn store(&self, location: &str, value: &str) -> String;
    /// A location of another node: the node's number, and the number of the block there.
    fn remote(&self, node: i64, block: usize, name: &str) -> String;
    fn load(&self, register: &str, location: &str) -> String;
    /// A register of a program with windows, as a condition or a call reads it: what was loaded from a window may be torn.
    fn decides(&self, register: String) -> String {
        register
    }

    /// The text of a list argument, and the array behind it, if it needs one: its name, and whether it lasts beyond the body.
    fn list(
        &self,
        scope: &mut Scope<'_>,
        array: (String, bool),
        param: &Param,
        items: &[Operand],
        span: &Span,
    ) -> (String, Option<Array>);
    /// The text of a register argument as something that a function may write, left out or not.
    fn reference(&self, scope: &mut Scope<'_>, param: &Param, arg: &Operand, span: &Span) -> Option<String>;
    /// The call of an instruction that has no text of its own, if the language has one.
    fn regular(&self, instruction: &Instruction, arguments: &[String]) -> Option<String>;
    /// Writes a call; one that starts something needs its arrays beyond it.
    fn statement(&self, scope: &mut Scope<'_>, instruction: &Instruction, text: &str, arrays: &[Array], starts: bool);
    /// An argument is left out whose kind does not say how that is written.
    fn not_left_out(&self, scope: &mut Scope<'_>, param: &Param, span: &Span);
    /// A named constant as an argument.
    fn constant(&self, scope: &mut Scope<'_>, kind: &Kind, name: &str, value: i64) -> String;
    /// An argument of a kind with named constants that is computed.
    fn computed(&self, scope: &mut Scope<'_>, kind: &Kind, text: String) -> String;
    /// A register's field that its kind has no text for.
    fn no_field(&self, scope: &mut Scope<'_>, register: usize, field: &str, at: &Span);

    fn unary(&self, op: UnaryOp, a: &Term) -> Term;
    fn binary(&self, op: BinaryOp, a: &Term, b: &Term) -> Term;
    /// As a number, as a condition.
    fn number(&self, term: &Term) -> String;
    fn condition(&self, term: &Term) -> String;
}
