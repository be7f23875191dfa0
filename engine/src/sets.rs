//! Sets and maps: slices in one order, each element or key once, so that equal ones are one word.
//!
//! The order is that of values as their types have them, never that of the heap's numbers, which differ from run to run: integers by
//! size, elements of sorts by number, sequences, sets and tuples by their first difference, constructors as they are declared. A map is
//! the slice of its pairs, in the order of their keys.

use crate::eval::{Eval, Many, Result};
use crate::fault::Fault;
use crate::machine::Machine;
use crate::written::Written;
use litmpi_spec::heap::{EMPTY, Word};
use litmpi_spec::ir::{E, Key, SetOp};
use litmpi_spec::source::Span;
use litmpi_spec::types::Ty;
use std::cmp::Ordering;

/// Maps with fewer pairs are looked through one by one.
const FEW: usize = 8;

/// A key that is given different values.
#[derive(Debug)]
pub(crate) struct TwoValues(pub(crate) Word);

/// The types of keys and of values of a map, by that of its pairs.
fn both(pair: &Ty) -> (&Ty, &Ty) {
    match pair {
        Ty::Tuple(ts) => (&ts[0], &ts[1]),
        _ => (&Ty::Never, &Ty::Never),
    }
}

impl Machine {
    /// Which of two values of a type comes first.
    pub(crate) fn compare(&self, ty: &Ty, a: Word, b: Word) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let fields = |types: &[(String, Ty)], xs: &[Word], ys: &[Word]| {
            let mut all = types.iter().zip(xs.iter().zip(ys)).map(|((_, t), (x, y))| self.compare(t, *x, *y));
            all.find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
        };
        match ty {
            Ty::Int | Ty::Blob => self.heap.int(a).cmp(&self.heap.int(b)),
            Ty::Bool | Ty::Sort(_) | Ty::Reg(_) | Ty::Never => a.cmp(&b),
            Ty::Seq(t) | Ty::Option(t) | Ty::Set(t) | Ty::Map(t) => {
                let (xs, ys) = (self.heap.get(a), self.heap.get(b));
                let differ = xs.iter().zip(ys).map(|(x, y)| self.compare(t, *x, *y)).find(|o| o.is_ne());
                differ.unwrap_or(xs.len().cmp(&ys.len()))
            }
            Ty::Tuple(ts) => {
                let mut all = ts.iter().zip(self.heap.get(a).iter().zip(self.heap.get(b)));
                all.find_map(|(t, (x, y))| Some(self.compare(t, *x, *y)).filter(|o| o.is_ne()))
                    .unwrap_or(Ordering::Equal)
            }
            Ty::Record(r) => fields(&self.spec.types.records[*r].fields, self.heap.get(a), self.heap.get(b)),
            Ty::Variant(_) => match (self.heap.get(a).split_first(), self.heap.get(b).split_first()) {
                (Some((c, xs)), Some((d, ys))) if c == d => fields(&self.spec.types.ctors[*c as usize].fields, xs, ys),
                (x, y) => x.map(|(c, _)| c).cmp(&y.map(|(c, _)| c)),
            },
        }
    }

    /// Which of two elements of a set, or pairs of a map, comes first: pairs by their keys.
    fn earlier(&self, ty: &Ty, a: Word, b: Word) -> Ordering {
        match ty {
            Ty::Map(pair) => self.compare(both(pair).0, self.key(a), self.key(b)),
            Ty::Set(t) => self.compare(t, a, b),
            _ => Ordering::Equal,
        }
    }

    fn key(&self, pair: Word) -> Word {
        self.heap.get(pair)[0]
    }

    /// Puts elements of a set, or pairs of a map, in order, each once.
    pub(crate) fn in_order(&self, ty: &Ty, words: &mut Many) -> std::result::Result<(), TwoValues> {
        if !words.is_sorted_by(|a, b| self.earlier(ty, *a, *b).is_lt()) {
            words.sort_by(|a, b| self.earlier(ty, *a, *b));
            words.dedup();
        }
        self.has_one_value(ty, words)
    }

    /// Whether no key of a map's pairs, which are in order, has two values.
    fn has_one_value(&self, ty: &Ty, words: &[Word]) -> std::result::Result<(), TwoValues> {
        if !matches!(ty, Ty::Map(_)) {
            return Ok(());
        }
        match words.windows(2).find(|w| self.key(w[0]) == self.key(w[1])) {
            Some(two) => Err(TwoValues(self.key(two[0]))),
            None => Ok(()),
        }
    }

    /// What is in one or the other.
    pub(crate) fn union(&self, ty: &Ty, xs: &[Word], ys: &[Word]) -> std::result::Result<Many, TwoValues> {
        let mut out = Many::with_capacity(xs.len() + ys.len());
        let (mut i, mut j) = (0, 0);
        while let (Some(x), Some(y)) = (xs.get(i), ys.get(j)) {
            let order = self.earlier(ty, *x, *y);
            out.push(if order.is_gt() { *y } else { *x });
            i += usize::from(order.is_le());
            j += usize::from(order.is_ge());
            if order.is_eq() && x != y {
                return Err(TwoValues(self.key(*x)));
            }
        }
        out.extend_from_slice(&xs[i..]);
        out.extend_from_slice(&ys[j..]);
        Ok(out)
    }

    /// Where the pair of a key is among those of a map, or where it would be.
    fn place(&self, pair: &Ty, pairs: &[Word], key: Word) -> std::result::Result<usize, usize> {
        if pairs.len() < FEW
            && let Some(at) = pairs.iter().position(|p| self.key(*p) == key)
        {
            return Ok(at);
        }
        pairs.binary_search_by(|p| self.compare(both(pair).0, self.key(*p), key))
    }

    /// The value of a key.
    pub(crate) fn value_at(&self, map: &Ty, m: Word, key: Word) -> Option<Word> {
        let Ty::Map(pair) = map else { return None };
        let pairs = self.heap.get(m);
        self.place(pair, pairs, key).ok().map(|at| self.heap.get(pairs[at])[1])
    }

    /// A map in which a key has this value.
    pub(crate) fn with_key(&self, map: &Ty, m: Word, key: Word, value: Word) -> Word {
        let Ty::Map(pair) = map else { return m };
        let mut pairs = Many::from_slice(self.heap.get(m));
        let new = self.heap.intern(&[key, value]);
        match self.place(pair, &pairs, key) {
            Ok(at) => pairs[at] = new,
            Err(at) => pairs.insert(at, new),
        }
        self.heap.intern(&pairs)
    }

    /// What an operation of sets and maps gives; not [`SetOp::Of`], and no value for [`SetOp::Get`] where the key is not there.
    pub(crate) fn of_sets(&self, op: SetOp, ty: &Ty, of: &[Word]) -> std::result::Result<Option<Word>, TwoValues> {
        let words = |i: usize| self.heap.get(of[i]);
        let only = |keep: &dyn Fn(Word) -> bool| {
            let kept: Many = words(0).iter().copied().filter(|w| keep(*w)).collect();
            if kept.len() == words(0).len() { of[0] } else { self.heap.intern(&kept) }
        };
        Ok(Some(match op {
            SetOp::Of => of[0],
            SetOp::Union if of[0] == of[1] || of[1] == EMPTY => of[0],
            SetOp::Union => self.heap.intern(&self.union(ty, words(0), words(1))?),
            SetOp::Intersect => only(&|w| words(1).contains(&w)),
            SetOp::Without => only(&|w| !words(1).contains(&w)),
            SetOp::WithoutKeys => only(&|w| !words(1).contains(&self.key(w))),
            SetOp::Keys => {
                let keys: Many = words(0).iter().map(|p| self.key(*p)).collect();
                self.heap.intern(&keys)
            }
            SetOp::Lookup => self.value_at(ty, of[0], of[1]).map_or(EMPTY, |v| self.heap.intern(&[v])),
            SetOp::Get => return Ok(self.value_at(ty, of[0], of[1])),
            SetOp::Put => self.with_key(ty, of[0], of[1], of[2]),
        }))
    }

    fn shown_key(&self, map: &Ty, key: Word) -> String {
        if let Ty::Map(pair) = map { self.show(both(pair).0, key) } else { String::new() }
    }
}

impl Eval<'_> {
    fn two_values(&self, ty: &Ty, TwoValues(key): TwoValues, span: &Span) -> Fault {
        let key = self.m.shown_key(ty, key);
        Fault::new(span, format!("the key {key} would have two values"))
            .help("`m with [k] = v` gives a key another value")
    }

    /// The value of an operation of sets and maps.
    pub(crate) fn of_sets(&self, op: SetOp, of: &[E], ty: &Ty, span: &Span, f: &mut [Word]) -> Result<Word> {
        if op == SetOp::Of {
            let mut words = self.gathered(&of[0], f)?;
            self.m.in_order(ty, &mut words).map_err(|two| self.two_values(ty, two, span))?;
            return Ok(self.m.heap.intern(&words));
        }
        let mut words = [EMPTY; 3];
        for (word, e) in words.iter_mut().zip(of) {
            *word = self.eval(e, f)?;
        }
        self.done.goes_through(self.m.heap.get(words[0]).len());
        match self.m.of_sets(op, ty, &words[..of.len()]).map_err(|two| self.two_values(ty, two, span))? {
            Some(word) => Ok(word),
            None => {
                let key = self.m.shown_key(ty, words[1]);
                let help = "`lookup(m, k)` is `None` where there is no such key, `k ∈ keys(m)` asks for it";
                Err(Fault::new(span, format!("the map has no key {key}")).help(help))
            }
        }
    }

    /// Gives a key of the map in a slot another value; other updates of the same rule may change other keys.
    #[expect(clippy::too_many_arguments, reason = "it is one arm of the updates")]
    pub(crate) fn update_key(
        &self,
        slot: usize,
        var: usize,
        Key { key, map }: &Key,
        value: Word,
        (next, written): (&mut [Word], &mut Written),
        span: &Span,
        f: &mut [Word],
    ) -> Result<()> {
        let key = self.eval(key, f)?;
        self.done.looks();
        if let Some((outside, name)) = self.outside(var) {
            let at = slot - self.m.var_base[var];
            outside.store(name, at, self.m.with_key(map, outside.load(name, at), key, value));
            return Ok(());
        }
        if let Some(t) = self.touched {
            t.read(slot..slot + 1, self.aside);
        }
        if !written.push_key(slot, key, value, || self.m.value_at(map, next[slot], key)) {
            let text = format!("two updates of one rule give the key {} different values", self.m.shown_key(map, key));
            return Err(Fault::new(span, text));
        }
        next[slot] = self.m.with_key(map, next[slot], key, value);
        Ok(())
    }
}
