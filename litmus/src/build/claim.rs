//! Grammar pairs of claims to the raw tree: conditions, verdicts, cites, rates.

use super::{Build, only};
use crate::ast::{Beside, Cite, Expect, How, Named, Quantifier, Seen, Verdict};
use crate::raw::{Claim, Observable, Prop, Term};
use litmpi_grammars::litmus::Rule;
use litmpi_spec::diag::Diagnostic;
use pest::iterators::Pair;

impl Build<'_> {
    pub(super) fn observable(&mut self, pair: Pair<'_, Rule>) -> Observable {
        let span = self.span(&pair);
        let (mut thread, mut name, mut index, mut field, mut node) = (None, None, None, None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::thread_number => thread = Some(self.number(&only(part))),
                Rule::observed_name => name = Some(self.name(&part)),
                Rule::observed_field => field = Some(self.name(&only(part))),
                Rule::at_node => node = Some(self.number(&only(part))),
                _ => index = Some(self.number(&only(part))),
            }
        }
        Observable { thread, name: name.expect("an observable has a name"), index, field, node, span }
    }

    pub(super) fn claim(&mut self, pair: Pair<'_, Rule>) -> Claim {
        let span = self.span(&pair);
        let (mut quantifier, mut prop) = (Quantifier::Exists, Prop::True);
        let (mut verdicts, mut seen, mut beside) = (Vec::new(), Vec::new(), Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::quantifier => {
                    quantifier = match only(part).as_rule() {
                        Rule::not_exists => Quantifier::NotExists,
                        Rule::kw_forall => Quantifier::Forall,
                        _ => Quantifier::Exists,
                    }
                }
                Rule::prop if self.small(&part, "condition") => prop = self.prop(part),
                Rule::prop => {}
                Rule::verdict => verdicts.push(self.verdict(part)),
                Rule::beside => beside.extend(self.beside(part)),
                _ => seen.push(self.seen(part)),
            }
        }
        Claim { quantifier, prop, verdicts, seen, beside, span }
    }

    fn prop(&mut self, pair: Pair<'_, Rule>) -> Prop {
        self.connect(pair, Rule::all, Prop::Or, |b, p| b.connect(p, Rule::literal, Prop::And, Build::literal))
    }

    /// Parts of one connective, grouped to the left.
    fn connect(
        &mut self,
        pair: Pair<'_, Rule>,
        part: Rule,
        join: impl Fn(Box<Prop>, Box<Prop>) -> Prop,
        one: impl Fn(&mut Self, Pair<'_, Rule>) -> Prop,
    ) -> Prop {
        let parts = pair.into_inner().filter(|p| p.as_rule() == part);
        let props: Vec<Prop> = parts.map(|p| one(self, p)).collect();
        props.into_iter().reduce(|a, b| join(Box::new(a), Box::new(b))).expect("a condition has a part")
    }

    fn literal(&mut self, pair: Pair<'_, Rule>) -> Prop {
        let mut odd = false;
        let mut prop = Prop::True;
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::negation => odd = !odd,
                Rule::kw_deadlock => prop = Prop::Deadlock,
                Rule::kw_erroneous => prop = Prop::Erroneous,
                Rule::group => prop = self.prop(only(part)),
                Rule::tuple => prop = self.tuple(part),
                Rule::chain => prop = self.chain(part),
                _ => {}
            }
        }
        // Negations in pairs cancel, so that their number does not become depth.
        if odd { Prop::Not(Box::new(prop)) } else { prop }
    }

    fn term(&mut self, pair: Pair<'_, Rule>) -> Term {
        match pair.as_rule() {
            Rule::int => Term::Number(self.number(&pair)),
            _ => Term::Name(self.observable(pair)),
        }
    }

    fn tuple(&mut self, pair: Pair<'_, Rule>) -> Prop {
        let span = self.span(&pair);
        let (mut left, mut right, mut equal) = (Vec::new(), Vec::new(), None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::eq => equal = Some(true),
                Rule::ne => equal = Some(false),
                _ if equal.is_some() => right.push(self.term(part)),
                _ => left.push(self.observable(part)),
            }
        }
        if left.len() != right.len() {
            self.errors.push(
                Diagnostic::at(&span, "the two sides have different lengths")
                    .found(format!("{} names, {} values", left.len(), right.len()))
                    .help("give one value for each name"),
            );
        }
        Prop::Tuple { left, equal: equal == Some(true), right }
    }

    fn chain(&mut self, pair: Pair<'_, Rule>) -> Prop {
        let span = self.span(&pair);
        let (mut terms, mut equal, mut relations) = (Vec::new(), true, 0);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::eq => relations += 1,
                Rule::ne => {
                    relations += 1;
                    equal = false;
                }
                _ => terms.push(self.term(part)),
            }
        }
        if !equal && relations > 1 {
            self.errors.push(
                Diagnostic::at(&span, "`!=` cannot stand in a chain")
                    .found("a chain with `!=`")
                    .help("write `x != 0 /\\ y != 0`"),
            );
        }
        let right = terms.pop().expect("a chain has a right side");
        let mut left = Vec::new();
        for term in terms {
            match term {
                Term::Name(o) => left.push(o),
                Term::Number(n) => self.errors.push(
                    Diagnostic::at(&n.span, "a number stands on the left of `=`")
                        .found("a number")
                        .help("write the register or location first: `x = 1`"),
                ),
            }
        }
        Prop::Chain { left, equal, right }
    }

    pub(crate) fn verdict(&mut self, pair: Pair<'_, Rule>) -> Verdict {
        let span = self.span(&pair);
        let mut verdict =
            Verdict { model: String::new(), variant: None, expect: Expect::Forbidden, cite: None, because: None, span };
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::word => verdict.model = part.as_str().to_string(),
                Rule::variant => verdict.variant = Some(only(part).as_str().to_string()),
                Rule::kw_allowed => verdict.expect = Expect::Allowed,
                Rule::cite => verdict.cite = Some(self.cite(part)),
                Rule::because => verdict.because = self.strings(part).pop(),
                _ => {}
            }
        }
        verdict
    }

    fn seen(&mut self, pair: Pair<'_, Rule>) -> Seen {
        let cite = pair.clone().into_inner().find(|p| p.as_rule() == Rule::cite).map(|p| self.cite(p));
        let mut strings = self.strings(pair).into_iter();
        Seen { rate: strings.next().unwrap_or_default(), on: strings.next().unwrap_or_default(), cite }
    }

    /// Nothing, and a message, if a model is set beside itself.
    fn beside(&mut self, pair: Pair<'_, Rule>) -> Option<Beside> {
        let span = self.span(&pair);
        let (mut how, mut models, mut cite, mut because) = (How::Apart, Vec::new(), None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::agree => how = How::Agree,
                Rule::named => models.push(named(part)),
                Rule::cite => cite = Some(self.cite(part)),
                Rule::because => because = self.strings(part).pop(),
                _ => {}
            }
        }
        let models: [Named; 2] = models.try_into().expect("two models");
        if models[0] == models[1] {
            let d = Diagnostic::at(&span, format!("`{}` is set beside itself", models[0]));
            self.errors.push(d.found("twice the same model").help("name two models: `tells apart A B`"));
            return None;
        }
        Some(Beside { how, models, cite, because, span })
    }

    fn cite(&mut self, pair: Pair<'_, Rule>) -> Cite {
        let work = pair.clone().into_inner().find(|p| p.as_rule() == Rule::word);
        let work = work.map(|w| w.as_str().to_string()).unwrap_or_default();
        Cite { work, place: self.strings(pair).pop().unwrap_or_default() }
    }

    fn strings(&self, pair: Pair<'_, Rule>) -> Vec<String> {
        pair.into_inner().filter(|p| p.as_rule() == Rule::string).map(|p| self.string(p)).collect()
    }
}

fn named(pair: Pair<'_, Rule>) -> Named {
    let mut named = Named { model: String::new(), variant: None };
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::variant => named.variant = Some(only(part).as_str().to_string()),
            _ => named.model = part.as_str().to_string(),
        }
    }
    named
}
