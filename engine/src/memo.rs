//! What threads and rules do in a state, remembered by what they looked at.
//!
//! Evaluation is a function of the state: who looks at a slot, and then at further ones that depend on what was there, finds the
//! same transitions in every state that holds the same words in these slots. So each *actor* (a thread, or an instance of a
//! rule that no instruction sets off) has a tree whose inner nodes are slots, whose branches are words and whose leaves are
//! its transitions, as the slots that they write. A rule is evaluated once for all states that look alike to it, and from
//! state to state only those are looked up again that looked at what differs.
//!
//! Nothing that a search finds depends on what is remembered. When too much is, only what is so in the present state is kept: the
//! next state is mostly as this one.

use crate::actors::{Actors, Kind, Move};
use crate::claim::Claim;
use crate::eval::Fault;
use crate::machine::{Machine, Step, Target};
use crate::reduce::{Analysis, Bits, Few};
use crate::slices::Slices;
use crate::touched::Touched;
use crate::watchers::{Watchers, change};
use hashbrown::HashTable;
use litmpi_spec::heap::Word;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::hash::BuildHasher;
use std::mem::{replace, take};
use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes after which what is not so in the present state is forgotten, unless that alone takes most of them.
const MOST: usize = 256 << 20;

/// What is the same of an actor's transitions in many states.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Shape {
    pub(crate) actor: u32,
    /// The program counter, if it is a thread.
    pub(crate) pc: Word,
    /// What the transitions, or that there are none, depend on.
    pub(crate) reads: Few,
    pub(crate) writes: Few,
    /// What must be written before there are any, if there are none.
    pub(crate) blocks: Few,
    /// Everything that evaluation looked at.
    pub(crate) looked: Few,
    pub(crate) moves: Vec<Kind>,
    /// If there are none, what the rule says that it waits for, by the numbers of its claims.
    pub(crate) waits: Vec<u32>,
}

impl Shape {
    /// Whether its transitions depend on, or write, what those of the other do not.
    pub(crate) fn looks_beyond(&self, other: &Shape) -> bool {
        let known = |slot| other.reads.has(slot) || other.writes.has(slot);
        self.reads.iter().chain(self.writes.iter()).any(|slot| !known(slot))
    }
}

/// What an actor does in states that look alike to it.
#[derive(Debug)]
pub(crate) struct Leaf {
    pub(crate) shape: u32,
    pub(crate) moves: Vec<Move>,
}

/// A place in an actor's tree: nothing yet, an inner node, or a leaf, which has the highest bit.
type Place = u32;
const NOTHING: Place = u32::MAX;
const LEAF: Place = 1 << 31;

/// An inner node: where to look, and what was last found there, since most words are as they were.
#[derive(Debug, Clone, Copy)]
struct Node {
    slot: u32,
    /// How many slots are looked at one after the other: of several, the word stands for all of theirs ([`Slices`]).
    slots: u32,
    word: Word,
    child: Place,
}

/// So many slots one after the other are worth a node for all of them: arrays that messages carry.
const LONG: usize = 16;

impl Node {
    fn range(&self) -> Range<usize> {
        self.slot as usize..self.slot as usize + self.slots as usize
    }
}

/// Where a place is noted.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Link {
    Root(usize),
    Child(Place, Word),
}

/// What actors do.
#[derive(Default)]
pub(crate) struct Memo {
    actors: Actors,
    /// By actor: where its tree begins.
    roots: Vec<Place>,
    nodes: Vec<Node>,
    children: FxHashMap<(Place, Word), Place>,
    slices: Slices,
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) shapes: Vec<Shape>,
    shape_index: HashTable<u32>,
    /// Lists of claims, each once.
    claims: FxHashSet<Arc<[Claim]>>,
    /// The state that actors were last asked for.
    pub(crate) state: Vec<Word>,
    /// What each does there.
    pub(crate) now: Vec<u32>,
    /// Those of whom more than one thing is known.
    active: Vec<usize>,
    /// Those that do something there.
    enabled: Bits,
    watchers: Watchers,
    bytes: usize,
    /// Bytes after which something is forgotten.
    most: usize,
    touched: Touched,
    next: Vec<Word>,
    /// Leaves of threads that stand still because it is not known how they go on.
    asked: Vec<Link>,
}

/// What searches of a machine that have ended knew, for those to come: what evaluation finds is the same for all of them, as long as the
/// machine is. Code that is added behind that of a thread changes nothing of what was found, but where a process was asked how it goes on.
#[derive(Default)]
pub(crate) struct Remembered {
    memos: Mutex<Vec<Memo>>,
    analysis: Mutex<Option<Analysis>>,
}

impl Remembered {
    fn memos(&self) -> MutexGuard<'_, Vec<Memo>> {
        self.memos.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a reduced search has found out before it began.
    pub(crate) fn analysis(&self) -> MutexGuard<'_, Option<Analysis>> {
        self.analysis.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What evaluation depends on has changed.
    pub(crate) fn forget(&mut self) {
        self.memos().clear();
        self.analysis().take();
    }
}

/// An actor that is not there.
const GONE: u32 = u32::MAX;

impl Memo {
    /// Knows of these actors what a search of the machine before has left.
    pub(crate) fn of(m: &Machine, actors: Actors) -> Memo {
        let left = m.remembered.memos().pop();
        match left {
            Some(memo) => memo.continued(actors),
            None => Memo::new(m, actors),
        }
    }

    /// Leaves what it knows to searches to come; it knows nothing from then on.
    pub(crate) fn leave(&mut self, m: &Machine) {
        if !m.counts() {
            m.remembered.memos().push(take(self));
        }
    }

    /// What is known of these actors; more may be known of how processes go on that were asked.
    fn continued(mut self, actors: Actors) -> Memo {
        for link in take(&mut self.asked) {
            match link {
                Link::Root(actor) => self.roots[actor] = NOTHING,
                Link::Child(at, word) => {
                    self.children.remove(&(at, word));
                    self.nodes[at as usize].child = NOTHING;
                }
            }
        }
        self.state.clear();
        if self.actors == actors {
            return self;
        }
        let (now, moved) = (actors.count(), self.actors.among(&actors));
        for (root, actor) in replace(&mut self.roots, vec![NOTHING; now]).into_iter().zip(&moved) {
            actor.iter().for_each(|actor| self.roots[*actor as usize] = root);
        }
        self.watchers = self.watchers.renumbered(&moved, now);
        self.shape_index.clear();
        for (number, shape) in self.shapes.iter_mut().enumerate() {
            shape.actor = moved.get(shape.actor as usize).copied().flatten().unwrap_or(GONE);
            let hash = FxBuildHasher.hash_one(&*shape);
            self.shape_index.insert_unique(hash, number as u32, |_| unreachable!("there is room"));
        }
        self.enabled = Bits::new(now);
        self.actors = actors;
        self
    }

    /// Knows nothing of these actors yet.
    fn new(m: &Machine, actors: Actors) -> Memo {
        let count = actors.count();
        Memo {
            actors,
            roots: vec![NOTHING; count],
            enabled: Bits::new(count),
            watchers: Watchers::new(m.width(), count),
            most: MOST,
            next: vec![0; m.width()],
            ..Memo::default()
        }
    }

    /// Forgets everything.
    fn forget(&mut self) {
        self.roots.fill(NOTHING);
        self.nodes.clear();
        self.children.clear();
        self.slices.clear();
        self.leaves.clear();
        self.shapes.clear();
        self.shape_index.clear();
        self.claims.clear();
        self.state.clear();
        self.watchers.clear();
        self.asked.clear();
        self.bytes = 0;
    }

    /// Forgets what is not so in the present state. Large programs have a present state that takes a large part of what may be
    /// remembered: then more may be, so that it is not forgotten and found again at every state.
    fn keep_present(&mut self) {
        let (roots, nodes, children) = (self.roots.clone(), take(&mut self.nodes), take(&mut self.children));
        let slices = take(&mut self.slices);
        let (mut leaves, shapes) = (take(&mut self.leaves), take(&mut self.shapes));
        let state = take(&mut self.state);
        let asked: FxHashSet<Link> = take(&mut self.asked).into_iter().collect();
        self.forget();
        for (actor, root) in roots.into_iter().enumerate() {
            let (mut order, mut at, mut link) = (vec![], root, Link::Root(actor));
            while at & LEAF == 0 {
                let range = nodes[at as usize].range();
                order.extend(range.clone().map(|slot| slot as u32));
                let words = &state[range];
                let word = if let [word] = words { *word } else { slices.find(words).expect("it is known") };
                link = Link::Child(at, word);
                at = children[&(at, word)];
            }
            let leaf = &mut leaves[self.now[actor] as usize];
            let shape = shapes[leaf.shape as usize].clone();
            self.now[actor] = self.hold(actor, (&order, &state), shape, take(&mut leaf.moves), asked.contains(&link));
        }
        self.state = state;
        self.most = MOST.max(2 * self.bytes);
    }

    /// About how many bytes it takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// How many actors there are.
    pub(crate) fn actors(&self) -> usize {
        self.actors.count()
    }

    /// Gives every transition of the present state to who follows it; `next` is room for a state.
    pub(crate) fn show(&self, state: &[Word], next: &mut Vec<Word>, visit: &mut dyn FnMut(&Step, Target<'_>)) {
        for m in self.enabled.iter().flat_map(|actor| &self.leaf(actor).moves) {
            m.show(state, next, visit);
        }
    }

    /// What an actor does in the present state.
    pub(crate) fn leaf(&self, actor: usize) -> &Leaf {
        &self.leaves[self.now[actor] as usize]
    }

    /// What is the same of it elsewhere.
    pub(crate) fn shape(&self, actor: usize) -> &Shape {
        &self.shapes[self.leaf(actor).shape as usize]
    }

    /// Actors with something to do or to wait for; in the states that follow, no other has.
    pub(crate) fn active(&self) -> &[usize] {
        &self.active
    }

    /// Goes to another state. True if something was forgotten, so that numbers of leaves and shapes are others.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub(crate) fn go_to(&mut self, m: &Machine, state: &[Word]) -> Result<bool, Fault> {
        // Who counts what is evaluated wants it evaluated.
        let forget = self.bytes > self.most || m.counts();
        if m.counts() || self.state.is_empty() && forget {
            self.forget();
        } else if forget {
            self.keep_present();
        }
        if self.state.is_empty() {
            self.now = vec![0; self.actors()];
            self.state.extend_from_slice(state);
            for actor in 0..self.actors() {
                self.renew(m, actor, state)?;
            }
            let idle = |a: &usize| self.leaf(*a).moves.is_empty() && self.shape(*a).looked.is_empty();
            self.active = (0..self.actors()).filter(|a| !idle(a)).collect();
            return Ok(forget);
        }
        let mut stale = Bits::new(self.actors());
        let mut old = take(&mut self.state);
        change(&mut old, state, |slot| {
            for actor in self.watchers.of(slot).filter(|a| self.shape(*a).looked.has(slot)) {
                stale.add(actor);
            }
        });
        self.state = old;
        for actor in stale.iter() {
            self.renew(m, actor, state)?;
        }
        Ok(forget)
    }

    /// Notes what an actor does in a state.
    fn renew(&mut self, m: &Machine, actor: usize, state: &[Word]) -> Result<(), Fault> {
        let leaf = self.ask(m, actor, state)?;
        self.now[actor] = leaf;
        self.enabled.put(actor, !self.leaves[leaf as usize].moves.is_empty());
        Ok(())
    }

    /// What an actor does in a state.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub(crate) fn ask(&mut self, m: &Machine, actor: usize, state: &[Word]) -> Result<u32, Fault> {
        let mut at = self.roots[actor];
        while at != NOTHING {
            if at & LEAF != 0 {
                return Ok(at & !LEAF);
            }
            let node = &mut self.nodes[at as usize];
            let words = &state[node.range()];
            let is_last = |word| if let [one] = words { word == *one } else { self.slices.get(word) == words };
            if node.child == NOTHING || !is_last(node.word) {
                let word = if let [one] = words { Some(*one) } else { self.slices.find(words) };
                let child = word.and_then(|word| Some((word, *self.children.get(&(at, word))?)));
                let Some((word, child)) = child else { break };
                (node.word, node.child) = (word, child);
            }
            at = node.child;
        }
        self.learn(m, actor, state)
    }

    fn learn(&mut self, m: &Machine, actor: usize, state: &[Word]) -> Result<u32, Fault> {
        let found = self.actors.found(m, actor, state, &mut self.next, &self.touched)?;
        let shape = Shape {
            actor: actor as u32,
            pc: self.actors.pc(actor, state),
            reads: self.touched.reads.borrow().clone(),
            writes: self.touched.writes.borrow().clone(),
            blocks: self.touched.blocks.borrow().clone(),
            looked: self.touched.looked.borrow().clone(),
            moves: found.kinds,
            waits: found.waits,
        };
        let order = take(&mut *self.touched.order.borrow_mut());
        let asked = self.touched.asked.get();
        Ok(self.hold(actor, (&order, state), shape, found.moves, asked))
    }

    /// Remembers what an actor does where these slots are as in this state; `asked` says that it stands still because it is not known how it
    /// goes on.
    fn hold(
        &mut self,
        actor: usize,
        (order, state): (&[u32], &[Word]),
        shape: Shape,
        moves: Vec<Move>,
        asked: bool,
    ) -> u32 {
        let leaf = self.leaves.len() as u32;
        let link = self.plant(actor, order, state, leaf);
        if asked {
            self.asked.push(link);
        }
        self.watchers.add(actor, &shape.looked);
        let written: usize = moves.iter().filter_map(|m| m.to.as_ref().ok()).map(|w| w.len()).sum();
        self.bytes += moves.len() * size_of::<Move>() + written * 8 + size_of::<Leaf>();
        let shape = self.number(shape);
        self.leaves.push(Leaf { shape, moves });
        leaf
    }

    fn number(&mut self, mut shape: Shape) -> u32 {
        for kind in &mut shape.moves {
            match self.claims.get(&kind.commutes) {
                Some(known) => kind.commutes = Arc::clone(known),
                None => {
                    self.bytes += size_of_val(&*kind.commutes);
                    _ = self.claims.insert(Arc::clone(&kind.commutes));
                }
            }
        }
        let hash = FxBuildHasher.hash_one(&shape);
        if let Some(known) = self.shape_index.find(hash, |i| self.shapes[*i as usize] == shape) {
            return *known;
        }
        let new = self.shapes.len() as u32;
        let sets = [&shape.reads, &shape.writes, &shape.blocks, &shape.looked].map(Few::bytes);
        let moves = shape.moves.len() * size_of::<Kind>();
        self.bytes += size_of::<Shape>() + moves + sets.iter().sum::<usize>() + 8;
        self.shapes.push(shape);
        self.shape_index.insert_unique(hash, new, |i| FxBuildHasher.hash_one(&self.shapes[*i as usize]));
        new
    }

    /// Notes where a leaf is found, and gives its place.
    fn plant(&mut self, actor: usize, order: &[u32], state: &[Word], leaf: u32) -> Link {
        let (mut link, mut rest) = (Link::Root(actor), order);
        while let [slot, ..] = rest {
            let mut at = self.at(link);
            if at == NOTHING {
                at = self.grow(*slot, in_a_row(rest, rest.len()));
                self.set(link, at);
            }
            debug_assert!(at & LEAF == 0 && self.nodes[at as usize].slot == *slot, "evaluation goes the same way");
            let same = in_a_row(rest, self.nodes[at as usize].slots as usize);
            self.divide(at, same as u32);
            let (words, later) = (&state[self.nodes[at as usize].range()], &rest[same..]);
            let word = if let [word] = words { *word } else { self.slices.number(words) };
            (link, rest) = (Link::Child(at, word), later);
            self.bytes += 28;
        }
        debug_assert_eq!(self.at(link), NOTHING, "what is known was not looked up");
        self.set(link, leaf | LEAF);
        link
    }

    /// A new node that looks at a slot, or at so many from it on if these are worth it.
    fn grow(&mut self, slot: u32, slots: usize) -> Place {
        let slots = if slots < LONG { 1 } else { slots };
        self.bytes += if slots > 1 { slots * size_of::<Word>() } else { 0 };
        self.nodes.push(Node { slot, slots: slots as u32, word: 0, child: NOTHING });
        self.nodes.len() as Place - 1
    }

    /// Has a node look at its first slots alone, and others behind it at the rest: what was found there tells where evaluation looks next.
    fn divide(&mut self, at: Place, slots: u32) {
        let node = self.nodes[at as usize];
        if slots == node.slots {
            return;
        }
        self.nodes[at as usize] = Node { slots, word: 0, child: NOTHING, ..node };
        let behind: Vec<((Place, Word), Place)> = self.children.extract_if(|(of, _), _| *of == at).collect();
        for (old, child) in behind {
            let words: Vec<Word> = self.slices.get(old.1).to_vec();
            let (first, later) = words.split_at(slots as usize);
            let mut number = |words: &[Word]| if let [word] = words { *word } else { self.slices.number(words) };
            let (first, later) = ((at, number(first)), number(later));
            let next = self.children.get(&first).copied().unwrap_or_else(|| {
                let (slot, slots) = (node.slot + slots, node.slots - slots);
                self.nodes.push(Node { slot, slots, word: 0, child: NOTHING });
                self.nodes.len() as Place - 1
            });
            self.children.insert(first, next);
            self.children.insert((next, later), child);
            let moved = self.asked.iter_mut().filter(|link| **link == Link::Child(old.0, old.1));
            moved.for_each(|link| *link = Link::Child(next, later));
        }
    }

    fn at(&self, link: Link) -> Place {
        match link {
            Link::Root(actor) => self.roots[actor],
            Link::Child(at, word) => self.children.get(&(at, word)).copied().unwrap_or(NOTHING),
        }
    }

    fn set(&mut self, link: Link, to: Place) {
        match link {
            Link::Root(actor) => self.roots[actor] = to,
            Link::Child(at, word) => _ = self.children.insert((at, word), to),
        }
    }
}

/// How many of these slots, `most` at most, are one after the other.
fn in_a_row(order: &[u32], most: usize) -> usize {
    (1..most).find(|i| order.get(*i) != Some(&(order[0] + *i as u32))).unwrap_or(most)
}

/// The transitions of states that a full search follows, remembered.
pub struct Every<'m> {
    m: &'m Machine,
    memo: Memo,
    next: Vec<Word>,
}

impl<'m> Every<'m> {
    /// What is remembered is what a search of this machine has left, if there was one.
    pub fn new(m: &'m Machine) -> Every<'m> {
        Every { m, memo: Memo::of(m, Actors::of(m)), next: vec![] }
    }

    /// Calls `visit` for every transition of a state, as [`Machine::transitions`] does.
    ///
    /// # Errors
    /// See there.
    pub fn transitions(&mut self, state: &[Word], visit: &mut dyn FnMut(&Step, Target<'_>)) -> Result<(), Fault> {
        self.memo.go_to(self.m, state)?;
        self.memo.show(state, &mut self.next, visit);
        Ok(())
    }

    /// About how many bytes are taken by what is remembered.
    pub fn bytes(&self) -> usize {
        self.memo.bytes()
    }
}

impl Drop for Every<'_> {
    fn drop(&mut self) {
        self.memo.leave(self.m);
    }
}
