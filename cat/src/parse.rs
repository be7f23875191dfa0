//! Text to syntax tree.

use super::machines::machine;
use super::syntax::{
    Binary, Binding, Check, Chooser, Each, Expr, File, Item, Node, Pattern, Procedure, Test, Unary, Variants,
};
use litmpi_grammars::cat::{Grammar, Rule as R};
use litmpi_spec::depth;
use litmpi_spec::diag::{Diagnostic, Report, syntax};
use litmpi_spec::source::{Source, Span};
use litmpi_spec::syntax::Name;
use pest::Parser;
use pest::iterators::Pair;
use std::sync::Arc;

/// Most brackets inside of each other.
const DEEPEST: usize = 200;

/// Parses one file.
pub(super) fn parse(source: &Arc<Source>) -> Result<File, Report> {
    brackets(source)?;
    let mut pairs = Grammar::parse(R::file, &source.text).map_err(|e| Report::from(syntax(source, &e, readable)))?;
    depth::within(source, &pairs, |of, children| match of {
        R::expr | R::adding | R::sequence | R::difference | R::meet | R::product | R::postfixed => {
            children.saturating_sub(1)
        }
        _ => 0,
    })?;
    let builder = Builder { source };
    let mut file = File { title: None, machine: None, items: Vec::new() };
    for pair in pairs.next().expect("a file").into_inner() {
        match pair.as_rule() {
            R::EOI => {}
            R::title | R::bare_title => {
                let span = builder.span(&pair);
                let title = match pair.as_rule() {
                    R::title => builder.string(pair.into_inner().next().expect("a text")).node,
                    _ => pair.as_str().trim().replace('"', ""),
                };
                file.machine = machine(&title).map(|m| (m, span));
                file.title = Some(title);
            }
            _ => file.items.extend(builder.item(pair)),
        }
    }
    Ok(file)
}

/// Refuses brackets that are too deep for the parser, whose own message would be of its stack.
fn brackets(source: &Arc<Source>) -> Result<(), Report> {
    let mut open = 0_usize;
    for (at, c) in source.text.bytes().enumerate() {
        match c {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        if open > DEEPEST {
            let d = Diagnostic::at(
                &Span::new(source, at, at + 1),
                format!("more than {DEEPEST} brackets inside of each other"),
            );
            return Err(d.found("one too many").help("give parts of it names").into());
        }
    }
    Ok(())
}

/// What a grammar rule is called in messages; empty for those that help nobody.
fn readable(what: &R) -> String {
    match what {
        R::WHITESPACE | R::COMMENT | R::comment_block | R::negated | R::complement | R::postfix | R::universe => {
            String::new()
        }
        R::EOI => "the end of the file".into(),
        R::title | R::bare_title | R::string | R::string_text => "a text in quotes".into(),
        R::params | R::param | R::inverse | R::body | R::opposite | R::none | R::pattern | R::tag | R::members => {
            String::new()
        }
        R::lambda | R::choice | R::compared | R::matching | R::tuple | R::arm | R::case | R::adding => {
            "an expression".into()
        }
        R::variants | R::variant | R::conjunction => "a variant in quotes".into(),
        R::procedure => "`procedure`".into(),
        R::call => "`call`".into(),
        R::either => "`if`".into(),
        R::cases => "`match`".into(),
        R::enumeration => "`enum`".into(),
        R::of_bell => "`instructions`".into(),
        R::debug | R::show => String::new(),
        R::kw_unless => "`undefined_unless`".into(),
        R::params_tuple | R::arguments | R::star | R::zero | R::kw_flag | R::kw_unshow => String::new(),
        R::chooser | R::source => "`orders(…)` or another choice".into(),
        R::each => "`forall`".into(),
        R::classes | R::classes_of => "`classes(…)`".into(),
        R::local | R::kw_let => "`let`".into(),
        R::attempt => "`try`".into(),
        R::ident => "a name".into(),
        R::let_plain | R::let_rec => "`let`".into(),
        R::check | R::test => "`acyclic`, `irreflexive` or `empty`".into(),
        R::include => "`include`".into(),
        R::with => "`with`".into(),
        R::binding => "a name and `=`".into(),
        R::expr
        | R::sequence
        | R::difference
        | R::meet
        | R::product
        | R::prefixed
        | R::postfixed
        | R::primary
        | R::identity
        | R::nothing
        | R::applied => "an expression".into(),
        other => format!("`{}`", format!("{other:?}").trim_start_matches("kw_")),
    }
}

struct Builder<'s> {
    source: &'s Arc<Source>,
}

impl Builder<'_> {
    fn span(&self, pair: &Pair<'_, R>) -> Span {
        // Repetitions end behind the blanks that follow them.
        let text = pair.as_str().trim_end();
        Span::new(self.source, pair.as_span().start(), pair.as_span().start() + text.len())
    }

    fn name(&self, pair: &Pair<'_, R>) -> Name {
        Name { node: pair.as_str().to_owned(), span: self.span(pair) }
    }

    fn string(&self, pair: Pair<'_, R>) -> Name {
        let span = self.span(&pair);
        Name { node: pair.into_inner().next().expect("the text").as_str().to_owned(), span }
    }

    /// The statements of a pair: none where there is nothing to say here, as of what herd draws.
    fn item(&self, pair: Pair<'_, R>) -> Option<Item> {
        let (rule, span) = (pair.as_rule(), self.span(&pair));
        let mut parts = pair.into_inner().filter(|p| {
            !matches!(
                p.as_rule(),
                R::kw_let
                    | R::kw_rec
                    | R::kw_and
                    | R::kw_as
                    | R::kw_include
                    | R::kw_with
                    | R::kw_from
                    | R::kw_in
                    | R::kw_when
                    | R::kw_forall
                    | R::kw_do
                    | R::kw_end
                    | R::kw_procedure
                    | R::kw_call
                    | R::kw_if
                    | R::kw_then
                    | R::kw_else
                    | R::kw_match
            )
        });
        Some(match rule {
            R::show | R::debug | R::enumeration => return None,
            R::of_bell => Item::Beyond("a declaration of a .bell file", span),
            R::include => Item::Include(self.string(parts.next().expect("a file's name"))),
            R::with => {
                let name = self.name(&parts.next().expect("a name"));
                let source = parts.next().expect("a choice");
                if source.as_rule() != R::source {
                    return Some(Item::Beyond("`with … from` another set of relations", self.span(&source)));
                }
                let mut source = source.into_inner();
                let mut first = source.next().expect("a choice");
                while first.as_rule() == R::source {
                    source = first.into_inner();
                    first = source.next().expect("a choice");
                }
                let chooser = match first.as_str() {
                    "orders" => Chooser::Orders,
                    "partial_orders" => Chooser::PartialOrders,
                    "generate_cos" => Chooser::Cos,
                    "generate_orders" => Chooser::OrdersOf,
                    _ => Chooser::Linearisations,
                };
                Item::With(name, chooser, source.map(|p| self.expr(p)).collect())
            }
            R::each => {
                let name = self.name(&parts.next().expect("a name"));
                let of = parts.next().expect("a set");
                if of.as_rule() != R::classes {
                    return Some(Item::Beyond("`forall` over another set than `classes(…)`", self.span(&of)));
                }
                let of = of.into_inner().nth(1).expect("a relation");
                Item::Each(Each { name, of: self.expr(of), items: parts.filter_map(|p| self.item(p)).collect() })
            }
            R::procedure => {
                let name = self.name(&parts.next().expect("a name"));
                let mut next = parts.next().expect("a body");
                let mut params = vec![];
                if next.as_rule() == R::params {
                    params = self.params(next);
                    next = parts.next().expect("a body");
                }
                Item::Procedure(Procedure { name, params, items: self.items(next) })
            }
            R::call => {
                let name = self.name(&parts.next().expect("a name"));
                let (mut args, mut label) = (vec![], None);
                for part in parts {
                    match part.as_rule() {
                        R::arguments => args.extend(part.into_inner().map(|p| self.expr(p))),
                        R::ident => label = Some(self.name(&part)),
                        _ => args.push(self.expr(part)),
                    }
                }
                Item::Call(name, args, label)
            }
            R::either => {
                let variants = self.variants(parts.next().expect("a variant"));
                let then = self.items(parts.next().expect("a body"));
                Item::Either(variants, then, parts.next().map_or_else(Vec::new, |p| self.items(p)))
            }
            R::cases => {
                let subject = self.expr(parts.next().expect("a subject"));
                let case = |p: Pair<'_, R>| {
                    let mut inner = p.into_inner();
                    let tag = inner.next().expect("a tag");
                    let tag = (tag.as_rule() == R::tag).then(|| tag.as_str()[1..].to_owned());
                    (tag, self.items(inner.next().expect("a body")))
                };
                Item::Cases(subject, parts.map(case).collect())
            }
            R::let_plain => Item::Let(false, parts.map(|p| self.binding(p)).collect(), None),
            R::let_rec => {
                let (mut bindings, mut when) = (vec![], None);
                for part in parts {
                    if part.as_rule() == R::check {
                        when = Some(Box::new(self.check(part)));
                    } else {
                        bindings.push(self.binding(part));
                    }
                }
                Item::Let(true, bindings, when)
            }
            _ => Item::Check(self.check_of(span, &mut parts)),
        })
    }

    fn items(&self, body: Pair<'_, R>) -> Vec<Item> {
        body.into_inner().filter_map(|p| self.item(p)).collect()
    }

    fn check(&self, pair: Pair<'_, R>) -> Check {
        let span = self.span(&pair);
        self.check_of(span, &mut pair.into_inner().filter(|p| p.as_rule() != R::kw_as))
    }

    fn check_of<'i>(&self, span: Span, parts: &mut (impl Iterator<Item = Pair<'i, R>> + Clone)) -> Check {
        let flag = parts.peek_is(R::kw_flag);
        let unless = parts.peek_is(R::kw_unless);
        let negated = parts.peek_is(R::negated);
        let test = match parts.next().expect("a test").into_inner().next().expect("its word").as_rule() {
            R::kw_acyclic => Test::Acyclic,
            R::kw_irreflexive => Test::Irreflexive,
            _ => Test::Empty,
        };
        let expr = self.expr(parts.next().expect("an expression"));
        let name = parts.next().map(|p| self.name(&p));
        Check { flag, unless, negated, test, expr, name, span }
    }

    fn variants(&self, pair: Pair<'_, R>) -> Variants {
        match pair.as_rule() {
            R::string => Variants::Named(self.string(pair).node),
            R::variant => {
                let mut parts = pair.into_inner();
                let first = parts.next().expect("a variant");
                if first.as_rule() == R::opposite {
                    return Variants::Not(Box::new(self.variants(parts.next().expect("a variant"))));
                }
                self.variants(first)
            }
            R::conjunction => Variants::All(pair.into_inner().map(|p| self.variants(p)).collect()),
            _ => Variants::Any(pair.into_inner().map(|p| self.variants(p)).collect()),
        }
    }

    fn params(&self, pair: Pair<'_, R>) -> Vec<Name> {
        pair.into_inner().map(|p| self.name(&p)).collect()
    }

    fn binding(&self, pair: Pair<'_, R>) -> Binding {
        let span = self.span(&pair);
        let (mut name, mut apart, mut params, mut body) = (None, vec![], None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                R::ident => name = Some(self.name(&part)),
                R::param => apart.push(self.name(&part)),
                R::params => params = Some(self.params(part)),
                _ => body = Some(self.expr(part)),
            }
        }
        let body = body.expect("a definition");
        match name {
            Some(name) => Binding { name, apart: false, params, body },
            None => Binding { name: Name { node: "_".into(), span }, apart: true, params: Some(apart), body },
        }
    }

    fn expr(&self, pair: Pair<'_, R>) -> Expr {
        let (rule, span) = (pair.as_rule(), self.span(&pair));
        let text = pair.as_str();
        let mut parts = pair.into_inner();
        let node = match rule {
            R::ident => Node::Name(text.to_owned()),
            R::universe => Node::Universe,
            R::nothing => Node::Nothing,
            R::primary => {
                let inner = parts.find(|p| !matches!(p.as_rule(), R::kw_begin | R::kw_end));
                return self.expr(inner.expect("an expression"));
            }
            R::tag => Node::Tag(text[1..].to_owned()),
            R::tuple => {
                let mut all: Vec<Expr> = parts.map(|p| self.expr(p)).collect();
                if all.len() == 1 {
                    return all.remove(0);
                }
                Node::Tuple(all)
            }
            R::members => Node::Members(parts.map(|p| self.expr(p)).collect()),
            R::lambda => {
                let mut parts = parts.filter(|p| p.as_rule() != R::kw_fun);
                let params = self.params(parts.next().expect("parameters"));
                Node::Fun(params, Box::new(self.expr(parts.next().expect("a body"))))
            }
            R::choice => {
                let mut parts = parts.filter(|p| !matches!(p.as_rule(), R::kw_if | R::kw_then | R::kw_else));
                let cond = parts.next().expect("a condition");
                if cond.as_rule() == R::compared {
                    let node = Node::Compared;
                    return Expr { node, span: self.span(&cond) };
                }
                let cond = self.variants(cond);
                let mut both = parts.map(|p| Box::new(self.expr(p)));
                Node::If(cond, both.next().expect("one way"), both.next().expect("the other"))
            }
            R::matching => {
                let mut parts = parts.filter(|p| !matches!(p.as_rule(), R::kw_match | R::kw_with | R::kw_end));
                let subject = self.expr(parts.next().expect("a subject"));
                let arm = |p: Pair<'_, R>| {
                    let mut inner = p.into_inner();
                    let pattern = self.pattern(inner.next().expect("a pattern"));
                    (pattern, self.expr(inner.next().expect("a body")))
                };
                Node::Match(Box::new(subject), parts.map(arm).collect())
            }
            R::identity => Node::Unary(Unary::Identity, Box::new(self.expr(parts.next().expect("a set")))),
            R::applied => {
                let first = parts.next().expect("a function");
                if first.as_rule() == R::primary {
                    return self.expr(first);
                }
                let function = self.name(&first);
                let mut arguments = vec![];
                for part in parts {
                    match part.as_rule() {
                        R::arguments => {
                            // Several in one pair of brackets are a tuple; what a function takes says whether it is one argument.
                            let span = self.span(&part);
                            let mut all: Vec<Expr> = part.into_inner().map(|p| self.expr(p)).collect();
                            match all.len() {
                                1 => arguments.append(&mut all),
                                _ => arguments.push(Expr { node: Node::Tuple(all), span }),
                            }
                        }
                        _ => arguments.push(self.expr(part)),
                    }
                }
                Node::Apply(function, arguments)
            }
            R::local => {
                let mut bindings = vec![];
                let (mut body, mut recursive) = (None, false);
                for part in parts {
                    match part.as_rule() {
                        R::binding => bindings.push(self.binding(part)),
                        R::kw_rec => recursive = true,
                        R::kw_let | R::kw_and | R::kw_in => {}
                        _ => body = Some(self.expr(part)),
                    }
                }
                Node::Local(recursive, bindings, Box::new(body.expect("an expression")))
            }
            R::attempt => {
                let mut both = parts.filter(|p| !matches!(p.as_rule(), R::kw_try | R::kw_with)).map(|p| self.expr(p));
                let (first, second) = (both.next().expect("a try"), both.next().expect("another"));
                Node::Try(Box::new(first), Box::new(second))
            }
            R::prefixed => {
                let mut complements = 0;
                let mut inner = parts.next().expect("an operand");
                while inner.as_rule() == R::complement {
                    complements += 1;
                    inner = parts.next().expect("an operand");
                }
                let mut out = self.expr(inner);
                // Two complements are none, however many were written.
                for _ in 0..complements % 2 {
                    out = Expr { node: Node::Unary(Unary::Complement, Box::new(out)), span: span.clone() };
                }
                return out;
            }
            R::postfixed => {
                let mut out = self.expr(parts.next().expect("an operand"));
                for postfix in parts {
                    let op = match postfix.as_str() {
                        inverse if inverse.ends_with("-1") => Unary::Inverse,
                        "^*" => Unary::Star,
                        star if star.starts_with('*') => Unary::Star,
                        "?" => Unary::Option,
                        _ => Unary::Plus,
                    };
                    out = Expr { node: Node::Unary(op, Box::new(out)), span: span.clone() };
                }
                return out;
            }
            _ => {
                if rule == R::adding {
                    let mut all: Vec<Expr> = parts.map(|p| self.expr(p)).collect();
                    let mut out = all.pop().expect("an operand");
                    while let Some(left) = all.pop() {
                        let both = Span::new(self.source, left.span.start, out.span.end);
                        out = Expr { node: Node::Add(Box::new(left), Box::new(out)), span: both };
                    }
                    return out;
                }
                let op = match rule {
                    R::expr => Binary::Union,
                    R::sequence => Binary::Sequence,
                    R::difference => Binary::Difference,
                    R::meet => Binary::Meet,
                    _ => Binary::Product,
                };
                let mut out = self.expr(parts.next().expect("an operand"));
                for next in parts {
                    let right = self.expr(next);
                    let both = Span::new(self.source, out.span.start, right.span.end);
                    out = Expr { node: Node::Binary(op, Box::new(out), Box::new(right)), span: both };
                }
                return out;
            }
        };
        Expr { node, span }
    }
}

impl Builder<'_> {
    fn pattern(&self, pair: Pair<'_, R>) -> Pattern {
        let parts: Vec<Pair<'_, R>> = pair.into_inner().collect();
        match (parts[0].as_rule(), parts.as_slice()) {
            (R::tag, _) => Pattern::Tag(parts[0].as_str()[1..].to_owned()),
            (R::none, _) => Pattern::Empty,
            (R::param, [element, rest]) => Pattern::Element(self.name(element), self.name(rest)),
            (R::param, _) => Pattern::Between,
            _ => Pattern::Any,
        }
    }
}

/// Takes the next pair if it is of a rule.
trait PeekIs<'i> {
    fn peek_take(&mut self, rule: R) -> Option<Pair<'i, R>>;

    fn peek_is(&mut self, rule: R) -> bool {
        self.peek_take(rule).is_some()
    }
}

impl<'i, I: Iterator<Item = Pair<'i, R>> + Clone> PeekIs<'i> for I {
    fn peek_take(&mut self, rule: R) -> Option<Pair<'i, R>> {
        let found = self.clone().next().is_some_and(|p| p.as_rule() == rule);
        if found { self.next() } else { None }
    }
}
