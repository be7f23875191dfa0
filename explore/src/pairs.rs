//! Pairs of words, each kept once: the inner nodes of the trees that states are compressed to ([`crate::tree`]).
//!
//! All threads of a search share one table. A pair's number never changes, and reading a pair by its number takes no lock:
//! pairs stand in segments that never move. Which number a pair gets depends on who comes first, so nothing that a user sees
//! is ordered by numbers.

use hashbrown::HashTable;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock};

/// Parts of the table, each with a lock of its own; a power of two.
const SHARDS: usize = 64;
/// Pairs in the first segment of a shard; each further segment is twice as long.
const FIRST: usize = 1 << 8;
/// Segments a shard: enough for all numbers of 32 bits.
const SEGMENTS: usize = 20;

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

struct Shard {
    /// Places within the shard, by the hash of the pair that stands there.
    index: Mutex<HashTable<u32>>,
    segments: [OnceLock<Box<[AtomicU64]>>; SEGMENTS],
}

impl Shard {
    fn get(&self, place: u32) -> u64 {
        let (segment, at) = split(place);
        self.segments[segment].get().expect("a number that was given out")[at].load(Ordering::Relaxed)
    }

    fn set(&self, place: u32, pair: u64) {
        let (segment, at) = split(place);
        let made = || (0..FIRST << segment).map(|_| AtomicU64::new(0)).collect();
        self.segments[segment].get_or_init(made)[at].store(pair, Ordering::Relaxed);
    }
}

/// The segment that holds a place, and where in it.
fn split(place: u32) -> (usize, usize) {
    let at = place as usize + FIRST;
    let segment = (at / FIRST).ilog2() as usize;
    (segment, at - (FIRST << segment))
}

impl Pairs {
    pub(crate) fn new() -> Pairs {
        let shard = |_| Shard { index: Mutex::default(), segments: std::array::from_fn(|_| OnceLock::new()) };
        Pairs { shards: (0..SHARDS).map(shard).collect() }
    }

    /// The number of a pair.
    pub(crate) fn number(&self, pair: u64) -> u32 {
        let h = hash(pair);
        let shard = (h >> 58) as usize;
        let of = &self.shards[shard];
        let mut index = of.index.lock().unwrap_or_else(|e| e.into_inner());
        let place = match index.find(h, |p| of.get(*p) == pair) {
            Some(place) => *place,
            None => {
                let place = index.len() as u32;
                of.set(place, pair);
                index.insert_unique(h, place, |p| hash(of.get(*p)));
                place
            }
        };
        place.checked_mul(SHARDS as u32).expect("fewer than 2^32 distinct pairs") + shard as u32
    }

    /// The pair of a number.
    pub(crate) fn get(&self, number: u32) -> u64 {
        self.shards[number as usize % SHARDS].get(number / SHARDS as u32)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|s| s.index.lock().unwrap_or_else(|e| e.into_inner()).len()).sum()
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
        let mut expected = (0..4).flat_map(|s| (0..FIRST << s).map(move |at| (s, at)));
        assert!((0..(FIRST * 15) as u32).all(|p| Some(split(p)) == expected.next()));
    }
}
