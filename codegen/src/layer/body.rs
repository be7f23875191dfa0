//! Statements of bodies as C.

use super::value::{Holder, Set, Spot, Value};
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

/// A function of the library.
pub(super) struct Function {
    /// What its instruction says of itself, and the literature.
    pub(super) doc: String,
    /// `int64_t NAME(…)`.
    pub(super) head: String,
    pub(super) body: String,
}

pub(super) struct Writer<'a> {
    pub(super) layers: &'a [Made<'a>],
    pub(super) prefix: String,
    /// The layer whose body is at hand.
    pub(super) depth: usize,
    /// What the names of the body at hand mean, innermost last.
    pub(super) names: Vec<(String, Value)>,
    /// Variables of the function.
    variables: usize,
    loops: usize,
    lines: Vec<String>,
    /// Memory of each structure: how many elements it has.
    pub(super) memory: BTreeMap<(Holder, String), Vec<String>>,
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
            prefix: layers[0].spec.name.replace('-', "_"),
            depth: 0,
            names: vec![],
            variables: 0,
            loops: 0,
            lines: vec![],
            memory: BTreeMap::new(),
            lasting: BTreeMap::new(),
            users: BTreeSet::new(),
            objects: BTreeSet::new(),
            functions: vec![],
            errors: Report::default(),
        }
    }

    pub(super) fn layer(&self) -> &'a Layer {
        self.layers[self.depth].spec.layer.as_ref().expect("those that are stacked are layers")
    }

    pub(super) fn fresh(&mut self) -> String {
        self.variables += 1;
        format!("r{}", self.variables)
    }

    pub(super) fn line(&mut self, text: &str) {
        self.lines.push(text.to_owned());
    }

    /// Notes that a structure has what lasts.
    pub(super) fn lasting(&mut self, holder: Holder, field: String, work: bool, span: &Span) -> Got<()> {
        if *self.lasting.entry((holder, field)).or_insert(work) == work {
            return Ok(());
        }
        wrong(span, "this is a number here and a work identifier elsewhere", "one register", "use two")
    }

    /// The function of an instruction of the highest layer.
    pub(super) fn function(&mut self, body: &Body) {
        let decls = &self.layers[0].spec.instructions;
        let decl = &decls.list[body.instr];
        (self.depth, self.names, self.variables, self.loops, self.lines) = (0, vec![], 0, 0, vec![]);
        let (mut params, mut result, mut lib) = (vec![], false, None);
        let left = match &decl.form {
            Form::AssignCall(l, ..) => Some(*l),
            _ => None,
        };
        for (i, (param, name)) in decl.params.iter().zip(&body.params).enumerate() {
            let kind = decls.kind(param);
            let c = format!("{name}_");
            let object = |c: &str, of: &str, node: String| {
                let holder = (c.to_owned(), Holder::Object(of.to_owned()));
                Value::Spot(Spot { holder, key: String::new(), indices: vec![], node })
            };
            let value = match &kind.shape {
                Shape::Object | Shape::Local | Shape::Remote => {
                    let of = if kind.shape == Shape::Object { kind.name.as_str() } else { "place" };
                    self.objects.insert(of.to_owned());
                    params.push(format!("struct {}_{of} *{c}", self.prefix));
                    lib = lib.or(Some(format!("{c}->lib")));
                    let far = kind.shape == Shape::Remote;
                    if far {
                        params.push(format!("int {c}node"));
                    }
                    object(&c, of, if far { format!("{c}node") } else { "here".into() })
                }
                Shape::Node if param.list => {
                    params.push(format!("struct litmpi_nodes {c}"));
                    Value::Set(Set::Given(c))
                }
                Shape::Node | Shape::Int if !param.list => {
                    params.push(format!("int64_t {c}"));
                    Value::Number(c)
                }
                Shape::Register(ty) if ty == "Int" && left == Some(i) => {
                    result = true;
                    Value::Register("result".into())
                }
                Shape::Register(ty) if ty != "Int" && !param.list => {
                    params.push(format!("struct litmpi_work *{c}"));
                    Value::Work(c)
                }
                _ => {
                    let d = Diagnostic::at(&param.span, format!("a parameter of the kind {} has no C", kind.name));
                    let help =
                        "use objects, locations, numbers, nodes, work identifiers, and a register for the result";
                    self.errors.0.push(d.found("here").help(help));
                    continue;
                }
            };
            self.names.push((name.clone(), value));
        }
        let objects: Vec<(String, String)> = (self.names.iter())
            .filter_map(|(n, v)| match v {
                Value::Spot(Spot { holder: (_, Holder::Object(kind)), .. }) => Some((n.clone(), kind.clone())),
                _ => None,
            })
            .collect();
        self.users.extend(super::users::asked(&body.stmts, &objects));
        self.block(&body.stmts);
        if lib.is_none() {
            params.insert(0, format!("struct {} *lib", self.prefix));
        }
        let mut text = lib.map_or(String::new(), |l| format!("    struct {} *lib = {l};\n", self.prefix));
        text += "    struct litmpi_net *net = lib->net;\n    const int here = net->rank;\n    (void)here;\n";
        let of: Vec<String> = (1..=self.variables).map(|v| format!("r{v} = 0")).collect();
        if !of.is_empty() {
            text += &format!("    int64_t {};\n", of.join(", "));
        }
        if result {
            text += "    int64_t result = 0;\n";
        }
        let mut depth = 1;
        for line in &self.lines {
            depth -= usize::from(line.starts_with('}'));
            text += &format!("{}{line}\n", "    ".repeat(depth));
            depth += usize::from(line.ends_with('{'));
        }
        if result {
            text += "    return result;\n";
        }
        let ty = if result { "int64_t" } else { "void" };
        let head = format!("{ty} {}_{}({})", self.prefix, decl.name, params.join(", "));
        let doc = format!("{} ({})", decl.doc, body.cites.join("; "));
        let doc = if body.cites.is_empty() { decl.doc.clone() } else { doc };
        self.functions.push(Function { doc, head, body: text });
    }

    fn block(&mut self, stmts: &[Stmt]) {
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
                    self.block(els);
                    Ok(())
                }
                Value::Int(_) => {
                    self.block(then);
                    Ok(())
                }
                v => {
                    let cond = self.number(v, &cond.span)?;
                    self.line(&format!("if ({cond}) {{"));
                    self.block(then);
                    if !els.is_empty() {
                        self.line("} else {");
                        self.block(els);
                    }
                    self.line("}");
                    Ok(())
                }
            },
            // The bound is of the search for outcomes, not of the program.
            StmtKind::While(cond, _, body) => {
                self.line("for (;;) {");
                let v = self.value(cond)?;
                let cond = self.number(v, &cond.span)?;
                self.line(&format!("if (!{cond})"));
                self.line("    break;");
                self.block(body);
                self.line("litmpi_pause(net);");
                self.line("}");
                Ok(())
            }
            StmtKind::Repeat(body, until) => {
                self.line("for (;;) {");
                self.block(body);
                let v = self.value(until)?;
                let until = self.number(v, &until.span)?;
                self.line(&format!("if ({until})"));
                self.line("    break;");
                self.line("litmpi_pause(net);");
                self.line("}");
                Ok(())
            }
            StmtKind::For(name, over, body) => self.each(name, over, body),
            StmtKind::Choose(_) => {
                wrong(&stmt.span, "a choice has no C", "`choose`", "say by a constant which of them the library takes")
            }
        }
    }

    fn each(&mut self, name: &Name, over: &Expr, body: &[Stmt]) -> Got<()> {
        let set = match self.value(over)? {
            Value::List(all) => {
                for value in all {
                    self.names.push((name.node.clone(), value));
                    self.block(body);
                    self.names.pop();
                }
                return Ok(());
            }
            Value::Set(set) => set,
            _ => return wrong(&over.span, "a list is wanted here", "this is none", "use `nodes`, `users(x)`, …"),
        };
        self.loops += 1;
        let (i, n) = (format!("i{}", self.loops), format!("n{}", self.loops));
        let (count, of, others) = match set {
            Set::All => ("net->nodes".to_owned(), i.clone(), false),
            Set::Others => ("net->nodes".to_owned(), i.clone(), true),
            Set::Users(field, others) => (format!("{field}.count"), format!("{field}.of[{i}]"), others),
            Set::Given(p) => (format!("{p}.count"), format!("{p}.of[{i}]"), false),
        };
        self.line(&format!("for (int {i} = 0; {i} < {count}; {i}++) {{"));
        self.line(&format!("const int {n} = {of};"));
        if others {
            self.line(&format!("if ({n} == here)"));
            self.line("    continue;");
        }
        self.names.push((name.node.clone(), Value::Number(n)));
        self.block(body);
        self.names.pop();
        self.line("}");
        Ok(())
    }

    fn assign(&mut self, left: &Expr, e: &Expr) -> Got<()> {
        if let ExprKind::Call(f, args) = &*e.node
            && !matches!(f.node.as_str(), "users" | "homes" | "others")
        {
            let left = (self.value(left)?, left.span.clone());
            return self.call(Some(left), f, args);
        }
        let right = self.value(e)?;
        let right = self.number(right, &e.span)?;
        match self.value(left)? {
            Value::Register(r) => self.line(&format!("{r} = {right};")),
            Value::Lasting(holder, field, text) => {
                self.lasting(holder, field, false, &left.span)?;
                self.line(&format!("{text} = {right};"));
            }
            Value::Spot(spot) => {
                let at = self.own(&spot, &left.span)?;
                self.line(&format!("litmpi_store(net, {at}, {right});"));
            }
            _ => return wrong(&left.span, "this cannot be assigned", "no place", "assign memory or a register"),
        }
        Ok(())
    }

    fn work(&mut self, e: &Expr) -> Got<String> {
        match self.value(e)? {
            Value::Work(w) => Ok(w),
            Value::Lasting(holder, field, text) => {
                self.lasting(holder, field, true, &e.span)?;
                Ok(format!("&{text}"))
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
            ("mfence", [], None) => {
                self.line("litmpi_mfence();");
                Ok(())
            }
            ("wait", [d], None) => {
                let work = self.work(d)?;
                self.line(&format!("litmpi_wait(net, {work});"));
                Ok(())
            }
            (which @ ("put" | "get"), [x, d], Some((left, span))) => {
                let (Value::Spot(to), Value::Spot(from)) = (left, self.value(x)?) else {
                    return wrong(
                        &span,
                        format!("`{which}` is from memory to memory"),
                        "this",
                        "use memory of the layer",
                    );
                };
                let (near, far) = if which == "put" { (from, to) } else { (to, from) };
                let (at, own) = (self.offset(&far), self.own(&near, &x.span)?);
                let work = self.work(d)?;
                self.line(&format!("litmpi_{which}(net, {}, {at}, {own}, {work});", far.node));
                Ok(())
            }
            (name, ..) => {
                let help = "a library has `put` and `get` under a work identifier, `wait` and `mfence`";
                wrong(&f.span, format!("`{name}` has no C in a library"), "a call of what is below", help)
            }
        }
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
                        Value::Int(v) => Value::Int(v),
                        v => {
                            let (text, own) = (self.number(v, &e.span)?, self.fresh());
                            self.line(&format!("{own} = {text};"));
                            Value::Number(own)
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
        let from = self.variables;
        let begun = self.lines.len();
        self.block(&body.stmts);
        // Registers of a body are 0 at its beginning, in each round of a loop, too.
        let own: Vec<String> = (self.names.iter())
            .filter_map(|(_, v)| match v {
                Value::Register(r)
                    if r.strip_prefix('r').and_then(|n| n.parse::<usize>().ok()).is_some_and(|n| n > from) =>
                {
                    Some(format!("{r} = 0;"))
                }
                _ => None,
            })
            .collect();
        self.lines.splice(begun..begun, own);
        self.depth -= 1;
        self.names = outer;
        Ok(())
    }
}
