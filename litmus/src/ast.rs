//! A litmus test as parsed and resolved against a specification's instruction declarations.

use litmpi_spec::program::{BinaryOp, IntExpr, Loc, Node, Operand, Reg};
use litmpi_spec::source::Span;
use std::fmt;

/// A test: one small program, what is observed of it, and what is claimed of the outcomes.
#[derive(Debug, Clone, PartialEq)]
pub struct Test {
    /// `rdma` or `mpi`: which family of specifications it is for.
    pub family: String,
    /// Its name, unique in its folder.
    pub name: String,
    /// One sentence: what it shows.
    pub title: String,
    /// Nodes (or MPI processes).
    pub nodes: Vec<Node>,
    /// Locations, declared, implicit and anonymous.
    pub locs: Vec<Loc>,
    /// Threads (one a process in MPI tests, unless the test says more).
    pub threads: Vec<Thread>,
    /// What an outcome lists, in this order: everything the claims name, then the `locations` line.
    pub observed: Vec<Observable>,
    /// What is claimed.
    pub claims: Vec<Claim>,
    /// What only herd's format says; nothing of a test in our own.
    pub herd: Option<Herd>,
    /// Where the test stands.
    pub span: Span,
}

/// What herd's format says of a test beside what it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Herd {
    /// The name as it is written, which may hold signs that ours cannot.
    pub name: String,
    /// herd's own hash of initial values, code and what is observed, where it is known how herd prints all of these.
    pub hash: Option<String>,
    /// The claim speaks of the outcomes that pass a filter, and herd lists no others.
    pub filtered: bool,
    /// The numbers that stand for addresses in the program, and what each is the address of.
    pub addresses: Vec<(i64, String)>,
    /// Its integers have 64 bits, and not as many as the specification says.
    pub wide: bool,
}

/// A thread's structured body.
#[derive(Debug, Clone, PartialEq)]
pub struct Thread {
    /// Its number (rank).
    pub number: i64,
    /// Index of its node.
    pub node: usize,
    /// Its registers.
    pub regs: Vec<Reg>,
    /// Its statements.
    pub body: Vec<Stmt>,
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub enum Stmt {
    /// An instruction.
    Call {
        /// Index into the declarations.
        instr: usize,
        /// One operand a parameter.
        args: Vec<Operand>,
        /// Where.
        span: Span,
    },
    /// A register assignment.
    Set {
        /// The register.
        reg: usize,
        /// Its new value.
        expr: IntExpr,
        /// Where.
        span: Span,
    },
    /// `if e { … } else { … }`
    If {
        /// Taken when not 0.
        cond: IntExpr,
        /// Then.
        then: Vec<Stmt>,
        /// Else.
        els: Vec<Stmt>,
        /// Where.
        span: Span,
    },
    /// `while e bound n { … }`
    While {
        /// Goes on while not 0.
        cond: IntExpr,
        /// The stated bound, if any; else the command's.
        bound: Option<u32>,
        /// Body.
        body: Vec<Stmt>,
        /// Where.
        span: Span,
    },
    /// `choose { … } or { … }`
    Choose {
        /// The alternatives.
        of: Vec<Vec<Stmt>>,
        /// Where.
        span: Span,
    },
}

/// Something that an outcome gives the final value of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Observable {
    /// As it is printed: `x`, `0:a`, `s.source`.
    pub name: String,
    /// What it is.
    pub what: Observed,
}

/// What is observed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Observed {
    /// A location, by index.
    Loc(usize),
    /// A register of a thread (by index), or a field of it.
    Reg(usize, usize, Option<String>),
}

/// A final condition with its verdicts.
#[derive(Debug, Clone, PartialEq)]
pub struct Claim {
    /// `exists`, `~exists`, `forall`.
    pub quantifier: Quantifier,
    /// The proposition.
    pub prop: Prop,
    /// What models say of it, and who says so.
    pub verdicts: Vec<Verdict>,
    /// What was seen on hardware, and who saw it.
    pub seen: Vec<Seen>,
    /// What two models say beside each other, and who says so.
    pub beside: Vec<Beside>,
    /// Where.
    pub span: Span,
}

/// Which outcomes a claim speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantifier {
    /// Some outcome satisfies the proposition.
    Exists,
    /// None does.
    NotExists,
    /// All do.
    Forall,
}

/// A proposition over an outcome.
#[derive(Debug, Clone, PartialEq)]
pub enum Prop {
    /// Always true.
    True,
    /// The observable (by index into [`Test::observed`]) equals the value.
    Eq(usize, i64),
    /// It does not.
    Ne(usize, i64),
    /// The observable is undefined: `x = undefined`.
    Undefined(usize),
    /// Some thread can never go on.
    Deadlock,
    /// The program broke a rule's `requires`.
    Erroneous,
    /// Conjunction.
    And(Box<Prop>, Box<Prop>),
    /// Disjunction.
    Or(Box<Prop>, Box<Prop>),
    /// Negation.
    Not(Box<Prop>),
}

/// What one model says of a claim.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The model (`rdma-tso` stands for every form of it).
    pub model: String,
    /// The variant, if not the default one.
    pub variant: Option<String>,
    /// Whether the claim's proposition is satisfied by some outcome (for `forall`: by all).
    pub expect: Expect,
    /// The source.
    pub cite: Option<Cite>,
    /// A reason, when the verdict differs from its source.
    pub because: Option<String>,
    /// Where.
    pub span: Span,
}

/// `allowed` or `forbidden`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// `exists`, `~exists`: some outcome satisfies the proposition; `forall`: all do.
    Allowed,
    /// `exists`, `~exists`: no outcome does; `forall`: not all do.
    Forbidden,
}

/// A model, perhaps a variant of it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Named {
    /// The model, as in a verdict.
    pub model: String,
    /// The variant, if not the default one.
    pub variant: Option<String>,
}

/// What two models say beside each other: `tells apart A B`, `agree A B`.
#[derive(Debug, Clone, PartialEq)]
pub struct Beside {
    /// Whether they differ.
    pub how: How,
    /// The two models.
    pub models: [Named; 2],
    /// The source.
    pub cite: Option<Cite>,
    /// A reason.
    pub because: Option<String>,
    /// Where.
    pub span: Span,
}

/// How two models stand to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    /// `tells apart`: their verdicts on the claim differ.
    Apart,
    /// `agree`: they have the same outcomes, deadlocks aside where one of them knows none.
    Agree,
}

/// A place in the literature.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cite {
    /// `rdma-tso`, `mpi-2-formal-spec`, `MPI-4.1`, …
    pub work: String,
    /// `Fig. 2b`, `§3.5 Order`.
    pub place: String,
}

/// A rate seen on hardware.
#[derive(Debug, Clone, PartialEq)]
pub struct Seen {
    /// As the source words it: `~2%`, `rare`, `0%`.
    pub rate: String,
    /// On what.
    pub on: String,
    /// The source.
    pub cite: Option<Cite>,
}

/// What a program ended in.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub enum Outcome {
    /// The final values of [`Test::observed`], in its order.
    Values(Vec<i64>),
    /// The same, where some values are undefined (core-rma §5.3: ⊤, what a race of accesses that are not atomic gives).
    Undefined(Vec<Option<i64>>),
    /// Some thread can never go on.
    Deadlock,
    /// A rule's `requires` was violated.
    Erroneous {
        /// The rule.
        rule: String,
        /// Its reason.
        reason: String,
    },
}

/// A call of an instruction.
#[derive(Debug, Clone, Copy)]
pub struct Call<'t> {
    /// Index of the instruction.
    pub instr: usize,
    /// What is passed.
    pub args: &'t [Operand],
    /// Where it stands.
    pub span: &'t Span,
}

/// The calls of some statements and of those within them, in the order of the text.
pub fn calls(body: &[Stmt]) -> Vec<Call<'_>> {
    let mut out = vec![];
    for stmt in body {
        match stmt {
            Stmt::Call { instr, args, span, .. } => out.push(Call { instr: *instr, args, span }),
            Stmt::Set { .. } => {}
            Stmt::If { then, els, .. } => out.extend([then, els].into_iter().flat_map(|body| calls(body))),
            Stmt::While { body, .. } => out.extend(calls(body)),
            Stmt::Choose { of, .. } => out.extend(of.iter().flat_map(|body| calls(body))),
        }
    }
    out
}

/// The first statement of a program that takes a remainder by what is only known when it runs.
fn remainder(body: &[Stmt]) -> Option<&Span> {
    fn takes(e: &IntExpr) -> bool {
        match e {
            IntExpr::Const(..) | IntExpr::Reg(..) => false,
            IntExpr::Unary(_, a) => takes(a),
            IntExpr::Binary(BinaryOp::Mod, _, b) if !matches!(**b, IntExpr::Const(..)) => true,
            IntExpr::Binary(_, a, b) => takes(a) || takes(b),
        }
    }
    fn passes(arg: &Operand) -> bool {
        match arg {
            Operand::Int(e) => takes(e),
            Operand::List(items) => items.iter().any(passes),
            _ => false,
        }
    }
    body.iter().find_map(|stmt| match stmt {
        Stmt::Call { args, span, .. } => args.iter().any(passes).then_some(span),
        Stmt::Set { expr, span, .. } => takes(expr).then_some(span),
        Stmt::If { cond, then, els, span } => {
            takes(cond).then_some(span).or_else(|| remainder(then)).or_else(|| remainder(els))
        }
        Stmt::While { cond, body, span, .. } => takes(cond).then_some(span).or_else(|| remainder(body)),
        Stmt::Choose { of, .. } => of.iter().find_map(|body| remainder(body)),
    })
}

impl Test {
    /// The first statement that takes a remainder by what is only known when it runs.
    pub fn remainder(&self) -> Option<&Span> {
        self.threads.iter().find_map(|t| remainder(&t.body))
    }

    /// Whether the test says of each of its loops how often it goes round at most. A loop without a body needs no bound.
    pub fn states_all_bounds(&self) -> bool {
        self.states_all_bounds_but(&|_| false)
    }

    /// The same, of all loops but some.
    pub fn states_all_bounds_but(&self, other: &dyn Fn(&Stmt) -> bool) -> bool {
        fn within(body: &[Stmt], other: &dyn Fn(&Stmt) -> bool) -> bool {
            body.iter().all(|stmt| match stmt {
                Stmt::Call { .. } | Stmt::Set { .. } => true,
                Stmt::If { then, els, .. } => within(then, other) && within(els, other),
                Stmt::While { bound, body, .. } => {
                    body.is_empty() || other(stmt) || bound.is_some() && within(body, other)
                }
                Stmt::Choose { of, .. } => of.iter().all(|body| within(body, other)),
            })
        }
        self.threads.iter().all(|t| within(&t.body, other))
    }

    /// The calls of all threads, in the order of the text.
    pub fn calls(&self) -> Vec<Call<'_>> {
        self.threads.iter().flat_map(|t| calls(&t.body)).collect()
    }

    /// The same test with every place the same: two tests that differ only in their layout become equal.
    #[must_use]
    pub fn without_places(&self) -> Test {
        let nowhere = Span::new(&litmpi_spec::source::Source::new("", ""), 0, 0);
        let mut test = self.clone();
        test.span = nowhere.clone();
        test.herd = None;
        for thread in &mut test.threads {
            move_all(&mut thread.body, &nowhere);
        }
        for claim in &mut test.claims {
            claim.span = nowhere.clone();
            claim.verdicts.iter_mut().for_each(|v| v.span = nowhere.clone());
            claim.beside.iter_mut().for_each(|b| b.span = nowhere.clone());
        }
        test
    }

    /// Whether its integers have 64 bits, however many the specification gives those of programs.
    pub fn is_wide(&self) -> bool {
        self.herd.as_ref().is_some_and(|h| h.wide)
    }

    /// The name by which logs call it.
    pub fn logged_name(&self) -> &str {
        self.herd.as_ref().map_or(&self.name, |h| &h.name)
    }

    /// The filter of a claim, if the test has one, and what is asked of what passes it.
    pub fn filter<'c>(&self, claim: &'c Claim) -> (Option<&'c Prop>, &'c Prop) {
        let filtered = self.herd.as_ref().is_some_and(|h| h.filtered);
        match &claim.prop {
            Prop::And(filter, prop) if filtered => (Some(filter), prop),
            Prop::Or(not, prop) if filtered => match &**not {
                Prop::Not(filter) => (Some(filter), prop),
                _ => (None, &claim.prop),
            },
            prop => (None, prop),
        }
    }

    /// A value as it is shown: a number, or the name of what it is the address of.
    pub fn value(&self, value: i64) -> String {
        let addresses = self.herd.as_ref().map_or(&[][..], |h| &h.addresses);
        let name = addresses.iter().find(|(number, _)| *number == value);
        name.map_or_else(|| value.to_string(), |(_, name)| name.clone())
    }

    /// A text of the model's with `&NAME` in the place of each number that is an address.
    pub fn with_names(&self, text: &str) -> String {
        let addresses = self.herd.as_ref().map_or(&[][..], |h| &h.addresses);
        let name =
            |text: String, (number, name): &(i64, String)| text.replace(&number.to_string(), &format!("&{name}"));
        addresses.iter().fold(text.to_owned(), name)
    }

    /// The value that is shown so: a number, or the address of what the text names.
    pub fn number(&self, shown: &str) -> Option<i64> {
        let addresses = self.herd.as_ref().map_or(&[][..], |h| &h.addresses);
        let address = addresses.iter().find(|(_, name)| name == shown).map(|(number, _)| *number);
        address.or_else(|| shown.parse().ok())
    }

    /// An outcome as text: `x=1; 0:a=2;`, `deadlock`, `erroneous (rule: reason)`.
    pub fn show(&self, outcome: &Outcome) -> String {
        match outcome {
            Outcome::Values(vs) => {
                let parts: Vec<String> =
                    self.observed.iter().zip(vs).map(|(o, v)| format!("{}={};", o.name, self.value(*v))).collect();
                parts.join(" ")
            }
            Outcome::Undefined(vs) => {
                let value = |v: &Option<i64>| v.map_or("undefined".into(), |v| self.value(v));
                let parts: Vec<String> =
                    self.observed.iter().zip(vs).map(|(o, v)| format!("{}={};", o.name, value(v))).collect();
                parts.join(" ")
            }
            Outcome::Deadlock => "deadlock".into(),
            Outcome::Erroneous { rule, reason } => format!("erroneous ({rule}: {reason})"),
        }
    }
}

/// Gives every statement the place `to`.
fn move_all(stmts: &mut [Stmt], to: &Span) {
    for stmt in stmts {
        match stmt {
            Stmt::Call { span, .. } | Stmt::Set { span, .. } => *span = to.clone(),
            Stmt::If { then, els, span, .. } => {
                *span = to.clone();
                move_all(then, to);
                move_all(els, to);
            }
            Stmt::While { body, span, .. } => {
                *span = to.clone();
                move_all(body, to);
            }
            Stmt::Choose { of, span } => {
                *span = to.clone();
                of.iter_mut().for_each(|stmts| move_all(stmts, to));
            }
        }
    }
}

impl Outcome {
    /// An end with these values, some of which may be undefined.
    pub fn of_values(values: Vec<Option<i64>>) -> Outcome {
        let known: Option<Vec<i64>> = values.iter().copied().collect();
        known.map_or(Outcome::Undefined(values), Outcome::Values)
    }
}

impl Prop {
    /// Whether an outcome satisfies the proposition. Deadlocked and erroneous outcomes have no values; an undefined
    /// value is none of the numbers.
    pub fn holds(&self, outcome: &Outcome) -> bool {
        let value = |i: &usize| match outcome {
            Outcome::Values(vs) => vs.get(*i).copied().map(Some),
            Outcome::Undefined(vs) => vs.get(*i).copied(),
            _ => None,
        };
        match self {
            Prop::True => true,
            Prop::Eq(i, v) => value(i) == Some(Some(*v)),
            Prop::Ne(i, v) => value(i).is_some_and(|w| w != Some(*v)),
            Prop::Undefined(i) => value(i) == Some(None),
            Prop::Deadlock => matches!(outcome, Outcome::Deadlock),
            Prop::Erroneous => matches!(outcome, Outcome::Erroneous { .. }),
            Prop::And(a, b) => a.holds(outcome) && b.holds(outcome),
            Prop::Or(a, b) => a.holds(outcome) || b.holds(outcome),
            Prop::Not(a) => !a.holds(outcome),
        }
    }
}

impl Claim {
    /// Whether the claim's proposition is allowed by a complete set: for `exists` and `~exists`, some outcome
    /// satisfies it; for `forall`, all do.
    pub fn verdict<'a>(&self, mut outcomes: impl Iterator<Item = &'a Outcome>) -> Expect {
        let yes = match self.quantifier {
            Quantifier::Exists | Quantifier::NotExists => outcomes.any(|o| self.prop.holds(o)),
            Quantifier::Forall => outcomes.all(|o| self.prop.holds(o)),
        };
        if yes { Expect::Allowed } else { Expect::Forbidden }
    }

    /// The verdict that outcomes give, all of them or, if not `complete`, perhaps not; none if others may change it.
    pub fn verdict_within<'a>(
        &self,
        outcomes: impl Iterator<Item = &'a Outcome> + Clone,
        complete: bool,
    ) -> Option<Expect> {
        (complete || self.is_decided(outcomes.clone())).then(|| self.verdict(outcomes))
    }

    /// Whether the claim's proposition speaks of an end without values, a deadlock or an error, of which declarative models
    /// know nothing.
    pub fn speaks_of_other_ends(&self) -> bool {
        fn within(p: &Prop) -> bool {
            match p {
                Prop::Deadlock | Prop::Erroneous => true,
                Prop::And(a, b) | Prop::Or(a, b) => within(a) || within(b),
                Prop::Not(a) => within(a),
                Prop::True | Prop::Eq(..) | Prop::Ne(..) | Prop::Undefined(_) => false,
            }
        }
        within(&self.prop)
    }

    /// Whether outcomes that may not be all settle the claim: a witness settles `exists` and `~exists`, a
    /// counterexample `forall`.
    pub fn is_decided<'a>(&self, mut outcomes: impl Iterator<Item = &'a Outcome>) -> bool {
        outcomes.any(|o| self.prop.holds(o) != (self.quantifier == Quantifier::Forall))
    }
}

/// A verdict in a word, `undecided` if there is none.
pub fn in_words(verdict: Option<Expect>) -> String {
    verdict.map_or_else(|| "undecided".to_owned(), |v| v.to_string())
}

impl fmt::Display for Quantifier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Quantifier::Exists => "exists",
            Quantifier::NotExists => "~exists",
            Quantifier::Forall => "forall",
        })
    }
}

impl fmt::Display for How {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            How::Apart => "tells apart",
            How::Agree => "agree",
        })
    }
}

impl fmt::Display for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.model)?;
        self.variant.as_ref().map_or(Ok(()), |v| write!(f, " ({v})"))
    }
}

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Expect::Allowed => "allowed",
            Expect::Forbidden => "forbidden",
        })
    }
}
