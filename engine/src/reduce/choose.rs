//! The transitions of a state that the reduced search follows.

use super::Reduction;
use super::bits::{Bits, Few};
use super::closures::Closures;
use super::may::May;
use crate::actors::{Actors, Kind};
use crate::claim::Claim;
use crate::eval::Fault;
use crate::machine::{Machine, Step, Target};
use crate::memo::{Memo, Shape};
use litmpi_spec::heap::Word;
use rustc_hash::FxHashMap;
use std::cell::{OnceCell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use std::sync::atomic::Ordering;

/// What was chosen is kept for so many shapes.
const MOST: usize = 1 << 24;

/// Transitions of an actor to begin a stubborn set with.
#[derive(Clone, Copy)]
struct Seed {
    actor: usize,
    /// One that is said to commute with the others of its rule, alone.
    alone: Option<usize>,
}

/// Places by what may be done from them, each rule for itself: a thread's place may do what several rules do.
type Deeds<'m> = Vec<(u32, &'m May)>;

/// Transitions of a state, as actors and places among their transitions, in order.
type Chosen = Rc<[(u32, u32)]>;

/// What is followed of a state.
#[derive(Clone)]
struct Choice {
    moves: Chosen,
    /// Actors that have no transition, and are said to wait for others: that is relied on.
    waiting: Rc<[u32]>,
    /// Whether the transitions are all that there are.
    all: bool,
}

/// Those on whom what an actor does may depend, as places: see [`Reduction::places`].
#[derive(Default)]
struct Needs {
    all: OnceCell<Bits>,
    /// Those that one transition depends on that may be followed alone.
    alone: Vec<(usize, OnceCell<Bits>)>,
}

/// The transitions of states that are enough for all outcomes, with what is remembered of them.
pub struct Enough<'m> {
    pub(super) m: &'m Machine,
    pub(super) reduction: &'m Reduction,
    pub(super) memo: Memo,
    /// By shape.
    needs: Vec<Needs>,
    /// What was chosen where actors had these shapes.
    known: FxHashMap<Box<[u32]>, Choice>,
    /// The shapes that they have now.
    shapes: Vec<u32>,
    /// The places of the present state.
    here: Bits,
    /// By place of the present state: who is there.
    who: Vec<u32>,
    deeds: Deeds<'m>,
    /// By slot: the deeds that may read it, and those that may write it. It is worked out when it is first asked for, and never changes.
    readers: SlotDeeds,
    writers: SlotDeeds,
    next: Vec<Word>,
}

type SlotDeeds = RefCell<FxHashMap<usize, Rc<Bits>>>;

impl<'m> Enough<'m> {
    /// What is remembered is what a search of this machine has left, if there was one.
    pub fn new(m: &'m Machine, reduction: &'m Reduction) -> Enough<'m> {
        let free = reduction.footprints.free.iter().map(|f| (f.rule, f.params.clone())).collect();
        let actors = Actors::with(m, free);
        let here = Bits::new(reduction.places.len());
        let (memo, known) = (Memo::of(m, actors), FxHashMap::default());
        let (readers, writers) = (SlotDeeds::default(), SlotDeeds::default());
        let (who, deeds) = (vec![0; reduction.places.len()], reduction.deeds());
        Enough {
            m,
            reduction,
            memo,
            needs: vec![],
            known,
            shapes: vec![],
            here,
            who,
            deeds,
            readers,
            writers,
            next: vec![],
        }
    }

    /// About how many bytes are taken by what is remembered.
    pub fn bytes(&self) -> usize {
        self.memo.bytes() + self.known.len() * self.memo.active().len() * size_of::<u32>()
    }

    /// Calls `visit` for transitions of a state that are enough for all outcomes, always the same in the same order. Says whether
    /// they are all that there are.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub fn transitions(&mut self, state: &[Word], visit: &mut dyn FnMut(&Step, Target<'_>)) -> Result<bool, Fault> {
        self.go_to(state)?;
        let Choice { moves, waiting, all } = self.best();
        if !all {
            self.verify(&moves)?;
            self.verify_waits(&waiting)?;
        }
        for (actor, i) in moves.iter() {
            self.memo.leaf(*actor as usize).moves[*i as usize].show(state, &mut self.next, visit);
        }
        Ok(all)
    }

    /// Calls `visit` for every transition of a state.
    ///
    /// # Errors
    /// See [`Machine::transitions`].
    pub fn all(&mut self, state: &[Word], visit: &mut dyn FnMut(&Step, Target<'_>)) -> Result<(), Fault> {
        self.go_to(state)?;
        self.memo.show(state, &mut self.next, visit);
        Ok(())
    }

    /// Goes to a state.
    pub(super) fn go_to(&mut self, state: &[Word]) -> Result<(), Fault> {
        if self.memo.go_to(self.m, state)? {
            self.needs.clear();
            self.known.clear();
        }
        Ok(())
    }

    /// How many transitions there are.
    fn moves(&self) -> usize {
        self.memo.active().iter().map(|a| self.memo.leaf(*a).moves.len()).sum()
    }

    /// The transitions of the least stubborn set that is found.
    fn best(&mut self) -> Choice {
        self.shapes.clear();
        self.shapes.extend(self.memo.active().iter().map(|a| self.memo.leaf(*a).shape));
        if let Some(known) = self.known.get(self.shapes.as_slice()) {
            return known.clone();
        }
        for shape in &self.memo.shapes[self.needs.len()..] {
            let alone = self.reduction.alone(shape).into_iter().map(|i| (i, OnceCell::new())).collect();
            self.needs.push(Needs { all: OnceCell::new(), alone });
        }
        self.here.clear();
        for actor in self.memo.active() {
            let place = self.reduction.place(*actor, self.memo.shape(*actor).pc);
            self.here.add(place);
            self.who[place] = *actor as u32;
        }
        let (moves, inside) = self.least();
        let waits =
            |actor: &usize| self.memo.leaf(*actor).moves.is_empty() && !self.memo.shape(*actor).waits.is_empty();
        let waiting = inside.iter().flat_map(Bits::iter).map(|place| self.at(place)).filter(waits);
        let waiting = waiting.map(|actor| actor as u32).collect();
        let choice = Choice { all: moves.len() == self.moves(), moves: moves.into(), waiting };
        if self.known.len() * self.shapes.len() > MOST {
            self.known.clear();
        }
        self.known.insert(self.shapes.as_slice().into(), choice.clone());
        choice
    }

    fn kind(&self, (actor, i): &(u32, u32)) -> &Kind {
        &self.memo.shape(*actor as usize).moves[*i as usize]
    }

    /// One with a rule that is `late` only if there is no other; and the places of the set, if it is one.
    fn least(&self) -> (Vec<(u32, u32)>, Option<Bits>) {
        if self.reduction.ends_at_errors {
            let errors: Vec<_> = self.every().filter(|m| self.kind(m).errs).collect();
            if !errors.is_empty() {
                return (errors, None);
            }
        }
        let mut best: Option<(Vec<(u32, u32)>, Bits)> = None;
        let mut late: Option<(Vec<(u32, u32)>, Bits)> = None;
        let mut moves = vec![0; self.who.len()];
        self.here.iter().for_each(|place| moves[place] = self.memo.leaf(self.at(place)).moves.len());
        let mut closures = Closures::new(moves, |place| self.beside(Seed { actor: self.at(place), alone: None }));
        for seed in self.seeds() {
            let limit = |set: &Option<(Vec<_>, Bits)>| set.as_ref().map_or(usize::MAX, |(set, _)| set.len());
            let (least, least_late) = (limit(&best), limit(&late));
            let closure = self.closure(seed, least, &mut closures);
            debug_assert!(closure == self.reached(seed, least), "what is known changes nothing");
            let set = closure.map(|inside| (self.chosen(seed, &inside), inside));
            let Some((set, inside)) = set.filter(|(set, _)| set.iter().any(|m| self.kind(m).goes_on)) else { continue };
            if set.iter().any(|m| self.kind(m).late) {
                if set.len() < least_late {
                    late = Some((set, inside));
                }
            } else if set.len() < least {
                let one = set.len() == 1;
                best = Some((set, inside));
                if one {
                    break;
                }
            }
        }
        // With errors alone, everything: what one error hides, another path must show.
        match best.or(late) {
            Some((set, inside)) => (set, Some(inside)),
            None => (self.every().collect(), None),
        }
    }

    /// Every transition of the present state, in order.
    fn every(&self) -> impl Iterator<Item = (u32, u32)> {
        let of = |actor: &usize| {
            let (actor, all) = (*actor as u32, self.memo.leaf(*actor).moves.len() as u32);
            (0..all).map(move |i| (actor, i))
        };
        self.memo.active().iter().flat_map(of)
    }

    /// Free rules first: what moves along by itself is out of the way before threads go on.
    fn seeds(&self) -> Vec<Seed> {
        let active = self.memo.active();
        let (threads, free) = active.split_at(active.partition_point(|a| *a < self.reduction.threads));
        let mut out = vec![];
        for actor in free.iter().chain(threads).copied().filter(|a| !self.memo.leaf(*a).moves.is_empty()) {
            let alone = self.needs_of(actor).alone.iter().map(|(i, _)| Seed { actor, alone: Some(*i) });
            out.extend(alone);
            out.push(Seed { actor, alone: None });
        }
        out
    }

    fn needs_of(&self, actor: usize) -> &Needs {
        &self.needs[self.memo.leaf(actor).shape as usize]
    }

    /// The places on which some of an actor's transitions, or that it has none, may depend.
    fn needs(&self, Seed { actor, alone }: Seed) -> &Bits {
        let (needs, shape) = (self.needs_of(actor), self.memo.shape(actor));
        match alone {
            None => needs.all.get_or_init(|| self.dependencies(shape, 0..shape.moves.len())),
            Some(i) => {
                let (_, cell) = needs.alone.iter().find(|(k, _)| *k == i).expect("it may be followed alone");
                cell.get_or_init(|| self.dependencies(shape, i..i + 1))
            }
        }
    }

    /// The places on which these transitions of an actor may depend, or to which they may matter; if there are none, those that
    /// may give it some.
    fn dependencies(&self, shape: &Shape, moves: Range<usize>) -> Bits {
        let mut touching = Bits::new(self.deeds.len());
        let mut join = |slots: &Few, of: &SlotDeeds, touches: fn(&May) -> &Bits| {
            slots.iter().for_each(|slot| _ = touching.join(&self.deeds_at(slot, of, touches)));
        };
        if moves.is_empty() {
            join(&shape.blocks, &self.writers, |may| &may.writes);
        } else {
            join(&shape.reads, &self.writers, |may| &may.writes);
            join(&shape.writes, &self.writers, |may| &may.writes);
            join(&shape.writes, &self.readers, |may| &may.reads);
        }
        let places = |matters: &dyn Fn(&May) -> bool| {
            let mut out = Bits::new(self.reduction.places.len());
            for deed in touching.iter() {
                let (place, may) = self.deeds[deed];
                let is_other = self.reduction.places[place as usize] != shape.actor;
                if is_other && !out.has(place as usize) && matters(may) {
                    out.add(place as usize);
                }
            }
            out
        };
        if !moves.is_empty() {
            return places(&|may| self.reduction.matters(shape, &moves, may));
        }
        // Of several claims each is true, so the one counts of which the fewest may do anything.
        let waits = self.reduction.waits(self.m, shape).filter(|(_, c)| !c.tried);
        let said = waits.map(|(_, c)| places(&|may| c.with.iter().any(|(rule, _)| *rule == may.rule)));
        said.min_by_key(|out| out.iter().count()).unwrap_or_else(|| places(&|_| true))
    }

    /// The deeds that touch a slot.
    fn deeds_at(&self, slot: usize, of: &SlotDeeds, touches: fn(&May) -> &Bits) -> Rc<Bits> {
        let found = || {
            let mut found = Bits::new(self.deeds.len());
            let touching = self.deeds.iter().enumerate().filter(|(_, (_, may))| touches(may).has(slot));
            touching.for_each(|(deed, _)| found.add(deed));
            Rc::new(found)
        };
        Rc::clone(of.borrow_mut().entry(slot).or_insert_with(found))
    }

    /// The places of the present state on which an actor depends.
    fn beside(&self, of: Seed) -> Bits {
        self.needs(of).both(&self.here)
    }

    /// Where an active actor is.
    fn place(&self, actor: usize) -> usize {
        self.reduction.place(actor, self.memo.shape(actor).pc)
    }

    /// Who is at a place of the present state.
    fn at(&self, place: usize) -> usize {
        self.who[place] as usize
    }

    /// The least stubborn set that holds the seed, as places of the present state; none if no fewer than `limit` of its transitions are enabled. An
    /// actor of which a seed alone is followed is in it only if its other transitions are followed, too.
    fn closure(&self, seed: Seed, limit: usize, closures: &mut Closures<impl Fn(usize) -> Bits>) -> Option<Bits> {
        let own = self.place(seed.actor);
        if seed.alone.is_none() {
            return closures.of(own, limit).cloned();
        }
        closures.of_one(own, &self.beside(seed), limit)
    }

    /// The same, found in the plainest way.
    fn reached(&self, seed: Seed, limit: usize) -> Option<Bits> {
        let own = self.place(seed.actor);
        let (mut inside, mut todo) = (Bits::new(self.who.len()), vec![]);
        if seed.alone.is_none() {
            inside.add(own);
        }
        inside.join_new(&self.beside(seed), |new| todo.push(new));
        while let Some(place) = todo.pop() {
            inside.join_new(&self.beside(Seed { actor: self.at(place), alone: None }), |new| todo.push(new));
        }
        let moves = |place: usize| self.memo.leaf(self.at(place)).moves.len();
        let count = inside.iter().map(moves).sum::<usize>() + usize::from(!inside.has(own));
        (count < limit).then_some(inside)
    }

    /// The enabled transitions of a stubborn set, in order.
    fn chosen(&self, seed: Seed, inside: &Bits) -> Vec<(u32, u32)> {
        let mut chosen = vec![];
        let own = self.place(seed.actor);
        chosen.extend(seed.alone.filter(|_| !inside.has(own)).map(|i| (seed.actor as u32, i as u32)));
        for place in inside.iter() {
            let actor = self.at(place);
            chosen.extend((0..self.memo.leaf(actor).moves.len()).map(|i| (actor as u32, i as u32)));
        }
        chosen.sort_unstable();
        chosen
    }
}

impl Drop for Enough<'_> {
    fn drop(&mut self) {
        self.memo.leave(self.m);
    }
}

impl Reduction {
    /// The place of an actor: there is one for each instance of a rule that no instruction sets off, and one for each
    /// class of a thread's places, since what it may do from there on is less and less.
    fn place(&self, actor: usize, pc: Word) -> usize {
        let free = self.footprints.free.len();
        match actor.checked_sub(self.threads) {
            Some(i) => i,
            None => free + self.first[actor] + self.footprints.from[actor].class(pc as usize),
        }
    }

    /// What an actor may do from a state on.
    pub(super) fn later(&self, actor: usize, pc: Word) -> &[May] {
        match actor.checked_sub(self.threads) {
            Some(i) => std::slice::from_ref(&self.footprints.free[i]),
            None => self.footprints.from[actor].at(pc as usize),
        }
    }

    /// Everything that may be done, by places in order.
    fn deeds(&self) -> Deeds<'_> {
        let free = self.footprints.free.len();
        let mut out: Deeds<'_> = (0..).zip(&self.footprints.free).collect();
        for (first, from) in self.first.iter().zip(&self.footprints.from) {
            out.extend(from.all().map(|(class, may)| ((free + first + class) as u32, may)));
        }
        out
    }

    /// The transitions that may be followed without the others of their actor.
    pub(super) fn alone(&self, shape: &Shape) -> Vec<usize> {
        let may = self.instance(shape.actor as usize);
        let commutes = |k: &usize| may.is_some_and(|may| self.said_to_commute(shape, &(*k..k + 1), may));
        (0..shape.moves.len()).filter(commutes).collect()
    }

    /// Whether a claim is made of this program.
    pub(super) fn is_made(&self, c: &Claim) -> bool {
        (self.barred.is_empty() || !self.barred.contains(&(c.by, c.number)))
            && !(c.unless_erroneous && self.is_exact.load(Ordering::Relaxed))
    }

    /// The instance of a rule that an actor is, if it is no thread, nor one that another search has left and that is not there.
    pub(super) fn instance(&self, actor: usize) -> Option<&May> {
        actor.checked_sub(self.threads).and_then(|i| self.footprints.free.get(i))
    }

    /// Whether slots that two touch are of those that a claim is made over; of a claim that is made over all, they are.
    pub(super) fn is_over(&self, c: &Claim, mut touched: impl Iterator<Item = usize>) -> bool {
        match self.over.get(&(c.by, c.number)) {
            Some(ranges) => touched.all(|slot| ranges.iter().any(|r| r.contains(&slot))),
            None => true,
        }
    }

    /// Whether all of these transitions are said to commute with what another may do.
    fn said_to_commute(&self, shape: &Shape, moves: &Range<usize>, may: &May) -> bool {
        // What the actor reads and the other writes, and the other way round.
        let touched = || {
            let read = shape.reads.iter().filter(|slot| may.writes.has(*slot));
            read.chain(shape.writes.iter().filter(|slot| may.writes.has(*slot) || may.reads.has(*slot)))
        };
        let covers =
            |c: &Claim| !c.tried && c.covers(may.rule, &may.params) && self.is_made(c) && self.is_over(c, touched());
        let said = |m: &Kind| m.commutes.iter().any(covers);
        self.claims && shape.moves[moves.clone()].iter().all(said)
    }

    /// Whether what an actor, enabled here, does may depend on, or matter to, what a rule may do.
    pub(super) fn depends(&self, shape: &Shape, moves: &Range<usize>, may: &May) -> bool {
        let touches =
            shape.reads.meets(&may.writes) || shape.writes.meets(&may.writes) || shape.writes.meets(&may.reads);
        touches && self.matters(shape, moves, may)
    }

    /// Whether what an actor, enabled here, does may depend on, or matter to, what a rule may do that touches the same.
    fn matters(&self, shape: &Shape, moves: &Range<usize>, may: &May) -> bool {
        !self.judges[may.rule] && !self.said_to_commute(shape, moves, may)
    }
}
