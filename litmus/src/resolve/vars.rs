//! Locations: declared, implicit, anonymous.

use super::classify::Uses;
use super::fits;
use crate::raw;
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::program::{Loc, Node};
use litmpi_spec::source::Span;
use std::collections::BTreeMap;

/// The longest array.
const LONGEST: i64 = 1024;

/// A named variable of a node.
#[derive(Debug, Clone)]
pub(super) struct Var {
    /// Its first location.
    pub(super) first: usize,
    /// Elements, if it is an array.
    pub(super) len: Option<usize>,
    span: Span,
}

/// All locations of a test.
pub(super) struct Vars {
    /// Declared and implicit ones by node, then the anonymous ones.
    pub(super) locs: Vec<Loc>,
    by_name: BTreeMap<(usize, String), Var>,
    /// Objects that all nodes share: the kind of each, and the first of its locations.
    objects: BTreeMap<String, (usize, usize)>,
}

impl Vars {
    /// What nodes and ranks declare. Implicit locations come between, so nothing is numbered for good before
    /// [`Vars::imply`].
    pub(super) fn declare(raw: &raw::Test, decls: &Instructions, nodes: &[Node], errors: &mut Vec<Diagnostic>) -> Vars {
        let mut vars = Vars { locs: Vec::new(), by_name: BTreeMap::new(), objects: BTreeMap::new() };
        for (i, node) in nodes.iter().enumerate() {
            for block in raw.nodes.iter().filter(|b| b.number.value == node.number) {
                for variable in &block.variables {
                    vars.variable(i, node.number, variable, errors);
                    match &variable.init {
                        raw::Init::Zero => {}
                        raw::Init::All(n) => fits(n.value, &n.span, decls, errors),
                        raw::Init::Each(values, _) => values.iter().for_each(|n| fits(n.value, &n.span, decls, errors)),
                    }
                }
            }
        }
        vars
    }

    fn variable(&mut self, node: usize, number: i64, v: &raw::Variable, errors: &mut Vec<Diagnostic>) {
        let name = &v.name.text;
        if name.starts_with('$') {
            errors.push(
                Diagnostic::at(&v.name.span, format!("`{name}` cannot be a location"))
                    .found("a hidden register's name")
                    .help("begin the name with a letter"),
            );
        }
        if let Some(before) = self.get(node, name) {
            errors.push(
                Diagnostic::at(&v.name.span, format!("`{name}` is declared twice on node {number}"))
                    .found(format!("declared before, at {}", before.span))
                    .help("remove one, or rename it"),
            );
            return;
        }
        let len = v.len.as_ref().map(|n| {
            if n.value < 1 || n.value > LONGEST {
                errors.push(
                    Diagnostic::at(&n.span, format!("an array cannot have {} elements", n.value))
                        .found("the length")
                        .help(format!("1 to {LONGEST} elements")),
                );
            }
            usize::try_from(n.value.clamp(1, LONGEST)).unwrap_or(1)
        });
        let count = len.unwrap_or(1);
        let initial: Vec<i64> = match &v.init {
            raw::Init::Zero => vec![0; count],
            raw::Init::All(n) => vec![n.value; count],
            raw::Init::Each(values, span) => {
                let wrong = if len.is_none() {
                    Some((format!("`{name}` is not an array"), format!("write `{name}[{}] = …`", values.len().max(1))))
                } else if values.len() != count {
                    let message = format!("`{name}` has {count} elements, but {} values are given", values.len());
                    Some((message, "give one value for each element, or one for all: `r[4] = 0`".to_string()))
                } else {
                    None
                };
                if let Some((message, help)) = wrong {
                    errors.push(Diagnostic::at(span, message).found("the values").help(help));
                }
                (0..count).map(|i| values.get(i).map_or(0, |n| n.value)).collect()
            }
        };
        self.add(node, name, len, &initial, &v.name.span);
    }

    fn add(&mut self, node: usize, name: &str, len: Option<usize>, initial: &[i64], span: &Span) {
        let first = self.locs.len();
        for (i, value) in initial.iter().enumerate() {
            let name = if len.is_some() { format!("{name}[{i}]") } else { name.to_string() };
            let room = u32::try_from(initial.len() - i).unwrap_or(u32::MAX);
            self.locs.push(Loc { name, node, initial: *value, room });
        }
        self.by_name.insert((node, name.to_string()), Var { first, len, span: span.clone() });
    }

    /// The variable of that name on the node.
    pub(super) fn get(&self, node: usize, name: &str) -> Option<&Var> {
        self.by_name.get(&(node, name.to_string()))
    }

    /// The nodes that have a variable of that name.
    pub(super) fn nodes_with(&self, name: &str) -> Vec<usize> {
        self.by_name.keys().filter(|(_, n)| n == name).map(|(node, _)| *node).collect()
    }

    /// Names of the node's variables.
    pub(super) fn names(&self, node: usize) -> impl Iterator<Item = &str> {
        self.by_name.keys().filter(move |(n, _)| *n == node).map(|(_, name)| name.as_str())
    }

    /// The object of that name, made when it is first used, with its kind; a location on each of the nodes.
    pub(super) fn object(&mut self, name: &str, kind: usize, nodes: usize) -> (usize, usize) {
        if let Some(known) = self.objects.get(name) {
            return *known;
        }
        let first = self.locs.len();
        self.locs.extend((0..nodes).map(|node| Loc { name: name.to_owned(), node, initial: 0, room: 0 }));
        self.objects.insert(name.to_owned(), (kind, first));
        (kind, first)
    }

    /// The location that holds a literal, one for each value and node.
    pub(super) fn anonymous(&mut self, node: usize, value: i64) -> usize {
        let name = format!("${value}");
        if let Some(i) = self.locs.iter().position(|l| l.node == node && l.name == name) {
            return i;
        }
        self.locs.push(Loc { name, node, initial: value, room: 1 });
        self.locs.len() - 1
    }

    /// Makes the implicit locations, each behind what its node declares, and gives back each thread's registers.
    pub(super) fn imply(
        &mut self,
        threads: &[(&raw::Thread, usize)],
        uses: Vec<Uses>,
        nodes: &[Node],
        errors: &mut Vec<Diagnostic>,
    ) -> Vec<Vec<(String, String)>> {
        let mut owner: BTreeMap<(usize, String), usize> = BTreeMap::new();
        for (t, u) in uses.iter().enumerate() {
            for name in &u.locations {
                let node = threads[t].1;
                if self.get(node, &name.text).is_none() {
                    self.add(node, &name.text, None, &[0], &name.span);
                    owner.insert((node, name.text.clone()), t);
                }
            }
        }
        self.sort();
        for (t, u) in uses.iter().enumerate() {
            let (thread, node) = threads[t];
            for name in u.locations.iter().chain(u.registers.iter().map(|(name, _)| name)) {
                let text = &name.text;
                let here = owner.get(&(node, text.clone()));
                if here.is_some_and(|o| *o != t) {
                    let number = nodes[node].number;
                    errors.push(
                        Diagnostic::at(&name.span, format!("two threads of node {number} use `{text}` undeclared"))
                            .found("is it one location?")
                            .help(format!(
                                "declare it to share it, `node {number} {{ {text} = 0 }}`, or rename it here"
                            )),
                    );
                }
                let declared_here = self.get(node, text).is_some() && here.is_none();
                let elsewhere = self.nodes_with(text).into_iter().find(|n| *n != node);
                if let (false, false, Some(other)) = (thread.rank, declared_here, elsewhere) {
                    errors.push(wrong_node(text, &name.span, nodes[other].number, nodes[node].number));
                }
            }
        }
        uses.into_iter()
            .enumerate()
            .map(|(t, u)| {
                let known = |name: &str| self.get(threads[t].1, name).is_some();
                let own = u.registers.into_iter().filter(|(name, _)| !known(&name.text));
                own.map(|(name, ty)| (name.text, ty)).collect()
            })
            .collect()
    }

    /// Brings the locations of each node together.
    fn sort(&mut self) {
        let mut order: Vec<usize> = (0..self.locs.len()).collect();
        order.sort_by_key(|i| (self.locs[*i].node, *i));
        self.locs = order.iter().map(|i| self.locs[*i].clone()).collect();
        for var in self.by_name.values_mut() {
            var.first = order.iter().position(|i| *i == var.first).unwrap_or(var.first);
        }
    }
}

/// A name that belongs to another node.
pub(super) fn wrong_node(name: &str, span: &Span, other: i64, own: i64) -> Diagnostic {
    Diagnostic::at(span, format!("`{name}` is on node {other}, this thread runs on node {own}"))
        .found("wrong node")
        .help(format!(
            "write `{name}@{other}` in a put or get, declare `{name}` on node {own} too, or choose another name"
        ))
}
