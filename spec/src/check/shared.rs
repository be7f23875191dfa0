//! Requirements and updates that several rules share.
//!
//! A requirement becomes a function, so that each use is a call. Updates are put in place of their use, with the
//! arguments bound first.

use super::{Checker, Scope, count};
use crate::ir::{E, Function, Update};
use crate::suggest::suggest;
use crate::syntax::{self, Expr, ExprKind, Name};
use crate::types::Ty;

impl Checker {
    pub(super) fn declare_requirements(&mut self, r: &syntax::Requirements) {
        let params: Vec<Ty> = r.params.iter().map(|(_, t)| self.ty(t)).collect();
        let mut parts = vec![];
        for (e, why) in &r.requires {
            let Some(why) = why else {
                let help = "write `requires … else \"reason\"`; shared requirements do not use others";
                self.error(&e.span, "a requirement needs a reason", "no `else`", help);
                continue;
            };
            parts.push((self.functions.len(), why.clone()));
            let name = format!("{} {}", r.name.node, parts.len());
            let (body, span) = (E::Word(1).into(), e.span.clone());
            self.functions.push(Function {
                name,
                params: params.len(),
                signature: (params.clone(), Ty::Bool),
                slots: 0,
                body,
                span,
            });
            self.signatures.push((params.clone(), Ty::Bool));
        }
        self.requirements.push((r.name.node.clone(), parts));
    }

    pub(super) fn requirement_bodies(&mut self, r: &syntax::Requirements) {
        let Some((_, parts)) = self.requirements.iter().find(|(n, _)| *n == r.name.node) else { return };
        for (f, _) in parts.clone() {
            let Some((e, _)) = r.requires.iter().find(|(e, _)| e.span == self.functions[f].span) else { continue };
            let params = self.signatures[f].0.clone();
            let mut scope = Scope::default();
            for ((n, _), ty) in r.params.iter().zip(params) {
                scope.add(&n.node, ty);
            }
            self.functions[f].body = self.expect(e, &Ty::Bool, &mut scope).into();
            self.functions[f].slots = scope.all.len();
        }
    }

    /// What a rule requires: a condition with its reason, or shared ones.
    pub(super) fn required(&mut self, e: &Expr, why: Option<&str>, scope: &mut Scope) -> Vec<(E, String)> {
        if let Some(why) = why {
            return vec![(self.expect(e, &Ty::Bool, scope), why.to_owned())];
        }
        let ExprKind::Call(name, args) = &*e.node else {
            let help = "write `requires … else \"reason\"`";
            self.error(&e.span, "a requirement needs a reason", "no `else`", help);
            return vec![];
        };
        let Some((_, parts)) = self.requirements.iter().find(|(n, _)| *n == name.node).cloned() else {
            let names: Vec<&str> = self.requirements.iter().map(|(n, _)| n.as_str()).collect();
            let help = suggest(&name.node, &names, "declare them with `requirements`, or give a reason after `else`");
            let message = format!("no requirements are called `{}`", name.node);
            self.error(&name.span, message, "unknown requirements", help);
            return vec![];
        };
        let Some((first, _)) = parts.first() else { return vec![] };
        let types = self.signatures[*first].0.clone();
        let Some(args) = self.arguments(name, args, &types, scope) else { return vec![] };
        parts.into_iter().map(|(f, why)| (E::Call(f, args.clone()), why)).collect()
    }

    fn arguments(&mut self, name: &Name, args: &[Expr], types: &[Ty], scope: &mut Scope) -> Option<Vec<E>> {
        if args.len() != types.len() {
            let message = format!("`{}` takes {}, not {}", name.node, count(types.len(), "argument"), args.len());
            self.error(&name.span, message, "wrong number", "");
            return None;
        }
        Some(args.iter().zip(types).map(|(a, t)| self.expect(a, t, scope)).collect())
    }

    pub(super) fn update_bodies(&mut self, u: &syntax::Updates) {
        let Some(at) = self.updates.iter().position(|(n, _, _)| *n == u.name.node) else { return };
        let mut scope = Scope::default();
        for (n, ty) in self.updates[at].1.clone() {
            scope.add(&n.node, ty);
        }
        let hidden = self.updates.split_off(at);
        for update in &u.then {
            self.update(update, &mut scope);
        }
        self.updates.extend(hidden);
    }

    /// Shared updates in place of their use. They see only those declared before them, so no use is circular.
    pub(super) fn shared_updates(&mut self, name: &Name, args: &[Expr], scope: &mut Scope) -> Update {
        let Some(at) = self.updates.iter().position(|(n, _, _)| *n == name.node) else {
            let names: Vec<&str> = self.updates.iter().map(|(n, _, _)| n.as_str()).collect();
            let help = suggest(&name.node, &names, "declare them with `updates` before, or write `place := value`");
            self.error(&name.span, format!("no updates are called `{}`", name.node), "unknown updates", help);
            return Update::If(E::Word(0), vec![], vec![]);
        };
        let (_, params, body) = self.updates[at].clone();
        let types: Vec<Ty> = params.iter().map(|(_, t)| t.clone()).collect();
        let Some(args) = self.arguments(name, args, &types, scope) else {
            return Update::If(E::Word(0), vec![], vec![]);
        };
        // The body sees its parameters and nothing of the rule; what is wrong in it is said where it is declared.
        let (visible, errors) = (std::mem::take(&mut scope.visible), self.errors.0.len());
        let hidden = self.updates.split_off(at);
        let slots: Vec<usize> = params.iter().map(|(n, ty)| scope.add(&n.node, ty.clone())).collect();
        let body: Vec<Update> = body.iter().map(|u| self.update(u, scope)).collect();
        self.updates.extend(hidden);
        self.errors.0.truncate(errors);
        scope.visible = visible;
        let lets = slots.into_iter().zip(args).rev();
        lets.fold(Update::If(E::Word(1), body, vec![]), |inner, (slot, arg)| Update::Let(slot, arg, vec![inner]))
    }
}
