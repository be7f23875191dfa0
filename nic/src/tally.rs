//! How many operations the device was asked for, by kind: proof that what a program did went over it.

use crate::layout::*;
use std::time::{Duration, Instant};

/// Hears how far a counter moved on.
pub type Hears = fn(&str, u64);

const NAMES: [&str; 9] = [
    "writes",
    "writes-with-immediate",
    "sends",
    "reads",
    "compare-and-swaps",
    "fetch-and-adds",
    "datagrams",
    "windows",
    "sent-again",
];
const DATAGRAM: usize = 6;
const AGAIN: usize = 8;

/// Counters, and how far they have been told.
pub(crate) struct Tally {
    counts: [u64; NAMES.len()],
    told: [u64; NAMES.len()],
    hears: Option<Hears>,
    last: Instant,
}

impl Tally {
    pub(crate) fn new(hears: Option<Hears>) -> Tally {
        Tally { counts: [0; NAMES.len()], told: [0; NAMES.len()], hears, last: Instant::now() }
    }

    /// One more operation.
    pub(crate) fn count(&mut self, opcode: u64, is_datagram: bool) {
        let which = match opcode {
            _ if is_datagram => DATAGRAM,
            WR_WRITE_IMM => 1,
            WR_SEND | WR_SEND_IMM | WR_SEND_INV => 2,
            WR_READ => 3,
            WR_CMP_SWP => 4,
            WR_FETCH_ADD => 5,
            WR_BIND | WR_LOCAL_INV => 7,
            _ => 0,
        };
        self.counts[which] += 1;
    }

    /// So many packets have been sent again since the beginning.
    pub(crate) fn again(&mut self, times: u64) {
        self.counts[AGAIN] = times;
    }

    /// Tells what is new, once a second: a program that hangs is ended, and its device with it.
    pub(crate) fn tell_now_and_then(&mut self, now: Instant) {
        if now - self.last > Duration::from_secs(1) {
            self.last = now;
            self.tell();
        }
    }

    /// Tells what is new.
    pub(crate) fn tell(&mut self) {
        let Some(hears) = self.hears else { return };
        for (i, name) in NAMES.iter().enumerate().filter(|(i, _)| self.counts[*i] > self.told[*i]) {
            hears(name, self.counts[i] - self.told[i]);
        }
        self.told = self.counts;
    }
}
