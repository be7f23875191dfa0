//! How far the search of a test comes in each rule, and which functions it calls: which tests can tell a change of a rule.
//!
//! Unlike [`crate::coverage`] this asks only whether something was evaluated at all, so that what was evaluated once may be
//! remembered and the search is as fast as without.

use litmpi_spec::model::Spec;
use litmpi_spec::mutate::Spot;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What was evaluated.
#[derive(Debug)]
pub struct Reach {
    /// One more than the number of the last premise that was come to, or than that of all premises if they held.
    rules: Vec<AtomicUsize>,
    functions: Vec<AtomicBool>,
}

impl Reach {
    /// Nothing yet.
    pub fn new(spec: &Spec) -> Reach {
        Reach {
            rules: spec.rules.iter().map(|_| AtomicUsize::new(0)).collect(),
            functions: spec.functions.iter().map(|_| AtomicBool::new(false)).collect(),
        }
    }

    /// Forgets all of it.
    pub(crate) fn clear(&self) {
        self.rules.iter().for_each(|r| r.store(0, Ordering::Relaxed));
        self.functions.iter().for_each(|f| f.store(false, Ordering::Relaxed));
    }

    pub(crate) fn came(&self, rule: usize, premise: usize) {
        self.rules[rule].fetch_max(premise + 1, Ordering::Relaxed);
    }

    pub(crate) fn called(&self, function: usize) {
        self.functions[function].store(true, Ordering::Relaxed);
    }

    /// Whether the premise of a rule was come to; all of them held if it is asked of the number of premises.
    pub fn came_to(&self, rule: usize, premise: usize) -> bool {
        self.rules[rule].load(Ordering::Relaxed) > premise
    }

    /// Whether a function was called.
    pub fn is_called(&self, function: usize) -> bool {
        self.functions[function].load(Ordering::Relaxed)
    }

    /// Whether the search, which was one under this variant, came to what a change of the rules concerns.
    pub fn comes_to(&self, spot: &Spot, variant: &str) -> bool {
        match spot {
            Spot::Nowhere => false,
            Spot::Everywhere => true,
            Spot::Variant(v) => v == variant,
            Spot::Rules(all) => all.iter().any(|(rule, premise)| self.came_to(*rule, *premise)),
            Spot::Functions(all) => all.iter().any(|f| self.is_called(*f)),
        }
    }
}
