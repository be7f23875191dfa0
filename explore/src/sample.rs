//! Some states of a system, from random ways through it.

use crate::Target;
use crate::sweep::Shared;

/// States of a way that is gone to its end or, if it has none, so far.
const LONGEST: usize = 1000;

/// So many states, as rows of words, from ways that begin at the initial state; always the same ones.
///
/// # Errors
/// The system's own.
pub(crate) fn sample<S: Shared>(system: &S, most: usize) -> Result<Vec<Vec<u32>>, S::Fault> {
    let mut worker = system.worker();
    let mut random = Random(1);
    let mut rows = vec![];
    while rows.len() < most {
        let mut at = system.initial();
        for _ in 0..LONGEST {
            let (mut next, mut seen) = (None, 0);
            worker.enough(&at, &mut |target| {
                if let Target::State(state) = target {
                    seen += 1;
                    // Each of those that there are is taken with the same chance.
                    if random.below(seen) == 0 {
                        next = Some(state.to_vec());
                    }
                }
            })?;
            let Some(next) = next.filter(|_| rows.len() < most) else { break };
            rows.push(std::mem::replace(&mut at, next));
        }
        rows.push(at);
    }
    Ok(rows)
}

/// Numbers that look random (splitmix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (x ^ x >> 31) % n
    }
}
