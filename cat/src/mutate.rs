//! Small changes of a declarative model, one at a time: see [`litmpi_spec::mutate`].

use super::load::Trees;
use super::syntax::{Binary, Expr, Item, Node, Unary};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::mutate::{Mutant, Walk, What};
use litmpi_spec::source::one_line;

impl Trees {
    /// All changes, in the order of the text; those of the library that every model includes are not among them.
    pub fn mutants(&self) -> Vec<Mutant> {
        let mut out = vec![];
        for (number, item) in self.items.iter().enumerate() {
            let mut walk = Walk::new(None);
            change(&mut walk, &mut vec![item.clone()]);
            let owner = owner(item);
            let found = walk.mutants((0, number), &owner);
            out.extend(found.filter(|m| !m.span.source.name.ends_with("/stdlib.cat")));
        }
        out
    }

    /// The statements with a change.
    ///
    /// # Errors
    /// There is no such change.
    pub fn with(&self, m: &Mutant) -> Result<Trees, Report> {
        let mut out = self.clone();
        let mut walk = Walk::new(Some(m.number));
        let mut item = vec![out.items[m.item.1].clone()];
        change(&mut walk, &mut item);
        if !walk.done {
            return Err(Diagnostic::at(&m.span, "there is no such change of this statement").into());
        }
        out.items.splice(m.item.1..=m.item.1, item);
        Ok(out)
    }
}

fn owner(item: &Item) -> String {
    match item {
        Item::Include(name) => format!("include {}", name.node),
        Item::Let(_, bindings, _) => {
            let names: Vec<&str> = bindings.iter().map(|b| b.name.node.as_str()).collect();
            format!("let {}", names.join(", "))
        }
        Item::With(name, ..) => format!("with {}", name.node),
        Item::Each(each) => format!("forall {}", each.name.node),
        Item::Check(c) => {
            let name = c.name.as_ref().map_or_else(|| one_line(c.expr.span.text()), |n| n.node.clone());
            format!("{} {name}", if c.flag { "flag" } else { "check" })
        }
        Item::Procedure(p) => format!("procedure {}", p.name.node),
        Item::Call(name, ..) => format!("call {}", name.node),
        Item::Either(..) => "if".into(),
        Item::Cases(..) => "match".into(),
        Item::Beyond(what, _) => (*what).into(),
    }
}

/// Changes of a statement, which is alone in its list.
fn change(walk: &mut Walk, item: &mut Vec<Item>) {
    match &mut item[0] {
        Item::Include(_) => {}
        Item::Let(_, bindings, _) => bindings.iter_mut().for_each(|b| expr(walk, &mut b.body)),
        Item::With(_, _, args) => args.iter_mut().for_each(|e| expr(walk, e)),
        Item::Each(each) => {
            expr(walk, &mut each.of);
            inside(walk, &mut each.items);
        }
        Item::Procedure(p) => inside(walk, &mut p.items),
        Item::Call(_, args, _) => args.iter_mut().for_each(|e| expr(walk, e)),
        Item::Either(_, then, els) => [then, els].into_iter().for_each(|items| inside(walk, items)),
        Item::Cases(_, cases) => cases.iter_mut().for_each(|(_, items)| inside(walk, items)),
        Item::Beyond(..) => {}
        Item::Check(c) => {
            if walk.offer(What::DropRequirement, &c.span, String::new) {
                item.clear();
                return;
            }
            expr(walk, &mut c.expr);
        }
    }
}

/// Changes of statements that stand inside of another one.
fn inside(walk: &mut Walk, items: &mut Vec<Item>) {
    *items = std::mem::take(items)
        .into_iter()
        .flat_map(|item| {
            let mut alone = vec![item];
            change(walk, &mut alone);
            alone
        })
        .collect();
}

fn expr(walk: &mut Walk, e: &mut Expr) {
    for (what, new) in local(e) {
        if walk.offer(what, &e.span, || text(&new)) {
            *e = new;
            return;
        }
    }
    match &mut e.node {
        Node::Binary(_, a, b) | Node::Try(a, b) | Node::Add(a, b) | Node::If(_, a, b) => {
            [a, b].into_iter().for_each(|e| expr(walk, e))
        }
        Node::Unary(_, a) | Node::Fun(_, a) => expr(walk, a),
        Node::Apply(_, args) | Node::Tuple(args) | Node::Members(args) => args.iter_mut().for_each(|e| expr(walk, e)),
        Node::Local(_, bindings, body) => {
            bindings.iter_mut().for_each(|b| expr(walk, &mut b.body));
            expr(walk, body);
        }
        Node::Match(subject, arms) => {
            expr(walk, subject);
            arms.iter_mut().for_each(|(_, e)| expr(walk, e));
        }
        Node::Name(_) | Node::Universe | Node::Nothing | Node::Tag(_) | Node::Compared => {}
    }
}

/// What is kept of an expression stands in the text already; of a product that is turned around, both sides do.
fn text(new: &Expr) -> String {
    match &new.node {
        Node::Binary(Binary::Product, a, b) if a.span.start > b.span.start => {
            format!("{} * {}", a.span.text(), b.span.text())
        }
        _ => new.span.text().to_owned(),
    }
}

fn local(e: &Expr) -> Vec<(What, Expr)> {
    let both = |what, a: &Expr, b: &Expr| vec![(what, a.clone()), (what, b.clone())];
    match &e.node {
        Node::Binary(Binary::Union, a, b) => both(What::DropAlternative, a, b),
        Node::Binary(Binary::Meet, a, b) => both(What::DropCondition, a, b),
        Node::Binary(Binary::Sequence, a, b) => both(What::DropStep, a, b),
        Node::Binary(Binary::Difference, a, _) => vec![(What::DropCondition, (**a).clone())],
        // A square is the same either way round.
        Node::Binary(Binary::Product, a, b) if a.span.text() == b.span.text() => vec![],
        Node::Binary(Binary::Product, a, b) => {
            let node = Node::Binary(Binary::Product, b.clone(), a.clone());
            vec![(What::Swap, Expr { node, span: e.span.clone() })]
        }
        Node::Unary(Unary::Inverse, a) => vec![(What::Swap, (**a).clone())],
        Node::Unary(Unary::Complement, a) => vec![(What::Negate, (**a).clone())],
        Node::Unary(Unary::Plus | Unary::Star | Unary::Option, a) => vec![(What::DropAlternative, (**a).clone())],
        _ => vec![],
    }
}
