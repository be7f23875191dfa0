//! Windows: which elements of a process's memory others read and write.
//!
//! A window is bytes; the model has a value for each element, and what the elements are the calls that name them say, at the processes that
//! read and write them. So it is noted who has made which window where, and what calls name of it; together these are the elements of
//! each process that are *watched*: the process brings what they hold when it makes the window and when it has changed them, and is told of
//! what others have written there. Where a call names elements that were not known before, all processes are read anew.
//!
//! A program that names many elements names them one after the other, and would be begun again for each. So with each time that a window
//! gets more of them, twice as many of its neighbours are *guessed*: watched before they are named. A guess that is wrong gives way to what is named.
//!
//! Where one stretch of a window is named as elements of different sizes, each byte of all windows becomes an element (`window_bytes` in
//! `spec/mpi/rma-state.spec`).

use crate::layout::SHARED;
use crate::memory::Values;
use litmpi_engine::unfold::Shown;
use std::collections::{BTreeMap, BTreeSet};

/// Memory that a process has made a window of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Made {
    pub(crate) rank: usize,
    pub(crate) at: u64,
    pub(crate) bytes: u64,
    /// Bytes of a displacement of one.
    pub(crate) unit: i64,
    /// What a displacement of nothing names: where the window begins, or, of a dynamic one, MPI_BOTTOM.
    pub(crate) zero: u64,
}

/// What a call names of a window of another process: elements by their places in bytes and their basic types.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Named {
    pub(crate) window: Shown,
    pub(crate) rank: usize,
    pub(crate) displacement: i64,
    pub(crate) elements: Vec<(i64, i64)>,
}

/// All windows of all processes, in any of their behaviours; a window is known by what the processes that made it agree on.
#[derive(Debug, Default)]
pub(crate) struct Windows {
    made: BTreeMap<Shown, BTreeSet<Made>>,
    named: BTreeSet<Named>,
    watched: BTreeMap<usize, BTreeMap<u64, i64>>,
    /// Those of them that nothing has named yet, by their processes.
    guessed: BTreeMap<usize, BTreeSet<u64>>,
    /// How often a window of a process has got elements.
    grown: BTreeMap<Made, u64>,
    /// Whether each byte is an element.
    in_bytes: bool,
    /// Whether memory of shared windows is a buffer of a call.
    are_passed: bool,
}

/// Basic types of elements that nothing names.
const INT: i64 = 1;
const BYTE: i64 = 9;
const LONG: i64 = 12;
/// Times that a window gets elements before more of them are guessed.
const FEW: u64 = 4;
/// Elements of a shared window.
const MOST_SHARED: usize = 1 << 15;

/// Elements of a window that are watched although nothing names them.
const MOST_UNNAMED: u64 = 1 << 12;

/// A shared window has more elements than are followed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unshared;

/// An element that is watched: its process, its address and its basic type.
pub(crate) type Element = (usize, u64, i64);

/// What is watched that was not.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Grew {
    Nothing,
    /// These elements besides what was watched before.
    By(Vec<Element>),
    /// These in the place of others, or of memory that all processes look at.
    Otherwise,
}

/// Elements of different sizes lie over each other.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Overlap;

impl Windows {
    /// From here on each byte is an element; nothing is known of what calls name.
    pub(crate) fn divide(&mut self) {
        *self = Windows { in_bytes: true, ..Windows::default() };
    }

    /// Whether no call uses an element of a shared window, as a buffer or at a target: loads and stores alone do.
    pub(crate) fn is_apart(&self, at: u64) -> bool {
        !self.are_passed && SHARED.contains(&at) && !self.watched.values().any(|w| w.contains_key(&at))
    }

    /// Notes that memory of shared windows is a buffer of calls; whether that was not known.
    pub(crate) fn pass(&mut self) -> bool {
        !std::mem::replace(&mut self.are_passed, true)
    }

    /// Whether each byte is an element.
    pub(crate) fn is_in_bytes(&self) -> bool {
        self.in_bytes
    }

    /// Notes that a window was made; which elements are watched for it that were not.
    pub(crate) fn make(&mut self, window: Shown, made: Made, values: &Values) -> Result<Grew, Overlap> {
        if !self.made.entry(window.clone()).or_default().insert(made.clone()) {
            return Ok(Grew::Nothing);
        }
        if SHARED.contains(&made.at) {
            // All processes of the window look at it.
            return Ok(Grew::Otherwise);
        }
        let named: Vec<Named> =
            self.named.iter().filter(|n| n.window == window && n.rank == made.rank).cloned().collect();
        named.iter().try_fold(Grew::Nothing, |grew, n| Ok(grew.and(self.watch(&made, n, values)?)))
    }

    /// Notes what a call names; which elements are watched for it that were not.
    pub(crate) fn name(&mut self, named: Named, values: &Values) -> Result<Grew, Overlap> {
        if !self.named.insert(named.clone()) {
            return Ok(Grew::Nothing);
        }
        let made: Vec<Made> =
            self.made.get(&named.window).into_iter().flatten().filter(|m| m.rank == named.rank).cloned().collect();
        made.iter().try_fold(Grew::Nothing, |grew, m| Ok(grew.and(self.watch(m, &named, values)?)))
    }

    /// The elements that are watched in a stretch of a process's memory: their addresses and basic types.
    pub(crate) fn within(&self, rank: usize, at: u64, bytes: u64) -> Vec<(u64, i64)> {
        let all = self.watched.get(&rank).into_iter();
        all.flat_map(|w| w.range(at..at.saturating_add(bytes))).map(|(at, ty)| (*at, *ty)).collect()
    }

    /// The elements of a shared window, by the processes whose parts they are in: those that calls name, and between them such as loads and stores may be
    /// of, which nothing names: of as many bytes as a displacement, or as an `int`.
    pub(crate) fn shared(&self, window: &Shown, values: &Values) -> Result<Vec<(u64, i64)>, Unshared> {
        let mut out = vec![];
        for made in self.made.get(window).into_iter().flatten() {
            let named = self.within(made.rank, made.at, made.bytes);
            let (mut at, end) = (made.at, made.at + made.bytes);
            for (next, ty) in named.into_iter().chain([(end, 0)]) {
                while at < next {
                    let fits = |size: u64| at.is_multiple_of(size) && at + size <= next;
                    let (ty, size) = match made.unit {
                        _ if self.in_bytes => (BYTE, 1),
                        8 if fits(8) => (LONG, 8),
                        _ if fits(4) => (INT, 4),
                        _ => (BYTE, 1),
                    };
                    out.push((at, ty));
                    at += size;
                    if out.len() > MOST_SHARED {
                        return Err(Unshared);
                    }
                }
                if next < end {
                    out.push((next, ty));
                    at = next + values.size(ty) as u64;
                }
            }
        }
        Ok(out)
    }

    /// Watches all of a process's window, unless that is large; which elements are watched for it that were not.
    pub(crate) fn watch_all(&mut self, window: &Shown, rank: usize, values: &Values) -> Grew {
        let mut new = vec![];
        let made: Vec<Made> = self.made.get(window).into_iter().flatten().filter(|m| m.rank == rank).cloned().collect();
        for made in made.iter().filter(|m| m.bytes / 4 <= MOST_UNNAMED && !SHARED.contains(&m.at)) {
            let watched = self.watched.entry(rank).or_default();
            let (mut at, end) = (made.at, made.at + made.bytes);
            while at < end {
                let is_int = !self.in_bytes && at.is_multiple_of(4) && at + 4 <= end;
                let (ty, size) = if is_int { (INT, 4) } else { (BYTE, 1) };
                match over(watched, at, size, values).max() {
                    Some(last) => at = last + values.size(watched[&last]) as u64,
                    None => {
                        watched.insert(at, ty);
                        self.guessed.entry(rank).or_default().insert(at);
                        new.push((rank, at, ty));
                        at += size;
                    }
                }
            }
        }
        if new.is_empty() { Grew::Nothing } else { Grew::By(new) }
    }

    fn watch(&mut self, made: &Made, named: &Named, values: &Values) -> Result<Grew, Overlap> {
        let mut new = vec![];
        let mut gave_way = false;
        let watched = self.watched.entry(made.rank).or_default();
        let guessed = self.guessed.entry(made.rank).or_default();
        let mut last = None;
        let whole = named.elements.iter().map(|(place, ty)| (*place, *ty));
        let elements: Vec<(i64, i64)> = match self.in_bytes {
            false => whole.collect(),
            true => whole.flat_map(|(at, ty)| (0..values.size(ty) as i64).map(move |k| (at + k, BYTE))).collect(),
        };
        for (place, ty) in &elements {
            let (offset, size) =
                (named.displacement.saturating_mul(made.unit).saturating_add(*place), values.size(*ty) as u64);
            // What lies outside of the window is the rules' to say.
            let Some(at) = made.zero.checked_add_signed(offset) else { continue };
            if at < made.at || at.saturating_add(size) > made.at + made.bytes {
                continue;
            }
            if watched.get(&at).is_some_and(|known| values.size(*known) as u64 == size) {
                guessed.remove(&at);
                continue;
            }
            let wrong: Vec<u64> = over(watched, at, size, values).filter(|a| guessed.contains(a)).collect();
            for wrong in wrong {
                gave_way = true;
                guessed.remove(&wrong);
                watched.remove(&wrong);
            }
            if over(watched, at, size, values).next().is_some() {
                return Err(Overlap);
            }
            watched.insert(at, *ty);
            new.push((made.rank, at, *ty));
            last = Some((at, size, *ty));
        }
        let Some((at, size, ty)) = last else { return Ok(Grew::Nothing) };
        let times = self.grown.entry(made.clone()).or_default();
        *times += 1;
        // The first ones may be all that there are.
        let more = if *times < FEW || SHARED.contains(&made.at) { 0 } else { 1 << (*times - FEW + 1).min(12) };
        for at in (1..=more).flat_map(|n| [Some(at + n * size), at.checked_sub(n * size)]).flatten() {
            let is_within = made.at <= at && at + size <= made.at + made.bytes;
            if is_within && over(watched, at, size, values).next().is_none() {
                watched.insert(at, ty);
                guessed.insert(at);
                new.push((made.rank, at, ty));
            }
        }
        Ok(if gave_way || SHARED.contains(&made.at) { Grew::Otherwise } else { Grew::By(new) })
    }
}

impl Grew {
    fn and(self, other: Grew) -> Grew {
        match (self, other) {
            (Grew::Nothing, one) | (one, Grew::Nothing) => one,
            (Grew::By(mut all), Grew::By(more)) => {
                all.extend(more);
                Grew::By(all)
            }
            _ => Grew::Otherwise,
        }
    }
}

/// The elements that are watched of which a stretch of memory has a part.
fn over<'w>(watched: &'w BTreeMap<u64, i64>, at: u64, size: u64, values: &'w Values) -> impl Iterator<Item = u64> + 'w {
    let before = watched.range(..at).next_back().filter(move |(b, ty)| **b + values.size(**ty) as u64 > at);
    before.into_iter().chain(watched.range(at..at + size)).map(|(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(n: i64) -> Shown {
        Shown::Int(n)
    }

    #[test]
    fn elements_are_watched_whichever_comes_first_the_window_or_the_call_that_names_them() {
        let values = Values::new(vec![0, 4, 8]);
        let made = Made { rank: 1, at: 0x1000, bytes: 16, unit: 4, zero: 0x1000 };
        let named = |displacement, ty| Named { window: window(7), rank: 1, displacement, elements: vec![(0, ty)] };
        let mut windows = Windows::default();
        assert_eq!(windows.name(named(1, 1), &values), Ok(Grew::Nothing), "nobody has made the window");
        assert_eq!(windows.make(window(7), made.clone(), &values), Ok(Grew::By(vec![(1, 0x1004, 1)])));
        assert_eq!(windows.make(window(8), made.clone(), &values), Ok(Grew::Nothing), "another window");
        assert_eq!(windows.within(1, 0x1000, 16), [(0x1004, 1)]);
        assert_eq!(windows.name(named(2, 2), &values), Ok(Grew::By(vec![(1, 0x1008, 2)])));
        assert_eq!(windows.name(named(3, 2), &values), Ok(Grew::Nothing), "it ends behind the window");
        assert_eq!(windows.name(named(-1, 1), &values), Ok(Grew::Nothing), "it begins before the window");
        assert_eq!(windows.within(1, 0x1000, 16), [(0x1004, 1), (0x1008, 2)]);
        assert_eq!(windows.name(named(0, 2), &values), Err(Overlap), "half of it is another element");
        windows.divide();
        assert_eq!(windows.make(window(7), made, &values), Ok(Grew::Nothing));
        let grew = |all: std::ops::Range<u64>| Ok(Grew::By(all.map(|at| (1, at, BYTE)).collect()));
        assert_eq!(windows.name(named(1, 1), &values), grew(0x1004..0x1008));
        assert_eq!(windows.name(named(0, 2), &values), grew(0x1000..0x1004), "each byte is an element of its own");
        assert_eq!(windows.within(1, 0x1000, 16), (0x1000..0x1008).map(|at| (at, BYTE)).collect::<Vec<_>>());
    }

    #[test]
    fn a_window_that_gets_elements_again_and_again_gets_them_seldom_and_a_wrong_guess_gives_way() {
        let values = Values::new(vec![0, 4, 8]);
        let made = Made { rank: 1, at: 0x1000, bytes: 4000, unit: 4, zero: 0x1000 };
        let named = |displacement, ty| Named { window: window(7), rank: 1, displacement, elements: vec![(0, ty)] };
        let mut windows = Windows::default();
        assert_eq!(windows.make(window(7), made, &values), Ok(Grew::Nothing));
        let mut name = |displacement, ty| windows.name(named(displacement, ty), &values);
        let grew = (0..200).filter(|i| name(*i, 1) != Ok(Grew::Nothing)).count();
        assert!(grew < 13, "{grew}");
        assert_eq!(name(200, 2), Ok(Grew::Otherwise), "larger elements where smaller ones were guessed");
        assert_eq!(name(198, 2), Err(Overlap), "and where they were named");
        let all = windows.within(1, 0x1000 + 198 * 4, 16);
        assert_eq!(all, [(0x1318, 1), (0x131c, 1), (0x1320, 2)]);
    }
}
