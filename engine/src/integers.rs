//! Integers of programs: expressions over registers, and what registers and locations hold.
//!
//! Rules reckon with 64 bits. How many a program's own integers have is the specification's to say ([`BITS`]): an MPI program's are C's
//! `int`, so that what overflows in the emitted program is an error of the litmus test here too.

use crate::eval::Fault;
use crate::machine::Machine;
use crate::touched::Touched;
use litmpi_spec::heap::Word;
use litmpi_spec::model::BITS;
use litmpi_spec::program::{BinaryOp, IntExpr, UnaryOp};
use litmpi_spec::types::Ty;

impl Machine {
    /// Looks up how many bits the program's integers have, and whether what its locations hold at first has room in them.
    pub(crate) fn set_bits(&mut self) -> Result<(), Fault> {
        let Some(at) = self.spec.consts.iter().position(|c| c.name == BITS && c.ty == Ty::Int) else { return Ok(()) };
        let bits = self.heap.int(self.consts[at]);
        self.bits = u32::try_from(bits).ok().filter(|n| (2..=64).contains(n)).ok_or_else(|| {
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
        let overflow = || self.overflow();
        let v = match e {
            IntExpr::Const(v, _) => *v,
            IntExpr::Reg(r, field) => {
                self.looks.look(self.reg_slot(t, *r));
                // Of what the thread's step wrote itself this asks for more than is needed, which does no harm.
                if let Some(touched) = watch {
                    touched.look(self.reg_slot(t, *r));
                }
                self.reg_value(state, t, *r, field.as_deref())
            }
            IntExpr::Unary(UnaryOp::Neg, a) => self.int(t, a, state, watch)?.checked_neg().ok_or_else(overflow)?,
            IntExpr::Unary(UnaryOp::Not, a) => i64::from(self.int(t, a, state, watch)? == 0),
            IntExpr::Binary(op, a, b) => {
                let (x, y) = (self.int(t, a, state, watch)?, self.int(t, b, state, watch)?);
                match op {
                    BinaryOp::Add => x.checked_add(y).ok_or_else(overflow)?,
                    BinaryOp::Sub => x.checked_sub(y).ok_or_else(overflow)?,
                    BinaryOp::Mul => x.checked_mul(y).ok_or_else(overflow)?,
                    BinaryOp::Eq => i64::from(x == y),
                    BinaryOp::Ne => i64::from(x != y),
                    BinaryOp::Lt => i64::from(x < y),
                    BinaryOp::Le => i64::from(x <= y),
                    BinaryOp::Gt => i64::from(x > y),
                    BinaryOp::Ge => i64::from(x >= y),
                    BinaryOp::And => i64::from(x != 0 && y != 0),
                    BinaryOp::Or => i64::from(x != 0 || y != 0),
                    BinaryOp::BitAnd => x & y,
                    BinaryOp::BitOr => x | y,
                    BinaryOp::BitXor => x ^ y,
                    BinaryOp::Mod if y == 0 => {
                        let fault = Fault::general("an expression of the program takes a remainder by 0");
                        return Err(fault.help("test the divisor before, or give it another value"));
                    }
                    BinaryOp::Mod => x.checked_rem_euclid(y).ok_or_else(overflow)?,
                }
            }
        };
        if self.holds(v) { Ok(v) } else { Err(overflow()) }
    }

    /// Whether the integers of programs have room for this one ([`BITS`]).
    fn holds(&self, v: i64) -> bool {
        let unused = 64 - self.bits;
        v << unused >> unused == v
    }

    fn overflow(&self) -> Fault {
        Fault::general(format!("an expression of the program overflows {} bits", self.bits))
    }

    /// # Errors
    /// The integers of programs have no room for it.
    pub(crate) fn fits(&self, v: i64) -> Result<(), Fault> {
        if self.holds(v) {
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
            (Ty::Int, _) => self.heap.int(word),
            _ => i64::from(word),
        }
    }

    /// The value of a location in memory ([`Spec::memory`]); 0 in a specification that has none.
    pub fn loc_value(&self, state: &[Word], loc: usize) -> i64 {
        self.loc_slot(loc).map_or(0, |slot| self.heap.int(state[slot]))
    }
}
