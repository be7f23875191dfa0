//! A litmus test under an operational model.

use litmpi_engine::coverage::Coverage;
use litmpi_engine::eval::Fault;
use litmpi_engine::machine::{End, Machine, Step, Target as To};
use litmpi_engine::memo::Every;
use litmpi_engine::portable::Packing;
use litmpi_engine::reach::Reach;
use litmpi_engine::reduce::{Enough, Reduction};
use litmpi_engine::search::{
    Apart, Bound, Bounds, Exploration, Failure, Path, Peers, Portable, Random, Shared, Swept, System, Target, Together,
    Walked, Walks, Worker, across, explore, path, sweep, towards, walk,
};
use litmpi_litmus::ast::{Observable, Observed, Outcome, Test};
use litmpi_litmus::lower;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::model::Spec;
use litmpi_spec::program::{Program, Thread};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Which transitions a search follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
pub enum Search {
    /// All of them where that is soon done, else a reduced search.
    #[default]
    Auto,
    /// In each state enough of them for all outcomes: see [`litmpi_engine::reduce`].
    Reduced,
    /// The same by footprints alone, whatever rules say of themselves: for models that were not tried.
    Footprints,
    /// All of them: ways to outcomes are shortest, and executions are counted.
    Full,
}

/// A full search of no more states than this costs less than to find out what may be left out.
const SOON: usize = 1000;

/// States that are searched in vain, because too much was forgotten, before nothing is.
const IN_VAIN: usize = 100_000;

/// Ways that are gone at most to find out where rules and programs look, and steps of all of them.
const WAYS: u64 = 32;
const WALK: usize = 10_000;
/// So many ways in a row that show nothing new are enough.
const NOTHING_NEW: usize = 3;

/// Executions are counted in a full search of so many states at most: to count them all edges are kept, and one thread goes along them.
const COUNTED: usize = 200_000;

/// Most bytes of footprints, about, that a reduced search is worth: more take minutes to find. Programs of 100 ranks have as many.
const FOOTPRINTS: usize = 64 << 20;

/// Programs of more threads are not small: where they all go on at once, they have more states than are searched in full, and each
/// state of so many threads takes its time.
const FEW: usize = 16;

/// What a test is run under.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The model.
    pub spec: Arc<Spec>,
    /// Its variant; `default` for none.
    pub variant: String,
    /// How often loops without a bound of their own are unrolled; without it they are not.
    pub unroll: Option<u32>,
    /// Limits of the search.
    pub bounds: Bounds,
    /// Which transitions are followed.
    pub search: Search,
    /// Where to count which rules fire and which premises block, if anybody asks.
    pub coverage: Option<Arc<Coverage>>,
    /// How many threads search, 1 or more: what they find is the same.
    pub threads: usize,
    /// Where to note what is evaluated, if anybody asks.
    pub reach: Option<Arc<Reach>>,
    /// Whether registers and locations that nobody looks at are not told apart.
    pub forgets: bool,
    /// Whether a reduced search follows nothing else where the program may be erroneous: enough to know that it is.
    pub ends_at_errors: bool,
    /// The processes that search together with this one, if there are others.
    pub across: Option<Arc<Peers>>,
}

impl Setup {
    /// The defaults for everything but the model: no variant, loops that are not unrolled.
    pub fn new(spec: Arc<Spec>) -> Setup {
        Setup {
            spec,
            variant: "default".into(),
            unroll: None,
            bounds: Bounds::default(),
            search: Search::default(),
            coverage: None,
            threads: 1,
            reach: None,
            forgets: true,
            ends_at_errors: false,
            across: None,
        }
    }
}

/// A test, ready to be searched.
pub struct Operational<'t> {
    machine: Machine,
    /// What the machine was made of.
    program: Program,
    observed: &'t [Observable],
    setup: Setup,
    /// Made when it is needed.
    reduction: OnceLock<Reduction>,
}

/// What a search gives.
#[derive(Debug)]
pub struct Outcomes {
    /// How they were searched for.
    pub search: Search,
    /// Two transitions that the rules say commute, and do not: the search was then full.
    pub refuted: Option<String>,
    /// All outcomes within the bounds.
    pub set: BTreeSet<Outcome>,
    /// Distinct states.
    pub states: usize,
    /// Transitions.
    pub transitions: usize,
    /// Executions: none where they were not counted, because the search was a reduced or a large one.
    pub executions: Option<Executions>,
    /// Bounds that were hit; the set is complete if there is none.
    pub bounds: Vec<Bound>,
    /// States of searches before, made in vain because they had forgotten what somebody looks at.
    pub in_vain: usize,
}

/// How many paths lead from the initial state to an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Executions {
    /// So many; `u128::MAX` stands for all numbers from there on.
    Finite(u128),
    /// A path comes back to a state.
    Infinite,
}

/// Outcomes with the ways to them.
#[derive(Debug)]
pub struct Ways {
    /// The outcomes.
    pub outcomes: Outcomes,
    /// Where each was first reached.
    exploration: Exploration<Outcome>,
}

impl Outcomes {
    fn of_swept(search: Search, swept: Swept<Outcome>, refuted: Option<String>) -> Outcomes {
        let Swept { outcomes, states, transitions, bounds, .. } = swept;
        let set = outcomes.into_keys().collect();
        Outcomes { search, refuted, set, states, transitions, executions: None, bounds, in_vain: 0 }
    }

    fn of_explored(search: Search, found: &Exploration<Outcome>, refuted: Option<String>) -> Outcomes {
        let counted = || found.executions.map_or(Executions::Infinite, Executions::Finite);
        Outcomes {
            search,
            refuted,
            set: found.outcomes.keys().cloned().collect(),
            states: found.states,
            transitions: found.transitions,
            executions: (search == Search::Full && !Bound::stopped(&found.bounds)).then(counted),
            bounds: found.bounds.clone(),
            in_vain: 0,
        }
    }

    /// Whether these are all outcomes.
    pub fn complete(&self) -> bool {
        self.bounds.is_empty()
    }

    /// Whether the search stopped early: not only a loop was unrolled no further.
    pub fn stopped(&self) -> bool {
        Bound::stopped(&self.bounds)
    }
}

impl<'t> Operational<'t> {
    /// Loads a test.
    ///
    /// # Errors
    /// An unknown variant; an instruction that the model has no rule for.
    pub fn new(test: &'t Test, setup: &Setup) -> Result<Operational<'t>, Report> {
        if let (Err(several), Some(o)) =
            (setup.spec.memory(), test.observed.iter().find(|o| matches!(o.what, Observed::Loc(_))))
        {
            return Err(without_memory(test, &setup.spec, &o.name, &several));
        }
        Operational::over(lower(test, setup.unroll), &test.observed, setup)
    }

    /// The same of a program, of which these registers and locations are observed.
    ///
    /// # Errors
    /// See [`Operational::new`].
    pub fn over(program: Program, observed: &'t [Observable], setup: &Setup) -> Result<Operational<'t>, Report> {
        let mut machine = Machine::noting(Arc::clone(&setup.spec), &program, &setup.variant, setup.reach.clone())
            .map_err(Report::from)?;
        if let Some(coverage) = &setup.coverage {
            machine.count_into(Arc::clone(coverage));
        }
        Ok(Operational { machine, program, observed, setup: setup.clone(), reduction: OnceLock::new() })
    }

    /// The machine, to say how a process goes on ([`litmpi_engine::unfold`]). What the search has found out about it is forgotten.
    pub fn machine_mut(&mut self) -> &mut Machine {
        self.reduction = OnceLock::new();
        &mut self.machine
    }

    /// The machine under the test, for showing states and steps.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Every outcome. What is small is searched in full and its executions are counted. Everything else is swept: states are
    /// compressed, and no ways to them are kept. A reduced search that finds two transitions not to commute that are said to may have
    /// left something out: it is done again in full.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub fn outcomes(&self) -> Result<Outcomes, Report> {
        let counted = match self.setup.search {
            Search::Auto if !self.is_small() => 0,
            Search::Auto => SOON,
            // Executions are not counted by several processes.
            Search::Full if self.setup.across.is_some() => 0,
            Search::Full => COUNTED,
            Search::Reduced | Search::Footprints => 0,
        };
        if counted > 0 {
            let bounds = Bounds { states: counted.min(self.setup.bounds.states), ..self.setup.bounds };
            let found = explore(&self.searched(Search::Full)?, bounds).map_err(Report::from)?;
            if !Bound::stopped(&found.bounds)
                || counted >= self.setup.bounds.states && self.setup.search == Search::Full
            {
                return Ok(Outcomes::of_explored(Search::Full, &found, None));
            }
        }
        match self.forgetful()? {
            Some(found) => Ok(found),
            None => self.swept().map(|(found, _)| found).map_err(Stopped::report),
        }
    }

    /// Searches that follow end after so many states, if they did not before.
    pub fn end_after(&mut self, states: usize) {
        self.setup.bounds.states = states;
    }

    /// Every outcome, by searches that keep in a state no register and no location that nobody looks at; none if that is of no use, or
    /// if too many were made in vain.
    fn forgetful(&self) -> Result<Option<Outcomes>, Report> {
        // Who counts what is evaluated counts one search.
        if self.setup.search == Search::Full || self.setup.coverage.is_some() || !self.setup.forgets {
            return Ok(None);
        }
        let observed: BTreeSet<usize> = self
            .observed
            .iter()
            .filter_map(|o| match &o.what {
                Observed::Loc(l) => self.machine.loc_slot(*l),
                Observed::Reg(t, r, _) => Some(self.machine.reg_slot(*t, *r)),
            })
            .collect();
        self.walk();
        let mut unseen = self.machine.unseen();
        unseen.retain(|slot| !observed.contains(slot));
        let mut in_vain = 0;
        while !unseen.is_empty() && in_vain < IN_VAIN {
            let mut less = Operational::over(self.program.clone(), self.observed, &self.setup)?;
            less.machine.forget(&unseen);
            let found = less.swept();
            // Of several processes only one may know that it has looked where it should not.
            let alone = self.setup.across.is_none();
            let missed = match &found {
                Ok((_, missed)) => *missed,
                Err(Stopped::Fault(_)) => !alone || less.machine.has_missed(),
                Err(Stopped::Apart(_)) => false,
            };
            if !missed {
                return found.map(|(found, _)| Some(Outcomes { in_vain, ..found })).map_err(Stopped::report);
            }
            // What cannot be evaluated may be so only because a value was forgotten: the search that keeps all will tell.
            let Ok((found, _)) = found else { break };
            if !alone {
                // Each knows of other places that are looked at, and all must go on with the same.
                break;
            }
            in_vain += found.states;
            unseen.retain(|slot| !less.machine.has_seen(*slot));
        }
        Ok(None)
    }

    /// Goes ways to their ends, always the same: most of what rules and programs ever look at they look at there. A search that
    /// comes to more is made in vain, which costs far more than a way. What cannot be evaluated the search will tell.
    fn walk(&self) {
        let mut every = Every::new(&self.machine);
        let (mut unseen, mut in_vain, mut steps) = (self.machine.unseen().len(), 0, 0);
        for way in 0..WAYS {
            let mut random = Random::new(0, way);
            let mut at = self.machine.initial().to_vec();
            loop {
                let (mut next, mut there) = (vec![], 0);
                let all = every.transitions(&at, &mut |_, to| {
                    if let To::State(state) = to {
                        there += 1;
                        // Each of those that there are is taken with the same chance.
                        if random.below(there) == 0 {
                            next.clear();
                            next.extend_from_slice(state);
                        }
                    }
                });
                steps += 1;
                if all.is_err() || steps == WALK {
                    return;
                }
                if there == 0 {
                    break;
                }
                at = next;
            }
            let now = self.machine.unseen().len();
            in_vain = if now == unseen { in_vain + 1 } else { 0 };
            unseen = now;
            if in_vain == NOTHING_NEW || unseen == 0 {
                return;
            }
        }
    }

    /// Every outcome, by a search that keeps no ways, and whether somebody looked at a slot that is forgotten.
    fn swept(&self) -> Result<(Outcomes, bool), Stopped> {
        let search = self.worthwhile();
        let mut found = self.sweep(search)?;
        let is_found = |o: &Outcome| matches!(o, Outcome::Erroneous { .. });
        if self.is_lenient() && !Bound::stopped(&found.swept.bounds) && found.swept.outcomes.keys().any(is_found) {
            self.be_exact();
            found = self.sweep(search)?;
        }
        let Together { swept, refuted: missed, doubt } = found;
        match doubt.filter(|_| search != Search::Full && !missed) {
            None => Ok((Outcomes::of_swept(search, swept, None), missed)),
            doubt => {
                let full = self.sweep(Search::Full)?;
                Ok((Outcomes::of_swept(Search::Full, full.swept, doubt), full.refuted))
            }
        }
    }

    /// Every outcome, and what is needed to find a way to each: a shortest one if the search was full. A reduced search that comes
    /// back to a state may have put something off for ever; it is done again in full, as is one that [`Operational::outcomes`] does again.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub fn ways(&self) -> Result<Ways, Report> {
        if self.setup.search == Search::Auto && self.is_small() {
            let soon = Bounds { states: SOON.min(self.setup.bounds.states), ..self.setup.bounds };
            let exploration = explore(&self.searched(Search::Full)?, soon).map_err(Report::from)?;
            if !Bound::stopped(&exploration.bounds) {
                return Ok(Ways { outcomes: Outcomes::of_explored(Search::Full, &exploration, None), exploration });
            }
        }
        let search = self.worthwhile();
        let mut exploration = self.explore(search)?;
        let is_found = |o: &Outcome| matches!(o, Outcome::Erroneous { .. });
        if self.is_lenient() && !Bound::stopped(&exploration.bounds) && exploration.outcomes.keys().any(is_found) {
            self.be_exact();
            exploration = self.explore(search)?;
        }
        let refuted = self.refuted();
        let goes_round = !exploration.acyclic && !Bound::stopped(&exploration.bounds);
        if search != Search::Full && (refuted.is_some() || goes_round) {
            let exploration = self.explore(Search::Full)?;
            return Ok(Ways { outcomes: Outcomes::of_explored(Search::Full, &exploration, refuted), exploration });
        }
        Ok(Ways { outcomes: Outcomes::of_explored(search, &exploration, refuted), exploration })
    }

    /// A way to an outcome that is wanted, and the outcome, by a search that follows first what misses it by least: not a shortest way. None says nothing.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub fn towards(
        &self,
        wanted: impl Fn(&Outcome) -> bool,
        misses: impl Fn(&Outcome) -> usize,
    ) -> Result<Option<(Outcome, Path<Step>)>, Report> {
        self.reduction(self.worthwhile()).iter().for_each(|r| r.be_exact());
        let distance = |state: &[u32]| misses(&values(&self.machine, self.observed, state));
        towards(&self.searched(self.worthwhile())?, self.setup.bounds, wanted, distance).map_err(Report::from)
    }

    /// Whether it may be, so that a full search is tried first.
    fn is_small(&self) -> bool {
        self.machine.program().threads.len() <= FEW
    }

    /// How a program is searched that is not small.
    fn worthwhile(&self) -> Search {
        match self.setup.search {
            // What may be left out would cost more to find out than the search itself may.
            _ if self.setup.search != Search::Full && Reduction::bytes(&self.machine) > FOOTPRINTS => Search::Full,
            Search::Auto => Search::Reduced,
            search => search,
        }
    }

    /// Two transitions that the rules say commute, and do not.
    fn refuted(&self) -> Option<String> {
        self.reduction.get().and_then(Reduction::refuted).map(str::to_owned)
    }

    /// Whether a search has relied on what need not hold of an erroneous program, and all is to be found that comes of such a one.
    fn is_lenient(&self) -> bool {
        !self.setup.ends_at_errors && self.reduction.get().is_some_and(Reduction::is_lenient)
    }

    fn be_exact(&self) {
        self.reduction.get().iter().for_each(|r| r.be_exact());
    }

    /// What a search needs to know to leave transitions out; nothing if it leaves out none.
    fn reduction(&self, search: Search) -> Option<&Reduction> {
        let relies = search != Search::Footprints;
        let made = || Reduction::new(&self.machine, relies).ending_at_errors(self.setup.ends_at_errors);
        (search != Search::Full).then(|| self.reduction.get_or_init(made))
    }

    /// The system that a search follows which keeps ways.
    fn searched(&self, search: Search) -> Result<Searched<'_, 't>, Report> {
        let follow = Follow::new(&self.machine, self.reduction(search));
        Ok(Searched { of: self, follow: RefCell::new(follow) })
    }

    fn explore(&self, search: Search) -> Result<Exploration<Outcome>, Report> {
        // Ways are looked for once more, behind the search that has found where they lead.
        explore(&self.searched(search)?, self.setup.bounds.again()).map_err(Report::from)
    }

    /// Sweeps the system, alone or together with other processes.
    fn sweep(&self, search: Search) -> Result<Together<Outcome>, Stopped> {
        let system = self.sweeping(self.reduction(search));
        let Some(peers) = &self.setup.across else {
            let swept = sweep(&system, self.setup.bounds, self.setup.threads).map_err(Stopped::of)?;
            return Ok(Together { swept, refuted: self.machine.has_missed(), doubt: self.refuted() });
        };
        if system.forever().is_some() {
            let what = "a thread of this program may go round for ever: which ends are then missed, one process alone finds out";
            let help = "search it without other processes, or with its loops unrolled (--unroll)";
            return Err(Stopped::Apart(Diagnostic::general(what).help(help).into()));
        }
        across(&system, self.setup.bounds, peers).map_err(|failure| match failure {
            Failure::Fault(fault) => Stopped::of(fault),
            Failure::Apart(why) => Stopped::Apart(apart(&why)),
        })
    }

    /// The system that several threads follow.
    fn sweeping<'s>(&'s self, reduction: Option<&'s Reduction>) -> Sweeping<'s, 't> {
        let rounds = self.machine.program().threads.iter().map(Thread::rounds).collect();
        Sweeping { of: self, reduction, rounds, remembered: AtomicUsize::new(0), packing: OnceLock::new() }
    }

    /// The outcomes of random walks, for a program that is too large to be searched. Of one whose processes are asked as it goes
    /// ([`litmpi_engine::unfold`]), walks that ask something new are cut; once that is answered they go on the same way.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub fn walks(&self, of: Walks) -> Result<Walked<Outcome>, Report> {
        walk(&self.sweeping(None), of, self.setup.threads).map_err(Report::from)
    }

    /// The way to an outcome, if it was found; a shortest one if the search was full.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub fn way(&self, ways: &Ways, outcome: &Outcome) -> Result<Option<Path<Step>>, Report> {
        let Some(found) = ways.exploration.outcomes.get(outcome) else { return Ok(None) };
        let system = self.searched(ways.outcomes.search)?;
        path(&system, &ways.exploration, *found).map(Some).map_err(Report::from)
    }
}

/// Why a search has no result.
enum Stopped {
    /// A rule that cannot be evaluated.
    Fault(Report),
    /// The processes do not search together, or no longer.
    Apart(Report),
}

impl Stopped {
    fn of(fault: Fault) -> Stopped {
        Stopped::Fault(fault.into())
    }

    fn report(self) -> Report {
        match self {
            Stopped::Fault(report) | Stopped::Apart(report) => report,
        }
    }
}

fn apart(why: &Apart) -> Report {
    let help = match why {
        Apart::Listen(..) => "another address is free, perhaps, or another process of this search has taken this one",
        Apart::Missing(..) => "all processes are started at about the same time, each with the same list of addresses",
        Apart::Differs(..) => {
            "all processes are given the same test, model, options and addresses, and each its own number"
        }
        Apart::Gone(..) | Apart::Garbled | Apart::Failed(_) => "nothing is said of the test: search it again",
    };
    Diagnostic::general(format!("the search by several processes came to no end: {why}")).help(help).into()
}

/// What a state without transitions ends in, if these registers and locations are observed; nothing if a loop was unrolled no further.
pub fn ends_in(machine: &Machine, observed: &[Observable], state: &[u32]) -> Option<Outcome> {
    match machine.end(state) {
        End::Done => Some(values(machine, observed, state)),
        End::Deadlock => Some(Outcome::Deadlock),
        End::Cut => None,
    }
}

/// The values of these registers and locations in a state.
fn values(machine: &Machine, observed: &[Observable], state: &[u32]) -> Outcome {
    let value = |o: &Observable| match &o.what {
        Observed::Loc(l) if machine.is_undefined(state, *l)? => Ok(None),
        Observed::Loc(l) => Ok(Some(machine.loc_value(state, *l))),
        Observed::Reg(t, r, field) => {
            let value = machine.reg_value(state, *t, *r, field.as_deref());
            Ok(if machine.is_undefined_value(state, value)? { None } else { Some(value) })
        }
    };
    let values: Result<Vec<Option<i64>>, Fault> = observed.iter().map(value).collect();
    values.map_or_else(
        |fault| Outcome::Erroneous { rule: "undefined".into(), reason: fault.0.message.clone() },
        Outcome::of_values,
    )
}

/// Final values of locations are asked for, and it is not known where the specification keeps them.
fn without_memory(test: &Test, spec: &Spec, location: &str, several: &[&str]) -> Report {
    let what = format!(
        "the final value of `{location}` is observed, and it is not known which state of {} is memory",
        spec.name
    );
    let found = match several {
        [] => "no state variable has an integer for each location".to_owned(),
        _ => format!("several have an integer for each location: {}", several.join(", ")),
    };
    let help = "call the one that is memory `M`: `state M[x: Loc]: Int = x.initial`";
    Diagnostic::at(&test.span, what).found(found).help(help).into()
}

/// A test as a transition system, searched by one thread that keeps ways.
struct Searched<'s, 't> {
    of: &'s Operational<'t>,
    follow: RefCell<Follow<'s>>,
}

/// The transitions that are followed.
enum Follow<'s> {
    Every(Box<Every<'s>>),
    Enough(Box<Enough<'s>>),
}

impl<'s> Follow<'s> {
    fn new(machine: &'s Machine, reduction: Option<&'s Reduction>) -> Follow<'s> {
        match reduction {
            None => Follow::Every(Box::new(Every::new(machine))),
            Some(made) => Follow::Enough(Box::new(Enough::new(machine, made))),
        }
    }

    /// Calls `visit` for transitions that are enough, or for all if that is asked for; says whether they are all.
    fn transitions(
        &mut self,
        machine: &Machine,
        (state, all): (&[u32], bool),
        visit: &mut dyn FnMut(&Step, Target<'_, Outcome>),
    ) -> Result<bool, Fault> {
        let mut shown = |step: &Step, to: To<'_>| match to {
            To::State(s) if machine.is_early(s) => {}
            To::State(s) => visit(step, Target::State(s)),
            To::Erroneous(reason) => {
                let rule = step.rule.map_or("", |r| machine.spec().rules[r].name.as_str()).to_owned();
                visit(step, Target::Outcome(Outcome::Erroneous { rule, reason: reason.to_owned() }));
            }
        };
        match self {
            Follow::Every(every) => every.transitions(state, &mut shown).map(|()| true),
            Follow::Enough(enough) if all => enough.all(state, &mut shown).map(|()| true),
            Follow::Enough(enough) => enough.transitions(state, &mut shown),
        }
    }

    /// About how many bytes are taken by what is remembered.
    fn bytes(&self) -> usize {
        match self {
            Follow::Enough(enough) => enough.bytes(),
            Follow::Every(every) => every.bytes(),
        }
    }
}

impl Operational<'_> {
    /// What a state ends in from which no end can be reached: some thread goes round in a loop for ever.
    fn forever(&self) -> Option<Outcome> {
        let loops = |thread: &Thread| thread.rounds().iter().enumerate().any(|(at, first)| at != *first);
        self.machine.program().threads.iter().any(loops).then_some(Outcome::Deadlock)
    }

    /// What a state without transitions ends in.
    fn ends_in(&self, state: &[u32]) -> Option<Outcome> {
        ends_in(&self.machine, self.observed, state)
    }
}

impl System for Searched<'_, '_> {
    type Step = Step;
    type Outcome = Outcome;
    type Fault = Fault;

    fn initial(&self) -> Vec<u32> {
        self.of.machine.initial().to_vec()
    }

    fn transitions(&self, state: &[u32], visit: &mut dyn FnMut(&Step, Target<'_, Outcome>)) -> Result<(), Fault> {
        self.follow.borrow_mut().transitions(&self.of.machine, (state, false), visit).map(|_| ())
    }

    fn bytes(&self) -> usize {
        self.of.machine.bytes() + self.follow.borrow().bytes()
    }

    fn is_cut(&self, state: &[u32]) -> bool {
        self.of.machine.any_cut(state)
    }

    fn forever(&self) -> Option<Outcome> {
        self.of.forever()
    }

    fn end(&self, state: &[u32]) -> Option<Outcome> {
        self.of.ends_in(state)
    }

    fn over(&self, state: &[u32]) -> Option<Outcome> {
        self.of.machine.any_gone(state).then(|| values(&self.of.machine, self.of.observed, state))
    }
}

/// A test as a transition system that several threads sweep.
struct Sweeping<'s, 't> {
    of: &'s Operational<'t>,
    reduction: Option<&'s Reduction>,
    /// By thread: [`Thread::rounds`].
    rounds: Vec<Vec<usize>>,
    /// Bytes that all threads remember.
    remembered: AtomicUsize,
    /// How states are sent to other processes.
    packing: OnceLock<Packing>,
}

/// What one of these threads follows transitions with.
struct Sweeper<'s> {
    machine: &'s Machine,
    follow: Follow<'s>,
    bytes: usize,
    remembered: &'s AtomicUsize,
}

impl Shared for Sweeping<'_, '_> {
    type Outcome = Outcome;
    type Fault = Fault;

    fn is_refuted(&self) -> bool {
        self.of.machine.has_missed()
    }

    fn may_sample(&self) -> bool {
        self.of.setup.coverage.is_none()
    }

    /// A thread that has gone on comes back only within a loop.
    fn is_final(&self, from: &[u32], to: &[u32]) -> bool {
        let round = |rounds: &[usize], pc: u32| rounds[(pc as usize).min(rounds.len() - 1)];
        let mut threads = self.rounds.iter().zip(from.iter().zip(to));
        threads.any(|(rounds, (from, to))| from != to && round(rounds, *from) != round(rounds, *to))
    }

    fn forever(&self) -> Option<Outcome> {
        self.of.forever()
    }

    fn initial(&self) -> Vec<u32> {
        self.of.machine.initial().to_vec()
    }

    fn worker(&self) -> Box<dyn Worker<Outcome, Fault> + '_> {
        let machine = &self.of.machine;
        let follow = Follow::new(machine, self.reduction);
        Box::new(Sweeper { machine, follow, bytes: 0, remembered: &self.remembered })
    }

    fn is_cut(&self, state: &[u32]) -> bool {
        self.of.machine.any_cut(state)
    }

    fn end(&self, state: &[u32]) -> Option<Outcome> {
        self.of.ends_in(state)
    }

    fn over(&self, state: &[u32]) -> Option<Outcome> {
        self.of.machine.any_gone(state).then(|| values(&self.of.machine, self.of.observed, state))
    }

    fn bytes(&self) -> usize {
        self.of.machine.bytes() + self.remembered.load(Ordering::Relaxed)
    }
}

impl Portable for Sweeping<'_, '_> {
    fn pack(&self, state: &[u32], into: &mut Vec<u8>) {
        self.packing.get_or_init(|| Packing::of(&self.of.machine)).pack(&self.of.machine, state, into);
    }

    fn unpack(&self, bytes: &[u8]) -> Option<Vec<u32>> {
        self.packing.get_or_init(|| Packing::of(&self.of.machine)).unpack(&self.of.machine, bytes)
    }

    fn doubt(&self) -> Option<String> {
        self.of.refuted()
    }
}

impl Sweeper<'_> {
    fn transitions(
        &mut self,
        state: (&[u32], bool),
        visit: &mut dyn FnMut(Target<'_, Outcome>),
    ) -> Result<bool, Fault> {
        let all = self.follow.transitions(self.machine, state, &mut |_, to| visit(to));
        self.note(self.follow.bytes());
        all
    }

    /// Tells the others how much this thread remembers now.
    fn note(&mut self, now: usize) {
        // Threads that write one number without need wait for each other.
        if now != self.bytes {
            // Wrapping: what is forgotten is subtracted.
            self.remembered.fetch_add(now.wrapping_sub(self.bytes), Ordering::Relaxed);
            self.bytes = now;
        }
    }
}

impl Drop for Sweeper<'_> {
    fn drop(&mut self) {
        self.note(0);
    }
}

impl Worker<Outcome, Fault> for Sweeper<'_> {
    fn enough(&mut self, state: &[u32], visit: &mut dyn FnMut(Target<'_, Outcome>)) -> Result<bool, Fault> {
        self.transitions((state, false), visit)
    }

    fn all(&mut self, state: &[u32], visit: &mut dyn FnMut(Target<'_, Outcome>)) -> Result<(), Fault> {
        self.transitions((state, true), visit).map(|_| ())
    }
}
