//! Behaviours at random, of programs that have too many to follow them all; and one that is followed again.
//!
//! Each rank is one process that goes one way; nothing is kept of where it was. Half of the behaviours take in each state one of all
//! transitions, each with the same chance. In the others each thread and each rule has a priority, and who acts comes last of all from time to time: so
//! some messages, completions and ranks stay behind for long, which chances alone make rare (Burckhardt, Kothari, Musuvathi, Nagarakatte: "A
//! randomized scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010).
//!
//! What an erroneous transition of any state on the way says is told, though another would have been taken.

use crate::behaviour::{Behaviour, Follower};
use crate::explore::{Explorer, Stopped};
use crate::rank::Written;
use crate::report::{Bad, Finding, Verdict};
use crate::sites::Sites;
use crate::tree::Place;
use crate::watch::{At, Held, Watcher};
use litmpi_engine::machine::Step;
use litmpi_engine::present::Present;
use litmpi_engine::search::{Bound, Path};
use litmpi_litmus::ast::Outcome;
use litmpi_spec::heap::Word;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::collections::BTreeMap;

/// Which behaviours are followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// How many.
    pub number: usize,
    /// What their choices depend on.
    pub seed: u64,
}

/// How often the model may be made anew on one way.
const ANEW: usize = 10_000;
/// A way on which elements of windows were found ([`crate::named`]) is gone again, with all of them known, until there were so many ways; from then on
/// all processes are begun again where one is found, if what the way came to is bad.
const WAYS: usize = 3;
/// After one of so many choices, who was chosen comes last from there on.
const LOWERED: u32 = 32;

/// What a way came to.
enum Came {
    /// The model was made anew, and the way must be begun again.
    Anew,
    /// An outcome; none where nothing is known of how it goes on.
    To(Option<Outcome>),
    /// No end, in as many states as are followed.
    Endless,
    /// A rank tests again and again what is not there, and is followed no further though others may go on.
    Waits,
    /// No end within the memory that may be taken.
    Full,
    /// No end within the time that may be taken.
    Late(Bound),
    /// The behaviour that is followed again has no such transition: which, and at which step.
    Astray((usize, usize)),
}

/// Who says what is done in a state.
enum Guide<'b> {
    Random(Box<Chooser>),
    /// The transitions of a behaviour.
    Kept(Follower<'b>),
}

/// A way with what is known of it.
struct Gone {
    path: Path<Step>,
    /// Of each step, which of the transitions of its name it is.
    which: Vec<usize>,
    /// The transition of a behaviour that is followed again which is not possible, and the step where that is: from there the way is one at random, since elements of windows that are named
    /// there may be what was lacking.
    astray: Option<(usize, usize)>,
}

/// What has a priority: a thread, or a rule that is of no thread.
type Actor = (Option<usize>, Option<usize>);

/// Who chooses among transitions.
struct Chooser {
    rng: StdRng,
    /// If there are any.
    priorities: Option<BTreeMap<Actor, i64>>,
    /// Below all of them.
    lowest: i64,
}

impl Chooser {
    fn new(seed: u64, number: usize) -> Chooser {
        let mut rng = StdRng::seed_from_u64(seed);
        for _ in 0..number {
            rng = StdRng::seed_from_u64(rng.random());
        }
        Chooser { rng, priorities: (number % 2 == 1).then(BTreeMap::new), lowest: 0 }
    }

    fn choose(&mut self, steps: &[&Step]) -> usize {
        let Some(priorities) = &mut self.priorities else { return self.rng.random_range(0..steps.len()) };
        let actor = |step: &Step| (step.thread, step.rule.filter(|_| step.thread.is_none()));
        let mut best: Vec<usize> = vec![];
        let mut most = i64::MIN;
        for (i, step) in steps.iter().enumerate() {
            let p = *priorities.entry(actor(step)).or_insert_with(|| self.rng.random_range(1..1000));
            if p > most {
                (most, best) = (p, vec![]);
            }
            if p == most {
                best.push(i);
            }
        }
        let chosen = best[self.rng.random_range(0..best.len())];
        if self.rng.random_range(0..LOWERED) == 0 {
            // All others come before it now, so that nobody waits for ever.
            self.lowest -= 1;
            priorities.insert(actor(steps[chosen]), self.lowest);
        }
        chosen
    }
}

/// The last state of a way is kept as a whole: what ranks wait for is asked of it.
fn known_in_full(way: &mut Path<Step>, state: &[Word]) {
    if let Some(last) = way.states.last_mut() {
        *last = state.to_vec();
    }
}

impl Explorer<'_> {
    /// Follows so many behaviours, until one is bad.
    pub(crate) fn sample(&mut self, of: Sample) -> Result<Verdict, Stopped> {
        self.goes_one_way();
        let mut verdict = Verdict::default();
        for number in 0..of.number {
            verdict.sampled = Some(number + 1);
            self.tree.forget();
            self.anew()?;
            self.one(&|| Guide::Random(Box::new(Chooser::new(of.seed, number))), &mut verdict, &mut ())?;
            if verdict.is_wrong() || !verdict.unsupported.is_empty() {
                break;
            }
            if let Some(late) = self.run.bounds.late().filter(|_| number + 1 < of.number) {
                if !verdict.bounds.contains(&late) {
                    verdict.bounds.push(late);
                }
                break;
            }
        }
        self.close(&mut verdict);
        if verdict.is_wrong() || of.number == 1 {
            self.hear(&mut verdict);
        }
        Ok(verdict)
    }

    /// Follows a behaviour again, which ends as it did, or is not possible any more. Who watches sees it once all is known that is to be known of the
    /// program's memory: until then the processes are begun again where something is found.
    pub(crate) fn again(&mut self, behaviour: &Behaviour, watcher: &mut dyn Watcher) -> Result<Verdict, Stopped> {
        self.goes_one_way();
        let guide = || Guide::Kept(Follower::of(&behaviour.turns));
        if watcher.watches() {
            self.one(&guide, &mut Verdict::default(), &mut ())?;
            self.tree.forget();
            self.anew()?;
        }
        let mut verdict = Verdict { replayed: true, ..Verdict::default() };
        self.one(&guide, &mut verdict, watcher)?;
        if watcher.watches() {
            watcher.ends(&self.held(self.tree.now.iter().flatten().copied()));
        }
        self.close(&mut verdict);
        self.hear(&mut verdict);
        Ok(verdict)
    }

    fn goes_one_way(&mut self) {
        self.tree.one_way = true;
        self.tree.stage.written = Some((0..self.run.ranks).map(|_| Written::default()).collect());
    }

    /// Ends the processes, and takes down what they have written.
    fn hear(&mut self, verdict: &mut Verdict) {
        self.tree.forget();
        verdict.written = self.tree.stage.written.iter().flatten().map(Written::text).collect();
    }

    /// Follows the behaviour of a guide.
    fn one<'b>(
        &mut self,
        guide: &dyn Fn() -> Guide<'b>,
        verdict: &mut Verdict,
        watcher: &mut dyn Watcher,
    ) -> Result<(), Stopped> {
        // What the behaviours before it came by leaves room for this one.
        if self.machine().bytes() > self.run.bounds.bytes / 2 {
            self.anew()?;
        }
        let mut ways = 0;
        for _ in 0..ANEW {
            let mut gone = Gone { path: Path { states: vec![], steps: vec![] }, which: vec![], astray: None };
            let guide = guide();
            // A search of all behaviours knows all elements of windows from the beginning on, and so does the behaviour that it has found.
            self.tree.from_here = ways < WAYS && self.run.is_sampled();
            let came = self.way(guide, &mut gone, watcher)?;
            if let Came::Anew = came {
                continue;
            }
            if self.news.number > 0 && (ways + 1 < WAYS || !matches!(came, Came::To(Some(Outcome::Values(_))))) {
                tracing::debug!(
                    places = self.tree.places.len(),
                    found = self.news.number,
                    "begun again: elements were found"
                );
                ways += 1;
                self.tree.forget();
                self.anew()?;
                continue;
            }
            let Gone { path: way, which, astray } = gone;
            let came = astray.map_or(came, Came::Astray);
            let mut sites = Sites::new(&self.run.command, &self.tree.maps);
            let ended = self.known(&mut sites, verdict);
            let turns = |e: &Self| e.counted_turns(&way, &which);
            for (finding, place) in ended {
                verdict.findings[finding].trace = self.told(&way, Some(place), &mut sites).trace;
                verdict.findings[finding].way = turns(self);
            }
            verdict.states += way.states.len();
            verdict.transitions += way.steps.len();
            verdict.rounds += 1;
            match came {
                Came::To(Some(end @ Outcome::Values(_))) => verdict.ends.extend(self.ranks_of(&end)),
                Came::To(Some(bad)) => {
                    let turns = turns(self);
                    let found = self.explained(&bad, Some(way), &mut sites);
                    verdict.findings.push(Finding { way: turns, ..found });
                }
                Came::Astray(place) => return Err(self.astray(&way, place, &mut sites)),
                Came::Endless => verdict.bounds.push(Bound::States(self.run.bounds.states)),
                Came::Waits => verdict.unsupported.extend(self.tested(&mut sites)),
                Came::Late(bound) => verdict.bounds.push(bound),
                Came::Full => verdict.bounds.push(Bound::Bytes(self.run.bounds.bytes)),
                Came::To(None) | Came::Anew => {}
            }
            return Ok(());
        }
        Err(Stopped::Input(format!("the model was made anew {ANEW} times for one behaviour")))
    }

    /// Goes one way; what is kept of states is where each thread is.
    fn way(
        &mut self,
        mut guide: Guide<'_>,
        Gone { path: way, which, astray }: &mut Gone,
        watcher: &mut dyn Watcher,
    ) -> Result<Came, Stopped> {
        let threads = self.run.ranks;
        let mut state = self.machine().initial().to_vec();
        let mut present = Present::new(self.machine());
        while way.steps.len() < self.run.bounds.states {
            // What was asked for transitions that were not taken is of no interest.
            let _ = self.machine().asked();
            self.machine().resettle(&mut state)?;
            while !self.machine().asked_nothing() {
                if !self.settle_all()? {
                    return Ok(Came::Anew);
                }
                self.machine().widen(&mut state);
                // A thread may be in the code of a call that was made anew, or come to it now.
                self.take_moved(&mut state);
                self.machine().resettle(&mut state)?;
                self.take_news(&mut state);
            }
            if self.machine().bytes() > self.run.bounds.bytes {
                return Ok(Came::Full);
            }
            if let Some(late) = self.run.bounds.late() {
                return Ok(Came::Late(late));
            }
            way.states.push(state[..threads].to_vec());
            if watcher.watches() {
                if way.states.len() == 1 {
                    watcher.starts();
                    self.held(self.places_in(&state)).iter().for_each(|first| watcher.begins(first));
                }
                watcher.comes(&At { explorer: self, state: &state })?;
            }
            present.go_to(self.machine(), &state)?;
            let next: Vec<&Step> = present.steps().collect();
            // A saved behaviour may go on where another call is erroneous than the one that it ends in.
            let goes_on = matches!(&guide, Guide::Kept(turns) if turns.goes_on()) && !next.is_empty();
            if let Some((step, reason)) = present.erroneous().filter(|_| !goes_on) {
                let rules = &self.machine().spec().rules;
                let rule = step.rule.map_or(String::new(), |r| rules[r].name.clone());
                way.steps.push(step.clone());
                return Ok(Came::To(Some(Outcome::Erroneous { rule, reason: reason.to_owned() })));
            }
            // A rank tests again and again what is not there: it waits, if nothing else can happen.
            let is_kept = matches!(&guide, Guide::Kept(turns) if !turns.is_through());
            // A process that ends badly ends all, whatever they wait for.
            if !is_kept && self.machine().any_gone(&state) {
                known_in_full(way, &state);
                return Ok(Came::To(self.end(&state)));
            }
            let is_early = self.machine().is_early(&state);
            // Where none of the ranks that wait has changed meanwhile, the others may come to wait as well.
            let may_all_wait = is_early && !self.tree.rounds.may_go_on();
            if is_early && (next.is_empty() || !is_kept && !may_all_wait) {
                let waits_for_ever = may_all_wait && self.tree.rounds.nobody_came_further();
                known_in_full(way, &state);
                return Ok(if waits_for_ever { Came::To(Some(Outcome::Deadlock)) } else { Came::Waits });
            }
            if next.is_empty() {
                known_in_full(way, &state);
                return Ok(Came::To(self.end(&state)));
            }
            let chosen = match &mut guide {
                Guide::Random(chooser) => Some(chooser.choose(&next)),
                Guide::Kept(turns) => {
                    let taken = turns.taken;
                    let chosen = turns.choose(self.machine(), &next);
                    // Ranks can go on for ever, and none comes further.
                    if chosen.is_none() && turns.is_through() && self.ends_in_deadlock() {
                        known_in_full(way, &state);
                        return Ok(Came::To(Some(Outcome::Deadlock)));
                    }
                    *astray = chosen.is_none().then_some((taken, way.steps.len()));
                    chosen
                }
            };
            let chosen = chosen.unwrap_or_else(|| {
                let mut chooser = Box::new(Chooser::new(0, 0));
                let chosen = chooser.choose(&next);
                guide = Guide::Random(chooser);
                chosen
            });
            which.push(next[..chosen].iter().filter(|s| **s == next[chosen]).count());
            way.steps.push(next[chosen].clone());
            present.take(chosen, &mut state);
        }
        Ok(Came::Endless)
    }

    fn ends_in_deadlock(&self) -> bool {
        self.run.again.as_ref().is_some_and(|b| b.bad == Bad::Deadlock)
    }

    /// The processes of places, as far as they wait in calls.
    fn held(&self, places: impl Iterator<Item = usize>) -> Vec<Held> {
        let mut sites = Sites::new(&self.run.command, &self.tree.maps);
        let held = |number: usize| {
            let Place { rank, process, .. } = &self.tree.places[number];
            let pid = process.as_ref()?.pid.as_raw();
            Some(Held { rank: *rank, pid, call: self.call_at(number, &mut sites) })
        };
        places.filter_map(held).collect()
    }

    /// What is said where a behaviour that is followed again goes no further.
    fn astray(&self, way: &Path<Step>, (turn, at): (usize, usize), sites: &mut Sites) -> Stopped {
        let Some(behaviour) = &self.run.again else { return Stopped::Input("no behaviour is followed".into()) };
        let all = behaviour.turns.len();
        let what = match behaviour.turns.get(turn) {
            Some(wanted) => format!("step {} of {all}, {}, is not possible", turn + 1, wanted.name()),
            None => format!("it goes on behind step {all}, the last one"),
        };
        let state = way.states.get(at).cloned().unwrap_or_default();
        let ranks: Vec<String> = self.calls_in(&state, sites).map(|(_, call)| call).collect();
        Stopped::Input(format!(
            "the program does something else than when its behaviour was saved: {what} ({}); is it the same program, with the same input?",
            ranks.join("; ")
        ))
    }
}
