//! A law put to a program: its second form, as text.

use super::program::Program;
use super::syntax::{Arg, Compare, Expr, Law, Rewriting, Scope, Stmt};
use litmpi_litmus::sites::{self, Call, Rank};
use litmpi_spec::decl::{Default, Instructions};
use litmpi_spec::source::Source;
use std::collections::BTreeMap;
use std::ops::Range;

/// Why a law does not speak of a program, or of a call.
pub(super) struct Apart;

/// The second forms of a program under a law; none if the law does not speak of it.
pub(crate) fn forms(law: &Law, program: &Program, decls: &Instructions) -> Vec<Program> {
    let text = program.text();
    let Ok(ranks) = sites::ranks(&Source::new("program", text.as_str())) else { return vec![] };
    let calls = || ranks.iter().flat_map(|r| r.calls.iter().map(move |c| (r, c)));
    if calls().any(|(_, c)| law.without.iter().any(|g| fits(g, &c.name))) {
        return vec![];
    }
    let mut found: Vec<(&Rank, &Call, &Rewriting)> = vec![];
    for (rank, call) in calls() {
        for (_, wheres) in law.never.iter().filter(|(g, _)| fits(g, &call.name)) {
            let Ok(bound) = bind(call, decls) else { return vec![] };
            let scope = Names { bound, rank: rank.number, size: ranks.len(), own: Own::default(), decls };
            if !wheres.iter().any(|w| matches!(scope.holds(w), Ok(false))) {
                return vec![];
            }
        }
        let Some(rewriting) = law.rewritings.iter().find(|r| fits(&r.name, &call.name)) else { continue };
        let Ok(bound) = bind(call, decls) else { return vec![] };
        let scope = Names { bound, rank: rank.number, size: ranks.len(), own: Own::default(), decls };
        match rewriting.wheres.iter().map(|w| scope.holds(w)).collect::<Result<Vec<bool>, Apart>>() {
            Ok(all) if all.iter().all(|b| *b) => found.push((rank, call, rewriting)),
            _ if rewriting.scope == Scope::Every => return vec![],
            _ => {}
        }
    }
    let one = found.iter().any(|(_, _, r)| r.scope == Scope::One);
    let mut of: Vec<Vec<(&Rank, &Call, &Rewriting)>> = vec![];
    if one && found.len() > 1 {
        of.extend(found.iter().map(|f| vec![*f]));
    }
    if !found.is_empty() {
        of.push(found);
    }
    let made = of.into_iter().filter_map(|sites| rewritten(law, &text, &ranks, &sites, decls).ok());
    let read = |text: String| Program::read(&program.name, &Source::new("second form", text));
    made.filter_map(read).map(|p| if law.reordered { p.reversed() } else { p }).collect()
}

/// Whether a name fits a pattern with at most one star.
pub(super) fn fits(glob: &str, name: &str) -> bool {
    match glob.split_once('*') {
        None => glob == name,
        Some((a, b)) => name.len() >= a.len() + b.len() && name.starts_with(a) && name.ends_with(b),
    }
}

/// What a name of the law stands for at a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bound {
    One(String),
    List(Vec<String>),
}

/// Each parameter of a call with what it is given.
pub(super) fn bind(call: &Call, decls: &Instructions) -> Result<BTreeMap<String, Bound>, Apart> {
    let decl = decls.find(&call.name).map(|i| &decls.list[i]).ok_or(Apart)?;
    let mut bound = BTreeMap::new();
    for (i, (label, value)) in call.args.iter().enumerate() {
        let param = match label {
            Some(name) => decl.param(name).map(|p| &decl.params[p]),
            None => decl.params.get(i),
        };
        let inner = value.strip_prefix('[').and_then(|v| v.strip_suffix(']'));
        let value = match inner {
            Some(list) => Bound::List(split(list)),
            None => Bound::One(plain(value).to_owned()),
        };
        bound.insert(param.ok_or(Apart)?.name.clone(), value);
    }
    for param in decl.params.iter().filter(|p| !bound.contains_key(&p.name)).cloned().collect::<Vec<_>>() {
        let value = match &param.default {
            Some(Default::Int(_, Some(name))) => name.clone(),
            Some(Default::Int(value, None)) => value.to_string(),
            Some(Default::NoRegister) => "none".to_owned(),
            None => return Err(Apart),
        };
        bound.insert(param.name.clone(), Bound::One(value));
    }
    Ok(bound)
}

fn plain(value: &str) -> &str {
    match value {
        "MPI_IN_PLACE" | "MPI_STATUS_IGNORE" | "MPI_STATUSES_IGNORE" | "_" => "none",
        _ => value,
    }
}

/// Elements of a list, whose brackets do not nest.
fn split(list: &str) -> Vec<String> {
    list.split(',').map(|e| e.trim().to_owned()).filter(|e| !e.is_empty()).collect()
}

/// Names of the second form's own, and declarations of those that are arrays.
#[derive(Debug, Clone, std::default::Default)]
struct Own {
    /// Put behind names that one call's form has for itself.
    suffix: String,
    /// Names that all forms of a rank share.
    shared: Vec<String>,
    declared: Vec<String>,
}

struct Names<'a> {
    bound: BTreeMap<String, Bound>,
    rank: i64,
    size: usize,
    own: Own,
    decls: &'a Instructions,
}

fn rewritten(
    law: &Law,
    text: &str,
    ranks: &[Rank],
    sites: &[(&Rank, &Call, &Rewriting)],
    decls: &Instructions,
) -> Result<String, Apart> {
    let fresh = (0..).map(|i| format!("_{i}")).filter(|s| !text.contains(s.as_str()));
    let mut fresh = fresh.into_iter();
    let mut next = || fresh.next().expect("a text is finite");
    let shared = next();
    let mut edits: Vec<(Range<usize>, String)> = vec![];
    let mut declared: BTreeMap<i64, Vec<String>> = BTreeMap::new();
    let names = |rank: &Rank, bound, own| Names { bound, rank: rank.number, size: ranks.len(), own, decls };
    let mut set_up = vec![];
    if !law.first.is_empty() {
        for rank in ranks {
            let mut names = names(rank, BTreeMap::new(), Own { suffix: shared.clone(), ..Own::default() });
            let mut out = String::new();
            names.block(&law.first, None, &mut out)?;
            let at = rank.statements.first().map_or(rank.end, |s| s.start);
            edits.push((at..at, out));
            declared.entry(rank.number).or_default().append(&mut names.own.declared);
            set_up = assigned(&law.first);
        }
    }
    for (rank, call, rewriting) in sites {
        let own =
            Own { suffix: next(), shared: set_up.iter().map(|n| format!("{n}{shared}")).collect(), declared: vec![] };
        let mut names = names(rank, bind(call, decls)?, own);
        let mut out = String::new();
        names.block(&rewriting.by, Some(&call.name), &mut out)?;
        edits.push((call.at.clone(), out.trim().to_owned()));
        declared.entry(rank.number).or_default().append(&mut names.own.declared);
    }
    for rank in ranks {
        let all = declared.remove(&rank.number).unwrap_or_default();
        let all: String = all.iter().map(|d| format!("\n  int {d}")).collect();
        edits.push((rank.inside..rank.inside, all));
    }
    edits.sort_by_key(|(at, _)| std::cmp::Reverse((at.start, at.end)));
    let mut out = text.to_owned();
    edits.into_iter().for_each(|(at, by)| out.replace_range(at, &by));
    Ok(out)
}

/// Names that stand in the arguments of calls.
fn assigned(stmts: &[Stmt]) -> Vec<String> {
    let mut out = vec![];
    for s in stmts {
        if let Stmt::Call(_, args) = s {
            out.extend(args.iter().filter_map(|a| match a {
                Arg::One(_, Expr::Name(n)) => Some(n.clone()),
                _ => None,
            }));
        }
    }
    out
}

impl Names<'_> {
    fn block(&mut self, stmts: &[Stmt], replaced: Option<&str>, out: &mut String) -> Result<(), Apart> {
        for s in stmts {
            match s {
                Stmt::Count(name, from, to, body) => {
                    let (from, to) = (self.int(from).ok_or(Apart)?, self.int(to).ok_or(Apart)?);
                    let each = (from..to).map(|i| i.to_string()).collect::<Vec<_>>();
                    self.repeat(name, each, body, replaced, out)?;
                }
                Stmt::All(name, list, body) => match self.bound.get(list).cloned() {
                    Some(Bound::List(each)) => self.repeat(name, each, body, replaced, out)?,
                    _ => return Err(Apart),
                },
                Stmt::If(cond, then, els) => {
                    let body = if self.holds(cond)? { then } else { els };
                    self.block(body, replaced, out)?;
                }
                Stmt::Decl(name, len) => {
                    let name = self.own_name(name);
                    let text = match len {
                        None => name,
                        Some(len) => format!("{name}[{}]", self.int(len).ok_or(Apart)?),
                    };
                    self.own.declared.push(text);
                }
                Stmt::Choose(of) => {
                    let mut bodies = vec![];
                    for body in of {
                        let mut text = String::new();
                        self.block(body, replaced, &mut text)?;
                        bodies.push(format!("{{\n{text}  }}"));
                    }
                    out.push_str(&format!("  choose {}\n", bodies.join(" or ")));
                }
                Stmt::Assign(left, right) => {
                    out.push_str(&format!("  {} := {}\n", self.text(left)?, self.text(right)?));
                }
                Stmt::Call(name, args) => {
                    let name = if name.contains('*') { replaced.ok_or(Apart)? } else { name };
                    let args = self.args(name, args)?;
                    out.push_str(&format!("  {name}({args})\n"));
                }
            }
        }
        Ok(())
    }

    fn repeat(
        &mut self,
        name: &str,
        each: Vec<String>,
        body: &[Stmt],
        replaced: Option<&str>,
        out: &mut String,
    ) -> Result<(), Apart> {
        for value in each {
            self.bound.insert(name.to_owned(), Bound::One(value));
            self.block(body, replaced, out)?;
        }
        self.bound.remove(name);
        Ok(())
    }

    /// Arguments by name; what equals `none` is left out.
    fn args(&self, callee: &str, args: &[Arg]) -> Result<String, Apart> {
        let decl = self.decls.find(callee).map(|i| &self.decls.list[i]).ok_or(Apart)?;
        let mut given: BTreeMap<&str, Bound> = BTreeMap::new();
        for (i, arg) in args.iter().enumerate() {
            let (label, value) = match arg {
                Arg::Rest => continue,
                Arg::One(label, Expr::Name(n)) if matches!(self.bound.get(n), Some(Bound::List(_))) => {
                    (label, self.bound[n].clone())
                }
                Arg::One(label, e) => (label, Bound::One(self.text(e)?)),
                Arg::List(label, all) => {
                    let all: Result<Vec<String>, Apart> = all.iter().map(|e| self.text(e)).collect();
                    (label, Bound::List(all?))
                }
            };
            let param = match label {
                Some(name) => decl.param(name).map(|p| &decl.params[p]),
                None => decl.params.get(i),
            };
            given.insert(&param.ok_or(Apart)?.name, value);
        }
        if args.iter().any(|a| matches!(a, Arg::Rest)) {
            for p in &decl.params {
                if let (false, Some(value)) = (given.contains_key(p.name.as_str()), self.bound.get(&p.name)) {
                    given.insert(&p.name, value.clone());
                }
            }
        }
        let shown = decl.params.iter().filter_map(|p| given.get(p.name.as_str()).map(|v| (p, v)));
        let shown = shown.filter_map(|(p, v)| match v {
            Bound::One(text) if text == "none" => None,
            Bound::One(text) => Some(format!("{}: {text}", p.name)),
            Bound::List(all) => Some(format!("{}: [{}]", p.name, all.join(", "))),
        });
        Ok(shown.collect::<Vec<_>>().join(", "))
    }

    /// The value of an expression that is known without running the program.
    fn int(&self, e: &Expr) -> Option<i64> {
        match e {
            Expr::Int(n) => Some(*n),
            Expr::Name(n) => match (self.bound.get(n), n.as_str()) {
                (Some(Bound::One(text)), _) => text.parse().ok().or_else(|| self.constant(text)),
                (Some(Bound::List(all)), _) => i64::try_from(all.len()).ok(),
                (None, "rank") => Some(self.rank),
                (None, "size") => i64::try_from(self.size).ok(),
                (None, name) => self.constant(name),
            },
            Expr::Op(a, op, b) => {
                let (a, b) = (self.int(a)?, self.int(b)?);
                match op {
                    '+' => a.checked_add(b),
                    '-' => a.checked_sub(b),
                    '%' => a.checked_rem(b),
                    _ => a.checked_mul(b),
                }
            }
            Expr::At(..) | Expr::Field(..) => None,
        }
    }

    /// The value of a constant that some kind names.
    fn constant(&self, name: &str) -> Option<i64> {
        self.decls.kinds.iter().find_map(|k| k.value_of(name))
    }

    fn own_name(&self, name: &str) -> String {
        let shared = self.own.shared.iter().find(|s| s.rsplit_once('_').is_some_and(|(n, _)| n == name));
        shared.cloned().unwrap_or_else(|| format!("{name}{}", self.own.suffix))
    }

    /// A name as it stands in the program.
    fn name(&self, name: &str) -> String {
        match self.bound.get(name) {
            Some(Bound::One(text)) => text.clone(),
            _ if name == "none" || self.constant(name).is_some() => name.to_owned(),
            _ => match self.int(&Expr::Name(name.to_owned())) {
                Some(value) => value.to_string(),
                None => self.own_name(name),
            },
        }
    }

    fn text(&self, e: &Expr) -> Result<String, Apart> {
        Ok(match e {
            Expr::Int(n) => n.to_string(),
            Expr::Name(n) => self.name(n),
            Expr::Field(n, field) => format!("{}.{field}", self.name(n)),
            Expr::At(n, index) => {
                let index = self.int(index).ok_or(Apart)?;
                let base = self.name(n);
                let bound = self.bound.contains_key(n);
                match base.strip_suffix(']').and_then(|b| b.split_once('[')) {
                    Some((array, at)) => format!("{array}[{}]", at.parse::<i64>().map_err(|_| Apart)? + index),
                    None if bound && index == 0 => base,
                    None if base.parse::<i64>().is_ok() => return Err(Apart),
                    None => format!("{base}[{index}]"),
                }
            }
            Expr::Op(a, op, b) => match self.int(e) {
                Some(value) => value.to_string(),
                None => format!("{} {op} {}", self.text(a)?, self.text(b)?),
            },
        })
    }

    fn holds(&self, c: &Compare) -> Result<bool, Apart> {
        let none = |e: &Expr| matches!(e, Expr::Name(n) if self.name(n) == "none");
        if none(&c.left) || none(&c.right) {
            return Ok((none(&c.left) == none(&c.right)) == (c.op == '='));
        }
        match (self.int(&c.left), self.int(&c.right)) {
            (Some(a), Some(b)) => Ok(match c.op {
                '=' => a == b,
                '<' => a < b,
                _ => a != b,
            }),
            _ => Err(Apart),
        }
    }
}
