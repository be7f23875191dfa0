//! Completes-before rules: of two calls, what is true of one before it is true of the other.
//!
//! ```text
//! order NAME "…"
//!   process { S: MPI_Isend  T: MPI_Isend }  where S.dest = T.dest
//!   S is_received ≺ T is_received
//! ```
//! Names stand for calls: those of one `process` in program order, different `process` parts for different ranks. What may be true
//! of a call is `started`, `returned`, or a function of the model of a process and the number of a request; the model's text says
//! what completes when, not this file. A condition compares arguments (`S.dest`), ranks (`S.rank`), or how many calls of the
//! same function on the same communicator came before (`B.nth`). The rule is refuted by a state in which it is true of the
//! second call and not of the first ([`super::watch`]).
//!
//! Limits: calls that stand in a loop, choice or branch, and conditions on arguments that are not known without running the
//! program, are not spoken of; nor are persistent requests, whose number is used again.

use super::program::Program;
use super::rewrite::{Bound, bind, fits};
use super::syntax::{Compare, Expr, compare, only};
use litmpi_grammars::laws::Rule;
use litmpi_litmus::sites::{self, Call, Rank};
use litmpi_spec::decl::Instructions;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use litmpi_spec::source::{Source, Span};
use pest::iterators::Pair;
use std::ops::Range;
use std::sync::Arc;

/// One rule.
#[derive(Debug, Clone)]
pub struct Order {
    /// Its name.
    pub name: String,
    /// One sentence.
    pub title: String,
    /// Stated as wrong: a program that refutes it must be found.
    pub wrong: bool,
    /// A test of the library that refutes it, and whose claim shows so.
    pub witness: Option<String>,
    /// Programs that call one of these are not spoken of.
    pub without: Vec<String>,
    /// The variant that it holds in, if it holds in one only.
    pub under: Option<String>,
    /// Where it stands.
    pub span: Span,
    /// The calls of each process: names, and patterns of functions.
    processes: Vec<Vec<(String, String)>>,
    wheres: Vec<Compare>,
    pub(super) earlier: Moment,
    pub(super) later: Moment,
}

/// A call and what is true of it.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    call: String,
    pub(super) event: String,
    span: Span,
}

/// Two calls of a program that a rule speaks of.
#[derive(Debug, Clone)]
pub(super) struct Calls {
    pub(super) earlier: At,
    pub(super) later: At,
    /// Only where these are about the same request, two by two.
    pub(super) same_request: Vec<(At, At)>,
}

/// A call of a rank.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct At {
    pub(super) rank: i64,
    pub(super) text: Range<usize>,
}

/// What every call has: that it began, that it is over.
pub(super) const STARTED: &str = "started";
pub(super) const RETURNED: &str = "returned";

pub(super) fn read(source: &Arc<Source>, pair: Pair<'_, Rule>, errors: &mut Vec<Diagnostic>) -> Order {
    let start = pair.as_span().start();
    let none = Moment { call: String::new(), event: String::new(), span: Span::new(source, start, start + 1) };
    let mut order = Order {
        name: String::new(),
        title: String::new(),
        wrong: false,
        witness: None,
        without: vec![],
        under: None,
        span: Span::new(source, start, start + "order".len()),
        processes: vec![],
        wheres: vec![],
        earlier: none.clone(),
        later: none,
    };
    let mut moments = vec![];
    for part in pair.into_inner() {
        match part.as_rule() {
            Rule::word => order.name = part.as_str().into(),
            Rule::kw_wrong => order.wrong = true,
            Rule::string => order.title = only(part).as_str().into(),
            Rule::witness => order.witness = Some(only(part).as_str().into()),
            Rule::without => order.without = part.into_inner().map(|p| p.as_str().into()).collect(),
            Rule::under => order.under = Some(only(part).as_str().into()),
            Rule::wheres => order.wheres = part.into_inner().map(compare).collect(),
            Rule::process => {
                let names: Vec<String> = part
                    .into_inner()
                    .filter(|p| matches!(p.as_rule(), Rule::label | Rule::glob))
                    .map(|p| if p.as_rule() == Rule::label { only(p).as_str() } else { p.as_str() }.to_owned())
                    .collect();
                order.processes.push(names.chunks_exact(2).map(|c| (c[0].clone(), c[1].clone())).collect());
            }
            Rule::moment => {
                let span =
                    Span::new(source, part.as_span().start(), part.as_span().start() + part.as_str().trim_end().len());
                let mut words = part.into_inner().map(|p| p.as_str().trim().to_owned());
                let (call, event) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
                moments.push(Moment { call, event, span });
            }
            _ => {}
        }
    }
    if let (Some(later), Some(earlier)) = (moments.pop(), moments.pop()) {
        (order.earlier, order.later) = (earlier, later);
    }
    order.names_are_known(errors);
    order
}

impl Order {
    fn names(&self) -> impl Iterator<Item = &str> {
        self.processes.iter().flatten().map(|(name, _)| name.as_str())
    }

    fn names_are_known(&self, errors: &mut Vec<Diagnostic>) {
        let mut unknown = |name: &str, span: &Span| {
            let d = Diagnostic::at(span, format!("no call of this rule is named `{name}`"));
            let names: Vec<&str> = self.names().collect();
            errors.push(d.found("unknown").help(format!("calls: {}", names.join(", "))));
        };
        for m in [&self.earlier, &self.later] {
            if !self.names().any(|n| n == m.call) {
                unknown(&m.call, &m.span);
            }
        }
        for side in self.wheres.iter().flat_map(|w| [&w.left, &w.right]) {
            if let Expr::Field(name, _) = side
                && !self.names().any(|n| n == name)
            {
                unknown(name, &self.span);
            }
        }
    }

    /// Whether a model says what the rule speaks of.
    ///
    /// # Errors
    /// A moment that it does not know.
    pub fn fits(&self, spec: &Spec) -> Result<(), Report> {
        for m in [&self.earlier, &self.later] {
            let known: Vec<&str> = [STARTED, RETURNED].into_iter().chain(spec.of_requests().map(|(_, f)| f)).collect();
            if !known.contains(&m.event.as_str()) {
                let d =
                    Diagnostic::at(&m.span, format!("{} does not say what `{}` means of a call", spec.name, m.event));
                let d = d.found("neither `started`, `returned` nor a function of a process and a request");
                return Err(d.help(format!("known: {}", known.join(", "))).into());
            }
        }
        Ok(())
    }

    /// The calls of a program that it speaks of, two by two.
    pub(super) fn calls(&self, program: &Program, source: &Arc<Source>, decls: &Instructions) -> Vec<Calls> {
        debug_assert_eq!(program.text(), source.text);
        let Ok(ranks) = sites::ranks(source) else { return vec![] };
        let mut all = ranks.iter().flat_map(|r| &r.calls);
        if all.any(|c| self.without.iter().any(|g| fits(g, &c.name))) {
            return vec![];
        }
        let mut found = vec![];
        self.choose(&ranks, &mut vec![], &mut |chosen| found.extend(self.pair(chosen, decls)));
        found
    }

    /// Every way to take calls for the names.
    fn choose<'r>(&self, ranks: &'r [Rank], chosen: &mut Vec<Chosen<'r>>, found: &mut dyn FnMut(&[Chosen<'r>])) {
        let (mut process, mut first) = (0, 0);
        while self.processes.get(process).is_some_and(|p| first + p.len() <= chosen.len()) {
            first += self.processes[process].len();
            process += 1;
        }
        let Some(calls) = self.processes.get(process) else { return found(chosen) };
        let glob = &calls[chosen.len() - first].1;
        let before = chosen[first..].last().copied();
        for rank in ranks {
            let taken = chosen[..first].iter().any(|c| c.rank.number == rank.number);
            if taken || before.is_some_and(|b| b.rank.number != rank.number) {
                continue;
            }
            for call in rank.calls.iter().filter(|c| fits(glob, &c.name) && stands_alone(rank, c)) {
                if before.is_none_or(|b| b.call.at.start < call.at.start) {
                    chosen.push(Chosen { rank, call });
                    self.choose(ranks, chosen, found);
                    chosen.pop();
                }
            }
        }
    }

    /// The two calls, if the conditions hold.
    fn pair(&self, chosen: &[Chosen<'_>], decls: &Instructions) -> Option<Calls> {
        let at = |name: &str| {
            let i = self.names().position(|n| n == name)?;
            Some(At { rank: chosen[i].rank.number, text: chosen[i].call.at.clone() })
        };
        let mut same_request = vec![];
        for w in &self.wheres {
            let (a, b) = (self.value(&w.left, chosen, decls)?, self.value(&w.right, chosen, decls)?);
            let holds = match (&a, &b) {
                (Value::Int(a), Value::Int(b)) => match w.op {
                    '=' => a == b,
                    '<' => a < b,
                    _ => a != b,
                },
                (Value::Name(a), Value::Name(b)) if a.rank == b.rank && w.op != '<' => {
                    if a.request && w.op == '=' {
                        same_request.push((at(&a.call)?, at(&b.call)?));
                    }
                    (a.request || a.fixed && b.fixed) && (a.text == b.text) == (w.op == '=')
                }
                // A constant and an object that the program made.
                (Value::Name(n), Value::Int(_)) | (Value::Int(_), Value::Name(n)) => n.fixed && w.op == '≠',
                _ => false,
            };
            if !holds {
                return None;
            }
        }
        Some(Calls { earlier: at(&self.earlier.call)?, later: at(&self.later.call)?, same_request })
    }

    fn value(&self, e: &Expr, chosen: &[Chosen<'_>], decls: &Instructions) -> Option<Value> {
        let constant = |n: &str| decls.kinds.iter().find_map(|k| k.value_of(n));
        match e {
            Expr::Int(n) => Some(Value::Int(*n)),
            Expr::Name(n) => constant(n).map(Value::Int),
            Expr::Field(name, field) => {
                let Chosen { rank, call } = chosen[self.names().position(|n| n == name)?];
                if field == "rank" {
                    return Some(Value::Int(rank.number));
                }
                let comm = |c: &Call| bind(c, decls).ok().and_then(|mut b| b.remove("comm"));
                if field == "nth" {
                    let alike = |c: &&Call| c.name == call.name && comm(c) == comm(call);
                    let all: Vec<&Call> = rank.calls.iter().filter(alike).collect();
                    let n = all.iter().filter(|c| c.at.start < call.at.start).count();
                    return all.iter().all(|c| stands_alone(rank, c)).then_some(Value::Int(i64::try_from(n).ok()?));
                }
                let Bound::One(text) = bind(call, decls).ok()?.remove(field)? else { return None };
                if let Some(n) = text.parse().ok().or_else(|| constant(&text)) {
                    return Some(Value::Int(n));
                }
                let decl = &decls.list[decls.find(&call.name)?];
                let request = decls.kind(&decl.params[decl.param(field)?]).name == REQUEST;
                let mentions = rank.calls.iter().filter(|c| makes(c, &text, decls)).count();
                Some(Value::Name(Named { call: name.clone(), rank: rank.number, request, fixed: mentions == 1, text }))
            }
            _ => None,
        }
    }
}

/// The kind of arguments that are requests.
pub(super) const REQUEST: &str = "request";

#[derive(Debug, Clone, Copy)]
struct Chosen<'r> {
    rank: &'r Rank,
    call: &'r Call,
}

enum Value {
    Int(i64),
    Name(Named),
}

/// A variable of a rank, as an argument of a call; fixed if one call sets it.
struct Named {
    call: String,
    rank: i64,
    text: String,
    request: bool,
    fixed: bool,
}

/// Whether a call is a statement of the rank's body, so that it is made, and once.
fn stands_alone(rank: &Rank, call: &Call) -> bool {
    rank.statements.contains(&call.at)
}

/// Whether a call may set an object's variable: it is given in a place where the declarations want a register.
fn makes(call: &Call, name: &str, decls: &Instructions) -> bool {
    let Some(decl) = decls.find(&call.name).map(|i| &decls.list[i]) else { return true };
    call.args.iter().enumerate().any(|(i, (label, text))| {
        let param = label.as_ref().map_or(Some(i), |l| decl.param(l)).and_then(|p| decl.params.get(p));
        text == name && param.is_some_and(|p| matches!(decls.kind(p).shape, litmpi_spec::decl::Shape::Register(_)))
    })
}
