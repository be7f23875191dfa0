//! Text to syntax tree.

use super::syntax::{Binary, Binding, Check, Chooser, Each, Expr, File, Item, Node, Test, Unary};
use litmpi_spec::depth;
use litmpi_spec::diag::{Report, syntax};
use litmpi_spec::source::{Source, Span};
use litmpi_spec::syntax::Name;
use pest::Parser;
use pest::iterators::Pair;
use std::sync::Arc;

mod grammar {
    #[derive(pest_derive::Parser)]
    #[grammar = "cat.pest"]
    pub(super) struct Grammar;
}
use grammar::{Grammar, Rule as R};

/// Parses one file.
pub(super) fn parse(source: &Arc<Source>) -> Result<File, Report> {
    let mut pairs = Grammar::parse(R::file, &source.text).map_err(|e| Report::from(syntax(source, &e, readable)))?;
    depth::within(source, &pairs, |of, children| match of {
        R::expr | R::sequence | R::difference | R::meet | R::product | R::postfixed => children.saturating_sub(1),
        _ => 0,
    })?;
    let builder = Builder { source };
    let mut file = File { title: None, items: Vec::new() };
    for pair in pairs.next().expect("a file").into_inner() {
        match pair.as_rule() {
            R::EOI => {}
            R::title => file.title = Some(builder.string(pair.into_inner().next().expect("a text")).node),
            R::bare_title => file.title = Some(pair.as_str().trim().replace('"', "")),
            // What herd draws is nothing to say here.
            R::show => {}
            _ => file.items.push(builder.item(pair)),
        }
    }
    Ok(file)
}

/// What a grammar rule is called in messages; empty for those that help nobody.
fn readable(what: &R) -> String {
    match what {
        R::WHITESPACE | R::COMMENT | R::comment_block | R::negated | R::complement | R::postfix | R::universe => {
            String::new()
        }
        R::EOI => "the end of the file".into(),
        R::title | R::bare_title | R::string | R::string_text => "a text in quotes".into(),
        R::params | R::arguments | R::star | R::zero | R::kw_flag | R::kw_unshow => String::new(),
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

    fn item(&self, pair: Pair<'_, R>) -> Item {
        let (rule, span) = (pair.as_rule(), self.span(&pair));
        let mut parts = pair.into_inner().filter(|p| {
            !matches!(
                p.as_rule(),
                R::kw_let | R::kw_rec | R::kw_and | R::kw_as | R::kw_include | R::kw_with | R::kw_from
            )
        });
        match rule {
            R::include => Item::Include(self.string(parts.next().expect("a file's name"))),
            R::with => {
                let name = self.name(&parts.next().expect("a name"));
                let mut source = parts.next().expect("a choice").into_inner();
                let mut first = source.next().expect("a choice");
                while first.as_rule() == R::source {
                    source = first.into_inner();
                    first = source.next().expect("a choice");
                }
                let chooser = match first.as_str() {
                    "orders" => Chooser::Orders,
                    "partial_orders" => Chooser::PartialOrders,
                    "generate_cos" => Chooser::Cos,
                    _ => Chooser::Linearisations,
                };
                Item::With(name, chooser, source.map(|p| self.expr(p)).collect())
            }
            R::each => {
                let mut parts =
                    parts.filter(|p| !matches!(p.as_rule(), R::kw_forall | R::kw_in | R::kw_do | R::kw_end));
                let name = self.name(&parts.next().expect("a name"));
                let of = parts.next().expect("classes").into_inner().nth(1).expect("a relation");
                Item::Each(Each { name, of: self.expr(of), items: parts.map(|p| self.item(p)).collect() })
            }
            R::let_plain | R::let_rec => Item::Let(rule == R::let_rec, parts.map(|p| self.binding(p)).collect()),
            _ => {
                let flag = parts.peek_is(R::kw_flag);
                let negated = parts.peek_is(R::negated);
                let test = match parts.next().expect("a test").into_inner().next().expect("its word").as_rule() {
                    R::kw_acyclic => Test::Acyclic,
                    R::kw_irreflexive => Test::Irreflexive,
                    _ => Test::Empty,
                };
                let expr = self.expr(parts.next().expect("an expression"));
                let name = parts.next().map(|p| self.name(&p));
                Item::Check(Check { flag, negated, test, expr, name, span })
            }
        }
    }

    fn binding(&self, pair: Pair<'_, R>) -> Binding {
        let mut inner = pair.into_inner();
        let name = self.name(&inner.next().expect("a name"));
        let params = inner.peek_take(R::params).map(|p| p.into_inner().map(|q| self.name(&q)).collect());
        Binding { name, params, body: self.expr(inner.next().expect("a definition")) }
    }

    fn expr(&self, pair: Pair<'_, R>) -> Expr {
        let (rule, span) = (pair.as_rule(), self.span(&pair));
        let text = pair.as_str();
        let mut parts = pair.into_inner();
        let node = match rule {
            R::ident => Node::Name(text.to_owned()),
            R::universe => Node::Universe,
            R::nothing => Node::Nothing,
            R::primary => return self.expr(parts.next().expect("an expression")),
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
                        R::arguments => arguments.extend(part.into_inner().map(|p| self.expr(p))),
                        _ => arguments.push(self.expr(part)),
                    }
                }
                Node::Apply(function, arguments)
            }
            R::local => {
                let mut bindings = vec![];
                let mut body = None;
                for part in parts {
                    match part.as_rule() {
                        R::binding => bindings.push(self.binding(part)),
                        R::kw_let | R::kw_and | R::kw_in => {}
                        _ => body = Some(self.expr(part)),
                    }
                }
                Node::Local(bindings, Box::new(body.expect("an expression")))
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
                        "^-1" => Unary::Inverse,
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
