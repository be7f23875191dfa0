//! Small changes of a specification, one at a time: what would be forbidden, or allowed, if one premise were not there?
//!
//! Changes are made to syntax trees that have been parsed once, so that each has its place and its text, and the checker
//! throws out those that are ill-typed (a premise that binds a name which is used). [`Bench::mutants`] lists them in the order of
//! the text, [`Bench::with`] makes the specification with one of them or more.

mod body;
mod expr;
mod rule;
mod spot;

use crate::check::Checked;
use crate::diag::{Diagnostic, Report};
use crate::load::Trees;
use crate::model::Spec;
use crate::source::{Span, one_line};
use crate::syntax::Item;
use std::fmt;

pub use spot::Spot;

/// What a change does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// A rule is left out.
    DropRule,
    /// A premise is left out.
    DropPremise,
    /// A condition becomes its opposite.
    Negate,
    /// A requirement is left out.
    DropRequirement,
    /// An update is left out.
    DropUpdate,
    /// One of several conditions that must all hold is left out.
    DropCondition,
    /// One of several conditions of which one must hold, an arm of a `match` or a branch of an `if` is left out.
    DropAlternative,
    /// A cell of a table is left out: one of the constructors in `{…}*`, an element of a list, a label of an event.
    DropCell,
    /// A step of a sequence is left out: of an instruction's events, its expansion or its implementation.
    DropStep,
    /// What a pattern asks of one part is no longer asked.
    Loosen,
    /// A pattern that matches anywhere in a sequence matches at one end alone.
    AtEnd,
    /// A pattern that matches at one end of a sequence matches anywhere.
    Anywhere,
    /// A number or a bound is one off.
    OffByOne,
    /// Two operands or arguments change places, or an operator becomes its counterpart.
    Swap,
    /// A truth value becomes the other one.
    Flip,
}

impl What {
    /// Its name in reports and files.
    pub fn name(self) -> &'static str {
        match self {
            What::DropRule => "drop-rule",
            What::DropPremise => "drop-premise",
            What::Negate => "negate",
            What::DropRequirement => "drop-requirement",
            What::DropUpdate => "drop-update",
            What::DropCondition => "drop-condition",
            What::DropAlternative => "drop-alternative",
            What::DropCell => "drop-cell",
            What::DropStep => "drop-step",
            What::Loosen => "loosen",
            What::AtEnd => "at-end",
            What::Anywhere => "anywhere",
            What::OffByOne => "off-by-one",
            What::Swap => "swap",
            What::Flip => "flip",
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Where in its item a change is, for finding the tests that come there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// In the premise of a rule of that number; what comes later is reached only through it.
    Premise(usize),
    /// Behind all premises of a rule: in what it requires or updates.
    Behind,
    /// Anywhere else.
    Whole,
}

/// A change.
#[derive(Debug, Clone)]
pub struct Mutant {
    /// The item that it changes: the number of its file, and its own there.
    pub item: (usize, usize),
    /// Its number among the changes of the item.
    pub number: usize,
    /// What is changed: `rule transfer`, `fun matches`.
    pub owner: String,
    /// What the change does.
    pub what: What,
    /// The place.
    pub span: Span,
    /// What stands there, on one line.
    pub from: String,
    /// What is put in its place; empty if it is left out.
    pub to: String,
    /// Where in the item it is.
    pub part: Part,
}

impl fmt::Display for Mutant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} `{}`", self.owner, self.what, self.from)?;
        if self.to.is_empty() { Ok(()) } else { write!(f, " → `{}`", self.to) }
    }
}

/// A model whose rules can be changed: its syntax trees, and what is known of them.
pub struct Bench {
    /// The syntax trees.
    pub trees: Trees,
    checked: Checked,
}

impl Bench {
    /// Checks the trees of a model.
    ///
    /// # Errors
    /// Errors of names and types.
    pub fn new(trees: Trees) -> Result<Bench, Report> {
        let checked = Checked::new(&trees.files, trees.sources.clone())?;
        Ok(Bench { trees, checked })
    }

    /// All changes of the items of a file, by its number, in the order of the text. Some of them may be ill-typed.
    pub fn mutants(&self, file: usize) -> Vec<Mutant> {
        let mut out = vec![];
        for (number, item) in self.trees.files[file].items.iter().enumerate() {
            let mut walk = Walk::new(None);
            walk.item(&mut item.clone());
            out.extend(walk.mutants((file, number), &owner(item)));
        }
        out
    }

    /// The specification with some changes, no two of one item.
    ///
    /// # Errors
    /// The changes make it ill-typed.
    pub fn with(&self, mutants: &[Mutant]) -> Result<Spec, Report> {
        let changed = mutants.iter().map(|m| Ok((m.item, self.changed(m)?))).collect::<Result<Vec<_>, Report>>()?;
        if changed.iter().all(|(_, item)| Checked::takes(item)) {
            let mut checked = self.checked.clone();
            changed.iter().try_for_each(|(_, item)| checked.put(item))?;
            return Ok(checked.into_spec());
        }
        let mut trees = self.trees.clone();
        changed.into_iter().for_each(|((file, number), item)| trees.files[file].items[number] = item);
        trees.check()
    }

    /// The item with a change of it.
    ///
    /// # Errors
    /// There is no such change.
    pub fn changed(&self, m: &Mutant) -> Result<Item, Report> {
        let mut item = self.trees.files[m.item.0].items[m.item.1].clone();
        let mut walk = Walk::new(Some(m.number));
        walk.item(&mut item);
        if walk.done { Ok(item) } else { Err(Diagnostic::at(&m.span, "there is no such change of this item").into()) }
    }

    /// The item that a change is of.
    pub fn item(&self, m: &Mutant) -> &Item {
        &self.trees.files[m.item.0].items[m.item.1]
    }
}

/// The name of an item, with what it is.
fn owner(item: &Item) -> String {
    match item {
        Item::Const(n, ..) => format!("const {}", n.node),
        Item::Variant(n, ..) => format!("variant {}", n.node),
        Item::State(n, ..) => format!("state {}", n.node),
        Item::Fun(f) => format!("fun {}", f.name.node),
        Item::Instruction(i) => format!("instruction {}", i.name.node),
        Item::Events(e) => format!("events {}", e.name.node),
        Item::Requirements(r) => format!("requirements {}", r.name.node),
        Item::Updates(u) => format!("updates {}", u.name.node),
        Item::Rule(r) => format!("rule {}", r.name.node),
        Item::Implement(i) => format!("implement {}", i.name.node),
        _ => String::new(),
    }
}

/// A change that was offered.
struct Found {
    number: usize,
    what: What,
    span: Span,
    from: String,
    to: String,
    part: Part,
}

/// A walk through an item that either lists the changes or makes one of them.
pub struct Walk {
    /// The change to make.
    pick: Option<usize>,
    next: usize,
    part: Part,
    found: Vec<Found>,
    /// The change has been made: what follows is left alone.
    pub done: bool,
}

impl Walk {
    /// A walk that makes the change of this number, or lists all.
    pub fn new(pick: Option<usize>) -> Walk {
        Walk { pick, next: 0, part: Part::Whole, found: vec![], done: false }
    }

    /// The changes that were found, of an item.
    pub fn mutants(self, item: (usize, usize), owner: &str) -> impl Iterator<Item = Mutant> {
        self.found.into_iter().map(move |f| Mutant {
            item,
            number: f.number,
            owner: owner.to_owned(),
            what: f.what,
            span: f.span,
            from: f.from,
            to: f.to,
            part: f.part,
        })
    }

    /// Offers a change; whether it is to be made.
    pub fn offer(&mut self, what: What, span: &Span, to: impl FnOnce() -> String) -> bool {
        if self.done {
            return false;
        }
        let number = self.next;
        self.next += 1;
        match self.pick {
            Some(k) => self.done = k == number,
            None => {
                let (from, part) = (one_line(span.text()), self.part);
                self.found.push(Found { number, what, span: span.clone(), from, to: one_line(&to()), part });
            }
        }
        self.done
    }

    /// Offers to leave out each element of a list, of which at least `least` must stay.
    pub fn drops<T>(&mut self, what: What, list: &mut Vec<T>, least: usize, span: impl Fn(&T) -> Span) {
        if list.len() <= least {
            return;
        }
        for i in 0..list.len() {
            if self.offer(what, &span(&list[i]), String::new) {
                list.remove(i);
                return;
            }
        }
    }
}
