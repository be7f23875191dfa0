//! Numbers that look random (splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).

/// A stream of them.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of that number under a seed.
    pub fn new(seed: u64, number: u64) -> Random {
        let mut of_seed = Random(seed);
        let start = of_seed.next();
        Random(Random(start ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15)).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ x >> 31
    }

    /// One below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}
