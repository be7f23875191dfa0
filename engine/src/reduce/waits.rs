//! What instances of rules that are not enabled are said to wait for (`waits for r, s when e because "…"`), and that they do.
//!
//! Such a claim is checked step by step: behind each transition of another rule, the instance is still not enabled, and its claim is still made.

use super::Reduction;
use super::choose::Enough;
use crate::eval::Fault;
use crate::machine::{Machine, Step};
use crate::memo::Shape;
use litmpi_spec::ir::Commutes;
use smallvec::SmallVec;

/// A claim of a rule, with its number among those of the rule.
pub(super) type Waits<'m> = (u32, &'m Commutes);

impl<'m> Enough<'m> {
    /// What an actor is said to wait for in the present state, claims that are merely to be tried among it.
    pub(super) fn waits(&self, actor: usize) -> SmallVec<[Waits<'m>; 2]> {
        self.reduction.waits(self.m, self.memo.shape(actor)).collect()
    }

    /// Tries a claim of an actor behind each transition of another rule that writes what the actor looked at. `visit` is told whether it held, and if
    /// not, who did not wait behind what, in words.
    pub(super) fn try_wait(
        &mut self,
        actor: usize,
        (number, claim): Waits<'m>,
        visit: &mut dyn FnMut(Result<(), String>),
    ) -> Result<(), Fault> {
        for at in 0..self.memo.active().len() {
            let b = self.memo.active()[at];
            for beta in 0..self.memo.leaf(b).moves.len() {
                let m = &self.memo.leaf(b).moves[beta];
                let looked = &self.memo.shape(actor).looked;
                let touches = m.to.iter().flatten().any(|(slot, _)| looked.has(*slot as usize));
                if !touches || claim.with.iter().any(|(rule, _)| Some(*rule) == m.step.rule) {
                    continue;
                }
                let Some(then) = self.after((b, beta), actor)? else { continue };
                let leaf = &self.memo.leaves[then as usize];
                let still = leaf.moves.is_empty() && self.memo.shapes[leaf.shape as usize].waits.contains(&number);
                let ends = || {
                    let step = self.m.step_name(&self.memo.leaf(b).moves[beta].step);
                    format!("{} does not wait for others alone behind {step}", self.instance_name(actor))
                };
                visit(if still { Ok(()) } else { Err(ends()) });
            }
        }
        Ok(())
    }

    fn instance_name(&self, actor: usize) -> String {
        let Some(may) = self.reduction.instance(actor) else { return String::new() };
        self.m.step_name(&Step { rule: Some(may.rule), thread: None, params: may.params.as_slice().into() })
    }
}

impl Reduction {
    /// What an actor of this shape is said to wait for; a thread, or an actor that has transitions, nothing.
    pub(super) fn waits<'m>(&self, m: &'m Machine, shape: &Shape) -> impl Iterator<Item = Waits<'m>> {
        let rule = self.instance(shape.actor as usize).filter(|_| self.claims).map(|may| &m.spec.rules[may.rule]);
        rule.into_iter().flat_map(|rule| shape.waits.iter().map(|number| (*number, &rule.commutes[*number as usize])))
    }
}
