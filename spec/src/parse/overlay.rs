//! Bindings and claims that stand apart from what they speak of.

use super::{Builder, P, R, language};
use crate::decl::KindText;
use crate::syntax::*;
use pest::iterators::Pairs;

impl Builder {
    pub(super) fn bind(&mut self, i: Pairs<'_, R>) -> Item {
        let mut i = i.skip(1);
        let language = language(&i.next().expect("a language"));
        let what = i.next().expect("a kind or an instruction");
        let of_kind = what.as_rule() == R::bind_kind;
        let mut parts = what.into_inner();
        let name = self.name(parts.next().expect("a name"));
        let text = if of_kind {
            let mut text = KindText::default();
            parts.for_each(|clause| self.kind_text(clause, &mut text));
            Bound::Kind(text)
        } else {
            Bound::Instruction(self.string(parts.next().expect("a text")))
        };
        Item::Bind(Binding { language, name, text })
    }

    pub(super) fn claim(&mut self, i: Pairs<'_, R>) -> Item {
        let mut out = Claim { rules: vec![], commutes: vec![], late: None };
        for q in i.skip(1) {
            match q.as_rule() {
                R::path => out.rules.push(self.name(q)),
                R::late => out.late = self.late(q),
                _ => out.commutes.push(self.commutes(q)),
            }
        }
        Item::Claim(out)
    }

    /// Why a rule is put off.
    pub(super) fn late(&self, p: P<'_>) -> Option<String> {
        p.into_inner().nth(1).map(|s| self.string(s))
    }

    /// One thing that is said of values of a kind in a language: `type "…"`, `name N "…"`, `field f "…"`.
    pub(super) fn kind_text(&mut self, clause: P<'_>, of: &mut KindText) {
        let what = clause.as_rule();
        let mut inner = clause.into_inner();
        let word = inner.next().expect("a word");
        let text = self.string(inner.next().expect("a text"));
        match what {
            R::name_text => of.names.push((word.as_str().to_owned(), text)),
            R::field_text => {
                let field = if word.as_rule() == R::string { self.string(word) } else { word.as_str().to_owned() };
                of.fields.push((field, text));
            }
            _ => match word.as_str() {
                "type" => of.ty = Some(text),
                "init" => of.init = Some(text),
                "pass" => of.pass = Some(text),
                "leave" => of.leave = Some(text),
                "none" => of.none = Some(text),
                _ => of.none_list = Some(text),
            },
        }
    }
}
