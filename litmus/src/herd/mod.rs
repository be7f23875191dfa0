//! herd's litmus files for X86 and X86_64, read as they are.
//!
//! A file becomes the same raw tree as one of our own, so that names are looked up, instructions found and tests printed
//! in the same way: what is read here can be printed in our format, as a test of the family `x86`, and read again. All
//! threads run on one node.
//!
//! The format is herdtools7's (`herd/tests`, and the manual of litmus7 and herd7): a header, comments in quotes, lines
//! `Key=value`, initial values, columns of instructions, and a condition. Of the keys two are looked at, others are passed
//! over: `Verdict-tso=allowed cite WORK "PLACE"` is a verdict as in our own format, which herd takes as one of the
//! notes that it does not know, and `Hash=` what logs call the program.
//!
//! | in the file | becomes |
//! |---|---|
//! | `MOV`, `ADD`, `SUB`, `AND`, `OR`, `XOR`, `SHL`, `INC`, `DEC`, `XADD`, `CMPXCHG` | reads, assignments of registers and writes, one after another |
//! | `MOVB`, `MOVW` of a location that is declared so, `uint8_t x;` | the same, with the bits of its type |
//! | `XCHG` with memory; the others after `LOCK` | one locked instruction (`spec/cpu/instructions.spec`, or `CAS`) |
//! | `CMP`, `TEST`, and what else sets flags | two hidden registers, which conditional jumps, `CMOVcc` and `SETcc` compare |
//! | labels and jumps | branches; a jump back to the start of what it ends, a loop |
//! | `RET` | the end of the thread; code that ends in it may be jumped back to |
//! | `MFENCE`, `LFENCE`, `SFENCE` | themselves; what they order is for the rules to say |
//! | `LEA`, `$x` | the number of an address |
//! | `UXCH`, herd's exchange that is none | a read, then a write |
//! | `CLFLUSH` and what else speaks of the cache | nothing: it changes no value, and no model here orders it |
//! | `NOP`, `PAUSE`, `ENDBR64`, a segment `cs`, `ds`, `es`, `ss` before an address | nothing |
//! | `filter` | part of the condition; the outcomes that do not pass are not listed |
//! | arrays, `int t[2]={1,2};`, and their elements, `[t+4]`, `4(%rax)`, `(%rax,%rbx,4)`, `t[1]` | locations, of as many bytes as their type says |
//! | an address that is kept in memory, computed or compared | a number that stands by its name (`address.rs`) |
//! | an access by such an address | a choice among the locations that it may be; `fault` (`spec/cpu/instructions.spec`) where it is none |
//! | a name that only `locations` has | a location that is 0 |
//! | `(name)` after the name, `with …`, `<< …`, comments | nothing: other tools read them |
//!
//! Limits. Values are signed, and an addition that overflows stops the search with a message. They have 64 bits in an X86_64 test that
//! declares a type of 64 bits or has a number that needs them, and 32 in others. Accesses of 32 and 64 bits are not told apart, and narrower ones are refused
//! but for a `MOV` or `SETcc` of a location of just that width. The carry is known behind comparisons, subtractions and bitwise operations alone.
//! Non-temporal moves and whatever else is not in the table are refused by name.

mod address;
mod asm;
mod claim;
mod conditional;
mod flow;
mod hash;
mod init;
mod operand;
mod translate;

use crate::ast::Herd;
use crate::raw;
use litmpi_grammars::herd::{Grammar, Rule};
use litmpi_grammars::litmus as grammar;
use litmpi_spec::diag::{self, Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use pest::Parser;
use pest::iterators::Pair;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The family that these tests belong to.
pub(crate) const FAMILY: &str = "x86";
/// The number of the node that all threads run on.
const NODE: i64 = 1;
/// Brackets and comments deeper than this are refused: the parser is recursive.
const DEEPEST: usize = 32;
/// So are longer conditions.
const LARGEST: usize = 1000;

/// Which of the two assembly languages, since their operands stand in different order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Arch {
    /// Intel's order: what is written stands first.
    X86,
    /// AT&T's order: what is written stands last.
    X86_64,
}

/// Whether a file is one of herd's: its first word is the name of a machine.
///
/// # Errors
/// A machine whose tests are not read.
pub(crate) fn is_herd(source: &Arc<Source>) -> Result<bool, Report> {
    let text = source.text.trim_start();
    let word = text.split_whitespace().next().unwrap_or("");
    if ["AArch64", "ARM", "PPC", "RISCV", "MIPS", "LISA", "Bell", "C", "ASL", "BPF", "JAVA"].contains(&word) {
        let at = source.text.len() - text.len();
        let span = Span::new(source, at, at + word.len());
        let d = Diagnostic::at(&span, format!("tests for {word} are not read")).found("herd's name of this machine");
        return Err(d.help("of herd's tests, those for X86 and X86_64 are").into());
    }
    Ok(word == "X86" || word == "X86_64")
}

/// Reads a file to a raw test.
///
/// # Errors
/// One syntax error, or everything that is not supported.
pub(crate) fn read(source: &Arc<Source>) -> Result<raw::Test, Report> {
    depth(source)?;
    let text = without_comments(&source.text);
    let mut pairs = Grammar::parse(Rule::test, &text).map_err(|e| diag::syntax(source, &e, readable))?;
    let mut reader =
        Reader { source, arch: Arch::X86, named: BTreeSet::new(), numbers: vec![], wide: false, errors: vec![] };
    let test = reader.test(pairs.next().expect("the rule gives one pair"));
    reader.errors.sort_by_key(|d| d.span.as_ref().map_or(0, |s| s.start));
    Report(reader.errors).into_result()?;
    Ok(test)
}

/// Pairs to a raw test.
struct Reader<'a> {
    source: &'a Arc<Source>,
    arch: Arch,
    /// Names of locations that were looked at.
    named: BTreeSet<String>,
    /// Numbers of the program.
    numbers: Vec<(i64, Span)>,
    /// Integers have 64 bits.
    wide: bool,
    errors: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let (start, end) = (pair.as_span().start(), pair.as_span().end());
        // A rule may end in white space that it skipped while looking for more.
        Span::new(self.source, start, start + self.source.text[start..end].trim_end().len())
    }

    fn error(&mut self, span: &Span, message: impl Into<String>, found: impl Into<String>, help: impl Into<String>) {
        self.errors.push(Diagnostic::at(span, message).found(found).help(help));
    }

    /// A number, decimal or hexadecimal, perhaps with a `$` before it.
    fn number(&mut self, pair: &Pair<'_, Rule>) -> raw::Number {
        let span = self.span(pair);
        self.number_in(pair.as_str(), &span)
    }

    /// The same of a text. Of X86_64 it may have 64 bits, the highest one for the sign; of X86, 32.
    fn number_in(&mut self, text: &str, span: &Span) -> raw::Number {
        let text = text.trim_start_matches('$');
        let (negative, digits) = text.strip_prefix('-').map_or((false, text), |t| (true, t));
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let parsed = hex.map_or_else(|| digits.parse::<u64>(), |h| u64::from_str_radix(h, 16)).ok();
        let value = parsed.and_then(|v| match negative {
            true => i64::try_from(-i128::from(v)).ok(),
            false => Some(v.cast_signed()),
        });
        let wide = value.is_some_and(|v| i32::try_from(v).is_err());
        if value.is_none() || wide && self.arch == Arch::X86 {
            let help = format!("numbers go from {} to {}; in X86_64 tests they have 64 bits", i32::MIN, i32::MAX);
            self.error(span, "the number does not fit", "too large", help);
            return raw::Number { value: 0, span: span.clone() };
        }
        self.wide |= wide;
        let value = value.unwrap_or(0);
        self.numbers.push((value, span.clone()));
        raw::Number { value, span: span.clone() }
    }

    fn test(&mut self, pair: Pair<'_, Rule>) -> raw::Test {
        let span = self.span(&pair);
        let whole = pair.clone();
        let (mut family, mut name, mut written) = (None, None, String::new());
        let (mut title, mut verdicts) = (None, Vec::new());
        let (mut state, mut code) = (init::Init::default(), asm::Code::default());
        let (mut locations, mut filter, mut claims) = (Vec::new(), None, Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::arch => {
                    self.arch = if part.as_str() == "X86" { Arch::X86 } else { Arch::X86_64 };
                    family = Some(raw::Name { text: FAMILY.to_owned(), span: self.span(&part) });
                }
                Rule::name => {
                    name = Some(self.title(&part));
                    written = without_ending(part.as_str()).to_owned();
                }
                Rule::doc => {
                    let text = part.into_inner().next().map_or("", |t| t.as_str());
                    title.get_or_insert_with(|| text.split_whitespace().collect::<Vec<_>>().join(" "));
                }
                Rule::meta => verdicts.extend(self.verdict(part)),
                Rule::init => state = self.init(part),
                Rule::processes => code = self.processes(part),
                Rule::row => self.row(part, &mut code),
                Rule::locations => locations = self.locations(part, &state),
                Rule::filter => filter = Some(self.filter(part, &mut state)),
                Rule::claim => claims.push(self.claim(part, &mut state)),
                _ => {}
            }
        }
        let name = name.expect("a header has a name");
        // Without a condition herd lists the outcomes and asks nothing.
        let mut claim = claims.pop().unwrap_or_else(|| raw::Claim {
            quantifier: crate::ast::Quantifier::Forall,
            prop: raw::Prop::True,
            verdicts: Vec::new(),
            seen: Vec::new(),
            beside: Vec::new(),
            span: name.span.clone(),
        });
        claim.verdicts = verdicts;
        let filtered = filter.is_some();
        if let Some(filter) = filter {
            claim::restrict(&mut claim, filter);
        }
        let observed: Vec<&raw::Observable> = claim::observables(&claim.prop).into_iter().chain(&locations).collect();
        let threads = self.threads(code, &mut state, &observed);
        // What only the list of locations names is 0 all the time.
        for seen in locations.iter().filter(|o| o.thread.is_none()) {
            state.declare(&seen.name, raw::Init::Zero);
        }
        self.apart(&state);
        let addresses = state.names();
        let number = raw::Number { value: NODE, span: name.span.clone() };
        let nodes = vec![raw::Node { number, variables: state.variables }];
        let family = family.expect("a header has a machine");
        let title = title.unwrap_or_default();
        let herd =
            Some(Herd { name: written, hash: hash::hash(&whole, self.arch), filtered, addresses, wide: self.wide });
        raw::Test { family, name, title, nodes, threads, locations, claims: vec![claim], herd, span }
    }

    /// The test's name as our own format can write it: `_` stands for other signs.
    fn title(&self, pair: &Pair<'_, Rule>) -> raw::Name {
        let text = without_ending(pair.as_str()).replace("--", "-_");
        let text = text.chars().map(|c| if is(grammar::Rule::word, &c.to_string()) { c } else { '_' }).collect();
        raw::Name { text, span: self.span(pair) }
    }
}

/// A test's name without the ending of files, as herd takes it.
fn without_ending(name: &str) -> &str {
    name.strip_suffix(".litmus").unwrap_or(name)
}

/// Whether a text is wholly a word of our own format.
fn is(rule: grammar::Rule, text: &str) -> bool {
    grammar::Grammar::parse(rule, text).is_ok_and(|mut p| p.next().is_some_and(|p| p.as_str() == text))
}

/// The text with blanks in the place of comments: `(* … *)`, which may hold others, and from the initial values on also what follows
/// `#` or `//` in a line, and everything after `<<`, which tells other tools how to show the test. There is none in
/// quotes, and none without an end.
fn without_comments(text: &str) -> Cow<'_, str> {
    if !["(*", "#", "//", "<<"].iter().any(|sign| text.contains(sign)) {
        return Cow::Borrowed(text);
    }
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut blank = |from: usize, to: usize| {
        out[from..to].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
    };
    let (mut at, mut quoted, mut begun, mut head) = (0, false, vec![], true);
    while at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'(', Some(b'*')) if !quoted => {
                begun.push(at);
                at += 1;
            }
            (b'*', Some(b')')) if !begun.is_empty() => {
                at += 1;
                blank(begun.pop().unwrap_or(at), at + 1);
            }
            (b'"', _) if begun.is_empty() => quoted = !quoted,
            (b'{', _) if begun.is_empty() && !quoted => head = false,
            (b'#', _) | (b'/', Some(b'/')) if begun.is_empty() && !quoted && !head => {
                let end = bytes[at..].iter().position(|b| *b == b'\n').map_or(bytes.len(), |n| at + n);
                blank(at, end);
                at = end;
            }
            (b'<', Some(b'<')) if begun.is_empty() && !quoted && !head => {
                blank(at, bytes.len());
                at = bytes.len();
            }
            _ => {}
        }
        at += 1;
    }
    // Whole characters were replaced, since a comment begins and ends with signs of one byte.
    String::from_utf8(out).map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Refuses nesting that would exhaust the stack.
fn depth(source: &Arc<Source>) -> Result<(), Report> {
    let (mut open, mut comments) = (0_usize, 0_usize);
    let bytes = source.text.as_bytes();
    for (at, c) in bytes.iter().enumerate() {
        let next = bytes.get(at + 1);
        match (c, next) {
            (b'(', Some(b'*')) => comments += 1,
            (b'*', Some(b')')) => comments = comments.saturating_sub(1),
            (b'(', _) if comments == 0 => open += 1,
            (b')', _) if comments == 0 => open = open.saturating_sub(1),
            _ => {}
        }
        if open.max(comments) > DEEPEST {
            let d = Diagnostic::at(&Span::new(source, at, at + 1), format!("nested more than {DEEPEST} deep"));
            return Err(d.found("one bracket or comment too many").help("write it with fewer brackets").into());
        }
    }
    Ok(())
}

/// What a grammar rule is called in messages; nothing for what needs no mention.
fn readable(rule: &Rule) -> String {
    match rule {
        Rule::EOI => "the end of the file",
        Rule::name => "the test's name",
        Rule::doc => "text in quotes",
        Rule::meta => "`Key=value`",
        Rule::init => "initial values in `{ }`",
        Rule::entry | Rule::type_word => "an initial value",
        Rule::number => "a number",
        Rule::place | Rule::register => "a register or location",
        Rule::processes | Rule::process => "the line of processes, `P0 | P1 ;`",
        Rule::row | Rule::cell | Rule::instruction | Rule::mnemonic => "an instruction",
        Rule::bar => "`|`",
        Rule::line_end => "`;`",
        Rule::operand | Rule::memory | Rule::immediate | Rule::pointed | Rule::plain => "an operand",
        Rule::index => "`[index]`",
        Rule::values => "`{ values }`",
        Rule::locations => "`locations [ ]`",
        Rule::filter => "`filter`",
        Rule::claim | Rule::quantifier | Rule::not_exists | Rule::exists | Rule::forall => {
            "a condition (`exists`, `~exists`, `forall`)"
        }
        Rule::prop | Rule::all | Rule::implied | Rule::literal | Rule::group | Rule::equation => "a condition",
        Rule::equal | Rule::unequal => "`=`",
        Rule::symbol => "a name",
        _ => "",
    }
    .to_string()
}
