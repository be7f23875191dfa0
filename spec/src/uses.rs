//! Whether an instruction looks at what an argument holds, or gives it a value: read off its rules and events.
//!
//! A program whose misspelt request is waited for waits for a request that was never made, which is complete at once. Who reads
//! a program can tell by this that the name is given nothing. To keep what a register holds, as where a status keeps its error, is
//! not to look at it.

use crate::callers::parts;
use crate::decl::{Shape, Use};
use crate::events::Step;
use crate::ir::{E, Part, Pat, PatPart, Premise, StepArg, Update};
use crate::model::Spec;
use crate::types::Ty;

impl Spec {
    /// What each instruction does with each of its arguments.
    pub(crate) fn uses(&self) -> Vec<Vec<Use>> {
        let mut own: Vec<Vec<Use>> = (0..self.instructions.list.len()).map(|i| self.uses_by_kind(i)).collect();
        for rule in &self.rules {
            let Some((_, instr, args)) = &rule.on else { continue };
            for (p, pat) in args.iter().enumerate() {
                let mut held = vec![];
                bound(pat, &mut held);
                if self.is_register(*instr, p) && !held.is_empty() {
                    let mut seen = Seen { spec: self, held, reads: false, gives: false };
                    rule.when.iter().for_each(|w| seen.premise(w));
                    rule.requires.iter().for_each(|(e, _)| seen.expr(e));
                    seen.updates(&rule.then);
                    let so_far = &mut own[*instr][p];
                    *so_far = Use::of(seen.reads || so_far.reads(), seen.gives || so_far.gives());
                }
            }
        }
        // An expansion may name instructions that are expanded themselves.
        let mut out = own.clone();
        for _ in 0..self.expansions.len() {
            let before = out.clone();
            for (i, expansion) in self.expansions.iter().enumerate() {
                let Some(expansion) = expansion else { continue };
                for p in 0..out[i].len() {
                    let passed = expansion.steps.iter().filter_map(|(target, args)| {
                        args.iter().position(|a| *a == StepArg::Param(p)).map(|k| before[*target][k])
                    });
                    if let Some(first) = passed.into_iter().find(|u| *u != Use::Unknown) {
                        out[i][p] = first;
                    }
                }
            }
            if out == before {
                break;
            }
        }
        out
    }

    fn is_register(&self, instr: usize, param: usize) -> bool {
        let i = &self.instructions;
        i.list[instr].params.get(param).is_some_and(|p| matches!(i.kind(p).shape, Shape::Register(_)))
    }

    /// What follows from the kinds: a number is read before the call. Events say which locations are read and written.
    fn uses_by_kind(&self, instr: usize) -> Vec<Use> {
        let events = self.events.get(instr).and_then(Option::as_ref);
        let kinds = self.instructions.list[instr].params.iter().map(|param| self.instructions.kind(param));
        let of = |(p, kind): (usize, &crate::decl::Kind)| match kind.shape {
            Shape::Int | Shape::Handle(_) => Use::Reads,
            _ if kind.is_in => Use::Reads,
            Shape::Local | Shape::LocalOrNone => {
                let (mut reads, mut gives) = (false, false);
                let steps = events.map_or(&[][..], |e| &e.steps);
                steps.iter().for_each(|s| {
                    s.events(&mut |e| {
                        if e.at.as_ref().is_some_and(|(at, _)| *at == p) {
                            reads |= e.reads.is_some() && e.writes.is_none();
                            gives |= e.writes.is_some();
                        }
                    });
                });
                if gives { Use::Gives } else { Use::of(reads, false) }
            }
            Shape::Register(_) if events.is_some_and(|e| e.steps.iter().any(|s| sets(s, p))) => Use::Gives,
            Shape::Register(_) | Shape::Remote | Shape::Node | Shape::Object => Use::Unknown,
        };
        kinds.enumerate().map(of).collect()
    }
}

fn sets(step: &Step, param: usize) -> bool {
    match step {
        Step::Set(p, _) => *p == param,
        Step::Either(of) => of.iter().flatten().any(|s| sets(s, param)),
        Step::For(_, _, steps) => steps.iter().any(|s| sets(s, param)),
        Step::Event(_) | Step::When(_) => false,
    }
}

/// What a rule does with an argument.
struct Seen<'s> {
    spec: &'s Spec,
    /// Slots that hold the register, or a sequence of such registers.
    held: Vec<usize>,
    reads: bool,
    gives: bool,
}

impl Seen<'_> {
    fn premise(&mut self, p: &Premise) {
        match p {
            Premise::Cond(e) => self.expr(e),
            Premise::Match(e, pat) | Premise::Pick(pat, e) => {
                self.expr(e);
                self.pass(e, pat);
            }
            Premise::Always(p, _) => self.premise(p),
        }
    }

    /// What is bound to parts of a sequence of registers is the register, too.
    fn pass(&mut self, from: &E, pat: &Pat) {
        if self.is_held(from) {
            bound(pat, &mut self.held);
        }
    }

    /// Whether the value of an expression is the register, or a sequence that may have it.
    fn is_held(&self, e: &E) -> bool {
        match e {
            E::Var(slot) => self.held.contains(slot),
            E::Deref(..) => false,
            E::Index(a, _, _) => self.is_held(a),
            E::Builtin(_, es, _) | E::Build(_, es) | E::Set(_, es, ..) => es.iter().any(|e| self.is_held(e)),
            E::Seq(ps) => ps.iter().any(|(Part::One(e) | Part::Splice(e))| self.is_held(e)),
            E::If(_, a, b) => self.is_held(a) || self.is_held(b),
            E::Comprehension { value, .. } => self.is_held(value),
            _ => false,
        }
    }

    fn expr(&mut self, e: &E) {
        match e {
            E::Deref(at, other) => {
                self.reads |= self.is_held(at);
                self.expr(at);
                self.expr(other);
            }
            E::Call(f, args) => {
                let takes = &self.spec.functions[*f].signature.0;
                self.reads |= args.iter().zip(takes).any(|(a, ty)| is_of_registers(ty) && self.is_held(a));
                args.iter().for_each(|a| self.expr(a));
            }
            E::Comprehension { pat, seq, .. } | E::Quantified { pat, seq, .. } => {
                self.pass(seq, pat);
                self.below(e);
            }
            E::Let(pat, a, ..) => {
                self.pass(a, pat);
                self.below(e);
            }
            E::Match(a, arms, _) => {
                arms.iter().for_each(|(pat, _)| self.pass(a, pat));
                self.below(e);
            }
            _ => self.below(e),
        }
    }

    fn below(&mut self, e: &E) {
        let mut of = vec![];
        parts(e, &mut of);
        of.into_iter().for_each(|e| self.expr(e));
    }

    fn updates(&mut self, us: &[Update]) {
        for u in us {
            match u {
                Update::State { index, key, value, .. } => {
                    index.iter().chain(key.iter().map(|k| &k.key)).chain([value]).for_each(|e| self.expr(e));
                }
                Update::Reg(at, value, _) => {
                    self.gives |= self.is_held(at);
                    let before = self.reads;
                    self.expr(value);
                    // To keep what it holds is not to look at it.
                    if self.is_held(at) {
                        self.reads = before;
                    }
                }
                Update::Let(slot, e, us) | Update::For(slot, e, us) => {
                    self.expr(e);
                    if self.is_held(e) {
                        self.held.push(*slot);
                    }
                    self.updates(us);
                }
                Update::If(e, a, b) => {
                    self.expr(e);
                    self.updates(a);
                    self.updates(b);
                }
            }
        }
    }
}

fn is_of_registers(ty: &Ty) -> bool {
    match ty {
        Ty::Reg(_) => true,
        Ty::Seq(t) | Ty::Option(t) | Ty::Set(t) | Ty::Map(t) => is_of_registers(t),
        Ty::Tuple(ts) => ts.iter().any(is_of_registers),
        _ => false,
    }
}

/// The slots that a pattern binds.
fn bound(pat: &Pat, out: &mut Vec<usize>) {
    match pat {
        Pat::Bind(slot) => out.push(*slot),
        Pat::Ctor(_, of) | Pat::Fields { parts: of, .. } => of.iter().for_each(|(_, p)| bound(p, out)),
        Pat::Seq(of) => of.iter().for_each(|p| match p {
            PatPart::One(p) => bound(p, out),
            PatPart::Rest(slot) => out.extend(slot),
        }),
        Pat::Wild | Pat::Word(_) | Pat::Int(_) | Pat::Pinned(_) => {}
    }
}
