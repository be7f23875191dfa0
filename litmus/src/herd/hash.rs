//! herd's hash of a test: what its logs name a program by, and what mcompare7 and mdiff7 compare.
//!
//! It is the MD5 sum of three sums (herdtools7, `lib/testHash.ml`): of the initial values in the order of their places, of the
//! code as herd prints it with its labels renamed, and of the places that are observed. All of that is known of the
//! instructions and operands below; of a test with others there is no hash, and so no false one.

use super::{Arch, Rule};
use crate::hash::{sum, sum_of};
use pest::iterators::Pair;
use std::collections::{BTreeMap, BTreeSet};

/// A place as herd orders them: registers by process and name, then locations by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    Register(u32, String),
    Location(String),
}

impl Place {
    fn of(pair: Pair<'_, Rule>) -> Option<Place> {
        let mut process = None;
        let mut name = String::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::process_number => process = Some(part.as_str().trim_start_matches('P').parse().ok()?),
                _ => part.as_str().trim_start_matches('%').clone_into(&mut name),
            }
        }
        Some(process.map_or_else(|| Place::Location(name.clone()), |p| Place::Register(p, name.clone())))
    }

    /// With the number of an element, if it is one of an array.
    fn element(&self, element: Option<u32>) -> String {
        element.map_or_else(|| self.show(), |i| format!("{}[{i}]", self.show()))
    }

    fn show(&self) -> String {
        match self {
            Place::Register(process, name) => format!("{process}:{name}"),
            Place::Location(name) => name.clone(),
        }
    }
}

/// What the hash is made of, or nothing where something is not known.
pub(super) fn hash(test: &Pair<'_, Rule>, arch: Arch) -> Option<String> {
    let (mut initial, mut columns, mut observed) = (BTreeMap::new(), vec![], BTreeSet::new());
    for part in test.clone().into_inner() {
        match part.as_rule() {
            Rule::meta => {
                let mut parts = part.into_inner();
                let key = parts.next()?.as_str().to_ascii_lowercase();
                match key.as_str() {
                    // One that was given counts; of these two it is part.
                    "hash" => return Some(parts.next()?.as_str().trim().to_owned()),
                    "memorytype" | "mt" => return None,
                    _ => {}
                }
            }
            Rule::init => {
                for entry in part.into_inner().filter(|p| p.as_rule() == Rule::entry) {
                    let (place, text) = value(entry)?;
                    initial.insert(place, text);
                }
            }
            Rule::processes => {
                columns = part.into_inner().filter(|p| p.as_rule() == Rule::process).map(|_| vec![]).collect();
            }
            Rule::row => {
                let cells = part.into_inner().filter(|p| p.as_rule() == Rule::cell);
                for (cell, column) in cells.zip(&mut columns) {
                    for part in cell.into_inner() {
                        column.push(match part.as_rule() {
                            Rule::label => Line::Label(part.into_inner().next()?.as_str().to_owned()),
                            _ => instruction(part, arch)?,
                        });
                    }
                }
            }
            Rule::locations | Rule::claim => {
                let mut parts = part.into_inner().flatten().peekable();
                // Arrays as a whole are not known to be printed as they are written.
                if parts.clone().any(|p| p.as_rule() == Rule::values) {
                    return None;
                }
                let mut of = None;
                while let Some(p) = parts.next() {
                    match p.as_rule() {
                        Rule::place => of = Some(Place::of(p)?),
                        Rule::index => {
                            let element = p.into_inner().next()?.as_str().trim().parse().ok()?;
                            of.take().map(|place: Place| observed.insert((place, Some(element))));
                        }
                        // What follows is an address that is compared with.
                        Rule::equal | Rule::unequal => {
                            parts.next();
                            of.take().map(|place| observed.insert((place, None)));
                        }
                        _ => {}
                    }
                    // A place that no index follows is all of it.
                    let next = parts.peek().map(|p| p.as_rule());
                    let within = [Rule::process_number, Rule::register, Rule::symbol, Rule::index];
                    if !next.is_some_and(|r| within.contains(&r)) {
                        of.take().map(|place| observed.insert((place, None)));
                    }
                }
            }
            _ => {}
        }
    }
    let joined = |parts: Vec<String>| parts.join("; ");
    let initial = sum(&joined(initial.into_values().collect()));
    // Elements among themselves are in order of arrays and numbers; how they stand among others is not known.
    let elements = observed.iter().filter(|(_, element)| element.is_some()).count();
    if elements != 0 && elements != observed.len() {
        return None;
    }
    let observed = sum(&joined(observed.iter().map(|(place, element)| place.element(*element)).collect()));
    Some(sum_of(&[initial, sum(&table(&columns)), observed]))
}

/// An initial value as herd prints it: with its type, and 0 where none is said.
fn value(entry: Pair<'_, Rule>) -> Option<(Place, String)> {
    let (mut types, mut pointer, mut place, mut value) = (vec![], false, None, "0".to_owned());
    let mut length = None;
    for part in entry.into_inner() {
        match part.as_rule() {
            Rule::type_word => types.push(part.as_str().trim().to_owned()),
            Rule::pointer => pointer = true,
            Rule::place => place = Place::of(part),
            Rule::number => part.as_str().trim().clone_into(&mut value),
            Rule::length => length = Some(part.into_inner().next()?.as_str().trim().parse::<u32>().ok()?),
            Rule::values => {}
            Rule::address => {
                let mut parts = part.into_inner();
                parts.next()?.as_str().clone_into(&mut value);
                if parts.next().is_some() {
                    return None;
                }
            }
            _ => return None,
        }
    }
    let place = place?;
    if let Some(length) = length {
        // Of an array, its type and length are part of the hash, and its values are not.
        return match types.as_slice() {
            [one] if !pointer => Some((place.clone(), format!("{one} {}[{length}]", place.show()))),
            _ => None,
        };
    }
    let star = if pointer { "*" } else { "" };
    let text = match types.as_slice() {
        [] => format!("{star}{}={value}", place.show()),
        [one] => format!("{one} {star}{}={value}", place.show()),
        [atomic, one] if atomic == "_Atomic" && !pointer => format!("_Atomic {one} {}={value}", place.show()),
        _ => return None,
    };
    Some((place, text))
}

enum Line {
    Label(String),
    Jump(String, String),
    Text(String),
}

/// An instruction as herd prints it.
fn instruction(pair: Pair<'_, Rule>, arch: Arch) -> Option<Line> {
    let (mut lock, mut word, mut operands) = (false, String::new(), vec![]);
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::lock => lock = true,
            Rule::mnemonic => word = part.as_str().to_ascii_lowercase(),
            _ => operands.push(part),
        }
    }
    if let ("jmp" | "je" | "jne" | "jle" | "jlt" | "jl" | "jgt" | "jg" | "jge" | "js" | "jns", [to]) =
        (word.as_str(), operands.as_slice())
    {
        let word = match word.as_str() {
            "jlt" => "jl",
            "jgt" => "jg",
            other => other,
        };
        // The other language has fewer.
        return match arch {
            Arch::X86 if !matches!(word, "jmp" | "je" | "jne") => None,
            Arch::X86 => Some(Line::Jump(word.to_ascii_uppercase(), to.as_str().trim().to_owned())),
            Arch::X86_64 => Some(Line::Jump(word.to_owned(), to.as_str().trim().to_owned())),
        };
    }
    let operands = operands.into_iter().map(|o| operand(o, arch)).collect::<Option<Vec<_>>>()?.join(",");
    let printed = match arch {
        Arch::X86 => of_32_bits(&word)?.to_owned(),
        Arch::X86_64 => of_64_bits(&word)?,
    };
    let text = if operands.is_empty() { printed } else { format!("{printed} {operands}") };
    Some(Line::Text(match (lock, arch) {
        (false, _) => text,
        (true, Arch::X86) => format!("LOCK; {text}"),
        (true, Arch::X86_64) => format!("lock; {text}"),
    }))
}

/// Two words are printed with a blank of their own, and moves of all widths as one.
fn of_32_bits(word: &str) -> Option<&'static str> {
    Some(match word {
        "mov" | "movb" | "movw" | "movl" | "movq" | "movt" => "MOV",
        "add" => "ADD",
        "xor" => "XOR",
        "or" => "OR",
        "dec" => "DEC ",
        "cmp" => "CMP ",
        "inc" => "INC",
        "xchg" => "XCHG",
        "cmpxchg" => "CMPXCHG",
        "mfence" => "MFENCE",
        "sfence" => "SFENCE",
        "lfence" => "LFENCE",
        _ => return None,
    })
}

fn of_64_bits(word: &str) -> Option<String> {
    if matches!(word, "mfence" | "sfence" | "lfence") {
        return Some(word.to_owned());
    }
    if word == "nop" {
        return Some("NOP".into());
    }
    let known = |w: &str| {
        let all = ["mov", "add", "xor", "or", "cmp", "dec", "inc", "xchg", "uxch", "cmpxchg", "cmovc"];
        all.contains(&w)
    };
    if word == "setnb" {
        return Some(word.to_owned());
    }
    let short = word.strip_suffix(['b', 'w', 'l', 'q']);
    (known(word) || short.is_some_and(known)).then(|| word.to_owned())
}

fn operand(pair: Pair<'_, Rule>, arch: Arch) -> Option<String> {
    let mut parts = pair.into_inner();
    let inner = parts.next()?;
    if parts.next().is_some() {
        return None;
    }
    let register = |word: &str| {
        let low = word.trim_start_matches('%').to_ascii_lowercase();
        match (super::operand::is_register(&low), arch) {
            (false, _) => None,
            (true, Arch::X86) => Some(low.to_ascii_uppercase()),
            (true, Arch::X86_64) => Some(format!("%{low}")),
        }
    };
    match inner.as_rule() {
        Rule::immediate => {
            let text = inner.as_str().trim_start_matches('$');
            let hex = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
            let value = hex.map_or_else(|| text.parse::<i64>(), |h| i64::from_str_radix(h, 16)).ok()?;
            Some(format!("${value}"))
        }
        Rule::plain => register(inner.as_str()),
        _ => {
            let mut parts = inner.into_inner();
            let mut base = parts.next()?;
            let mut offset = String::new();
            if base.as_rule() == Rule::displacement && arch == Arch::X86_64 {
                let n: i64 = base.as_str().trim().parse().ok()?;
                offset = if n == 0 { offset } else { n.to_string() };
                base = parts.next()?;
            }
            if base.as_rule() != Rule::base || parts.next().is_some() {
                return None;
            }
            let base = base.as_str().trim();
            let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let shown =
                register(base).or_else(|| (offset.is_empty() && base.chars().all(plain)).then(|| base.to_owned()))?;
            Some(if arch == Arch::X86 { format!("[{shown}]") } else { format!("{offset}({shown})") })
        }
    }
}

/// The columns beside each other, as herd prints a program.
fn table(columns: &[Vec<Line>]) -> String {
    let labels: BTreeSet<&str> = columns
        .iter()
        .flatten()
        .filter_map(|line| match line {
            Line::Label(l) | Line::Jump(_, l) => Some(l.as_str()),
            Line::Text(_) => None,
        })
        .collect();
    let renamed = |label: &str| format!("L{:02}", labels.iter().position(|l| *l == label).unwrap_or(0));
    let cell = |line: &Line| match line {
        Line::Label(label) => format!("{}:", renamed(label)),
        Line::Jump(word, label) => format!("{word} {}", renamed(label)),
        Line::Text(text) => text.clone(),
    };
    let cells: Vec<Vec<String>> = columns.iter().map(|c| c.iter().map(cell).collect()).collect();
    let widths: Vec<usize> = cells.iter().map(|c| c.iter().map(String::len).max().unwrap_or(0)).collect();
    let rows = cells.iter().map(Vec::len).max().unwrap_or(0);
    let mut out = String::new();
    for row in 0..rows {
        let line: Vec<String> = cells
            .iter()
            .zip(&widths)
            .map(|(column, width)| format!(" {:width$} ", column.get(row).map_or("", String::as_str)))
            .collect();
        out += &line.join("|");
        out += ";\n";
    }
    out
}
