//! What expressions of bodies are before the run: numbers, nodes, lists, places, or what only the run knows.

use super::body::Expand;
use super::users;
use crate::raw;
use litmpi_spec::decl::{Form, Instructions};
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::layer::{Index, Memory};
use litmpi_spec::program::{BinaryOp, UnaryOp};
use litmpi_spec::source::Span;
use litmpi_spec::syntax::{BinOp, Expr, ExprKind};

/// A value.
#[derive(Debug, Clone)]
pub(super) enum Value {
    /// A number: a node's, a thread's, a constant.
    Int(i64),
    /// Several.
    List(Vec<Value>),
    /// What the client gave: a register, a location or an object.
    Given(raw::Place),
    /// Memory of the layer, on a node.
    Memory(String, i64),
    /// What only the run knows.
    Run(raw::ExprKind),
}

/// Why there is no value.
#[derive(Debug)]
pub(super) enum Stop {
    /// It is wrong.
    Wrong(Box<Diagnostic>),
    /// It hangs on an index that only the run knows: where that stands, what it is, and how many values it may have.
    Open(Box<(Span, raw::ExprKind, i64)>),
}

pub(super) type Got<T> = Result<T, Stop>;

/// Says what is wrong.
pub(super) fn wrong<T>(span: &Span, message: impl Into<String>, found: &str, help: impl Into<String>) -> Got<T> {
    Err(Stop::Wrong(Box::new(Diagnostic::at(span, message).found(found).help(help))))
}

/// The instruction that is written by this name, and its parameters within the brackets.
pub(super) fn called(decls: &Instructions, name: &str) -> Option<(usize, Vec<usize>)> {
    decls.list.iter().enumerate().filter(|(_, i)| !i.internal).find_map(|(n, i)| match &i.form {
        Form::Call if i.name == name => Some((n, (0..i.params.len()).collect())),
        Form::AssignCall(_, f, params) if f == name => Some((n, params.clone())),
        _ => None,
    })
}

/// A name's place.
pub(super) fn place(name: &str, node: Option<i64>, span: &Span) -> raw::Place {
    let number = |value| raw::Number { value, span: span.clone() };
    let name = raw::Name { text: name.to_owned(), span: span.clone() };
    raw::Place { name, index: None, node: node.map(number), span: span.clone() }
}

impl Expand<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, e: &Expr) -> Got<Value> {
        if let Some((_, v)) = self.fixed.iter().find(|(span, _)| *span == e.span) {
            return Ok(Value::Int(*v));
        }
        Ok(match &*e.node {
            ExprKind::Int(v) => Value::Int(*v),
            ExprKind::Bool(v) => Value::Int(i64::from(*v)),
            ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Index(..) => self.path(e)?,
            ExprKind::List(of) => Value::List(of.iter().map(|e| self.value(e)).collect::<Got<_>>()?),
            ExprKind::Not(a) => match self.value(a)? {
                Value::Int(v) => Value::Int(i64::from(v == 0)),
                v => Value::Run(raw::ExprKind::Unary(UnaryOp::Not, Box::new(self.bracketed(v, &a.span)?))),
            },
            ExprKind::Neg(a) => match self.value(a)? {
                Value::Int(v) => Value::Int(-v),
                v => Value::Run(raw::ExprKind::Unary(UnaryOp::Neg, Box::new(self.bracketed(v, &a.span)?))),
            },
            ExprKind::Bin(op, a, b) => self.binary(*op, a, b, &e.span)?,
            ExprKind::If(c, a, b) => match self.value(c)? {
                Value::Int(0) => self.value(b)?,
                Value::Int(_) => self.value(a)?,
                _ => {
                    return wrong(&c.span, "this is not known before the run", "a condition", "use the statement `if`");
                }
            },
            ExprKind::Call(f, args) => return self.function(&f.node, &f.span, args),
            _ => {
                let help = "use numbers, names, `x.field[i]`, lists, `+ - * mod`, comparisons, `and`, `or`, `not`";
                return wrong(&e.span, "bodies know no such expression", "this", help);
            }
        })
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, span: &Span) -> Got<Value> {
        let (x, y) = (self.value(a)?, self.value(b)?);
        if let (Value::Int(x), Value::Int(y)) = (&x, &y) {
            return match known(op, *x, *y) {
                Some(value) => Ok(Value::Int(value)),
                None => wrong(span, "numbers cannot be put together so", "this", "use `+ - * div mod`"),
            };
        }
        let op = match op {
            BinOp::Add => BinaryOp::Add,
            BinOp::Sub => BinaryOp::Sub,
            BinOp::Mul => BinaryOp::Mul,
            BinOp::Mod => BinaryOp::Mod,
            BinOp::Eq => BinaryOp::Eq,
            BinOp::Ne => BinaryOp::Ne,
            BinOp::Lt => BinaryOp::Lt,
            BinOp::Le => BinaryOp::Le,
            BinOp::Gt => BinaryOp::Gt,
            BinOp::Ge => BinaryOp::Ge,
            BinOp::And => BinaryOp::And,
            BinOp::Or => BinaryOp::Or,
            _ => {
                return wrong(
                    span,
                    "the run knows no such operation",
                    "this",
                    "use `+ - * mod`, comparisons, `and`, `or`",
                );
            }
        };
        let (x, y) = (self.bracketed(x, &a.span)?, self.bracketed(y, &b.span)?);
        Ok(Value::Run(raw::ExprKind::Binary(op, Box::new(x), Box::new(y))))
    }

    fn bracketed(&mut self, v: Value, span: &Span) -> Got<raw::Expr> {
        let e = self.expr(v, span)?;
        let kind = match e.kind {
            k @ (raw::ExprKind::Int(_) | raw::ExprKind::Place(_)) => k,
            kind => raw::ExprKind::Paren(Box::new(raw::Expr { kind, span: span.clone() })),
        };
        Ok(raw::Expr { kind, span: span.clone() })
    }

    /// A value where the run needs one.
    pub(super) fn expr(&mut self, v: Value, span: &Span) -> Got<raw::Expr> {
        let kind = match v {
            Value::Int(v) => raw::ExprKind::Int(v),
            Value::Given(p) => raw::ExprKind::Place(p),
            Value::Memory(name, node) => raw::ExprKind::Place(self.located(&name, node, span)),
            Value::Run(kind) => kind,
            Value::List(_) => return wrong(span, "one value is wanted here", "a list", "give one of its elements"),
        };
        Ok(raw::Expr { kind, span: span.clone() })
    }

    /// Memory as a location, which the test then has.
    pub(super) fn located(&mut self, name: &str, node: i64, span: &Span) -> raw::Place {
        self.memory.insert((node, name.to_owned()), span.clone());
        place(name, (node != self.here).then_some(node), span)
    }

    /// `x`, `x.field`, `field[i][j]`, `t.node`.
    fn path(&mut self, e: &Expr) -> Got<Value> {
        let (mut at, mut indices) = (e, vec![]);
        while let ExprKind::Index(of, i) = &*at.node {
            indices.insert(0, i);
            at = of;
        }
        match &*at.node {
            ExprKind::Name(n) => {
                if let Some(m) = self.of.layer.memory.iter().find(|m| m.name == *n) {
                    return self.element(&m.clone(), n.clone(), None, &indices, &e.span);
                }
                match indices.as_slice() {
                    [] => Ok(self.named(n)),
                    // Every word of a value is the value: bodies do not calculate with words.
                    [i] if self.names.iter().any(|(name, _)| name == n) => {
                        let value = self.named(n);
                        match (self.value(i)?, &value) {
                            (Value::Int(_), Value::Int(_) | Value::Given(_) | Value::Run(_)) => Ok(value),
                            _ => wrong(
                                &i.span,
                                "a word of a value is known before the run",
                                "this is not",
                                "use `range(n)`",
                            ),
                        }
                    }
                    _ => self.no_memory(n, &at.span),
                }
            }
            ExprKind::Member(of, field) if field.node == "node" && indices.is_empty() => match self.value(of)? {
                Value::Int(t) => match self.of.homes.iter().find(|(number, _)| *number == t) {
                    Some((_, node)) => Ok(Value::Int(*node)),
                    None => wrong(&of.span, format!("there is no thread {t}"), "this", "use a thread of `users(x)`"),
                },
                Value::Given(p) => Ok(Value::Int(p.node.map_or(self.here, |n| n.value))),
                _ => wrong(&of.span, "this is on no node", "this", "`.node` is of a thread or a location"),
            },
            ExprKind::Member(of, field) => {
                let (base, home) = match self.value(of)? {
                    Value::Given(p) => {
                        let index = p.index.as_ref().map_or(String::new(), |i| format!("_{}", i.value));
                        (format!("{}{index}", p.name.text), p.node.map(|n| n.value))
                    }
                    Value::Memory(name, node) => (name, Some(node)),
                    _ => {
                        return wrong(
                            &of.span,
                            "this has no fields",
                            "a number",
                            "fields are of objects and locations",
                        );
                    }
                };
                let name = format!("{base}_{}", field.node);
                if self.of.layer.registers.iter().any(|r| r.node == field.node) && indices.is_empty() {
                    let name = self.fresh(&name);
                    return Ok(Value::Run(raw::ExprKind::Place(place(&name, None, &e.span))));
                }
                match self.of.layer.memory.iter().find(|m| m.name == field.node) {
                    Some(m) => self.element(&m.clone(), name, home, &indices, &e.span),
                    None => self.no_memory(&field.node, &field.span),
                }
            }
            _ => wrong(&at.span, "this has no elements", "this", "use memory of the layer"),
        }
    }

    fn no_memory<T>(&self, name: &str, span: &Span) -> Got<T> {
        let all = self.of.layer.memory.iter().map(|m| m.name.as_str());
        let all: Vec<&str> = all.chain(self.of.layer.registers.iter().map(|r| r.node.as_str())).collect();
        let near = litmpi_spec::suggest::nearest(name, all.iter().copied());
        let help =
            near.map_or_else(|| format!("the layer has: {}", all.join(", ")), |n| format!("did you mean `{n}`?"));
        wrong(span, format!("the layer has no memory `{name}`"), "unknown", help)
    }

    fn element(&mut self, m: &Memory, base: String, home: Option<i64>, indices: &[&Expr], span: &Span) -> Got<Value> {
        if indices.len() != m.indices.len() {
            let message = format!("`{}` has {} indices, not {}", m.name, m.indices.len(), indices.len());
            return wrong(span, message, "here", format!("it is declared at {}", m.span));
        }
        let (mut name, mut node) = (base, home.unwrap_or(self.here));
        for (index, e) in m.indices.iter().zip(indices) {
            let value = self.value(e)?;
            match (index, value) {
                (Index::Node, Value::Int(n)) if self.of.nodes.contains(&n) => node = n,
                (Index::Thread, Value::Int(t)) => name += &format!("_{t}"),
                (Index::To(_), Value::Int(i)) => name += &format!("_{i}"),
                (Index::To(bound), v @ (Value::Run(_) | Value::Given(_))) => {
                    let Value::Int(bound) = self.value(bound)? else {
                        return wrong(&bound.span, "the size of memory is known before the run", "this is not", "");
                    };
                    let e_ = self.expr(v, &e.span)?;
                    return Err(Stop::Open(Box::new((e.span.clone(), e_.kind, bound))));
                }
                _ => return wrong(&e.span, "this is no index here", "this", format!("see {}", m.span)),
            }
        }
        Ok(Value::Memory(self.fresh(&name), node))
    }

    /// What a name is.
    fn named(&mut self, name: &str) -> Value {
        if let Some((_, v)) = self.names.iter().rev().find(|(n, _)| n == name) {
            return v.clone();
        }
        let ints = |all: &[i64]| Value::List(all.iter().map(|n| Value::Int(*n)).collect());
        match name {
            "here" => return Value::Int(self.here),
            "self" => return Value::Int(self.number),
            "nodes" => return ints(self.of.nodes),
            "others" => {
                let others: Vec<i64> = self.of.nodes.iter().copied().filter(|n| *n != self.here).collect();
                return ints(&others);
            }
            _ => {}
        }
        if let Some(c) = self.of.made.spec.consts.iter().position(|c| c.name == name) {
            return Value::Int(self.of.made.constants[c]);
        }
        let register = if self.of.layer.registers.iter().any(|r| r.node == name) {
            self.fresh(name)
        } else {
            self.fresh(&format!("{}_{name}", self.method))
        };
        Value::Run(raw::ExprKind::Place(place(&register, None, &self.span)))
    }

    /// What functions of bodies are; see [`litmpi_spec::layer::FUNCTIONS`].
    fn function(&mut self, f: &str, span: &Span, args: &[Expr]) -> Got<Value> {
        let ints = |all: Vec<i64>| Value::List(all.into_iter().map(Value::Int).collect());
        match (f, args) {
            ("users", [x]) => Ok(ints(self.users(x, None)?)),
            ("users", [x, by]) => Ok(ints(self.users(x, Some(by))?)),
            ("homes" | "others", [x, by @ ..]) if by.len() < 2 => {
                let threads = self.users(x, by.first())?;
                let home = |n: &i64| threads.iter().any(|t| self.of.homes.contains(&(*t, *n)));
                let is_wanted = |n: &i64| (f == "homes" || *n != self.here) && home(n);
                Ok(ints(self.of.nodes.iter().copied().filter(is_wanted).collect()))
            }
            ("count", [x]) => Ok(Value::Int(self.users(x, None)?.len() as i64)),
            ("place", [x, t]) => {
                let (threads, number) = (self.users(x, None)?, self.known(t)?);
                match threads.iter().position(|t| *t == number) {
                    Some(at) => Ok(Value::Int(at as i64)),
                    None => wrong(&t.span, format!("thread {number} does not use this"), "this", "give a user"),
                }
            }
            ("member", [x, i]) => {
                let (threads, at) = (self.users(x, None)?, self.known(i)?);
                match at.checked_rem_euclid(threads.len() as i64).and_then(|at| threads.get(at as usize)) {
                    Some(t) => Ok(Value::Int(*t)),
                    None => wrong(&x.span, "nobody uses this", "this", "give an object that the program uses"),
                }
            }
            ("doubling", [x]) => {
                let count = self.users(x, None)?.len() as i64;
                Ok(ints(std::iter::successors(Some(1), |k| Some(2 * k)).take_while(|k| *k < count).collect()))
            }
            ("range" | "unordered", [n]) => Ok(ints((0..self.known(n)?).collect())),
            // Exact for a few numbers from 0 to below 64.
            ("mixed", [h, w]) => {
                let (h_, w_) = (self.value(h)?, self.value(w)?);
                let (h_, w_) = (self.bracketed(h_, &h.span)?, self.bracketed(w_, &w.span)?);
                let of = |op, a, b| raw::ExprKind::Binary(op, Box::new(a), Box::new(b));
                let boxed = |kind| raw::Expr { kind, span: span.clone() };
                let scaled = boxed(of(BinaryOp::Mul, boxed(raw::ExprKind::Int(64)), h_));
                let scaled = boxed(raw::ExprKind::Paren(Box::new(scaled)));
                Ok(Value::Run(of(BinaryOp::Add, scaled, w_)))
            }
            _ => {
                let all: Vec<String> = litmpi_spec::layer::FUNCTIONS.iter().map(|f| format!("`{f}`")).collect();
                let help = format!("give its value to a register first; in expressions there are {}", all.join(", "));
                wrong(span, format!("`{f}` cannot stand in an expression"), "a call", help)
            }
        }
    }

    /// A number that is known before the run.
    fn known(&mut self, e: &Expr) -> Got<i64> {
        match self.value(e)? {
            Value::Int(v) => Ok(v),
            _ => wrong(&e.span, "this is known before the run", "it is not", "use constants, threads and their places"),
        }
    }

    /// The threads that use an object, or that do by one instruction.
    fn users(&mut self, x: &Expr, by: Option<&Expr>) -> Got<Vec<i64>> {
        let Value::Given(object) = self.value(x)? else {
            return wrong(&x.span, "an object is wanted here", "this is none", "give a parameter");
        };
        let by = match by.map(|a| (&*a.node, &a.span)) {
            None => None,
            Some((ExprKind::Name(n), _)) => Some(n.as_str()),
            Some((_, span)) => return wrong(span, "an instruction is wanted here", "this is none", ""),
        };
        Ok(users(self.of.tree, &self.of.made.spec.instructions, &object.name.text, by))
    }
}

/// What an operator gives for two numbers that are known before the run; none if it gives nothing.
pub fn known(op: BinOp, x: i64, y: i64) -> Option<i64> {
    Some(match op {
        BinOp::Add => x.wrapping_add(y),
        BinOp::Sub => x.wrapping_sub(y),
        BinOp::Mul => x.wrapping_mul(y),
        BinOp::Div if y != 0 => x.div_euclid(y),
        BinOp::Mod if y != 0 => x.rem_euclid(y),
        BinOp::Eq => i64::from(x == y),
        BinOp::Ne => i64::from(x != y),
        BinOp::Lt => i64::from(x < y),
        BinOp::Le => i64::from(x <= y),
        BinOp::Gt => i64::from(x > y),
        BinOp::Ge => i64::from(x >= y),
        BinOp::And => i64::from(x != 0 && y != 0),
        BinOp::Or => i64::from(x != 0 || y != 0),
        BinOp::Implies => i64::from(x == 0 || y != 0),
        _ => return None,
    })
}
