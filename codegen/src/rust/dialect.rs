//! Rust: by rsmpi for MPI, by rdma-sys for verbs.

use crate::mpi::body::Scope;
use crate::mpi::dialect::{Array, Body, Dialect, Term};
use crate::mpi::expr::symbol;
use litmpi_spec::decl::{Instruction, Kind, Language, Param, Shape};
use litmpi_spec::program::{BinaryOp, Operand, UnaryOp};
use litmpi_spec::source::Span;

/// Rust. An instruction without a text of its own is one that the binding to the library lacks.
pub(crate) struct Rust;

/// Rust's own words, and what tests get from the harness (`rust/src/litmpi`).
const RESERVED: &[&str] = &[
    "abstract",
    "as",
    "async",
    "await",
    "become",
    "box",
    "crate",
    "dyn",
    "extern",
    "false",
    "final",
    "fn",
    "gen",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "pub",
    "ref",
    "self",
    "Self",
    "static",
    "super",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "yield",
    "at",
    "attach",
    "buffer",
    "bytes",
    "bytes_of",
    "choose",
    "colour",
    "detach",
    "ended",
    "finalize",
    "finalized",
    "flags",
    "float",
    "for_all",
    "found",
    "gather",
    "gather_varcount",
    "int",
    "intercommunicator",
    "layout",
    "matched",
    "maybe_matched",
    "mpi",
    "neighbours",
    "observe",
    "operation",
    "order",
    "parts",
    "peer",
    "point",
    "reduce",
    "relation",
    "run",
    "scatter",
    "scatter_varcount",
    "same_members",
    "set",
    "tag",
    "test_all",
    "test_any",
    "test_some",
    "topology",
    "turns",
    "unsigned",
    "wait_all",
    "wait_any",
    "wait_some",
    "whole",
];

impl Dialect for Rust {
    fn language(&self) -> Language {
        Language::Rust
    }

    fn word(&self) -> &'static str {
        "Rust"
    }

    fn reserved(&self) -> &'static [&'static str] {
        RESERVED
    }

    fn function(&self, body: &Body) -> String {
        let mut text = format!("extern \"C\" fn {}_{}() {{\n{}", body.role, body.number, body.declarations);
        if !body.statements.is_empty() {
            text.push_str("    run(|| {\n");
            for line in body.statements.lines() {
                text.push_str(&format!("    {line}\n"));
            }
            text.push_str("        Ok(())\n    });\n");
        }
        text.push_str(&body.tail);
        text.push_str("}\n");
        text
    }

    fn location(&self, name: &str, block: usize) -> String {
        format!("let {name} = at({block});")
    }

    fn variable(&self, name: &str, ty: Option<&str>, init: Option<&str>, written: bool) -> String {
        let keyword = if written { "let mut" } else { "let" };
        match ty {
            None | Some("i32") => format!("{keyword} {name} = {};", init.unwrap_or("0")),
            Some(ty) => format!("{keyword} {name} = {};", init.map_or_else(|| format!("{ty}::default()"), Into::into)),
        }
    }

    fn after(&self, name: &str, at: usize) -> String {
        format!("{name}.after({at})")
    }

    fn observe(&self, observable: usize, value: &str, name: &str) -> String {
        format!("observe({observable}, {value}); // {name}")
    }

    fn unread(&self, name: &str) -> String {
        format!("let _ = {name};")
    }

    fn point(&self, line: usize, shown: &str) -> String {
        format!("point({line}); // {shown}")
    }

    fn branch(&self, condition: &str) -> String {
        format!("if {condition} {{")
    }

    fn repeat(&self, condition: &str) -> Vec<String> {
        vec!["let mut turn = turns();".into(), format!("while {condition} {{"), "    turn.next()?;".into()]
    }

    fn choose(&self, of: usize) -> String {
        format!("match choose({of}) {{")
    }

    fn alternative(&self, number: usize, last: bool) -> (String, &'static str) {
        (if last { "_ => {".into() } else { format!("{number} => {{") }, "}")
    }

    fn store(&self, location: &str, value: &str) -> String {
        format!("{location}.store({value})")
    }

    fn remote(&self, node: i64, block: usize, name: &str) -> String {
        format!("verbs::remote({node}, {block} /* {name} */)")
    }

    fn load(&self, register: &str, location: &str) -> String {
        format!("{register} = {location}.load()")
    }

    fn list(
        &self,
        scope: &mut Scope<'_>,
        _: (String, bool),
        param: &Param,
        items: &[Operand],
        span: &Span,
    ) -> (String, Option<Array>) {
        let register = matches!(scope.instructions.kind(param).shape, Shape::Register(_));
        let items: Vec<String> = items
            .iter()
            .map(|item| match item {
                Operand::Int(_) => scope.passed(param, item, span),
                item => format!("{}{}", if register { "&mut " } else { "" }, scope.base(param, item, span)),
            })
            .collect();
        (format!("&{}[{}]", if register { "mut " } else { "" }, items.join(", ")), None)
    }

    fn reference(&self, scope: &mut Scope<'_>, param: &Param, arg: &Operand, span: &Span) -> Option<String> {
        Some(match arg {
            Operand::NoReg => "&mut Default::default()".into(),
            arg => format!("&mut {}", scope.base(param, arg, span)),
        })
    }

    fn regular(&self, _: &Instruction, _: &[String]) -> Option<String> {
        None
    }

    /// rsmpi keeps the codes of MPI's functions to itself: whether the body may go on is asked after each.
    fn statement(&self, scope: &mut Scope<'_>, instruction: &Instruction, text: &str, _: &[Array], _: bool) {
        scope.line(&format!("{text};"));
        if instruction.name.starts_with("MPI_") {
            scope.line("ended()?;");
        }
    }

    fn not_left_out(&self, scope: &mut Scope<'_>, param: &Param, _: &Span) {
        let kind = scope.instructions.kind(param);
        let what = kind.text.c.none.clone().unwrap_or_else(|| format!("a call without `{}`", param.name));
        scope.lacks.insert(what);
    }

    fn constant(&self, scope: &mut Scope<'_>, kind: &Kind, name: &str, value: i64) -> String {
        if matches!(kind.shape, Shape::Handle(_)) {
            scope.lacks.insert(name.to_string());
        } else {
            scope.constants.insert((name.to_string(), value));
        }
        name.to_string()
    }

    fn computed(&self, _: &mut Scope<'_>, _: &Kind, text: String) -> String {
        text
    }

    fn no_field(&self, scope: &mut Scope<'_>, register: usize, field: &str, _: &Span) {
        scope.lacks.insert(format!("`{field}` of {}", scope.thread.regs[register].ty));
    }

    fn unary(&self, op: UnaryOp, a: &Term) -> Term {
        match op {
            UnaryOp::Neg => {
                let a = self.operand(a);
                let text = if a.starts_with('-') { format!("-({a})") } else { format!("-{a}") };
                Term { text, truth: false, compound: false }
            }
            UnaryOp::Not => {
                let a = Term { text: self.condition(a), truth: true, compound: a.compound || !a.truth };
                Term { text: format!("!{}", a.tight()), truth: true, compound: false }
            }
        }
    }

    fn binary(&self, op: BinaryOp, a: &Term, b: &Term) -> Term {
        let logical = matches!(op, BinaryOp::And | BinaryOp::Or);
        let side = |t: &Term| {
            if !logical {
                return self.operand(t);
            }
            Term { text: self.condition(t), truth: true, compound: t.compound || !t.truth }.tight()
        };
        let arithmetic = matches!(
            op,
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor
        );
        Term { text: format!("{} {} {}", side(a), symbol(op), side(b)), truth: !arithmetic, compound: true }
    }

    fn number(&self, term: &Term) -> String {
        if term.truth { format!("i32::from({})", term.text) } else { term.text.clone() }
    }

    fn condition(&self, term: &Term) -> String {
        if term.truth { term.text.clone() } else { format!("{} != 0", term.tight()) }
    }
}

impl Rust {
    /// A number as an operand.
    fn operand(&self, term: &Term) -> String {
        if term.truth { self.number(term) } else { term.tight() }
    }
}
