//! Which tests a filter takes on which targets, before anything is run.

use crate::filter::{Filter, Subject};
use crate::kept::Kept;
use crate::known::Known;
use crate::load::Loaded;
use litmpi_runner::{Plan, Target};
use std::collections::{BTreeMap, BTreeSet};

/// What a filter takes.
pub(crate) struct Selected {
    /// By target, the names of tests; the same on all targets, if the filter does not look at them.
    by_target: BTreeMap<String, BTreeSet<String>>,
    /// Whether targets differ.
    differ: bool,
}

impl Selected {
    /// Of these tests on these targets.
    pub(crate) fn new(
        filter: &Filter,
        loaded: &[Loaded],
        targets: &[Target],
        known: &Known,
        kept: &mut Kept,
    ) -> Selected {
        let (differ, asks_known) = (filter.uses(&["target", "known"]), filter.uses(&["known"]));
        let mut by_target = BTreeMap::new();
        for t in targets {
            // What the library says of itself is asked only where something depends on it.
            let library = if asks_known { kept.library(t) } else { None };
            let has =
                |l: &Loaded| library.as_ref().is_some_and(|words| known.has(&l.test.name, Some((&t.name, words))));
            let takes = |l: &&Loaded| filter.takes(&Subject { target: &t.name, known: has(l), ..Subject::of_test(l) });
            let of: BTreeSet<String> = loaded.iter().filter(takes).map(|l| l.test.name.clone()).collect();
            by_target.insert(t.name.clone(), of);
        }
        Selected { by_target, differ }
    }

    /// Whether it takes a test on any target.
    pub(crate) fn has_any(&self, test: &str) -> bool {
        self.by_target.values().any(|of| of.contains(test))
    }

    /// The parts of a plan that it takes: the plan as it is, or one for each target.
    pub(crate) fn of(&self, plan: Plan) -> Vec<Plan> {
        if !self.differ {
            return vec![plan];
        }
        let part = |target: &Target| {
            let mut part = Plan { targets: vec![target.clone()], ..plan.clone() };
            let of = self.by_target.get(&target.name);
            part.tests.retain(|p| of.is_some_and(|of| of.contains(&p.test.name)));
            (!part.tests.is_empty()).then_some(part)
        };
        plan.targets.iter().filter_map(part).collect()
    }
}
