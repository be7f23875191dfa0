//! Claims: what they observe and what they say of it.

use super::expr::unknown_field;
use super::fits;
use crate::ast::{Claim, Observable, Observed, Prop, Thread};
use crate::raw;
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::program::{Loc, Node};
use litmpi_spec::source::Span;
use litmpi_spec::suggest::nearest;

/// The claims while they are resolved.
pub(super) struct Claims<'a> {
    nodes: &'a [Node],
    locs: &'a [Loc],
    threads: &'a [Thread],
    decls: &'a Instructions,
    errors: &'a mut Vec<Diagnostic>,
    observed: Vec<Observable>,
}

/// A register or location that a name may mean, and how to say it without doubt.
struct Candidate {
    what: Observed,
    full: String,
}

impl<'a> Claims<'a> {
    pub(super) fn new(
        nodes: &'a [Node],
        locs: &'a [Loc],
        threads: &'a [Thread],
        decls: &'a Instructions,
        errors: &'a mut Vec<Diagnostic>,
    ) -> Claims<'a> {
        Claims { nodes, locs, threads, decls, errors, observed: Vec::new() }
    }

    /// What is observed and what is claimed.
    pub(super) fn all(mut self, raw: &raw::Test) -> (Vec<Observable>, Vec<Claim>) {
        let mut claims = Vec::new();
        for claim in &raw.claims {
            let prop = self.prop(&claim.prop);
            for (i, v) in claim.verdicts.iter().enumerate() {
                if claim.verdicts[..i].iter().any(|w| w.model == v.model && w.variant == v.variant) {
                    self.errors.push(
                        Diagnostic::at(&v.span, format!("a second verdict of `{}` on the same claim", v.model))
                            .found("the second")
                            .help("keep one, or name a variant: `verdict M (variant) …`"),
                    );
                }
            }
            claims.push(Claim {
                quantifier: claim.quantifier,
                prop,
                verdicts: claim.verdicts.clone(),
                seen: claim.seen.clone(),
                beside: claim.beside.clone(),
                span: claim.span.clone(),
            });
        }
        for o in &raw.locations {
            self.observe(o);
        }
        (self.observed, claims)
    }

    fn prop(&mut self, prop: &raw::Prop) -> Prop {
        match prop {
            raw::Prop::True => Prop::True,
            raw::Prop::Deadlock => Prop::Deadlock,
            raw::Prop::Erroneous => Prop::Erroneous,
            raw::Prop::Not(a) => Prop::Not(Box::new(self.prop(a))),
            raw::Prop::And(a, b) => Prop::And(Box::new(self.prop(a)), Box::new(self.prop(b))),
            raw::Prop::Or(a, b) => Prop::Or(Box::new(self.prop(a)), Box::new(self.prop(b))),
            raw::Prop::Chain { left, equal, right } => {
                let value = self.term(right);
                let atoms: Vec<Prop> = left.iter().map(|o| atom(self.observe(o), value, *equal)).collect();
                conjunction(atoms)
            }
            raw::Prop::Tuple { left, equal, right, .. } => {
                let mut atoms = Vec::new();
                for (o, term) in left.iter().zip(right) {
                    let value = self.term(term);
                    atoms.push(atom(self.observe(o), value, true));
                }
                let all = conjunction(atoms);
                if *equal { all } else { Prop::Not(Box::new(all)) }
            }
        }
    }

    /// A number, any kind's constant, or nothing for `undefined`.
    fn term(&mut self, term: &raw::Term) -> Option<i64> {
        let o = match term {
            raw::Term::Number(n) => {
                fits(n.value, &n.span, self.decls, self.errors);
                return Some(n.value);
            }
            raw::Term::Name(o) => o,
        };
        let plain = o.thread.is_none() && o.index.is_none() && o.field.is_none() && o.node.is_none();
        if plain && o.name.text == "undefined" {
            return None;
        }
        Some(self.constant(o, plain))
    }

    fn constant(&mut self, o: &raw::Observable, plain: bool) -> i64 {
        let mut values: Vec<i64> = Vec::new();
        if plain {
            values = self.decls.kinds.iter().filter_map(|k| k.value_of(&o.name.text)).collect();
            values.sort_unstable();
            values.dedup();
        }
        let text = o.span.text();
        match values.as_slice() {
            [one] => *one,
            [] => {
                let constants = self.decls.kinds.iter().flat_map(|k| k.names.iter().map(|(n, _)| n.as_str()));
                let help = nearest(&o.name.text, constants).map_or_else(
                    || "compare with a number or a constant of the specification".to_string(),
                    |n| format!("did you mean `{n}`?"),
                );
                self.errors.push(
                    Diagnostic::at(&o.span, format!("`{text}` is not a value")).found("not a constant").help(help),
                );
                0
            }
            _ => {
                let d = Diagnostic::at(&o.span, format!("`{text}` has several values")).found("which one?");
                self.errors.push(d.help("write the number"));
                0
            }
        }
    }

    /// The index of what is named among the observed, added if new; nothing on error.
    fn observe(&mut self, o: &raw::Observable) -> Option<usize> {
        let what = self.find(o)?;
        let what = self.scalar(o, what)?;
        if let Some(i) = self.observed.iter().position(|seen| seen.what == what) {
            return Some(i);
        }
        let mut name = written(o);
        if let Some(thread) = &o.thread {
            name = format!("{}:{name}", thread.value);
        }
        if let Some(field) = &o.field {
            name = format!("{name}.{}", field.text);
        }
        if let Some(node) = &o.node {
            name = format!("{name}@{}", node.value);
        }
        self.observed.push(Observable { name, what });
        Some(self.observed.len() - 1)
    }

    fn find(&mut self, o: &raw::Observable) -> Option<Observed> {
        let name = written(o);
        let all = self.candidates(&name);
        let fits: Vec<&Candidate> = if let Some(number) = &o.thread {
            let Some(t) = self.threads.iter().position(|t| t.number == number.value) else {
                let known: Vec<String> = self.threads.iter().map(|t| t.number.to_string()).collect();
                self.missing(
                    &number.span,
                    &format!("there is no thread {}", number.value),
                    "not declared",
                    &format!("threads are: {}", known.join(", ")),
                );
                return None;
            };
            let node = self.threads[t].node;
            all.iter().filter(|c| c.within(self.locs, Some(t), node)).collect()
        } else if let Some(number) = &o.node {
            let Some(node) = self.nodes.iter().position(|n| n.number == number.value) else {
                let known: Vec<String> = self.nodes.iter().map(|n| n.number.to_string()).collect();
                self.missing(
                    &number.span,
                    &format!("there is no node {}", number.value),
                    "not declared",
                    &format!("nodes are: {}", known.join(", ")),
                );
                return None;
            };
            all.iter().filter(|c| c.within(self.locs, None, node)).collect()
        } else {
            all.iter().collect()
        };
        match fits.as_slice() {
            [one] => Some(one.what.clone()),
            [] => {
                let help = self.elsewhere(&name, &all);
                self.missing(&o.span, &format!("`{}` is not in the program", o.span.text()), "unknown name", &help);
                None
            }
            several => {
                let names: Vec<String> = several.iter().map(|c| format!("`{}`", c.full)).collect();
                self.missing(
                    &o.span,
                    &format!("`{name}` is ambiguous"),
                    "which one?",
                    &format!("write one of: {}", names.join(", ")),
                );
                None
            }
        }
    }

    fn missing(&mut self, span: &Span, message: &str, found: &str, help: &str) {
        self.errors.push(Diagnostic::at(span, message).found(found).help(help));
    }

    /// Help for a name that is nowhere, or only where it was not sought.
    fn elsewhere(&self, name: &str, all: &[Candidate]) -> String {
        if let Some(c) = all.first() {
            return format!("did you mean `{}`?", c.full);
        }
        let element = format!("{name}[0]");
        if self.locs.iter().any(|l| l.name == element) {
            return format!("`{name}` is an array: name an element, `{element}`");
        }
        let locs = self.locs.iter().map(|l| l.name.as_str());
        let regs = self.threads.iter().flat_map(|t| t.regs.iter().map(|r| r.name.as_str()));
        match nearest(name, locs.chain(regs)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "name a location, or a register that some thread assigns".to_string(),
        }
    }

    /// Everything of that name.
    fn candidates(&self, name: &str) -> Vec<Candidate> {
        let mut all = Vec::new();
        for (i, loc) in self.locs.iter().enumerate().filter(|(_, l)| l.name == name) {
            let node = self.nodes[loc.node].number;
            let owner = self.threads.iter().filter(|t| t.node == loc.node).map(|t| t.number).next();
            let full = owner.map_or_else(|| format!("{name}@{node}"), |t| format!("{t}:{name}"));
            all.push(Candidate { what: Observed::Loc(i), full });
        }
        for (t, thread) in self.threads.iter().enumerate() {
            for (r, _) in thread.regs.iter().enumerate().filter(|(_, r)| r.name == name) {
                all.push(Candidate { what: Observed::Reg(t, r, None), full: format!("{}:{name}", thread.number) });
            }
        }
        all
    }

    /// The number that is observed: the location, the register, or its field.
    fn scalar(&mut self, o: &raw::Observable, what: Observed) -> Option<Observed> {
        let Observed::Reg(t, r, _) = what else {
            let Some(field) = &o.field else { return Some(what) };
            let message = format!("`{}` has no fields", o.name.text);
            self.missing(&field.span, &message, "a location", "only registers that hold records have fields");
            return None;
        };
        let decls = self.decls;
        let ty = &self.threads[t].regs[r].ty;
        let fields = decls.records.iter().find(|(n, _)| n == ty).map_or(&[][..], |(_, f)| f.as_slice());
        match &o.field {
            None if ty == "Int" || ty == "Blob" => Some(Observed::Reg(t, r, None)),
            None => {
                let help = match fields.first() {
                    Some(first) => format!("name a field: `{}.{first}`", o.span.text()),
                    None => format!("a {ty} cannot be observed"),
                };
                let message = format!("`{}` is not a number", o.name.text);
                self.missing(&o.span, &message, &format!("a register of type {ty}"), &help);
                None
            }
            Some(field) if fields.contains(&field.text) => Some(Observed::Reg(t, r, Some(field.text.clone()))),
            Some(field) => {
                self.errors.push(unknown_field(&o.name.text, ty, field, fields));
                None
            }
        }
    }
}

impl Candidate {
    fn within(&self, locs: &[Loc], thread: Option<usize>, node: usize) -> bool {
        match &self.what {
            Observed::Loc(i) => locs[*i].node == node,
            Observed::Reg(t, ..) => Some(*t) == thread,
        }
    }
}

/// The name with its index, as locations are named.
fn written(o: &raw::Observable) -> String {
    match &o.index {
        Some(index) => format!("{}[{}]", o.name.text, index.value),
        None => o.name.text.clone(),
    }
}

fn atom(observed: Option<usize>, value: Option<i64>, equal: bool) -> Prop {
    match (observed, value) {
        // Reported already; the test is refused.
        (None, _) => Prop::True,
        (Some(i), Some(value)) if equal => Prop::Eq(i, value),
        (Some(i), Some(value)) => Prop::Ne(i, value),
        (Some(i), None) if equal => Prop::Undefined(i),
        (Some(i), None) => Prop::Not(Box::new(Prop::Undefined(i))),
    }
}

fn conjunction(atoms: Vec<Prop>) -> Prop {
    atoms.into_iter().reduce(|a, b| Prop::And(Box::new(a), Box::new(b))).unwrap_or(Prop::True)
}
