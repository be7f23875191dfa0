//! Grammar pairs to the raw tree.
//!
//! The grammar has decided the shape; what can still go wrong here is a number out of range or an expression too
//! long to walk.

mod claim;

use crate::raw::{
    Arg, Call, Expr, ExprKind, Init, Name, Node, Number, Place, Right, Stmt, Test, Thread, Value, Variable,
};
use litmpi_grammars::litmus::Rule;
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::program::{BinaryOp, UnaryOp};
use litmpi_spec::source::{Source, Span};
use pest::iterators::{Pair, Pairs};
use pest::pratt_parser::{Assoc, Op, PrattParser};
use std::sync::{Arc, LazyLock};

/// Larger expressions and conditions are refused: trees of them are walked recursively.
pub(crate) const LARGEST: usize = 2000;
/// So are longer chains of branches.
pub(crate) const BRANCHES: usize = 32;

/// Binding strength, weakest first. `not` binds more weakly than a comparison, `!` more strongly.
static PRATT: LazyLock<PrattParser<Rule>> = LazyLock::new(|| {
    PrattParser::new()
        .op(Op::infix(Rule::or, Assoc::Left))
        .op(Op::infix(Rule::and, Assoc::Left))
        .op(Op::prefix(Rule::kw_not))
        .op(Op::infix(Rule::eq, Assoc::Left)
            | Op::infix(Rule::ne, Assoc::Left)
            | Op::infix(Rule::lt, Assoc::Left)
            | Op::infix(Rule::le, Assoc::Left)
            | Op::infix(Rule::gt, Assoc::Left)
            | Op::infix(Rule::ge, Assoc::Left))
        .op(Op::infix(Rule::bit_or, Assoc::Left))
        .op(Op::infix(Rule::bit_xor, Assoc::Left))
        .op(Op::infix(Rule::bit_and, Assoc::Left))
        .op(Op::infix(Rule::add, Assoc::Left) | Op::infix(Rule::sub, Assoc::Left))
        .op(Op::infix(Rule::mul, Assoc::Left) | Op::infix(Rule::rem, Assoc::Left))
        .op(Op::prefix(Rule::minus) | Op::prefix(Rule::bang))
});

/// Builds the raw tree of one source.
pub(crate) struct Build<'a> {
    source: &'a Arc<Source>,
    /// What was wrong on the way.
    pub(crate) errors: Vec<Diagnostic>,
}

impl<'a> Build<'a> {
    pub(crate) fn new(source: &'a Arc<Source>) -> Build<'a> {
        Build { source, errors: Vec::new() }
    }

    fn span(&self, pair: &Pair<'_, Rule>) -> Span {
        let (start, end) = (pair.as_span().start(), pair.as_span().end());
        // A non-atomic rule may end in white space that it skipped while looking for more.
        let end = start + self.source.text[start..end].trim_end().len();
        Span::new(self.source, start, end)
    }

    fn name(&self, pair: &Pair<'_, Rule>) -> Name {
        Name { text: pair.as_str().to_string(), span: self.span(pair) }
    }

    fn number(&mut self, pair: &Pair<'_, Rule>) -> Number {
        let span = self.span(pair);
        let value = pair.as_str().parse().unwrap_or_else(|_| {
            self.errors.push(Diagnostic::at(&span, "the number does not fit").found("too large").help(format!(
                "numbers go from {} to {}",
                i64::MIN,
                i64::MAX
            )));
            0
        });
        Number { value, span }
    }

    fn string(&self, pair: Pair<'_, Rule>) -> String {
        let text = only(pair).as_str();
        let mut out = String::with_capacity(text.len());
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            out.push(if c == '\\' { chars.next().unwrap_or(c) } else { c });
        }
        out
    }

    /// Whether an expression or condition is small enough to be walked; else says that it is not.
    fn small(&mut self, pair: &Pair<'_, Rule>, what: &str) -> bool {
        let parts = pair.clone().into_inner().flatten().count();
        if parts > LARGEST {
            let d = Diagnostic::at(&self.span(pair), format!("the {what} is too large"));
            self.errors.push(d.found(format!("{parts} parts")).help(format!("at most {LARGEST}")));
        }
        parts <= LARGEST
    }

    /// A whole file.
    pub(crate) fn test(&mut self, pair: Pair<'_, Rule>) -> Test {
        let span = self.span(&pair);
        let mut words = Vec::new();
        let mut title = String::new();
        let (mut nodes, mut threads, mut locations, mut claims) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::word => words.push(self.name(&part)),
                Rule::string => title = self.string(part),
                Rule::node => nodes.push(self.node(part)),
                Rule::thread => threads.push(self.thread(part)),
                Rule::rank => {
                    let (node, thread) = self.rank(part);
                    nodes.push(node);
                    threads.push(thread);
                }
                Rule::locations => {
                    for p in part.into_inner().filter(|p| p.as_rule() == Rule::observable) {
                        let seen = self.observable(p);
                        locations.push(seen);
                    }
                }
                Rule::claim => claims.push(self.claim(part)),
                _ => {}
            }
        }
        let name = words.pop().expect("a header has a name");
        let family = words.pop().expect("a header has a family");
        Test { family, name, title, nodes, threads, locations, claims, herd: None, span }
    }

    fn node(&mut self, pair: Pair<'_, Rule>) -> Node {
        let mut number = None;
        let mut variables = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::int => number = Some(self.number(&part)),
                Rule::variable => variables.push(self.variable(part)),
                _ => {}
            }
        }
        Node { number: number.expect("a node has a number"), variables }
    }

    fn thread(&mut self, pair: Pair<'_, Rule>) -> Thread {
        let mut numbers = Vec::new();
        let mut body = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::int => numbers.push(self.number(&part)),
                Rule::block => body = self.block(part),
                _ => {}
            }
        }
        let on = numbers.pop().expect("a thread has a node");
        let number = numbers.pop().expect("a thread has a number");
        Thread { number, on, rank: false, body }
    }

    fn rank(&mut self, pair: Pair<'_, Rule>) -> (Node, Thread) {
        let mut number = None;
        let (mut variables, mut body) = (Vec::new(), Vec::new());
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::int => number = Some(self.number(&part)),
                Rule::variable => variables.push(self.variable(part)),
                Rule::kw_rank | Rule::kw_int => {}
                _ => body.push(self.stmt(part)),
            }
        }
        let number = number.expect("a rank has a number");
        let thread = Thread { number: number.clone(), on: number.clone(), rank: true, body };
        (Node { number, variables }, thread)
    }

    fn variable(&mut self, pair: Pair<'_, Rule>) -> Variable {
        let mut parts = pair.into_inner();
        let name = self.name(&parts.next().expect("a variable has a name"));
        let (mut len, mut init) = (None, Init::Zero);
        for part in parts {
            match part.as_rule() {
                Rule::values => {
                    let span = self.span(&part);
                    init = Init::Each(part.into_inner().map(|p| self.number(&p)).collect(), span);
                }
                Rule::index => len = Some(self.number(&only(part))),
                _ => init = Init::All(self.number(&part)),
            }
        }
        Variable { name, len, init }
    }

    fn block(&mut self, pair: Pair<'_, Rule>) -> Vec<Stmt> {
        pair.into_inner().map(|p| self.stmt(p)).collect()
    }

    fn stmt(&mut self, pair: Pair<'_, Rule>) -> Stmt {
        let span = self.span(&pair);
        match pair.as_rule() {
            Rule::assign => {
                let mut parts = pair.into_inner().filter(|p| p.as_rule() != Rule::becomes);
                let left = self.place(parts.next().expect("an assignment has a left side"));
                let right = parts.next().expect("an assignment has a right side");
                let right = match right.as_rule() {
                    Rule::applied => Right::Call(self.call(right)),
                    _ => Right::Expr(self.expr(right)),
                };
                Stmt::Assign { left, right, span }
            }
            Rule::if_ => self.branches(pair, span),
            Rule::while_ => {
                let (mut cond, mut bound, mut body) = (None, None, Vec::new());
                for part in pair.into_inner() {
                    match part.as_rule() {
                        Rule::expr => cond = Some(self.expr(part)),
                        Rule::int => bound = Some(self.number(&part)),
                        Rule::block => body = self.block(part),
                        _ => {}
                    }
                }
                // Without a body, a loop goes on for ever or not at all, whatever its bound: 0 is what layers write for a wait.
                let bound = bound.filter(|b| !body.is_empty() || b.value != 0);
                Stmt::While { cond: cond.expect("a loop has a condition"), bound, body, span }
            }
            Rule::choose => {
                let blocks = pair.into_inner().filter(|p| p.as_rule() == Rule::block);
                Stmt::Choose { of: blocks.map(|p| self.block(p)).collect(), span }
            }
            _ => Stmt::Call(self.call(pair)),
        }
    }

    /// `if … else if … else …`, from the last branch to the first.
    fn branches(&mut self, pair: Pair<'_, Rule>, span: Span) -> Stmt {
        let mut conds = Vec::new();
        let mut blocks = Vec::new();
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::expr => conds.push(self.expr(part)),
                Rule::block => blocks.push(self.block(part)),
                _ => {}
            }
        }
        if conds.len() > BRANCHES {
            let d = Diagnostic::at(&span, "the chain of branches is too long");
            self.errors.push(d.found(format!("{} branches", conds.len())).help(format!("at most {BRANCHES}")));
            conds.truncate(1);
            blocks.truncate(1);
        }
        let mut els = if blocks.len() > conds.len() { blocks.pop().unwrap_or_default() } else { Vec::new() };
        while conds.len() > 1 {
            let (Some(cond), Some(then)) = (conds.pop(), blocks.pop()) else { break };
            els = vec![Stmt::If { span: cond.span.clone(), cond, then, els }];
        }
        let cond = conds.pop().expect("a branch has a condition");
        Stmt::If { cond, then: blocks.pop().unwrap_or_default(), els, span }
    }

    fn call(&mut self, pair: Pair<'_, Rule>) -> Call {
        let span = self.span(&pair);
        let mut parts = pair.into_inner();
        let name = self.name(&parts.next().expect("a call has a name"));
        let args = parts.next().map(|p| p.into_inner().map(|a| self.argument(a)).collect()).unwrap_or_default();
        Call { name, args, span }
    }

    fn argument(&mut self, pair: Pair<'_, Rule>) -> Arg {
        let span = self.span(&pair);
        let (mut name, mut value) = (None, None);
        for part in pair.into_inner() {
            match part.as_rule() {
                Rule::name => name = Some(self.name(&part)),
                Rule::list => value = Some(Value::List(part.into_inner().map(|e| self.expr(e)).collect())),
                _ => value = Some(Value::One(self.expr(part))),
            }
        }
        Arg { name, value: value.expect("an argument has a value"), span }
    }

    fn place(&mut self, pair: Pair<'_, Rule>) -> Place {
        let span = self.span(&pair);
        let mut parts = pair.into_inner();
        let name = self.name(&parts.next().expect("a place has a name"));
        let (mut index, mut node) = (None, None);
        for part in parts {
            match part.as_rule() {
                Rule::index => index = Some(self.number(&only(part))),
                _ => node = Some(self.number(&only(part))),
            }
        }
        Place { name, index, node, span }
    }

    fn expr(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        if !self.small(&pair, "expression") {
            return Expr { kind: ExprKind::Int(0), span };
        }
        self.operators(pair.into_inner())
    }

    fn operators(&mut self, pairs: Pairs<'_, Rule>) -> Expr {
        let source = Arc::clone(self.source);
        PRATT
            .map_primary(|p| self.primary(p))
            .map_prefix(|op, e| {
                let span = Span::new(&source, op.as_span().start(), e.span.end);
                let un = if op.as_rule() == Rule::minus { UnaryOp::Neg } else { UnaryOp::Not };
                Expr { kind: ExprKind::Unary(un, Box::new(e)), span }
            })
            .map_infix(|a, op, b| {
                let span = a.span.to(&b.span);
                Expr { kind: ExprKind::Binary(binary(op.as_rule()), Box::new(a), Box::new(b)), span }
            })
            .parse(pairs)
    }

    fn primary(&mut self, pair: Pair<'_, Rule>) -> Expr {
        let span = self.span(&pair);
        let kind = match pair.as_rule() {
            Rule::int => ExprKind::Int(self.number(&pair).value),
            Rule::paren => ExprKind::Paren(Box::new(self.expr(only(pair)))),
            Rule::field => {
                let mut names = pair.into_inner();
                let register = self.name(&names.next().expect("a field has a register"));
                let field = self.name(&names.next().expect("a field has a name"));
                ExprKind::Field(register, field)
            }
            _ => ExprKind::Place(self.place(pair)),
        };
        Expr { kind, span }
    }
}

/// The only meaningful pair inside: keywords are skipped.
fn only(pair: Pair<'_, Rule>) -> Pair<'_, Rule> {
    pair.into_inner().next().expect("the rule has one part")
}

fn binary(rule: Rule) -> BinaryOp {
    match rule {
        Rule::or => BinaryOp::Or,
        Rule::and => BinaryOp::And,
        Rule::eq => BinaryOp::Eq,
        Rule::ne => BinaryOp::Ne,
        Rule::lt => BinaryOp::Lt,
        Rule::le => BinaryOp::Le,
        Rule::gt => BinaryOp::Gt,
        Rule::ge => BinaryOp::Ge,
        Rule::bit_or => BinaryOp::BitOr,
        Rule::bit_xor => BinaryOp::BitXor,
        Rule::bit_and => BinaryOp::BitAnd,
        Rule::add => BinaryOp::Add,
        Rule::sub => BinaryOp::Sub,
        Rule::rem => BinaryOp::Mod,
        _ => BinaryOp::Mul,
    }
}
