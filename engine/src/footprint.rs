//! What a rule reads and writes, read off the intermediate form: the ground for reductions of the search.
//!
//! Two transitions that touch nothing in common commute, in either order and with the same result. A footprint covers
//! everything that an instance of its rule may look at or change: entries of state variables (by field, where fields
//! have slots of their own), registers and the program counter. Every index is given as far as the text tells: the
//! value of one of the rule's own parameters or of an instruction's argument, the node of one, or any. [`may_conflict`]
//! knows no instances, so it separates rules by variable and field alone; a reduction puts an instance's values in the
//! place of slots, and separates far more.
//!
//! The analysis is of text, not of values: both branches of a condition count, and a write of the value that was there
//! is a write. One thing is left to the search: a thread at the bound of a loop ends a path whatever the rules say.

use litmpi_spec::ir::{Builtin, E, Part, Pat, PatPart, Premise, Slot, Update};
use litmpi_spec::model::Spec;
use std::collections::BTreeSet;

/// An index of a state variable, or a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Index {
    /// The value in this slot of the rule: a parameter, or an argument that `on` binds.
    Is(Slot),
    /// The node of that value.
    NodeOf(Slot),
    /// Not told by the text.
    Any,
}

/// A part of the state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Access {
    /// The program counter of a thread.
    Counter(Index),
    /// The registers of a thread.
    Registers(Index),
    /// An entry of a state variable, or one field of it.
    State {
        /// The variable, by index into [`Spec::state`].
        var: usize,
        /// Which entry.
        index: Vec<Index>,
        /// The field; none for the whole entry.
        field: Option<usize>,
    },
}

impl Access {
    /// Whether some instances of the two may be the same part of the state.
    pub fn may_meet(&self, other: &Access) -> bool {
        match (self, other) {
            (Access::State { var: v, field: f, .. }, Access::State { var: w, field: g, .. }) => {
                v == w && (f == g || f.is_none() || g.is_none())
            }
            (Access::Counter(_), Access::Counter(_)) | (Access::Registers(_), Access::Registers(_)) => true,
            _ => false,
        }
    }
}

/// What a rule may look at and change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Footprint {
    /// What decides whether and how it runs.
    pub reads: BTreeSet<Access>,
    /// What differs afterwards.
    pub writes: BTreeSet<Access>,
    /// Whether it can make the program erroneous; then it commutes with nothing that it reads from.
    pub judges: bool,
}

/// The footprint of a rule.
pub fn of(spec: &Spec, rule: usize) -> Footprint {
    let r = &spec.rules[rule];
    let mut walk = Walk { spec, out: Footprint::default(), thread: Index::Any, seen: BTreeSet::new() };
    let mut env = vec![Value::Any; r.slots];
    for (slot, value) in env.iter_mut().enumerate().take(r.params.len()) {
        *value = Value::Is(slot);
    }
    if let Some((thread, _, pats)) = &r.on {
        // The arguments are the thread's own, read from its registers; behind the instruction come its silent steps.
        walk.thread = Index::Is(*thread);
        for access in [Access::Counter(walk.thread), Access::Registers(walk.thread)] {
            walk.out.reads.insert(access.clone());
            walk.out.writes.insert(access);
        }
        for pat in pats {
            match pat {
                Pat::Bind(slot) => env[*slot] = Value::Is(*slot),
                pat => bind(pat, Value::Own, &mut env),
            }
        }
    }
    r.when.iter().for_each(|p| walk.premise(p, &mut env));
    for (e, _) in &r.requires {
        walk.expr(e, &mut env);
        walk.out.judges = true;
    }
    walk.updates(&r.then, &mut env);
    walk.out
}

/// Whether some instances of two rules, or two instances of one, may fail to commute.
pub fn may_conflict(a: &Footprint, b: &Footprint) -> bool {
    let meet = |xs: &BTreeSet<Access>, ys: &BTreeSet<Access>| xs.iter().any(|x| ys.iter().any(|y| x.may_meet(y)));
    meet(&a.writes, &b.writes) || meet(&a.writes, &b.reads) || meet(&a.reads, &b.writes)
}

/// What is known of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Is(Slot),
    NodeOf(Slot),
    /// Made of nothing but the instruction's arguments: a register in it is the thread's own.
    Own,
    Any,
}

impl Value {
    fn index(self) -> Index {
        match self {
            Value::Is(s) => Index::Is(s),
            Value::NodeOf(s) => Index::NodeOf(s),
            Value::Own | Value::Any => Index::Any,
        }
    }

    /// What is known of a part of it.
    fn part(self) -> Value {
        match self {
            Value::Is(_) | Value::Own => Value::Own,
            Value::NodeOf(_) | Value::Any => Value::Any,
        }
    }

    /// What is known of either.
    fn or(self, other: Value) -> Value {
        match (self, other) {
            _ if self == other => self,
            (Value::Is(_) | Value::Own, Value::Is(_) | Value::Own) => Value::Own,
            _ => Value::Any,
        }
    }
}

/// Names that a pattern binds to parts of a value.
fn bind(pat: &Pat, value: Value, env: &mut [Value]) {
    match pat {
        Pat::Wild | Pat::Word(_) | Pat::Int(_) | Pat::Pinned(_) => {}
        Pat::Bind(slot) => env[*slot] = value,
        Pat::Ctor(_, fields) | Pat::Fields { parts: fields, .. } => {
            fields.iter().for_each(|(_, p)| bind(p, value.part(), env))
        }
        Pat::Seq(parts) => {
            for part in parts {
                match part {
                    PatPart::One(p) => bind(p, value.part(), env),
                    PatPart::Rest(Some(slot)) => env[*slot] = value.part(),
                    PatPart::Rest(None) => {}
                }
            }
        }
    }
}

struct Walk<'a> {
    spec: &'a Spec,
    out: Footprint,
    thread: Index,
    /// Calls that were followed already: a function, and what was known of its arguments.
    seen: BTreeSet<(usize, Vec<Value>)>,
}

impl Walk<'_> {
    fn all<'e>(&mut self, es: impl IntoIterator<Item = &'e E>, env: &mut [Value]) -> Value {
        es.into_iter().fold(Value::Own, |known, e| known.or(self.expr(e, env).part()))
    }

    fn access(&mut self, var: usize, index: &[E], field: Option<usize>, env: &mut [Value]) -> Access {
        let index = index.iter().map(|i| self.expr(i, env).index()).collect();
        Access::State { var, index, field }
    }

    /// The registers that a register's value may stand for.
    fn registers(&self, value: Value) -> Access {
        Access::Registers(if value.part() == Value::Own { self.thread } else { Index::Any })
    }

    fn premise(&mut self, p: &Premise, env: &mut [Value]) {
        match p {
            Premise::Cond(e) => _ = self.expr(e, env),
            Premise::Match(e, pat) => {
                let v = self.expr(e, env);
                bind(pat, v, env);
            }
            Premise::Pick(pat, seq) => {
                let v = self.expr(seq, env).part();
                bind(pat, v, env);
            }
            Premise::Always(p, _) => self.premise(p, env),
        }
    }

    /// Records what an expression reads; tells what is known of its value.
    fn expr(&mut self, e: &E, env: &mut [Value]) -> Value {
        match e {
            E::Word(_) | E::Int(_) | E::Const(_) | E::All(_) => Value::Any,
            E::Var(s) => env[*s],
            E::State { var, index, field } => {
                let access = self.access(*var, index, *field, env);
                self.out.reads.insert(access);
                Value::Any
            }
            E::Ctor(_, es) | E::Build(_, es) => self.all(es, env),
            E::Seq(parts) => self.all(parts.iter().map(|(Part::One(e) | Part::Splice(e))| e), env),
            E::Set(_, es, ..) => self.all(es, env),
            E::Field(e, ..) => self.expr(e, env).part(),
            E::With(e, _, fields) => {
                let known = self.expr(e, env).part();
                known.or(self.all(fields.iter().map(|(_, e)| e), env))
            }
            E::Index(e, i, _) => {
                self.expr(i, env);
                self.expr(e, env).part()
            }
            E::WithIndex(e, i, v, _) => {
                self.expr(i, env);
                self.all([&**e, &**v], env)
            }
            E::Comprehension { value, pat, seq, conds } => {
                let elem = self.expr(seq, env).part();
                bind(pat, elem, env);
                conds.iter().for_each(|c| _ = self.expr(c, env));
                self.expr(value, env).part()
            }
            E::Quantified { pat, seq, body, .. } => {
                let elem = self.expr(seq, env).part();
                bind(pat, elem, env);
                self.expr(body, env);
                Value::Any
            }
            E::Let(pat, e, body, _) => {
                let v = self.expr(e, env);
                bind(pat, v, env);
                self.expr(body, env)
            }
            E::If(c, a, b) => {
                self.expr(c, env);
                let known = self.expr(a, env);
                known.or(self.expr(b, env))
            }
            E::Match(e, arms, _) => {
                let v = self.expr(e, env);
                let known = arms.iter().map(|(pat, body)| {
                    bind(pat, v, env);
                    self.expr(body, env)
                });
                known.reduce(Value::or).unwrap_or(Value::Any)
            }
            E::Is(e, pat) => {
                let v = self.expr(e, env);
                bind(pat, v, env);
                Value::Any
            }
            E::Star(e, _) | E::At(e, ..) | E::Not(e) | E::Neg(e, _) => {
                self.expr(e, env);
                Value::Any
            }
            E::And(a, b)
            | E::Or(a, b)
            | E::Eq(a, b)
            | E::Lt(a, b)
            | E::Le(a, b)
            | E::In(a, b)
            | E::Arith(_, a, b, _) => {
                self.expr(a, env);
                self.expr(b, env);
                Value::Any
            }
            E::Deref(e, _) => {
                let v = self.expr(e, env);
                self.out.reads.insert(self.registers(v));
                Value::Any
            }
            E::Call(f, args) => {
                let known: Vec<Value> = args.iter().map(|a| self.expr(a, env)).collect();
                if self.seen.insert((*f, known.clone())) {
                    let function = &self.spec.functions[*f];
                    let mut frame = known;
                    frame.resize(function.slots, Value::Any);
                    self.expr(&function.body, &mut frame);
                }
                Value::Any
            }
            E::Builtin(b, args, _) => {
                let known: Vec<Value> = args.iter().map(|a| self.expr(a, env)).collect();
                match (b, known.first()) {
                    (Builtin::NodeOf(_), Some(Value::Is(s))) => Value::NodeOf(*s),
                    (Builtin::Reverse, Some(v)) => v.part(),
                    _ => Value::Any,
                }
            }
        }
    }

    fn updates(&mut self, us: &[Update], env: &mut [Value]) {
        for u in us {
            match u {
                Update::State { var, index, field, key, value, .. } => {
                    let access = self.access(*var, index, *field, env);
                    if let Some(k) = key {
                        // What other keys hold stays.
                        self.out.reads.insert(access.clone());
                        self.expr(&k.key, env);
                    }
                    self.out.writes.insert(access);
                    self.expr(value, env);
                }
                Update::Reg(reg, value, _) => {
                    let v = self.expr(reg, env);
                    self.out.writes.insert(self.registers(v));
                    self.expr(value, env);
                }
                Update::Let(slot, value, body) => {
                    env[*slot] = self.expr(value, env);
                    self.updates(body, env);
                }
                Update::For(slot, seq, body) => {
                    env[*slot] = self.expr(seq, env).part();
                    self.updates(body, env);
                }
                Update::If(c, then, els) => {
                    self.expr(c, env);
                    self.updates(then, env);
                    self.updates(els, env);
                }
            }
        }
    }
}
