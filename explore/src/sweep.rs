//! Search for outcomes alone, on several threads, over compressed states.
//!
//! Level by level: all states at one distance from the initial one, then those that follow them. Within a level threads take states
//! as they come, so what is found must not depend on the order: outcomes with the level at which each is first found, numbers
//! of states and of transitions, and whether a bound was hit. Nothing else is kept: no edges and no ways back. A way to an
//! outcome is found by [`crate::explore`], which keeps them.
//!
//! **Putting off.** A worker may follow fewer transitions than there are, enough for every terminal state (a stubborn set). If all
//! that it follows from a state leads to earlier levels, the search may go round in a cycle and put something off for ever; the state
//! is then expanded in full (the proviso of Bošnački and Holzmann, "Improving Spin's partial-order reduction for breadth-first
//! search", SPIN 2005), unless it is seen that no such cycle goes through it. So errors, which are transitions and not states, are found too.

use crate::pairs::Pairs;
use crate::tree::Tree;
use crate::visited::{Reached, Visited};
use crate::{Bound, Bounds, Target};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::channel;

/// How many states a thread takes at a time.
const CHUNK: usize = 64;
/// About how many bytes a state and a pair take: ten, and eight and the index's five, in tables that are partly empty.
const STATE_BYTES: usize = 14;
const PAIR_BYTES: usize = 19;

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

    /// Whether it is known that no path from the second state leads back to the first, from which one transition leads to it.
    fn is_final(&self, _from: &[u32], _to: &[u32]) -> bool {
        false
    }

    /// About how many bytes the system itself keeps for the states seen so far.
    fn bytes(&self) -> usize {
        0
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

/// What a sweep found: the same for any number of threads.
#[derive(Debug, PartialEq, Eq)]
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
    /// Distinct pairs that the states were compressed to.
    pub pairs: usize,
    /// Bounds that were hit: the outcomes are then those of the levels before.
    pub bounds: Vec<Bound>,
}

/// What one thread found in one level.
struct Found<O> {
    outcomes: Vec<O>,
    transitions: usize,
    /// States of the next level.
    next: Vec<u64>,
    /// A path was cut short.
    cut: bool,
}

/// Reaches every state within the bounds, on so many threads.
///
/// # Errors
/// One of the system's own, any one of those at the first level that has some.
pub fn sweep<S: Shared>(system: &S, bounds: Bounds, threads: usize) -> Result<Swept<S::Outcome>, S::Fault> {
    let initial = system.initial();
    let width = initial.len();
    let common = Common { system, pairs: Pairs::new(), visited: Visited::new(), states: AtomicUsize::new(1) };
    let key = Tree::new(&common.pairs, width).start(&initial);
    common.visited.enter(key, 0);
    let mut out =
        Swept { outcomes: BTreeMap::new(), states: 1, transitions: 0, widest: 1, levels: 0, pairs: 0, bounds: vec![] };
    let mut level = vec![key];
    std::thread::scope(|scope| {
        // Workers live as long as the search: what they remember serves all levels.
        let hire = |_| {
            let (job, jobs) = channel::<Arc<Level>>();
            let (result, results) = channel();
            let common = &common;
            scope.spawn(move || {
                let (mut worker, mut tree) = (system.worker(), Tree::new(&common.pairs, width));
                while let Ok(level) = jobs.recv() {
                    if result.send(expand(common, &mut *worker, &mut tree, &level)).is_err() {
                        break;
                    }
                }
            });
            (job, results)
        };
        let hired: Vec<_> = (0..threads.max(1)).map(hire).collect();
        while !level.is_empty() {
            let job = Arc::new(Level {
                keys: std::mem::take(&mut level),
                number: out.levels,
                cursor: AtomicUsize::new(0),
                stop: AtomicBool::new(false),
                most: bounds.states,
            });
            // A level of a few states is sooner done by one thread than handed out.
            let busy = if job.keys.len() <= CHUNK { &hired[..1] } else { &hired };
            busy.iter().for_each(|(jobs, _)| jobs.send(Arc::clone(&job)).expect("the thread waits for it"));
            let answers: Vec<_> = busy.iter().map(|(_, r)| r.recv().expect("the thread answers")).collect();
            let (mut all, mut fault) = (vec![], None);
            for answer in answers {
                match answer {
                    Ok(found) => all.push(found),
                    Err(e) => fault = Some(e),
                }
            }
            if let Some(e) = fault {
                return Err(e);
            }
            out.states = common.states.load(Ordering::Relaxed);
            if out.states > bounds.states {
                // As another search counts: with the one that was too many.
                out.states = bounds.states.saturating_add(1);
                out.bounds.push(Bound::States(bounds.states));
                break;
            }
            for found in all {
                out.transitions += found.transitions;
                for o in found.outcomes {
                    out.outcomes.entry(o).or_insert(out.levels);
                }
                if found.cut && !out.bounds.contains(&Bound::Loops) {
                    out.bounds.push(Bound::Loops);
                }
                level.extend(found.next);
            }
            out.levels += 1;
            if system.is_refuted() {
                break;
            }
            out.widest = out.widest.max(level.len());
            out.pairs = common.pairs.len();
            let kept = out.states * STATE_BYTES + out.pairs * PAIR_BYTES + level.len() * 8;
            if kept + system.bytes() > bounds.bytes {
                out.bounds.push(Bound::Bytes(bounds.bytes));
                break;
            }
        }
        Ok(out)
    })
}

/// One level, shared by the threads that expand it.
struct Level {
    keys: Vec<u64>,
    number: usize,
    cursor: AtomicUsize,
    /// Too many states, or a fault: nothing of this level is told.
    stop: AtomicBool,
    most: usize,
}

/// What all threads share.
struct Common<'s, S> {
    system: &'s S,
    pairs: Pairs,
    visited: Visited,
    states: AtomicUsize,
}

/// What follows one state, as its transitions are called.
struct Successors<'a, 'p, S, O> {
    system: &'a S,
    from: &'a [u32],
    tree: &'a mut Tree<'p>,
    visited: &'a Visited,
    states: &'a AtomicUsize,
    level: &'a Level,
    found: &'a mut Found<O>,
    transitions: usize,
    /// Whether one of them is no state of this level or an earlier one, or closes no cycle all the same.
    ahead: bool,
}

impl<S: Shared> Successors<'_, '_, S, S::Outcome> {
    fn add(&mut self, target: Target<'_, S::Outcome>) {
        self.transitions += 1;
        match target {
            Target::Outcome(o) => self.found.outcomes.push(o),
            Target::State(words) => {
                let key = self.tree.key(words);
                let reached = self.visited.enter(key, self.level.number + 1);
                self.ahead = self.ahead || reached != Reached::Earlier || self.system.is_final(self.from, words);
                if reached == Reached::Now {
                    self.found.next.push(key);
                    if self.states.fetch_add(1, Ordering::Relaxed) >= self.level.most {
                        self.level.stop.store(true, Ordering::Relaxed);
                    }
                }
            }
        }
    }
}

/// Steps of a way that are looked at to see whether it comes back.
const STEPS: usize = 64;

/// Whether a state may be in a set of states which no transition that is followed leaves, and of which each is reached from each. From
/// such a state any way goes on for ever, and no step of it is final. So one way is enough that does otherwise.
fn may_return<S: Shared>(
    system: &S,
    worker: &mut dyn Worker<S::Outcome, S::Fault>,
    from: &[u32],
) -> Result<bool, S::Fault> {
    let mut at = from.to_vec();
    for _ in 0..STEPS {
        let (mut leaves, mut next) = (false, None);
        worker.enough(&at, &mut |target| {
            if let Target::State(to) = target {
                leaves |= system.is_final(&at, to);
                next.get_or_insert_with(|| to.to_vec());
            }
        })?;
        match next {
            Some(to) if !leaves => at = to,
            _ => return Ok(false),
        }
        if at == from {
            break;
        }
    }
    Ok(true)
}

/// Expands states of a level until none is left.
fn expand<S: Shared>(
    common: &Common<'_, S>,
    worker: &mut dyn Worker<S::Outcome, S::Fault>,
    tree: &mut Tree<'_>,
    level: &Level,
) -> Result<Found<S::Outcome>, S::Fault> {
    let mut found = Found { outcomes: vec![], transitions: 0, next: vec![], cut: false };
    let mut current = vec![];
    while !level.stop.load(Ordering::Relaxed) {
        let begin = level.cursor.fetch_add(CHUNK, Ordering::Relaxed);
        let Some(keys) = level.keys.get(begin..level.keys.len().min(begin + CHUNK)) else { break };
        for key in keys {
            tree.load(*key);
            current.clear();
            current.extend_from_slice(tree.words());
            found.cut |= common.system.is_cut(&current);
            let mut to = Successors {
                system: common.system,
                from: &current,
                tree: &mut *tree,
                visited: &common.visited,
                states: &common.states,
                level,
                found: &mut found,
                transitions: 0,
                ahead: false,
            };
            let mut whole = worker.enough(&current, &mut |t| to.add(t));
            if let Ok(false) = whole
                && to.transitions > 0
                && !to.ahead
                && may_return(common.system, worker, &current)?
            {
                to.transitions = 0;
                whole = worker.all(&current, &mut |t| to.add(t)).map(|()| true);
            }
            let followed = to.transitions;
            if let Err(e) = whole {
                level.stop.store(true, Ordering::Relaxed);
                return Err(e);
            }
            found.transitions += followed;
            if followed == 0 {
                match common.system.end(&current) {
                    Some(o) => found.outcomes.push(o),
                    None => found.cut = true,
                }
            }
        }
        // The same outcomes come again and again.
        found.outcomes.sort_unstable();
        found.outcomes.dedup();
    }
    Ok(found)
}
