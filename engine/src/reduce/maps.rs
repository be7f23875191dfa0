//! What is known of sets and maps.

use super::value::Known;
use super::walk::{Env, Walk};
use crate::eval::Many;
use litmpi_spec::heap::Word;
use litmpi_spec::ir::{E, SetOp};
use litmpi_spec::types::Ty;

impl Walk<'_> {
    /// What is known of what is made of sets and maps: nothing is in it that is in none of the operands.
    pub(super) fn of_sets(&mut self, op: SetOp, of: &[E], ty: &Ty, env: Env<'_>) -> Known {
        let known = self.all(of, env);
        let first = known[0];
        let words: Option<Vec<Word>> = known.iter().map(|k| k.word).collect();
        let word = words.and_then(|words| match op {
            SetOp::Of => {
                let mut elements = Many::from_slice(self.m.heap.get(words[0]));
                self.m.in_order(ty, &mut elements).ok()?;
                Some(self.m.heap.intern(&elements))
            }
            // What is a fault when it is evaluated is not known.
            _ => self.m.of_sets(op, ty, &words).ok().flatten(),
        });
        let atoms = match op {
            SetOp::Union | SetOp::Put => known.iter().fold(first.atoms, |all, k| self.join(all, k.atoms)),
            SetOp::Intersect => self.contents.sets.meet(first.atoms, known[1].atoms),
            SetOp::Of | SetOp::Without | SetOp::WithoutKeys | SetOp::Keys | SetOp::Lookup | SetOp::Get => first.atoms,
        };
        let known = Known { word, atoms };
        match (op, ty) {
            (SetOp::Get, Ty::Map(pair)) => match &**pair {
                Ty::Tuple(ts) => self.of_type(known, &ts[1]),
                _ => known,
            },
            _ => known,
        }
    }
}
