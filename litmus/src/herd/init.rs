//! Initial values: of locations and arrays, and of registers, which hold numbers or addresses.

use super::address::{Cell, LONGEST, SIZE};
use super::{Arch, Reader, Rule};
use crate::raw::{Init as Value, Name, Number, Variable};
use litmpi_spec::source::Span;
use pest::iterators::Pair;
use std::collections::BTreeMap;

/// What a register holds at the beginning.
#[derive(Debug, Clone)]
pub(super) enum Start {
    Number(Number),
    /// The address of a location.
    Address(Cell),
}

/// The width of a location of 8 or 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Width {
    pub(super) bits: u32,
    pub(super) signed: bool,
}

impl Width {
    /// Of a C type; nothing of one that is not so narrow.
    fn of(name: &str) -> Option<Width> {
        let (bits, signed) = match name {
            "int8_t" | "char" => (8, true),
            "uint8_t" => (8, false),
            "int16_t" | "short" => (16, true),
            "uint16_t" => (16, false),
            _ => return None,
        };
        Some(Width { bits, signed })
    }

    /// What is left of a number in this width.
    pub(super) fn wrap(self, value: i64) -> i64 {
        let shift = 64 - self.bits;
        let low = value << shift;
        if self.signed { low >> shift } else { (low as u64 >> shift).cast_signed() }
    }
}

/// The state before the first instruction. What is not named is 0.
#[derive(Debug, Default)]
pub(super) struct Init {
    pub(super) variables: Vec<Variable>,
    /// The widths of locations that are narrower than 32 bits.
    pub(super) widths: BTreeMap<String, Width>,
    /// Bytes of an element, where they are not [`SIZE`].
    pub(super) sizes: BTreeMap<String, i64>,
    /// By process and register.
    pub(super) registers: BTreeMap<(i64, String), (Name, Start)>,
    /// The variables whose addresses are known to the program, in the order of their numbers.
    pub(super) taken: Vec<String>,
    /// Some address is used as a number: kept in memory, moved to another register, reckoned with or compared.
    pub(super) numbered: bool,
}

impl Init {
    /// A location that the code names is there, whether it was declared or not.
    pub(super) fn declare(&mut self, name: &Name, value: Value) {
        match self.variables.iter_mut().find(|v| v.name.text == name.text) {
            None => self.variables.push(Variable { name: name.clone(), len: None, init: value }),
            // `uint64_t x; x=1;`: the later value counts.
            Some(known) if !matches!(value, Value::Zero) => known.init = value,
            Some(_) => {}
        }
    }

    /// The number of elements of an array; nothing of what is none.
    pub(super) fn len(&self, name: &str) -> Option<i64> {
        self.variables.iter().find(|v| v.name.text == name)?.len.as_ref().map(|n| n.value)
    }

    /// How many bytes an element has.
    pub(super) fn size(&self, name: &str) -> i64 {
        self.sizes.get(name).copied().unwrap_or(SIZE)
    }
}

/// What stands behind `=`.
enum Given {
    Start(Start),
    Each(Vec<Start>, Span),
}

impl Reader<'_> {
    pub(super) fn init(&mut self, pair: Pair<'_, Rule>) -> Init {
        let mut out = Init::default();
        let mut addresses = vec![];
        for entry in pair.into_inner().filter(|p| p.as_rule() == Rule::entry) {
            self.entry(entry, &mut out, &mut addresses);
        }
        let mut registers = std::mem::take(&mut out.registers);
        for (_, start) in registers.values_mut() {
            if let Start::Address(cell) = start
                && !self.exists(cell, &out)
            {
                cell.element = 0;
            }
        }
        out.registers = registers;
        // What is declared behind its use has its length by now.
        for (name, element, start) in addresses {
            out.numbered = true;
            let number = Number { value: self.number_of(&start, &mut out), span: start.span.clone() };
            let known = out.variables.iter_mut().find(|v| v.name.text == name);
            match known.map(|v| &mut v.init) {
                Some(Value::Each(values, _)) if element < values.len() => values[element] = number,
                Some(init) => *init = Value::All(number),
                None => {}
            }
        }
        out
    }

    /// An entry; initial values of memory that are addresses are put into `addresses` with their places.
    fn entry(&mut self, pair: Pair<'_, Rule>, out: &mut Init, addresses: &mut Vec<(String, usize, Cell)>) {
        let (mut pointer, mut place, mut value, mut width, mut size, mut len) = (false, None, None, None, None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::type_word => {
                    let word = part.as_str().trim();
                    width = width.or(Width::of(word));
                    size = size.or(size_of(word));
                }
                Rule::pointer => pointer = true,
                Rule::place => place = self.place(part),
                Rule::length => len = part.into_inner().next().map(|n| self.length(&n)),
                Rule::values => value = Some(self.values(&part)),
                Rule::number => value = Some(Given::Start(Start::Number(self.number(&part)))),
                Rule::address => value = Some(Given::Start(Start::Address(self.cell(part)))),
                _ => {}
            }
        }
        let Some(place) = place else { return };
        if pointer {
            size = Some(if self.arch == Arch::X86 { SIZE } else { 8 });
            width = None;
        } else if size == Some(8) {
            self.wide |= self.arch == Arch::X86_64;
        }
        if let Some(process) = place.thread {
            let start = match value {
                None => return,
                Some(Given::Start(start)) => start,
                Some(Given::Each(_, span)) => {
                    return self.error(&span, "a register holds one value", "several", "give it one");
                }
            };
            if let Start::Address(cell) = &start {
                self.take(cell, out);
            }
            out.registers.insert((process.value, place.name.text.clone()), (place.name, start));
            return;
        }
        let name = place.name.text.clone();
        if let Some(width) = width {
            out.widths.insert(name.clone(), width);
        }
        if let Some(size) = size {
            out.sizes.insert(name.clone(), size);
        }
        // It stands before what its values are the addresses of.
        out.declare(&place.name, Value::Zero);
        let (starts, each) = match value {
            None => (vec![], None),
            Some(Given::Start(start)) => (vec![start], None),
            Some(Given::Each(starts, span)) => (starts, Some(span)),
        };
        let mut numbers = vec![];
        for (i, start) in starts.into_iter().enumerate() {
            numbers.push(match start {
                Start::Number(mut n) => {
                    n.value = width.map_or(n.value, |w| w.wrap(n.value));
                    n
                }
                Start::Address(cell) => {
                    self.take(&cell, out);
                    let number = Number { value: 0, span: cell.span.clone() };
                    addresses.push((name.clone(), i, cell));
                    number
                }
            });
        }
        let init = match (each, numbers.pop()) {
            (Some(span), last) => Value::Each(numbers.into_iter().chain(last).collect(), span),
            (None, Some(one)) => Value::All(one),
            (None, None) => Value::Zero,
        };
        // `t={1,2}` says the length, too.
        let len = len.or_else(|| match &init {
            Value::Each(values, span) if out.len(&name).is_none() => {
                Some(Number { value: i64::try_from(values.len()).unwrap_or(i64::MAX), span: span.clone() })
            }
            _ => None,
        });
        out.declare(&place.name, init);
        if let (Some(len), Some(known)) = (len, out.variables.iter_mut().find(|v| v.name.text == name)) {
            known.len = Some(len);
        }
    }

    /// How many elements an array has.
    fn length(&mut self, pair: &Pair<'_, Rule>) -> Number {
        let mut len = self.number(pair);
        if !(1..=LONGEST).contains(&len.value) {
            let message = format!("an array cannot have {} elements", len.value);
            self.error(&len.span, message, "the length", format!("1 to {LONGEST} elements"));
            len.value = 1;
        }
        len
    }

    /// `{1, -1}`, `{&x, y}`
    fn values(&mut self, pair: &Pair<'_, Rule>) -> Given {
        let whole = self.span(pair);
        let inner = pair.as_str().trim_start_matches('{').trim_end_matches('}');
        let (mut at, mut out) = (whole.start + 1, vec![]);
        for part in inner.split(',') {
            let start = at + part.len() - part.trim_start().len();
            let text = part.trim();
            let span = Span::new(self.source, start, start + text.len());
            at += part.len() + 1;
            let word = text.trim_start_matches('&').trim();
            if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
                let name = self.location(word, &span);
                out.push(Start::Address(Cell { name: name.text, element: 0, span }));
            } else {
                out.push(Start::Number(self.number_in(text, &span)));
            }
        }
        Given::Each(out, whole)
    }

    /// `{1, -1}` of a condition, as numbers.
    pub(super) fn numbers_of(&mut self, pair: &Pair<'_, Rule>, state: &mut Init) -> Vec<Number> {
        let Given::Each(starts, _) = self.values(pair) else { return vec![] };
        let number = |start| match start {
            Start::Number(n) => n,
            Start::Address(cell) => Number { value: self.number_of(&cell, state), span: cell.span },
        };
        starts.into_iter().map(number).collect()
    }

    /// `x`, `&x`, `t[1]`
    fn cell(&mut self, pair: Pair<'_, Rule>) -> Cell {
        let span = self.span(&pair);
        let mut parts = pair.into_inner();
        let symbol = parts.next().expect("an address has a name");
        let at = self.span(&symbol);
        let name = self.location(symbol.as_str(), &at).text;
        let element = parts.next().and_then(|index| index.into_inner().next()).map_or(0, |n| self.number(&n).value);
        Cell { name, element, span }
    }
}

/// The bytes of a C type that is known; an `int` where none is said.
fn size_of(name: &str) -> Option<i64> {
    Some(match name {
        "int8_t" | "uint8_t" | "char" => 1,
        "int16_t" | "uint16_t" | "short" => 2,
        "int" | "int32_t" | "uint32_t" => 4,
        "int64_t" | "uint64_t" | "long" | "intptr_t" | "uintptr_t" => 8,
        _ => return None,
    })
}
