//! Text to test: grammar, raw tree, resolved test.
//!
//! Limits: one syntax error a file, since the grammar does not recover; everything after that is collected.

use crate::ast::Test;
use crate::{build, herd, print, raw, resolve};
use litmpi_grammars::litmus::{Grammar, Rule};
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{self, Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use pest::Parser;
use std::sync::Arc;

/// Brackets deeper than this are refused: the parser and all that walks its tree are recursive.
const DEEPEST: usize = 32;

/// Reads a test against the instructions that its family of specifications declares.
///
/// # Errors
/// Everything that is wrong with the test, in the order of the text.
pub fn parse(source: &Arc<Source>, decls: &Instructions) -> Result<Test, Report> {
    let raw = read(source)?;
    let test = resolve::resolve(&raw, decls)?;
    // What is accepted can be printed and read again; sugar may be larger in its plain form.
    let printed = print(&test, decls);
    if is_small(&printed) {
        return Ok(test);
    }
    if let Err(report) = read(&Source::new("printed", printed)) {
        let why = report.0.into_iter().next().map(|d| d.message).unwrap_or_default();
        let d = Diagnostic::at(&raw.name.span, format!("test `{}` is too large: {why}", test.name));
        return Err(d.found("with its sugar written out").help("divide its branches and expressions").into());
    }
    Ok(test)
}

/// Whether a text is a test of litmpi's own format, as far as the grammar goes; false for one of herd's.
///
/// # Errors
/// Where it stops being a test.
pub fn is_own(source: &Arc<Source>) -> Result<bool, Report> {
    read(source)?;
    Ok(!herd::is_herd(source)?)
}

/// That something runs: a file without a thread was cut short. Programs that are made may be empty, as the smallest clients of layers are.
///
/// # Errors
/// The test has no thread.
pub fn check_threads(test: &Test) -> Result<(), Report> {
    if test.threads.is_empty() {
        let d = Diagnostic::at(&test.span, format!("test `{}` has no thread", test.name));
        return Err(d.found("nothing that runs").help("give it a rank or thread with statements").into());
    }
    Ok(())
}

/// Whether a text is too short to hit any of the limits on the size of a test: on brackets, branches (each has some) and
/// the parts of expressions and conditions, of which a character gives less than two.
fn is_small(text: &str) -> bool {
    text.len() <= build::LARGEST / 2 && text.bytes().filter(|c| b"({[".contains(c)).count() <= DEEPEST
}

/// The raw tree of a test.
pub(crate) fn read(source: &Arc<Source>) -> Result<raw::Test, Report> {
    if herd::is_herd(source)? {
        return herd::read(source);
    }
    depth(source)?;
    let mut pairs = Grammar::parse(Rule::test, &source.text).map_err(|e| diag::syntax(source, &e, readable))?;
    let pair = pairs.next().expect("the rule gives one pair");
    let mut build = build::Build::new(source);
    let raw = build.test(pair);
    Report(build.errors).into_result()?;
    Ok(raw)
}

/// The family (`rdma`, `mpi`, `x86`) of a test: it decides which declarations [`parse`] needs.
///
/// # Errors
/// The text does not begin as a test does.
pub fn parse_family(source: &Arc<Source>) -> Result<String, Report> {
    if herd::is_herd(source)? {
        return Ok(herd::FAMILY.to_owned());
    }
    let mut pairs = Grammar::parse(Rule::head, &source.text).map_err(|e| diag::syntax(source, &e, readable))?;
    let head = pairs.next().expect("the rule gives one pair");
    let word = head.into_inner().find(|p| p.as_rule() == Rule::word).expect("a header has a family");
    Ok(word.as_str().to_string())
}

/// Refuses nesting that would exhaust the stack. Brackets in comments and strings are skipped.
fn depth(source: &Arc<Source>) -> Result<(), Report> {
    let mut open = 0_usize;
    let mut chars = source.text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, c)| *c);
        let comment = c == '#' || (c == '-' && next == Some('-')) || (c == '/' && next == Some('/'));
        if comment {
            while chars.next_if(|(_, c)| *c != '\n').is_some() {}
        } else if c == '"' {
            while let Some((_, c)) = chars.next_if(|(_, c)| *c != '"') {
                if c == '\\' {
                    chars.next();
                }
            }
            chars.next();
        } else if matches!(c, '(' | '{' | '[') {
            open += 1;
            if open > DEEPEST {
                let span = Span::new(source, at, at + 1);
                return Err(Diagnostic::at(&span, format!("brackets are nested more than {DEEPEST} deep"))
                    .found("one bracket too many")
                    .help("write the innermost parts as statements of their own")
                    .into());
            }
        } else if matches!(c, ')' | '}' | ']') {
            open = open.saturating_sub(1);
        }
    }
    Ok(())
}

/// What a grammar rule is called in messages; nothing for what needs no mention.
pub(crate) fn readable(rule: &Rule) -> String {
    let text = format!("{rule:?}");
    if let Some(word) = text.strip_prefix("kw_") {
        return format!("`{word}`");
    }
    match rule {
        Rule::EOI => "the end of the file",
        Rule::int => "a number",
        Rule::word | Rule::name | Rule::observed_name => "a name",
        Rule::string | Rule::text => "text in quotes",
        Rule::node => "`node`",
        Rule::thread => "`thread`",
        Rule::rank => "`rank`",
        Rule::index => "`[index]`",
        Rule::variable => "a variable",
        Rule::values => "`{ values }`",
        Rule::block => "`{ statements }`",
        Rule::if_ | Rule::while_ | Rule::choose | Rule::assign | Rule::call => "a statement",
        Rule::becomes => "`:=`",
        Rule::applied | Rule::expr | Rule::paren | Rule::place | Rule::field => "an expression",
        Rule::arguments => "`( arguments )`",
        Rule::argument => "an argument",
        Rule::list => "a list",
        Rule::or | Rule::and | Rule::ne | Rule::le | Rule::ge | Rule::eq | Rule::lt | Rule::gt => "an operator",
        Rule::add | Rule::sub | Rule::mul | Rule::rem | Rule::bit_or | Rule::bit_xor | Rule::bit_and => "an operator",
        Rule::minus | Rule::bang => "",
        Rule::locations => "`locations`",
        Rule::observable | Rule::thread_number => "a register or location",
        Rule::observed_field => "`.field`",
        Rule::at_node => "`@node`",
        Rule::claim | Rule::quantifier | Rule::not_exists => "a claim (`exists`, `~exists`, `forall`)",
        Rule::prop | Rule::all | Rule::literal | Rule::group | Rule::tuple | Rule::chain => "a condition",
        Rule::negation => "",
        Rule::verdict => "`verdict`",
        Rule::variant => "`(variant)`",
        Rule::seen => "`seen`",
        Rule::beside => "`tells apart` or `agree`",
        Rule::apart => "`tells apart`",
        Rule::agree => "",
        Rule::named => "a model",
        Rule::cite => "`cite`",
        Rule::because => "`because`",
        _ => "",
    }
    .to_string()
}
