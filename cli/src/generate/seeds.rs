//! The seeds that random programs are made of: one after the other from a first one on, perhaps those of one shard alone.

use crate::shard::Shard;
use serde::{Deserialize, Serialize};

/// So many seeds are one shard's, the next so many the next one's: all kinds of programs that are made in turn are among them.
const BLOCK: u64 = 64;
/// One program in so many of a block may be one that can only deadlock, where lively ones are wanted.
const STUCK: u64 = 8;

/// Seeds in order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Seeds {
    /// The first of all, from which on blocks are counted.
    pub(crate) first: u64,
    pub(crate) next: u64,
    /// What was kept of the block that the next one is of.
    pub(crate) kept: InBlock,
    pub(crate) shard: Option<Shard>,
}

/// What was kept of a block: the same whatever the batches are in which programs are made, so that shards have together what the whole has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct InBlock {
    pub(crate) programs: u64,
    pub(crate) stuck: u64,
}

impl Seeds {
    /// All from this one on.
    pub(crate) fn from(first: u64) -> Seeds {
        Seeds { first, next: first, kept: InBlock::default(), shard: None }
    }

    fn block(&self, seed: u64) -> u64 {
        seed.wrapping_sub(self.first) / BLOCK
    }

    /// The seed before which all is done.
    pub(crate) fn done(&mut self, seed: u64) {
        let next = seed.wrapping_add(1);
        if self.block(next) != self.block(seed) {
            self.kept = InBlock::default();
        }
        self.next = next;
    }

    /// Whether a program that can only deadlock would be one too many.
    pub(crate) fn has_enough_stuck(&self) -> bool {
        STUCK * (self.kept.stuck + 1) > self.kept.programs + 1
    }
}

impl Iterator for Seeds {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        while self.shard.is_some_and(|shard| !shard.has(self.block(self.next))) {
            self.next = self.first.wrapping_add((self.block(self.next) + 1) * BLOCK);
        }
        let seed = self.next;
        self.next = seed.wrapping_add(1);
        Some(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::programs::Programs;
    use crate::generate::{Keeps, model_of, some_programs};
    use std::collections::BTreeSet;

    fn shard(text: &str) -> Shard {
        text.parse().expect("a shard")
    }

    #[test]
    fn shards_have_blocks_of_seeds_that_together_are_all() {
        let own = |of: &str| Seeds { shard: Some(shard(of)), ..Seeds::from(7) }.take_while(|s| *s < 7 + 10 * BLOCK);
        let all: BTreeSet<u64> = ["1/3", "2/3", "3/3"].into_iter().flat_map(own).collect();
        assert_eq!(all, (7..7 + 10 * BLOCK).collect());
        assert_eq!(["1/3", "2/3", "3/3"].map(|of| own(of).count()), [4, 3, 3].map(|n| n * BLOCK as usize));
        assert!(own("2/3").take(BLOCK as usize).eq(7 + BLOCK..7 + 2 * BLOCK));
    }

    #[test]
    fn the_programs_of_shards_are_those_of_the_whole_in_whatever_batches() {
        let model = model_of(None).expect("a model");
        // Of windows, many can only deadlock.
        let of = [Programs::Windows, Programs::Messages].map(|of| of.random(2));
        let made = |shard: Option<Shard>, batch: usize, end: u64| {
            let mut seeds = Seeds { shard, ..Seeds::from(1) };
            let (mut out, mut stuck) = (vec![], 0);
            while seeds.next < end {
                let kept =
                    some_programs(seeds, batch, (&of, Keeps::Lively), &model, None, |_| Ok(())).expect("programs");
                (seeds, stuck) = (kept.seeds, stuck + kept.too_stuck);
                out.extend(kept.programs.into_iter().map(|(name, _)| name));
            }
            let number = |name: &String| name.rsplit('-').next().and_then(|n| n.parse::<u64>().ok()).expect("a seed");
            out.retain(|name| number(name) < end);
            (out, stuck)
        };
        let end = 1 + 3 * BLOCK;
        let (all, passed_over) = made(None, 50, end);
        assert!(passed_over > 0);
        let parts = ["1/2", "2/2"].map(|of| made(Some(shard(of)), 13, end).0);
        assert!(parts.iter().all(|part| part.len() > 10));
        let mut union = parts.concat();
        assert_eq!(union.len(), all.len());
        let number = |name: &String| name.rsplit('-').next().and_then(|n| n.parse::<u64>().ok());
        union.sort_by_key(number);
        assert_eq!(union, all);
    }
}
