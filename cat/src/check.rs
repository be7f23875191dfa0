//! Names and kinds: syntax trees to a model.
//!
//! Functions are put in where they are applied: a model knows sets and relations only.

use super::lift::lift;
use super::model::{CatModel, Check, Choice, Define, Given, Kind, Order, Pick, Term};
use super::syntax::{self, Binary, Binding, Chooser, Each, Expr, Item, Node, Test, Unary};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::source::{Span, one_line};
use litmpi_spec::syntax::Name;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Names with a meaning for whoever runs the model: the order of writes, by either name, and what is undefined.
const SPECIAL: [&str; 3] = ["mo", "co", "undefined"];

/// A model that applies functions more often is refused: each application is put in by itself.
const APPLICATIONS: usize = 10_000;

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
        within: Vec::new(),
        errors: Vec::new(),
    };
    for g in given {
        checker.slot(&g.name, Some(g.kind), g.open);
    }
    for item in items {
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
type Found = Option<Kind>;

/// What a name stands for.
#[derive(Clone)]
enum Meaning {
    Slot(usize),
    /// A parameter's argument.
    Value(Term, Found),
    Function(Rc<Function>),
}

type Scope = BTreeMap<String, Meaning>;

/// A function, with what its body may name.
struct Function {
    params: Vec<Name>,
    body: Expr,
    scope: Scope,
}

struct Checker {
    model: CatModel,
    scope: Scope,
    kinds: Vec<Found>,
    open: Vec<bool>,
    applications: usize,
    /// The relations whose classes a check is asked for, the outermost first.
    within: Vec<Term>,
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
        self.scope.insert(name.to_owned(), Meaning::Slot(slot));
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
                let before = self.scope.clone();
                let mut terms = vec![];
                for Binding { name, params, body } in bindings {
                    match params {
                        Some(params) => {
                            let function = Function { params, body, scope: before.clone() };
                            self.scope.insert(name.node, Meaning::Function(Rc::new(function)));
                        }
                        None => {
                            let now = std::mem::replace(&mut self.scope, before.clone());
                            let (term, kind) = self.expr(&body);
                            self.scope = now;
                            terms.push((name, term, kind));
                        }
                    }
                }
                for (name, term, kind) in terms {
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
            Item::Let(true, bindings) => self.recursive(&bindings),
            Item::With(name, chooser, args) => self.with(&name, chooser, &args),
            Item::Each(each) => self.each(each),
            Item::Check(check) => self.check(check),
        }
    }

    fn with(&mut self, name: &Name, chooser: Chooser, args: &[Expr]) {
        let wanted = if chooser == Chooser::Linearisations { 2 } else { 1 };
        let [first, rest @ ..] = args else { return };
        if args.len() != wanted {
            let d = Diagnostic::at(&name.span, format!("this choice takes {wanted}, not {}", args.len()));
            self.errors.push(d.found("wrong number of arguments").help("see the head of the language's description"));
            return;
        }
        // All pairs of `all` but those against `order`, whose own pairs are thus left without an opposite.
        let against = |all: Term, order: Term| Term::Minus(Box::new(all), Box::new(Term::Inverse(Box::new(order))));
        let pairs = match chooser {
            Chooser::Orders | Chooser::PartialOrders => self.relation(first),
            Chooser::Linearisations => {
                let set = self.set(first);
                let order = rest.first().map_or(Term::Empty, |r| self.relation(r));
                against(Term::Product(Box::new(set.clone()), Box::new(set)), order)
            }
            Chooser::Cos => {
                let order = self.relation(first);
                let mut given = |n: &str| self.expr(&Expr { node: Node::Name(n.into()), span: first.span.clone() }).0;
                let (writes, initial, same) = (given("W"), given("IW"), given("loc"));
                let all = Term::Product(Box::new(writes.clone()), Box::new(writes.clone()));
                let back = Term::Product(Box::new(writes), Box::new(initial));
                let all = Term::Minus(Box::new(Term::Meet(Box::new(all), Box::new(same))), Box::new(back));
                against(all, order)
            }
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
    }

    /// Definitions and checks for each class of a relation. A check holds if it does for each class, and a flag is raised by
    /// any: both are asked of what all classes give together.
    fn each(&mut self, each: Each) {
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
        self.scope.insert(each.name.node, Meaning::Value(class, Some(Kind::Set)));
        for item in each.items {
            match item {
                Item::Let(false, bindings) => self.bind(&bindings),
                Item::Let(true, bindings) => {
                    let name = &bindings[0].name;
                    let d = Diagnostic::at(&name.span, "a recursive definition cannot stand inside `forall`");
                    self.errors.push(d.found("`let rec`").help("define it before; what it depends on is a parameter"));
                }
                Item::Check(check) if check.negated != check.flag => {
                    let d = Diagnostic::at(&check.span, "this cannot be asked of all classes together");
                    let found = if check.flag { "a flag without `~`" } else { "a check with `~`" };
                    let help = "inside `forall`, checks have no `~`, and flags have one";
                    self.errors.push(d.found(found).help(help));
                }
                item => self.item(item),
            }
        }
        self.within.pop();
        self.scope = before;
    }

    fn check(&mut self, mut c: syntax::Check) {
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
    fn recursive(&mut self, bindings: &[Binding]) {
        let slots: Vec<usize> = bindings.iter().map(|b| self.slot(&b.name.node, Some(Kind::Relation), false)).collect();
        let mut group = Vec::new();
        for (Binding { name, params, body }, slot) in bindings.iter().zip(&slots) {
            if let Some(first) = params.as_ref().and_then(|p| p.first()) {
                let d = Diagnostic::at(&first.span, "a recursive definition is of a relation, not of a function");
                self.errors.push(d.found("a parameter").help("leave out `rec`, or the parameters"));
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

    fn undefined(&mut self, name: &str, span: &Span) {
        let known: Vec<&str> = self.scope.keys().map(String::as_str).collect();
        let all = format!("known names: {}", known.join(", "));
        let help = litmpi_spec::suggest::suggest(name, &known, &all);
        let d = Diagnostic::at(span, format!("`{name}` is not defined"));
        self.errors.push(d.found("no such set or relation").help(help));
    }

    fn apply(&mut self, e: &Expr, name: &Name, args: &[Expr]) -> (Term, Found) {
        let function = match (self.scope.get(&name.node), name.node.as_str(), args) {
            (Some(Meaning::Function(f)), ..) => Rc::clone(f),
            (None, "domain" | "range", [of]) => {
                let mut term = self.relation(of);
                if name.node == "range" {
                    term = Term::Inverse(Box::new(term));
                }
                return (Term::Domain(Box::new(term)), Some(Kind::Set));
            }
            (Some(_), ..) => {
                let d = Diagnostic::at(&name.span, format!("`{}` is no function", name.node));
                self.errors.push(d.found("applied to something").help("relations are joined by `;`"));
                return (Term::Empty, None);
            }
            (None, ..) => {
                self.undefined(&name.node, &name.span);
                return (Term::Empty, None);
            }
        };
        self.applications += 1;
        if function.params.len() != args.len() || self.applications > APPLICATIONS {
            let d = if self.applications > APPLICATIONS {
                Diagnostic::at(&e.span, format!("functions are applied more than {APPLICATIONS} times"))
                    .found("one too many")
            } else {
                let takes = function.params.len();
                Diagnostic::at(&e.span, format!("`{}` takes {takes}, not {}", name.node, args.len()))
                    .found("wrong number of arguments")
            };
            self.errors.push(d.help(format!("it is defined at {}", function.body.span)));
            return (Term::Empty, None);
        }
        let mut scope = function.scope.clone();
        for (param, arg) in function.params.iter().zip(args) {
            let (term, kind) = self.expr(arg);
            scope.insert(param.node.clone(), Meaning::Value(term, kind));
        }
        let outer = std::mem::replace(&mut self.scope, scope);
        let result = self.expr(&function.body);
        self.scope = outer;
        result
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
                Some(Meaning::Slot(slot)) => (Term::Slot(*slot), self.kinds[*slot]),
                Some(Meaning::Value(term, kind)) => (term.clone(), *kind),
                Some(Meaning::Function(f)) => {
                    let help = format!("apply it: `{name}({})`", vec!["…"; f.params.len()].join(", "));
                    let d = Diagnostic::at(&e.span, format!("`{name}` is a function"));
                    self.errors.push(d.found("a set or a relation is wanted here").help(help));
                    (Term::Empty, None)
                }
                None => {
                    self.undefined(name, &e.span);
                    (Term::Empty, None)
                }
            },
            Node::Apply(name, args) => self.apply(e, name, args),
            Node::Local(bindings, body) => {
                let before = self.scope.clone();
                self.bind(bindings);
                let out = self.expr(body);
                self.scope = before;
                out
            }
            Node::Try(first, second) => {
                let before = self.errors.len();
                let found = self.expr(first);
                if self.errors.len() == before {
                    return found;
                }
                self.errors.truncate(before);
                self.expr(second)
            }
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
        }
    }

    /// Definitions that are put in where they are named; none sees another.
    fn bind(&mut self, bindings: &[Binding]) {
        let before = self.scope.clone();
        for Binding { name, params, body } in bindings {
            let meaning = match params {
                Some(params) => Meaning::Function(Rc::new(Function {
                    params: params.clone(),
                    body: body.clone(),
                    scope: before.clone(),
                })),
                None => {
                    let now = std::mem::replace(&mut self.scope, before.clone());
                    let (term, kind) = self.expr(body);
                    self.scope = now;
                    Meaning::Value(term, kind)
                }
            };
            self.scope.insert(name.node.clone(), meaning);
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
