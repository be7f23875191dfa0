//! Many elements that lie one behind the other, looked at as one.
//!
//! What a program sends is mostly only carried: nothing looks at one element of a message. Elements of one basic type that a call names one behind the
//! other are then one element of the model, a run (`RUNS` in `spec/mpi/datatypes.spec`): the call's datatype is given to the rules by its number behind
//! `RUNS`, and the counts and displacements stay what they are. A message of a million integers is one element, and each share of a
//! collective with a count for each process is one, however long it is.
//!
//! Why nothing is missed and nothing else is found:
//!
//! - A run's value is its bytes. Whatever runs or elements a message was sent as, and whatever it is received as, its bytes are laid one behind the other
//!   and taken apart anew (`as_received`, `operate(REGROUP, …)`), so both ends need not know how the other one tells elements apart. Amounts are
//!   compared in bytes, types element by element (`runs_match`, `fills`), and a status has bytes. Where fewer elements come into a run, the rest of
//!   it is what it was when the receive began; nobody may touch it until then, and who does is found. A
//!   reduction combines the elements of a run one by one.
//! - A run is in the location of its first byte, as each element is that takes several locations, and all that looks at which memory operations
//!   share goes by the bytes of elements where they do not begin at one location (`overlaps.rs`, and accesses of the process in `compare.rs`): a
//!   buffer that begins within one that is in use, or a store in the midst of it, touches the run as a whole. What a
//!   buffer is in use for is the same for all its elements.
//! - Elements of several lengths may begin at one location, of which the model holds one value: that of the last one that a call named. What else is in use
//!   there is kept beside it (`Seen::beneath`), so that a change is seen of the whole; each call brings what it names, in its type. Of one call
//!   that names two lengths at one place the elements are told apart one by one.
//! - Others look at single elements of windows: memory in which elements of windows are watched is no run, and where one comes to be watched within a run
//!   that is in use, the program is begun again without any.

use crate::basic::is_pair;
use crate::call::{Arg, Call, Refused, Scene};
use crate::layout::SHARED;
use crate::memory::{Area, RUNS, Seen};
use litmpi_spec::decl::{Kind, Param, Shape};

/// Elements of a buffer from which on they are a run.
const MANY: i64 = 16;
/// More elements than any memory has.
const BEYOND: i64 = 1 << 46;
/// The last of the basic types.
const LAST_BASIC: i64 = 63;
/// The operations that look at pairs.
const ON_PAIRS: [i64; 2] = [10, 11];

/// The type of a run of so many elements of a basic type.
fn run(n: i64, ty: i64) -> i64 {
    if n == 1 { ty } else { RUNS + n * 64 + ty }
}

/// The elements of `count` items of a basic type that are to be a run.
///
/// # Errors
/// No memory has so many.
pub(crate) fn elements(at: u64, count: i64, ty: i64) -> Result<Area, Refused> {
    match count {
        ..=0 => Ok(vec![]),
        1..BEYOND => Ok(vec![(at, run(count, ty - RUNS))]),
        _ => Err(Refused::Erroneous(format!("a buffer has fewer elements than count, which is {count}"))),
    }
}

/// Whether a datatype's items are to be a run.
pub(crate) fn is_wide(ty: i64) -> bool {
    (RUNS + 1..=RUNS + LAST_BASIC).contains(&ty)
}

impl Scene<'_> {
    /// Has the items of a call's basic types be runs, where there are many and nothing looks at one alone.
    fn in_runs(&self, params: &[Param], kinds: &[Kind], call: &mut Call) {
        let of = |p: &Param, ty: &str| matches!(&kinds[p.kind].shape, Shape::Handle(t) if t == ty);
        let is_buffer = |p: &Param| matches!(kinds[p.kind].shape, Shape::Local | Shape::LocalOrNone);
        let looks = |(p, arg): (&Param, &Arg)| match arg {
            _ if of(p, "Win") => true,
            Arg::Int(op) if of(p, "Op") => ON_PAIRS.contains(op),
            _ => false,
        };
        let is_long = |(p, arg): (&Param, &Arg)| {
            let is_count = matches!(kinds[p.kind].shape, Shape::Int) && p.name.contains("count");
            is_count && numbers(arg).iter().any(|n| *n >= MANY)
        };
        let all = || params.iter().zip(&call.args);
        if !self.layout.has_runs || !params.iter().any(is_buffer) || all().any(looks) || !all().any(is_long) {
            return;
        }
        let widen = |arg: &mut Arg| match arg {
            Arg::Int(ty) if (1..=LAST_BASIC).contains(ty) && !is_pair(*ty) => *ty += RUNS,
            _ => {}
        };
        each_datatype(params, kinds, call, widen);
    }

    /// Reads the buffers of a call, whose items are runs where that can be.
    ///
    /// # Errors
    /// Buffers that cannot be read, or runs of other calls that must be told apart.
    pub(crate) fn with_runs(
        &self,
        params: &[Param],
        kinds: &[Kind],
        seen: &Seen,
        call: &mut Call,
        read: &dyn Fn(&mut Call) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        self.in_runs(params, kinds, call);
        let before = (call.areas.len(), call.stretches.len());
        read(call)?;
        // Of what a root deals out no element may be read twice: the rules say so of elements.
        let deals = params.iter().any(|p| p.name == "root") && self.meet(call);
        if !deals && !self.must_be_apart(seen, &call.areas) {
            return Ok(());
        }
        if !self.one_by_one(params, kinds, call) {
            return Err(Refused::Apart);
        }
        call.areas.truncate(before.0);
        call.stretches.truncate(before.1);
        (call.bases, call.taken) = (vec![], vec![]);
        read(call)?;
        if self.must_be_apart(seen, &call.areas) { Err(Refused::Apart) } else { Ok(()) }
    }

    /// Takes back what [`Scene::in_runs`] did. Whether there was anything.
    fn one_by_one(&self, params: &[Param], kinds: &[Kind], call: &mut Call) -> bool {
        let mut narrowed = false;
        each_datatype(params, kinds, call, |arg| match arg {
            Arg::Int(ty) if is_wide(*ty) => (*ty, narrowed) = (*ty - RUNS, true),
            _ => {}
        });
        narrowed
    }

    /// Whether elements of a call must be told apart one by one: others look at them, or elements of several lengths begin at one place.
    fn must_be_apart(&self, seen: &Seen, areas: &[Area]) -> bool {
        let is_watched = |(at, ty): &(u64, i64)| {
            *ty > RUNS
                && (SHARED.contains(at) || seen.watched.range(*at..at + self.values.size(*ty) as u64).next().is_some())
        };
        if areas.iter().flatten().any(is_watched) {
            return true;
        }
        if !areas.iter().flatten().any(|(_, ty)| *ty > RUNS) {
            return false;
        }
        let mut all: Vec<(u64, i64)> = areas.iter().flatten().copied().collect();
        all.sort_unstable();
        all.windows(2).any(|two| two[0].0 == two[1].0 && two[0].1 != two[1].1 && two[1].1 > RUNS)
    }

    /// Whether elements of a buffer that a call only reads lie over each other.
    fn meet(&self, call: &Call) -> bool {
        call.buffers().filter(|(_, taken)| *taken).any(|(area, _)| {
            let mut all = area.clone();
            all.sort_unstable();
            all.windows(2).any(|two| two[0].1 > RUNS && two[0].0 + self.values.size(two[0].1) as u64 > two[1].0)
        })
    }

    /// Elements that are watched within runs that are in use: what uses these would not be seen.
    ///
    /// # Errors
    /// There are some.
    pub(crate) fn watched_in_runs(&self, seen: &Seen) -> Result<(), Refused> {
        if seen.long_in_use(self.values).into_iter().any(|(at, end, _)| seen.watched.range(at..end).next().is_some()) {
            return Err(Refused::Apart);
        }
        Ok(())
    }
}

/// Does something with each datatype of a call.
fn each_datatype(params: &[Param], kinds: &[Kind], call: &mut Call, mut does: impl FnMut(&mut Arg)) {
    let is_type = |p: &Param| matches!(&kinds[p.kind].shape, Shape::Handle(t) if t == "Datatype");
    for (_, arg) in params.iter().zip(&mut call.args).filter(|(p, _)| is_type(p)) {
        match arg {
            Arg::List(list) => list.iter_mut().for_each(&mut does),
            arg => does(arg),
        }
    }
}

fn numbers(arg: &Arg) -> Vec<i64> {
    let number = |arg: &Arg| if let Arg::Int(n) = arg { Some(*n) } else { None };
    match arg {
        Arg::List(list) => list.iter().filter_map(number).collect(),
        arg => number(arg).into_iter().collect(),
    }
}
