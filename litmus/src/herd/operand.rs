//! Registers and operands.

use super::address::{Address, Cell};
use super::init::Init;
use super::{Arch, Reader, Rule};
use crate::raw::{Name, Number};
use litmpi_spec::source::Span;
use pest::iterators::Pair;

/// An operand.
#[derive(Debug, Clone)]
pub(super) enum Operand {
    /// A number.
    Immediate(Number),
    /// The address of a location, `$x`.
    Symbol(Name),
    /// A register, by the name that all its widths share.
    Register(Name),
    /// The low 8 or 16 bits of a register.
    Part(Name, u32),
    /// Memory at an address.
    Memory(Address),
    /// Memory at a location.
    At(Cell),
}

/// Names of a register by width: 64, 32, 16 and 8 bits.
const REGISTERS: [[&str; 4]; 9] = [
    ["rax", "eax", "ax", "al"],
    ["rbx", "ebx", "bx", "bl"],
    ["rcx", "ecx", "cx", "cl"],
    ["rdx", "edx", "dx", "dl"],
    ["rsi", "esi", "si", "sil"],
    ["rdi", "edi", "di", "dil"],
    ["rbp", "ebp", "bp", "bpl"],
    ["rsp", "esp", "sp", "spl"],
    ["rip", "eip", "ip", "ipl"],
];

/// What a word says as a register.
enum Known {
    /// The name for all widths.
    Whole(String),
    /// A part of so many bits, with the name for all widths.
    Part(String, u32),
    No,
}

fn known(word: &str, arch: Arch) -> Known {
    let low = word.trim_start_matches('%').to_ascii_lowercase();
    for [r64, r32, r16, r8] in REGISTERS {
        // As herd prints them: EAX in one language, rax in the other.
        let whole = || if arch == Arch::X86 { r32.to_ascii_uppercase() } else { r64.to_owned() };
        if low == r64 || low == r32 {
            return Known::Whole(whole());
        }
        if low == r16 || low == r8 {
            return Known::Part(whole(), if low == r16 { 16 } else { 8 });
        }
    }
    // Nothing is done with those of segments, but herd's tests look at them.
    if matches!(low.as_str(), "cs" | "ds" | "es" | "ss" | "fs" | "gs") {
        return Known::Whole(if arch == Arch::X86 { low.to_ascii_uppercase() } else { low });
    }
    let digits: String = low.strip_prefix('r').unwrap_or("").chars().take_while(char::is_ascii_digit).collect();
    if !digits.parse::<u8>().is_ok_and(|n| (8..=15).contains(&n)) {
        return Known::No;
    }
    let whole = if arch == Arch::X86 { format!("R{digits}") } else { format!("r{digits}") };
    match &low[1 + digits.len()..] {
        "" | "d" => Known::Whole(whole),
        "w" => Known::Part(whole, 16),
        "b" => Known::Part(whole, 8),
        _ => Known::No,
    }
}

/// Whether a word, in lower case and without a sign before it, is the name of a register or of a part of one.
pub(super) fn is_register(word: &str) -> bool {
    !matches!(known(word, Arch::X86_64), Known::No)
}

impl Reader<'_> {
    /// A register by any of its names. Nothing, and a message, if it is none that is supported.
    pub(super) fn register(&mut self, word: &str, span: &Span) -> Option<Name> {
        match known(word, self.arch) {
            Known::Whole(text) => return Some(Name { text, span: span.clone() }),
            Known::Part(..) => self.part(word, span),
            Known::No => {
                let help = "registers are EAX, EBX, … and rax, rbx, …, r8 to r15";
                self.error(span, format!("`{word}` is not a register"), "unknown", help);
            }
        }
        None
    }

    /// Refuses to look at a register that no instruction of its process assigns and that has no initial value, if registers that the process
    /// assigns are `unseen`: herd has it 0, and a slip of the pen would be taken for an answer.
    pub(super) fn given(&mut self, name: &Name, process: i64, unseen: &[String], state: &Init) {
        let unseen: Vec<&str> = unseen.iter().map(String::as_str).filter(|r| self.is_register(r)).collect();
        if unseen.is_empty() || state.registers.contains_key(&(process, name.text.clone())) {
            return;
        }
        let register = name.span.text().to_owned();
        let help = format!(
            "P{process} assigns {}, which nobody looks at; if 0 is meant, say so at the beginning: `{process}:{register}=0;`",
            unseen.join(", ")
        );
        let message = format!("no instruction of P{process} assigns `{register}`");
        self.error(&name.span, message, "nothing gives it a value", help);
    }

    /// Says that a part of a register cannot stand somewhere.
    pub(super) fn part(&mut self, word: &str, span: &Span) {
        let help =
            "parts of registers stand in MOVB and MOVW with a location of that width; use the whole register elsewhere";
        self.error(span, format!("`{word}` is a part of a register"), "16 or 8 bits", help);
    }

    /// Whether a word names a register, or a part of one.
    pub(super) fn is_register(&self, word: &str) -> bool {
        !matches!(known(word, self.arch), Known::No)
    }

    /// A location, whose name our own format must be able to write.
    pub(super) fn location(&mut self, text: &str, span: &Span) -> Name {
        use litmpi_grammars::litmus::Rule as Own;
        if self.named.contains(text) {
            return Name { text: text.to_owned(), span: span.clone() };
        }
        self.named.insert(text.to_owned());
        if !super::is(Own::observed_name, text) || !super::is(Own::name, text) {
            let help = "rename it: it is a word of the language that tests are printed in";
            self.error(span, format!("`{text}` cannot be a location's name"), "a reserved word", help);
        }
        Name { text: text.to_owned(), span: span.clone() }
    }

    /// An operand; nothing, and a message, if it is not supported.
    pub(super) fn operand(&mut self, pair: Pair<'_, Rule>) -> Option<Operand> {
        let span = self.span(&pair);
        let mut parts = pair.into_inner();
        let mut inner = parts.next().expect("an operand is something");
        if inner.as_rule() == Rule::segment {
            let word = inner.as_str().trim_start_matches('%').trim_end_matches(':').to_ascii_lowercase();
            if word == "fs" || word == "gs" {
                let at = self.span(&inner);
                let help = "segments that begin at 0, as cs, ds, es and ss do, change no address";
                self.error(&at, format!("the segment `{word}` is not supported"), "an address that is not known", help);
                return None;
            }
            inner = parts.next().expect("an operand follows its segment");
        }
        match inner.as_rule() {
            Rule::pointed => {
                let name = inner.into_inner().next().expect("it has a name");
                let at = self.span(&name);
                Some(Operand::Symbol(self.location(name.as_str(), &at)))
            }
            Rule::immediate => Some(Operand::Immediate(self.number(&inner))),
            Rule::plain => match known(inner.as_str(), self.arch) {
                Known::Part(text, bits) => Some(Operand::Part(Name { text, span }, bits)),
                _ => self.register(inner.as_str(), &span).map(Operand::Register),
            },
            _ => self.address(inner, &span).map(Operand::Memory),
        }
    }
}
