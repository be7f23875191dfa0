//! A process's memory as the specification sees it: addresses are locations, bytes are integers.

use crate::races::Used;
use crate::rank::page_of;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};
use twox_hash::XxHash3_128;

/// Bytes that a location stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Granule(pub(crate) u64);

/// Locations of a region are a multiple of so many.
const PAGE: u64 = 32;
/// Locations that are there for regions to come.
const SPARE: u64 = 96;
/// Locations behind a region, by which it may grow: so many times as many as it has, and at least so many, where there are enough.
const GROWTH: u64 = 15;
const LEAST_GROWTH: u64 = 1 << 10;
/// After so many times that the model was made anew a region is twice as long, up to so many times.
const OFTEN: u32 = 8;
const LARGEST: u32 = 5;
/// Elements one behind the other that are looked at as one ([`crate::runs`]) have types that are numbered from here on, by how many of which type they are.
pub(crate) const RUNS: i64 = 1 << 20;
/// The basic type of an element, or of the elements of a run.
pub(crate) fn element_of(ty: i64) -> i64 {
    if ty > RUNS { (ty - RUNS) % 64 } else { ty }
}

/// Bytes of the longest element that is no run.
pub(crate) const LONGEST: u64 = 32;
/// Bytes from which on a value's number is made of them by a faster way.
const LONG: usize = 256;

/// An element of a buffer: its address, and the number of its basic type.
pub(crate) type Area = Vec<(u64, i64)>;

/// Values of elements: those of four bytes and less are themselves, others have numbers. The number of a value is made of its
/// bytes, so that it does not depend on which value was seen first.
#[derive(Debug)]
pub(crate) struct Values {
    long: RwLock<HashMap<i64, Vec<u8>>>,
    /// Bytes of each basic type, by its number.
    sizes: Vec<usize>,
}

impl Values {
    pub(crate) fn new(sizes: Vec<usize>) -> Values {
        Values { long: RwLock::default(), sizes }
    }

    /// Bytes of an element, or of a run.
    pub(crate) fn size(&self, ty: i64) -> usize {
        if ty > RUNS {
            return ((ty - RUNS) / 64).max(1) as usize * self.size(element_of(ty));
        }
        usize::try_from(ty).ok().and_then(|t| self.sizes.get(t)).copied().unwrap_or(1).max(1)
    }

    /// Whether an element takes whole locations, if the number is that of a predefined type.
    pub(crate) fn fits(&self, ty: i64, granule: Granule) -> bool {
        let size = usize::try_from(ty).ok().and_then(|t| self.sizes.get(t));
        size.is_none_or(|n| (*n as u64).is_multiple_of(granule.0))
    }

    /// The integer that stands for an element's bytes; missing ones are 0.
    pub(crate) fn number(&self, ty: i64, bytes: &[u8]) -> i64 {
        let size = self.size(ty);
        if size <= 4 {
            let (mut whole, n) = ([0; 4], size.min(bytes.len()));
            whole[..n].copy_from_slice(&bytes[..n]);
            return i64::from(i32::from_ne_bytes(whole));
        }
        // Memory that nobody has written holds 0, as most of a large buffer does into which short messages come.
        let whole = trimmed(&bytes[..size.min(bytes.len())]);
        if whole.is_empty() {
            return 0;
        }
        let hash = if whole.len() < LONG {
            let mut hasher = DefaultHasher::new();
            whole.hash(&mut hasher);
            hasher.finish()
        } else {
            XxHash3_128::oneshot(whole) as u64
        };
        // Integers of 31 bits take the least room in a state.
        let mut number = (hash >> 34) as i64;
        loop {
            let known =
                self.long.read().unwrap_or_else(PoisonError::into_inner).get(&number).map(|known| known == whole);
            match known {
                Some(true) => return number,
                None if number != 0 => {
                    let mut long = self.long.write().unwrap_or_else(PoisonError::into_inner);
                    long.entry(number).or_insert_with(|| whole.to_vec());
                }
                _ => number = (number + 1) & ((1 << 30) - 1),
            }
        }
    }

    /// Whether an integer stands for these bytes, of a type that is longer than four bytes: to compare them takes less than to number them.
    pub(crate) fn is(&self, number: i64, bytes: &[u8]) -> bool {
        let whole = trimmed(bytes);
        if number == 0 || whole.is_empty() {
            return number == 0 && whole.is_empty();
        }
        self.long.read().unwrap_or_else(PoisonError::into_inner).get(&number).is_some_and(|known| known == whole)
    }

    /// The bytes that an integer stands for.
    pub(crate) fn bytes(&self, ty: i64, number: i64) -> Vec<u8> {
        let size = self.size(ty);
        let mut bytes = if size <= 4 {
            (number as i32).to_ne_bytes().to_vec()
        } else {
            self.long.read().unwrap_or_else(PoisonError::into_inner).get(&number).cloned().unwrap_or_default()
        };
        bytes.resize(size, 0);
        bytes
    }
}

/// Bytes without the zeros at their end.
fn trimmed(bytes: &[u8]) -> &[u8] {
    let words = bytes.rchunks_exact(64);
    let zeros = words.take_while(|word| **word == [0; 64]).count() * 64;
    let bytes = &bytes[..bytes.len() - zeros];
    &bytes[..bytes.iter().rposition(|b| *b != 0).map_or(0, |last| last + 1)]
}

/// Addresses that operations may still use, in order; and stretches that are windows, or that the call names which is being read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Needed(Vec<u64>, Vec<(u64, u64)>);

impl FromIterator<u64> for Needed {
    fn from_iter<I: IntoIterator<Item = u64>>(all: I) -> Needed {
        let mut all: Vec<u64> = all.into_iter().collect();
        all.sort();
        all.dedup();
        Needed(all, vec![])
    }
}

/// Whether a number is among numbers in order, if it is asked for one after the other in the same order.
pub(crate) fn ascending(all: impl Iterator<Item = u64>) -> impl FnMut(u64) -> bool {
    let mut all = all.peekable();
    move |at| {
        while all.next_if(|n| *n < at).is_some() {}
        all.peek() == Some(&at)
    }
}

impl Needed {
    /// Whether an address is among them, if it is asked for one after the other in order.
    pub(crate) fn ascending(&self) -> impl FnMut(u64) -> bool {
        ascending(self.0.iter().copied())
    }

    /// A stretch that a call names, or a window.
    pub(crate) fn name(&mut self, from: u64, to: u64) {
        self.1.push((from, to));
    }

    /// Whether one of them is in a stretch.
    fn any_in(&self, from: u64, to: u64) -> bool {
        let is_named = self.1.iter().any(|(b, e)| *b < to && from < *e);
        is_named || self.0.get(self.0.partition_point(|at| *at < from)).is_some_and(|at| *at < to)
    }
}

/// A part of a process's memory that it passes to MPI.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Region {
    bytes: u64,
    /// Its first location among those of the process.
    first: u64,
    /// Locations that no other region is given: its own, and those behind it by which it may grow.
    room: u64,
    /// What of it was asked for: it begins and ends there, or further out.
    used: (u64, u64),
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
    /// Locations of a page, if they are more than the fewest.
    page: u64,
    /// Bytes of a location.
    granule: u64,
    /// Locations that are taken, and that there are.
    taken: u64,
    capacity: u64,
    /// How often locations were given anew.
    settled: u32,
    /// Stretches that buffers have joined, by where they begin, and where they end: they are one region from the beginning.
    joined: BTreeMap<u64, u64>,
}

impl Regions {
    /// No regions yet, whose pages have so many locations.
    pub(crate) fn of(page: u64) -> Regions {
        Regions { page, granule: 1, ..Regions::default() }
    }

    /// Whether there is room for a stretch of memory, or will be among so many locations.
    pub(crate) fn may_have(&self, granule: Granule, at: u64, bytes: u64, locations: u64) -> bool {
        let is_there = self.regions.range(..=at).next_back().is_some_and(|(b, r)| at + bytes <= b + r.bytes);
        is_there || self.taken + bytes / granule.0 + 2 * self.page.max(PAGE) <= locations
    }

    /// Makes room for a stretch of memory. Where it is known which addresses are needed, regions without any may be moved.
    pub(crate) fn add(&mut self, granule: Granule, at: u64, bytes: u64, needed: Option<&Needed>) -> Room {
        let larger = if needed.is_some() || self.page > PAGE { 0 } else { (self.settled / OFTEN).min(LARGEST) };
        let page = (self.page.max(PAGE) * granule.0) << larger;
        let end = at.saturating_add(bytes.max(1));
        self.granule = granule.0;
        if let Some((_, r)) = self.regions.range_mut(..=at).next_back().filter(|(b, r)| end <= **b + r.bytes) {
            r.used = joined(r.used, (at, at + bytes));
            return Room::Known;
        }
        match needed {
            Some(needed) => self.cut(granule, at, end, needed),
            None => self.make_way(granule, at, end),
        }
        let used = (at, at + bytes);
        let (mut from, mut to) = (at / page * page, end.div_ceil(page).saturating_mul(page));
        if let Some(room) = self.grow(granule, at, end, to) {
            return room;
        }
        let below = self.regions.range(..=at).next_back().map_or(0, |(b, r)| b + r.bytes);
        let above = self.regions.range(at..).next().map_or(u64::MAX, |(b, _)| *b);
        let before = self.joined.range(..=at).next_back().map(|(b, e)| (*b, *e));
        if let Some((b, e)) = before.filter(|(b, e)| end <= *e && below <= *b && *e <= above) {
            (from, to) = (b, e);
        } else {
            // What is to be one region from the beginning is left to itself.
            let behind = self.joined.range(end..).next().map_or(u64::MAX, |(b, _)| *b);
            from = from.max(before.filter(|(_, e)| *e <= at).map_or(0, |(_, e)| e));
            to = to.min(behind);
        }
        if below <= at && end <= above {
            // A page that others have begun has what is left of it.
            (from, to) = (from.max(below), to.min(above));
            let locations = (to - from) / granule.0;
            let gap = self.gap(locations);
            let (first, room) = gap.unwrap_or((0, locations));
            self.regions.insert(from, Region { bytes: to - from, first, room, used });
            self.taken += locations;
            return gap.map_or(Room::Lacks, |(first, _)| Room::Taken(from, first, locations));
        }
        // The stretch lies over regions that are there: together they become one.
        let over: Vec<(u64, u64)> =
            self.regions.range(..to).filter(|(b, r)| **b + r.bytes > from).map(|(b, r)| (*b, b + r.bytes)).collect();
        let may_move = needed.is_some_and(|n| over.iter().all(|(b, e)| !n.any_in(*b, *e)));
        let mut used = used;
        for (b, e) in over {
            used = self.regions.remove(&b).map_or(used, |r| joined(r.used, used));
            self.taken -= (e - b) / granule.0;
            (from, to) = (from.min(b), to.max(e));
        }
        let locations = (to - from) / granule.0;
        let gap = if may_move { self.gap(locations) } else { None };
        self.taken += locations;
        if let Some((first, room)) = gap {
            self.regions.insert(from, Region { bytes: to - from, first, room, used });
            return Room::Taken(from, first, locations);
        }
        self.regions.insert(from, Region { bytes: to - from, first: 0, room: locations, used });
        let over: Vec<(u64, u64)> =
            self.joined.range(..to).filter(|(_, e)| **e > from).map(|(b, e)| (*b, *e)).collect();
        // It was to be one region, and another one was there first: that one belongs to it, or this would come again and again.
        let again = over.iter().any(|(b, e)| *b <= from && to <= *e);
        for (b, e) in over {
            self.joined.remove(&b);
            (from, to) = (from.min(b), to.max(e));
        }
        if again {
            let beside = self.regions.range(..to).filter(|(b, r)| **b + r.bytes > from).map(|(b, r)| (*b, b + r.bytes));
            (from, to) = beside.fold((from, to), |(from, to), (b, e)| (from.min(b), to.max(e)));
        }
        self.joined.insert(from, to);
        Room::Lacks
    }

    /// What is not needed of regions gives way to a stretch: what is before it and behind it stays where it is.
    fn cut(&mut self, granule: Granule, at: u64, end: u64, needed: &Needed) {
        let granule = granule.0;
        let over: Vec<(u64, Region)> =
            self.regions.range(..end).filter(|(b, r)| **b != 0 && **b + r.bytes > at).map(|(b, r)| (*b, *r)).collect();
        for (b, r) in over {
            let e = b + r.bytes;
            if needed.any_in(b.max(at), e.min(end)) {
                continue;
            }
            self.regions.remove(&b);
            self.taken -= r.bytes / granule;
            let before = at.saturating_sub(b) / granule;
            let skipped = end.saturating_sub(b).div_ceil(granule).min(r.bytes / granule);
            for (from, to, first) in [(b, b + before * granule, r.first), (b + skipped * granule, e, r.first + skipped)]
            {
                if needed.any_in(from, to) {
                    let used = (r.used.0.clamp(from, to), r.used.1.clamp(from, to));
                    let room = (to - from) / granule;
                    self.regions.insert(from, Region { bytes: to - from, first, room, used });
                    self.taken += room;
                }
            }
        }
    }

    /// What regions reach beyond what is used of them gives way to a stretch: two buffers side by side need not be one region.
    fn make_way(&mut self, granule: Granule, at: u64, end: u64) {
        let granule = granule.0;
        let before = self.regions.range_mut(..at).next_back().filter(|(b, r)| **b + r.bytes > at);
        if let Some((b, r)) = before.filter(|(b, r)| **b < r.used.1 && r.used.1 <= at) {
            let left = (at - b) / granule;
            if r.used.1 <= b + left * granule {
                self.taken -= r.bytes / granule - left;
                (r.bytes, r.room) = (left * granule, left);
            }
        }
        let behind = self.regions.range(at..end).next_back().map(|(b, r)| (*b, *r));
        if let Some((b, mut r)) = behind.filter(|(_, r)| end <= r.used.0 && r.used.0 < r.used.1) {
            let gone = (end - b).div_ceil(granule);
            if b + gone * granule <= r.used.0 {
                self.regions.remove(&b);
                self.taken -= gone;
                (r.bytes, r.first, r.room) = (r.bytes - gone * granule, r.first + gone, r.room - gone);
                self.regions.insert(b + gone * granule, r);
            }
        }
    }

    /// Forgets all regions but that of the null pointer. What was joined will be again.
    pub(crate) fn clear(&mut self, granule: Granule) {
        self.regions.clear();
        self.taken = 0;
        let _ = self.add(granule, 0, 4, None);
    }

    /// A stretch of memory that begins in a region and ends behind it: the region becomes longer, if it has the room and no other region is there.
    fn grow(&mut self, granule: Granule, at: u64, end: u64, to: u64) -> Option<Room> {
        let above = self.regions.range(end..).next().map_or(u64::MAX, |(b, _)| *b);
        let (b, r) = self.regions.range_mut(..end).next_back()?;
        let to = to.min(above);
        let locations = (to - b) / granule.0;
        if *b > at || b + r.bytes <= at || locations > r.room {
            return None;
        }
        self.taken += locations - r.bytes / granule.0;
        (r.bytes, r.used) = (to - b, joined(r.used, (at, end)));
        Some(Room::Taken(*b, r.first, locations))
    }

    /// The first of so many locations that no region has, and how many a region there is given: more, so that it may grow, if there are.
    fn gap(&self, locations: u64) -> Option<(u64, u64)> {
        let mut all: Vec<(u64, u64)> = self.regions.values().map(|r| (r.first, r.room)).collect();
        all.sort_unstable();
        let of = |wanted: u64| {
            let mut from = 0;
            for (first, n) in &all {
                if *first >= from + wanted {
                    break;
                }
                from = from.max(first + n);
            }
            (from + wanted <= self.capacity).then_some((from, wanted))
        };
        of(room_for(self.page, locations)).or_else(|| of(locations))
    }

    /// Whether little is left to spare.
    pub(crate) fn is_tight(&self) -> bool {
        self.taken * 2 > self.capacity
    }

    /// Forgets regions without these addresses, so that others may have their locations.
    pub(crate) fn release(&mut self, needed: &Needed) {
        self.regions.retain(|b, r| *b == 0 || needed.any_in(*b, b + r.bytes));
        self.taken = self.regions.values().map(|r| self.locations_of(r)).sum();
    }

    fn locations_of(&self, region: &Region) -> u64 {
        region.bytes / self.granule
    }

    /// Gives all regions their locations anew, in order, and leaves some to spare: at least so many are there.
    pub(crate) fn settle(&mut self, least: u64) {
        self.settled += 1;
        self.taken = self.regions.values().map(|r| self.locations_of(r)).sum();
        self.capacity = (self.taken + (self.taken / 2).max(SPARE)).max(least);
        let (page, granule) = (self.page, self.granule);
        let room = |r: &Region| room_for(page, r.bytes / granule);
        let may_grow = self.regions.values().map(room).fold(0, u64::saturating_add) <= self.capacity / 2;
        let mut first = 0;
        for region in self.regions.values_mut() {
            region.room = if may_grow { room(region) } else { region.bytes / granule };
            region.first = first;
            first += region.room;
        }
    }

    /// Each region's first address, first location, how many locations it has, and bytes of each.
    pub(crate) fn list(&self) -> impl Iterator<Item = (u64, u64, u64, u64)> + '_ {
        self.regions.iter().map(|(b, r)| (*b, r.first, self.locations_of(r), self.granule))
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
    pub(crate) fn place(&self, at: u64) -> Option<usize> {
        let (b, r) = self.regions.range(..=at).next_back()?;
        (at < b + r.bytes).then(|| (r.first + (at - b) / self.granule) as usize)
    }
}

/// Locations for a region that has so many, and for what it may grow by. Where pages are long, a region does not grow.
fn room_for(page: u64, locations: u64) -> u64 {
    if page > PAGE { locations } else { locations.saturating_add(locations.saturating_mul(GROWTH).max(LEAST_GROWTH)) }
}

/// Where two stretches begin and end; one without bytes is nowhere.
fn joined((a, b): (u64, u64), (c, d): (u64, u64)) -> (u64, u64) {
    if a == b {
        (c, d)
    } else if c == d {
        (a, b)
    } else {
        (a.min(c), b.max(d))
    }
}

/// What is known of a process's memory at a call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Seen {
    /// By address: the basic type that was last seen there, and the element's number.
    pub(crate) cells: BTreeMap<u64, (i64, i64)>,
    /// Elements that are in use and begin where a call has named another one, of another length: address and type, and the element's number.
    pub(crate) beneath: BTreeMap<(u64, i64), i64>,
    /// Buffers of which the process has not been told yet what they hold; where elements begin that others write into these.
    pub(crate) pending: Vec<Area>,
    pub(crate) coming: BTreeSet<u64>,
    /// Whether errors are returned to the process: it has said so of some communicator.
    pub(crate) returns: bool,
    /// Elements of buffers that operations may still use when their call has returned, with the number of the last such buffer: which are
    /// over, only the model knows.
    pub(crate) in_use: BTreeMap<u64, usize>,
    operations: usize,
    /// How many operations there were that may use their buffers when that was asked last, and those since then; and calls since then.
    pub(crate) busy: usize,
    pub(crate) unasked: usize,
    /// Those of persistent requests that are not freed, by the request's number, and whether they are only read.
    pub(crate) persistent: BTreeMap<i64, Vec<(Area, bool)>>,
    /// Elements of windows that others name ([`crate::windows`]): addresses and basic types.
    pub(crate) watched: BTreeMap<u64, i64>,
    /// Whether the process was not told since its last call that was not local what these hold: it asks before it accesses them ([`crate::looks`]).
    pub(crate) unlooked: bool,
    /// Addresses that datatypes of the process hold.
    pub(crate) absolute: BTreeSet<u64>,
    /// The greatest number of a request or message that it was told of.
    pub(crate) last_number: i64,
    /// Memory of which the process has made windows: addresses and bytes.
    pub(crate) windows: Vec<(u64, u64)>,
    /// Memory that is attached for buffered sends: addresses and bytes.
    pub(crate) lent: Vec<(u64, u64)>,
    /// What pages of memory held when they were last compared with all that is known of them.
    pub(crate) pages: BTreeMap<u64, Arc<[u8]>>,
    /// Elements that were watched then.
    pub(crate) met: usize,
    /// Of a process with several threads: memory that calls have used, and how many calls it has made.
    pub(crate) used: Vec<Used>,
    pub(crate) calls: u32,
}

impl Seen {
    /// Notes what an element holds. What is in use there and was named otherwise is still to be looked at.
    pub(crate) fn note(&mut self, at: u64, ty: i64, value: i64) {
        self.beneath.remove(&(at, ty));
        if let Some((was, held)) = self.cells.insert(at, (ty, value)).filter(|(was, _)| *was != ty)
            && (was > RUNS || ty > RUNS)
            && self.in_use.contains_key(&at)
        {
            self.beneath.insert((at, was), held);
        }
    }

    /// Whether an element is known to hold this; or what begins there now is another element, which was named later.
    pub(crate) fn holds(&self, at: u64, ty: i64, value: i64) -> bool {
        self.cells.get(&at).is_some_and(|(was, held)| match *was == ty {
            true => *held == value,
            false => *was > RUNS || ty > RUNS,
        })
    }

    /// Runs that are known, and those beneath others, in order: where each begins and ends, and what is known to be at its beginning.
    pub(crate) fn long(&self, values: &Values) -> Vec<(u64, u64, i64)> {
        let known = self.cells.iter().filter(|(_, (ty, _))| *ty > RUNS);
        let known = known.map(|(at, (ty, value))| (*at, at + values.size(*ty) as u64, *value));
        let beneath = self.beneath.keys().filter(|(_, ty)| *ty > RUNS);
        let beneath = beneath.filter_map(|(at, ty)| Some((*at, at + values.size(*ty) as u64, self.cells.get(at)?.1)));
        let mut all: Vec<(u64, u64, i64)> = known.chain(beneath).collect();
        all.sort_unstable();
        all
    }

    /// Those of them that operations may still use.
    pub(crate) fn long_in_use(&self, values: &Values) -> Vec<(u64, u64, i64)> {
        if self.in_use.is_empty() {
            return vec![];
        }
        let mut long = self.long(values);
        long.retain(|(at, ..)| self.in_use.contains_key(at));
        long
    }

    /// Forgets what elements of a stretch of memory hold that the process has given back.
    pub(crate) fn forget(&mut self, from: u64, to: u64) {
        let gone: Vec<u64> = self.cells.range(from..to).map(|(at, _)| *at).collect();
        gone.iter().for_each(|at| _ = self.cells.remove(at));
        self.beneath.retain(|(at, _), _| !(from..to).contains(at));
    }

    /// Notes what an element holds that litmpi itself has put there, or read besides.
    pub(crate) fn know(&mut self, at: u64, ty: i64, value: i64, size: usize) {
        self.note(at, ty, value);
        // What its pages held says nothing of it.
        let (first, last) = (page_of(at), page_of(at + (size as u64).max(1) - 1));
        if !self.pages.is_empty() {
            let over: Vec<u64> = self.pages.range(first..=last).map(|(page, _)| *page).collect();
            over.iter().for_each(|page| _ = self.pages.remove(page));
        }
    }

    /// Notes buffers of which the process will be told what they hold; those of which it is not known that the call only reads them may be written.
    pub(crate) fn come(&mut self, areas: &[Area], taken: &[bool]) {
        for (i, area) in areas.iter().enumerate().filter(|(_, area)| !area.is_empty()) {
            if !taken.get(i).copied().unwrap_or(false) {
                self.coming.extend(area.iter().map(|(at, _)| *at));
            }
            self.pending.push(area.clone());
        }
    }

    /// Notes an operation that may use its buffers when its call has returned.
    pub(crate) fn begin(&mut self, areas: &[Area]) {
        // What it sends may be over before what it receives.
        for area in areas.iter().filter(|a| !a.is_empty()) {
            self.operations += 1;
            self.busy += 1;
            self.in_use.extend(area.iter().map(|(at, _)| (*at, self.operations)));
        }
    }

    /// Whether it cannot be told from something else that is known: which number an operation has does not matter.
    pub(crate) fn is_like(&self, other: &Seen) -> bool {
        let mut number_of: HashMap<usize, usize> = HashMap::new();
        let mut of_number: HashMap<usize, usize> = HashMap::new();
        let mut alike = |((at, one), (there, its)): ((&u64, &usize), (&u64, &usize))| {
            at == there && number_of.entry(*one).or_insert(*its) == its && of_number.entry(*its).or_insert(*one) == one
        };
        self.in_use.len() == other.in_use.len()
            && (self.returns, self.unlooked, &self.pending, &self.windows, &self.lent, self.last_number)
                == (other.returns, other.unlooked, &other.pending, &other.windows, &other.lent, other.last_number)
            && (&self.cells, &self.beneath, &self.coming) == (&other.cells, &other.beneath, &other.coming)
            && (&self.persistent, &self.watched, &self.absolute) == (&other.persistent, &other.watched, &other.absolute)
            && self.in_use.iter().zip(&other.in_use).all(&mut alike)
    }

    /// Addresses of what operations may still use, or the process is told of.
    pub(crate) fn elements(&self) -> Needed {
        self.elements_but_pending().chain(self.pending.iter().flatten().map(|(at, _)| *at)).collect()
    }

    /// The same without buffers of which the process has not been told yet.
    pub(crate) fn elements_but_pending(&self) -> impl Iterator<Item = u64> {
        let persistent = self.persistent.values().flatten().flat_map(|(area, _)| area).map(|(at, _)| *at);
        let lent = self.lent.iter().map(|(at, _)| *at);
        persistent.chain(self.in_use.keys().copied()).chain(self.watched.keys().copied()).chain(lent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    #[test]
    fn regions_take_what_is_spare_and_those_that_a_buffer_joins_are_given_anew() {
        let (g, mut r) = (Granule(4), Regions::default());
        assert_eq!(r.add(g, 0x3000, 4, None), Room::Lacks);
        r.settle(0);
        assert_eq!(r.add(g, 0x3004, 8, None), Room::Known, "the page has room");
        assert_eq!(r.add(g, 0x1000, 4, None), Room::Taken(0x1000, 32, 32));
        assert_eq!((r.place(0x3000), r.place(0x1000), r.place(0x1008)), (Some(0), Some(32), Some(34)));
        assert_eq!(r.add(g, 0x1080, 8, None), Room::Taken(0x1080, 64, 32), "beside a region, and of its own");
        assert_eq!(r.add(g, 0x107c, 8, None), Room::Lacks, "across the end of one");
        r.settle(0);
        assert_eq!(r.add(g, 0x107c, 8, None), Room::Known);
        assert_eq!((r.place(0x1080), r.place(0x3000), r.place(0x2000)), (Some(32), Some(64), None));
        assert_eq!(r.locations(), 96);
        let mut at = 0x5000;
        while r.add(g, at, 4, None) != Room::Lacks {
            at += 0x1000;
        }
        assert_eq!(at, 0x8000, "nothing is left to spare");
        let needed = |all: &[u64]| all.iter().copied().collect::<Needed>();
        r.release(&needed(&[0x107c, 0x5000]));
        assert_eq!(r.add(g, 0x9000, 0x90, None), Room::Taken(0x9000, 128, 64), "the first gap is too small");
        assert_eq!(r.add(g, 0xa000, 4, None), Room::Taken(0xa000, 64, 32));
        assert_eq!(r.add(g, 0x9ffc, 8, Some(&needed(&[0xa000]))), Room::Lacks, "what it joins is needed");
        r.settle(1024);
        let room = r.add(g, 0x908c, 0x78, Some(&needed(&[0xa000])));
        assert!(matches!(room, Room::Taken(0x9080, _, 64)), "what is not needed gives way: {room:?}");
        let room = r.add(g, 0x9040, 0x70, Some(&needed(&[0x90f0, 0xa000])));
        assert!(matches!(room, Room::Taken(0x9000, _, 44)), "what is needed behind it stays: {room:?}");
        assert_eq!(r.place(0x90f0).map(|p| r.place(0x90b0) == Some(p - 16)), Some(true));
        let mut named = needed(&[0xa000]);
        named.name(0x9040, 0x90b0);
        assert_eq!(r.add(g, 0x90a0, 0x20, Some(&named)), Room::Lacks, "the call names it, too");
    }

    /// Rows and columns of a matrix, on a page of which another buffer has begun.
    #[test]
    fn buffers_that_lie_over_each_other_are_one_region_after_a_few_beginnings() {
        let granule = Granule(4);
        let stretches = [(0x128, 64), (0x3f8, 64), (0x170, 568), (0x1b8, 568)];
        for shift in (0..=128).step_by(4) {
            let mut regions = Regions::default();
            let begun_again = |regions: &mut Regions| {
                regions.clear(granule);
                regions.settle(2048);
                let mut needed = Needed::default();
                stretches.iter().all(|(at, bytes)| {
                    let at = 0x7fff_0000 + shift + at;
                    let room = regions.add(granule, at, *bytes, Some(&needed));
                    let all = needed.0.iter().copied().chain((0..bytes / 8).map(|i| at + 8 * i));
                    needed = all.collect();
                    room != Room::Lacks
                })
            };
            assert!((0..6).any(|_| begun_again(&mut regions)), "{shift}");
        }
    }

    #[test]
    fn what_a_region_has_beyond_what_is_used_gives_way_to_a_buffer_that_is_used_besides() {
        let (g, mut r) = (Granule(4), Regions::default());
        let needed = |all: &[u64]| all.iter().copied().collect::<Needed>();
        r.settle(1024);
        assert_eq!(r.add(g, 0x1000, 0x70, None), Room::Taken(0x1000, 0, 32));
        assert_eq!(r.add(g, 0x107c, 0x20, Some(&needed(&[0x1000]))), Room::Taken(0x107c, 31, 33));
        assert_eq!((r.place(0x106c), r.place(0x107c), r.place(0x1080)), (Some(27), Some(31), Some(32)));
        assert_eq!(r.add(g, 0x1140, 4, None), Room::Taken(0x1100, 64, 32));
        assert_eq!(r.add(g, 0x10f8, 0x10, Some(&needed(&[0x1080, 0x1140]))), Room::Taken(0x10f8, 62, 4), "between two");
        assert_eq!((r.place(0x10f4), r.place(0x1104), r.place(0x1140)), (Some(61), Some(65), Some(80)));
    }

    #[test]
    fn a_region_grows_where_it_stands() {
        let (g, mut r) = (Granule(4), Regions::default());
        r.settle(1 << 20);
        assert_eq!(r.add(g, 0x1000, 4, None), Room::Taken(0x1000, 0, 32));
        assert_eq!(
            r.add(g, 0x9000, 4, None),
            Room::Taken(0x9000, 1056, 32),
            "what the first one may grow by is left free"
        );
        assert_eq!(r.add(g, 0x1000, 0x1000, None), Room::Taken(0x1000, 0, 1024));
        assert_eq!(r.add(g, 0x1000, 0x2000, None), Room::Lacks, "it has not so much room");
        r.settle(1 << 20);
        assert_eq!(r.add(g, 0x1000, 0x8004, None), Room::Lacks, "another one is there");
    }

    /// Whatever stretches are asked for, in whatever order: an address keeps its location until all are given anew, and no two have one.
    #[test]
    fn addresses_keep_their_locations_and_share_none() {
        for seed in 0..300 {
            let mut rng = StdRng::seed_from_u64(seed);
            let (granule, mut regions, mut places) = (Granule(4), Regions::default(), BTreeMap::new());
            regions.settle(1 << rng.random_range(8..14));
            for _ in 0..40 {
                let (at, bytes) = (0x1000 + 4 * rng.random_range(0..3000), 4 << rng.random_range(0..9));
                if regions.add(granule, at, bytes, None) == Room::Lacks {
                    regions.settle(1 << 12);
                    places.clear();
                    if regions.add(granule, at, bytes, None) == Room::Lacks {
                        continue;
                    }
                }
                for address in (at..at + bytes).step_by(4) {
                    places.insert(address, regions.place(address));
                }
                let now: BTreeSet<_> = places
                    .iter()
                    .map(|(address, place)| {
                        assert_eq!(regions.place(*address), *place, "{seed}: {address:#x} moves");
                        place
                    })
                    .collect();
                assert_eq!(now.len(), places.len(), "{seed}: two have one location");
            }
        }
    }

    #[test]
    fn what_an_operation_sends_may_be_over_before_what_it_receives() {
        let mut seen = Seen::default();
        seen.begin(&[vec![(0x20, 1)], vec![], vec![(0x10, 1), (0x14, 1)]]);
        assert_eq!(seen.in_use[&0x10], seen.in_use[&0x14]);
        assert_ne!(seen.in_use[&0x10], seen.in_use[&0x20], "one element does not speak for both buffers");
        let mut later = seen.clone();
        later.begin(&[vec![(0x20, 1)]]);
        assert!(later.is_like(&seen), "it is used again, by an operation of another number");
        later.begin(&[vec![(0x10, 1), (0x20, 1)]]);
        assert!(!later.is_like(&seen), "other elements are of one buffer");
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
