//! Text of laws to trees.

use litmpi_grammars::laws::{Grammar, Rule};
use litmpi_spec::diag::{self, Diagnostic, Report};
use litmpi_spec::source::{Source, Span};
use pest::Parser;
use pest::iterators::Pair;
use std::sync::Arc;

use super::mentions::{Mention, mentions};
use super::order::{self, Order};

/// A file of laws.
#[derive(Debug, Clone)]
pub struct Laws {
    /// In the order of the text, a law for several functions once for each.
    pub laws: Vec<Law>,
    /// Which of two calls completes first.
    pub orders: Vec<Order>,
    /// What generated programs are made of.
    pub pieces: Vec<Piece>,
    /// Where functions are named.
    pub(super) mentions: Vec<Mention>,
}

/// How the outcomes of the two forms stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `≡`: they are the same, and one is erroneous where the other is.
    Same,
    /// `≃`: they are the same where the first form is not erroneous.
    Equal,
    /// `⊒`: the second form's are among those of the first, where that is not erroneous.
    Within,
}

/// Which calls of a program are replaced at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// `one`: any one that fits, and all that do.
    One,
    /// `every`: all of that name; a program in which one does not fit is not spoken of.
    Every,
    /// `each`: all that fit.
    Each,
}

/// One law.
#[derive(Debug, Clone)]
pub struct Law {
    /// Its name, with the function if it is a law for several.
    pub name: String,
    /// One sentence.
    pub title: String,
    /// Stated as wrong: a program that refutes it must be found.
    pub wrong: bool,
    /// How the outcomes stand to each other.
    pub relation: Relation,
    /// Programs that call one of these are not spoken of.
    pub without: Vec<String>,
    /// Nor are programs with a call that fits one of these.
    pub(crate) never: Vec<(String, Vec<Compare>)>,
    /// The variant that it holds in, if it holds in one only.
    pub under: Option<String>,
    /// In the second form, what rank r did the process with the r-th place from the end does.
    pub(crate) reordered: bool,
    /// What every rank does first in the second form.
    pub(crate) first: Vec<Stmt>,
    /// What is replaced.
    pub(crate) rewritings: Vec<Rewriting>,
    /// Where it stands.
    pub span: Span,
}

/// A call and what it may be replaced by.
#[derive(Debug, Clone)]
pub(crate) struct Rewriting {
    pub(crate) scope: Scope,
    pub(crate) name: String,
    pub(crate) wheres: Vec<Compare>,
    pub(crate) by: Vec<Stmt>,
}

/// A statement of the second form.
#[derive(Debug, Clone)]
pub(crate) enum Stmt {
    /// `for i in 0 .. n { … }`
    Count(String, Expr, Expr, Vec<Stmt>),
    /// `for x in list { … }`
    All(String, String, Vec<Stmt>),
    /// Decided when the law is applied.
    If(Compare, Vec<Stmt>, Vec<Stmt>),
    /// `int x[n]`
    Decl(String, Option<Expr>),
    /// The program's own choice.
    Choose(Vec<Vec<Stmt>>),
    Assign(Expr, Expr),
    Call(String, Vec<Arg>),
}

#[derive(Debug, Clone)]
pub(crate) enum Arg {
    /// `…`: what the replaced call gives for the parameters that are not given otherwise.
    Rest,
    One(Option<String>, Expr),
    List(Option<String>, Vec<Expr>),
}

#[derive(Debug, Clone)]
pub(crate) struct Compare {
    pub(crate) left: Expr,
    pub(crate) op: char,
    pub(crate) right: Expr,
}

#[derive(Debug, Clone)]
pub(crate) enum Expr {
    Int(i64),
    /// A parameter of the replaced call, a loop's name, `rank`, `size`, a constant, or a name of the second form's own.
    Name(String),
    At(String, Box<Expr>),
    Field(String, String),
    Op(Box<Expr>, char, Box<Expr>),
}

/// A part of a program, of statements that belong together.
#[derive(Debug, Clone)]
pub struct Piece {
    /// Its name.
    pub name: String,
    /// Put beside the others when programs are made exhaustively.
    pub context: bool,
    /// Texts of the bodies of A, B and C.
    pub(crate) roles: Vec<String>,
    /// The body of every rank that has no role, if all take part.
    pub(crate) each: Option<String>,
}

impl Piece {
    /// How many ranks a program with it has at least.
    pub fn ranks(&self) -> usize {
        self.roles.len()
    }

    /// The text of all its bodies.
    pub(crate) fn text(&self) -> impl Iterator<Item = &String> {
        self.roles.iter().chain(&self.each)
    }
}

/// Reads a file of laws.
///
/// # Errors
/// Where its text does not fit.
pub fn parse(source: &Arc<Source>) -> Result<Laws, Report> {
    let mut pairs = Grammar::parse(Rule::file, &source.text).map_err(|e| diag::syntax(source, &e, readable))?;
    let (mut laws, mut orders, mut pieces, mut errors) = (vec![], vec![], vec![], vec![]);
    let mut mentioned = vec![];
    for pair in pairs.next().expect("the rule gives one pair").into_inner() {
        mentioned.extend(mentions(source, &pair));
        match pair.as_rule() {
            Rule::law => law(source, &pair, &mut laws),
            Rule::order => orders.push(order::read(source, pair, &mut errors)),
            Rule::piece => pieces.push(piece(pair)),
            _ => {}
        }
    }
    let named = laws.iter().map(|l: &Law| (&l.name, &l.span)).chain(orders.iter().map(|o: &Order| (&o.name, &o.span)));
    let named: Vec<(&String, &Span)> = named.collect();
    for (i, (name, span)) in named.iter().enumerate() {
        if named[..i].iter().any(|(other, _)| other == name) {
            let d = Diagnostic::at(span, format!("law `{name}` stands here twice"));
            errors.push(d.found("the second one").help("give each law its own name"));
        }
    }
    Report(errors).into_result()?;
    Ok(Laws { laws, orders, pieces, mentions: mentioned })
}

fn readable(rule: &Rule) -> String {
    let text = format!("{rule:?}");
    match rule {
        Rule::EOI => "the end of the file".into(),
        Rule::kw_law | Rule::kw_order | Rule::kw_piece | Rule::kw_for | Rule::kw_if | Rule::kw_laws => {
            format!("`{}`", text.trim_start_matches("kw_"))
        }
        Rule::relation => "`≡`, `≃` or `⊒`".into(),
        Rule::process => "`process { NAME: FUNCTION … }`".into(),
        Rule::moment => "a call and what is true of it".into(),
        Rule::scope => "`one`, `every` or `each`".into(),
        Rule::block => "`{ statements }`".into(),
        Rule::call | Rule::assign | Rule::choose | Rule::decl => "a statement".into(),
        Rule::glob | Rule::callee => "a function's name".into(),
        Rule::value | Rule::expr | Rule::place | Rule::field | Rule::int | Rule::name => "an expression".into(),
        Rule::string => "text in quotes".into(),
        Rule::relop | Rule::op => "an operator".into(),
        _ => String::new(),
    }
}

fn law(source: &Arc<Source>, pair: &Pair<'_, Rule>, out: &mut Vec<Law>) {
    let mut several: Option<(String, Vec<String>)> = None;
    let span = Span::new(source, pair.as_span().start(), pair.as_span().start() + "law".len());
    let mut law = Law {
        name: String::new(),
        title: String::new(),
        wrong: false,
        relation: Relation::Same,
        without: vec![],
        never: vec![],
        under: None,
        reordered: false,
        first: vec![],
        rewritings: vec![],
        span,
    };
    for part in pair.clone().into_inner() {
        match part.as_rule() {
            Rule::word => law.name = part.as_str().into(),
            Rule::kw_wrong => law.wrong = true,
            Rule::string => law.title = only(part).as_str().into(),
            Rule::schema => several = Some(schema(part)),
            Rule::without => law.without = part.into_inner().map(|p| p.as_str().into()).collect(),
            Rule::never => {
                let mut inner = part.into_inner();
                let name = inner.next().map_or(String::new(), |p| p.as_str().into());
                let wheres = inner.next().map(|p| p.into_inner().map(compare).collect());
                law.never.push((name, wheres.unwrap_or_default()));
            }
            Rule::under => law.under = Some(only(part).as_str().into()),
            Rule::reordered => law.reordered = true,
            Rule::first => law.first = block(only(part)),
            Rule::rewriting => {
                let (relation, rewriting) = rewriting(part);
                law.relation = relation;
                law.rewritings.push(rewriting);
            }
            _ => {}
        }
    }
    match several {
        None => out.push(law),
        Some((name, all)) => {
            for function in all {
                let mut one = law.clone();
                one.name = format!("{}/{function}", law.name);
                one.without.iter_mut().for_each(|w| *w = named(w, &name, &function));
                one.rewritings.iter_mut().for_each(|r| instantiate(r, &name, &function));
                out.push(one);
            }
        }
    }
}

/// The name that stands for functions in a law for several, and the functions.
pub(super) fn schema(pair: Pair<'_, Rule>) -> (String, Vec<String>) {
    let mut inner = pair.into_inner().filter(|p| matches!(p.as_rule(), Rule::name | Rule::callee));
    let name = inner.next().map_or(String::new(), |p| p.as_str().into());
    (name, inner.map(|p| p.as_str().into()).collect())
}

/// `<X>` becomes the function's name, `<x>` the same with a small letter.
pub(super) fn named(text: &str, name: &str, function: &str) -> String {
    let mut c = function.chars();
    let small = c.next().map_or(String::new(), |f| f.to_lowercase().chain(c).collect::<String>());
    text.replace(&format!("<{name}>"), function).replace(&format!("<{}>", name.to_lowercase()), &small)
}

fn instantiate(r: &mut Rewriting, name: &str, function: &str) {
    let named = |s: &str| named(s, name, function);
    fn stmts(all: &mut [Stmt], named: &dyn Fn(&str) -> String) {
        for s in all {
            match s {
                Stmt::Count(_, _, _, b) | Stmt::All(_, _, b) => stmts(b, named),
                Stmt::If(_, a, b) => {
                    stmts(a, named);
                    stmts(b, named);
                }
                Stmt::Choose(of) => of.iter_mut().for_each(|b| stmts(b, named)),
                Stmt::Call(callee, _) => *callee = named(callee),
                Stmt::Decl(..) | Stmt::Assign(..) => {}
            }
        }
    }
    r.name = named(&r.name);
    stmts(&mut r.by, &named);
}

fn rewriting(pair: Pair<'_, Rule>) -> (Relation, Rewriting) {
    let mut out = Rewriting { scope: Scope::One, name: String::new(), wheres: vec![], by: vec![] };
    let mut relation = Relation::Same;
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::scope => {
                out.scope = match part.as_str() {
                    "one" => Scope::One,
                    "every" => Scope::Every,
                    _ => Scope::Each,
                }
            }
            Rule::glob => out.name = part.as_str().into(),
            Rule::wheres => out.wheres = part.into_inner().map(compare).collect(),
            Rule::relation => {
                relation = match part.as_str() {
                    "≡" => Relation::Same,
                    "≃" => Relation::Equal,
                    _ => Relation::Within,
                }
            }
            _ => out.by = block(part),
        }
    }
    (relation, out)
}

fn block(pair: Pair<'_, Rule>) -> Vec<Stmt> {
    pair.into_inner().map(stmt).collect()
}

fn stmt(pair: Pair<'_, Rule>) -> Stmt {
    let rule = pair.as_rule();
    let keyword = |p: &Pair<'_, Rule>| !format!("{:?}", p.as_rule()).starts_with("kw_");
    let mut parts = pair.into_inner().filter(keyword);
    let mut next = || parts.next().expect("the grammar gives it");
    match rule {
        Rule::for_ => {
            let name = next().as_str().to_owned();
            let of = next();
            if of.as_rule() == Rule::span {
                let mut ends = of.into_inner().map(expr);
                let (from, to) = (ends.next().expect("a start"), ends.next().expect("an end"));
                Stmt::Count(name, from, to, block(next()))
            } else {
                Stmt::All(name, of.as_str().to_owned(), block(next()))
            }
        }
        Rule::if_ => {
            let cond = compare(next());
            let then = block(next());
            let els = match parts.next() {
                None => vec![],
                Some(p) if p.as_rule() == Rule::block => block(p),
                Some(p) => vec![stmt(p)],
            };
            Stmt::If(cond, then, els)
        }
        Rule::decl => Stmt::Decl(next().as_str().to_owned(), parts.next().map(expr)),
        Rule::choose => Stmt::Choose(parts.map(block).collect()),
        Rule::assign => Stmt::Assign(expr(next()), expr(next())),
        _ => Stmt::Call(next().as_str().to_owned(), parts.map(arg).collect()),
    }
}

fn arg(pair: Pair<'_, Rule>) -> Arg {
    let (mut label, mut out) = (None, Arg::Rest);
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::label => label = Some(only(part).as_str().to_owned()),
            Rule::list => out = Arg::List(label.clone(), part.into_inner().map(expr).collect()),
            Rule::rest => {}
            _ => out = Arg::One(label.clone(), expr(part)),
        }
    }
    out
}

pub(super) fn compare(pair: Pair<'_, Rule>) -> Compare {
    let mut parts = pair.into_inner();
    let left = expr(parts.next().expect("a left side"));
    let op = parts.next().and_then(|p| p.as_str().chars().next()).unwrap_or('=');
    Compare { left, op, right: expr(parts.next().expect("a right side")) }
}

fn expr(pair: Pair<'_, Rule>) -> Expr {
    match pair.as_rule() {
        Rule::int => Expr::Int(pair.as_str().parse().unwrap_or(0)),
        Rule::field => {
            let mut names = pair.into_inner().map(|p| p.as_str().to_owned());
            let (a, b) = (names.next(), names.next());
            Expr::Field(a.unwrap_or_default(), b.unwrap_or_default())
        }
        Rule::place => {
            let mut parts = pair.into_inner();
            let name = parts.next().expect("a name").as_str().to_owned();
            match parts.next() {
                None => Expr::Name(name),
                Some(index) => Expr::At(name, Box::new(expr(index))),
            }
        }
        Rule::value => expr(only(pair)),
        _ => sum(pair),
    }
}

/// `a + b * c`: products first.
fn sum(pair: Pair<'_, Rule>) -> Expr {
    let (mut terms, mut ops): (Vec<Expr>, Vec<char>) = (vec![], vec![]);
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::op => ops.push(part.as_str().chars().next().unwrap_or('+')),
            _ => terms.push(expr(part)),
        }
    }
    for product in [true, false] {
        let mut i = 0;
        while i < ops.len() {
            if matches!(ops[i], '*' | '%') == product {
                let (op, right) = (ops.remove(i), terms.remove(i + 1));
                terms[i] = Expr::Op(Box::new(terms[i].clone()), op, Box::new(right));
            } else {
                i += 1;
            }
        }
    }
    terms.remove(0)
}

fn piece(pair: Pair<'_, Rule>) -> Piece {
    let mut out = Piece { name: String::new(), context: false, roles: vec![], each: None };
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::kw_context => out.context = true,
            Rule::word => out.name = part.as_str().into(),
            Rule::part => {
                let mut inner = part.into_inner();
                let who = inner.next().expect("a role");
                let body = inner.next().map_or(String::new(), |b| b.as_str().trim().to_owned());
                if who.as_rule() == Rule::all {
                    out.each = Some(body);
                } else {
                    out.roles.push(body);
                }
            }
            _ => {}
        }
    }
    out
}

pub(super) fn only(pair: Pair<'_, Rule>) -> Pair<'_, Rule> {
    pair.into_inner().next().expect("the rule has one part")
}
