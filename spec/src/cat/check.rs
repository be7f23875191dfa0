//! Names and kinds: syntax trees to a model.

use super::model::{CatModel, Check, Choice, Define, Given, Kind, Term};
use super::syntax::{self, Binary, Expr, Item, Node, Unary};
use crate::diag::{Diagnostic, Report};
use crate::source::Span;
use crate::syntax::Name;
use std::collections::BTreeMap;

/// Checks statements, those of included files already in their places.
pub(super) fn check(name: String, items: Vec<Item>, given: &[Given]) -> Result<CatModel, Report> {
    let mut checker = Checker {
        model: CatModel {
            name,
            files: Vec::new(),
            slots: Vec::new(),
            choices: Vec::new(),
            checks: Vec::new(),
            defines: Vec::new(),
            needed: Vec::new(),
        },
        scope: BTreeMap::new(),
        kinds: Vec::new(),
        open: Vec::new(),
        errors: Vec::new(),
    };
    for g in given {
        checker.slot(g.name, Some(g.kind), g.open);
    }
    for item in items {
        checker.item(item);
    }
    Report(checker.errors).into_result()?;
    let mut model = checker.model;
    mark(&mut model);
    Ok(model)
}

/// Marks the bounds that checks depend on; definitions depend on earlier ones or on their own group.
fn mark(model: &mut CatModel) {
    let mut needed = vec![[false; 2]; model.slots.len()];
    for check in &model.checks {
        check.term.slots(0, &mut |slot, bound| needed[slot][bound] = true);
    }
    for define in model.defines.iter().rev() {
        for bound in [0, 1] {
            if define.group.iter().any(|(slot, _)| needed[*slot][bound]) {
                define.group.iter().for_each(|(_, term)| term.slots(bound, &mut |s, b| needed[s][b] = true));
            }
        }
    }
    model.needed = needed;
}

/// The kind of `0` is whatever is wanted.
type Found = Option<Kind>;

struct Checker {
    model: CatModel,
    scope: BTreeMap<String, usize>,
    kinds: Vec<Found>,
    open: Vec<bool>,
    errors: Vec<Diagnostic>,
}

fn words(kind: Kind) -> &'static str {
    match kind {
        Kind::Set => "a set of events",
        Kind::Relation => "a relation",
    }
}

impl Checker {
    fn slot(&mut self, name: &str, kind: Found, open: bool) -> usize {
        let slot = self.model.slots.len();
        self.model.slots.push(name.to_owned());
        self.kinds.push(kind);
        self.open.push(open);
        self.scope.insert(name.to_owned(), slot);
        slot
    }

    fn is_open(&self, term: &Term) -> bool {
        let mut open = false;
        term.slots(0, &mut |slot, _| open |= self.open[slot]);
        open
    }

    fn item(&mut self, item: Item) {
        match item {
            Item::Include(_) => {}
            Item::Let(false, bindings) => {
                // `let a = … and b = …`: neither sees the other.
                let terms: Vec<_> = bindings.into_iter().map(|(name, e)| (name, self.expr(&e))).collect();
                for (name, (term, kind)) in terms {
                    let open = self.is_open(&term);
                    let slot = self.slot(&name.node, kind, open);
                    self.model.defines.push(Define { group: vec![(slot, term)], recursive: false, open });
                }
            }
            Item::Let(true, bindings) => self.recursive(bindings),
            Item::With(name, pairs) => {
                let term = self.relation(&pairs);
                if self.is_open(&term) {
                    let d = Diagnostic::at(&pairs.span, "what is to be ordered must be fixed before the search");
                    self.errors.push(
                        d.found("this depends on a choice of the search")
                            .help("use events, `po`, `loc` and the like, not `rf` or another order"),
                    );
                }
                let slot = self.slot(&name.node, Some(Kind::Relation), true);
                self.model.choices.push(Choice { slot, name: name.node, pairs: term });
            }
            Item::Check(check) => self.check(check),
        }
    }

    fn check(&mut self, c: syntax::Check) {
        let term = if c.test == syntax::Test::Empty { self.expr(&c.expr).0 } else { self.relation(&c.expr) };
        let name = c.name.map_or_else(|| c.expr.span.text().to_owned(), |n| n.node);
        self.model.checks.push(Check { name, test: c.test, negated: c.negated, span: c.span, term });
    }

    /// A least fixpoint. Its members' kind is the first one's that tells; they may not stand where more of them
    /// would mean less of the whole.
    fn recursive(&mut self, bindings: Vec<(Name, Expr)>) {
        let slots: Vec<usize> =
            bindings.iter().map(|(name, _)| self.slot(&name.node, Some(Kind::Relation), false)).collect();
        let mut group = Vec::new();
        for ((name, e), slot) in bindings.iter().zip(&slots) {
            let term = self.relation(e);
            let mut negative = false;
            term.slots(0, &mut |s, bound| negative |= bound == 1 && slots.contains(&s));
            if negative {
                let d = Diagnostic::at(&e.span, format!("`{}` has no least solution", name.node));
                self.errors.push(
                    d.found("a name of this `let rec` stands to the right of `\\` or under `~`")
                        .help("define what is taken away before, by itself"),
                );
            }
            group.push((*slot, term));
        }
        let open = group.iter().any(|(_, t)| self.is_open(t));
        slots.iter().for_each(|s| self.open[*s] = open);
        self.model.defines.push(Define { group, recursive: true, open });
    }

    fn wants(&mut self, span: &Span, found: Found, wanted: Kind) {
        if let Some(found) = found.filter(|f| *f != wanted) {
            let d = Diagnostic::at(span, format!("{} is wanted here", words(wanted)))
                .found(format!("this is {}", words(found)));
            self.errors.push(match wanted {
                Kind::Relation => d.help("`[S]` is the identity relation on the set S, `S * T` all pairs from S to T"),
                Kind::Set => d.help("`domain(r)` and `range(r)` are the sets that a relation leads from and to"),
            });
        }
    }

    fn relation(&mut self, e: &Expr) -> Term {
        let (term, kind) = self.expr(e);
        self.wants(&e.span, kind, Kind::Relation);
        term
    }

    fn set(&mut self, e: &Expr) -> Term {
        let (term, kind) = self.expr(e);
        self.wants(&e.span, kind, Kind::Set);
        term
    }

    fn expr(&mut self, e: &Expr) -> (Term, Found) {
        match &e.node {
            Node::Nothing => (Term::Empty, None),
            Node::Universe => (Term::Identity, Some(Kind::Set)),
            Node::Name(name) => match self.scope.get(name) {
                Some(slot) => (Term::Slot(*slot), self.kinds[*slot]),
                None => {
                    let known: Vec<&str> = self.scope.keys().map(String::as_str).collect();
                    let all = format!("known names: {}", known.join(", "));
                    let help = crate::check::suggest(name, &known, &all);
                    let d = Diagnostic::at(&e.span, format!("`{name}` is not defined"));
                    self.errors.push(d.found("no such set or relation").help(help));
                    (Term::Empty, None)
                }
            },
            Node::Binary(Binary::Product, a, b) => {
                let (a, b) = (self.set(a), self.set(b));
                (Term::Product(Box::new(a), Box::new(b)), Some(Kind::Relation))
            }
            Node::Binary(Binary::Sequence, a, b) => {
                let (a, b) = (self.relation(a), self.relation(b));
                (Term::Then(Box::new(a), Box::new(b)), Some(Kind::Relation))
            }
            Node::Binary(op, left, right) => {
                let ((a, first), (b, second)) = (self.expr(left), self.expr(right));
                if let Some(kind) = first {
                    self.wants(&right.span, second, kind);
                }
                let (a, b) = (Box::new(a), Box::new(b));
                let term = match op {
                    Binary::Union => Term::Union(a, b),
                    Binary::Meet => Term::Meet(a, b),
                    _ => Term::Minus(a, b),
                };
                (term, first.or(second))
            }
            Node::Unary(op, inner) => self.unary(*op, inner),
        }
    }

    fn unary(&mut self, op: Unary, inner: &Expr) -> (Term, Found) {
        match op {
            Unary::Complement => {
                let (term, kind) = self.expr(inner);
                let all = if kind == Some(Kind::Set) { Term::Identity } else { Term::Full };
                (Term::Minus(Box::new(all), Box::new(term)), kind.or(Some(Kind::Relation)))
            }
            // A set already is the identity relation on it.
            Unary::Identity => (self.set(inner), Some(Kind::Relation)),
            Unary::Domain | Unary::Range => {
                let mut term = self.relation(inner);
                if op == Unary::Range {
                    term = Term::Inverse(Box::new(term));
                }
                (Term::Domain(Box::new(term)), Some(Kind::Set))
            }
            Unary::Inverse | Unary::Plus | Unary::Star | Unary::Option => {
                let term = Box::new(self.relation(inner));
                let reflexive = |t| Term::Union(Box::new(t), Box::new(Term::Identity));
                let term = match op {
                    Unary::Inverse => Term::Inverse(term),
                    Unary::Plus => Term::Closure(term),
                    Unary::Star => reflexive(Term::Closure(term)),
                    _ => reflexive(*term),
                };
                (term, Some(Kind::Relation))
            }
        }
    }
}
