//! The events of instructions.
//!
//! Their expressions are simpler than those of rules: numbers and truths, made from parameters, constants, and what
//! earlier events of the instruction read.

use super::{Checker, count};
use crate::decl::{Instruction, Shape};
use crate::events::{At, Event, Events, Key, Over, Step, Value};
use crate::program::{BinaryOp, UnaryOp};
use crate::source::Span;
use crate::suggest::{nearest, suggest};
use crate::syntax::{self, BinOp, EventStep, Expr, ExprKind, Item, Name};
use crate::types::Ty;

/// What names mean while one instruction is checked.
struct Names<'i> {
    instruction: &'i Instruction,
    params: &'i [Name],
    /// Names of values read so far that are in sight, with their slots.
    read: Vec<(String, usize)>,
    slots: usize,
    /// What steps are done for, innermost last: the name, its number, and whether it is a thread.
    each: Vec<(String, usize, bool)>,
}

/// A value has one of two types; a part that failed has neither.
type Typed = (Value, Option<Ty>);

impl Checker {
    /// After constants and instructions.
    pub(super) fn events(&mut self, items: &[&Item]) {
        self.events = vec![None; self.instructions.list.len()];
        for item in items {
            let Item::Events(e) = item else { continue };
            let Some(i) = self.instructions.find(&e.name.node) else {
                let names: Vec<&str> = self.instructions.list.iter().map(|i| i.name.as_str()).collect();
                let help = suggest(&e.name.node, &names, "declare it with `instruction`");
                let message = format!("no instruction is called `{}`", e.name.node);
                self.error(&e.name.span, message, "unknown instruction", help);
                continue;
            };
            if self.expansions[i].is_some() {
                let message = format!("`{}` is short for other instructions", e.name.node);
                self.error(&e.name.span, message, "it has no events of its own", "give events to those");
            } else if let Some(first) = &self.events[i] {
                let help = format!("first at {}", first.span);
                self.error(&e.name.span, format!("`{}` has its events twice", e.name.node), "second", help);
            } else {
                self.events[i] = Some(self.instruction_events(i, e));
            }
        }
        self.lonely_keys();
    }

    /// A key that no other event has relates nothing; one that is nearly another's is a slip.
    fn lonely_keys(&mut self) {
        let keys = std::mem::take(&mut self.keys);
        let uses = |name: &str| keys.iter().filter(|k| k.node == name).count();
        for key in keys.iter().filter(|k| uses(&k.node) == 1) {
            let others = keys.iter().map(|k| k.node.as_str()).filter(|k| uses(k) > 1);
            if let Some(near) = nearest(&key.node, others) {
                let message = format!("no other event has the key `{}`", key.node);
                self.error(&key.span, message, "it relates nothing", format!("did you mean `{near}`?"));
            }
        }
    }

    fn instruction_events(&mut self, i: usize, e: &syntax::Events) -> Events {
        let instruction = self.instructions.list[i].clone();
        if instruction.params.len() != e.params.len() {
            let takes = count(instruction.params.len(), "parameter");
            let message = format!("`{}` has {takes}, not {}", e.name.node, e.params.len());
            self.error(&e.name.span, message, "wrong number", "name every parameter, in the order of the instruction");
        }
        let mut names = Names { instruction: &instruction, params: &e.params, read: vec![], slots: 0, each: vec![] };
        let steps = self.event_steps(&e.steps, &mut names);
        let cites = e.cites.iter().map(|c| format!("{} \"{}\"", c.work, c.place)).collect();
        Events { steps, slots: names.slots, cites, span: e.name.span.clone() }
    }

    fn event_steps(&mut self, steps: &[EventStep], names: &mut Names<'_>) -> Vec<Step> {
        let mut out = vec![];
        for step in steps {
            match step {
                EventStep::Event(e) => out.push(Step::Event(self.event(e, names))),
                EventStep::When(e) => out.push(Step::When(self.event_value(e, &Ty::Bool, names))),
                EventStep::Set(r, e) => {
                    let register = Shape::Register("Int".into());
                    let param = self.event_param(r, "a register", names, |s| *s == register);
                    let value = self.event_value(e, &Ty::Int, names);
                    out.extend(param.map(|p| Step::Set(p, value)));
                }
                EventStep::For(name, over, steps) => {
                    let Some(over) = self.event_over(over, names) else { continue };
                    if names.each.iter().any(|(n, _, _)| *n == name.node)
                        || names.params.iter().any(|p| p.node == name.node)
                    {
                        let message = format!("`{}` is bound already", name.node);
                        self.error(&name.span, message, "second", "use another name");
                    }
                    let number = names.each.len();
                    names.each.push((name.node.clone(), number, matches!(over, Over::Users(..))));
                    let before = names.read.len();
                    let steps = self.event_steps(steps, names);
                    names.read.truncate(before);
                    names.each.pop();
                    out.push(Step::For(number, over, steps));
                }
                EventStep::Either(of) => {
                    // What one way reads is not known in another, nor afterwards.
                    let before = names.read.len();
                    let ways = of.iter().map(|steps| {
                        let way = self.event_steps(steps, names);
                        names.read.truncate(before);
                        way
                    });
                    out.push(Step::Either(ways.collect()));
                }
            }
        }
        out
    }

    fn event(&mut self, e: &syntax::Event, names: &mut Names<'_>) -> Event {
        let is_location = |s: &Shape| matches!(s, Shape::Local | Shape::Remote);
        let at = e.at.as_ref().and_then(|(x, node)| match node {
            None => self.event_param(x, "a location", names, is_location).map(|p| (p, None)),
            Some(n) => {
                let param = self.event_param(x, "an object", names, |s| *s == Shape::Object);
                let node = self.event_node(n, names);
                Some((param?, Some(node?)))
            }
        });
        if e.at.is_some() != (e.reads.is_some() || e.writes.is_some()) {
            let (found, help) = if e.at.is_some() {
                ("it neither reads nor writes there", "add `reads a` or `writes e`")
            } else {
                ("it has no location", "add `at x` before `reads` or `writes`")
            };
            self.error(&e.label.span, "an access has a location and a direction", found, help);
        }
        self.keys.extend(e.keys.iter().map(|(k, _)| k.clone()));
        let keys = e.keys.iter().filter_map(|(k, v)| Some((k.node.clone(), self.event_key(v, names)?))).collect();
        let mut also = vec![];
        for (label, condition) in &e.also {
            let condition = condition.as_ref().map(|c| self.event_value(c, &Ty::Bool, names));
            also.push((label.node.clone(), condition));
        }
        let reads = e.reads.as_ref().map(|name| {
            if names.read.iter().any(|(n, _)| *n == name.node) || names.params.iter().any(|p| p.node == name.node) {
                self.error(&name.span, format!("`{}` is bound already", name.node), "second", "use another name");
            }
            names.read.push((name.node.clone(), names.slots));
            names.slots += 1;
            names.slots - 1
        });
        let writes = e.writes.as_ref().map(|v| self.event_value(v, &Ty::Int, names));
        Event { label: e.label.node.clone(), also, keys, at, reads, writes, span: e.label.span.clone() }
    }

    /// A parameter of a shape.
    fn event_param(
        &mut self,
        name: &Name,
        what: &str,
        names: &Names<'_>,
        fits: impl Fn(&Shape) -> bool,
    ) -> Option<usize> {
        let shape = |i: usize| names.instruction.params.get(i).map(|p| &self.instructions.kind(p).shape);
        match names.params.iter().position(|p| p.node == name.node) {
            Some(i) if shape(i).is_none_or(&fits) => return Some(i),
            Some(_) => {
                let message = format!("{what} is wanted here");
                self.error(&name.span, message, "a parameter of another kind", "");
            }
            None => {
                let known: Vec<&str> = names.params.iter().map(|p| p.node.as_str()).collect();
                let help = suggest(&name.node, &known, &format!("parameters: {}", known.join(", ")));
                let message = format!("`{}` is no parameter of `{}`", name.node, names.instruction.name);
                self.error(&name.span, message, "unknown", help);
            }
        }
        None
    }

    fn event_key(&mut self, e: &Expr, names: &Names<'_>) -> Option<Key> {
        match &*e.node {
            ExprKind::Name(n) if n == "self" => Some(Key::Own),
            ExprKind::Name(n) if names.each.iter().any(|(m, _, thread)| m == n && *thread) => {
                names.each.iter().find(|(m, _, _)| m == n).map(|(_, i, _)| Key::Each(*i))
            }
            ExprKind::Name(n) if n == "here" || names.each.iter().any(|(m, _, _)| m == n) => {
                self.event_node(e, names).map(Key::Node)
            }
            ExprKind::Index(of, node) => {
                let param = self.event_object(of, names);
                let node = self.event_node(node, names);
                Some(Key::Of(param?, node?))
            }
            ExprKind::Call(f, args) if f.node == "round" && args.len() == 1 => {
                self.event_object(&args[0], names).map(Key::Round)
            }
            ExprKind::Name(n) => {
                let name = Name { node: n.clone(), span: e.span.clone() };
                let plain = |s: &Shape| *s != Shape::Int;
                self.event_param(&name, "a location, a node or a register", names, plain).map(Key::Param)
            }
            ExprKind::Member(of, field) if field.node == "node" => match &*of.node {
                ExprKind::Name(n) if names.each.iter().any(|(m, _, _)| m == n) => {
                    self.event_node(e, names).map(Key::Node)
                }
                ExprKind::Name(n) => {
                    let name = Name { node: n.clone(), span: of.span.clone() };
                    let is_location = |s: &Shape| matches!(s, Shape::Local | Shape::Remote);
                    self.event_param(&name, "a location", names, is_location).map(Key::NodeOf)
                }
                _ => self.no_key(&e.span),
            },
            _ => self.no_key(&e.span),
        }
    }

    /// `here`, or what steps are done for: a node, or `t.node` of a thread.
    fn event_node(&mut self, e: &Expr, names: &Names<'_>) -> Option<At> {
        let found = |name: &str, thread: bool| names.each.iter().find(|(n, _, t)| n == name && *t == thread);
        let at = match &*e.node {
            ExprKind::Name(n) if n == "here" => Some(At::Here),
            ExprKind::Name(n) => found(n, false).map(|(_, i, _)| At::Each(*i)),
            ExprKind::Member(of, field) if field.node == "node" => match &*of.node {
                ExprKind::Name(n) => found(n, true).map(|(_, i, _)| At::Each(*i)),
                _ => None,
            },
            _ => None,
        };
        if at.is_none() {
            let help = "use `here`, the name of a `for` over nodes, or `t.node` of one over threads";
            self.error(&e.span, "a node is wanted here", "this is none", help);
        }
        at
    }

    fn event_object(&mut self, e: &Expr, names: &Names<'_>) -> Option<usize> {
        let ExprKind::Name(n) = &*e.node else {
            self.error(&e.span, "an object is wanted here", "an expression", "use a parameter");
            return None;
        };
        let name = Name { node: n.clone(), span: e.span.clone() };
        self.event_param(&name, "an object", names, |s| *s == Shape::Object)
    }

    /// What steps are done for.
    fn event_over(&mut self, e: &Expr, names: &Names<'_>) -> Option<Over> {
        match &*e.node {
            ExprKind::Name(n) if n == "nodes" => Some(Over::Nodes),
            ExprKind::Name(n) if n == "others" => Some(Over::Others),
            ExprKind::Name(n) => {
                let name = Name { node: n.clone(), span: e.span.clone() };
                let param = self.event_param(&name, "a list of nodes", names, |s| *s == Shape::Node)?;
                let list = names.instruction.params[param].list;
                if !list {
                    self.error(&e.span, "a list of nodes is wanted here", "one node", "");
                }
                list.then_some(Over::List(param))
            }
            ExprKind::Call(f, args)
                if matches!(f.node.as_str(), "users" | "homes" | "others") && matches!(args.len(), 1 | 2) =>
            {
                let object = self.event_object(&args[0], names)?;
                let by = match args.get(1).map(|a| (&*a.node, &a.span)) {
                    None => None,
                    Some((ExprKind::Name(n), _)) if self.instructions.find(n).is_some() => self.instructions.find(n),
                    Some((_, span)) => {
                        self.error(span, "an instruction is wanted here", "this is none", "");
                        return None;
                    }
                };
                Some(match f.node.as_str() {
                    "users" => Over::Users(object, by),
                    "homes" => Over::Homes(object, by),
                    _ => Over::OtherHomes(object, by),
                })
            }
            _ => {
                let help =
                    "use `nodes`, `others`, a list of nodes, or `users(x)`, `homes(x)`, `others(x)` of an object";
                self.error(&e.span, "steps cannot be done for this", "this", help);
                None
            }
        }
    }

    fn no_key(&mut self, span: &Span) -> Option<Key> {
        self.error(
            span,
            "this is no key",
            "an expression",
            "use a parameter, or `x.node` of a location; of an object `x[n]`, `round(x)`",
        );
        None
    }

    fn event_value(&mut self, e: &Expr, wanted: &Ty, names: &Names<'_>) -> Value {
        let (value, ty) = self.event_expr(e, names);
        if let Some(ty) = ty.filter(|t| t != wanted) {
            let (wanted, found) = (self.show(wanted), self.show(&ty));
            self.error(&e.span, format!("{wanted} is wanted here"), format!("this is {found}"), "");
        }
        value
    }

    fn event_expr(&mut self, e: &Expr, names: &Names<'_>) -> Typed {
        match &*e.node {
            ExprKind::Int(v) => (Value::Int(*v), Some(Ty::Int)),
            ExprKind::Bool(v) => (Value::Int(i64::from(*v)), Some(Ty::Bool)),
            ExprKind::Name(n) => self.event_name(e, n, names),
            ExprKind::Not(a) => {
                let a = self.event_value(a, &Ty::Bool, names);
                (Value::Unary(UnaryOp::Not, Box::new(a)), Some(Ty::Bool))
            }
            ExprKind::Neg(a) => {
                let a = self.event_value(a, &Ty::Int, names);
                (Value::Unary(UnaryOp::Neg, Box::new(a)), Some(Ty::Int))
            }
            ExprKind::Bin(op, a, b) => {
                use BinaryOp as B;
                let (op, operands, result) = match op {
                    BinOp::Add => (B::Add, Ty::Int, Ty::Int),
                    BinOp::Sub => (B::Sub, Ty::Int, Ty::Int),
                    BinOp::Mul => (B::Mul, Ty::Int, Ty::Int),
                    BinOp::Eq => (B::Eq, Ty::Int, Ty::Bool),
                    BinOp::Ne => (B::Ne, Ty::Int, Ty::Bool),
                    BinOp::Lt => (B::Lt, Ty::Int, Ty::Bool),
                    BinOp::Le => (B::Le, Ty::Int, Ty::Bool),
                    BinOp::Gt => (B::Gt, Ty::Int, Ty::Bool),
                    BinOp::Ge => (B::Ge, Ty::Int, Ty::Bool),
                    BinOp::And => (B::And, Ty::Bool, Ty::Bool),
                    BinOp::Or => (B::Or, Ty::Bool, Ty::Bool),
                    _ => return self.no_event_value(e),
                };
                let (a, b) = (self.event_value(a, &operands, names), self.event_value(b, &operands, names));
                (Value::Binary(op, Box::new(a), Box::new(b)), Some(result))
            }
            ExprKind::Call(f, args) if args.len() == 2 => {
                let op = match f.node.as_str() {
                    "bitand" => BinaryOp::BitAnd,
                    "bitor" => BinaryOp::BitOr,
                    "bitxor" => BinaryOp::BitXor,
                    _ => return self.no_event_value(e),
                };
                let [a, b] = [0, 1].map(|i| Box::new(self.event_value(&args[i], &Ty::Int, names)));
                (Value::Binary(op, a, b), Some(Ty::Int))
            }
            _ => self.no_event_value(e),
        }
    }

    fn no_event_value(&mut self, e: &Expr) -> Typed {
        let help = "use numbers, names, `+ - *`, `bitand(a, b)` and the like, comparisons, `and`, `or`, `not`; `either` tells cases apart";
        self.error(&e.span, "events know no such expression", "this", help);
        (Value::Int(0), None)
    }

    fn event_name(&mut self, e: &Expr, name: &str, names: &Names<'_>) -> Typed {
        if let Some((_, slot)) = names.read.iter().find(|(n, _)| n == name) {
            return (Value::Slot(*slot), Some(Ty::Int));
        }
        if names.params.iter().any(|p| p.node == name) {
            let name = Name { node: name.to_owned(), span: e.span.clone() };
            let param = self.event_param(&name, "a number", names, |s| *s == Shape::Int);
            return param.map_or((Value::Int(0), None), |p| (Value::Param(p), Some(Ty::Int)));
        }
        if let Some(c) = self.consts.iter().position(|c| c.name == name) {
            let ty = self.consts[c].ty.clone();
            if !matches!(ty, Ty::Int | Ty::Bool) {
                let found = format!("this is {}", self.show(&ty));
                self.error(&e.span, "events know numbers and truths only", found, "");
            }
            return (Value::Const(c), Some(ty));
        }
        // A named value of a parameter's kind.
        let kinds = names.instruction.params.iter().map(|p| self.instructions.kind(p));
        if let Some(v) = kinds.into_iter().find_map(|k| k.value_of(name)) {
            return (Value::Int(v), Some(Ty::Int));
        }
        let known: Vec<&str> = (names.read.iter().map(|(n, _)| n.as_str()))
            .chain(names.params.iter().map(|p| p.node.as_str()))
            .chain(self.consts.iter().map(|c| c.name.as_str()))
            .collect();
        let help = suggest(name, &known, "use a parameter, what an earlier event reads, or a constant");
        self.error(&e.span, format!("`{name}` is not known here"), "unknown name", help);
        (Value::Int(0), None)
    }
}
