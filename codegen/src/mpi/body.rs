//! The function that is one rank's body: control flow, names and arguments, the same in every language. What is
//! written for them is a [`Dialect`]'s matter.

use super::dialect::{Body, Dialect};
use super::names::Names;
use super::template::{fill, pass};
use litmpi_litmus::ast::{Stmt, Test, Thread};
use litmpi_spec::decl::{Form, Instruction, Instructions, Kind, KindText, Param, Shape};
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::program::Operand;
use litmpi_spec::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// What is being emitted, and what has been seen on the way.
pub(crate) struct Scope<'a> {
    pub(crate) test: &'a Test,
    pub(crate) thread: &'a Thread,
    pub(crate) instructions: &'a Instructions,
    pub(super) dialect: &'a dyn Dialect,
    /// The test's C name, before every name at file level.
    pub(crate) prefix: &'a str,
    /// What the function of a thread is called after that: `rank`, `thread`.
    role: &'a str,
    /// Variables of locations (by index of the array's first cell) and of registers.
    locs: BTreeMap<usize, String>,
    pub(crate) regs: Vec<String>,
    used_locs: BTreeSet<usize>,
    /// Registers whose value something reads, and those that something writes.
    read: BTreeSet<usize>,
    written: BTreeSet<usize>,
    /// Named constants that the body speaks of, where the language must be told their values.
    pub(crate) constants: BTreeSet<(String, i64)>,
    /// What of the program the language's binding to the library lacks.
    pub(crate) lacks: BTreeSet<String>,
    /// Kinds whose computed values need a translation to the library's constants.
    pub(crate) translated: BTreeSet<String>,
    pub(crate) jumps: bool,
    /// How many calls have had arrays of the function's own.
    arrays: usize,
    /// The call is a store of a value.
    pub(super) stores: bool,
    out: String,
    pub(crate) depth: usize,
    problems: Vec<Diagnostic>,
}

impl<'a> Scope<'a> {
    pub(crate) fn new(
        test: &'a Test,
        thread: &'a Thread,
        instructions: &'a Instructions,
        (prefix, role): (&'a str, &'a str),
        dialect: &'a dyn Dialect,
    ) -> Scope<'a> {
        let mut names = Names::default();
        dialect.reserved().iter().for_each(|n| names.reserve(n));
        for param in instructions.list.iter().flat_map(|i| &i.params).filter(|p| p.list) {
            names.reserve(&param.name);
        }
        names.reserve(prefix);
        let regs = thread.regs.iter().map(|r| names.fresh(&r.name)).collect();
        let mut locs = BTreeMap::new();
        for (i, loc) in test.locs.iter().enumerate().filter(|(_, l)| l.node == thread.node) {
            let (array, at) = split_element(&loc.name);
            if at == 0 {
                let wanted = loc.name.strip_prefix('$').map_or_else(|| array.to_string(), |n| format!("literal_{n}"));
                locs.insert(i, names.fresh(&wanted));
            }
        }
        Scope {
            test,
            thread,
            instructions,
            dialect,
            prefix,
            role,
            locs,
            regs,
            used_locs: BTreeSet::new(),
            read: BTreeSet::new(),
            written: BTreeSet::new(),
            constants: BTreeSet::new(),
            lacks: BTreeSet::new(),
            translated: BTreeSet::new(),
            jumps: false,
            arrays: 0,
            stores: false,
            out: String::new(),
            depth: 1,
            problems: Vec::new(),
        }
    }

    pub(crate) fn report(&mut self, d: Diagnostic) {
        self.problems.push(d);
    }

    /// Has the function declare these locations, whether it uses them or not.
    pub(super) fn keep(&mut self, locs: impl Iterator<Item = usize>) {
        for loc in locs.filter(|l| self.test.locs[*l].node == self.thread.node) {
            self.used_locs.insert(loc - split_element(&self.test.locs[loc].name).1);
        }
    }

    /// A location of the rank, in the function.
    pub(super) fn name_of(&self, loc: usize) -> String {
        let at = split_element(&self.test.locs[loc].name).1;
        self.locs.get(&(loc - at)).map_or_else(String::new, |name| self.dialect.after(name, at))
    }

    /// The register's variable, which something reads.
    pub(super) fn reg_name(&mut self, reg: usize) -> String {
        self.read.insert(reg);
        self.regs[reg].clone()
    }

    /// The function that translates a kind's values to the library's.
    pub(super) fn translator(&mut self, kind: &Kind) -> String {
        self.translated.insert(kind.name.clone());
        format!("{}_{}", self.prefix, kind.name)
    }

    /// What a kind says in the language.
    pub(crate) fn text(&self, kind: &'a Kind) -> &'a KindText {
        kind.text.of(self.dialect.language())
    }

    fn kind_of(&self, reg: usize) -> Option<&'a Kind> {
        self.thread.regs[reg].kind.and_then(|k| self.instructions.kinds.get(k))
    }

    /// The whole function.
    pub(crate) fn function(&mut self) -> String {
        let thread = self.thread;
        self.block(&thread.body);
        let statements = std::mem::take(&mut self.out);
        let tail = self.tail();
        let body = Body {
            name: format!("{}_{}_{}", self.prefix, self.role, thread.number),
            role: self.role.to_owned(),
            number: thread.number,
            declarations: self.declarations(),
            statements,
            tail,
            jumps: self.jumps,
        };
        self.dialect.function(&body)
    }

    /// What was found wrong on the way.
    pub(crate) fn problems(&mut self) -> Vec<Diagnostic> {
        std::mem::take(&mut self.problems)
    }

    fn declarations(&mut self) -> String {
        let mut text = String::new();
        // Blocks are numbered by the node's locations in order.
        let mine = self.test.locs.iter().enumerate().filter(|(_, l)| l.node == self.thread.node);
        for (block, (i, _)) in mine.enumerate() {
            if let (true, Some(name)) = (self.used_locs.contains(&i), self.locs.get(&i)) {
                text.push_str(&format!("    {}\n", self.dialect.location(name, block)));
            }
        }
        for (i, reg) in self.thread.regs.iter().enumerate() {
            let kind = self.kind_of(i).map(|k| self.text(k));
            let (ty, init) = (kind.and_then(|k| k.ty.as_deref()), kind.and_then(|k| k.init.as_deref()));
            if ty.is_none() && reg.ty != "Int" {
                self.problems.push(
                    Diagnostic::at(
                        &self.test.span,
                        format!("register `{}` of type `{}` has no {} type", reg.name, reg.ty, self.dialect.word()),
                    )
                    .found("in this test")
                    .help(format!("the kind that makes the register says its {} type", self.dialect.word())),
                );
            }
            let line = self.dialect.variable(&self.regs[i], ty, init, self.written.contains(&i));
            text.push_str(&format!("    {line}\n"));
        }
        text
    }

    /// What the body hands over when it ends: requests still active, and registers' final values.
    fn tail(&mut self) -> String {
        use litmpi_litmus::ast::Observed;
        let mut text = String::new();
        let test = self.test;
        let me = test.threads.iter().position(|t| std::ptr::eq(t, self.thread));
        let span = test.span.clone();
        for (i, o) in test.observed.iter().enumerate() {
            if let Observed::Reg(thread, reg, field) = &o.what
                && Some(*thread) == me
            {
                let value = self.value(*reg, field.as_deref(), &span);
                text.push_str(&format!("    {}\n", self.dialect.observe(i, &value, &o.name)));
            }
        }
        for i in 0..self.regs.len() {
            let leave = self.kind_of(i).and_then(|k| self.text(k).leave.as_deref());
            if let Some(leave) = leave {
                self.written.insert(i);
                text.push_str(&format!("    {};\n", pass(leave, &self.regs[i])));
            } else if !self.read.contains(&i) {
                text.push_str(&format!("    {}\n", self.dialect.unread(&self.regs[i])));
            }
        }
        text
    }

    pub(crate) fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("    ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// Marks where the program is, with the statement's place and text as the reader knows them.
    fn point(&mut self, span: &Span, whole: bool) {
        let (line, _) = span.line_col();
        let file = span.source.name.rsplit('/').next().unwrap_or(&span.source.name);
        let text = if span.end <= span.source.text.len() && span.start <= span.end { span.text() } else { "" };
        let first = text.lines().next().unwrap_or("").trim();
        let shown =
            if whole && !first.is_empty() { format!("{file}:{line}: {first}") } else { format!("{file}:{line}") };
        let point = self.dialect.point(line, &shown);
        self.line(&point);
    }

    fn block(&mut self, body: &[Stmt]) {
        for s in body {
            self.stmt(s);
        }
    }

    fn nested(&mut self, body: &[Stmt]) {
        self.depth += 1;
        self.block(body);
        self.depth -= 1;
    }

    fn stmt(&mut self, s: &Stmt) {
        match s {
            Stmt::Call { instr, args, span } => {
                self.point(span, true);
                self.call(&self.instructions.list[*instr], args, span);
            }
            Stmt::Set { reg, expr, span } => {
                self.point(span, true);
                let value = self.expr(expr, span);
                self.written.insert(*reg);
                let line = format!("{} = {value};", self.regs[*reg]);
                self.line(&line);
            }
            Stmt::If { cond, then, els, span } => {
                self.point(span, false);
                let cond = self.condition(cond, span);
                self.line(&self.dialect.branch(&cond));
                self.nested(then);
                if !els.is_empty() {
                    self.line("} else {");
                    self.nested(els);
                }
                self.line("}");
            }
            Stmt::While { cond, body, span, .. } => {
                self.point(span, false);
                let cond = self.condition(cond, span);
                self.dialect.repeat(&cond).iter().for_each(|l| self.line(l));
                self.jumps = true;
                self.nested(body);
                self.line("}");
            }
            Stmt::Choose { of, span } => {
                self.point(span, false);
                self.line(&self.dialect.choose(of.len().max(1)));
                for (i, alternative) in of.iter().enumerate() {
                    let (begin, end) = self.dialect.alternative(i, i + 1 == of.len());
                    self.line(&begin);
                    self.nested(alternative);
                    self.line(end);
                }
                self.line("}");
            }
        }
    }

    fn call(&mut self, instruction: &'a Instruction, args: &[Operand], span: &Span) {
        let dialect = self.dialect;
        let mut arrays = Vec::new();
        let mut texts = Vec::new();
        // What a call starts may read its arrays until it is complete, which may be behind the end of the body.
        let starts = instruction.params.iter().any(|p| !p.list && self.instructions.kind(p).name == "request");
        let lists = args.iter().any(|a| matches!(a, Operand::List(_)));
        self.arrays += usize::from(starts && lists);
        self.stores = matches!(instruction.form, Form::Assign(..));
        for (param, arg) in instruction.params.iter().zip(args) {
            texts.push(match arg {
                Operand::List(items) => {
                    let name = if starts { format!("{}_{}", param.name, self.arrays) } else { param.name.clone() };
                    let (text, array) = dialect.list(self, (name, starts), param, items, span);
                    arrays.extend(array);
                    text
                }
                arg => self.passed(param, arg, span),
            });
        }
        for at in 0..texts.len() {
            texts[at] = self.with_siblings(instruction, &texts, at, &texts[at]);
        }
        // Arrays come in the order of their parameters.
        let lists = args.iter().enumerate().filter(|(_, a)| matches!(a, Operand::List(_))).map(|(at, _)| at);
        for (array, at) in arrays.iter_mut().zip(lists) {
            array.declaration = self.with_siblings(instruction, &texts, at, &array.declaration);
        }
        let statement = match instruction.text.of(dialect.language()) {
            None => match self.assignment(instruction, &texts).or_else(|| dialect.regular(instruction, &texts)) {
                Some(statement) => statement,
                None => {
                    self.lacks.insert(instruction.name.clone());
                    return;
                }
            },
            Some(template) => {
                let filled = fill(template, |name| self.placeholder(instruction, args, &texts, name, span));
                match filled {
                    Ok(text) => text.trim().trim_end_matches(';').to_string(),
                    Err(name) => {
                        let known: Vec<&str> = instruction.params.iter().map(|p| p.name.as_str()).collect();
                        self.report(
                            Diagnostic::at(
                                &instruction.span,
                                format!("`{{{name}}}` is not a parameter of `{}`", instruction.name),
                            )
                            .found(format!("in the {} text of this instruction", dialect.word()))
                            .help(format!("its parameters are {}", known.join(", "))),
                        );
                        return;
                    }
                }
            }
        };
        dialect.statement(self, instruction, &statement, &arrays, starts);
    }

    /// An assignment between memory and a register or value, unless the instruction has a text of its own.
    fn assignment(&self, instruction: &Instruction, texts: &[String]) -> Option<String> {
        let Form::Assign(left, right) = instruction.form else { return None };
        let shape = |at: usize| &self.instructions.kind(&instruction.params[at]).shape;
        match (shape(left), shape(right)) {
            (Shape::Local, Shape::Int) => Some(self.dialect.store(&texts[left], &texts[right])),
            (Shape::Register(_), Shape::Local) => Some(self.dialect.load(&texts[left], &texts[right])),
            _ => None,
        }
    }

    fn placeholder(
        &mut self,
        instruction: &Instruction,
        args: &[Operand],
        texts: &[String],
        name: &str,
        span: &Span,
    ) -> Option<String> {
        let (param, part) = name.split_once('.').unwrap_or((name, ""));
        let at = instruction.param(param)?;
        match (part, args.get(at)?) {
            ("", _) => texts.get(at).cloned(),
            ("len", Operand::List(items)) => Some(items.len().to_string()),
            ("len", _) => Some("0".into()),
            ("raw", Operand::List(_)) => Some(instruction.params[at].name.clone()),
            ("raw", arg) => Some(self.base(&instruction.params[at], arg, span)),
            ("mut", arg) => self.dialect.reference(self, &instruction.params[at], arg, span),
            _ => None,
        }
    }

    /// An argument's text with `{kind}` replaced by the text of the next argument of that kind.
    fn with_siblings(&self, instruction: &Instruction, texts: &[String], at: usize, text: &str) -> String {
        let kind = |p: usize| &self.instructions.kind(&instruction.params[p]).name;
        let filled = fill(text, |name| {
            let next = (at + 1..texts.len()).chain(0..at).find(|p| kind(*p) == name)?;
            Some(texts[next].clone())
        });
        filled.unwrap_or_else(|_| text.to_string())
    }

    /// An argument as the kind passes it.
    pub(crate) fn passed(&mut self, param: &Param, arg: &Operand, span: &Span) -> String {
        let kind = self.instructions.kind(param);
        let text = self.text(kind);
        if matches!(arg, Operand::NoReg) {
            let none = text.none_list.as_ref().filter(|_| param.list).or(text.none.as_ref());
            return none.cloned().unwrap_or_else(|| {
                self.dialect.not_left_out(self, param, span);
                "NULL".into()
            });
        }
        let base = self.base(param, arg, span);
        // `&x` makes the variable look used; a plain one must be read by something else.
        text.pass.as_ref().map_or_else(|| base.clone(), |t| pass(t, &base))
    }

    /// An argument's own text.
    pub(crate) fn base(&mut self, param: &Param, arg: &Operand, span: &Span) -> String {
        match arg {
            Operand::Int(e) => {
                let kind = self.instructions.kind(param);
                self.argument(e, kind, span)
            }
            Operand::Reg(r) => {
                self.written.insert(*r);
                let kind = self.instructions.kind(param);
                let by_address = self.text(kind).pass.as_deref().is_some_and(|p| p.contains('&'));
                if by_address { self.reg_name(*r) } else { self.regs[*r].clone() }
            }
            Operand::Node(n) => self.test.nodes[*n].number.to_string(),
            Operand::Loc(l) if self.instructions.kind(param).shape == Shape::Remote => self.remote(*l),
            Operand::Loc(l) => self.location(*l, span),
            Operand::NoReg | Operand::List(_) => {
                self.report(
                    Diagnostic::at(span, format!("`{}` cannot stand in a list", param.name)).found("in this call"),
                );
                "0".into()
            }
        }
    }

    /// A location of another node: the node's number and the number of the block there.
    fn remote(&self, loc: usize) -> String {
        let (node, block) = place(self.test, loc);
        let name = comment(&self.test.locs[loc].name);
        self.dialect.remote(self.test.nodes[node].number, block, &name)
    }

    fn location(&mut self, loc: usize, span: &Span) -> String {
        let (_, at) = split_element(&self.test.locs[loc].name);
        let first = loc.saturating_sub(at);
        let Some(name) = self.locs.get(&first).cloned() else {
            self.report(
                Diagnostic::at(
                    span,
                    format!("`{}` is not a location of rank {}", self.test.locs[loc].name, self.thread.number),
                )
                .found("used here")
                .help("ranks share no memory: send the value"),
            );
            return "NULL".into();
        };
        self.used_locs.insert(first);
        if at == 0 { name } else { self.dialect.after(&name, at) }
    }
}

/// `r[2]` is element 2 of `r`; a scalar is element 0 of itself.
fn split_element(name: &str) -> (&str, usize) {
    name.strip_suffix(']')
        .and_then(|n| n.split_once('['))
        .and_then(|(array, at)| Some((array, at.parse().ok()?)))
        .unwrap_or((name, 0))
}

/// Node (by index) and block number of a location: blocks are numbered by the node's locations in order.
pub(crate) fn place(test: &Test, loc: usize) -> (usize, usize) {
    let node = test.locs[loc].node;
    (node, test.locs[..loc].iter().filter(|l| l.node == node).count())
}

/// Text that may stand in a comment.
pub(crate) fn comment(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").trim_end_matches('\\').to_string()
}
