//! Accesses to memory that are made one right behind the other.
//!
//! A store stays in a processor's buffer for a few hundred clock ticks, less than the device needs to look up a place. When an order
//! that is directed needs such a store to be in its buffer still, everything is looked up before. This serves accesses of one aligned
//! word each, in memory that the device has mapped; others are made as they come.

use crate::mapped::MappedWord;
use crate::queue::Queue;
use crate::window::Access;

/// What is stored.
enum Data {
    /// Known beforehand.
    Known(u64),
    /// What this access of the burst has loaded.
    Loaded(usize),
}

enum Act {
    Load,
    Store(Data),
}

/// Accesses that are looked up.
pub(crate) struct Burst {
    acts: Vec<(MappedWord, Act)>,
    /// What each has loaded.
    loaded: Vec<u64>,
}

impl Burst {
    /// The accesses of queue pairs, in order; none if one of them is not of a mapped word.
    pub(crate) fn of(queues: &[Queue], accesses: &[(usize, Access)]) -> Option<Burst> {
        let mut acts = vec![];
        for (i, (q, access)) in accesses.iter().enumerate() {
            let act = match *access {
                Access::Load { .. } => Act::Load,
                Access::Store { value, .. } => {
                    let load = |(of, a): &(usize, Access)| {
                        of == q && matches!(a, Access::Load { value: v, .. } if *v == value)
                    };
                    Act::Store(match accesses[..i].iter().rposition(load) {
                        Some(load) => Data::Loaded(load),
                        None => Data::Known(queues[*q].window().held(value)?),
                    })
                }
            };
            acts.push((queues[*q].window().word(*access)?, act));
        }
        Some(Burst { loaded: vec![0; acts.len()], acts })
    }

    /// Makes them.
    pub(crate) fn make(&mut self) {
        for (i, (word, act)) in self.acts.iter().enumerate() {
            match act {
                Act::Load => self.loaded[i] = word.load(),
                Act::Store(Data::Known(value)) => word.store(*value),
                Act::Store(Data::Loaded(load)) => word.store(self.loaded[*load]),
            }
        }
    }

    /// Tells the queue pairs what was loaded.
    pub(crate) fn tell(&self, queues: &[Queue], accesses: &[(usize, Access)]) {
        for ((q, access), loaded) in accesses.iter().zip(&self.loaded) {
            if let Access::Load { value, .. } = access {
                queues[*q].window().loaded(*value, *loaded);
            }
        }
    }
}
