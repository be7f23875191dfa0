//! A process's memory as the specification sees it: addresses are locations, bytes are integers.

use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{PoisonError, RwLock};

/// Bytes that a location stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Granule(pub(crate) u64);

/// Locations of a region are a multiple of so many.
const PAGE: u64 = 32;
/// After so many times that room was made it is twice as much, up to so many times.
const OFTEN: u32 = 8;
const LARGEST: u32 = 5;
/// Locations that a process may have.
pub(crate) const MOST: u64 = 1 << 16;

/// An element of a buffer: its address, and the number of its basic type.
pub(crate) type Area = Vec<(u64, i32)>;

/// Values of elements: those of four bytes and less are themselves, others have numbers. The number of a value is made of its
/// bytes, so that it does not depend on which value was seen first.
#[derive(Debug)]
pub(crate) struct Values {
    long: RwLock<HashMap<i32, Vec<u8>>>,
    /// Bytes of each basic type, by its number.
    sizes: Vec<usize>,
}

impl Values {
    pub(crate) fn new(sizes: Vec<usize>) -> Values {
        Values { long: RwLock::default(), sizes }
    }

    /// Bytes of an element.
    pub(crate) fn size(&self, ty: i32) -> usize {
        usize::try_from(ty).ok().and_then(|t| self.sizes.get(t)).copied().unwrap_or(1).max(1)
    }

    /// Bytes of the longest element.
    pub(crate) fn longest(&self) -> u64 {
        self.sizes.iter().copied().max().unwrap_or(1) as u64
    }

    /// Whether an element takes whole locations, if the number is that of a predefined type.
    pub(crate) fn fits(&self, ty: i32, granule: Granule) -> bool {
        let size = usize::try_from(ty).ok().and_then(|t| self.sizes.get(t));
        size.is_none_or(|n| (*n as u64).is_multiple_of(granule.0))
    }

    /// The integer that stands for an element's bytes; missing ones are 0.
    pub(crate) fn number(&self, ty: i32, bytes: &[u8]) -> i32 {
        let size = self.size(ty);
        let mut whole = bytes.to_vec();
        whole.resize(size, 0);
        if size <= 4 {
            whole.resize(4, 0);
            return i32::from_ne_bytes(whole.try_into().expect("four bytes"));
        }
        // Memory that nobody has written holds 0.
        if whole.iter().all(|b| *b == 0) {
            return 0;
        }
        let mut hasher = DefaultHasher::new();
        whole.hash(&mut hasher);
        let mut number = (hasher.finish() >> 33) as i32;
        loop {
            let known = self.long.read().unwrap_or_else(PoisonError::into_inner).get(&number).cloned();
            match known {
                Some(known) if known == whole => return number,
                None if number != 0 => {
                    let mut long = self.long.write().unwrap_or_else(PoisonError::into_inner);
                    long.entry(number).or_insert_with(|| whole.clone());
                }
                _ => number = number.wrapping_add(1) & i32::MAX,
            }
        }
    }

    /// The bytes that an integer stands for.
    pub(crate) fn bytes(&self, ty: i32, number: i32) -> Vec<u8> {
        let size = self.size(ty);
        let mut bytes = if size <= 4 {
            number.to_ne_bytes().to_vec()
        } else {
            self.long.read().unwrap_or_else(PoisonError::into_inner).get(&number).cloned().unwrap_or_default()
        };
        bytes.resize(size, 0);
        bytes
    }
}

/// The parts of a process's memory that it passes to MPI: regions, by where they begin, with their lengths, in bytes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Regions {
    lengths: BTreeMap<u64, u64>,
    /// How often room was made.
    made: u32,
}

impl Regions {
    /// Makes room for a stretch of memory; whether there was none. Each time the model is made anew: a program that asks often gets more at a
    /// time.
    pub(crate) fn add(&mut self, granule: Granule, at: u64, bytes: u64) -> bool {
        let page = (PAGE * granule.0) << (self.made / OFTEN).min(LARGEST);
        let (mut from, mut to) = (at / page * page, (at + bytes.max(1)).div_ceil(page) * page);
        if self.lengths.range(..=at).next_back().is_some_and(|(b, n)| at + bytes.max(1) <= b + n) {
            return false;
        }
        self.made += 1;
        // Regions that touch become one.
        let near: Vec<u64> = self.lengths.range(..=to).filter(|(b, n)| **b + **n >= from).map(|(b, _)| *b).collect();
        for begin in near {
            let n = self.lengths.remove(&begin).expect("just seen");
            (from, to) = (from.min(begin), to.max(begin + n));
        }
        self.lengths.insert(from, to - from);
        true
    }

    /// Each region's first address, and its locations.
    pub(crate) fn list(&self, granule: Granule) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.lengths.iter().map(move |(b, n)| (*b, n / granule.0))
    }

    /// How many locations there are.
    pub(crate) fn locations(&self, granule: Granule) -> u64 {
        self.lengths.values().sum::<u64>() / granule.0
    }

    /// The place of an address among the locations.
    pub(crate) fn place(&self, granule: Granule, at: u64) -> Option<usize> {
        let mut before = 0;
        for (b, n) in &self.lengths {
            if (*b..b + n).contains(&at) {
                return Some(((before + (at - b)) / granule.0) as usize);
            }
            before += n;
        }
        None
    }
}

/// What is known of a process's memory at a call.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// By address: the basic type that was last seen there, and the element's number.
    pub(crate) cells: BTreeMap<u64, (i32, i32)>,
    /// Buffers of which the process has not been told yet what they hold.
    pub(crate) pending: Vec<Area>,
    /// Whether errors are returned to the process: it has said so of some communicator.
    pub(crate) returns: bool,
    /// Elements of buffers that operations may still use when their call has returned, with the number of the last such operation: which are
    /// over, only the model knows.
    pub(crate) in_use: BTreeMap<u64, usize>,
    operations: usize,
    /// Those of persistent requests.
    pub(crate) persistent: Vec<Area>,
    /// Elements of windows that others name ([`crate::windows`]): addresses and basic types.
    pub(crate) watched: BTreeMap<u64, i32>,
    /// Whether the process has made a window.
    pub(crate) has_windows: bool,
}

impl Seen {
    /// Notes an operation that may use its buffers when its call has returned.
    pub(crate) fn begin(&mut self, areas: &[Area]) {
        self.operations += 1;
        self.in_use.extend(areas.iter().flatten().map(|(at, _)| (*at, self.operations)));
    }

    /// Whether an element is in a buffer of which the process has not been told yet.
    pub(crate) fn is_pending(&self, at: u64) -> bool {
        self.pending.iter().flatten().any(|(a, _)| *a == at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_that_touch_become_one_and_places_are_consecutive() {
        let (g, mut r) = (Granule(4), Regions::default());
        assert!(r.add(g, 0x1000, 4));
        assert!(!r.add(g, 0x1004, 8), "the page has room");
        assert!(r.add(g, 0x3000, 4));
        assert_eq!((r.place(g, 0x1000), r.place(g, 0x1008), r.place(g, 0x3000)), (Some(0), Some(2), Some(32)));
        assert!(r.add(g, 0x107c, 8), "across the end of a page");
        assert_eq!((r.place(g, 0x1080), r.place(g, 0x3000), r.place(g, 0x2000)), (Some(32), Some(64), None));
        assert_eq!(r.locations(g), 96);
    }

    #[test]
    fn values_come_back_as_they_were() {
        let v = Values::new(vec![0, 4, 8, 1]);
        for (ty, bytes) in [(1, vec![1, 2, 3, 255]), (2, vec![1, 2, 3, 4, 5, 6, 7, 8]), (2, vec![0; 8]), (3, vec![200])]
        {
            let n = v.number(ty, &bytes);
            assert_eq!(v.bytes(ty, n), bytes);
        }
        assert_ne!(v.number(2, &[1; 8]), v.number(2, &[2; 8]));
    }
}
