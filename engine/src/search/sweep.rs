//! Search for outcomes alone, on several threads, over compressed states.
//!
//! Level by level: all states at one distance from the initial one, then those that follow them. Within a level threads take states
//! as they come, so what is found must not depend on the order: outcomes with the level at which each is first found, numbers
//! of states and of transitions, and whether a bound was hit. Nothing else is kept: no edges and no ways back. A way to an
//! outcome is found by [`crate::search::explore`], which keeps them.
//!
//! **Putting off.** A worker may follow fewer transitions than there are, enough for every terminal state (a stubborn set). If all
//! that it follows from a state leads to earlier levels, the search may go round in a cycle and put something off for ever; the state
//! is then expanded in full (the proviso of Bošnački and Holzmann, "Improving Spin's partial-order reduction for breadth-first
//! search", SPIN 2005), unless it is seen that no such cycle goes through it. So errors, which are transitions and not states, are found too.

use crate::search::disk::{Disk, Run};
use crate::search::expand::{Crew, Found, Level};
use crate::search::forever::Graph;
use crate::search::pairs::PAIR_BYTES;
use crate::search::store::Store;
use crate::search::tree::Tree;
use crate::search::visited::STATE_BYTES;
use crate::search::{Bound, Bounds, Target};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

/// After so many states it is asked which words stand together.
const MANY: usize = 30_000;
/// States of a level on disk that are read at a time.
const BATCH: usize = 1 << 16;
/// Bytes that a state takes which waits in memory to be put on disk: in the table, and beside it when it is put in order.
const WAITING: usize = STATE_BYTES + 8;

/// What calls a [`Worker`] is given for every transition.
pub type Follow<'v, O> = &'v mut dyn FnMut(Target<'_, O>);

/// A transition system that several threads search.
pub trait Shared: Sync {
    /// What a terminal state, or a transition out of the system, ends in.
    type Outcome: Ord + Clone + Send;
    /// What can go wrong in computing transitions.
    type Fault: Send;

    /// The initial state; its length, at least 1, is the width of every state.
    fn initial(&self) -> Vec<u32>;

    /// What a thread computes transitions with; it may remember what it likes, as long as its answers do not depend on it.
    fn worker(&self) -> Box<dyn Worker<Self::Outcome, Self::Fault> + '_>;

    /// Whether the system does not say everything that may come after a state, because a loop was unrolled no further.
    fn is_cut(&self, _state: &[u32]) -> bool {
        false
    }

    /// What a state without transitions ends in; none if the path was cut short and says nothing.
    fn end(&self, state: &[u32]) -> Option<Self::Outcome>;

    /// What a state ends in though others may go on in it for ever, because what one has done ends all; none else. Asked where paths come back to states.
    fn over(&self, _state: &[u32]) -> Option<Self::Outcome> {
        None
    }

    /// What a state ends in from which no end can be reached; none where paths never come back to a state. To find such states the
    /// search keeps transitions, and no states on disk.
    fn forever(&self) -> Option<Self::Outcome> {
        None
    }

    /// Whether it is known that no path from the second state leads back to the first, from which one transition leads to it.
    fn is_final(&self, _from: &[u32], _to: &[u32]) -> bool {
        false
    }

    /// About how many bytes the system itself keeps for the states seen so far.
    fn bytes(&self) -> usize {
        0
    }

    /// Whether transitions may be computed more often than the search needs: nobody counts how often they are.
    fn may_sample(&self) -> bool {
        true
    }

    /// Whether what was found is worth nothing, so that the search may end. It is asked after each level.
    fn is_refuted(&self) -> bool {
        false
    }
}

/// Computes transitions for one thread.
pub trait Worker<O, F> {
    /// Calls `visit` for transitions that are enough, and says whether they are all. Where a state has any, one at least is among them.
    ///
    /// # Errors
    /// The system's own.
    fn enough(&mut self, state: &[u32], visit: Follow<'_, O>) -> Result<bool, F>;

    /// Calls `visit` for every transition.
    ///
    /// # Errors
    /// The system's own.
    fn all(&mut self, state: &[u32], visit: Follow<'_, O>) -> Result<(), F>;
}

/// What a sweep found: the same for any number of threads, and, but for reduced searches of systems with cycles, in memory and on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swept<O> {
    /// Every outcome, and how many steps from the initial state it was first found.
    pub outcomes: BTreeMap<O, usize>,
    /// Distinct states.
    pub states: usize,
    /// Transitions that were followed.
    pub transitions: usize,
    /// The most states that were at one distance from the initial one.
    pub widest: usize,
    /// Levels that were searched to the end.
    pub levels: usize,
    /// Distinct pairs that the states were compressed to, about: by chance two nodes have the same numbers below them.
    pub pairs: usize,
    /// Bounds that were hit: the outcomes are then those of the levels before.
    pub bounds: Vec<Bound>,
}

/// Reaches every state within the bounds, on so many threads.
///
/// # Errors
/// One of the system's own, any one of those at the first level that has some.
pub fn sweep<S: Shared>(system: &S, bounds: Bounds, threads: usize) -> Result<Swept<S::Outcome>, S::Fault> {
    let initial = system.initial();
    let store = Store::new(initial.len());
    let key = Tree::new(&store.forest).start(&initial);
    store.visited.enter(key, 0);
    let out =
        Swept { outcomes: BTreeMap::new(), states: 1, transitions: 0, widest: 1, levels: 0, pairs: 0, bounds: vec![] };
    let mut search = Search {
        system,
        bounds,
        store: Arc::new(store),
        is_shaped: initial.len() == 1 || !system.may_sample(),
        disk: None,
        graph: system.forever().map(|_| Graph::default()),
        ends: vec![],
        out,
    };
    std::thread::scope(|scope| {
        let mut crew = Crew::hire(scope, system, threads);
        let mut level = Waiting::Memory(vec![key]);
        while level.len() > 0 {
            match search.level(&mut crew, level)? {
                Ok(next) => level = next,
                Err(bound) => {
                    search.out.bounds.push(bound);
                    break;
                }
            }
            if system.is_refuted() {
                break;
            }
        }
        search.end();
        Ok(search.out)
    })
}

/// States that are to be expanded.
enum Waiting {
    Memory(Vec<u64>),
    Disk(Rc<Run>),
}

impl Waiting {
    fn len(&self) -> usize {
        match self {
            Waiting::Memory(keys) => keys.len(),
            Waiting::Disk(run) => run.len(),
        }
    }
}

/// A search between two levels.
struct Search<'s, S: Shared> {
    system: &'s S,
    bounds: Bounds,
    store: Arc<Store>,
    /// Whether the trees have the shape that they will keep.
    is_shaped: bool,
    /// Where states are put, once there is no more room for them in memory.
    disk: Option<Disk>,
    /// The transitions, if they are needed.
    graph: Option<Graph>,
    /// Where what each thread found ends among the states of the level.
    ends: Vec<usize>,
    out: Swept<S::Outcome>,
}

impl<S: Shared> Search<'_, S> {
    /// All states are reached, or a bound is: what goes on for ever is known of a search that was not stopped.
    fn end(&mut self) {
        let Some((graph, outcome)) = self.graph.take().zip(self.system.forever()) else { return };
        if !Bound::stopped(&self.out.bounds)
            && !self.system.is_refuted()
            && graph.goes_on_for_ever(self.store.visited.keys())
        {
            self.out.outcomes.entry(outcome).or_insert(self.out.levels);
        }
    }

    /// Bytes of memory that are left for states, when all else has what it takes.
    fn room(&self) -> usize {
        let graph = self.graph.as_ref().map_or(0, Graph::bytes);
        let pairs = self.store.forest.pairs.len() * PAIR_BYTES;
        self.bounds.bytes.saturating_sub(pairs + self.system.bytes() + graph)
    }

    /// Expands a level, and gives the next one; or says which bound was hit: then nothing is told of the level, or nothing comes after it.
    fn level(&mut self, crew: &mut Crew<'_, S>, level: Waiting) -> Result<Result<Waiting, Bound>, S::Fault> {
        let (mut all, mut next) = (vec![], vec![]);
        let before = level.len();
        let filled = match level {
            Waiting::Memory(keys) => self.batch(crew, keys, &mut all)?,
            Waiting::Disk(run) => {
                let mut keys = match run.keys() {
                    Ok(keys) => keys,
                    Err(bound) => return Ok(Err(bound)),
                };
                loop {
                    match keys.take(BATCH) {
                        Ok(batch) if batch.is_empty() => break Ok(()),
                        Ok(batch) => {
                            if let Err(bound) = self.batch(crew, batch, &mut all)? {
                                break Err(bound);
                            }
                        }
                        Err(bound) => break Err(bound),
                    }
                }
            }
        };
        if let Err(bound) = filled {
            return Ok(Err(bound));
        }
        self.ends.clear();
        for found in &mut all {
            next.append(&mut found.next);
            self.ends.push(next.len());
        }
        let next = match self.complete(next) {
            Ok(next) => next,
            Err(bound) => return Ok(Err(bound)),
        };
        self.tell(all);
        self.out.widest = self.out.widest.max(next.len());
        if !self.is_shaped && (self.out.states > MANY || !self.fits(before, next.len())) {
            self.is_shaped = true;
            let shaped = self.shape(next);
            return Ok(self.make_room(before, shaped));
        }
        Ok(self.make_room(before, next))
    }

    /// Whether memory has room for all states up to this level, and for the next one if levels grow as they did.
    fn fits(&self, before: usize, now: usize) -> bool {
        let coming = (now as f64 * now as f64 / before as f64) as usize;
        (self.out.states + coming) * STATE_BYTES + now * 8 <= self.room()
    }

    /// Where the share of each thread ends among so many states: those that it found itself, if it is known which they are.
    fn shares(&self, states: usize, threads: usize) -> Vec<usize> {
        if self.ends.len() == threads && self.ends.last() == Some(&states) {
            return self.ends.clone();
        }
        (1..=threads).map(|i| states * i / threads).collect()
    }

    /// Expands some states of a level.
    fn batch(
        &mut self,
        crew: &mut Crew<'_, S>,
        keys: Vec<u64>,
        all: &mut Vec<Found<S::Outcome>>,
    ) -> Result<Result<(), Bound>, S::Fault> {
        // Of a store that forgets, some of the new states may be old ones.
        let most = if self.disk.is_some() { usize::MAX } else { self.bounds.states.saturating_sub(self.out.states) };
        let ends = self.shares(keys.len(), crew.threads());
        let level = Arc::new(Level::new((keys, &ends), (self.out.levels, self.graph.is_some()), &self.store, most));
        all.append(&mut crew.expand(&level)?);
        if level.fresh() > most {
            return Ok(Err(self.too_many()));
        }
        let is_full = self.store.visited.len() * WAITING > self.room();
        let late = self.bounds.late();
        let Some(disk) = &mut self.disk else {
            self.out.states += level.fresh();
            return Ok(late.map_or(Ok(()), Err));
        };
        if let Some(late) = late {
            return Ok(Err(late));
        }
        if !is_full {
            return Ok(Ok(()));
        }
        drop(level);
        let found = self.store.visited.keys();
        self.store = self.store.emptied();
        Ok(disk.put(found))
    }

    /// All states of the next level are found.
    fn complete(&mut self, next: Vec<u64>) -> Result<Waiting, Bound> {
        let Some(disk) = &mut self.disk else { return Ok(Waiting::Memory(next)) };
        let found = self.store.visited.keys();
        self.store = self.store.emptied();
        disk.put(found)?;
        let run = disk.finish()?;
        self.out.states += run.len();
        if self.out.states > self.bounds.states {
            return Err(self.too_many());
        }
        Ok(Waiting::Disk(run))
    }

    fn too_many(&mut self) -> Bound {
        // As another search counts: with the one that was too many.
        self.out.states = self.bounds.states.saturating_add(1);
        Bound::States(self.bounds.states)
    }

    /// Adds what was found in a level.
    fn tell(&mut self, all: Vec<Found<S::Outcome>>) {
        let out = &mut self.out;
        for mut found in all {
            out.transitions += found.transitions;
            if let Some(graph) = &mut self.graph {
                graph.append(&mut found.graph);
            }
            if found.cut && !out.bounds.contains(&Bound::Loops) {
                out.bounds.push(Bound::Loops);
            }
            if found.outcomes.len() * 8 < out.outcomes.len() {
                for o in found.outcomes {
                    out.outcomes.entry(o).or_insert(out.levels);
                }
            } else {
                // They are in order: this is faster. Those that were known keep their level.
                let mut new: BTreeMap<_, _> = found.outcomes.into_iter().map(|o| (o, out.levels)).collect();
                new.append(&mut out.outcomes);
                out.outcomes = new;
            }
        }
        out.levels += 1;
    }

    /// Gives the trees the shape that fits the states of this system.
    fn shape(&mut self, next: Waiting) -> Waiting {
        let Waiting::Memory(mut next) = next else { return next };
        let graph = &mut self.graph;
        let shaped = self.store.shaped(self.system, self.bounds.bytes, |rename| {
            next.iter_mut().for_each(|key| *key = rename(*key));
            graph.iter_mut().for_each(|graph| graph.rename(&mut *rename));
        });
        if let Some(store) = shaped {
            self.store = Arc::new(store);
        }
        Waiting::Memory(next)
    }

    /// Goes on with a level, which follows one of so many states, if there is room for what is kept, in memory or on disk.
    fn make_room(&mut self, before: usize, next: Waiting) -> Result<Waiting, Bound> {
        self.out.pairs = self.store.forest.pairs.len();
        let may_put = self.bounds.disk > 0 && self.graph.is_none();
        let next = match next {
            Waiting::Memory(keys) if may_put && !self.fits(before, keys.len()) => {
                let mut disk = Disk::new(self.bounds.disk)?;
                let found = self.store.visited.keys();
                self.store = self.store.emptied();
                let run = disk.begin(found, keys)?;
                self.disk = Some(disk);
                Waiting::Disk(run)
            }
            next => next,
        };
        // What stays in memory when states are on disk may take seven eighths of it.
        let least = match &next {
            Waiting::Memory(keys) => self.out.states * STATE_BYTES + keys.len() * 8,
            Waiting::Disk(_) => self.bounds.bytes / 8,
        };
        if least >= self.room() { Err(Bound::Bytes(self.bounds.bytes)) } else { Ok(next) }
    }
}
