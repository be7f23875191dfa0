//! Pairs of words, each kept once: the inner nodes of the trees that states are compressed to ([`crate::search::tree`]).
//!
//! All threads of a search share one table. A pair's number never changes, and reading a pair by its number takes no lock:
//! pairs stand in segments that never move. Which number a pair gets depends on who comes first, so nothing that a user sees
//! is ordered by numbers.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// Parts of the table, each with a lock of its own; a power of two.
const SHARDS: usize = 64;
/// Pairs in the first segments of a shard. Segments are of equal length four at a time, then of twice that length: so at most a
/// quarter of the room that is there is empty.
const FIRST: usize = 1 << 6;
const ALIKE: usize = 4;
/// Segments a shard: enough for all numbers of 32 bits.
const SEGMENTS: usize = ALIKE * 19;

/// About how many bytes a pair takes: eight, and four of an index, in tables that are partly empty.
pub(crate) const PAIR_BYTES: usize = 16;

/// Two words as one.
pub(crate) fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// The two words of a pair.
pub(crate) fn halves(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

/// A hash whose high and low bits are both good (the finalizer of MurmurHash3).
pub(crate) fn hash(pair: u64) -> u64 {
    let x = (pair ^ pair >> 33).wrapping_mul(0xff51_afd7_ed55_8ccd);
    let x = (x ^ x >> 33).wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ x >> 33
}

/// Distinct pairs and their numbers.
pub(crate) struct Pairs {
    shards: Vec<Shard>,
}

/// Of two shards, no word lies on the same line of a processor's cache: threads would take it from each other.
#[repr(align(128))]
struct Shard {
    index: Mutex<Index>,
    segments: [OnceLock<Box<[AtomicU64]>>; SEGMENTS],
}

/// Where pairs stand within a shard: a table with open addressing of four bytes an entry, at most four fifths full.
#[derive(Default)]
struct Index {
    /// One more than the place, with a few bits of the pair's hash above it; 0 where there is none.
    slots: Vec<u32>,
    len: usize,
}

/// Bits of a place: numbers have 32, and the shard is not said again.
const PLACE: u32 = u32::BITS - SHARDS.ilog2();

/// The bits of a hash that an entry repeats, so that seldom a pair is read that is not the one looked for.
fn tag(h: u64) -> u32 {
    (h as u32) << PLACE
}

impl Index {
    /// The slot with a pair of this hash that `is` the one that is looked for, or the empty one where it would stand.
    fn slot(&self, h: u64, is: impl Fn(u32) -> bool) -> usize {
        // The highest bits have chosen the shard.
        let mut at = ((u128::from(h << SHARDS.ilog2()) * self.slots.len() as u128) >> 64) as usize;
        loop {
            let slot = self.slots[at];
            if slot == 0 || slot >> PLACE == tag(h) >> PLACE && is((slot & !(u32::MAX << PLACE)) - 1) {
                return at;
            }
            at = if at + 1 == self.slots.len() { 0 } else { at + 1 };
        }
    }

    fn enter(&mut self, h: u64, place: u32) {
        let at = self.slot(h, |_| false);
        assert!(place + 1 < 1 << PLACE, "fewer than 2^32 distinct pairs");
        self.slots[at] = tag(h) | (place + 1);
    }

    fn grow(&mut self, hash_of: impl Fn(u32) -> u64) {
        let larger = (self.slots.len() + self.slots.len() / 3).max(64);
        self.slots = vec![0; larger];
        (0..self.len as u32).for_each(|place| self.enter(hash_of(place), place));
    }
}

impl Shard {
    fn get(&self, place: u32) -> u64 {
        let (segment, at) = split(place);
        self.segments[segment].get().expect("a number that was given out")[at].load(Ordering::Relaxed)
    }

    fn set(&self, place: u32, pair: u64) {
        let (segment, at) = split(place);
        let made = || (0..FIRST << (segment / ALIKE)).map(|_| AtomicU64::new(0)).collect();
        self.segments[segment].get_or_init(made)[at].store(pair, Ordering::Relaxed);
    }
}

/// The segment that holds a place, and where in it.
fn split(place: u32) -> (usize, usize) {
    let at = place as usize + ALIKE * FIRST;
    let doubled = (at / (ALIKE * FIRST)).ilog2() as usize;
    let (length, rest) = (FIRST << doubled, at - ((ALIKE * FIRST) << doubled));
    (ALIKE * doubled + rest / length, rest % length)
}

impl Pairs {
    pub(crate) fn new() -> Pairs {
        let shard = |_| Shard { index: Mutex::default(), segments: std::array::from_fn(|_| OnceLock::new()) };
        Pairs { shards: (0..SHARDS).map(shard).collect() }
    }

    /// The number of a pair.
    pub(crate) fn number(&self, pair: u64) -> u32 {
        let h = hash(pair);
        let shard = (h >> (u64::BITS - SHARDS.ilog2())) as usize;
        let of = &self.shards[shard];
        let mut index = of.index.lock().unwrap_or_else(|e| e.into_inner());
        if (index.len + 1) * 5 > index.slots.len() * 4 {
            index.grow(|place| hash(of.get(place)));
        }
        let slot = index.slots[index.slot(h, |place| of.get(place) == pair)];
        let place = if slot == 0 {
            let place = index.len as u32;
            of.set(place, pair);
            index.enter(h, place);
            index.len += 1;
            place
        } else {
            (slot & !(u32::MAX << PLACE)) - 1
        };
        place * SHARDS as u32 + shard as u32
    }

    /// The pair of a number.
    pub(crate) fn get(&self, number: u32) -> u64 {
        self.shards[number as usize % SHARDS].get(number / SHARDS as u32)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|s| s.index.lock().unwrap_or_else(|e| e.into_inner()).len).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pair_has_one_number_whoever_asks_and_is_read_back() {
        let pairs = Pairs::new();
        let wanted: Vec<u64> = (0..20_000_u32).map(|i| pair(i % 700, i.wrapping_mul(0x9e37_79b9))).collect();
        let ask = || wanted.iter().map(|p| pairs.number(*p)).collect::<Vec<_>>();
        let (mine, theirs) = std::thread::scope(|s| {
            let other = s.spawn(ask);
            (ask(), other.join().expect("no panic"))
        });
        assert_eq!(mine, theirs);
        assert_eq!(pairs.len(), 20_000);
        assert!(mine.iter().zip(&wanted).all(|(n, p)| pairs.get(*n) == *p));
    }

    #[test]
    fn places_fill_segment_after_segment() {
        let mut expected = (0..12).flat_map(|s| (0..FIRST << (s / ALIKE)).map(move |at| (s, at)));
        assert!((0..(FIRST * ALIKE * 7) as u32).all(|p| Some(split(p)) == expected.next()));
        assert!(split(u32::MAX / SHARDS as u32).0 < SEGMENTS, "numbers of 32 bits have room");
    }
}
