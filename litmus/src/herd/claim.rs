//! What is asked of the outcomes.

use super::address::Cell;
use super::init::Init;
use super::{LARGEST, Reader, Rule};
use crate::ast::{Quantifier, Verdict};
use crate::build::Build;
use crate::parse;
use crate::raw::{Claim, Number, Observable, Prop, Term};
use litmpi_grammars::litmus as grammar;
use litmpi_spec::diag;
use litmpi_spec::source::Source;
use pest::Parser;
use pest::iterators::Pair;

/// Makes a claim speak of the outcomes that pass a filter, as herd does by dropping the others.
pub(super) fn restrict(claim: &mut Claim, filter: Prop) {
    let prop = Box::new(std::mem::replace(&mut claim.prop, Prop::True));
    claim.prop = match claim.quantifier {
        Quantifier::Exists | Quantifier::NotExists => Prop::And(Box::new(filter), prop),
        Quantifier::Forall => Prop::Or(Box::new(Prop::Not(Box::new(filter))), prop),
    };
}

/// Everything that a proposition names.
pub(super) fn observables(prop: &Prop) -> Vec<&Observable> {
    match prop {
        Prop::Chain { left, .. } => left.iter().collect(),
        Prop::And(a, b) | Prop::Or(a, b) => observables(a).into_iter().chain(observables(b)).collect(),
        Prop::Not(a) => observables(a),
        _ => Vec::new(),
    }
}

impl Reader<'_> {
    /// `x`, `[x]`, `0:EAX`.
    pub(super) fn place(&mut self, pair: Pair<'_, Rule>) -> Option<Observable> {
        let span = self.span(&pair);
        let (mut thread, mut name) = (None, None);
        for part in pair.into_inner() {
            let own = self.span(&part);
            match part.as_rule() {
                Rule::process_number => thread = Some(self.process_number(&part)),
                Rule::register => name = self.register(part.as_str(), &own),
                _ => name = Some(self.location(part.as_str(), &own)),
            }
        }
        Some(Observable { thread, name: name?, index: None, field: None, node: None, span })
    }

    /// `0` or `P0`.
    pub(super) fn process_number(&mut self, pair: &Pair<'_, Rule>) -> Number {
        let span = self.span(pair);
        let value = pair.as_str().trim_start_matches('P').parse();
        if value.is_err() {
            self.error(&span, "the number does not fit", "too large", "number processes from 0");
        }
        Number { value: value.unwrap_or(0), span }
    }

    /// What the list of locations names; an array alone is all of its elements.
    pub(super) fn locations(&mut self, pair: Pair<'_, Rule>, state: &Init) -> Vec<Observable> {
        let mut out = vec![];
        for item in pair.into_inner().filter(|p| p.as_rule() == Rule::item) {
            let mut parts = item.into_inner();
            let Some(place) = self.place(parts.next().expect("an item has a place")) else { continue };
            let index = parts.next().filter(|p| p.as_rule() == Rule::index);
            out.extend(self.elements(place, index, state));
        }
        out
    }

    /// A place with its index; without one, all elements of an array.
    fn elements(&mut self, place: Observable, index: Option<Pair<'_, Rule>>, state: &Init) -> Vec<Observable> {
        let len = if place.thread.is_none() { state.len(&place.name.text) } else { None };
        let at = |value: i64| {
            let index = Some(Number { value, span: place.span.clone() });
            Observable { index, ..place.clone() }
        };
        match (index.and_then(|i| i.into_inner().next()), len) {
            (Some(n), _) => vec![Observable { index: Some(self.number(&n)), ..place }],
            (None, Some(len)) => (0..len).map(at).collect(),
            (None, None) => vec![place],
        }
    }

    pub(super) fn filter(&mut self, pair: Pair<'_, Rule>, state: &mut Init) -> Prop {
        self.condition(pair.into_inner().next().expect("a filter has a condition"), state)
    }

    pub(super) fn claim(&mut self, pair: Pair<'_, Rule>, state: &mut Init) -> Claim {
        let span = self.span(&pair);
        // A condition in brackets alone is one that exists.
        let (mut quantifier, mut prop) = (Quantifier::Exists, Prop::True);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::quantifier => {
                    quantifier = match part.into_inner().next().map(|p| p.as_rule()) {
                        Some(Rule::not_exists) => Quantifier::NotExists,
                        Some(Rule::forall) => Quantifier::Forall,
                        _ => Quantifier::Exists,
                    }
                }
                _ => prop = self.condition(part, state),
            }
        }
        Claim { quantifier, prop, verdicts: Vec::new(), seen: Vec::new(), beside: Vec::new(), span }
    }

    /// A condition, unless it is too long to be walked.
    fn condition(&mut self, pair: Pair<'_, Rule>, state: &mut Init) -> Prop {
        let parts = pair.clone().into_inner().flatten().filter(|p| p.as_rule() == Rule::equation).count();
        if parts > LARGEST {
            let span = self.span(&pair);
            let help = format!("at most {LARGEST}");
            self.error(&span, "the condition is too long", format!("{parts} equations"), help);
            return Prop::True;
        }
        self.prop(pair, state)
    }

    fn prop(&mut self, pair: Pair<'_, Rule>, state: &mut Init) -> Prop {
        let join = |parts: Vec<Prop>, with: fn(Box<Prop>, Box<Prop>) -> Prop| {
            parts.into_iter().reduce(|a, b| with(Box::new(a), Box::new(b))).expect("a condition has a part")
        };
        match pair.as_rule() {
            Rule::prop => join(pair.into_inner().map(|p| self.prop(p, state)).collect(), Prop::Or),
            Rule::all => join(pair.into_inner().map(|p| self.prop(p, state)).collect(), Prop::And),
            Rule::implied => {
                let mut parts = pair.into_inner().map(|p| self.prop(p, state));
                let first = parts.next().expect("a condition has a part");
                match parts.next() {
                    None => first,
                    Some(then) => Prop::Or(Box::new(Prop::Not(Box::new(first))), Box::new(then)),
                }
            }
            Rule::literal => {
                let (mut odd, mut prop) = (false, Prop::True);
                for part in pair.into_inner() {
                    match part.as_rule() {
                        Rule::negation => odd = !odd,
                        _ => prop = self.prop(part, state),
                    }
                }
                if odd { Prop::Not(Box::new(prop)) } else { prop }
            }
            Rule::group => self.prop(pair.into_inner().next().expect("a group has a condition"), state),
            Rule::falsity => Prop::Not(Box::new(Prop::True)),
            Rule::equation => self.equation(pair, state),
            _ => Prop::True,
        }
    }

    fn equation(&mut self, pair: Pair<'_, Rule>, state: &mut Init) -> Prop {
        let span = self.span(&pair);
        let (mut equal, mut sides, mut right) = (true, vec![], vec![]);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::equal => {}
                Rule::unequal => equal = false,
                Rule::number => right.push(self.number(&part)),
                Rule::values => right = self.numbers_of(&part, state),
                Rule::place => sides.push((self.place(part), None)),
                _ => sides.last_mut().expect("an index stands behind a place").1 = Some(part),
            }
        }
        let mut sides = sides.into_iter();
        let Some((Some(left), index)) = sides.next() else { return Prop::True };
        if let Some((address, index)) = sides.next() {
            let Some(address) = address else { return Prop::True };
            if address.thread.is_some() {
                let help = "compare with a number, or with the name of the location whose address it is";
                self.error(&span, "the right side is a register", "two places are compared", help);
                return Prop::True;
            }
            let element = index.and_then(|i| i.into_inner().next()).map_or(0, |n| self.number(&n).value);
            let cell = Cell { name: address.name.text, element, span: address.span.clone() };
            right.push(Number { value: self.number_of(&cell, state), span: address.span });
        }
        let left = self.elements(left, index, state);
        if left.len() != right.len() && right.len() != 1 {
            let help = format!("the array has {} elements", left.len());
            self.error(&span, "the right side has another number of values", format!("{} values", right.len()), help);
            return Prop::True;
        }
        let value = |i: usize| right.get(i).or(right.first()).cloned().expect("an equation has a right side");
        let one =
            |(i, o): (usize, Observable)| Prop::Chain { left: vec![o], equal: true, right: Term::Number(value(i)) };
        let all = left.into_iter().enumerate().map(one).reduce(|a, b| Prop::And(Box::new(a), Box::new(b)));
        match all.unwrap_or(Prop::True) {
            Prop::Chain { left, right, .. } => Prop::Chain { left, equal, right },
            several if equal => several,
            several => Prop::Not(Box::new(several)),
        }
    }

    /// The verdict of a line `Verdict-tso=allowed cite WORK "PLACE"`, or of `Verdict=tso allowed …`, of which herd takes only one a file;
    /// nothing for other keys.
    pub(super) fn verdict(&mut self, pair: Pair<'_, Rule>) -> Option<Verdict> {
        let mut parts = pair.into_inner();
        let key = parts.next().expect("a line has a key");
        let value = parts.next().expect("a line has a value");
        let model = match key.as_str().strip_prefix("Verdict") {
            Some("") => "",
            Some(model) => model.strip_prefix('-')?,
            None => return None,
        };
        let span = self.span(&value);
        let line = Source::new("", format!("{model} {}", value.as_str()));
        if let Ok(mut pairs) = grammar::Grammar::parse(grammar::Rule::verdict_line, &line.text) {
            let verdict = Build::new(&line).verdict(pairs.next().expect("the rule gives one pair"));
            return Some(Verdict { span, ..verdict });
        }
        // Once more with blanks in front, so that the place of the mistake is that in this file.
        let model = if model.is_empty() { String::new() } else { format!("{model} ") };
        let padded = format!("{}{model}{}", " ".repeat(span.start.saturating_sub(model.len())), value.as_str());
        if let Err(e) = grammar::Grammar::parse(grammar::Rule::verdict_line, &padded) {
            self.errors.push(diag::syntax(self.source, &e, parse::readable));
        }
        None
    }
}
