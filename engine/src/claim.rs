//! What a transition is said to commute with, where the condition of a claim holds.

use litmpi_spec::heap::Word;
use litmpi_spec::ir::Commutes;
use litmpi_spec::syntax::Whose;

/// A rule that a transition is said to commute with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Claim {
    /// The rule.
    pub(crate) rule: usize,
    /// If not all its instances: the parameter that differs from this value, or is the same.
    pub(crate) of: Option<(usize, Word, Whose)>,
    /// The rule that makes it, and its number among the claims of that rule.
    pub(crate) by: u32,
    pub(crate) number: u32,
    /// It is only to be tried, not relied on.
    pub(crate) tried: bool,
    /// It holds but where one of the two makes the other erroneous.
    pub(crate) unless_erroneous: bool,
}

impl Claim {
    /// The claims that a rule makes by one of its clauses, of an instance with these parameters.
    pub(crate) fn made<'c>(
        (by, number): (usize, usize),
        clause: &'c Commutes,
        params: &[Word],
    ) -> impl Iterator<Item = Claim> + use<'c> {
        let own = clause.of.map(|(whose, i)| (params[i], whose));
        clause.with.iter().map(move |(rule, i)| Claim {
            rule: *rule,
            of: i.zip(own).map(|(i, (own, whose))| (i, own, whose)),
            by: by as u32,
            number: number as u32,
            tried: clause.tried,
            unless_erroneous: clause.unless_erroneous,
        })
    }

    /// Whether it holds of an instance, whose parameters are empty if they are not known.
    pub(crate) fn covers(&self, rule: usize, params: &[Word]) -> bool {
        let is_meant = |(i, own, whose): (usize, Word, Whose)| {
            params.get(i).is_some_and(|theirs| (*theirs == own) == (whose == Whose::TheSame))
        };
        self.rule == rule && self.of.is_none_or(is_meant)
    }
}
