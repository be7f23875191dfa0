//! What each thread of a sweep does: it takes states of a level and follows their transitions.

use crate::search::Target;
use crate::search::follow::follow;
use crate::search::forever::Graph;
use crate::search::store::Store;
use crate::search::sweep::{Shared, Worker};
use crate::search::tree::Tree;
use crate::search::visited::Reached;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::Scope;

/// How many states a thread takes at a time.
const CHUNK: usize = 64;
/// Outcomes after which a thread looks for those that it has found more than once.
const REPEATED: usize = 1 << 10;

/// The states of a level, or some of them, shared by the threads that expand them.
pub(crate) struct Level {
    pub(crate) keys: Vec<u64>,
    pub(crate) number: usize,
    pub(crate) store: Arc<Store>,
    /// Whether transitions are kept.
    keeps: bool,
    /// So many new states are too many.
    pub(crate) most: usize,
    /// Too many states, or a fault: nothing of this level is told.
    stop: AtomicBool,
    shares: Vec<Share>,
    fresh: AtomicUsize,
}

/// A part of a level's states that one thread takes from first: what it found itself, and has at hand. One that has no more helps the others.
struct Share {
    cursor: AtomicUsize,
    end: usize,
}

impl Share {
    /// States that nobody has taken yet.
    fn take(&self) -> Option<Range<usize>> {
        // A thread that comes too late must not count on for ever.
        if self.cursor.load(Ordering::Relaxed) >= self.end {
            return None;
        }
        let begin = self.cursor.fetch_add(CHUNK, Ordering::Relaxed);
        (begin < self.end).then(|| begin..self.end.min(begin + CHUNK))
    }
}

/// What one thread found.
pub(crate) struct Found<O> {
    /// In order, each once.
    pub(crate) outcomes: Vec<O>,
    pub(crate) transitions: usize,
    /// States of the next level, unless the store forgets.
    pub(crate) next: Vec<u64>,
    /// A path was cut short.
    pub(crate) cut: bool,
    /// The transitions, if they are kept.
    pub(crate) graph: Graph,
    /// More outcomes than this may be the same ones again and again.
    many: usize,
}

impl<O: Ord> Found<O> {
    fn put_in_order(&mut self) {
        self.outcomes.sort_unstable();
        self.outcomes.dedup();
        self.many = REPEATED.max(2 * self.outcomes.len());
    }
}

impl Level {
    /// The states, where each thread's share of them ends, the number of the level, and whether transitions are kept.
    pub(crate) fn new(
        (keys, ends): (Vec<u64>, &[usize]),
        (number, keeps): (usize, bool),
        store: &Arc<Store>,
        most: usize,
    ) -> Level {
        let begins = std::iter::once(&0).chain(ends);
        let shares = begins.zip(ends).map(|(b, e)| Share { cursor: AtomicUsize::new(*b), end: *e }).collect();
        let (stop, fresh) = (AtomicBool::new(false), AtomicUsize::new(0));
        Level { keys, number, keeps, store: Arc::clone(store), most, stop, shares, fresh }
    }

    /// States for a thread to expand: of its own share, and then of the others'.
    fn take(&self, thread: usize) -> Option<&[u64]> {
        let n = self.shares.len();
        let taken = (0..n).find_map(|i| self.shares[(thread + i) % n].take())?;
        Some(&self.keys[taken])
    }

    /// New states that were found.
    pub(crate) fn fresh(&self) -> usize {
        self.fresh.load(Ordering::Relaxed)
    }
}

/// Threads that expand levels: the one that asks for it, and others. They live as long as the search: what they remember serves all levels.
pub(crate) struct Crew<'e, S: Shared> {
    own: Member<'e, S>,
    hired: Vec<Hired<S::Outcome, S::Fault>>,
}

/// How a thread is given work, and answers.
type Hired<O, F> = (Sender<Arc<Level>>, Receiver<Result<Found<O>, F>>);

impl<'e, S: Shared> Crew<'e, S> {
    /// So many threads, one at least.
    pub(crate) fn hire<'s>(scope: &'s Scope<'s, 'e>, system: &'e S, threads: usize) -> Crew<'e, S>
    where
        S::Outcome: 's,
        S::Fault: 's,
    {
        let hire = |number| {
            let (job, jobs) = channel::<Arc<Level>>();
            let (result, results) = channel();
            scope.spawn(move || {
                let mut member = Member::new(system, number);
                while let Ok(level) = jobs.recv() {
                    if result.send(member.expand(&level)).is_err() {
                        break;
                    }
                }
            });
            (job, results)
        };
        Crew { own: Member::new(system, 0), hired: (1..threads).map(hire).collect() }
    }

    /// How many they are.
    pub(crate) fn threads(&self) -> usize {
        1 + self.hired.len()
    }

    /// Expands these states.
    ///
    /// # Errors
    /// One of the system's own.
    pub(crate) fn expand(&mut self, level: &Arc<Level>) -> Result<Vec<Found<S::Outcome>>, S::Fault> {
        // A few states are sooner expanded by one thread than handed out.
        let busy = if level.keys.len() <= CHUNK { &[] } else { &self.hired[..] };
        busy.iter().for_each(|(jobs, _)| jobs.send(Arc::clone(level)).expect("the thread waits for it"));
        let own = self.own.expand(level);
        let others: Vec<_> = busy.iter().map(|(_, r)| r.recv().expect("the thread answers")).collect();
        std::iter::once(own).chain(others).collect()
    }
}

/// What one thread works with.
struct Member<'e, S: Shared> {
    system: &'e S,
    /// Which of the threads it is.
    number: usize,
    worker: Box<dyn Worker<S::Outcome, S::Fault> + 'e>,
    /// As long as trees keep their shape.
    tree: Option<Tree>,
}

impl<'e, S: Shared> Member<'e, S> {
    fn new(system: &'e S, number: usize) -> Member<'e, S> {
        Member { system, number, worker: system.worker(), tree: None }
    }

    fn expand(&mut self, level: &Level) -> Result<Found<S::Outcome>, S::Fault> {
        let forest = &level.store.forest;
        let mut tree = self.tree.take().filter(|t| t.is_of(forest)).unwrap_or_else(|| Tree::new(forest));
        let found = expand((self.system, self.number), &mut *self.worker, &mut tree, level);
        self.tree = Some(tree);
        found
    }
}

/// What follows one state, as its transitions are called.
struct Successors<'a, S, O> {
    system: &'a S,
    from: &'a [u32],
    key: u64,
    tree: &'a mut Tree,
    level: &'a Level,
    found: &'a mut Found<O>,
    /// New states since they were last added to the level's.
    fresh: &'a mut usize,
}

impl<S: Shared> Successors<'_, S, S::Outcome> {
    /// Adds one. Whether it, or one before it, leads to no state of this level or an earlier one, or closes no cycle all the same.
    fn add(&mut self, target: Target<'_, S::Outcome>, ahead: bool) -> bool {
        match target {
            Target::Outcome(o) => {
                self.found.outcomes.push(o);
                if self.level.keeps {
                    self.found.graph.ends.push(self.key);
                }
                ahead
            }
            Target::State(words) => {
                let key = self.tree.key(words);
                if self.level.keeps {
                    self.found.graph.edges.push((self.key, key));
                }
                let store = &self.level.store;
                let reached = store.visited.enter(key, self.level.number + 1);
                let may_be_earlier = store.forgets || reached == Reached::Earlier;
                if reached == Reached::Now {
                    *self.fresh += 1;
                    if !store.forgets {
                        self.found.next.push(key);
                    }
                }
                ahead || !may_be_earlier || self.system.is_final(self.from, words)
            }
        }
    }
}

/// Expands states of a level until none is left.
fn expand<S: Shared>(
    (system, thread): (&S, usize),
    worker: &mut dyn Worker<S::Outcome, S::Fault>,
    tree: &mut Tree,
    level: &Level,
) -> Result<Found<S::Outcome>, S::Fault> {
    let graph = Graph::default();
    let mut found = Found { outcomes: vec![], transitions: 0, next: vec![], cut: false, graph, many: REPEATED };
    let mut current = vec![];
    while !level.stop.load(Ordering::Relaxed) {
        let Some(keys) = level.take(thread) else { break };
        let mut fresh = 0;
        for key in keys {
            tree.load(*key);
            current.clear();
            current.extend_from_slice(tree.words());
            let is_cut = system.is_cut(&current);
            found.cut |= is_cut;
            let mut to = Successors {
                system,
                from: &current,
                key: *key,
                tree: &mut *tree,
                level,
                found: &mut found,
                fresh: &mut fresh,
            };
            let followed = follow(system, worker, &current, |target, ahead| to.add(target, ahead))
                .inspect_err(|_| level.stop.store(true, Ordering::Relaxed))?;
            found.transitions += followed;
            let over = if level.keeps { system.over(&current) } else { None };
            if level.keeps && (is_cut || followed == 0 || over.is_some()) {
                found.graph.ends.push(*key);
            }
            found.outcomes.extend(over);
            if followed == 0 {
                match system.end(&current) {
                    Some(o) => found.outcomes.push(o),
                    None => found.cut = true,
                }
            }
        }
        if level.fresh.fetch_add(fresh, Ordering::Relaxed) + fresh > level.most {
            level.stop.store(true, Ordering::Relaxed);
        }
        // The same outcomes come again and again.
        if found.outcomes.len() > found.many {
            found.put_in_order();
        }
    }
    found.put_in_order();
    Ok(found)
}
