//! Names and kinds: syntax trees to a model.
//!
//! Functions are put in where they are applied: a model knows sets and relations only.

use super::lift::lift;
use super::machines::events_of;
use super::model::{CatModel, Check, Choice, Define, Given, Kind, Order, Pick, Term};
use super::syntax::{self, Binary, Binding, Chooser, Each, Expr, Item, Node, Test, Unary};
use super::values::{Meaning, Scope};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Span, one_line};
use litmpi_spec::syntax::Name;

/// Names with a meaning for whoever runs the model: the order of writes, by either name, and what is undefined.
const SPECIAL: [&str; 3] = ["mo", "co", "undefined"];

/// Where a model of herd's cannot be read here.
const BEYOND: &str =
    "leave it out, or run this model under herd7; the language that is read stands in the head of cat/src/lib.rs";

/// A model that applies functions more often is refused: each application is put in by itself.
pub(super) const APPLICATIONS: usize = 10_000;

/// Checks statements, those of included files already in their places.
pub(super) fn check(name: String, items: Vec<Item>, given: &[Given]) -> Result<CatModel, Report> {
    let mut checker = Checker {
        model: CatModel {
            name,
            files: Vec::new(),
            slots: Vec::new(),
            kinds: Vec::new(),
            choices: Vec::new(),
            checks: Vec::new(),
            flags: Vec::new(),
            orders: Vec::new(),
            defines: Vec::new(),
            fixed: Vec::new(),
            given: Vec::new(),
            needed: Vec::new(),
        },
        scope: Scope::new(),
        kinds: Vec::new(),
        open: Vec::new(),
        applications: 0,
        depth: 0,
        within: Vec::new(),
        errors: Vec::new(),
        unsupported: Vec::new(),
    };
    for g in given {
        checker.slot(&g.name, Some(g.kind), g.open);
    }
    for item in &items {
        checker.item(item);
    }
    Report(checker.errors).into_result()?;
    let mut model = checker.model;
    model.kinds = checker.kinds.iter().map(|k| k.unwrap_or(Kind::Relation)).collect();
    let chosen: Vec<usize> = model.choices.iter().map(|c| c.slot).collect();
    model.given = (0..given.len()).filter(|slot| given[*slot].open && !chosen.contains(slot)).collect();
    model.orders = orders(&model);
    lift(&mut model);
    mark(&mut model);
    Ok(model)
}

/// Marks the bounds that checks and choices depend on; definitions depend on earlier ones or on their own group.
fn mark(model: &mut CatModel) {
    let mut needed = vec![[false; 2]; model.slots.len()];
    for check in model.checks.iter().chain(&model.flags) {
        check.term.slots(0, &mut |slot, bound| needed[slot][bound] = true);
    }
    for choice in &model.choices {
        choice.pairs.slots(0, &mut |slot, bound| needed[slot][bound] = true);
    }
    for fixed in &model.fixed {
        fixed.slots(0, &mut |slot, bound| needed[slot][bound] = true);
    }
    for special in SPECIAL {
        if let Some(slot) = model.slot(special) {
            needed[slot] = [true; 2];
        }
    }
    for define in &mut model.defines {
        for bound in [0, 1] {
            let reads = &mut define.reads[bound];
            define.group.iter().for_each(|(_, term)| term.slots(bound, &mut |s, b| reads.add(s, b)));
        }
    }
    for define in model.defines.iter_mut().rev() {
        for bound in [0, 1] {
            define.needed[bound] = define.group.iter().any(|(slot, _)| needed[*slot][bound]);
            if define.needed[bound] {
                define.group.iter().for_each(|(_, term)| term.slots(bound, &mut |s, b| needed[s][b] = true));
            }
        }
    }
    model.needed = needed;
}

/// What is chosen within relations of which checks ask that they have no cycle.
fn orders(model: &CatModel) -> Vec<Order> {
    let asked = model.checks.iter().filter(|c| c.open && !c.negated).filter_map(|c| closed(model, c));
    let order = |(term, whole): (Term, &Term)| {
        let (mut parts, mut slots) = (vec![whole], vec![]);
        while let Some(part) = parts.pop() {
            match part {
                Term::Member(_, inner) => parts.push(inner),
                Term::Union(a, b) => parts.extend([&**a, &**b]),
                Term::Slot(slot) if model.given.contains(slot) || model.choices.iter().any(|c| c.slot == *slot) => {
                    slots.push(*slot);
                }
                Term::Slot(slot) => parts.extend(definition(model, *slot)),
                _ => {}
            }
        }
        Order { slots, term }
    };
    asked.map(order).filter(|o| !o.slots.is_empty()).collect()
}

/// The closure of what a check asks to be without a cycle, and that itself.
fn closed<'m>(model: &'m CatModel, check: &'m Check) -> Option<(Term, &'m Term)> {
    match (check.test, &check.term) {
        (Test::Acyclic, term) => Some((Term::Closure(Box::new(term.clone())), term)),
        (Test::Irreflexive, Term::Slot(slot)) => match definition(model, *slot)? {
            Term::Closure(inner) => Some((check.term.clone(), inner)),
            _ => None,
        },
        _ => None,
    }
}

/// What a name is defined as, if it is not by itself.
fn definition(model: &CatModel, slot: usize) -> Option<&Term> {
    let define = model.defines.iter().find(|d| !d.recursive && d.group[0].0 == slot)?;
    let mut term = &define.group[0].1;
    while let Term::Member(_, inner) = term {
        term = inner;
    }
    Some(term)
}

/// The kind of `0` is whatever is wanted.
pub(super) type Found = Option<Kind>;

pub(super) struct Checker {
    model: CatModel,
    pub(super) scope: Scope,
    pub(super) kinds: Vec<Found>,
    open: Vec<bool>,
    pub(super) applications: usize,
    /// How deep functions and procedures are in each other.
    pub(super) depth: usize,
    /// The relations whose classes a check is asked for, the outermost first.
    within: Vec<Term>,
    pub(super) errors: Vec<Diagnostic>,
    /// What is not supported, of definitions that nothing has asked for yet.
    pub(super) unsupported: Vec<Diagnostic>,
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
        self.scope.insert(name.to_owned(), Meaning::Slot(slot));
        slot
    }

    fn is_open(&self, term: &Term) -> bool {
        let mut open = false;
        term.slots(0, &mut |slot, _| open |= self.open[slot]);
        open
    }

    fn item(&mut self, item: &Item) {
        match item {
            Item::Include(_) => {}
            Item::Let(false, bindings, _) => {
                // `let a = … and b = …`: neither sees the other.
                let before = self.scope.clone();
                let meanings: Vec<Vec<(Name, Meaning)>> =
                    bindings.iter().map(|binding| self.meanings(binding, &before)).collect();
                self.scope = before;
                for (name, meaning) in meanings.into_iter().flatten() {
                    let (term, kind) = match meaning {
                        Meaning::Slot(slot) => (Term::Slot(slot), self.kinds[slot]),
                        Meaning::Value(term, kind) => (term, kind),
                        other => {
                            self.scope.insert(name.node, other);
                            continue;
                        }
                    };
                    if !self.within.is_empty() {
                        self.scope.insert(name.node, Meaning::Value(term, kind));
                        continue;
                    }
                    let open = self.is_open(&term);
                    let slot = self.slot(&name.node, kind, open);
                    self.model.defines.push(Define {
                        group: vec![(slot, term)],
                        lifted: Vec::new(),
                        recursive: false,
                        open,
                        reads: Default::default(),
                        needed: [false; 2],
                    });
                }
            }
            Item::Let(true, bindings, when) => {
                if let (false, Some(first)) = (self.within.is_empty(), bindings.first()) {
                    let d = Diagnostic::at(&first.name.span, "a recursive definition cannot stand inside `forall`");
                    self.errors.push(d.found("`let rec`").help("define it before; what it depends on is a parameter"));
                    return;
                }
                self.recursive(bindings);
                if let Some(when) = when {
                    self.check(when);
                }
            }
            Item::With(name, ..) if !self.within.is_empty() => {
                let d = Diagnostic::at(&name.span, "a choice cannot stand inside `forall`");
                self.errors.push(d.found("`with`").help("choose before"));
            }
            Item::With(name, chooser, args) => self.with(name, *chooser, args),
            Item::Each(each) => self.each(each),
            Item::Check(check) if !self.within.is_empty() && check.negated == (check.unless || !check.flag) => {
                let d = Diagnostic::at(&check.span, "this cannot be asked of all classes together");
                let found = if check.flag { "a flag without `~`" } else { "a check with `~`" };
                let help = "inside `forall`, checks have no `~`, and flags have one";
                self.errors.push(d.found(found).help(help));
            }
            Item::Check(check) => self.check(check),
            Item::Procedure(p) => self.procedure(p),
            Item::Call(name, args, label) => self.call(name, args, label.as_ref()),
            // What is included was chosen when files were read.
            Item::Either(variants, then, els) => {
                let items = if variants.hold(&[]) { then } else { els };
                items.iter().for_each(|item| self.item(item));
            }
            Item::Cases(subject, cases) => self.cases(subject, cases),
            Item::Beyond(what, span) => {
                let d = Diagnostic::at(span, format!("{what} is not supported"));
                self.errors.push(d.found("herd's, but not of the part of its language that is read here").help(BEYOND));
            }
        }
        // Whatever was asked of what is not supported is asked for now; definitions have taken theirs away.
        self.errors.append(&mut self.unsupported);
    }

    /// Statements with a scope of their own.
    pub(super) fn items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.item(item));
    }

    fn with(&mut self, name: &Name, chooser: Chooser, args: &[Expr]) {
        let wanted = if matches!(chooser, Chooser::Linearisations | Chooser::OrdersOf) { 2 } else { 1 };
        let [first, rest @ ..] = args else { return };
        if args.len() != wanted {
            let d = Diagnostic::at(&name.span, format!("this choice takes {wanted}, not {}", args.len()));
            self.errors.push(d.found("wrong number of arguments").help("see the head of the language's description"));
            return;
        }
        // All pairs of `all` but those against `order`, whose own pairs are thus left without an opposite.
        let against = |all: Term, order: Term| Term::Minus(Box::new(all), Box::new(Term::Inverse(Box::new(order))));
        let meet = |a: Term, b: Term| Term::Meet(Box::new(a), Box::new(b));
        let pairs_of = |set: &Term| Term::Product(Box::new(set.clone()), Box::new(set.clone()));
        let mut order = None;
        let all = match chooser {
            Chooser::Orders | Chooser::PartialOrders => self.relation(first),
            Chooser::Linearisations => {
                let set = self.set(first);
                order = rest.first().map(|r| self.relation(r));
                pairs_of(&set)
            }
            Chooser::OrdersOf => {
                let set = self.set(first);
                order = rest.first().map(|r| self.relation(r));
                let same = self.given("loc", &first.span);
                meet(pairs_of(&set), same)
            }
            Chooser::Cos => {
                order = Some(self.relation(first));
                let (writes, initial) = (self.given("W", &first.span), self.given("IW", &first.span));
                let same = self.given("loc", &first.span);
                let back = Term::Product(Box::new(writes.clone()), Box::new(initial));
                Term::Minus(Box::new(meet(pairs_of(&writes), same)), Box::new(back))
            }
        };
        // What depends on the search itself is asked of the order when that is chosen.
        let late = order.clone().filter(|o| self.is_open(o));
        let pairs = match order {
            Some(order) if late.is_none() => against(all, order),
            _ => all,
        };
        if self.is_open(&pairs) {
            let d = Diagnostic::at(&first.span, "what is to be ordered must be fixed before the search");
            self.errors.push(
                d.found("this depends on a choice of the search")
                    .help("use events, `po`, `loc` and the like, not `rf` or another order"),
            );
        }
        let slot = self.slot(&name.node, Some(Kind::Relation), true);
        let pick = if chooser == Chooser::PartialOrders { Pick::Partial } else { Pick::Total };
        self.model.choices.push(Choice { slot, name: name.node.clone(), pick, pairs });
        if let Some(late) = late {
            let term = meet(Term::Inverse(Box::new(late)), Term::Slot(slot));
            let (name, span) =
                (format!("{} extends {}", name.node, one_line(extended(args).span.text())), name.span.clone());
            let check = Check { name, test: Test::Empty, negated: false, span, open: true, lifted: term.clone(), term };
            self.model.checks.push(check);
        }
    }

    /// A relation or set that is there from the beginning.
    fn given(&mut self, name: &str, span: &Span) -> Term {
        self.expr(&Expr { node: Node::Name(name.into()), span: span.clone() }).0
    }

    /// Definitions and checks for each class of a relation. A check holds if it does for each class, and a flag is raised by
    /// any: both are asked of what all classes give together.
    fn each(&mut self, each: &Each) {
        let of = self.relation(&each.of);
        if self.is_open(&of) {
            let d = Diagnostic::at(&each.of.span, "classes must be fixed before the search");
            self.errors.push(
                d.found("this depends on a choice of the search")
                    .help("use events, `po`, `loc` and the like, not `rf` or another order"),
            );
        }
        let before = self.scope.clone();
        let class = Term::Class(self.within.len());
        self.within.push(of);
        self.scope.insert(each.name.node.clone(), Meaning::Value(class, Some(Kind::Set)));
        self.items(&each.items);
        self.within.pop();
        self.scope = before;
    }

    fn check(&mut self, c: &syntax::Check) {
        let mut c = c.clone();
        // What a program is undefined unless it is so is raised where it is not.
        c.negated ^= c.unless;
        c.flag |= c.unless;
        let mut term = if c.test == syntax::Test::Empty { self.expr(&c.expr).0 } else { self.relation(&c.expr) };
        if c.test == Test::Acyclic && !self.within.is_empty() {
            // Edges of several classes make no cycle.
            (term, c.test) = (Term::Closure(Box::new(term)), Test::Irreflexive);
        }
        for of in self.within.iter().rev() {
            term = Term::Each(Box::new(of.clone()), Box::new(term));
        }
        let name = c.name.map_or_else(|| unwrapped(c.expr.span.text()), |n| n.node);
        let open = self.is_open(&term);
        let check = Check { name, test: c.test, negated: c.negated, span: c.span, open, lifted: term.clone(), term };
        if c.flag { self.model.flags.push(check) } else { self.model.checks.push(check) }
    }

    /// A least fixpoint. Its members' kind is the first one's that tells; they may not stand where more of them
    /// would mean less of the whole.
    pub(super) fn recursive(&mut self, bindings: &[Binding]) {
        if bindings.iter().all(|b| b.params.is_some() && !b.apart) {
            return self.recursive_functions(bindings);
        }
        let slots: Vec<usize> = bindings.iter().map(|b| self.slot(&b.name.node, Some(Kind::Relation), false)).collect();
        let mut group = Vec::new();
        for (Binding { name, params, body, .. }, slot) in bindings.iter().zip(&slots) {
            if let Some(first) = params.as_ref().and_then(|p| p.first()) {
                let d =
                    Diagnostic::at(&first.span, "a recursive definition is of relations or of functions, not of both");
                self.errors.push(d.found("a parameter").help("define them one after the other"));
            }
            let term = self.relation(body);
            let mut negative = false;
            term.slots(0, &mut |s, bound| negative |= bound == 1 && slots.contains(&s));
            if negative {
                let d = Diagnostic::at(&body.span, format!("`{}` has no least solution", name.node));
                self.errors.push(
                    d.found("a name of this `let rec` stands to the right of `\\` or under `~`")
                        .help("define what is taken away before, by itself"),
                );
            }
            group.push((*slot, term));
        }
        let open = group.iter().any(|(_, t)| self.is_open(t));
        slots.iter().for_each(|s| self.open[*s] = open);
        self.model.defines.push(Define {
            group,
            lifted: Vec::new(),
            recursive: true,
            open,
            reads: Default::default(),
            needed: [false; 2],
        });
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

    pub(super) fn undefined(&mut self, name: &str, span: &Span) {
        if let Some(of) = events_of(name) {
            let message = format!("`{name}` is of programs for {of}, which are not read");
            if self.errors.iter().all(|d| d.message != message) {
                let help = "leave out what needs it, or run this model under herd7";
                self.errors
                    .push(Diagnostic::at(span, message).found("herd's name of events of that machine").help(help));
            }
            return;
        }
        let known: Vec<&str> = self.scope.keys().map(String::as_str).collect();
        let all = format!("known names: {}", known.join(", "));
        let help = super::load::defines(name).map_or_else(
            || litmpi_spec::suggest::suggest(name, &known, &all),
            |file| format!("`include \"{file}\"` before it defines it"),
        );
        let message = format!("`{name}` is not defined");
        // Of a name that stands in many places, the first is told.
        if self.errors.iter().all(|d| d.message != message) {
            self.errors.push(Diagnostic::at(span, message).found("no such set or relation").help(help));
        }
    }

    pub(super) fn relation(&mut self, e: &Expr) -> Term {
        let (term, kind) = self.expr(e);
        self.wants(&e.span, kind, Kind::Relation);
        term
    }

    pub(super) fn set(&mut self, e: &Expr) -> Term {
        let (term, kind) = self.expr(e);
        self.wants(&e.span, kind, Kind::Set);
        term
    }

    /// A set or a relation.
    pub(super) fn expr(&mut self, e: &Expr) -> (Term, Found) {
        match &e.node {
            Node::Nothing => (Term::Empty, None),
            Node::Universe => (Term::Identity, Some(Kind::Set)),
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
                let member = |term: Term, e: &Expr| match term {
                    Term::Union(..) | Term::Member(..) => Box::new(term),
                    _ if *op == Binary::Union => Box::new(Term::Member(unwrapped(e.span.text()), Box::new(term))),
                    _ => Box::new(term),
                };
                let (a, b) = (member(a, left), member(b, right));
                let term = match op {
                    Binary::Union => Term::Union(a, b),
                    Binary::Meet => Term::Meet(a, b),
                    _ => Term::Minus(a, b),
                };
                (term, first.or(second))
            }
            Node::Unary(op, inner) => self.unary(*op, inner),
            _ => {
                let meaning = self.value(e);
                self.events(meaning, e)
            }
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

/// What an order has to extend: the last of what its choice is given.
fn extended(args: &[Expr]) -> &Expr {
    args.last().expect("a choice is of something")
}

/// Text of a file as one line, without brackets around the whole.
fn unwrapped(text: &str) -> String {
    let text = one_line(text);
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')'));
    let mut depth = 0;
    let mut closed = |t: &str| {
        t.chars().all(|c| {
            depth += i32::from(c == '(') - i32::from(c == ')');
            depth >= 0
        })
    };
    inner.filter(|t| closed(t)).map_or_else(|| text.clone(), |t| t.trim().to_owned())
}
