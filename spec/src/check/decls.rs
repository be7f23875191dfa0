//! Kinds, instructions and their expansions.

use super::{Checker, count};
use crate::decl;
use crate::ir::{Expansion, StepArg};
use crate::suggest::suggest;
use crate::syntax::{Atom, Declared, Form, Instruction, Item, Name};
use crate::types::Ty;

impl Checker {
    /// The declarative forms of a model, by variant.
    pub(super) fn declared(&mut self, declared: &[Declared]) -> Vec<(String, String)> {
        let mut out: Vec<(String, String)> = vec![];
        for d in declared {
            let variant = d.variant.as_ref().map_or("default", |v| v.node.as_str());
            let span = d.variant.as_ref().map_or(&d.form.span, |v| &v.span);
            let known: Vec<&str> = self.variants.iter().map(|v| v.name.as_str()).collect();
            if variant != "default" && !known.contains(&variant) {
                let help = suggest(variant, &known, &format!("variants: {}", known.join(", ")));
                self.error(span, format!("there is no variant `{variant}`"), "unknown variant", help);
            } else if out.iter().any(|(v, _)| v == variant) {
                let message = format!("the variant `{variant}` has a declarative form already");
                self.error(span, message, "the second", "remove one");
            } else if !d.form.node.split(':').next().is_some_and(|file| file.ends_with(".cat")) {
                let help = "write `declared \"NAME.cat\"`, or `\"NAME.cat:VARIANT\"`";
                self.error(&d.form.span, "a declarative model is a .cat file", "this is none", help);
            }
            out.push((variant.to_owned(), d.form.node.clone()));
        }
        out
    }

    pub(super) fn kinds_and_instructions(&mut self, items: &[&Item]) {
        for item in items {
            let Item::Kind(k) = item else { continue };
            if self.instructions.kinds.iter().any(|o| o.name == k.name.node) {
                self.error(&k.name.span, format!("kind `{}` is declared twice", k.name.node), "second", "rename one");
            }
            if let decl::Shape::Register(ty) | decl::Shape::Handle(ty) = &k.shape {
                self.type_named(ty, &k.name.span);
            }
            if k.is_in && !matches!(k.shape, decl::Shape::Local | decl::Shape::LocalOrNone) {
                let what = format!("kind `{}` is IN, and is no memory of the process", k.name.node);
                self.error(&k.name.span, what, "only what is `local` or `local?` can be", "leave `IN` out");
            }
            if k.only_names && k.shape != decl::Shape::Int {
                let what = format!("kind `{}` has only names, and is no number", k.name.node);
                self.error(&k.name.span, what, "only an `Int` can be", "leave `only` out");
            }
            self.instructions.kinds.push(decl::Kind {
                name: k.name.node.clone(),
                shape: k.shape.clone(),
                is_in: k.is_in,
                only_names: k.only_names,
                names: k.names.clone(),
                carries: k.carries.clone(),
                text: k.text.clone(),
                span: k.name.span.clone(),
            });
        }
        for item in items {
            if let Item::Instruction(i) = item {
                self.instruction(i);
            }
        }
        for item in items {
            if let Item::Instruction(i) = item {
                let e = i.expansion.as_ref().map(|_| self.expansion(i));
                self.expansions.push(e);
            }
        }
        for record in &self.types.records {
            if record.fields.iter().all(|(_, t)| *t == Ty::Int) {
                let fields = record.fields.iter().map(|(n, _)| n.clone()).collect();
                self.instructions.records.push((record.name.clone(), fields));
            }
        }
    }

    fn kind_named(&mut self, name: &Name) -> Option<usize> {
        let found = self.instructions.kinds.iter().position(|k| k.name == name.node);
        if found.is_none() {
            let names: Vec<&str> = self.instructions.kinds.iter().map(|k| k.name.as_str()).collect();
            let help = suggest(&name.node, &names, "declare it with `kind`");
            self.error(&name.span, format!("no kind is called `{}`", name.node), "unknown kind", help);
        }
        found
    }

    fn instruction(&mut self, i: &Instruction) {
        if self.instructions.find(&i.name.node).is_some() {
            self.error(
                &i.name.span,
                format!("instruction `{}` is declared twice", i.name.node),
                "second",
                "rename one",
            );
        }
        let mut params = vec![];
        for p in &i.params {
            let Some(kind) = self.kind_named(&p.kind) else { continue };
            let default = p.default.as_ref().and_then(|d| match &d.node {
                Atom::Int(v) => Some(decl::Default::Int(*v, None)),
                Atom::Name(n) if n == "none" => Some(decl::Default::NoRegister),
                Atom::Name(n) => match self.instructions.kinds[kind].value_of(n) {
                    Some(v) => Some(decl::Default::Int(v, Some(n.clone()))),
                    None => {
                        let message = format!("kind `{}` has no constant `{n}`", p.kind.node);
                        self.error(
                            &d.span,
                            message,
                            "unknown constant",
                            "give an integer, `none`, or a name of the kind",
                        );
                        None
                    }
                },
            });
            params.push(decl::Param {
                name: p.name.node.clone(),
                kind,
                list: p.list,
                default,
                span: p.name.span.clone(),
            });
        }
        let index = |c: &mut Checker, n: &Name| {
            let found = params.iter().position(|p| p.name == n.node);
            if found.is_none() {
                c.error(
                    &n.span,
                    format!("`{}` is no parameter of `{}`", n.node, i.name.node),
                    "unknown",
                    "a form is written with the parameters' names",
                );
            }
            found.unwrap_or(0)
        };
        let form = match &i.form {
            None => decl::Form::Call,
            Some(Form::Assign(l, r)) => decl::Form::Assign(index(self, l), index(self, r)),
            Some(Form::AssignCall(l, f, args)) => {
                let args = args.iter().map(|a| index(self, a)).collect();
                decl::Form::AssignCall(index(self, l), f.node.clone(), args)
            }
        };
        let (text, doc, span) = (i.text.clone(), i.doc.clone(), i.name.span.clone());
        let declared = decl::Declared { params, text, doc, span };
        self.instructions.list.push(decl::Instruction {
            name: i.name.node.clone(),
            form,
            internal: i.internal,
            declared: declared.into(),
        });
    }

    fn expansion(&mut self, i: &Instruction) -> Expansion {
        let own = self.instructions.find(&i.name.node).expect("declared before");
        let source = i.expansion.as_ref().expect("called for expansions");
        let mut out = Expansion::default();
        for (name, kind) in &source.locals {
            if let Some(k) = self.kind_named(kind) {
                out.locals.push((name.node.clone(), k));
            }
        }
        for step in &source.steps {
            let (name, args) = &step.node;
            let Some(target) = self.instructions.find(&name.node) else {
                let names: Vec<&str> = self.instructions.list.iter().map(|i| i.name.as_str()).collect();
                let help = suggest(&name.node, &names, "declare it with `instruction`");
                self.error(
                    &name.span,
                    format!("no instruction is called `{}`", name.node),
                    "unknown instruction",
                    help,
                );
                continue;
            };
            let arity = self.instructions.list[target].params.len();
            if arity != args.len() {
                let message = format!("`{}` takes {}, not {}", name.node, count(arity, "argument"), args.len());
                self.error(&step.span, message, "wrong number", "an expansion gives every argument");
                continue;
            }
            let mut resolved = vec![];
            for (k, a) in args.iter().enumerate() {
                let param = &self.instructions.list[target].params[k];
                let kind = param.kind;
                let shape = self.instructions.kinds[kind].shape.clone();
                let arg = match &a.node {
                    Atom::Int(v) => StepArg::Int(*v),
                    Atom::Name(n) if n == "none" => StepArg::NoReg,
                    Atom::Name(n) => {
                        let by_param = self.instructions.list[own].param(n);
                        if let Some(p) = by_param {
                            let theirs = self.instructions.list[own].params[p].kind;
                            if self.instructions.kinds[theirs].shape != shape {
                                self.error(
                                    &a.span,
                                    format!("`{n}` is of another kind than `{}` takes here", name.node),
                                    "wrong kind",
                                    "",
                                );
                            }
                            StepArg::Param(p)
                        } else if let Some(l) = out.locals.iter().position(|(m, _)| m == n) {
                            StepArg::Local(l)
                        } else if let Some(v) = self.instructions.kinds[kind].value_of(n) {
                            StepArg::Int(v)
                        } else {
                            self.error(
                                &a.span,
                                format!("`{n}` is neither a parameter nor a local of the expansion"),
                                "unknown",
                                "declare it after `where`",
                            );
                            StepArg::NoReg
                        }
                    }
                };
                resolved.push(arg);
            }
            out.steps.push((target, resolved));
        }
        out
    }

    /// The type that rules see for a parameter.
    pub(super) fn param_type(&mut self, instr: usize, param: usize) -> Ty {
        let p = self.instructions.list[instr].params[param].clone();
        let kind = self.instructions.kinds[p.kind].clone();
        let ty = match &kind.shape {
            decl::Shape::Local | decl::Shape::Remote | decl::Shape::Object => Ty::Sort(crate::types::Sort::Loc),
            decl::Shape::Node => Ty::Sort(crate::types::Sort::Node),
            decl::Shape::LocalOrNone => Ty::Option(Box::new(Ty::Sort(crate::types::Sort::Loc))),
            decl::Shape::Int => Ty::Int,
            decl::Shape::Handle(name) => self.type_named(name, &kind.span),
            decl::Shape::Register(name) => Ty::Reg(Box::new(self.type_named(name, &kind.span))),
        };
        if p.list { Ty::Seq(Box::new(ty)) } else { ty }
    }
}
