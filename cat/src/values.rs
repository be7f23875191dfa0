//! What names stand for beside sets and relations: functions, procedures, tuples, tags.
//!
//! All of that is worked out when a model is read: a function is put in where it is applied, and what is left are sets and
//! relations. What herd works out for each execution, `match` on a set of events above all, is thus not supported. A definition that
//! needs it is no error by itself: files of herd's library have many that a model does not use. It is told where something asks for it.

use super::check::{APPLICATIONS, Checker, Found};
use super::model::{Kind, Term};
use super::syntax::{Binding, Expr, Item, Node, Pattern, Procedure};
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::source::Span;
use litmpi_spec::syntax::Name;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Functions and procedures that are deeper in each other than this are refused.
const DEEPEST: usize = 48;

/// Functions of herd's own, of which the first two are supported.
const PRIMITIVES: [&str; 26] = [
    "domain",
    "range",
    "classes",
    "classes-loc",
    "linearisations",
    "fromto",
    "tag2events",
    "tag2scope",
    "tag2level",
    "different-values",
    "same-oa",
    "inv-scope",
    "intervening-write",
    "oa-changes",
    "at-least-one-writable",
    "generate_cos",
    "bisimulation",
    "ctrlcfence",
    "delift",
    "fulldelift",
    "inter_transitive",
    "lift",
    "map",
    "partition",
    "tag2instrs",
    "tag2set",
];

/// Sets and relations that herd gives an X86 program, or any, and that there are none of here.
const NOT_GIVEN: [&str; 28] = [
    "FW",
    "ctrl",
    "addr",
    "data",
    "depend",
    "iico_data",
    "iico_ctrl",
    "iico_order",
    "same-instr",
    "same-instance",
    "rf-reg",
    "po-reg",
    "partial_po",
    "scl",
    "DATA",
    "NDATA",
    "BR",
    "B",
    "BCC",
    "PRED",
    "PoD",
    "Rreg",
    "Wreg",
    "control",
    "success",
    "instr",
    "same-low-order-bits",
    "no-loc",
];

/// What a name stands for.
#[derive(Clone)]
pub(super) enum Meaning {
    Slot(usize),
    /// A set or a relation, as of a parameter.
    Value(Term, Found),
    Function(Rc<Function>),
    Procedure(Rc<Steps>),
    /// A function of herd's.
    Primitive(&'static str),
    Tuple(Vec<Meaning>),
    Tag(String),
    /// A set whose members are written out.
    Members(Vec<Meaning>),
    /// Something that is not supported, and why.
    Unknown(Box<Diagnostic>),
}

pub(super) type Scope = BTreeMap<String, Meaning>;

/// A function, with what its body may name.
pub(super) struct Function {
    params: Vec<Name>,
    body: Expr,
    scope: Scope,
    /// Functions that may call each other, this one among them.
    group: Vec<Binding>,
}

/// A procedure, with what its body may name.
pub(super) struct Steps {
    params: Vec<Name>,
    items: Vec<Item>,
    scope: Scope,
}

impl Checker {
    /// Notes something that is not supported.
    fn beyond(&mut self, span: &Span, what: &str) -> Meaning {
        let d = Diagnostic::at(span, format!("{what} is not supported"));
        let d = d.found("what herd works out for each execution, or of other machines");
        self.unsupported.push(d.help("leave it out, or run this model under herd7"));
        Meaning::Value(Term::Empty, None)
    }

    /// What an expression stands for.
    pub(super) fn value(&mut self, e: &Expr) -> Meaning {
        match &e.node {
            Node::Name(name) => self.named(name, &e.span),
            Node::Fun(params, body) => {
                let function = Function {
                    params: params.clone(),
                    body: (**body).clone(),
                    scope: self.scope.clone(),
                    group: vec![],
                };
                Meaning::Function(Rc::new(function))
            }
            Node::Tuple(parts) => Meaning::Tuple(parts.iter().map(|p| self.value(p)).collect()),
            Node::Tag(tag) => Meaning::Tag(tag.clone()),
            Node::Members(parts) => Meaning::Members(parts.iter().map(|p| self.value(p)).collect()),
            Node::Add(element, set) => {
                let (element, set) = (self.value(element), self.value(set));
                match set {
                    Meaning::Members(mut all) => {
                        all.push(element);
                        Meaning::Members(all)
                    }
                    Meaning::Value(Term::Empty, None) => Meaning::Members(vec![element]),
                    _ => self.beyond(&e.span, "`++` with a set whose members are not written out"),
                }
            }
            Node::If(variants, then, els) => self.value(if variants.hold(&[]) { then } else { els }),
            Node::Compared => self.beyond(&e.span, "`if` on a comparison"),
            Node::Match(subject, arms) => self.matched(subject, arms),
            Node::Apply(name, args) => self.apply(e, name, args),
            Node::Local(recursive, bindings, body) => {
                let before = self.scope.clone();
                if *recursive {
                    self.recursive(bindings);
                } else {
                    for (name, meaning) in bindings.iter().flat_map(|b| self.meanings(b, &before)).collect::<Vec<_>>() {
                        self.scope.insert(name.node, meaning);
                    }
                }
                let out = self.value(body);
                self.scope = before;
                out
            }
            Node::Try(first, second) => {
                let before = (self.errors.len(), self.unsupported.len());
                let found = self.value(first);
                if (self.errors.len(), self.unsupported.len()) == before && !matches!(found, Meaning::Unknown(_)) {
                    return found;
                }
                self.errors.truncate(before.0);
                self.unsupported.truncate(before.1);
                self.value(second)
            }
            _ => {
                let (term, kind) = self.expr(e);
                Meaning::Value(term, kind)
            }
        }
    }

    fn named(&mut self, name: &str, span: &Span) -> Meaning {
        if let Some(meaning) = self.scope.get(name) {
            return meaning.clone();
        }
        if let Some(known) = PRIMITIVES.iter().find(|p| **p == name) {
            return Meaning::Primitive(known);
        }
        if NOT_GIVEN.contains(&name) {
            return self.beyond(span, &format!("herd's `{name}`"));
        }
        self.undefined(name, span);
        Meaning::Value(Term::Empty, None)
    }

    /// A meaning as a set or a relation.
    pub(super) fn events(&mut self, meaning: Meaning, e: &Expr) -> (Term, Found) {
        let (what, help) = match meaning {
            Meaning::Slot(slot) => return (Term::Slot(slot), self.kinds[slot]),
            Meaning::Value(term, kind) => return (term, kind),
            Meaning::Unknown(why) => {
                if !self.unsupported.iter().any(|d| d.span == why.span) {
                    self.unsupported.push(*why);
                }
                return (Term::Empty, None);
            }
            Meaning::Members(all) if all.is_empty() => return (Term::Empty, None),
            Meaning::Function(f) => {
                ("a function", format!("apply it: `{}({})`", e.span.text(), vec!["…"; f.params.len()].join(", ")))
            }
            Meaning::Primitive(_) => ("a function", format!("apply it: `{}(…)`", e.span.text())),
            Meaning::Procedure(_) => ("a procedure", "it stands after `call`".into()),
            Meaning::Tuple(_) => ("a tuple", "take it apart: `let (a, b) = …`".into()),
            Meaning::Tag(_) => ("a tag", "tags are for `match`".into()),
            Meaning::Members(_) => {
                ("a set of other things than events", "sets are of events, relations of pairs of events".into())
            }
        };
        let d = Diagnostic::at(&e.span, format!("`{}` is {what}", e.span.text()));
        self.errors.push(d.found("a set or a relation is wanted here").help(help));
        (Term::Empty, None)
    }

    /// What a definition, in a scope, gives the names that it defines. If it is not supported, that is told where they are used.
    pub(super) fn meanings(&mut self, binding: &Binding, scope: &Scope) -> Vec<(Name, Meaning)> {
        let Binding { name, apart, params, body } = binding;
        if let (Some(params), false) = (params, apart) {
            let function = Function { params: params.clone(), body: body.clone(), scope: scope.clone(), group: vec![] };
            return vec![(name.clone(), Meaning::Function(Rc::new(function)))];
        }
        let now = std::mem::replace(&mut self.scope, scope.clone());
        let before = self.unsupported.len();
        let meaning = self.value(body);
        self.scope = now;
        let why = self.unsupported.drain(before..).next();
        let unknown = |d: &Diagnostic| Meaning::Unknown(Box::new(d.clone()));
        if !apart {
            return vec![(name.clone(), why.as_ref().map_or(meaning, unknown))];
        }
        let names = params.clone().unwrap_or_default();
        if let Some(why) = &why {
            return names.into_iter().map(|n| (n, unknown(why))).collect();
        }
        match meaning {
            Meaning::Tuple(parts) if parts.len() == names.len() => names.into_iter().zip(parts).collect(),
            _ => {
                let d = Diagnostic::at(&name.span, format!("this is not taken apart into {}", names.len()));
                self.errors.push(d.found("another value, or one of another length").help("a tuple is `(a, b)`"));
                vec![]
            }
        }
    }

    /// Functions that may call each other.
    pub(super) fn recursive_functions(&mut self, bindings: &[Binding]) {
        let scope = self.scope.clone();
        for binding in bindings {
            let function = Function {
                params: binding.params.clone().unwrap_or_default(),
                body: binding.body.clone(),
                scope: scope.clone(),
                group: bindings.to_vec(),
            };
            self.scope.insert(binding.name.node.clone(), Meaning::Function(Rc::new(function)));
        }
    }

    fn apply(&mut self, e: &Expr, name: &Name, args: &[Expr]) -> Meaning {
        match self.named(&name.node, &name.span) {
            Meaning::Function(f) => {
                let args = args.iter().map(|a| self.value(a)).collect();
                self.applied(e, name, &f, args)
            }
            Meaning::Primitive(primitive @ ("domain" | "range")) => {
                let [of] = args else {
                    self.wrong_number(e, name, 1, args.len(), None);
                    return Meaning::Value(Term::Empty, None);
                };
                let mut term = self.relation(of);
                if primitive == "range" {
                    term = Term::Inverse(Box::new(term));
                }
                Meaning::Value(Term::Domain(Box::new(term)), Some(Kind::Set))
            }
            Meaning::Primitive(other) => self.beyond(&name.span, &format!("herd's function `{other}`")),
            unknown @ Meaning::Unknown(_) => unknown,
            // It was told already.
            Meaning::Value(Term::Empty, None) => Meaning::Value(Term::Empty, None),
            _ => {
                let d = Diagnostic::at(&name.span, format!("`{}` is no function", name.node));
                self.errors.push(d.found("applied to something").help("relations are joined by `;`"));
                Meaning::Value(Term::Empty, None)
            }
        }
    }

    fn wrong_number(&mut self, e: &Expr, name: &Name, takes: usize, given: usize, at: Option<&Span>) {
        let d = Diagnostic::at(&e.span, format!("`{}` takes {takes}, not {given}", name.node));
        let help = at.map_or_else(|| "see herd's manual".to_owned(), |at| format!("it is defined at {at}"));
        self.errors.push(d.found("wrong number of arguments").help(help));
    }

    /// A function of some arguments: `f(a, b)`, `f (a, b)` with a tuple for its one parameter, or `f a b` where `f a` is a function.
    fn applied(&mut self, e: &Expr, name: &Name, f: &Rc<Function>, mut args: Vec<Meaning>) -> Meaning {
        self.applications += 1;
        if self.applications > APPLICATIONS || self.depth > DEEPEST {
            let (message, found) = if self.depth > DEEPEST {
                ("functions call each other too deep".to_owned(), format!("more than {DEEPEST} deep"))
            } else {
                (format!("functions are applied more than {APPLICATIONS} times"), "one too many".to_owned())
            };
            let d = Diagnostic::at(&e.span, message).found(found);
            self.errors.push(d.help(format!("it is defined at {}", f.body.span)));
            return Meaning::Value(Term::Empty, None);
        }
        if let ([Meaning::Tuple(parts)], true) = (args.as_slice(), f.params.len() != 1) {
            args = parts.clone();
        }
        let takes = f.params.len();
        let rest = if takes > 0 && takes < args.len() { args.split_off(takes) } else { vec![] };
        if f.params.len() != args.len() {
            self.wrong_number(e, name, f.params.len(), args.len(), Some(&f.body.span));
            return Meaning::Value(Term::Empty, None);
        }
        let outer = std::mem::replace(&mut self.scope, f.scope.clone());
        self.recursive_functions(&f.group);
        for (param, arg) in f.params.iter().zip(args) {
            if param.node != "_" {
                self.scope.insert(param.node.clone(), arg);
            }
        }
        self.depth += 1;
        let result = self.value(&f.body);
        self.depth -= 1;
        self.scope = outer;
        match result {
            Meaning::Function(f) if !rest.is_empty() => self.applied(e, name, &f, rest),
            _ if !rest.is_empty() => {
                self.wrong_number(e, name, f.params.len(), f.params.len() + rest.len(), Some(&f.body.span));
                Meaning::Value(Term::Empty, None)
            }
            result => result,
        }
    }

    /// The arm of a `match`, where it is known which.
    fn matched(&mut self, subject: &Expr, arms: &[(Pattern, Expr)]) -> Meaning {
        let mut of = self.value(subject);
        if matches!(of, Meaning::Value(Term::Empty, None)) {
            of = Meaning::Members(vec![]);
        }
        for (pattern, body) in arms {
            let bound = match (pattern, &of) {
                (Pattern::Tag(a), Meaning::Tag(b)) if a == b => vec![],
                (Pattern::Any, Meaning::Tag(_)) => vec![],
                (Pattern::Empty, Meaning::Members(all)) if all.is_empty() => vec![],
                (Pattern::Element(element, rest), Meaning::Members(all)) if !all.is_empty() => {
                    let mut all = all.clone();
                    let first = all.remove(0);
                    vec![(element, first), (rest, Meaning::Members(all))]
                }
                _ => continue,
            };
            let before = self.scope.clone();
            for (name, meaning) in bound {
                self.scope.insert(name.node.clone(), meaning);
            }
            let out = self.value(body);
            self.scope = before;
            return out;
        }
        match of {
            unknown @ Meaning::Unknown(_) => unknown,
            _ => self.beyond(&subject.span, "`match` on a set of events or relations"),
        }
    }

    pub(super) fn procedure(&mut self, p: &Procedure) {
        let steps = Steps { params: p.params.clone(), items: p.items.clone(), scope: self.scope.clone() };
        self.scope.insert(p.name.node.clone(), Meaning::Procedure(Rc::new(steps)));
    }

    /// The statements of a procedure, with its parameters.
    pub(super) fn call(&mut self, name: &Name, args: &[Expr], label: Option<&Name>) {
        let Some(Meaning::Procedure(steps)) = self.scope.get(&name.node).cloned() else {
            let d = Diagnostic::at(&name.span, format!("there is no procedure `{}`", name.node));
            self.errors.push(d.found("called here").help("define it before: `procedure p(x) = … end`"));
            return;
        };
        let mut given: Vec<Meaning> = args.iter().map(|a| self.value(a)).collect();
        if let ([Meaning::Tuple(parts)], true) = (given.as_slice(), steps.params.len() != 1) {
            given = parts.clone();
        }
        if steps.params.len() != given.len() || self.depth > DEEPEST {
            let d = Diagnostic::at(
                &name.span,
                format!("`{}` takes {}, not {}", name.node, steps.params.len(), given.len()),
            );
            self.errors.push(d.found("wrong number of arguments, or called too deep").help("see where it is defined"));
            return;
        }
        let outer = std::mem::replace(&mut self.scope, steps.scope.clone());
        for (param, arg) in steps.params.iter().zip(given) {
            self.scope.insert(param.node.clone(), arg);
        }
        self.depth += 1;
        let mut items = steps.items.clone();
        // A call's name is that of the check which is all that it does.
        if let ([Item::Check(check)], Some(label)) = (items.as_mut_slice(), label) {
            check.name = Some(label.clone());
        }
        self.items(&items);
        self.depth -= 1;
        self.scope = outer;
    }

    /// The statements for a tag.
    pub(super) fn cases(&mut self, subject: &Expr, cases: &[(Option<String>, Vec<Item>)]) {
        let of = self.value(subject);
        let found = match &of {
            Meaning::Tag(tag) => cases.iter().find(|(t, _)| t.as_ref().is_none_or(|t| t == tag)),
            _ => {
                self.beyond(&subject.span, "`match` on something else than a tag");
                None
            }
        };
        if let Some((_, items)) = found {
            self.items(items);
        }
    }
}
