//! A litmus test under an operational model.

use litmpi_explore::{Bound, Bounds, Exploration, Found, Path, System, Target, explore, path};
use litmpi_litmus::ast::{Observed, Outcome, Test};
use litmpi_litmus::lower;
use litmpi_spec::coverage::Coverage;
use litmpi_spec::diag::{Diagnostic, Report};
use litmpi_spec::eval::Fault;
use litmpi_spec::machine::{End, Machine, Step, Target as To};
use litmpi_spec::memo::Every;
use litmpi_spec::model::Spec;
use litmpi_spec::reduce::{Enough, Reduction};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// Which transitions a search follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Search {
    /// All of them where that is soon done, else a reduced search.
    #[default]
    Auto,
    /// In each state enough of them for all outcomes: see [`litmpi_spec::reduce`].
    Reduced,
    /// The same by footprints alone, whatever rules say of themselves: for models that were not tried.
    Footprints,
    /// All of them: ways to outcomes are shortest, and executions are counted.
    Full,
}

/// A full search of no more states than this costs less than to find out what may be left out.
const SOON: usize = 1000;

/// Most bytes of footprints, about, that a reduced search is worth: more take minutes to find. Programs of 50 ranks have as many.
const FOOTPRINTS: usize = 8 << 20;

/// What a test is run under.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The model.
    pub spec: Arc<Spec>,
    /// Its variant; `default` for none.
    pub variant: String,
    /// How often loops without a bound of their own are unrolled.
    pub unroll: u32,
    /// Limits of the search.
    pub bounds: Bounds,
    /// Which transitions are followed.
    pub search: Search,
    /// Where to count which rules fire and which premises block, if anybody asks.
    pub coverage: Option<Arc<Coverage>>,
}

impl Setup {
    /// The defaults for everything but the model: no variant, four turns of a loop.
    pub fn new(spec: Arc<Spec>) -> Setup {
        Setup {
            spec,
            variant: "default".into(),
            unroll: 4,
            bounds: Bounds::default(),
            search: Search::default(),
            coverage: None,
        }
    }
}

/// A test, ready to be searched.
pub struct Operational<'t> {
    machine: Machine,
    test: &'t Test,
    bounds: Bounds,
    search: Search,
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
    /// Executions, if finitely many; a reduced search does not count them.
    pub executions: Option<u128>,
    /// Bounds that were hit; the set is complete if there is none.
    pub bounds: Vec<Bound>,
    /// For [`Operational::trace`].
    pub exploration: Exploration<Outcome>,
}

impl Outcomes {
    fn of(search: Search, exploration: Exploration<Outcome>, refuted: Option<String>) -> Outcomes {
        Outcomes {
            search,
            refuted,
            set: exploration.outcomes.keys().cloned().collect(),
            states: exploration.states,
            transitions: exploration.transitions,
            executions: exploration.executions,
            bounds: exploration.bounds.clone(),
            exploration,
        }
    }

    /// Whether these are all outcomes.
    pub fn complete(&self) -> bool {
        self.bounds.is_empty()
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
        let program = lower(test, setup.unroll);
        let mut machine = Machine::new(Arc::clone(&setup.spec), &program, &setup.variant).map_err(Report::from)?;
        if let Some(coverage) = &setup.coverage {
            machine.count_into(Arc::clone(coverage));
        }
        Ok(Operational { machine, test, bounds: setup.bounds, search: setup.search, reduction: OnceLock::new() })
    }

    /// The machine under the test, for showing states and steps.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Every outcome. A reduced search that comes back to a state may have put something off for ever, and one that finds
    /// two transitions not to commute that are said to may have left something out: it is done again in full.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub fn outcomes(&self) -> Result<Outcomes, Report> {
        let mut search = self.search;
        if search == Search::Auto {
            let soon = Bounds { states: SOON.min(self.bounds.states), ..self.bounds };
            let exploration = explore(&self.searched(Search::Full)?, soon).map_err(Report::from)?;
            if exploration.bounds.iter().all(|b| *b == Bound::Loops) {
                return Ok(Outcomes::of(Search::Full, exploration, None));
            }
            search = Search::Reduced;
        }
        if search != Search::Full && Reduction::bytes(&self.machine) > FOOTPRINTS {
            // What may be left out would cost more to find out than the search itself may.
            search = Search::Full;
        }
        let mut exploration = self.explore(search)?;
        let stopped = exploration.bounds.iter().any(|b| *b != Bound::Loops);
        let refuted = self.reduction.get().and_then(Reduction::refuted).map(str::to_owned);
        if search != Search::Full && (refuted.is_some() || !exploration.acyclic && !stopped) {
            search = Search::Full;
            exploration = self.explore(search)?;
        }
        if search != Search::Full {
            exploration.executions = None;
        }
        Ok(Outcomes::of(search, exploration, refuted))
    }

    /// The system that a search follows.
    fn searched(&self, search: Search) -> Result<Searched<'_, 't>, Report> {
        let follow = match (search, self.reduction.get()) {
            (Search::Full, _) => Follow::Every(Every::new(&self.machine)),
            (_, Some(made)) => Follow::Enough(Enough::new(&self.machine, made)),
            (how, None) => {
                let made = Reduction::new(&self.machine, how != Search::Footprints).map_err(Report::from)?;
                Follow::Enough(Enough::new(&self.machine, self.reduction.get_or_init(|| made)))
            }
        };
        Ok(Searched { of: self, follow: RefCell::new(follow) })
    }

    fn explore(&self, search: Search) -> Result<Exploration<Outcome>, Report> {
        explore(&self.searched(search)?, self.bounds).map_err(Report::from)
    }

    /// The way to an outcome; a shortest one if the search was full.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub fn trace(&self, outcomes: &Outcomes, found: Found) -> Result<Path<Step>, Report> {
        path(&self.searched(outcomes.search)?, &outcomes.exploration, found).map_err(Report::from)
    }

    fn values(&self, state: &[u32]) -> Vec<i32> {
        self.test
            .observed
            .iter()
            .map(|o| match &o.what {
                Observed::Loc(l) => self.machine.loc_value(state, *l),
                Observed::Reg(t, r, field) => self.machine.reg_value(state, *t, *r, field.as_deref()),
            })
            .collect()
    }
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

/// A test as a transition system, searched in one of the two ways.
struct Searched<'s, 't> {
    of: &'s Operational<'t>,
    follow: RefCell<Follow<'s>>,
}

/// The transitions that are followed.
enum Follow<'s> {
    Every(Every<'s>),
    Enough(Enough<'s>),
}

impl System for Searched<'_, '_> {
    type Step = Step;
    type Outcome = Outcome;
    type Fault = Fault;

    fn initial(&self) -> Vec<u32> {
        self.of.machine.initial().to_vec()
    }

    fn transitions(&self, state: &[u32], visit: &mut dyn FnMut(Step, Target<'_, Outcome>)) -> Result<(), Fault> {
        let machine = &self.of.machine;
        let mut shown = |step: Step, to: To<'_>| match to {
            To::State(s) if machine.is_early(s) => {}
            To::State(s) => visit(step, Target::State(s)),
            To::Erroneous(reason) => {
                let rule = step.rule.map_or("", |r| machine.spec().rules[r].name.as_str()).to_owned();
                visit(step, Target::Outcome(Outcome::Erroneous { rule, reason: reason.to_owned() }));
            }
        };
        match &mut *self.follow.borrow_mut() {
            Follow::Enough(enough) => enough.transitions(state, &mut shown),
            Follow::Every(every) => every.transitions(state, &mut shown),
        }
    }

    fn bytes(&self) -> usize {
        let remembered = match &*self.follow.borrow() {
            Follow::Enough(enough) => enough.bytes(),
            Follow::Every(every) => every.bytes(),
        };
        self.of.machine.bytes() + remembered
    }

    fn is_cut(&self, state: &[u32]) -> bool {
        self.of.machine.any_cut(state)
    }

    fn end(&self, state: &[u32]) -> Option<Outcome> {
        match self.of.machine.end(state) {
            End::Done => Some(Outcome::Values(self.of.values(state))),
            End::Deadlock => Some(Outcome::Deadlock),
            End::Cut => None,
        }
    }
}
