//! Rules.

use super::{Checker, Scope, count, sets};
use crate::diag::Diagnostic;
use crate::ir::{Commutes, E, Pat, Premise, Rule, Says, SetOp, Update};
use crate::suggest::suggest;
use crate::syntax::{self, Expr, ExprKind};
use crate::types::{Sort, Ty, Types};

impl Checker {
    pub(super) fn rule(&mut self, r: &syntax::Rule) {
        let before = self.errors.0.len();
        self.body_of_rule(r);
        // A rule that is called as an instruction and has forgotten to say that it runs it knows none of its arguments.
        let base = r.name.node.split('/').next().unwrap_or_default();
        if let (None, Some(i)) = (&r.on, self.instructions.find(base)) {
            let params: Vec<String> = self.instructions.list[i].params.iter().map(|p| p.name.clone()).collect();
            let help = format!(
                "the rule has no line `on t: {base}({})`, which binds what it is called with",
                params.join(", ")
            );
            let unknown = |d: &&mut Diagnostic| d.label == "unknown name";
            self.errors.0[before..].iter_mut().filter(unknown).for_each(|d| d.help = Some(help.clone()));
        }
    }

    fn body_of_rule(&mut self, r: &syntax::Rule) {
        let mut scope = Scope::default();
        let mut params = vec![];
        for (name, ty) in &r.params {
            let sort = self.sort(ty);
            if scope.find(&name.node).is_some() {
                self.error(&name.span, format!("parameter `{}` is declared twice", name.node), "second", "rename one");
            }
            scope.add(&name.node, Ty::Sort(sort));
            params.push((name.node.clone(), sort));
        }
        if let Some(other) = self.rules.iter().find(|o| o.name == r.name.node) {
            let help = format!("first at {}", other.span);
            self.error(&r.name.span, format!("rule `{}` is declared twice", r.name.node), "second", help);
        }
        let on = r.on.as_ref().and_then(|(thread, instr, args)| {
            let t = params.iter().position(|(n, s)| *n == thread.node && *s == Sort::Thread);
            if t.is_none() {
                self.error(
                    &thread.span,
                    format!("`{}` is no parameter of sort Thread", thread.node),
                    "who runs it?",
                    "add `(t: Thread)` to the rule",
                );
            }
            let Some(i) = self.instructions.find(&instr.node) else {
                let names: Vec<&str> = self.instructions.list.iter().map(|i| i.name.as_str()).collect();
                let help = suggest(&instr.node, &names, "declare it with `instruction`");
                self.error(
                    &instr.span,
                    format!("no instruction is called `{}`", instr.node),
                    "unknown instruction",
                    help,
                );
                return None;
            };
            if self.expansions[i].is_some() {
                self.error(
                    &instr.span,
                    format!("`{}` has an expansion and is never run itself", instr.node),
                    "expanded",
                    "give rules for the instructions that it is short for",
                );
            }
            let arity = self.instructions.list[i].params.len();
            if arity != args.len() {
                self.error(
                    &instr.span,
                    format!("`{}` takes {}, not {}", instr.node, count(arity, "argument"), args.len()),
                    "wrong number",
                    "use `_` for one of no interest",
                );
                return None;
            }
            let pats: Vec<Pat> = args
                .iter()
                .enumerate()
                .map(|(k, a)| {
                    let ty = self.param_type(i, k);
                    self.pattern(a, &ty, &mut scope)
                })
                .collect();
            Some((t.unwrap_or(0), i, pats))
        });
        let when = r.when.iter().map(|p| self.premise(p, &mut scope)).collect();
        let mut requires = vec![];
        let mut requires_at = vec![];
        for (e, why) in &r.requires {
            let conditions = self.required(e, why.as_deref(), &mut scope);
            requires_at.extend(conditions.iter().map(|_| e.span.clone()));
            requires.extend(conditions);
        }
        let then = r.then.iter().map(|u| self.update(u, &mut scope)).collect();
        let commutes = self.commutes(r, &mut scope);
        let cites: Vec<String> = r.cites.iter().map(|c| format!("{} {}", c.work, c.place)).collect();
        let slots = scope.all.len();
        let says = Says {
            doc: r.doc.clone(),
            cite: cites.join("; "),
            deviations: r.deviations.clone(),
            when,
            requires,
            then,
            names: scope.all,
            commutes,
            when_at: r.when.iter().map(syntax::Premise::span).collect(),
            requires_at,
        };
        self.rules.push(Rule {
            name: r.name.node.clone(),
            params,
            on,
            again: r.again,
            late: r.late.is_some(),
            slots,
            span: r.name.span.clone(),
            says: says.into(),
        });
    }

    /// The conditions; the rules' numbers are those of the file's order, which is that of checking them.
    fn commutes(&mut self, r: &syntax::Rule, scope: &mut Scope) -> Vec<Commutes> {
        let mut out = vec![];
        for c in r.commutes.iter().filter(|c| !c.is_none()) {
            let mut with = self.rules_called(&c.with);
            with.retain(|i| c.waits || !self.exempt[*i]);
            let without = self.rules_called(&c.without);
            let over = self.variables_called(&c.over);
            let when = match c.waits {
                true => self.waited(r, c, scope),
                false => c.when.as_ref().map(|e| self.expect(e, &Ty::Bool, scope)),
            };
            let of = c.of.as_ref().and_then(|(whose, p)| Some((*whose, self.compared(r, p, &with)?)));
            let theirs =
                |i: &usize| c.of.as_ref().and_then(|(_, p)| self.rule_names[*i].1.iter().position(|q| *q == p.node));
            let with = with.iter().map(|i| (*i, theirs(i))).collect();
            let span = c.with.first().map_or(&r.name.span, |name| &name.span).clone();
            let because = c.because.clone();
            let unless_erroneous = c.unless_erroneous;
            let waits = c.waits;
            out.push(Commutes { waits, with, over, of, without, unless_erroneous, when, span, because, tried: false });
        }
        out
    }

    /// When a rule waits for others: nothing is bound there but its parameters.
    fn waited(&mut self, r: &syntax::Rule, c: &syntax::Commutes, scope: &mut Scope) -> Option<E> {
        if let (Some((_, instr, _)), Some(first)) = (&r.on, c.with.first()) {
            let message =
                format!("`{}` is set off by the instruction `{}`, and cannot wait for rules", r.name.node, instr.node);
            self.error(
                &first.span,
                message,
                "waits",
                "a rule waits that no instruction sets off, and that an order of steps may enable",
            );
        }
        let bound = scope.visible.split_off(r.params.len());
        let when = c.when.as_ref().map(|e| self.expect(e, &Ty::Bool, scope));
        scope.visible.extend(bound);
        when
    }

    /// State variables by their names.
    fn variables_called(&mut self, names: &[syntax::Name]) -> Vec<usize> {
        let mut out = vec![];
        for name in names {
            match self.state.iter().position(|v| v.name == name.node) {
                Some(var) => out.push(var),
                None => {
                    let all: Vec<&str> = self.state.iter().map(|v| v.name.as_str()).collect();
                    let help = suggest(&name.node, &all, "name state variables of the model");
                    let message = format!("no state variable is called `{}`", name.node);
                    self.error(&name.span, message, "unknown state variable", help);
                }
            }
        }
        out
    }

    /// The rules that names stand for, in which `*` stands for any letters; those that the model leaves out are none.
    fn rules_called(&mut self, names: &[syntax::Name]) -> Vec<usize> {
        let mut out = vec![];
        for name in names {
            let before = out.len();
            out.extend((0..self.rule_names.len()).filter(|i| matches_glob(&name.node, &self.rule_names[*i].0)));
            if out.len() == before && !self.gone.iter().any(|gone| matches_glob(&name.node, gone)) {
                let names: Vec<&str> = self.rule_names.iter().map(|(n, _)| n.as_str()).collect();
                let help = suggest(&name.node, &names, "name rules of the model");
                self.error(&name.span, format!("no rule is called `{}`", name.node), "unknown rule", help);
            }
        }
        out
    }

    /// The rule's own parameter that `of another` or `of the same` names; all rules must have one of that name.
    fn compared(&mut self, r: &syntax::Rule, p: &syntax::Name, with: &[usize]) -> Option<usize> {
        let own = r.params.iter().position(|(q, _)| q.node == p.node);
        let lacks = with.iter().find(|i| !self.rule_names[**i].1.contains(&p.node));
        let who = match (own, lacks) {
            (None, _) => r.name.node.clone(),
            (Some(_), Some(i)) => self.rule_names[*i].0.clone(),
            (Some(_), None) => return own,
        };
        let help = "`of another p` and `of the same p` are about a parameter that both rules have";
        self.error(&p.span, format!("rule `{who}` has no parameter `{}`", p.node), "unknown parameter", help);
        None
    }

    fn premise(&mut self, p: &syntax::Premise, scope: &mut Scope) -> Premise {
        match p {
            syntax::Premise::Cond(e) => match &*e.node {
                ExprKind::Is(value, pat) => {
                    let (value, ty) = self.expr(value, None, scope);
                    Premise::Match(value, self.pattern(pat, &ty, scope))
                }
                _ => Premise::Cond(self.expect(e, &Ty::Bool, scope)),
            },
            syntax::Premise::Pick(pat, e) => {
                let (seq, elem) = self.sequence(e, scope);
                Premise::Pick(self.pattern(pat, &elem, scope), seq)
            }
            syntax::Premise::Let(pat, e) => {
                let (value, ty) = self.expr(e, None, scope);
                Premise::Match(value, self.pattern(pat, &ty, scope))
            }
            syntax::Premise::Always(inner) => Premise::Always(Box::new(self.premise(inner, scope)), p.span()),
        }
    }

    pub(super) fn update(&mut self, u: &syntax::Update, scope: &mut Scope) -> Update {
        match u {
            syntax::Update::For(name, e, body) => {
                let (seq, elem) = self.sequence(e, scope);
                let depth = scope.visible.len();
                if scope.find(&name.node).is_some() {
                    self.error(
                        &name.span,
                        format!("`{}` is already bound", name.node),
                        "bound again",
                        "choose another name",
                    );
                }
                let slot = scope.add(&name.node, elem);
                let body = body.iter().map(|u| self.update(u, scope)).collect();
                scope.visible.truncate(depth);
                Update::For(slot, seq, body)
            }
            syntax::Update::If(e, then, els) => {
                let cond = self.expect(e, &Ty::Bool, scope);
                let then = then.iter().map(|u| self.update(u, scope)).collect();
                let els = els.iter().map(|u| self.update(u, scope)).collect();
                Update::If(cond, then, els)
            }
            syntax::Update::Set(place, value) => self.assignment(place, value, scope),
            syntax::Update::Use(name, args) => self.shared_updates(name, args, scope),
        }
    }

    fn assignment(&mut self, place: &Expr, value: &Expr, scope: &mut Scope) -> Update {
        let span = place.span.clone();
        let (target, ty) = self.expr(place, None, scope);
        match target {
            E::State { var, index, field } => {
                let value = self.expect(value, &ty, scope);
                Update::State { var, index, field, key: None, value, span }
            }
            E::Set(SetOp::Get, of, map, at) => self.key_assignment(of, *map, at, value, &ty, scope),
            target => match &ty {
                Ty::Reg(t) => Update::Reg(target, self.expect(value, t, scope), span),
                Ty::Never => Update::Reg(target, E::Word(0), span),
                other => {
                    let shown = self.show(other);
                    self.error(
                        &span,
                        "this cannot be assigned",
                        format!("a value of type {shown}"),
                        "assign a state variable's entry, a field of it, or a register",
                    );
                    Update::Reg(target, E::Word(0), span)
                }
            },
        }
    }

    /// What is gone through, and the type of its elements.
    pub(super) fn sequence(&mut self, e: &Expr, scope: &mut Scope) -> (E, Ty) {
        let (of, elem, _) = self.gone_through(e, scope);
        (of, elem)
    }

    /// What is gone through, the type of its elements, and its own; that of a sort is `nothing`.
    pub(super) fn gone_through(&mut self, e: &Expr, scope: &mut Scope) -> (E, Ty, Ty) {
        if let ExprKind::Name(n) = &*e.node
            && scope.find(n).is_none()
            && let Some(s) = Sort::named(n)
        {
            return (E::All(s), Ty::Sort(s), Ty::Never);
        }
        let (seq, ty) = self.expr(e, None, scope);
        match ty {
            Ty::Seq(ref t) | Ty::Set(ref t) | Ty::Map(ref t) => (seq, (**t).clone(), ty),
            Ty::Never => (seq, Ty::Never, Ty::Never),
            other => {
                let shown = self.show(&other);
                self.error(
                    &e.span,
                    "a sequence, a set, a map or a sort is needed here",
                    format!("a value of type {shown}"),
                    "",
                );
                (seq, Ty::Never, Ty::Never)
            }
        }
    }

    /// An expression of a known type.
    pub(super) fn expect(&mut self, e: &Expr, ty: &Ty, scope: &mut Scope) -> E {
        let (out, found) = self.expr(e, Some(ty), scope);
        self.part(e, &found, ty);
        out
    }

    /// Reports an expression whose type is not part of the one that is needed.
    pub(super) fn part(&mut self, e: &Expr, found: &Ty, wanted: &Ty) {
        if !Types::part_of(found, wanted) {
            let help = hint(found, wanted);
            let (found, wanted) = (self.show(found), self.show(wanted));
            self.error(
                &e.span,
                format!("a value of type {wanted} is needed here"),
                format!("this is of type {found}"),
                help,
            );
        }
    }
}

/// What to write where a value of one type stands for one of another.
pub(super) fn hint(found: &Ty, wanted: &Ty) -> &'static str {
    let holds = |option: &Ty, value: &Ty| matches!(option, Ty::Option(inner) if Types::part_of(value, inner));
    match () {
        () if *wanted == Ty::Blob && *found == Ty::Int => "`blob(…)` makes a blob of an integer",
        () if *found == Ty::Blob || *wanted == Ty::Blob => sets::BLOB,
        () if matches!((found, wanted), (Ty::Seq(_), Ty::Set(_) | Ty::Map(_))) => {
            "braces make a set: `{a, b}`, and of the elements of a sequence, `{ x | x in s }`"
        }
        () if matches!((found, wanted), (Ty::Set(_) | Ty::Map(_), Ty::Seq(_))) => {
            "`[ x | x in s ]` is the sequence of the elements of a set"
        }
        () if matches!(wanted, Ty::Map(pair) if Types::part_of(found, &sets::key_of(pair))) => {
            "a map is a set of pairs: its keys are `keys(m)`"
        }
        () if holds(wanted, found) => "write `Some(…)`",
        () if holds(found, wanted) => "it may be `None`: take the value out by `e is Some(x)`, or by `match`",
        () => "",
    }
}

/// Whether a name is of the form of another, in which `*` stands for any letters.
pub(super) fn matches_glob(form: &str, name: &str) -> bool {
    match form.split_once('*') {
        None => form == name,
        Some((head, "")) => name.starts_with(head),
        Some((head, tail)) => name.strip_prefix(head).is_some_and(|rest| {
            rest.char_indices().map(|(i, _)| i).chain([rest.len()]).any(|i| matches_glob(tail, &rest[i..]))
        }),
    }
}
