//! A test of which only a part is asked for.

use crate::ast::{Claim, Herd, Prop, Quantifier, Test};
use std::collections::BTreeSet;

impl Test {
    /// The test whose outcomes tell only what a proposition speaks of, with the one claim that some outcome is so.
    #[must_use]
    pub fn asked(&self, prop: Prop) -> Test {
        let mut kept = BTreeSet::new();
        prop.observables(&mut |i| _ = kept.insert(i));
        let kept: Vec<usize> = kept.into_iter().collect();
        let observed = kept.iter().map(|i| self.observed[*i].clone()).collect();
        let at = |i: usize| kept.binary_search(&i).expect("it is kept");
        let claim = Claim {
            quantifier: Quantifier::Exists,
            prop: prop.renamed(&at),
            verdicts: vec![],
            seen: vec![],
            beside: vec![],
            span: self.span.clone(),
        };
        let herd = self.herd.clone().map(|h| Herd { filtered: false, ..h });
        Test { observed, claims: vec![claim], herd, ..self.clone() }
    }
}

impl Prop {
    /// Calls `visit` for each observable that it speaks of.
    fn observables(&self, visit: &mut dyn FnMut(usize)) {
        match self {
            Prop::Eq(i, _) | Prop::Ne(i, _) | Prop::Undefined(i) => visit(*i),
            Prop::True | Prop::Deadlock | Prop::Erroneous => {}
            Prop::Not(a) => a.observables(visit),
            Prop::And(a, b) | Prop::Or(a, b) => {
                a.observables(visit);
                b.observables(visit);
            }
        }
    }

    /// The same of observables under other numbers.
    fn renamed(&self, to: &dyn Fn(usize) -> usize) -> Prop {
        let go = |p: &Prop| Box::new(p.renamed(to));
        match self {
            Prop::Eq(i, v) => Prop::Eq(to(*i), *v),
            Prop::Ne(i, v) => Prop::Ne(to(*i), *v),
            Prop::Undefined(i) => Prop::Undefined(to(*i)),
            Prop::True | Prop::Deadlock | Prop::Erroneous => self.clone(),
            Prop::Not(a) => Prop::Not(go(a)),
            Prop::And(a, b) => Prop::And(go(a), go(b)),
            Prop::Or(a, b) => Prop::Or(go(a), go(b)),
        }
    }
}
