//! The least stubborn sets of a state that hold an actor.
//!
//! A set that holds an actor holds all on whom it depends, so the least one is what is reached from it. Actors that are reached from each other
//! have one set: each set is put together once a state, from those of whom it depends on (strongly connected components, Tarjan 1972). Of one that
//! has too many transitions it is enough to know that, and so has every set that holds one of its actors.

use super::bits::Bits;
use std::cell::OnceCell;

/// What is known of an actor's set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// Nothing.
    New,
    /// It is being looked for; the actor's place among those of which that is so.
    Open(usize),
    /// Its number.
    Closed(usize),
    /// It has too many transitions.
    TooMany,
}

/// An actor that is being followed to those on whom it depends.
struct Frame {
    actor: usize,
    /// The first open actor that is reached from it, as far as that is known.
    low: usize,
    /// Transitions that had been met before it was.
    before: usize,
    /// What is reached from it, as far as that is known.
    inside: Bits,
    /// The words of those on whom it depends that were looked at: first for actors that do something, since it is they who bring a set to the limit, then
    /// for all others.
    words: usize,
    /// What is left of the last one.
    rest: u64,
}

impl Frame {
    /// One more on whom it depends.
    fn next(&mut self, beside: &Bits, doing: &Bits) -> Option<usize> {
        let (all, doing) = (beside.words(), doing.words());
        while self.rest == 0 {
            if self.words == 2 * all.len() {
                return None;
            }
            let at = self.words % all.len();
            self.rest = all[at] & if self.words < all.len() { doing[at] } else { !doing[at] };
            self.words += 1;
        }
        let bit = self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some((self.words - 1) % all.len() * 64 + bit)
    }
}

/// The sets of one state, of actors by number.
pub(super) struct Closures<F> {
    /// How many transitions each actor has.
    moves: Vec<usize>,
    /// Those that have some.
    doing: Bits,
    /// On whom an actor depends.
    beside: Beside<F>,
    marks: Vec<Mark>,
    /// Sets, with their transitions.
    closed: Vec<(Bits, usize)>,
    /// Actors that were gone through to find sets.
    visits: usize,
}

/// On whom actors depend, found out once.
struct Beside<F> {
    known: Vec<OnceCell<Bits>>,
    find: F,
}

impl<F: Fn(usize) -> Bits> Beside<F> {
    fn of(&self, actor: usize) -> &Bits {
        self.known[actor].get_or_init(|| (self.find)(actor))
    }
}

/// So often each actor is gone through, taken together, before the sets of all are looked for at once: most states show a small set sooner.
const SOON: usize = 4;

impl<F: Fn(usize) -> Bits> Closures<F> {
    /// Of actors that have so many transitions each, and depend on those that `find` says.
    pub(super) fn new(moves: Vec<usize>, find: F) -> Closures<F> {
        let n = moves.len();
        let mut doing = Bits::new(n);
        (0..n).filter(|i| moves[*i] > 0).for_each(|i| doing.add(i));
        let beside = Beside { known: vec![OnceCell::new(); n], find };
        Closures { marks: vec![Mark::New; n], moves, doing, beside, closed: vec![], visits: 0 }
    }

    /// The least set that holds an actor; none if it has no fewer transitions than `limit`, which is never more than it was before.
    pub(super) fn of(&mut self, actor: usize, limit: usize) -> Option<&Bits> {
        if self.marks[actor] == Mark::New {
            if self.is_soon() {
                let mut start = Bits::new(self.moves.len());
                start.add(actor);
                self.marks[actor] = match self.gather(&start, None, limit) {
                    None => Mark::TooMany,
                    Some(found) => {
                        self.closed.push(found);
                        Mark::Closed(self.closed.len() - 1)
                    }
                };
            } else {
                self.follow(actor, limit);
            }
        }
        let Mark::Closed(number) = self.marks[actor] else { return None };
        let (inside, transitions) = &self.closed[number];
        (*transitions < limit).then_some(inside)
    }

    /// The same of one transition of an actor, which depends on these: all that must be followed with it. The actor is among them only if its
    /// other transitions must.
    pub(super) fn of_one(&mut self, actor: usize, beside: &Bits, limit: usize) -> Option<Bits> {
        if self.is_soon() {
            return self.gather(beside, Some(actor), limit).map(|(inside, _)| inside);
        }
        let mut inside = Bits::new(self.moves.len());
        for other in beside.iter() {
            if !inside.has(other) {
                inside.join(self.of(other, limit)?);
            }
        }
        let count = self.transitions(&inside) + usize::from(!inside.has(actor));
        (count < limit).then_some(inside)
    }

    fn is_soon(&self) -> bool {
        self.visits <= SOON * self.moves.len()
    }

    /// How many transitions some actors have.
    fn transitions(&self, of: &Bits) -> usize {
        of.iter().map(|actor| self.moves[actor]).sum()
    }

    /// What is reached from some actors, with its transitions and one of an actor that is followed alone; none if these are no fewer than `limit`.
    fn gather(&mut self, start: &Bits, alone: Option<usize>, limit: usize) -> Option<(Bits, usize)> {
        let Closures { moves, beside, marks, closed, visits, .. } = self;
        let mut count = usize::from(alone.is_some());
        let mut inside = Bits::new(moves.len());
        let followed = |new: usize| moves[new] - usize::from(alone == Some(new));
        // Actors that do something are looked at first, since it is they who bring a set to the limit.
        let (mut doing, mut waiting) = (vec![], vec![]);
        let mut add = |more: &Bits, inside: &mut Bits, doing: &mut Vec<usize>, waiting: &mut Vec<usize>| {
            inside.join_new(more, |new| {
                if moves[new] == 0 {
                    waiting.push(new)
                } else {
                    doing.push(new)
                }
                count += followed(new);
            });
            count < limit
        };
        let mut goes_on = add(start, &mut inside, &mut doing, &mut waiting);
        while goes_on && let Some(actor) = doing.pop().or_else(|| waiting.pop()) {
            *visits += 1;
            goes_on = match marks[actor] {
                Mark::TooMany => false,
                // All that is reached from them is there, and need not be gone through.
                Mark::Closed(number) => add(&closed[number].0, &mut inside, &mut vec![], &mut vec![]),
                _ => add(beside.of(actor), &mut inside, &mut doing, &mut waiting),
            };
        }
        goes_on.then_some((inside, count))
    }

    /// Finds the sets of an actor and of all that are reached from it, unless its own has too many transitions.
    fn follow(&mut self, first: usize, limit: usize) {
        let n = self.moves.len();
        let (mut met, mut count) = (Bits::new(n), 0);
        let (mut frames, mut open, mut next): (Vec<Frame>, Vec<usize>, _) = (vec![], vec![], Some(first));
        loop {
            if let Some(actor) = next.take() {
                let mut inside = Bits::new(n);
                inside.add(actor);
                frames.push(Frame { actor, low: open.len(), before: count, inside, words: 0, rest: 0 });
                self.marks[actor] = Mark::Open(open.len());
                open.push(actor);
                if !met.has(actor) {
                    met.add(actor);
                    count += self.moves[actor];
                }
            }
            let Some(frame) = frames.last_mut() else { return };
            let mut dead = false;
            match frame.next(self.beside.of(frame.actor), &self.doing) {
                Some(to) => match self.marks[to] {
                    Mark::New => next = Some(to),
                    Mark::Open(place) => {
                        frame.low = frame.low.min(place);
                        frame.inside.add(to);
                    }
                    Mark::Closed(number) => {
                        let (whole, _) = &self.closed[number];
                        frame.inside.join(whole);
                        met.join_new(whole, |new| count += self.moves[new]);
                    }
                    Mark::TooMany => dead = true,
                },
                None => {
                    let done = frames.pop().expect("it was there");
                    if let Some(parent) = frames.last_mut() {
                        parent.inside.join(&done.inside);
                        parent.low = parent.low.min(done.low);
                    }
                    if self.marks[done.actor] == Mark::Open(done.low) {
                        let members = open.drain(done.low..);
                        members.for_each(|member| self.marks[member] = Mark::Closed(self.closed.len()));
                        let transitions = self.transitions(&done.inside);
                        self.closed.push((done.inside, transitions));
                    }
                }
            }
            if dead || count >= limit {
                // All that is met behind an actor is reached from it.
                open.iter().for_each(|actor| self.marks[*actor] = Mark::New);
                let full = frames.iter().filter(|f| dead || count - f.before >= limit);
                full.for_each(|f| self.marks[f.actor] = Mark::TooMany);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is reached from an actor, found in the plainest way.
    fn reached(edges: &[u64], from: usize) -> u64 {
        let mut all = 1 << from;
        loop {
            let more = (0..edges.len()).filter(|i| all >> i & 1 == 1).fold(all, |all, i| all | edges[i]);
            if more == all {
                return all;
            }
            all = more;
        }
    }

    #[test]
    fn sets_are_what_is_reached_whatever_was_asked_before() {
        let mut random = crate::search::Random::new(7, 0);
        for round in 0..3000 {
            let n = 1 + random.below(9) as usize;
            let edges: Vec<u64> = (0..n)
                .map(|_| (0..n).filter(|_| random.below(n as u64) < 1 + round % 3).fold(0, |e, i| e | 1 << i))
                .collect();
            let moves: Vec<usize> = (0..n).map(|_| random.below(3) as usize).collect();
            let count = |set: u64| (0..n).filter(|i| set >> i & 1 == 1).map(|i| moves[i]).sum::<usize>();
            let beside = |i: usize| {
                let mut bits = Bits::new(n);
                (0..n).filter(|k| edges[i] >> k & 1 == 1).for_each(|k| bits.add(k));
                bits
            };
            let mut closures = Closures::new(moves.clone(), beside);
            // From the beginning, in the midst, or never: all sets at once.
            closures.visits = (random.below((SOON * n) as u64 + 2) * (round % 3)) as usize;
            let mut limit = if round % 2 == 0 { usize::MAX } else { 4 + random.below(6) as usize };
            for _ in 0..2 * n {
                let actor = random.below(n as u64) as usize;
                let wanted = reached(&edges, actor);
                let found = closures.of(actor, limit).map(|bits| bits.iter().fold(0, |set, i| set | 1 << i));
                assert_eq!(
                    found,
                    Some(wanted).filter(|set| count(*set) < limit),
                    "{edges:?} {moves:?} {actor} {limit}"
                );
                let one = (moves[actor] > 0).then(|| closures.of_one(actor, &beside(actor), limit));
                let all = (0..n).filter(|i| edges[actor] >> i & 1 == 1).fold(0, |all, i| all | reached(&edges, i));
                let wanted_one = Some(all).filter(|all| count(*all) + usize::from(all >> actor & 1 == 0) < limit);
                let found = one.map(|one| one.map(|bits| bits.iter().fold(0, |set, i| set | 1 << i)));
                assert!(found.is_none_or(|found| found == wanted_one), "{edges:?} {moves:?} {actor} {limit}");
                limit = limit.min(count(wanted).max(1) + random.below(3) as usize);
            }
        }
    }
}
