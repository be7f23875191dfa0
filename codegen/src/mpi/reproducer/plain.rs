//! C that needs no harness: what of the C of tests speaks of the harness is said in plain words.

use super::super::body::Scope;
use super::super::c::C;
use super::super::dialect::{Array, Body, Dialect, Term};
use litmpi_litmus::ast::Test;
use litmpi_spec::decl::{Instruction, Kind, Language, Param};
use litmpi_spec::program::{BinaryOp, Operand, UnaryOp};
use litmpi_spec::source::Span;

/// Names that a reproducer has for itself, and those of the C library that it uses.
const OWN: &[&str] = &[
    "N",
    "RANKS",
    "SEEN",
    "NOBODY",
    "CORRUPT",
    "TURNS",
    "TRY",
    "OPERATION",
    "COPIER",
    "comm",
    "rank",
    "turn",
    "seen",
    "line",
    "check",
    "is_told",
    "tolerant",
    "last_error",
    "word",
    "put",
    "get",
    "settle",
    "noted",
    "noted_turn",
    "note",
    "windows",
    "window_count",
    "attached",
    "allowed",
    "name",
    "bodies",
    "judge",
    "is_allowed",
    "hangs",
    "signal",
    "alarm",
    "write",
    "rand",
    "srand",
    "malloc",
    "free",
    "printf",
    "abs",
    "exit",
    "read",
    "close",
    "time",
    "clock",
    "sleep",
    "usleep",
    "pause",
    "index",
    "y0",
    "y1",
    "j0",
    "j1",
];

/// Plain C for one rank.
pub(super) struct Plain<'a> {
    pub(super) test: &'a Test,
    pub(super) node: usize,
    pub(super) number: i64,
    /// There are windows: their memory begins where a library may ask it to.
    pub(super) windows: bool,
    /// The memory of some window is the library's.
    pub(super) moves: bool,
}

impl Plain<'_> {
    /// How many blocks an array has from this one on, and the initial values.
    fn initial(&self, block: usize) -> Vec<i64> {
        let own: Vec<_> = self.test.locs.iter().filter(|l| l.node == self.node).collect();
        let room = own.get(block).map_or(1, |l| l.room.max(1) as usize);
        own.iter().skip(block).take(room).map(|l| l.initial).collect()
    }
}

/// `3 * N`, `a + 2 * N`: so many blocks.
fn blocks(n: usize) -> String {
    if n == 1 { "N".into() } else { format!("{n} * N") }
}

impl Dialect for Plain<'_> {
    fn language(&self) -> Language {
        Language::C
    }

    fn word(&self) -> &'static str {
        "C"
    }

    fn reserved(&self) -> &'static [&'static str] {
        OWN
    }

    fn function(&self, body: &Body) -> String {
        let statements: String =
            body.statements.lines().filter(|l| !l.trim().is_empty()).fold(String::new(), |t, l| t + l + "\n");
        let (name, declarations, tail) = (&body.name, &body.declarations, &body.tail);
        format!("static void {name}(void)\n{{\n{declarations}\n{statements}    settle();\n{tail}}}\n")
    }

    fn location(&self, name: &str, block: usize) -> String {
        let initial = self.initial(block);
        let room = blocks(initial.len());
        let mut out = if self.moves {
            format!("static _Alignas(16) int memory_of_{name}[{room}];\n    int *{name} = memory_of_{name};")
        } else {
            format!("static {}int {name}[{room}];", if self.windows { "_Alignas(16) " } else { "" })
        };
        for (i, value) in initial.iter().enumerate() {
            out.push_str(&format!("\n    put({}, {value});", self.after(name, i)));
        }
        out
    }

    fn variable(&self, name: &str, ty: Option<&str>, init: Option<&str>, written: bool) -> String {
        C.variable(name, ty, init, written)
    }

    fn after(&self, name: &str, at: usize) -> String {
        if at == 0 { name.to_owned() } else { format!("{name} + {}", blocks(at)) }
    }

    fn observe(&self, observable: usize, value: &str, name: &str) -> String {
        let _ = name;
        format!("seen[{observable}] = {value};")
    }

    fn unread(&self, name: &str) -> String {
        C.unread(name)
    }

    fn point(&self, _: usize, _: &str) -> String {
        String::new()
    }

    fn branch(&self, condition: &str) -> String {
        C.branch(condition)
    }

    fn repeat(&self, condition: &str) -> Vec<String> {
        vec![format!("while ({condition}) {{"), "    line = __LINE__;".into()]
    }

    fn choose(&self, of: usize) -> String {
        C.choose(of)
    }

    fn alternative(&self, number: usize, last: bool) -> (String, &'static str) {
        C.alternative(number, last)
    }

    fn store(&self, location: &str, value: &str) -> String {
        format!("put({location}, {value})")
    }

    fn remote(&self, node: i64, block: usize, name: &str) -> String {
        C.remote(node, block, name)
    }

    fn load(&self, register: &str, location: &str) -> String {
        format!("{register} = get({location}, \"what rank {} loads\")", self.number)
    }

    fn list(
        &self,
        scope: &mut Scope<'_>,
        array: (String, bool),
        param: &Param,
        items: &[Operand],
        span: &Span,
    ) -> (String, Option<Array>) {
        C.list(scope, array, param, items, span)
    }

    fn reference(&self, scope: &mut Scope<'_>, param: &Param, arg: &Operand, span: &Span) -> Option<String> {
        C.reference(scope, param, arg, span)
    }

    fn regular(&self, instruction: &Instruction, arguments: &[String]) -> Option<String> {
        C.regular(instruction, arguments)
    }

    fn statement(&self, scope: &mut Scope<'_>, instruction: &Instruction, text: &str, arrays: &[Array], starts: bool) {
        C.statement(scope, instruction, text, arrays, starts);
    }

    fn not_left_out(&self, scope: &mut Scope<'_>, param: &Param, span: &Span) {
        C.not_left_out(scope, param, span);
    }

    fn constant(&self, scope: &mut Scope<'_>, kind: &Kind, name: &str, value: i64) -> String {
        C.constant(scope, kind, name, value)
    }

    fn computed(&self, scope: &mut Scope<'_>, kind: &Kind, text: String) -> String {
        C.computed(scope, kind, text)
    }

    fn no_field(&self, scope: &mut Scope<'_>, register: usize, field: &str, at: &Span) {
        C.no_field(scope, register, field, at);
    }

    fn unary(&self, op: UnaryOp, a: &Term) -> Term {
        C.unary(op, a)
    }

    fn binary(&self, op: BinaryOp, a: &Term, b: &Term) -> Term {
        C.binary(op, a, b)
    }

    fn number(&self, term: &Term) -> String {
        C.number(term)
    }

    fn condition(&self, term: &Term) -> String {
        C.condition(term)
    }
}
