//! Processes that go one way, and whether one goes round: it does the same again and again, is told the same each time, and its memory does not
//! change. A loop that tests for a message is one, and so is one that looks at the memory of a window and calls `MPI_Win_sync`.
//!
//! A process that is what it was some calls ago ([`crate::digest`]) does now what it did then, as long as it is told the same. To compare it at
//! each call would take long. So one call is remembered, and a few that follow at the same place of the program are compared with it; then another
//! one is remembered, after twice as many calls. Of a process that was found to go round nothing but what it is told is compared.

use std::collections::VecDeque;

/// Calls of a process before it is looked at for the first time.
const FIRST: usize = 1024;
/// Calls of the longest round that is found.
const LONGEST: usize = 64;
/// How often a process is compared with what is remembered: it may come to one place of the program several times in a round.
const COMPARED: u32 = 8;
/// Calls in rounds, while no other process comes further, after which a process is taken to wait for ever.
const CALLS: u32 = 1000;

/// How far each process has come, and which of them go round.
#[derive(Default)]
pub(crate) struct Rounds {
    ranks: Vec<Pace>,
}

/// How far a process has come.
#[derive(Default)]
struct Pace {
    /// Calls that brought it further.
    came: usize,
    calls: usize,
    remembered: Option<Remembered>,
    round: Option<Round>,
    /// How far the others had come when it was taken to wait.
    stopped: Option<usize>,
    /// Whether it changed until then, so that it may do something else in the end.
    changes: bool,
}

/// A call of a process to which it may come back.
struct Remembered {
    site: u64,
    digest: u128,
    /// What it has been told since.
    told: VecDeque<Vec<i64>>,
    compared: u32,
}

/// What a process is told in a round, from where it is now.
struct Round {
    told: VecDeque<Vec<i64>>,
    /// Its calls since another process came further.
    alone: u32,
    /// How far the others had come then.
    others: usize,
}

impl Rounds {
    pub(crate) fn new(ranks: usize) -> Rounds {
        Rounds { ranks: (0..ranks).map(|_| Pace::default()).collect() }
    }

    /// How far all others have come.
    pub(crate) fn others(&self, rank: usize) -> usize {
        self.ranks.iter().enumerate().filter(|(other, _)| *other != rank).map(|(_, pace)| pace.came).sum()
    }

    /// A process has come to a call, and may have come further by it.
    pub(crate) fn came(&mut self, rank: usize, further: bool) {
        let pace = &mut self.ranks[rank];
        pace.came += usize::from(further && pace.round.is_none());
    }

    /// A process is taken to wait, and is followed no further.
    pub(crate) fn stops(&mut self, rank: usize, changes: bool) {
        let others = self.others(rank);
        let pace = &mut self.ranks[rank];
        (pace.stopped, pace.changes) = (Some(others), changes);
    }

    /// Whether some process that is taken to wait may go on in the end.
    pub(crate) fn may_go_on(&self) -> bool {
        self.ranks.iter().any(|pace| pace.changes)
    }

    /// Whether no process has come further since others were taken to wait, so that nothing has come that they wait for.
    pub(crate) fn nobody_came_further(&self) -> bool {
        let is_same = |(rank, pace): (usize, &Pace)| pace.stopped.is_none_or(|others| others == self.others(rank));
        self.ranks.iter().enumerate().all(is_same)
    }

    /// A process that waits in the call of this site is told something. Whether it has gone round for so long that it is taken to wait.
    pub(crate) fn told(&mut self, rank: usize, site: u64, told: &[i64], digest: impl FnOnce() -> Option<u128>) -> bool {
        let others = self.others(rank);
        let pace = &mut self.ranks[rank];
        pace.calls += 1;
        if pace.round.is_none() {
            pace.compare(site, digest, others);
        }
        let goes_round = pace.round.as_mut().is_some_and(|round| round.goes_on(told, others));
        if !goes_round {
            pace.round = None;
        }
        if let Some(remembered) = &mut pace.remembered {
            remembered.told.push_back(told.to_vec());
        }
        pace.round.as_ref().is_some_and(|round| round.alone > CALLS)
    }
}

impl Pace {
    /// Holds the process against what is remembered, or remembers it, if it is time.
    fn compare(&mut self, site: u64, digest: impl FnOnce() -> Option<u128>, others: usize) {
        if self.calls >= FIRST && self.calls.is_power_of_two() {
            self.remembered = digest().map(|digest| Remembered { site, digest, told: VecDeque::new(), compared: 0 });
            return;
        }
        let Some(remembered) = self.remembered.as_mut() else { return };
        if remembered.told.len() > LONGEST || remembered.compared == COMPARED {
            self.remembered = None;
        } else if remembered.site == site {
            remembered.compared += 1;
            if digest() == Some(remembered.digest) {
                let told = self.remembered.take().expect("just seen").told;
                self.round = Some(Round { told, alone: 0, others });
            }
        }
    }
}

impl Round {
    /// Whether the process, told this, does what it did a round before.
    fn goes_on(&mut self, told: &[i64], others: usize) -> bool {
        if self.told[0] != told {
            return false;
        }
        self.told.rotate_left(1);
        self.alone = if self.others == others { self.alone + 1 } else { 1 };
        self.others = others;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls of two processes, of which the first goes round in three calls and is told these numbers in them, until it is taken to wait.
    fn waits_after(
        calls: usize,
        told: impl Fn(usize) -> i64,
        digest: impl Fn(usize) -> Option<u128>,
        other: bool,
    ) -> Option<usize> {
        let mut rounds = Rounds::new(2);
        (0..calls).find(|n| {
            rounds.came(1, other);
            let waits = rounds.told(0, (n % 3) as u64, &[told(n % 3)], || digest(*n));
            rounds.came(0, true);
            waits
        })
    }

    #[test]
    fn a_process_goes_round_that_is_what_it_was_and_is_told_the_same() {
        let same = |n: usize| Some((n % 3) as u128);
        let waits = waits_after(10_000, |n| n as i64, same, false).expect("it waits");
        assert!((FIRST + CALLS as usize..FIRST + CALLS as usize + 8).contains(&waits), "{waits}");
        // It changes; nobody can say; another process comes further each time.
        assert_eq!(waits_after(10_000, |n| n as i64, |n| Some(n as u128), false), None);
        assert_eq!(waits_after(10_000, |n| n as i64, |_| None, false), None);
        assert_eq!(waits_after(10_000, |n| n as i64, same, true), None);
    }

    #[test]
    fn a_process_that_is_told_something_else_goes_round_no_more_and_comes_further() {
        let mut rounds = Rounds::new(2);
        for _ in 0..FIRST + 10 {
            rounds.told(0, 0, &[0], || Some(0));
            rounds.came(0, true);
        }
        let came = rounds.others(1);
        assert!(came <= FIRST + 1, "what goes round comes no further: {came}");
        assert!(!rounds.told(0, 0, &[1], || Some(0)));
        rounds.came(0, true);
        assert_eq!(rounds.others(1), came + 1);
    }
}
