//! What of the rules is ready is remembered.
//!
//! Most rules look at one or two of a queue pair's buffers, and a step changes one or two: all that look at others are as they were. And
//! queue pairs come to the same buffers again and again: a message of some kind, at some step of its way, is the same words whatever it
//! carries. So what a rule came to is kept with the words of the state that it looked at and with what memory answered, and holds wherever
//! these are the same.

use crate::whole::{Differs, changes};
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

/// A rule, of which thread, by its place among all that a queue pair looks at, and where the other end is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Which {
    pub(crate) place: usize,
    pub(crate) peer: u8,
}

impl Which {
    /// A number that no other one has.
    fn number(self) -> usize {
        self.place * PEERS + usize::from(self.peer)
    }
}

/// Places where the other end may be.
const PEERS: usize = 4;

/// What memory was asked, and its answer.
pub(crate) type Answer = (&'static str, usize, Word);

struct Known {
    which: Which,
    looked: Vec<(u32, Word)>,
    answers: Vec<Answer>,
    ready: Rc<[Ready]>,
    /// The slots that it looked at, as bits; and that it asked memory.
    bits: u64,
}

/// The bit of what may be otherwise at any time: what memory answers.
const ANY_TIME: u64 = 1 << 63;

/// The bit of a slot, which others have, too.
fn bit(slot: usize) -> u64 {
    1 << (slot % 63)
}

impl Known {
    /// Whether it holds in a state.
    fn holds(&self, which: Which, state: &[Word], memory: &dyn Memory) -> bool {
        self.which == which
            && self.looked.iter().all(|(slot, word)| state[*slot as usize] == *word)
            && self.answers.iter().all(|(var, entry, is)| memory.load(var, *entry) == *is)
    }
}

/// Bits of the state that a rule may hang on.
const BITS: usize = 64;

/// A set of places of rules, in blocks of 64.
#[derive(Default)]
struct Places(Vec<u64>);

impl Places {
    fn all(n: usize) -> Places {
        let block = |b: usize| if n >= 64 * (b + 1) { u64::MAX } else { (1 << (n % 64)) - 1 };
        Places((0..n.div_ceil(64)).map(block).collect())
    }

    fn none(n: usize) -> Places {
        Places(vec![0; n.div_ceil(64)])
    }

    fn set(&mut self, place: usize, is_in: bool) {
        let (block, bit) = (place / 64, 1 << (place % 64));
        self.0[block] = if is_in { self.0[block] | bit } else { self.0[block] & !bit };
    }

    fn has(&self, place: usize) -> bool {
        self.0[place / 64] >> (place % 64) & 1 != 0
    }
}

/// What one rule came to, and what of the state that hangs on, as bits: while none of these changes, it holds.
#[derive(Default)]
struct Came {
    known: Option<Rc<Known>>,
    bits: u64,
}

/// What a queue pair's rules came to when it last looked, one by one: most of it still holds.
#[derive(Default)]
pub(crate) struct Last {
    all: Vec<Came>,
    /// The rules that are to be looked at again; those that are ready, of the others; and those that hang on each bit of the state.
    again: Places,
    ready: Places,
    hang: Vec<Places>,
    /// The state then, and how it differs from an idle one.
    state: Vec<Word>,
    pub(crate) differs: Differs,
    peer: u8,
    /// Whether little is under way, so that a state comes again as a whole.
    pub(crate) is_plain: bool,
    /// What has changed since it looked, as far as that is known, as bits.
    changed: u64,
}

impl Last {
    /// So many rules are about to be looked at in a state, of a queue pair whose other end is there.
    pub(crate) fn begin(&mut self, rules: usize, (state, idle): (&[Word], &[Word]), peer: u8) {
        if self.state.len() != state.len() || self.peer != peer || self.all.len() != rules {
            (self.state, self.peer) = (state.to_vec(), peer);
            self.differs = Differs::of(state, idle);
            self.all.resize_with(rules, Came::default);
            self.all.iter_mut().for_each(|came| came.bits = 0);
            (self.again, self.ready) = (Places::all(rules), Places::none(rules));
            self.hang = (0..BITS).map(|_| Places::none(rules)).collect();
            return;
        }
        let mut changed = self.follow(state, idle) | std::mem::take(&mut self.changed) | ANY_TIME;
        while changed != 0 {
            let hang = &self.hang[changed.trailing_zeros() as usize];
            self.again.0.iter_mut().zip(&hang.0).for_each(|(again, hang)| *again |= hang);
            changed &= changed - 1;
        }
    }

    /// Follows the state of a queue pair to what it is now, if it has been looked at: what has changed, as bits.
    fn follow(&mut self, state: &[Word], idle: &[Word]) -> u64 {
        let (mut changed, differs) = (0, &mut self.differs);
        let (was, is) = (&mut self.state[..], state);
        changes(was, is, |slot, was, is| {
            changed |= bit(slot);
            differs.change(slot, was, is, idle[slot]);
        });
        was.copy_from_slice(is);
        changed
    }

    /// How the state of a queue pair that has been looked at differs now from an idle one.
    pub(crate) fn differs(&mut self, state: &[Word], idle: &[Word]) -> &Differs {
        let changed = self.follow(state, idle);
        self.changed |= changed;
        &self.differs
    }

    /// The next place from one on that is to be looked at, or whose rule is ready.
    pub(crate) fn next(&self, from: usize) -> Option<usize> {
        let mut block = from / 64;
        let mut left = u64::MAX << (from % 64);
        while block < self.again.0.len() {
            let set = (self.again.0[block] | self.ready.0[block]) & left;
            if set != 0 {
                return Some(64 * block + set.trailing_zeros() as usize);
            }
            (block, left) = (block + 1, u64::MAX);
        }
        None
    }

    /// What the rule at a place came to, if nothing that it hangs on has changed since.
    pub(crate) fn holds(&self, place: usize) -> Option<&[Ready]> {
        let came = self.all.get(place).filter(|_| !self.again.has(place))?;
        came.known.as_ref().map(|known| &known.ready[..])
    }

    /// A rule is looked at by itself, in a state that the others do not know.
    pub(crate) fn look_at_one(&mut self, place: usize) {
        if place < self.all.len() {
            self.again.set(place, true);
        }
    }

    /// What the rule at a place has come to, and the bits that it hangs on; it is not known if it holds for this once.
    fn came(&mut self, place: usize, known: Option<Rc<Known>>, bits: u64) {
        let came = &mut self.all[place];
        let mut other = came.bits ^ bits;
        while other != 0 {
            let at = other.trailing_zeros();
            self.hang[at as usize].set(place, bits >> at & 1 != 0);
            other &= other - 1;
        }
        let is_ready = known.as_ref().is_some_and(|known| !known.ready.is_empty());
        (came.known, came.bits) = (known, bits);
        self.ready.set(place, is_ready);
        self.again.set(place, bits & ANY_TIME != 0);
    }

    /// What memory was asked for all that is known, if all of it holds while memory answers so.
    pub(crate) fn answers(&self) -> Option<Vec<Answer>> {
        let mut answers: Vec<Answer> = vec![];
        let at_any_time = &self.hang[ANY_TIME.trailing_zeros() as usize];
        for place in (0..self.all.len()).filter(|place| at_any_time.has(*place)) {
            for answer in &self.all[place].known.as_ref()?.answers {
                if !answers.contains(answer) {
                    answers.push(*answer);
                }
            }
        }
        Some(answers)
    }

    /// What was known of the rule at a place, if it is so in a state.
    fn known(&self, which: Which, state: &[Word], memory: &dyn Memory) -> Option<Rc<Known>> {
        self.all[which.place].known.as_ref().filter(|known| known.holds(which, state, memory)).cloned()
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

/// What is remembered of one rule: by the first word that it looks at, if it looks at any.
#[derive(Default)]
struct OfRule {
    first: Option<u32>,
    all: HashMap<Word, Vec<Rc<Known>>, BuildHasherDefault<Words>>,
}

impl OfRule {
    /// The word that it looks at first.
    fn begin(&self, state: &[Word]) -> Word {
        self.first.map_or(0, |slot| state[slot as usize])
    }
}

/// What is remembered, rule by rule.
#[derive(Default)]
pub(crate) struct Memo {
    rules: RefCell<Vec<OfRule>>,
    count: Cell<usize>,
}

/// Memory that is listened to.
pub(crate) struct Heard<'a> {
    memory: &'a dyn Memory,
    answers: RefCell<Vec<Answer>>,
    /// Values of processes were read, or numbers of theirs reckoned with: what follows holds for this once.
    is_once: Cell<bool>,
}

impl<'a> Heard<'a> {
    pub(crate) fn new(memory: &'a dyn Memory) -> Heard<'a> {
        Heard { memory, answers: RefCell::default(), is_once: Cell::new(false) }
    }

    /// What it answered, if what follows from that holds whenever it answers so.
    pub(crate) fn answers(self) -> Option<Vec<Answer>> {
        (!self.is_once.get()).then(|| self.answers.into_inner())
    }
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
        which: Which,
        (state, last): (&[Word], &mut Last),
        memory: &dyn Memory,
        find: impl FnOnce(&dyn Memory) -> Result<Found, E>,
    ) -> Result<Rc<[Ready]>, E> {
        if let Some(known) = last.known(which, state, memory) {
            let (ready, bits) = (Rc::clone(&known.ready), known.bits);
            last.came(which.place, Some(known), bits);
            return Ok(ready);
        }
        if let Some(of) = self.rules.borrow().get(which.number())
            && let Some(alike) = of.all.get(&of.begin(state))
            && let Some(known) = alike.iter().find(|known| known.holds(which, state, memory))
        {
            last.came(which.place, Some(Rc::clone(known)), known.bits);
            return Ok(Rc::clone(&known.ready));
        }
        last.came(which.place, None, ANY_TIME);
        let heard = Heard::new(memory);
        let Found { ready, looked } = find(&heard)?;
        let ready: Rc<[Ready]> = Rc::from(ready);
        if let Some(answers) = heard.answers() {
            let of_memory = if answers.is_empty() { 0 } else { ANY_TIME };
            let bits_of = looked.iter().fold(of_memory, |bits, slot| bits | bit(*slot as usize));
            let first = looked.first().copied();
            let looked = looked.iter().map(|slot| (*slot, state[*slot as usize])).collect();
            let known = Rc::new(Known { which, looked, answers, ready: Rc::clone(&ready), bits: bits_of });
            self.keep((which, first), state, Rc::clone(&known));
            last.came(which.place, Some(known), bits_of);
        }
        Ok(ready)
    }

    fn keep(&self, (which, first): (Which, Option<u32>), state: &[Word], known: Rc<Known>) {
        let mut rules = self.rules.borrow_mut();
        if self.count.get() >= MOST {
            rules.clear();
            self.count.set(0);
        }
        if rules.len() <= which.number() {
            rules.resize_with(which.number() + 1, OfRule::default);
        }
        let of = &mut rules[which.number()];
        if of.all.is_empty() {
            of.first = first;
        }
        let alike = of.all.entry(of.begin(state)).or_default();
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

    #[test]
    fn what_a_rule_came_to_holds_while_none_of_its_words_changes_and_no_longer_once_it_was_looked_at_by_itself() {
        let (memo, memory) = (Memo::default(), One(Cell::new(7), Cell::new(0)));
        let mut last = Last::default();
        let look = |last: &mut Last, state: &[Word], place: usize| {
            let which = Which { place, peer: 0 };
            let slot = u32::try_from(place).expect("small");
            let found = |_: &dyn Memory| -> Result<Found, ()> { Ok(Found { ready: vec![], looked: vec![slot] }) };
            assert!(memo.ready(which, (state, last), &memory, found).is_ok());
        };
        let holds = |last: &Last| [0, 1].map(|place| last.holds(place).is_some());
        last.begin(2, (&[1, 1], &[0, 0]), 0);
        assert_eq!(holds(&last), [false, false], "nobody has looked");
        (0..2).for_each(|place| look(&mut last, &[1, 1], place));
        last.begin(2, (&[1, 1], &[0, 0]), 0);
        assert_eq!(holds(&last), [true, true]);
        last.begin(2, (&[1, 1], &[0, 0]), 1);
        assert_eq!(holds(&last), [false, false], "the other end is elsewhere");
        last.begin(2, (&[1, 1], &[0, 0]), 0);
        (0..2).for_each(|place| look(&mut last, &[1, 1], place));
        last.begin(2, (&[2, 1], &[0, 0]), 0);
        assert_eq!(holds(&last), [false, true], "one word has changed");
        assert_eq!((last.next(0), last.next(1)), (Some(0), None), "the other one is not ready");
        look(&mut last, &[2, 1], 0);
        last.begin(2, (&[2, 1], &[0, 0]), 0);
        last.look_at_one(1);
        assert_eq!(holds(&last), [true, false], "in what state, nobody knows");
    }

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
        let which = Which { place: 0, peer: 0 };
        let (found, last) = (Cell::new(0), RefCell::new(Last::default()));
        last.borrow_mut().begin(2, (&[1, 2, 3], &[0; 3]), 0);
        let ask = |state: &[Word], var: &str| {
            let find = |memory: &dyn Memory| -> Result<Found, ()> {
                found.set(found.get() + 1);
                memory.load(var, 0);
                Ok(Found { ready: vec![], looked: vec![1] })
            };
            let mut last = last.borrow_mut();
            assert!(memo.ready(which, (state, &mut *last), &memory, find).is_ok());
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
        let values = Which { place: 1, ..which };
        let once = |state: &[Word]| {
            let find = |memory: &dyn Memory| -> Result<Found, ()> {
                found.set(found.get() + 1);
                memory.load(crate::interface::MEMORY, 0);
                Ok(Found { ready: vec![], looked: vec![] })
            };
            let mut last = last.borrow_mut();
            assert!(memo.ready(values, (state, &mut *last), &memory, find).is_ok());
            found.get()
        };
        assert_eq!((once(&[1]), once(&[1])), (4, 5), "values of processes are read each time");
    }
}
