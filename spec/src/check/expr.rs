//! Expressions.

use super::rule::hint;
use super::{Checker, Scope, count};
use crate::ir::{Arith, Builtin, E, Part};
use crate::suggest::suggest;
use crate::syntax::{BinOp, Expr, ExprKind, Name};
use crate::types::{Sort, Ty, Types};

/// Functions that are built in.
const BUILT_IN: [&str; 18] = [
    "Some",
    "size",
    "reverse",
    "flatten",
    "range",
    "node",
    "distance",
    "bitand",
    "bitor",
    "bitxor",
    "wrapping_sum",
    "operate",
    "at",
    "cells",
    "threads",
    "keys",
    "lookup",
    "blob",
];

pub(super) fn boxed(e: E) -> Box<E> {
    Box::new(e)
}

impl Checker {
    /// Checks an expression; `want` guides literals that have no type of their own.
    pub(super) fn expr(&mut self, e: &Expr, want: Option<&Ty>, scope: &mut Scope) -> (E, Ty) {
        match &*e.node {
            ExprKind::Int(v) => (E::int(*v), Ty::Int),
            ExprKind::Bool(v) => (E::Word(u32::from(*v)), Ty::Bool),
            ExprKind::None => (E::Word(crate::heap::EMPTY), Ty::Option(Box::new(Ty::Never))),
            ExprKind::Name(name) => self.name(e, name, scope),
            ExprKind::Call(name, args) => self.call(e, name, args, scope),
            ExprKind::Record(name, fields) => self.record(e, name, fields, scope),
            ExprKind::Tuple(parts) => {
                let (es, ts) = parts.iter().map(|p| self.expr(p, None, scope)).unzip();
                (E::Build(None, es), Ty::Tuple(ts))
            }
            ExprKind::List(parts) => {
                let inner = if let Some(Ty::Seq(t)) = want { Some(&**t) } else { None };
                let (all, elem) = self.elements(parts, inner, scope);
                (all, Ty::Seq(Box::new(elem)))
            }
            ExprKind::Comprehension(value, pat, seq, conds) => {
                let (out, t) = self.comprehension((pat, seq, conds), scope, |c, scope| c.expr(value, None, scope));
                (out, Ty::Seq(Box::new(t)))
            }
            ExprKind::Set(..) | ExprKind::Map(..) | ExprKind::SetOf(..) | ExprKind::MapOf(..) => {
                self.braces(e, want, scope)
            }
            ExprKind::Index(..) | ExprKind::Member(..) => self.access(e, scope),
            ExprKind::WithFields(base, fields) => {
                let (b, t) = self.expr(base, None, scope);
                let Ty::Record(r) = t else {
                    if t != Ty::Never {
                        let shown = self.show(&t);
                        self.error(
                            &base.span,
                            "`with { … }` changes fields of a record",
                            format!("a value of type {shown}"),
                            "",
                        );
                    }
                    return (b, Ty::Never);
                };
                let declared = self.types.records[r].fields.clone();
                let mut out = vec![];
                for (f, v) in fields {
                    match declared.iter().position(|(n, _)| *n == f.node) {
                        Some(i) => out.push((i, self.expect(v, &declared[i].1, scope))),
                        None => self.no_field(f, &declared),
                    }
                }
                (E::With(boxed(b), r, out), t)
            }
            ExprKind::WithIndex(base, at, value) => {
                let (b, t) = self.expr(base, None, scope);
                if let Ty::Map(pair) = &t {
                    return self.put(e, b, pair, at, value, scope);
                }
                let at = self.expect(at, &Ty::Int, scope);
                let Ty::Seq(elem) = &t else {
                    let shown = self.show(&t);
                    self.error(
                        &base.span,
                        "`with [i] = v` changes an element of a sequence, or a value of a map",
                        format!("a value of type {shown}"),
                        "",
                    );
                    return (b, Ty::Never);
                };
                let (v, vt) = self.expr(value, Some(elem), scope);
                let joined = self.join(value, elem, &vt);
                (E::WithIndex(boxed(b), boxed(at), boxed(v), e.span.clone()), Ty::Seq(Box::new(joined)))
            }
            ExprKind::Let(pat, value, body) => {
                let (v, t) = self.expr(value, None, scope);
                let depth = scope.visible.len();
                let pat = self.pattern(pat, &t, scope);
                let (b, t) = self.expr(body, want, scope);
                scope.visible.truncate(depth);
                (E::Let(pat, boxed(v), boxed(b), e.span.clone()), t)
            }
            ExprKind::If(c, a, b) => {
                let c = self.expect(c, &Ty::Bool, scope);
                let (x, t) = self.expr(a, want, scope);
                let (y, u) = self.expr(b, want, scope);
                let joined = self.join(b, &t, &u);
                (E::If(boxed(c), boxed(x), boxed(y)), joined)
            }
            ExprKind::Match(value, arms) => {
                let (v, t) = self.expr(value, None, scope);
                let mut result = Ty::Never;
                let mut out = vec![];
                for (pat, body) in arms {
                    let depth = scope.visible.len();
                    let pat = self.pattern(pat, &t, scope);
                    let (b, u) = self.expr(body, want, scope);
                    scope.visible.truncate(depth);
                    result = self.join(body, &result, &u);
                    out.push((pat, b));
                }
                (E::Match(boxed(v), out, e.span.clone()), result)
            }
            ExprKind::All(pat, seq, body) | ExprKind::Any(pat, seq, body) => {
                let all = matches!(&*e.node, ExprKind::All(..));
                let (seq, elem) = self.sequence(seq, scope);
                let depth = scope.visible.len();
                let pat = self.pattern(pat, &elem, scope);
                let body = self.expect(body, &Ty::Bool, scope);
                scope.visible.truncate(depth);
                (E::Quantified { all, pat, seq: boxed(seq), body: boxed(body) }, Ty::Bool)
            }
            ExprKind::Is(value, pat) => {
                let (v, t) = self.expr(value, None, scope);
                let depth = scope.visible.len();
                let pat = self.pattern(pat, &t, scope);
                scope.visible.truncate(depth);
                (E::Is(boxed(v), pat), Ty::Bool)
            }
            ExprKind::Star(value, names) => {
                let (v, t) = self.expr(value, None, scope);
                let mut ctors = vec![];
                for n in names {
                    match self.types.ctor(&n.node) {
                        Some(c) => {
                            let one = Ty::Variant(vec![c]);
                            if !matches!(&t, Ty::Seq(e) if Types::part_of(&one, e)) && t != Ty::Never {
                                let shown = self.show(&t);
                                self.error(
                                    &n.span,
                                    format!("`{}` never occurs in a {shown}", n.node),
                                    "cannot be an element",
                                    "",
                                );
                            }
                            ctors.push(c);
                        }
                        None => {
                            let names: Vec<&str> = self.types.ctors.iter().map(|c| c.name.as_str()).collect();
                            let help = suggest(&n.node, &names, "declare it in a `type`");
                            self.error(
                                &n.span,
                                format!("no constructor is called `{}`", n.node),
                                "unknown constructor",
                                help,
                            );
                        }
                    }
                }
                (E::Star(boxed(v), ctors), Ty::Bool)
            }
            ExprKind::Not(x) => (E::Not(boxed(self.expect(x, &Ty::Bool, scope))), Ty::Bool),
            ExprKind::Neg(x) => (E::Neg(boxed(self.expect(x, &Ty::Int, scope)), e.span.clone()), Ty::Int),
            ExprKind::Deref(x) => {
                let (r, t) = self.expr(x, None, scope);
                match t {
                    Ty::Reg(t) => (E::Deref(boxed(r), boxed(self.zero(&t))), *t),
                    Ty::Never => (r, Ty::Never),
                    other => {
                        let shown = self.show(&other);
                        self.error(&x.span, "`!` reads a register", format!("a value of type {shown}"), "");
                        (r, Ty::Never)
                    }
                }
            }
            ExprKind::Bin(op, a, b) => self.binary(e, *op, a, b, want, scope),
        }
    }

    /// What a register of a type holds at first, and what one that was left out reads as.
    fn zero(&self, ty: &Ty) -> E {
        match ty {
            Ty::Record(r) => {
                E::Build(Some(*r), self.types.records[*r].fields.iter().map(|(_, t)| self.zero(t)).collect())
            }
            Ty::Tuple(ts) => E::Build(None, ts.iter().map(|t| self.zero(t)).collect()),
            Ty::Variant(cs) => match cs.iter().find(|c| self.types.ctors[**c].fields.is_empty()) {
                Some(c) => E::Ctor(*c, vec![]),
                None => E::Word(crate::heap::EMPTY),
            },
            _ => E::Word(0),
        }
    }

    pub(super) fn join(&mut self, at: &Expr, a: &Ty, b: &Ty) -> Ty {
        Types::join(a, b).unwrap_or_else(|| {
            let help = hint(b, a);
            let (a, b) = (self.show(a), self.show(b));
            self.error(
                &at.span,
                format!("this should be of type {a}, like what stands before"),
                format!("this is of type {b}"),
                help,
            );
            Ty::Never
        })
    }

    fn no_field(&mut self, f: &Name, declared: &[(String, Ty)]) {
        let names: Vec<&str> = declared.iter().map(|(n, _)| n.as_str()).collect();
        let help = suggest(&f.node, &names, &format!("fields: {}", names.join(", ")));
        self.error(&f.span, format!("there is no field `{}`", f.node), "unknown field", help);
    }

    fn name(&mut self, e: &Expr, name: &str, scope: &Scope) -> (E, Ty) {
        if let Some((t, slot)) = scope.find(name) {
            return (E::Var(slot), t.clone());
        }
        if let Some(i) = self.consts.iter().position(|c| c.name == name) {
            return (E::Const(i), self.consts[i].ty.clone());
        }
        if let Some(c) = self.types.ctor(name) {
            if !self.types.ctors[c].fields.is_empty() {
                let n = self.types.ctors[c].fields.len();
                self.error(
                    &e.span,
                    format!("`{name}` needs its {}", count(n, "field")),
                    "no fields",
                    format!("write `{name}(…)`"),
                );
            }
            return (E::Ctor(c, vec![]), Ty::Variant(vec![c]));
        }
        if self.state.iter().any(|s| s.name == name) {
            return self.state_access(e, name, &[]);
        }
        let known: Vec<&str> = scope
            .visible
            .iter()
            .map(|(n, _, _)| n.as_str())
            .chain(self.consts.iter().map(|c| c.name.as_str()))
            .chain(self.state.iter().map(|s| s.name.as_str()))
            .chain(self.types.ctors.iter().map(|c| c.name.as_str()))
            .collect();
        let help = suggest(name, &known, "bind it in a premise, or declare it");
        self.error(&e.span, format!("`{name}` is not known here"), "unknown name", help);
        (E::Word(0), Ty::Never)
    }

    fn state_access(&mut self, e: &Expr, name: &str, index: &[(E, Ty)]) -> (E, Ty) {
        let var = self.state.iter().position(|s| s.name == name).expect("called for state variables");
        let wanted = self.state[var].index.clone();
        if wanted.len() != index.len() {
            let example: String = wanted.iter().map(|s| format!("[{}]", s.name())).collect();
            self.error(
                &e.span,
                format!(
                    "`{name}` has {} {}, not {}",
                    wanted.len(),
                    if wanted.len() == 1 { "index" } else { "indices" },
                    index.len()
                ),
                "wrong number of indices",
                format!("write `{name}{example}`"),
            );
        } else {
            for ((_, t), s) in index.iter().zip(&wanted) {
                if !Types::part_of(t, &Ty::Sort(*s)) {
                    let (found, wanted) = (self.show(t), s.name());
                    self.error(
                        &e.span,
                        format!("`{name}` is indexed by {wanted} here"),
                        format!("indexed by {found}"),
                        "",
                    );
                }
            }
        }
        let ty = self.state[var].ty.clone();
        (E::State { var, index: index.iter().map(|(x, _)| x.clone()).collect(), field: None }, ty)
    }

    /// Chains of `[i]` and `.f`: state accesses first, then values.
    fn access(&mut self, e: &Expr, scope: &mut Scope) -> (E, Ty) {
        // Down to the base, collecting indices.
        let mut index_exprs: Vec<&Expr> = vec![];
        let mut base = e;
        while let ExprKind::Index(b, i) = &*base.node {
            index_exprs.push(i);
            base = b;
        }
        index_exprs.reverse();
        if let ExprKind::Name(n) = &*base.node
            && scope.find(n).is_none()
            && let Some(var) = self.state.iter().find(|s| s.name == *n)
        {
            let arity = var.index.len().min(index_exprs.len());
            let index: Vec<(E, Ty)> = index_exprs[..arity].iter().map(|i| self.expr(i, None, scope)).collect();
            let mut out = self.state_access(e, n, &index);
            for i in &index_exprs[arity..] {
                out = self.index(e, out, i, scope);
            }
            return out;
        }
        match &*e.node {
            ExprKind::Index(b, i) => {
                let b = self.expr(b, None, scope);
                self.index(e, b, i, scope)
            }
            ExprKind::Member(b, f) => {
                let (b, t) = self.expr(b, None, scope);
                self.member(b, &t, f, e)
            }
            _ => unreachable!("called for accesses"),
        }
    }

    fn index(&mut self, e: &Expr, (b, t): (E, Ty), i: &Expr, scope: &mut Scope) -> (E, Ty) {
        if let Ty::Map(pair) = &t {
            return self.get(e, b, pair, i, scope);
        }
        let i = self.expect(i, &Ty::Int, scope);
        match t {
            Ty::Seq(elem) => (E::Index(boxed(b), boxed(i), e.span.clone()), *elem),
            Ty::Never => (b, Ty::Never),
            other => {
                let shown = self.show(&other);
                self.error(
                    &e.span,
                    "only sequences, maps and state variables have indices",
                    format!("a value of type {shown}"),
                    if matches!(other, Ty::Set(_)) { "ask `x ∈ s`, or go through it: `pick x in s`" } else { "" },
                );
                (b, Ty::Never)
            }
        }
    }

    fn member(&mut self, b: E, t: &Ty, f: &Name, e: &Expr) -> (E, Ty) {
        let builtin = |what, ty| (E::Builtin(what, vec![b.clone()], e.span.clone()), ty);
        match (t, f.node.as_str()) {
            (Ty::Sort(s @ (Sort::Thread | Sort::Loc)), "node") => builtin(Builtin::NodeOf(*s), Ty::Sort(Sort::Node)),
            (Ty::Sort(s @ (Sort::Node | Sort::Thread)), "number") => builtin(Builtin::NumberOf(*s), Ty::Int),
            (Ty::Sort(Sort::Loc), "initial") => builtin(Builtin::InitialOf, Ty::Int),
            (Ty::Sort(Sort::Loc), "room") => builtin(Builtin::RoomOf, Ty::Int),
            (Ty::Sort(Sort::Loc), "before") => builtin(Builtin::BeforeOf, Ty::Int),
            (Ty::Record(r), name) => {
                let declared = self.types.records[*r].fields.clone();
                match declared.iter().position(|(n, _)| n == name) {
                    Some(i) => {
                        let ty = declared[i].1.clone();
                        match b {
                            E::State { var, index, field: None } if !self.state[var].fields.is_empty() => {
                                (E::State { var, index, field: Some(i) }, ty)
                            }
                            b => (E::Field(boxed(b), *r, i), ty),
                        }
                    }
                    None => {
                        self.no_field(f, &declared);
                        (b, Ty::Never)
                    }
                }
            }
            (Ty::Never, _) => (b, Ty::Never),
            _ => {
                let shown = self.show(t);
                let help = "threads have node, number; locations have node, initial, room, before; nodes have number";
                self.error(&f.span, format!("a {shown} has no field `{}`", f.node), "unknown field", help);
                (b, Ty::Never)
            }
        }
    }

    fn record(&mut self, e: &Expr, name: &Name, fields: &[(Name, Expr)], scope: &mut Scope) -> (E, Ty) {
        let (declared, ctor) = if let Some(r) = self.types.record(&name.node) {
            (self.types.records[r].fields.clone(), Err(r))
        } else if let Some(c) = self.types.ctor(&name.node) {
            (self.types.ctors[c].fields.clone(), Ok(c))
        } else {
            let names: Vec<&str> = self.types.records.iter().map(|r| r.name.as_str()).collect();
            let help = suggest(&name.node, &names, "declare it with `record`");
            self.error(&name.span, format!("no record is called `{}`", name.node), "unknown record", help);
            return (E::Word(0), Ty::Never);
        };
        for (f, _) in fields {
            if !declared.iter().any(|(n, _)| *n == f.node) {
                self.no_field(f, &declared);
            }
        }
        let mut out = vec![];
        for (n, t) in &declared {
            match fields.iter().find(|(f, _)| f.node == *n) {
                Some((_, v)) => out.push(self.expect(v, t, scope)),
                None => self.error(
                    &e.span,
                    format!("field `{n}` is missing"),
                    "incomplete",
                    format!("add `{n} = …` of type {}", self.types.show(t)),
                ),
            }
        }
        match ctor {
            Ok(c) => (E::Ctor(c, out), Ty::Variant(vec![c])),
            Err(r) => (E::Build(Some(r), out), Ty::Record(r)),
        }
    }

    fn call(&mut self, e: &Expr, name: &Name, args: &[Expr], scope: &mut Scope) -> (E, Ty) {
        if let Some(c) = self.types.ctor(&name.node) {
            let fields = self.types.ctors[c].fields.clone();
            if fields.len() != args.len() {
                self.error(
                    &e.span,
                    format!("`{}` has {}, not {}", name.node, count(fields.len(), "field"), args.len()),
                    "wrong number",
                    "",
                );
                return (E::Word(0), Ty::Never);
            }
            let out = args.iter().zip(&fields).map(|(a, (_, t))| self.expect(a, t, scope)).collect();
            return (E::Ctor(c, out), Ty::Variant(vec![c]));
        }
        if let Some(f) = self.functions.iter().position(|f| f.name == name.node) {
            let (params, result) = self.signatures[f].clone();
            if params.len() != args.len() {
                self.error(
                    &e.span,
                    format!("`{}` takes {}, not {}", name.node, count(params.len(), "argument"), args.len()),
                    "wrong number",
                    "",
                );
                return (E::Word(0), Ty::Never);
            }
            let out = args.iter().zip(&params).map(|(a, t)| self.expect(a, t, scope)).collect();
            return (E::Call(f, out), result);
        }
        if self.requirements.iter().any(|(n, _)| *n == name.node) {
            let all = self.required(e, None, scope).into_iter().map(|(e, _)| e);
            return (all.reduce(|a, b| E::And(boxed(a), boxed(b))).unwrap_or(E::Word(1)), Ty::Bool);
        }
        let allocates = std::mem::take(&mut self.allocates);
        let builtin = |b, args| E::Builtin(b, args, e.span.clone());
        match (name.node.as_str(), args) {
            ("Some", [a]) => {
                let (x, t) = self.expr(a, None, scope);
                (E::Build(None, vec![x]), Ty::Option(Box::new(t)))
            }
            ("size", [a]) => {
                let (x, _) = self.sequence(a, scope);
                (builtin(Builtin::Size, vec![x]), Ty::Int)
            }
            ("reverse", [a]) => {
                let (x, t) = self.sequence(a, scope);
                (builtin(Builtin::Reverse, vec![x]), Ty::Seq(Box::new(t)))
            }
            ("flatten", [a]) => {
                let (x, t) = self.sequence(a, scope);
                match t {
                    Ty::Seq(_) => (builtin(Builtin::Flatten, vec![x]), t),
                    Ty::Never => (x, Ty::Seq(Box::new(Ty::Never))),
                    other => {
                        let shown = self.show(&other);
                        self.error(&a.span, "`flatten` joins sequences", format!("elements of type {shown}"), "");
                        (x, Ty::Never)
                    }
                }
            }
            ("keys", [a]) => self.keys(e, a, scope),
            ("lookup", [a, b]) => self.lookup(e, a, b, scope),
            ("blob", [a]) => (self.expect(a, &Ty::Int, scope), Ty::Blob),
            ("range", [a]) => {
                let x = self.expect(a, &Ty::Int, scope);
                (builtin(Builtin::Range, vec![x]), Ty::Seq(Box::new(Ty::Int)))
            }
            ("node", [a]) => {
                let x = self.expect(a, &Ty::Int, scope);
                (builtin(Builtin::NodeNumbered, vec![x]), Ty::Option(Box::new(Ty::Sort(Sort::Node))))
            }
            ("distance", [a, b]) => {
                let x = self.expect(a, &Ty::Sort(Sort::Loc), scope);
                let y = self.expect(b, &Ty::Sort(Sort::Loc), scope);
                (builtin(Builtin::Distance, vec![x, y]), Ty::Int)
            }
            ("cells" | "threads", [a, b]) => {
                if !allocates {
                    let message = format!("`{}` makes what is there from the beginning", name.node);
                    let help = format!("give it a name: `state s[p: Node]: … = {}(…)`", name.node);
                    self.error(&e.span, message, "not an initial value by nodes", help);
                }
                let x = self.expect(a, &Ty::Int, scope);
                let y = self.expect(b, &Ty::Sort(Sort::Node), scope);
                match name.node.as_str() {
                    "cells" => (builtin(Builtin::Cells, vec![x, y]), Ty::Sort(Sort::Loc)),
                    _ => (builtin(Builtin::Threads, vec![x, y]), Ty::Seq(Box::new(Ty::Sort(Sort::Thread)))),
                }
            }
            ("at", [t, names @ ..]) if !names.is_empty() => {
                let x = self.expect(t, &Ty::Sort(Sort::Thread), scope);
                let (loops, names): (Vec<_>, Vec<_>) = names.iter().partition(|n| is_spin(n));
                let which = names.into_iter().filter_map(|n| self.instruction_named(n)).collect();
                (E::At(boxed(x), which, !loops.is_empty()), Ty::Bool)
            }
            ("operate", [op, shape, types, xs, ys]) => {
                let ints = Ty::Seq(Box::new(Ty::Int));
                let mut args = vec![self.expect(op, &Ty::Int, scope)];
                args.extend([shape, types, xs, ys].map(|a| self.expect(a, &ints, scope)));
                (builtin(Builtin::Operate, args), ints)
            }
            ("wrapping_sum", [a, b, bits]) => {
                let args = [a, b, bits].map(|a| self.expect(a, &Ty::Int, scope)).into();
                (builtin(Builtin::WrappingSum, args), Ty::Int)
            }
            ("bitand" | "bitor" | "bitxor", [a, b]) => {
                let x = self.expect(a, &Ty::Int, scope);
                let y = self.expect(b, &Ty::Int, scope);
                let which = match name.node.as_str() {
                    "bitand" => Builtin::BitAnd,
                    "bitor" => Builtin::BitOr,
                    _ => Builtin::BitXor,
                };
                (builtin(which, vec![x, y]), Ty::Int)
            }
            _ => {
                let known: Vec<&str> = BUILT_IN
                    .into_iter()
                    .chain(self.functions.iter().map(|f| f.name.as_str()))
                    .chain(self.types.ctors.iter().map(|c| c.name.as_str()))
                    .collect();
                let help = suggest(&name.node, &known, "declare it with `fun`");
                self.error(
                    &e.span,
                    format!("no function of {} is called `{}`", count(args.len(), "argument"), name.node),
                    "unknown function",
                    help,
                );
                (E::Word(0), Ty::Never)
            }
        }
    }

    /// An instruction by its name.
    fn instruction_named(&mut self, e: &Expr) -> Option<usize> {
        let names: Vec<&str> = self.instructions.list.iter().map(|i| i.name.as_str()).collect();
        let found = if let ExprKind::Name(n) = &*e.node { names.iter().position(|i| i == n) } else { None };
        if found.is_none() {
            let shown = e.span.text().to_owned();
            let help = suggest(&shown, &names, "name instructions that are run by rules");
            self.error(&e.span, format!("no instruction is called `{shown}`"), "unknown instruction", help);
        }
        found
    }

    fn binary(&mut self, e: &Expr, op: BinOp, a: &Expr, b: &Expr, want: Option<&Ty>, scope: &mut Scope) -> (E, Ty) {
        let arith = |c: &mut Checker, op, scope: &mut Scope| {
            let x = c.expect(a, &Ty::Int, scope);
            let y = c.expect(b, &Ty::Int, scope);
            (E::Arith(op, boxed(x), boxed(y), e.span.clone()), Ty::Int)
        };
        match op {
            BinOp::Implies => {
                let x = self.expect(a, &Ty::Bool, scope);
                let y = self.expect(b, &Ty::Bool, scope);
                (E::Or(boxed(E::Not(boxed(x))), boxed(y)), Ty::Bool)
            }
            BinOp::Or | BinOp::And => {
                let x = boxed(self.expect(a, &Ty::Bool, scope));
                let y = boxed(self.expect(b, &Ty::Bool, scope));
                (if op == BinOp::Or { E::Or(x, y) } else { E::And(x, y) }, Ty::Bool)
            }
            BinOp::Eq | BinOp::Ne => {
                let (x, t) = self.expr(a, None, scope);
                let (y, u) = self.expr(b, Some(&t), scope);
                self.join(b, &t, &u);
                let eq = E::Eq(boxed(x), boxed(y));
                (if op == BinOp::Eq { eq } else { E::Not(boxed(eq)) }, Ty::Bool)
            }
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                let x = boxed(self.expect(a, &Ty::Int, scope));
                let y = boxed(self.expect(b, &Ty::Int, scope));
                let out = match op {
                    BinOp::Lt => E::Lt(x, y),
                    BinOp::Le => E::Le(x, y),
                    BinOp::Gt => E::Lt(y, x),
                    _ => E::Le(y, x),
                };
                (out, Ty::Bool)
            }
            BinOp::In => {
                let (y, elem, of) = self.gone_through(b, scope);
                let (x, t) = self.expr(a, Some(&elem), scope);
                if matches!(of, Ty::Map(_)) && Types::join(&elem, &t).is_none() {
                    let found = format!("this is of type {}", self.show(&t));
                    let what = format!("the elements of a map are its pairs, of type {}", self.show(&elem));
                    self.error(&a.span, what, found, "write `k ∈ keys(m)` to ask for a key");
                } else {
                    self.join(a, &elem, &t);
                }
                (E::In(boxed(x), boxed(y)), Ty::Bool)
            }
            BinOp::Cat => {
                let mut parts = vec![];
                let mut elem = Ty::Never;
                self.concat(e, want, scope, &mut parts, &mut elem);
                (E::Seq(parts), Ty::Seq(Box::new(elem)))
            }
            BinOp::Add => {
                let (x, t) = self.expr(a, None, scope);
                if t == Ty::Sort(Sort::Loc) {
                    let y = self.expect(b, &Ty::Int, scope);
                    return (E::Arith(Arith::Shift, boxed(x), boxed(y), e.span.clone()), t);
                }
                self.part(a, &t, &Ty::Int);
                let y = self.expect(b, &Ty::Int, scope);
                let sum = if Types::part_of(&t, &Ty::Int) { Ty::Int } else { Ty::Never };
                (E::Arith(Arith::Add, boxed(x), boxed(y), e.span.clone()), sum)
            }
            BinOp::Union | BinOp::Intersect | BinOp::Without => self.of_sets(e, op, a, b, want, scope),
            BinOp::Sub => arith(self, Arith::Sub, scope),
            BinOp::Mul => arith(self, Arith::Mul, scope),
            BinOp::Div => arith(self, Arith::Div, scope),
            BinOp::Mod => arith(self, Arith::Mod, scope),
        }
    }

    /// Operands of `·`: a sequence is spliced, anything else is one element.
    fn concat(&mut self, e: &Expr, want: Option<&Ty>, scope: &mut Scope, parts: &mut Vec<Part>, elem: &mut Ty) {
        if let ExprKind::Bin(BinOp::Cat, a, b) = &*e.node {
            self.concat(a, want, scope, parts, elem);
            self.concat(b, want, scope, parts, elem);
            return;
        }
        let (x, t) = self.expr(e, want, scope);
        match t {
            Ty::Seq(t) => {
                *elem = self.join(e, elem, &t);
                parts.push(Part::Splice(x));
            }
            t => {
                *elem = self.join(e, elem, &t);
                parts.push(Part::One(x));
            }
        }
    }
}

/// Whether this names, in `at`, no instruction but a loop without a body that goes on for ever.
fn is_spin(e: &Expr) -> bool {
    matches!(&*e.node, ExprKind::Name(n) if n == "spin")
}
