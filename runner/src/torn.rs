//! Which values may be torn: an observed block whose elements hold several values.

use crate::observed::Observed;
use litmpi_litmus::ast::Outcome;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// What a model says of the test with locations of two elements ([`litmpi_litmus::widen`]).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Widened {
    /// Its outcomes: the values of first elements, then those of second ones.
    pub allowed: BTreeSet<Outcome>,
    /// The set is complete.
    pub complete: bool,
}

/// Asks a model what may be torn, once, when something was seen torn.
#[derive(Clone, Default)]
pub struct Torn(Option<Arc<Question>>);

struct Question {
    ask: Box<dyn Fn() -> Option<Widened> + Send + Sync>,
    answer: OnceLock<Option<Widened>>,
}

impl fmt::Debug for Torn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Torn").field(&self.0.as_ref().and_then(|q| q.answer.get())).finish()
    }
}

impl Torn {
    /// `ask` gives no answer where no model can say it: then nothing may be torn.
    pub fn new(ask: impl Fn() -> Option<Widened> + Send + Sync + 'static) -> Torn {
        Torn(Some(Arc::new(Question { ask: Box::new(ask), answer: OnceLock::new() })))
    }

    /// Whether an outcome with torn values may be: element by element it is one of the widened test's. None if a bound was hit
    /// before that was decided.
    pub fn allows(&self, observed: &Observed) -> Option<bool> {
        let Observed::Values(values) = observed else { return Some(false) };
        let Some(said) = self.0.as_ref().and_then(|q| q.answer.get_or_init(|| (q.ask)()).as_ref()) else {
            return Some(false);
        };
        let fits: Vec<(&[i64], &[i64])> = said
            .allowed
            .iter()
            .filter_map(|o| match o {
                Outcome::Values(both) if both.len() == 2 * values.len() => Some(both.split_at(values.len())),
                _ => None,
            })
            // Two elements of the observed outcome: those that are not torn have the observed value in both.
            .filter(|(a, b)| values.iter().enumerate().all(|(i, v)| v.is_none_or(|v| a[i] == v && b[i] == v)))
            .collect();
        let is_torn = |i: usize| fits.iter().any(|(a, b)| a[i] != b[i]);
        let found = values.iter().enumerate().all(|(i, v)| v.is_some() || is_torn(i));
        if found || said.complete { Some(found) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn torn(complete: bool, all: &[[i64; 4]]) -> Torn {
        let allowed: BTreeSet<Outcome> = all.iter().map(|v| Outcome::Values(v.to_vec())).collect();
        Torn::new(move || Some(Widened { allowed: allowed.clone(), complete }))
    }

    fn values(a: Option<i64>, b: Option<i64>) -> Observed {
        Observed::Values(vec![a, b])
    }

    #[test]
    fn a_value_is_torn_where_two_elements_may_differ_and_the_others_are_as_observed() {
        let both = torn(true, &[[0, 0, 0, 0], [0, 5, 1, 5], [1, 5, 1, 5], [1, 7, 1, 8]]);
        assert_eq!(both.allows(&values(None, Some(5))), Some(true));
        assert_eq!(both.allows(&values(None, Some(0))), Some(false));
        assert_eq!(both.allows(&values(Some(1), None)), Some(true));
        assert_eq!(both.allows(&values(Some(0), None)), Some(false));
        assert_eq!(both.allows(&values(None, None)), Some(true));
    }

    #[test]
    fn without_a_model_that_can_say_it_nothing_may_be_torn() {
        assert_eq!(Torn::default().allows(&values(None, Some(5))), Some(false));
        assert_eq!(Torn::new(|| None).allows(&values(None, Some(5))), Some(false));
    }

    #[test]
    fn at_a_bound_it_is_not_decided() {
        assert_eq!(torn(false, &[[0, 0, 0, 0]]).allows(&values(None, Some(0))), None);
        assert_eq!(torn(false, &[[0, 0, 1, 0]]).allows(&values(None, Some(0))), Some(true));
    }
}
