//! Keys: which bytes of a process each covers, with which rights, and how they change.
//!
//! A region's table has an entry for each memory region and each memory window. Programs write those of regions; windows are bound and
//! invalidated by requests, when the rules say so (`spec/verbs/windows.spec`), and then the engine writes. A key is the number of an entry
//! and, in its lowest byte, which of that entry's keys it is: one that has changed covers nothing any more.
//! Windows of the second type are those of InfiniBand's type 2B: only the queue pair that they were bound on may use them.

use crate::layout::*;
use crate::place::{Place, Registered};
use crate::region::{Piece, Region};
use std::rc::Rc;

/// Who uses a key, and for what.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use {
    /// The rights that are needed.
    pub(crate) access: u64,
    /// The protection domain of the queue pair at the end where the memory is.
    pub(crate) pd: u64,
    /// The number of that queue pair, where it does what the other end asks for. Requests of one's own name regions only.
    pub(crate) asked: Option<u64>,
}

impl Use {
    /// Of memory of the asking process.
    pub(crate) fn own(access: u64, pd: u64) -> Use {
        Use { access, pd, asked: None }
    }
}

/// A change of keys that a request asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    /// A window becomes this key's, of bytes of a region: its entry, the key, the region's key, begin, length, rights.
    Bind { window: usize, key: u64, of: u64, addr: u64, len: u64, access: u64 },
    /// A key of a window covers nothing any more.
    Invalidate { key: u64 },
}

fn word(region: &Region, entry: usize, word: usize) -> u64 {
    region.get(MRS + entry * MR_WORDS + word)
}

/// The entry whose present key this is, if it covers anything.
fn entry_of(region: &Region, number: usize, key: u64) -> Option<usize> {
    let entry = usize::try_from(key >> 8).ok()?;
    let entry = (entry / MR_COUNT == number + 1).then_some(entry % MR_COUNT)?;
    (word(region, entry, MR_KEY) == key && word(region, entry, MR_VALID) != 0).then_some(entry)
}

/// One range, as bytes of the process, if the key allows the access to all of it.
fn piece(region: &Region, number: usize, (addr, len, key): (u64, u64, u64), by: Use) -> Option<(Piece, Registered)> {
    let entry = entry_of(region, number, key)?;
    let of = |i: usize| word(region, entry, i);
    let generation = of(MR_VALID);
    let offset = addr.checked_sub(of(MR_IOVA))?;
    let inside = offset.checked_add(len)? <= of(MR_LEN);
    let may = of(MR_ACCESS) & by.access == by.access;
    let (is_for, mr, registered) = match of(MR_KIND) as usize {
        IS_REGION => (of(MR_PD) == by.pd, entry, generation),
        IS_WINDOW_1 => (by.asked.is_some() && of(MR_PD) == by.pd, of(MR_OF) as usize % MR_COUNT, of(MR_OF_VALID)),
        _ => (by.asked == Some(of(MR_QPN)), of(MR_OF) as usize % MR_COUNT, of(MR_OF_VALID)),
    };
    let is_there = word(region, mr, MR_VALID) == registered;
    (inside && may && is_for && is_there).then(|| {
        let through = (mr != entry).then_some((entry, generation));
        let mapped = region.mapped(mr, registered);
        ((of(MR_ADDR).wrapping_add(offset), len), Registered { mr, generation: registered, through, mapped })
    })
}

/// Ranges of a process as a place, if every key allows the access.
pub(crate) fn place((region, number): (&Rc<Region>, usize), ranges: &[(u64, u64, u64)], by: Use) -> Option<Place> {
    let (mut pieces, mut registered) = (vec![], vec![]);
    for range in ranges.iter().filter(|r| r.1 > 0) {
        let (piece, of_piece) = piece(region, number, *range, by)?;
        pieces.push(piece);
        registered.push(of_piece);
    }
    Some(Place { region: Rc::clone(region), pid: region.pid(), pieces, registered })
}

/// Whether a change is one that a queue pair, by its protection domain and its number, may ask for.
pub(crate) fn may_change((region, number): (&Region, usize), change: Change, (pd, qpn): (u64, u64)) -> bool {
    match change {
        Change::Invalidate { key } => is_window_of(region, number, key, qpn),
        Change::Bind { window, key, of, addr, len, access } => {
            let entry = |i: usize| word(region, window % MR_COUNT, i);
            let kind = entry(MR_KIND) as usize;
            let is_its_key = key >> 8 == entry(MR_KEY) >> 8;
            let is_second = kind == IS_WINDOW_2;
            if window >= MR_COUNT || !matches!(kind, IS_WINDOW_1 | IS_WINDOW_2) || entry(MR_PD) != pd || !is_its_key {
                return false;
            }
            // A window of the second type is invalidated before it is bound anew; one of the first type by binding nothing.
            if is_second && entry(MR_VALID) != 0 {
                return false;
            }
            if len == 0 {
                return !is_second;
            }
            let changes = access & (REMOTE_WRITE | REMOTE_ATOMIC) != 0;
            let needs = MW_BIND | if changes { LOCAL_WRITE } else { 0 };
            piece(region, number, (addr, len, of), Use::own(needs, pd)).is_some()
        }
    }
}

/// Makes a change that may be made. A region that is gone meanwhile leaves its window without anything.
pub(crate) fn change((region, number): (&Region, usize), change: Change, qpn: u64, generation: u64) {
    let set = |entry: usize, word: usize, value: u64| region.set(MRS + entry * MR_WORDS + word, value);
    match change {
        Change::Invalidate { key } => {
            if let Some(entry) = entry_of(region, number, key) {
                set(entry, MR_VALID, 0);
            }
        }
        Change::Bind { window, key, of, addr, len, access } => {
            set(window, MR_VALID, 0);
            set(window, MR_KEY, key);
            let Some(mr) = entry_of(region, number, of).filter(|_| len > 0) else { return };
            let offset = addr.wrapping_sub(word(region, mr, MR_IOVA));
            set(window, MR_ADDR, word(region, mr, MR_ADDR).wrapping_add(offset));
            set(window, MR_IOVA, if access & ZERO_BASED != 0 { 0 } else { addr });
            set(window, MR_LEN, len);
            set(window, MR_ACCESS, access);
            set(window, MR_OF, mr as u64);
            set(window, MR_OF_VALID, word(region, mr, MR_VALID));
            set(window, MR_QPN, qpn);
            set(window, MR_VALID, generation);
        }
    }
}

/// Whether a key is that of a window of the second type that was bound on a queue pair.
pub(crate) fn is_window_of(region: &Region, number: usize, key: u64, qpn: u64) -> bool {
    let is =
        |entry: &usize| word(region, *entry, MR_KIND) as usize == IS_WINDOW_2 && word(region, *entry, MR_QPN) == qpn;
    entry_of(region, number, key).filter(is).is_some()
}
