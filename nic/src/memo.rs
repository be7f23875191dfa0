//! What of the rules is ready is remembered.
//!
//! Most rules look at one or two of a queue pair's buffers, and a step changes one or two: all that look at others are as they were. And
//! queue pairs come to the same buffers again and again: a message of some kind, at some step of its way, is the same words whatever it
//! carries. So what a rule came to is kept with the words of the state that it looked at and with what memory answered, and holds wherever
//! these are the same.

use litmpi_engine::external::{Found, Memory, Ready};
use litmpi_spec::heap::Word;
use litmpi_spec::types::Sort;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

/// Things that are remembered at most.
const MOST: usize = 1 << 14;
/// Of those that begin alike.
const ALIKE: usize = 16;

/// A rule, of which thread, and where the other end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Which {
    pub(crate) rule: usize,
    pub(crate) thread: usize,
    pub(crate) peer: u8,
}

/// What memory was asked, and its answer.
type Answer = (&'static str, usize, Word);

struct Known {
    which: Which,
    looked: Vec<(u32, Word)>,
    answers: Vec<Answer>,
    ready: Rc<[Ready]>,
}

impl Known {
    /// Whether it holds in a state.
    fn holds(&self, which: Which, state: &[Word], memory: &dyn Memory) -> bool {
        self.which == which
            && self.looked.iter().all(|(slot, word)| state[*slot as usize] == *word)
            && self.answers.iter().all(|(var, entry, is)| memory.load(var, *entry) == *is)
    }
}

/// What a queue pair's rules came to when it last looked, one by one: most of it still holds.
#[derive(Default)]
pub(crate) struct Last(Vec<Option<Rc<Known>>>);

impl Last {
    /// That of a rule, by its place among all that the queue pair looks at.
    fn at(&mut self, place: usize) -> &mut Option<Rc<Known>> {
        if self.0.len() <= place {
            self.0.resize_with(place + 1, || None);
        }
        &mut self.0[place]
    }
}

/// A hash of few words.
#[derive(Default)]
struct Words(u64);

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.write_u64(u64::from(*b)));
    }

    fn write_u8(&mut self, word: u8) {
        self.write_u64(u64::from(word));
    }

    fn write_u32(&mut self, word: u32) {
        self.write_u64(u64::from(word));
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_u64(&mut self, word: u64) {
        self.0 = (self.0.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}

type Table<K, V> = RefCell<HashMap<K, V, BuildHasherDefault<Words>>>;

/// What is remembered, by rule, and by the first word that it looks at.
#[derive(Default)]
pub(crate) struct Memo {
    first: Table<Which, Option<u32>>,
    all: Table<(Which, Word), Vec<Rc<Known>>>,
    count: Cell<usize>,
}

/// Memory that is listened to.
struct Heard<'a> {
    memory: &'a dyn Memory,
    answers: RefCell<Vec<Answer>>,
    /// Values of processes were read, or numbers of theirs reckoned with: what follows holds for this once.
    is_once: Cell<bool>,
}

impl Memory for Heard<'_> {
    fn keeps(&self, var: &str, index: &[Sort]) -> bool {
        self.memory.keeps(var, index)
    }

    fn load(&self, var: &str, entry: usize) -> Word {
        let is = self.memory.load(var, entry);
        match crate::interface::kept(var).filter(|name| *name != crate::interface::MEMORY) {
            Some(name) => self.answers.borrow_mut().push((name, entry, is)),
            None => self.is_once.set(true),
        }
        is
    }

    fn store(&self, var: &str, entry: usize, value: Word) {
        self.is_once.set(true);
        self.memory.store(var, entry, value);
    }

    fn sum(&self, a: Word, b: Word, bits: Word) -> Word {
        self.is_once.set(true);
        self.memory.sum(a, b, bits)
    }
}

impl Memo {
    /// As which instances a rule is ready in a state: known, or as it is found.
    ///
    /// # Errors
    /// Those of the rules.
    pub(crate) fn ready<E>(
        &self,
        (which, place): (Which, usize),
        (state, last): (&[Word], &mut Last),
        memory: &dyn Memory,
        find: impl FnOnce(&dyn Memory) -> Result<Found, E>,
    ) -> Result<Rc<[Ready]>, E> {
        let last = last.at(place);
        if let Some(known) = last.as_ref().filter(|known| known.holds(which, state, memory)) {
            return Ok(Rc::clone(&known.ready));
        }
        let first = self.first.borrow().get(&which).copied();
        let begin = |first: Option<u32>| first.map_or(0, |slot| state[slot as usize]);
        if let Some(first) = first
            && let Some(alike) = self.all.borrow().get(&(which, begin(first)))
            && let Some(known) = alike.iter().find(|known| known.holds(which, state, memory))
        {
            *last = Some(Rc::clone(known));
            return Ok(Rc::clone(&known.ready));
        }
        let heard = Heard { memory, answers: RefCell::default(), is_once: Cell::new(false) };
        let Found { ready, looked } = find(&heard)?;
        let ready: Rc<[Ready]> = Rc::from(ready);
        if !heard.is_once.get() {
            let first = *self.first.borrow_mut().entry(which).or_insert_with(|| looked.first().copied());
            let looked = looked.iter().map(|slot| (*slot, state[*slot as usize])).collect();
            let known = Rc::new(Known { which, looked, answers: heard.answers.into_inner(), ready: Rc::clone(&ready) });
            self.keep((which, begin(first)), Rc::clone(&known));
            *last = Some(known);
        }
        Ok(ready)
    }

    fn keep(&self, at: (Which, Word), known: Rc<Known>) {
        let mut all = self.all.borrow_mut();
        if self.count.get() >= MOST {
            all.clear();
            self.count.set(0);
        }
        let alike = all.entry(at).or_default();
        if alike.len() >= ALIKE {
            alike.remove(0);
        } else {
            self.count.set(self.count.get() + 1);
        }
        alike.push(known);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Memory with one word, which says how often it was asked.
    struct One(Cell<Word>, Cell<usize>);

    impl Memory for One {
        fn load(&self, _: &str, _: usize) -> Word {
            self.1.set(self.1.get() + 1);
            self.0.get()
        }

        fn store(&self, _: &str, _: usize, value: Word) {
            self.0.set(value);
        }

        fn sum(&self, a: Word, b: Word, _: Word) -> Word {
            a + b
        }
    }

    #[test]
    fn what_is_known_holds_while_the_words_and_the_answers_are_the_same() {
        let (memo, memory) = (Memo::default(), One(Cell::new(7), Cell::new(0)));
        let which = Which { rule: 0, thread: 0, peer: 0 };
        let (found, last) = (Cell::new(0), RefCell::new(Last::default()));
        let ask = |state: &[Word], var: &str| {
            let find = |memory: &dyn Memory| -> Result<Found, ()> {
                found.set(found.get() + 1);
                memory.load(var, 0);
                Ok(Found { ready: vec![], looked: vec![1] })
            };
            let mut last = last.borrow_mut();
            assert!(memo.ready((which, 0), (state, &mut *last), &memory, find).is_ok());
            found.get()
        };
        let far = crate::interface::FAR;
        assert_eq!(ask(&[1, 2, 3], far), 1);
        assert_eq!(ask(&[9, 2, 9], far), 1, "it has looked at the second word only");
        assert_eq!(ask(&[1, 3, 3], far), 2, "that is another one");
        memory.0.set(8);
        assert_eq!(ask(&[1, 2, 3], far), 3, "memory answers otherwise");
        memory.0.set(7);
        assert_eq!(ask(&[1, 2, 3], far), 3, "and again as it did");
        let values = Which { rule: 1, ..which };
        let once = |state: &[Word]| {
            let find = |memory: &dyn Memory| -> Result<Found, ()> {
                found.set(found.get() + 1);
                memory.load(crate::interface::MEMORY, 0);
                Ok(Found { ready: vec![], looked: vec![] })
            };
            let mut last = last.borrow_mut();
            assert!(memo.ready((values, 1), (state, &mut *last), &memory, find).is_ok());
            found.get()
        };
        assert_eq!((once(&[1]), once(&[1])), (4, 5), "values of processes are read each time");
    }
}
