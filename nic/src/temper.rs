//! When a queue pair does what it may do.
//!
//! The rules say what may happen, not when. A queue pair draws a temper whenever it gets something to do: how long
//! each rule is held back once it is ready. Holding one rule for about as long as the processors need for a whole test
//! is what makes the rare outcomes.

use std::time::Duration;

/// Random numbers (splitmix64), the same for the same seed.
#[derive(Debug, Clone)]
pub(crate) struct Rng(pub(crate) u64);

impl Rng {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// One of `0..n`.
    pub(crate) fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.next() % (n.max(1) as u64)).unwrap_or(0)
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// How queue pairs draw their tempers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheduler {
    /// Each time one of the other three.
    Mixed,
    /// Nothing is held back; of what is ready, any is next.
    Prompt,
    /// Each step is held back now and then.
    Random,
    /// A few rules are held back for long, the others not at all.
    Adversarial,
}

impl Scheduler {
    /// All, by name.
    pub const ALL: [(&'static str, Scheduler); 4] = [
        ("mixed", Scheduler::Mixed),
        ("prompt", Scheduler::Prompt),
        ("random", Scheduler::Random),
        ("adversarial", Scheduler::Adversarial),
    ];
}

/// What one queue pair is like until it is idle again.
#[derive(Debug, Clone, Default)]
pub(crate) struct Temper {
    /// For each rule, how long it is held back; empty if each step is held back by chance.
    holds: Vec<Duration>,
    chance: f64,
    longest: Duration,
}

impl Temper {
    pub(crate) fn draw(scheduler: Scheduler, rules: usize, longest: Duration, rng: &mut Rng) -> Temper {
        let kind = match scheduler {
            Scheduler::Mixed => match rng.below(5) {
                0 => Scheduler::Prompt,
                1 => Scheduler::Random,
                _ => Scheduler::Adversarial,
            },
            one => one,
        };
        // What is long depends on how fast the programs are, which nobody knows beforehand.
        let longest = longest.mul_f64([0.3, 0.3, 0.3, 1.0, 1.0, 1.0, 3.0, 10.0][rng.below(8)]);
        match kind {
            Scheduler::Prompt => Temper::default(),
            Scheduler::Random => Temper { holds: vec![], chance: 0.3, longest },
            _ => {
                let share = [0.1, 0.25, 0.5][rng.below(3)];
                let mut hold =
                    |_| if rng.unit() < share { longest.mul_f64(0.2 + 0.8 * rng.unit()) } else { Duration::ZERO };
                Temper { holds: (0..rules).map(&mut hold).collect(), chance: 0.0, longest }
            }
        }
    }

    /// How long a step by this rule waits.
    pub(crate) fn hold(&self, rule: usize, rng: &mut Rng) -> Duration {
        match self.holds.get(rule) {
            Some(hold) => *hold,
            None if self.chance > 0.0 && rng.unit() < self.chance => {
                // Short and long are equally likely by order of magnitude.
                self.longest.mul_f64(10_f64.powf(-2.0 * rng.unit()))
            }
            None => Duration::ZERO,
        }
    }
}
