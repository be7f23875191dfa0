//! What an instance of a rule may read and write in any state of the program: the rule is run on what is known of values.

use super::bits::{Bits, Few};
use super::contents::Contents;
use super::followed::{Args, Found, Open};
use super::sets::Set;
use super::value::{Atoms, Held, Known, Matches};
use crate::machine::{Machine, size};
use litmpi_spec::heap::{EMPTY, Word};
use litmpi_spec::ir::{Arith, Builtin, E, Part, Pat, PatPart, Premise, Update};
use litmpi_spec::types::{Sort, Ty};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};
use std::cell::RefCell;

/// Sequences longer than this are not followed element by element.
const LONGEST: usize = 64;
/// Calls deeper than this forget what integers are.
const DEEPEST: usize = 24;

/// One instance under way.
pub(super) struct Walk<'a> {
    pub(super) m: &'a Machine,
    pub(super) contents: &'a mut Contents,
    pub(super) reads: Few,
    pub(super) writes: Bits,
    /// The entries of the contents that were looked at.
    looked: RefCell<Few>,
    /// Calls that are being followed, and those that asked for one of these: what was found of them holds for the time being.
    open: FxHashMap<(usize, Args), Open>,
    /// The depth of the outermost call that is being followed and was asked for again since the innermost one began.
    rests_on: usize,
    depth: usize,
}

pub(super) type Env<'e> = &'e mut [Known];
type Indices = SmallVec<[usize; 8]>;

impl<'a> Walk<'a> {
    pub(super) fn new(m: &'a Machine, contents: &'a mut Contents) -> Walk<'a> {
        let (writes, looked) = (Bits::new(m.width()), RefCell::default());
        let (reads, open) = (Few::default(), FxHashMap::default());
        Walk { m, contents, reads, writes, looked, open, rests_on: usize::MAX, depth: 0 }
    }

    /// The entries of the contents that were looked at so far.
    pub(super) fn looked(&self) -> Few {
        self.looked.borrow().clone()
    }

    /// What is known of an entry of the contents, which is looked at by that.
    fn held(&self, entry: usize) -> &Held {
        self.looked.borrow_mut().add(entry);
        &self.contents.held[entry]
    }

    fn atoms(&self) -> Atoms {
        self.contents.atoms
    }

    pub(super) fn join(&self, one: Set, other: Set) -> Set {
        self.contents.sets.join(one, other)
    }

    pub(super) fn or(&self, one: Known, other: Known) -> Known {
        one.or(other, &self.contents.sets)
    }

    pub(super) fn of_type(&self, known: Known, ty: &Ty) -> Known {
        self.contents.of_type(self.m, ty, known)
    }

    /// The elements of a sort that a value may be.
    fn any_of(&self, sort: Sort, known: Known) -> Indices {
        match known.word {
            Some(w) => smallvec![w as usize],
            None => self.atoms().elements(self.m, sort, &self.contents.sets.get(known.atoms)).collect(),
        }
    }

    pub(super) fn element(&self, sort: Sort, i: Word) -> Known {
        Known { word: Some(i), atoms: self.contents.only(self.atoms().element(self.m, sort, i)) }
    }

    pub(super) fn made(&self, parts: &[Known], prefix: Option<Word>) -> Known {
        let words: Option<SmallVec<[Word; 12]>> =
            prefix.map(Some).into_iter().chain(parts.iter().map(|k| k.word)).collect();
        let atoms = parts.iter().fold(Set::EMPTY, |all, k| self.join(all, k.atoms));
        Known { word: words.map(|w| self.m.heap.intern(&w)), atoms }
    }

    /// What is known of a word of a composite value.
    fn word_of(&self, whole: Known, i: usize) -> Known {
        let word = whole.word.and_then(|w| self.m.heap.get(w).get(i).copied());
        Known { word, ..whole }
    }

    /// What is known of a part of a value, of which this is known otherwise: what is in every such part.
    fn narrowed(&self, part: Known, held: &Held, ty: &Ty) -> Known {
        let atoms = self.contents.sets.meet(part.atoms, held.atoms);
        self.of_type(Known { word: part.word.or(held.word()), atoms }, ty)
    }

    /// What is known of a constructor's field.
    fn ctor_field(&self, whole: Known, ctor: usize, i: usize) -> Known {
        let ty = &self.m.spec.types.ctors[ctor].fields[i].1;
        self.narrowed(self.word_of(whole, i + 1), self.held(self.contents.ctors[ctor] + i), ty)
    }

    /// What is known of a record's field.
    fn record_field(&self, whole: Known, record: usize, i: usize) -> Known {
        let ty = &self.m.spec.types.records[record].fields[i].1;
        self.narrowed(self.word_of(whole, i), self.held(self.contents.records[record] + i), ty)
    }

    /// What is known of a word of a record, a tuple or `Some`.
    fn part_of(&self, whole: Known, of: &Ty, i: usize) -> Known {
        match of {
            Ty::Record(r) => self.record_field(whole, *r, i),
            Ty::Tuple(ts) => self.of_type(self.word_of(whole, i), &ts[i]),
            Ty::Option(t) => self.of_type(self.word_of(whole, i), t),
            _ => self.word_of(whole, i),
        }
    }

    /// Names that a pattern binds, and whether it matches.
    pub(super) fn bind(&self, pat: &Pat, v: Known, env: Env<'_>) -> Matches {
        match pat {
            Pat::Wild => Matches::Yes,
            Pat::Bind(s) => {
                env[*s] = v;
                Matches::Yes
            }
            Pat::Word(w) => Matches::when(v.word.is_some(), v.word == Some(*w)),
            Pat::Int(i) => Matches::when(v.word.is_some(), v.word == Some(self.m.heap.word(*i))),
            Pat::Pinned(s) => Matches::when(v.word.is_some() && env[*s].word.is_some(), v.word == env[*s].word),
            Pat::Ctor(c, fields) => {
                if v.word.is_none() && !self.contents.sets.get(v.atoms).has(*c) {
                    return Matches::No;
                }
                let is = Matches::when(v.word.is_some(), v.word.is_some_and(|w| self.m.heap.get(w)[0] as usize == *c));
                if is == Matches::No {
                    return is;
                }
                fields.iter().fold(is, |is, (i, p)| is.and(self.bind(p, self.ctor_field(v, *c, *i - 1), env)))
            }
            Pat::Fields { of, words, parts } => {
                let long = v.word.map(|w| self.m.heap.get(w).len() == *words);
                let is = Matches::when(long.is_some(), long == Some(true));
                if is == Matches::No {
                    return is;
                }
                parts.iter().fold(is, |is, (i, p)| is.and(self.bind(p, self.part_of(v, of, *i), env)))
            }
            Pat::Seq(parts) => self.bind_seq(parts, v, env),
        }
    }

    /// A sequence that is known is not matched element by element, but has enough of them or not.
    fn bind_seq(&self, parts: &[PatPart], v: Known, env: Env<'_>) -> Matches {
        let ones = parts.iter().filter(|p| matches!(p, PatPart::One(_))).count();
        let may = v.word.is_none_or(|w| {
            let long = self.m.heap.get(w).len();
            if ones == parts.len() { long == ones } else { long >= ones }
        });
        if !may {
            return Matches::No;
        }
        let empty = Matches::when(v.word.is_some() && ones == 0, true);
        parts.iter().fold(empty, |is, part| match part {
            PatPart::One(p) => is.and(self.bind(p, v.part(), env)),
            PatPart::Rest(slot) => {
                if let Some(s) = slot {
                    env[*s] = if parts.len() == 1 { v } else { v.part() };
                }
                is
            }
        })
    }

    /// The slots that a state variable's entry may be, the first field of each.
    fn slots(&mut self, var: usize, index: &[E], env: Env<'_>) -> Indices {
        let v = &self.m.spec.state[var];
        let mut entries: Indices = smallvec![0];
        for (e, sort) in index.iter().zip(&v.index) {
            let known = self.expr(e, env);
            let values = self.any_of(*sort, known);
            if let (Some(sparse), [Sort::Loc]) = (&self.m.sparse, v.index.as_slice()) {
                return values.iter().filter_map(|loc| sparse.slot(var, *loc)).collect();
            }
            let n = size(&self.m.program, *sort);
            entries = entries.iter().flat_map(|e| values.iter().map(move |i| e * n + i)).collect();
        }
        entries.into_iter().map(|e| self.m.var_base[var] + e * v.fields.len().max(1)).collect()
    }

    fn slot_range(&self, var: usize, field: Option<usize>, base: usize) -> std::ops::Range<usize> {
        match field {
            Some(f) => base + f..base + f + 1,
            None => base..base + self.m.spec.state[var].fields.len().max(1),
        }
    }

    /// The elements of a sequence expression, one by one if they are known; else what is known of any.
    fn elements(&mut self, seq: &E, env: Env<'_>) -> Result<Args, Known> {
        if let E::All(sort) = seq {
            return Ok((0..size(&self.m.program, *sort) as Word).map(|i| self.element(*sort, i)).collect());
        }
        let known = self.expr(seq, env);
        match known.word {
            Some(w) if self.m.heap.get(w).len() <= LONGEST => {
                let part = |w: &Word| Known { word: Some(*w), ..known };
                Ok(self.m.heap.get(w).iter().map(part).collect())
            }
            _ => Err(known.part()),
        }
    }

    pub(super) fn all(&mut self, es: &[E], env: Env<'_>) -> Args {
        es.iter().map(|e| self.expr(e, env)).collect()
    }

    /// Records what an expression may read; tells what is known of its value.
    pub(super) fn expr(&mut self, e: &E, env: Env<'_>) -> Known {
        match e {
            E::Word(w) => Known::plain(*w),
            E::Int(v) => Known::plain(self.m.heap.word(*v)),
            E::Var(s) => env[*s],
            E::Const(c) => {
                let (ty, word) = (&self.m.spec.consts[*c].ty, self.m.consts[*c]);
                let mut all = self.atoms().none();
                self.atoms().collect(self.m, ty, word, &mut all);
                Known { word: Some(word), atoms: self.contents.sets.number(all) }
            }
            E::State { var, index, field } => {
                let bases = self.slots(*var, index, env);
                self.state(*var, *field, &bases)
            }
            E::Ctor(c, es) => {
                let parts = self.all(es, env);
                parts.iter().enumerate().for_each(|(i, p)| self.contents.put_in_ctor(*c, i, *p));
                let known = self.made(&parts, Some(*c as Word));
                Known { atoms: self.contents.sets.with(known.atoms, *c), ..known }
            }
            E::Build(record, es) => {
                let parts = self.all(es, env);
                if let Some(r) = record {
                    parts.iter().enumerate().for_each(|(i, p)| self.contents.put_in_record(*r, i, *p));
                }
                self.made(&parts, None)
            }
            E::Seq(parts) => {
                let mut words: Option<SmallVec<[Word; 16]>> = Some(smallvec![]);
                let mut atoms = Set::EMPTY;
                for p in parts {
                    let (Part::One(e) | Part::Splice(e)) = p;
                    let known = self.expr(e, env);
                    atoms = self.join(atoms, known.atoms);
                    words = words.zip(known.word).map(|(mut ws, w)| {
                        match p {
                            Part::One(_) => ws.push(w),
                            Part::Splice(_) => ws.extend_from_slice(self.m.heap.get(w)),
                        }
                        ws
                    });
                }
                Known { word: words.map(|w| self.m.heap.intern(&w)), atoms }
            }
            E::Set(op, of, ty, _) => self.of_sets(*op, of, ty, env),
            E::Field(e, record, i) => {
                let whole = self.expr(e, env);
                self.record_field(whole, *record, *i)
            }
            E::With(e, record, fields) => {
                let mut known = self.expr(e, env).part();
                for (i, e) in fields {
                    let v = self.expr(e, env);
                    self.contents.put_in_record(*record, *i, v);
                    known.atoms = self.join(known.atoms, v.atoms);
                }
                known
            }
            E::Index(e, i, _) => {
                let (whole, i) = (self.expr(e, env), self.expr(i, env));
                match i.word {
                    Some(i) => self.word_of(whole, i as usize),
                    None => whole.part(),
                }
            }
            E::WithIndex(e, i, v, _) => {
                let (whole, _, v) = (self.expr(e, env), self.expr(i, env), self.expr(v, env));
                self.or(whole.part(), v.part())
            }
            E::Comprehension { value, pat, seq, conds } => self.comprehension((value, pat, seq, conds), env),
            E::Quantified { all, pat, seq, body } => self.quantified((*all, pat, seq, body), env),
            E::Let(pat, e, body, _) => {
                let v = self.expr(e, env);
                self.bind(pat, v, env);
                self.expr(body, env)
            }
            E::If(c, a, b) => match self.expr(c, env).word {
                Some(0) => self.expr(b, env),
                Some(_) => self.expr(a, env),
                None => {
                    let known = self.expr(a, env);
                    let other = self.expr(b, env);
                    self.or(known, other)
                }
            },
            E::Match(e, arms, _) => {
                let v = self.expr(e, env);
                let mut out: Option<Known> = None;
                for (pat, body) in arms {
                    let is = self.bind(pat, v, env);
                    if is != Matches::No {
                        let known = self.expr(body, env);
                        out = Some(out.map_or(known, |o| self.or(o, known)));
                    }
                    if is == Matches::Yes {
                        break;
                    }
                }
                out.unwrap_or(Known::UNKNOWN)
            }
            E::Is(e, pat) => {
                let v = self.expr(e, env);
                match self.bind(pat, v, env) {
                    Matches::Yes => Known::plain(1),
                    Matches::No => Known::plain(0),
                    Matches::Maybe => Known::UNKNOWN,
                }
            }
            E::Star(e, _) => {
                self.expr(e, env);
                Known::UNKNOWN
            }
            E::Not(e) => {
                let known = self.expr(e, env);
                Known { word: known.word.map(|w| Word::from(w == 0)), ..known }
            }
            E::Neg(e, _) => {
                let known = self.expr(e, env);
                Known {
                    word: known.word.and_then(|w| self.m.heap.int(w).checked_neg()).map(|v| self.m.heap.word(v)),
                    ..known
                }
            }
            E::And(a, b) | E::Or(a, b) => {
                let stops = Word::from(matches!(e, E::Or(..)));
                let first = self.expr(a, env).word;
                if first.is_some_and(|w| Word::from(w != 0) == stops) {
                    return Known::plain(stops);
                }
                let second = self.expr(b, env).word;
                match (first, second) {
                    (Some(_), Some(w)) => Known::plain(w),
                    (None, Some(w)) if Word::from(w != 0) == stops => Known::plain(stops),
                    _ => Known::UNKNOWN,
                }
            }
            E::Eq(a, b) => self.equal(a, b, env),
            E::Lt(a, b) => self.compare(a, b, env, |x, y| x < y),
            E::Le(a, b) => self.compare(a, b, env, |x, y| x <= y),
            E::In(a, b) => {
                self.expr(a, env);
                self.expr(b, env);
                Known::UNKNOWN
            }
            E::Arith(op, a, b, _) => {
                let (a, b) = (self.expr(a, env), self.expr(b, env));
                self.arith(*op, a, b)
            }
            E::Deref(e, left_out) => {
                let reg = self.expr(e, env);
                if reg.word == Some(0) {
                    return self.expr(left_out, env);
                }
                let mut known = Known::UNKNOWN;
                for slot in self.registers(reg) {
                    self.reads.add(slot);
                    known.atoms = self.join(known.atoms, self.held(slot).atoms);
                }
                if reg.word.is_none() {
                    let other = self.expr(left_out, env);
                    known = self.or(known, other);
                }
                known
            }
            E::Call(f, args) => {
                let args = self.all(args, env);
                self.call(*f, args)
            }
            E::Builtin(b, args, _) => self.builtin(*b, args, env),
            E::At(t, ..) => {
                let known = self.expr(t, env);
                self.any_of(Sort::Thread, known).into_iter().for_each(|t| _ = self.reads.add(t));
                Known::UNKNOWN
            }
            E::All(sort) => {
                let parts: Args = (0..size(&self.m.program, *sort) as Word).map(|i| self.element(*sort, i)).collect();
                self.made(&parts, None)
            }
        }
    }

    /// What is known of an entry of a state variable that is one of these, by the first slot of each, or of one field of it.
    fn state(&mut self, var: usize, field: Option<usize>, bases: &[usize]) -> Known {
        let v = &self.m.spec.state[var];
        if let (None, Ty::Record(r), false) = (field, &v.ty, v.fields.is_empty()) {
            // The record is made here, of its slots.
            let mut whole = Known::UNKNOWN;
            for i in 0..v.fields.len() {
                let part = self.state(var, Some(i), bases);
                self.contents.put_in_record(*r, i, part);
                whole.atoms = self.join(whole.atoms, part.atoms);
            }
            return whole;
        }
        let mut known: Option<Known> = None;
        for base in bases {
            for slot in self.slot_range(var, field, *base) {
                self.reads.add(slot);
                let here = self.held(slot).known();
                known = Some(known.map_or(here, |k| self.or(k, here)));
            }
        }
        known.unwrap_or(Known::UNKNOWN)
    }

    fn registers(&self, reg: Known) -> Indices {
        match reg.word {
            Some(w) => smallvec![w as usize],
            None => self.atoms().registers(&self.contents.sets.get(reg.atoms)).collect(),
        }
    }

    fn compare(&mut self, a: &E, b: &E, env: Env<'_>, holds: fn(i64, i64) -> bool) -> Known {
        let (a, b) = (self.expr(a, env), self.expr(b, env));
        match (a.word, b.word) {
            (Some(x), Some(y)) => Known::plain(Word::from(holds(self.m.heap.int(x), self.m.heap.int(y)))),
            _ => Known::UNKNOWN,
        }
    }

    /// An element of a sort is among the atoms of what it may be, as is a constructor, so it is not equal to what has it not.
    fn equal(&mut self, a: &E, b: &E, env: Env<'_>) -> Known {
        let (a, b) = (self.expr(a, env), self.expr(b, env));
        let apart = |one: Known, other: Known| {
            one.word.is_some() && other.word.is_none() && {
                let (one, other) = (self.contents.sets.get(one.atoms), self.contents.sets.get(other.atoms));
                let mut atoms = one.iter();
                atoms.next().is_some_and(|i| atoms.next().is_none() && self.atoms().is_in_values(i) && !other.has(i))
            }
        };
        match (a.word, b.word) {
            (Some(x), Some(y)) => Known::plain(Word::from(x == y)),
            _ if apart(a, b) || apart(b, a) => Known::plain(0),
            _ => Known::UNKNOWN,
        }
    }

    fn comprehension(&mut self, (value, pat, seq, conds): (&E, &Pat, &E, &[E]), env: Env<'_>) -> Known {
        let (elements, exact) = match self.elements(seq, env) {
            Ok(list) => (list, true),
            Err(any) => (smallvec![any], false),
        };
        let mut words: Option<SmallVec<[Word; 16]>> = exact.then(SmallVec::new);
        let mut atoms = Set::EMPTY;
        for element in elements {
            let mut keep = self.bind(pat, element, env);
            for c in conds {
                if keep == Matches::No {
                    break;
                }
                let cond = self.expr(c, env).word;
                keep = keep.and(Matches::when(cond.is_some(), cond != Some(0)));
            }
            if keep == Matches::No {
                continue;
            }
            let v = self.expr(value, env);
            atoms = self.join(atoms, v.atoms);
            words = words.filter(|_| keep == Matches::Yes).zip(v.word).map(|(mut ws, w)| {
                ws.push(w);
                ws
            });
        }
        Known { word: words.map(|w| self.m.heap.intern(&w)), atoms }
    }

    fn quantified(&mut self, (all, pat, seq, body): (bool, &Pat, &E, &E), env: Env<'_>) -> Known {
        let (elements, mut exact) = match self.elements(seq, env) {
            Ok(list) => (list, true),
            Err(any) => (smallvec![any], false),
        };
        for element in elements {
            match (self.bind(pat, element, env), self.expr(body, env).word) {
                (Matches::No, _) => {}
                (Matches::Yes, Some(w)) if exact => {
                    if (w != 0) != all {
                        return Known::plain(Word::from(!all));
                    }
                }
                _ => exact = false,
            }
        }
        if exact { Known::plain(Word::from(all)) } else { Known::UNKNOWN }
    }

    fn arith(&self, op: Arith, a: Known, b: Known) -> Known {
        let program = &self.m.program;
        if let (Some(x), Some(y)) = (a.word, b.word) {
            if op == Arith::Shift {
                let by = self.m.heap.int(y);
                return match program.reaches(x as usize, by) {
                    true => self.element(Sort::Loc, (i64::from(x) + by) as Word),
                    false => Known::UNKNOWN,
                };
            }
            let (i, j) = (self.m.heap.int(x), self.m.heap.int(y));
            let v = match op {
                Arith::Add => i.checked_add(j),
                Arith::Sub => i.checked_sub(j),
                Arith::Mul => i.checked_mul(j),
                Arith::Div => i.checked_div_euclid(j),
                Arith::Mod => i.checked_rem_euclid(j),
                Arith::Shift => None,
            };
            return v.map_or(Known::UNKNOWN, |v| Known::plain(self.m.heap.word(v)));
        }
        let mut all = self.atoms().none();
        if op == Arith::Shift {
            let mut arrays: Vec<std::ops::Range<usize>> = vec![];
            for l in self.any_of(Sort::Loc, a) {
                if !arrays.last().is_some_and(|array| array.contains(&l)) {
                    arrays.push(program.array(l));
                }
            }
            arrays.sort_unstable_by_key(|array| (array.start, array.end));
            arrays.dedup();
            let numbers = self.m.numbers_within(arrays);
            numbers.into_iter().for_each(|number| all.add(self.atoms().numbered(Sort::Loc, number)));
        }
        Known { word: None, atoms: self.contents.sets.number(all) }
    }

    /// What is known of a call's result. What was found of the call before still holds if no more has become known of what was looked at
    /// for it, unless it rested on a call that was still being followed, of which less was known than is now.
    pub(super) fn call(&mut self, f: usize, mut args: Args) -> Known {
        if self.depth > DEEPEST {
            args.iter_mut().for_each(|a| a.word = None);
            // What is found of it depends on where it is called.
            self.rests_on = 0;
        }
        let key = (f, args);
        if let Some(found) = self.contents.followed(&key) {
            self.reads.join(&found.reads);
            self.looked.borrow_mut().join(&found.looked);
            return found.known;
        }
        if let Some(open) = self.open.get_mut(&key) {
            open.asked = true;
            self.rests_on = self.rests_on.min(open.rests_on);
            return open.known;
        }
        let since = self.contents.growths();
        let (reads, looked) = (std::mem::take(&mut self.reads), self.looked.take());
        let rested_on = std::mem::replace(&mut self.rests_on, usize::MAX);
        self.depth += 1;
        let known = self.follow_call(&key);
        if self.rests_on < self.depth {
            self.open.insert(key, Open { known, rests_on: self.rests_on, asked: false, done: true });
            self.rests_on = self.rests_on.min(rested_on);
        } else {
            // It is found for good. What rests on it alone is found again when it is asked for.
            let depth = self.depth;
            self.open.remove(&key);
            self.open.retain(|_, open| !open.done || open.rests_on < depth);
            let found = Found { known, reads: self.reads.clone(), looked: self.looked(), since };
            self.contents.followed.note(key, found);
            self.rests_on = rested_on;
        }
        self.depth -= 1;
        self.reads.join(&reads);
        self.looked.borrow_mut().join(&looked);
        known
    }

    /// Follows the body of a function, and again as long as more is found of a call that asks for itself.
    fn follow_call(&mut self, key: &(usize, Args)) -> Known {
        let function = &self.m.spec.functions[key.0];
        self.open.insert(key.clone(), Open { known: Known::UNKNOWN, rests_on: self.depth, asked: false, done: false });
        loop {
            let mut frame = key.1.clone();
            frame.resize(function.slots, Known::UNKNOWN);
            let known = self.expr(&function.body, &mut frame);
            let so_far = self.open.get_mut(key).expect("just put there");
            let before = so_far.known.atoms;
            so_far.known.atoms = self.contents.sets.join(before, known.atoms);
            if !so_far.asked || so_far.known.atoms == before {
                return known;
            }
            // What others found with less is found anew.
            self.open.retain(|_, open| !open.done);
        }
    }

    fn builtin(&mut self, b: Builtin, args: &[E], env: Env<'_>) -> Known {
        if b == Builtin::Size {
            return match self.elements(&args[0], env) {
                Ok(list) => Known::plain(list.len() as Word),
                Err(_) => Known::UNKNOWN,
            };
        }
        let known = self.all(args, env);
        let x = known[0];
        let program = &self.m.program;
        match (b, x.word) {
            (Builtin::Reverse | Builtin::Flatten, _) => x.part(),
            (Builtin::Range, Some(n)) if self.m.heap.int(n) <= LONGEST as i64 => {
                let words: Vec<Word> = (0..self.m.heap.int(n).max(0) as Word).collect();
                Known::plain(self.m.heap.intern(&words))
            }
            (Builtin::NodeOf(sort), word) => {
                let node = |i: usize| match sort {
                    Sort::Thread => program.threads[i].node as Word,
                    _ => program.node_of(i) as Word,
                };
                if let Some(w) = word {
                    return self.element(Sort::Node, node(w as usize));
                }
                let mut all = self.atoms().none();
                self.any_of(sort, x)
                    .into_iter()
                    .for_each(|i| all.add(self.atoms().element(self.m, Sort::Node, node(i))));
                Known { word: None, atoms: self.contents.sets.number(all) }
            }
            (Builtin::NumberOf(Sort::Thread), Some(t)) => {
                Known::plain(self.m.heap.word(program.threads[t as usize].number))
            }
            (Builtin::NumberOf(_), Some(n)) => Known::plain(self.m.heap.word(program.nodes[n as usize].number)),
            (Builtin::InitialOf, Some(l)) => Known::plain(self.m.heap.word(program.initial_of(l as usize))),
            (Builtin::RoomOf, Some(l)) => Known::plain(self.m.heap.word(program.room_of(l as usize).into())),
            (Builtin::BeforeOf, Some(l)) => Known::plain(self.m.heap.word(program.before(l as usize).into())),
            (Builtin::Distance, Some(l)) => match known[1].word {
                Some(k) => Known::plain(self.m.heap.word(i64::from(l) - i64::from(k))),
                None => Known::UNKNOWN,
            },
            (Builtin::NodeNumbered, Some(i)) => match program.nodes.iter().position(|n| n.number == self.m.heap.int(i))
            {
                Some(n) => self.made(&[self.element(Sort::Node, n as Word)], None),
                None => Known::plain(EMPTY),
            },
            (Builtin::NodeNumbered, None) => {
                let mut all = self.atoms().none();
                (0..program.nodes.len()).for_each(|n| all.add(self.atoms().element(self.m, Sort::Node, n as Word)));
                Known { word: None, atoms: self.contents.sets.number(all) }
            }
            _ => Known::UNKNOWN,
        }
    }

    /// Whether the premise may hold.
    pub(super) fn premise(&mut self, p: &Premise, env: Env<'_>) -> bool {
        match p {
            Premise::Cond(e) => self.expr(e, env).word != Some(0),
            Premise::Match(e, pat) => {
                let v = self.expr(e, env);
                self.bind(pat, v, env) != Matches::No
            }
            Premise::Pick(pat, seq) => {
                let any = match self.elements(seq, env) {
                    Ok(list) => list.into_iter().reduce(|a, b| self.or(a, b)),
                    Err(any) => Some(any),
                };
                any.is_some_and(|v| self.bind(pat, v, env) != Matches::No)
            }
            Premise::Always(p, _) => self.premise(p, env),
        }
    }

    pub(super) fn updates(&mut self, us: &[Update], env: Env<'_>) {
        for u in us {
            match u {
                Update::State { var, index, field, key, value, .. } => {
                    let mut v = self.expr(value, env);
                    let kept = key.is_some();
                    if let Some(k) = key {
                        // What other keys hold stays.
                        let k = self.expr(&k.key, env);
                        v = self.or(v.part(), k.part());
                    }
                    let entry = &self.m.spec.state[*var];
                    // A record that is kept in slots is taken apart.
                    let parts: Args = if field.is_some() || entry.fields.is_empty() {
                        smallvec![v]
                    } else {
                        (0..entry.fields.len()).map(|i| self.part_of(v, &entry.ty, i)).collect()
                    };
                    for base in self.slots(*var, index, env) {
                        for (slot, part) in self.slot_range(*var, *field, base).zip(&parts) {
                            if kept {
                                self.reads.add(slot);
                            }
                            self.writes.add(slot);
                            self.contents.put(slot, *part);
                        }
                    }
                }
                Update::Reg(reg, value, _) => {
                    let (reg, v) = (self.expr(reg, env), self.expr(value, env));
                    for slot in self.registers(reg) {
                        // Slot 0 stands for a register that the program left out.
                        if slot != 0 {
                            self.writes.add(slot);
                            self.contents.put(slot, v);
                        }
                    }
                }
                Update::Let(s, value, body) => {
                    env[*s] = self.expr(value, env);
                    self.updates(body, env);
                }
                Update::For(s, seq, body) => match self.elements(seq, env) {
                    Ok(list) => list.into_iter().for_each(|v| {
                        env[*s] = v;
                        self.updates(body, env);
                    }),
                    Err(any) => {
                        env[*s] = any;
                        self.updates(body, env);
                    }
                },
                Update::If(c, then, els) => match self.expr(c, env).word {
                    Some(0) => self.updates(els, env),
                    Some(_) => self.updates(then, env),
                    None => {
                        self.updates(then, env);
                        self.updates(els, env);
                    }
                },
            }
        }
    }
}
