//! What expressions of bodies are: numbers, sets of nodes, memory, registers.

use super::body::{Got, Writer, wrong};
use super::code::{At, By, Field, Holder, Nodes, Num, Op, Size, Step, Users, Var, Work};
use litmpi_spec::layer::{Index, Memory};
use litmpi_spec::source::Span;
use litmpi_spec::syntax::{BinOp, Expr, ExprKind};

/// Memory, or an object of a layer below.
#[derive(Debug, Clone)]
pub(super) struct Spot {
    pub(super) holder: Holder,
    pub(super) at: At,
    pub(super) node: Num,
}

/// Nodes, perhaps without the own one.
#[derive(Debug, Clone)]
pub(super) struct Set {
    pub(super) of: Nodes,
    pub(super) others: bool,
}

#[derive(Debug, Clone)]
pub(super) enum Value {
    Int(i64),
    Number(Num),
    List(Vec<Value>),
    /// 1, 2, 4, … below how many use an object.
    Doubling(Users),
    /// From 0 to below that; whether in any order.
    Range(i64, bool),
    Set(Set),
    Spot(Spot),
    /// A variable of the function, or what it gives.
    Register(Var),
    /// What lasts from call to call, in a structure: a number or a work identifier, as it is used.
    Lasting(Holder, Field),
    Work(Work),
    /// A parameter of several words.
    Words(String),
    /// A word of what the function gives.
    ResultWord(Num),
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
                v => Value::Number(Num::Not(Box::new(self.number(v, &a.span)?))),
            },
            ExprKind::Neg(a) => match self.value(a)? {
                Value::Int(v) => Value::Int(-v),
                v => Value::Number(Num::Neg(Box::new(self.number(v, &a.span)?))),
            },
            ExprKind::Bin(op, a, b) => self.binary(*op, a, b, &e.span)?,
            ExprKind::If(c, a, b) => match self.value(c)? {
                Value::Int(0) => self.value(b)?,
                Value::Int(_) => self.value(a)?,
                _ => {
                    return wrong(&c.span, "this is not known before the run", "a condition", "use the statement `if`");
                }
            },
            ExprKind::Call(f, args) => self.applied(&f.node, &f.span, args)?,
            _ => {
                return wrong(
                    &e.span,
                    "this has no place in a library",
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
        match (op, &x, &y) {
            (BinOp::Or, v, Value::Int(0)) | (BinOp::Or, Value::Int(0), v) => return Ok(v.clone()),
            (BinOp::And, v, Value::Int(k)) | (BinOp::And, Value::Int(k), v) if *k != 0 => return Ok(v.clone()),
            (BinOp::Or, _, Value::Int(_)) | (BinOp::Or, Value::Int(_), _) => return Ok(Value::Int(1)),
            (BinOp::And, _, Value::Int(_)) | (BinOp::And, Value::Int(_), _) => return Ok(Value::Int(0)),
            _ => {}
        }
        let (x, y) = (self.number(x, &a.span)?, self.number(y, &b.span)?);
        let op = match op {
            BinOp::Mod => Op::Mod,
            BinOp::Add => Op::Add,
            BinOp::Sub => Op::Sub,
            BinOp::Mul => Op::Mul,
            BinOp::Eq => Op::Eq,
            BinOp::Ne => Op::Ne,
            BinOp::Lt => Op::Lt,
            BinOp::Le => Op::Le,
            BinOp::Gt => Op::Gt,
            BinOp::Ge => Op::Ge,
            BinOp::And => Op::And,
            BinOp::Or => Op::Or,
            _ => {
                let help = "use `+ - * mod`, comparisons, `and`, `or`";
                return wrong(span, "this operation has no place in a library", "this", help);
            }
        };
        Ok(Value::Number(Num::Bin(op, Box::new(x), Box::new(y))))
    }

    /// A value as a number: memory is read first, into a variable of its own, so that reads keep their order.
    pub(super) fn number(&mut self, v: Value, span: &Span) -> Got<Num> {
        Ok(match v {
            Value::Int(v) => Num::Int(v),
            Value::Number(n) => n,
            Value::Register(var) => Num::Var(var),
            Value::Lasting(holder, field) => {
                self.lasting(holder, field.name.clone(), false, span)?;
                Num::Lasting(field)
            }
            Value::Spot(spot) => {
                let at = self.own(&spot, span)?;
                let var = self.fresh("held");
                self.step(Step::Load(var, at));
                Num::Var(var)
            }
            Value::Words(_) => return wrong(span, "one number is wanted here", "several words", "take one, `v[i]`"),
            _ => {
                return wrong(span, "one number is wanted here", "this is none", "give a number, a register or memory");
            }
        })
    }

    /// Where memory of the own node is.
    pub(super) fn own(&mut self, spot: &Spot, span: &Span) -> Got<At> {
        if spot.node != Num::Here {
            return wrong(span, "this may be on another node", "a load or a store", "reach it by `get` and `put`");
        }
        Ok(self.offset(spot))
    }

    /// Where memory is on its node; it is noted that the structure has it.
    pub(super) fn offset(&mut self, spot: &Spot) -> At {
        let sizes = spot.at.indices.iter().map(|(size, _)| *size).collect();
        self.memory.insert((spot.holder.clone(), spot.at.field.name.clone()), sizes);
        spot.at.clone()
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
                    let field = Field { by: By::Library, name: format!("l{}_{n}", self.depth) };
                    let at = At { field, indices: vec![] };
                    let spot = Spot { holder: Holder::Library, at, node: Num::Here };
                    return self.element(m, spot, &indices, &e.span);
                }
                let value = match indices.as_slice() {
                    [] => return Ok(self.named(n)),
                    [i] => (self.names.iter().rev().find(|(name, _)| name == n).map(|(_, v)| v.clone()), *i),
                    _ => (None, e),
                };
                match value {
                    (Some(Value::Words(words)), i) => Ok(Value::Number(Num::Word(words, Box::new(self.index(i)?)))),
                    (Some(Value::Register(Var::Result)), i) => Ok(Value::ResultWord(self.index(i)?)),
                    _ => wrong(&at.span, format!("the layer has no memory `{n}`"), "unknown", "declare it"),
                }
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
                let name = &mut spot.at.field.name;
                *name = if name.is_empty() { format!("at_{}", field.node) } else { format!("{name}_{}", field.node) };
                if layer.registers.iter().any(|r| r.node == field.node) && indices.is_empty() {
                    if !spot.at.indices.is_empty() {
                        return wrong(
                            &e.span,
                            "registers of one object among several have no place in a library",
                            "this",
                            "keep it in memory",
                        );
                    }
                    return Ok(Value::Lasting(spot.holder, spot.at.field));
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
            let at = self.index(e)?;
            match index {
                Index::Node => spot.node = at,
                Index::Thread => spot.at.indices.push((Size::Nodes, at)),
                Index::To(bound) => match self.value(bound)? {
                    Value::Int(size) if size > 0 => spot.at.indices.push((Size::Is(size), at)),
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

    fn index(&mut self, e: &Expr) -> Got<Num> {
        let value = self.value(e)?;
        self.number(value, &e.span)
    }

    fn named(&mut self, name: &str) -> Value {
        if let Some((_, v)) = self.names.iter().rev().find(|(n, _)| n == name) {
            return v.clone();
        }
        match name {
            "here" | "self" => return Value::Number(Num::Here),
            "nodes" | "others" => return Value::Set(Set { of: Nodes::All, others: name == "others" }),
            _ => {}
        }
        let stacked = self.layers[self.depth];
        if let Some(c) = stacked.spec.consts.iter().position(|c| c.name == name) {
            return Value::Int(stacked.constants[c]);
        }
        if self.layer().registers.iter().any(|r| r.node == name) {
            let field = Field { by: By::Library, name: format!("l{}_{name}", self.depth) };
            return Value::Lasting(Holder::Library, field);
        }
        let register = self.fresh(name);
        self.names.insert(0, (name.to_owned(), Value::Register(register)));
        Value::Register(register)
    }

    /// `users(x)`, `homes(x)`, `others(x)`: threads are nodes here; `range(n)`, `unordered(n)`, `mixed(h, w)`.
    fn applied(&mut self, f: &str, span: &Span, args: &[Expr]) -> Got<Value> {
        match (f, args) {
            ("users" | "homes" | "others", [x, by @ ..]) if by.len() < 2 => {
                let Users(param, by) = self.users(x, by.first())?;
                Ok(Value::Set(Set { of: Nodes::Users(param, by), others: f == "others" }))
            }
            ("range" | "unordered", [n]) => match self.value(n)? {
                Value::Int(end) if end > 0 => Ok(Value::Range(end, f == "unordered")),
                _ => wrong(&n.span, "this is known before the run, and more than 0", "this is not", "use a constant"),
            },
            ("count", [x]) => Ok(Value::Number(Num::Count(self.used(x)?))),
            ("place", [x, t]) => Ok(Value::Number(Num::Place(self.used(x)?, Box::new(self.index(t)?)))),
            ("member", [x, i]) => Ok(Value::Number(Num::Member(self.used(x)?, Box::new(self.index(i)?)))),
            ("doubling", [x]) => Ok(Value::Doubling(self.used(x)?)),
            ("mixed", [h, w]) => Ok(Value::Number(Num::Mixed(Box::new(self.index(h)?), Box::new(self.index(w)?)))),
            _ => {
                let all: Vec<String> = litmpi_spec::layer::FUNCTIONS.iter().map(|f| format!("`{f}`")).collect();
                let help = format!("give its value to a register first; in expressions there are {}", all.join(", "));
                wrong(span, format!("`{f}` cannot stand in an expression"), "a call", help)
            }
        }
    }

    fn used(&mut self, x: &Expr) -> Got<Users> {
        self.users(x, None)
    }

    /// Those who use an object.
    fn users(&mut self, x: &Expr, by: Option<&Expr>) -> Got<Users> {
        let by = match by.map(|a| (&*a.node, &a.span)) {
            None => "any".to_owned(),
            Some((ExprKind::Name(n), _)) => n.clone(),
            Some((_, span)) => return wrong(span, "an instruction is wanted here", "this is none", "name one"),
        };
        match self.value(x)? {
            Value::Spot(Spot {
                holder: Holder::Object(kind),
                at: At { field: Field { by: By::Param(param), name }, .. },
                ..
            }) if name.is_empty() => {
                self.users.insert((kind, by.clone()));
                Ok(Users(param, by))
            }
            _ => {
                wrong(&x.span, "who uses this is not known", "memory of a layer above", "give an object of the program")
            }
        }
    }
}
