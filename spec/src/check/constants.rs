//! What the value of a constant may be made of.
//!
//! Constants are worked out once, in the order of their declarations, before there is a state.

use super::Checker;
use crate::callers::parts;
use crate::ir::E;
use std::collections::HashSet;

impl Checker {
    /// Constants look at no state, and at no constant that stands behind them, in the values that variants give them, too.
    pub(super) fn constants(&mut self) {
        let of_variants = self.variants.iter().flat_map(|v| v.sets.iter().map(|(i, e)| (*i, e, &v.span)));
        let own = self.consts.iter().enumerate().map(|(i, c)| (i, &c.value, &c.span));
        let wrong: Vec<_> = own
            .chain(of_variants)
            .filter_map(|(i, value, span)| Some((i, self.looks_at(i, value)?, span.clone())))
            .collect();
        for (i, what, span) in wrong {
            let message = format!("the value of `{}` is worked out before {what} has one", self.consts[i].name);
            self.error(
                &span,
                message,
                "its value looks there, or a function that it calls does",
                "a constant is made of those that stand before it",
            );
        }
    }

    /// What a constant's value looks at that has none yet.
    fn looks_at(&self, constant: usize, value: &E) -> Option<String> {
        let (mut todo, mut called) = (vec![value], HashSet::new());
        while let Some(e) = todo.pop() {
            match e {
                E::Const(c) if *c >= constant => return Some(format!("`{}`", self.consts[*c].name)),
                E::State { var, .. } => return Some(format!("`{}`", self.state[*var].name)),
                E::Deref(..) => return Some("a register".into()),
                E::At(..) => return Some("a thread's place in its program".into()),
                E::Call(f, _) if called.insert(*f) => todo.push(&self.functions[*f].body),
                _ => {}
            }
            parts(e, &mut todo);
        }
        None
    }
}
