//! Bindings and claims.

use super::doc::{Doc, align, cat, filled, group, nest};
use super::expr::{Level, expr};
use super::{LANGUAGES, quoted};
use crate::decl::KindText;
use crate::syntax::{Binding, Bound, Claim, Commutes, Name, Whose};

pub(super) fn bind(b: &Binding) -> Doc {
    let language = LANGUAGES.iter().find(|(_, l)| *l == b.language).map_or("", |(word, _)| word);
    match &b.text {
        Bound::Instruction(text) => {
            let head = format!("bind {language} {}", b.name.node).into();
            group(nest(cat([head, Doc::Line, quoted(text).into()])))
        }
        Bound::Kind(text) => {
            let head = Doc::from(format!("bind {language} kind {}", b.name.node));
            let clauses = kind_text(text).flat_map(|t| [Doc::Line, t.into()]);
            group(nest(Doc::Cat([head].into_iter().chain(clauses).collect())))
        }
    }
}

pub(super) fn claim(c: &Claim) -> Doc {
    let clauses = claims(&c.commutes, c.late.as_deref()).flat_map(|d| [Doc::Line, d]);
    let rules = align(filled(c.rules.iter().map(|n| n.node.clone().into())));
    nest(Doc::Cat(["claim ".into(), rules].into_iter().chain(clauses).collect()))
}

/// `commutes with …`, `waits for …` and `late …`, each a clause.
pub(super) fn claims(commutes: &[Commutes], late: Option<&str>) -> impl Iterator<Item = Doc> {
    let commutes = commutes.iter().map(|c| {
        let when = c.when.as_ref().map(|e| cat(["when ".into(), align(expr(e, Level::Whole))]));
        let because = format!("because {}", quoted(&c.because)).into();
        let of = c.of.as_ref().map(|(whose, p)| match whose {
            Whose::Another => format!("of another {}", p.node).into(),
            Whose::TheSame => format!("of the same {}", p.node).into(),
        });
        let rules = |names: &[Name]| align(filled(names.iter().map(|n| n.node.clone().into())));
        let without = (!c.without.is_empty()).then(|| cat(["without ".into(), rules(&c.without)]));
        let over = (!c.over.is_empty()).then(|| cat(["over ".into(), rules(&c.over)]));
        let unless = c.unless_erroneous.then(|| "unless erroneous".into());
        let behind = over
            .into_iter()
            .chain(of)
            .chain(without)
            .chain(unless)
            .chain(when)
            .chain([because])
            .flat_map(|d| [group(Doc::Line), d]);
        let verb = if c.waits { "waits for " } else { "commutes with " };
        nest(Doc::Cat([verb.into(), rules(&c.with)].into_iter().chain(behind).collect()))
    });
    commutes.chain(late.map(|why| format!("late because {}", quoted(why)).into()))
}

/// What is said of values of a kind, clause by clause.
pub(super) fn kind_text(text: &KindText) -> impl Iterator<Item = String> {
    let KindText { ty, init, pass, none, none_list, leave, fields, names } = text;
    let words =
        [("type", ty), ("init", init), ("pass", pass), ("none", none), ("none_list", none_list), ("leave", leave)];
    let words = words.into_iter().filter_map(|(word, t)| t.as_ref().map(|t| format!("{word} {}", quoted(t))));
    let names = names.iter().map(|(name, t)| format!("name {name} {}", quoted(t)));
    let fields = fields.iter().map(|(field, t)| format!("field {} {}", quoted(field), quoted(t)));
    words.chain(names).chain(fields)
}
