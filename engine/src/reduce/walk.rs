//! What an instance of a rule may read and write in any state of the program: the rule is run on what is known of values.

use super::bits::Bits;
use super::value::{Atoms, Held, Known, Matches, Seen};
use crate::machine::{Machine, size};
use litmpi_spec::heap::{EMPTY, Word};
use litmpi_spec::ir::{Arith, Builtin, E, Part, Pat, PatPart, Premise, Update};
use litmpi_spec::types::{Sort, Ty};
use rustc_hash::FxHashMap;
use std::cell::RefCell;

/// Sequences longer than this are not followed element by element.
const LONGEST: usize = 64;
/// Calls deeper than this forget what integers are.
const DEEPEST: usize = 24;

/// What may be where in any state, as far as found out: grows until nothing new is found.
pub(super) struct Contents {
    pub(super) atoms: Atoms,
    /// By entry: the slots of the state, then the fields of all constructors, then those of all records.
    held: Vec<Held>,
    /// Where the fields of each constructor, and of each record, begin.
    ctors: Vec<usize>,
    records: Vec<usize>,
    /// The entries of which more became known, in this order.
    grown: Vec<u32>,
}

impl Contents {
    /// Nothing is anywhere; of registers it is not asked what they hold, since what programs compute is not followed.
    pub(super) fn new(m: &Machine) -> Contents {
        let atoms = Atoms::new(m);
        let mut entries = m.width();
        let mut begin = |fields: usize| {
            entries += fields;
            entries - fields
        };
        let ctors = m.spec.types.ctors.iter().map(|c| begin(c.fields.len())).collect();
        let records = m.spec.types.records.iter().map(|r| begin(r.fields.len())).collect();
        let mut held = vec![Held::nothing(atoms); entries];
        for register in &mut held[..m.program.threads.len() + m.reg_types.len()] {
            register.seen = Seen::Several;
        }
        Contents { atoms, held, ctors, records, grown: vec![] }
    }

    pub(super) fn put(&mut self, entry: usize, value: &Known) {
        if self.held[entry].put(value) {
            self.grown.push(entry as u32);
        }
    }

    pub(super) fn put_in_ctor(&mut self, ctor: usize, field: usize, value: &Known) {
        self.put(self.ctors[ctor] + field, value);
    }

    pub(super) fn put_in_record(&mut self, record: usize, field: usize, value: &Known) {
        self.put(self.records[record] + field, value);
    }

    /// The empty set of entries.
    pub(super) fn no_entries(&self) -> Bits {
        Bits::new(self.held.len())
    }

    /// How often more became known of some entry.
    pub(super) fn growths(&self) -> usize {
        self.grown.len()
    }

    /// Whether more became known of one of these entries after so many growths.
    pub(super) fn has_grown(&self, entries: &Bits, since: usize) -> bool {
        self.grown[since..].iter().any(|e| entries.has(*e as usize))
    }
}

/// One instance under way.
pub(super) struct Walk<'a> {
    pub(super) m: &'a Machine,
    pub(super) contents: &'a mut Contents,
    pub(super) reads: Bits,
    pub(super) writes: Bits,
    /// The entries of the contents that were looked at.
    looked: RefCell<Bits>,
    /// Calls that were followed already, and what is known of their results.
    calls: FxHashMap<(usize, Vec<Known>), (Known, bool)>,
    depth: usize,
}

type Env<'e> = &'e mut [Known];

impl<'a> Walk<'a> {
    pub(super) fn new(m: &'a Machine, contents: &'a mut Contents) -> Walk<'a> {
        let none = Bits::new(m.width());
        let looked = RefCell::new(contents.no_entries());
        Walk { m, contents, reads: none.clone(), writes: none, looked, calls: FxHashMap::default(), depth: 0 }
    }

    /// The entries of the contents that were looked at so far.
    pub(super) fn looked(&self) -> Bits {
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

    pub(super) fn unknown(&self) -> Known {
        Known { word: None, atoms: self.atoms().none() }
    }

    pub(super) fn plain(&self, word: Word) -> Known {
        Known { word: Some(word), atoms: self.atoms().none() }
    }

    pub(super) fn element(&self, sort: Sort, i: Word) -> Known {
        let mut atoms = self.atoms().none();
        atoms.add(self.atoms().element(sort, i));
        Known { word: Some(i), atoms }
    }

    pub(super) fn made(&self, parts: &[Known], prefix: Option<Word>) -> Known {
        let words: Option<Vec<Word>> = prefix.map(Some).into_iter().chain(parts.iter().map(|k| k.word)).collect();
        let mut atoms = self.atoms().none();
        parts.iter().for_each(|k| _ = atoms.join(&k.atoms));
        Known { word: words.map(|w| self.m.heap.intern(&w)), atoms }
    }

    /// What is known of a word of a composite value.
    fn word_of(&self, whole: &Known, i: usize) -> Known {
        let word = whole.word.and_then(|w| self.m.heap.get(w).get(i).copied());
        Known { word, atoms: whole.atoms.clone() }
    }

    /// What is known of a part of a value, of which this is known otherwise: what is in every such part.
    fn narrowed(&self, part: Known, held: &Held, ty: &Ty) -> Known {
        let word = part.word.or(held.word());
        Known { word, atoms: meet(&part.atoms, &held.atoms, self.atoms().none()) }.of_type(ty, self.m, self.atoms())
    }

    /// What is known of a constructor's field.
    fn ctor_field(&self, whole: &Known, ctor: usize, i: usize) -> Known {
        let ty = &self.m.spec.types.ctors[ctor].fields[i].1;
        self.narrowed(self.word_of(whole, i + 1), self.held(self.contents.ctors[ctor] + i), ty)
    }

    /// What is known of a record's field.
    fn record_field(&self, whole: &Known, record: usize, i: usize) -> Known {
        let ty = &self.m.spec.types.records[record].fields[i].1;
        self.narrowed(self.word_of(whole, i), self.held(self.contents.records[record] + i), ty)
    }

    /// What is known of a word of a record, a tuple or `Some`.
    fn part_of(&self, whole: &Known, of: &Ty, i: usize) -> Known {
        match of {
            Ty::Record(r) => self.record_field(whole, *r, i),
            Ty::Tuple(ts) => self.word_of(whole, i).of_type(&ts[i], self.m, self.atoms()),
            Ty::Option(t) => self.word_of(whole, i).of_type(t, self.m, self.atoms()),
            _ => self.word_of(whole, i),
        }
    }

    /// Names that a pattern binds, and whether it matches.
    pub(super) fn bind(&self, pat: &Pat, v: &Known, env: Env<'_>) -> Matches {
        match pat {
            Pat::Wild => Matches::Yes,
            Pat::Bind(s) => {
                env[*s] = v.clone();
                Matches::Yes
            }
            Pat::Word(w) => Matches::when(v.word.is_some(), v.word == Some(*w)),
            Pat::Pinned(s) => Matches::when(v.word.is_some() && env[*s].word.is_some(), v.word == env[*s].word),
            Pat::Ctor(c, fields) => {
                if v.word.is_none() && !v.atoms.has(*c) {
                    return Matches::No;
                }
                let is = Matches::when(v.word.is_some(), v.word.is_some_and(|w| self.m.heap.get(w)[0] as usize == *c));
                if is == Matches::No {
                    return is;
                }
                fields.iter().fold(is, |is, (i, p)| is.and(self.bind(p, &self.ctor_field(v, *c, *i - 1), env)))
            }
            Pat::Fields { of, words, parts } => {
                let long = v.word.map(|w| self.m.heap.get(w).len() == *words);
                let is = Matches::when(long.is_some(), long == Some(true));
                if is == Matches::No {
                    return is;
                }
                parts.iter().fold(is, |is, (i, p)| is.and(self.bind(p, &self.part_of(v, of, *i), env)))
            }
            Pat::Seq(parts) => self.bind_seq(parts, v, env),
        }
    }

    /// A sequence that is known is not matched element by element, but has enough of them or not.
    fn bind_seq(&self, parts: &[PatPart], v: &Known, env: Env<'_>) -> Matches {
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
            PatPart::One(p) => is.and(self.bind(p, &v.part(), env)),
            PatPart::Rest(slot) => {
                if let Some(s) = slot {
                    env[*s] = if parts.len() == 1 { v.clone() } else { v.part() };
                }
                is
            }
        })
    }

    /// The slots that a state variable's entry may be, the first field of each.
    fn slots(&mut self, var: usize, index: &[E], env: Env<'_>) -> Vec<usize> {
        let v = &self.m.spec.state[var];
        let mut entries = vec![0];
        for (e, sort) in index.iter().zip(&v.index) {
            let known = self.expr(e, env);
            let values: Vec<usize> = match known.word {
                Some(w) => vec![w as usize],
                None => self.atoms().elements(*sort, &known.atoms).collect(),
            };
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
    fn elements(&mut self, seq: &E, env: Env<'_>) -> Result<Vec<Known>, Known> {
        if let E::All(sort) = seq {
            return Ok((0..size(&self.m.program, *sort) as Word).map(|i| self.element(*sort, i)).collect());
        }
        let known = self.expr(seq, env);
        match known.word {
            Some(w) if self.m.heap.get(w).len() <= LONGEST => {
                let part = |w: &Word| Known { word: Some(*w), atoms: known.atoms.clone() };
                Ok(self.m.heap.get(w).iter().map(part).collect())
            }
            _ => Err(known.part()),
        }
    }

    fn all(&mut self, es: &[E], env: Env<'_>) -> Vec<Known> {
        es.iter().map(|e| self.expr(e, env)).collect()
    }

    /// Records what an expression may read; tells what is known of its value.
    pub(super) fn expr(&mut self, e: &E, env: Env<'_>) -> Known {
        match e {
            E::Word(w) => self.plain(*w),
            E::Var(s) => env[*s].clone(),
            E::Const(c) => {
                let mut known = self.plain(self.m.consts[*c]);
                self.atoms().collect(self.m, &self.m.spec.consts[*c].ty, self.m.consts[*c], &mut known.atoms);
                known
            }
            E::State { var, index, field } => {
                let bases = self.slots(*var, index, env);
                self.state(*var, *field, &bases)
            }
            E::Ctor(c, es) => {
                let parts = self.all(es, env);
                parts.iter().enumerate().for_each(|(i, p)| self.contents.put_in_ctor(*c, i, p));
                let mut known = self.made(&parts, Some(*c as Word));
                known.atoms.add(*c);
                known
            }
            E::Build(record, es) => {
                let parts = self.all(es, env);
                if let Some(r) = record {
                    parts.iter().enumerate().for_each(|(i, p)| self.contents.put_in_record(*r, i, p));
                }
                self.made(&parts, None)
            }
            E::Seq(parts) => {
                let mut words = Some(vec![]);
                let mut atoms = self.atoms().none();
                for p in parts {
                    let (Part::One(e) | Part::Splice(e)) = p;
                    let known = self.expr(e, env);
                    atoms.join(&known.atoms);
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
            E::Field(e, record, i) => {
                let whole = self.expr(e, env);
                self.record_field(&whole, *record, *i)
            }
            E::With(e, record, fields) => {
                let mut known = self.expr(e, env).part();
                for (i, e) in fields {
                    let v = self.expr(e, env);
                    self.contents.put_in_record(*record, *i, &v);
                    known.atoms.join(&v.atoms);
                }
                known
            }
            E::Index(e, i, _) => {
                let (whole, i) = (self.expr(e, env), self.expr(i, env));
                match i.word {
                    Some(i) => self.word_of(&whole, i as usize),
                    None => whole.part(),
                }
            }
            E::WithIndex(e, i, v, _) => {
                let (whole, _, v) = (self.expr(e, env), self.expr(i, env), self.expr(v, env));
                whole.part().or(&v.part())
            }
            E::Comprehension { value, pat, seq, conds } => self.comprehension((value, pat, seq, conds), env),
            E::Quantified { all, pat, seq, body } => self.quantified((*all, pat, seq, body), env),
            E::Let(pat, e, body, _) => {
                let v = self.expr(e, env);
                self.bind(pat, &v, env);
                self.expr(body, env)
            }
            E::If(c, a, b) => match self.expr(c, env).word {
                Some(0) => self.expr(b, env),
                Some(_) => self.expr(a, env),
                None => {
                    let known = self.expr(a, env);
                    known.or(&self.expr(b, env))
                }
            },
            E::Match(e, arms, _) => {
                let v = self.expr(e, env);
                let mut out: Option<Known> = None;
                for (pat, body) in arms {
                    let is = self.bind(pat, &v, env);
                    if is != Matches::No {
                        let known = self.expr(body, env);
                        out = Some(out.map_or_else(|| known.clone(), |o| o.or(&known)));
                    }
                    if is == Matches::Yes {
                        break;
                    }
                }
                out.unwrap_or_else(|| self.unknown())
            }
            E::Is(e, pat) => {
                let v = self.expr(e, env);
                match self.bind(pat, &v, env) {
                    Matches::Yes => self.plain(1),
                    Matches::No => self.plain(0),
                    Matches::Maybe => self.unknown(),
                }
            }
            E::Star(e, _) => {
                self.expr(e, env);
                self.unknown()
            }
            E::Not(e) => {
                let known = self.expr(e, env);
                Known { word: known.word.map(|w| Word::from(w == 0)), ..known }
            }
            E::Neg(e, _) => {
                let known = self.expr(e, env);
                Known { word: known.word.and_then(|w| (w as i32).checked_neg()).map(|v| v as Word), ..known }
            }
            E::And(a, b) | E::Or(a, b) => {
                let stops = Word::from(matches!(e, E::Or(..)));
                let first = self.expr(a, env).word;
                if first.is_some_and(|w| Word::from(w != 0) == stops) {
                    return self.plain(stops);
                }
                let second = self.expr(b, env).word;
                match (first, second) {
                    (Some(_), Some(w)) => self.plain(w),
                    (None, Some(w)) if Word::from(w != 0) == stops => self.plain(stops),
                    _ => self.unknown(),
                }
            }
            E::Eq(a, b) => self.equal(a, b, env),
            E::Lt(a, b) => self.compare(a, b, env, |x, y| x < y),
            E::Le(a, b) => self.compare(a, b, env, |x, y| x <= y),
            E::In(a, b) => {
                self.expr(a, env);
                self.expr(b, env);
                self.unknown()
            }
            E::Arith(op, a, b, _) => {
                let (a, b) = (self.expr(a, env), self.expr(b, env));
                self.arith(*op, &a, &b)
            }
            E::Deref(e, left_out) => {
                let reg = self.expr(e, env);
                if reg.word == Some(0) {
                    return self.expr(left_out, env);
                }
                let mut known = self.unknown();
                for slot in self.registers(&reg) {
                    self.reads.add(slot);
                    known.atoms.join(&self.held(slot).atoms);
                }
                if reg.word.is_none() {
                    known = known.or(&self.expr(left_out, env));
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
                match known.word {
                    Some(t) => self.reads.add(t as usize),
                    None => self.atoms().elements(Sort::Thread, &known.atoms).for_each(|t| self.reads.add(t)),
                }
                self.unknown()
            }
            E::All(sort) => {
                let parts: Vec<Known> =
                    (0..size(&self.m.program, *sort) as Word).map(|i| self.element(*sort, i)).collect();
                self.made(&parts, None)
            }
        }
    }

    /// What is known of an entry of a state variable that is one of these, by the first slot of each, or of one field of it.
    fn state(&mut self, var: usize, field: Option<usize>, bases: &[usize]) -> Known {
        let v = &self.m.spec.state[var];
        if let (None, Ty::Record(r), false) = (field, &v.ty, v.fields.is_empty()) {
            // The record is made here, of its slots.
            let mut whole = self.unknown();
            for i in 0..v.fields.len() {
                let part = self.state(var, Some(i), bases);
                self.contents.put_in_record(*r, i, &part);
                whole.atoms.join(&part.atoms);
            }
            return whole;
        }
        let mut known: Option<Known> = None;
        for base in bases {
            for slot in self.slot_range(var, field, *base) {
                self.reads.add(slot);
                let here = self.held(slot).known();
                known = Some(known.map_or_else(|| here.clone(), |k| k.or(&here)));
            }
        }
        known.unwrap_or_else(|| self.unknown())
    }

    fn registers(&self, reg: &Known) -> Vec<usize> {
        match reg.word {
            Some(w) => vec![w as usize],
            None => self.atoms().registers(&reg.atoms).collect(),
        }
    }

    fn compare(&mut self, a: &E, b: &E, env: Env<'_>, holds: fn(i32, i32) -> bool) -> Known {
        let (a, b) = (self.expr(a, env), self.expr(b, env));
        match (a.word, b.word) {
            (Some(x), Some(y)) => self.plain(Word::from(holds(x as i32, y as i32))),
            _ => self.unknown(),
        }
    }

    /// An element of a sort is among the atoms of what it may be, as is a constructor, so it is not equal to what has it not.
    fn equal(&mut self, a: &E, b: &E, env: Env<'_>) -> Known {
        let (a, b) = (self.expr(a, env), self.expr(b, env));
        let apart = |one: &Known, other: &Known| {
            one.word.is_some() && other.word.is_none() && {
                let mut atoms = one.atoms.iter();
                atoms
                    .next()
                    .is_some_and(|i| atoms.next().is_none() && self.atoms().is_in_values(i) && !other.atoms.has(i))
            }
        };
        match (a.word, b.word) {
            (Some(x), Some(y)) => self.plain(Word::from(x == y)),
            _ if apart(&a, &b) || apart(&b, &a) => self.plain(0),
            _ => self.unknown(),
        }
    }

    fn comprehension(&mut self, (value, pat, seq, conds): (&E, &Pat, &E, &[E]), env: Env<'_>) -> Known {
        let (elements, exact) = match self.elements(seq, env) {
            Ok(list) => (list, true),
            Err(any) => (vec![any], false),
        };
        let mut words = exact.then(Vec::new);
        let mut atoms = self.atoms().none();
        for element in elements {
            let mut keep = self.bind(pat, &element, env);
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
            atoms.join(&v.atoms);
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
            Err(any) => (vec![any], false),
        };
        for element in elements {
            match (self.bind(pat, &element, env), self.expr(body, env).word) {
                (Matches::No, _) => {}
                (Matches::Yes, Some(w)) if exact => {
                    if (w != 0) != all {
                        return self.plain(Word::from(!all));
                    }
                }
                _ => exact = false,
            }
        }
        if exact { self.plain(Word::from(all)) } else { self.unknown() }
    }

    fn arith(&self, op: Arith, a: &Known, b: &Known) -> Known {
        let program = &self.m.program;
        if let (Some(x), Some(y)) = (a.word, b.word) {
            let (i, j) = (x as i32, y as i32);
            let v = match op {
                Arith::Add => i.checked_add(j),
                Arith::Sub => i.checked_sub(j),
                Arith::Mul => i.checked_mul(j),
                Arith::Div => i.checked_div_euclid(j),
                Arith::Mod => i.checked_rem_euclid(j),
                Arith::Shift if program.reaches(x as usize, j) => {
                    return self.element(Sort::Loc, x.wrapping_add(y));
                }
                Arith::Shift => None,
            };
            return v.map_or_else(|| self.unknown(), |v| self.plain(v as Word));
        }
        let mut known = self.unknown();
        if op == Arith::Shift {
            let from = match a.word {
                Some(w) => vec![w as usize],
                None => self.atoms().elements(Sort::Loc, &a.atoms).collect(),
            };
            for l in from {
                for at in program.array(l) {
                    known.atoms.add(self.atoms().element(Sort::Loc, at as Word));
                }
            }
        }
        known
    }

    pub(super) fn call(&mut self, f: usize, mut args: Vec<Known>) -> Known {
        if self.depth > DEEPEST {
            args.iter_mut().for_each(|a| a.word = None);
        }
        let key = (f, args);
        if let Some((known, _)) = self.calls.get(&key) {
            return known.clone();
        }
        let function = &self.m.spec.functions[f];
        self.calls.insert(key.clone(), (self.unknown(), true));
        self.depth += 1;
        let known = loop {
            let mut frame = key.1.clone();
            frame.resize(function.slots, self.unknown());
            let known = self.expr(&function.body, &mut frame);
            let so_far = &mut self.calls.get_mut(&key).expect("just put there").0;
            let grew = so_far.atoms.join(&known.atoms);
            if !grew {
                break known;
            }
            // What others found with less is found anew.
            self.calls.retain(|_, (_, open)| *open);
        };
        self.depth -= 1;
        self.calls.insert(key, (known.clone(), false));
        known
    }

    fn builtin(&mut self, b: Builtin, args: &[E], env: Env<'_>) -> Known {
        if b == Builtin::Size {
            return match self.elements(&args[0], env) {
                Ok(list) => self.plain(list.len() as Word),
                Err(_) => self.unknown(),
            };
        }
        let known = self.all(args, env);
        let x = &known[0];
        let program = &self.m.program;
        match (b, x.word) {
            (Builtin::Reverse | Builtin::Flatten, _) => x.part(),
            (Builtin::Range, Some(n)) if (n as i32) <= LONGEST as i32 => {
                let words: Vec<Word> = (0..(n as i32).max(0) as Word).collect();
                self.plain(self.m.heap.intern(&words))
            }
            (Builtin::NodeOf(sort), word) => {
                let from = match word {
                    Some(w) => vec![w as usize],
                    None => self.atoms().elements(sort, &x.atoms).collect(),
                };
                let node = |i: usize| match sort {
                    Sort::Thread => program.threads[i].node as Word,
                    _ => program.locs[i].node as Word,
                };
                if word.is_some() {
                    return self.element(Sort::Node, node(from[0]));
                }
                let mut out = self.unknown();
                from.into_iter().for_each(|i| out.atoms.add(self.atoms().element(Sort::Node, node(i))));
                out
            }
            (Builtin::NumberOf(Sort::Thread), Some(t)) => self.plain(program.threads[t as usize].number as Word),
            (Builtin::NumberOf(_), Some(n)) => self.plain(program.nodes[n as usize].number as Word),
            (Builtin::InitialOf, Some(l)) => self.plain(program.locs[l as usize].initial as Word),
            (Builtin::RoomOf, Some(l)) => self.plain(program.locs[l as usize].room),
            (Builtin::BeforeOf, Some(l)) => self.plain(program.before(l as usize)),
            (Builtin::Distance, Some(l)) => match known[1].word {
                Some(k) => self.plain((l as i32 - k as i32) as Word),
                None => self.unknown(),
            },
            (Builtin::NodeNumbered, Some(i)) => match program.nodes.iter().position(|n| n.number == i as i32) {
                Some(n) => self.made(&[self.element(Sort::Node, n as Word)], None),
                None => self.plain(EMPTY),
            },
            (Builtin::NodeNumbered, None) => {
                let mut out = self.unknown();
                for n in 0..program.nodes.len() {
                    out.atoms.add(self.atoms().element(Sort::Node, n as Word));
                }
                out
            }
            _ => self.unknown(),
        }
    }

    /// Whether the premise may hold.
    pub(super) fn premise(&mut self, p: &Premise, env: Env<'_>) -> bool {
        match p {
            Premise::Cond(e) => self.expr(e, env).word != Some(0),
            Premise::Match(e, pat) => {
                let v = self.expr(e, env);
                self.bind(pat, &v, env) != Matches::No
            }
            Premise::Pick(pat, seq) => {
                let any = match self.elements(seq, env) {
                    Ok(list) => list.into_iter().reduce(|a, b| a.or(&b)),
                    Err(any) => Some(any),
                };
                any.is_some_and(|v| self.bind(pat, &v, env) != Matches::No)
            }
            Premise::Always(p, _) => self.premise(p, env),
        }
    }

    pub(super) fn updates(&mut self, us: &[Update], env: Env<'_>) {
        for u in us {
            match u {
                Update::State { var, index, field, value, .. } => {
                    let v = self.expr(value, env);
                    let entry = &self.m.spec.state[*var];
                    // A record that is kept in slots is taken apart.
                    let parts: Vec<Known> = if field.is_some() || entry.fields.is_empty() {
                        vec![v]
                    } else {
                        (0..entry.fields.len()).map(|i| self.part_of(&v, &entry.ty, i)).collect()
                    };
                    for base in self.slots(*var, index, env) {
                        for (slot, part) in self.slot_range(*var, *field, base).zip(&parts) {
                            self.writes.add(slot);
                            self.contents.put(slot, part);
                        }
                    }
                }
                Update::Reg(reg, value, _) => {
                    let (reg, v) = (self.expr(reg, env), self.expr(value, env));
                    for slot in self.registers(&reg) {
                        // Slot 0 stands for a register that the program left out.
                        if slot != 0 {
                            self.writes.add(slot);
                            self.contents.put(slot, &v);
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

fn meet(a: &Bits, b: &Bits, mut out: Bits) -> Bits {
    a.iter().filter(|i| b.has(*i)).for_each(|i| out.add(i));
    out
}
