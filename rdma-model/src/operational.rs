//! A litmus test under an operational model.

use litmpi_explore::{Bound, Bounds, Exploration, Found, Path, System, Target, explore, path};
use litmpi_litmus::ast::{Observed, Outcome, Test};
use litmpi_litmus::lower;
use litmpi_spec::coverage::Coverage;
use litmpi_spec::diag::Report;
use litmpi_spec::eval::Fault;
use litmpi_spec::machine::{End, Machine, Step, Target as To};
use litmpi_spec::model::Spec;
use std::collections::BTreeSet;
use std::sync::Arc;

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
    /// Where to count which rules fire and which premises block, if anybody asks.
    pub coverage: Option<Arc<Coverage>>,
}

impl Setup {
    /// The defaults for everything but the model: no variant, four turns of a loop.
    pub fn new(spec: Arc<Spec>) -> Setup {
        Setup { spec, variant: "default".into(), unroll: 4, bounds: Bounds::default(), coverage: None }
    }
}

/// A test, ready to be searched.
pub struct Operational<'t> {
    machine: Machine,
    test: &'t Test,
    bounds: Bounds,
}

/// What a search gives.
#[derive(Debug)]
pub struct Outcomes {
    /// All outcomes within the bounds.
    pub set: BTreeSet<Outcome>,
    /// Distinct states.
    pub states: usize,
    /// Transitions.
    pub transitions: usize,
    /// Executions, if finitely many.
    pub executions: Option<u128>,
    /// Bounds that were hit; the set is complete if there is none.
    pub bounds: Vec<Bound>,
    /// For [`Operational::trace`].
    pub exploration: Exploration<Outcome>,
}

impl Outcomes {
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
        let program = lower(test, setup.unroll);
        let mut machine = Machine::new(Arc::clone(&setup.spec), &program, &setup.variant).map_err(Report::from)?;
        if let Some(coverage) = &setup.coverage {
            machine.count_into(Arc::clone(coverage));
        }
        Ok(Operational { machine, test, bounds: setup.bounds })
    }

    /// The machine under the test, for showing states and steps.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Every outcome.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub fn outcomes(&self) -> Result<Outcomes, Report> {
        let exploration = explore(self, self.bounds).map_err(Report::from)?;
        Ok(Outcomes {
            set: exploration.outcomes.keys().cloned().collect(),
            states: exploration.states,
            transitions: exploration.transitions,
            executions: exploration.executions,
            bounds: exploration.bounds.clone(),
            exploration,
        })
    }

    /// A shortest way to an outcome.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub fn trace(&self, outcomes: &Outcomes, found: Found) -> Result<Path<Step>, Report> {
        path(self, &outcomes.exploration, found).map_err(Report::from)
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

impl System for Operational<'_> {
    type Step = Step;
    type Outcome = Outcome;
    type Fault = Fault;

    fn initial(&self) -> Vec<u32> {
        self.machine.initial().to_vec()
    }

    fn transitions(&self, state: &[u32], visit: &mut dyn FnMut(Step, Target<'_, Outcome>)) -> Result<(), Fault> {
        self.machine.transitions(state, &mut |step, to| match to {
            To::State(s) => visit(step, Target::State(s)),
            To::Erroneous(reason) => {
                let rule = step.rule.map_or("", |r| self.machine.spec().rules[r].name.as_str()).to_owned();
                visit(step, Target::Outcome(Outcome::Erroneous { rule, reason: reason.to_owned() }));
            }
        })
    }

    fn end(&self, state: &[u32]) -> Option<Outcome> {
        match self.machine.end(state) {
            End::Done => Some(Outcome::Values(self.values(state))),
            End::Deadlock => Some(Outcome::Deadlock),
            End::Cut => None,
        }
    }
}
