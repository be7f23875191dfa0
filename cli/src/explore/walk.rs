//! Where the user is: the states from the first to this one, and those that were undone or lie ahead on a way.

use litmpi_engine::machine::{Machine, Step, Target};
use litmpi_litmus::ast::{Outcome, Prop, Test};
use litmpi_models::{Operational, Ways, ends_in};
use litmpi_spec::diag::Report;
use litmpi_spec::source::one_line;

/// A step that can be taken, or was.
#[derive(Debug, Clone)]
pub(super) struct Taken {
    pub(super) name: String,
    /// The statement that it runs, and its line.
    pub(super) source: Option<(String, usize)>,
    /// What the rule says, and where it stands.
    pub(super) says: String,
    /// Where it leads: a state, or why the program is then erroneous.
    to: Result<Vec<u32>, String>,
}

pub(super) struct Walk<'m> {
    model: &'m Operational<'m>,
    pub(super) test: &'m Test,
    /// The steps so far.
    pub(super) taken: Vec<Taken>,
    /// The steps ahead, the next one last.
    ahead: Vec<Taken>,
    /// What is enabled here.
    pub(super) enabled: Vec<Taken>,
    /// Found when it is first asked for.
    ways: Option<Ways>,
}

impl<'m> Walk<'m> {
    /// At the first state.
    ///
    /// # Errors
    /// A rule that cannot be evaluated.
    pub(super) fn new(model: &'m Operational<'m>, test: &'m Test) -> Result<Walk<'m>, Report> {
        let mut walk = Walk { model, test, taken: vec![], ahead: vec![], enabled: vec![], ways: None };
        walk.look()?;
        Ok(walk)
    }

    pub(super) fn machine(&self) -> &'m Machine {
        self.model.machine()
    }

    /// The state here, or the last one before the program became erroneous.
    pub(super) fn state(&self) -> &[u32] {
        let last = self.taken.iter().rev().find_map(|t| t.to.as_deref().ok());
        last.unwrap_or_else(|| self.machine().initial())
    }

    /// The state before the last step.
    pub(super) fn before(&self) -> Option<&[u32]> {
        let (_, earlier) = self.taken.split_last()?;
        let last = earlier.iter().rev().find_map(|t| t.to.as_deref().ok());
        Some(last.unwrap_or_else(|| self.machine().initial()))
    }

    /// Why the program is erroneous, if its last step made it so.
    pub(super) fn erroneous(&self) -> Option<&str> {
        self.taken.last()?.to.as_ref().err().map(String::as_str)
    }

    /// What it ended in, if nothing is enabled here.
    pub(super) fn end(&self) -> Option<String> {
        if let Some(reason) = self.erroneous() {
            return Some(format!("erroneous: {reason}"));
        }
        let ended = || match ends_in(self.machine(), &self.test.observed, self.state()) {
            Some(outcome) => self.test.show(&outcome),
            None => "a loop was unrolled no further".to_owned(),
        };
        self.enabled.is_empty().then(ended)
    }

    /// How many steps are known ahead.
    pub(super) fn ahead(&self) -> usize {
        self.ahead.len()
    }

    fn taken(&self, step: &Step, to: Result<Vec<u32>, String>, before: &[u32]) -> Taken {
        let machine = self.machine();
        let rule = step.rule.map(|r| &machine.spec().rules[r]);
        let source = machine.step_source(step, before).map(|s| (one_line(s.text()), s.line_col().0));
        let says = rule.map_or_else(|| "a choice of the program".to_owned(), |r| format!("{}   {}", r.doc, r.span));
        Taken { name: machine.step_name(step), source, says, to }
    }

    /// Asks the engine what is enabled here.
    fn look(&mut self) -> Result<(), Report> {
        let mut enabled = vec![];
        if self.erroneous().is_none() {
            let state = self.state();
            let visit = &mut |step: Step, to: Target<'_>| {
                let to = match to {
                    Target::State(next) => Ok(next.to_vec()),
                    Target::Erroneous(reason) => Err(reason.to_owned()),
                };
                if !to.as_ref().is_ok_and(|next| self.machine().is_early(next)) {
                    enabled.push(self.taken(&step, to, state));
                }
            };
            self.machine().transitions(state, visit).map_err(Report::from)?;
        }
        self.enabled = enabled;
        Ok(())
    }

    /// Takes one of the enabled steps. What was undone stays ahead only if this is its next step.
    pub(super) fn take(&mut self, number: usize) -> Result<(), Report> {
        let Some(step) = self.enabled.get(number).cloned() else { return Ok(()) };
        match self.ahead.last() {
            Some(next) if next.name == step.name && next.to == step.to => drop(self.ahead.pop()),
            _ => self.ahead.clear(),
        }
        self.taken.push(step);
        self.look()
    }

    /// Undoes the last step; it stays known.
    pub(super) fn undo(&mut self) -> Result<(), Report> {
        self.ahead.extend(self.taken.pop());
        self.look()
    }

    /// Goes on along what is known ahead.
    pub(super) fn again(&mut self) -> Result<(), Report> {
        self.taken.extend(self.ahead.pop());
        self.look()
    }

    pub(super) fn start(&mut self) -> Result<(), Report> {
        self.ahead.extend(self.taken.drain(..).rev());
        self.look()
    }

    pub(super) fn last(&mut self) -> Result<(), Report> {
        self.taken.extend(self.ahead.drain(..).rev());
        self.look()
    }

    /// All outcomes, as far as the bounds go, and whether those are all.
    pub(super) fn outcomes(&mut self) -> Result<(Vec<Outcome>, bool), Report> {
        if self.ways.is_none() {
            self.ways = Some(self.model.ways()?);
        }
        let of = self.ways.as_ref().map(|w| (w.outcomes.set.iter().cloned().collect(), w.outcomes.complete()));
        Ok(of.unwrap_or_default())
    }

    /// Goes to the end of a way to an outcome.
    pub(super) fn jump(&mut self, outcome: &Outcome) -> Result<(), Report> {
        self.outcomes()?;
        let Some(ways) = &self.ways else { return Ok(()) };
        let Some(path) = self.model.way(ways, outcome)? else { return Ok(()) };
        let reason = match outcome {
            Outcome::Erroneous { reason, .. } => reason.clone(),
            _ => String::new(),
        };
        let of = |(i, step): (usize, &Step)| {
            let to = path.states.get(i + 1).cloned().ok_or_else(|| reason.clone());
            self.taken(step, to, &path.states[i])
        };
        self.taken = path.steps.iter().enumerate().map(of).collect();
        self.ahead.clear();
        self.look()
    }

    /// Puts a way to an outcome ahead; whether there is one.
    pub(super) fn toward(&mut self, prop: &Prop) -> Result<bool, Report> {
        let (outcomes, _) = self.outcomes()?;
        let Some(outcome) = outcomes.iter().find(|o| prop.holds(o)) else { return Ok(false) };
        self.jump(outcome)?;
        self.start()?;
        Ok(true)
    }
}
