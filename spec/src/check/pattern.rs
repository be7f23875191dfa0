//! Patterns.

use super::{Checker, Scope, count};
use crate::ir::{Pat, PatPart};
use crate::suggest::{nearest, suggest};
use crate::syntax::{Pattern, PatternKind};
use crate::types::Ty;

impl Checker {
    /// Checks a pattern against the type of what it matches; its names join the scope.
    pub(super) fn pattern(&mut self, p: &Pattern, ty: &Ty, scope: &mut Scope) -> Pat {
        match &*p.node {
            PatternKind::Wild => Pat::Wild,
            PatternKind::Int(v) => {
                self.fits(p, &Ty::Int, ty);
                crate::heap::small(*v).map_or(Pat::Int(*v), Pat::Word)
            }
            PatternKind::Bool(v) => {
                self.fits(p, &Ty::Bool, ty);
                Pat::Word(u32::from(*v))
            }
            PatternKind::None => {
                if !matches!(ty, Ty::Option(_) | Ty::Never) {
                    self.mismatch(p, "None", ty);
                }
                Pat::Word(crate::heap::EMPTY)
            }
            PatternKind::Pinned(name) => match scope.find(&name.node) {
                Some((t, slot)) => {
                    let t = t.clone();
                    self.fits(p, &t, ty);
                    Pat::Pinned(slot)
                }
                None => {
                    self.error(
                        &name.span,
                        format!("`={}` compares with a name that is not bound", name.node),
                        "unknown name",
                        "leave out the `=` to bind it",
                    );
                    Pat::Wild
                }
            },
            PatternKind::Bind(name) => {
                if self.types.ctor(name).is_some() {
                    return self.constructor(p, name, &[], ty, scope);
                }
                if scope.find(name).is_some() {
                    self.error(
                        &p.span,
                        format!("`{name}` is already bound"),
                        "bound again",
                        format!("write `={name}` to compare, or choose another name"),
                    );
                    return Pat::Wild;
                }
                // It would bind, and so match anything.
                let known = self.types.ctors.iter().map(|c| c.name.as_str()).chain(["None"]);
                let is_like_one = name.starts_with(|c: char| c.is_ascii_uppercase()) && name.len() > 2;
                if let Some(near) = is_like_one.then(|| nearest(name, known)).flatten() {
                    let message = format!("no constructor is called `{name}`");
                    let help =
                        format!("did you mean `{near}`? a name that is to match anything begins with a small letter");
                    self.error(&p.span, message, "unknown constructor", help);
                    return Pat::Wild;
                }
                Pat::Bind(scope.add(name, ty.clone()))
            }
            PatternKind::Call(name, args) if name.node == "Some" => {
                let inner = match ty {
                    Ty::Option(t) => (**t).clone(),
                    Ty::Never => Ty::Never,
                    _ => {
                        self.mismatch(p, "Some(…)", ty);
                        Ty::Never
                    }
                };
                match args.as_slice() {
                    [a] => {
                        let parts = vec![(0, self.pattern(a, &inner, scope))];
                        Pat::Fields { of: Ty::Option(Box::new(inner)), words: 1, parts }
                    }
                    _ => {
                        self.error(&p.span, "`Some` holds one value", "wrong number", "");
                        Pat::Wild
                    }
                }
            }
            PatternKind::Call(name, args) => self.constructor(p, &name.node, args, ty, scope),
            PatternKind::Fields(name, fields) => self.fields_pattern(p, name, fields, ty, scope),
            PatternKind::Tuple(parts) => match ty {
                Ty::Tuple(ts) if ts.len() == parts.len() => {
                    let parts: Vec<_> =
                        parts.iter().zip(ts).enumerate().map(|(i, (q, t))| (i, self.pattern(q, t, scope))).collect();
                    Pat::Fields { of: ty.clone(), words: ts.len(), parts }
                }
                Ty::Never => Pat::Wild,
                _ => {
                    self.mismatch(p, "a tuple", ty);
                    Pat::Wild
                }
            },
            PatternKind::List(_) | PatternKind::Cat(_) => {
                let elem = match ty {
                    Ty::Seq(t) => (**t).clone(),
                    Ty::Never => Ty::Never,
                    _ => {
                        self.mismatch(p, "a sequence", ty);
                        return Pat::Wild;
                    }
                };
                let parts = match &*p.node {
                    PatternKind::Cat(parts) => parts.as_slice(),
                    _ => std::slice::from_ref(p),
                };
                let mut out = vec![];
                for part in parts {
                    match &*part.node {
                        PatternKind::List(ps) => {
                            for q in ps {
                                out.push(PatPart::One(self.pattern(q, &elem, scope)));
                            }
                        }
                        PatternKind::Wild => out.push(PatPart::Rest(None)),
                        PatternKind::Bind(name) if self.types.ctor(name).is_none() => {
                            match self.pattern(part, ty, scope) {
                                Pat::Bind(slot) => out.push(PatPart::Rest(Some(slot))),
                                _ => out.push(PatPart::Rest(None)),
                            }
                        }
                        _ => out.push(PatPart::One(self.pattern(part, &elem, scope))),
                    }
                }
                Pat::Seq(out)
            }
        }
    }

    fn constructor(&mut self, p: &Pattern, name: &str, args: &[Pattern], ty: &Ty, scope: &mut Scope) -> Pat {
        let Some(c) = self.types.ctor(name) else {
            let names: Vec<&str> = self.types.ctors.iter().map(|c| c.name.as_str()).collect();
            let help = suggest(name, &names, "declare it in a `type`");
            self.error(&p.span, format!("no constructor is called `{name}`"), "unknown constructor", help);
            return Pat::Wild;
        };
        match ty {
            Ty::Variant(cs) if cs.contains(&c) => {}
            Ty::Never => {}
            Ty::Seq(t) if matches!(&**t, Ty::Variant(cs) if cs.contains(&c)) => {
                let shown = self.show(ty);
                self.error(
                    &p.span,
                    format!("a constructor cannot match a whole {shown}"),
                    "one element",
                    format!("write `[{name}…]` for a sequence of just this element"),
                );
            }
            _ => self.mismatch(p, name, ty),
        }
        let fields = self.types.ctors[c].fields.clone();
        if fields.len() != args.len() {
            self.error(
                &p.span,
                format!("`{name}` has {}, not {}", count(fields.len(), "field"), args.len()),
                "wrong number",
                "use `_` for a field of no interest",
            );
            return Pat::Wild;
        }
        let args = args.iter().zip(&fields).enumerate().map(|(i, (a, (_, t)))| (i + 1, self.pattern(a, t, scope)));
        Pat::Ctor(c, args.collect())
    }

    fn fields_pattern(
        &mut self,
        p: &Pattern,
        name: &crate::syntax::Name,
        fields: &[(crate::syntax::Name, Pattern)],
        ty: &Ty,
        scope: &mut Scope,
    ) -> Pat {
        let (declared, shift, ctor) = if let Some(c) = self.types.ctor(&name.node) {
            if !matches!(ty, Ty::Variant(cs) if cs.contains(&c)) && *ty != Ty::Never {
                self.mismatch(p, &name.node, ty);
            }
            (self.types.ctors[c].fields.clone(), 1, Ok(c))
        } else if let Some(r) = self.types.record(&name.node) {
            self.fits(p, &Ty::Record(r), ty);
            (self.types.records[r].fields.clone(), 0, Err(r))
        } else {
            self.error(&name.span, format!("no record or constructor is called `{}`", name.node), "unknown", "");
            return Pat::Wild;
        };
        let mut out = vec![];
        for (f, q) in fields {
            match declared.iter().position(|(n, _)| *n == f.node) {
                Some(i) => out.push((i + shift, self.pattern(q, &declared[i].1, scope))),
                None => {
                    let names: Vec<&str> = declared.iter().map(|(n, _)| n.as_str()).collect();
                    let help = suggest(&f.node, &names, &format!("fields: {}", names.join(", ")));
                    self.error(&f.span, format!("`{}` has no field `{}`", name.node, f.node), "unknown field", help);
                }
            }
        }
        match ctor {
            Ok(c) => Pat::Ctor(c, out),
            Err(r) => Pat::Fields { of: Ty::Record(r), words: declared.len(), parts: out },
        }
    }

    fn fits(&mut self, p: &Pattern, found: &Ty, wanted: &Ty) {
        if Types::join(found, wanted).is_none() {
            let found = self.show(found);
            self.mismatch(p, &found, wanted);
        }
    }

    fn mismatch(&mut self, p: &Pattern, found: &str, wanted: &Ty) {
        let shown = self.show(wanted);
        self.error(
            &p.span,
            format!("this pattern cannot match a value of type {shown}"),
            format!("matches {found}"),
            match wanted {
                Ty::Blob => super::sets::BLOB,
                Ty::Set(_) => {
                    "bind it to a name and ask `x ∈ s`, `size(s)` or `s = {}`; `pick x in s` tries every element"
                }
                Ty::Map(_) => {
                    "bind it to a name and ask `lookup(m, k) is Some(v)`; `pick (k, v) in m` tries every pair"
                }
                _ => "",
            },
        );
    }
}

use crate::types::Types;
