//! States as bytes that mean the same in every process with the same machine: what stands in the heap is written out.
//!
//! Only slots that are not as in the initial state are written, each after how far it stands behind the one before. A word is written as its type says ([`litmpi_spec::heap`]): an integer by its value, an element of a sort or a register by its number, what
//! is composite by how many words it has and then each of them. Numbers have seven bits a byte, the low ones first, and a further
//! bit where more follow.

use crate::machine::Machine;
use litmpi_spec::heap::Word;
use litmpi_spec::types::Ty;
use smallvec::SmallVec;

/// How the states of a machine are written.
#[derive(Debug)]
pub struct Packing {
    /// By slot: the type of what stands there; none for a program counter.
    types: Vec<Option<Ty>>,
}

impl Packing {
    /// For the states of a machine.
    pub fn of(machine: &Machine) -> Packing {
        Packing { types: (0..machine.width()).map(|slot| machine.slot(slot).1).collect() }
    }

    /// Adds a state to bytes.
    pub fn pack(&self, machine: &Machine, state: &[Word], into: &mut Vec<u8>) {
        let mut written = 0;
        for (slot, (word, initial)) in state.iter().zip(machine.initial()).enumerate() {
            if word == initial {
                continue;
            }
            number((slot - written) as u64, into);
            written = slot;
            match &self.types[slot] {
                None => number(u64::from(*word), into),
                Some(ty) => value(machine, ty, *word, into),
            }
        }
    }

    /// The state of such bytes; none if they are not those of one.
    pub fn unpack(&self, machine: &Machine, mut bytes: &[u8]) -> Option<Vec<Word>> {
        let from = &mut bytes;
        let mut state = machine.initial().to_vec();
        let mut slot = 0_usize;
        while !from.is_empty() {
            slot = slot.checked_add(read(from)?.try_into().ok()?)?;
            *state.get_mut(slot)? = match &self.types[slot] {
                None => read(from)?.try_into().ok()?,
                Some(ty) => read_value(machine, ty, from)?,
            };
        }
        Some(state)
    }
}

fn number(mut n: u64, into: &mut Vec<u8>) {
    while n >= 0x80 {
        into.push(n as u8 | 0x80);
        n >>= 7;
    }
    into.push(n as u8);
}

fn read(from: &mut &[u8]) -> Option<u64> {
    let mut out = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = from.split_first()?;
        *from = rest;
        out |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(out);
        }
    }
    None
}

/// The type of a word of a composite value, of which the first word is this one; none where there is no such word.
fn part<'t>(machine: &'t Machine, ty: &'t Ty, first: Word, at: usize) -> Option<&'t Ty> {
    let types = &machine.spec.types;
    match ty {
        Ty::Seq(t) | Ty::Option(t) | Ty::Set(t) | Ty::Map(t) => Some(t),
        Ty::Tuple(ts) => ts.get(at),
        Ty::Record(r) => types.records[*r].fields.get(at).map(|(_, t)| t),
        // The first word is the constructor's number, which is written as it is.
        Ty::Variant(_) if at == 0 => Some(&Ty::Bool),
        Ty::Variant(_) => types.ctors.get(first as usize)?.fields.get(at - 1).map(|(_, t)| t),
        Ty::Int | Ty::Blob | Ty::Bool | Ty::Sort(_) | Ty::Reg(_) | Ty::Never => None,
    }
}

fn value(machine: &Machine, ty: &Ty, word: Word, into: &mut Vec<u8>) {
    match ty {
        Ty::Int | Ty::Blob => {
            let v = machine.heap.int(word);
            number((v << 1 ^ v >> 63) as u64, into);
        }
        Ty::Bool | Ty::Sort(_) | Ty::Reg(_) | Ty::Never => number(u64::from(word), into),
        Ty::Seq(_) | Ty::Set(_) | Ty::Map(_) | Ty::Option(_) | Ty::Tuple(_) | Ty::Record(_) | Ty::Variant(_) => {
            let words = machine.heap.get(word);
            number(words.len() as u64, into);
            for (at, w) in words.iter().enumerate() {
                let ty = part(machine, ty, words[0], at).expect("a value is of its type");
                value(machine, ty, *w, into);
            }
        }
    }
}

fn read_value(machine: &Machine, ty: &Ty, from: &mut &[u8]) -> Option<Word> {
    match ty {
        Ty::Int | Ty::Blob => {
            let n = read(from)?;
            Some(machine.heap.word((n >> 1) as i64 ^ -((n & 1) as i64)))
        }
        Ty::Bool | Ty::Sort(_) | Ty::Reg(_) | Ty::Never => read(from)?.try_into().ok(),
        Ty::Seq(_) | Ty::Set(_) | Ty::Map(_) | Ty::Option(_) | Ty::Tuple(_) | Ty::Record(_) | Ty::Variant(_) => {
            let count = usize::try_from(read(from)?).ok().filter(|n| *n <= from.len())?;
            let mut words: SmallVec<[Word; 16]> = SmallVec::with_capacity(count);
            for at in 0..count {
                let ty = part(machine, ty, words.first().copied().unwrap_or(0), at)?;
                words.push(read_value(machine, ty, from)?);
            }
            Some(machine.heap.intern(&words))
        }
    }
}
