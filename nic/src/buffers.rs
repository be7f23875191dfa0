//! Bytes on their way, in memory that is used again: a system that gives large pieces of memory away and takes them back touches every page
//! of it each time.

use std::cell::RefCell;

/// From how many bytes on memory is kept, in how many pieces, and how many bytes together.
const LARGE: usize = 1 << 14;
const PIECES: usize = 16;
const MOST: usize = 1 << 26;

thread_local! {
    static KEPT: RefCell<Vec<Vec<u8>>> = const { RefCell::new(vec![]) };
}

/// So many bytes, which hold anything.
pub(crate) fn take(len: usize) -> Vec<u8> {
    if len < LARGE {
        return vec![0; len];
    }
    let kept = KEPT.with_borrow_mut(|kept| {
        let fits = kept.iter().position(|bytes| bytes.len() >= len);
        fits.or_else(|| kept.len().checked_sub(1)).map(|at| kept.swap_remove(at))
    });
    let mut bytes = kept.unwrap_or_default();
    bytes.resize(len, 0);
    bytes
}

/// They are of no more use.
pub(crate) fn give(bytes: Vec<u8>) {
    if bytes.len() < LARGE {
        return;
    }
    KEPT.with_borrow_mut(|kept| {
        let all: usize = kept.iter().map(Vec::capacity).sum();
        if kept.len() < PIECES && all + bytes.capacity() <= MOST {
            kept.push(bytes);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_pieces_come_again_and_small_ones_and_too_many_do_not() {
        let large = take(LARGE);
        let at = large.as_ptr();
        give(large);
        give(take(1));
        let again = take(LARGE - 1 + 1);
        assert_eq!((again.as_ptr(), again.len()), (at, LARGE));
        (0..2 * PIECES).for_each(|_| give(vec![1; LARGE]));
        KEPT.with_borrow(|kept| assert_eq!(kept.len(), PIECES));
        give(vec![1; MOST + 1]);
        KEPT.with_borrow(|kept| assert!(kept.iter().all(|bytes| bytes.len() == LARGE)));
    }
}
