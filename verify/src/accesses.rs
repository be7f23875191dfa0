//! Accesses to memory of a program that `litmpi cc` has compiled, and memory that any program frees: which of them litmpi wants to know
//! about, and which there were.
//!
//! The process keeps a table (`watch` in `verify/c/library.c`): litmpi writes ranges of addresses into it before a call returns, and
//! reads at the next call which accesses there were.

use crate::rank::Process;

/// Room of the table, as the library in C has it.
const RANGES: usize = 1024;
const HEAD: u64 = 72;
/// Where in it calls of several threads are noted.
const THREADS: u64 = 40;
const ENTRY: usize = 48;
/// Room of the table for accesses.
const ACCESSES: u64 = 8192;
/// Where it ends, and the log of other threads begins ([`crate::races`]).
pub(crate) const TABLE_ENDS: u64 = HEAD + 16 * RANGES as u64 + ENTRY as u64 * ACCESSES;
/// Why accesses are lost, as the library in C says it: it is not known between which calls they are.
const OTHER_THREAD: u64 = 2;

/// The table of a process.
#[derive(Debug, Clone, Default)]
pub(crate) struct Accesses {
    /// Where it is; 0 where there is none yet.
    pub(crate) at: u64,
    /// Whether `litmpi cc` has compiled the program, so that loads and stores are seen.
    pub(crate) seen: bool,
    generation: u64,
    /// What stands there: from, and up to.
    ranges: Vec<(u64, u64)>,
}

/// What is done with memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Reads,
    Writes,
    /// It is given back: to a buffer in use that is as bad as a store.
    Frees,
}

/// An access, once for each generation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Access {
    pub(crate) at: u64,
    pub(crate) bytes: u64,
    pub(crate) kind: Kind,
    /// Where in the program it returns to.
    pub(crate) site: u64,
}

impl Process {
    /// From now on, accesses to these stretches are noted: addresses and bytes, in order. If what its windows hold is `unlooked`, the
    /// process asks for it before the first of them.
    pub(crate) fn watch(&mut self, stretches: impl Iterator<Item = (u64, u64)>, unlooked: bool) -> Result<(), String> {
        if self.accesses.at == 0 {
            return Ok(());
        }
        let ranges = joined(stretches);
        if !self.accesses.seen && ranges.is_empty() && self.accesses.ranges.is_empty() {
            return Ok(());
        }
        let at = self.accesses.at;
        self.accesses.generation += 1;
        let head = [self.accesses.generation, ranges.len() as u64, 0, 0, u64::from(unlooked)];
        self.write(at, &words(head.into_iter()))?;
        if ranges != self.accesses.ranges {
            self.write(at + HEAD, &words(ranges.iter().flat_map(|(from, to)| [*from, *to])))?;
            self.accesses.ranges = ranges;
        }
        Ok(())
    }

    /// What was accessed since then; an error if there was more than has room. Of what it is not known whether it was since then, it is said
    /// beside.
    pub(crate) fn accessed(&self) -> Result<(Vec<Access>, Option<String>), String> {
        if self.accesses.at == 0 {
            return Ok((vec![], None));
        }
        if !self.accesses.seen && self.accesses.ranges.is_empty() {
            return Ok((vec![], None));
        }
        let [_, _, n, lost] = self.words(self.accesses.at, 4)[..] else { return Ok((vec![], None)) };
        match lost {
            0 => {}
            OTHER_THREAD => {
                let what = "accesses of another thread to buffers in use or to windows";
                return Ok((vec![], Some(format!("{what}, which no fork, join or barrier puts between two calls"))));
            }
            _ => return Err(format!("accesses to buffers in more than {n} rows between two calls")),
        }
        let entries = self.words(self.accesses.at + HEAD + 16 * RANGES as u64, n as usize * ENTRY / 8);
        Ok((entries.chunks_exact(ENTRY / 8).flat_map(row).collect(), None))
    }

    /// The first call of MPI by another thread than the one whose calls came first, and the first one that was made while another thread was in a
    /// call: its function, and where it returns to. The thread of the second one goes no further.
    pub(crate) fn calls_of_threads(&self) -> [Option<(usize, u64)>; 2] {
        let noted = self.words(self.accesses.at + THREADS, 4);
        let call = |i: usize| {
            let function = noted.get(2 * i)?.checked_sub(1)?;
            Some((function as usize, *noted.get(2 * i + 1)?))
        };
        [call(0), call(1)]
    }

    /// Words of its memory, as many as there are, at most `n`.
    pub(crate) fn words(&self, at: u64, n: usize) -> Vec<u64> {
        let bytes = self.read(at, n * 8);
        bytes.chunks_exact(8).map(|b| u64::from_ne_bytes(b.try_into().expect("eight bytes"))).collect()
    }
}

/// The accesses of an entry of the table: one where they lie side by side.
fn row(entry: &[u64]) -> impl Iterator<Item = Access> {
    let [at, bytes, number, site, stride, count] = entry[..] else { unreachable!("an entry is six words") };
    let last = at.wrapping_add(stride.wrapping_mul(count - 1));
    let is_dense = count > 1 && (stride as i64).unsigned_abs() <= bytes;
    let (at, bytes, count) = if is_dense { (at.min(last), at.abs_diff(last) + bytes, 1) } else { (at, bytes, count) };
    (0..count).map(move |i| Access { at: at.wrapping_add(stride.wrapping_mul(i)), bytes, kind: kind(number), site })
}

/// As the library in C numbers them.
fn kind(number: u64) -> Kind {
    match number {
        0 => Kind::Reads,
        1 => Kind::Writes,
        _ => Kind::Frees,
    }
}

fn words(all: impl Iterator<Item = u64>) -> Vec<u8> {
    all.flat_map(u64::to_ne_bytes).collect()
}

/// Stretches in order, with the first byte of each window among them, of which nothing else may be watched: with it a window's memory is given back; and
/// memory that is attached for buffered sends.
pub(crate) fn with_windows<'a>(
    stretches: impl Iterator<Item = (u64, u64)> + 'a,
    beneath: impl Iterator<Item = (u64, u64)> + 'a,
    windows: &[(u64, u64)],
    lent: &[(u64, u64)],
) -> Box<dyn Iterator<Item = (u64, u64)> + 'a> {
    let mut beneath = beneath.peekable();
    if windows.is_empty() && lent.is_empty() && beneath.peek().is_none() {
        return Box::new(stretches);
    }
    let begins = windows.iter().filter(|(_, bytes)| *bytes > 0).map(|(at, _)| (*at, 1));
    let mut all: Vec<(u64, u64)> = stretches.chain(beneath).chain(begins).chain(lent.iter().copied()).collect();
    all.sort_unstable();
    Box::new(all.into_iter())
}

/// Stretches as ranges that do not touch, at most as many as the table has room for: where there are more, memory between them is watched, too.
fn joined(stretches: impl Iterator<Item = (u64, u64)>) -> Vec<(u64, u64)> {
    let mut ranges: Vec<(u64, u64)> = vec![];
    let join = |ranges: &mut Vec<(u64, u64)>, from: u64, to: u64, gap: u64| match ranges.last_mut() {
        Some(last) if from <= last.1.saturating_add(gap) => last.1 = last.1.max(to),
        _ => ranges.push((from, to)),
    };
    stretches.for_each(|(at, bytes)| join(&mut ranges, at, at + bytes, 0));
    let mut gap = 64;
    while ranges.len() > RANGES {
        let mut fewer = vec![];
        ranges.iter().for_each(|(from, to)| join(&mut fewer, *from, *to, gap));
        ranges = fewer;
        gap = gap.saturating_mul(2);
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_of_accesses_side_by_side_is_one_and_others_are_themselves() {
        let of = |stride: i64, count| {
            row(&[1000, 4, 1, 7, stride as u64, count]).map(|a| (a.at, a.bytes)).collect::<Vec<_>>()
        };
        assert_eq!(of(0, 1), [(1000, 4)]);
        assert_eq!(of(4, 10), [(1000, 40)]);
        assert_eq!(of(-4, 3), [(992, 12)]);
        assert_eq!(of(8, 3), [(1000, 4), (1008, 4), (1016, 4)]);
        assert_eq!(of(-8, 2), [(1000, 4), (992, 4)]);
    }

    #[test]
    fn stretches_that_touch_are_one_range_and_there_are_no_more_than_have_room() {
        let one = [(0x10, 4), (0x14, 8), (0x20, 4), (0x20, 8)];
        assert_eq!(joined(one.into_iter()), [(0x10, 0x1c), (0x20, 0x28)]);
        let many = (0..10_000).map(|i| (i * 100, 4));
        let ranges = joined(many.clone());
        assert!(ranges.len() <= RANGES, "{}", ranges.len());
        let is_in = |at: u64| ranges.iter().any(|(from, to)| *from <= at && at + 4 <= *to);
        assert!(many.into_iter().all(|(at, _)| is_in(at)));
    }
}
