//! Names and types: syntax trees of all files to one [`Spec`].
//!
//! All files share one name space. Errors are collected; a part that failed has the type `nothing`, which fits
//! everywhere, so that one mistake gives one message.

mod constants;
mod decls;
mod events;
mod expr;
mod layer;
mod pattern;
mod rule;
mod sets;
mod shared;

use crate::decl::Instructions;
use crate::diag::{Diagnostic, Report};
use crate::ir::{E, Expansion, Function, Slot, StateVar};
use crate::model::{Const, Spec, UNDEFINED, UNDEFINED_VALUE, Variant};
use crate::shipped;
use crate::source::{Source, Span, hash};
use crate::suggest::{nearest, suggest};
use crate::syntax::*;
use crate::types::{Ctor, Record, Sort, Ty, Types};
use std::collections::HashMap;
use std::sync::Arc;

/// Checks files together; the last one is the model.
///
/// # Errors
/// Everything that is wrong with names and types.
pub fn check(files: &[File], sources: Vec<Arc<Source>>) -> Result<Spec, Report> {
    let mut spec = Checked::new(files, sources)?.into_spec();
    spec.instructions.uses = spec.uses();
    spec.instructions.bits = spec.bits();
    spec.instructions.own_node = spec.own_node();
    Ok(spec)
}

/// Files that were checked, with what is known of their names, so that a changed item can be checked without the others.
#[derive(Clone)]
pub struct Checked {
    checker: Checker,
    head: Head,
}

/// What a specification says of itself.
#[derive(Clone)]
struct Head {
    name: String,
    of: Option<String>,
    title: String,
    cites: Vec<String>,
    declared: Vec<(String, String)>,
    layer: Option<crate::layer::Layer>,
    sources: Vec<Arc<Source>>,
}

impl Checked {
    /// Checks files together; the last one is the model.
    ///
    /// # Errors
    /// Everything that is wrong with names and types.
    pub fn new(files: &[File], sources: Vec<Arc<Source>>) -> Result<Checked, Report> {
        let mut c = Checker::default();
        let items = c.without(files);
        c.declare_types(&items);
        c.declare_values(&items);
        c.kinds_and_instructions(&items);
        c.events(&items);
        c.bodies(&items);
        c.constants();
        let layer = c.layer(files);
        c.have_order();
        let last = files.last().expect("at least one file");
        c.stands_for(last.of.as_ref());
        let declared = c.declared(&last.declared);
        std::mem::take(&mut c.errors).into_result()?;
        let head = Head {
            name: last.name.node.clone(),
            of: last.of.as_ref().map(|n| n.node.clone()),
            title: last.title.clone(),
            cites: last.cites.iter().map(|c| format!("{} \"{}\"", c.work, c.place)).collect(),
            declared,
            layer,
            sources,
        };
        Ok(Checked { checker: c, head })
    }

    /// Whether an item can be checked anew without the others: what others know of it is in its head.
    pub fn takes(item: &Item) -> bool {
        matches!(item, Item::Fun(_) | Item::Rule(_))
    }

    /// Puts a changed function or rule in the place of the one that stands where it stands; nothing happens if that was left
    /// out.
    ///
    /// # Errors
    /// Everything that is wrong with names and types in it.
    pub fn put(&mut self, item: &Item) -> Result<(), Report> {
        let c = &mut self.checker;
        match item {
            Item::Rule(r) => {
                let Some(at) = c.rules.iter().position(|old| old.span == r.name.span) else { return Ok(()) };
                let old = c.rules.remove(at);
                c.rule(r);
                let new = c.rules.pop().unwrap_or(old);
                c.rules.insert(at, new);
            }
            item => c.body(item),
        }
        c.have_order();
        std::mem::take(&mut c.errors).into_result()
    }

    /// The specification.
    pub fn into_spec(self) -> Spec {
        let (c, head) = (self.checker, self.head);
        Spec {
            name: head.name,
            of: head.of,
            title: head.title,
            cites: head.cites,
            declared: head.declared,
            types: c.types,
            consts: c.consts,
            variants: c.variants,
            state: c.state,
            functions: c.functions,
            rules: c.rules,
            instructions: c.instructions,
            expansions: c.expansions,
            events: c.events,
            layer: head.layer,
            hash: hash(&head.sources),
            files: head.sources,
        }
    }
}

#[derive(Default, Clone)]
struct Checker {
    errors: Report,
    types: Types,
    type_spans: HashMap<String, Span>,
    consts: Vec<Const>,
    variants: Vec<Variant>,
    state: Vec<StateVar>,
    functions: Vec<Function>,
    signatures: Vec<(Vec<Ty>, Ty)>,
    /// Names of all rules and of their parameters, in order.
    rule_names: Vec<(String, Vec<String>)>,
    /// Whether a rule says of itself that no other commutes with it, by its number.
    exempt: Vec<bool>,
    /// Names of rules that are left out.
    gone: Vec<String>,
    /// Whether an initial value is at hand that may be memory or threads of the model's own.
    allocates: bool,
    rules: Vec<crate::ir::Rule>,
    /// Shared requirements: name, and for each the function that decides it and the reason.
    requirements: Vec<(String, Vec<(usize, String)>)>,
    /// Types of elements of sets and of keys of maps, which must have an order.
    ordered: Vec<(Span, Ty)>,
    updates: Vec<SharedUpdates>,
    instructions: Instructions,
    expansions: Vec<Option<Expansion>>,
    events: Vec<Option<crate::events::Events>>,
    /// The keys of all events, where they stand.
    keys: Vec<Name>,
}

/// Updates that rules share: name, parameters with their types, and the updates.
type SharedUpdates = (String, Vec<(Name, Ty)>, Vec<crate::syntax::Update>);

/// Local variables of a function or rule.
#[derive(Default)]
struct Scope {
    visible: Vec<(String, Ty, Slot)>,
    all: Vec<(String, Ty)>,
}

impl Checker {
    /// The items of all files, but for the rules and functions that are left out.
    fn without<'f>(&mut self, files: &'f [File]) -> Vec<&'f Item> {
        let mut items: Vec<&Item> = files.iter().flat_map(|f| &f.items).collect();
        for (i, file) in files.iter().enumerate() {
            let earlier: Vec<(bool, &Name)> = files[..i].iter().flat_map(|f| &f.items).filter_map(can_go).collect();
            for LeftOut { function, name } in file.items.iter().flat_map(left_out) {
                let out: Vec<&Name> = earlier
                    .iter()
                    .filter(|(f, n)| f == function && rule::matches_glob(&name.node, &n.node))
                    .map(|(_, n)| *n)
                    .collect();
                if out.is_empty() {
                    let known: Vec<&str> =
                        earlier.iter().filter(|(f, _)| f == function).map(|(_, n)| n.node.as_str()).collect();
                    let what = if *function { "function" } else { "rule" };
                    let help = suggest(&name.node, &known, &format!("name a {what} of a file that is imported"));
                    let message = format!("no imported {what} is called `{}`", name.node);
                    self.error(&name.span, message, format!("unknown {what}"), help);
                }
                items.retain(|item| can_go(item).is_none_or(|(_, n)| out.iter().all(|o| o.span != n.span)));
                if !function {
                    self.gone.extend(out.iter().map(|o| o.node.clone()));
                }
            }
        }
        items
    }
}

/// The name of a function (then true) or rule.
fn can_go(item: &Item) -> Option<(bool, &Name)> {
    match item {
        Item::Rule(r) => Some((false, &r.name)),
        Item::Fun(f) => Some((true, &f.name)),
        _ => None,
    }
}

fn left_out(item: &Item) -> &[LeftOut] {
    if let Item::Without(names) = item { names } else { &[] }
}

impl Scope {
    fn add(&mut self, name: &str, ty: Ty) -> Slot {
        let slot = self.all.len();
        self.all.push((name.to_owned(), ty.clone()));
        self.visible.push((name.to_owned(), ty, slot));
        slot
    }

    fn find(&self, name: &str) -> Option<(&Ty, Slot)> {
        self.visible.iter().rev().find(|(n, _, _)| n == name).map(|(_, t, s)| (t, *s))
    }
}

impl Checker {
    fn error(&mut self, span: &Span, message: impl Into<String>, found: impl Into<String>, help: impl Into<String>) {
        let mut d = Diagnostic::at(span, message).found(found);
        let help = help.into();
        if !help.is_empty() {
            d = d.help(help);
        }
        self.errors.0.push(d);
    }

    /// The model whose verdicts hold for this one as well may be of the user's own; one that is nearly a shipped one is a slip.
    fn stands_for(&mut self, of: Option<&Name>) {
        let Some(of) = of else { return };
        let cat = shipped::CAT_MODELS.iter().flat_map(|(file, of, _)| [*file, *of]);
        let all: Vec<&str> = shipped::names().into_iter().chain(cat).collect();
        if all.contains(&of.node.as_str()) {
            return;
        }
        if let Some(near) = nearest(&of.node, all) {
            let message = format!("no model is called `{}`", of.node);
            self.error(&of.span, message, "unknown model", format!("did you mean `{near}`?"));
        }
    }

    fn show(&self, ty: &Ty) -> String {
        self.types.show(ty)
    }

    /// Reports a name declared twice; true if it is new.
    fn fresh(&mut self, name: &Name, what: &str) -> bool {
        if let Some(first) = self.type_spans.get(&name.node) {
            let first = first.to_string();
            self.error(
                &name.span,
                format!("{what} `{}` is declared twice", name.node),
                "second",
                format!("first at {first}"),
            );
            return false;
        }
        self.type_spans.insert(name.node.clone(), name.span.clone());
        true
    }

    fn declare_types(&mut self, items: &[&Item]) {
        // Names first, so that types may mention each other in any order.
        for item in items {
            match item {
                Item::Record(name, _) if self.fresh(name, "type") => {
                    self.types.records.push(Record { name: name.node.clone(), fields: vec![] });
                }
                Item::Union(name, alts) | Item::Gains(name, alts) => {
                    if matches!(item, Item::Gains(..)) {
                        self.grows(name, items);
                    } else if self.fresh(name, "type") {
                        self.types.named.push((name.node.clone(), Ty::Variant(vec![])));
                    }
                    for (ctor, fields) in alts {
                        let included = fields.is_empty()
                            && items.iter().any(|i| matches!(i, Item::Union(n, _) if n.node == ctor.node));
                        if !included && self.fresh(ctor, "constructor") {
                            self.types.ctors.push(Ctor { name: ctor.node.clone(), fields: vec![] });
                        }
                    }
                }
                _ => {}
            }
        }
        // Unions may include earlier or later unions: repeat until nothing grows.
        loop {
            let mut grown = false;
            for item in items {
                let (Item::Union(name, alts) | Item::Gains(name, alts)) = item else { continue };
                let so_far = self.types.named.iter().find(|(n, _)| *n == name.node);
                let mut set = if let Some((_, Ty::Variant(cs))) = so_far { cs.clone() } else { vec![] };
                for (ctor, _) in alts {
                    if let Some(c) = self.types.ctor(&ctor.node) {
                        set.push(c);
                    } else if let Some((_, Ty::Variant(cs))) = self.types.named.iter().find(|(n, _)| *n == ctor.node) {
                        set.extend(cs);
                    }
                }
                set.sort_unstable();
                set.dedup();
                if let Some((_, t)) = self.types.named.iter_mut().find(|(n, _)| *n == name.node) {
                    let new = Ty::Variant(set);
                    grown |= *t != new;
                    *t = new;
                }
            }
            if !grown {
                break;
            }
        }
        // Aliases in order of declaration.
        for item in items {
            if let Item::Alias(name, ty) = item
                && self.fresh(name, "type")
            {
                let ty = self.ty(ty);
                self.types.named.push((name.node.clone(), ty));
            }
        }
        // Fields.
        for item in items {
            match item {
                Item::Record(name, fields) => {
                    let fields = self.fields(fields);
                    if let Some(r) = self.types.record(&name.node) {
                        self.types.records[r].fields = fields;
                    }
                }
                Item::Union(_, alts) | Item::Gains(_, alts) => {
                    for (ctor, fields) in alts {
                        let fields = self.fields(fields);
                        if let Some(c) = self.types.ctor(&ctor.node)
                            && !fields.is_empty()
                        {
                            self.types.ctors[c].fields = fields;
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// A type that gains alternatives must be one that has some.
    fn grows(&mut self, name: &Name, items: &[&Item]) {
        let unions = items.iter().filter_map(|i| if let Item::Union(n, _) = i { Some(n.node.as_str()) } else { None });
        let known: Vec<&str> = unions.collect();
        if !known.contains(&name.node.as_str()) {
            let help = suggest(&name.node, &known, "only a type of constructors gains further ones");
            self.error(&name.span, format!("no type of constructors is called `{}`", name.node), "unknown type", help);
        }
    }

    fn fields(&mut self, fields: &[(Name, Type)]) -> Vec<(String, Ty)> {
        let mut out: Vec<(String, Ty)> = vec![];
        for (name, ty) in fields {
            if out.iter().any(|(n, _)| *n == name.node) {
                self.error(&name.span, format!("field `{}` is declared twice", name.node), "second", "rename one");
            }
            let ty = self.ty(ty);
            out.push((name.node.clone(), ty));
        }
        out
    }

    fn ty(&mut self, ty: &Type) -> Ty {
        match &ty.node {
            TypeKind::Seq(t) => Ty::Seq(Box::new(self.ty(t))),
            TypeKind::Set(t) => {
                let of = self.ty(t);
                self.ordered.push((t.span.clone(), of.clone()));
                Ty::Set(Box::new(of))
            }
            TypeKind::Map(k, v) => {
                let (key, value) = (self.ty(k), self.ty(v));
                self.ordered.push((k.span.clone(), key.clone()));
                sets::map(key, value)
            }
            TypeKind::Option(t) => Ty::Option(Box::new(self.ty(t))),
            TypeKind::Reg(t) => Ty::Reg(Box::new(self.ty(t))),
            TypeKind::Tuple(ts) => Ty::Tuple(ts.iter().map(|t| self.ty(t)).collect()),
            TypeKind::Name(name) => self.type_named(name, &ty.span),
        }
    }

    fn type_named(&mut self, name: &str, span: &Span) -> Ty {
        if let Some(s) = Sort::named(name) {
            return Ty::Sort(s);
        }
        match name {
            "Int" => return Ty::Int,
            "Blob" => return Ty::Blob,
            "Bool" => return Ty::Bool,
            _ => {}
        }
        if let Some((_, t)) = self.types.named.iter().find(|(n, _)| n == name) {
            return t.clone();
        }
        if let Some(r) = self.types.record(name) {
            return Ty::Record(r);
        }
        let names: Vec<&str> = ["Int", "Bool", "Blob", "Node", "Thread", "Loc"]
            .into_iter()
            .chain(self.types.named.iter().map(|(n, _)| n.as_str()))
            .chain(self.types.records.iter().map(|r| r.name.as_str()))
            .collect();
        let help = suggest(name, &names, "declare it with `type`, `record` or `alias`");
        self.error(span, format!("no type is called `{name}`"), "unknown type", help);
        Ty::Never
    }

    /// A type that must be a sort.
    fn sort(&mut self, ty: &Type) -> Sort {
        match self.ty(ty) {
            Ty::Sort(s) => s,
            Ty::Never => Sort::Node,
            other => {
                let other = self.show(&other);
                self.error(
                    &ty.span,
                    "only sorts can be enumerated here",
                    format!("this is {other}"),
                    "use Node, Thread or Loc",
                );
                Sort::Node
            }
        }
    }

    /// Constants, state variables and function signatures: everything that expressions may name.
    fn declare_values(&mut self, items: &[&Item]) {
        for item in items {
            match item {
                Item::Const(name, ty, _) if self.fresh(name, "constant") => {
                    let ty = self.ty(ty);
                    self.consts.push(Const {
                        name: name.node.clone(),
                        ty,
                        value: E::Word(0),
                        slots: 0,
                        span: name.span.clone(),
                    });
                }
                Item::State(name, index, ty, ..) if self.fresh(name, "state variable") => {
                    let index = index.iter().map(|(_, t)| self.sort(t)).collect();
                    let ty = self.ty(ty);
                    let fields = match &ty {
                        Ty::Record(r) => self.types.records[*r].fields.clone(),
                        _ => vec![],
                    };
                    let span = name.span.clone();
                    self.state.push(StateVar {
                        name: name.node.clone(),
                        index,
                        ty,
                        fields,
                        init: E::Word(0),
                        slots: 0,
                        keeps: None,
                        span,
                    });
                }
                Item::Fun(f) if self.fresh(&f.name, "function") => {
                    let params: Vec<Ty> = f.params.iter().map(|(_, t)| self.ty(t)).collect();
                    let result = self.ty(&f.result);
                    if f.name.node == UNDEFINED && (params.as_slice() != [Ty::Sort(Sort::Loc)] || result != Ty::Bool) {
                        let what = "`undefined` says of which locations an ended program has no value";
                        let help = "write `fun undefined(x: Loc): Bool = …`, or give it another name";
                        self.error(&f.name.span, what, "has other parameters, or another result", help);
                    }
                    if f.name.node == UNDEFINED_VALUE && (params.as_slice() != [Ty::Int] || result != Ty::Bool) {
                        let what = "`undefined_value` says which integer in a register is no value";
                        let help = "write `fun undefined_value(v: Int): Bool = …`, or give it another name";
                        self.error(&f.name.span, what, "has other parameters, or another result", help);
                    }
                    self.functions.push(Function {
                        name: f.name.node.clone(),
                        params: params.len(),
                        signature: (params.clone(), result.clone()),
                        slots: 0,
                        body: E::Word(0).into(),
                        span: f.name.span.clone(),
                    });
                    self.signatures.push((params, result));
                }
                Item::Requirements(r) if self.fresh(&r.name, "function") => self.declare_requirements(r),
                Item::Updates(u) if self.fresh(&u.name, "function") => {
                    let params = u.params.iter().map(|(n, t)| (n.clone(), self.ty(t))).collect();
                    self.updates.push((u.name.node.clone(), params, u.then.clone()));
                }
                _ => {}
            }
        }
    }

    fn bodies(&mut self, items: &[&Item]) {
        let rules = items.iter().filter_map(|i| if let Item::Rule(r) = i { Some(r) } else { None });
        self.exempt = rules.clone().map(|r| r.commutes.iter().any(crate::syntax::Commutes::is_none)).collect();
        let params = |r: &crate::syntax::Rule| r.params.iter().map(|(p, _)| p.node.clone()).collect();
        self.rule_names = rules.map(|r| (r.name.node.clone(), params(r))).collect();
        items.iter().for_each(|item| self.body(item));
    }

    fn body(&mut self, item: &Item) {
        match item {
            Item::Const(name, _, value) => {
                let Some(i) = self.consts.iter().position(|c| c.span == name.span) else { return };
                let ty = self.consts[i].ty.clone();
                let mut scope = Scope::default();
                self.consts[i].value = self.expect(value, &ty, &mut scope);
                self.consts[i].slots = scope.all.len();
            }
            Item::Variant(name, title, settings, sets) => {
                let mut out = vec![];
                for (i, (setting, _)) in settings.iter().enumerate() {
                    if settings[..i].iter().any(|(s, _)| s.node == setting.node) {
                        let message = format!("`{}` is set twice", setting.node);
                        self.error(&setting.span, message, "second", "a variant gives a setting one value");
                    }
                }
                for (c, value) in sets {
                    let Some(i) = self.consts.iter().position(|k| k.name == c.node) else {
                        let names: Vec<&str> = self.consts.iter().map(|k| k.name.as_str()).collect();
                        let help = suggest(&c.node, &names, "a variant sets constants declared with `const`");
                        self.error(&c.span, format!("no constant is called `{}`", c.node), "unknown constant", help);
                        continue;
                    };
                    let ty = self.consts[i].ty.clone();
                    let mut scope = Scope::default();
                    out.push((i, self.expect(value, &ty, &mut scope)));
                    self.consts[i].slots = self.consts[i].slots.max(scope.all.len());
                }
                if self.variants.iter().any(|v| v.name == name.node) || name.node == "default" {
                    self.error(
                        &name.span,
                        format!("variant `{}` is declared twice", name.node),
                        "second",
                        "`default` is the one without settings",
                    );
                }
                self.variants.push(Variant {
                    name: name.node.clone(),
                    title: title.clone(),
                    settings: settings.iter().map(|(n, value)| (n.node.clone(), value.clone())).collect(),
                    sets: out,
                    span: name.span.clone(),
                });
            }
            Item::State(name, index, _, init, keeps) => {
                let Some(i) = self.state.iter().position(|s| s.span == name.span) else { return };
                let mut scope = Scope::default();
                for ((n, _), sort) in index.iter().zip(self.state[i].index.clone()) {
                    scope.add(&n.node, Ty::Sort(sort));
                }
                let ty = self.state[i].ty.clone();
                let by_node = self.state[i].index.iter().all(|s| *s == Sort::Node);
                self.allocates = by_node && matches!(&*init.node, ExprKind::Call(..));
                self.state[i].init = self.expect(init, &ty, &mut scope);
                self.allocates = false;
                if let Some(keeps) = keeps {
                    self.state[i].keeps = Some(self.expect(&keeps.value, &ty, &mut scope));
                }
                self.state[i].slots = scope.all.len();
            }
            Item::Fun(f) => {
                let Some(i) = self.functions.iter().position(|g| g.span == f.name.span) else { return };
                let (params, result) = self.signatures[i].clone();
                let mut scope = Scope::default();
                for ((n, _), ty) in f.params.iter().zip(params) {
                    scope.add(&n.node, ty);
                }
                self.functions[i].body = self.expect(&f.body, &result, &mut scope).into();
                self.functions[i].slots = scope.all.len();
            }
            Item::Requirements(r) => self.requirement_bodies(r),
            Item::Updates(u) => self.update_bodies(u),
            Item::Rule(r) => self.rule(r),
            _ => {}
        }
    }
}

/// `1 argument`, `2 arguments`.
fn count(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
