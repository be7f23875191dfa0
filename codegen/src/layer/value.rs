//! What expressions of bodies are in C: numbers, sets of nodes, memory, registers.

use super::body::{Got, Writer, wrong};
use litmpi_spec::layer::{Index, Memory};
use litmpi_spec::source::Span;
use litmpi_spec::syntax::{BinOp, Expr, ExprKind};

/// Memory, or an object of a layer below: where it begins is a field of `holder`.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    /// The C structure, and the type of it.
    pub(super) holder: (String, Holder),
    /// The names of its fields, joined.
    pub(super) key: String,
    /// How many elements there are, and which one this is, for each index.
    pub(super) indices: Vec<(String, String)>,
    /// The node, in C: `here` is the own one.
    pub(super) node: String,
}

/// A structure that the library has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Holder {
    /// One for all.
    Library,
    /// One an object: of a kind, or a location of the client.
    Object(String),
}

/// Nodes.
#[derive(Debug, Clone)]
pub(super) enum Set {
    All,
    Others,
    /// The field of an object, and whether the own node is left out.
    Users(String, bool),
    /// A function's parameter.
    Given(String),
}

#[derive(Debug, Clone)]
pub(super) enum Value {
    Int(i64),
    /// An expression.
    Number(String),
    List(Vec<Value>),
    Set(Set),
    Spot(Spot),
    /// A variable of the function, or what it returns.
    Register(String),
    /// What lasts from call to call, in a structure: a number or a work identifier, as it is used.
    Lasting(Holder, String, String),
    /// A work identifier, as a pointer.
    Work(String),
}

impl Writer<'_> {
    pub(super) fn value(&mut self, e: &Expr) -> Got<Value> {
        Ok(match &*e.node {
            ExprKind::Int(v) => Value::Int(*v),
            ExprKind::Bool(v) => Value::Int(i64::from(*v)),
            ExprKind::Name(_) | ExprKind::Member(..) | ExprKind::Index(..) => self.path(e)?,
            ExprKind::List(of) => Value::List(of.iter().map(|e| self.value(e)).collect::<Got<_>>()?),
            ExprKind::Not(a) => match self.value(a)? {
                Value::Int(v) => Value::Int(i64::from(v == 0)),
                v => Value::Number(format!("!{}", self.number(v, &a.span)?)),
            },
            ExprKind::Neg(a) => match self.value(a)? {
                Value::Int(v) => Value::Int(-v),
                v => Value::Number(format!("(-{})", self.number(v, &a.span)?)),
            },
            ExprKind::Bin(op, a, b) => self.binary(*op, a, b, &e.span)?,
            ExprKind::If(c, a, b) => match self.value(c)? {
                Value::Int(0) => self.value(b)?,
                Value::Int(_) => self.value(a)?,
                _ => {
                    return wrong(&c.span, "this is not known before the run", "a condition", "use the statement `if`");
                }
            },
            ExprKind::Call(f, args) => self.users(&f.node, &f.span, args)?,
            _ => {
                return wrong(
                    &e.span,
                    "this has no C",
                    "an expression",
                    "use numbers, names, `x.field[i]`, `+ - * mod`",
                );
            }
        })
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr, span: &Span) -> Got<Value> {
        let (x, y) = (self.value(a)?, self.value(b)?);
        if let (Value::Int(x), Value::Int(y)) = (&x, &y) {
            return match litmpi_litmus::layer::known(op, *x, *y) {
                Some(value) => Ok(Value::Int(value)),
                None => wrong(span, "numbers cannot be put together so", "this", "use `+ - * div mod`"),
            };
        }
        let (x, y) = (self.number(x, &a.span)?, self.number(y, &b.span)?);
        let op = match op {
            BinOp::Mod => return Ok(Value::Number(format!("litmpi_mod({x}, {y})"))),
            BinOp::Add => "+",
            BinOp::Sub => "-",
            BinOp::Mul => "*",
            BinOp::Eq => "==",
            BinOp::Ne => "!=",
            BinOp::Lt => "<",
            BinOp::Le => "<=",
            BinOp::Gt => ">",
            BinOp::Ge => ">=",
            BinOp::And => "&&",
            BinOp::Or => "||",
            _ => return wrong(span, "this operation has no C", "this", "use `+ - * mod`, comparisons, `and`, `or`"),
        };
        Ok(Value::Number(format!("({x} {op} {y})")))
    }

    /// A value as a number: memory is read first, into a variable of its own, so that reads keep their order.
    pub(super) fn number(&mut self, v: Value, span: &Span) -> Got<String> {
        Ok(match v {
            Value::Int(v) => v.to_string(),
            Value::Number(t) | Value::Register(t) => t,
            Value::Lasting(holder, field, text) => {
                self.lasting(holder, field, false, span)?;
                text
            }
            Value::Spot(spot) => {
                let at = self.own(&spot, span)?;
                let name = self.fresh();
                self.line(&format!("{name} = litmpi_load(net, {at});"));
                name
            }
            _ => {
                return wrong(span, "one number is wanted here", "this is none", "give a number, a register or memory");
            }
        })
    }

    /// Where memory of the own node is.
    pub(super) fn own(&mut self, spot: &Spot, span: &Span) -> Got<String> {
        if spot.node != "here" {
            return wrong(span, "this may be on another node", "a load or a store", "reach it by `get` and `put`");
        }
        Ok(self.offset(spot))
    }

    /// Where memory begins on its node; it is noted that the structure has it.
    pub(super) fn offset(&mut self, spot: &Spot) -> String {
        let sizes = spot.indices.iter().map(|(size, _)| size.clone()).collect();
        self.memory.insert((spot.holder.1.clone(), spot.key.clone()), sizes);
        let at = format!("{}->{}", spot.holder.0, spot.key);
        let index = spot.indices.iter().fold(String::new(), |all, (size, i)| {
            let i = format!("litmpi_index({i}, {size})");
            if all.is_empty() { i } else { format!("({all} * {size} + {i})") }
        });
        if index.is_empty() { at } else { format!("{at} + 8 * {index}") }
    }

    fn path(&mut self, e: &Expr) -> Got<Value> {
        let (mut at, mut indices) = (e, vec![]);
        while let ExprKind::Index(of, i) = &*at.node {
            indices.insert(0, i);
            at = of;
        }
        let layer = self.layer();
        match &*at.node {
            ExprKind::Name(n) => {
                if let Some(m) = layer.memory.iter().find(|m| m.name == *n) {
                    let holder = ("lib".to_owned(), Holder::Library);
                    let spot =
                        Spot { holder, key: format!("l{}_{n}", self.depth), indices: vec![], node: "here".into() };
                    return self.element(m, spot, &indices, &e.span);
                }
                if !indices.is_empty() {
                    return wrong(&at.span, format!("the layer has no memory `{n}`"), "unknown", "declare it");
                }
                Ok(self.named(n))
            }
            ExprKind::Member(of, field) if field.node == "node" && indices.is_empty() => Ok(match self.value(of)? {
                Value::Spot(spot) => Value::Number(spot.node),
                // A thread has its number from the node, which is its own.
                thread => Value::Number(self.number(thread, &of.span)?),
            }),
            ExprKind::Member(of, field) => {
                let Value::Spot(mut spot) = self.value(of)? else {
                    return wrong(&of.span, "this has no fields", "this", "fields are of objects and locations");
                };
                spot.key = if spot.key.is_empty() {
                    format!("at_{}", field.node)
                } else {
                    format!("{}_{}", spot.key, field.node)
                };
                if layer.registers.iter().any(|r| r.node == field.node) && indices.is_empty() {
                    if !spot.indices.is_empty() {
                        return wrong(
                            &e.span,
                            "registers of one object among several have no C",
                            "this",
                            "keep it in memory",
                        );
                    }
                    let text = format!("{}->{}", spot.holder.0, spot.key);
                    return Ok(Value::Lasting(spot.holder.1, spot.key, text));
                }
                match layer.memory.iter().find(|m| m.name == field.node) {
                    Some(m) => self.element(m, spot, &indices, &e.span),
                    None => {
                        wrong(&field.span, format!("the layer has no memory `{}`", field.node), "unknown", "declare it")
                    }
                }
            }
            _ => wrong(&at.span, "this has no elements", "this", "use memory of the layer"),
        }
    }

    fn element(&mut self, m: &Memory, mut spot: Spot, indices: &[&Expr], span: &Span) -> Got<Value> {
        if indices.len() != m.indices.len() {
            let message = format!("`{}` has {} indices, not {}", m.name, m.indices.len(), indices.len());
            return wrong(span, message, "here", format!("it is declared at {}", m.span));
        }
        for (index, e) in m.indices.iter().zip(indices) {
            let value = self.value(e)?;
            let text = self.number(value, &e.span)?;
            match index {
                Index::Node => spot.node = text,
                Index::Thread => spot.indices.push(("net->nodes".to_owned(), text)),
                Index::To(bound) => match self.value(bound)? {
                    Value::Int(size) if size > 0 => spot.indices.push((size.to_string(), text)),
                    _ => {
                        return wrong(
                            &bound.span,
                            "the size of memory is a positive number",
                            "this is not",
                            "use a constant",
                        );
                    }
                },
            }
        }
        Ok(Value::Spot(spot))
    }

    fn named(&mut self, name: &str) -> Value {
        if let Some((_, v)) = self.names.iter().rev().find(|(n, _)| n == name) {
            return v.clone();
        }
        match name {
            "here" | "self" => return Value::Number("here".into()),
            "nodes" => return Value::Set(Set::All),
            "others" => return Value::Set(Set::Others),
            _ => {}
        }
        let stacked = self.layers[self.depth];
        if let Some(c) = stacked.spec.consts.iter().position(|c| c.name == name) {
            return Value::Int(stacked.constants[c]);
        }
        if self.layer().registers.iter().any(|r| r.node == name) {
            let field = format!("l{}_{name}", self.depth);
            let text = format!("lib->{field}");
            return Value::Lasting(Holder::Library, field, text);
        }
        let register = self.fresh();
        self.names.insert(0, (name.to_owned(), Value::Register(register.clone())));
        Value::Register(register)
    }

    /// `users(x)`, `homes(x)`, `others(x)`: threads are nodes here.
    fn users(&mut self, f: &str, span: &Span, args: &[Expr]) -> Got<Value> {
        if !matches!(f, "users" | "homes" | "others") || args.is_empty() || args.len() > 2 {
            let help =
                "give its value to a register first; in expressions there are `users(x)`, `homes(x)`, `others(x)`";
            return wrong(span, format!("`{f}` cannot stand in an expression"), "a call", help);
        }
        let by = match args.get(1).map(|a| (&*a.node, &a.span)) {
            None => "any".to_owned(),
            Some((ExprKind::Name(n), _)) => n.clone(),
            Some((_, span)) => return wrong(span, "an instruction is wanted here", "this is none", "name one"),
        };
        match self.value(&args[0])? {
            Value::Spot(Spot { holder: (text, Holder::Object(kind)), key, .. }) if key.is_empty() => {
                self.users.insert((kind, by.clone()));
                Ok(Value::Set(Set::Users(format!("{text}->users_{by}"), f == "others")))
            }
            _ => wrong(
                &args[0].span,
                "who uses this is not known",
                "memory of a layer above",
                "give an object of the program",
            ),
        }
    }
}
