//! What reductions give for the values of a program that runs. The predefined operations are carried out here, on the bytes of elements
//! of the predefined types (MPI-4.1, section 6.9.2); the program's own functions are run in a process of the program.
//!
//! A function of the program is run in a copy of the process whose result is made, as it was when it last named the operation, since it may read
//! variables that the program has set meanwhile: those of another process may be set for a reduction of other processes. Each time that is a copy of that
//! copy, which ends with the function. What the function asks of MPI there is answered by [`crate::asked`]; if it ends its process, the rules are told so in
//! the place of a result, and their step ends the program. Where all behaviours are
//! followed, the rules do not say of which behaviour operands are, and what was given for them first is given again. So it is tried whether a process
//! that names the operation as its n-th call gives the same in each behaviour, and whether a later one gives the same for operands that come again; if
//! not, that is told as what cannot be followed.
//! Integers are summed and multiplied modulo their size, as C does with unsigned ones. Several operands are combined from the highest
//! rank down; other orders, which round differently, are not tried.
//!
//! `MPI_LONG_DOUBLE` is the extended format of x87, in 16 bytes; `MPI_REAL16` is IEEE's format of 128 bits.

use crate::asked::{Asked, Facts};
use crate::face::Face;
use crate::memory::{RUNS, Values, element_of};
use crate::rank::{Combined, Process};
use crate::report::Bad;
use litmpi_engine::machine::Operations;
use litmpi_spec::decl::Kind;
use rustc_apfloat::Float as _;
use rustc_apfloat::ieee::{Half, Quad, X87DoubleExtended};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Add, Mul, Sub};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const MAXLOC: i64 = 10;
const MINLOC: i64 = 11;
/// What the rules ask for where the bytes of elements are to be those of elements of other types (`shape`): data that is sent as packed and received as
/// what was packed, or the other way round.
const REGROUP: i64 = -1;

/// Why results of a function cannot be followed in all behaviours.
const CHANGES: &str = "a reduction by a function of the program that gives something else for the same operands at another time (`--random` follows it)";

/// What a function of the program is to combine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Operands {
    /// The number of the operation.
    op: i64,
    /// The rank whose process runs it, the datatype's number, its extent and lower bound, and where the elements of an item are, in locations.
    shape: Vec<i64>,
    /// The basic type of each element.
    types: Vec<i64>,
    /// The first operand.
    xs: Vec<i64>,
    /// The second operand, and where the result goes.
    ys: Vec<i64>,
}

/// How a function of the program ends its process, in words that begin so; and what that is called.
const ENDS: [(&str, Bad); 4] = [
    ("the program aborts in its reduction operation", Bad::Abort),
    ("it is ended in its reduction operation by ", Bad::Crash),
    ("it ends in its reduction operation with exit code ", Bad::Exit),
    ("its reduction operation calls a communication function (MPI-4.1, §6.9.5): ", Bad::Erroneous),
];

/// What is found where the rules are told that an operation ends the program; nothing if it is a reason of the rules' own.
pub(crate) fn ends_as(reason: &str) -> Option<Bad> {
    ENDS.iter().find(|(words, _)| reason.starts_with(words)).map(|(_, bad)| *bad)
}

/// What a function of the program gives: values, or why it ends the program, and where.
type Gave = Result<Vec<i64>, (String, u64)>;

/// So many operands are tried in a copy of a process that has named an operation, where all behaviours are followed.
const TRIED: usize = 64;

/// A function of the program.
struct Function {
    address: u64,
    within: BTreeMap<i64, Within>,
}

/// The process of a rank in which a function is run.
struct Within {
    /// A copy of it as it was when it last named the operation.
    process: Process,
    /// What it had then.
    facts: Facts,
    /// How many calls it had made.
    calls: usize,
    /// How often it has named the operation.
    named: usize,
}

/// What a function gave for operands.
#[derive(Clone)]
struct Given {
    gave: Gave,
    /// How many calls its process had made, and how often it had named the operation.
    calls: usize,
    named: usize,
    /// Whether its process gives something else later.
    changes: bool,
}

#[derive(Default)]
struct Known {
    /// Functions of the program, in the order of their numbers.
    functions: Vec<Function>,
    given: BTreeMap<Operands, Given>,
    /// Whether one behaviour is followed, so that what is asked is of now.
    one_way: bool,
    /// What cannot be combined.
    refused: BTreeSet<String>,
    /// What predefined operations gave for runs: by the operation, the type and the operands.
    runs: FxHashMap<(i64, i64, i64, i64), i64>,
}

/// All operations.
pub(crate) struct Combiner {
    values: Arc<Values>,
    face: Face,
    /// The kinds that name datatypes and communicators.
    kinds: [Kind; 2],
    /// The program's own functions have numbers from here on, two each: the greater one if it is declared commutative.
    first: i64,
    /// Bytes of a location.
    granule: AtomicUsize,
    known: Mutex<Known>,
}

impl Combiner {
    /// The number of the first of the program's own functions.
    pub(crate) fn first(&self) -> i64 {
        self.first
    }

    /// `kinds` are those that name datatypes and communicators; the program's own functions are numbered from `first` on.
    pub(crate) fn new(values: Arc<Values>, kinds: [Kind; 2], first: i64) -> Combiner {
        Combiner { values, face: Face::mpich(), kinds, first, granule: AtomicUsize::new(4), known: Mutex::default() }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The number of a function of the program, if it is known.
    pub(crate) fn function(&self, address: u64) -> Option<i64> {
        let at = self.known().functions.iter().position(|f| f.address == address)?;
        Some(self.first + 2 * at as i64)
    }

    /// Makes a function of the program known.
    pub(crate) fn learn(&self, address: u64) {
        self.known().functions.push(Function { address, within: BTreeMap::new() });
    }

    /// Runs the function of an operation for this rank, which has made so many calls, in this process from here on.
    pub(crate) fn run_within(
        &self,
        op: i64,
        (rank, calls): (usize, usize),
        (process, facts): (Process, Facts),
        one_way: bool,
    ) {
        let mut known = self.known();
        let known = &mut *known;
        known.one_way = one_way;
        let (rank, at) = (rank as i64, self.place(op));
        let Some(function) = known.functions.get_mut(at) else { return };
        let named = function.within.get(&rank).map_or(0, |within| within.named) + 1;
        let mut within = Within { process, facts, calls, named };
        if !one_way {
            let is_of = |o: &Operands| self.place(o.op) == at && o.shape.first() == Some(&rank);
            for (operands, given) in known.given.iter_mut().filter(|(o, _)| is_of(o)).take(TRIED) {
                let now = self.run(function.address, &mut within, operands);
                if now.is_ok_and(|now| now != given.gave) {
                    given.changes = true;
                    if given.calls == calls {
                        known.refused.insert(CHANGES.into());
                    }
                }
            }
        }
        function.within.insert(rank, within);
    }

    /// The place of the program's function that an operation is, among all.
    fn place(&self, op: i64) -> usize {
        (op - self.first) as usize / 2
    }

    /// What could not be combined, in words.
    pub(crate) fn refused(&self) -> Vec<String> {
        self.known().refused.iter().cloned().collect()
    }

    fn refuse(&self, why: String) {
        self.known().refused.insert(why);
    }

    /// Where a function of the program has ended it for this reason.
    pub(crate) fn ended_at(&self, reason: &str) -> Option<u64> {
        let known = self.known();
        let ends = known.given.values().filter_map(|given| given.gave.as_ref().err());
        ends.filter(|(why, at)| why == reason && *at != 0).map(|(_, at)| *at).min()
    }

    fn of_program(&self, operands: Operands) -> Gave {
        let mut known = self.known();
        let known = &mut *known;
        let rank = operands.shape.first().copied().unwrap_or(0);
        let function = known.functions.get_mut(self.place(operands.op));
        let mut within = function.and_then(|f| Some((f.address, f.within.get_mut(&rank)?)));
        let (named, calls) = within.as_ref().map_or((0, 0), |(_, w)| (w.named, w.calls));
        if let Some(given) = known.given.get(&operands)
            && (given.named == named || !known.one_way)
        {
            // They may be those of a later call.
            if given.changes && given.calls < calls {
                known.refused.insert(CHANGES.into());
            }
            return given.gave.clone();
        }
        let gave = match &mut within {
            Some((address, within)) => self.run(*address, within, &operands),
            None => Err("it is not known".into()),
        };
        let gave = gave.unwrap_or_else(|why| {
            known.refused.insert(format!("a reduction by a function of the program: {why}"));
            Ok(operands.ys.clone())
        });
        known.given.insert(operands, Given { gave: gave.clone(), calls, named, changes: false });
        gave
    }

    /// Runs a function of the program: items lie in memory as their datatype says.
    fn run(&self, address: u64, within: &mut Within, o: &Operands) -> Result<Gave, String> {
        let [_, dt, extent, lower, places @ ..] = &o.shape[..] else { return Err("its datatype has no shape".into()) };
        if let Some(ty) = o.types.first().filter(|ty| **ty > RUNS) {
            return self.on_runs(address, within, o, element_of(*ty));
        }
        let items = o.types.len() / places.len().max(1);
        let at = |k: usize| {
            let place = ((k / places.len()) as i64).saturating_mul(*extent).saturating_add(places[k % places.len()]);
            usize::try_from(place).map(|p| p * self.granule()).map_err(|_| "elements lie before their item".to_owned())
        };
        let ends = (0..o.types.len()).map(|k| Ok(at(k)? + self.values.size(o.types[k])));
        let bytes = ends.collect::<Result<Vec<_>, String>>()?.into_iter().max().unwrap_or(0);
        let bytes = bytes.max(items * usize::try_from(*extent).unwrap_or(0) * self.granule());
        let lay = |vs: &[i64]| -> Result<Vec<u8>, String> {
            let mut out = vec![0; bytes];
            for (k, v) in vs.iter().enumerate() {
                let (from, element) = (at(k)?, self.values.bytes(o.types[k], *v));
                out[from..from + element.len()].copy_from_slice(&element);
            }
            Ok(out)
        };
        let datatype = self.face.handle("Datatype", &self.kinds[0], *dt);
        let size: usize = o.types.iter().take(places.len()).map(|ty| self.values.size(*ty)).sum();
        let in_bytes = |n: i64| n.saturating_mul(self.granule() as i64);
        let measures = [size as i64, in_bytes(*lower), in_bytes(*extent)];
        let operands = (&lay(&o.xs)?[..], &lay(&o.ys)?[..]);
        let out = match self.combined((address, items as i32), within, (datatype, measures), operands)? {
            Ok(out) => out,
            Err(ends) => return Ok(Err(ends)),
        };
        let read = |k: usize| {
            let (from, size) = (at(k)?, self.values.size(o.types[k]));
            Ok(self.values.number(o.types[k], &out[from..from + size]))
        };
        (0..o.types.len()).map(read).collect::<Result<_, _>>().map(Ok)
    }

    /// The bytes that a function of the program makes of those of two operands, so many items of a datatype with these measures.
    fn combined(
        &self,
        (address, items): (u64, i32),
        within: &mut Within,
        (datatype, measures): (u32, [i64; 3]),
        operands: (&[u8], &[u8]),
    ) -> Result<Result<Vec<u8>, (String, u64)>, String> {
        let asked = Asked {
            face: &self.face,
            kinds: &self.kinds,
            facts: &within.facts,
            granule: self.granule() as i64,
            given: (datatype, measures),
        };
        let answer = |name: &str, args: &[u64], process: &Process| asked.answer(name, args, process);
        let [aborts, killed, exits, communicates] = ENDS.map(|(words, _)| words);
        Ok(match within.process.combine(address, items, datatype, operands, &answer)? {
            Combined::Bytes(out) => Ok(out),
            Combined::Aborts(at) => Err((aborts.into(), at)),
            Combined::Communicates(name, at) => Err((format!("{communicates}{name}"), at)),
            Combined::Killed(signal, at) => Err((format!("{killed}{signal}"), at)),
            Combined::Exits(code, at) => Err((format!("{exits}{code}"), at)),
        })
    }

    /// Runs a function of the program on runs, whose elements are of a basic type and lie one behind the other.
    fn on_runs(&self, address: u64, within: &mut Within, o: &Operands, ty: i64) -> Result<Gave, String> {
        let lay =
            |vs: &[i64]| o.types.iter().zip(vs).flat_map(|(ty, v)| self.values.bytes(*ty, *v)).collect::<Vec<u8>>();
        let size = self.values.size(ty);
        let handle = self.face.handle("Datatype", &self.kinds[0], ty);
        let (xs, ys) = (lay(&o.xs), lay(&o.ys));
        let items = i32::try_from(xs.len() / size).map_err(|_| "it is given too many items".to_owned())?;
        let measures = [size as i64, 0, size as i64];
        let out = match self.combined((address, items), within, (handle, measures), (&xs, &ys))? {
            Ok(out) => out,
            Err(ends) => return Ok(Err(ends)),
        };
        let mut rest = &out[..];
        let mut next = |ty: &i64| {
            let (run, behind) = rest.split_at(self.values.size(*ty).min(rest.len()));
            rest = behind;
            self.values.number(*ty, run)
        };
        Ok(Ok(o.types.iter().map(&mut next).collect()))
    }

    fn granule(&self) -> usize {
        self.granule.load(Ordering::Relaxed)
    }

    /// Says how many bytes a location stands for. Operands whose elements lie so many locations apart are others then.
    pub(crate) fn measure(&self, granule: u64) {
        if self.granule.swap(granule as usize, Ordering::Relaxed) != granule as usize {
            self.known().given.clear();
        }
    }

    fn one(&self, op: i64, ty: i64, x: i64, y: i64) -> i64 {
        let key = (ty > RUNS).then_some((op, ty, x, y));
        if let Some(known) = key.and_then(|key| self.known().runs.get(&key).copied()) {
            return known;
        }
        let (a, b) = (self.values.bytes(ty, x), self.values.bytes(ty, y));
        let of = element_of(ty);
        // Of a run, each element is combined.
        let size = self.values.size(of);
        let mut given = Vec::with_capacity(a.len());
        if a.chunks(size).zip(b.chunks(size)).any(|(a, b)| predefined(op, of, a, b, &mut given).is_none()) {
            self.refuse(format!("a reduction of elements of datatype {ty} by operation {op}"));
            return y;
        }
        let given = self.values.number(ty, &given);
        if let Some(key) = key {
            self.known().runs.insert(key, given);
        }
        given
    }

    /// The greater (lesser) value with its index; of equal ones, the lesser index.
    fn located(&self, op: i64, types: &[i64], x: &[i64], y: &[i64]) -> Vec<i64> {
        if let Some(ty) =
            types.iter().find(|ty| !matches!(reading(**ty), Some(Reading::Signed | Reading::Unsigned | Reading::Float)))
        {
            self.refuse(format!("a reduction of pairs with elements of datatype {ty}"));
        }
        let bytes = |k: usize, v: i64| self.values.bytes(types[k], v);
        let before = |k: usize| less(types[k], &bytes(k, x[k]), &bytes(k, y[k])).unwrap_or(false);
        let behind = |k: usize| less(types[k], &bytes(k, y[k]), &bytes(k, x[k])).unwrap_or(false);
        let first = match (op, before(0), behind(0)) {
            (_, false, false) => before(1),
            (MAXLOC, _, greater) => greater,
            (_, lesser, _) => lesser,
        };
        if first { x.to_vec() } else { y.to_vec() }
    }
}

impl Operations for Combiner {
    fn combine(&self, op: i64, shape: &[i64], types: &[i64], xs: &[i64], ys: &[i64]) -> Result<Vec<i64>, String> {
        let n = types.len().min(xs.len()).min(ys.len());
        Ok(if op == REGROUP {
            let bytes: Vec<u8> = types.iter().zip(xs).flat_map(|(ty, x)| self.values.bytes(*ty, *x)).collect();
            let mut rest = bytes.as_slice();
            // What is not filled of the last run stays.
            let mut next = |k: usize| {
                let (ty, size) = (shape[k], self.values.size(shape[k]));
                let (element, after) = rest.split_at(size.min(rest.len()));
                rest = after;
                match ys.get(k) {
                    Some(old) if element.len() < size => {
                        let mut whole = self.values.bytes(ty, *old);
                        whole[..element.len()].copy_from_slice(element);
                        self.values.number(ty, &whole)
                    }
                    _ => self.values.number(ty, element),
                }
            };
            (0..shape.len()).map(&mut next).collect()
        } else if op >= self.first {
            let operands = Operands { op, shape: shape.into(), types: types.into(), xs: xs.into(), ys: ys.into() };
            self.of_program(operands).map_err(|(why, _)| why)?
        } else if op == MAXLOC || op == MINLOC {
            let pairs = (0..n / 2).map(|i| 2 * i..2 * i + 2);
            pairs.flat_map(|r| self.located(op, &types[r.clone()], &xs[r.clone()], &ys[r])).collect()
        } else {
            (0..n).map(|i| self.one(op, types[i], xs[i], ys[i])).collect()
        })
    }
}

/// How the bytes of an element are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Signed,
    Unsigned,
    Float,
    Complex,
    Logical,
}

/// Of a predefined type, by its number (spec/mpi/kinds.spec).
fn reading(ty: i64) -> Option<Reading> {
    Some(match ty {
        1 | 7 | 10 | 12 | 14 | 18 | 20..=23 | 28..=30 | 34 | 50..=53 => Reading::Signed,
        3 | 6 | 8 | 9 | 11 | 13 | 15 | 24..=27 | 40 => Reading::Unsigned,
        2 | 16 | 17 | 35 | 36 | 54 | 55 | 61 | 63 => Reading::Float,
        31..=33 | 37 | 38 | 47..=49 | 56 | 57 | 62 => Reading::Complex,
        19 | 39 | 46 => Reading::Logical,
        _ => return None,
    })
}

fn int(reading: Reading, bytes: &[u8]) -> i128 {
    let negative = reading == Reading::Signed && bytes.last().is_some_and(|b| *b >= 0x80);
    let mut wide = [if negative { 0xff } else { 0 }; 16];
    wide[..bytes.len()].copy_from_slice(bytes);
    i128::from_le_bytes(wide)
}

/// Those of four times single precision, which are as long as `long double`, and are not it: `MPI_REAL16` and `MPI_COMPLEX32`.
const QUADRUPLE: [i64; 2] = [61, 62];

/// A floating number of one of C's three formats, of Fortran's `real(16)`, or of IEEE's format of 16 bits.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
enum Float {
    Single(f32),
    Double(f64),
    Extended(X87DoubleExtended),
    Quadruple(Quad),
    Half(Half),
}

impl Float {
    /// An element of this type, or a part of one.
    fn of(ty: i64, bytes: &[u8]) -> Float {
        match *bytes {
            [a, b] => Float::Half(Half::from_bits(u128::from(u16::from_le_bytes([a, b])))),
            [a, b, c, d] => Float::Single(f32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => Float::Double(f64::from_le_bytes([a, b, c, d, e, f, g, h])),
            _ if QUADRUPLE.contains(&ty) => {
                Float::Quadruple(Quad::from_bits(u128::from_le_bytes(bytes.try_into().expect("16 bytes"))))
            }
            _ => {
                let mut wide = [0; 16];
                wide[..10].copy_from_slice(&bytes[..10]);
                Float::Extended(X87DoubleExtended::from_bits(u128::from_le_bytes(wide)))
            }
        }
    }

    fn add_to(self, out: &mut Vec<u8>) {
        match self {
            Float::Single(v) => out.extend(v.to_le_bytes()),
            Float::Double(v) => out.extend(v.to_le_bytes()),
            Float::Extended(v) => out.extend(v.to_bits().to_le_bytes()),
            Float::Quadruple(v) => out.extend(v.to_bits().to_le_bytes()),
            Float::Half(v) => out.extend_from_slice(&v.to_bits().to_le_bytes()[..2]),
        }
    }

    fn zip(
        self,
        other: Float,
        single: fn(f32, f32) -> f32,
        double: fn(f64, f64) -> f64,
        extended: Of<X87DoubleExtended>,
        quadruple: Of<Quad>,
        half: Of<Half>,
    ) -> Float {
        match (self, other) {
            (Float::Single(x), Float::Single(y)) => Float::Single(single(x, y)),
            (Float::Double(x), Float::Double(y)) => Float::Double(double(x, y)),
            (Float::Extended(x), Float::Extended(y)) => Float::Extended(extended(x, y)),
            (Float::Quadruple(x), Float::Quadruple(y)) => Float::Quadruple(quadruple(x, y)),
            (Float::Half(x), Float::Half(y)) => Float::Half(half(x, y)),
            _ => unreachable!("two elements of one type"),
        }
    }
}

type Of<T> = fn(T, T) -> T;

impl Add for Float {
    type Output = Float;
    fn add(self, other: Float) -> Float {
        self.zip(other, |x, y| x + y, |x, y| x + y, |x, y| (x + y).value, |x, y| (x + y).value, |x, y| (x + y).value)
    }
}

impl Sub for Float {
    type Output = Float;
    fn sub(self, other: Float) -> Float {
        self.zip(other, |x, y| x - y, |x, y| x - y, |x, y| (x - y).value, |x, y| (x - y).value, |x, y| (x - y).value)
    }
}

impl Mul for Float {
    type Output = Float;
    fn mul(self, other: Float) -> Float {
        self.zip(other, |x, y| x * y, |x, y| x * y, |x, y| (x * y).value, |x, y| (x * y).value, |x, y| (x * y).value)
    }
}

fn less(ty: i64, a: &[u8], b: &[u8]) -> Option<bool> {
    match reading(ty)? {
        Reading::Float => Some(Float::of(ty, a) < Float::of(ty, b)),
        r @ (Reading::Signed | Reading::Unsigned | Reading::Logical) => Some(int(r, a) < int(r, b)),
        Reading::Complex => None,
    }
}

/// Adds what a predefined operation gives for two elements; nothing if it is not for that type.
fn predefined(op: i64, ty: i64, a: &[u8], b: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let reading = reading(ty)?;
    let size = a.len();
    match (reading, op) {
        (_, 12) => out.extend_from_slice(a),
        (_, 13) => out.extend_from_slice(b),
        (Reading::Float, 1) => (Float::of(ty, a) + Float::of(ty, b)).add_to(out),
        (Reading::Float, 2) => (Float::of(ty, a) * Float::of(ty, b)).add_to(out),
        (Reading::Float, 3) => out.extend_from_slice(if Float::of(ty, a) < Float::of(ty, b) { b } else { a }),
        (Reading::Float, 4) => out.extend_from_slice(if Float::of(ty, b) < Float::of(ty, a) { b } else { a }),
        (Reading::Complex, 1 | 2) => {
            let half = size / 2;
            let part = |x: &[u8]| (Float::of(ty, &x[..half]), Float::of(ty, &x[half..]));
            let ((ar, ai), (br, bi)) = (part(a), part(b));
            let (re, im) = if op == 1 { (ar + br, ai + bi) } else { (ar * br - ai * bi, ar * bi + ai * br) };
            re.add_to(out);
            im.add_to(out);
        }
        (Reading::Float | Reading::Complex, _) => return None,
        _ => {
            let (x, y) = (int(reading, a), int(reading, b));
            let v = match op {
                1 => x + y,
                2 => x.wrapping_mul(y),
                3 => x.max(y),
                4 => x.min(y),
                5 => i128::from(x != 0 && y != 0),
                6 => i128::from(x != 0 || y != 0),
                7 => x & y,
                8 => x | y,
                9 => x ^ y,
                15 => i128::from((x != 0) != (y != 0)),
                _ => return None,
            };
            out.extend_from_slice(&v.to_le_bytes()[..size]);
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use litmpi_spec::decl::Shape;
    use litmpi_spec::source::Span;

    fn predefined(op: i64, ty: i64, a: &[u8], b: &[u8]) -> Option<Vec<u8>> {
        let mut out = vec![];
        super::predefined(op, ty, a, b, &mut out).map(|()| out)
    }

    #[test]
    fn predefined_operations_are_those_of_c() {
        let d = |v: f64| v.to_le_bytes().to_vec();
        assert_eq!(predefined(1, 16, &d(0.5), &d(2.25)), Some(d(2.75)));
        assert_eq!(predefined(3, 16, &d(-0.5), &d(-2.0)), Some(d(-0.5)));
        assert_eq!(predefined(1, 63, &[0x00, 0x3c], &[0x00, 0x40]), Some(vec![0x00, 0x42]), "1 + 2 of 16 bits");
        assert_eq!(predefined(7, 16, &d(0.5), &d(2.0)), None, "no bits of floats");
        assert_eq!(predefined(2, 2, &3f32.to_le_bytes(), &0.5f32.to_le_bytes()), Some(1.5f32.to_le_bytes().to_vec()));
        assert_eq!(predefined(1, 20, &[0x7f], &[1]), Some(vec![0x80]), "modulo the size");
        assert_eq!(predefined(4, 20, &[0xff], &[1]), Some(vec![0xff]), "-1 is less than 1");
        assert_eq!(predefined(4, 24, &[0xff], &[1]), Some(vec![1]), "255 is not");
        assert_eq!(
            predefined(2, 12, &(-3i64).to_le_bytes(), &5i64.to_le_bytes()),
            Some((-15i64).to_le_bytes().to_vec())
        );
        assert_eq!(predefined(15, 1, &7i32.to_le_bytes(), &0i32.to_le_bytes()), Some(1i32.to_le_bytes().to_vec()));
        let c = |re: f32, im: f32| [re.to_le_bytes(), im.to_le_bytes()].concat();
        assert_eq!(predefined(2, 31, &c(0.0, 1.0), &c(0.0, 1.0)), Some(c(-1.0, 0.0)));
        // 1, 1.5 and 2.5 in the extended format: the first bit of the significand is there.
        let x = |exponent: u16, top: u64| [&top.to_le_bytes()[..], &exponent.to_le_bytes(), &[0; 6]].concat();
        let (one, half_more) = (x(0x3fff, 1 << 63), x(0x3fff, 3 << 62));
        assert_eq!(predefined(1, 17, &one, &half_more), Some(x(0x4000, 5 << 61)));
        assert_eq!(predefined(4, 17, &half_more, &one), Some(one));
        // The same in the format of 128 bits: the first bit is not there.
        let q = |exponent: u128, fraction: u128| (exponent << 112 | fraction).to_le_bytes().to_vec();
        let (one, half_more) = (q(0x3fff, 0), q(0x3fff, 1 << 111));
        assert_eq!(predefined(1, 61, &one, &half_more), Some(q(0x4000, 1 << 110)));
        assert_eq!(predefined(3, 61, &one, &half_more), Some(half_more));
    }

    #[test]
    fn the_place_of_the_greatest_value_goes_with_it() {
        let kind = Kind {
            name: "datatype".into(),
            shape: Shape::Handle("Datatype".into()),
            is_in: false,
            only_names: false,
            names: vec![],
            carries: vec![],
            text: Default::default(),
            span: Span::nowhere(),
        };
        let c = Combiner::new(Arc::new(Values::new(vec![0, 4, 4])), [kind.clone(), kind], 64);
        let pairs = |op: i64, x: [i64; 2], y: [i64; 2]| c.combine(op, &[], &[1, 1], &x, &y).expect("a result");
        assert_eq!(pairs(MAXLOC, [-5, 0], [3, 1]), [3, 1]);
        assert_eq!(pairs(MINLOC, [-5, 0], [3, 1]), [-5, 0]);
        assert_eq!(pairs(MAXLOC, [3, 4], [3, 1]), [3, 1], "the lesser index of equal ones");
        assert_eq!(pairs(MINLOC, [3, 0], [3, 1]), [3, 0]);
    }
}
