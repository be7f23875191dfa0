//! Which rules call a function, themselves or through other functions.

use crate::ir::{E, Part, Premise, Update};
use crate::model::Spec;

impl Spec {
    /// For each rule, whether what it does may depend on one of these functions.
    pub fn rules_calling(&self, functions: &[usize]) -> Vec<bool> {
        let mut calling = vec![false; self.functions.len()];
        functions.iter().for_each(|f| calling[*f] = true);
        let calls: Vec<Vec<usize>> = self.functions.iter().map(|f| called(&[&f.body])).collect();
        loop {
            let more: Vec<usize> =
                (0..calls.len()).filter(|f| !calling[*f] && calls[*f].iter().any(|g| calling[*g])).collect();
            if more.is_empty() {
                break;
            }
            more.into_iter().for_each(|f| calling[f] = true);
        }
        let of_rule = |r: &crate::ir::Rule| {
            let mut parts: Vec<&E> = r.when.iter().map(premise).chain(r.requires.iter().map(|(e, _)| e)).collect();
            r.then.iter().for_each(|u| update(u, &mut parts));
            called(&parts).iter().any(|f| calling[*f])
        };
        self.rules.iter().map(of_rule).collect()
    }
}

fn premise(p: &Premise) -> &E {
    match p {
        Premise::Cond(e) | Premise::Match(e, _) | Premise::Pick(_, e) => e,
        Premise::Always(p, _) => premise(p),
    }
}

fn update<'e>(u: &'e Update, out: &mut Vec<&'e E>) {
    match u {
        Update::State { index, key, value, .. } => {
            out.extend(index.iter().chain(key.iter().map(|k| &k.key)).chain([value]));
        }
        Update::Reg(at, value, _) => out.extend([at, value]),
        Update::Let(_, e, us) | Update::For(_, e, us) => {
            out.push(e);
            us.iter().for_each(|u| update(u, out));
        }
        Update::If(e, a, b) => {
            out.push(e);
            a.iter().chain(b).for_each(|u| update(u, out));
        }
    }
}

/// The functions that expressions call.
fn called(roots: &[&E]) -> Vec<usize> {
    let (mut out, mut todo) = (vec![], roots.to_vec());
    while let Some(e) = todo.pop() {
        if let E::Call(f, _) = e {
            out.push(*f);
        }
        parts(e, &mut todo);
    }
    out
}

/// The expressions of which one is made.
pub(crate) fn parts<'e>(e: &'e E, out: &mut Vec<&'e E>) {
    match e {
        E::Word(_) | E::Int(_) | E::Var(_) | E::Const(_) | E::All(_) => {}
        E::State { index: es, .. }
        | E::Ctor(_, es)
        | E::Build(_, es)
        | E::Call(_, es)
        | E::Builtin(_, es, _)
        | E::Set(_, es, ..) => {
            out.extend(es);
        }
        E::Seq(ps) => out.extend(ps.iter().map(|(Part::One(e) | Part::Splice(e))| e)),
        E::Field(e, ..) | E::Is(e, _) | E::Star(e, _) | E::Not(e) | E::Neg(e, _) | E::At(e, ..) => out.push(e),
        E::With(e, _, fields) => {
            out.push(e);
            out.extend(fields.iter().map(|(_, e)| e));
        }
        E::WithIndex(a, b, c, _) | E::If(a, b, c) => out.extend([&**a, b, c]),
        E::Comprehension { value, seq, conds, .. } => {
            out.extend([&**value, seq]);
            out.extend(conds);
        }
        E::Quantified { seq, body, .. } => out.extend([&**seq, body]),
        E::Match(e, arms, _) => {
            out.push(e);
            out.extend(arms.iter().map(|(_, e)| e));
        }
        E::Index(a, b, _)
        | E::Let(_, a, b, _)
        | E::And(a, b)
        | E::Or(a, b)
        | E::Eq(a, b)
        | E::Lt(a, b)
        | E::Le(a, b)
        | E::In(a, b)
        | E::Arith(_, a, b, _)
        | E::Deref(a, b) => out.extend([&**a, b]),
    }
}
