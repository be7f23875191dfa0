//! The evaluator: expressions, patterns, premises and updates over one state.

use crate::calls::Done;
use crate::elements::{Elements, meet};
use crate::external::{Memory, Outside};
pub use crate::fault::Fault;
use crate::integers::wrapping_sum;
use crate::machine::{Machine, size};
use crate::sparse::NOWHERE;
use crate::touched::Touched;
use crate::written::Written;
use litmpi_spec::heap::{EMPTY, Word, is_large};
use litmpi_spec::ir::{Arith, Builtin, E, Part, Pat, PatPart, Premise, Update};
use litmpi_spec::program::Op;
use litmpi_spec::source::Span;
use litmpi_spec::types::Sort;
use smallvec::SmallVec;
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) type Result<T> = std::result::Result<T, Fault>;
/// What to do once a pattern or the premises hold.
type Then<'k> = &'k mut dyn FnMut(&mut [Word]) -> Result<()>;
type Words = SmallVec<[Word; 8]>;
/// Elements of a sequence or a set.
pub(crate) type Many = SmallVec<[Word; 16]>;

/// Bytes of stack that function calls may take: half of what a thread has.
const MAX_STACK: usize = 1 << 20;

/// An address in the caller's frame, near enough.
#[inline(never)]
fn stack_pointer() -> usize {
    let mark = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&mark)).addr()
}

/// Evaluation in one state.
pub struct Eval<'m> {
    pub(crate) m: &'m Machine,
    state: &'m [Word],
    /// Where the stack was when evaluation began.
    base: usize,
    /// Who keeps what is not in the state.
    outside: Option<&'m dyn Memory>,
    /// Where to note what is read.
    pub(crate) touched: Option<&'m Touched>,
    /// It is read for something that is not the transition itself.
    pub(crate) aside: bool,
    /// What it has done so far, for calls that are remembered.
    pub(crate) done: Done,
}

impl<'m> Eval<'m> {
    /// Evaluation in `state`.
    pub fn new(m: &'m Machine, state: &'m [Word]) -> Eval<'m> {
        Eval { m, state, base: stack_pointer(), outside: None, touched: None, aside: false, done: Done::default() }
    }

    /// Evaluation in `state`, with a note of what is read.
    pub(crate) fn watched(m: &'m Machine, state: &'m [Word], touched: Option<&'m Touched>) -> Eval<'m> {
        Eval { touched, ..Eval::new(m, state) }
    }

    /// The same, of something that says more of a transition than what it does.
    pub(crate) fn aside(m: &'m Machine, state: &'m [Word], touched: Option<&'m Touched>) -> Eval<'m> {
        Eval { aside: true, ..Eval::watched(m, state, touched) }
    }

    /// Evaluation in `state`, some of whose variables are kept elsewhere.
    pub(crate) fn beside(m: &'m Machine, state: &'m [Word], (outside, touched): Outside<'m>) -> Eval<'m> {
        Eval { outside: Some(outside), ..Eval::watched(m, state, touched) }
    }

    /// Who keeps a state variable, and its name, if it is not in the state.
    pub(crate) fn outside(&self, var: usize) -> Option<(&'m dyn Memory, &'m str)> {
        let v = &self.m.spec.state[var];
        self.outside.filter(|o| o.keeps(&v.name, &v.index)).map(|o| (o, v.name.as_str()))
    }

    fn get(&self, w: Word) -> &'m [Word] {
        self.m.heap.get(w)
    }

    fn word(&self, v: i64) -> Word {
        self.m.heap.word(v)
    }

    /// The integers of a sequence of them.
    fn ints(&self, w: Word) -> Vec<i64> {
        self.get(w).iter().map(|w| self.m.heap.int(*w)).collect()
    }

    /// The value of an expression that is an integer.
    fn int(&self, e: &E, f: &mut [Word]) -> Result<i64> {
        Ok(self.m.heap.int(self.eval(e, f)?))
    }

    fn words(&self, es: &[E], f: &mut [Word]) -> Result<Words> {
        es.iter().map(|e| self.eval(e, f)).collect()
    }

    /// The value of an expression.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    #[inline]
    pub fn eval(&self, e: &E, f: &mut [Word]) -> Result<Word> {
        // Every other expression is one of these, and needs no room for what others need.
        match e {
            E::Word(w) => Ok(*w),
            E::Var(s) => Ok(f[*s]),
            E::Const(c) => Ok(self.m.consts[*c]),
            _ => self.compute(e, f),
        }
    }

    /// The value of an expression that has parts.
    fn compute(&self, e: &E, f: &mut [Word]) -> Result<Word> {
        Ok(match e {
            E::Word(_) | E::Var(_) | E::Const(_) => return self.eval(e, f),
            E::Int(v) => self.m.heap.word(*v),
            E::State { var, index, field } => {
                let slot = self.slot(*var, index, f)?;
                self.done.looks();
                if slot >= self.state.len() && self.m.sparse.is_some() {
                    return Ok(self.m.beyond(*var, *field, slot));
                }
                if let Some((outside, name)) = self.outside(*var) {
                    return Ok(outside.load(name, slot - self.m.var_base[*var]));
                }
                let fields = self.m.spec.state[*var].fields.len();
                if self.m.memory == Some(*var) {
                    self.m.looks.look(slot);
                }
                if let Some(t) = self.touched {
                    t.read(field.map_or(slot..slot + fields.max(1), |i| slot + i..slot + i + 1), self.aside);
                }
                match (field, fields) {
                    (Some(i), _) => self.state[slot + i],
                    (None, 0) => self.state[slot],
                    (None, n) => self.m.heap.intern(&self.state[slot..slot + n]),
                }
            }
            E::Ctor(c, args) => {
                let mut words: Words = SmallVec::new();
                words.push(*c as Word);
                for a in args {
                    words.push(self.eval(a, f)?);
                }
                self.m.heap.intern(&words)
            }
            E::Build(_, es) => {
                let words = self.words(es, f)?;
                self.m.heap.intern(&words)
            }
            E::Seq(parts) => {
                let words = self.joined(parts, f)?;
                self.m.heap.intern(&words)
            }
            E::Set(op, of, ty, span) => self.of_sets(*op, of, ty, span, f)?,
            E::Field(e, _, i) => self.get(self.eval(e, f)?)[*i],
            E::With(e, _, fields) => {
                let mut words: Words = SmallVec::from_slice(self.get(self.eval(e, f)?));
                for (i, e) in fields {
                    words[*i] = self.eval(e, f)?;
                }
                self.m.heap.intern(&words)
            }
            E::Index(e, i, span) => {
                let words = self.get(self.eval(e, f)?);
                let i = self.int(i, f)?;
                *usize::try_from(i).ok().and_then(|i| words.get(i)).ok_or_else(|| out_of_range(span, i, words.len()))?
            }
            E::WithIndex(e, i, v, span) => {
                let mut words: Words = SmallVec::from_slice(self.get(self.eval(e, f)?));
                let i = self.int(i, f)?;
                let len = words.len();
                let v = self.eval(v, f)?;
                *usize::try_from(i).ok().and_then(|i| words.get_mut(i)).ok_or_else(|| out_of_range(span, i, len))? = v;
                self.m.heap.intern(&words)
            }
            E::Comprehension { .. } => {
                let words = self.gathered(e, f)?;
                self.m.heap.intern(&words)
            }
            E::Quantified { all, pat, seq, body } => {
                if let (false, Some(others)) = (*all, are_in(pat, body)) {
                    let (these, others) = (self.elements(seq, f)?, self.elements(others, f)?);
                    return Ok(u32::from(meet(these, others)));
                }
                for w in self.elements(seq, f)? {
                    // An element that the pattern does not match is outside the quantifier's range.
                    if self.first(pat, w, f)? && (self.eval(body, f)? != 0) != *all {
                        return Ok(u32::from(!*all));
                    }
                }
                u32::from(*all)
            }
            E::Let(pat, e, body, span) => {
                let w = self.eval(e, f)?;
                if !self.first(pat, w, f)? {
                    return Err(Fault::new(span, "the value does not match the pattern of this `let`"));
                }
                self.eval(body, f)?
            }
            E::If(c, a, b) => {
                if self.eval(c, f)? != 0 {
                    self.eval(a, f)?
                } else {
                    self.eval(b, f)?
                }
            }
            E::Match(e, arms, span) => {
                let w = self.eval(e, f)?;
                for (pat, body) in arms {
                    if self.first(pat, w, f)? {
                        return self.eval(body, f);
                    }
                }
                return Err(Fault::new(span, "no arm of this `match` fits the value").help("add an arm `_ => …`"));
            }
            E::Is(e, pat) => {
                let w = self.eval(e, f)?;
                u32::from(self.first(pat, w, f)?)
            }
            E::Star(e, ctors) => {
                let words = self.get(self.eval(e, f)?);
                u32::from(words.iter().all(|w| self.get(*w).first().is_some_and(|c| ctors.contains(&(*c as usize)))))
            }
            E::Not(e) => u32::from(self.eval(e, f)? == 0),
            E::Neg(e, span) => self.word(self.int(e, f)?.checked_neg().ok_or_else(|| overflow(span))?),
            E::And(a, b) => {
                if self.eval(a, f)? == 0 {
                    0
                } else {
                    self.eval(b, f)?
                }
            }
            E::Or(a, b) => {
                if self.eval(a, f)? != 0 {
                    1
                } else {
                    self.eval(b, f)?
                }
            }
            E::Eq(a, b) => u32::from(self.eval(a, f)? == self.eval(b, f)?),
            E::Lt(a, b) => u32::from(self.int(a, f)? < self.int(b, f)?),
            E::Le(a, b) => u32::from(self.int(a, f)? <= self.int(b, f)?),
            E::In(a, b) => {
                let w = self.eval(a, f)?;
                u32::from(self.elements(b, f)?.has(w))
            }
            E::Arith(op, a, b, span) => {
                if *op == Arith::Shift {
                    let (x, by) = (self.eval(a, f)?, self.int(b, f)?);
                    return self.shift(x, by, span);
                }
                let (x, y) = (self.int(a, f)?, self.int(b, f)?);
                self.arith(*op, x, y, span)?
            }
            E::Deref(e, left_out) => match self.eval(e, f)? {
                0 => self.eval(left_out, f)?,
                slot => {
                    self.done.looks();
                    self.m.looks.look(slot as usize);
                    if let Some(t) = self.touched {
                        t.read(slot as usize..slot as usize + 1, self.aside);
                    }
                    self.state[slot as usize]
                }
            },
            E::Call(g, args) => {
                let function = &self.m.spec.functions[*g];
                if let Some(reach) = &self.m.reach {
                    reach.called(*g);
                }
                let mut frame: SmallVec<[Word; 16]> = SmallVec::with_capacity(function.slots);
                for a in args {
                    frame.push(self.eval(a, f)?);
                }
                if let Some(known) = self.m.calls.find(*g, &frame) {
                    return Ok(known);
                }
                let args: SmallVec<[Word; 4]> = SmallVec::from_slice(&frame);
                let mark = self.done.mark();
                frame.resize(function.slots, 0);
                if self.base.abs_diff(stack_pointer()) > MAX_STACK {
                    return Err(Fault::new(&function.span, format!("`{}` calls itself too often", function.name))
                        .help("give it a case that ends"));
                }
                let gave = self.eval(&function.body, &mut frame)?;
                if self.done.is_worth(mark) {
                    self.m.calls.note(*g, &args, gave);
                }
                gave
            }
            E::Builtin(b, args, span) => self.builtin(*b, args, span, f)?,
            E::At(t, which, spin) => {
                let t = self.eval(t, f)? as usize;
                self.done.looks();
                if let Some(touched) = self.touched {
                    touched.read(t..t + 1, self.aside);
                }
                let next = self.m.program.threads[t].code.get(self.state[t] as usize);
                u32::from(match next {
                    Some(Op::Exec { instr, .. }) => which.contains(instr),
                    // What a thread would do behind the bound of a loop is not known: it stands still as if it spun. One that
                    // stands at a silent step goes round in a loop without instructions for ever.
                    Some(Op::Spin | Op::Cut | Op::Ask(_) | Op::Lost | Op::Set(..) | Op::Branch(..) | Op::Jump(_)) => {
                        *spin
                    }
                    _ => false,
                })
            }
            E::All(sort) => {
                let words: Words = (0..size(&self.m.program, *sort) as Word).collect();
                self.m.heap.intern(&words)
            }
        })
    }

    /// The elements of all parts.
    fn joined(&self, parts: &[Part], f: &mut [Word]) -> Result<Many> {
        let mut words = Many::new();
        for p in parts {
            match p {
                Part::One(e) => words.push(self.eval(e, f)?),
                Part::Splice(e) => words.extend_from_slice(self.get(self.eval(e, f)?)),
            }
        }
        Ok(words)
    }

    /// The elements of a sequence, which is not kept if it is made here.
    pub(crate) fn gathered(&self, seq: &E, f: &mut [Word]) -> Result<Many> {
        let (value, pat, seq, conds) = match seq {
            E::Seq(parts) => return self.joined(parts, f),
            E::Comprehension { value, pat, seq, conds } => (value, pat, seq, conds),
            seq => return Ok(self.elements(seq, f)?.collect()),
        };
        let mut out = Many::new();
        for w in self.elements(seq, f)? {
            if self.first(pat, w, f)? {
                let mut keep = true;
                for c in conds {
                    keep = keep && self.eval(c, f)? != 0;
                }
                if keep {
                    out.push(self.eval(value, f)?);
                }
            }
        }
        Ok(out)
    }

    /// The elements of a sequence expression.
    fn elements(&self, seq: &E, f: &mut [Word]) -> Result<Elements<'m>> {
        let elements = match seq {
            E::All(sort) => Elements::All(0..size(&self.m.program, *sort) as Word),
            _ => Elements::Of(self.get(self.eval(seq, f)?).iter()),
        };
        self.m.has_time(self.done.goes_through(elements.len()))?;
        Ok(elements)
    }

    /// The location so many elements behind another one, or before it, of the same array.
    fn shift(&self, x: Word, by: i64, span: &Span) -> Result<Word> {
        if !self.m.program.reaches(x as usize, by) {
            let name = self.m.program.name_of(x as usize);
            return Err(Fault::new(span, format!("{by} elements after `{name}` is outside its array")));
        }
        Ok((i64::from(x) + by) as Word)
    }

    fn arith(&self, op: Arith, x: i64, y: i64, span: &Span) -> Result<Word> {
        let v = match op {
            Arith::Add => x.checked_add(y),
            Arith::Sub => x.checked_sub(y),
            Arith::Mul => x.checked_mul(y),
            Arith::Div | Arith::Mod if y == 0 => return Err(Fault::new(span, "division by zero")),
            Arith::Div => x.checked_div_euclid(y),
            Arith::Mod => x.checked_rem_euclid(y),
            Arith::Shift => unreachable!("of a location, not of two integers"),
        };
        v.map(|v| self.word(v)).ok_or_else(|| overflow(span))
    }

    fn builtin(&self, b: Builtin, args: &[E], span: &Span, f: &mut [Word]) -> Result<Word> {
        let program = &self.m.program;
        if b == Builtin::Size {
            return Ok(match &args[0] {
                E::All(sort) => size(program, *sort),
                seq => self.get(self.eval(seq, f)?).len(),
            } as Word);
        }
        let x = self.eval(&args[0], f)?;
        Ok(match b {
            Builtin::Size => unreachable!("above"),
            Builtin::Range => {
                let n = self.m.heap.int(x);
                if n > 1 << 20 {
                    return Err(Fault::new(span, format!("a range of {n} elements is too long")));
                }
                let words: SmallVec<[Word; 16]> = (0..n.max(0) as Word).collect();
                self.m.heap.intern(&words)
            }
            Builtin::NodeOf(Sort::Thread) => program.threads[x as usize].node as Word,
            Builtin::NodeOf(_) => program.node_of(x as usize) as Word,
            Builtin::NumberOf(Sort::Thread) => self.word(program.threads[x as usize].number),
            Builtin::NumberOf(_) => self.word(program.nodes[x as usize].number),
            Builtin::InitialOf => self.word(program.initial_of(x as usize)),
            Builtin::RoomOf => self.word(program.room_of(x as usize).into()),
            Builtin::BeforeOf => self.word(program.before(x as usize).into()),
            Builtin::Distance => {
                let y = self.eval(&args[1], f)?;
                self.word(i64::from(x) - i64::from(y))
            }
            Builtin::WrappingSum => {
                let (y, bits) = (self.eval(&args[1], f)?, self.eval(&args[2], f)?);
                match self.outside {
                    Some(outside) => {
                        self.done.looks();
                        outside.sum(x, y, bits)
                    }
                    None => self.word(wrapping_sum(self.m.heap.int(x), self.m.heap.int(y), self.m.heap.int(bits))),
                }
            }
            Builtin::Operate => {
                let lists: SmallVec<[Word; 4]> = args[1..].iter().map(|a| self.eval(a, f)).collect::<Result<_>>()?;
                let [shape, types, xs, ys] = [0, 1, 2, 3].map(|i| self.ints(lists[i]));
                let Some(operations) = &self.m.operations else {
                    let text = "`operate` speaks of values of a program that runs, and there is none";
                    return Err(Fault::new(span, text.to_owned()));
                };
                let gave = operations.combine(self.m.heap.int(x), &shape, &types, &xs, &ys).map_err(Fault::end)?;
                let words: SmallVec<[Word; 16]> = gave.into_iter().map(|v| self.word(v)).collect();
                self.m.heap.intern(&words)
            }
            Builtin::BitAnd => self.word(self.m.heap.int(x) & self.int(&args[1], f)?),
            Builtin::BitOr => self.word(self.m.heap.int(x) | self.int(&args[1], f)?),
            Builtin::BitXor => self.word(self.m.heap.int(x) ^ self.int(&args[1], f)?),
            Builtin::NodeNumbered => match program.nodes.iter().position(|n| n.number == self.m.heap.int(x)) {
                Some(n) => self.m.heap.intern(&[n as Word]),
                None => EMPTY,
            },
            Builtin::Flatten => {
                let words: SmallVec<[Word; 16]> = self.get(x).iter().flat_map(|s| self.get(*s)).copied().collect();
                self.done.goes_through(words.len());
                self.m.heap.intern(&words)
            }
            Builtin::Cells | Builtin::Threads => unreachable!("initial values, which the machine makes"),
            Builtin::Reverse => {
                let words: SmallVec<[Word; 16]> = self.get(x).iter().rev().copied().collect();
                self.m.heap.intern(&words)
            }
        })
    }

    /// The first slot of a state variable's entry.
    fn slot(&self, var: usize, index: &[E], f: &mut [Word]) -> Result<usize> {
        let v = &self.m.spec.state[var];
        if let (Some(sparse), [Sort::Loc]) = (&self.m.sparse, v.index.as_slice()) {
            return Ok(sparse.slot(var, self.eval(&index[0], f)? as usize).unwrap_or(NOWHERE));
        }
        let mut entry = 0;
        for (i, s) in index.iter().zip(&v.index) {
            entry = entry * size(&self.m.program, *s) + self.eval(i, f)? as usize;
        }
        Ok(self.m.var_base[var] + entry * v.fields.len().max(1))
    }

    /// Whether a pattern matches; its names are bound to the first way.
    fn first(&self, pat: &Pat, w: Word, f: &mut [Word]) -> Result<bool> {
        match pat {
            Pat::Wild => return Ok(true),
            Pat::Bind(s) => {
                f[*s] = w;
                return Ok(true);
            }
            Pat::Word(x) => return Ok(w == *x),
            Pat::Int(v) => return Ok(w == self.word(*v)),
            _ if has_one_way(pat) => return Ok(self.only(pat, w, f)),
            _ => {}
        }
        let mut found: Option<SmallVec<[Word; 24]>> = None;
        self.unify(pat, w, f, &mut |f| {
            if found.is_none() {
                found = Some(SmallVec::from_slice(f));
            }
            Ok(())
        })?;
        if let Some(first) = &found {
            f.copy_from_slice(first);
        }
        Ok(found.is_some())
    }

    /// Whether a pattern that has but one way to match does; names of one that does not may be bound to anything.
    fn only(&self, pat: &Pat, w: Word, f: &mut [Word]) -> bool {
        match pat {
            Pat::Wild => true,
            Pat::Bind(s) => {
                f[*s] = w;
                true
            }
            Pat::Word(x) => w == *x,
            Pat::Int(v) => w == self.word(*v),
            Pat::Pinned(s) => f[*s] == w,
            Pat::Ctor(c, fields) => {
                let words = self.get(w);
                words.first() == Some(&(*c as Word)) && fields.iter().all(|(i, p)| self.only(p, words[*i], f))
            }
            Pat::Fields { words: n, parts, .. } => {
                let words = self.get(w);
                words.len() == *n && parts.iter().all(|(i, p)| self.only(p, words[*i], f))
            }
            Pat::Seq(parts) => {
                let words = self.get(w);
                words.len() == parts.len()
                    && parts.iter().zip(words).all(|(part, w)| match part {
                        PatPart::One(p) => self.only(p, *w, f),
                        PatPart::Rest(_) => false,
                    })
            }
        }
    }

    /// Calls `then` for every way in which a pattern matches.
    fn unify(&self, pat: &Pat, w: Word, f: &mut [Word], then: Then<'_>) -> Result<()> {
        match pat {
            Pat::Wild => then(f),
            Pat::Bind(s) => {
                f[*s] = w;
                then(f)
            }
            Pat::Word(_) | Pat::Int(_) | Pat::Pinned(_) => {
                if self.only(pat, w, f) {
                    then(f)
                } else {
                    Ok(())
                }
            }
            Pat::Ctor(c, fields) => {
                let words = self.get(w);
                if words.first() == Some(&(*c as Word)) { self.unify_fields(fields, words, f, then) } else { Ok(()) }
            }
            Pat::Fields { words: n, parts, .. } => {
                let words = self.get(w);
                if words.len() == *n { self.unify_fields(parts, words, f, then) } else { Ok(()) }
            }
            Pat::Seq(parts) => self.unify_seq(parts, self.get(w), f, then),
        }
    }

    fn unify_fields(&self, fields: &[(usize, Pat)], words: &[Word], f: &mut [Word], then: Then<'_>) -> Result<()> {
        match fields.split_first() {
            None => then(f),
            Some(((i, pat), rest)) => self.unify(pat, words[*i], f, &mut |f| self.unify_fields(rest, words, f, then)),
        }
    }

    fn unify_seq(&self, parts: &[PatPart], words: &[Word], f: &mut [Word], then: Then<'_>) -> Result<()> {
        let Some((part, rest)) = parts.split_first() else {
            return if words.is_empty() { then(f) } else { Ok(()) };
        };
        match part {
            PatPart::One(pat) => match words.split_first() {
                None => Ok(()),
                Some((w, more)) => self.unify(pat, *w, f, &mut |f| self.unify_seq(rest, more, f, then)),
            },
            PatPart::Rest(slot) => {
                let fixed = rest.iter().filter(|p| matches!(p, PatPart::One(_))).count();
                if words.len() < fixed {
                    return Ok(());
                }
                let most = words.len() - fixed;
                // With no other open part, this one's length is known.
                let least = if fixed == rest.len() { most } else { 0 };
                for n in least..=most {
                    if let Some(PatPart::One(Pat::Ctor(c, _))) = rest.first()
                        && self.get(words[n]).first() != Some(&(*c as Word))
                    {
                        continue;
                    }
                    if let Some(s) = slot {
                        f[*s] = self.m.heap.intern(&words[..n]);
                    }
                    self.unify_seq(rest, &words[n..], f, then)?;
                }
                Ok(())
            }
        }
    }

    /// Matches an instruction's arguments, then goes on.
    pub(crate) fn arguments(&self, pats: &[Pat], words: &[Word], f: &mut [Word], then: Then<'_>) -> Result<()> {
        match pats.split_first() {
            None => then(f),
            Some((pat, rest)) => self.unify(pat, words[0], f, &mut |f| self.arguments(rest, &words[1..], f, then)),
        }
    }

    /// Calls `then` for every way in which the premises hold.
    pub(crate) fn premises(&self, ps: &[Premise], f: &mut [Word], then: Then<'_>) -> Result<()> {
        match ps.split_first() {
            None => then(f),
            Some((p, rest)) => self.premise(p, f, &mut |f| self.premises(rest, f, then)),
        }
    }

    /// The same; each premise for which there is no way on is counted at its place.
    pub(crate) fn premises_counted(
        &self,
        ps: &[Premise],
        blocked: &[AtomicU64],
        f: &mut [Word],
        then: Then<'_>,
    ) -> Result<()> {
        let (Some((p, rest)), Some((count, counts))) = (ps.split_first(), blocked.split_first()) else {
            return then(f);
        };
        let mut held = false;
        self.premise(p, f, &mut |f| {
            held = true;
            self.premises_counted(rest, counts, f, then)
        })?;
        if !held {
            count.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    }

    /// The same; `came` is told of each premise that is come to, and at last of their number if all hold.
    pub(crate) fn premises_noted(
        &self,
        ps: &[Premise],
        number: usize,
        came: &dyn Fn(usize),
        f: &mut [Word],
        then: Then<'_>,
    ) -> Result<()> {
        came(number);
        match ps.split_first() {
            None => then(f),
            Some((p, rest)) => self.premise(p, f, &mut |f| self.premises_noted(rest, number + 1, came, f, then)),
        }
    }

    /// Whether a condition holds. What made its parts hold that do does not block, for it is what fails that must change first.
    fn holds(&self, e: &E, f: &mut [Word]) -> Result<bool> {
        if let E::And(a, b) = e {
            return Ok(self.holds(a, f)? && self.holds(b, f)?);
        }
        let before = self.touched.filter(|t| !t.walks).map(|t| t.blocks.borrow().clone());
        let holds = self.eval(e, f)? != 0;
        if let (true, Some(t), Some(before)) = (holds, self.touched, before) {
            t.blocks.replace(before);
        }
        Ok(holds)
    }

    /// Calls `then` for every way in which one premise holds.
    fn premise(&self, p: &Premise, f: &mut [Word], then: Then<'_>) -> Result<()> {
        match p {
            Premise::Cond(e) => {
                if self.holds(e, f)? {
                    then(f)
                } else {
                    Ok(())
                }
            }
            Premise::Match(e, pat) => {
                let w = self.eval(e, f)?;
                self.unify(pat, w, f, then)
            }
            Premise::Pick(pat, seq) => {
                for w in self.elements(seq, f)? {
                    self.unify(pat, w, f, then)?;
                }
                Ok(())
            }
            Premise::Always(p, span) => {
                let mut held = false;
                self.premise(p, f, &mut |f| {
                    held = true;
                    then(f)
                })?;
                if held {
                    return Ok(());
                }
                Err(Fault::new(span, "this premise is said to hold always, and does not here")
                    .help("leave out `always`, if the rule is meant to wait"))
            }
        }
    }

    /// Writes the updates of a rule; right-hand sides see the old state.
    pub(crate) fn updates(
        &self,
        us: &[Update],
        f: &mut [Word],
        next: &mut [Word],
        written: &mut Written,
    ) -> Result<()> {
        for u in us {
            match u {
                Update::State { var, index, field, key, value, span } => {
                    let slot = self.slot(*var, index, f)?;
                    let value = self.eval(value, f)?;
                    if slot == NOWHERE {
                        self.m.beyond(*var, *field, slot);
                        continue;
                    }
                    if let Some(key) = key {
                        self.update_key(slot + field.unwrap_or(0), *var, key, value, (next, written), span, f)?;
                        continue;
                    }
                    if let Some((outside, name)) = self.outside(*var) {
                        outside.store(name, slot - self.m.var_base[*var], value);
                        continue;
                    }
                    if is_large(value) && self.m.memory == Some(*var) {
                        self.m.fits(self.m.heap.int(value)).map_err(|f| f.within(span))?;
                    }
                    match field {
                        Some(i) => write(slot + i, value, next, written, span)?,
                        None => match self.m.spec.state[*var].fields.len() {
                            0 => write(slot, value, next, written, span)?,
                            _ => {
                                for (i, w) in self.get(value).iter().enumerate() {
                                    write(slot + i, *w, next, written, span)?;
                                }
                            }
                        },
                    }
                }
                Update::Reg(reg, value, span) => {
                    let slot = self.eval(reg, f)? as usize;
                    let value = self.eval(value, f)?;
                    // Slot 0 stands for a register that the program left out.
                    if slot != 0 {
                        write(slot, value, next, written, span)?;
                    }
                }
                Update::Let(s, value, body) => {
                    f[*s] = self.eval(value, f)?;
                    self.updates(body, f, next, written)?;
                }
                Update::For(s, seq, body) => {
                    for w in self.elements(seq, f)? {
                        f[*s] = w;
                        self.updates(body, f, next, written)?;
                    }
                }
                Update::If(c, then, els) => {
                    let branch = if self.eval(c, f)? != 0 { then } else { els };
                    self.updates(branch, f, next, written)?;
                }
            }
        }
        Ok(())
    }
}

/// The sequence of which a quantifier asks whether its elements are there, and nothing else.
fn are_in<'e>(pat: &Pat, body: &'e E) -> Option<&'e E> {
    match (pat, body) {
        (Pat::Bind(s), E::In(x, set)) if matches!(**x, E::Var(v) if v == *s) => {
            matches!(**set, E::Var(v) if v != *s).then_some(&**set)
        }
        _ => None,
    }
}

/// Whether a pattern has at most one way to match: it has no sequence of which a part is left open.
fn has_one_way(pat: &Pat) -> bool {
    match pat {
        Pat::Wild | Pat::Bind(_) | Pat::Word(_) | Pat::Int(_) | Pat::Pinned(_) => true,
        Pat::Ctor(_, fields) | Pat::Fields { parts: fields, .. } => fields.iter().all(|(_, p)| has_one_way(p)),
        Pat::Seq(parts) => parts.iter().all(|p| matches!(p, PatPart::One(p) if has_one_way(p))),
    }
}

fn write(slot: usize, value: Word, next: &mut [Word], written: &mut Written, span: &Span) -> Result<()> {
    if written.has(slot) && next[slot] != value {
        return Err(Fault::new(span, "two updates of one rule give this entry different values"));
    }
    written.push(slot);
    next[slot] = value;
    Ok(())
}

fn out_of_range(span: &Span, i: i64, len: usize) -> Fault {
    Fault::new(span, format!("index {i} is outside a sequence of {len} elements"))
}

fn overflow(span: &Span) -> Fault {
    Fault::new(span, "the result does not fit in 64 bits")
}
