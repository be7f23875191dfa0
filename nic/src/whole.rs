//! What a queue pair may do in a whole state is remembered.
//!
//! A queue pair comes through the same few states for each message of some kind, since what differs from message to message is named by
//! numbers that begin anew when it is idle. So all that was ready in a state is kept with the words in which the state differs from that of
//! an idle queue pair, and with what memory answered; the rules are looked at one by one (`memo.rs`) only where such a state is new.

use crate::memo::Answer;
use litmpi_engine::external::{Memory, Ready};
use litmpi_spec::heap::Word;
use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

/// States that are remembered at most.
const MOST: usize = 1 << 13;

/// How a state differs from that of an idle queue pair, followed word by word.
#[derive(Default)]
pub(crate) struct Differs {
    /// A sum over all words that differ, and how many these are.
    sum: u64,
    count: usize,
}

fn mixed(slot: usize, word: Word) -> u64 {
    let mut x = (slot as u64) << 32 | u64::from(word);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

impl Differs {
    /// Of a state.
    pub(crate) fn of(state: &[Word], idle: &[Word]) -> Differs {
        let mut differs = Differs::default();
        changes(idle, state, |slot, idle, is| differs.change(slot, idle, is, idle));
        differs
    }

    /// A word has changed.
    pub(crate) fn change(&mut self, slot: usize, was: Word, is: Word, idle: Word) {
        let (left, came) = (was != idle, is != idle);
        if left {
            self.sum ^= mixed(slot, was);
        }
        if came {
            self.sum ^= mixed(slot, is);
        }
        self.count = self.count + usize::from(came) - usize::from(left);
    }
}

/// A sum is as good as a hash.
#[derive(Default)]
struct Sum(u64);

impl Hasher for Sum {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.0 = self.0.rotate_left(8) ^ u64::from(*b));
    }

    fn write_u64(&mut self, word: u64) {
        self.0 ^= word;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

struct Known {
    peer: u8,
    words: Vec<(u32, Word)>,
    answers: Vec<Answer>,
    ready: Rc<[Ready]>,
}

/// What is remembered, by the sum of a state.
#[derive(Default)]
pub(crate) struct Whole {
    all: RefCell<HashMap<u64, Known, BuildHasherDefault<Sum>>>,
}

impl Whole {
    /// All that is ready in a state, if that is known and memory answers as it did.
    pub(crate) fn ready(
        &self,
        peer: u8,
        (state, differs): (&[Word], &Differs),
        memory: &dyn Memory,
    ) -> Option<Rc<[Ready]>> {
        let all = self.all.borrow();
        let known = all.get(&differs.sum)?;
        let is_so = known.peer == peer
            && known.words.len() == differs.count
            && known.words.iter().all(|(slot, word)| state[*slot as usize] == *word)
            && known.answers.iter().all(|(var, entry, is)| memory.load(var, *entry) == *is);
        is_so.then(|| Rc::clone(&known.ready))
    }

    /// Remembers all that is ready in a state, and what memory was asked for it.
    pub(crate) fn keep(
        &self,
        peer: u8,
        (state, idle, differs): (&[Word], &[Word], &Differs),
        answers: Vec<Answer>,
        ready: &Rc<[Ready]>,
    ) {
        let mut all = self.all.borrow_mut();
        if all.len() >= MOST {
            all.clear();
        }
        let words = others(state, idle);
        all.insert(differs.sum, Known { peer, words, answers, ready: Rc::clone(ready) });
    }
}

/// What a step has changed in a state.
struct Fired {
    ready: Ready,
    words: Vec<(u32, Word)>,
    answers: Vec<Answer>,
    changes: Vec<(u32, Word)>,
}

/// What steps change is remembered in the same way, of those that touch no value of a program and change nothing that queue pairs share.
#[derive(Default)]
pub(crate) struct Steps {
    all: RefCell<HashMap<u64, Fired, BuildHasherDefault<Sum>>>,
}

impl Steps {
    fn key(ready: &Ready, differs: &Differs) -> u64 {
        differs.sum ^ mixed(ready.rule, Word::MAX)
    }

    /// The state after a step, if that is known.
    pub(crate) fn after(
        &self,
        ready: &Ready,
        (state, differs): (&[Word], &Differs),
        memory: &dyn Memory,
    ) -> Option<Vec<Word>> {
        let all = self.all.borrow();
        let known = all.get(&Steps::key(ready, differs))?;
        let is_so = known.ready == *ready
            && known.words.len() == differs.count
            && known.words.iter().all(|(slot, word)| state[*slot as usize] == *word)
            && known.answers.iter().all(|(var, entry, is)| memory.load(var, *entry) == *is);
        is_so.then(|| {
            let mut state = state.to_vec();
            known.changes.iter().for_each(|(slot, word)| state[*slot as usize] = *word);
            state
        })
    }

    /// Remembers the state after a step.
    pub(crate) fn keep(
        &self,
        ready: &Ready,
        (state, idle, differs): (&[Word], &[Word], &Differs),
        answers: Vec<Answer>,
        after: &[Word],
    ) {
        let mut all = self.all.borrow_mut();
        if all.len() >= MOST {
            all.clear();
        }
        let (words, changes) = (others(state, idle), others(after, state));
        all.insert(Steps::key(ready, differs), Fired { ready: ready.clone(), words, answers, changes });
    }
}

/// The words of a state that are others than in another one.
fn others(state: &[Word], than: &[Word]) -> Vec<(u32, Word)> {
    let mut others = vec![];
    changes(than, state, |slot, _, is| others.push((slot as u32, is)));
    others
}

/// Words that are compared at a time, by one call each: first many, then few of those that differ.
const MANY: usize = 64;
const FEW: usize = 8;

/// Goes through the words in which two states differ: their places, the first state's, and the second's.
pub(crate) fn changes(was: &[Word], is: &[Word], mut each: impl FnMut(usize, Word, Word)) {
    let differ = |(_, (was, is)): &(usize, (&[Word], &[Word]))| was != is;
    for (many, (was, is)) in was.chunks(MANY).zip(is.chunks(MANY)).enumerate().filter(differ) {
        for (few, (was, is)) in was.chunks(FEW).zip(is.chunks(FEW)).enumerate().filter(differ) {
            for (slot, (was, is)) in was.iter().zip(is).enumerate().filter(|(_, (was, is))| was != is) {
                each(MANY * many + FEW * few + slot, *was, *is);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// Memory that answers one word.
    struct One(Cell<Word>);

    impl Memory for One {
        fn load(&self, _: &str, _: usize) -> Word {
            self.0.get()
        }

        fn store(&self, _: &str, _: usize, _: Word) {}

        fn sum(&self, a: Word, _: Word, _: Word) -> Word {
            a
        }
    }

    #[test]
    fn a_state_is_known_again_by_all_of_its_words_the_other_end_and_what_memory_answers() {
        let (whole, memory, idle) = (Whole::default(), One(Cell::new(7)), [1, 1, 1]);
        let ready: Rc<[Ready]> = Rc::from(vec![]);
        let kept = Differs::of(&[1, 5, 1], &idle);
        whole.keep(0, (&[1, 5, 1], &idle, &kept), vec![(crate::interface::FAR, 0, 7)], &ready);
        let is_known =
            |peer: u8, state: &[Word], differs: &Differs| whole.ready(peer, (state, differs), &memory).is_some();
        let mut differs = Differs::of(&[2, 1, 1], &idle);
        assert!(!is_known(0, &[2, 1, 1], &differs));
        differs.change(0, 2, 1, 1);
        differs.change(1, 1, 5, 1);
        assert!(is_known(0, &[1, 5, 1], &differs), "word by word it has come to the same");
        assert!(!is_known(1, &[1, 5, 1], &differs), "the other end is elsewhere");
        memory.0.set(8);
        assert!(!is_known(0, &[1, 5, 1], &differs), "memory answers otherwise");
        memory.0.set(7);
        differs.change(2, 1, 9, 1);
        assert!(!is_known(0, &[1, 5, 9], &differs), "another word differs");
    }
}
