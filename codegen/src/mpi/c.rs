//! C.

use super::body::{Scope, comment};
use super::dialect::{Array, Body, Dialect, Term};
use super::expr::symbol;
use litmpi_spec::decl::{Instruction, Kind, Language, Param};
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::program::{BinaryOp, Operand, UnaryOp};
use litmpi_spec::source::Span;

/// C.
pub(crate) struct C;

impl Dialect for C {
    fn language(&self) -> Language {
        Language::C
    }

    fn word(&self) -> &'static str {
        "C"
    }

    fn reserved(&self) -> &'static [&'static str] {
        &[]
    }

    fn function(&self, body: &Body) -> String {
        let mut text = format!("static void {}(void)\n{{\n{}", body.name, body.declarations);
        if !body.declarations.is_empty() && !body.statements.is_empty() {
            text.push('\n');
        }
        text.push_str(&body.statements);
        if body.jumps {
            text.push_str("done:\n");
            text.push_str(if body.tail.is_empty() { "    return;\n" } else { "" });
        }
        text.push_str(&body.tail);
        text.push_str("}\n");
        text
    }

    fn location(&self, name: &str, block: usize) -> String {
        // Not `const`: memory that a window brings takes the block's place.
        format!("int *{name} = LITMPI_AT({block});")
    }

    fn variable(&self, name: &str, ty: Option<&str>, init: Option<&str>, _: bool) -> String {
        // `{0}` fits structures, numbers and addresses alike.
        let init = init.unwrap_or(if ty.is_some() { "{0}" } else { "0" });
        format!("{} {name} = {init};", ty.unwrap_or("int"))
    }

    fn after(&self, name: &str, at: usize) -> String {
        format!("LITMPI_AFTER({name}, {at})")
    }

    fn observe(&self, observable: usize, value: &str, name: &str) -> String {
        format!("litmpi_observe({observable}, {value}); /* {} */", comment(name))
    }

    fn unread(&self, name: &str) -> String {
        format!("(void){name};")
    }

    fn point(&self, line: usize, shown: &str) -> String {
        format!("litmpi_point({line}); /* {} */", comment(shown))
    }

    fn branch(&self, condition: &str) -> String {
        format!("if ({condition}) {{")
    }

    fn repeat(&self, condition: &str) -> Vec<String> {
        vec![
            format!("for (long turn = 0; {condition}; turn++) {{"),
            "    if (!litmpi_turn(turn))".into(),
            "        goto done;".into(),
        ]
    }

    fn choose(&self, of: usize) -> String {
        format!("switch (litmpi_choose({of})) {{")
    }

    fn alternative(&self, number: usize, last: bool) -> (String, &'static str) {
        (if last { "default:".into() } else { format!("case {number}:") }, "    break;")
    }

    fn store(&self, location: &str, value: &str) -> String {
        format!("litmpi_store({location}, {value})")
    }

    fn remote(&self, node: i64, block: usize, name: &str) -> String {
        format!("LITMPI_REMOTE({node}, {block} /* {name} */)")
    }

    fn decides(&self, register: String) -> String {
        format!("litmpi_first({register})")
    }

    fn load(&self, register: &str, location: &str) -> String {
        format!("{register} = litmpi_load({location})")
    }

    /// An array, and the statements that copy registers back from it; a request that is left may read one that lasts beyond the body.
    fn list(
        &self,
        scope: &mut Scope<'_>,
        (name, lasts): (String, bool),
        param: &Param,
        items: &[Operand],
        span: &Span,
    ) -> (String, Option<Array>) {
        let kind = scope.instructions.kind(param);
        let values: Vec<String> = items
            .iter()
            .map(|item| match item {
                Operand::Int(_) => scope.passed(param, item, span),
                _ => scope.base(param, item, span),
            })
            .collect();
        let back = items
            .iter()
            .zip(&values)
            .enumerate()
            .filter(|(_, (item, _))| matches!(item, Operand::Reg(_)))
            .map(|(i, (_, value))| format!("{value} = {name}[{i}];"))
            .collect();
        let text = scope.text(kind);
        let (ty, init) = (text.ty.as_deref().unwrap_or("int"), text.init.as_deref().unwrap_or("0"));
        let values = if values.is_empty() { init.to_string() } else { values.join(", ") };
        let declaration = match lasts {
            true => format!("{ty} *{name} = LITMPI_LASTING({ty}, {values});"),
            false => format!("{ty} {name}[{}] = {{{values}}};", items.len().max(1)),
        };
        (name, Some(Array { declaration, back }))
    }

    fn reference(&self, _: &mut Scope<'_>, _: &Param, _: &Operand, _: &Span) -> Option<String> {
        None
    }

    fn regular(&self, instruction: &Instruction, arguments: &[String]) -> Option<String> {
        Some(format!("{}({})", instruction.name, arguments.join(", ")))
    }

    /// Every MPI function returns an error code, and so do the harness's stand-ins for them; a template may say itself
    /// that a call can fail.
    fn statement(&self, scope: &mut Scope<'_>, _: &Instruction, text: &str, arrays: &[Array], starts: bool) {
        let checked = text.starts_with("MPI_") || (text.starts_with("LITMPI_") && !text.starts_with("LITMPI_TRY("));
        scope.jumps |= checked || text.contains("LITMPI_TRY(");
        if arrays.is_empty() {
            scope.line(&if checked { format!("LITMPI_TRY({text});") } else { format!("{text};") });
            return;
        }
        if starts {
            arrays.iter().for_each(|a| scope.line(&a.declaration));
            scope.line(&if checked { format!("LITMPI_TRY({text});") } else { format!("{text};") });
            return;
        }
        scope.line("{");
        scope.depth += 1;
        for array in arrays {
            scope.line(&array.declaration);
        }
        scope.line(&if checked { format!("const int code = {text};") } else { format!("{text};") });
        for copy in arrays.iter().flat_map(|a| &a.back) {
            scope.line(copy);
        }
        if checked {
            scope.line("LITMPI_TRY(code);");
        }
        scope.depth -= 1;
        scope.line("}");
    }

    fn not_left_out(&self, scope: &mut Scope<'_>, param: &Param, span: &Span) {
        let kind = &scope.instructions.kind(param).name;
        scope.report(
            Diagnostic::at(span, format!("`{}` is left out, but its kind has no C text for that", param.name))
                .found("in this call")
                .help(format!("kind `{kind}` may say `none` in its `c` part")),
        );
    }

    fn constant(&self, _: &mut Scope<'_>, _: &Kind, name: &str, _: i64) -> String {
        name.to_string()
    }

    fn computed(&self, scope: &mut Scope<'_>, kind: &Kind, text: String) -> String {
        format!("{}({text})", scope.translator(kind))
    }

    fn no_field(&self, scope: &mut Scope<'_>, register: usize, field: &str, at: &Span) {
        let name = &scope.thread.regs[register].name;
        scope.report(
            Diagnostic::at(at, format!("`{name}.{field}` has no C text"))
                .found("this field")
                .help("the kind of the register says in its `c` part how a field is read"),
        );
    }

    fn unary(&self, op: UnaryOp, a: &Term) -> Term {
        let a = a.tight();
        let text = match op {
            UnaryOp::Neg => format!("-{}", if a.starts_with('-') { format!("({a})") } else { a }),
            UnaryOp::Not => format!("!{a}"),
        };
        Term { text, truth: false, compound: false }
    }

    fn binary(&self, op: BinaryOp, a: &Term, b: &Term) -> Term {
        Term { text: format!("{} {} {}", a.tight(), symbol(op), b.tight()), truth: false, compound: true }
    }

    fn number(&self, term: &Term) -> String {
        term.text.clone()
    }

    fn condition(&self, term: &Term) -> String {
        term.text.clone()
    }
}
