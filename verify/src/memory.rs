//! A process's memory as the specification sees it: addresses are locations, bytes are integers.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{PoisonError, RwLock};

/// Bytes that a location stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Granule(pub(crate) u64);

/// Locations of a region are a multiple of so many.
const PAGE: u64 = 32;
/// Locations that are there for regions to come.
const SPARE: u64 = 96;
/// After so many times that the model was made anew a region is twice as long, up to so many times.
const OFTEN: u32 = 8;
const LARGEST: u32 = 5;
/// Locations that a process may have.
pub(crate) const MOST: u64 = 1 << 20;

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

/// A part of a process's memory that it passes to MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Region {
    bytes: u64,
    /// Its first location among those of the process.
    first: u64,
}

/// What comes of asking for room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// There was room.
    Known,
    /// Spare locations were taken: the first address, the first location, and how many.
    Taken(u64, u64, u64),
    /// Locations must be given anew ([`Regions::settle`]).
    Lacks,
}

/// The parts of a process's memory that it passes to MPI: regions, by where they begin. Those that are found while there are spare locations
/// take some; regions that a buffer joins, and those for which there is nothing left, are given locations when the model is made anew.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Regions {
    regions: BTreeMap<u64, Region>,
    /// Locations that are taken, and that there are.
    taken: u64,
    capacity: u64,
    /// Whether there were too few.
    is_full: bool,
    /// How often locations were given anew.
    settled: u32,
    /// Stretches that buffers have joined, by where they begin, and where they end: they are one region from the beginning.
    joined: BTreeMap<u64, u64>,
}

impl Regions {
    /// Makes room for a stretch of memory. Where it is known which addresses are needed, regions without any may be moved.
    pub(crate) fn add(&mut self, granule: Granule, at: u64, bytes: u64, needed: Option<&BTreeSet<u64>>) -> Room {
        let larger = if needed.is_some() { 0 } else { (self.settled / OFTEN).min(LARGEST) };
        let page = (PAGE * granule.0) << larger;
        let end = at + bytes.max(1);
        if self.regions.range(..=at).next_back().is_some_and(|(b, r)| end <= b + r.bytes) {
            return Room::Known;
        }
        let (mut from, mut to) = (at / page * page, end.div_ceil(page) * page);
        let below = self.regions.range(..=at).next_back().map_or(0, |(b, r)| b + r.bytes);
        let above = self.regions.range(at..).next().map_or(u64::MAX, |(b, _)| *b);
        if let Some((b, e)) = self.joined.range(..=at).next_back().filter(|(_, e)| end <= **e)
            && below <= *b
            && *e <= above
        {
            (from, to) = (*b, *e);
        }
        if below <= at && end <= above {
            // A page that others have begun has what is left of it.
            (from, to) = (from.max(below), to.min(above));
            let locations = (to - from) / granule.0;
            let gap = self.gap(granule, locations);
            self.regions.insert(from, Region { bytes: to - from, first: gap.unwrap_or(0) });
            self.taken += locations;
            return gap.map_or(Room::Lacks, |first| Room::Taken(from, first, locations));
        }
        // The stretch lies over regions that are there: together they become one.
        let over: Vec<(u64, u64)> =
            self.regions.range(..to).filter(|(b, r)| **b + r.bytes > from).map(|(b, r)| (*b, b + r.bytes)).collect();
        let may_move = needed.is_some_and(|n| over.iter().all(|(b, e)| n.range(b..e).next().is_none()));
        for (b, e) in over {
            self.regions.remove(&b);
            self.taken -= (e - b) / granule.0;
            (from, to) = (from.min(b), to.max(e));
        }
        let locations = (to - from) / granule.0;
        let gap = if may_move { self.gap(granule, locations) } else { None };
        self.taken += locations;
        if let Some(first) = gap {
            self.regions.insert(from, Region { bytes: to - from, first });
            return Room::Taken(from, first, locations);
        }
        self.regions.insert(from, Region { bytes: to - from, first: 0 });
        let over: Vec<u64> = self.joined.range(..to).filter(|(_, e)| **e > from).map(|(b, _)| *b).collect();
        for begin in over {
            let e = self.joined.remove(&begin).expect("just seen");
            (from, to) = (from.min(begin), to.max(e));
        }
        self.joined.insert(from, to);
        Room::Lacks
    }

    /// Forgets all regions but that of the null pointer. What was joined will be again.
    pub(crate) fn clear(&mut self, granule: Granule) {
        self.regions.clear();
        self.taken = 0;
        let _ = self.add(granule, 0, 4, None);
    }

    /// The first of so many locations that no region has.
    fn gap(&mut self, granule: Granule, locations: u64) -> Option<u64> {
        let mut all: Vec<(u64, u64)> = self.regions.values().map(|r| (r.first, r.bytes / granule.0)).collect();
        all.sort_unstable();
        let mut from = 0;
        for (first, n) in all {
            if first - from >= locations {
                break;
            }
            from = first + n;
        }
        let gap = (from + locations <= self.capacity).then_some(from);
        self.is_full |= gap.is_none();
        gap
    }

    /// Whether little is left to spare.
    pub(crate) fn is_tight(&self) -> bool {
        self.taken * 2 > self.capacity
    }

    /// Whether there were too few locations since they were last given.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// Forgets regions without these addresses, so that others may have their locations.
    pub(crate) fn release(&mut self, granule: Granule, needed: &BTreeSet<u64>) {
        self.regions.retain(|b, r| *b == 0 || needed.range(*b..b + r.bytes).next().is_some());
        self.taken = self.regions.values().map(|r| r.bytes / granule.0).sum();
    }

    /// Gives all regions their locations anew, in order, and leaves some to spare: at least so many are there.
    pub(crate) fn settle(&mut self, granule: Granule, least: u64) {
        self.settled += 1;
        self.is_full = false;
        self.taken = 0;
        for region in self.regions.values_mut() {
            region.first = self.taken;
            self.taken += region.bytes / granule.0;
        }
        self.capacity = (self.taken + (self.taken / 2).max(SPARE)).max(least);
    }

    /// Each region's first address, first location, and how many locations it has.
    pub(crate) fn list(&self, granule: Granule) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.regions.iter().map(move |(b, r)| (*b, r.first, r.bytes / granule.0))
    }

    /// How many locations are taken.
    pub(crate) fn locations(&self) -> u64 {
        self.taken
    }

    /// How many locations there are.
    pub(crate) fn capacity(&self) -> u64 {
        self.capacity
    }

    /// The place of an address among the locations.
    pub(crate) fn place(&self, granule: Granule, at: u64) -> Option<usize> {
        let (b, r) = self.regions.range(..=at).next_back()?;
        (at < b + r.bytes).then(|| (r.first + (at - b) / granule.0) as usize)
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
    /// Those of persistent requests that are not freed, by the request's number.
    pub(crate) persistent: BTreeMap<i32, Vec<Area>>,
    /// Elements of windows that others name ([`crate::windows`]): addresses and basic types.
    pub(crate) watched: BTreeMap<u64, i32>,
    /// Addresses that datatypes of the process hold.
    pub(crate) absolute: BTreeSet<u64>,
    /// Memory of which the process has made windows: addresses and bytes.
    pub(crate) windows: Vec<(u64, u64)>,
}

impl Seen {
    /// Notes an operation that may use its buffers when its call has returned.
    pub(crate) fn begin(&mut self, areas: &[Area]) {
        if areas.iter().all(Vec::is_empty) {
            return;
        }
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
    fn regions_take_what_is_spare_and_those_that_a_buffer_joins_are_given_anew() {
        let (g, mut r) = (Granule(4), Regions::default());
        assert_eq!(r.add(g, 0x3000, 4, None), Room::Lacks);
        r.settle(g, 0);
        assert_eq!(r.add(g, 0x3004, 8, None), Room::Known, "the page has room");
        assert_eq!(r.add(g, 0x1000, 4, None), Room::Taken(0x1000, 32, 32));
        assert_eq!((r.place(g, 0x3000), r.place(g, 0x1000), r.place(g, 0x1008)), (Some(0), Some(32), Some(34)));
        assert_eq!(r.add(g, 0x1080, 8, None), Room::Taken(0x1080, 64, 32), "beside a region, and of its own");
        assert_eq!(r.add(g, 0x107c, 8, None), Room::Lacks, "across the end of one");
        r.settle(g, 0);
        assert_eq!(r.add(g, 0x107c, 8, None), Room::Known);
        assert_eq!((r.place(g, 0x1080), r.place(g, 0x3000), r.place(g, 0x2000)), (Some(32), Some(64), None));
        assert_eq!(r.locations(), 96);
        let mut at = 0x5000;
        while r.add(g, at, 4, None) != Room::Lacks {
            at += 0x1000;
        }
        assert_eq!(at, 0x8000, "nothing is left to spare");
        r.release(g, &[0x107c, 0x5000].into());
        assert_eq!(r.add(g, 0x9000, 0x90, None), Room::Taken(0x9000, 128, 64), "the first gap is too small");
        assert_eq!(r.add(g, 0xa000, 4, None), Room::Taken(0xa000, 64, 32));
        assert_eq!(r.add(g, 0xa07c, 8, Some(&[0xa000].into())), Room::Lacks, "what it joins is needed");
        r.settle(g, 1024);
        assert!(
            matches!(r.add(g, 0x907c + 0x80, 8, Some(&[0xa000].into())), Room::Taken(0x9000, _, 96)),
            "and here it is moved"
        );
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
