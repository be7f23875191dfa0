//! Addresses: of operands in memory, and as numbers.
//!
//! An address that is known where an instruction stands (`[x]`, `4(%rax)` with a register that has held the same address from the
//! beginning on) is a location. Where it is computed by the program or read from memory, it is a number: variable `k` of those whose addresses
//! are taken begins at `FIRST + k * STRIDE`, and the instruction becomes a choice among the locations that it can be, by
//! comparisons. In outcomes and conditions these numbers stand by their names, `0:rax=x`, `p=t[1]`.

use super::init::Init;
use super::{Reader, Rule};
use crate::raw::{Init as Value, Name};
use litmpi_spec::source::Span;
use pest::iterators::Pair;

/// The number that stands for the address of the first variable.
const FIRST: i64 = 1 << 28;
/// The longest array, as in our own format.
pub(super) const LONGEST: i64 = 1024;
/// How far variables lie apart: more than the longest array has bytes.
const STRIDE: i64 = 1 << 14;
/// How many variables fit below 2³¹.
const MOST: usize = 1 << 14;
/// Bytes of a location for which no type says how many it has: an `int`.
pub(super) const SIZE: i64 = 4;

/// A location: a variable, or an element of an array.
#[derive(Debug, Clone)]
pub(super) struct Cell {
    pub(super) name: String,
    /// 0 of what is no array.
    pub(super) element: i64,
    pub(super) span: Span,
}

/// An address as it is written: the sum of its parts.
#[derive(Debug, Clone)]
pub(super) struct Address {
    pub(super) symbol: Option<Name>,
    pub(super) base: Option<Name>,
    /// A register and what it is multiplied by.
    pub(super) scaled: Option<(Name, i64)>,
    pub(super) offset: i64,
    pub(super) span: Span,
}

impl Init {
    /// The location that begins so many bytes behind the beginning of a variable.
    pub(super) fn cell(&self, name: &str, bytes: i64, span: &Span) -> Option<Cell> {
        let (size, len) = (self.size(name), self.len(name).unwrap_or(1));
        let element = bytes.checked_div_euclid(size)?;
        let fits = bytes % size == 0 && (0..len).contains(&element);
        fits.then(|| Cell { name: name.to_owned(), element, span: span.clone() })
    }

    /// How many locations the variables are whose addresses are known.
    pub(super) fn taken_cells(&self) -> i64 {
        self.taken.iter().map(|name| self.len(name).unwrap_or(1)).sum()
    }

    /// All elements of a variable.
    pub(super) fn cells(&self, name: &str, span: &Span) -> Vec<Cell> {
        let cell = |element| Cell { name: name.to_owned(), element, span: span.clone() };
        (0..self.len(name).unwrap_or(1)).map(cell).collect()
    }

    /// What the numbers of addresses are called, if the program uses any.
    pub(super) fn names(&self) -> Vec<(i64, String)> {
        if !self.numbered {
            return vec![];
        }
        let mut out = vec![];
        for (k, name) in self.taken.iter().enumerate() {
            let first = FIRST + STRIDE * i64::try_from(k).unwrap_or(0);
            match self.len(name) {
                None => out.push((first, name.clone())),
                Some(len) => {
                    // Its beginning stands by the array's name alone, as in C.
                    out.push((first, name.clone()));
                    out.extend((1..len).map(|i| (first + i * self.size(name), format!("{name}[{i}]"))));
                }
            }
        }
        out
    }
}

impl Reader<'_> {
    /// The address of a location becomes known to the program.
    pub(super) fn take(&mut self, cell: &Cell, state: &mut Init) {
        state.declare(&Name { text: cell.name.clone(), span: cell.span.clone() }, Value::Zero);
        if state.taken.contains(&cell.name) {
            return;
        }
        if state.taken.len() == MOST {
            let help = format!("at most {MOST} variables have their address taken");
            self.error(&cell.span, "too many addresses", "one more", help);
            return;
        }
        state.taken.push(cell.name.clone());
    }

    /// Refuses the address of an element that is not there; whether it is.
    pub(super) fn exists(&mut self, cell: &Cell, state: &Init) -> bool {
        let len = state.len(&cell.name).unwrap_or(1);
        let there = (0..len).contains(&cell.element);
        if !there {
            let message = format!("`{}` has no element {}", cell.name, cell.element);
            self.error(&cell.span, message, "this address", format!("elements are numbered from 0 to {}", len - 1));
        }
        there
    }

    /// The number of an address.
    pub(super) fn number_of(&mut self, cell: &Cell, state: &mut Init) -> i64 {
        self.take(cell, state);
        if !self.exists(cell, state) {
            return 0;
        }
        state.numbered = true;
        let k = state.taken.iter().position(|n| *n == cell.name).unwrap_or(0);
        FIRST + STRIDE * i64::try_from(k).unwrap_or(0) + cell.element * state.size(&cell.name)
    }

    /// Refuses numbers of the program that an address has, too.
    pub(super) fn apart(&mut self, state: &Init) {
        if !state.numbered {
            return;
        }
        let end = FIRST + STRIDE * i64::try_from(state.taken.len()).unwrap_or(0);
        let Some((value, span)) = self.numbers.iter().find(|(n, _)| (FIRST..end).contains(n)).cloned() else { return };
        let help = format!("addresses are numbers from {FIRST} on where programs use them as numbers; take another");
        self.error(&span, format!("{value} may be the number of an address"), "a number", help);
    }

    /// An address in brackets with what stands before them; nothing, and a message, if it is none.
    pub(super) fn address(&mut self, pair: Pair<'_, Rule>, span: &Span) -> Option<Address> {
        let text = pair.as_str();
        let (mut displacement, mut base) = ("", "");
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::displacement => displacement = part.as_str(),
                _ => base = part.as_str().trim(),
            }
        }
        let mut out = Address { symbol: None, base: None, scaled: None, offset: 0, span: span.clone() };
        let good = self.sum(displacement, &mut out) && {
            if text.trim_end().ends_with(')') {
                let mut parts = base.split(',').map(str::trim);
                let first = parts.next().unwrap_or("");
                self.sum(first, &mut out)
                    && match (parts.next(), parts.next(), parts.next()) {
                        (None, ..) => true,
                        (Some(index), None, _) => self.scaled(index, "1", &mut out),
                        (Some(index), Some(scale), None) => self.scaled(index, scale, &mut out),
                        _ => false,
                    }
            } else {
                self.sum(base, &mut out)
            }
        };
        let named = out.symbol.is_some() || out.base.is_some() || out.scaled.is_some();
        if good && named {
            return Some(out);
        }
        let help = "write a location, `[x]` or `(x)`, an element, `[t+4]`, or registers, `(%rax)`, `8(%rax,%rbx,4)`";
        self.error(span, format!("`{}` is not a supported address", span.text()), "not a sum of these", help);
        None
    }

    /// Adds `x+4-8`, `EAX+EBX*4`.
    fn sum(&mut self, text: &str, out: &mut Address) -> bool {
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (negative, after) = match rest.strip_prefix('-') {
                Some(after) => (true, after),
                None => (false, rest.strip_prefix('+').unwrap_or(rest)),
            };
            let end = after.find(['+', '-']).unwrap_or(after.len());
            let term = after[..end].trim();
            rest = after[end..].trim_start();
            if term.is_empty() || !self.term(term, negative, out) {
                return false;
            }
        }
        true
    }

    fn term(&mut self, term: &str, negative: bool, out: &mut Address) -> bool {
        if let Some((a, b)) = term.split_once('*') {
            let (a, b) = (a.trim(), b.trim());
            let (register, scale) = if self.is_register(a) { (a, b) } else { (b, a) };
            return !negative && self.scaled(register, scale, out);
        }
        let hex = term.strip_prefix("0x").or_else(|| term.strip_prefix("0X"));
        if let Ok(n) = hex.map_or_else(|| term.parse::<i32>(), |h| i32::from_str_radix(h, 16)) {
            out.offset += if negative { -i64::from(n) } else { i64::from(n) };
            return true;
        }
        if negative {
            return false;
        }
        // Where code lies is not known, and a name relative to that is the name.
        if term.trim_start_matches('%').eq_ignore_ascii_case("rip") {
            return out.symbol.is_some();
        }
        let span = out.span.clone();
        if self.is_register(term) {
            let Some(register) = self.register(term, &span) else { return false };
            if out.base.is_some() {
                return out.scaled.replace((register, 1)).is_none();
            }
            out.base = Some(register);
            return true;
        }
        let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
        let plain = term.starts_with(letter) && term.chars().all(|c| letter(c) || c.is_ascii_digit());
        plain && out.symbol.replace(self.location(term, &span)).is_none()
    }

    fn scaled(&mut self, register: &str, scale: &str, out: &mut Address) -> bool {
        let span = out.span.clone();
        let scale = scale.parse::<i64>().ok().filter(|s| (1..=8).contains(s));
        let (true, Some(scale)) = (self.is_register(register), scale) else { return false };
        let Some(register) = self.register(register, &span) else { return false };
        out.scaled.replace((register, scale)).is_none()
    }
}
