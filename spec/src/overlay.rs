//! Bindings and claims are put where they belong: a file that says how instructions stand in C, or which steps commute, speaks of
//! instructions and rules of the files that it imports, and is laid over their trees before names and types are checked.

use crate::decl::{KindText, Language};
use crate::diag::{Diagnostic, Report};
use crate::suggest::suggest;
use crate::syntax::{Binding, Bound, Claim, File, Instruction, Item, Kind, Name, Rule};
use std::collections::BTreeSet;

/// What one file says of one rule, kind or instruction of another.
struct Said {
    /// The number of the file that says it.
    from: usize,
    /// The rule, kind or instruction.
    name: Name,
    what: What,
}

enum What {
    Binding(Binding),
    Claim(Claim),
}

/// What files say of others, until the file that it speaks of is there.
#[derive(Default)]
pub(crate) struct Overlay {
    /// What no file has been found for yet.
    pending: Vec<Said>,
    errors: Report,
}

impl Overlay {
    /// Lays what the last file says over the files, by their numbers, that it imports, and over it what these say and
    /// found nowhere: a model that has rules of its own imports the file that speaks of them.
    pub(crate) fn lay(&mut self, below: &BTreeSet<usize>, files: &mut [File]) {
        let last = files.len() - 1;
        for said in files[last].items.iter().flat_map(|item| said(last, item)).collect::<Vec<Said>>() {
            if !self.put(&said, below, files) {
                self.pending.push(said);
            }
        }
        let own = BTreeSet::from([last]);
        for said in std::mem::take(&mut self.pending) {
            if !below.contains(&said.from) || !self.put(&said, &own, files) {
                self.pending.push(said);
            }
        }
    }

    /// That everything found its place.
    ///
    /// # Errors
    /// A name that no file declares which is imported, or imports; a text that is there already.
    pub(crate) fn into_result(mut self, files: &[File]) -> Result<(), Report> {
        for said in &self.pending {
            let (what, name) = (said.what.word(), &said.name);
            let known: Vec<&str> = files
                .iter()
                .flat_map(|f| &f.items)
                .filter_map(|i| declares(i, what))
                .map(|n| n.node.as_str())
                .collect();
            let help = suggest(&name.node, &known, &format!("import the file that declares the {what}"));
            let message = format!("no imported {what} is called `{}`", name.node);
            self.errors.0.push(Diagnostic::at(&name.span, message).found(format!("unknown {what}")).help(help));
        }
        self.errors.into_result()
    }

    /// Puts it where it belongs among some files; whether that was found. Of several (a rule that was left out and is said
    /// anew) it is the one of the latest file.
    fn put(&mut self, said: &Said, among: &BTreeSet<usize>, files: &mut [File]) -> bool {
        let is_it = |i: &Item| declares(i, said.what.word()).is_some_and(|n| n.node == said.name.node);
        let place = among.iter().rev().find_map(|f| files[*f].items.iter().position(is_it).map(|i| (*f, i)));
        let Some((f, i)) = place else { return false };
        let result = match (&said.what, &mut files[f].items[i]) {
            (What::Claim(c), Item::Rule(r)) => claim(c, &said.name, r),
            (What::Binding(b), Item::Instruction(i)) => bind(b, i),
            (What::Binding(b), Item::Kind(k)) => merge(b, k),
            _ => unreachable!("it was found as what it is"),
        };
        self.errors.0.extend(result.err());
        true
    }
}

/// What an item says of others, one by one.
fn said(from: usize, item: &Item) -> Vec<Said> {
    match item {
        Item::Bind(b) => vec![Said { from, name: b.name.clone(), what: What::Binding(b.clone()) }],
        Item::Claim(c) => {
            c.rules.iter().map(|r| Said { from, name: r.clone(), what: What::Claim(c.clone()) }).collect()
        }
        _ => vec![],
    }
}

impl What {
    /// What it speaks of.
    fn word(&self) -> &'static str {
        match self {
            What::Claim(_) => "rule",
            What::Binding(b) if matches!(b.text, Bound::Kind(_)) => "kind",
            What::Binding(_) => "instruction",
        }
    }
}

/// The name that an item declares, if it is of that sort.
fn declares<'i>(item: &'i Item, what: &str) -> Option<&'i Name> {
    match (item, what) {
        (Item::Rule(r), "rule") => Some(&r.name),
        (Item::Kind(k), "kind") => Some(&k.name),
        (Item::Instruction(i), "instruction") => Some(&i.name),
        _ => None,
    }
}

fn bind(b: &Binding, i: &mut Instruction) -> Result<(), Diagnostic> {
    let Bound::Instruction(text) = &b.text else { return Ok(()) };
    set(i.text.of_mut(b.language), Some(text.clone()), || twice(b, "its statement"))
}

fn claim(c: &Claim, name: &Name, r: &mut Rule) -> Result<(), Diagnostic> {
    r.commutes.extend(c.commutes.iter().cloned());
    set(&mut r.late, c.late.clone(), || {
        Diagnostic::at(&name.span, format!("`{}` is said to be late already", name.node))
            .found("the second")
            .help("remove one")
    })
}

fn merge(b: &Binding, k: &mut Kind) -> Result<(), Diagnostic> {
    let Bound::Kind(text) = b.text.clone() else { return Ok(()) };
    let of = k.text.of_mut(b.language);
    let KindText { ty, init, pass, none, none_list, leave, fields, names } = text;
    let words = [
        (&mut of.ty, ty, "type"),
        (&mut of.init, init, "init"),
        (&mut of.pass, pass, "pass"),
        (&mut of.none, none, "none"),
        (&mut of.none_list, none_list, "none_list"),
        (&mut of.leave, leave, "leave"),
    ];
    for (place, text, word) in words {
        set(place, text, || twice(b, &format!("`{word}`")))?;
    }
    for (list, more) in [(&mut of.fields, fields), (&mut of.names, names)] {
        for (name, text) in more {
            if list.iter().any(|(n, _)| *n == name) {
                return Err(twice(b, &format!("`{name}`")));
            }
            list.push((name, text));
        }
    }
    Ok(())
}

fn set<T>(place: &mut Option<T>, text: Option<T>, twice: impl Fn() -> Diagnostic) -> Result<(), Diagnostic> {
    match text {
        Some(_) if place.is_some() => Err(twice()),
        Some(text) => {
            *place = Some(text);
            Ok(())
        }
        None => Ok(()),
    }
}

fn twice(b: &Binding, what: &str) -> Diagnostic {
    let language = if b.language == Language::C { "C" } else { "Rust" };
    Diagnostic::at(&b.name.span, format!("`{}` has {what} in {language} already", b.name.node))
        .found("the second")
        .help("it stands with the declaration, or in another file of bindings: remove one")
}
