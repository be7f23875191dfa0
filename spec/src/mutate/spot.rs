//! Which searches can tell a change: those that come to what is changed.

use super::{Bench, Mutant, Part};
use crate::model::{Spec, UNDEFINED, UNDEFINED_VALUE};
use crate::source::Span;
use crate::syntax::{Item, Update};

/// What a search must come to for a change to matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Spot {
    /// Nothing does: no rule or function that the model runs is changed.
    Nowhere,
    /// Any search.
    Everywhere,
    /// A search under this variant.
    Variant(String),
    /// One of these premises of rules: numbers of the rule and of the premise, or of premises if all must hold.
    Rules(Vec<(usize, usize)>),
    /// A call of one of these functions.
    Functions(Vec<usize>),
}

impl Bench {
    /// What a search under the rules must come to for a change to matter; `spec` is the model without it.
    pub fn spot(&self, m: &Mutant, spec: &Spec) -> Spot {
        let function = |name: &Span| spec.functions.iter().position(|f| same(&f.span, name));
        let rule = |name: &Span| spec.rules.iter().position(|r| same(&r.span, name));
        match self.item(m) {
            Item::Events(_) => Spot::Nowhere,
            Item::Variant(n, ..) => Spot::Variant(n.node.clone()),
            Item::Rule(r) => match (rule(&r.name.span), m.part) {
                (None, _) => Spot::Nowhere,
                (Some(rule), Part::Premise(i)) => Spot::Rules(vec![(rule, i)]),
                (Some(rule), Part::Behind) => Spot::Rules(vec![(rule, r.when.len())]),
                (Some(_), Part::Whole) => Spot::Everywhere,
            },
            // No rule calls it: what a program ends with is another thing.
            Item::Fun(f) if [UNDEFINED, UNDEFINED_VALUE].contains(&f.name.node.as_str()) => Spot::Everywhere,
            Item::Fun(f) => function(&f.name.span).map_or(Spot::Nowhere, |f| Spot::Functions(vec![f])),
            Item::Requirements(r) => {
                Spot::Functions(r.requires.iter().filter_map(|(e, _)| function(&e.span)).collect())
            }
            Item::Updates(u) => {
                let names = self.using(&u.name.node);
                let rules = self.trees.files.iter().flat_map(|f| &f.items).filter_map(|i| match i {
                    Item::Rule(r) if uses(&r.then, &names) => Some((rule(&r.name.span)?, r.when.len())),
                    _ => None,
                });
                Spot::Rules(rules.collect())
            }
            _ => Spot::Everywhere,
        }
    }

    /// Which rules may do something else with a change of rules; `spec` is the model without it.
    pub fn touches(&self, m: &Mutant, spec: &Spec) -> Vec<bool> {
        let these = |all: &[(usize, usize)]| (0..spec.rules.len()).map(|r| all.iter().any(|(s, _)| *s == r)).collect();
        match (self.item(m), self.spot(m, spec)) {
            // Initial states are compared by themselves.
            (Item::State(..), _) | (_, Spot::Nowhere) => these(&[]),
            (Item::Rule(r), _) => spec.rules.iter().map(|rule| same(&rule.span, &r.name.span)).collect(),
            (_, Spot::Rules(all)) => these(&all),
            (_, Spot::Functions(all)) => spec.rules_calling(&all),
            (_, Spot::Everywhere | Spot::Variant(_)) => vec![true; spec.rules.len()],
        }
    }

    /// The names of these shared updates and of those that use them.
    fn using(&self, name: &str) -> Vec<String> {
        let mut names = vec![name.to_owned()];
        loop {
            let items = self.trees.files.iter().flat_map(|f| &f.items);
            let more = items.filter_map(|i| match i {
                Item::Updates(u) if !names.contains(&u.name.node) && uses(&u.then, &names) => Some(u.name.node.clone()),
                _ => None,
            });
            let more: Vec<String> = more.collect();
            if more.is_empty() {
                return names;
            }
            names.extend(more);
        }
    }
}

fn uses(us: &[Update], names: &[String]) -> bool {
    us.iter().any(|u| match u {
        Update::Set(..) => false,
        Update::For(_, _, body) => uses(body, names),
        Update::If(_, then, els) => uses(then, names) || uses(els, names),
        Update::Use(n, _) => names.contains(&n.node),
    })
}

/// Spans of two readings of one text.
fn same(a: &Span, b: &Span) -> bool {
    a.start == b.start && a.source.name == b.source.name
}
