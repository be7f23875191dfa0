//! Sets, maps, and what is not looked into.

use super::expr::boxed;
use super::{Checker, Scope};
use crate::ir::{E, Key, Part, SetOp, Update};
use crate::source::Span;
use crate::syntax::{BinOp, Expr, ExprKind, Pattern};
use crate::types::Ty;
use std::collections::BTreeSet;

/// What may be done with a blob.
pub(super) const BLOB: &str = "rules carry blobs and compare them by `=` and `≠`, and do nothing else with them";

/// The type of a map.
pub(super) fn map(key: Ty, value: Ty) -> Ty {
    Ty::Map(Box::new(Ty::Tuple(vec![key, value])))
}

/// The type of the keys of a map, by that of its pairs.
pub(super) fn key_of(pair: &Ty) -> Ty {
    if let Ty::Tuple(ts) = pair { ts[0].clone() } else { Ty::Never }
}

/// The type of the values of a map, by that of its pairs.
fn value_of(pair: &Ty) -> Ty {
    if let Ty::Tuple(ts) = pair { ts[1].clone() } else { Ty::Never }
}

/// Whether this is the type of `{}`.
fn is_empty(ty: &Ty) -> bool {
    matches!(ty, Ty::Set(e) if **e == Ty::Never)
}

impl Checker {
    /// What stands behind the `|` of a comprehension, with the value for each element.
    pub(super) fn comprehension(
        &mut self,
        (pat, seq, conds): (&Pattern, &Expr, &[Expr]),
        scope: &mut Scope,
        value: impl FnOnce(&mut Checker, &mut Scope) -> (E, Ty),
    ) -> (E, Ty) {
        let (seq, elem) = self.sequence(seq, scope);
        let depth = scope.visible.len();
        let pat = self.pattern(pat, &elem, scope);
        let conds = conds.iter().map(|c| self.expect(c, &Ty::Bool, scope)).collect();
        let (value, t) = value(self, scope);
        scope.visible.truncate(depth);
        (E::Comprehension { value: boxed(value), pat, seq: boxed(seq), conds }, t)
    }

    /// Elements that are named one by one, and the type that all of them have.
    pub(super) fn elements(&mut self, parts: &[Expr], want: Option<&Ty>, scope: &mut Scope) -> (E, Ty) {
        let mut elem = Ty::Never;
        let mut all = vec![];
        for p in parts {
            let (x, t) = self.expr(p, want, scope);
            elem = self.join(p, &elem, &t);
            all.push(Part::One(x));
        }
        (E::Seq(all), elem)
    }

    /// A set or a map, by its elements or by a comprehension.
    pub(super) fn braces(&mut self, e: &Expr, want: Option<&Ty>, scope: &mut Scope) -> (E, Ty) {
        let (of, ty) = match &*e.node {
            ExprKind::Set(parts) if parts.is_empty() => {
                return (E::Word(crate::heap::EMPTY), Ty::Set(Box::new(Ty::Never)));
            }
            ExprKind::Set(parts) => {
                let inner = if let Some(Ty::Set(t)) = want { Some(&**t) } else { None };
                let (all, elem) = self.elements(parts, inner, scope);
                (all, Ty::Set(Box::new(elem)))
            }
            ExprKind::Map(pairs) => {
                let (mut key, mut value) = (Ty::Never, Ty::Never);
                let mut out = vec![];
                for (k, v) in pairs {
                    let ((x, t), (y, u)) = (self.expr(k, None, scope), self.expr(v, None, scope));
                    key = self.join(k, &key, &t);
                    value = self.join(v, &value, &u);
                    out.push(Part::One(E::Build(None, vec![x, y])));
                }
                (E::Seq(out), map(key, value))
            }
            ExprKind::SetOf(value, pat, seq, conds) => {
                let (of, t) = self.comprehension((pat, seq, conds), scope, |c, scope| c.expr(value, None, scope));
                (of, Ty::Set(Box::new(t)))
            }
            ExprKind::MapOf((k, v), pat, seq, conds) => {
                let (of, pair) = self.comprehension((pat, seq, conds), scope, |c, scope| {
                    let ((x, t), (y, u)) = (c.expr(k, None, scope), c.expr(v, None, scope));
                    (E::Build(None, vec![x, y]), Ty::Tuple(vec![t, u]))
                });
                (of, Ty::Map(Box::new(pair)))
            }
            _ => unreachable!("called for sets and maps"),
        };
        self.needs_order(&e.span, &ty);
        (E::Set(SetOp::Of, vec![of], Box::new(ty.clone()), e.span.clone()), ty)
    }

    /// Notes that the elements of a set, or the keys of a map, must have an order.
    fn needs_order(&mut self, span: &Span, ty: &Ty) {
        match ty {
            Ty::Set(t) => self.ordered.push((span.clone(), (**t).clone())),
            Ty::Map(pair) => self.ordered.push((span.clone(), key_of(pair))),
            _ => {}
        }
    }

    /// Sets and maps are kept, and gone through, in the order of their elements, of which a blob would show something.
    pub(super) fn have_order(&mut self) {
        for (span, ty) in std::mem::take(&mut self.ordered) {
            if self.has_blob(&ty, &mut BTreeSet::new()) {
                let found = format!("of type {}", self.show(&ty));
                let help = "keep blobs in a sequence, or as the values of a map";
                self.error(
                    &span,
                    "elements of a set and keys of a map must have an order, and a blob has none",
                    found,
                    help,
                );
            }
        }
    }

    /// Whether a value of this type may have a blob in it. `seen` are the records, and behind them the constructors, that were looked at.
    fn has_blob(&self, ty: &Ty, seen: &mut BTreeSet<usize>) -> bool {
        let records = self.types.records.len();
        match ty {
            Ty::Blob => true,
            Ty::Int | Ty::Bool | Ty::Sort(_) | Ty::Reg(_) | Ty::Never => false,
            Ty::Seq(t) | Ty::Set(t) | Ty::Map(t) | Ty::Option(t) => self.has_blob(t, seen),
            Ty::Tuple(ts) => ts.iter().any(|t| self.has_blob(t, seen)),
            Ty::Record(r) => {
                seen.insert(*r) && self.types.records[*r].fields.iter().any(|(_, t)| self.has_blob(t, seen))
            }
            Ty::Variant(cs) => cs.iter().any(|c| {
                seen.insert(records + c) && self.types.ctors[*c].fields.iter().any(|(_, t)| self.has_blob(t, seen))
            }),
        }
    }

    /// `a ∪ b`, `a ∩ b`, `a \ b`.
    pub(super) fn of_sets(
        &mut self,
        e: &Expr,
        op: BinOp,
        a: &Expr,
        b: &Expr,
        want: Option<&Ty>,
        scope: &mut Scope,
    ) -> (E, Ty) {
        let (x, t) = self.expr(a, want, scope);
        let (y, u) = self.expr(b, Some(&t), scope);
        for (at, ty) in [(a, &t), (b, &u)] {
            if !matches!(ty, Ty::Set(_) | Ty::Map(_) | Ty::Never) {
                let found = format!("a value of type {}", self.show(ty));
                let help = match (ty, op) {
                    (Ty::Seq(_), BinOp::Union) => {
                        "sequences are joined by `·`; `{ x | x in s }` is the set of a sequence's elements"
                    }
                    (Ty::Seq(_), _) => "`{ x | x in s }` is the set of a sequence's elements",
                    (_, BinOp::Without) => "to take one element out, write `s \\ {x}`; of a map, the key",
                    _ => "a set of one element is written `{x}`",
                };
                self.error(&at.span, "`∪`, `∩` and `\\` are of sets and maps", found, help);
                return (x, Ty::Never);
            }
        }
        if t == Ty::Never || u == Ty::Never {
            return (x, Ty::Never);
        }
        let (op, ty) = match (op, &t, &u) {
            (BinOp::Union, ..) => (SetOp::Union, self.join(b, &t, &u)),
            (BinOp::Without, Ty::Map(pair), Ty::Set(_)) => {
                self.part(b, &u, &Ty::Set(Box::new(key_of(pair))));
                (SetOp::WithoutKeys, t)
            }
            (op, Ty::Map(_), _) | (op, _, Ty::Map(_)) if !is_empty(&t) => {
                let what = if op == BinOp::Without { "`\\` takes keys out of a map" } else { "`∩` is of two sets" };
                let found = format!("of types {} and {}", self.show(&t), self.show(&u));
                let help = "the keys of a map are `keys(m)`, and `{ k ↦ v | (k, v) in m, … }` leaves some of its pairs";
                self.error(&e.span, what, found, help);
                return (x, Ty::Never);
            }
            (BinOp::Without, ..) => {
                self.join(b, &t, &u);
                (SetOp::Without, t)
            }
            _ => (SetOp::Intersect, self.join(b, &t, &u)),
        };
        (E::Set(op, vec![x, y], Box::new(ty.clone()), e.span.clone()), ty)
    }

    /// `m[k]`.
    pub(super) fn get(&mut self, e: &Expr, m: E, pair: &Ty, k: &Expr, scope: &mut Scope) -> (E, Ty) {
        let k = self.expect(k, &key_of(pair), scope);
        let ty = Box::new(Ty::Map(Box::new(pair.clone())));
        (E::Set(SetOp::Get, vec![m, k], ty, e.span.clone()), value_of(pair))
    }

    /// `m with [k] = v`.
    pub(super) fn put(&mut self, e: &Expr, m: E, pair: &Ty, k: &Expr, v: &Expr, scope: &mut Scope) -> (E, Ty) {
        let ((x, t), (y, u)) = (self.expr(k, Some(&key_of(pair)), scope), self.expr(v, Some(&value_of(pair)), scope));
        let ty = map(self.join(k, &key_of(pair), &t), self.join(v, &value_of(pair), &u));
        (E::Set(SetOp::Put, vec![m, x, y], Box::new(ty.clone()), e.span.clone()), ty)
    }

    /// `keys(m)`.
    pub(super) fn keys(&mut self, e: &Expr, m: &Expr, scope: &mut Scope) -> (E, Ty) {
        let (x, pair) = self.map(m, scope);
        let ty = Box::new(Ty::Map(Box::new(pair.clone())));
        (E::Set(SetOp::Keys, vec![x], ty, e.span.clone()), Ty::Set(Box::new(key_of(&pair))))
    }

    /// `lookup(m, k)`.
    pub(super) fn lookup(&mut self, e: &Expr, m: &Expr, k: &Expr, scope: &mut Scope) -> (E, Ty) {
        let (x, pair) = self.map(m, scope);
        let k = self.expect(k, &key_of(&pair), scope);
        let ty = Box::new(Ty::Map(Box::new(pair.clone())));
        (E::Set(SetOp::Lookup, vec![x, k], ty, e.span.clone()), Ty::Option(Box::new(value_of(&pair))))
    }

    /// A map and the type of its pairs.
    fn map(&mut self, m: &Expr, scope: &mut Scope) -> (E, Ty) {
        let (x, t) = self.expr(m, None, scope);
        match t {
            Ty::Map(pair) => (x, *pair),
            t => {
                if t != Ty::Never && !is_empty(&t) {
                    let found = format!("a value of type {}", self.show(&t));
                    self.error(&m.span, "a map is needed here", found, "the type of a map is written `{K ↦ V}`");
                }
                (x, Ty::Tuple(vec![Ty::Never, Ty::Never]))
            }
        }
    }

    /// `m[k] := v`, where `m` is an entry of a state variable or a field of it.
    pub(super) fn key_assignment(
        &mut self,
        of: Vec<E>,
        map: Ty,
        span: Span,
        value: &Expr,
        ty: &Ty,
        scope: &mut Scope,
    ) -> Update {
        let value = self.expect(value, ty, scope);
        let mut of = of.into_iter();
        match (of.next(), of.next()) {
            (Some(E::State { var, index, field }), Some(key)) => {
                let key = Some(Box::new(Key { key, map }));
                Update::State { var, index, field, key, value, span }
            }
            _ => {
                let help = "give the outer one a new value: `m[j] := m[j] with [k] = v`";
                self.error(
                    &span,
                    "only a map that is itself an entry of the state is changed by key",
                    "inside of another value",
                    help,
                );
                Update::Reg(E::Word(0), value, span)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Types;

    #[test]
    fn nothing_is_a_set_and_a_map() {
        let (nothing, ints) = (Ty::Set(Box::new(Ty::Never)), Ty::Set(Box::new(Ty::Int)));
        let map = map(Ty::Int, Ty::Bool);
        assert!(Types::part_of(&nothing, &ints) && Types::part_of(&nothing, &map));
        assert!(!Types::part_of(&ints, &map) && !Types::part_of(&map, &ints));
        assert_eq!(Types::join(&nothing, &map), Some(map.clone()));
        assert_eq!(Types::join(&map, &nothing), Some(map));
    }
}
