//! Initial values: of locations, and of registers, which hold numbers or addresses.

use super::{Reader, Rule};
use crate::raw::{Init as Value, Name, Number, Variable};
use pest::iterators::Pair;
use std::collections::BTreeMap;

/// What a register holds at the beginning.
#[derive(Debug, Clone)]
pub(super) enum Start {
    Number(Number),
    /// The address of a location.
    Address(Name),
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
    /// By process and register.
    pub(super) registers: BTreeMap<(i64, String), (Name, Start)>,
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
}

impl Reader<'_> {
    pub(super) fn init(&mut self, pair: Pair<'_, Rule>) -> Init {
        let mut out = Init::default();
        for entry in pair.into_inner().filter(|p| p.as_rule() == Rule::entry) {
            self.entry(entry, &mut out);
        }
        out
    }

    fn entry(&mut self, pair: Pair<'_, Rule>, out: &mut Init) {
        let span = self.span(&pair);
        let (mut pointer, mut place, mut value, mut width) = (false, None, None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::type_word => width = width.or(Width::of(part.as_str().trim())),
                Rule::pointer => pointer = true,
                Rule::place => place = self.place(part),
                Rule::length | Rule::values => {
                    self.error(&span, "arrays are not supported", "an array", "give each element a name of its own");
                    return;
                }
                Rule::number => value = Some(Start::Number(self.number(&part))),
                Rule::address => {
                    let symbol = part.into_inner().next().expect("an address has a name");
                    let span = self.span(&symbol);
                    value = Some(Start::Address(self.location(symbol.as_str(), &span)));
                }
                // Types of 32 and 64 bits are not told apart.
                _ => {}
            }
        }
        let Some(place) = place else { return };
        if let (None, Some(width), false) = (&place.thread, width, pointer) {
            out.widths.insert(place.name.text.clone(), width);
            if let Some(Start::Number(n)) = &mut value {
                n.value = width.wrap(n.value);
            }
        }
        match (place.thread, value) {
            (Some(process), value) => {
                if let Some(Start::Address(x)) = &value {
                    out.declare(x, Value::Zero);
                }
                if let Some(value) = value {
                    out.registers.insert((process.value, place.name.text.clone()), (place.name, value));
                }
            }
            (None, Some(Start::Address(_))) => self.address_in_memory(&span),
            (None, _) if pointer => self.address_in_memory(&span),
            (None, None) => out.declare(&place.name, Value::Zero),
            (None, Some(Start::Number(n))) => out.declare(&place.name, Value::All(n)),
        }
    }

    fn address_in_memory(&mut self, span: &litmpi_spec::source::Span) {
        let help = "memory holds numbers; only registers may hold addresses: `0:rax=x`";
        self.error(span, "a location cannot hold an address", "an address in memory", help);
    }
}
