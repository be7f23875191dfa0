//! Statements of bodies as steps.

use super::code::{At, By, Field, Function, Gives, Holder, Nodes, Num, Step, Takes, Var, Way, Work};
use super::value::{Set, Spot, Value};
use litmpi_litmus::layer::Made;
use litmpi_spec::decl::{Default, Form, Shape};
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::layer::{Body, Layer};
use litmpi_spec::source::Span;
use litmpi_spec::syntax::{Expr, ExprKind, Name, Stmt, StmtKind};
use std::collections::{BTreeMap, BTreeSet};

pub(super) type Got<T> = Result<T, Box<Diagnostic>>;

/// Says what is wrong.
pub(super) fn wrong<T>(span: &Span, message: impl Into<String>, found: &str, help: impl Into<String>) -> Got<T> {
    Err(Box::new(Diagnostic::at(span, message).found(found).help(help)))
}

pub(super) struct Writer<'a> {
    pub(super) layers: &'a [Made<'a>],
    /// The layer whose body is at hand.
    pub(super) depth: usize,
    /// What the names of the body at hand mean, innermost last.
    pub(super) names: Vec<(String, Value)>,
    /// Variables of the function, by what they are called in a body.
    variables: Vec<String>,
    loops: usize,
    steps: Vec<Step>,
    /// Memory of each structure: how many elements it has.
    pub(super) memory: BTreeMap<(Holder, String), Vec<super::code::Size>>,
    /// What lasts, of each structure, and whether it is a work identifier.
    pub(super) lasting: BTreeMap<(Holder, String), bool>,
    /// Which users of objects of a kind are asked for: by an instruction, or `any`.
    pub(super) users: BTreeSet<(String, String)>,
    /// Kinds of objects.
    pub(super) objects: BTreeSet<String>,
    pub(super) functions: Vec<Function>,
    pub(super) errors: Report,
}

impl<'a> Writer<'a> {
    pub(super) fn new(layers: &'a [Made<'a>]) -> Writer<'a> {
        Writer {
            layers,
            depth: 0,
            names: vec![],
            variables: vec![],
            loops: 0,
            steps: vec![],
            memory: BTreeMap::new(),
            lasting: BTreeMap::new(),
            users: BTreeSet::new(),
            objects: BTreeSet::new(),
            functions: vec![],
            errors: Report::default(),
        }
    }

    /// The instructions by which users of objects of a kind are asked for.
    pub(super) fn asked(&self, kind: &str) -> Vec<&str> {
        self.users.iter().filter(|(k, _)| k == kind).map(|(_, by)| by.as_str()).collect()
    }

    /// Whom a function's caller must be among: the object, by the parameter, and the users.
    pub(super) fn must<'f>(&self, f: &'f Function) -> Option<(&'f str, String)> {
        f.params.iter().find_map(|(param, takes)| {
            let Takes::Object { kind, .. } = takes else { return None };
            let by = [f.name.as_str(), "any"].into_iter().find(|by| self.asked(kind).contains(by))?;
            Some((param.as_str(), by.to_owned()))
        })
    }

    /// The kind of the object by which a function knows the library.
    pub(super) fn kind_of<'f>(&self, f: &'f Function) -> Option<&'f str> {
        f.params.iter().find_map(|(_, takes)| match takes {
            Takes::Object { kind, .. } => Some(kind.as_str()),
            _ => None,
        })
    }

    pub(super) fn layer(&self) -> &'a Layer {
        self.layers[self.depth].spec.layer.as_ref().expect("those that are stacked are layers")
    }

    /// A variable of its own for what a body calls so.
    pub(super) fn fresh(&mut self, name: &str) -> Var {
        self.variables.push(name.to_owned());
        Var::Own(self.variables.len() - 1)
    }

    pub(super) fn step(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Notes that a structure has what lasts.
    pub(super) fn lasting(&mut self, holder: Holder, field: String, work: bool, span: &Span) -> Got<()> {
        if *self.lasting.entry((holder, field)).or_insert(work) == work {
            return Ok(());
        }
        wrong(span, "this is a number here and a work identifier elsewhere", "one register", "use two")
    }

    /// How many words a value of the layer at hand has.
    pub(super) fn words(&self, span: &Span) -> Got<i64> {
        let made = self.layers[self.depth];
        match made.spec.consts.iter().position(|c| c.name == "words").map(|c| made.constants[c]) {
            Some(words) if words > 0 => Ok(words),
            _ => wrong(span, "this has words, and nothing says how many", "this", "say `const words: Int = 1`"),
        }
    }

    /// The function of an instruction of the highest layer.
    pub(super) fn function(&mut self, body: &Body) {
        let decls = &self.layers[0].spec.instructions;
        let decl = &decls.list[body.instr];
        (self.depth, self.names, self.variables, self.loops) = (0, vec![], vec![], 0);
        self.steps = vec![];
        let indexed = super::users::indexed(&body.stmts);
        let (mut params, mut result) = (vec![], None);
        let left = match &decl.form {
            Form::AssignCall(l, ..) => Some(*l),
            _ => None,
        };
        for (i, (param, name)) in decl.params.iter().zip(&body.params).enumerate() {
            let kind = decls.kind(param);
            let words = if indexed.contains(name) { self.words(&body.span).map(Some) } else { Ok(None) };
            let words = words.unwrap_or_else(|d| {
                self.errors.0.push(*d);
                Some(1)
            });
            let (takes, value) = match &kind.shape {
                Shape::Object | Shape::Local | Shape::Remote => {
                    let of = if kind.shape == Shape::Object { kind.name.as_str() } else { "place" };
                    self.objects.insert(of.to_owned());
                    let far = kind.shape == Shape::Remote;
                    let node = if far { Num::NodeOf(name.clone()) } else { Num::Here };
                    let holder = Holder::Object(of.to_owned());
                    let field = Field { by: By::Param(name.clone()), name: String::new() };
                    let spot = Spot { holder, at: At { field, indices: vec![] }, node };
                    (Takes::Object { kind: of.to_owned(), far }, Value::Spot(spot))
                }
                Shape::Node if param.list => {
                    (Takes::Nodes, Value::Set(Set { of: Nodes::Given(name.clone()), others: false }))
                }
                Shape::Node | Shape::Int if !param.list => match words {
                    Some(words) => (Takes::Words(words), Value::Words(name.clone())),
                    None => (Takes::Number, Value::Number(Num::Given(name.clone()))),
                },
                Shape::Register(ty) if ty == "Int" && left == Some(i) => {
                    result = Some(words);
                    self.names.push((name.clone(), Value::Register(Var::Result)));
                    continue;
                }
                Shape::Register(ty) if ty != "Int" && !param.list => {
                    (Takes::Work, Value::Work(Work::Given(name.clone())))
                }
                _ => {
                    let d = Diagnostic::at(&param.span, format!("a parameter of the kind {} has no C", kind.name));
                    let help =
                        "use objects, locations, numbers, nodes, work identifiers, and a register for the result";
                    self.errors.0.push(d.found("here").help(help));
                    continue;
                }
            };
            params.push((name.clone(), takes));
            self.names.push((name.clone(), value));
        }
        let objects: Vec<(String, String)> = (self.names.iter())
            .filter_map(|(n, v)| match v {
                Value::Spot(Spot { holder: Holder::Object(kind), .. }) => Some((n.clone(), kind.clone())),
                _ => None,
            })
            .collect();
        self.users.extend(super::users::asked(&body.stmts, &objects));
        let steps = super::code::tidied(self.block(&body.stmts));
        let given = left.map_or(vec![], |l| super::users::results(&body.stmts, &body.params[l]));
        let none = given.contains(&Some(-1));
        let truth = !given.is_empty() && given.iter().all(|g| matches!(g, Some(0 | 1)));
        let gives = match (result, none) {
            (None, _) => Gives::Nothing,
            (Some(Some(words)), false) => Gives::Words(words),
            (Some(Some(words)), true) => Gives::PerhapsWords(words),
            (Some(None), _) if truth => Gives::Truth,
            (Some(None), true) => Gives::Perhaps,
            (Some(None), false) => Gives::Number,
        };
        let doc = format!("{} ({})", decl.doc, body.cites.join("; "));
        let doc = if body.cites.is_empty() { decl.doc.clone() } else { doc };
        let variables = std::mem::take(&mut self.variables);
        self.functions.push(Function { name: decl.name.clone(), doc, params, gives, variables, steps });
    }

    /// A block's steps, apart from those around it.
    fn block(&mut self, stmts: &[Stmt]) -> Vec<Step> {
        let outer = std::mem::take(&mut self.steps);
        self.stmts(stmts);
        std::mem::replace(&mut self.steps, outer)
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            if let Err(d) = self.stmt(stmt) {
                self.errors.0.push(*d);
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) -> Got<()> {
        match &stmt.node {
            StmtKind::Assign(left, e) => self.assign(left, e),
            StmtKind::Call(f, args) => self.call(None, f, args),
            StmtKind::If(cond, then, els) => match self.value(cond)? {
                Value::Int(0) => {
                    self.stmts(els);
                    Ok(())
                }
                Value::Int(_) => {
                    self.stmts(then);
                    Ok(())
                }
                v => {
                    let cond = self.number(v, &cond.span)?;
                    let step = Step::If(cond, self.block(then), self.block(els));
                    self.step(step);
                    Ok(())
                }
            },
            // The bound is of the search for outcomes, not of the program.
            StmtKind::While(cond, _, body) => {
                let outer = std::mem::take(&mut self.steps);
                let v = self.value(cond)?;
                let cond = self.number(v, &cond.span)?;
                self.step(Step::LeaveIf(Num::Not(Box::new(cond))));
                self.stmts(body);
                self.step(Step::Pause);
                let body = std::mem::replace(&mut self.steps, outer);
                self.step(Step::Loop(body));
                Ok(())
            }
            StmtKind::Repeat(body, until) => {
                let outer = std::mem::take(&mut self.steps);
                self.stmts(body);
                let v = self.value(until)?;
                let until = self.number(v, &until.span)?;
                self.step(Step::LeaveIf(until));
                self.step(Step::Pause);
                let body = std::mem::replace(&mut self.steps, outer);
                self.step(Step::Loop(body));
                Ok(())
            }
            StmtKind::For(name, over, body) => self.each(name, over, body),
            StmtKind::Choose(_) => {
                let help = "say by a constant which of them the library takes";
                wrong(&stmt.span, "a choice has no place in a library", "`choose`", help)
            }
        }
    }

    fn each(&mut self, name: &Name, over: &Expr, body: &[Stmt]) -> Got<()> {
        let over_ = self.value(over)?;
        if let Value::List(all) = over_ {
            for value in all {
                // What is more than a name is found out once.
                let value = match value {
                    Value::Number(n @ (Num::Bin(..) | Num::Place(..) | Num::Member(..))) => {
                        let var = self.fresh(&name.node);
                        self.step(Step::Set(var, n));
                        Value::Number(Num::Var(var))
                    }
                    v => v,
                };
                self.names.push((name.node.clone(), value));
                self.stmts(body);
                self.names.pop();
            }
            return Ok(());
        }
        self.loops += 1;
        let counter = self.loops;
        let value = match over_ {
            Value::Set(_) => Num::EachNode(counter),
            Value::Range(..) | Value::Doubling(..) => Num::Counter(counter),
            _ => {
                return wrong(
                    &over.span,
                    "a list is wanted here",
                    "this is none",
                    "use `nodes`, `users(x)`, `range(4)`",
                );
            }
        };
        self.names.push((name.node.clone(), Value::Number(value)));
        let body = self.block(body);
        self.names.pop();
        match over_ {
            Value::Set(Set { of, others }) => self.step(Step::EachNode { counter, of, others, body }),
            Value::Doubling(of) => self.step(Step::Doubling { counter, of, body }),
            Value::Range(end, in_any_order) => match in_any_order.then(|| super::blocks::together(counter, end, &body))
            {
                Some(Some(block)) => self.step(block),
                _ => self.step(Step::Count { counter, end, body }),
            },
            _ => {}
        }
        Ok(())
    }

    fn assign(&mut self, left: &Expr, e: &Expr) -> Got<()> {
        if let ExprKind::Call(f, args) = &*e.node
            && !litmpi_spec::layer::FUNCTIONS.contains(&f.node.as_str())
        {
            let left = (self.value(left)?, left.span.clone());
            return self.call(Some(left), f, args);
        }
        let right = self.value(e)?;
        let left_ = self.value(left)?;
        // A register takes what memory holds, without a variable between.
        if let (Value::Spot(spot), Value::Register(var)) = (&right, &left_) {
            let at = self.own(spot, &e.span)?;
            self.step(Step::Load(*var, at));
            return Ok(());
        }
        let right = self.number(right, &e.span)?;
        match left_ {
            Value::Register(var) => {
                self.step(Step::Set(var, right));
            }
            Value::ResultWord(i) => self.step(Step::SetWord(i, right)),
            Value::Lasting(holder, field) => {
                self.lasting(holder, field.name.clone(), false, &left.span)?;
                self.step(Step::SetLasting(field, right));
            }
            Value::Spot(spot) => {
                let at = self.own(&spot, &left.span)?;
                self.step(Step::Store(at, right));
            }
            _ => return wrong(&left.span, "this cannot be assigned", "no place", "assign memory or a register"),
        }
        Ok(())
    }

    fn work(&mut self, e: &Expr) -> Got<Work> {
        match self.value(e)? {
            Value::Work(w) => Ok(w),
            Value::Lasting(holder, field) => {
                self.lasting(holder, field.name.clone(), true, &e.span)?;
                Ok(Work::Lasting(field))
            }
            _ => wrong(&e.span, "a work identifier is wanted here", "this is none", "declare it by `registers`"),
        }
    }

    /// A call of what is below: a body, or what the runtime does.
    fn call(&mut self, left: Option<(Value, Span)>, f: &Name, args: &[Expr]) -> Got<()> {
        if let Some(below) = self.layers.get(self.depth + 1) {
            let layer = below.spec.layer.as_ref().expect("those that are stacked are layers");
            let list = &below.spec.instructions.list;
            let named = |i: usize| match &list[i].form {
                Form::AssignCall(_, name, _) => *name == f.node,
                _ => list[i].name == f.node,
            };
            if let Some(body) = layer.bodies.iter().find(|b| named(b.instr)) {
                return self.inline(left, body, args);
            }
        }
        match (f.node.as_str(), args, left) {
            ("mfence", [], None) => self.step(Step::Mfence),
            ("wait", [d], None) => {
                let work = self.work(d)?;
                self.step(Step::Wait(work));
            }
            (which @ ("put" | "get"), [x, d], Some((left, span))) => {
                let (Value::Spot(to), Value::Spot(from)) = (left, self.value(x)?) else {
                    let message = format!("`{which}` is from memory to memory");
                    return wrong(&span, message, "this", "use memory of the layer");
                };
                let way = if which == "put" { Way::Put } else { Way::Get };
                let (near, far) = if way == Way::Put { (from, to) } else { (to, from) };
                let (node, far, own) = (far.node.clone(), self.offset(&far), self.own(&near, &x.span)?);
                let work = self.work(d)?;
                self.step(Step::Remote { way, node, far, own, words: 1, work });
            }
            (name, ..) => {
                let help = "a library has `put` and `get` under a work identifier, `wait` and `mfence`";
                return wrong(&f.span, format!("`{name}` has no place in a library"), "a call of what is below", help);
            }
        }
        Ok(())
    }

    /// A body of the layer below in the place of a call.
    fn inline(&mut self, left: Option<(Value, Span)>, body: &'a Body, args: &[Expr]) -> Got<()> {
        let decls = &self.layers[self.depth + 1].spec.instructions;
        let decl = &decls.list[body.instr];
        let within: Vec<usize> = match &decl.form {
            Form::AssignCall(_, _, params) => params.clone(),
            _ => (0..decl.params.len()).collect(),
        };
        let mut names: Vec<(String, Value)> = vec![];
        if let Form::AssignCall(l, ..) = &decl.form {
            match left {
                Some((v @ Value::Register(_), _)) => names.push((body.params[*l].clone(), v)),
                Some((_, span)) => {
                    return wrong(&span, "the result of a call goes to a register", "this is none", "use one");
                }
                None => {}
            }
        }
        for (k, p) in within.iter().enumerate() {
            let param = &decl.params[*p];
            let value = match (args.get(k), &param.default) {
                (Some(e), _) => match (&decls.kind(param).shape, param.list) {
                    (Shape::Register(ty), false) if ty != "Int" => Value::Work(self.work(e)?),
                    // What a number is worth is found out once, before the body.
                    (Shape::Int, false) => match self.value(e)? {
                        v @ (Value::Int(_) | Value::Words(_)) => v,
                        v @ Value::Number(Num::Given(_) | Num::Here | Num::Counter(_) | Num::EachNode(_)) => v,
                        v => {
                            let number = self.number(v, &e.span)?;
                            let own = self.fresh(&body.params[*p]);
                            self.step(Step::Set(own, number));
                            Value::Number(Num::Var(own))
                        }
                    },
                    _ => self.value(e)?,
                },
                (None, Some(Default::Int(v, _))) => Value::Int(*v),
                (None, _) => return wrong(&body.span, format!("`{}` is not given", param.name), "a call", "give it"),
            };
            names.push((body.params[*p].clone(), value));
        }
        let outer = std::mem::replace(&mut self.names, names);
        self.depth += 1;
        let from = self.variables.len();
        let begun = self.steps.len();
        self.stmts(&body.stmts);
        // Registers of a body are 0 at its beginning, in each round of a loop, too.
        let own: Vec<Step> = (self.names.iter())
            .filter_map(|(_, v)| match v {
                Value::Register(r @ Var::Own(n)) if *n >= from => Some(Step::Set(*r, Num::Int(0))),
                _ => None,
            })
            .collect();
        self.steps.splice(begun..begun, own);
        self.depth -= 1;
        self.names = outer;
        Ok(())
    }
}
