//! Calls: which argument is for which parameter, and what it may be.

use super::body::{Body, default};
use super::classify::plain;
use super::expr::Found;
use crate::ast::Stmt;
use crate::raw::{Arg, Call, Expr, ExprKind, Place, Value};
use litmpi_spec::decl::{Form, Instruction, Param, Shape};
use litmpi_spec::diag::Diagnostic;
use litmpi_spec::program::{IntExpr, Operand};
use litmpi_spec::suggest::nearest;

/// Pairs arguments with parameters: those without a name in the declared order, then those with one.
pub(crate) fn bind<'r>(
    instr: &Instruction,
    params: &[usize],
    call: &'r Call,
    errors: &mut Vec<Diagnostic>,
) -> Vec<(usize, &'r Arg)> {
    let mut bound: Vec<(usize, &Arg)> = Vec::new();
    let mut named = false;
    for (i, arg) in call.args.iter().enumerate() {
        let at = match &arg.name {
            Some(name) => {
                named = true;
                let known = params.iter().copied().find(|p| instr.params[*p].name == name.text);
                if known.is_none() {
                    let names: Vec<&str> = params.iter().map(|p| instr.params[*p].name.as_str()).collect();
                    let help = nearest(&name.text, names.iter().copied())
                        .map_or_else(|| format!("it has: {}", names.join(", ")), |n| format!("did you mean `{n}`?"));
                    let message = format!("`{}` has no parameter `{}`", call.name.text, name.text);
                    errors.push(Diagnostic::at(&name.span, message).found("unknown parameter").help(help));
                }
                known
            }
            None if named => {
                errors.push(
                    Diagnostic::at(&arg.span, "an argument without a name follows one with a name")
                        .found("which parameter?")
                        .help("name it too, or move it to the front"),
                );
                None
            }
            None => {
                if i == params.len() {
                    let message = format!("`{}` takes at most {} arguments", call.name.text, params.len());
                    let found = format!("{} are given", call.args.len());
                    errors.push(Diagnostic::at(&arg.span, message).found(found).help(signature(instr, params)));
                }
                params.get(i).copied()
            }
        };
        let Some(at) = at else { continue };
        if bound.iter().any(|(p, _)| *p == at) {
            errors.push(
                Diagnostic::at(&arg.span, format!("`{}` is given twice", instr.params[at].name))
                    .found("the second time")
                    .help("remove one"),
            );
        } else {
            bound.push((at, arg));
        }
    }
    bound
}

/// `it is MPI_Send(buf, count = 1, …)`, for help.
fn signature(instr: &Instruction, params: &[usize]) -> String {
    let parts: Vec<String> = params
        .iter()
        .map(|p| {
            let p = &instr.params[*p];
            if p.default.is_some() { format!("[{}]", p.name) } else { p.name.clone() }
        })
        .collect();
    format!("its parameters, in brackets those that may be left out: {}", parts.join(", "))
}

impl Body<'_> {
    /// A call that stands as a statement.
    pub(super) fn call(&mut self, call: &Call) -> Option<Stmt> {
        let name = &call.name.text;
        let listed = self.decls.find(name).filter(|i| !self.decls.list[*i].internal);
        let Some(instr) = listed.filter(|i| self.decls.list[*i].form == Form::Call) else {
            self.not_a_call(call, listed);
            return None;
        };
        let params: Vec<usize> = (0..self.decls.list[instr].params.len()).collect();
        let given = self.arguments(instr, &params, call)?;
        self.make(instr, given, &call.span)
    }

    fn not_a_call(&mut self, call: &Call, listed: Option<usize>) {
        let name = &call.name.text;
        let d = Diagnostic::at(&call.name.span, format!("`{name}` is not an instruction that stands alone"));
        let gives_value = self.decls.list.iter().any(|i| matches!(&i.form, Form::AssignCall(_, n, _) if n == name));
        if gives_value {
            self.errors.push(d.found("gives a value").help(format!("write `r := {name}(…)`")));
        } else if listed.is_some() {
            self.errors.push(d.found("written as an assignment").help("write it as `left := right`"));
        } else {
            let calls = self.decls.list.iter().filter(|i| i.form == Form::Call && !i.internal);
            let names: Vec<&str> = calls.map(|i| i.name.as_str()).collect();
            let help = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if self.find(name).is_some() => format!("to assign it, write `{name} := …`"),
                None => format!("instructions are: {}", names.join(", ")),
            };
            let message = format!("there is no instruction `{name}`");
            self.errors.push(Diagnostic::at(&call.name.span, message).found("unknown").help(help));
        }
    }

    /// The operands of the given arguments; nothing if one is wrong or missing.
    pub(super) fn arguments(&mut self, instr: usize, params: &[usize], call: &Call) -> Option<Vec<(usize, Operand)>> {
        let decls = self.decls;
        let decl = &decls.list[instr];
        let before = self.errors.len();
        let bound = bind(decl, params, call, &mut self.errors);
        let mut given = Vec::new();
        for (param, arg) in &bound {
            if let Some(operand) = self.argument(&decl.params[*param], arg) {
                given.push((*param, operand));
            }
        }
        self.results_apart(decl, &bound, &given);
        let missing: Vec<&str> = params
            .iter()
            .filter(|p| default(&decl.params[**p]).is_none() && !bound.iter().any(|(b, _)| b == *p))
            .map(|p| decl.params[*p].name.as_str())
            .collect();
        // A misspelt name would be told twice.
        if !missing.is_empty() && self.errors.len() == before {
            let message = format!("`{}` needs `{}`", call.name.text, missing.join("`, `"));
            let d = Diagnostic::at(&call.span, message).found("too few arguments");
            self.errors.push(d.help(signature(decl, params)));
        }
        (self.errors.len() == before).then_some(given)
    }

    /// Two results of one call go to two places: else what the variable holds would depend on which is written last.
    fn results_apart(&mut self, decl: &Instruction, bound: &[(usize, &Arg)], given: &[(usize, Operand)]) {
        let mut seen: Vec<(Result<usize, usize>, &str)> = Vec::new();
        for (param, operand) in given {
            let Some((_, arg)) = bound.iter().find(|(b, _)| b == param) else { continue };
            let written: Vec<(&Operand, &Expr)> = match (operand, &arg.value) {
                (Operand::List(operands), Value::List(es)) => operands.iter().zip(es).collect(),
                (one, Value::One(e)) => vec![(one, e)],
                _ => continue,
            };
            for (operand, e) in written {
                let Operand::Reg(reg) = operand else { continue };
                let place = self.stores.iter().find(|(_, r)| r == reg).map_or(Ok(*reg), |(loc, _)| Err(*loc));
                let name = decl.params[*param].name.as_str();
                match seen.iter().find(|(p, _)| *p == place) {
                    Some((_, first)) => {
                        let (text, call) = (e.span.text(), &decl.name);
                        let message = if *first == name {
                            format!("`{text}` stands twice in `{name}` of `{call}`")
                        } else {
                            format!("`{text}` is both `{first}` and `{name}` of `{call}`")
                        };
                        let d = Diagnostic::at(&e.span, message).found("one variable for two results");
                        self.errors.push(d.help("give each its own"));
                    }
                    None => seen.push((place, name)),
                }
            }
        }
    }

    fn argument(&mut self, param: &Param, arg: &Arg) -> Option<Operand> {
        let kind = self.decls.kind(param);
        let none = if param.list { &kind.text.c.none_list } else { &kind.text.c.none };
        let omitted = |e: &Expr| plain(e).is_some_and(|n| none.as_deref() == Some(&n.text));
        match &arg.value {
            Value::One(e) if omitted(e) && param.default == Some(litmpi_spec::decl::Default::NoRegister) => {
                Some(Operand::NoReg)
            }
            Value::List(es) if param.list => {
                let operands: Vec<_> = es.iter().map(|e| self.operand(param, e)).collect();
                Some(Operand::List(operands.into_iter().collect::<Option<_>>()?))
            }
            Value::One(e) if !param.list => self.operand(param, e),
            Value::One(e) => {
                let d = Diagnostic::at(&arg.span, format!("`{}` is a list", param.name));
                self.errors.push(d.found("one value").help(format!("write `[{}]`", e.span.text())));
                None
            }
            Value::List(_) => {
                let d = Diagnostic::at(&arg.span, format!("`{}` is not a list", param.name));
                self.errors.push(d.found("a list").help("give one value, without `[ ]`"));
                None
            }
        }
    }

    fn operand(&mut self, param: &Param, e: &Expr) -> Option<Operand> {
        let shape = self.decls.kind(param).shape.clone();
        match (&shape, &e.kind) {
            (Shape::Int, _) => {
                let value = self.int(e, Some(param.kind))?;
                let kind = self.decls.kind(param);
                if kind.only_names && !matches!(value, IntExpr::Const(_, Some(_))) {
                    let names: Vec<&str> = kind.names.iter().map(|(name, _)| name.as_str()).collect();
                    let d = Diagnostic::at(&e.span, format!("`{}` is given by a name", param.name));
                    self.errors.push(d.found("no name").help(format!("write one of `{}`", names.join("`, `"))));
                    return None;
                }
                Some(Operand::Int(value))
            }
            (Shape::Handle(ty), ExprKind::Place(p)) if p.node.is_none() && p.index.is_none() => {
                self.handle(param, ty, p, e)
            }
            (Shape::Local | Shape::LocalOrNone, ExprKind::Int(value)) => {
                Some(Operand::Loc(self.vars.anonymous(self.node, *value)))
            }
            (Shape::Object, ExprKind::Place(p)) if p.node.is_none() && p.index.is_none() => self.object(param, e, p),
            (Shape::Node, ExprKind::Int(number)) => self.any_node(*number, &e.span).map(Operand::Node),
            (Shape::Remote, ExprKind::Place(p)) if p.node.is_some() => self.remote(p).map(Operand::Loc),
            (Shape::Register(_) | Shape::Local | Shape::LocalOrNone, ExprKind::Place(p))
                if self.is_constant(&p.name.text) =>
            {
                self.wrong(param, e, "a constant")
            }
            (Shape::Local | Shape::LocalOrNone, ExprKind::Place(p)) if p.node.is_none() => {
                match self.find(&p.name.text) {
                    Some(Found::Var(var)) => self.element(p, &var, true).map(Operand::Loc),
                    Some(Found::Reg(_)) => self.wrong(param, e, "a register"),
                    None => self.unknown(&p.name, None),
                }
            }
            (Shape::Register(ty), ExprKind::Place(p)) if p.node.is_none() => match self.find(&p.name.text) {
                Some(Found::Reg(reg)) => {
                    self.whole(p)?;
                    self.typed(&p.name.text, reg, ty, e)
                }
                // A declared `int` serves as the place of a result: the value is stored after.
                Some(Found::Var(var)) if ty == "Int" => {
                    let loc = self.element(p, &var, false)?;
                    Some(Operand::Reg(self.store(loc)))
                }
                Some(Found::Var(_)) => self.wrong(param, e, "a location"),
                None => self.unknown(&p.name, None),
            },
            (_, ExprKind::Place(p)) if p.node.is_some() => self.wrong(param, e, "a location of another node"),
            _ => self.wrong(param, e, "this"),
        }
    }

    /// Whether a name is a constant's, of whatever kind: no register or location is called so.
    fn is_constant(&self, name: &str) -> bool {
        self.decls.kinds.iter().any(|k| k.value_of(name).is_some())
    }

    /// An object that all nodes share.
    fn object(&mut self, param: &Param, e: &Expr, place: &Place) -> Option<Operand> {
        let name = &place.name.text;
        if !self.vars.nodes_with(name).is_empty() {
            return self.wrong(param, e, "a location");
        }
        if let Some(Found::Reg(_)) = self.find(name) {
            return self.wrong(param, e, "a register");
        }
        let (kind, first) = self.vars.object(name, param.kind, self.nodes.len());
        if kind != param.kind {
            let (is, wanted) = (&self.decls.kinds[kind].name, &self.decls.kinds[param.kind].name);
            let d = Diagnostic::at(&e.span, format!("`{name}` is a {is}, not a {wanted}"));
            self.errors.push(d.found("used otherwise before").help("use an object for one thing"));
            return None;
        }
        Some(Operand::Loc(first))
    }

    /// What stands for an object: the register that holds it, or a constant.
    fn handle(&mut self, param: &Param, ty: &str, place: &Place, e: &Expr) -> Option<Operand> {
        match self.find(&place.name.text) {
            Some(Found::Reg(reg)) => {
                self.typed(&place.name.text, reg, ty, e)?;
                Some(Operand::Int(IntExpr::Reg(reg, None)))
            }
            Some(Found::Var(_)) => self.wrong(param, e, "a location"),
            None => self.constant(&place.name, Some(param.kind)).map(Operand::Int),
        }
    }

    /// The register, if it has the wanted type.
    pub(super) fn typed(&mut self, name: &str, reg: usize, ty: &str, e: &Expr) -> Option<Operand> {
        let own = self.regs[reg].ty.clone();
        if own == ty {
            return Some(Operand::Reg(reg));
        }
        self.errors.push(
            Diagnostic::at(&e.span, format!("`{name}` holds {own}, not {ty}"))
                .found(format!("a register of type {own}"))
                .help(format!("use another name for the {ty}")),
        );
        None
    }

    fn wrong(&mut self, param: &Param, e: &Expr, found: &str) -> Option<Operand> {
        let kind = self.decls.kind(param);
        let help = match &kind.shape {
            Shape::Local | Shape::LocalOrNone => "give a location of this node, or a number that one holds",
            Shape::Remote => "give a location of another node: `x@2`",
            Shape::Object => "give the name of an object: one that nothing else has",
            Shape::Node => "give the number of another node",
            Shape::Int => "give an integer expression",
            Shape::Register(_) => "give a register: a name that is not declared as a location",
            Shape::Handle(_) => "give a register that another call has set, or a constant",
        };
        let d = Diagnostic::at(&e.span, format!("`{}` cannot be this: it is a {}", param.name, kind.name));
        self.errors.push(d.found(found).help(help));
        None
    }
}
