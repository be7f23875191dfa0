//! Integers of programs: expressions over registers, and what registers and locations hold.
//!
//! Rules reckon with 64 bits. How many a program's own integers have is the specification's to say ([`litmpi_spec::model::BITS`]): an MPI program's are C's
//! `int`, so that what overflows in the emitted program is an error of the litmus test here too.

use crate::eval::Fault;
use crate::machine::Machine;
use crate::touched::Touched;
use litmpi_spec::heap::Word;
use litmpi_spec::integers::{Bits, NoValue};
use litmpi_spec::program::IntExpr;
use litmpi_spec::types::Ty;

impl Machine {
    /// Looks up how many bits the program's integers have, and whether what its locations hold at first has room in them.
    pub(crate) fn set_bits(&mut self) -> Result<(), Fault> {
        let Some(at) = self.spec.bits_at() else { return Ok(()) };
        let bits = self.heap.int(self.consts[at]);
        self.bits = Bits::new(bits).ok_or_else(|| {
            let fault = Fault::new(&self.spec.consts[at].span, format!("integers of {bits} bits cannot be had"));
            fault.help("from 2 to 64")
        })?;
        self.program.locs.iter().try_for_each(|l| self.fits(l.initial))
    }

    /// The word of an integer, in states of this machine and arguments of its rules.
    pub fn word(&self, v: i64) -> Word {
        self.heap.word(v)
    }

    /// The integer whose word this is.
    pub fn value(&self, word: Word) -> i64 {
        self.heap.int(word)
    }

    /// An integer expression of a thread.
    pub(crate) fn int(&self, t: usize, e: &IntExpr, state: &[Word], watch: Option<&Touched>) -> Result<i64, Fault> {
        let v = match e {
            IntExpr::Const(v, _) => Ok(*v),
            IntExpr::Reg(r, field) => {
                self.looks.look(self.reg_slot(t, *r));
                // Of what the thread's step wrote itself this asks for more than is needed, which does no harm.
                if let Some(touched) = watch {
                    touched.look(self.reg_slot(t, *r));
                }
                let value = self.reg_value(state, t, *r, field.as_deref());
                if self.is_undefined_value(state, value)? {
                    return Err(Fault::general("the program reads what has no defined value")
                        .help("read it only where a call has given it one"));
                }
                Ok(value)
            }
            IntExpr::Unary(op, a) => self.bits.unary(*op, self.int(t, a, state, watch)?),
            IntExpr::Binary(op, a, b) => {
                let (x, y) = (self.int(t, a, state, watch)?, self.int(t, b, state, watch)?);
                self.bits.binary(*op, x, y)
            }
        };
        v.map_err(|why| match why {
            NoValue::Overflow => self.overflow(),
            NoValue::ModuloByZero => {
                let fault = Fault::general("an expression of the program takes a remainder by 0");
                fault.help("test the divisor before, or give it another value")
            }
        })
        .and_then(|v| if self.bits.holds(v) { Ok(v) } else { Err(self.overflow()) })
    }

    fn overflow(&self) -> Fault {
        Fault::general(format!("an expression of the program overflows {} bits", self.bits))
    }

    /// # Errors
    /// The integers of programs have no room for it.
    pub(crate) fn fits(&self, v: i64) -> Result<(), Fault> {
        if self.bits.holds(v) {
            return Ok(());
        }
        let text = format!("{v} does not fit in the {} bits that a location of the program has", self.bits);
        Err(Fault::general(text))
    }

    /// The integer in a register, or in a field of it.
    pub fn reg_value(&self, state: &[Word], t: usize, r: usize, field: Option<&str>) -> i64 {
        let slot = self.reg_slot(t, r);
        let word = state[slot];
        match (self.reg_type(t, r), field) {
            (Ty::Record(rec), Some(f)) => {
                let at = self.spec.types.records[*rec].fields.iter().position(|(n, _)| n == f).unwrap_or(0);
                self.heap.int(self.heap.get(word)[at])
            }
            (Ty::Int | Ty::Blob, _) => self.heap.int(word),
            _ => i64::from(word),
        }
    }

    /// The value of a location in memory ([`Spec::memory`]); 0 in a specification that has none.
    pub fn loc_value(&self, state: &[Word], loc: usize) -> i64 {
        self.loc_slot(loc).and_then(|slot| state.get(slot)).map_or(0, |word| self.heap.int(*word))
    }
}

/// The sum of two numbers of so many bits.
pub(crate) fn wrapping_sum(x: i64, y: i64, bits: i64) -> i64 {
    let unused = 64 - bits.clamp(1, 64);
    x.wrapping_add(y) << unused >> unused
}
